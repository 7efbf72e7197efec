/* SPDX-License-Identifier: MIT
 *
 * From tables to lists, and the classes that need all passages of a run.
 *
 * Interrupted: longer than median + 20 MAD, and than 1 us. Both are taken from the bins, each by the mean of what is in it, so they are exact up
 * to 8 units and otherwise to within an eighth; a bin counts as interrupted when all of it lies above the limit. MAD is taken as at least one
 * unit, and as that of values spread evenly over the median's bin, a quarter of its width: that half of the passages are equal, or share a bin, does
 * not make all others outliers.
 */
#include "trace_sums_state.h"
#include <math.h>
#include <stdlib.h>
#include <tare/stats.h>

void trace_sums_forget(struct trace_sums *s)
{
    free(s->arcs);
    free(s->bins);
    s->arcs = NULL;
    s->bins = NULL;
    s->n_arcs = 0;
}

struct at { /* a value with its weight */
    double x;
    uint64_t n;
};

static int by_value(const void *a, const void *b)
{
    const struct at *x = a, *y = b;
    return x->x < y->x ? -1 : x->x > y->x;
}

static double width_around(const struct trace_arc_sum *a, double x)
{
    double width = 1;
    for (int i = 0; i < a->n_bins; i++)
        if ((double)trace_bin_low(a->bins[i].bin) <= x)
            width = (double)(trace_bin_low(a->bins[i].bin + 1) - trace_bin_low(a->bins[i].bin));
    return width;
}

/* The value below which half of the weight lies. */
static double weighted_median(struct at *values, int n, uint64_t total)
{
    uint64_t below = 0;
    qsort(values, (size_t)n, sizeof *values, by_value);
    for (int i = 0; i < n; i++) {
        below += values[i].n;
        if (below > total / 2 || i == n - 1)
            return values[i].x;
    }
    return NAN;
}

static double limit_of(const struct trace_arc_sum *a, double us)
{
    struct at values[TRACE_HISTOGRAM];
    for (int i = 0; i < a->n_bins; i++)
        values[i] = (struct at){(double)a->bins[i].sum / (double)a->bins[i].n, a->bins[i].n};
    double median = weighted_median(values, a->n_bins, a->n);
    for (int i = 0; i < a->n_bins; i++)
        values[i].x = fabs(values[i].x - median);
    double mad = weighted_median(values, a->n_bins, a->n);
    return fmax(median + 20 * fmax(mad, fmax(1, width_around(a, median) / 4)), us);
}

static void classify(struct trace_arc_sum *a, double us)
{
    double limit = a->n_bins ? limit_of(a, us) : 0;
    a->clean_n = a->n;
    a->clean_sum = a->sum;
    for (int i = 0; i < a->n_bins; i++)
        if ((double)trace_bin_low(a->bins[i].bin) > limit) {
            a->interrupted += a->bins[i].n;
            a->clean_n -= a->bins[i].n;
            a->clean_sum = (int64_t)((uint64_t)a->clean_sum - (uint64_t)a->bins[i].sum);
        }
}

static int bins_of(const struct cell *c, struct trace_bin_sum *out)
{
    int n = 0;
    for (int i = 0; i < TRACE_HISTOGRAM; i++) {
        const struct cell_bin *b = c->pages[i >> 3] ? &c->pages[i >> 3][i & 7] : NULL;
        if (!b || !b->n)
            continue;
        if (out)
            out[n] = (struct trace_bin_sum){i, b->n, b->sum};
        n++;
    }
    return n;
}

static int64_t cell_sum(const struct cell *c)
{
    uint64_t sum = (uint64_t)c->sum_more;
    for (int i = 0; i < TRACE_HISTOGRAM; i++)
        sum += c->pages[i >> 3] ? (uint64_t)c->pages[i >> 3][i & 7].sum : 0;
    return (int64_t)sum;
}

static uint64_t cell_n(const struct cell *c)
{
    uint64_t n = 0;
    for (int i = 0; i < TRACE_HISTOGRAM; i++)
        n += c->pages[i >> 3] ? c->pages[i >> 3][i & 7].n : 0;
    return n;
}

static struct trace_arc_sum sum_of(const struct cell *c, const struct trace_bin_sum *bins, int n_bins, double us)
{
    struct trace_arc_sum a = {.from = (int)c->from - 1,
                              .to = (int)c->to - 1,
                              .group = c->group,
                              .n = cell_n(c),
                              .sum = cell_sum(c),
                              .square_low = (uint64_t)c->square,
                              .square_high = (uint64_t)(c->square >> 64),
                              .min = c->min,
                              .max = c->max,
                              .words = c->words,
                              .added = c->added,
                              .gaps = c->gaps,
                              .gap_units = c->gap_units,
                              .migrated = c->migrated,
                              .handlers = c->handlers,
                              .nested = c->nested,
                              .backwards = c->backwards,
                              .stamps = c->stamps,
                              .estimated = c->estimated,
                              .bins = bins,
                              .n_bins = n_bins};
    uint64_t timed = a.n + a.backwards;
    a.passes = (c->all > timed ? c->all : timed) + c->counted;
    if (!a.n)
        a.min = a.max = 0;
    classify(&a, us);
    return a;
}

static int by_points(const void *a, const void *b)
{
    const struct trace_arc_sum *x = a, *y = b;
    return x->from != y->from ? x->from - y->from : x->to != y->to ? x->to - y->to : x->group - y->group;
}

static enum tare_status list_arcs(struct trace_sums *s, double us)
{
    size_t n_bins = 0, at = 0;
    for (uint32_t i = 0; i < s->cells.n; i++)
        n_bins += (size_t)bins_of(cells_nth(&s->cells, i), NULL);
    s->arcs = malloc(((size_t)s->cells.n + 1) * sizeof *s->arcs);
    s->bins = malloc((n_bins + 1) * sizeof *s->bins);
    if (!s->arcs || !s->bins)
        return TARE_NO_MEMORY;
    for (uint32_t i = 0; i < s->cells.n; i++) {
        const struct cell *c = cells_nth(&s->cells, i);
        int n = bins_of(c, s->bins + at);
        struct trace_arc_sum a = sum_of(c, s->bins + at, n, us);
        at += (size_t)n;
        a.fast = a.to >= 0 && s->points[a.to].place.fast;
        if (a.from >= 0 && a.to >= 0)
            s->arcs[s->n_arcs++] = a;
    }
    qsort(s->arcs, (size_t)s->n_arcs, sizeof *s->arcs, by_points);
    return TARE_OK;
}

static int in_time(const void *a, const void *b)
{
    const struct weight *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return x->file != y->file ? x->file - y->file : x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Those of points, with work in the arc, before the others. */
static int by_kind(const void *a, const void *b)
{
    const struct weight *x = a, *y = b;
    return x->bare != y->bare ? x->bare - y->bare : x->what != y->what ? (int)x->what - (int)y->what : in_time(a, b);
}

static struct tare_moments pooled(const struct weight *w, int n)
{
    struct tare_moments m = {0};
    for (int i = 0; i < n; i++)
        tare_moments_add(&m, w[i].mean);
    return m;
}

/* Returns how many rows are of points, with work; these stand first. */
static int weigh_kinds(struct trace_sums *s)
{
    struct trace_weight *w = &s->run.weight;
    int of_points = 0;
    for (int i = 0; i < TRACE_WEIGHED; i++)
        w->of[i] = w->bare[i] = NAN;
    if (s->n_weights)
        qsort(s->weights, (size_t)s->n_weights, sizeof *s->weights, by_kind);
    for (int i = 0, k; i < s->n_weights; i = k) {
        const struct weight *first = &s->weights[i];
        for (k = i + 1; k < s->n_weights && s->weights[k].what == first->what && s->weights[k].bare == first->bare; k++)
            ;
        const struct tare_moments m = pooled(first, k - i);
        (first->bare ? w->bare : w->of)[first->what] = tare_moments_mean(&m);
        of_points = first->what == WEIGHED_POINT && !first->bare ? k : of_points;
    }
    return of_points;
}

static void weigh_all(struct trace_sums *s)
{
    struct trace_weight *w = &s->run.weight;
    const int n = weigh_kinds(s);
    w->rows = (uint64_t)n;
    w->mean = w->sd = NAN;
    if (!n)
        return;
    const struct tare_moments all = pooled(s->weights, n);
    w->mean = tare_moments_mean(&all);
    w->sd = sqrt(tare_moments_variance(&all));
}

/* Passes of a point: those that an arc led into, and those that began a chain. */
static void count_passes(struct trace_sums *s, bool again)
{
    for (int i = 0; i < s->n_arcs; i++) {
        uint64_t n = s->arcs[i].passes;
        s->points[s->arcs[i].to].passes += again ? (uint64_t)0 - n : n;
    }
}

enum tare_status trace_sums_finish(struct trace_sums *s, struct tare_err *err)
{
    double us = s->run.hz / 1e6;
    struct trace_loss *loss = &s->run.loss;
    const uint64_t seen = s->forked + loss->files;
    loss->gone = s->filed > seen && !s->options.one_process ? s->filed - seen : 0;
    count_passes(s, true);
    trace_sums_forget(s);
    if (list_arcs(s, us)) {
        trace_sums_forget(s);
        return err_set(err, TARE_NO_MEMORY, "no memory for the sums of %u arcs", s->cells.n);
    }
    count_passes(s, false);
    weigh_all(s);
    return TARE_OK;
}

const struct trace_run *trace_sums_run(const struct trace_sums *s)
{
    return &s->run;
}

int trace_sums_points(const struct trace_sums *s, const struct trace_sum_point **out)
{
    *out = s->points;
    return s->n_points;
}

int trace_sums_arcs(const struct trace_sums *s, const struct trace_arc_sum **out)
{
    *out = s->arcs;
    return s->n_arcs;
}
