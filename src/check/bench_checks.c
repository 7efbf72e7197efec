/* SPDX-License-Identifier: MIT
 *
 * Checks of how benchmarks were measured: whether samples are long against the two readings of the clock around them, whether an iteration
 * is the same work in all processes and in what is compared, and which counters differ that never vary.
 */
#include "finding.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

static double median_of(double *values, int n)
{
    tare_sort(values, n);
    return tare_quantile_sorted(values, n, 0.5);
}

static double median_of_processes(const struct series *s, const char *column, double *room)
{
    const double *values = series_values(s, column);
    int n = 0;
    for (int i = 0; values && i < s->main.n; i++)
        if (!isnan(values[i]))
            room[n++] = values[i];
    return median_of(room, n);
}

/* Ticks of the counted samples, the empty bracket taken off; *iterations: of the last. */
static double median_of_samples(const struct series *s, double *room, double *iterations)
{
    const double *ticks = series_samples(s, "ticks"), *empty = series_samples(s, "empty_ticks"),
                 *count = series_samples(s, "iterations");
    int n = 0;
    for (int i = 0; ticks && empty && count && i < s->samples.n; i++) {
        if (s->samples.flags[i] & ROW_WARMUP || !isfinite(ticks[i] - empty[i]))
            continue;
        room[n++] = ticks[i] - empty[i];
        *iterations = count[i];
    }
    return median_of(room, n);
}

/* Calibrated samples are as long as 200 brackets at least; those of a count that was asked for may be shorter than one. */
static void check_bracket(struct check *c, const struct sample *s)
{
    const struct series *series = &c->r->series[s->subject];
    if (!series->samples.n || c->r->rule.profile != PROFILE_STEADY)
        return;
    double *room = malloc(((size_t)series->samples.n + (size_t)series->main.n + 1) * sizeof *room), iterations = 0;
    if (!room) {
        c->failed = true;
        return;
    }
    double net = median_of_samples(series, room, &iterations), hz = median_of_processes(series, "clock_hz", room),
           bracket = median_of_processes(series, "clock_pair", room);
    free(room);
    if (!(bracket > 0.1 * net) || !(hz > 0))
        return;
    finding_add(c, "bracket_heavy", SEVERITY_WARNING, s->subject, net > 0 ? fmin(100 * bracket / net, 1000) : 1000,
                "raise --iterations, or omit it", "timing overhead of %s in samples of %s",
                finding_quantity(c, "ns", bracket / hz * 1e9), finding_quantity(c, "ns", net / hz * 1e9));
    finding_detail(c, "A sample has %g iteration%s, and the scatter of the overhead is part of the figure.", iterations,
                   iterations == 1 ? "" : "s");
}

/* What its processes said that an iteration does, `column` of it; false: nothing. */
static bool work_of(const struct series *s, const char *column, double *least, double *most)
{
    const double *values = series_values(s, column);
    *least = INFINITY, *most = -INFINITY;
    for (int i = 0; values && i < s->main.n; i++) {
        *least = fmin(*least, values[i]);
        *most = fmax(*most, values[i]);
    }
    return *least <= *most;
}

static void check_work(struct check *c, const struct sample *s)
{
    static const char *const columns[] = {"items", "bytes"};
    const int reference = c->r->subjects[s->subject].reference;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        double least, most, least_there, most_there;
        if (!work_of(&c->r->series[s->subject], columns[i], &least, &most))
            continue;
        if (least < most) {
            finding_add(c, "work_differs", SEVERITY_WARNING, s->subject, fmin(100 * (most / least - 1), 1000),
                        "make each iteration do the same work", "an iteration does %g to %g %s, depending on the process", least,
                        most, columns[i]);
            finding_detail(c, "The times are those of different amounts of work.");
        } else if (reference >= 0 && work_of(&c->r->series[reference], columns[i], &least_there, &most_there) &&
                   least_there == most_there && least != least_there) {
            finding_add(c, "work_differs", SEVERITY_WARNING, s->subject, fmin(100 * fabs(least / least_there - 1), 1000),
                        "compare the rates, or give both the same work", "an iteration does %g %s, one of the reference %g",
                        least, columns[i], least_there);
            finding_detail(c, "The ratio and the verdict compare iterations, not %s.", columns[i]);
        }
    }
}

/* Whether all its processes have counted the same; *value: what. A rate is as noisy as the time. */
static bool is_exact(const struct series *s, const struct count *k, double *value)
{
    bool same = k->n >= INTERVAL_FROM && k->n == s->main.n && k->per != COUNT_PER_SECOND && strcmp(k->unit, "ns") != 0;
    for (int i = 1; i < k->n && same; i++)
        same = k->value[i] == k->value[0];
    *value = same ? k->value[0] : NAN;
    return same && isfinite(*value);
}

/* What the processes of either side say alike is a fact about both programs: it needs no test, and says how often it was seen. Not of the counter that
 * decides, which has a verdict. */
static void check_exact_counts(struct check *c, const struct sample *s)
{
    const int reference = c->r->subjects[s->subject].reference;
    const struct series *series = &c->r->series[s->subject];
    for (int i = 0; i < series->n_counts && reference >= 0; i++) {
        const struct count *k = &series->counts[i], *there = series_count(&c->r->series[reference], k->name);
        double value, other;
        if (!there || !strcmp(k->name, c->r->rule.metric) || !is_exact(series, k, &value) ||
            !is_exact(&c->r->series[reference], there, &other) || value == other)
            continue;
        const double percent = 100 * (value / other - 1);
        const bool change = isfinite(percent);
        finding_add(c, "counter_differs", SEVERITY_NOTE, s->subject, change ? fmin(fabs(percent), 900) : 900, NULL,
                    "%s: %.10g in each process, %.10g in each of the reference%s%s%s",
                    !strcmp(k->name, COUNT_ALLOCATIONS) ? "heap allocations"
                    : !strcmp(k->name, COUNT_ALLOCATED) ? "heap bytes"
                                                        : k->name,
                    value, other, change ? " (" : "", change ? finding_change(c, percent) : "", change ? ")" : "");
        finding_detail(c, "Counted in %d and %d processes, without one exception.", k->n, there->n);
    }
}

const struct check_test bench_tests[] = {{.ids = "bracket_heavy", .sample = check_bracket},
                                         {.ids = "work_differs", .sample = check_work},
                                         {.ids = "counter_differs", .sample = check_exact_counts},
                                         {0}};
