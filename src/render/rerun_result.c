/* SPDX-License-Identifier: MIT
 *
 *     Repetition of old.jsonl, measured 2026-11-20T10:00:00Z: AGREES
 *       './b' against './a' AGREES: changed by +0.2 % [-0.9, +1.3] (95 %)
 *         then FASTER, 1.82× faster (1.80–1.84) (33 rounds)
 *         now FASTER, 1.81× faster (1.79–1.84) (22 rounds)
 *       Machine: the same.
 *       Conditions: governor 'performance' and 'powersave'
 */
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <string.h>

static const struct {
    const char *word;
    enum hue hue;
} words[] = {[AGREES] = {"AGREES", HUE_GOOD}, [DIFFERS] = {"DIFFERS", HUE_BAD}, [NOT_COMPARABLE] = {"NOT COMPARABLE", HUE_BOLD}};

static void put_agreement(struct page *p, enum agreement word)
{
    hue_on(p, &p->piece, words[word].hue);
    buf_str(&p->piece, words[word].word);
    hue_off(p, &p->piece, words[word].hue);
}

/* ---- arc by arc ----
 *
 *       './mine', arc by arc, each by itself if nothing drifted between the two sessions
 *         from     to       then       now        ratio                    word    share
 *         q.c:20   q.c:30   20.00 us   20.01 us   1.000 x [0.997, 1.004]   AGREES  88.9 %
 *       Arcs without a word decide nothing: ...
 */

enum { ARCS_SHOWN = 20 };

struct shown { /* which of the items */
    const struct repetition *found;
    int subject, reference;
};

static bool is_shown(const struct page *p, const struct shown *s, int i)
{
    const struct repeated *x = &s->found->items[i];
    bool quiet = p->o->verbosity < 0 && i >= s->found->n_deciding;
    return !quiet && x->from && x->subject == s->subject && x->reference == s->reference;
}

static int count(const struct page *p, const struct shown *s, int from)
{
    int n = 0;
    for (int i = from; i < s->found->n; i++)
        n += is_shown(p, s, i);
    return n;
}

/* ---- cells: a row is one of the items ---- */

struct item_row {
    const struct repeated *x;
    bool decides;
};

static const struct repeated *item(const void *row)
{
    return ((const struct item_row *)row)->x;
}

static void label_cell(struct page *p, const void *row)
{
    const char *label = !strcmp(p->cell->title, "from") ? item(row)->from : item(row)->to;
    quote_cut(&p->piece, label, p->o->width > 0 ? p->o->width / 4 : 0, p->o->unicode);
}

/* Its digits are those that the ratio knows. */
static void time_cell(struct page *p, const void *row)
{
    const struct repeated *x = item(row);
    const double ns = !strcmp(p->cell->title, "then") ? x->then_ns : x->now_ns;
    if (isfinite(ns))
        put_time(p, ns, ns * half_width(x->low, x->high));
}

static void put_ratio(struct page *p, enum verdict verdict, double shift, double low, double high)
{
    const struct comparison c = {
        .kind = METRIC_TIME, .metric = "arc", .verdict = verdict, .shift = shift, .low = low, .high = high, .better = -1};
    if (isfinite(shift))
        put_effect(p, &c);
}

static void side_cell(struct page *p, const void *row)
{
    const struct repeated_side *side = !strcmp(p->cell->title, "then") ? &item(row)->then : &item(row)->now;
    if (side->rounds)
        put_ratio(p, side->verdict, side->shift, side->low, side->high);
}

static void change_cell(struct page *p, const void *row)
{
    put_ratio(p, VERDICT_NONE, item(row)->change, item(row)->low, item(row)->high);
}

static void word_cell(struct page *p, const void *row)
{
    if (((const struct item_row *)row)->decides)
        put_agreement(p, item(row)->word);
}

static void share_cell(struct page *p, const void *row)
{
    if (isfinite(item(row)->share))
        figure_share(&p->piece, item(row)->share);
}

/* ---- a table, and what is to be said of it ---- */

static void put_heading(struct page *p, const struct shown *s)
{
    put_name(p, s->subject, name_columns(p, 2));
    if (s->reference >= 0) {
        buf_str(&p->piece, " against ");
        put_name(p, s->reference, name_columns(p, 2));
        buf_str(&p->piece, ", arc by arc: the ratio then, now, and how it changed");
    } else {
        buf_str(&p->piece, ", arc by arc, each by itself if nothing drifted between the two sessions");
    }
    flow_line(p, 2, HUE_BOLD);
}

static bool same_reason(const struct repeated *a, const struct repeated *b)
{
    return a->reason && b->reason && a->word == b->word && !strcmp(a->reason, b->reason);
}

/* Beside what decides only what has no figure needs a reason. */
static bool says_why(const struct page *p, const struct shown *s, int i)
{
    const struct repeated *x = &s->found->items[i];
    return is_shown(p, s, i) && x->reason && (i < s->found->n_deciding || !isfinite(x->change));
}

/* Once, for all arcs of which it is true; 0: an arc before this one had it. */
static int arcs_of_reason(const struct page *p, const struct shown *s, int index)
{
    const struct repetition *f = s->found;
    bool decides = index < f->n_deciding;
    int n = 0;
    for (int i = decides ? 0 : f->n_deciding; i < (decides ? f->n_deciding : f->n); i++) {
        bool same = says_why(p, s, i) && same_reason(&f->items[i], &f->items[index]);
        if (same && i < index)
            return 0;
        n += same;
    }
    return n;
}

static void put_reasons(struct page *p, const struct shown *s)
{
    for (int i = 0; i < s->found->n; i++) {
        int n = says_why(p, s, i) ? arcs_of_reason(p, s, i) : 0;
        if (!n)
            continue;
        flow_begin(p, 4, 6);
        buf_format(&p->piece, "%d arc%s", n, buf_plural(n));
        if (i < s->found->n_deciding) {
            buf_char(&p->piece, ' ');
            put_agreement(p, s->found->items[i].word);
        }
        buf_char(&p->piece, ':');
        flow_put(p, "");
        put_text(p, s->found->items[i].reason);
        flow_spread(p, " ", HUE_PLAIN);
        flow_end(p);
    }
}

static void put_left_out(struct page *p, int n)
{
    if (n)
        buf_format(&p->piece, "And %d more arc%s (-v).", n, buf_plural(n));
    flow_line(p, 4, HUE_DIM);
}

/* What does not agree is never left out. */
static void render_table(struct page *p, const struct shown *s)
{
    const bool alone = s->reference < 0;
    const struct table_column columns[] = {{"from", SIDE_LEFT, 0, label_cell},
                                           {"to", SIDE_LEFT, 0, label_cell},
                                           {"then", alone ? SIDE_RIGHT : SIDE_LEFT, 3, alone ? time_cell : side_cell},
                                           {"now", alone ? SIDE_RIGHT : SIDE_LEFT, 4, alone ? time_cell : side_cell},
                                           {"changed", SIDE_LEFT, 5, change_cell},
                                           {"word", SIDE_LEFT, 0, word_cell},
                                           {"share", SIDE_RIGHT, 2, share_cell}};
    const struct repetition *f = s->found;
    struct table t;
    int rows = 0, left_out = 0;
    if (!count(p, s, 0))
        return;
    put_heading(p, s);
    table_begin(&t, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < f->n; i++) {
        bool decides = i < f->n_deciding;
        if (!is_shown(p, s, i))
            continue;
        if (rows >= ARCS_SHOWN && p->o->verbosity <= 0 && !(decides && f->items[i].word != AGREES)) {
            left_out++;
            continue;
        }
        table_row(p, &t, &(struct item_row){&f->items[i], decides});
        rows++;
    }
    table_end(p, &t, 4);
    put_reasons(p, s);
    put_left_out(p, left_out);
}

static void say_what_decides(struct page *p)
{
    buf_str(&p->piece,
            "Arcs without a word decide nothing: they take less than a hundredth of the time, are new, are too short for the "
            "probe, or are in a ratio above.");
    flow_line(p, 2, HUE_DIM);
}

static void render_repeated_arcs(struct page *p, const struct repetition *found)
{
    bool beside = false;
    for (int i = 0; i < p->r->n_subjects; i++)
        for (int k = 0; k < p->r->n_subjects; k++)
            render_table(p, &(struct shown){found, i, k});
    for (int i = 0; i < p->r->n_subjects; i++)
        render_table(p, &(struct shown){found, i, -1});
    for (int i = found->n_deciding; i < found->n; i++)
        beside |= found->items[i].from != NULL;
    if (beside && p->o->verbosity >= 0)
        say_what_decides(p);
}

/* ---- commands and benchmarks ---- */

static void put_change(struct page *p, const struct repeated *x)
{
    const struct comparison c = {
        .kind = x->kind, .metric = x->metric, .shift = x->change, .low = x->low, .high = x->high, .better = -1};
    if (!isfinite(x->change))
        return;
    buf_str(&p->piece, "changed by ");
    put_effect(p, &c);
    if (comparison_has_interval(&c)) {
        buf_str(&p->piece, " (");
        figure_level(&p->piece, x->confidence);
        buf_char(&p->piece, ')');
    }
    flow_put(p, " ");
}

static void put_reason(struct page *p, const struct repeated *x)
{
    if (!x->reason)
        return;
    flow_break(p);
    put_text(p, x->reason);
    flow_spread(p, "", HUE_PLAIN);
}

static void put_side(struct page *p, const char *when, const struct repeated *x, const struct repeated_side *side)
{
    const struct comparison c = {.kind = x->kind,
                                 .metric = x->metric,
                                 .shift = side->shift,
                                 .low = side->low,
                                 .high = side->high,
                                 .verdict = side->verdict,
                                 .subject = x->subject,
                                 .reference = x->reference,
                                 .better = -1};
    if (!side->rounds)
        return;
    buf_str(&p->piece, when);
    put_verdict(p, &c);
    buf_str(&p->piece, ", ");
    put_effect(p, &c);
    buf_format(&p->piece, " (%d round%s)", side->rounds, buf_plural(side->rounds));
    flow_put(p, " ");
}

static void render_pair(struct page *p, const struct repeated *x)
{
    int columns = name_columns(p, 2);
    flow_begin(p, 2, 4);
    put_name(p, x->subject, columns);
    buf_str(&p->piece, " against ");
    put_name(p, x->reference, columns);
    buf_char(&p->piece, ' ');
    put_agreement(p, x->word);
    buf_char(&p->piece, ':');
    flow_put(p, "");
    put_change(p, x);
    put_reason(p, x);
    if (p->o->verbosity >= 0) {
        flow_break(p);
        put_side(p, "then ", x, &x->then);
        flow_break(p);
        put_side(p, "now ", x, &x->now);
    }
    flow_end(p);
}

/* Beside a comparison it decides nothing, and has no word. */
static void render_alone(struct page *p, const struct repeated *x, bool decides)
{
    flow_begin(p, 2, 4);
    if (x->subject >= 0)
        put_name(p, x->subject, name_columns(p, 1));
    else
        quote_name(&p->piece, x->name, name_columns(p, 1), p->o->unicode);
    if (decides) {
        buf_char(&p->piece, ' ');
        put_agreement(p, x->word);
    } else {
        buf_str(&p->piece, " by itself");
    }
    buf_char(&p->piece, ':');
    flow_put(p, "");
    put_change(p, x);
    if (isfinite(x->change)) {
        buf_str(&p->piece, "if nothing drifted between the two sessions");
        flow_spread(p, " ", HUE_DIM);
    }
    if (decides || !isfinite(x->change))
        put_reason(p, x);
    flow_end(p);
}

static void render_list(struct page *p, const char *what, const char *list, const char *none)
{
    flow_label(p, 2, 4, what, HUE_BOLD);
    put_text(p, *list ? list : none);
    flow_spread(p, " ", HUE_PLAIN);
    flow_end(p);
}

static void render_title(struct page *p, const char *title, enum agreement word)
{
    buf_str(&p->piece, "Repetition of ");
    quote_mask(&p->piece, title, p->o->unicode);
    buf_str(&p->piece, ": ");
    put_agreement(p, word);
    flow_line(p, 0, HUE_PLAIN);
}

void render_repetition(const struct record *now, const struct repetition *found, const char *title,
                       const struct render_options *o, struct buf *out)
{
    struct page p = page_over(now, o, out);
    bool quiet = o->verbosity < 0;
    render_title(&p, title, found->word);
    render_repeated_arcs(&p, found);
    for (int i = 0; i < found->n && !(quiet && i >= found->n_deciding); i++)
        if (found->items[i].from)
            continue;
        else if (found->items[i].reference >= 0)
            render_pair(&p, &found->items[i]);
        else
            render_alone(&p, &found->items[i], i < found->n_deciding);
    if (!quiet) {
        render_list(&p, "Machine:", found->machine, found->machine_known ? "the same." : "not known of both.");
        render_list(&p, "Programs:", found->programs, "no difference known.");
        render_list(&p, "Conditions:", found->conditions, "no difference known.");
    }
    if (!quiet && *found->tool)
        render_list(&p, "Tool:", found->tool, "");
    page_finish(&p);
}
