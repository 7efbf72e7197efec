/* SPDX-License-Identifier: MIT
 * Definitions, estimator and its source: analyse_stored.h.
 *
 * Both sessions are put into one record (analyse_stored), which says of each command, benchmark and arc what it changed by. Arcs are held together over all
 * arcs of all programs by Benjamini and Hochberg's rule. Where the first session compared programs, its claims are the ratios of their arcs in interleaved
 * rounds, held against the new ones as those of benchmarks are, their intervals widened for so many (Bonferroni); what the arcs
 * of these pairs did by themselves is told and decides nothing.
 */
#include "analyse_stored.h"
#include "arcs.h"
#include "comparable.h"
#include "record_arcs.h"
#include "record_kind.h"
#include "verdict.h"
#include <math.h>
#include <string.h>
#include <tare/stats.h>

struct repeating {
    struct repetition *out;
    const struct record *then, *now;
    bool assume_no_drift;
    struct arena *a;
    struct tare_err *err;
    struct record merged; /* analyse_stored of the two */
    bool deciding;        /* which items are added now: first those that decide, then those beside them */
};

#define REPEATED_DRIFT "the change may be drift between the two sessions; --assume-no-drift excludes drift"

static const char *given_up(const struct repeating *x, int now)
{
    struct buf b = BUF_INIT(1 << 12);
    buf_format(&b, "it was given up: %.1000s", x->now->subjects[now].failure);
    return keep_reason(x->a, &b);
}

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

/* A change with this interval may be none, or lies within the margin. */
static bool compatible(double low, double high, double limit)
{
    return (low <= 0 && high >= 0) || (low > -limit && high < limit);
}

/* -1, 0 or 1: which way it points, however little; *large: at least by the margin. */
static int direction(const struct comparison *c, bool *large)
{
    const bool up = c->verdict == VERDICT_SLOWER || c->verdict == VERDICT_HIGHER, differs = verdict_differs(c->verdict);
    *large = differs && c->beyond_margin;
    return up ? 1 : -differs;
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

static double repeated_factor(const struct record *r, int n)
{
    double alpha = 1 - r->rule.confidence;
    if (r->rule.correction == CORRECTION_NONE || n < 2)
        return 1;
    return tare_normal_quantile(1 - alpha / n / 2) / tare_normal_quantile(1 - alpha / 2);
}

static void repeated_compare(struct repeating *x, struct repeated *p, const struct comparison *then, const struct comparison *now,
                             double factor)
{
    p->kind = then->kind;
    p->confidence = then->confidence;
    p->then = side_of(then);
    if (now)
        p->now = side_of(now);
    p->word = now && now->verdict != VERDICT_NONE ? NOT_COMPARABLE : NOT_DECIDED;
    if (!repeated_has_word(now))
        p->reason = now && now->reason ? now->reason : "the new session has no verdict";
    else if (then->kind != now->kind)
        p->reason = "one session compares ratios, the other differences";
    else {
        const struct repeated_side a = widened(p->then, factor), b = widened(p->now, factor);
        bool known = analyse_shift_change(&a, &b, &p->change, &p->low, &p->high);
        p->word = NOT_DECIDED;
        if (contradict(then, now)) {
            p->word = DIFFERS;
            p->reason = "the two verdicts contradict each other";
        } else if (!known) {
            p->reason = "too few rounds for an interval";
        } else if (compatible(p->low, p->high, comparison_limit(then))) {
            p->word = AGREES;
        } else if (*x->out->machine) {
            p->reason =
                "the verdicts do not contradict each other; the size of the difference changed, as it can on another machine";
        } else {
            p->word = DIFFERS;
            p->reason = "the size of the difference changed";
        }
    }
}

/* With nothing known of it but its name; subject -1: it is no more. */
static struct repeated item_of(const struct repeating *x, int subject, const char *name)
{
    return (struct repeated){.subject = subject,
                             .reference = -1,
                             .name = name,
                             .metric = x->then->rule.metric,
                             .change = NAN,
                             .low = NAN,
                             .high = NAN,
                             .word = NOT_COMPARABLE};
}

/* Unless those of the other kind are added now. */
static void add_item(struct repeating *x, const struct repeated *item, bool decides)
{
    if (decides == x->deciding)
        x->out->items[x->out->n++] = *item;
}

static void add_pairs(struct repeating *x)
{
    int n = 0;
    for (int i = 0; i < x->then->n_subjects; i++)
        n += subject_measured(&x->then->subjects[i]) && repeated_has_word(record_comparison(x->then, i, x->then->rule.metric));
    /* the comparisons of commands share the confidence of their session; each of benchmarks has it alone, and their verdicts are corrected */
    const double factor = record_kind(x->then)->processes ? repeated_factor(x->then, n) : 1;
    for (int i = 0; i < x->now->n_subjects; i++) {
        int before = planned_partner(x->now, i, x->then);
        const struct comparison *then = before >= 0 ? record_comparison(x->then, before, x->then->rule.metric) : NULL;
        if (repeated_has_word(then)) {
            const struct comparison *now = record_comparison(x->now, i, x->then->rule.metric);
            struct repeated item = item_of(x, i, x->then->subjects[then->subject].name);
            item.reference = planned_partner(x->then, then->reference, x->now);
            item.metric = then->metric;
            const bool same =
                item.reference >= 0 && (!now || planned_partner(x->now, now->reference, x->then) == then->reference);
            repeated_compare(x, &item, then, same ? now : NULL, factor);
            if (x->now->subjects[i].failure || !same)
                item.word = NOT_COMPARABLE;
            if (x->now->subjects[i].failure)
                item.reason = given_up(x, i);
            else if (!same)
                item.reason = "it is compared with another reference now";
            add_item(x, &item, true);
        }
    }
}

/* Benchmarks that the programs no longer have. What was given up then was no claim. */
static void add_vanished(struct repeating *x)
{
    for (int i = 0; i < x->then->n_subjects; i++) {
        const struct subject *s = &x->then->subjects[i];
        if (s->kind != SUBJECT_BENCH || s->anchor || s->failure || planned_partner(x->then, i, x->now) >= 0)
            continue;
        struct repeated item = item_of(x, -1, s->name);
        item.word = NOT_DECIDED; /* as tare compare says of what one side lacks */
        item.reason = "its program no longer has it";
        add_item(x, &item, true);
    }
}

/* unchanged: as far as chance and the margin go. */
static void judge_alone(const struct repeating *x, struct repeated *p, const struct comparison *c, bool unchanged)
{
    p->kind = c->kind;
    p->change = c->shift;
    p->low = c->low;
    p->high = c->high;
    p->confidence = c->confidence;
    p->word = NOT_COMPARABLE;
    p->reason = c->reason ? arena_strdup(x->a, c->reason) : NULL;
    if (c->verdict == VERDICT_NOT_COMPARABLE || c->verdict == VERDICT_INVALID) {
        p->reason = p->reason ? p->reason : "no figure";
    } else if (!isfinite(p->low) || !isfinite(p->high)) {
        p->word = NOT_DECIDED;
        p->reason = p->reason ? p->reason : "too few runs for an interval";
    } else if (unchanged) {
        p->word = AGREES;
    } else {
        p->word = x->assume_no_drift ? DIFFERS : NOT_DECIDED;
        p->reason = x->assume_no_drift ? NULL : REPEATED_DRIFT;
    }
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

/* merged has a comparison for each that is in both sessions, in their order. */
static void add_alone(struct repeating *x)
{
    int next = 0;
    for (int i = 0; i < x->now->n_subjects && next < x->merged.n_comparisons; i++) {
        int before = planned_partner(x->now, i, x->then);
        if (before < 0)
            continue;
        const struct comparison *c = &x->merged.comparisons[next++];
        if (x->then->subjects[before].failure)
            continue;
        struct repeated item = item_of(x, i, x->now->subjects[i].name);
        judge_alone(x, &item, c, compatible(c->low, c->high, comparison_limit(c)));
        if (x->now->subjects[i].failure) {
            item.word = NOT_COMPARABLE; /* whatever the processes say that were made before */
            item.reason = given_up(x, i);
        }
        add_item(x, &item, !in_a_pair(x, i));
    }
}

static const char *list(struct repeating *x, void (*differences)(const struct record *, const struct record *, struct buf *))
{
    struct buf b = BUF_INIT(1 << 20);
    differences(x->then, x->now, &b);
    return arena_keep(x->a, &b);
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
    return out->machine && out->programs && out->conditions && out->tool ? TARE_OK : err_no_memory(x->err);
}

struct side {
    const struct record *r;
    int *origin;   /* of each result in `merged`: its index in r, where it is of this side */
    bool *matched; /* of each result of r: the other session has it */
};

struct repeating_arcs {
    struct repeating *x;
    struct side then, now;
    int pairs; /* ratios that decide */
};

static int results_of(const struct record *r)
{
    return r->traced ? r->traced->n_results : 0;
}

static bool is_traced(const struct record *r, int subject)
{
    return subject < r->n_subjects && r->subjects[subject].kind == SUBJECT_TRACE;
}

static const char *label(const struct repeating_arcs *t, const struct traced *traced, int point)
{
    struct buf b = BUF_INIT(1 << 14);
    point_label(&b, traced, point);
    const char *kept = arena_keep(t->x->a, &b);
    return kept ? kept : "?";
}

/* NULL: the session has not passed it. */
static struct repeated arc_item(const struct repeating_arcs *t, const struct arc_result *then, const struct arc_result *now)
{
    const struct arc_result *one = now ? now : then;
    const struct traced *traced = now ? t->now.r->traced : t->then.r->traced;
    struct repeated item = item_of(t->x, one->subject, t->then.r->subjects[one->subject].name);
    item.from = label(t, traced, one->from);
    item.to = label(t, traced, one->to);
    item.then_ns = then ? then->mean_ns : NAN;
    item.now_ns = now ? now->mean_ns : NAN;
    item.then_arc = then ? (int)(then - t->then.r->traced->results) + 1 : 0;
    item.now_arc = now ? (int)(now - t->now.r->traced->results) + 1 : 0;
    item.share = fmax(then ? then->share : NAN, now ? now->share : NAN);
    item.metric = ARCS_METRIC;
    item.kind = METRIC_TIME;
    item.confidence = t->x->then->rule.confidence;
    return item;
}

static const struct arc_result *then_of(const struct repeating_arcs *t, const struct comparison *c)
{
    return &t->then.r->traced->results[t->then.origin[c->reference_arc - 1]];
}

static const struct arc_result *now_of(const struct repeating_arcs *t, const struct comparison *c)
{
    return &t->now.r->traced->results[t->now.origin[c->arc - 1]];
}

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
    struct repeated item = arc_item(t, then_of(t, c), now_of(t, c));
    item.reference = then->reference;
    bool same = now && now->reference == then->reference;
    repeated_compare(t->x, &item, then, same ? now : NULL, repeated_factor(t->then.r, t->pairs));
    if (now && !same)
        item.word = NOT_COMPARABLE;
    add_item(t->x, &item, matters(then_of(t, c), now_of(t, c)));
}

/* A hit takes as long, and yet a run does other work: by the times of all hits of a run, which programs that loop for a given time keep. */
static bool hit_otherwise(const struct arc_result *then, const struct arc_result *now, double margin)
{
    const double before = (double)then->passes / then->runs, after = (double)now->passes / now->runs;
    return fabs(log(after / before)) > log1p(margin) && (now->total_low > then->total_high || now->total_high < then->total_low);
}

static void judge_hits(const struct repeating_arcs *t, struct repeated *item, const struct arc_result *then,
                       const struct arc_result *now)
{
    if (item->word != AGREES || !hit_otherwise(then, now, t->x->then->rule.margin))
        return;
    item->word = DIFFERS;
    item->reason = arena_format(t->x->a, "a run has %.4g hits, before %.4g", (double)now->passes / now->runs,
                                (double)then->passes / then->runs);
}

static void add_arc_alone(struct repeating_arcs *t, const struct comparison *c)
{
    const struct arc_result *then = then_of(t, c), *now = now_of(t, c);
    bool known = !then->below_resolution && !now->below_resolution;
    bool told = has_ratio(t->then.r, t->then.origin[c->reference_arc - 1]);
    struct repeated item = arc_item(t, then, now);
    if (known) {
        judge_alone(t->x, &item, c, !verdict_differs(c->verdict));
        judge_hits(t, &item, then, now);
    } else {
        item.then_ns = item.now_ns = NAN;
        item.reason = "a mean is below the resolution of the probe";
    }
    add_item(t->x, &item, known && !told && matters(then, now));
}

/* Those that one session alone has passed. Of what is new the first session claimed nothing. */
static void add_missing(struct repeating_arcs *t, const struct side *side, const char *reason)
{
    for (int i = 0; i < results_of(side->r); i++) {
        const struct arc_result *a = &side->r->traced->results[i];
        bool before = side == &t->then;
        if (side->matched[i] || !is_traced(t->then.r, a->subject) || !is_traced(t->now.r, a->subject))
            continue;
        struct repeated item = before ? arc_item(t, a, NULL) : arc_item(t, NULL, a);
        item.word = NOT_DECIDED;
        item.reason = reason;
        add_item(t->x, &item, before && a->share >= ARC_SHARE);
    }
}

static void match(struct repeating_arcs *t)
{
    for (int i = 0; i < t->x->merged.n_comparisons; i++) {
        const struct comparison *c = &t->x->merged.comparisons[i];
        t->then.matched[t->then.origin[c->reference_arc - 1]] = true;
        t->now.matched[t->now.origin[c->arc - 1]] = true;
        t->pairs += claim_of(t, c) && matters(then_of(t, c), now_of(t, c));
    }
}

static void add_arcs(struct repeating_arcs *t)
{
    for (int i = 0; i < t->x->merged.n_comparisons; i++)
        add_ratio(t, &t->x->merged.comparisons[i]);
    for (int i = 0; i < t->x->merged.n_comparisons; i++)
        add_arc_alone(t, &t->x->merged.comparisons[i]);
    add_missing(t, &t->then, "not hit in the new session");
    add_missing(t, &t->now, "hit in the new session only");
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

static enum tare_status add_all(struct repeating *x)
{
    if (record_kind(x->then)->arcs) {
        struct repeating_arcs t = {.x = x, .then.r = x->then, .now.r = x->now};
        if (!make_room(&t))
            return err_no_memory(x->err);
        /* The merged results are program by program the then ones and the now ones, in the order of their record. */
        for (int i = 0, at = 0; i < t.now.r->n_subjects; i++)
            for (int now = 0; now < 2 && is_traced(t.now.r, i) && planned_partner(t.now.r, i, t.then.r) >= 0; now++) {
                const struct side *side = now ? &t.now : &t.then;
                for (int k = 0; k < results_of(side->r); k++)
                    if (side->r->traced->results[k].subject == i)
                        side->origin[at++] = k;
            }
        match(&t);
        add_arcs(&t);
        x->out->n_deciding = x->out->n;
        x->deciding = false;
        add_arcs(&t);
        return TARE_OK;
    }
    add_pairs(x);
    add_vanished(x);
    add_alone(x);
    x->out->n_deciding = x->out->n;
    x->deciding = false;
    add_alone(x);
    return TARE_OK;
}

enum tare_status analyse_repetition(struct repetition *out, const struct record *then, const struct record *now,
                                    bool assume_no_drift, struct arena *a, struct tare_err *err)
{
    struct repeating x = {
        .out = out, .then = then, .now = now, .assume_no_drift = assume_no_drift, .a = a, .err = err, .deciding = true};
    const struct stored_question q = {.metric = then->rule.metric,
                                      .confidence = then->rule.confidence,
                                      .margin = then->rule.margin,
                                      .margin_unit = then->rule.margin_unit,
                                      .correction = then->rule.correction,
                                      .fail_if_slower = NAN,
                                      .names = {"then", "now"},
                                      .one_plan = true};
    size_t room = 2 * (size_t)now->n_subjects + (size_t)then->n_subjects + 1;
    *out = (struct repetition){.then = then, .items = arena_array(a, room, sizeof *out->items)};
    record_init(&x.merged);
    enum tare_status status = out->items ? list_all(&x) : err_no_memory(x.err);
    if (!status)
        status = analyse_stored(&x.merged, then, now, &q, err);
    if (status != TARE_NO_MEMORY) /* a metric that neither has: then there is nothing in it */
        status = add_all(&x);
    record_finish(&x.merged);
    out->word = out->n_deciding ? AGREES : NOT_COMPARABLE;
    for (int i = 0; i < out->n_deciding; i++)
        out->word = out->items[i].word > out->word ? out->items[i].word : out->word;
    return status;
}
