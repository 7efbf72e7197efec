/* SPDX-License-Identifier: MIT
 * Lines point, traced, arc, passage and stack into the record. */
#include "record_arcs.h"
#include "record_lines.h"
#include "trace_format.h"

enum { RUNS_MAX = 1000000, ARCS_MAX = 50000000 };

/* NULL when the line's record has no control points yet. */
static struct traced *traced(const struct reader *rd)
{
    return rd->r->traced;
}

enum tare_status read_point(struct reader *rd)
{
    const struct json_value *v = rd->line;
    int n = traced(rd) ? traced(rd)->n_points : 0, index;
    struct point p = {0};
    if (!reader_fields(rd, v, point_fields, &p) || !integer_in(v, "index", n, n, &index))
        return reader_wrong(rd, "a point without place, subject or known kind, or not in order");
    int at = record_add_point(rd->r, &p);
    if (at >= 0 && at != n)
        return reader_wrong(rd, "a point that is there twice");
    return reader_added(rd, at);
}

static bool read_passes(struct reader *rd, struct traced_run *t)
{
    const struct json_value *list = json_member(rd->line, "passes");
    struct point_passes *items = arena_array(&rd->arena, (size_t)json_count(list) / 2 + 1, sizeof *items);
    int n_points = traced(rd) ? traced(rd)->n_points : 0;
    for (const struct json_value *v = json_first(list); items && v; v = json_next(v)) {
        int64_t point;
        struct point_passes *item = &items[t->n_passes];
        if (!json_integer_of(v, 0, n_points - 1, &point) || !(v = json_next(v)) || !json_unsigned_of(v, &item->n) ||
            traced(rd)->points[point].subject != t->subject)
            return false;
        item->point = (int)point;
        t->n_passes++;
    }
    t->passes = items;
    return items != NULL;
}

enum tare_status read_traced(struct reader *rd)
{
    const struct json_value *v = rd->line;
    int n = traced(rd) ? traced(rd)->n_runs : 0, index;
    struct traced_run t = {0};
    if (n >= RUNS_MAX || !reader_fields(rd, v, traced_run_fields, &t) || !integer_in(v, "index", n, n, &index))
        return reader_wrong(rd, "a traced run without subject, round, clock or order, or not in order");
    /* records from before do not say of what kind it is */
    t.incomplete = t.lost && (t.incomplete || !json_member(v, "incomplete"));
    if (!isnan(t.hz) && !(t.hz > 0))
        return reader_wrong(rd, "a traced run whose clock has no frequency above 0");
    if (!read_passes(rd, &t))
        return reader_wrong(rd, "a traced run with hits of points that are not there");
    return reader_added(rd, record_add_traced_run(rd->r, &t));
}

static bool read_bins(struct reader *rd, struct traced_arc *a)
{
    const struct json_value *list = json_member(rd->line, "bins");
    struct arc_bin *bins = arena_array(&rd->arena, TRACE_HISTOGRAM, sizeof *bins);
    int64_t bin = -1;
    uint64_t total = 0;
    for (const struct json_value *v = json_first(list); bins && v; v = json_next(v)) {
        struct arc_bin *b = &bins[a->n_bins];
        if (!json_integer_of(v, bin + 1, TRACE_HISTOGRAM - 1, &bin) || !(v = json_next(v)) || !json_unsigned_of(v, &b->n))
            return false;
        b->bin = (int)bin;
        total += b->n;
        a->n_bins++;
    }
    a->bins = bins;
    return bins && total == a->n;
}

/* With four stamps a time may be below 0. */
static bool times_agree(const struct traced_arc *a)
{
    static const double rounding = 1e-9;
    const double n = (double)a->n, least = n * (double)a->min, most = n * (double)a->max, sum = (double)a->sum;
    return sum >= least - rounding * fabs(least) && sum <= most + rounding * fabs(most);
}

enum tare_status read_arc(struct reader *rd)
{
    const struct json_value *v = rd->line;
    const struct traced *t = traced(rd);
    struct traced_arc a = {0};
    if (!t || t->n_arcs >= ARCS_MAX || !reader_fields(rd, v, traced_arc_ends, &a) || a.run >= t->n_runs ||
        a.from >= t->n_points || a.to >= t->n_points || t->points[a.from].subject != t->runs[a.run].subject ||
        t->points[a.to].subject != t->runs[a.run].subject)
        return reader_wrong(rd, "an arc whose run or points are not there");
    if (!reader_fields(rd, v, traced_arc_fields, &a) || a.n > a.passes || a.clean_n > a.n || a.added > a.n || a.max < a.min ||
        !times_agree(&a))
        return reader_wrong(rd, "an arc whose sums are not integers or contradict each other");
    if (!read_bins(rd, &a))
        return reader_wrong(rd, "an arc whose bins are not in order or do not add up to n");
    return reader_added(rd, record_add_traced_arc(rd->r, &a));
}

enum tare_status read_passage(struct reader *rd)
{
    const struct json_value *v = rd->line;
    const struct traced *t = traced(rd);
    struct arc_result a;
    arc_result_init(&a, 0, 0, 0);
    if (!t || t->n_results >= ARCS_MAX || !reader_fields(rd, v, arc_result_ends, &a) || a.from >= t->n_points ||
        a.to >= t->n_points || t->points[a.from].subject != a.subject || t->points[a.to].subject != a.subject)
        return reader_wrong(rd, "a passage line whose subject or points are not there");
    if (!reader_fields(rd, v, arc_result_fields, &a))
        return reader_wrong(rd, "a passage line whose counts are not integers");
    return reader_added(rd, record_add_arc_result(rd->r, &a));
}

enum tare_status read_stack(struct reader *rd)
{
    struct traced_stack s;
    const struct traced *t = traced(rd);
    if (!t || t->n_stacks >= STACKS_MAX || !reader_fields(rd, rd->line, stack_fields, &s) || s.parent >= t->n_stacks ||
        !(s.ns >= 0))
        return reader_wrong(rd, "a stack without kind, name or time, or whose parent does not stand before it");
    return reader_added(rd, record_add_stack(rd->r, &s));
}

static bool agrees(const struct json_value *counts, const char *key, int n)
{
    return !json_member(counts, key) || reader_count_is(counts, key, n);
}

bool traced_counts_agree(const struct reader *rd, const struct json_value *counts)
{
    const struct traced *t = traced(rd);
    return agrees(counts, "points", t ? t->n_points : 0) && agrees(counts, "traced", t ? t->n_runs : 0) &&
           agrees(counts, "arcs", t ? t->n_arcs : 0) && agrees(counts, "passages", t ? t->n_results : 0) &&
           agrees(counts, "stacks", t ? t->n_stacks : 0);
}
