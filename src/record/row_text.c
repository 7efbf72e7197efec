/* SPDX-License-Identifier: MIT
 *
 *     {"type":"row","series":0,"row":[[12,1],12300456,0,4012345,null,17]}
 *
 * The numbers of a row or a sample straight from its line as record_write.c writes it: a record has little else, and a tree of JSON takes many times as long.
 * What is written in any other way (blanks, another order, a fraction) is left to that. */
#include "record_lines.h"
#include <string.h>

enum { DIGITS = 15 }; /* which a double holds */

struct scan {
    const char *at, *end;
};

static inline bool skip(struct scan *s, const char *text, size_t n)
{
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, text, n) != 0)
        return false;
    s->at += n;
    return true;
}
#define SKIP(s, text) skip(s, text, sizeof text - 1)

static bool integer(struct scan *s, int64_t low, int64_t high, int64_t *out)
{
    const bool negative = SKIP(s, "-");
    const char *const first = s->at, *const most = s->end - first > DIGITS ? first + DIGITS + 1 : s->end, *at = first;
    int64_t x = 0;
    for (; at < most && *at >= '0' && *at <= '9'; at++)
        x = 10 * x + (*at - '0');
    const ptrdiff_t n = at - first;
    s->at = at;
    *out = negative ? -x : x;
    return n > 0 && n <= DIGITS && (*first != '0' || (n == 1 && !negative)) && *out >= low && *out <= high;
}

static int values(struct scan *s, double *out)
{
    int n = 0;
    int64_t x;
    for (; SKIP(s, ","); n++) {
        const bool null = SKIP(s, "null");
        if (n == COLUMNS_MAX || (!null && !integer(s, INT64_MIN, INT64_MAX, &x)))
            return -1;
        out[n] = null ? NAN : (double)x;
    }
    return n;
}

bool row_from_text(const char *line, size_t n, double room[COLUMNS_MAX], struct row_text *out)
{
    struct scan s = {line, line + n};
    int64_t series, round, slot, flags;
    if (!SKIP(&s, "{\"type\":\""))
        return false;
    out->sample = SKIP(&s, "sample");
    if (!(out->sample || SKIP(&s, "row")) || !SKIP(&s, "\",\"series\":") || !integer(&s, 0, INT32_MAX, &series) ||
        !SKIP(&s, ",\"row\":[[") || !integer(&s, 0, INT32_MAX, &round) || !SKIP(&s, ",") || !integer(&s, 0, INT32_MAX, &slot) ||
        !SKIP(&s, "],") || !integer(&s, INT64_MIN, INT64_MAX, &out->row.start_ns) || !SKIP(&s, ",") ||
        !integer(&s, 0, UINT32_MAX, &flags))
        return false;
    out->n = values(&s, room);
    out->series = (int)series;
    out->row.round = (int32_t)round;
    out->row.slot = (int32_t)slot;
    out->row.flags = (uint32_t)flags;
    out->row.values = room;
    return out->n >= 0 && SKIP(&s, "]}\n") && s.at == s.end;
}
