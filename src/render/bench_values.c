/* SPDX-License-Identifier: MIT
 *
 * Of benchmarks: names, values, verdicts and counters as their tables and the lines below show them. */
#include "bench_lines.h"
#include <math.h>
#include <string.h>

double benchmark_point(const struct page *p, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = page_estimate(p, subject, metric, statistic);
    return e ? e->point : NAN;
}

const char *benchmark_central(const struct page *p)
{
    return p->r->rule.method == METHOD_GEORGES ? "mean" : "median";
}

bool benchmark_below_resolution(const struct page *p, int subject)
{
    double resolution = benchmark_point(p, subject, "ns", "resolution"),
           central = benchmark_point(p, subject, "ns", benchmark_central(p));
    return !strcmp(p->r->rule.metric, "ns") && central < resolution;
}

void put_benchmark_value(struct page *p, int subject)
{
    if (benchmark_below_resolution(p, subject)) {
        buf_str(&p->piece, "< ");
        put_time(p, benchmark_point(p, subject, "ns", "resolution"));
    } else {
        put_in_own_unit(p, lead_estimate(p, subject));
    }
}

void put_benchmark_failure(struct page *p, int subject)
{
    const struct subject *s = &p->r->subjects[subject];
    const bool says_so = strcmp(subject_given_up(s), "failed") != 0 || !strncmp(s->failure, "failed: ", strlen("failed: "));
    buf_str(&p->piece, says_so ? "" : "failed: ");
    put_text(p, s->failure);
}

/* Names are worth more than the columns behind them, up to two fifths of a line. */
int benchmark_name_columns(const struct page *p)
{
    enum { LEAST = 14, MOST = 60 };
    const int room = p->o->width * 2 / 5;
    return p->o->width <= 0 || room > MOST ? MOST : room < LEAST ? LEAST : room;
}

/* ---- counters of programs ---- */

void put_count_name(struct page *p, const struct count *c)
{
    put_text(p, !strcmp(c->name, COUNT_ALLOCATIONS) ? "allocations" : !strcmp(c->name, COUNT_ALLOCATED) ? "allocated" : c->name);
}

/* "1.2 ns each", "0.25 iterations each" */
static void put_inverted_count(struct page *p, const struct count *c, double value)
{
    if (c->per == COUNT_PER_SECOND) {
        put_time(p, value);
        buf_str(&p->piece, " each");
        return;
    }
    figure_count(&p->piece, value);
    buf_str(&p->piece, c->per == COUNT_PER_ITERATION ? " iterations each" : " for one in all");
}

/* A unit that scales does, a word of the program's own does not. */
void put_count(struct page *p, const struct count *c, double value, bool briefly)
{
    bool scales = !strcmp(c->unit, "ns") || !strcmp(c->unit, "bytes") || !strcmp(c->unit, "Hz");
    if (c->inverted) {
        put_inverted_count(p, c, value);
        return;
    }
    if (scales)
        figure_scaled(&p->piece, c->unit, value, FIGURE_DIGITS);
    else
        figure_count(&p->piece, value);
    if (!scales && *c->unit) {
        buf_char(&p->piece, ' ');
        put_text(p, c->unit);
    }
    buf_str(&p->piece, c->per == COUNT_PER_SECOND      ? "/s"
                       : c->per == COUNT_PER_ITERATION ? briefly ? "" : " per iteration"
                                                       : " in all");
}

const struct estimate *benchmark_count(const struct page *p, int subject, const struct count *c)
{
    struct buf name = BUF_INIT(1 << 13);
    buf_format(&name, "count:%s", c->name);
    const struct estimate *e = page_estimate(p, subject, "ns", buf_text(&name));
    buf_finish(&name);
    return e;
}

static bool is_among(const struct count_names *names, const struct count *c)
{
    for (int i = 0; i < names->n; i++)
        if (!strcmp(names->count[i]->name, c->name))
            return true;
    return false;
}

struct count_names benchmark_counters(const struct page *p)
{
    struct count_names names = {.n = 0};
    for (int i = 0; i < p->r->n_subjects; i++)
        for (int k = 0; k < p->r->series[i].n_counts && names.n < BENCH_COUNTERS_MAX; k++)
            if (!is_among(&names, &p->r->series[i].counts[k]) && benchmark_count(p, i, &p->r->series[i].counts[k]))
                names.count[names.n++] = &p->r->series[i].counts[k];
    return names;
}
