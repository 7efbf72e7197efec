/* SPDX-License-Identifier: MIT
 *
 * All results of a history as text for other tools. history_import.h reads all but JSON back. */
#include "history_reading.h"
#include "plat.h"
#include "quote.h"
#include "record_fields.h"
#include "utc.h"
#include <math.h>
#include <stdlib.h>

static bool is_chosen(const struct history_reading *r, int series)
{
    return history_wanted(history_series_at(r->h, series), r->o);
}

static void put_series_name(struct buf *b, const struct history_series *s)
{
    series_name_put(b, s->benchmark, s->arguments, s->metric.id);
}

static void put_number(struct buf *b, double value)
{
    buf_char(b, ',');
    if (isfinite(value))
        buf_format(b, "%g", value);
}

static void put_text_field(struct buf *b, const char *text)
{
    buf_char(b, ',');
    quote_csv(b, "", text);
}

static void put_line(struct buf *b, const struct history_series *s, const struct history_session *session,
                     const struct history_point *p)
{
    quote_csv(b, "", session->revision);
    buf_char(b, ',');
    utc_text(b, session->measured_utc_ns);
    put_text_field(b, s->benchmark);
    put_text_field(b, s->arguments);
    put_text_field(b, s->version);
    put_text_field(b, s->metric.id);
    put_text_field(b, s->metric.title);
    put_text_field(b, s->metric.unit);
    put_text_field(b, metric_kind_name(s->metric.kind));
    put_text_field(b, words_name(&metric_direction_words, (int)s->metric.direction));
    put_number(b, p->median);
    put_number(b, p->low);
    put_number(b, p->high);
    put_text_field(b, s->anchor);
    put_number(b, p->ratio);
    put_number(b, p->ratio_low);
    put_number(b, p->ratio_high);
    buf_format(b, ",%d", p->n);
    put_text_field(b, s->class);
    put_text_field(b, session->tool);
    put_text_field(b, session->dirty ? "yes" : "no");
    buf_char(b, '\n');
}

static enum tare_status put_csv(struct buf *b, const struct history_reading *r, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    buf_str(b, "commit,time,benchmark,arguments,version,metric,title,unit,kind,direction,value,low,high,anchor,ratio,ratio_low,"
               "ratio_high,runs,class,tool,dirty\n");
    for (int i = 0; i < history_n_series(r->h) && !status; i++) {
        struct history_points points = {.n = 0};
        status = is_chosen(r, i) ? history_points(r->h, i, &points, err) : TARE_OK;
        for (int k = 0; k < points.n && !status; k++)
            if (isfinite(points.items[k].median) || isfinite(points.items[k].ratio))
                put_line(b, history_series_at(r->h, i), history_session_at(r->h, points.items[k].session), &points.items[k]);
        history_forget_points(r->h, i);
    }
    return status;
}

struct by_session {
    int n; /* series */
    const int *series;
    const struct history_points *points; /* of each, by time as the sessions are */
};

static enum tare_status gather_series(struct by_session *x, const struct history_reading *r, struct tare_err *err)
{
    const int all = history_n_series(r->h);
    int *series = arena_array(r->cli->arena, (size_t)all + 1, sizeof *series);
    struct history_points *points = arena_array(r->cli->arena, (size_t)all + 1, sizeof *points);
    *x = (struct by_session){.series = series, .points = points};
    if (!series || !points)
        return err_set(err, TARE_NO_MEMORY, "no memory for %d series", all);
    enum tare_status status = TARE_OK;
    for (int i = 0; i < all && !status; i++)
        if (is_chosen(r, i)) {
            status = history_points(r->h, i, &points[x->n], err);
            series[x->n++] = i;
        }
    return status;
}

static double value_of(const struct history_series *s, const struct history_point *p)
{
    return s->anchor ? p->ratio : p->median;
}

static int compare_sessions(const void *a, const void *b)
{
    const struct history_point *x = a, *y = b;
    return (x->session > y->session) - (x->session < y->session);
}

/* A result of the session; NULL: it has none, or one that is no number. */
static const struct history_point *point_of(const struct history_reading *r, const struct by_session *x, int column, int session)
{
    const struct history_point wanted = {.session = session};
    const struct history_points *all = &x->points[column];
    const struct history_point *p = all->n ? bsearch(&wanted, all->items, (size_t)all->n, sizeof wanted, compare_sessions) : NULL;
    return p && isfinite(value_of(history_series_at(r->h, x->series[column]), p)) ? p : NULL;
}

static enum tare_status put_otava(struct buf *b, const struct history_reading *r, struct tare_err *err)
{
    struct by_session x;
    enum tare_status status = gather_series(&x, r, err);
    buf_str(b, "time,commit");
    for (int i = 0; i < x.n; i++) {
        struct buf name = BUF_INIT(1 << 20);
        put_series_name(&name, history_series_at(r->h, x.series[i]));
        put_text_field(b, buf_text(&name));
        buf_finish(&name);
    }
    buf_char(b, '\n');
    for (int session = 0; session < history_n_sessions(r->h) && !status; session++) {
        const struct history_session *s = history_session_at(r->h, session);
        bool any = false;
        for (int i = 0; i < x.n && !any; i++)
            any = point_of(r, &x, i, session);
        if (!any || s->dirty)
            continue;
        utc_text(b, s->measured_utc_ns);
        put_text_field(b, s->revision);
        for (int i = 0; i < x.n; i++) {
            const struct history_point *p = point_of(r, &x, i, session);
            put_number(b, p ? value_of(history_series_at(r->h, x.series[i]), p) : NAN);
        }
        buf_char(b, '\n');
    }
    return status;
}

static void put_commit(struct json_write *j, const struct history_reading *r, const struct history_session *s)
{
    const int position = r->line ? history_position(r->line, s->revision) : -1;
    const struct history_commit *c = position < 0 ? NULL : &r->line->commits[position];
    struct buf time = BUF_INIT(64);
    utc_text(&time, c ? c->time_s * 1000000000 : s->measured_utc_ns);
    json_object(j, "commit");
    json_object(j, "author");
    json_string(j, "name", c ? c->author : "");
    json_end(j);
    json_string(j, "id", s->revision);
    json_string(j, "message", c ? c->subject : "");
    json_string(j, "timestamp", buf_text(&time));
    json_string(j, "url", "");
    json_end(j);
    buf_finish(&time);
}

static void put_bench(struct json_write *j, const struct history_series *s, const struct history_point *p)
{
    struct buf name = BUF_INIT(1 << 20), range = BUF_INIT(64);
    put_series_name(&name, s);
    if (!s->anchor && isfinite(p->low) && isfinite(p->high))
        buf_format(&range, "± %.6g", (p->high - p->low) / 2);
    json_object(j, NULL);
    json_string(j, "name", buf_text(&name));
    json_number(j, "value", value_of(s, p));
    if (range.len)
        json_string(j, "range", buf_text(&range));
    json_string(j, "unit", s->anchor ? "x" : s->metric.unit);
    json_end(j);
    buf_finish(&name);
    buf_finish(&range);
}

static void put_suite(struct json_write *j, const struct history_reading *r, const struct by_session *x, bool more)
{
    json_array(j, more ? "tare, more is better" : "tare");
    for (int session = 0; session < history_n_sessions(r->h); session++) {
        const struct history_session *s = history_session_at(r->h, session);
        bool begun = false;
        for (int i = 0; i < x->n && !s->dirty; i++) {
            const struct history_series *series = history_series_at(r->h, x->series[i]);
            const struct history_point *p =
                (series->metric.direction == METRIC_HIGHER) == more ? point_of(r, x, i, session) : NULL;
            if (p && !begun) {
                begun = true;
                json_object(j, NULL);
                put_commit(j, r, s);
                json_integer(j, "date", s->measured_utc_ns / 1000000);
                json_string(j, "tool", more ? "customBiggerIsBetter" : "customSmallerIsBetter");
                json_array(j, "benches");
            }
            if (p)
                put_bench(j, series, p);
        }
        if (begun) {
            json_end(j);
            json_end(j);
        }
    }
    json_end(j);
}

static bool any_of(const struct history_reading *r, const struct by_session *x, bool more)
{
    for (int i = 0; i < x->n; i++)
        if ((history_series_at(r->h, x->series[i])->metric.direction == METRIC_HIGHER) == more)
            return true;
    return false;
}

static enum tare_status put_action(struct buf *b, const struct history_reading *r, struct tare_err *err)
{
    struct by_session x;
    enum tare_status status = gather_series(&x, r, err);
    const int n = history_n_sessions(r->h);
    int64_t last = 0;
    for (int i = 0; i < n; i++)
        last = history_session_at(r->h, i)->measured_utc_ns > last ? history_session_at(r->h, i)->measured_utc_ns : last;
    buf_str(b, "window.BENCHMARK_DATA = ");
    struct json_write j = json_into(b, 2);
    json_object(&j, NULL);
    json_integer(&j, "lastUpdate", last / 1000000);
    json_string(&j, "repoUrl", "");
    json_object(&j, "entries");
    for (int more = 0; more < 2 && !status; more++)
        if (any_of(r, &x, more))
            put_suite(&j, r, &x, more);
    json_end(&j);
    json_end(&j);
    buf_str(b, "\n");
    return status;
}

static enum tare_status put_json(struct buf *b, const struct history_reading *r, struct tare_err *err)
{
    const struct view_options options = {.margin = HISTORY_MARGIN, .places = r->places};
    struct json_write j = json_into(b, 2);
    enum tare_status status = TARE_OK;
    json_object(&j, NULL);
    json_array(&j, "series");
    for (int i = 0; i < history_n_series(r->h) && !status; i++) {
        struct history_view v;
        if (!is_chosen(r, i))
            continue;
        status = history_view_make(&v, r->h, i, r->line, &options, r->cli->arena, err);
        if (!status)
            history_json_series(&j, r, &v, true);
    }
    json_end(&j);
    history_json_rest(&j, r->h);
    json_end(&j);
    buf_char(b, '\n');
    return status;
}

static enum tare_status write_all(void *context, enum exit_code *code, struct tare_err *err)
{
    static enum tare_status (*const writers[])(struct buf *, const struct history_reading *,
                                               struct tare_err *) = {[HISTORY_FORMAT_CSV] = put_csv,
                                                                     [HISTORY_FORMAT_OTAVA] = put_otava,
                                                                     [HISTORY_FORMAT_ACTION] = put_action,
                                                                     [HISTORY_FORMAT_JSON] = put_json};
    const struct history_reading *r = context;
    const char *file = r->cli->operands.n ? r->cli->operands.items[0] : "-";
    struct buf text = BUF_INIT(1 << 30);
    if ((*code = history_say_empty(r))) /* a slip of the name of the folder replaces nothing */
        return TARE_OK;
    enum tare_status status = history_place_spared(&r->place, &r->o->display, "the export", file, err);
    if (!status)
        status = writers[r->o->format](&text, r, err);
    if (!status && text.status)
        status = err_set(err, text.status, "the export is too long");
    if (!status)
        status = plat_file_replace(file, buf_text(&text), text.len, err);
    buf_finish(&text);
    return status;
}

int cmd_history_export(struct cli *cli, const void *options)
{
    struct history_reading r;
    return history_command(&r, cli, options, write_all, &r);
}
