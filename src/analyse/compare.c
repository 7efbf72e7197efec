/* SPDX-License-Identifier: MIT
 *
 * A against B: both ran in every round, in an order drawn by a coin, so d_i = ln(t_i / t_ref,i) are paired differences from
 * which drift and whatever the two runs of a round share have cancelled, and whose signs are fair coins when nothing differs.
 * Estimator Hodges-Lehmann of d, interval by the inverted signed-rank test at the look's level (tare_hl_ci_walsh), mean ratio
 * by Fieller beside it. Counts and values that are not all positive are compared by difference. Core cycles of benchmarks are
 * compared with one exponent for both (processes.c).
 * Smallest n with an interval: 6 at a level of 0.05. Coverage away from "equal" assumes d nearly symmetric.
 *
 * Many comparisons in one session: of a hundred pairs that are equal at 5 % each, five would be called different.
 *
 * Correction: over the signed-rank p values of one look, by Benjamini and Hochberg (1995: of the words given at most a share alpha is false) or
 * Holm (1979: the chance of any false word is at most alpha). Both hold a p value against a fraction of alpha: a i/m, a/(m-i+1). Looks
 * spend that fraction as they would spend alpha: the p value is held against their level for it, so that one
 * comparison alone is treated as everywhere. Levels are nested in alpha, so that who passes at one passes at each looser one. Only words of difference can be taken back; `same` is a statement about an
 * interval and needs no correction. The intervals stay those of each comparison.
 * Geometric mean of the ratios of one program: a summary for the eye. It has no interval, for benchmarks are no sample of anything.
 */
#include "compare.h"
#include "benchmarks.h"
#include "buf.h"
#include "processes.h"
#include "record_arcs.h"
#include "record_kind.h"
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

struct pairing {
    const struct record *r;
    const struct series *reference, *subject;
    const double *x, *y; /* reference and subject */
    int n;
    double *d; /* scratch, n */
    int *row;  /* of each pair; NULL: all rows are there, in their order */
    void *hl;  /* scratch of tare_hl_ci_walsh, also tare_signed_rank_test */
};

size_t compare_scratch_bytes(int rounds)
{
    return (size_t)rounds * sizeof(double) * 6 + tare_hl_scratch_bytes(rounds) + 64;
}

/* ---- scale: ln ratio or difference ---- */

static bool all_positive(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!(x[i] > 0))
            return false;
    return true;
}

static bool any_missing(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (isnan(x[i]))
            return true;
    return false;
}

static bool by_difference(const struct pairing *p, const struct metric *metric)
{
    return metric->kind == METRIC_COUNT || p->r->rule.margin_unit || !all_positive(p->x, p->n) || !all_positive(p->y, p->n);
}

double compare_median(const double *x, int n, double *scratch)
{
    memmove(scratch, x, (size_t)n * sizeof *x);
    tare_sort(scratch, n);
    return tare_quantile_sorted(scratch, n, 0.5);
}

static void fill_differences(const struct pairing *p, bool difference)
{
    for (int i = 0; i < p->n; i++)
        p->d[i] = difference ? p->y[i] - p->x[i] : log(p->y[i] / p->x[i]);
}

/* The margin on the scale of d; NaN: none can be had. */
static double margin_on_scale(const struct pairing *p, bool difference)
{
    const struct rule *rule = &p->r->rule;
    if (!difference)
        return log1p(rule->margin);
    if (rule->margin_unit)
        return rule->margin;
    double median = fabs(compare_median(p->x, p->n, p->d));
    return median > 0 ? median * rule->margin : NAN;
}

/* ---- words ---- */

enum verdict verdict_of(double low, double high, double limit, bool is_time)
{
    if (-limit < low && high < limit)
        return VERDICT_SAME;
    if (low > 0)
        return is_time ? VERDICT_SLOWER : VERDICT_HIGHER;
    if (high < 0)
        return is_time ? VERDICT_FASTER : VERDICT_LOWER;
    return VERDICT_UNDECIDED;
}

void comparison_judge(struct comparison *c, const struct metric *metric, double limit)
{
    c->sign_proven = c->low > 0 || c->high < 0;
    c->beyond_margin = c->low >= limit || c->high <= -limit;
    c->verdict = verdict_of(c->low, c->high, isnan(limit) ? 0 : limit, metric->kind == METRIC_TIME);
    if (c->low == 0 && c->high == 0)
        c->verdict = VERDICT_SAME; /* equal in every round: within any margin, also where none can be had */
    if (isnan(limit) && c->verdict == VERDICT_UNDECIDED)
        c->reason = "the reference's median is 0: give an absolute --margin";
    bool lower_wins = metric->direction == METRIC_LOWER;
    if (c->sign_proven && metric->direction != METRIC_NEUTRAL)
        c->better = (c->high < 0) == lower_wins ? c->subject : c->reference;
}

/* ---- what more rounds would bring ---- */

/* Rounds of a session with one look (-r) that would give a word nine times in ten, were the shift what it seems: the interval
 * narrows with the square root of n, and its half-width plus the shift's own scatter, 1.28 standard errors, must stay below |shift|
 * (a sign) or below limit - |shift| (same), whichever is nearer. */
static double project_rounds(const struct comparison *c, double limit, int comparisons)
{
    double shift = fabs(c->shift), half = (c->high - c->low) / 2;
    double wanted = fmax(shift, isnan(limit) ? 0 : limit - shift);
    double z_now = tare_normal_quantile(1 - c->level / 2),
           z_then = tare_normal_quantile(1 - (1 - c->confidence) / comparisons / 2);
    double factor = half / wanted * (z_then + tare_normal_quantile(0.9)) / z_now;
    return wanted > 0 && isfinite(factor) ? ceil(fmax(c->rounds * factor * factor, c->rounds + 1)) : NAN;
}

/* Second run of a round against the first, whichever command it was: what one run leaves behind for its neighbour. The
 * difference of the commands is taken out first: it would hide an effect smaller than itself. */
static void measure_slot_effect(const struct pairing *p, struct comparison *c)
{
    c->slot_effect = c->slot_p = NAN;
    if (c->kind == METRIC_COUNT)
        return;
    for (int i = 0; i < p->n; i++) {
        double d = log(p->y[i] / p->x[i]) - c->shift;
        int row = p->row ? p->row[i] : i;
        p->d[i] = p->subject->main.slot[row] > p->reference->main.slot[row] ? d : -d;
    }
    struct tare_interval i;
    double v;
    if (!tare_hl_ci_walsh(p->d, p->n, 0.05, p->hl, &i))
        c->slot_effect = i.point;
    tare_signed_rank_test(p->d, p->n, p->hl, &v, &c->slot_p);
}

/* ---- one comparison ---- */

static void mean_ratio(const struct pairing *p, struct comparison *c)
{
    struct tare_interval i;
    if (tare_ratio_ci_fieller(p->x, p->y, p->n, c->level, &i))
        return;
    c->mean_ratio = i.point;
    c->mean_low = i.low;
    c->mean_high = i.high;
}

static void compare_values(struct pairing *p, struct comparison *c, const struct metric *metric, int comparisons)
{
    bool difference = by_difference(p, metric);
    c->kind = difference ? METRIC_COUNT : metric->kind;
    double limit = margin_on_scale(p, difference);
    if (difference)
        c->margin = limit;
    fill_differences(p, difference);
    struct tare_interval i;
    if (tare_hl_ci_walsh(p->d, p->n, c->level, p->hl, &i)) {
        c->reason = "no interval could be computed";
        return;
    }
    c->shift = i.point;
    c->low = i.low;
    c->high = i.high;
    comparison_judge(c, metric, limit);
    if (c->verdict == VERDICT_UNDECIDED)
        c->rounds_needed = project_rounds(c, limit, comparisons);
    double v;
    if (record_kind(p->r)->many) /* where many are compared their p values are */
        tare_signed_rank_test(p->d, p->n, p->hl, &v, &c->p);
    if (!difference)
        mean_ratio(p, c);
    if (comparisons == 1 && p->subject)
        measure_slot_effect(p, c);
}

void compare_pairs(const struct record *r, struct comparison *c, const struct metric *metric, const double *x, const double *y,
                   int n, void *scratch)
{
    struct pairing p = {.r = r, .x = x, .y = y, .n = n, .d = scratch};
    p.hl = p.d + 4 * n;
    compare_values(&p, c, metric, 1);
}

/* ---- metrics that some runs lack ---- */

static const char *sentence(struct record *r, struct buf *b)
{
    const char *kept = arena_strdup(&r->arena, buf_text(b));
    buf_finish(b);
    return kept ? kept : "no memory for the reason";
}

/* Too many runs of one command have no value: why there is no word; NULL: few enough. */
static const char *too_many_nulls(struct record *r, int subject, const struct metric *metric, int n)
{
    const char *why;
    int nulls = record_nulls(&r->series[subject], metric->id, n, &why);
    int asked = record_asked(&r->series[subject], metric->id, n);
    if (nulls <= OWN_NULL_SHARE * asked)
        return NULL;
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "%s has no value in %d of %d runs of '%s': %s", metric->id, nulls, asked, r->subjects[subject].name, why);
    return sentence(r, &b);
}

/* Keeps the pairs in which both have a value. room: 2 n doubles. */
static void leave_nulls_out(struct pairing *p, double *room)
{
    double *x = room, *y = room + p->n;
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        if (isnan(p->x[i]) || isnan(p->y[i]))
            continue;
        x[n] = p->x[i];
        y[n] = p->y[i];
        p->row[n++] = i;
    }
    p->x = x;
    p->y = y;
    p->n = n;
}

/* ---- runs that did not do the same work ---- */

static const char *outputs_differ(struct record *r, int subject, int n)
{
    const struct series *s = &r->series[subject];
    int one, other;
    if (!record_outputs_differ(s, n, &one, &other))
        return NULL;
    struct buf b = BUF_INIT(1 << 16);
    const double *hash = series_values(s, OUTPUT_COLUMN);
    if (isnan(hash[one]) || isnan(hash[other]))
        buf_format(&b, "standard output of '%s' is more than is kept, so that it cannot be compared", r->subjects[subject].name);
    else
        buf_format(&b, "standard output of '%s' differs between its runs %d and %d", r->subjects[subject].name,
                   s->main.round[one] + 1, s->main.round[other] + 1);
    return sentence(r, &b);
}

bool outcomes_differ(const struct series *a, const struct series *b, int n)
{
    const double *x = series_values(a, "exit"), *y = series_values(b, "exit");
    for (int i = 0; x && y && i < n; i++)
        if ((x[i] == 0) != (y[i] == 0))
            return true;
    return false;
}

/* No round ties them together: all must have ended alike. */
static bool unpaired_outcomes_differ(const struct series *a, int n, const struct series *b, int m)
{
    const double *x = series_values(a, "exit"), *y = series_values(b, "exit");
    for (int i = 0; x && y && i < n; i++)
        if ((x[i] == 0) != (x[0] == 0))
            return true;
    for (int i = 0; x && y && n && i < m; i++)
        if ((y[i] == 0) != (x[0] == 0))
            return true;
    return false;
}

static const char *given_up(struct record *r, int subject)
{
    const struct subject *s = &r->subjects[subject];
    if (!s->failure)
        return NULL;
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "'%s' was given up: %s", s->name, s->failure);
    return sentence(r, &b);
}

static const char *program_changed(struct record *r, int subject)
{
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "the program file of '%s' ", r->subjects[subject].name);
    if (record_other_program(&r->series[subject], &b))
        return sentence(r, &b);
    buf_finish(&b);
    return NULL;
}

/* How many of the processes reported times by a clock of their own (manual time), of whose step nothing is known. */
static int by_own_clock(const struct record *r, int subject, int n)
{
    const double *steps = series_values(&r->series[subject], "clock_step");
    const struct metric *metric = record_metric(r, r->rule.metric);
    int own = 0;
    for (int i = 0; steps && metric && metric->kind == METRIC_TIME && i < n; i++)
        own += isnan(steps[i]);
    return own;
}

const char *other_work(struct record *r, int reference, int subject, int rounds)
{
    const struct series *a = &r->series[reference], *b = &r->series[subject];
    const char *failure = given_up(r, subject);
    if (!failure)
        failure = given_up(r, reference);
    if (failure)
        return failure;
    const int n = rounds ? rounds : record_rounds(r, &reference, 1), m = rounds ? rounds : record_rounds(r, &subject, 1);
    if (rounds ? outcomes_differ(a, b, rounds) : unpaired_outcomes_differ(a, n, b, m))
        return "one command failed where the other did not";
    const int own = by_own_clock(r, reference, n), others = by_own_clock(r, subject, m);
    if ((own && own < n) || (others && others < m) || !own != !others)
        return "one reports its times itself (manual time), the other is timed";
    const char *changed = program_changed(r, reference);
    if (!changed)
        changed = program_changed(r, subject);
    if (changed)
        return changed;
    const char *outputs = outputs_differ(r, reference, n);
    return outputs ? outputs : outputs_differ(r, subject, m);
}

struct comparison comparison_without_word(const struct record *r, int reference, int subject, const struct look *look)
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

/* Where the metric is core cycles, those for a comparison. room: 2 n doubles. */
static bool choose_values(struct pairing *p, int reference, int subject, const struct metric *metric, double *room)
{
    p->x = series_values(p->reference, metric->id);
    p->y = series_values(p->subject, metric->id);
    bool known;
    if (strcmp(metric->id, "cycles") != 0 || p->r->subjects[subject].kind != SUBJECT_BENCH)
        return true;
    if (process_compared_cycles(p->r, reference, subject, p->n, room, room + p->n, &known))
        return false;
    if (known) {
        p->x = room;
        p->y = room + p->n;
    }
    return true;
}

static struct comparison compare_pair(struct record *r, int reference, int subject, const struct look *look, int comparisons,
                                      void *scratch)
{
    struct comparison c = comparison_without_word(r, reference, subject, look);
    const struct metric *metric = record_metric(r, r->rule.metric);
    struct pairing p = {.r = r, .reference = &r->series[reference], .subject = &r->series[subject], .n = look->rounds};
    bool measured = series_column(p.reference, r->rule.metric) >= 0 && series_column(p.subject, r->rule.metric) >= 0;
    c.kind = metric ? metric->kind : METRIC_TIME;
    if (!metric || !measured) {
        c.reason = "the metric was not measured";
        return c;
    }
    if (!look->number) {
        c.reason = "too few rounds for a look";
        return c;
    }
    p.d = scratch;
    p.hl = p.d + 6 * look->rounds;
    if (!choose_values(&p, reference, subject, metric, p.d + 4 * look->rounds))
        return comparison_invalid(c, "no memory for its core cycles");
    if (series_has_nulls(p.reference, metric->id) || series_has_nulls(p.subject, metric->id)) {
        const char *why = too_many_nulls(r, reference, metric, p.n);
        if (!why)
            why = too_many_nulls(r, subject, metric, p.n);
        if (why)
            return comparison_invalid(c, why);
        p.row = (int *)(void *)(p.d + 3 * look->rounds);
        leave_nulls_out(&p, p.d + look->rounds);
        c.rounds = p.n;
    }
    if (any_missing(p.x, p.n) || any_missing(p.y, p.n))
        return comparison_invalid(c, "the metric was not measurable in at least one run");
    compare_values(&p, &c, metric, comparisons);
    const char *why = other_work(r, reference, subject, look->rounds);
    return why ? comparison_invalid(c, why) : c;
}

static bool contains(const int *subjects, int n, int subject)
{
    for (int i = 0; i < n; i++)
        if (subjects[i] == subject)
            return true;
    return false;
}

/* The one that the subject is compared with, when it is in the group; for commands without it the first; -1: none. */
static int reference_of(const struct record *r, const int *subjects, int n_subjects, int subject)
{
    int reference = record_reference(r, subject);
    if (r->subjects[subject].kind != SUBJECT_BENCH)
        reference = contains(subjects, n_subjects, r->rule.reference) ? r->rule.reference : subjects[0];
    return reference != subject && reference >= 0 && contains(subjects, n_subjects, reference) ? reference : -1;
}

enum tare_status compare_group(struct record *r, const int *subjects, int n_subjects, const struct look *look, void *scratch)
{
    int first = r->n_comparisons, sharing = record_kind(r)->processes ? 1 : n_subjects - 1;
    for (int i = 0; i < n_subjects; i++) {
        int reference = reference_of(r, subjects, n_subjects, subjects[i]);
        if (reference < 0)
            continue;
        struct comparison c = compare_pair(r, reference, subjects[i], look, sharing, scratch);
        if (record_add_comparison(r, &c) < 0)
            return TARE_NO_MEMORY;
    }
    enum tare_status status = correct_for_many(r, first, look);
    return status ? status : summarise_programs(r, first);
}

/* ---- looks ---- */

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

/* ---- outlook ---- */

struct outlook analyse_outlook(const struct record *r, const struct comparison *c)
{
    struct outlook o = {.half_width = NAN, .rounds = NAN};
    double half = (c->high - c->low) / 2, limit = c->kind == METRIC_COUNT ? c->margin : log1p(c->margin);
    if (!isfinite(half) || !c->look || !(limit > 0))
        return o;
    o.rounds_planned = comparison_rounds_at_end(r, c);
    o.half_width = half * sqrt((double)c->rounds / o.rounds_planned);
    o.rounds = ceil(c->rounds * (half / limit) * (half / limit));
    o.futile = c->verdict == VERDICT_UNDECIDED && o.half_width > limit && o.half_width > fabs(c->shift);
    return o;
}

/* ---- many comparisons ---- */

struct ranked {
    double p;
    int index;
};

static int by_p(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->p < y->p ? -1 : x->p > y->p ? 1 : x->index - y->index;
}

/* Whether p is below what it is held against at this look, when alpha may be spent in all. The level takes up to milliseconds; it lies
 * between what this look adds to the error and alpha, and few p values do. */
static bool passes_at_look(const struct record *r, const struct look *look, double p, double alpha)
{
    const struct rule *rule = &r->rule;
    bool looks = look->number > 0 && look->number <= rule->n_looks && (rule->spending > 0 || rule->n_looks > 1);
    double least = !looks ? alpha : rule->spending > 0 ? 0 : alpha / rule->n_looks;
    return p <= (p > least && p <= alpha ? level_at_look(rule, look->number, alpha) : alpha) * (1 + 1e-9);
}

/* How many of the m sorted p values survive. */
static int survivors(const struct record *r, const struct look *look, const struct ranked *p, int m)
{
    double alpha = 1 - r->rule.confidence;
    int kept = 0;
    for (int i = 1; i <= m; i++) {
        double share = r->rule.correction == CORRECTION_BH ? alpha * i / m : alpha / (m - i + 1);
        bool passes = passes_at_look(r, look, p[i - 1].p, share);
        if (r->rule.correction == CORRECTION_HOLM && !passes)
            break;
        if (passes)
            kept = i;
    }
    return kept;
}

static bool is_word_of_difference(enum verdict v)
{
    return v == VERDICT_FASTER || v == VERDICT_SLOWER || v == VERDICT_LOWER || v == VERDICT_HIGHER;
}

static void take_back(struct record *r, struct comparison *c, int m)
{
    c->sign_proven = c->beyond_margin = false;
    c->better = -1;
    if (!is_word_of_difference(c->verdict))
        return;
    struct buf b = BUF_INIT(256);
    buf_format(&b, "its interval alone would say %s; as one of %d comparisons it is not proven (%s)", verdict_name(c->verdict), m,
               r->rule.correction == CORRECTION_BH ? "Benjamini-Hochberg" : "Holm");
    c->reason = arena_strdup(&r->arena, buf_text(&b));
    c->verdict = VERDICT_UNDECIDED;
    buf_finish(&b);
}

enum tare_status correct_for_many(struct record *r, int first, const struct look *look)
{
    int m = 0;
    if (!record_kind(r)->many || r->rule.correction == CORRECTION_NONE)
        return TARE_OK;
    struct ranked *p = malloc((size_t)(r->n_comparisons - first + 1) * sizeof *p);
    if (!p)
        return TARE_NO_MEMORY;
    for (int i = first; i < r->n_comparisons; i++)
        if (!isnan(r->comparisons[i].p))
            p[m++] = (struct ranked){r->comparisons[i].p, i};
    qsort(p, (size_t)m, sizeof *p, by_p);
    for (int i = m > 1 ? survivors(r, look, p, m) : m; i < m; i++)
        take_back(r, &r->comparisons[p[i].index], m);
    free(p);
    return TARE_OK;
}

/* ---- summary ---- */

static bool first_of_program(const struct record *r, int subject)
{
    for (int i = 0; i < subject; i++)
        if (r->subjects[i].kind == SUBJECT_BENCH && !strcmp(r->subjects[i].program, r->subjects[subject].program))
            return false;
    return r->subjects[subject].kind == SUBJECT_BENCH;
}

static enum tare_status summarise(struct record *r, int first, int subject, double *ratios)
{
    int n = 0;
    for (int i = first; i < r->n_comparisons; i++) {
        const struct comparison *c = &r->comparisons[i];
        bool counts = c->kind != METRIC_COUNT && !isnan(c->shift) && c->verdict != VERDICT_INVALID &&
                      !strcmp(r->subjects[c->subject].program, r->subjects[subject].program) &&
                      strcmp(r->subjects[c->reference].program, r->subjects[subject].program) != 0;
        if (counts)
            ratios[n++] = exp(c->shift);
    }
    const struct estimate e = {.subject = subject,
                               .metric = r->rule.metric,
                               .statistic = "geometric_mean_ratio",
                               .method = "over the benchmarks, a summary",
                               .point = tare_geometric_mean(ratios, n),
                               .low = -INFINITY,
                               .high = INFINITY,
                               .n = n,
                               .n_effective = NAN};
    return n < 2 || record_add_estimate(r, &e) >= 0 ? TARE_OK : TARE_NO_MEMORY;
}

enum tare_status summarise_programs(struct record *r, int first)
{
    if (!record_kind(r)->processes || r->n_comparisons - first < 2)
        return TARE_OK;
    double *ratios = malloc((size_t)(r->n_comparisons - first) * sizeof *ratios);
    enum tare_status status = ratios ? TARE_OK : TARE_NO_MEMORY;
    for (int i = 0; i < r->n_subjects && !status; i++)
        if (first_of_program(r, i))
            status = summarise(r, first, i, ratios);
    free(ratios);
    return status;
}
