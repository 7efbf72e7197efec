/* SPDX-License-Identifier: MIT */
#include "chart.h"
#include "history_reading.h"
#include "history_words.h"
#include "layout.h"
#include "quote.h"
#include <math.h>

enum { NAME_COLUMNS = 200, DAY = 10 /* digits of a time */ };

struct show {
    struct history_reading r;
    const struct history_series *s;
    struct history_view v;
    int since; /* position */
};

struct drawn {
    int n, from; /* points, from this one on */
    double *x, *y, *low, *high, *level;
};

/* Which level a point is on: that before its first change, or after the last one up to it. */
static double level_at(const struct history_view *v, int point)
{
    double level = v->n_changes ? v->changes[0].before : NAN;
    for (int i = 0; i < v->n_changes && v->changes[i].at <= point; i++)
        level = v->changes[i].after;
    return level;
}

static bool fill_drawn(const struct show *s, struct drawn *d, struct unit u)
{
    const struct history_view *v = &s->v;
    while (d->from < v->n && v->points[d->from].position < s->since)
        d->from++;
    d->n = v->n - d->from;
    double *values = arena_array(s->r.cli->arena, 5 * (size_t)d->n + 1, sizeof *values);
    if (!values)
        return false;
    d->x = values;
    d->y = values + d->n;
    d->low = values + 2 * d->n;
    d->high = values + 3 * d->n;
    d->level = values + 4 * d->n;
    for (int i = 0; i < d->n; i++) {
        const struct view_point *p = &v->points[d->from + i];
        d->x[i] = p->position - v->points[d->from].position;
        d->y[i] = p->value / u.factor;
        d->low[i] = p->low / u.factor;
        d->high[i] = p->high / u.factor;
        d->level[i] = level_at(v, d->from + i) / u.factor;
    }
    return true;
}

static const char *axis_title(const struct show *s, const struct drawn *d)
{
    struct buf b = BUF_INIT(1 << 10);
    buf_str(&b, s->r.line ? "commits after " : "results after ");
    history_put_brief(&b, s->v.points[d->from].revision);
    return arena_keep(s->r.cli->arena, &b);
}

static void put_chart(const struct show *s, struct page *p)
{
    struct drawn d = {.n = 0};
    const struct unit u = s->v.n ? history_unit(s->s, s->v.points[s->v.n - 1].value) : unit_one;
    if (!fill_drawn(s, &d, u) || d.n < 2)
        return;
    const struct chart c = {
        .id = "history",
        .x_title = axis_title(s, &d),
        .y_title = u.name,
        .lines = {{.name = "median", .shape = CHART_POINTS, .n = d.n, .x = d.x, .y = d.y, .low = d.low, .high = d.high},
                  {.name = "level", .shape = CHART_STEPS, .n = d.n, .x = d.x, .y = d.level}},
        .n_lines = s->v.n_changes ? 2 : 1,
        .shaded = {NAN, NAN, NULL}};
    const struct chart_page page = {.charts = &c, .n_charts = 1};
    render_charts(&page, p->o, p->out);
}

static void put_head(const struct show *s, struct page *p)
{
    flow_begin(p, 0, 4);
    history_put_name(&p->piece, s->s, NAME_COLUMNS, p->o->unicode);
    flow_put_hued(p, "", HUE_BOLD);
    history_put_metric(&p->piece, s->s, 0, p->o->unicode);
    flow_put(p, ", ");
    put_text(p, s->s->class);
    flow_put(p, ", ");
    buf_format(&p->piece, "(%.*s)", HISTORY_BRIEF_ID, s->s->id);
    flow_put_hued(p, " ", HUE_DIM);
    flow_end(p);
}

static void put_summary(const struct show *s, struct page *p)
{
    const struct history_view *v = &s->v;
    flow_begin(p, 2, 4);
    if (v->n) {
        const struct view_point *last = &v->points[v->n - 1];
        history_put_value(&p->piece, s->s, last->value, last->low, last->high);
        buf_str(&p->piece, " at ");
        history_put_brief(&p->piece, last->revision);
        summary_part(p);
    }
    summary_format(p, "%d commit%s", v->n, buf_plural(v->n));
    if (isfinite(v->noise) && !v->difference)
        summary_format(p, "noise %s", figure_text(figure_share, v->noise).at);
    if (v->off_line)
        buf_format(&p->piece, "%d result%s of uncommitted changes or other branches left out", v->off_line,
                   buf_plural(v->off_line));
    summary_part(p);
    flow_end(p);
}

static void put_said(const struct history_series *s, const struct history_event *e, struct page *p)
{
    if (!e || (!e->note && (!e->who || !*e->who)))
        return;
    buf_str(&p->piece, history_undecided(e) ? "measured without a verdict" : history_event_name(e->kind));
    if (e->who && *e->who) {
        buf_str(&p->piece, " by ");
        put_text(p, e->who);
    }
    buf_str(&p->piece, ", ");
    history_put_time(&p->piece, e->at_utc_ns, DAY);
    history_put_measured(&p->piece, s, e);
    buf_str(&p->piece, e->note && *e->note ? ": " : "");
    put_text(p, e->note);
    flow_line(p, 6, HUE_PLAIN);
}

static void put_change(const struct show *s, const struct view_change *c, struct page *p)
{
    flow_begin(p, 2, 6);
    history_put_effect(&p->piece, s->s, c);
    flow_put_hued(p, "", !change_open(c) ? HUE_PLAIN : c->worse ? HUE_BAD : HUE_GOOD);
    buf_str(&p->piece, "in ");
    history_put_commits(&p->piece, c);
    flow_put(p, " ");
    history_put_state(&p->piece, c);
    flow_put(p, ", ");
    flow_end(p);
    if (*c->subject) {
        if (c->to > c->from) {
            buf_str(&p->piece, "most likely ");
            history_put_brief(&p->piece, c->revision);
            buf_char(&p->piece, ' ');
        }
        put_text(p, c->subject);
        flow_line(p, 6, HUE_DIM);
    }
    put_said(s->s, c->said, p);
    if (c->undone) {
        buf_str(&p->piece, "a later confirmed change takes it back");
        flow_line(p, 6, HUE_PLAIN);
    }
}

static void put_points(const struct show *s, struct page *p)
{
    static const struct table_column columns[] = {{"commit", SIDE_LEFT, 0},
                                                  {"median", SIDE_RIGHT, 0},
                                                  {"interval", SIDE_LEFT, 2},
                                                  {"runs", SIDE_RIGHT, 3},
                                                  {"", SIDE_LEFT, 1}};
    struct table t;
    blank_line(p);
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    for (int i = s->v.n - 1; i >= 0 && s->v.points[i].position >= s->since; i--) {
        const struct view_point *point = &s->v.points[i];
        history_put_brief(&p->piece, point->revision);
        table_cell(&t);
        history_put_value(&p->piece, s->s, point->value, point->low, point->high);
        table_cell(&t);
        history_put_interval(&p->piece, s->s, point);
        table_cell(&t);
        table_format(&t, "%d", point->n);
        if (s->r.line && point->position < s->r.line->n)
            quote_cut(&p->piece, s->r.line->commits[point->position].subject, 50, p->o->unicode);
        table_cell(&t);
    }
    table_end(&t, 2);
}

static void print_series(const void *context, struct page *p)
{
    const struct show *s = context;
    const struct display_options *d = &s->r.o->display;
    if (!d->quiet) {
        put_head(s, p);
        put_summary(s, p);
    }
    if (!s->v.n_changes) {
        history_put_course(&p->piece, &s->v);
        flow_line(p, 2, HUE_PLAIN);
    }
    for (int i = s->v.n_changes - 1; i >= 0; i--)
        put_change(s, &s->v.changes[i], p);
    if (!d->quiet)
        put_chart(s, p);
    if (d->verbose)
        put_points(s, p);
}

static void put_json(const void *context, struct json_write *j)
{
    const struct show *s = context;
    history_json_series(j, &s->r, &s->v, true);
}

static enum tare_status show_series(void *context, enum exit_code *code, struct tare_err *err)
{
    struct show *s = context;
    int series;
    enum tare_status status = history_find(&s->r, s->r.cli->operands.n ? s->r.cli->operands.items[0] : NULL, &series, err);
    if (!status)
        status = history_since(&s->r, &s->since, err);
    const struct view_options options = {.margin = s->r.o->margin, .since = s->since};
    if (!status)
        status = history_view_make(&s->v, s->r.h, series, s->r.line, &options, s->r.cli->arena, err);
    if (status)
        return status;
    s->s = history_series_at(s->r.h, series);
    *code = cli_worse(history_print(&s->r, print_series, s), history_write_json(&s->r, put_json, s));
    return TARE_OK;
}

int cmd_history_show(struct cli *cli, const void *options)
{
    struct show s = {.since = 0};
    return history_command(&s.r, cli, options, show_series, &s);
}
