/* SPDX-License-Identifier: MIT
 *
 * A against B: both ran in every round, in an order drawn by a coin, so d_i = ln(t_i / t_ref,i) are paired differences from
 * which drift and whatever the two runs of a round share have cancelled, and whose signs are fair coins when nothing differs.
 * Estimator Hodges-Lehmann of d, interval by the inverted signed-rank test at the look's level (tare_hl_ci_walsh), mean ratio
 * by Fieller beside it. Counts and values that are not all positive are compared by difference. Core cycles of benchmarks are
 * compared with one exponent for both (processes.c).
 * Smallest n with an interval: 6 at a level of 0.05. Coverage away from "equal" assumes d nearly symmetric.
 *
 * Where neighbouring d are alike every interval is widened (dependence.c); p is the level at which the widened one ends at 0.
 *
 * Geometric mean of the ratios of one program: a summary for the eye. It has no interval, for benchmarks are no sample of anything.
 *
 * Commands that did not share rounds (block order, --method georges). Drift between the blocks is indistinguishable from a
 * difference, so there is no verdict; the ratio of the typical times stands there as what it is, and whether the intervals overlap.
 */
#include "compare.h"
#include "comparable.h"
#include "dependence.h"
#include "estimates.h"
#include "processes.h"
#include "record_arcs.h"
#include "record_kind.h"
#include "stats_beyond.h"
#include "verdict.h"
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

static bool any_missing(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (isnan(x[i]))
            return true;
    return false;
}

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
        c->slot_effect = i.point + 0.0; /* of -0 it makes 0 */
    tare_signed_rank_test(p->d, p->n, p->hl, &v, &c->slot_p);
}

enum { FEWEST_LOOKED = 6 };

void compare_set_widened(struct comparison *c, double inflation, double df, double df_independent)
{
    c->effective_rounds = c->rounds / inflation;
    c->widened = dependence_widening(c->level, inflation, df, df_independent);
}

static void measure_dependence(const struct pairing *p, struct comparison *c)
{
    double factor;
    const double m = dependence_of_rounds(p->d, p->n, c->level, p->hl, &factor);
    if (!(m < p->n))
        return;
    c->effective_rounds = m;
    c->widened = factor;
}

void compare_widen(const struct comparison *c, struct tare_interval *i)
{
    dependence_widen(i, c->widened > 0 ? c->widened : 1);
}

/* By signed ranks; of a widened interval the level at which it ends at 0. */
static double p_value(const struct pairing *p, const struct comparison *c, const struct tare_interval *i)
{
    double v, of_independent;
    tare_signed_rank_test(p->d, p->n, p->hl, &v, &of_independent);
    const double side = i->point > 0 ? i->point - i->low : i->high - i->point;
    if (!(c->widened > 0) || !(side > 0))
        return of_independent;
    const double t = fabs(i->point) / side * tare_student_quantile(c->level / 2, c->effective_rounds - 1);
    return fmax(2 * tare_student_cdf(t, c->effective_rounds - 1), of_independent);
}

static void mean_ratio(const struct pairing *p, struct comparison *c)
{
    struct tare_interval i;
    if (tare_ratio_ci_fieller(p->x, p->y, p->n, c->level, &i))
        return;
    compare_widen(c, &i);
    c->mean_ratio = i.point;
    c->mean_low = i.low;
    c->mean_high = i.high;
}

/* On the scale of c->kind; *opened: by the steps in which a program prints. False: there is none, and c says why. */
static bool interval_of(struct pairing *p, struct comparison *c, const struct metric *metric, struct tare_interval *i,
                        bool *opened)
{
    struct printed printed = {0, NAN, NAN}; /* means of arcs were not printed */
    if (p->subject)
        printed = printed_values(metric, metric->definition, printed_step(p->reference, p->subject, metric),
                                 &(struct values){p->x, p->n}, &(struct values){p->y, p->n});
    for (int k = 0; k < p->n; k++)
        p->d[k] = c->kind == METRIC_COUNT ? p->y[k] - p->x[k] : log(p->y[k] / p->x[k]);
    if (tare_hl_ci_walsh(p->d, p->n, c->level, p->hl, i)) {
        c->reason = "no interval could be computed";
        return false;
    }
    measure_dependence(p, c);
    compare_widen(c, i);
    *opened = printed_open(&printed, c->kind, i);
    return true;
}

static void compare_values(struct pairing *p, struct comparison *c, const struct metric *metric, int comparisons)
{
    struct tare_interval i;
    bool opened;
    comparison_scale(c, &p->r->rule, metric, &(struct values){p->x, p->n}, &(struct values){p->y, p->n}, p->d);
    if (!interval_of(p, c, metric, &i, &opened))
        return;
    comparison_conclude(c, metric, &i);
    if (c->verdict == VERDICT_UNDECIDED) {
        c->rounds_needed = opened ? INFINITY : project_rounds(c, comparison_limit(c), comparisons);
        c->reason = opened ? printed_reason(p->r, p->reference, p->subject, metric) : c->reason;
    }
    if (record_kind(p->r)->many) /* where many are compared their p values are */
        c->p = p_value(p, c, &i);
    if (all_positive(p->x, p->n) && all_positive(p->y, p->n))
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

/* Too many runs of one command have no value: why there is no verdict; NULL: few enough. */
static const char *too_many_nulls(struct record *r, int subject, const struct metric *metric, int n)
{
    const char *why;
    int nulls = record_nulls(&r->series[subject], metric->id, n, &why);
    int asked = record_asked(&r->series[subject], metric->id, n);
    if (nulls <= OWN_NULL_SHARE * asked)
        return NULL;
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "%s has no value in %d of %d runs of '%s': %s", metric->id, nulls, asked, r->subjects[subject].name, why);
    return keep_reason(&r->arena, &b);
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

static bool refuse_comparison(struct comparison *c, const char *why)
{
    *c = comparison_invalid(*c, why);
    return false;
}

/* The values of the look's rounds. False: there are none to compare, and *c says why. */
static bool pair_up(struct pairing *p, struct comparison *c, struct record *r, const struct metric *metric,
                    const struct look *look, void *scratch)
{
    *p = (struct pairing){
        .r = r, .reference = &r->series[c->reference], .subject = &r->series[c->subject], .n = look->rounds, .d = scratch};
    bool measured = series_column(p->reference, r->rule.metric) >= 0 && series_column(p->subject, r->rule.metric) >= 0;
    c->kind = metric ? metric->kind : METRIC_TIME;
    if (!metric || !measured || !look->number) {
        const int both[2] = {c->reference, c->subject};
        c->reason = !metric || !measured                         ? "the metric was not measured"
                    : record_rounds(r, both, 2) >= FEWEST_LOOKED ? "no interim analysis was made"
                                                                 : "too few rounds for an interim analysis";
        return false;
    }
    p->hl = p->d + 6 * look->rounds;
    if (!choose_values(p, c->reference, c->subject, metric, p->d + 4 * look->rounds))
        return refuse_comparison(c, "no memory for its core cycles");
    if (series_has_nulls(p->reference, metric->id) || series_has_nulls(p->subject, metric->id)) {
        const char *why = too_many_nulls(r, c->reference, metric, p->n);
        if (!why)
            why = too_many_nulls(r, c->subject, metric, p->n);
        if (why)
            return refuse_comparison(c, why);
        p->row = (int *)(void *)(p->d + 3 * look->rounds);
        leave_nulls_out(p, p->d + look->rounds);
        c->rounds = p->n;
    }
    if (any_missing(p->x, p->n) || any_missing(p->y, p->n))
        return refuse_comparison(c, "the metric was not measurable in at least one run");
    return true;
}

static struct comparison compare_pair(struct record *r, int reference, int subject, const struct look *look, int comparisons,
                                      void *scratch)
{
    struct comparison c = comparison_undecided(r, reference, subject, look);
    const struct metric *metric = record_metric(r, r->rule.metric);
    struct pairing p;
    if (!pair_up(&p, &c, r, metric, look, scratch))
        return c;
    compare_values(&p, &c, metric, comparisons);
    const char *why = other_work(r, reference, subject, look->rounds);
    return why ? comparison_invalid(c, why) : c;
}

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
    const struct estimate e = estimate_point(subject, r->rule.metric, "geometric_mean_ratio", "over the benchmarks, a summary",
                                             tare_geometric_mean(ratios, n), n);
    return n < 2 || record_add_estimate(r, &e) >= 0 ? TARE_OK : TARE_NO_MEMORY;
}

static enum tare_status summarise_programs(struct record *r, int first)
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
    if (r->subjects[subject].kind != SUBJECT_BENCH && !r->subjects[subject].anchor)
        reference = contains(subjects, n_subjects, r->rule.reference) ? r->rule.reference : subjects[0];
    return reference != subject && reference >= 0 && contains(subjects, n_subjects, reference) ? reference : -1;
}

/* A reference has the rounds of all that are compared with it, but for a file that lost some. */
static struct look look_of_pair(const struct record *r, int reference, int subject, const struct look *of_group)
{
    return look_at_most(look_of_subject(r, subject, of_group), record_rounds(r, &reference, 1));
}

/* exp, and unbounded where x is. */
static double ratio_of(double x)
{
    return isinf(x) ? x : exp(x);
}

/* Always a ratio, of counts and under an absolute margin too. *why: there is none. */
static struct tare_interval ratio_to_anchor(struct record *r, struct comparison *c, const struct look *look, void *scratch,
                                            const char **why)
{
    const struct metric *metric = record_metric(r, r->rule.metric);
    struct tare_interval i = {.point = NAN, .low = -INFINITY, .high = INFINITY};
    struct pairing p;
    bool opened;
    if (pair_up(&p, c, r, metric, look, scratch)) {
        c->kind = METRIC_TIME;
        c->reason = other_work(r, c->reference, c->subject, look->rounds);
        if (!all_positive(p.x, p.n) || !all_positive(p.y, p.n))
            c->reason = "not all values are above 0";
        else if (!c->reason && interval_of(&p, c, metric, &i, &opened))
            i = (struct tare_interval){.point = exp(i.point), .low = ratio_of(i.low), .high = ratio_of(i.high)};
    }
    *why = c->reason;
    return i;
}

/* Of the deciding metric, by the same pairs, estimator and interval as a comparison. It is no verdict: nothing is decided by it. */
static enum tare_status add_ratio_to_anchor(struct record *r, int subject, const struct look *of_group, void *scratch)
{
    const struct look its = look_of_pair(r, record_anchor(r, subject), subject, of_group), *look = &its;
    struct comparison c = comparison_undecided(r, record_anchor(r, subject), subject, look);
    const char *why;
    const struct tare_interval i = ratio_to_anchor(r, &c, look, scratch, &why);
    struct estimate e =
        estimate_point(subject, r->rule.metric, STATISTIC_OF_ANCHOR, "Hodges-Lehmann of paired log ratios", i.point, c.rounds);
    if (look->number)
        e = estimate_bounded(e, &i, c.confidence, c.level);
    e.n_effective = c.effective_rounds > 0 ? c.effective_rounds : NAN;
    e.reason = why ? why : isfinite(i.low) && isfinite(i.high) ? NULL : "too few rounds for an interval";
    return record_add_estimate(r, &e) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

enum tare_status compare_to_anchor(struct record *r, const int *subjects, int n_subjects, const struct look *look, void *scratch)
{
    for (int i = 0; i < n_subjects; i++)
        if (contains(subjects, n_subjects, record_anchor(r, subjects[i])) && add_ratio_to_anchor(r, subjects[i], look, scratch))
            return TARE_NO_MEMORY;
    return TARE_OK;
}

enum tare_status compare_group(struct record *r, const int *subjects, int n_subjects, const struct look *look, void *scratch)
{
    int first = r->n_comparisons, sharing = record_kind(r)->processes ? 1 : n_subjects - 1 - record_anchors(r);
    for (int i = 0; i < n_subjects; i++) {
        int reference = reference_of(r, subjects, n_subjects, subjects[i]);
        if (reference < 0)
            continue;
        const struct look its = look_of_pair(r, reference, subjects[i], look);
        struct comparison c = compare_pair(r, reference, subjects[i], &its, sharing, scratch);
        if (record_add_comparison(r, &c) < 0)
            return TARE_NO_MEMORY;
    }
    return compare_together(r, first);
}

enum tare_status compare_together(struct record *r, int first)
{
    correct_for_many(r, first);
    return summarise_programs(r, first);
}

static const char *explain(struct record *r, const struct estimate *a, const struct estimate *b, const char *why)
{
    bool both = isfinite(a->high - a->low) && isfinite(b->high - b->low);
    struct buf text = BUF_INIT(512);
    buf_format(&text, "%s; the intervals of the %ss %s", why, a->statistic,
               !both                                    ? "are not both known"
               : a->low <= b->high && b->low <= a->high ? "overlap"
                                                        : "do not overlap");
    return keep_reason(&r->arena, &text);
}

static struct comparison side_by_side(struct record *r, int subject, const struct estimate *a, const struct estimate *b,
                                      const char *why)
{
    const struct look none = {.rounds = a->n < b->n ? a->n : b->n};
    struct comparison c = comparison_undecided(r, r->rule.reference, subject, &none);
    const struct metric *metric = record_metric(r, r->rule.metric);
    bool difference = !metric || metric->kind == METRIC_COUNT || !(a->point > 0 && b->point > 0);
    c.kind = difference ? METRIC_COUNT : metric->kind;
    c.shift = difference ? b->point - a->point : log(b->point / a->point);
    c.verdict = VERDICT_NONE;
    c.reason = explain(r, a, b, why);
    return c;
}

enum tare_status analyse_side_by_side(struct record *r, const char *why, struct tare_err *err)
{
    const char *statistic = r->rule.method == METHOD_GEORGES ? "mean" : "median";
    const struct estimate *a = record_estimate(r, r->rule.reference, r->rule.metric, statistic);
    for (int i = 0; i < r->n_subjects; i++) {
        const struct estimate *b = record_estimate(r, i, r->rule.metric, statistic);
        if (record_kind(r)->processes || i == r->rule.reference || !subject_compared(&r->subjects[i]) || !a || !b)
            continue;
        struct estimate first = *a, second = *b; /* adding may move the array */
        struct comparison c = side_by_side(r, i, &first, &second, why);
        if (record_add_comparison(r, &c) < 0)
            return err_no_memory(err);
    }
    return scan_side_by_side(r, statistic, why) ? err_no_memory(err) : TARE_OK;
}
