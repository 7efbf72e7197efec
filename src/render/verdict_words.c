/* SPDX-License-Identifier: MIT
 *
 *     Comparison (64 interleaved rounds)
 *       'rg -c foo' is FASTER than 'grep -c foo': 1.82 × as fast [1.80, 1.84], −5.56 ms, by more than the 1 % margin
 *         (n = 64 pairs, 95 % over 9 looks, decided at look 5, Hodges-Lehmann)
 *
 * One sentence a comparison, the word first, then the effect with its interval, then what it rests on. The words are the
 * fixed ones of the verdict; a proven sign is never said to matter, and a missing proof never to be equality.
 */
#include "layout.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_wall(const struct comparison *c)
{
    return !strcmp(c->metric, "wall");
}

static bool decided(enum verdict v)
{
    return v == VERDICT_FASTER || v == VERDICT_SLOWER || v == VERDICT_LOWER || v == VERDICT_HIGHER;
}

static enum hue hue_of(const struct comparison *c)
{
    if (!decided(c->verdict))
        return c->verdict == VERDICT_SAME ? HUE_BOLD : HUE_PLAIN;
    return c->better == c->subject ? HUE_GOOD : c->better == c->reference ? HUE_BAD : HUE_BOLD;
}

static void put_word(struct page *p, const struct comparison *c, const char *word)
{
    hue_on(p, &p->piece, hue_of(c));
    buf_str(&p->piece, word);
    hue_off(p, &p->piece, hue_of(c));
}

/* ---- the sentence's head: who is what against whom ---- */

static void put_head(struct page *p, const struct comparison *c)
{
    static const struct {
        const char *before, *word, *after;
    } words[] = {
        [VERDICT_NONE] = {" against ", NULL, ""},
        [VERDICT_FASTER] = {" is ", "FASTER", " than "},
        [VERDICT_SLOWER] = {" is ", "SLOWER", " than "},
        [VERDICT_LOWER] = {" is ", "LOWER", " than "},
        [VERDICT_HIGHER] = {" is ", "HIGHER", " than "},
        [VERDICT_SAME] = {" is the ", "SAME", " as "},
        [VERDICT_UNDECIDED] = {" is ", "UNDECIDED", " against "},
        [VERDICT_INVALID] = {" is ", "INVALID", " against "},
        [VERDICT_NOT_COMPARABLE] = {" is ", "NOT COMPARABLE", " with "},
    };
    int columns = name_columns(p, 2);
    put_name(p, c->subject, columns);
    buf_str(&p->piece, words[c->verdict].before);
    if (words[c->verdict].word)
        put_word(p, c, words[c->verdict].word);
    buf_str(&p->piece, words[c->verdict].after);
    put_name(p, c->reference, columns);
    if (!is_wall(c))
        buf_format(&p->piece, " in %s", metric_title(p, c->metric));
    if (c->verdict == VERDICT_SAME) {
        buf_format(&p->piece, " within %s", p->sym->plus_minus);
        put_margin(p, c);
    }
    buf_char(&p->piece, ':');
    flow_put(p, " ");
}

/* ---- the effect ---- */

/* ", −5.56 ms": between the medians shown with the commands; left out where it would contradict the paired estimate. */
static void put_median_difference(struct page *p, const struct comparison *c)
{
    const struct estimate *a = record_estimate(p->r, c->reference, c->metric, "median");
    const struct estimate *b = record_estimate(p->r, c->subject, c->metric, "median");
    if (!decided(c->verdict) || c->kind == METRIC_COUNT || !a || !b || !isfinite(a->point) || !isfinite(b->point))
        return;
    double difference = b->point - a->point;
    if (difference == 0 || (difference > 0) != (c->shift > 0))
        return;
    struct unit u = metric_unit(p, c->metric);
    int da = estimate_decimals(a, u), db = estimate_decimals(b, u);
    buf_str(&p->piece, ", ");
    put_signed(p, difference / u.factor, da < db ? da : db);
    put_unit(p, u);
}

static const char *direction_word(const struct comparison *c)
{
    bool up = c->shift > 0;
    return c->kind == METRIC_TIME ? (up ? "slower" : "faster") : (up ? "higher" : "lower");
}

/* What the word alone would let the reader believe too much or too little of. */
static void put_margin_remark(struct page *p, const struct comparison *c)
{
    if (decided(c->verdict)) {
        buf_str(&p->piece, c->beyond_margin ? "by more than the " : "perhaps by less than the ");
        put_margin(p, c);
        buf_str(&p->piece, " margin");
    } else if (c->verdict == VERDICT_SAME && c->sign_proven) {
        buf_format(&p->piece, "really %s, but by less than the margin", direction_word(c));
    }
}

static bool has_remark(const struct comparison *c)
{
    return decided(c->verdict) || (c->verdict == VERDICT_SAME && c->sign_proven);
}

/* ---- what it rests on ---- */

static void put_looks(struct page *p, const struct comparison *c)
{
    int comparisons = command_count(p->r) - 1;
    if (c->looks_planned > 1)
        buf_format(&p->piece, " over %d looks", c->looks_planned);
    if (comparisons > 1)
        buf_format(&p->piece, "%s%d comparisons", c->looks_planned > 1 ? " and " : " over ", comparisons);
    if (c->looks_planned > 1 && c->look > 0)
        buf_format(&p->piece, ", %s look %d", c->verdict == VERDICT_UNDECIDED ? "at" : "decided at", c->look);
}

static void put_evidence(struct page *p, const struct comparison *c)
{
    const char *unit = !p->r->rule.interleaved ? "runs each" : command_count(p->r) == 2 ? "pairs" : "rounds";
    buf_format(&p->piece, "(n = %d %s, ", c->rounds, unit);
    if (comparison_has_interval(c)) {
        put_percent(p, c->confidence);
        put_looks(p, c);
    } else {
        buf_str(&p->piece, "too few for a ");
        put_percent(p, c->confidence);
        buf_str(&p->piece, " interval");
    }
    buf_str(&p->piece, ", Hodges-Lehmann)");
    flow_put_hued(p, " ", HUE_DIM);
}

/* ---- what to do ---- */

static void put_way_on(struct page *p, const struct comparison *c)
{
    double more = ceil(c->rounds_needed) - c->rounds;
    if (c->verdict != VERDICT_UNDECIDED)
        return;
    if (more >= 1 && more < 1e7)
        buf_format(&p->piece, "About %.0f more rounds would decide: -r %.0f", more, ceil(c->rounds_needed));
    else if (!c->reason)
        buf_str(&p->piece, "More rounds (-r), more time (--max-time) or a wider --margin may decide");
    flow_put(p, " ");
}

static void put_reason(struct page *p, const struct comparison *c)
{
    if (!c->reason)
        return;
    if (c->verdict == VERDICT_NONE)
        flow_words(p, "no word,");
    flow_words(p, c->reason);
}

static void render_sentence(struct page *p, const struct comparison *c)
{
    flow_begin(p, 2, 4);
    put_head(p, c);
    bool has_value = isfinite(c->shift);
    if (!has_value || c->verdict == VERDICT_NONE || c->verdict == VERDICT_INVALID || c->verdict == VERDICT_NOT_COMPARABLE)
        put_reason(p, c);
    if (has_value) {
        put_effect(p, c);
        put_median_difference(p, c);
        if (has_remark(c))
            buf_char(&p->piece, ',');
        flow_put(p, " ");
        put_margin_remark(p, c);
        flow_put(p, " ");
    }
    if (c->rounds > 0)
        put_evidence(p, c);
    if (c->verdict == VERDICT_UNDECIDED && has_value)
        put_reason(p, c);
    put_way_on(p, c);
    flow_end(p);
}

static void render_title(struct page *p)
{
    flow_begin(p, 0, 2);
    buf_str(&p->piece, "Comparison");
    flow_put_hued(p, "", HUE_BOLD);
    buf_format(&p->piece, p->r->rule.interleaved ? "(%d interleaved rounds)" : "(%d runs each, one command after the other)",
               p->r->rounds);
    flow_put_hued(p, " ", HUE_DIM);
    flow_end(p);
}

void render_comparisons(struct page *p)
{
    if (!p->r->n_comparisons)
        return;
    int *order = malloc((size_t)p->r->n_subjects * sizeof *order);
    if (!order) {
        p->out->status = TARE_NO_MEMORY;
        return;
    }
    render_title(p);
    int n = subject_order(p, p->o->sort == RENDER_SORT_COMMAND ? RENDER_SORT_COMMAND : RENDER_SORT_MEAN_TIME, order);
    for (int i = 0; i < n; i++) {
        const struct comparison *c = record_comparison(p->r, order[i], p->r->rule.metric);
        if (c)
            render_sentence(p, c);
    }
    free(order);
}
