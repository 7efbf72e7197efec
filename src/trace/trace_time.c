/* SPDX-License-Identifier: MIT
 *
 * Moments whose reading took far longer than the best one's (the thread was taken off its CPU in between) are left out, as are those in which
 * one of the clocks stands before the moment in front: they would bend all ticks around them.
 *
 * A jump: between two moments the counter and the raw clock differ by more than 10 us, what the readings are uncertain by, and 500 ppm.
 * A step: the wall clock and the raw clock differ by more than 100 ms and 1000 ppm (the wall clock may be slewed by 500).
 */
#include "trace_time.h"
#include <math.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;

struct trace_time {
    struct trace_moment *moments;
    int n;
    double ns_per_tick;
    struct trace_clock_check check;
};

static bool sane(const struct trace_moment *m)
{
    return m->tick && m->raw_ns && m->raw_ns < (uint64_t)INT64_MAX / 4 && m->real_ns < (uint64_t)INT64_MAX / 2;
}

static int by_tick(const void *a, const void *b)
{
    const struct trace_moment *x = a, *y = b;
    return x->tick != y->tick ? (x->tick < y->tick ? -1 : 1) : x->raw_ns < y->raw_ns ? -1 : x->raw_ns > y->raw_ns;
}

static void collect(struct trace_time *t, const struct trace_file *f)
{
    const struct trace_head *h = trace_file_head(f);
    const struct trace_stretch *stretches;
    int n = trace_file_stretches(f, &stretches);
    if (sane(&h->start))
        t->moments[t->n++] = h->start;
    if (sane(&h->last))
        t->moments[t->n++] = h->last;
    for (int i = 0; i < n; i++)
        if (sane(&stretches[i].moment))
            t->moments[t->n++] = stretches[i].moment;
    if (t->n)
        qsort(t->moments, (size_t)t->n, sizeof *t->moments, by_tick);
}

static void keep_good(struct trace_time *t)
{
    uint32_t best = UINT32_MAX;
    int n = 0;
    for (int i = 0; i < t->n; i++)
        best = t->moments[i].width < best ? t->moments[i].width : best;
    uint64_t most = 16 * ((uint64_t)best + 16);
    for (int i = 0; i < t->n; i++) {
        const struct trace_moment *m = &t->moments[i], *before = n ? &t->moments[n - 1] : NULL;
        if (m->width <= most && (!before || (m->tick > before->tick && m->raw_ns >= before->raw_ns)))
            t->moments[n++] = *m;
    }
    t->n = n;
}

/* Nanoseconds per tick from the first to the last moment; NaN: they are one. */
static double slope(const struct trace_time *t)
{
    const struct trace_moment *first = t->moments, *last = first + t->n - 1;
    return t->n < 2 || last->raw_ns == first->raw_ns
               ? NAN
               : (double)(last->raw_ns - first->raw_ns) / (double)(last->tick - first->tick);
}

static void find_frequency(struct trace_time *t, const struct trace_head *h)
{
    double fitted = slope(t), known = h->clock == TRACE_CLOCK_RAW ? 1 : h->hz > 0 ? 1e9 / h->hz : NAN;
    t->check.known = !isnan(known);
    t->ns_per_tick = t->check.known ? known : fitted;
    t->check.hz = isnan(t->ns_per_tick) ? 0 : 1e9 / t->ns_per_tick;
}

static void check_pair(struct trace_time *t, const struct trace_moment *a, const struct trace_moment *b)
{
    struct trace_clock_check *c = &t->check;
    double raw = (double)(b->raw_ns - a->raw_ns), ticks = (double)(b->tick - a->tick) * t->ns_per_tick;
    double read = ((double)a->width + (double)b->width) * t->ns_per_tick;
    double jump = ticks - raw, step = (double)(int64_t)(b->real_ns - a->real_ns) - raw;
    if (fabs(jump) > 1e4 + read + 500e-6 * raw) {
        c->jumps++;
        c->jump_ns = fabs(jump) > fabs(c->jump_ns) ? jump : c->jump_ns;
    }
    if (a->real_ns && b->real_ns && fabs(step) > 1e8 + 1e-3 * raw) {
        c->steps++;
        c->step_ns = fabs(step) > fabs(c->step_ns) ? step : c->step_ns;
    }
}

static void check_line(struct trace_time *t)
{
    const struct trace_moment *first = t->moments, *last = first + t->n - 1;
    double fitted = slope(t), worst = 0;
    t->check.residual_ppm = NAN;
    if (t->n < 3 || isnan(fitted))
        return;
    for (int i = 0; i < t->n; i++) {
        const struct trace_moment *m = &t->moments[i];
        double off = (double)(m->raw_ns - first->raw_ns) - (double)(m->tick - first->tick) * fitted;
        worst = fmax(worst, fabs(off) - (double)m->width * fitted / 2);
    }
    t->check.residual_ppm = worst / (double)(last->raw_ns - first->raw_ns) * 1e6;
}

enum tare_status trace_time_create(struct trace_time **out, const struct trace_file *f, struct tare_err *err)
{
    const struct trace_stretch *stretches;
    int n = trace_file_stretches(f, &stretches);
    struct trace_time *t = *out = calloc(1, sizeof *t);
    struct trace_moment *moments = malloc(((size_t)n + 2) * sizeof *moments);
    if (!t || !moments) {
        free(t);
        free(moments);
        *out = NULL;
        return err_set(err, TARE_NO_MEMORY, "%s: no memory for its clock", trace_file_name(f));
    }
    t->moments = moments;
    collect(t, f);
    keep_good(t);
    find_frequency(t, trace_file_head(f));
    check_line(t);
    for (int i = 1; i < t->n && t->check.hz > 0; i++)
        check_pair(t, &t->moments[i - 1], &t->moments[i]);
    return TARE_OK;
}

void trace_time_destroy(struct trace_time *t)
{
    if (t)
        free(t->moments);
    free(t);
}

const struct trace_clock_check *trace_time_check(const struct trace_time *t)
{
    return &t->check;
}

/* The last moment at or before the tick; the first where there is none. */
static int moment_before(const struct trace_time *t, uint64_t tick)
{
    int low = 0, high = t->n;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (t->moments[middle].tick <= tick)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The same, tried first where the last tick was and one further on. */
static int moment_near(const struct trace_time *t, uint64_t tick, int near)
{
    for (int i = near; i < near + 2 && i < t->n; i++)
        if (t->moments[i].tick <= tick && (i + 1 == t->n || tick < t->moments[i + 1].tick))
            return i;
    return moment_before(t, tick);
}

/* Whole and rest of what may be negative. Within 36 years, so that with a moment's time, and in differences, it stays a signed number. */
static int64_t split_ns(double ns, double *fraction)
{
    const double most = (double)(INT64_MAX / 8);
    double whole = floor(ns);
    if (fraction)
        *fraction = ns - whole;
    return whole < -most ? -(INT64_MAX / 8) : whole > most ? INT64_MAX / 8 : (int64_t)whole;
}

/* x * y / z with its rest; the quotient fits. A product of 64 bits, as between moments that are near, is divided much faster. */
static uint64_t proportion(uint64_t x, uint64_t y, uint64_t z, uint64_t *rest)
{
    uint64_t small;
    if (!__builtin_mul_overflow(x, y, &small)) {
        *rest = small % z;
        return small / z;
    }
    const wide product = (wide)x * (wide)y;
    *rest = (uint64_t)(product % z);
    return (uint64_t)(product / z);
}

int64_t trace_time_ns_near(const struct trace_time *t, uint64_t tick, int *near, double *fraction)
{
    if (!t->n)
        return split_ns((double)tick * (isnan(t->ns_per_tick) ? 1 : t->ns_per_tick), fraction);
    int i = *near = moment_near(t, tick, *near);
    const struct trace_moment *a = &t->moments[i];
    if (i + 1 >= t->n || tick < a->tick) {
        double ns = (double)(int64_t)(tick - a->tick) * (isnan(t->ns_per_tick) ? 1 : t->ns_per_tick);
        return (int64_t)(a->raw_ns + (uint64_t)split_ns(ns, fraction));
    }
    const uint64_t span = a[1].tick - a->tick;
    uint64_t rest;
    const uint64_t whole = proportion(tick - a->tick, a[1].raw_ns - a->raw_ns, span, &rest);
    if (fraction)
        *fraction = (double)rest / (double)span;
    return (int64_t)(a->raw_ns + whole);
}

int64_t trace_time_ns(const struct trace_time *t, uint64_t tick, double *fraction)
{
    int near = 0;
    return trace_time_ns_near(t, tick, &near, fraction);
}
