/* SPDX-License-Identifier: MIT
 *
 *     Rerun of old.jsonl (measured 2026-11-20T10:00:00Z): reproduced
 *       vs ./a  then          now           ratio's change (95 % CI)  verdict
 *       ./b     1.82× faster  1.81× faster  +0.2 % (−0.9 to +1.3)     reproduced
 *       same machine · no known difference in programs
 *       ! conditions: governor 'performance' and 'powersave'
 *
 * Arcs have a table for each program, with the labels of their points in place of the claim. -v adds the intervals then and now.
 */
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <string.h>

static const struct {
    const char *verdict;
    enum hue hue;
} verdicts[] = {[AGREES] = {"reproduced", HUE_GOOD},
                [NOT_DECIDED] = {"undecided", HUE_BOLD},
                [DIFFERS] = {"not reproduced", HUE_BAD},
                [NOT_COMPARABLE] = {"not comparable", HUE_BOLD}};

static void put_agreement(struct page *p, enum agreement word)
{
    hue_on(p, &p->piece, verdicts[word].hue);
    buf_str(&p->piece, verdicts[word].verdict);
    hue_off(p, &p->piece, verdicts[word].hue);
}

/* Which items a table has: those of commands and benchmarks, or the arcs of one program or pair. */

enum { ARCS_SHOWN = 20, NO_ARCS = -2 };

struct shown {
    const struct repetition *found;
    int subject, reference; /* subject NO_ARCS: no arcs */
};

/* By itself, beside what decides: with -v only, except of arcs. */
static bool is_shown(const struct page *p, const struct shown *s, int i)
{
    const struct repeated *x = &s->found->items[i];
    const bool decides = i < s->found->n_deciding;
    if (s->subject == NO_ARCS)
        return !x->from && (decides || p->o->verbosity > 0);
    return (decides || p->o->verbosity >= 0) && x->from && x->subject == s->subject && x->reference == s->reference;
}

static int first_shown(const struct page *p, const struct shown *s)
{
    for (int i = 0; i < s->found->n; i++)
        if (is_shown(p, s, i))
            return i;
    return -1;
}

static void put_claim(struct page *p, const struct repeated *x, bool with_reference)
{
    const bool pair = with_reference && x->reference >= 0;
    const int columns = name_columns(p, pair ? 6 : 3);
    if (x->subject < 0)
        put_cut(p, x->name, columns);
    else
        put_short_name(p, x->subject, columns);
    if (!pair)
        return;
    buf_str(&p->piece, " vs ");
    put_short_name(p, x->reference, name_columns(p, 6));
}

/* All that are shown are pairs with this reference, which then heads the column; -1: they are not. */
static int common_reference(const struct page *p, const struct shown *s)
{
    const int first = first_shown(p, s);
    for (int i = 0; i < s->found->n; i++)
        if (is_shown(p, s, i) && s->found->items[i].reference != s->found->items[first].reference)
            return -1;
    return s->found->items[first].reference;
}

static const char *claim_title(struct table *t, const struct shown *s)
{
    struct page *p = t->p;
    const int reference = common_reference(p, s);
    if (reference < 0)
        return "claim";
    buf_str(&p->piece, "vs ");
    put_short_name(p, reference, name_columns(p, 6));
    return table_text(t);
}

/* "1.82× faster", "same −0.1 %"; with -v its interval, too. */
static void put_ratio(struct page *p, const struct repeated *x, const struct repeated_side *side)
{
    const bool full = p->o->verbosity > 0;
    const struct comparison c = {.kind = x->from ? METRIC_TIME : x->kind,
                                 .metric = x->from ? "arc" : x->metric,
                                 .verdict = side->verdict,
                                 .shift = side->shift,
                                 .low = full ? side->low : NAN,
                                 .high = full ? side->high : NAN,
                                 .better = -1};
    if (!side->rounds)
        return;
    if (!verdict_differs(side->verdict) || !isfinite(side->shift))
        buf_format(&p->piece, "%s%s", verdict_name(side->verdict), isfinite(side->shift) ? " " : "");
    if (isfinite(side->shift))
        verdict_put_effect(&p->piece, p->r, &c);
}

/* The median of a command or benchmark in its own record. */
static double median_of(const struct record *r, const struct repeated *x)
{
    for (int i = 0; i < r->n_subjects; i++) {
        const struct estimate *e = strcmp(r->subjects[i].name, x->name) ? NULL : record_estimate(r, i, x->metric, "median");
        if (e)
            return e->point;
    }
    return NAN;
}

/* Its digits are those that the ratio knows. */
static void put_value(struct page *p, const struct repeated *x, double value)
{
    if (!isfinite(value))
        return;
    const char *base = x->from ? "ns" : base_unit(p->r, x->metric);
    const struct unit u = page_unit(p, base, value);
    figure_with(&p->piece, value, u, figure_decimals(value / u.factor, value * half_width(x->low, x->high) / u.factor));
}

static void side_cell(struct table *t, const struct repetition *found, const struct repeated *x, bool then)
{
    if (x->reference >= 0)
        put_ratio(t->p, x, then ? &x->then : &x->now);
    else if (x->from)
        put_value(t->p, x, then ? x->then_ns : x->now_ns);
    else
        put_value(t->p, x, median_of(then ? found->then : t->p->r, x));
    table_cell(t);
}

static void item_row(struct table *t, const struct shown *s, int i, bool with_reference)
{
    struct page *p = t->p;
    const struct repeated *x = &s->found->items[i];
    const struct comparison change = {.kind = x->from ? METRIC_TIME : x->kind,
                                      .metric = x->from ? "arc" : x->metric,
                                      .shift = x->change,
                                      .low = x->low,
                                      .high = x->high,
                                      .better = -1};
    const int columns = cutting_width(p) / 4;
    if (x->from)
        put_cut(p, x->from, columns);
    else
        put_claim(p, x, with_reference);
    table_cell(t);
    if (x->from)
        put_cut(p, x->to, columns);
    table_cell(t);
    side_cell(t, s->found, x, true);
    side_cell(t, s->found, x, false);
    if (isfinite(x->change))
        verdict_put_effect(&p->piece, p->r, &change);
    table_cell(t);
    if (i < s->found->n_deciding)
        put_agreement(p, x->word);
    table_cell(t);
    if (x->from && isfinite(x->share))
        figure_share(&p->piece, x->share);
    table_cell(t);
}

static void put_heading(struct page *p, const struct shown *s)
{
    put_name(p, s->subject, name_columns(p, 2));
    if (s->reference >= 0) {
        buf_str(&p->piece, " vs ");
        put_name(p, s->reference, name_columns(p, 2));
    }
    buf_str(&p->piece, ", arc by arc");
    flow_line(p, 2, HUE_BOLD);
}

/* Beside what decides only what has no figure needs a reason. */
static const char *reason_of(const struct page *p, const struct shown *s, int i)
{
    const struct repeated *x = &s->found->items[i];
    return is_shown(p, s, i) && (i < s->found->n_deciding || !isfinite(x->change)) ? x->reason : NULL;
}

/* Once, for all items of which it is true; 0: one before this had it. */
static int items_of_reason(const struct page *p, const struct shown *s, int index)
{
    const char *reason = reason_of(p, s, index);
    int n = 0;
    for (int i = 0; reason && i < s->found->n; i++) {
        const bool same = reason_of(p, s, i) && !strcmp(reason_of(p, s, i), reason);
        if (same && i < index)
            return 0;
        n += same;
    }
    return n;
}

static bool any_by_itself(const struct page *p, const struct shown *s)
{
    for (int i = 0; i < s->found->n; i++)
        if (is_shown(p, s, i) && s->found->items[i].reference < 0 && isfinite(s->found->items[i].change))
            return true;
    return false;
}

static void put_notes(struct page *p, const struct shown *s, int left_out)
{
    if (left_out)
        buf_format(&p->piece, "%d more arc%s with -v", left_out, buf_plural(left_out));
    flow_line(p, 2, HUE_DIM);
    for (int i = 0; i < s->found->n; i++) {
        const int n = items_of_reason(p, s, i);
        if (!n)
            continue;
        if (n > 1 || s->subject != NO_ARCS)
            buf_format(&p->piece, "%d %s%s", n, s->subject == NO_ARCS ? "claim" : "arc", buf_plural(n));
        else
            put_claim(p, &s->found->items[i], true);
        buf_str(&p->piece, ": ");
        put_text(p, s->found->items[i].reason);
        flow_line(p, 2, HUE_DIM);
    }
    if (p->o->verbosity >= 0 && any_by_itself(p, s))
        buf_str(&p->piece, s->subject == NO_ARCS
                               ? "changes of single commands assume that nothing drifted between the two sessions"
                               : "changes assume that nothing drifted between the two sessions");
    flow_line(p, 2, HUE_DIM);
}

/* What could not be measured again has none. */
static double level_of(const struct page *p, const struct shown *s, int first)
{
    const struct repetition *f = s->found;
    for (int i = first; i < f->n; i++)
        if (is_shown(p, s, i) && f->items[i].confidence > 0)
            return f->items[i].confidence;
    return p->r->rule.confidence;
}

/* What is not reproduced is never left out. */
static void render_table(struct page *p, const struct shown *s)
{
    const struct repetition *f = s->found;
    const int first = first_shown(p, s);
    const bool arcs = s->subject != NO_ARCS;
    const enum table_side side = arcs && s->reference < 0 ? SIDE_RIGHT : SIDE_LEFT;
    struct table t;
    int rows = 0, left_out = 0;
    if (first < 0)
        return;
    if (arcs)
        put_heading(p, s);
    table_begin(&t, p, NULL, 0);
    t.headed = !arcs && common_reference(p, s) >= 0;
    table_column(&t, (struct table_column){arcs ? "from" : claim_title(&t, s), SIDE_LEFT, 0});
    table_column(&t, (struct table_column){"to", SIDE_LEFT, arcs ? 0 : TABLE_NEVER});
    table_column(&t, (struct table_column){"then", side, 3});
    table_column(&t, (struct table_column){"now", side, 4});
    buf_format(&p->piece, "%s (%s CI)", f->items[first].reference >= 0 ? "ratio's change" : "change",
               figure_text(figure_level, level_of(p, s, first)).at);
    table_titled(&t, SIDE_LEFT, 0);
    table_column(&t, (struct table_column){"verdict", SIDE_LEFT, 0});
    table_column(&t, (struct table_column){"share", SIDE_RIGHT, arcs ? 2 : TABLE_NEVER});
    for (int i = first; i < f->n; i++) {
        const bool decides = i < f->n_deciding;
        if (!is_shown(p, s, i))
            continue;
        if (arcs && rows >= ARCS_SHOWN && p->o->verbosity <= 0 && !(decides && f->items[i].word != AGREES)) {
            left_out++;
            continue;
        }
        item_row(&t, s, i, !strcmp(t.columns[0].title, "claim"));
        rows++;
    }
    table_end(&t, 2);
    put_notes(p, s, left_out);
}

static void render_arcs(struct page *p, const struct repetition *found)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        for (int k = 0; k < p->r->n_subjects; k++)
            render_table(p, &(struct shown){found, i, k});
    for (int i = 0; i < p->r->n_subjects; i++)
        render_table(p, &(struct shown){found, i, -1});
    if (p->o->verbosity > 0 && found->n > found->n_deciding && found->items[found->n_deciding].from)
        buf_str(&p->piece,
                "Arcs without a verdict decide nothing: they take less than a hundredth of the time, are new, are too short "
                "for the probe, or are in a ratio above.");
    flow_line(p, 2, HUE_DIM);
}

enum { DIFFERENCES_SHOWN = 2 };

/* What is known to be the same, in one line; then each difference in one, with -v in full. */
static void render_surroundings(struct page *p, const struct repetition *f)
{
    const struct {
        const char *what, *differences;
    } parts[] = {{"machine", f->machine}, {"programs", f->programs}, {"conditions", f->conditions}, {"tare", f->tool}};
    const int columns = p->o->verbosity > 0 || p->o->width <= 0 ? 0 : p->o->width - (int)strlen("  ! conditions: ");
    int shown = 0;
    flow_begin(p, 2, 4);
    if (!*f->machine)
        buf_str(&p->piece, f->machine_known ? "same machine" : "machine not known for both");
    summary_part(p);
    if (!*f->programs || !*f->conditions)
        buf_format(&p->piece, "no known difference in %s%s%s", *f->programs ? "" : "programs",
                   *f->programs || *f->conditions ? "" : " and ", *f->conditions ? "" : "conditions");
    summary_part(p);
    flow_end(p);
    for (int i = 0; i < 4; i++) {
        if (!*parts[i].differences || (shown++ >= DIFFERENCES_SHOWN && p->o->verbosity <= 0))
            continue;
        flow_warning(p, parts[i].what);
        quote_cut(&p->piece, parts[i].differences, columns, true);
        flow_rest(p);
    }
    if (shown > DIFFERENCES_SHOWN && p->o->verbosity <= 0)
        buf_format(&p->piece, "%d more difference%s with -v", shown - DIFFERENCES_SHOWN, buf_plural(shown - DIFFERENCES_SHOWN));
    flow_line(p, 2, HUE_DIM);
}

void render_repetition(const struct record *now, const struct repetition *found, const char *title,
                       const struct render_options *o, struct buf *out)
{
    struct page p = page_over(now, o, out);
    buf_str(&p.piece, "Rerun of ");
    quote_mask(&p.piece, title, o->unicode);
    buf_str(&p.piece, ": ");
    put_agreement(&p, found->word);
    flow_line(&p, 0, HUE_PLAIN);
    render_arcs(&p, found);
    render_table(&p, &(struct shown){found, NO_ARCS, -1});
    if (o->verbosity >= 0)
        render_surroundings(&p, found);
    page_finish(&p);
}
