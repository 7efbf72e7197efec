/* SPDX-License-Identifier: MIT
 *
 *       './mine', arc by arc, each by itself if nothing drifted between the two sessions
 *         from     to       then       now        ratio                    word    share
 *         q.c:20   q.c:30   20.00 us   20.01 us   1.000 x [0.997, 1.004]   AGREES  88.9 %
 *       Arcs without a word decide nothing: ...
 */
#include "quote.h"
#include "trace_page.h"
#include <math.h>
#include <string.h>

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

/* ---- rows ---- */

static void label_cell(struct page *p, struct table *t, const char *label)
{
    quote_cut(&p->piece, label, p->o->width > 0 ? p->o->width / 4 : 0, p->o->unicode);
    table_cell(p, t);
}

/* Its digits are those that the ratio knows. */
static void time_cell(struct page *p, struct table *t, const struct repeated *x, double ns)
{
    if (isfinite(ns))
        trace_put_time(p, ns, ns * half_width(x->low, x->high));
    table_cell(p, t);
}

static void ratio_cell(struct page *p, struct table *t, double shift, double low, double high)
{
    const struct comparison c = {.kind = METRIC_TIME, .metric = "arc", .shift = shift, .low = low, .high = high, .better = -1};
    effect_cell(p, t, isfinite(shift) ? &c : NULL);
}

static void word_cells(struct page *p, struct table *t, const struct repeated *x, bool decides)
{
    if (decides)
        rerun_put_word(p, x->word);
    table_cell(p, t);
    if (isfinite(x->share))
        trace_put_share(p, x->share);
    table_cell(p, t);
}

static void row_alone(struct page *p, struct table *t, const struct repeated *x, bool decides)
{
    label_cell(p, t, x->from);
    label_cell(p, t, x->to);
    time_cell(p, t, x, x->then_ns);
    time_cell(p, t, x, x->now_ns);
    ratio_cell(p, t, x->change, x->low, x->high);
    word_cells(p, t, x, decides);
}

static void side_cell(struct page *p, struct table *t, const struct repeated_side *side)
{
    if (side->rounds)
        ratio_cell(p, t, side->shift, side->low, side->high);
    else
        table_cell(p, t);
}

static void row_ratio(struct page *p, struct table *t, const struct repeated *x, bool decides)
{
    label_cell(p, t, x->from);
    label_cell(p, t, x->to);
    side_cell(p, t, &x->then);
    side_cell(p, t, &x->now);
    ratio_cell(p, t, x->change, x->low, x->high);
    word_cells(p, t, x, decides);
}

/* ---- a table, and what is to be said of it ---- */

static void put_heading(struct page *p, const struct shown *s)
{
    flow_begin(p, 2, 4);
    put_name(p, s->subject, name_columns(p, 2));
    if (s->reference >= 0) {
        buf_str(&p->piece, " against ");
        put_name(p, s->reference, name_columns(p, 2));
        buf_str(&p->piece, ", arc by arc: the ratio then, now, and how it changed");
    } else {
        buf_str(&p->piece, ", arc by arc, each by itself if nothing drifted between the two sessions");
    }
    flow_spread(p, "", HUE_BOLD);
    flow_end(p);
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
            rerun_put_word(p, s->found->items[i].word);
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
    flow_begin(p, 4, 6);
    if (n)
        buf_format(&p->piece, "And %d more arc%s (-v).", n, buf_plural(n));
    flow_spread(p, "", HUE_DIM);
    flow_end(p);
}

/* What does not agree is never left out. */
static void render_table(struct page *p, const struct shown *s)
{
    static const struct table_column alone[] = {{"from", SIDE_LEFT, 0},  {"to", SIDE_LEFT, 0},     {"then", SIDE_RIGHT, 3},
                                                {"now", SIDE_RIGHT, 4},  {"ratio", SIDE_POINT, 5}, {"word", SIDE_LEFT, 0},
                                                {"share", SIDE_RIGHT, 2}};
    static const struct table_column ratios[] = {{"from", SIDE_LEFT, 0},  {"to", SIDE_LEFT, 0},       {"then", SIDE_POINT, 3},
                                                 {"now", SIDE_POINT, 4},  {"changed", SIDE_POINT, 5}, {"word", SIDE_LEFT, 0},
                                                 {"share", SIDE_RIGHT, 2}};
    const struct repetition *f = s->found;
    struct table t;
    int rows = 0, left_out = 0;
    if (!count(p, s, 0))
        return;
    put_heading(p, s);
    table_begin(&t, s->reference >= 0 ? ratios : alone, sizeof alone / sizeof *alone);
    for (int i = 0; i < f->n; i++) {
        bool decides = i < f->n_deciding;
        if (!is_shown(p, s, i))
            continue;
        if (rows >= ARCS_SHOWN && p->o->verbosity <= 0 && !(decides && f->items[i].word != AGREES)) {
            left_out++;
            continue;
        }
        (s->reference >= 0 ? row_ratio : row_alone)(p, &t, &f->items[i], decides);
        rows++;
    }
    table_end(p, &t, 4);
    put_reasons(p, s);
    put_left_out(p, left_out);
}

static void say_what_decides(struct page *p)
{
    flow_begin(p, 2, 4);
    buf_str(&p->piece,
            "Arcs without a word decide nothing: they take less than a hundredth of the time, are new, are too short for the "
            "probe, or are in a ratio above.");
    flow_spread(p, "", HUE_DIM);
    flow_end(p);
}

void render_repeated_arcs(struct page *p, const struct repetition *found)
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
