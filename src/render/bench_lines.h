/* SPDX-License-Identifier: MIT
 *
 * bench_lines.h - inside render: what the tables of benchmarks and the lines below them share.
 */
#ifndef BENCH_LINES_H
#define BENCH_LINES_H

#include "layout.h"
#include <string.h>

/* ---- values ---- */

const char *benchmark_central(const struct page *p); /* "median", "mean" */
bool benchmark_below_resolution(const struct page *p, int subject);
void put_benchmark_failure(struct page *p, int subject); /* "failed: was ended by SIGSEGV in process 4", "skipped: no time" */
int benchmark_name_columns(const struct page *p);

/* Counters of programs, one of each name; the table has a column for those of the first. */
enum { BENCH_COUNTERS_MAX = 4 };
struct count_names {
    const struct count *count[BENCH_COUNTERS_MAX];
    int n;
};
struct count_names benchmark_counters(const struct page *p);
const struct estimate *benchmark_count(const struct page *p, int subject, const struct count *c);
void put_count_name(struct page *p, const struct count *c);
/* "2.50 per iteration", "1.2 GB/s", "15.6 ns each"; briefly: "2.50", where it goes without saying. */
void put_count(struct page *p, const struct count *c, double value, bool briefly);

/* ---- names ---- */

struct side { /* "./new" of "add (./new)", not closed by a zero; n is 0 where nothing stands there */
    const char *label;
    size_t n;
};

static inline bool same_side(struct side a, struct side b)
{
    return a.n == b.n && !memcmp(a.label, b.label, a.n);
}

struct side benchmark_side(const struct subject *s);
void put_side(struct page *p, const struct side sides[2],
              int which); /* of a pair; one that is too long by what tells it from the other */
void put_benchmark_name(struct page *p, int subject, int columns);         /* with the side, where it is one of a pair */
void put_benchmark_base(struct page *p, int subject, int columns);         /* without the side */
bool comparison_decides(const struct page *p, const struct comparison *c); /* it is of the metric that does */
bool benchmarks_are_pairs(const struct page *p); /* each comparison is of one benchmark on two sides: programs or sessions */

/* ---- parts of the result ---- */

void render_benchmark_remarks(struct page *p); /* what qualifies figures and verdicts, briefly */
void render_benchmark_notes(struct page *p);   /* of each, at length */

#endif
