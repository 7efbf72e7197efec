/* SPDX-License-Identifier: MIT
 *
 * trace_request.h - what a runner asks of programs with control points, in the environment.
 *
 *     struct trace_request q = trace_request_default("/tmp/session");     // the runner
 *     q.mode = TRACE_AGGREGATE;
 *     trace_request_write(&env, &q);                                      // the value of TRACE_VARIABLE
 *
 *     if (trace_request_read(plat_getenv(TRACE_VARIABLE), &q, &err) == TARE_OK) ...       // the program
 *
 * Lines "word value", the first "tare-trace 1". Unknown words are passed over. Processes that the program starts inherit it, and leave
 * files of their own in the same folder, "PID-START.trace";
 * "PID-START-2.trace" and so on where a process executes another program.
 */
#ifndef TRACE_REQUEST_H
#define TRACE_REQUEST_H

#include "buf.h"
#include "trace_format.h"
#include <stdbool.h>
#include <tare/status.h>

#define TRACE_VARIABLE "TARE_TRACE"
#define TRACE_SUFFIX   ".trace"

enum { TRACE_REQUEST_VERSION = 1, TRACE_FOLDER_MAX = 3072 };

struct trace_request {
    char folder[TRACE_FOLDER_MAX + 1]; /* absolute; must exist */
    uint64_t session;                  /* goes into the files' heads */
    enum trace_mode mode;              /* of all groups but those below */
    uint8_t modes[TRACE_GROUPS];       /* 0xFF: as mode */
    enum trace_order order;
    enum trace_full full;
    uint64_t limit_bytes; /* of all files of a process; 0: 64 GiB */
    uint64_t seed;        /* of burst windows */
    uint32_t burst;       /* points in a window; 0: 1000 */
    uint32_t burst_gap;   /* points between windows, on average; 0: 100 000 */
    uint32_t repeat;      /* 1 to 3: words written for each pass, to prove the probe's weight */
    uint64_t
        micro_hz; /* of the processor's counter, in millionths of a hertz, as the runner found it out in more time; 0: not told */
    char clock[16]; /* "auto", "raw" */
};

/* "/tmp/x", "C:\\x", "\\\\server\\x": by a system that has other ones it is refused as one that is not there. */
bool trace_folder_is_absolute(const char *folder);
/* TRACE mode, ordered, aggregate when full. */
struct trace_request trace_request_default(const char *folder);
void trace_request_write(struct buf *out, const struct trace_request *q);
/* FORMAT: NULL, another text, numbers out of range. VERSION: of another version. */
enum tare_status trace_request_read(const char *text, struct trace_request *q, struct tare_err *err);

#endif
