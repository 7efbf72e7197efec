/* SPDX-License-Identifier: MIT
 *
 * The answer of tare run and tare compare: a line for each command, with the verdict in its last columns.
 *
 *     command         median   95 % CI        min   memory   vs gzip -6 -c f
 *     zstd -3 -c f    154 ms   131–178        124    28 MB   11.2× faster (9.6–12.9)
 *     gzip -6 -c f   1.73 s    1.60–1.88     1.51   1.9 MB   reference
 *
 * Of two stored sessions a line for each pair:
 *
 *     command       old       new   change (95 % CI)
 *     prog      9.99 ms   11.0 ms   1.10× slower (1.09–1.11)
 */
#include "layout.h"
#include "plots.h"
#include "quote.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LEAST = 10, NAME_MOST = 60, TITLE_MOST = 22, METRICS_SHOWN = 4 };

struct shape {
    int n_parameters; /* shown instead of names; 0: names are */
    int name_columns;
    bool fitted;    /* names are as short as they may be: now intervals may go */
    bool brief;     /* nor is there room for the figures of an open verdict beside its word */
    bool intervals; /* a command has one: else what was observed takes its place */
    double largest;
    const char *others[METRICS_SHOWN + 1]; /* metrics that have a column of their own */
    int n_others;
    const int *order;
    int n;
};

/* "12.3 ms (12.2–12.4)", or why there is none. */
static void put_lead(struct page *p, int subject)
{
    const struct estimate *e = lead_estimate(p, subject);
    if (!metric_decides(p, "wall")) {
        put_title(p, p->r->rule.metric, 0);
        buf_str(&p->piece, is_known(e) ? " " : ": ");
    }
    put_in_own_unit(p, e);
    if (!is_known(e))
        put_text(p, why_no_value(p, e, subject, p->r->rule.metric));
    if (!is_known(e) || !has_interval(e))
        return;
    buf_str(&p->piece, " (");
    put_column_range(p, e, e->low, e->high, estimate_unit(p, e));
    buf_char(&p->piece, ')');
}

static void other_cell(struct table *t, int subject, const char *metric)
{
    struct page *p = t->p;
    const struct estimate *e = record_estimate(p->r, subject, metric, "median");
    const struct metric *m = record_metric(p->r, metric);
    if (is_known(e) && m && !strcmp(m->title, estimate_unit(p, e).name)) /* in Go's files the unit is the name */
        figure_put(&p->piece, e->point, column_decimals(e, estimate_unit(p, e)));
    else
        put_in_own_unit(p, e);
    table_cell(t);
}

static void command_row(struct table *t, const struct shape *shape, int subject)
{
    enum { BAR_COLUMNS = 16 };
    struct page *p = t->p;
    const struct subject *s = &p->r->subjects[subject];
    const struct estimate *lead = lead_estimate(p, subject);
    for (int i = 0; i < shape->n_parameters; i++) {
        if (i < s->n_parameters)
            put_cut(p, s->parameters[i].value, shape->name_columns);
        table_cell(t);
    }
    if (!shape->n_parameters) {
        put_short_name(p, subject, shape->name_columns);
        table_cell(t);
    }
    put_in_own_unit(p, lead);
    table_format(t, "%s", p->piece.len ? "" : "–");
    put_own_range(p, lead, shape->intervals);
    table_cell(t);
    undisturbed_cell(t, subject);
    min_cell(t, subject);
    for (int i = 0; i < shape->n_others; i++)
        other_cell(t, subject, shape->others[i]);
    put_memory(p, subject);
    table_cell(t);
    subject_verdict_cells(t, subject, shape->brief);
    anchor_cell(t, subject);
    if (is_known(lead) && lead->point > 0 && shape->largest > 0)
        put_bar(p, lead->point / shape->largest * BAR_COLUMNS);
    table_cell(t);
}

static bool all_have_parameters(const struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (subject_measured(&r->subjects[i]) && (has_revisions(r) || r->subjects[i].n_parameters < 1))
            return false;
    return command_count(r) > 2;
}

/* Two that the values of their parameters do not tell apart: 'sort {n}' and 'merge {n}'. */
static bool same_values(const struct subject *a, const struct subject *b)
{
    bool same = a->n_parameters == b->n_parameters;
    for (int i = 0; same && i < a->n_parameters; i++)
        same =
            !strcmp(a->parameters[i].value, b->parameters[i].value) || strcmp(a->parameters[i].name, b->parameters[i].name) != 0;
    return same || a->n_parameters != b->n_parameters;
}

/* Commands of one scan are told by their few parameters, which then stand for their names; 0: they are not. */
static int parameters_shown(const struct record *r)
{
    enum { PARAMETERS_MAX = 4, COMMANDS_MAX = 2000 };
    int n = 0;
    if (!all_have_parameters(r) || command_count(r) > COMMANDS_MAX)
        return 0;
    for (int i = 0; i < r->n_subjects; i++) {
        if (!subject_measured(&r->subjects[i]))
            continue;
        n = r->subjects[i].n_parameters;
        for (int k = 0; k < i; k++)
            if (subject_measured(&r->subjects[k]) && same_values(&r->subjects[i], &r->subjects[k]))
                return 0;
    }
    return n <= PARAMETERS_MAX ? n : 0;
}

bool metric_is_asked(const char *metric)
{
    return !metric_builtin_find(metric) && strcmp(metric, "peak_tree") != 0;
}

/* The time where another metric decides, and what was asked for beside. */
static void choose_others(const struct page *p, struct shape *s)
{
    for (int i = 0; i < p->r->n_metrics && s->n_others <= METRICS_SHOWN; i++) {
        const struct metric *m = &p->r->metrics[i];
        if (!metric_decides(p, m->id) && ((metric_is_asked(m->id) && !metric_followed_find(m->id)) || !strcmp(m->id, "wall")))
            s->others[s->n_others++] = m->id;
    }
}

static struct shape shape_of(struct page *p)
{
    struct shape s = {.n_parameters = parameters_shown(p->r)};
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = subject_measured(&p->r->subjects[i]) ? lead_estimate(p, i) : NULL;
        if (is_known(e))
            s.largest = fmax(s.largest, e->point);
        s.intervals |= has_interval(e);
    }
    choose_others(p, &s);
    s.name_columns = p->o->width <= 0 ? NAME_MOST : p->o->width * 3 / 10;
    if (s.n_parameters > 1)
        s.name_columns /= s.n_parameters;
    return s;
}

static const char *parameter_title(const struct page *p, int index)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].n_parameters > index)
            return p->r->subjects[i].parameters[index].name;
    return "";
}

static const char *name_title(const struct record *r)
{
    return record_source(r) && !record_has_alternatives(r) ? "benchmark" : "command";
}

enum { WEIGHT_INTERVAL = 9, WEIGHT_LEAD };

/* What makes an answer goes last, and never where shorter names would do; a verdict never goes. */
static int late(const struct shape *shape, int weight)
{
    return shape->fitted ? weight : 0;
}

/* " (95 % CI)" behind the reference's name, if the title is then no wider than an effect below it. */
static void put_level_where_it_fits(struct page *p)
{
    enum { EFFECT_COLUMNS = 21 }; /* "-0.3 % (-0.8 to +0.2)" */
    const int name = text_columns(buf_text(&p->piece), p->piece.len), level = (int)strlen(" (95 % CI)");
    if (!comparison_has_interval(&p->r->comparisons[0]) || name + level > EFFECT_COLUMNS)
        return;
    buf_format(&p->piece, " (%s CI)", figure_text(figure_level, p->r->comparisons[0].confidence).at);
}

static void add_columns(struct page *p, struct table *t, const struct shape *shape)
{
    const bool compared = p->r->n_comparisons > 0;
    for (int i = 0; i < shape->n_parameters; i++) {
        put_cut(p, parameter_title(p, i), shape->name_columns);
        table_titled(t, SIDE_RIGHT, 0);
    }
    if (!shape->n_parameters)
        table_column(t, (struct table_column){name_title(p->r), SIDE_LEFT, 0});
    /* Of another metric than time its name; the summary says that these are medians. */
    if (metric_decides(p, "wall"))
        buf_str(&p->piece, p->r->rule.method == METHOD_GEORGES ? "mean" : "median");
    else
        put_title(p, p->r->rule.metric, 24);
    table_titled(t, SIDE_RIGHT, compared ? late(shape, WEIGHT_LEAD) : 0);
    const char *level = interval_title(t, "", "");
    table_column(t, (struct table_column){shape->intervals ? level : "range", SIDE_LEFT, late(shape, WEIGHT_INTERVAL)});
    table_column(t, (struct table_column){"undisturbed", SIDE_RIGHT, p->r->rule.on_dirty == DIRTY_DROP ? 6 : TABLE_NEVER});
    table_column(t, (struct table_column){"min", SIDE_RIGHT, shape->intervals ? 2 : TABLE_NEVER});
    for (int i = 0; i < shape->n_others; i++) {
        put_title(p, shape->others[i], 16);
        table_titled(t, SIDE_RIGHT, !strcmp(shape->others[i], "wall") ? 4 : 5);
    }
    table_column(
        t, (struct table_column){"memory", SIDE_RIGHT, metric_decides(p, "rss") || metric_decides(p, "peak") ? TABLE_NEVER : 3});
    if (compared) {
        buf_str(&p->piece, "vs ");
        put_short_name(p, p->r->rule.reference, shape->name_columns < TITLE_MOST ? shape->name_columns : TITLE_MOST);
        put_level_where_it_fits(p);
    }
    table_titled(t, SIDE_LEFT, compared ? 0 : TABLE_NEVER);
    table_column(t, (struct table_column){"", SIDE_LEFT, compared ? TABLE_KEPT : TABLE_NEVER});
    table_column(t, (struct table_column){"× anchor", SIDE_LEFT, !record_anchors(p->r) ? TABLE_NEVER : compared});
    table_column(t, (struct table_column){"", SIDE_LEFT, shape->n_parameters ? 1 : TABLE_NEVER});
}

static void fill_commands(struct page *p, struct table *t, const struct shape *shape)
{
    add_columns(p, t, shape);
    for (int i = 0; i < shape->n; i++)
        command_row(t, shape, shape->order[i]);
}

static void fill_again(struct page *p, struct table *t, const struct shape *shape,
                       void (*fill)(struct page *, struct table *, const struct shape *))
{
    table_drop(t);
    table_begin(t, p, NULL, 0);
    fill(p, t, shape);
}

/* Names get the room that the other columns leave. False: there is none for a table, and nothing was written. */
static bool render_fitted(struct page *p, struct shape *shape, void (*fill)(struct page *, struct table *, const struct shape *))
{
    struct table t;
    table_begin(&t, p, NULL, 0);
    fill(p, &t, shape);
    if (p->o->width > 0) {
        const int columns = shape->name_columns + (shape->n_parameters ? 0 : table_room(&t, 2));
        shape->name_columns = columns < NAME_LEAST ? NAME_LEAST : columns > NAME_MOST ? NAME_MOST : columns;
        shape->fitted = true;
        fill_again(p, &t, shape, fill);
        shape->brief = table_room(&t, 2) < 0;
        if (shape->brief)
            fill_again(p, &t, shape, fill);
        if (table_room(&t, 2) < 0) {
            table_drop(&t);
            return false;
        }
    }
    table_end(&t, 2);
    return true;
}

static void render_lead_line(struct page *p, int subject, int indent)
{
    const struct comparison *c = record_comparison(p->r, subject, p->r->rule.metric);
    flow_begin(p, indent, indent + 2);
    put_short_name(p, subject, name_columns(p, 1));
    buf_char(&p->piece, ':');
    flow_put(p, "");
    put_lead(p, subject);
    flow_spread(p, " ", HUE_PLAIN);
    if (c)
        put_answer(p, c);
    else
        buf_str(&p->piece, role_of(p->r, subject));
    flow_spread(p, " ", HUE_PLAIN);
    put_ratio_to_anchor(p, subject);
    buf_str(&p->piece, p->piece.len ? " × anchor" : "");
    flow_rest(p);
}

void render_lead_lines(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (subject_measured(&p->r->subjects[i]))
            render_lead_line(p, i, 0);
}

static void render_one_histogram(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = subject_measured(&p->r->subjects[i]) ? lead_estimate(p, i) : NULL;
        const double *values = is_known(e) ? series_values(&p->r->series[i], p->r->rule.metric) : NULL;
        if (values)
            plot_small_histogram(p, values, p->r->series[i].main.n, estimate_unit(p, e));
    }
}

void render_command_table(struct page *p)
{
    struct shape shape = shape_of(p);
    const bool by_time = p->o->sort == RENDER_SORT_MEAN_TIME ||
                         (p->o->sort == RENDER_SORT_AUTO && !all_have_parameters(p->r) && asked_count(p->r) > 2);
    int n, *order = subject_order(p, by_time ? RENDER_SORT_MEAN_TIME : RENDER_SORT_COMMAND, &n);
    shape.order = order;
    shape.n = n;
    if (!render_fitted(p, &shape, fill_commands)) /* lines that break */
        for (int i = 0; i < n; i++)
            render_lead_line(p, order[i], 2);
    if (n == 1)
        render_one_histogram(p);
    free(order);
}

/* The name without the session's, "prog (old)", which begins at the last " (": how many bytes; all of them where it has none. */
static size_t bare_length(const char *name)
{
    const char *end = NULL;
    for (const char *at = strstr(name, " ("); at; at = strstr(at + 1, " ("))
        end = at;
    return end && name[strlen(name) - 1] == ')' ? (size_t)(end - name) : strlen(name);
}

/* "prog", or "./old → ./new" where programs of two names were run with the same arguments. */
static void put_pair_name(const struct page *p, int comparison, struct buf *out)
{
    const struct comparison *c = &p->r->comparisons[comparison];
    const char *old = p->r->subjects[c->reference].name, *name = p->r->subjects[c->subject].name;
    const size_t n = bare_length(old), m = bare_length(name);
    if (n != m || memcmp(old, name, n) != 0) {
        buf_add(out, old, n);
        buf_str(out, " → ");
    }
    buf_add(out, name, m);
}

static void put_session_name(struct page *p, int subject, int columns)
{
    const char *name = p->r->subjects[subject].name, *from = name + bare_length(name);
    if (*from)
        put_name_part(p, from + 2, strlen(from) - 3, columns);
}

static void pair_row(struct table *t, const struct shape *shape, const struct comparison *c)
{
    struct page *p = t->p;
    const struct name_list pairs = {p->r->n_comparisons, true, put_pair_name, NULL};
    put_listed_name(p, &pairs, (int)(c - p->r->comparisons), shape->name_columns);
    table_cell(t);
    for (int i = 0; i < 2; i++) {
        const int subject = i ? c->subject : c->reference;
        if (!put_multiple_of_anchor(p, c, subject))
            put_in_own_unit(p, lead_estimate(p, subject));
        table_cell(t);
    }
    verdict_cells(t, c, shape->brief);
}

static void fill_pairs(struct page *p, struct table *t, const struct shape *shape)
{
    enum { SESSION_COLUMNS = 20 };
    const struct record *r = p->r;
    table_column(t, (struct table_column){name_title(r), SIDE_LEFT, 0});
    put_session_name(p, r->comparisons[0].reference, SESSION_COLUMNS);
    table_titled(t, SIDE_RIGHT, late(shape, 2));
    put_session_name(p, r->comparisons[0].subject, SESSION_COLUMNS);
    table_titled(t, SIDE_RIGHT, late(shape, 1));
    buf_str(&p->piece, metric_decides(p, "wall") ? "change (" : "change of ");
    if (!metric_decides(p, "wall")) {
        put_title(p, p->r->rule.metric, 24);
        buf_str(&p->piece, " (");
    }
    buf_format(&p->piece, "%s CI)", figure_text(figure_level, p->r->rule.confidence).at);
    table_titled(t, SIDE_LEFT, 0);
    table_column(t, (struct table_column){"", SIDE_LEFT, TABLE_KEPT});
    for (int i = 0; i < r->n_comparisons; i++)
        pair_row(t, shape, &r->comparisons[i]);
}

void render_pair_table(struct page *p)
{
    struct shape shape = {.name_columns = p->o->width > 0 ? p->o->width * 3 / 10 : NAME_MOST};
    if (p->r->n_comparisons && !render_fitted(p, &shape, fill_pairs))
        render_verdicts(p);
}
