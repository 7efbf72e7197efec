/* SPDX-License-Identifier: MIT
 *
 * Many commands, or one command over the values of its parameters: a line each.
 *
 *     #  size  median, ms  95 % interval   runs    against #1 [95 %]  verdict
 *     1    1M       12.30  [12.21, 12.38]    64                       reference
 *     2    2M        6.75  [6.71, 6.79]      64  0.549 × [0.543, 0.554]  FASTER
 */
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double known_median(const struct page *p, int subject)
{
    const struct estimate *e = page_estimate(p, subject, p->r->rule.metric, "median");
    return e ? e->point : NAN;
}

enum { NAME_COLUMNS_LEAST = 10 };

struct shape {
    bool parameters, compared;
    int n_parameters;
    int name_columns;
    struct unit unit;
    double largest;
    const struct table *t;
};

/* ---- cells ---- */

struct command_row {
    const struct shape *shape;
    int subject;
};

static const struct estimate *median_of(const struct page *p, const struct command_row *x)
{
    return page_estimate(p, x->subject, p->r->rule.metric, "median");
}

static void number_cell(struct page *p, const void *row)
{
    buf_format(&p->piece, "%d", command_number(p->r, ((const struct command_row *)row)->subject));
}

static void name_cell(struct page *p, const void *row)
{
    const struct command_row *x = row;
    quote_cut(&p->piece, p->r->subjects[x->subject].name, x->shape->name_columns, p->o->unicode);
}

/* They come behind the number. */
static void parameter_cell(struct page *p, const void *row)
{
    const struct command_row *x = row;
    const struct subject *s = &p->r->subjects[x->subject];
    const int i = (int)(p->cell - x->shape->t->columns) - 1;
    if (i < s->n_parameters)
        quote_cut(&p->piece, s->parameters[i].value, x->shape->name_columns, p->o->unicode);
}

static void median_cell(struct page *p, const void *row)
{
    put_point(p, median_of(p, row), ((const struct command_row *)row)->shape->unit);
}

static void interval_cell(struct page *p, const void *row)
{
    put_ends(p, median_of(p, row), ((const struct command_row *)row)->shape->unit);
}

/* With --on-dirty=drop: the median of the undisturbed runs, that of all where none was disturbed; empty where none is known to be undisturbed. */
static void clean_cell(struct page *p, const void *row)
{
    const struct command_row *x = row;
    const struct estimate *e = page_estimate(p, x->subject, p->r->rule.metric, "clean_median");
    put_point(p, e ? e : median_of(p, x), x->shape->unit);
}

static void runs_cell(struct page *p, const void *row)
{
    const struct estimate *e = median_of(p, row);
    if (e)
        buf_format(&p->piece, "%d", e->n);
}

static const struct comparison *comparison_of(const struct page *p, const void *row)
{
    return record_comparison(p->r, ((const struct command_row *)row)->subject, p->r->rule.metric);
}

static void ratio_cell(struct page *p, const void *row)
{
    effect_cell(p, comparison_of(p, row));
}

static void word_cell(struct page *p, const void *row)
{
    const struct comparison *compared = comparison_of(p, row);
    if (compared)
        verdict_cell(p, compared);
    else if (((const struct command_row *)row)->subject == p->r->rule.reference)
        buf_str(&p->piece, "reference");
}

static void bar_cell(struct page *p, const void *row)
{
    enum { BAR_COLUMNS = 16 };
    const struct command_row *x = row;
    const double value = known_median(p, x->subject);
    if (value > 0 && x->shape->largest > 0)
        put_bar(p, value / x->shape->largest * BAR_COLUMNS);
}

/* ---- the table ---- */

static double largest_median(const struct page *p)
{
    double largest = 0;
    for (int i = 0; i < p->r->n_subjects; i++)
        if (subject_measured(&p->r->subjects[i]) && known_median(p, i) > largest)
            largest = known_median(p, i);
    return largest;
}

static struct shape shape_of(struct page *p, bool parameters)
{
    struct shape s = {.parameters = parameters, .compared = p->r->n_comparisons > 0, .unit = metric_unit(p, p->r->rule.metric)};
    s.largest = largest_median(p);
    s.name_columns = p->o->width <= 0 ? 40 : p->o->width < 60 ? p->o->width / 4 : p->o->width * 3 / 10;
    for (int i = 0; parameters && i < p->r->n_subjects; i++)
        if (subject_measured(&p->r->subjects[i]) && p->r->subjects[i].n_parameters > s.n_parameters)
            s.n_parameters = p->r->subjects[i].n_parameters;
    if (s.n_parameters > 1)
        s.name_columns /= s.n_parameters;
    if (s.name_columns < NAME_COLUMNS_LEAST)
        s.name_columns = NAME_COLUMNS_LEAST;
    return s;
}

static const char *parameter_title(const struct page *p, int index)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].n_parameters > index)
            return p->r->subjects[i].parameters[index].name;
    return "";
}

/* What was put becomes the title. */
static void add_column(struct page *p, struct table *t, enum table_side side, int weight,
                       void (*put)(struct page *, const void *))
{
    table_column(t, (struct table_column){table_text(p, t), side, weight, put});
}

static void add_columns(struct page *p, struct table *t, const struct shape *shape)
{
    table_column(t, (struct table_column){"#", SIDE_RIGHT, 0, number_cell});
    for (int i = 0; i < shape->n_parameters; i++) {
        quote_cut(&p->piece, parameter_title(p, i), shape->name_columns, p->o->unicode);
        add_column(p, t, SIDE_RIGHT, 0, parameter_cell);
    }
    if (!shape->parameters)
        table_column(t, (struct table_column){"command", SIDE_LEFT, 0, name_cell});
    if (strcmp(p->r->rule.metric, "wall")) {
        put_title(p, p->r->rule.metric, shape->name_columns);
        buf_char(&p->piece, ' ');
    }
    buf_format(&p->piece, "median%s", *shape->unit.name ? "," : "");
    unit_put(&p->piece, shape->unit);
    add_column(p, t, SIDE_POINT, 0, median_cell);
    figure_level(&p->piece, p->r->rule.confidence);
    buf_str(&p->piece, " interval");
    add_column(p, t, SIDE_LEFT, 3, interval_cell);
    if (p->r->rule.on_dirty == DIRTY_DROP)
        table_column(t, (struct table_column){"undisturbed", SIDE_POINT, 3, clean_cell});
    table_column(t, (struct table_column){"runs", SIDE_RIGHT, 2, runs_cell});
    if (shape->compared) {
        buf_format(&p->piece, "against #%d [", command_number(p->r, p->r->rule.reference));
        figure_level(&p->piece, p->r->rule.confidence);
        buf_char(&p->piece, ']');
        add_column(p, t, SIDE_LEFT, 4, ratio_cell);
        table_column(t, (struct table_column){"verdict", SIDE_LEFT, 0, word_cell});
    }
    if (shape->parameters)
        table_column(t, (struct table_column){"", SIDE_LEFT, 1, bar_cell});
}

void render_command_table(struct page *p, bool parameters)
{
    bool by_time = p->o->sort == RENDER_SORT_MEAN_TIME || (p->o->sort == RENDER_SORT_AUTO && !parameters);
    int n, *order = subject_order(p, by_time ? RENDER_SORT_MEAN_TIME : RENDER_SORT_COMMAND, &n);
    struct shape shape = shape_of(p, parameters);
    struct table t;
    shape.t = &t;
    table_begin(&t, NULL, 0);
    add_columns(p, &t, &shape);
    for (int i = 0; i < n; i++)
        table_row(p, &t, &(struct command_row){&shape, order[i]});
    table_end(p, &t, 2);
    free(order);
}
