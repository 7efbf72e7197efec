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

/* ---- cells ---- */

static void median_cells(struct page *p, struct table *t, int subject, struct unit u)
{
    const struct estimate *e = page_estimate(p, subject, p->r->rule.metric, "median");
    if (e)
        put_number(p, e->point / u.factor, estimate_decimals(e, u));
    table_cell(p, t);
    if (has_interval(e))
        put_interval(p, e->low / u.factor, e->high / u.factor, estimate_decimals(e, u));
    table_cell(p, t);
}

/* With --on-dirty=drop: the median of the undisturbed runs, that of all where none was disturbed; empty where none is known to be undisturbed. */
static void clean_cell(struct page *p, struct table *t, int subject, struct unit u)
{
    const struct estimate *e = page_estimate(p, subject, p->r->rule.metric, "clean_median");
    if (!e)
        e = page_estimate(p, subject, p->r->rule.metric, "median");
    if (e && !isnan(e->point))
        put_number(p, e->point / u.factor, estimate_decimals(e, u));
    table_cell(p, t);
}

static void runs_cell(struct page *p, struct table *t, int subject)
{
    const struct estimate *e = page_estimate(p, subject, p->r->rule.metric, "median");
    if (e)
        buf_format(&p->piece, "%d", e->n);
    table_cell(p, t);
}

void effect_cell(struct page *p, struct table *t, const struct comparison *c)
{
    if (c)
        put_plain_effect(p, c);
    if (c && comparison_has_interval(c)) {
        buf_char(&p->piece, ' ');
        put_plain_interval(p, c);
    }
    table_cell(p, t);
}

static void comparison_cells(struct page *p, struct table *t, int subject)
{
    const struct comparison *c = record_comparison(p->r, subject, p->r->rule.metric);
    effect_cell(p, t, c);
    if (c)
        put_verdict(p, c);
    else if (subject == p->r->rule.reference)
        buf_str(&p->piece, "reference");
    table_cell(p, t);
}

static void bar_cell(struct page *p, struct table *t, int subject, double largest)
{
    enum { BAR_COLUMNS = 16 };
    double value = known_median(p, subject);
    if (value > 0 && largest > 0)
        put_bar(p, value / largest * BAR_COLUMNS);
    table_cell(p, t);
}

/* ---- rows ---- */

enum { NAME_COLUMNS_LEAST = 10, PARAMETERS_SHOWN = TABLE_COLUMNS_MAX - 8 }; /* 8: all other columns */

struct shape {
    bool parameters, compared;
    int n_parameters;
    int name_columns;
    struct unit unit;
    double largest;
};

static void name_cells(struct page *p, struct table *t, const struct shape *shape, int subject)
{
    const struct subject *s = &p->r->subjects[subject];
    for (int i = 0; i < shape->n_parameters; i++) {
        if (i < s->n_parameters)
            quote_cut(&p->piece, s->parameters[i].value, shape->name_columns, p->o->unicode);
        table_cell(p, t);
    }
    if (!shape->parameters) {
        quote_cut(&p->piece, s->name, shape->name_columns, p->o->unicode);
        table_cell(p, t);
    }
}

static void row(struct page *p, struct table *t, const struct shape *shape, int subject)
{
    buf_format(&p->piece, "%d", command_number(p->r, subject));
    table_cell(p, t);
    name_cells(p, t, shape, subject);
    median_cells(p, t, subject, shape->unit);
    if (p->r->rule.on_dirty == DIRTY_DROP)
        clean_cell(p, t, subject, shape->unit);
    runs_cell(p, t, subject);
    if (shape->compared)
        comparison_cells(p, t, subject);
    if (shape->parameters)
        bar_cell(p, t, subject, shape->largest);
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

struct titles {
    const char *median, *interval, *against, *parameters[PARAMETERS_SHOWN];
};

static struct titles name_titles(struct page *p, const struct shape *shape, struct table *t)
{
    struct titles titles;
    if (strcmp(p->r->rule.metric, "wall")) {
        put_title(p, p->r->rule.metric, shape->name_columns);
        buf_char(&p->piece, ' ');
    }
    buf_format(&p->piece, "median%s", *shape->unit.name ? "," : "");
    put_unit(p, shape->unit);
    titles.median = table_text(p, t);
    put_percent(p, p->r->rule.confidence);
    buf_str(&p->piece, " interval");
    titles.interval = table_text(p, t);
    buf_format(&p->piece, "against #%d [", command_number(p->r, p->r->rule.reference));
    put_percent(p, p->r->rule.confidence);
    buf_char(&p->piece, ']');
    titles.against = table_text(p, t);
    for (int i = 0; i < shape->n_parameters; i++) {
        quote_cut(&p->piece, parameter_title(p, i), shape->name_columns, p->o->unicode);
        titles.parameters[i] = table_text(p, t);
    }
    return titles;
}

static int fill_columns(const struct page *p, const struct shape *shape, const struct titles *titles, struct table_column *c)
{
    int n = 0;
    c[n++] = (struct table_column){"#", SIDE_RIGHT, 0};
    for (int i = 0; i < shape->n_parameters; i++)
        c[n++] = (struct table_column){titles->parameters[i], SIDE_RIGHT, 0};
    if (!shape->parameters)
        c[n++] = (struct table_column){"command", SIDE_LEFT, 0};
    c[n++] = (struct table_column){titles->median, SIDE_POINT, 0};
    c[n++] = (struct table_column){titles->interval, SIDE_LEFT, 3};
    if (p->r->rule.on_dirty == DIRTY_DROP)
        c[n++] = (struct table_column){"undisturbed", SIDE_POINT, 3};
    c[n++] = (struct table_column){"runs", SIDE_RIGHT, 2};
    if (shape->compared) {
        c[n++] = (struct table_column){titles->against, SIDE_POINT, 4};
        c[n++] = (struct table_column){"verdict", SIDE_LEFT, 0};
    }
    if (shape->parameters)
        c[n++] = (struct table_column){"", SIDE_LEFT, 1};
    return n;
}

void render_command_table(struct page *p, bool parameters)
{
    bool by_time = p->o->sort == RENDER_SORT_MEAN_TIME || (p->o->sort == RENDER_SORT_AUTO && !parameters);
    int n, *order = subject_order(p, by_time ? RENDER_SORT_MEAN_TIME : RENDER_SORT_COMMAND, &n);
    struct shape shape = shape_of(p, parameters);
    struct table_column columns[TABLE_COLUMNS_MAX];
    struct table t;
    table_begin(&t, columns, 0);
    struct titles titles = name_titles(p, &shape, &t);
    t.n_columns = fill_columns(p, &shape, &titles, columns);
    for (int i = 0; i < n; i++)
        row(p, &t, &shape, order[i]);
    table_end(p, &t, 2);
    free(order);
}
