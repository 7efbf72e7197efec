/* SPDX-License-Identifier: MIT
 *
 * What the rows of a host say. Intervals are two-sided at 95 %; what has none is as observed.
 *
 *     of            metric            statistic                how
 *     sharing       sharing           cpus_A_B                 median over the rounds of (together_a + together_b) / (alone_a + alone_b), order
 *                                                              statistics (9 rounds: the second smallest to the second largest); 1 for two cores, a half for
 *                                                              two threads of one core
 *     jitter        gaps              over_1us, 10us, 100us    per second: exact Poisson limits, or the ratio of batches where wider (jitter_figures.c)
 *                   lost_share        mean                     ratio of batches, Student t; others, stolen, throttled, interrupts: as observed
 *                   gap               max
 *                   core_frequency    p5, median, p95          order statistics
 *     throughput    throughput        median                   per second of wall time, order statistics
 *                   cpu_share         mean                     CPU time over wall time, of all slices
 *                   throughput        all_change               of the first: ln of the last quarter over the first quarter of the session, of all CPUs
 *                                                              together, each quarter as batches of slices: shift of Mann and Whitney. Steps that a clock of
 *                                                              minutes does not show are not there: credit that lasts longer shows in a longer session
 *                   throughput        all_onset                seconds from its start to the step, where the series settles on less than it had (tare_steady_state)
 *                   throughput        all_scatter              robust standard deviation over the median, of all CPUs together
 *     counters      counter_rate      session, bound           ppm
 *                   counter_skew      largest, bound, impossible
 *     planted       planted           size, found, wrong       shares: Clopper and Pearson
 *
 * Smallest n: 6 rounds of a pair, 16 slices for all_change and 12 for all_onset. Constant data: [x, x]. NaN are left out. n of 0: no estimate.
 */
#include "buf.h"
#include "qualify.h"
#include "whole.h"
#include <stdlib.h>
#include <string.h>
#include <tare/stats_more.h>

static const double LEVEL = 0.05;

struct making {
    struct record *r;
    double *values, *scratch; /* room for every row of the longest series, and more */
    enum tare_status status;
};

static void add_host_estimate(struct making *m, int subject, const char *metric, const char *statistic, const char *method,
                              struct tare_interval i, bool interval, const char *reason)
{
    if (m->status)
        return;
    const struct estimate e = {.subject = subject,
                               .metric = metric,
                               .statistic = statistic,
                               .method = method,
                               .point = i.point,
                               .low = interval ? i.low : -INFINITY,
                               .high = interval ? i.high : INFINITY,
                               .confidence = interval ? 1 - LEVEL : 0,
                               .level = interval ? LEVEL : 0,
                               .n = (int)i.n,
                               .n_effective = NAN,
                               .reason = isnan(i.point) ? reason : NULL};
    m->status = record_add_estimate(m->r, &e) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

static void add_observed(struct making *m, int subject, const char *metric, const char *statistic, double point, int n,
                         const char *reason)
{
    add_host_estimate(m, subject, metric, statistic, "as observed", (struct tare_interval){.point = point, .n = n}, false,
                      reason);
}

/* The known values of a column into m->values, ascending. */
static int sorted_column(struct making *m, const struct series *s, const char *column)
{
    const double *x = series_values(s, column);
    int n = 0;
    for (int i = 0; x && i < s->main.n; i++)
        if (isfinite(x[i]))
            m->values[n++] = x[i];
    tare_sort(m->values, n);
    return n;
}

static void add_pair(struct making *m, int subject, const struct series *s, double a, double b)
{
    const double *cpu_a = series_values(s, "cpu_a"), *cpu_b = series_values(s, "cpu_b"), *alone_a = series_values(s, "alone_a"),
                 *alone_b = series_values(s, "alone_b"), *both_a = series_values(s, "together_a"),
                 *both_b = series_values(s, "together_b");
    struct tare_interval i;
    int n = 0;
    for (int k = 0; k < s->main.n; k++) {
        double ratio = (both_a[k] + both_b[k]) / (alone_a[k] + alone_b[k]);
        if (cpu_a[k] == a && cpu_b[k] == b && isfinite(ratio))
            m->values[n++] = ratio;
    }
    tare_sort(m->values, n);
    tare_median_ci_binomial(m->values, n, LEVEL, &i);
    char name[64];
    buf_print(name, sizeof name, "cpus_%.0f_%.0f", a, b);
    add_host_estimate(m, subject, "sharing", name, "order statistics", i, true, "no round was complete");
}

static void add_sharing(struct making *m, int subject)
{
    const struct series *s = &m->r->series[subject];
    const double *a = series_values(s, "cpu_a"), *b = series_values(s, "cpu_b");
    if (!a || !b || !series_values(s, "alone_a") || !series_values(s, "alone_b") || !series_values(s, "together_a") ||
        !series_values(s, "together_b"))
        return;
    int n = 0, seen[QUALIFY_PAIRS_MAX]; /* rows at which a pair came first */
    for (int i = 0; i < s->main.n && n < QUALIFY_PAIRS_MAX; i++) {
        int k = 0;
        while (k < n && (a[seen[k]] != a[i] || b[seen[k]] != b[i]))
            k++;
        if (k < n || !(a[i] >= 0 && a[i] < CPU_LIST_MAX && b[i] >= 0 && b[i] < CPU_LIST_MAX))
            continue;
        seen[n++] = i;
        add_pair(m, subject, s, a[i], b[i]);
    }
}

static double at(const struct series *s, const char *column, int row)
{
    const double *x = series_values(s, column);
    return x ? x[row] : NAN;
}

/* The record may be anybody's: false, and out is of no use, where no stretch can be so. One in which the counter went back has no length. */
static bool read_stretch(const struct series *s, int row, struct jitter_stretch *out)
{
    static const double gaps_most = 1e9; /* so that sums stay within whole numbers */
    *out = (struct jitter_stretch){.start_ns = s->main.start_ns[row],
                                   .wall_ns = at(s, "wall", row),
                                   .lost_ns = at(s, "lost", row),
                                   .largest_ns = at(s, "largest", row),
                                   .delay_ns = at(s, "delay", row),
                                   .throttled_ns = at(s, "throttled", row),
                                   .involuntary = at(s, "involuntary", row),
                                   .core_hz = at(s, "core_hz", row),
                                   .least_ns = at(s, "least", row)};
    out->cpu_ns = out->wall_ns - out->delay_ns - at(s, "stolen", row);
    for (int i = 0; i < JITTER_CLASSES; i++) {
        char name[32];
        buf_print(name, sizeof name, "gaps_%lld", (long long)jitter_class_ns[i]);
        double n = at(s, name, row);
        if (!(n >= 0 && n < gaps_most))
            return false;
        out->gaps[i] = (int64_t)n;
    }
    if (!(out->core_hz > 0 && isfinite(out->core_hz)))
        out->core_hz = NAN;
    return out->wall_ns > 0 && isfinite(out->wall_ns) && out->lost_ns >= 0 && isfinite(out->lost_ns) && out->largest_ns >= 0 &&
           isfinite(out->largest_ns);
}

bool qualify_stretches(const struct record *r, int subject, struct jitter_cpu *out, struct arena *a)
{
    const struct series *s = &r->series[subject];
    const char *cpu = subject_parameter(&r->subjects[subject], "cpu");
    int64_t number = -1;
    if (cpu && (!whole_take(&cpu, cpu + strlen(cpu), 10, &number) || *cpu || number >= CPU_LIST_MAX))
        number = -1;
    *out = (struct jitter_cpu){.cpu = (int)number, .interrupts = -1, .ticks_per_second = NAN, .steal_seconds = NAN};
    out->stretches = arena_array(a, (size_t)s->main.n + 1, sizeof *out->stretches);
    if (!record_is_host_part(r, subject, "jitter") || !out->stretches)
        return false;
    for (int row = 0; row < s->main.n; row++)
        out->n += read_stretch(s, row, &out->stretches[out->n]);
    return out->n > 0;
}

static void add_shares(struct making *m, int subject, const struct jitter_figures *f)
{
    const struct {
        const char *statistic;
        double seconds;
    } parts[] = {{"others", f->others_seconds},
                 {"throttled", f->throttled_seconds},
                 {"stolen", f->stolen_seconds},
                 {"interrupts", f->interrupt_seconds}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        add_observed(m, subject, "lost_share", parts[i].statistic, parts[i].seconds / f->seconds, f->stretches,
                     "the system does not say");
}

static void add_jitter(struct making *m, int subject)
{
    static const char *const sizes[] = {"over_1us", "over_10us", "over_100us"}, *const places[] = {"p5", "median", "p95"};
    struct arena a = {0};
    struct jitter_cpu cpu;
    struct jitter_figures f;
    if (qualify_stretches(m->r, subject, &cpu, &a) && !(m->status = jitter_figures(&f, &cpu, LEVEL, NULL))) {
        for (int i = 0; i < JITTER_SIZES; i++)
            add_host_estimate(m, subject, "gaps", sizes[i], "Garwood, or batches where wider", f.gaps[i], true,
                              "a reading of the clock takes too long to tell such gaps");
        add_host_estimate(m, subject, "lost_share", "mean", "ratio of batches, Student t", f.lost_share, true, NULL);
        add_shares(m, subject, &f);
        add_observed(m, subject, "gap", "max", f.largest_ns, f.stretches, NULL);
        for (int i = 0; i < 3; i++)
            add_host_estimate(m, subject, "core_frequency", places[i], "order statistics", f.core_hz[i], true,
                              "core cycles cannot be counted here");
    }
    arena_finish(&a);
}

enum { QUARTER_BATCHES = 12, FEWEST_SLICES = 16, FEWEST_STEADY = 12 };

/* Of each slice, all CPUs together, into m->values; how many are whole. */
static int sum_throughput(struct making *m)
{
    int n = -1;
    for (int i = 0; i < m->r->n_subjects; i++) {
        const struct series *s = &m->r->series[i];
        const double *done = series_values(s, "done");
        if (!record_is_host_part(m->r, i, "throughput") || !done)
            continue;
        for (int k = 0; k < s->main.n && n < 0; k++)
            m->values[k] = 0;
        n = n < 0 || s->main.n < n ? s->main.n : n;
        for (int k = 0; k < n; k++)
            m->values[k] += done[k];
    }
    for (int k = 0; k < n; k++)
        if (!(m->values[k] > 0) || !isfinite(m->values[k]))
            return 0;
    return n < 0 ? 0 : n;
}

/* Means of the logarithms of up to QUARTER_BATCHES stretches of from..to. */
static int batches(const double *x, int from, int to, double *out)
{
    int n = to - from < QUARTER_BATCHES ? to - from : QUARTER_BATCHES;
    for (int b = 0; b < n; b++) {
        int first = from + (to - from) * b / n, end = from + (to - from) * (b + 1) / n;
        out[b] = 0;
        for (int i = first; i < end; i++)
            out[b] += log(x[i]) / (end - first);
    }
    return n;
}

static void add_change(struct making *m, int subject, int n)
{
    double first[QUARTER_BATCHES], last[QUARTER_BATCHES];
    struct tare_interval change = {.point = NAN, .low = -INFINITY, .high = INFINITY, .n = n};
    if (n >= FEWEST_SLICES) {
        int n_first = batches(m->values, 0, n / 4, first), n_last = batches(m->values, n - n / 4, n, last);
        void *scratch = malloc(tare_shift_scratch_bytes(n_first, n_last));
        if (!scratch) {
            m->status = TARE_NO_MEMORY;
            return;
        }
        tare_shift_ci_mann_whitney(first, n_first, last, n_last, LEVEL, scratch, &change);
        change.n = n;
        free(scratch);
    }
    add_host_estimate(m, subject, "throughput", "all_change", "shift of Mann and Whitney", change, true,
                      "it was watched too shortly");
}

static void add_all(struct making *m, int subject)
{
    int n = sum_throughput(m);
    if (!n)
        return;
    add_change(m, subject, n);
    struct tare_steady steady = {.word = TARE_STEADY_UNKNOWN};
    void *scratch = n >= FEWEST_STEADY ? malloc(tare_steady_scratch_bytes(n)) : NULL;
    for (int i = 0; i < n; i++)
        m->scratch[i] = 1 / m->values[i]; /* time for one */
    if (scratch)
        tare_steady_state(m->scratch, n, scratch, &steady);
    free(scratch);
    bool fell = steady.word == TARE_STEADY_SLOW_DOWN;
    const int64_t *start = m->r->series[subject].main.start_ns;
    double seconds = fell && steady.onset < n ? ((double)start[steady.onset] - (double)start[0]) / 1e9 : NAN;
    add_observed(m, subject, "throughput", "all_onset", seconds, n, "it did not settle on less than it had");
    double mad = tare_mad(m->values, n, m->scratch);
    tare_sort(m->values, n);
    add_observed(m, subject, "throughput", "all_scatter", 1.4826 * mad / tare_quantile_sorted(m->values, n, 0.5), n, NULL);
}

static void add_throughput(struct making *m, int subject, bool first)
{
    const struct series *s = &m->r->series[subject];
    struct tare_interval i;
    int n = sorted_column(m, s, "done");
    if (!n)
        return;
    tare_median_ci_binomial(m->values, n, LEVEL, &i);
    add_host_estimate(m, subject, "throughput", "median", "order statistics", i, true, NULL);
    n = sorted_column(m, s, "had");
    add_observed(m, subject, "cpu_share", "mean", tare_mean(m->values, n), n, "the system does not say");
    if (first)
        add_all(m, subject);
}

static void add_counters(struct making *m, int subject)
{
    static const struct {
        const char *column, *metric, *statistic;
    } all[] = {{"rate_ppm", "counter_rate", "session"},
               {"rate_bound_ppm", "counter_rate", "bound"},
               {"skew_ns", "counter_skew", "largest"},
               {"skew_bound_ns", "counter_skew", "bound"},
               {"impossible", "counter_skew", "impossible"}};
    const struct series *s = &m->r->series[subject];
    for (size_t i = 0; s->main.n && i < sizeof all / sizeof *all; i++)
        add_observed(m, subject, all[i].metric, all[i].statistic, at(s, all[i].column, 0), 1, "not measurable here");
}

static void add_planted(struct making *m, int subject)
{
    static const char *const words[] = {"found", "wrong"};
    const struct series *s = &m->r->series[subject];
    const double *low = series_values(s, "low");
    int n = sorted_column(m, s, "planted");
    if (!n)
        return;
    double size = expm1(tare_quantile_sorted(m->values, n, 0.5));
    add_observed(m, subject, "planted", "size", isfinite(size) ? size : NAN, n, "no program works so much more");
    for (int w = 0; w < 2; w++) {
        const double *x = series_values(s, words[w]);
        struct tare_interval share;
        int hits = 0, judged = 0;
        for (int i = 0; x && i < s->main.n; i++) {
            hits += x[i] == 1;
            judged += !low || !isnan(low[i]); /* without an interval nothing could be found */
        }
        if (!judged)
            continue;
        tare_binomial_ci_clopper_pearson(hits, judged, LEVEL, &share);
        add_host_estimate(m, subject, "planted", words[w], "Clopper and Pearson", share, true, NULL);
    }
}

static void add_subject(struct making *m, int subject, bool *any_throughput)
{
    const char *what = subject_host_part(&m->r->subjects[subject]);
    for (int i = 0; i < m->r->n_estimates; i++)
        if (m->r->estimates[i].subject == subject)
            return;
    if (!strcmp(what, "sharing"))
        add_sharing(m, subject);
    else if (!strcmp(what, "jitter"))
        add_jitter(m, subject);
    else if (!strcmp(what, "throughput")) {
        add_throughput(m, subject, !*any_throughput);
        *any_throughput = true;
    } else if (!strcmp(what, "counters"))
        add_counters(m, subject);
    else if (!strcmp(what, "planted"))
        add_planted(m, subject);
}

enum tare_status qualify_estimates(struct record *r, struct tare_err *err)
{
    size_t most = 1;
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_HOST && (size_t)r->series[i].main.n > most)
            most = (size_t)r->series[i].main.n;
    struct making m = {.r = r, .values = malloc(most * sizeof(double)), .scratch = malloc(most * sizeof(double))};
    bool any_throughput = false;
    if (!m.values || !m.scratch)
        m.status = TARE_NO_MEMORY;
    for (int i = 0; i < r->n_subjects && !m.status; i++)
        if (r->subjects[i].kind == SUBJECT_HOST)
            add_subject(&m, i, &any_throughput);
    free(m.values);
    free(m.scratch);
    return m.status ? err_no_memory(err) : TARE_OK;
}
