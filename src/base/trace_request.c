/* SPDX-License-Identifier: MIT
 *
 * The request of trace_request.h, as text:
 *
 *     tare-trace 1
 *     folder /tmp/session
 *     session 12345
 *     mode trace
 *     modes off 4 5 6
 *     order ordered
 */
#include "trace_request.h"
#include "request.h"
#include <limits.h>
#include <string.h>

static const char *const MODE_WORDS[TRACE_MODES] = {"off", "count", "aggregate", "trace", "burst"};
static const char *const ORDER_WORDS[] = {"", "ordered", "fast", "precise"};
static const char *const FULL_WORDS[] = {"", "aggregate", "stop"};
enum { ORDERS = sizeof ORDER_WORDS / sizeof *ORDER_WORDS, FULLS = sizeof FULL_WORDS / sizeof *FULL_WORDS };
enum { AS_THE_OTHERS = 0xFF };

struct trace_request trace_request_default(const char *folder)
{
    struct trace_request q = {.mode = TRACE_TRACE,
                              .order = TRACE_ORDERED,
                              .full = TRACE_FULL_AGGREGATE,
                              .limit_bytes = UINT64_C(64) << 30,
                              .burst = 1000,
                              .burst_gap = 100000,
                              .repeat = 1,
                              .clock = "auto"};
    memset(q.modes, AS_THE_OTHERS, sizeof q.modes);
    struct buf b = buf_over(q.folder, sizeof q.folder);
    buf_str(&b, folder);
    return q;
}

/* repeat is 1 to 3; the others have a default for 0. */
#define AT(member) offsetof(struct trace_request, member)
static const struct request_field fields[] = {{"session", REQUEST_U64, AT(session), .most = UINT64_MAX},
                                              {"mode", REQUEST_INT, AT(mode), .most = TRACE_MODES - 1, .words = MODE_WORDS},
                                              {"order", REQUEST_INT, AT(order), .most = ORDERS - 1, .words = ORDER_WORDS},
                                              {"full", REQUEST_INT, AT(full), .most = FULLS - 1, .words = FULL_WORDS},
                                              {"limit", REQUEST_U64, AT(limit_bytes), .most = UINT64_MAX},
                                              {"seed", REQUEST_U64, AT(seed), .most = UINT64_MAX},
                                              {"burst", REQUEST_INT, AT(burst), .most = 1000000000},
                                              {"burst-gap", REQUEST_INT, AT(burst_gap), .most = 1000000000},
                                              {"repeat", REQUEST_INT, AT(repeat), .most = 3},
                                              {"micro-hz", REQUEST_U64, AT(micro_hz), .most = UINT64_C(100000000000000000)},
                                              {0}};
#undef AT

void trace_request_write(struct buf *out, const struct trace_request *q)
{
    buf_format(out, "tare-trace %d\nfolder %s\n", TRACE_REQUEST_VERSION, q->folder);
    request_write(out, fields, q);
    for (int mode = 0; mode < TRACE_MODES; mode++) {
        bool begun = false;
        for (int group = 0; group < TRACE_GROUPS; group++) {
            if (q->modes[group] != mode)
                continue;
            if (!begun)
                buf_format(out, "modes %s", MODE_WORDS[mode]);
            begun = true;
            buf_format(out, " %d", group);
        }
        if (begun)
            buf_char(out, '\n');
    }
    buf_format(out, "clock %s\n", q->clock);
}

static bool read_text(const struct request_line *l, char *out, size_t size)
{
    if (!l->value_size || l->value_size >= size || memchr(l->value, 0, l->value_size))
        return false;
    memcpy(out, l->value, l->value_size);
    out[l->value_size] = 0;
    return true;
}

bool trace_folder_is_absolute(const char *folder)
{
    const char letter = (char)(folder[0] | 32);
    return folder[0] == '/' || folder[0] == '\\' || (letter >= 'a' && letter <= 'z' && folder[1] == ':');
}

static bool read_line(const struct request_line *l, struct trace_request *q)
{
    if (request_is(l, "folder"))
        return read_text(l, q->folder, sizeof q->folder) && trace_folder_is_absolute(q->folder);
    if (request_is(l, "clock"))
        return read_text(l, q->clock, sizeof q->clock) && (!strcmp(q->clock, "auto") || !strcmp(q->clock, "raw"));
    if (request_is(l, "modes")) {
        /* "off 4 5 6" */
        const char *at = l->value, *end = l->value + l->value_size;
        int mode = -1;
        while (at < end) {
            const char *blank = memchr(at, ' ', (size_t)(end - at));
            const char *stop = blank ? blank : end;
            uint64_t group = 0;
            if (mode < 0)
                mode = request_word(at, (size_t)(stop - at), MODE_WORDS, TRACE_MODES);
            else if (request_digits(at, stop, TRACE_GROUPS - 1, &group) == stop)
                q->modes[group] = (uint8_t)mode;
            else
                return false;
            if (mode < 0)
                return false;
            at = blank ? blank + 1 : end;
        }
        return mode >= 0;
    }
    return request_take(l, fields, q); /* or of a later day */
}

static enum tare_status read_first(const struct request_line *l, struct tare_err *err)
{
    uint64_t version = 0;
    if (!request_is(l, "tare-trace") ||
        request_digits(l->value, l->value + l->value_size, INT_MAX, &version) != l->value + l->value_size)
        return err_set(err, TARE_FORMAT, "%s does not begin with \"tare-trace VERSION\"", TRACE_VARIABLE);
    if (version != TRACE_REQUEST_VERSION)
        return err_set(err, TARE_VERSION,
                       "this program understands version %d of what tare asks of traced programs, the runner speaks version "
                       "%llu: build both "
                       "from one tare",
                       TRACE_REQUEST_VERSION, (unsigned long long)version);
    return TARE_OK;
}

enum tare_status trace_request_read(const char *text, struct trace_request *q, struct tare_err *err)
{
    *q = trace_request_default("");
    struct request_line l;
    size_t size = text ? strlen(text) : 0, at = 0;
    if (!request_line(text, size, &at, &l))
        return err_set(err, TARE_FORMAT, "%s holds no request", TRACE_VARIABLE);
    enum tare_status status = read_first(&l, err);
    if (status)
        return status;
    while (request_line(text, size, &at, &l))
        if (!read_line(&l, q))
            return request_wrong(&l, TRACE_VARIABLE, err);
    if (!q->folder[0])
        return err_set(err, TARE_FORMAT, "%s names no folder", TRACE_VARIABLE);
    if (!q->repeat)
        return err_set(err, TARE_FORMAT, "%s: a hit is recorded 1 to 3 times, not 0", TRACE_VARIABLE);
    const struct trace_request d = trace_request_default("/");
    q->limit_bytes = q->limit_bytes ? q->limit_bytes : d.limit_bytes;
    q->burst = q->burst ? q->burst : d.burst;
    q->burst_gap = q->burst_gap ? q->burst_gap : d.burst_gap;
    return TARE_OK;
}
