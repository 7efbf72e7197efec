/* SPDX-License-Identifier: MIT */
#include "cli.h"
#include "history_json.h"
#include "history_options.h"
#include "history_share.h"
#include "history_words.h"
#include "layout.h"
#include "outputs.h"
#include "quote.h"
#include "screen.h"
#include "utc.h"
#include <math.h>
#include <string.h>

enum { TEXT_MAX = 1 << 26, NAME_COLUMNS = 40, TREND_COLUMNS = 12, WIDE = 72 /* columns: room for intervals */ };

struct listed {
    const struct history_series *s;
    const struct history_line *line;
    struct history_view view; /* thinned */
    const char *trend;
};

struct list {
    struct cli *cli;
    const struct history_list_options *o;
    struct history_reading r;
    struct listed *items;
    int *wanted; /* series */
    int n;
};

static enum tare_status no_memory(const struct list *l, struct tare_err *err)
{
    return err_set(err, TARE_NO_MEMORY, "no memory for %d series", history_n_series(l->r.h));
}

/* ---- the table ---- */

static const struct listed *item(const void *row)
{
    return row;
}

static void id_cell(struct page *p, const void *row)
{
    buf_format(&p->piece, "%.*s", HISTORY_BRIEF_ID, item(row)->s->id);
}

static void name_cell(struct page *p, const void *row)
{
    history_put_name(&p->piece, item(row)->s, NAME_COLUMNS, p->o->unicode);
}

/* "wall", "rss"; of a benchmark "time", as its "ns" says little. */
static void metric_cell(struct page *p, const void *row)
{
    const char *title = item(row)->s->metric.title, *per = title ? strstr(title, " per ") : NULL;
    if (per)
        put_name_part(p, title, (size_t)(per - title), NAME_COLUMNS / 2);
    else
        quote_cut(&p->piece, item(row)->s->metric.id, NAME_COLUMNS / 2, p->o->unicode);
    if (!item(row)->s->anchor)
        return;
    buf_str(&p->piece, " / ");
    history_put_anchor(&p->piece, item(row)->s->anchor, NAME_COLUMNS / 2, p->o->unicode);
}

static void class_cell(struct page *p, const void *row)
{
    quote_cut(&p->piece, item(row)->s->class, NAME_COLUMNS / 2, p->o->unicode);
}

static void points_cell(struct page *p, const void *row)
{
    buf_format(&p->piece, "%d", item(row)->view.commits);
}

static void last_cell(struct page *p, const void *row)
{
    const struct history_view *v = &item(row)->view;
    if (v->n)
        history_put_value(&p->piece, item(row)->s, v->points[v->n - 1].value, v->points[v->n - 1].low, v->points[v->n - 1].high);
}

static void trend_cell(struct page *p, const void *row)
{
    buf_str(&p->piece, item(row)->trend);
}

static void change_cell(struct page *p, const void *row)
{
    const struct history_view *v = &item(row)->view;
    if (!v->n_changes) {
        history_put_course(&p->piece, v);
        return;
    }
    struct view_change c = v->changes[v->n_changes - 1];
    const enum hue hue = !change_open(&c) ? HUE_PLAIN : c.worse ? HUE_BAD : HUE_GOOD;
    if (p->o->width > 0 && p->o->width < WIDE)
        c.low = c.high = NAN;
    hue_on(p, &p->piece, hue);
    history_put_effect(&p->piece, item(row)->s, &c);
    hue_off(p, &p->piece, hue);
}

static void commits_cell(struct page *p, const void *row)
{
    const struct history_view *v = &item(row)->view;
    if (v->n_changes)
        history_put_commits(&p->piece, item(row)->line, v, &v->changes[v->n_changes - 1]);
}

static void state_cell(struct page *p, const void *row)
{
    const struct history_view *v = &item(row)->view;
    if (v->n_changes)
        buf_str(&p->piece, history_state(v->changes[v->n_changes - 1].state));
}

static bool several_classes(const struct list *l)
{
    for (int i = 1; i < l->n; i++)
        if (strcmp(l->items[i].s->class, l->items[0].s->class) != 0)
            return true;
    return false;
}

static void put_table(const struct list *l, struct page *p)
{
    static const struct table_column columns[] = {
        {"series", SIDE_LEFT, 3, id_cell},           {"benchmark", SIDE_LEFT, 0, name_cell},
        {"metric", SIDE_LEFT, 9, metric_cell},       {"points", SIDE_RIGHT, 1, points_cell},
        {"last", SIDE_RIGHT, 6, last_cell},          {"trend", SIDE_LEFT, 5, trend_cell},
        {"last change", SIDE_LEFT, 12, change_cell}, {"commits", SIDE_LEFT, 2, commits_cell},
        {"state", SIDE_LEFT, 11, state_cell}};
    struct table t;
    table_begin(&t, columns, sizeof columns / sizeof *columns);
    if (several_classes(l))
        table_column(&t, (struct table_column){"class", SIDE_LEFT, 4, class_cell});
    for (int i = 0; i < l->n; i++)
        table_row(p, &t, &l->items[i]);
    table_end(p, &t, 0);
}

/* ---- below ---- */

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
    buf_format(&p->piece, "%d series, %d session%s", l->n, sessions, buf_plural(sessions));
    summary_part(p);
    if (!sessions)
        buf_str(&p->piece, "tare run --history adds some, and tare bench --history");
    summary_part(p);
    if (dirty)
        buf_format(&p->piece, "%d with uncommitted changes, in no series", dirty);
    summary_part(p);
    if (off)
        buf_format(&p->piece, "%d of commits that are not first parents of HEAD, in no series", off);
    summary_part(p);
    if (!l->r.line)
        buf_str(&p->piece, "not in a git repository: in the order of measurement");
    summary_part(p);
    if (l->r.line && l->r.line->shallow)
        buf_str(&p->piece, "the clone is shallow: git fetch --unshallow brings the older commits");
    summary_part(p);
    flow_end(p);
}

static void put_problems(const struct list *l, struct page *p)
{
    for (int i = 0; i < history_n_problems(l->r.h); i++) {
        const struct history_problem *problem = history_problem_at(l->r.h, i);
        flow_warning(p, "not read");
        put_text(p, problem->path);
        buf_str(&p->piece, ": ");
        put_text(p, problem->text);
        flow_rest(p);
    }
}

/* ---- -v ---- */

/* To the second. */
static void put_date(struct page *p, int64_t utc_ns)
{
    struct buf b = BUF_INIT(64);
    utc_text(&b, utc_ns);
    buf_format(&p->piece, "%.19sZ", buf_text(&b));
    buf_finish(&b);
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
        put_date(p, s->measured_utc_ns);
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
        put_date(p, e->at_utc_ns);
        buf_format(&p->piece, "  %s", history_undecided(e) ? "undecided" : history_event_name(e->kind));
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

static enum exit_code show(struct list *l)
{
    struct render_options options = screen_options(&l->o->display);
    struct buf text = BUF_INIT(TEXT_MAX);
    struct page p = page_over(NULL, &options, &text);
    put_table(l, &p);
    if (!l->o->display.quiet)
        put_counts(l, &p);
    put_problems(l, &p);
    if (l->o->display.verbose) {
        put_sessions(l, &p);
        put_events(l, &p);
    }
    page_finish(&p);
    return screen_text(l->cli, &l->o->display, &text);
}

static void put_json(const struct list *l, struct buf *out)
{
    struct json_write j = json_into(out, 2);
    json_object(&j, NULL);
    json_array(&j, "series");
    for (int i = 0; i < l->n; i++)
        history_json_series(&j, &l->r, &l->items[i].view, false);
    json_end(&j);
    history_json_sessions(&j, l->r.h);
    history_json_events(&j, l->r.h);
    history_json_problems(&j, l->r.h);
    json_end(&j);
    buf_char(out, '\n');
}

/* ---- the command ---- */

/* For history_share: the view, its points, its changes, the trend. */
static enum tare_status make(void *context, int i, struct buf *out, struct tare_err *err)
{
    const struct list *l = context;
    const struct view_options options = {.margin = HISTORY_MARGIN, .places = l->r.places};
    struct arena arena = {0};
    struct history_view v;
    enum tare_status status = history_view_make(&v, l->r.h, l->wanted[i], l->r.line, &options, &arena, err);
    struct buf trend = BUF_INIT(1 << 12);
    if (!status)
        history_put_trend(&trend, &v, TREND_COLUMNS);
    if (!status && !history_view_thin(&v, &arena))
        status = no_memory(l, err);
    if (!status) {
        buf_add(out, &v, sizeof v);
        buf_add(out, v.points, (size_t)v.n * sizeof *v.points);
        buf_add(out, v.changes, (size_t)v.n_changes * sizeof *v.changes);
        buf_str(out, buf_text(&trend));
    }
    buf_finish(&trend);
    arena_finish(&arena);
    return status;
}

static enum tare_status take(void *context, int i, const char *bytes, size_t n, struct tare_err *err)
{
    struct list *l = context;
    struct listed *item = &l->items[i];
    struct history_view *v = &item->view;
    memcpy(v, bytes, sizeof *v);
    const size_t points = (size_t)v->n * sizeof *v->points, changes = (size_t)v->n_changes * sizeof *v->changes;
    const char *at = bytes + sizeof *v;
    item->s = history_series_at(l->r.h, l->wanted[i]);
    item->line = l->r.line;
    v->points = (struct view_point *)(void *)arena_copy(l->cli->arena, at, points);
    v->changes = (struct view_change *)(void *)arena_copy(l->cli->arena, at + points, changes);
    item->trend = arena_copy(l->cli->arena, at + points + changes, n - sizeof *v - points - changes);
    return v->points && v->changes && item->trend ? TARE_OK : no_memory(l, err);
}

static enum tare_status read_series(struct list *l, struct tare_err *err)
{
    const int all = history_n_series(l->r.h);
    l->wanted = arena_array(l->cli->arena, (size_t)all + 1, sizeof *l->wanted);
    if (!l->wanted)
        return no_memory(l, err);
    for (int i = 0; i < all; i++)
        if (history_wanted(history_series_at(l->r.h, i), l->o->class, &l->o->filters))
            l->wanted[l->n++] = i;
    l->items = arena_array(l->cli->arena, (size_t)l->n + 1, sizeof *l->items);
    if (!l->items)
        return no_memory(l, err);
    const struct history_share share = {.r = &l->r, .n = l->n, .make = make, .take = take, .context = l};
    return history_share(&share, err);
}

static enum exit_code answer(struct list *l, struct outputs *outputs)
{
    struct buf json = BUF_INIT(TEXT_MAX);
    enum exit_code code = show(l);
    if (l->o->display.export_file[EXPORT_TO_JSON])
        put_json(l, &json);
    return cli_worse(code, outputs_json(outputs, l->cli, &json));
}

int cmd_history_list(struct cli *cli, const void *options)
{
    struct list l = {.cli = cli, .o = options};
    struct outputs outputs;
    struct tare_err err;
    if (outputs_open(&outputs, &l.o->display, NULL, &err))
        return cli_fail(cli, EXIT_TOOL, &err);
    enum tare_status status = history_reading_open(&l.r, l.o->dir, cli->arena, &err);
    if (!status)
        status = read_series(&l, &err);
    int code = status ? cli_fail(cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, &err) : answer(&l, &outputs);
    history_reading_close(&l.r);
    outputs_finish(&outputs, NULL);
    return code;
}
