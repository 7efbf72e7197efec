/* SPDX-License-Identifier: MIT
 *
 * Both sessions are put into one record, program by program, which says which arc is which (arc_matches) and how its mean changed: the
 * comparison of stored_arcs.c, with its formula and assumptions. Its words are held together over all arcs of all programs by
 * Benjamini and Hochberg's rule. Where the first session compared programs, its claims are the ratios of their arcs in interleaved
 * rounds, held against the new ones as those of benchmarks are (repetition.c), their intervals widened for so many (Bonferroni); what the arcs
 * of these pairs did by themselves is told and decides nothing.
 */
#include "repeated_arcs.h"
#include "analyse_stored.h"
#include "arcs.h"
#include "benchmarks.h"
#include "compare.h"
#include "stored_arcs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static enum tare_status no_memory(const struct repeating_arcs *t)
{
    return err_set(t->x->err, TARE_NO_MEMORY, "no memory to compare the sessions arc by arc");
}

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
            return no_memory(t);
    return correct_for_many(&t->merged, 0, &look) ? no_memory(t) : TARE_OK;
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

static void judge_alone(const struct repeating_arcs *t, struct repeated *p, const struct comparison *c)
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

static void add_alone(struct repeating_arcs *t, const struct comparison *c)
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
        judge_alone(t, p, c);
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
        add_alone(t, &t->merged.comparisons[i]);
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

enum tare_status repeated_arcs(struct repeating *x)
{
    struct repeating_arcs t = {.x = x, .then.r = x->then, .now.r = x->now};
    record_init(&t.merged);
    enum tare_status status = make_room(&t) ? compare_programs(&t) : no_memory(&t);
    if (!status) {
        match(&t);
        add_all(&t, true);
        x->out->n_deciding = x->out->n;
        add_all(&t, false);
    }
    record_finish(&t.merged);
    return status;
}
