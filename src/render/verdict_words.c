/* SPDX-License-Identifier: MIT
 *
 *     Comparison (64 interleaved rounds)
 *       'rg -c foo' vs 'grep -c foo': 1.82× faster (1.80–1.84), −5.56 ms, above the 1 % threshold
 *         (n = 64 pairs, interim analysis 5 of 9, 95 % over all analyses, Hodges-Lehmann)
 *
 * One sentence a comparison, the answer first, then what it rests on. A proven sign is never said to matter, and a missing proof never to be
 * equality. Below the table and with -q the answer stands alone.
 */
#include "layout.h"
#include "same_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum hue hue_of(const struct comparison *c)
{
    if (!verdict_differs(c->verdict))
        return verdict_plain(c->verdict) == VERDICT_SAME ? HUE_BOLD : HUE_PLAIN;
    return c->better == c->subject ? HUE_GOOD : c->better == c->reference ? HUE_BAD : HUE_BOLD;
}

/* In its hue, nothing of none. */
static void put_verdict(struct page *p, const struct comparison *c)
{
    if (c->verdict == VERDICT_NONE)
        return;
    hue_on(p, &p->piece, hue_of(c));
    buf_str(&p->piece, verdict_word(c->verdict));
    hue_off(p, &p->piece, hue_of(c));
}

static bool is_refused(const struct comparison *c)
{
    return c->verdict == VERDICT_INVALID || c->verdict == VERDICT_NOT_COMPARABLE;
}

/* "'b' vs 'a':", "'b' vs 'a' in CPU time:"; between flow_begin and the answer. */
static void put_comparison_head(struct page *p, const struct comparison *c)
{
    int columns = name_columns(p, 2);
    put_name(p, c->subject, columns);
    buf_str(&p->piece, " vs");
    flow_put(p, "");
    put_name(p, c->reference, columns);
    if (strcmp(c->metric, "wall")) {
        buf_str(&p->piece, " in ");
        put_title(p, c->metric, 0);
    }
    buf_char(&p->piece, ':');
    flow_put(p, " ");
}

static bool several_looks(const struct rule *rule)
{
    return rule->n_looks > 1 || (rule->spending > 0 && rule->n_looks == 1 && rule->look_share[0] < 1);
}

void put_looks(struct page *p)
{
    const struct rule *rule = &p->r->rule;
    if (rule->spending > 0 && several_looks(rule))
        buf_str(&p->piece, " over all interim analyses");
    else if (several_looks(rule))
        buf_format(&p->piece, " over %d interim analyses", rule->n_looks);
}

bool comparison_has_interval(const struct comparison *c)
{
    return isfinite(c->low) && isfinite(c->high);
}

/* "ratio 11.2 (range 8.3–14.0 in 4 rounds)": no verdict, and nothing that was measured is hidden. */
static void put_observed(struct page *p, const struct comparison *c)
{
    const struct observed o = comparison_observed(p->r, c);
    const bool difference = c->kind == METRIC_COUNT, known = isfinite(c->shift);
    const double point = !known ? o.low : difference ? c->shift : exp(c->shift);
    const struct unit u = difference ? unit_for(base_unit(p->r, c->metric), point) : unit_one;
    const int decimals = figure_digits((known ? point : o.high) / u.factor, FIGURE_DIGITS);
    if (!isfinite(point))
        return;
    buf_str(&p->piece, difference ? "difference " : "ratio ");
    if (known || o.n == 1) {
        (difference ? figure_signed : figure_put)(&p->piece, point / u.factor, decimals);
        unit_put(&p->piece, u);
    }
    if (!o.n)
        return;
    if (o.n > 1) {
        buf_str(&p->piece, known ? " (range " : "range ");
        figure_range(&p->piece, o.low, o.high, u, decimals);
    }
    buf_format(&p->piece, " in %d round%s%s", o.n, buf_plural(o.n), known && o.n > 1 ? ")" : "");
}

/* The effect; without an interval the ratio as it was observed: "ratio 11.2 (range 8.3–14.0 in 4 rounds)"; nothing where it is refused. */
static void put_finding_of(struct page *p, const struct comparison *c)
{
    const enum hue hue = hue_of(c);
    if (is_refused(c))
        return;
    if (!comparison_has_interval(c)) {
        put_observed(p, c);
        return;
    }
    hue_on(p, &p->piece, hue);
    verdict_put_effect(&p->piece, p->r, c);
    hue_off(p, &p->piece, hue);
}

/* Its word is no part of the effect. */
static bool verdict_is_apart(const struct comparison *c)
{
    return c && c->verdict != VERDICT_NONE && !is_refused(c) && comparison_has_interval(c) && !verdict_in_effect(c);
}

void put_answer(struct page *p, const struct comparison *c)
{
    const bool apart = verdict_is_apart(c);
    if (is_refused(c) || apart)
        put_verdict(p, c);
    buf_str(&p->piece, apart ? " " : "");
    put_finding_of(p, c);
}

const char *change_title(struct table *t)
{
    const struct record *r = t->p->r;
    for (int i = 0; i < r->n_comparisons; i++)
        if (comparison_has_interval(&r->comparisons[i]))
            return interval_title(t, "change (", ")");
    return "change";
}

static void effect_cell(struct table *t, const struct comparison *c, bool brief)
{
    if (c)
        (is_refused(c) || (brief && verdict_is_apart(c)) ? put_verdict : put_finding_of)(t->p, c);
    table_cell(t);
}

void verdict_cells(struct table *t, const struct comparison *c, bool brief)
{
    effect_cell(t, c, brief);
    if (!brief && verdict_is_apart(c))
        put_verdict(t->p, c);
    table_cell(t);
}

void subject_verdict_cells(struct table *t, int subject, bool brief)
{
    const struct comparison *c = record_comparison(t->p->r, subject, t->p->r->rule.metric);
    if (!c)
        buf_str(&t->p->piece, role_of(t->p->r, subject));
    verdict_cells(t, c, brief);
}

void put_margin(struct page *p, const struct comparison *c)
{
    if (c->kind != METRIC_COUNT ||
        !p->r->rule.margin_unit) { /* relative, of the reference's median where values are subtracted */
        figure_level(&p->piece, c->kind == METRIC_COUNT ? p->r->rule.margin : c->margin);
        return;
    }
    figure_chosen(&p->piece, base_unit(p->r, c->metric), c->margin);
}

/* ", −5.56 ms": between the medians shown with the commands; left out where it contradicts the interval beside it, as it may with two modes. */
static void put_median_difference(struct page *p, const struct comparison *c)
{
    const struct estimate *a = record_estimate(p->r, c->reference, c->metric, "median");
    const struct estimate *b = record_estimate(p->r, c->subject, c->metric, "median");
    if (!verdict_differs(c->verdict) || c->kind == METRIC_COUNT || c->by_anchor || !a || !b || !isfinite(a->point) ||
        !isfinite(b->point))
        return;
    const double difference = b->point - a->point, ratio = log(b->point / a->point);
    if (difference == 0 || !(ratio >= c->low && ratio <= c->high))
        return;
    struct unit u = metric_unit(p, c->metric);
    int da = estimate_decimals(a, u), db = estimate_decimals(b, u);
    buf_str(&p->piece, ", ");
    figure_signed(&p->piece, difference / u.factor, da < db ? da : db);
    unit_put(&p->piece, u);
}

static bool has_remark(const struct comparison *c)
{
    return (verdict_differs(c->verdict) && isfinite(c->margin)) || verdict_plain(c->verdict) == VERDICT_SAME;
}

/* What the verdict alone would let the reader believe too much or too little of. */
static void put_margin_remark(struct page *p, const struct comparison *c)
{
    if (verdict_differs(c->verdict)) {
        buf_str(&p->piece, c->beyond_margin ? "above the " : "possibly below the ");
        put_margin(p, c);
        buf_str(&p->piece, " threshold");
        return;
    }
    buf_str(&p->piece, "within ±");
    put_margin(p, c);
    if (c->sign_proven)
        buf_str(&p->piece, ", though not equal");
}

static void put_level(struct page *p, const struct comparison *c)
{
    int comparisons = c->reference_rounds ? p->r->n_comparisons : asked_count(p->r) - 1;
    bool several = c->looks_planned > 1 || (c->share > 0 && (c->look > 1 || c->share < 1));
    if (several)
        buf_format(&p->piece, ", interim analysis %d", c->look);
    if (c->looks_planned > 1)
        buf_format(&p->piece, " of %d", c->looks_planned);
    buf_format(&p->piece, ", %s", figure_text(figure_level, c->confidence).at);
    if (several)
        buf_str(&p->piece, comparisons > 1 ? " for all analyses" : " over all analyses");
    if (comparisons > 1)
        buf_format(&p->piece, "%s%d comparisons together", several ? " and the " : " for the ", comparisons);
}

/* Runs of two sessions are no pairs, nor are the sessions of two sets. */
static void put_unpaired_evidence(struct page *p, const struct comparison *c)
{
    const bool sets = record_is_over_sessions(p->r) && !c->assumed_no_drift;
    buf_format(&p->piece, "(n = %d against %d %s%s", c->rounds, c->reference_rounds, sets ? "session" : "run",
               buf_plural(c->reference_rounds));
    if (comparison_has_interval(c)) {
        put_level(p, c);
    } else {
        buf_format(&p->piece, ", too few for a %s interval", figure_text(figure_level, c->confidence).at);
    }
    if (sets)
        buf_format(&p->piece, ", Welch's t%s over sessions%s)", c->by_trend ? " and analysis of covariance" : "",
                   c->by_anchor ? "' ratios to the anchor" : "");
    else
        buf_str(&p->piece, ", unpaired Hodges-Lehmann)");
    flow_put_hued(p, " ", HUE_DIM);
}

static void put_evidence(struct page *p, const struct comparison *c)
{
    if (c->reference_rounds) {
        put_unpaired_evidence(p, c);
        return;
    }
    bool paired = p->r->rule.interleaved && c->verdict != VERDICT_NONE;
    const char *unit = !paired ? "run" : command_count(p->r) == 2 ? "pair" : "round";
    buf_format(&p->piece, "(n = %d %s%s%s", c->rounds, unit, buf_plural(c->rounds), paired ? "" : " each");
    if (comparison_has_interval(c)) {
        put_level(p, c);
    } else if (paired) {
        buf_format(&p->piece, ", too few for a %s interval", figure_text(figure_level, c->confidence).at);
    }
    buf_str(&p->piece, paired                                ? ", Hodges-Lehmann)"
                       : p->r->rule.method == METHOD_GEORGES ? ", ratio of means)"
                                                             : ", ratio of medians)");
    flow_put_hued(p, " ", HUE_DIM);
}

static const char not_interleaved[] =
    "not interleaved, so drift may explain it; measure both in one session, or 3 sessions of each";

/* What holds for any two stored sessions has a short form. */
const char *short_reason(const struct comparison *c)
{
    if (!c->reason || !c->reference_rounds || !strstr(c->reason, "nothing drifted between the two"))
        return c->reason;
    return c->assumed_no_drift || c->verdict != verdict_plain(c->verdict) ? NULL : not_interleaved;
}

const char *reason_of_several(const char *why)
{
    return why != not_interleaved
               ? why
               : "not interleaved, so drift may explain the differences; measure both in one session, or 3 sessions of each";
}

bool can_project(const struct comparison *c)
{
    return c->rounds_needed > c->rounds && c->rounds_needed < 1e7;
}

/* "about 310 rounds would decide (2.1 min)": at the pace of those made, where it is known. */
void put_way_on(struct page *p, const struct comparison *c, bool duration)
{
    const double needed = two_digits_up(c->rounds_needed);
    if (!can_project(c)) {
        buf_str(&p->piece, "more rounds (-r), more time (--max-time) or a wider --margin may decide");
        return;
    }
    buf_format(&p->piece, "about %.0f rounds would decide", needed);
    if (!duration || !(c->seconds > 0) || c->rounds <= 0)
        return;
    buf_format(&p->piece, " (%s)", figure_text(figure_duration, c->seconds * needed / c->rounds).at);
}

static bool is_undecided(const struct comparison *c)
{
    return c->verdict == VERDICT_UNDECIDED;
}

/* Why there is no verdict, or no decided one, and what may help. */
static void put_open_end(struct page *p, const struct comparison *c)
{
    flow_break(p);
    if (c->reason) {
        buf_str(&p->piece, c->verdict == VERDICT_NONE ? "no verdict: " : "");
        put_text(p, c->reason);
        flow_spread(p, " ", HUE_PLAIN);
    } else if (is_undecided(c)) {
        put_way_on(p, c, true);
        flow_spread(p, " ", HUE_PLAIN);
    }
}

static void render_sentence(struct page *p, const struct comparison *c)
{
    flow_begin(p, 2, 4);
    put_comparison_head(p, c);
    if (is_refused(c)) {
        put_answer(p, c);
        flow_put(p, " ");
    } else if (isfinite(c->shift)) {
        put_answer(p, c);
        put_median_difference(p, c);
        if (has_remark(c))
            buf_char(&p->piece, ',');
        flow_put(p, " ");
        if (has_remark(c))
            put_margin_remark(p, c);
        flow_put(p, " ");
        put_evidence(p, c);
    }
    if (c->reason || is_undecided(c))
        put_open_end(p, c);
    flow_end(p);
}

/* In the order of the table. */
static void for_each_comparison(struct page *p, void (*render)(struct page *, const struct comparison *))
{
    int n, *order = table_order(p, &n);
    for (int i = 0; i < n; i++) {
        const struct comparison *c = record_comparison(p->r, order[i], p->r->rule.metric);
        if (c)
            render(p, c);
    }
    free(order);
}

void render_comparisons(struct page *p)
{
    if (!p->r->n_comparisons)
        return;
    bool paired = p->r->rule.interleaved, sessions = record_is_of_two_sessions(p->r);
    blank_line(p);
    flow_label(p, 0, 2, "Comparison", HUE_BOLD);
    if (sessions)
        buf_str(&p->piece, record_is_over_sessions(p->r) ? "(two sets of sessions)" : "(two sessions, not interleaved)");
    else if (paired)
        buf_format(&p->piece, "(%d interleaved round%s)", p->r->rounds, buf_plural(p->r->rounds));
    else
        buf_str(&p->piece, "(one command after the other)");
    flow_put_hued(p, " ", HUE_DIM);
    flow_end(p);
    for_each_comparison(p, render_sentence);
}

static void render_verdict(struct page *p, const struct comparison *c)
{
    flow_begin(p, 0, 2);
    put_comparison_head(p, c);
    put_answer(p, c);
    const bool answered = p->piece.len > 0;
    const char *why = verdict_in_effect(c) ? NULL : short_reason(c);
    flow_put(p, " ");
    if (why && !(answered && same_text(p->told, why))) {
        if (answered)
            flow_break(p);
        buf_str(&p->piece, c->verdict == VERDICT_NONE ? "no verdict: " : "");
        put_text(p, why);
        flow_spread(p, " ", HUE_PLAIN);
    }
    flow_end(p);
}

/* What leaves all of several ratios without a verdict. NULL: nothing does. *none, true before: of none was one asked for. */
static const char *reason_of_all(const struct record *r, bool *none)
{
    const char *reason = NULL;
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        const struct comparison *c = record_comparison(r, i, r->rule.metric);
        const bool open = c && !verdict_in_effect(c) && (is_refused(c) || isfinite(c->shift) || comparison_observed(r, c).n);
        const char *why = open ? short_reason(c) : NULL;
        *none &= !c || c->verdict == VERDICT_NONE;
        if (c && (!why || (n++ && !same_text(why, reason))))
            return NULL;
        reason = c ? why : reason;
    }
    return n > 1 ? reason : NULL;
}

void render_verdicts(struct page *p)
{
    bool none = true;
    const char *all = reason_of_all(p->r, &none);
    p->told = all;
    for_each_comparison(p, render_verdict);
    if (!all)
        return;
    flow_begin(p, 0, 2);
    buf_str(&p->piece, none ? "all: no verdict: " : "all: ");
    put_text(p, reason_of_several(all));
    flow_spread(p, " ", HUE_PLAIN);
    flow_end(p);
}

const struct comparison *hardest_comparison(const struct record *r)
{
    const struct comparison *found = NULL;
    for (int i = 0; i < r->n_comparisons; i++) {
        const struct comparison *c = &r->comparisons[i];
        if (is_undecided(c) && !c->reason && (!found || !(c->rounds_needed <= found->rounds_needed)))
            found = c;
    }
    return found;
}

void put_verdict_counts(struct page *p, const int *n, bool of_times)
{
    static const enum verdict others[] = {VERDICT_SAME,    VERDICT_LIKELY_SAME,    VERDICT_UNDECIDED,
                                          VERDICT_INVALID, VERDICT_NOT_COMPARABLE, VERDICT_NONE};
    const enum verdict less = of_times ? VERDICT_FASTER : VERDICT_LOWER, more = of_times ? VERDICT_SLOWER : VERDICT_HIGHER;
    const enum verdict likely_less = verdict_likely(less), likely_more = verdict_likely(more);
    const bool likely = n[likely_less] || n[likely_more] || n[VERDICT_LIKELY_SAME]; /* then no other is of interleaved rounds */
    const char *word = likely ? "likely " : "";
    buf_format(&p->piece, of_times ? "%d %sfaster, %d %sslower" : "%d %sless, %d %smore", n[likely ? likely_less : less], word,
               n[likely ? likely_more : more], word);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (n[others[i]])
            buf_format(&p->piece, ", %d %s", n[others[i]], verdict_word(others[i]));
}

void warn_of_verdict(struct page *p, enum verdict v)
{
    flow_warning(p, v == VERDICT_NONE                                        ? "no verdict"
                    : verdict_plain(v) == VERDICT_SAME || verdict_differs(v) ? "note"
                                                                             : verdict_word(v));
}

void render_outlook(const struct record *r, const struct comparison *c, const struct render_outlook *o, struct buf *out)
{
    const double width = expm1(o->half_width);
    buf_format(
        out,
        "'%s': at this scatter the %d round%s that fit will know the ratio to about ±%s only, too wide for a margin of %s; "
        "--margin %.0f%% could be decided, or about %.0f rounds are needed (--max-time)",
        r->subjects[c->subject].name, o->rounds_planned, buf_plural(o->rounds_planned), figure_text(figure_share, width).at,
        figure_text(figure_level, c->margin).at, ceil(100 * width), o->rounds_needed);
}
