/* SPDX-License-Identifier: MIT */
#include "analyse.h"
#include "arcs.h"
#include "compare.h"
#include "estimates.h"
#include "processes.h"
#include "record_kind.h"
#include "verdict.h"
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

enum { QUANTILE_FROM = 36 }; /* fewest runs at which a 95 % interval for p90 exists; below, p10 and p90 say little */

/* ---- one subject, one metric ---- */

struct scope {
    struct record *r;
    const struct look *look;
    int subject;
    const char *metric;
    const double *values;   /* all rounds */
    int n;                  /* of them */
    int n_look;             /* of them behind the look */
    double level;           /* two-sided error of its intervals */
    double *sorted;         /* scratch, n */
    struct control control; /* widens its intervals; of core cycles */
};

static const char *missing_some(const struct scope *s, int n)
{
    const char *why;
    const struct series *series = &s->r->series[s->subject];
    int nulls = record_nulls(series, s->metric, n, &why), asked = record_asked(series, s->metric, n);
    if (!asked) /* interrupted before the first that was to have it */
        return "no run for it was completed";
    struct buf b = BUF_INIT(256);
    buf_format(&b, "no value in %d of %d run%s: %s", nulls, asked, buf_plural(asked), why);
    return keep_reason(&s->r->arena, &b);
}

static const char *missing(const double *values, int n)
{
    int unknown = 0;
    for (int i = 0; i < n; i++)
        unknown += isnan(values[i]);
    if (!n)
        return "no complete round";
    return !unknown ? NULL : unknown == n ? "not measurable in any run" : "not measurable in at least one run";
}

static const char *lacking(const struct scope *s, int n)
{
    const char *reason = missing(s->values, n);
    return reason && n && series_has_nulls(&s->r->series[s->subject], s->metric) ? missing_some(s, n) : reason;
}

static enum tare_status add(const struct scope *s, struct estimate e)
{
    return record_add_estimate(s->r, &e) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

static enum tare_status add_point(const struct scope *s, const char *statistic, const char *method, double value, int n,
                                  const char *reason)
{
    struct estimate e = estimate_point(s->subject, s->metric, statistic, method, value, n);
    e.reason = reason;
    return add(s, e);
}

/* The extremes of n values enclose the median with an error of 2^(1-n): below that no order statistics do. */
static const char *too_few(struct record *r, double level)
{
    struct buf b = BUF_INIT(128);
    if (level > 0)
        buf_format(&b, "%.0f rounds are needed for an interval at this level", ceil(1 + log2(1 / level)));
    else
        buf_str(&b, "too few rounds for an interval");
    return keep_reason(&r->arena, &b);
}

/* By what no number of processes makes smaller. */
static struct tare_interval widened(const struct scope *s, struct tare_interval i)
{
    if (i.low > 0) {
        i.low *= (1 - s->control.error) / (1 + s->control.bias);
        i.high *= 1 + s->control.error;
    }
    return i;
}

static enum tare_status add_interval(const struct scope *s, const char *statistic, const char *method,
                                     const struct tare_interval *i, double n_effective)
{
    const char *reason = lacking(s, s->n_look);
    if (!reason && !s->look->number)
        reason = record_source(s->r) ? "values of one process are not independent" : "too few rounds for an interval";
    if (!reason && !(isfinite(i->low) && isfinite(i->high)))
        reason = too_few(s->r, s->level);
    const bool looked = s->look->number > 0;
    struct estimate e = estimate_bounded(estimate_point(s->subject, s->metric, statistic, method, i->point, s->n_look), i,
                                         looked ? s->r->rule.confidence : 0, looked ? s->level : 0);
    e.n_effective = n_effective;
    e.reason = reason;
    return add(s, e);
}

static const struct tare_interval no_value = {.point = NAN, .low = -INFINITY, .high = INFINITY};

/* Median and mean of the look's rounds; without a look, of all rounds and without interval. */
static enum tare_status central(const struct scope *s)
{
    struct tare_interval median = no_value, mean = no_value;
    double n_effective = NAN;
    int n = s->n_look;
    if (!missing(s->values, n)) {
        memcpy(s->sorted, s->values, (size_t)n * sizeof *s->sorted);
        tare_sort(s->sorted, n);
        tare_median_ci_binomial(s->sorted, n, s->level, &median);
        tare_mean_ci_student(s->values, n, s->level, &mean);
        median.point = tare_quantile_sorted(s->sorted, n, 0.5);
        mean.point = tare_mean(s->values, n);
        struct tare_dependence d;
        if (!tare_serial_dependence(s->values, n, s->sorted, &d))
            n_effective = d.n_effective;
    }
    if (!s->look->number) {
        median.low = mean.low = -INFINITY;
        median.high = mean.high = INFINITY;
    }
    median = widened(s, median);
    mean = widened(s, mean);
    enum tare_status status = add_interval(s, "median", "order statistics", &median, n_effective);
    return status ? status : add_interval(s, "mean", "Student t", &mean, n_effective);
}

static enum tare_status observed(const struct scope *s)
{
    bool known = !missing(s->values, s->n);
    if (known) {
        memcpy(s->sorted, s->values, (size_t)s->n * sizeof *s->sorted);
        tare_sort(s->sorted, s->n);
    }
    const struct {
        const char *name;
        double value;
    } all[] = {
        {"stddev", known ? tare_stddev(s->values, s->n) : NAN},
        {"min", known ? s->sorted[0] : NAN},
        {"max", known ? s->sorted[s->n - 1] : NAN},
        {"p10", known ? tare_quantile_sorted(s->sorted, s->n, 0.1) : NAN},
        {"p90", known ? tare_quantile_sorted(s->sorted, s->n, 0.9) : NAN},
    };
    int n = s->n < QUANTILE_FROM ? 3 : 5;
    for (int i = 0; i < n; i++) {
        const char *reason = isnan(all[i].value) ? lacking(s, s->n) : NULL;
        enum tare_status status = add_point(s, all[i].name, "as observed", all[i].value, s->n, reason);
        if (status)
            return status;
    }
    return TARE_OK;
}

/* ---- metrics that some runs lack ---- */

static int present(const double *values, int n)
{
    int there = 0;
    for (int i = 0; i < n; i++)
        there += !isnan(values[i]);
    return there;
}

static const double *without_nulls(const double *values, int n, double *room)
{
    int there = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(values[i]))
            room[there++] = values[i];
    return room;
}

/* Few of them are left out; with more, all figures stay without a value. room: n doubles. */
static void leave_nulls_out(struct scope *s, double *room)
{
    const struct series *series = &s->r->series[s->subject];
    int asked = record_asked(series, s->metric, s->n), asked_in_look = record_asked(series, s->metric, s->n_look);
    if (!asked || record_nulls(series, s->metric, s->n, NULL) > OWN_NULL_SHARE * asked ||
        record_nulls(series, s->metric, s->n_look, NULL) > OWN_NULL_SHARE * asked_in_look)
        return;
    if (asked < s->n) /* so many were planned beforehand: they are looked at once */
        s->level = 1 - s->r->rule.confidence;
    int there = present(s->values, s->n), in_look = present(s->values, s->n_look);
    s->values = without_nulls(s->values, s->n, room);
    s->n = there;
    s->n_look = in_look;
}

/* ---- core cycles ---- */

static enum tare_status control_of(struct scope *s)
{
    if (strcmp(s->metric, "cycles") != 0 || s->r->subjects[s->subject].kind != SUBJECT_BENCH || missing(s->values, s->n_look))
        return TARE_OK;
    enum tare_status status = process_control(s->r, s->subject, s->n_look, &s->control);
    if (!status && s->control.bias > 0)
        status = add_point(s, "control_bias", "reference chains", s->control.bias, s->n_look, NULL);
    if (!status && s->control.error > 0)
        status = add_point(s, "control_error", "steps of the counter", s->control.error, s->n_look, NULL);
    return status;
}

/* ---- the group ---- */

static enum tare_status estimate_subject(struct record *r, int subject, int rounds, const struct look *look, double *scratch)
{
    const struct series *series = &r->series[subject];
    for (int m = 0; m < r->n_metrics; m++) {
        if (series_column(series, r->metrics[m].id) < 0)
            continue;
        struct scope s = {.r = r,
                          .look = look,
                          .subject = subject,
                          .metric = r->metrics[m].id,
                          .values = series_values(series, r->metrics[m].id),
                          .n = rounds,
                          .n_look = look->number ? look->rounds : rounds,
                          .level = look->number ? look->level : 1 - r->rule.confidence,
                          .sorted = scratch};
        if (s.values && series_has_nulls(series, s.metric))
            leave_nulls_out(&s, scratch + 3 * rounds); /* behind all that the statistics use of it */
        enum tare_status status = control_of(&s);
        if (!status)
            status = central(&s);
        if (!status)
            status = observed(&s);
        if (status)
            return status;
    }
    enum tare_status status = estimate_disturbance(r, subject, rounds, look);
    return status ? status : estimate_benchmark(r, subject, rounds);
}

enum tare_status analyse_group(struct record *r, const int *subjects, int n_subjects, const struct look *look,
                               struct tare_err *err)
{
    int rounds = record_rounds(r, subjects, n_subjects);
    struct look taken = *look;
    if (taken.rounds > rounds)
        taken.rounds = rounds;
    if (taken.rounds < 1)
        taken = (struct look){0};
    void *scratch = malloc(compare_scratch_bytes(rounds));
    if (!scratch)
        return err_set(err, TARE_NO_MEMORY, "no memory to analyse %d rounds", rounds);
    enum tare_status status = record_kind(r)->processes ? process_cycles(r) : TARE_OK;
    for (int i = 0; i < n_subjects && !status; i++)
        status = estimate_subject(r, subjects[i], rounds, &taken, scratch);
    if (!status && n_subjects > 1)
        status = compare_group(r, subjects, n_subjects, &taken, scratch);
    if (!status)
        status = analyse_arcs(r, subjects, n_subjects, &taken, err);
    if (!status && n_subjects > 1)
        status = scan_group(r, subjects, n_subjects, &taken);
    free(scratch);
    return status ? err_set(err, status, "no memory for the results") : TARE_OK;
}
