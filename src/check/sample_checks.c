/* SPDX-License-Identifier: MIT
 *
 * Checks of one command's values. Triggers follow the project's table of warnings; each names its statistic.
 */
#include "causes.h"
#include "finding.h"
#include "stats_trend.h"
#include <math.h>
#include <string.h>

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
    double weight = 10 * spread * finding_unexplained(c, s->subject) + (c->facts->unstable_fails ? 1e3 : 0);
    finding_add(c, "unstable", SEVERITY_WARNING, s->subject, weight,
                finding_of_others(c) ? "read the median"
                : c->facts->pinned   ? "end other programs, or read the median"
                                     : "end other programs, try --pin, or read the median",
                "standard deviation %s of the mean, extremes %s below and %s above", finding_share(c, spread),
                finding_share(c, -low), finding_share(c, high));
    finding_detail(c, "The median and the comparison tolerate this better than the mean.");
}

/* The very first run, warm-up included, against the median: what a cold start costs. */
static void check_first_run(struct check *c, const struct sample *s)
{
    const struct series *series = &c->r->series[s->subject];
    int column = series_column(series, c->r->rule.metric);
    struct tare_outliers o;
    if (s->n < 6 || tare_outliers(c->sorted, s->n, c->scratch, &o))
        return;
    bool warmed = series->warmup.n > 0;
    double first = warmed ? series->warmup.value[column][0] : s->values[0];
    if (!(first > s->median * 1.1 && first > s->median + 10 * o.sd))
        return;
    const char *advice = warmed                     ? NULL
                         : finding_of_others(c)     ? "read the median"
                         : finding_of_benchmarks(c) ? "use --warmup 1, or --profile startup"
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
    finding_add(c, "two_modes", SEVERITY_WARNING, s->subject, 50 * fmin(apart, 1) * finding_unexplained(c, s->subject),
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
    return c->r->n_comparisons > 0 && c->r->rule.interleaved && !(fabs(of_ratio) >= 1);
}

static const char *meaning_of(bool compared)
{
    return compared ? "What the runs of a round share cancels in the comparison." : "The interval holds for this session only.";
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
    finding_add(c, "drift", SEVERITY_WARNING, s->subject, fabs(drift) * (compared ? 0.2 : 1) * finding_unexplained(c, s->subject),
                advice_of(compared), "changed by %s during the session", finding_change(c, drift));
    if (fabs(of_ratio) >= 1)
        finding_detail(c, "Mann-Kendall test, %s. The ratio changed as well, by %s: the comparison holds for this session only.",
                       finding_p(c, t.p), finding_change(c, of_ratio));
    else
        finding_detail(c, "Mann-Kendall test, %s. %s", finding_p(c, t.p), meaning_of(compared));
    finding_trend(c, drift / 100);
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

/* More than a tenth of the values equal to another: the clock or counter is too coarse for rank methods. */
static void check_ties(struct check *c, const struct sample *s)
{
    if (s->n < 10 || c->sorted[0] == c->sorted[s->n - 1])
        return; /* a count that never changes is exact, not coarse */
    int tied = 0;
    double step = INFINITY;
    for (int i = 1; i < s->n; i++) {
        const double apart = c->sorted[i] - c->sorted[i - 1];
        tied += apart == 0;
        step = apart > 0 ? fmin(step, apart) : step;
    }
    const struct metric *metric = record_metric(c->r, c->r->rule.metric);
    const bool coarse = c->sorted[3 * s->n / 4] - c->sorted[s->n / 4] < STEPS_OF_A_FINE_CLOCK * step;
    if (tied * 10 > s->n && coarse && metric->kind == METRIC_TIME)
        finding_add(c, "coarse", SEVERITY_NOTE, s->subject, 5,
                    finding_of_others(c)         ? NULL
                    : finding_of_benchmarks(c)   ? "use a longer --sample-time"
                    : strcmp(metric->id, "wall") ? "use --metric wall or a longer command"
                                                 : "use a longer command",
                    "%d of %d values equal another one: the clock is too coarse", tied, s->n);
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
