/* SPDX-License-Identifier: MIT
 *
 * Which verdict an interval gives, of one comparison and of one among many (verdict.h).
 *
 * Correction for many comparisons in one session: of a hundred pairs that are equal at 5 % each, five would be called different. Over the
 * p values, by Benjamini and Hochberg (1995: of the verdicts of difference at most a share alpha is false) or
 * Holm (1979: the chance of any false one is at most alpha). Both hold a p value against a fraction of alpha: a i/m, a/(m-i+1). Looks
 * spend that fraction as they would spend alpha: the p value is held against their level for it, so that one
 * comparison alone is treated as everywhere. Levels are nested in alpha, so that who passes at one passes at each looser one. A comparison whose
 * benchmarks left keeps the p value of its last look, which is held against that look's level, together with those that went on: whenever it leaves,
 * its chance of passing at alpha is at most alpha (sequential Benjamini-Hochberg and Holm, Bartroff and Song 2014). Only verdicts of
 * difference can be taken back; `same` is a statement about an interval and needs no correction. The intervals stay those of each comparison.
 */
#include "verdict.h"
#include "analyse_stored.h"
#include "record_kind.h"
#include <string.h>
#include <tare/stats.h>

const char *keep_reason(struct arena *a, struct buf *b)
{
    const char *kept = arena_keep(a, b);
    return kept ? kept : "no memory for the reason";
}

struct comparison comparison_undecided(const struct record *r, int reference, int subject, const struct look *look)
{
    return (struct comparison){.reference = reference,
                               .subject = subject,
                               .metric = r->rule.metric,
                               .shift = NAN,
                               .low = -INFINITY,
                               .high = INFINITY,
                               .mean_ratio = NAN,
                               .mean_low = -INFINITY,
                               .mean_high = INFINITY,
                               .confidence = r->rule.confidence,
                               .level = look->level,
                               .look = look->number,
                               .looks_planned = r->rule.spending > 0 ? -1 : r->rule.n_looks,
                               .share = look->share,
                               .margin = r->rule.margin,
                               .verdict = VERDICT_UNDECIDED,
                               .better = -1,
                               .rounds = look->rounds,
                               .seconds = r->seconds,
                               .slot_effect = NAN,
                               .slot_p = NAN,
                               .p = NAN,
                               .rounds_needed = NAN};
}

struct comparison comparison_invalid(struct comparison c, const char *reason)
{
    c.verdict = VERDICT_INVALID;
    c.better = -1;
    c.rounds_needed = NAN;
    c.reason = reason;
    return c;
}

double median_of(const double *x, int n, double *scratch)
{
    memmove(scratch, x, (size_t)n * sizeof *x);
    tare_sort(scratch, n);
    return tare_quantile_sorted(scratch, n, 0.5);
}

bool all_positive(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!(x[i] > 0))
            return false;
    return true;
}

void comparison_scale(struct comparison *c, const struct rule *rule, const struct metric *metric, const struct values *reference,
                      const struct values *subject, double *scratch)
{
    const bool difference = metric->kind == METRIC_COUNT || rule->margin_unit || !all_positive(reference->x, reference->n) ||
                            !all_positive(subject->x, subject->n);
    c->kind = difference ? METRIC_COUNT : metric->kind;
    c->margin = rule->margin;
    if (!difference || rule->margin_unit)
        return;
    const double median = fabs(median_of(reference->x, reference->n, scratch));
    c->margin = median > 0 ? median * rule->margin : NAN;
}

double comparison_limit(const struct comparison *c)
{
    return c->kind == METRIC_COUNT ? c->margin : log1p(c->margin);
}

static bool is_multiple(double x, double step)
{
    const double n = x / step;
    return fabs(n - nearbyint(n)) < 1e-6;
}

/* In magnitude. */
static double least_of(const struct values *v)
{
    double least = NAN;
    for (int i = 0; i < v->n; i++)
        if (v->x[i] != 0 && !(fabs(v->x[i]) >= least))
            least = fabs(v->x[i]);
    return least;
}

static void take_step(struct printed *p, const struct values *v, double finest)
{
    for (int i = 0; i < v->n; i++)
        while (p->step > finest && !is_multiple(v->x[i], p->step))
            p->step /= 10;
}

#define FEW_DIGITS 1e-4 /* what five digits hide matters to nobody */

/* A size without a fraction of a byte is one of bytes, or of larger units and rounded there; with one it is of KiB or more. */
static double step_of_size(struct printed *p, const struct values *reference, const struct values *subject)
{
    const double least = fmin(p->one, p->other);
    double power = 1, unit = 1;
    for (int k = 0; k < 4 && power * 1024 <= 10 * least; k++)
        power *= 1024;
    p->step = 1;
    take_step(p, reference, 0.1);
    take_step(p, subject, 0.1);
    if (p->step < 1)
        unit = power;
    p->step = unit * pow(10, floor(log10(least / unit) + 1e-9));
    take_step(p, reference, least * FEW_DIGITS);
    take_step(p, subject, least * FEW_DIGITS);
    return p->step > least * FEW_DIGITS && (unit > 1 || p->step >= 1000) ? p->step : 0;
}

enum { DISTINCT_MOST = 64 }; /* of more the clock is fine enough */

struct distinct {
    double x[DISTINCT_MOST];
    int n;        /* DISTINCT_MOST + 1: there are more */
    double apart; /* the least distance of two */
    int all;
    bool varies; /* within a side */
};

static bool is_alike(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b));
}

/* first: of its side, of what should be the same. */
static void add_distinct(struct distinct *d, double x, double first)
{
    double apart = d->apart;
    d->all++;
    d->varies = d->varies || !is_alike(x, first);
    for (int i = 0; i < d->n; i++) {
        if (d->n > DISTINCT_MOST || is_alike(d->x[i], x))
            return;
        apart = fmin(apart, fabs(d->x[i] - x));
    }
    if (d->n < DISTINCT_MOST)
        d->x[d->n] = x;
    d->n++;
    d->apart = apart;
}

static void add_values(struct distinct *d, const struct values *v)
{
    for (int i = 0; i < v->n; i++)
        add_distinct(d, v->x[i], v->x[0]);
}

/* Of a benchmark those of its samples, as the median may be the same in all processes; each is beside that of the first process in its place. */
static void add_times(struct distinct *d, const struct series *s, const struct metric *metric)
{
    const struct rows *samples = &s->samples;
    const double *ns = strcmp(metric->id, "ns") ? NULL : series_samples(s, "ticks"),
                 *iterations = series_samples(s, "iterations");
    if (!ns || !iterations) {
        add_values(d, &(struct values){series_values(s, metric->id), s->main.n});
        return;
    }
    for (int i = 0; i < samples->n; i++) {
        const int place = samples->slot[i], first = place >= 0 && place < i && samples->slot[place] == place ? place : i;
        const double each = ns[i] / iterations[i];
        if (!(samples->flags[i] & ROW_WARMUP) && isfinite(each))
            add_distinct(d, each, ns[first] / iterations[first]);
    }
}

/* Of a clock coarser than the digits that its times were printed with: of ten times or more each comes three times, on average, and they differ within a
 * side, as those of a fine clock do not. The least distance of two that differ is such a step, or several. 0: none is seen, also where all are alike. */
static double step_of_clock(const struct distinct *d)
{
    enum { ENOUGH = 10, TIMES = 3 };
    const bool seen = d->all >= ENOUGH && d->n > 1 && d->n <= DISTINCT_MOST && TIMES * d->n <= d->all;
    return seen && d->varies && isfinite(d->apart) ? d->apart : 0;
}

/* Times and rates are measured, and rounded where they are printed; another number without a fraction may be a count. */
struct printed printed_values(const struct metric *metric, bool as_text, double step, const struct values *reference,
                              const struct values *subject)
{
    const bool size = !strcmp(metric->unit, "bytes");
    struct printed p = {step, least_of(reference), least_of(subject)};
    const double least = fmin(p.one, p.other);
    const bool no_time = metric->kind == METRIC_TIME && isnan(least); /* whatever ran took some */
    if (isnan(step) && !metric->definition && (!as_text || size) && !no_time)
        return (struct printed){0, NAN, NAN};
    if (!isnan(step)) {
        p.step = step <= least * FEW_DIGITS ? 0 : step;
        return p;
    }
    p.step = 0;
    const bool measured = !strcmp(metric->unit, "ns") || !strcmp(metric->unit, "Hz") || strstr(metric->unit, "/s");
    if (isnan(least) && !measured)
        return p;
    if (size) {
        p.step = step_of_size(&p, reference, subject);
        return p;
    }
    p.step = isnan(least) ? INFINITY : pow(10, floor(log10(least) + 1e-9));
    if (!measured)
        p.step = fmin(p.step, 1);
    if (isnan(least))
        return p; /* only zeros: nobody knows of how many digits */
    take_step(&p, reference, least * FEW_DIGITS);
    take_step(&p, subject, least * FEW_DIGITS);
    if (p.step <= least * FEW_DIGITS || (!measured && p.step == 1))
        p.step = 0;
    if (as_text && !strcmp(metric->unit, "ns")) {
        struct distinct d = {.apart = INFINITY};
        add_values(&d, reference);
        add_values(&d, subject);
        p.step = fmax(p.step, step_of_clock(&d));
    }
    return p;
}

bool printed_open(const struct printed *p, enum metric_kind kind, struct tare_interval *i)
{
    const double half = p->step / 2, x = half / p->one, y = half / p->other;
    const bool difference = kind == METRIC_COUNT;
    if (!(p->step > 0) || (i->high - i->low) * (difference ? 1 : fmin(p->one, p->other)) >= p->step)
        return false;
    if (!difference && !(x < 1 && y < 1)) { /* either may be 0 */
        i->low = -INFINITY;
        i->high = INFINITY;
        return true;
    }
    i->low += difference ? -p->step : log1p(-y) - log1p(x);
    i->high += difference ? p->step : log1p(y) - log1p(-x);
    const double rounding = isfinite(i->high - i->low) ? 1e-9 * (i->high - i->low) : 0; /* of values that are one step apart */
    i->low = fabs(i->low) < rounding ? 0 : i->low;
    i->high = fabs(i->high) < rounding ? 0 : i->high;
    return true;
}

/* A program printed these times, or took them with a clock of its own, which may be coarser than their digits. */
static bool has_unknown_clock(const struct series *s, const struct metric *metric)
{
    char room[NULL_COLUMN_BYTES];
    const bool own = !strcmp(metric->id, "ns") && s->main.n && series_has_own_clock(s, 0);
    return !strcmp(metric->unit, "ns") && (own || series_values(s, step_column(metric->id, room)));
}

double printed_step(const struct series *reference, const struct series *subject, const struct metric *metric)
{
    const double one = series_step(reference, metric->id), other = series_step(subject, metric->id);
    if (!has_unknown_clock(reference, metric) || !has_unknown_clock(subject, metric))
        return isnan(one + other) ? NAN : fmax(one, other);
    struct distinct d = {.apart = INFINITY};
    add_times(&d, reference, metric);
    add_times(&d, subject, metric);
    const double shown = step_of_clock(&d), step = fmax(one, other); /* NaN: all times of that side are alike */
    return shown > 0 ? fmax(step, shown) : step;
}

const char *printed_reason(const struct record *r, const struct series *reference, const struct series *subject,
                           const struct metric *metric)
{
    if (metric_is_cpu_time(metric->id) && !record_source(r))
        return "the system counts CPU time in steps that hide such a difference; use --metric wall or a longer command";
    const double one = series_step(reference, metric->id), other = series_step(subject, metric->id);
    const struct series *coarser = isnan(one) || other > one ? subject : reference;
    if (isnan(series_reading_step(coarser, metric->id)))
        return strcmp(metric->unit, "ns")
                   ? "the program prints its values in steps that hide such a difference; let it print more digits"
                   : "the program's times are in steps that hide such a difference; let it print more digits, or use a finer "
                     "clock";
    if (facts_find(&r->build, "gate_phase")) /* which does not take the options */
        return "the steps of the clock hide such a difference of single calls";
    if (r->rule.profile == PROFILE_STEADY && series_has_own_clock(coarser, 0))
        return "the steps of the program's own clock hide such a difference; use longer samples (--sample-time)";
    return r->rule.profile == PROFILE_STEADY
               ? "the steps of the clock hide such a difference in samples of one iteration; raise --iterations"
               : "the steps of the clock hide such a difference of single calls; --profile steady measures many";
}

bool printed_open_series(const struct series *reference, const struct series *subject, const struct metric *metric,
                         enum metric_kind kind, struct tare_interval *i)
{
    const struct values x = {series_values(reference, metric->id), reference->main.n},
                        y = {series_values(subject, metric->id), subject->main.n};
    if (!x.x || !y.x)
        return false;
    const struct printed printed = printed_values(metric, metric->definition, printed_step(reference, subject, metric), &x, &y);
    return printed_open(&printed, kind, i);
}

enum verdict verdict_of(double low, double high, double limit, bool is_time)
{
    const bool equal = low == 0 && high == 0; /* in every round: within any margin, also where none can be had */
    if (equal || (-limit < low && high < limit))
        return VERDICT_SAME;
    if (low > 0)
        return is_time ? VERDICT_SLOWER : VERDICT_HIGHER;
    if (high < 0)
        return is_time ? VERDICT_FASTER : VERDICT_LOWER;
    return VERDICT_UNDECIDED;
}

void comparison_judge(struct comparison *c, const struct metric *metric)
{
    const double limit = comparison_limit(c);
    c->sign_proven = c->low > 0 || c->high < 0;
    c->beyond_margin = c->low >= limit || c->high <= -limit;
    c->verdict = verdict_of(c->low, c->high, isnan(limit) ? 0 : limit, metric->kind == METRIC_TIME);
    if (isnan(limit) && c->verdict == VERDICT_UNDECIDED)
        c->reason = "the reference's median is 0: give an absolute --margin";
    bool lower_wins = metric->direction == METRIC_LOWER;
    if (c->sign_proven && metric->direction != METRIC_NEUTRAL)
        c->better = (c->high < 0) == lower_wins ? c->subject : c->reference;
}

void comparison_conclude(struct comparison *c, const struct metric *metric, const struct tare_interval *i)
{
    c->shift = i->point;
    c->low = i->low;
    c->high = i->high;
    if (metric)
        comparison_judge(c, metric);
}

struct look look_at_most(struct look look, int rounds)
{
    if (look.rounds > rounds)
        look.rounds = rounds;
    return look.rounds < 1 ? (struct look){0} : look;
}

struct look look_of_subject(const struct record *r, int subject, const struct look *look)
{
    const struct own_look *own = &r->series[subject].look;
    return look_at_most(subject_left(r, subject) ? (struct look){own->number, own->rounds, own->level, own->share} : *look,
                        record_rounds(r, &subject, 1));
}

double level_at_look(const struct rule *rule, int look, double alpha)
{
    double spent[LOOKS_MAX], level = alpha;
    for (int i = 0; rule->spending > 0 && i < look; i++)
        spent[i] = tare_spending(TARE_SPEND_POWER, rule->spending, rule->look_share[i], alpha);
    if (rule->spending > 0)
        tare_looks_spent(rule->look_at, spent, look, &level);
    else
        tare_looks_level(rule->look_at, rule->n_looks, alpha, &level);
    return level;
}

int comparison_rounds_at_end(const struct record *r, const struct comparison *c)
{
    const struct rule *rule = &r->rule;
    int planned = c->share > 0 ? (int)fmin(c->rounds / c->share, 1e9) : rule->n_looks ? rule->look_at[rule->n_looks - 1] : 0;
    return planned > c->rounds ? planned : c->rounds;
}

struct outlook analyse_outlook(const struct record *r, const struct comparison *c)
{
    struct outlook o = {.half_width = NAN, .rounds = NAN};
    double half = (c->high - c->low) / 2, limit = comparison_limit(c);
    if (!isfinite(half) || !c->look || !(limit > 0))
        return o;
    o.rounds_planned = comparison_rounds_at_end(r, c);
    o.half_width = half * sqrt((double)c->rounds / o.rounds_planned);
    o.rounds = ceil(c->rounds * (half / limit) * (half / limit));
    o.futile = c->verdict == VERDICT_UNDECIDED && o.half_width > limit && o.half_width > fabs(c->shift);
    return o;
}

/* What the p values of each look are held against when alpha may be spent in all; computed when first asked for, which takes up to milliseconds. */
struct shared_levels {
    const struct rule *rule;
    double alpha, of_look[LOOKS_MAX + 1]; /* NaN: not yet known */
};

static struct shared_levels levels_for(const struct rule *rule, double alpha)
{
    struct shared_levels l = {.rule = rule, .alpha = alpha};
    for (int i = 0; i <= LOOKS_MAX; i++)
        l.of_look[i] = NAN;
    return l;
}

/* The level lies between what this look adds to the error and alpha, and few p values do. */
static bool passes(struct shared_levels *l, const struct comparison *c)
{
    const struct rule *rule = l->rule;
    const bool looks = c->look > 0 && c->look <= rule->n_looks && (rule->spending > 0 || rule->n_looks > 1);
    const double least = !looks ? l->alpha : rule->spending > 0 ? 0 : l->alpha / rule->n_looks;
    double level = l->alpha;
    if (c->p > least && c->p <= l->alpha) {
        double *known = &l->of_look[c->look];
        level = *known = isnan(*known) ? level_at_look(rule, c->look, l->alpha) : *known;
    }
    return c->p <= level * (1 + 1e-9);
}

static int count_passing(const struct record *r, int first, struct shared_levels *l)
{
    int n = 0;
    for (int i = first; i < r->n_comparisons; i++)
        n += passes(l, &r->comparisons[i]);
    return n;
}

/* What a p value may be for the m comparisons, as if it were the only one. By Benjamini and Hochberg the largest alpha k/m that at least k of them pass;
 * by Holm alpha / (m - k), where k is how many pass a smaller one. No order of the p values is needed, for the looks may differ. */
static struct shared_levels surviving(const struct record *r, int first, int m)
{
    const double alpha = 1 - r->rule.confidence;
    struct shared_levels l = levels_for(&r->rule, alpha);
    const bool holm = r->rule.correction == CORRECTION_HOLM;
    for (int k = holm ? 0 : m, n;; k = n) {
        l = levels_for(&r->rule, holm ? alpha / (m - k) : alpha * k / m);
        n = count_passing(r, first, &l);
        if (holm ? n <= k || n == m : n >= k)
            return l;
    }
}

/* Of all its runs; unbounded where it is not known. */
static struct tare_interval mean_of(const struct record *r, int subject, const char *metric)
{
    const struct estimate *runs = record_estimate(r, subject, metric, STATISTIC_OF_RUNS),
                          *e = runs ? runs : record_estimate(r, subject, metric, "mean");
    return e ? (struct tare_interval){.point = e->point, .low = e->low, .high = e->high}
             : (struct tare_interval){.point = NAN, .low = -INFINITY, .high = INFINITY};
}

bool comparison_means_worse(const struct record *r, const struct comparison *c, double share, double means[2])
{
    if (c->kind != METRIC_COUNT || c->arc || !isnan(c->mean_ratio))
        return false;
    const struct metric *m = record_metric(r, c->metric);
    const struct tare_interval x = mean_of(r, c->reference, c->metric), y = mean_of(r, c->subject, c->metric);
    const double worse = m && m->direction == METRIC_HIGHER ? x.point - y.point : y.point - x.point;
    const double noise = hypot((x.high - x.low) / 2, (y.high - y.low) / 2), far = fabs(x.point) / 2;
    means[0] = x.point;
    means[1] = y.point;
    return worse > 0 && worse >= share * fabs(x.point) && worse > fmin(noise, far);
}

static void take_back(struct record *r, struct comparison *c, int m)
{
    c->sign_proven = c->beyond_margin = false;
    c->better = -1;
    if (!verdict_differs(c->verdict))
        return;
    struct buf b = BUF_INIT(256);
    buf_format(&b, "its interval alone would say %s; as one of %d comparisons it is not proven (%s)", verdict_name(c->verdict), m,
               r->rule.correction == CORRECTION_BH ? "Benjamini-Hochberg" : "Holm");
    c->reason = keep_reason(&r->arena, &b);
    c->verdict = VERDICT_UNDECIDED;
}

void correct_for_many(struct record *r, int first)
{
    int m = 0;
    for (int i = first; i < r->n_comparisons; i++)
        m += !isnan(r->comparisons[i].p);
    if (!record_kind(r)->many || r->rule.correction == CORRECTION_NONE || m < 2)
        return;
    struct shared_levels l = surviving(r, first, m);
    for (int i = first; i < r->n_comparisons; i++)
        if (!isnan(r->comparisons[i].p) && !passes(&l, &r->comparisons[i]))
            take_back(r, &r->comparisons[i], m);
}
