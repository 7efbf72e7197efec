/* SPDX-License-Identifier: MIT
 * Definitions, estimator and its source: analyse_repetition.h.
 *
 * Traced programs: both sessions are put into one record, program by program, which says which arc is which (arc_matches) and how its mean changed: the
 * comparison of stored_arcs.c, with its formula and assumptions. Its words are held together over all arcs of all programs by
 * Benjamini and Hochberg's rule. Where the first session compared programs, its claims are the ratios of their arcs in interleaved
 * rounds, held against the new ones as those of benchmarks are, their intervals widened for so many (Bonferroni); what the arcs
 * of these pairs did by themselves is told and decides nothing.
 */
#include "analyse_repetition.h"
#include "analyse_stored.h"
#include "arcs.h"
#include "benchmarks.h"
#include "compare.h"
#include "record_arcs.h"
#include "record_kind.h"
#include "stored_arcs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

struct repeating {
    struct repetition *out;
    const struct record *then, *now;
    bool assume_no_drift;
    struct arena *a;
    struct tare_err *err;
};

#define REPEATED_DRIFT                                                                              \
    "it changed by more than chance, as it does where something drifted between the two sessions; " \
    "--assume-no-drift takes for granted that nothing did"

static enum tare_status no_memory(struct repeating *x)
{
    return err_set(x->err, TARE_NO_MEMORY, "no memory to compare the sessions");
}

/* ---- which is which ---- */

static bool claims(const struct record *r, int subject)
{
    return r->subjects[subject].kind == SUBJECT_COMMAND || r->subjects[subject].kind == SUBJECT_BENCH;
}

/* The same one in another session, -1: it is not there. Commands by their place, benchmarks by their names: programs change. */
static int same_in(const struct record *other, const struct record *r, int subject)
{
    const struct subject *s = &r->subjects[subject];
    if (s->kind != SUBJECT_BENCH)
        return subject < other->n_subjects ? subject : -1;
    for (int i = 0; i < other->n_subjects; i++)
        if (other->subjects[i].kind == SUBJECT_BENCH && !strcmp(other->subjects[i].name, s->name))
            return i;
    return -1;
}

static const char *given_up(const struct repeating *x, int now)
{
    struct buf b = BUF_INIT(1 << 12);
    buf_format(&b, "it was given up: %.1000s", x->now->subjects[now].failure);
    const char *kept = arena_strdup(x->a, buf_text(&b));
    buf_finish(&b);
    return kept ? kept : "it was given up";
}

/* ---- the change ---- */

bool analyse_shift_change(const struct repeated_side *then, const struct repeated_side *now, double *change, double *low,
                          double *high)
{
    *change = now->shift - then->shift;
    double down = hypot(now->shift - now->low, then->high - then->shift);
    double up = hypot(now->high - now->shift, then->shift - then->low);
    if (!isfinite(*change) || !isfinite(down) || !isfinite(up))
        return false;
    *low = *change - down;
    *high = *change + up;
    return true;
}

static bool compatible(const struct repeated *p, double limit)
{
    return (p->low <= 0 && p->high >= 0) || (p->low > -limit && p->high < limit);
}

/* ---- the words ---- */

/* -1, 0 or 1: which way it points, however little; *large: at least by the margin. */
static int direction(const struct comparison *c, bool *large)
{
    bool up = c->verdict == VERDICT_SLOWER || c->verdict == VERDICT_HIGHER;
    bool down = c->verdict == VERDICT_FASTER || c->verdict == VERDICT_LOWER;
    *large = (up || down) && c->beyond_margin;
    return up - down;
}

static bool contradict(const struct comparison *a, const struct comparison *b)
{
    bool a_large, b_large;
    int x = direction(a, &a_large), y = direction(b, &b_large);
    return x * y < 0 || (a->verdict == VERDICT_SAME && b_large) || (b->verdict == VERDICT_SAME && a_large);
}

static bool repeated_has_word(const struct comparison *c)
{
    return c && c->verdict != VERDICT_NONE && c->verdict != VERDICT_INVALID && c->verdict != VERDICT_NOT_COMPARABLE;
}

static struct repeated_side side_of(const struct comparison *c)
{
    return (struct repeated_side){c->verdict, c->shift, c->low, c->high, c->rounds};
}

/* Intervals of one comparison, made as wide as one of so many needs them. */
static struct repeated_side widened(struct repeated_side s, double factor)
{
    s.low = s.shift - (s.shift - s.low) * factor;
    s.high = s.shift + (s.high - s.shift) * factor;
    return s;
}

static int words_of(const struct record *r)
{
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++)
        n += claims(r, i) && repeated_has_word(record_comparison(r, i, r->rule.metric));
    return n;
}

static double repeated_factor(const struct record *r, int n)
{
    double alpha = 1 - r->rule.confidence;
    if (r->rule.correction == CORRECTION_NONE || n < 2)
        return 1;
    return tare_normal_quantile(1 - alpha / n / 2) / tare_normal_quantile(1 - alpha / 2);
}

/* The comparisons of commands share the confidence of their session; each of benchmarks has it alone, and their words are corrected. */
static double factor_for_many(const struct record *r)
{
    return record_kind(r)->processes ? repeated_factor(r, words_of(r)) : 1;
}

static void judge_words(struct repeating *x, struct repeated *p, const struct comparison *then, const struct comparison *now,
                        double factor)
{
    double limit = p->kind == METRIC_COUNT ? then->margin : log1p(then->margin);
    const struct repeated_side a = widened(p->then, factor), b = widened(p->now, factor);
    bool known = analyse_shift_change(&a, &b, &p->change, &p->low, &p->high);
    p->word = NOT_COMPARABLE;
    if (contradict(then, now)) {
        p->word = DIFFERS;
        p->reason = "the two verdicts contradict each other";
    } else if (!known) {
        p->reason = "too few rounds for an interval";
    } else if (compatible(p, limit)) {
        p->word = AGREES;
    } else if (*x->out->machine) {
        p->reason = "the verdicts do not contradict each other; the size of the difference is another one, as it may be on "
                    "another machine";
    } else {
        p->word = DIFFERS;
        p->reason = "the size of the difference is another one";
    }
}

static void repeated_compare(struct repeating *x, struct repeated *p, const struct comparison *then, const struct comparison *now,
                             double factor)
{
    p->kind = then->kind;
    p->confidence = then->confidence;
    p->then = side_of(then);
    if (now)
        p->now = side_of(now);
    p->word = NOT_COMPARABLE;
    if (!repeated_has_word(now))
        p->reason = now && now->reason ? now->reason : "the new session has no verdict";
    else if (then->kind != now->kind)
        p->reason = "one session compares ratios, the other differences";
    else
        judge_words(x, p, then, now, factor);
}

/* Whether it is compared with the same one as then. */
static bool same_reference(const struct repeating *x, const struct comparison *then, const struct comparison *now)
{
    return !now || same_in(x->then, x->now, now->reference) == then->reference;
}

static void add_pair(struct repeating *x, int subject, const struct comparison *then)
{
    const struct comparison *now = record_comparison(x->now, subject, x->then->rule.metric);
    struct repeated *p = &x->out->items[x->out->n++];
    *p = (struct repeated){.subject = subject,
                           .reference = same_in(x->now, x->then, then->reference),
                           .name = x->then->subjects[then->subject].name,
                           .metric = then->metric,
                           .change = NAN,
                           .low = NAN,
                           .high = NAN};
    bool same = p->reference >= 0 && same_reference(x, then, now);
    repeated_compare(x, p, then, same ? now : NULL, factor_for_many(x->then));
    if (x->now->subjects[subject].failure)
        p->reason = given_up(x, subject);
    else if (!same)
        p->reason = "what it was compared with is not its reference any more";
}

static void add_pairs(struct repeating *x)
{
    for (int i = 0; i < x->now->n_subjects; i++) {
        int before = claims(x->now, i) ? same_in(x->then, x->now, i) : -1;
        const struct comparison *then = before >= 0 ? record_comparison(x->then, before, x->then->rule.metric) : NULL;
        if (repeated_has_word(then))
            add_pair(x, i, then);
    }
}

/* Benchmarks that the programs no longer have. What was given up then was no claim. */
static void add_vanished(struct repeating *x)
{
    for (int i = 0; i < x->then->n_subjects; i++) {
        const struct subject *s = &x->then->subjects[i];
        if (s->kind != SUBJECT_BENCH || s->failure || same_in(x->now, x->then, i) >= 0)
            continue;
        x->out->items[x->out->n++] = (struct repeated){.subject = -1,
                                                       .reference = -1,
                                                       .name = s->name,
                                                       .metric = x->then->rule.metric,
                                                       .change = NAN,
                                                       .low = NAN,
                                                       .high = NAN,
                                                       .word = NOT_COMPARABLE,
                                                       .reason = "its program does not have it any more"};
    }
}

/* ---- each by itself ---- */

static void judge_alone(const struct repeating *x, struct repeated *p, const struct comparison *c)
{
    double limit = c->kind == METRIC_COUNT ? c->margin : log1p(c->margin);
    p->word = NOT_COMPARABLE;
    if (c->verdict == VERDICT_NOT_COMPARABLE || c->verdict == VERDICT_INVALID)
        p->reason = arena_strdup(x->a, c->reason ? c->reason : "no figure");
    else if (!isfinite(p->low) || !isfinite(p->high))
        p->reason = "too few runs for an interval";
    else if (compatible(p, limit))
        p->word = AGREES;
    else if (x->assume_no_drift)
        p->word = DIFFERS;
    else
        p->reason = REPEATED_DRIFT;
}

/* Whether one of the pairs speaks of it. Commands that are compared at all are all in pairs, or beside them. */
static bool in_a_pair(const struct repeating *x, int subject)
{
    bool any = false, with_it = false;
    for (int i = 0; i < x->out->n; i++) {
        const struct repeated *p = &x->out->items[i];
        bool pair = p->then.rounds > 0;
        any |= pair;
        with_it |= pair && (p->subject == subject || p->reference == subject);
    }
    return x->now->subjects[subject].kind == SUBJECT_BENCH ? with_it : any;
}

static void add_one_alone(struct repeating *x, int subject, const struct comparison *c)
{
    struct repeated *p = &x->out->items[x->out->n++];
    *p = (struct repeated){.subject = subject,
                           .reference = -1,
                           .name = x->now->subjects[subject].name,
                           .metric = x->then->rule.metric,
                           .kind = c->kind,
                           .change = c->shift,
                           .low = c->low,
                           .high = c->high,
                           .confidence = c->confidence};
    judge_alone(x, p, c);
    if (x->now->subjects[subject].failure) {
        p->word = NOT_COMPARABLE; /* whatever the processes say that were made before */
        p->reason = given_up(x, subject);
    }
}

/* Those that decide, or those beside them. merged has a comparison for each that is in both sessions, in their order. */
static void add_alone(struct repeating *x, const struct record *merged, bool beside)
{
    int next = 0;
    for (int i = 0; i < x->now->n_subjects && next < merged->n_comparisons; i++) {
        int before = claims(x->now, i) ? same_in(x->then, x->now, i) : -1;
        if (before < 0)
            continue;
        const struct comparison *c = &merged->comparisons[next++];
        if (!x->then->subjects[before].failure && in_a_pair(x, i) == beside)
            add_one_alone(x, i, c);
    }
}

static enum tare_status compare_alone(struct repeating *x)
{
    const struct rule *rule = &x->then->rule;
    const struct stored_question q = {.metric = rule->metric,
                                      .confidence = rule->confidence,
                                      .margin = rule->margin,
                                      .margin_unit = rule->margin_unit,
                                      .fail_if_slower = NAN,
                                      .names = {"then", "now"}};
    struct record merged = {0};
    record_init(&merged);
    enum tare_status status = analyse_stored(&merged, x->then, x->now, &q, x->err);
    if (!status) {
        add_alone(x, &merged, false);
        x->out->n_deciding = x->out->n;
        add_alone(x, &merged, true);
    }
    record_finish(&merged);
    return status == TARE_NO_MEMORY ? status : TARE_OK; /* a metric that neither has: then nothing is added */
}

/* ---- what is not the same ---- */

static const char *list(struct repeating *x, void (*differences)(const struct record *, const struct record *, struct buf *))
{
    struct buf b = BUF_INIT(1 << 20);
    differences(x->then, x->now, &b);
    const char *kept = b.status ? NULL : arena_strdup(x->a, buf_text(&b));
    buf_finish(&b);
    return kept;
}

static void list_tool(const struct record *then, const struct record *now, struct buf *out)
{
    const char *a = then->tool_version ? then->tool_version : "", *b = now->tool_version ? now->tool_version : "";
    if (strcmp(a, b) != 0)
        buf_format(out, "tare '%.40s' and '%.40s'", a, b);
}

/* Files named without a folder are others there. Two sessions that are only compared are often from two folders, and mean the same. */
static void list_programs(const struct record *then, const struct record *now, struct buf *out)
{
    const struct fact *a = facts_find(&then->build, "working_folder"), *b = facts_find(&now->build, "working_folder");
    comparable_programs(then, now, out);
    if (a && b && a->text && b->text && strcmp(a->text, b->text) != 0)
        buf_format(out, "%sworking_folder '%.200s' and '%.200s'", out->len ? "; " : "", a->text, b->text);
}

static enum tare_status list_all(struct repeating *x)
{
    struct repetition *out = x->out;
    out->machine = list(x, comparable_machines);
    out->programs = list(x, list_programs);
    out->conditions = list(x, comparable_conditions);
    out->tool = list(x, list_tool);
    out->machine_known = comparable_machine_known(x->then, x->now);
    return out->machine && out->programs && out->conditions && out->tool ? TARE_OK : no_memory(x);
}

/* ---- the whole ---- */

/* ---- traced programs, arc by arc ---- */

struct side {
    const struct record *r;
    int *origin;   /* of each result in `merged`: its index in r, where it is of this side */
    bool *matched; /* of each result of r: the other session has it */
};

struct repeating_arcs {
    struct repeating *x;
    struct record merged;
    struct side then, now;
    int pairs;     /* ratios that decide */
    bool deciding; /* which items are added now */
};

/* ---- both in one record ---- */

static int results_of(const struct record *r)
{
    return r->traced ? r->traced->n_results : 0;
}

static bool add_subject(struct repeating_arcs *t, struct side *side, int subject, int *to)
{
    struct subject s = side->r->subjects[subject];
    int before = results_of(&t->merged);
    s.reference = -1;
    *to = record_add_subject(&t->merged, &s, NULL, 0);
    if (*to < 0 || stored_arcs_copy(&t->merged, *to, side->r, subject))
        return false;
    for (int i = 0, at = before; i < results_of(side->r); i++)
        if (side->r->traced->results[i].subject == subject)
            side->origin[at++] = i;
    return true;
}

static const char *what_forbids(struct repeating_arcs *t, int subject, bool *any)
{
    struct buf b = BUF_INIT(1 << 16);
    comparable_differences(t->then.r, subject, t->now.r, subject, t->x->then->rule.metric, &b);
    *any = b.len > 0;
    const char *kept = b.status ? NULL : arena_strdup(t->x->a, buf_text(&b));
    buf_finish(&b);
    return kept;
}

static bool compare_program(struct repeating_arcs *t, int subject)
{
    int reference, to, first = t->merged.n_comparisons;
    bool forbidden;
    const char *differences = what_forbids(t, subject, &forbidden);
    if (!differences || !add_subject(t, &t->then, subject, &reference) || !add_subject(t, &t->now, subject, &to))
        return false;
    const struct look look = {.number = 1, .rounds = 1, .level = 1 - t->merged.rule.confidence};
    struct comparison like = comparison_without_word(&t->merged, reference, to, &look);
    const bool one_code = comparable_one_code(t->then.r, subject, t->now.r, subject);
    if (stored_arcs_compare(&t->merged, &like, &(struct stored_arcs_how){!forbidden, one_code}))
        return false;
    for (int i = first; i < t->merged.n_comparisons && forbidden; i++) {
        t->merged.comparisons[i].verdict = VERDICT_NOT_COMPARABLE;
        t->merged.comparisons[i].reason = differences;
        t->merged.comparisons[i].p = NAN;
    }
    return true;
}

static bool is_traced(const struct record *r, int subject)
{
    return subject < r->n_subjects && r->subjects[subject].kind == SUBJECT_TRACE;
}

static enum tare_status compare_programs(struct repeating_arcs *t)
{
    const struct rule *rule = &t->x->then->rule;
    const struct look look = {.number = 1, .rounds = 1, .level = 1 - rule->confidence};
    t->merged.rule = (struct rule){.metric = ARCS_METRIC,
                                   .confidence = rule->confidence,
                                   .margin = rule->margin,
                                   .correction = rule->correction,
                                   .fail_if_slower = NAN};
    for (int i = 0; is_traced(t->then.r, i) && is_traced(t->now.r, i); i++)
        if (!compare_program(t, i))
            return no_memory(t->x);
    return correct_for_many(&t->merged, 0, &look) ? no_memory(t->x) : TARE_OK;
}

/* ---- one arc ---- */

static const char *label(const struct repeating_arcs *t, const struct traced *traced, int point)
{
    struct buf b = BUF_INIT(1 << 14);
    point_label(&b, traced, point);
    const char *kept = b.status ? NULL : arena_strdup(t->x->a, buf_text(&b));
    buf_finish(&b);
    return kept ? kept : "?";
}

/* NULL: the session has not passed it. */
static struct repeated item_of(const struct repeating_arcs *t, const struct arc_result *then, const struct arc_result *now)
{
    const struct arc_result *one = now ? now : then;
    const struct traced *traced = now ? t->now.r->traced : t->then.r->traced;
    return (struct repeated){.subject = one->subject,
                             .reference = -1,
                             .name = t->then.r->subjects[one->subject].name,
                             .from = label(t, traced, one->from),
                             .to = label(t, traced, one->to),
                             .then_ns = then ? then->mean_ns : NAN,
                             .now_ns = now ? now->mean_ns : NAN,
                             .then_arc = then ? (int)(then - t->then.r->traced->results) + 1 : 0,
                             .now_arc = now ? (int)(now - t->now.r->traced->results) + 1 : 0,
                             .share = fmax(then ? then->share : NAN, now ? now->share : NAN),
                             .metric = ARCS_METRIC,
                             .kind = METRIC_TIME,
                             .change = NAN,
                             .low = NAN,
                             .high = NAN,
                             .confidence = t->x->then->rule.confidence,
                             .word = NOT_COMPARABLE};
}

/* Those of one kind: first the items that decide, then the others. */
static struct repeated *add(struct repeating_arcs *t, const struct repeated *item, bool decides)
{
    if (decides != t->deciding)
        return NULL;
    struct repeated *p = &t->x->out->items[t->x->out->n++];
    *p = *item;
    return p;
}

static const struct arc_result *then_of(const struct repeating_arcs *t, const struct comparison *c)
{
    return &t->then.r->traced->results[t->then.origin[c->reference_arc - 1]];
}

static const struct arc_result *now_of(const struct repeating_arcs *t, const struct comparison *c)
{
    return &t->now.r->traced->results[t->now.origin[c->arc - 1]];
}

/* ---- ratios that the first session found ---- */

/* The comparison of this arc with that of the reference. */
static const struct comparison *ratio_of(const struct record *r, int result)
{
    for (int i = 0; i < r->n_comparisons; i++)
        if (r->comparisons[i].arc == result + 1)
            return &r->comparisons[i];
    return NULL;
}

static bool has_ratio(const struct record *r, int result)
{
    for (int i = 0; i < r->n_comparisons; i++)
        if (repeated_has_word(&r->comparisons[i]) &&
            (r->comparisons[i].arc == result + 1 || r->comparisons[i].reference_arc == result + 1))
            return true;
    return false;
}

static const struct comparison *claim_of(const struct repeating_arcs *t, const struct comparison *c)
{
    const struct comparison *then = ratio_of(t->then.r, t->then.origin[c->reference_arc - 1]);
    return repeated_has_word(then) ? then : NULL;
}

static bool matters(const struct arc_result *then, const struct arc_result *now)
{
    return then->share >= ARC_SHARE || now->share >= ARC_SHARE;
}

static void add_ratio(struct repeating_arcs *t, const struct comparison *c)
{
    const struct comparison *then = claim_of(t, c);
    if (!then)
        return;
    const struct comparison *now = ratio_of(t->now.r, t->now.origin[c->arc - 1]);
    struct repeated item = item_of(t, then_of(t, c), now_of(t, c)), *p;
    item.reference = then->reference;
    if (!(p = add(t, &item, matters(then_of(t, c), now_of(t, c)))))
        return;
    bool same = now && now->reference == then->reference;
    repeated_compare(t->x, p, then, same ? now : NULL, repeated_factor(t->then.r, t->pairs));
}

/* ---- each by itself ---- */

static const char *keep(const struct repeating_arcs *t, const char *reason)
{
    const char *kept = reason ? arena_strdup(t->x->a, reason) : NULL;
    return kept || !reason ? kept : "no memory for the reason";
}

static void judge_arc_alone(const struct repeating_arcs *t, struct repeated *p, const struct comparison *c)
{
    bool changed = c->verdict == VERDICT_SLOWER || c->verdict == VERDICT_FASTER;
    p->reason = keep(t, c->reason);
    if (c->verdict == VERDICT_NOT_COMPARABLE || c->verdict == VERDICT_INVALID || !isfinite(c->low) || !isfinite(c->high)) {
        p->word = NOT_COMPARABLE;
    } else if (!changed) {
        p->word = AGREES;
    } else {
        p->word = t->x->assume_no_drift ? DIFFERS : NOT_COMPARABLE;
        p->reason = t->x->assume_no_drift ? NULL : REPEATED_DRIFT;
    }
}

static void add_arc_alone(struct repeating_arcs *t, const struct comparison *c)
{
    const struct arc_result *then = then_of(t, c), *now = now_of(t, c);
    bool known = !then->below_resolution && !now->below_resolution;
    bool told = has_ratio(t->then.r, t->then.origin[c->reference_arc - 1]);
    struct repeated item = item_of(t, then, now), *p;
    if (!(p = add(t, &item, known && !told && matters(then, now))))
        return;
    if (known) {
        p->change = c->shift;
        p->low = c->low;
        p->high = c->high;
        judge_arc_alone(t, p, c);
    } else {
        p->then_ns = p->now_ns = NAN;
        p->reason = "its mean is below what can be told from the probe's weight";
    }
}

/* Those that one session alone has passed. Of what is new the first session claimed nothing. */
static void add_missing(struct repeating_arcs *t, const struct side *side, const char *reason)
{
    for (int i = 0; i < results_of(side->r); i++) {
        const struct arc_result *a = &side->r->traced->results[i];
        bool before = side == &t->then;
        if (side->matched[i] || !is_traced(t->then.r, a->subject) || !is_traced(t->now.r, a->subject))
            continue;
        struct repeated item = before ? item_of(t, a, NULL) : item_of(t, NULL, a);
        item.reason = reason;
        add(t, &item, before && a->share >= ARC_SHARE);
    }
}

/* ---- all ---- */

static void match(struct repeating_arcs *t)
{
    for (int i = 0; i < t->merged.n_comparisons; i++) {
        const struct comparison *c = &t->merged.comparisons[i];
        t->then.matched[t->then.origin[c->reference_arc - 1]] = true;
        t->now.matched[t->now.origin[c->arc - 1]] = true;
        t->pairs += claim_of(t, c) && matters(then_of(t, c), now_of(t, c));
    }
}

static void add_all(struct repeating_arcs *t, bool deciding)
{
    t->deciding = deciding;
    for (int i = 0; i < t->merged.n_comparisons; i++)
        add_ratio(t, &t->merged.comparisons[i]);
    for (int i = 0; i < t->merged.n_comparisons; i++)
        add_arc_alone(t, &t->merged.comparisons[i]);
    add_missing(t, &t->then, "it was not passed in the new session");
    add_missing(t, &t->now, "it was passed in the new session alone, so there is nothing to hold it against");
}

static bool make_room(struct repeating_arcs *t)
{
    int before = results_of(t->then.r), after = results_of(t->now.r);
    size_t both = (size_t)before + (size_t)after + 1;
    for (int i = 0; i < 2; i++) {
        struct side *side = i ? &t->now : &t->then;
        side->origin = arena_array(t->x->a, both, sizeof *side->origin);
        side->matched = arena_array(t->x->a, both, sizeof *side->matched);
        if (!side->origin || !side->matched)
            return false;
        memset(side->matched, 0, both * sizeof *side->matched);
    }
    t->x->out->items = arena_array(t->x->a, 2 * both, sizeof *t->x->out->items);
    return t->x->out->items != NULL;
}

static enum tare_status repeated_arcs(struct repeating *x)
{
    struct repeating_arcs t = {.x = x, .then.r = x->then, .now.r = x->now};
    record_init(&t.merged);
    enum tare_status status = make_room(&t) ? compare_programs(&t) : no_memory(x);
    if (!status) {
        match(&t);
        add_all(&t, true);
        x->out->n_deciding = x->out->n;
        add_all(&t, false);
    }
    record_finish(&t.merged);
    return status;
}

/* ---- all ---- */

/* A claim that cannot be compared leaves the question open, whatever the others say. */
static enum agreement worst(const struct repetition *r)
{
    enum agreement word = r->n_deciding ? AGREES : NOT_COMPARABLE;
    for (int i = 0; i < r->n_deciding; i++)
        word = r->items[i].word > word ? r->items[i].word : word;
    return word;
}

enum tare_status analyse_repetition(struct repetition *out, const struct record *then, const struct record *now,
                                    bool assume_no_drift, struct arena *a, struct tare_err *err)
{
    struct repeating x = {out, then, now, assume_no_drift, a, err};
    size_t room = 2 * (size_t)now->n_subjects + (size_t)then->n_subjects + 1;
    *out = (struct repetition){.then = then, .items = arena_array(a, room, sizeof *out->items)};
    enum tare_status status = out->items ? list_all(&x) : no_memory(&x);
    if (status)
        return status;
    if (record_kind(then)->arcs) {
        status = repeated_arcs(&x);
        out->word = worst(out);
        return status;
    }
    add_pairs(&x);
    add_vanished(&x);
    out->n_deciding = out->n;
    status = compare_alone(&x);
    out->word = worst(out);
    return status;
}
