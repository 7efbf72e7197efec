/* SPDX-License-Identifier: MIT
 *
 * Checks of one command's values, and of one comparison. Triggers follow the project's table of warnings; each names its statistic.
 */
#include "causes.h"
#include "finding.h"
#include "stats_beyond.h"
#include "verdict_text.h"
#include <math.h>
#include <string.h>
#include <tare/stats.h>

/* Checks of one comparison: what its one ratio does not show. */

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
                "read the ratio of means if total cost matters", "the ratio of means%s is %.3f, the typical ratio %.3f",
                record_is_over_sessions(c->r) ? " of runs" : "", k->mean_ratio, typical);
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
static double check_trend_slope(struct check *c, const double *values, int all)
{
    const int every = (all - 1) / SLOPE_MOST + 1, n = (all - 1) / every + 1;
    double *some = c->scratch + 2 * n;
    for (int i = 0; i < n; i++)
        some[i] = values[i * every];
    return stats_trend_slope(some, n, c->scratch) / every;
}

/* How a ratio changed from the first round to the last, in percent of what it was; 0: no trend is proven. */
static double check_ratio_trend(struct check *c, const struct comparison *k)
{
    const struct series *reference = &c->r->series[k->reference], *other = &c->r->series[k->subject];
    const int both[2] = {k->reference, k->subject}, rounds = record_rounds(c->r, both, 2);
    const int most = reference->main.n < other->main.n ? reference->main.n : other->main.n;
    const int n = rounds < most ? rounds : most; /* of two that left the rounds it is that of the one with more */
    const double *below = series_values(reference, c->r->rule.metric), *above = series_values(other, c->r->rule.metric);
    double *ratio = c->scratch + 3 * n; /* its logarithm */
    struct tare_trend t;
    if (k->arc || k->kind == METRIC_COUNT || !c->r->rule.interleaved || k->reference_rounds || n < 10 || !below || !above)
        return 0;
    bool positive = true;
    for (int row = 0; row < n; row++) {
        ratio[row] = log(above[row] / below[row]);
        positive = positive && isfinite(ratio[row]);
    }
    if (!positive || stats_trend_test(ratio, n, c->scratch, &t) || !(t.p < 0.01))
        return 0;
    return 100 * expm1(check_trend_slope(c, ratio, n) * (n - 1));
}

/* What the finding that was added last says of a trend, for pictures: record.h. */
static void add_trend(struct check *c, double share)
{
    if (!c->failed)
        c->r->findings[c->r->n_findings - 1].trend = share;
}

/* One ratio then describes no part of the session. */
static void check_ratio_drift(struct check *c, const struct paired_sample *p)
{
    const double trend = check_ratio_trend(c, p->comparison);
    if (!(fabs(trend) >= 1))
        return;
    finding_add(c, "ratio_drift", SEVERITY_WARNING, p->comparison->subject, 2 * fabs(trend), "measure again at another time",
                "the ratio changed by %s during the session", finding_change(c, trend));
    finding_detail(
        c, "Mann-Kendall test of the ratios of the rounds. The printed one is between those of the beginning and the end.");
    add_trend(c, trend / 100);
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
                "%seffective sample size %.*f, not %d; the interval of the ratio is %.*f times as wide for it",
                k->arc ? "in an arc, " : "", m < 10, m, k->rounds, k->widened < 1.05 ? 2 : 1, k->widened);
    finding_detail(c, "Neighbouring %s. Rank autocorrelation test.%s",
                   stored ? "runs of a session are alike: noise outlasts a run"
                          : "rounds are alike: noise that the commands do not share outlasts a round",
                   taken ? " By itself the interval would reach a verdict." : "");
}

/* Without the typical difference, which makes the slower one slow more often too, and which the ratio shows. */
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

/* What is left to tell where causes explain part of the scatter: from 1 (nothing is explained) to 0.2, to be taken times the weight. */
static double unexplained(const struct check *c, int subject)
{
    const struct estimate *e = record_estimate(c->r, subject, "wall", "explained_variance_share");
    return e && e->point > 0 ? 1 - 0.8 * fmin(e->point, 1) : 1;
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
        finding_add(c, "noisy", SEVERITY_WARNING, p->comparison->subject, 100 * sd * unexplained(c, p->comparison->subject),
                    finding_of_benchmarks(c) ? "use a quieter machine or more processes"
                                             : "use a quieter machine or a longer command",
                    "pairs scatter by %s", finding_share(c, expm1(sd)));
        finding_detail(c, "This is the robust standard deviation of the logarithm of the ratio, as a change. Four times the "
                          "rounds halve the interval.");
    }
}

const struct check_test pair_tests[] = {{.ids = "mean_against_typical", .pair = check_mean_ratio},
                                        {.ids = "slot_effect", .pair = check_slot_effect},
                                        {.ids = "dependent_rounds", .pair = check_dependent_rounds},
                                        {.ids = "ratio_drift", .pair = check_ratio_drift},
                                        {.ids = "tail", .pair = check_tails},
                                        {.ids = "noisy", .pair = check_too_noisy},
                                        {0}};

/* Measured by another tool: options of tare are no advice. */
static bool finding_of_others(const struct check *c)
{
    return record_source(c->r) != NULL;
}

/* Stinner's rules (the pyperf manual): doubtful when the standard deviation exceeds 10 % of the mean, or when the minimum or
 * the maximum lies 50 % or more away from it. */
void check_stability(struct check *c, const struct sample *s)
{
    if (s->n < 2)
        return;
    const double mean = tare_mean(s->values, s->n), spread = tare_stddev(s->values, s->n) / fabs(mean),
                 one = c->sorted[0] / mean - 1, other = c->sorted[s->n - 1] / mean - 1, low = fmin(one, other),
                 high = fmax(one, other);
    if (spread <= 0.10 && low > -0.50 && high < 0.50)
        return;
    double weight = 10 * spread * unexplained(c, s->subject) + (c->facts->unstable_fails ? 1e3 : 0);
    finding_add(c, "unstable", SEVERITY_WARNING, s->subject, weight,
                finding_of_others(c)               ? "read the median"
                : c->facts->pinned                 ? "end other programs, or read the median"
                : finding_cpus_busy(c, s->subject) ? "measure when the CPUs are idle, or read the median"
                                                   : "end other programs, try --pin, or read the median",
                "standard deviation %s of the mean, extremes %s below and %s above", finding_share(c, spread),
                finding_share(c, -low), finding_share(c, high));
    finding_detail(c, "The median and the comparison tolerate this better than the mean.");
}

/* Time that others took from a run, where wall times are judged; how long one was paused nobody knows. */
static double taken_from(const struct check *c, const struct series *s, const struct rows *rows, int row)
{
    double taken = rows->flags[row] & ROW_PAUSED ? INFINITY : 0;
    static const char *const columns[] = {"delay", "steal"};
    for (int i = 0; i < 2; i++) {
        const int column = series_column(s, columns[i]);
        if (column >= 0 && rows->value[column][row] > 0)
            taken += rows->value[column][row];
    }
    return strcmp(c->r->rule.metric, "wall") ? 0 : taken;
}

/* The very first run, warm-up included, against the median: what a cold start costs, and not others that ran just then. */
static void check_first_run(struct check *c, const struct sample *s)
{
    const struct series *series = &c->r->series[s->subject];
    int column = series_column(series, c->r->rule.metric);
    struct tare_outliers o;
    if (s->n < 6 || tare_outliers(c->sorted, s->n, c->scratch, &o))
        return;
    bool warmed = series->warmup.n > 0;
    double first = warmed ? series->warmup.value[column][0] : s->values[0];
    const double own = first - taken_from(c, series, warmed ? &series->warmup : &series->main, 0);
    const double step = series_step(series, c->r->rule.metric); /* one more is chance; NaN: none is known */
    if (!(own > s->median * 1.1 && own > s->median + fmax(10 * o.sd, step)))
        return;
    const char *advice = warmed                     ? NULL
                         : finding_of_others(c)     ? "read the median"
                         : finding_of_benchmarks(c) ? "use --warmup 1, or --profile startup"
                         : c->r->traced             ? "use --warmup 1"
                         : c->facts->prepared       ? "use --warmup 1, unless --prepare makes it cold"
                                                    : "use --warmup 1, or --prepare for cold runs";
    finding_add(c, "first_run", warmed ? SEVERITY_NOTE : SEVERITY_WARNING, s->subject, warmed ? 0.5 : 20, advice,
                "the first %s took %s, %.1f times the median", finding_runs(c, 1), finding_quantity(c, s->unit, first),
                first / s->median);
    if (warmed)
        finding_detail(c, "It was a warm-up; the figures are those of a warm start.");
}

/* " Causes: 2 preempted, 1 migrated, 1 unknown."; empty without an account. A run may have several, which is said. */
static const char *why_far(struct check *c, const struct sample *s, double above, int *explained)
{
    const struct series *series = &c->r->series[s->subject];
    const struct cause *cause;
    struct buf b = BUF_INIT(1 << 10);
    int far = 0, of_causes = 0;
    *explained = 0;
    for (int row = 0; row < s->n; row++) {
        far += s->values[row] > above;
        *explained += s->values[row] > above && series->main.flags[row] & causes_all() & ~(uint32_t)ROW_UNEXPLAINED;
    }
    for (int i = 0; series_has_account(series) && (cause = cause_at(i)); i++) {
        int n = 0;
        for (int row = 0; row < s->n; row++)
            n += cause->bit != ROW_UNEXPLAINED && s->values[row] > above && series->main.flags[row] & cause->bit;
        if (n)
            buf_format(&b, "%s%d %s", b.len ? ", " : " Causes: ", n, cause->word);
        of_causes += n;
    }
    if (series_has_account(series) && far > *explained)
        buf_format(&b, "%s%d unknown", b.len ? ", " : " Causes: ", far - *explained);
    if (b.len)
        buf_str(&b, of_causes > *explained ? "; some have several." : ".");
    return finding_keep(c, &b);
}

static void check_outliers(struct check *c, const struct sample *s)
{
    struct tare_outliers o;
    int explained;
    if (s->n < 10 || tare_outliers(c->sorted, s->n, c->scratch, &o) || !o.severe)
        return;
    const char *why = why_far(c, s, o.median + 10 * o.sd, &explained);
    double untold = 1 - 0.8 * explained / (double)o.severe;
    finding_add(c, "outliers", SEVERITY_WARNING, s->subject, 100.0 * (double)o.severe / s->n * untold,
                "read the median, not the mean", "%td of %d %s %s more than 10 robust standard deviations above the median",
                o.severe, s->n, finding_runs(c, s->n), o.severe == 1 ? "is" : "are");
    finding_detail(c, "They count in all figures; the robust standard deviation is that of the middle of the runs (MAD).%s", why);
}

static void check_modes(struct check *c, const struct sample *s)
{
    struct tare_modes m;
    if (s->n < 20 || tare_two_modes(c->sorted, s->n, c->scratch, &m) || !(m.ratio > m.critical))
        return;
    double apart = m.high / m.low - 1;
    if (apart < 0.01)
        return;
    finding_add(c, "two_modes", SEVERITY_WARNING, s->subject, 50 * fmin(apart, 1) * unexplained(c, s->subject),
                finding_of_benchmarks(c) ? "look at the histogram with -vv" : "look at the histogram with -v",
                "about %s (%td %s below %s) and %s (%td %s above)", finding_quantity(c, s->unit, m.low), m.low_n,
                finding_runs(c, m.low_n), finding_quantity(c, s->unit, m.gap), finding_quantity(c, s->unit, m.high), m.high_n,
                finding_runs(c, m.high_n));
    finding_detail(c, "The median may change from one to the other. Possible causes: cache, frequency, placement.");
}

/* The largest trend of a ratio that the command is in, in percent over the session; 0: none is proven. */
static double ratio_trend(struct check *c, int subject)
{
    double largest = 0;
    for (int i = 0; i < c->r->n_comparisons; i++) {
        const struct comparison *k = &c->r->comparisons[i];
        const double trend = k->reference == subject || k->subject == subject ? check_ratio_trend(c, k) : 0;
        largest = fabs(trend) > fabs(largest) ? trend : largest;
    }
    return largest;
}

/* What is compared shares what all runs of a round share, and its ratio has no trend of its own. */
static bool is_compared(struct check *c, double of_ratio)
{
    bool any = false; /* that there is to read */
    for (int i = 0; i < c->r->n_comparisons; i++)
        any |= isfinite(c->r->comparisons[i].shift);
    return any && c->r->rule.interleaved && !(fabs(of_ratio) >= 1);
}

static const char *meaning_of(bool compared)
{
    return compared ? "What the runs of a round share cancels in the comparison." : "Its figures hold for this session only.";
}

static const char *advice_of(bool compared)
{
    return compared ? "read the comparison, not the absolute times" : "measure again at another time";
}

/* A trend: one command's absolute figures then say little about another hour. */
bool check_trend(struct check *c, const struct sample *s)
{
    struct tare_trend t;
    if (s->n < 10 || !record_in_order(c->r) || stats_trend_test(s->values, s->n, c->scratch, &t) || !(t.p < 0.01))
        return false;
    const double drift = 100 * check_trend_slope(c, s->values, s->n) * (s->n - 1) / s->median;
    if (!(fabs(drift) >= 1))
        return false;
    const double of_ratio = ratio_trend(c, s->subject);
    const bool compared = is_compared(c, of_ratio);
    finding_add(c, "drift", SEVERITY_WARNING, s->subject, fabs(drift) * (compared ? 0.2 : 1) * unexplained(c, s->subject),
                advice_of(compared), "changed by %s of the median during the session", finding_change(c, drift));
    if (fabs(of_ratio) >= 1)
        finding_detail(c, "Mann-Kendall test, %s. The ratio changed as well, by %s: the comparison holds for this session only.",
                       finding_p(c, t.p), finding_change(c, of_ratio));
    else
        finding_detail(c, "Mann-Kendall test, %s. %s", finding_p(c, t.p), meaning_of(compared));
    add_trend(c, drift / 100);
    return true;
}

static void check_dependence(struct check *c, const struct sample *s)
{
    struct tare_dependence d;
    if (s->n < 10 || !record_in_order(c->r) || stats_serial_dependence(s->values, c->sorted, s->n, STATS_NEIGHBOURS, &d))
        return;
    if (check_trend(c, s) || !(d.r_ranks > d.threshold))
        return;
    const bool compared = is_compared(c, ratio_trend(c, s->subject));
    finding_add(c, "dependence", SEVERITY_NOTE, s->subject, compared ? 0.2 : 2, advice_of(compared),
                "consecutive %s are alike (rank correlation %.2f)", finding_runs(c, 2), d.r_ranks);
    finding_detail(c, "The effective sample size is %.0f, not %d. %s", d.n_effective, s->n, meaning_of(compared));
}

/* Of very many values some are equal by chance, however fine the clock is: its step is then small beside what they scatter by. */
enum { STEPS_OF_A_FINE_CLOCK = 1000 };

/* More than a tenth of the values are repeats of another: the clock or counter is too coarse for rank methods. */
static void check_ties(struct check *c, const struct sample *s)
{
    if (s->n < 10 || c->sorted[0] == c->sorted[s->n - 1])
        return;   /* a count that never changes is exact, not coarse */
    int tied = 0; /* equal to the one before */
    double step = INFINITY;
    for (int i = 1; i < s->n; i++) {
        const double apart = c->sorted[i] - c->sorted[i - 1];
        tied += apart == 0;
        step = apart > 0 ? fmin(step, apart) : step;
    }
    const struct metric *metric = record_metric(c->r, c->r->rule.metric);
    /* One a process, of which --sample-time makes no more. */
    const struct series *series = &c->r->series[s->subject];
    const bool many = c->r->rule.profile == PROFILE_STEADY && series_has_own_clock(series, 0),
               single_calls = finding_of_benchmarks(c) && !many && !isnan(series_reading_step(series, metric->id));
    const bool coarse = c->sorted[3 * s->n / 4] - c->sorted[s->n / 4] < STEPS_OF_A_FINE_CLOCK * step;
    if (tied * 10 > s->n && coarse && metric->kind == METRIC_TIME)
        finding_add(c, "coarse", SEVERITY_NOTE, s->subject, 5,
                    finding_of_others(c)         ? NULL
                    : single_calls               ? "use --profile steady"
                    : finding_of_benchmarks(c)   ? "use a longer --sample-time"
                    : strcmp(metric->id, "wall") ? "use --metric wall or a longer command"
                                                 : "use a longer command",
                    "%d values are only %d different ones: the clock is too coarse", s->n, s->n - tied);
}

/* The empty program that was run last was run under the same conditions as the commands. */
static const struct estimate *floor_of(const struct check *c)
{
    for (int i = c->r->n_subjects - 1; i >= 0; i--)
        if (c->r->subjects[i].kind == SUBJECT_NOOP)
            return record_estimate(c->r, i, c->r->rule.metric, "median");
    return NULL;
}

/* What a run costs before it does anything, as measured with an empty program. */
static void check_floor(struct check *c, const struct sample *s)
{
    const struct estimate *lowest = floor_of(c);
    if (lowest && s->kind == METRIC_TIME && lowest->point > 0.05 * s->median) {
        finding_add(c, "spawn_floor", SEVERITY_NOTE, s->subject, 3, "for short functions use tare bench",
                    "an empty program takes %s, %s of this command", finding_quantity(c, s->unit, lowest->point),
                    finding_share(c, lowest->point / s->median));
        finding_detail(c, "The time to start and end a process is in all figures and is not subtracted.");
    }
    if (lowest && !facts_find(&c->r->before, "memory_floor_bytes") && !strcmp(c->r->rule.metric, "rss") &&
        lowest->point > 0.95 * s->median) {
        finding_add(c, "memory_floor", SEVERITY_NOTE, s->subject, 3, "use --metric peak",
                    "the peak is that of an empty program (%s)", finding_quantity(c, s->unit, lowest->point));
        finding_detail(c, "All programs that need less than that show the same.");
    }
}

const struct check_test sample_tests[] = {{.ids = "unstable", .sample = check_stability},
                                          {.ids = "first_run", .sample = check_first_run},
                                          {.ids = "outliers", .sample = check_outliers},
                                          {.ids = "two_modes", .sample = check_modes},
                                          {.ids = "drift dependence", .sample = check_dependence},
                                          {.ids = "coarse", .sample = check_ties},
                                          {.ids = "spawn_floor memory_floor", .sample = check_floor},
                                          {0}};
