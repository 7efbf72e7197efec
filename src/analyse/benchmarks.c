/* SPDX-License-Identifier: MIT
 *
 * Estimates of one benchmark over its processes, on the metric ns unless said otherwise:
 *
 * Levels       within_sd, between_sd: standard deviation of a sample about its process, and of processes (tare_two_levels, Kalibera and
 *              Jones 2013, over the samples that count); samples_best: how many samples of a process are best for the time they
 *              cost, a sample's mean length against what a process costs besides; samples: how many there are. Samples of a process that
 *              were disturbed weigh in within_sd as they are.
 * Modes        mode_1, mode_2 ... (only where there are two or more): groups of processes (tare_modes_by_gaps, 5 %): point the
 *              median, [low, high] their range, n how many. A long tail has such groups too, so they are called modes only where one of
 *              the gaps is the valley of tare_two_modes: method "gaps and valley", which 5 of 100 samples of one mode have at most.
 *              mode_1_share ...: their share with the interval of Clopper and Pearson, and mode_1_seen: the chance that as many
 *              processes show such a group at least once.
 * Steady state steady_flat, steady_warm_up, steady_slow_down, steady_none, steady_unknown: processes of each kind; onset: the median of the iterations
 *              before it, over those that settled.
 * Counters     count:NAME: what the program counts itself, the median over processes; per second: of the rates of processes. Inverted: of
 *              what one takes in each process, for rates in nanoseconds; a process that counted none has no value.
 * Core cycles  core_hz: the core's frequency, the median over processes; frequency_exponent (metric cycles), where it is identified: see
 *              processes.c.
 * Resolution   resolution: median over processes. items, bytes: per iteration, the same. disturbed_samples: samples with a flag of an
 *              exogenous cause, n all.
 */
#include "buf.h"
#include "causes.h"
#include "estimates.h"
#include "processes.h"
#include <stdlib.h>
#include <tare/stats_more.h>

enum { MODES_MOST = 5 };

static const double MODES_APART = 0.05;

struct bench {
    struct record *r;
    const struct series *s;
    int subject, n;
    double *room; /* 8 (n + samples + 1) */
    enum tare_status status;
};

static void add_bench_estimate(struct bench *b, struct estimate e)
{
    if (!b->status && record_add_estimate(b->r, &e) < 0)
        b->status = TARE_NO_MEMORY;
}

static void add_point(struct bench *b, const char *statistic, const char *method, double value, int n)
{
    add_bench_estimate(b, estimate_point(b->subject, "ns", statistic, method, value, n));
}

static double median_of_column(struct bench *b, const char *id, int *n)
{
    const double *values = series_values(b->s, id);
    *n = 0;
    for (int i = 0; values && i < b->n; i++)
        if (!isnan(values[i]))
            b->room[(*n)++] = values[i];
    tare_sort(b->room, *n);
    return tare_quantile_sorted(b->room, *n, 0.5);
}

static void typical(struct bench *b, const char *statistic, const char *column)
{
    int n;
    double median = median_of_column(b, column, &n);
    if (n)
        add_point(b, statistic, "median over processes", median, n);
}

static double sample_ns(const struct bench *b, int i)
{
    const double *ticks = series_samples(b->s, "ticks"), *empty = series_samples(b->s, "empty_ticks"),
                 *iterations = series_samples(b->s, "iterations");
    return ticks && empty && iterations && iterations[i] > 0 ? (ticks[i] - empty[i]) / iterations[i] : NAN;
}

/* The samples that count, process after process, in nanoseconds; sizes of the processes that have some. *length: of them all. */
static int gather(const struct bench *b, double *x, ptrdiff_t *sizes, double *length)
{
    const struct rows *samples = &b->s->samples;
    const double *hz = series_values(b->s, "clock_hz"), *ticks = series_samples(b->s, "ticks");
    int groups = 0, n = 0;
    *length = 0;
    for (int row = 0, i = 0; hz && ticks && row < b->n; row++) {
        int before = n;
        for (; i < samples->n && samples->round[i] <= b->s->main.round[row]; i++) {
            double ns = sample_ns(b, i) / hz[row] * 1e9;
            if (samples->flags[i] & ROW_WARMUP || samples->round[i] < b->s->main.round[row] || isnan(ns))
                continue;
            x[n++] = ns;
            *length += ticks[i] / hz[row] * 1e9;
        }
        if (n > before)
            sizes[groups++] = n - before;
    }
    return groups;
}

int benchmark_samples(const struct record *r, int subject, double *room)
{
    const struct series *s = &r->series[subject];
    const struct bench b = {.s = s, .subject = subject, .n = s->main.n};
    ptrdiff_t *sizes = (ptrdiff_t *)(void *)(room + s->samples.n + 1);
    double length;
    int groups = gather(&b, room, sizes, &length), n = 0;
    for (int i = 0; i < groups; i++)
        n += (int)sizes[i];
    return n;
}

static void levels(struct bench *b)
{
    double length, *x = b->room;
    ptrdiff_t *sizes = (ptrdiff_t *)(void *)(b->room + b->s->samples.n + 1);
    int groups = gather(b, x, sizes, &length);
    struct tare_levels l;
    if (groups < 2 || tare_two_levels(x, sizes, groups, &l) || isnan(l.between))
        return;
    const double *wall = series_values(b->s, "wall");
    double sum = 0;
    for (int i = 0; wall && i < b->n; i++)
        sum += wall[i];
    const double sample = length / (double)l.n, besides = fmax(0, sum - length) / groups;
    add_point(b, "within_sd", "Kalibera-Jones", sqrt(l.within), (int)l.n);
    add_point(b, "between_sd", "Kalibera-Jones", sqrt(l.between), groups);
    add_point(b, "samples", "as observed", (double)l.n / groups, groups);
    double best = tare_two_levels_best(&l, sample, besides);
    if (isfinite(best))
        add_point(b, "samples_best", "Kalibera-Jones", best, groups);
}

static bool is_valley(const double *x, ptrdiff_t n, double *room, const struct tare_mode *found, int n_found)
{
    struct tare_modes two;
    bool cut = false;
    if (tare_two_modes(x, n, room, &two) || !(two.ratio > two.critical))
        return false;
    for (ptrdiff_t i = 0, below = found[0].n; i < n_found - 1; below += found[++i].n)
        cut |= below == two.low_n;
    return cut;
}

static void modes(struct bench *b)
{
    const double *ns = series_values(b->s, "ns");
    struct tare_mode found[MODES_MOST];
    int n = 0, n_modes = 0;
    double *x = b->room;
    for (int i = 0; ns && i < b->n; i++)
        if (ns[i] > 0)
            x[n++] = ns[i];
    if (tare_modes_by_gaps(x, n, MODES_APART, b->room + n, found, MODES_MOST, &n_modes) || n_modes < 2)
        return;
    const char *method = is_valley(x, n, b->room + n, found, n_modes) ? record_by_valley : "gaps";
    for (int i = 0; i < n_modes; i++) {
        char name[24];
        struct buf text = buf_over(name, sizeof name);
        buf_format(&text, "mode_%d", i + 1);
        struct tare_interval share, range = {.low = found[i].low, .high = found[i].high};
        add_bench_estimate(
            b, estimate_bounded(estimate_point(b->subject, "ns", name, method, found[i].median, (int)found[i].n), &range, 0, 0));
        tare_binomial_ci_clopper_pearson(found[i].n, n, 1 - b->r->rule.confidence, &share);
        buf_str(&text, "_share");
        /* At the confidence of the record. */
        const double confidence = b->r->rule.confidence;
        add_bench_estimate(b,
                           estimate_bounded(estimate_point(b->subject, "ns", name, "Clopper-Pearson", share.point, (int)share.n),
                                            &share, confidence, 1 - confidence));
        buf_clear(&text);
        buf_format(&text, "mode_%d_seen", i + 1);
        add_point(b, name, "as a share of that size", tare_chance_to_see(share.point, n), n);
    }
}

static void steady(struct bench *b)
{
    static const char *const names[] = {[TARE_STEADY_UNKNOWN] = "steady_unknown",
                                        [TARE_STEADY_FLAT] = "steady_flat",
                                        [TARE_STEADY_WARM_UP] = "steady_warm_up",
                                        [TARE_STEADY_SLOW_DOWN] = "steady_slow_down",
                                        [TARE_STEADY_NONE] = "steady_none"};
    enum { WORDS = sizeof names / sizeof *names };
    const double *words = series_values(b->s, "steady");
    int of[WORDS] = {0}, known = 0;
    for (int i = 0; words && i < b->n; i++)
        if (words[i] >= 0 && words[i] < WORDS) {
            of[(int)words[i]]++;
            known++;
        }
    for (int i = 0; i < WORDS; i++)
        if (of[i])
            add_point(b, names[i], "processes", of[i], known);
    typical(b, "onset", "onset");
}

static void exponent(struct bench *b)
{
    struct tare_interval i;
    double used = process_frequency_slope(b->r, &b->r->series[b->subject], b->room, &i);
    if (!series_values(b->s, "chain_hz"))
        return;
    int n;
    double hz = median_of_column(b, "chain_hz", &n);
    if (!n)
        return;
    add_bench_estimate(b, estimate_point(b->subject, "cycles", "core_hz", "reference chains", hz, n));
    if (!isfinite(i.low)) /* not identified */
        return;
    const double confidence = b->r->rule.confidence;
    const char *refusal = frequency_exponent_refusal(i.point);
    i.point = refusal ? i.point : used;
    struct estimate e = estimate_bounded(
        estimate_point(b->subject, "cycles", "frequency_exponent", "Theil-Sen, Kendall's interval", i.point, (int)i.n), &i,
        confidence, 1 - confidence);
    e.reason = refusal;
    add_bench_estimate(b, e);
}

static double ns_of_process(const struct bench *b, int round)
{
    const double *ns = series_values(b->s, "ns");
    for (int row = 0; ns && row < b->n; row++)
        if (b->s->main.round[row] == round)
            return ns[row];
    return NAN;
}

static void counts(struct bench *b)
{
    int last = b->s->main.round[b->n - 1];
    for (int k = 0; k < b->s->n_counts; k++) {
        const struct count *c = &b->s->counts[k];
        int n = 0;
        for (int i = 0; i < c->n && c->round[i] <= last; i++) {
            /* a rate is that of its process: its count per iteration over its time per iteration */
            const double value = process_count(c, i, c->per == COUNT_PER_SECOND ? ns_of_process(b, c->round[i]) : NAN);
            if (isfinite(value))
                b->room[n++] = value;
        }
        tare_sort(b->room, n);
        struct buf name = BUF_INIT(1 << 13);
        buf_format(&name, "count:%s", c->name);
        if (name.status)
            b->status = TARE_NO_MEMORY;
        else if (n)
            add_point(b, buf_text(&name), "median over processes", tare_quantile_sorted(b->room, n, 0.5), n);
        buf_finish(&name);
    }
}

enum tare_status estimate_benchmark(struct record *r, int subject, int rounds)
{
    struct bench b = {.r = r, .s = &r->series[subject], .subject = subject, .n = rounds};
    if (r->subjects[subject].kind != SUBJECT_BENCH || rounds < 1 || record_is_over_sessions(r))
        return TARE_OK;
    b.room = malloc(8 * ((size_t)b.s->main.n + (size_t)b.s->samples.n + 1) * sizeof *b.room);
    if (!b.room)
        return TARE_NO_MEMORY;
    levels(&b);
    modes(&b);
    steady(&b);
    typical(&b, "resolution", "resolution");
    typical(&b, "items", "items");
    typical(&b, "bytes", "bytes");
    counts(&b);
    exponent(&b);
    uint32_t causes = causes_exogenous();
    int n = 0, flagged = 0;
    for (int i = 0; i < b.s->samples.n; i++) {
        if (b.s->samples.flags[i] & ROW_WARMUP)
            continue;
        n++;
        flagged += (b.s->samples.flags[i] & causes) != 0;
    }
    if (n)
        add_point(&b, "disturbed_samples", "as observed", flagged, n);
    free(b.room);
    return b.status;
}
