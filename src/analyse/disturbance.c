/* SPDX-License-Identifier: MIT
 *
 * What disturbed the runs of a command, as estimates. Nothing is dropped: these stand beside the figures of all runs.
 *
 * Totals       disturbed_runs, WORD_runs: rows with a flag of an exogenous cause, and of one cause. WORD_ns: nanoseconds taken, over
 *              the rows where that is known, flagged or not; WORD_time_share: of the wall time of those rows. As observed, over all
 *              rounds. The kernel counts time in which a quota stopped a run as delay, too: what was throttled is taken out of what
 *              counts as preempted, down to 0 (throttled time is the whole group's and may exceed one program's delay).
 * Shares       WORD_variance_share: 1 - s^2(w - c) / s^2(w), w wall times, c what the cause took of each; explained_variance_share: c of all causes
 *              together. The variance that would be gone had the cause taken nothing. Assumes that time taken adds to the wall time: where
 *              the times scatter more without it, the share has no value, with a reason. Dominated by far runs, as variances are. Smallest n 3,
 *              and half of the rows: what is known of a few says nothing of all. Constant w has no share.
 * Frequency    frequency_exponent: slope of ln(CPU time) over ln(core frequency), Theil and Sen's with Kendall's interval
 *              (tare_slope_ci_kendall): robust, because runs that were disturbed otherwise lie far off on one side and must not bend it.
 *              -1: bound by the core, 0: by memory. The frequency is measured just before each run, not during it: that draws the
 *              exponent towards 0, and makes it what predicts the time from the frequency as measured. Assumes that
 *              nothing drives both. Smallest n 10; one frequency only: none.
 * Adjusted     median_at_frequency: median of t (f/F)^-slope, F the median frequency. Only where the exponent's interval excludes 0.
 *              Interval: order statistics at half the level, at both ends of a half-level interval of the slope and at the slope itself,
 *              the widest of all: the two errors add up to the level at most, as far as three slopes stand for all
 *              between them (the test of its coverage finds it wide rather than narrow).
 *              And only where it lies in [-1.2, 0.2]: time cannot follow the frequency more than in proportion, nor grow with it, so what lies
 *              outside, with room for its error, comes from something else that changed with the frequency.
 * Unseen       unseen_runs: rows of a command whose time on run queues is not known, as of several processes or threads. The wait of
 *              the others is in no account, so that without a flag such a run may have been disturbed.
 * Undisturbed  clean_median, clean_mean: of the look's rows that are known to be undisturbed, without an exogenous flag and not unseen; order
 *              statistics and Student's t. Long runs are disturbed more often, so these tend to be too short: they describe, no verdict uses them.
 *
 * Values that are not known (NaN) are left out row by row; n says how many stayed.
 */
#include "buf.h"
#include "causes.h"
#include "estimates.h"
#include "processes.h"
#include "verdict.h"
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

enum { SHARE_LEAST = 3, EXPONENT_LEAST = 10, CAUSE_COLUMNS_MAX = 8 };

struct account {
    struct record *r;
    int subject;
    const struct series *series;
    const struct look *look;
    int n, n_look;        /* rows in all, and of the look */
    double *a, *b, *room; /* n, n and 4 n of scratch */
    enum tare_status status;
};

/* ---- reporting ---- */

static void add(struct account *x, struct estimate e, const char *word, const char *statistic)
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
    add(x, e, word, statistic);
}

/* Without a look there is no interval, as for all estimates. */
static void add_interval(struct account *x, const char *metric, const char *statistic, const char *method,
                         const struct tare_interval *i, const char *reason)
{
    const bool looked = x->look->number > 0;
    struct estimate e = estimate_point(x->subject, metric, NULL, method, i->point, (int)i->n);
    if (looked)
        e = estimate_bounded(e, i, x->r->rule.confidence, 0);
    e.level = x->look->level;
    e.reason = reason;
    add(x, e, "", statistic);
}

static const char *lacking(const struct tare_interval *i)
{
    bool open = !isfinite(i->low) || !isfinite(i->high);
    return !i->n ? "no run is known to be undisturbed" : open ? "too few runs for an interval at this level" : NULL;
}

static double level_of(const struct account *x)
{
    return x->look->number ? x->look->level : 1 - x->r->rule.confidence;
}

/* ---- what a cause took ---- */

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

/* ---- totals ---- */

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
    double sum = 0, of = 0;
    int known = 0;
    for (int i = 0; i < x->n; i++) {
        if (isnan(values[i]))
            continue;
        sum += values[i];
        of += wall && wall[i] > 0 ? wall[i] : 0;
        known++;
    }
    add_observed(x, c->word, "_ns", known ? sum : NAN, known, known ? NULL : "not known for any run");
    if (of > 0)
        add_observed(x, c->word, "_time_share", sum / of, known, NULL);
}

/* NULL: nothing is unseen. Samples of a benchmark are judged within its process. */
static const double *waiting(const struct account *x)
{
    return x->r->subjects[x->subject].kind == SUBJECT_COMMAND ? series_values(x->series, "delay") : NULL;
}

static int count_unseen(const struct account *x, int n)
{
    const double *delay = waiting(x);
    int found = 0;
    for (int i = 0; delay && i < n; i++)
        found += isnan(delay[i]);
    return found;
}

static void totals(struct account *x)
{
    const struct cause *c;
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

/* ---- shares of the variance ---- */

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

/* ---- frequency ---- */

/* ln f into a and ln t into b, of the look's rows that know both; returns how many. */
static int logarithms(struct account *x)
{
    const double *t = series_values(x->series, "cpu"), *f = series_values(x->series, "core_hz");
    int n = 0;
    for (int i = 0; t && f && i < x->n_look; i++)
        if (t[i] > 0 && f[i] > 0) {
            x->a[n] = log(f[i]);
            x->b[n++] = log(t[i]);
        }
    return n;
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
    add_interval(x, "cpu", "median_at_frequency", "at the median frequency, by the exponent", &all, lacking(&all));
}

static void frequency(struct account *x)
{
    int n = logarithms(x);
    struct tare_interval slope, half;
    if (n < EXPONENT_LEAST || tare_slope_ci_kendall(x->a, x->b, n, level_of(x), x->room, &slope) || isnan(slope.point))
        return;
    const char *refusal = frequency_exponent_refusal(slope.point);
    add_interval(x, "cpu", "frequency_exponent", "Theil-Sen, Kendall's interval", &slope, refusal);
    if (refusal)
        return;
    tare_slope_ci_kendall(x->a, x->b, n, level_of(x) / 2, x->room, &half);
    if (slope.low > 0 || slope.high < 0)
        adjust(x, n, &half, level_of(x) / 2);
}

/* ---- the undisturbed runs ---- */

static void clean(struct account *x)
{
    const double *values = series_values(x->series, x->r->rule.metric), *delay = waiting(x);
    uint32_t dirty = causes_exogenous();
    int n = 0;
    if (!values || (!count_rows(&x->series->main, x->n_look, dirty) && !count_unseen(x, x->n_look)))
        return;
    for (int i = 0; i < x->n_look; i++)
        if (!(x->series->main.flags[i] & dirty) && !(delay && isnan(delay[i])) && !isnan(values[i]))
            x->a[n++] = values[i];
    struct tare_interval median, mean;
    memcpy(x->b, x->a, (size_t)n * sizeof *x->b);
    tare_sort(x->b, n);
    tare_median_ci_binomial(x->b, n, level_of(x), &median);
    tare_mean_ci_student(x->a, n, level_of(x), &mean);
    add_interval(x, x->r->rule.metric, "clean_median", "order statistics, undisturbed runs", &median, lacking(&median));
    add_interval(x, x->r->rule.metric, "clean_mean", "Student t, undisturbed runs", &mean, lacking(&mean));
}

enum tare_status estimate_disturbance(struct record *r, int subject, int rounds, const struct look *look)
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
