/* SPDX-License-Identifier: MIT
 *
 * result_file.h - a file with results that a command writes, as the benchmarks of a program: what one process wrote has values of many. It is read by
 * stored_read, as tare show reads it, and becomes the frames of wire.h.
 *
 *     struct result_file s = {.format = 0};
 *     result_file_read(&s, "out.json", &err);                 // after each process; s.trouble "": it was read
 *     result_file_list(&s, &frames, &err);                    // HELLO, BENCH..., BYE: those with a time, and those that failed
 *     result_file_frames(&s, "sort/100", NULL, 0, &frames, &err);
 *     result_file_finish(&s);
 *
 * The values of a benchmark are the samples of its process, in the order of the file; of more than 1000, several in a row are one. A value is a time, or a rate of operations, which is the time of
 * one; other values of a benchmark are counters. Where it has no time, it is none (result_file_say_others). Nothing here starts a process.
 */
#ifndef RESULT_FILE_H
#define RESULT_FILE_H

#include "buf.h"
#include "harness.h"
#include "record_read.h"
#include <stdbool.h>

struct result_file {
    int format; /* 0: as it is recognised; else the place of its name in the option's choices */
    struct record r;
    struct record_reading reading;
    char trouble[400];           /* why there is nothing; "": it was read */
    bool missing;                /* there is no file */
    bool failure_reported;       /* a benchmark in it failed by its own word, which explains an exit code other than 0 */
    double steps[HARNESS_STEPS]; /* of the benchmark whose frames were made last */
};

/* What another file held is forgotten. What is wrong with the file is s->trouble; the status is NO_MEMORY or OK. */
enum tare_status result_file_read(struct result_file *s, const char *path, struct tare_err *err);
/* The same of what is in it; path is for the trouble. */
enum tare_status result_file_take(struct result_file *s, const char *path, const char *text, size_t n, struct tare_err *err);
void result_file_finish(struct result_file *s);
enum tare_status result_file_list(const struct result_file *s, struct buf *frames, struct tare_err *err);
/* Of one benchmark, which has trouble where it has no time there. `results` is a struct result_file; text is not looked at: it has been read. */
enum tare_status result_file_frames(void *results, const char *benchmark, char *text, size_t n, struct buf *frames,
                                    struct tare_err *err);
/* Whether values of this subject of s->r are missing: which ones may depend on what they would have been. */
bool result_file_partial(const struct result_file *s, int subject);
/* The next name in it from *at on (0 first), with a time or a failure; NULL: no more. */
const char *result_file_next(const struct result_file *s, int *at);
bool result_file_any(const struct result_file *s); /* there is such a name */
/* "'rss' (MB), 'rate' (req/s)": the first few that are no times; nothing appended: all are. */
void result_file_say_others(const struct result_file *s, struct buf *out);

#endif
