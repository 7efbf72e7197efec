/* SPDX-License-Identifier: MIT */
#include "history_reading.h"
#include "history_words.h"
#include "layout.h"
#include "quote.h"
#include <string.h>

enum { TREND_COLUMNS = 12, SECOND = 19 /* digits of a time */ };

static const double TREND_SPAN = .1;

struct listed {
    struct found_change last; /* the newest, where there is one */
    struct history_view view; /* of its points the last one */
    const char *trend;
};

struct list {
    struct history_reading r;
    struct listed *items;
    int *wanted; /* series */
    int n;
};

/* "wall", "rss"; of a benchmark "time", as its "ns" says little. */
static void metric_cell(struct table *t, const struct history_series *s)
{
    struct page *p = t->p;
    const char *title = s->metric.title, *per = title ? strstr(title, " per ") : NULL;
    if (per)
        put_name_part(p, title, (size_t)(per - title), TABLE_NAME_COLUMNS / 2);
    else
        quote_cut(&p->piece, s->metric.id, TABLE_NAME_COLUMNS / 2, p->o->unicode);
    if (s->anchor) {
        buf_str(&p->piece, " / ");
        history_put_anchor(&p->piece, s->anchor, TABLE_NAME_COLUMNS / 2, p->o->unicode);
    }
    table_cell(t);
}

static void put_row(struct table *t, const struct listed *x)
{
    struct page *p = t->p;
    const struct history_view *v = &x->view;
    const struct history_series *s = x->last.series;
    table_format(t, "%.*s", HISTORY_BRIEF_ID, s->id);
    history_cell_name(t, s);
    metric_cell(t, s);
    table_format(t, "%d", v->n);
    if (v->n)
        history_put_value(&p->piece, s, v->points->value, v->points->low, v->points->high);
    table_cell(t);
    table_format(t, "%s", x->trend);
    if (v->n_changes) {
        history_cell_effect(t, &x->last);
        history_put_commits(&p->piece, &x->last.change);
        table_cell(t);
        history_cell_state(t, &x->last);
    } else {
        history_put_course(&p->piece, v);
        table_cell(t);
        table_cell(t);
        table_cell(t);
    }
    history_cell_class(t, s);
}

static void put_table(const struct list *l, struct page *p)
{
    bool differ = false;
    for (int i = 1; i < l->n && !differ; i++)
        differ = strcmp(l->items[i].last.series->class, l->items[0].last.series->class) != 0;
    const struct table_column columns[] = {{"series", SIDE_LEFT, 3},       {"benchmark", SIDE_LEFT, 0},
                                           {"metric", SIDE_LEFT, 9},       {"points", SIDE_RIGHT, 1},
                                           {"last", SIDE_RIGHT, 6},        {"trend", SIDE_LEFT, 5},
                                           {"last change", SIDE_LEFT, 12}, {"commits", SIDE_LEFT, 2},
                                           {"state", SIDE_LEFT, 11},       {"class", SIDE_LEFT, differ ? 4 : TABLE_NEVER}};
    struct table t;
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < l->n; i++)
        put_row(&t, &l->items[i]);
    table_end(&t, 0);
}

static void part_if(struct page *p, bool applies, const char *text)
{
    summary_format(p, "%s", applies ? text : "");
}

static void put_counts(const struct list *l, struct page *p)
{
    int dirty = 0, off = 0, sessions = history_n_sessions(l->r.h);
    for (int i = 0; i < sessions; i++) {
        const struct history_session *s = history_session_at(l->r.h, i);
        dirty += s->dirty;
        off += !s->dirty && l->r.line && history_position(l->r.line, s->revision) < 0;
    }
    blank_line(p);
    flow_begin(p, 2, 4);
    summary_format(p, "%d series, %d session%s", l->n, sessions, buf_plural(sessions));
    if (dirty)
        buf_format(&p->piece, "%d with uncommitted changes, in no series", dirty);
    summary_part(p);
    if (off)
        buf_format(&p->piece, "%d of commits that are not first parents of HEAD, in no series", off);
    summary_part(p);
    part_if(p, !l->r.line, "in the order of measurement: git knows no commits here");
    part_if(p, l->r.line && l->r.line->shallow, "the clone is shallow: git fetch --unshallow brings the older commits");
    flow_end(p);
}

static void put_sessions(const struct list *l, struct page *p)
{
    blank_line(p);
    for (int i = 0; i < history_n_sessions(l->r.h); i++) {
        const struct history_session *s = history_session_at(l->r.h, i);
        flow_begin(p, 2, 4);
        buf_format(&p->piece, "%.*s  ", HISTORY_BRIEF_ID, s->id);
        history_put_brief(&p->piece, s->revision);
        buf_str(&p->piece, s->dirty ? "+  " : "  ");
        history_put_time(&p->piece, s->measured_utc_ns, SECOND);
        buf_char(&p->piece, 'Z');
        flow_put(p, "");
        put_text(p, s->tool);
        flow_put(p, "  ");
        put_text(p, s->class);
        flow_put(p, "  ");
        put_text(p, s->note);
        flow_put(p, "  ");
        flow_end(p);
    }
}

static void put_events(const struct list *l, struct page *p)
{
    blank_line(p);
    for (int i = 0; i < history_n_events(l->r.h); i++) {
        const struct history_event *e = history_event_at(l->r.h, i);
        flow_begin(p, 2, 4);
        history_put_time(&p->piece, e->at_utc_ns, SECOND);
        buf_format(&p->piece, "Z  %s", history_undecided(e) ? "undecided" : history_event_name(e->kind));
        if (e->revision) {
            buf_char(&p->piece, ' ');
            history_put_brief(&p->piece, e->revision);
        }
        flow_put(p, "");
        put_cut(p, e->series ? e->series : e->from ? "" : "all series", HISTORY_BRIEF_ID + 4);
        flow_put(p, " ");
        put_text(p, e->from);
        if (e->to) {
            buf_str(&p->piece, " is ");
            put_text(p, e->to);
        }
        flow_put(p, " ");
        if (e->who && *e->who) {
            buf_str(&p->piece, "by ");
            put_text(p, e->who);
        }
        flow_put(p, " ");
        put_text(p, e->note);
        flow_put(p, ": ");
        flow_end(p);
    }
}

static void show_list(const void *context, struct page *p)
{
    const struct list *l = context;
    put_table(l, p);
    if (!l->r.o->display.quiet)
        put_counts(l, p);
    if (l->r.o->display.verbose) {
        put_sessions(l, p);
        put_events(l, p);
    }
}

static void put_json(const void *context, struct json_write *j)
{
    const struct list *l = context;
    json_object(j, NULL);
    json_array(j, "series");
    for (int i = 0; i < l->n; i++)
        history_json_series(j, &l->r, &l->items[i].view, false);
    json_end(j);
    history_json_rest(j, l->r.h);
    json_end(j);
}

struct trend {
    double low, high;
};

/* The scale is at least TREND_SPAN of the middle, so that noise looks small. */
static struct trend trend_scale(const struct history_view *v)
{
    struct trend t = {INFINITY, -INFINITY};
    for (int i = 0; i < v->n; i++) {
        t.low = fmin(t.low, v->points[i].value);
        t.high = fmax(t.high, v->points[i].value);
    }
    double middle = (t.low + t.high) / 2, least = TREND_SPAN * fabs(middle);
    if (t.high - t.low < least)
        t = (struct trend){middle - least / 2, middle + least / 2};
    return t;
}

/* At most `columns` signs, "▁▂▅"; a series without a change looks flat. */
static void history_put_trend(struct buf *b, const struct history_view *v, int columns)
{
    const struct trend t = trend_scale(v);
    const int n = v->n < columns ? v->n : columns;
    for (int i = 0; i < n; i++) {
        int from = (int)((long)i * v->n / n), to = (int)((long)(i + 1) * v->n / n);
        double sum = 0;
        for (int k = from; k < to; k++)
            sum += v->points[k].value;
        double part = t.high > t.low ? (sum / (to - from) - t.low) / (t.high - t.low) : 0.5;
        int level = (int)(fmin(fmax(part, 0), 1) * 7 + 0.5);
        buf_str(b, spark_levels[level]);
    }
}

/* For history_share: the view, its last point, its changes, the trend. */
static enum tare_status make_item(void *context, int i, struct buf *out, struct tare_err *err)
{
    const struct list *l = context;
    const struct view_options options = {.margin = HISTORY_MARGIN, .places = l->r.places};
    struct arena arena = {0};
    struct history_view v;
    enum tare_status status = history_view_make(&v, l->r.h, l->wanted[i], l->r.line, &options, &arena, err);
    if (!status) {
        buf_add(out, &v, sizeof v);
        buf_add(out, v.points + v.n - (v.n > 0), sizeof *v.points);
        buf_add(out, v.changes, (size_t)v.n_changes * sizeof *v.changes);
        history_put_trend(out, &v, TREND_COLUMNS);
    }
    arena_finish(&arena);
    return status;
}

static enum tare_status take_item(void *context, int i, const char *bytes, size_t n, struct tare_err *err)
{
    struct list *l = context;
    struct listed *x = &l->items[i];
    struct history_view *v = &x->view;
    memcpy(v, bytes, sizeof *v);
    struct arena *a = l->r.cli->arena;
    const char *points = bytes + sizeof *v, *changes = points + sizeof *v->points;
    const char *trend = changes + (size_t)v->n_changes * sizeof *v->changes;
    v->points = (struct view_point *)(void *)arena_copy(a, points, sizeof *v->points);
    v->changes = (struct view_change *)(void *)arena_copy(a, changes, (size_t)(trend - changes));
    x->trend = arena_copy(a, trend, (size_t)(bytes + n - trend));
    if (!v->points || !v->changes || !x->trend)
        return err_no_memory(err);
    x->last.series = history_series_at(l->r.h, l->wanted[i]);
    if (v->n_changes)
        x->last.change = v->changes[v->n_changes - 1];
    return TARE_OK;
}

static enum tare_status read_series(struct list *l, struct tare_err *err)
{
    const int all = history_n_series(l->r.h);
    l->wanted = arena_array(l->r.cli->arena, (size_t)all + 1, sizeof *l->wanted);
    l->items = arena_array(l->r.cli->arena, (size_t)all + 1, sizeof *l->items);
    if (!l->wanted || !l->items)
        return err_no_memory(err);
    for (int i = 0; i < all; i++)
        if (history_wanted(history_series_at(l->r.h, i), l->r.o))
            l->wanted[l->n++] = i;
    history_expect(l->r.h, l->wanted, l->n);
    const struct history_share share = {.r = &l->r, .n = l->n, .make = make_item, .take = take_item, .context = l};
    return history_share(&share, err);
}

static enum tare_status list_work(void *context, enum exit_code *code, struct tare_err *err)
{
    struct list *l = context;
    enum tare_status status = read_series(l, err);
    if (status)
        return status;
    *code = history_say_empty(&l->r);
    *code = cli_worse(*code, history_print(&l->r, show_list, l));
    *code = cli_worse(*code, history_write_json(&l->r, put_json, l));
    return TARE_OK;
}

int cmd_history_list(struct cli *cli, const void *options)
{
    struct list l = {.n = 0};
    return history_command(&l.r, cli, options, list_work, &l);
}
