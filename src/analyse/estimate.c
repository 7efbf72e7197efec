/* SPDX-License-Identifier: MIT */
#include "analyse.h"
#include "arcs.h"
#include "buf.h"
#include "causes.h"
#include "compare.h"
#include "estimates.h"
#include "number_sort.h"
#include "processes.h"
#include "record_kind.h"
#include "rng.h"
#include "stats_beyond.h"
#include "verdict.h"
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

/* What disturbed the runs of a command, as estimates. Nothing is dropped: these stand beside the figures of all runs.
 *
 * Totals       disturbed_runs, WORD_runs: rows with a flag of an exogenous cause, and of one cause. WORD_ns: nanoseconds lost, over
 *              the rows where that is known, flagged or not, each lost once: no more than its row took, less what the causes before it took;
 *              WORD_time_share: the same of the wall time of those rows, where they are half of all (a few may be just those that lost much).
 *              As observed, over all rounds. The kernel counts time in which a quota stopped a run as delay, too: what was throttled is taken out of what
 *              counts as preempted, down to 0 (throttled time is the whole group's and may exceed one program's delay).
 * Shares       WORD_variance_share: 1 - s^2(w - c) / s^2(w), w wall times, c what the cause took of each; explained_variance_share: c of all causes
 *              together. The variance that would be gone had the cause taken nothing. Assumes that time taken adds to the wall time: where
 *              the times scatter more without it, the share has no value, with a reason. Dominated by far runs, as variances are. Smallest n 3,
 *              and half of the rows: what is known of a few says nothing of all. Constant w has no share.
 * Frequency    frequency_exponent: slope of ln(CPU time) over ln(core frequency), Theil and Sen's with Kendall's interval
 *              (tare_slope_ci_kendall): robust, because runs that were disturbed otherwise lie far off on one side and must not bend it.
 *              -1: bound by the core, 0: by memory. The frequency is measured just before each run, not during it: that draws the
 *              exponent towards 0, and makes it what predicts the time from the frequency as measured. Assumes that
 *              nothing drives both. Smallest n 10; of more than 5000 runs one of each so-and-so-many, drawn; one frequency only: none.
 * Adjusted     median_at_frequency: median of t (f/F)^-slope, F the median frequency. Only where the exponent's interval excludes 0.
 *              Interval: order statistics at half the level, at both ends of a half-level interval of the slope and at the slope itself,
 *              the widest of all: the two errors add up to the level at most, as far as three slopes stand for all
 *              between them (the test of its coverage finds it wide rather than narrow).
 *              And only where it lies in [-1.2, 0.2]: time cannot follow the frequency more than in proportion, nor grow with it, so what lies
 *              outside, with room for its error, comes from something else that changed with the frequency.
 * Unseen       unseen_runs: rows whose time on run queues is not known, as of several processes or threads. The wait of
 *              the others is in no account, so that without a flag such a run may have been disturbed.
 * Undisturbed  clean_median, clean_mean: of the look's rows that are known to be undisturbed, without an exogenous flag and not unseen; order
 *              statistics and Student's t. Long runs are disturbed more often, so these tend to be too short: they describe, no verdict uses them.
 *
 * Values that are not known (NaN) are left out row by row; n says how many stayed.
 */

enum { SHARE_LEAST = 3, EXPONENT_LEAST = 10, EXPONENT_MOST = 5000, CAUSE_COLUMNS_MAX = 8 };

struct account {
    struct record *r;
    int subject;
    const struct series *series;
    const struct look *look;
    int n, n_look;        /* rows in all, and of the look */
    double *a, *b, *room; /* n, n and 4 n of scratch */
    enum tare_status status;
};

static void account_add(struct account *x, struct estimate e, const char *word, const char *statistic)
{
    struct buf name = BUF_INIT(128);
    buf_format(&name, "%s%s", word, statistic);
    e.statistic = buf_text(&name);
    if (!x->status && record_add_estimate(x->r, &e) < 0)
        x->status = TARE_NO_MEMORY;
    buf_finish(&name);
}

static void add_observed(struct account *x, const char *word, const char *statistic, double value, int n, const char *reason)
{
    struct estimate e = estimate_point(x->subject, "wall", NULL, "as observed", value, n);
    e.reason = reason;
    account_add(x, e, word, statistic);
}

/* Without a look there is no interval, as for all estimates. */
static void account_interval(struct account *x, const char *metric, const char *statistic, const char *method,
                             const struct tare_interval *i, const char *reason)
{
    const bool looked = x->look->number > 0;
    struct estimate e = estimate_point(x->subject, metric, NULL, method, i->point, (int)i->n);
    if (looked)
        e = estimate_bounded(e, i, x->r->rule.confidence, 0);
    e.level = x->look->level;
    e.reason = reason;
    account_add(x, e, "", statistic);
}

static const char *account_lacks(const struct tare_interval *i)
{
    bool open = !isfinite(i->low) || !isfinite(i->high);
    return !i->n ? "no run is known to be undisturbed" : open ? "too few runs for an interval at this level" : NULL;
}

static double level_of(const struct account *x)
{
    return x->look->number ? x->look->level : 1 - x->r->rule.confidence;
}

/* Of each row; NULL: no column tells. The values of `preempted` stand in the room. */
static const double *taken_by(struct account *x, const struct cause *c)
{
    const double *values = cause_column(c) ? series_values(x->series, cause_column(c)) : NULL;
    const double *throttled = series_values(x->series, "throttled");
    if (!values || c->bit != ROW_PREEMPTED || !throttled)
        return values;
    for (int i = 0; i < x->n; i++)
        x->room[i] = throttled[i] > 0 && !isnan(values[i]) ? fmax(0, values[i] - throttled[i]) : values[i];
    return x->room;
}

/* What is left of each row's wall time once a cause has had its share, in a: several tasks can wait for longer than their run took, and stops of a group's
 * CPUs add up. */
static double take_from_run(struct account *x, int row, double taken)
{
    const double lost = fmin(taken, x->a[row]);
    x->a[row] -= fmax(lost, 0);
    return lost;
}

static int count_rows(const struct rows *rows, int n, uint32_t flags)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        found += (rows->flags[i] & flags) != 0;
    return found;
}

static void total_time(struct account *x, const struct cause *c, const double *values)
{
    const double *wall = series_values(x->series, "wall");
    double lost = 0, of = 0;
    int known = 0;
    for (int i = 0; i < x->n; i++) {
        if (isnan(values[i]))
            continue;
        const bool timed = wall && wall[i] > 0;
        lost += timed ? take_from_run(x, i, values[i]) : values[i];
        of += timed ? wall[i] : 0;
        known++;
    }
    add_observed(x, c->word, "_ns", known ? lost : NAN, known, known ? NULL : "not known for any run");
    if (of > 0 && 2 * known >= x->n)
        add_observed(x, c->word, "_time_share", lost / of, known, NULL);
}

static int count_unseen(const struct account *x, int n)
{
    const struct rows_watched watched = rows_watched(x->r, x->subject);
    int found = 0;
    for (int i = 0; i < n; i++)
        found += row_unseen(&watched, i);
    return found;
}

static void totals(struct account *x)
{
    const struct cause *c;
    const double *wall = series_values(x->series, "wall");
    for (int i = 0; i < x->n; i++)
        x->a[i] = wall && wall[i] > 0 ? wall[i] : 0;
    add_observed(x, "", "disturbed_runs", count_rows(&x->series->main, x->n, causes_exogenous()), x->n, NULL);
    int unseen = count_unseen(x, x->n);
    if (unseen)
        add_observed(x, "", "unseen_runs", unseen, x->n, NULL);
    for (int i = 0; (c = cause_at(i)); i++) {
        int flagged = count_rows(&x->series->main, x->n, c->bit);
        const double *values = taken_by(x, c);
        if (flagged)
            add_observed(x, c->word, "_runs", flagged, x->n, NULL);
        if (values)
            total_time(x, c, values);
    }
}

static bool all_known(const double *const *columns, int n_columns, int row)
{
    for (int i = 0; i < n_columns; i++)
        if (isnan(columns[i][row]))
            return false;
    return true;
}

/* NaN: too few rows know it, or nothing varies. *known: the rows that do. */
static double share_of(struct account *x, const double *wall, const double *const *columns, int n_columns, int *known)
{
    *known = 0;
    for (int i = 0; i < x->n; i++) {
        if (isnan(wall[i]) || !all_known(columns, n_columns, i))
            continue;
        double taken = 0;
        for (int k = 0; k < n_columns; k++)
            taken += columns[k][i];
        x->a[*known] = wall[i];
        x->b[(*known)++] = wall[i] - taken;
    }
    double all = tare_stddev(x->a, *known), rest = tare_stddev(x->b, *known);
    return *known < SHARE_LEAST || *known * 2 < x->n || !(all > 0) ? NAN : 1 - rest / all * (rest / all);
}

static void add_share(struct account *x, const char *word, double share, int known)
{
    const bool adds = share >= 0;
    add_observed(x, word, "_variance_share", adds ? share : NAN, known,
                 adds ? NULL : "the times scatter more without it: it does not add to them");
}

static void shares(struct account *x)
{
    const double *wall = series_values(x->series, "wall"), *columns[CAUSE_COLUMNS_MAX];
    const struct cause *c;
    int n_columns = 0, known;
    for (int i = 0; wall && (c = cause_at(i)) && n_columns < CAUSE_COLUMNS_MAX; i++) {
        const double *values = taken_by(x, c);
        double share = values ? share_of(x, wall, &values, 1, &known) : NAN;
        if (isnan(share))
            continue;
        add_share(x, c->word, share, known);
        columns[n_columns++] = values;
    }
    double share = n_columns ? share_of(x, wall, columns, n_columns, &known) : NAN;
    if (!isnan(share))
        add_share(x, "explained", share, known);
}

static void adjust(struct account *x, int n, const struct tare_interval *slope, double level)
{
    double at = median_of(x->a, n, x->room);
    const double slopes[] = {slope->point, slope->low, slope->high};
    struct tare_interval all = {.low = INFINITY, .high = -INFINITY, .n = n};
    for (int i = 0; i < 3; i++) {
        struct tare_interval one; /* of the median of ln t at that frequency, by this slope */
        for (int k = 0; k < n; k++)
            x->room[k] = x->b[k] - slopes[i] * (x->a[k] - at);
        tare_sort(x->room, n);
        tare_median_ci_binomial(x->room, n, level, &one);
        all.point = i ? all.point : exp(one.point);
        all.low = fmin(all.low, exp(one.low));
        all.high = fmax(all.high, exp(one.high));
    }
    if (!(all.low > 0)) /* the logarithm's interval was open */
        all.low = -INFINITY;
    account_interval(x, "cpu", "median_at_frequency", "at the median frequency, by the exponent", &all, account_lacks(&all));
}

static void frequency(struct account *x)
{
    /* ln f into a and ln t into b, of the look's rows that know both. Of very many one of each so-and-so-many, at random: a fixed one may be the
     * same phase of what repeats. */
    const double *t = series_values(x->series, "cpu"), *f = series_values(x->series, "core_hz");
    const int every = (x->n_look - 1) / EXPONENT_MOST + 1;
    struct rng chance = rng_seeded((uint64_t)x->subject);
    int n = 0;
    for (int from = 0; t && f && from < x->n_look; from += every) {
        const int i = from + (int)rng_below(&chance, (uint64_t)(x->n_look - from < every ? x->n_look - from : every));
        if (t[i] > 0 && f[i] > 0) {
            x->a[n] = log(f[i]);
            x->b[n++] = log(t[i]);
        }
    }
    struct tare_interval slope, half;
    if (n < EXPONENT_LEAST || tare_slope_ci_kendall(x->a, x->b, n, level_of(x), x->room, &slope) || isnan(slope.point))
        return;
    const char *refusal = frequency_exponent_refusal(slope.point);
    account_interval(x, "cpu", "frequency_exponent",
                     every > 1 ? "Theil-Sen, Kendall's interval, of some of the runs" : "Theil-Sen, Kendall's interval", &slope,
                     refusal);
    if (refusal || !(slope.low > 0 || slope.high < 0))
        return;
    tare_slope_ci_kendall(x->a, x->b, n, level_of(x) / 2, x->room, &half);
    adjust(x, n, &half, level_of(x) / 2);
}

static void clean(struct account *x)
{
    const double *values = series_values(x->series, x->r->rule.metric);
    const struct rows_watched watched = rows_watched(x->r, x->subject);
    int n = 0, undisturbed = 0;
    for (int i = 0; i < x->n_look; i++)
        undisturbed += row_undisturbed(&watched, i);
    if (!values || undisturbed == x->n_look)
        return;
    for (int i = 0; i < x->n_look; i++)
        if (row_undisturbed(&watched, i) && !isnan(values[i]))
            x->a[n++] = values[i];
    struct tare_interval median, mean;
    memcpy(x->b, x->a, (size_t)n * sizeof *x->b);
    number_sort(x->b, n, x->room);
    tare_median_ci_binomial(x->b, n, level_of(x), &median);
    tare_mean_ci_student(x->a, n, level_of(x), &mean);
    account_interval(x, x->r->rule.metric, "clean_median", "order statistics, undisturbed runs", &median, account_lacks(&median));
    account_interval(x, x->r->rule.metric, "clean_mean", "Student t, undisturbed runs", &mean, account_lacks(&mean));
}

/* What the account of its runs says: totals of causes, what they explain, the typical run without them and at one frequency. Nothing for a series without account. rounds: all that were made; the look's are behind what has an interval. */
static enum tare_status estimate_disturbance(struct record *r, int subject, int rounds, const struct look *look)
{
    const struct series *s = &r->series[subject];
    if (!series_has_account(s) || !subject_measured(&r->subjects[subject]) || rounds < 1 || !record_metric(r, "wall"))
        return TARE_OK;
    double *scratch = malloc((size_t)rounds * 6 * sizeof *scratch);
    if (!scratch)
        return TARE_NO_MEMORY;
    struct account x = {.r = r,
                        .subject = subject,
                        .series = s,
                        .look = look,
                        .n = rounds,
                        .n_look = look->number ? look->rounds : rounds,
                        .a = scratch,
                        .b = scratch + rounds,
                        .room = scratch + 2 * rounds};
    totals(&x);
    shares(&x);
    if (record_metric(r, "cpu") &&
        r->subjects[subject].kind == SUBJECT_COMMAND) /* a benchmark's process takes the time that it is given */
        frequency(&x);
    clean(&x);
    free(scratch);
    return x.status;
}

enum { QUANTILE_FROM = 36 }; /* fewest runs at which a 95 % interval for p90 exists; below, p10 and p90 say little */

struct scope {
    struct record *r;
    const struct look *look;
    int subject;
    const char *metric;
    const double *values;           /* all rounds */
    int n;                          /* of them */
    int n_look;                     /* of them behind the look */
    double level;                   /* two-sided error of its intervals */
    const char *lacks, *look_lacks; /* why there are no figures of them; NULL: none is missing */
    double *sorted;                 /* scratch, 2 n */
    struct control control;         /* widens its intervals; of core cycles */
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
        unknown += isnan(values[i]) != 0;
    if (!n)
        return "no complete round";
    return !unknown ? NULL : unknown == n ? "not measurable in any run" : "not measurable in at least one run";
}

/* Of a metric that no run of this system can have. */
static const char *never_told(const struct scope *s)
{
    char text[80];
    buf_print(text, sizeof text, "metric_%s", s->metric);
    const struct fact *f = facts_find(&s->r->before, text);
    return f ? f->reason : NULL;
}

/* The reason for a figure of all, or of the look's. */
static const char *lacking(const struct scope *s, bool look)
{
    const char *reason = look ? s->look_lacks : s->lacks, *never = reason ? never_told(s) : NULL;
    const int n = look ? s->n_look : s->n;
    if (never)
        return never;
    return reason && n && series_has_nulls(&s->r->series[s->subject], s->metric) ? missing_some(s, n) : reason;
}

static enum tare_status add_scope_estimate(const struct scope *s, struct estimate e)
{
    return record_add_estimate(s->r, &e) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

static enum tare_status add_point(const struct scope *s, const char *statistic, const char *method, double value, int n,
                                  const char *reason)
{
    struct estimate e = estimate_point(s->subject, s->metric, statistic, method, value, n);
    e.reason = reason;
    return add_scope_estimate(s, e);
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
    const char *reason = lacking(s, true);
    if (!reason && !s->look->number)
        reason = record_source(s->r) ? "values of one process are not independent" : "no interim analysis was made";
    if (!reason && !(isfinite(i->low) && isfinite(i->high))) {
        /* The extremes of n values enclose the median with an error of 2^(1-n): below that no order statistics do. */
        struct buf b = BUF_INIT(128);
        if (s->level > 0)
            buf_format(&b, "%.0f rounds are needed for an interval at this level", ceil(1 + log2(1 / s->level)));
        else
            buf_str(&b, "too few rounds for an interval");
        reason = keep_reason(&s->r->arena, &b);
    }
    const bool looked = s->look->number > 0;
    struct estimate e = estimate_bounded(estimate_point(s->subject, s->metric, statistic, method, i->point, s->n_look), i,
                                         looked ? s->r->rule.confidence : 0, looked ? s->level : 0);
    e.n_effective = n_effective;
    e.reason = reason;
    return add_scope_estimate(s, e);
}

/* Single readings lie on the steps of the clock, and so do their order statistics; median and mean are anywhere between. */
static struct tare_interval opened(const struct scope *s, struct tare_interval i)
{
    const double step = series_reading_step(&s->r->series[s->subject], s->metric);
    if (i.high - i.low < step) {
        i.low -= step / 2;
        i.high += step / 2;
    }
    return i;
}

static const struct tare_interval no_value = {.point = NAN, .low = -INFINITY, .high = INFINITY};

static void sort_values(const struct scope *s, int n)
{
    memcpy(s->sorted, s->values, (size_t)n * sizeof *s->sorted);
    number_sort(s->sorted, n, s->sorted + n);
}

/* Median and mean of the look's rounds; without a look, of all rounds and without interval. */
static enum tare_status central(const struct scope *s)
{
    struct tare_interval median = no_value, mean = no_value;
    double n_effective = NAN;
    int n = s->n_look;
    if (!s->look_lacks) {
        struct tare_dependence d;
        sort_values(s, n);
        if (record_in_order(s->r) && (!s->r->rule.metric || !strcmp(s->metric, s->r->rule.metric)) &&
            !stats_serial_dependence(s->values, s->sorted, n, STATS_NEIGHBOURS, &d))
            n_effective = d.n_effective;
        tare_median_ci_binomial(s->sorted, n, s->level, &median);
        tare_mean_ci_student(s->values, n, s->level, &mean);
        median.point = tare_quantile_sorted(s->sorted, n, 0.5);
        mean.point = isnan(mean.point) ? tare_mean(s->values, n) : mean.point;
    }
    if (!s->look->number) {
        median.low = mean.low = -INFINITY;
        median.high = mean.high = INFINITY;
    }
    median = widened(s, opened(s, median));
    mean = widened(s, opened(s, mean));
    enum tare_status status = add_interval(s, "median", "order statistics", &median, n_effective);
    return status ? status : add_interval(s, "mean", "Student t", &mean, n_effective);
}

/* After central, which leaves the look's rounds sorted: all of them for the most part. */
static enum tare_status observed(const struct scope *s)
{
    bool known = !s->lacks;
    if (known && s->n != s->n_look)
        sort_values(s, s->n);
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
        const char *reason = isnan(all[i].value) ? lacking(s, false) : NULL;
        enum tare_status status = add_point(s, all[i].name, "as observed", all[i].value, s->n, reason);
        if (status)
            return status;
    }
    return TARE_OK;
}

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

static enum tare_status control_of(struct scope *s)
{
    if (strcmp(s->metric, "cycles") != 0 || s->r->subjects[s->subject].kind != SUBJECT_BENCH || s->look_lacks)
        return TARE_OK;
    enum tare_status status = process_control(s->r, s->subject, s->n_look, &s->control);
    if (!status && s->control.bias > 0)
        status = add_point(s, "control_bias", "reference chains", s->control.bias, s->n_look, NULL);
    if (!status && s->control.error > 0)
        status = add_point(s, "control_error", "steps of the counter", s->control.error, s->n_look, NULL);
    return status;
}

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
        s.lacks = missing(s.values, s.n);
        s.look_lacks = s.n_look == s.n ? s.lacks : missing(s.values, s.n_look);
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
    const int shared = record_rounds(r, subjects, n_subjects);
    const struct look taken = look_at_most(*look, shared);
    int most = shared;
    for (int i = 0; i < n_subjects; i++)
        most = r->series[subjects[i]].main.n > most ? r->series[subjects[i]].main.n : most;
    void *scratch = malloc(compare_scratch_bytes(most));
    if (!scratch)
        return err_set(err, TARE_NO_MEMORY, "no memory to analyse %d rounds", most);
    enum tare_status status = record_kind(r)->processes ? process_cycles(r) : TARE_OK;
    for (int i = 0; i < n_subjects && !status; i++) {
        const int rounds = subject_left(r, subjects[i]) ? record_rounds(r, &subjects[i], 1) : shared;
        const struct look its = look_of_subject(r, subjects[i], &taken);
        status = estimate_subject(r, subjects[i], rounds, &its, scratch);
    }
    if (!status && n_subjects > 1)
        status = compare_group(r, subjects, n_subjects, &taken, scratch);
    if (!status)
        status = compare_to_anchor(r, subjects, n_subjects, &taken, scratch);
    if (!status)
        status = analyse_arcs(r, subjects, n_subjects, &taken, err);
    if (!status && n_subjects > 1)
        status = scan_group(r, subjects, n_subjects, &taken);
    free(scratch);
    return status ? err_set(err, status, "no memory for the results") : TARE_OK;
}
