/* SPDX-License-Identifier: MIT
 *
 * Percentiles of one command's runs, each with the distribution-free interval of two order statistics (tare_quantile_ci_binomial).
 * They are of the runs and at the level of the median beside them. A two-sided interval for quantile q needs n with max(q, 1 - q)^n <=
 * level / 2: 6 runs for the median at .05, 368 for p99. Assumes independent runs; below that n, and for values that share a process,
 * there is a point and the reason.
 *
 * Of a benchmark also those of its single samples in all processes (sample_min, sample_p1 ... sample_p99, sample_max), with how many iterations
 * such a sample has (sample_iterations, their median): a sample is a mean over its iterations. Samples of one process are not independent, so
 * these describe and have no interval; quantiles by interpolation (type 7).
 */
#include "analyse.h"
#include "estimates.h"
#include "verdict.h"
#include <stdlib.h>
#include <tare/stats.h>

static const struct {
    const char *statistic;
    double q;
} percentiles[] = {{"p1", .01}, {"p5", .05}, {"p25", .25}, {"p50", .5}, {"p75", .75}, {"p90", .9}, {"p95", .95}, {"p99", .99}};

struct percentile_scope {
    struct record *r;
    int subject;
    const char *metric;
    const double *sorted;
    int n;
    double level;
    const char *why_none; /* no interval at all; NULL: as far as n goes */
};

static const char *too_few(struct percentile_scope *s, double q)
{
    struct buf b = BUF_INIT(128);
    buf_format(&b, "no interval at n = %d; %.0f are needed", s->n, ceil(log(s->level / 2) / log(fmax(q, 1 - q)) - 1e-9));
    return keep_reason(&s->r->arena, &b);
}

static enum tare_status add_percentile(struct percentile_scope *s, const char *statistic, double q)
{
    struct tare_interval i;
    if (tare_quantile_ci_binomial(s->sorted, s->n, q, s->level, &i))
        return TARE_OK;
    bool open = s->why_none || !isfinite(i.high - i.low);
    if (open)
        i.low = -INFINITY, i.high = INFINITY;
    struct estimate e = estimate_bounded(estimate_point(s->subject, s->metric, statistic, "order statistics", i.point, s->n), &i,
                                         s->why_none ? 0 : s->r->rule.confidence, s->level);
    e.reason = !open ? NULL : s->why_none ? s->why_none : too_few(s, q);
    return record_add_estimate(s->r, &e) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

/* The first n values that are there; more missing than an own metric may have: -1. */
static int take_values(const struct record *r, int subject, const char *metric, int n, double *out)
{
    const double *values = series_values(&r->series[subject], metric);
    const struct metric *m = record_metric(r, metric);
    int kept = 0;
    for (int i = 0; values && i < n; i++)
        if (!isnan(values[i]))
            out[kept++] = values[i];
    bool allowed = kept == n || (m->kind == METRIC_OWN && n - kept <= OWN_NULL_SHARE * n);
    return values && allowed ? kept : -1;
}

static enum tare_status add_percentiles(struct record *r, int subject, const char *metric, double *room)
{
    const struct estimate *median = record_estimate(r, subject, metric, "median");
    struct percentile_scope s = {.r = r, .subject = subject, .metric = metric, .sorted = room};
    int rounds = record_rounds(r, &subject, 1);
    bool looked = median && median->confidence > 0;
    const int number = subject_left(r, subject) ? r->series[subject].look.number : r->look;
    const bool of_rule = !r->series[0].look.number || subject_left(r, 0);
    int n = !looked ? rounds : number > 0 && number <= r->rule.n_looks && of_rule ? r->rule.look_at[number - 1] : median->n;
    s.n = take_values(r, subject, metric, n < rounds ? n : rounds, room);
    s.level = looked && median->level > 0 ? median->level : 1 - r->rule.confidence;
    if (record_source(r) && !record_has_alternatives(r))
        s.why_none = "no interval: values of one process are not independent";
    if (s.n < 1 || !(s.level > 0))
        return TARE_OK;
    tare_sort(room, s.n);
    enum tare_status status = TARE_OK;
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles && !status; i++)
        status = add_percentile(&s, percentiles[i].statistic, percentiles[i].q);
    return status;
}

static enum tare_status add_of_samples(struct record *r, int subject, const char *statistic, double value, int n)
{
    struct estimate e = estimate_point(subject, "ns", statistic, "as observed", value, n);
    e.reason = "no interval: samples of one process are not independent";
    return record_add_estimate(r, &e) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

static double typical_iterations(const struct series *s, double *room)
{
    const double *iterations = series_samples(s, "iterations");
    int n = 0;
    for (int i = 0; iterations && i < s->samples.n; i++)
        if (!(s->samples.flags[i] & ROW_WARMUP) && iterations[i] > 0)
            room[n++] = iterations[i];
    tare_sort(room, n);
    return tare_quantile_sorted(room, n, .5);
}

static enum tare_status add_sample_percentiles(struct record *r, int subject, double *room)
{
    static const char *const names[] = {"sample_p1",  "sample_p5",  "sample_p25", "sample_p50",
                                        "sample_p75", "sample_p90", "sample_p95", "sample_p99"};
    double iterations = typical_iterations(&r->series[subject], room);
    int n = benchmark_samples(r, subject, room);
    if (n < 1)
        return TARE_OK;
    tare_sort(room, n);
    enum tare_status status = add_of_samples(r, subject, "sample_min", room[0], n);
    for (size_t i = 0; i < sizeof names / sizeof *names && !status; i++)
        status = add_of_samples(r, subject, names[i], tare_quantile_sorted(room, n, percentiles[i].q), n);
    if (!status)
        status = add_of_samples(r, subject, "sample_max", room[n - 1], n);
    return status ? status : add_of_samples(r, subject, "sample_iterations", iterations, n);
}

enum tare_status analyse_percentiles(struct record *r, struct tare_err *err)
{
    int most = 1;
    for (int i = 0; i < r->n_subjects; i++) {
        int samples = 2 * (r->series[i].samples.n + 1);
        most = r->series[i].main.n > most ? r->series[i].main.n : most;
        most = samples > most ? samples : most;
    }
    double *room = malloc((size_t)most * sizeof *room);
    enum tare_status status = room ? TARE_OK : TARE_NO_MEMORY;
    for (int i = 0; i < r->n_subjects; i++)
        for (int m = 0; m < r->n_metrics && !status && subject_measured(&r->subjects[i]); m++)
            if (series_column(&r->series[i], r->metrics[m].id) >= 0)
                status = add_percentiles(r, i, r->metrics[m].id, room);
    for (int i = 0; i < r->n_subjects && !status; i++)
        if (r->subjects[i].kind == SUBJECT_BENCH && subject_measured(&r->subjects[i]))
            status = add_sample_percentiles(r, i, room);
    free(room);
    return status ? err_set(err, status, "no memory for the percentiles") : TARE_OK;
}
