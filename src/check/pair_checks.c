/* SPDX-License-Identifier: MIT
 *
 * Checks of one comparison: what its one ratio does not show.
 */
#include "finding.h"
#include "stats_trend.h"
#include "verdict_text.h"
#include <math.h>
#include <tare/stats.h>

static bool by_ratio(const struct paired_sample *p)
{
    return p->comparison->kind != METRIC_COUNT;
}

void check_mean_ratio(struct check *c, const struct paired_sample *p)
{
    const struct comparison *k = p->comparison;
    const double typical = exp(k->shift);
    if (!comparison_mean_apart(k))
        return;
    finding_add(c, "mean_against_typical", SEVERITY_WARNING, k->subject, 100 * fabs(k->mean_ratio / typical - 1),
                "read the ratio of means if total cost matters", "the ratio of means is %.3f, the typical ratio %.3f",
                k->mean_ratio, typical);
    finding_detail(c, "Rare slow %s affect only the ratio of means.", finding_runs(c, 2));
}

static void check_slot_effect(struct check *c, const struct paired_sample *p)
{
    const struct comparison *k = p->comparison;
    if (!(k->slot_p < 0.01))
        return;
    double effect = 100 * expm1(k->slot_effect);
    finding_add(c, "slot_effect", SEVERITY_NOTE, -1, fabs(effect) * 0.5,
                finding_of_benchmarks(c) ? NULL : "restore the same state with --prepare",
                "the second %s of a round takes %s %s (%s)", finding_runs(c, 1), finding_share(c, fabs(effect) / 100),
                effect < 0 ? "less" : "more", finding_p(c, k->slot_p));
    finding_detail(c, "The random order keeps this out of the comparison if both leave the same state behind. Signed-rank test.");
}

enum { SLOPE_MOST = 20000 };

/* Of very many runs every so-and-so-many-th: the median of the slopes of all pairs takes long, and these fix it. */
double check_trend_slope(struct check *c, const double *values, int all)
{
    const int every = (all - 1) / SLOPE_MOST + 1, n = (all - 1) / every + 1;
    double *some = c->scratch + 2 * n;
    for (int i = 0; i < n; i++)
        some[i] = values[i * every];
    return stats_trend_slope(some, n, c->scratch) / every;
}

double check_ratio_trend(struct check *c, const struct comparison *k)
{
    const struct series *reference = &c->r->series[k->reference], *other = &c->r->series[k->subject];
    const int both[2] = {k->reference, k->subject}, rounds = record_rounds(c->r, both, 2);
    const int most = reference->main.n < other->main.n ? reference->main.n : other->main.n;
    const int n = rounds < most ? rounds : most; /* of two that left the rounds it is that of the one with more */
    const double *below = series_values(reference, c->r->rule.metric), *above = series_values(other, c->r->rule.metric);
    double *ratio = c->scratch + 3 * n;
    struct tare_trend t;
    if (k->arc || k->kind == METRIC_COUNT || !c->r->rule.interleaved || k->reference_rounds || n < 10 || !below || !above)
        return 0;
    bool positive = true;
    for (int row = 0; row < n; row++) {
        ratio[row] = above[row] / below[row];
        positive = positive && isfinite(ratio[row]) && ratio[row] > 0;
    }
    if (!positive || stats_trend_test(ratio, n, c->scratch, &t) || !(t.p < 0.01))
        return 0;
    return 100 * check_trend_slope(c, ratio, n) * (n - 1) / exp(k->shift);
}

/* The one figure is then that of no moment. */
static void check_ratio_drift(struct check *c, const struct paired_sample *p)
{
    const double trend = check_ratio_trend(c, p->comparison);
    if (!(fabs(trend) >= 1))
        return;
    finding_add(c, "ratio_drift", SEVERITY_WARNING, p->comparison->subject, 2 * fabs(trend), "measure again at another time",
                "the ratio changed by %s during the session", finding_change(c, trend));
    finding_detail(
        c, "Mann-Kendall test of the ratios of the rounds. The printed one is between those of the beginning and the end.");
    finding_trend(c, trend / 100);
}

static bool is_decided(const struct comparison *k, double low, double high)
{
    const double limit = k->kind == METRIC_COUNT ? k->margin : log1p(k->margin);
    return low > 0 || high < 0 || (-limit < low && high < limit);
}

/* Of sessions with independent rounds one in ten has a widened interval: it is a remark where it took a verdict back, or where the
 * autocorrelation, (n - m) / (n + m), is more than 2.33 standard errors above 0 (1 %). */
void check_dependent_rounds(struct check *c, const struct paired_sample *p)
{
    const struct comparison *k = p->comparison;
    const double n = k->rounds, m = k->effective_rounds;
    if (!(m > 0) || !(k->widened > 1) || !isfinite(k->high - k->low))
        return;
    const double low = k->shift - (k->shift - k->low) / k->widened, high = k->shift + (k->high - k->shift) / k->widened;
    const bool stored = record_is_of_two_sessions(c->r);
    const bool taken = (!stored || k->assumed_no_drift) && is_decided(k, low, high) && !is_decided(k, k->low, k->high);
    if (!taken && !((n - m) / (n + m) * sqrt(n) > 2.33))
        return;
    finding_add(c, "dependent_rounds", taken ? SEVERITY_WARNING : SEVERITY_NOTE, k->subject, taken ? 40 : 4, "measure longer",
                "%seffective sample size %.*f, not %d; the interval of the ratio is %.1f times as wide for it",
                k->arc ? "in an arc, " : "", m < 10, m, k->rounds, k->widened);
    finding_detail(c, "Neighbouring %s. Rank autocorrelation test.%s",
                   stored ? "runs of a session are alike: noise outlasts a run"
                          : "rounds are alike: noise that the commands do not share outlasts a round",
                   taken ? " By itself the interval would reach a verdict." : "");
}

/* The typical difference is taken out first: what is slower throughout is oftener the slow one, and that the ratio does show. */
static const double *without_shift(const struct paired_sample *p, int n, double *room)
{
    double shift = p->comparison->shift, factor = by_ratio(p) ? exp(-shift) : 1, summand = by_ratio(p) ? 0 : -shift;
    for (int i = 0; i < n; i++)
        room[i] = p->subject.values[i] * factor + summand;
    return room;
}

static void check_tails(struct check *c, const struct paired_sample *p)
{
    struct tare_tail t;
    int n = p->reference.n < p->subject.n ? p->reference.n : p->subject.n;
    if (n < 100 || !isfinite(p->comparison->shift))
        return;
    const double *level = without_shift(p, n, c->scratch + 2 * n);
    if (tare_tail_sign_test(p->reference.values, level, n, c->scratch, &t) || !(t.p < 0.01))
        return;
    finding_add(c, "tail", SEVERITY_WARNING, p->comparison->subject, 100.0 * fabs((double)(t.b_only - t.a_only)) / n,
                "look at the histogram with -v", "unusually slow in %td round%s, the reference in %td", t.b_only,
                buf_plural(t.b_only), t.a_only);
    finding_detail(c, "Counted beyond the typical difference; the ratio does not show it. Sign test %s.", finding_p(c, t.p));
}

/* A robust spread of the pairs above 5 %: small differences are out of reach. */
static void check_too_noisy(struct check *c, const struct paired_sample *p)
{
    int n = p->reference.n < p->subject.n ? p->reference.n : p->subject.n;
    if (!by_ratio(p) || n < 10)
        return;
    double *d = c->scratch;
    for (int i = 0; i < n; i++)
        d[i] = log(p->subject.values[i] / p->reference.values[i]);
    double sd = 1.482602218505602 * tare_mad(d, n, d + n);
    if (sd > 0.05) {
        finding_add(c, "noisy", SEVERITY_WARNING, p->comparison->subject,
                    100 * sd * finding_unexplained(c, p->comparison->subject), "use a quieter machine or a longer command",
                    "pairs scatter by %s", finding_share(c, sd));
        finding_detail(c, "This is the robust standard deviation of the ratio. Four times the rounds halve the interval.");
    }
}

const struct check_test pair_tests[] = {{.ids = "mean_against_typical", .pair = check_mean_ratio},
                                        {.ids = "slot_effect", .pair = check_slot_effect},
                                        {.ids = "dependent_rounds", .pair = check_dependent_rounds},
                                        {.ids = "ratio_drift", .pair = check_ratio_drift},
                                        {.ids = "tail", .pair = check_tails},
                                        {.ids = "noisy", .pair = check_too_noisy},
                                        {0}};
