/* SPDX-License-Identifier: MIT
 *
 * Commands or benchmarks against themselves (--aa): what the sessions of each say of each other. Every word "faster" or "slower" among them is false, and their
 * number over that of the sessions, with the exact interval of Clopper and Pearson, is the false-alarm rate of this procedure on
 * this machine with this command or benchmark. The number of sessions is fixed before the first, so the interval is exact as far as sessions are
 * independent of each other; each has its own coin, which is what the promise of a session rests on. Sessions
 * without a verdict (too few rounds for an interval, an unbounded interval, invalid) could not have been wrong and are left out.
 *
 * Detectable: an interval narrows with the square root of the pairs, so at the last look its half-width would be h z_last / z sqrt(n / n_last);
 * with 1.28 standard errors more, half-width / z_last each, a word comes 9 times in 10 (z of each look's level). All that is on the comparison's
 * scale, of ratios the logarithm; the sum is then made a share. The median of the sessions. Made from the intervals and not from the pairs'
 * spread, because a robust spread does not see what disturbs a third of the pairs. Pair sd: 1.4826 times the median absolute deviation about
 * the median. Smallest n: 6 pairs; constant data give 0.
 * Of several benchmarks aa_false_positives_of_all counts the sessions of them all, for the first.
 */
#include "analyse.h"
#include "verdict.h"
#include <stdlib.h>
#include <tare/stats.h>

struct sessions {
    int n, words, same;
    double *half, *last, *sd; /* as shares; room for one per session. last: the difference that its last look would find */
    int n_half, n_sd;
    double *d, *scratch; /* pairs of one session */
};

/* What a difference on the comparison's scale is as a share. */
static double share_of(const struct record *r, const struct comparison *c, double on_scale)
{
    if (c->kind != METRIC_COUNT)
        return expm1(on_scale);
    const struct estimate *median = record_estimate(r, c->reference, c->metric, "median");
    return median && median->point != 0 ? on_scale / fabs(median->point) : NAN;
}

/* Upper quantile of a look's level; with looks x 1.5 from the session's own to its end, of the last of them. */
static double z_at_end(const struct record *r, const struct comparison *c, int end)
{
    int at[LOOKS_MAX], k = 0;
    double spent[LOOKS_MAX], level = c->level, alpha = 1 - c->confidence;
    for (int n = c->rounds; c->share > 0 && n * 1.2 < end && k < LOOKS_MAX - 1; n = (int)rint(n * 1.5)) {
        at[k] = n;
        spent[k++] = tare_spending(TARE_SPEND_POWER, r->rule.spending, (double)n / end, alpha);
    }
    at[k] = end, spent[k] = alpha;
    if (k)
        tare_looks_spent(at, spent, k + 1, &level);
    return tare_normal_quantile(1 - level / 2);
}

static void add_session(struct sessions *s, const struct record *r, const struct comparison *c)
{
    if (!comparison_judged(c))
        return;
    s->n++;
    s->words += verdict_differs(c->verdict);
    s->same += c->verdict == VERDICT_SAME;
    double half = (c->high - c->low) / 2, share = isfinite(half) ? share_of(r, c, half) : NAN;
    if (!isnan(share)) {
        s->half[s->n_half] = share;
        /* What the last look finds 9 times in 10, where this one has such a half-width. */
        int end = comparison_rounds_at_end(r, c);
        double z = z_at_end(r, c, end), error = half / tare_normal_quantile(1 - c->level / 2) * sqrt((double)c->rounds / end);
        s->last[s->n_half++] = share_of(r, c, error * (z + tare_normal_quantile(0.9)));
    }
    const double *x = series_values(&r->series[c->reference], c->metric), *y = series_values(&r->series[c->subject], c->metric);
    int n = 0;
    for (int i = 0; x && y && i < c->rounds; i++) {
        double d = c->kind == METRIC_COUNT ? y[i] - x[i] : log(y[i] / x[i]);
        if (isfinite(d)) /* a run without a value has no pair */
            s->d[n++] = d;
    }
    double sd = n >= 6 ? share_of(r, c, 1.4826 * tare_mad(s->d, n, s->scratch)) : NAN;
    if (!isnan(sd))
        s->sd[s->n_sd++] = sd;
}

static enum tare_status add_estimate(struct record *r, struct estimate e, const char *reason)
{
    e.reason = isnan(e.point) ? reason : NULL;
    return record_add_estimate(r, &e) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

static enum tare_status add_point(struct record *r, int subject, const char *statistic, const char *method, double point, int n,
                                  const char *reason)
{
    return add_estimate(r, estimate_point(subject, r->rule.metric, statistic, method, point, n), reason);
}

static enum tare_status add_share(struct record *r, int subject, const char *statistic, int words, int n)
{
    const double confidence = 0.95;
    struct tare_interval share;
    if (tare_binomial_ci_clopper_pearson(words, n, 1 - confidence, &share))
        return TARE_INVALID;
    const struct estimate e =
        estimate_point(subject, r->rule.metric, statistic, "Clopper and Pearson", share.point, (int)share.n);
    return add_estimate(r, estimate_bounded(e, &share, confidence, 1 - confidence), "no session reached a verdict");
}

static double middle(double *values, int n)
{
    return n ? median_of(values, n, values) : NAN;
}

static enum tare_status add_all(struct record *r, int subject, struct sessions *s)
{
    double sd = middle(s->sd, s->n_sd), half = middle(s->half, s->n_half), last = middle(s->last, s->n_half);
    enum tare_status status = add_share(r, subject, "aa_false_positives", s->words, s->n);
    if (!status)
        status = add_point(r, subject, "aa_same", "as observed", s->n ? (double)s->same / s->n : NAN, s->n,
                           "no session reached a verdict");
    if (!status)
        status = add_point(r, subject, "aa_half_width", "median of the sessions", half, s->n_half, "no session has an interval");
    if (!status)
        status = add_point(r, subject, "aa_pair_sd", "median of robust standard deviations", sd, s->n_sd, "too few pairs");
    return status ? status
                  : add_point(r, subject, "aa_detectable", "projected to the last interim analysis, 90 % power", last, s->n_half,
                              "no session has an interval");
}

static enum tare_status analyse_each(struct record *r, struct sessions *s)
{
    int first = -1, subjects = 0, words = 0, n = 0;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < r->n_subjects && !status; i++) {
        if (!subject_measured(&r->subjects[i]) || record_first_copy(r, i) != i)
            continue;
        *s = (struct sessions){.half = s->half, .last = s->last, .sd = s->sd, .d = s->d, .scratch = s->scratch};
        for (int k = 0; k < r->n_comparisons; k++)
            if (record_first_copy(r, r->comparisons[k].reference) == i)
                add_session(s, r, &r->comparisons[k]);
        status = add_all(r, i, s);
        first = subjects++ ? first : i;
        words += s->words;
        n += s->n;
    }
    return status || subjects < 2 ? status : add_share(r, first, "aa_false_positives_of_all", words, n);
}

enum tare_status analyse_against_itself(struct record *r, struct tare_err *err)
{
    size_t n = (size_t)r->n_comparisons + 1, most = 1;
    for (int i = 0; i < r->n_comparisons; i++)
        if ((size_t)r->comparisons[i].rounds > most)
            most = (size_t)r->comparisons[i].rounds;
    struct sessions s = {.half = malloc(n * sizeof(double)),
                         .last = malloc(n * sizeof(double)),
                         .sd = malloc(n * sizeof(double)),
                         .d = malloc(most * sizeof(double)),
                         .scratch = malloc(most * sizeof(double))};
    bool memory = s.half && s.last && s.sd && s.d && s.scratch;
    enum tare_status status = memory ? analyse_each(r, &s) : TARE_NO_MEMORY;
    free(s.half);
    free(s.last);
    free(s.sd);
    free(s.d);
    free(s.scratch);
    return status ? err_no_memory(err) : TARE_OK;
}
