/* SPDX-License-Identifier: MIT */
#include "history_import.h"
#include "csv_read.h"
#include "decimal_read.h"
#include "fnv.h"
#include "foreign.h"
#include "json_read.h"
#include "record_fields.h"
#include "same_text.h"
#include "units.h"
#include "utc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum tare_status no_memory(struct tare_err *err)
{
    return err_set(err, TARE_NO_MEMORY, "no memory for what is imported");
}

void history_import_finish(struct history_import *im)
{
    free(im->sessions);
    free(im->places);
    free(im->rows);
    im->sessions = NULL;
    im->places = NULL;
    im->rows = NULL;
    im->n_sessions = im->n_rows = 0;
}

static bool same_session(const struct history_session *a, const struct history_session *b)
{
    return a->measured_utc_ns == b->measured_utc_ns && a->dirty == b->dirty && same_text(a->revision, b->revision) &&
           same_text(a->class, b->class) && same_text(a->tool, b->tool) && same_text(a->anchor, b->anchor);
}

/* Where it is, or would be. */
static int *place_of(int *places, int room, const struct history_import *im, const struct history_session *s)
{
    uint64_t at = fnv1a64(FNV1A64_EMPTY, &s->measured_utc_ns, sizeof s->measured_utc_ns);
    at = fnv1a64(at, s->revision, strlen(s->revision));
    while (places[at & (uint64_t)(room - 1)] && !same_session(&im->sessions[places[at & (uint64_t)(room - 1)] - 1].s, s))
        at++;
    return &places[at & (uint64_t)(room - 1)];
}

static bool room_for_place(struct history_import *im)
{
    if (2 * im->n_sessions < im->room_places)
        return true;
    const int room = im->room_places ? 2 * im->room_places : 256;
    int *places = room > 0 ? calloc((size_t)room, sizeof *places) : NULL;
    if (!places)
        return false;
    for (int i = 0; i < im->n_sessions; i++)
        *place_of(places, room, im, &im->sessions[i].s) = i + 1;
    free(im->places);
    im->places = places;
    im->room_places = room;
    return true;
}

/* Files have the rows of a session together, or those of a series; NULL: no memory. */
static struct import_session *session_of(struct history_import *im, const struct history_session *s)
{
    if (!room_for_place(im))
        return NULL;
    int *place = place_of(im->places, im->room_places, im, s);
    if (*place)
        return &im->sessions[*place - 1];
    struct import_session *grown = array_grown(im->sessions, im->n_sessions, &im->room_sessions, sizeof *grown);
    if (!grown)
        return NULL;
    im->sessions = grown;
    grown[im->n_sessions] = (struct import_session){.s = *s};
    *place = ++im->n_sessions;
    return &grown[*place - 1];
}

static struct history_session session_like(const struct history_import *im)
{
    return (struct history_session){.project = im->project,
                                    .revision = im->revision,
                                    .class = im->class ? im->class : "imported",
                                    .machine = "",
                                    .tool = "imported",
                                    .folder = im->folder};
}

static enum tare_status add_row(struct history_import *im, const struct history_session *s, const struct metric *m,
                                const struct history_result *result, struct tare_err *err)
{
    if (!foreign_possible(m->id, result->point.median))
        return err_set(err, TARE_FORMAT, "a result of %.60s with an impossible %.40s: %g", result->benchmark, m->id,
                       result->point.median);
    struct import_session *session = session_of(im, s);
    struct import_row *grown = session ? array_grown(im->rows, im->n_rows, &im->room_rows, sizeof *grown) : NULL;
    if (!grown)
        return no_memory(err);
    im->rows = grown;
    grown[im->n_rows] = (struct import_row){.metric = *m, .result = *result};
    if (session->n++)
        grown[session->last].next = im->n_rows;
    else
        session->first = im->n_rows;
    session->last = im->n_rows++;
    return TARE_OK;
}

enum tare_status history_import_entry(const struct history_import *im, int session, struct history_entry *e, struct tare_err *err)
{
    const struct import_session *from = &im->sessions[session];
    struct history_result *results = arena_array(im->arena, (size_t)from->n + 1, sizeof *results);
    if (!results)
        return no_memory(err);
    *e = (struct history_entry){.session = from->s, .results = results};
    for (int row = from->first; e->n < from->n; row = im->rows[row].next) {
        results[e->n] = im->rows[row].result;
        results[e->n++].metric = &im->rows[row].metric;
    }
    return TARE_OK;
}

static struct metric metric_called(const char *id, const char *unit)
{
    const struct metric *known = metric_builtin_find(id) ? metric_builtin_find(id) : metric_followed_find(id);
    if (known && (!*unit || !strcmp(known->unit, unit)))
        return *known;
    const enum metric_kind kind = !strcmp(unit, "ns") ? METRIC_TIME : !strcmp(unit, "bytes") ? METRIC_SIZE : METRIC_OWN;
    return (struct metric){.id = id,
                           .title = id,
                           .unit = *unit ? unit : "1",
                           .kind = kind,
                           .direction = kind == METRIC_OWN ? METRIC_NEUTRAL : METRIC_LOWER};
}

static const struct history_point no_point = {
    .median = NAN, .low = NAN, .high = NAN, .ratio = NAN, .ratio_low = NAN, .ratio_high = NAN, .n = 1};

static bool read_number(const char *text, double *out)
{
    return decimal_read(text, strlen(text), out) && isfinite(*out);
}

/* "2026-11-21T09:08:07Z", with any digits of seconds, a blank for the T and without the Z; or seconds since 1970, but not 20261121, which is meant as
 * a date. */
static bool read_time(const char *text, int64_t *out)
{
    double seconds;
    struct buf b = BUF_INIT(64);
    const size_t date = strspn(text, "0123456789-"), all = date + strspn(text + date, "T 0123456789:");
    const size_t n = all && text[all - 1] == ' ' ? all - 1 : all; /* before " +0000" */
    if (strspn(text, "0123456789") == 8 && !text[8])
        return false;
    if (read_number(text, &seconds) && fabs(seconds) < 9e9) {
        *out = (int64_t)llround(seconds * 1e9);
        return true;
    }
    const char *fraction = text[n] == '.' ? text + n + 1 : "";
    const int digits = (int)strspn(fraction, "0123456789");
    if (date == 10 && (n == 19 || n == 10) && digits <= 9)
        buf_format(&b, "%.10sT%.8s.%.*s%.*sZ", text, n == 19 ? text + 11 : "00:00:00", digits, fraction, 9 - digits, "000000000");
    const char *rest = text + n + (*fraction ? 1 + digits : 0);
    const bool utc = !*rest || !strcmp(rest, "Z") || !strcmp(rest, "+00:00") || !strcmp(rest, "+0000") || !strcmp(rest, " +0000");
    *out = utc ? utc_from_text(buf_text(&b)) : 0;
    buf_finish(&b);
    return *out != 0;
}

static enum tare_status at_line(const struct csv_reader *c, const char *column, const char *value, struct tare_err *err)
{
    return err_set(err, TARE_FORMAT, "line %ld: '%.60s' is not a %s", c->line, value, column);
}

/* "ns/iter", "ms": in base units. */
static void scale_to_base(const struct history_import *im, const char *given, struct metric *m, struct history_point *p)
{
    struct unit u = unit_one;
    const char *per = strchr(given, '/');
    const char *alone = arena_copy(im->arena, given, per ? (size_t)(per - given) : strlen(given));
    const bool each = !per || !strcmp(per, "/iter") || !strcmp(per, "/op");
    const bool time = alone && each && unit_named("ns", !strcmp(alone, "sec") ? "s" : alone, &u);
    const bool size = !time && alone && each && (!strcmp(alone, "bytes") || unit_named("bytes", alone, &u));
    const double factor = time || size ? u.factor : 1;
    p->median *= factor;
    p->low *= factor;
    p->high *= factor;
    m->kind = time ? METRIC_TIME : size ? METRIC_SIZE : METRIC_OWN;
    m->unit = time ? "ns" : size ? "bytes" : *given ? given : "1";
}

/* "MB/s", "ops/ms" and "iter/sec", not "ns/step". */
static bool is_rate(const struct history_import *im, const char *unit)
{
    const char *per = strrchr(unit, '/');
    const char *what = per ? arena_copy(im->arena, unit, (size_t)(per - unit)) : NULL;
    struct unit u;
    return what && !unit_named("ns", what, &u) &&
           (!strcmp(per, "/sec") || !strcmp(per, "/second") || unit_named("ns", per + 1, &u));
}

static const char *field_or(const struct csv_reader *c, const char *name, const char *usual)
{
    const char *field = csv_reader_field(c, name);
    return field && *field ? field : usual;
}

static bool optional_number(const struct csv_reader *c, const char *name, double *out)
{
    const char *field = csv_reader_field(c, name);
    return !field || !*field || read_number(field, out);
}

static enum tare_status read_session(const struct history_import *im, const struct csv_reader *c, struct history_session *s,
                                     struct tare_err *err)
{
    const char *time = field_or(c, "time", NULL);
    *s = session_like(im);
    s->revision = field_or(c, "commit", s->revision);
    s->class = field_or(c, "class", s->class);
    s->tool = field_or(c, "tool", s->tool);
    s->anchor = field_or(c, "anchor", NULL);
    const char *dirty = field_or(c, "dirty", "no");
    s->dirty = !strcmp(dirty, "yes");
    if (!s->dirty && strcmp(dirty, "no") != 0)
        return at_line(c, "value of dirty: yes or no", dirty, err);
    return time && !read_time(time, &s->measured_utc_ns) ? at_line(c, "time, as 2026-11-21T09:08:07Z", time, err) : TARE_OK;
}

static enum tare_status read_metric(const struct csv_reader *c, struct metric *m, struct tare_err *err)
{
    const char *id = field_or(c, "metric", NULL), *direction = field_or(c, "direction", NULL);
    if (!id)
        return at_line(c, "metric", "", err);
    *m = metric_called(id, field_or(c, "unit", ""));
    m->title = field_or(c, "title", m->title);
    const char *word = field_or(c, "kind", NULL);
    const int kind = word ? words_value(&metric_kind_words, word) : (int)m->kind;
    if (kind < 0)
        return at_line(c, "kind: time, size, count or own", word, err);
    m->kind = (enum metric_kind)kind;
    const int which = direction ? words_value(&metric_direction_words, direction) : (int)m->direction;
    if (which < 0)
        return at_line(c, "direction: lower, higher or neutral", direction, err);
    m->direction = (enum metric_direction)which;
    return TARE_OK;
}

static enum tare_status read_point(const struct csv_reader *c, struct history_point *p, struct tare_err *err)
{
    const struct {
        const char *name;
        double *out;
    } numbers[] = {{"value", &p->median},        {"low", &p->low},
                   {"high", &p->high},           {"ratio", &p->ratio},
                   {"ratio_low", &p->ratio_low}, {"ratio_high", &p->ratio_high}};
    *p = no_point;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!optional_number(c, numbers[i].name, numbers[i].out))
            return at_line(c, "number", csv_reader_field(c, numbers[i].name), err);
    double runs = 1;
    if (!optional_number(c, "runs", &runs) || !(runs >= 0 && runs <= INT32_MAX))
        return at_line(c, "number of runs", csv_reader_field(c, "runs"), err);
    p->n = (int)runs;
    return isnan(p->median) && isnan(p->ratio) ? at_line(c, "value", "", err) : TARE_OK;
}

/* By its unit, where nothing else says what a metric is: times of a unit that is not ns would never become worse. */
static void take_unit(const struct history_import *im, const struct csv_reader *c, struct metric *m, struct history_point *p)
{
    const char *unit = field_or(c, "unit", NULL);
    if (!unit || m->kind != METRIC_OWN || field_or(c, "kind", NULL) || field_or(c, "direction", NULL))
        return;
    scale_to_base(im, unit, m, p);
    m->direction = m->kind != METRIC_OWN ? METRIC_LOWER : is_rate(im, unit) ? METRIC_HIGHER : METRIC_NEUTRAL;
}

static enum tare_status read_line(struct history_import *im, const struct csv_reader *c, struct tare_err *err)
{
    struct history_session s;
    struct metric m;
    struct history_result result = {.benchmark = field_or(c, "benchmark", NULL),
                                    .arguments = field_or(c, "arguments", ""),
                                    .version = field_or(c, "version", "")};
    if (!result.benchmark)
        return at_line(c, "benchmark", "", err);
    enum tare_status status = read_session(im, c, &s, err);
    if (!status)
        status = read_metric(c, &m, err);
    if (!status)
        status = read_point(c, &result.point, err);
    if (!status)
        take_unit(im, c, &m, &result.point);
    return status ? status : add_row(im, &s, &m, &result, err);
}

static enum tare_status need_columns(const struct csv_reader *c, const char *const *names, struct tare_err *err)
{
    for (; *names; names++)
        if (!csv_reader_has(c, *names))
            return err_set(err, TARE_FORMAT, "there is no column '%s'", *names);
    return TARE_OK;
}

static enum tare_status read_table(struct history_import *im, const char *text, size_t n, const char *const *needed,
                                   enum tare_status (*read)(struct history_import *, const struct csv_reader *,
                                                            struct tare_err *),
                                   struct tare_err *err)
{
    struct csv_reader c = csv_reader_over(text, n, im->arena);
    enum tare_status status = csv_reader_head(&c, err);
    if (!status)
        status = need_columns(&c, needed, err);
    for (bool more = true; !status && more;) {
        status = csv_reader_next(&c, &more, err);
        if (!status && more)
            status = read(im, &c, err);
    }
    return status;
}

enum tare_status history_import_csv(struct history_import *im, const char *text, size_t n, struct tare_err *err)
{
    static const char *const needed[] = {"benchmark", "metric", "value", NULL};
    return read_table(im, text, n, needed, read_line, err);
}

static bool is_attribute(const char *column)
{
    static const char *const names[] = {"time", "commit", "branch", "version", "class", "tool", "dirty", "test_name"};
    return text_among(column, names, sizeof names / sizeof *names);
}

static enum tare_status read_wide(struct history_import *im, const struct csv_reader *c, struct tare_err *err)
{
    struct history_session s;
    enum tare_status status = read_session(im, c, &s, err);
    for (int i = 0; i < c->n && !status; i++) {
        struct history_result result = {.arguments = "", .version = "", .point = no_point};
        if (is_attribute(c->names[i]) || !*c->fields[i])
            continue;
        if (!read_number(c->fields[i], &result.point.median))
            return at_line(c, "number", c->fields[i], err);
        const char *id = series_name_split(im->arena, c->names[i], &result.benchmark);
        const struct metric m = metric_called(id ? id : "value", "");
        status = result.benchmark ? add_row(im, &s, &m, &result, err) : no_memory(err);
    }
    return status;
}

enum tare_status history_import_otava(struct history_import *im, const char *text, size_t n, struct tare_err *err)
{
    static const char *const needed[] = {"time", "commit", NULL}; /* else all rows would be results of one commit */
    return read_table(im, text, n, needed, read_wide, err);
}

static const char *text_in(const struct history_import *im, const struct json_value *object, const char *key)
{
    const char *text;
    return json_text_of(json_member(object, key), &text) ? arena_strdup(im->arena, text) : NULL;
}

static bool more_is_better(const struct history_import *im, const char *tool, const char *unit)
{
    if (!strcmp(tool, "customSmallerIsBetter"))
        return false;
    return !strcmp(tool, "customBiggerIsBetter") || is_rate(im, unit);
}

static enum tare_status read_bench(struct history_import *im, const struct history_session *s, const char *tool,
                                   const char *suite, const struct json_value *bench, struct tare_err *err)
{
    struct history_result result = {.arguments = "", .version = "", .point = no_point};
    const char *name = text_in(im, bench, "name"), *unit = text_in(im, bench, "unit");
    if (!name || !json_number_of(json_member(bench, "value"), &result.point.median))
        return err_set(err, TARE_FORMAT, "a benchmark without name or value");
    unit = unit ? unit : "";
    const char *id = series_name_split(im->arena, name, &result.benchmark);
    if (!result.benchmark || !(result.benchmark = action_name(suite, result.benchmark, im->arena)))
        return no_memory(err);
    struct metric m = metric_called(id ? id : "wall", "");
    if (!id || m.kind == METRIC_OWN || (*unit && strcmp(unit, m.unit) != 0)) {
        scale_to_base(im, unit, &m, &result.point);
        m.id = id ? id : m.kind == METRIC_TIME ? "wall" : m.kind == METRIC_SIZE ? "size" : "value";
        m.title = id || m.kind != METRIC_TIME ? m.id : m.title;
        m.direction = more_is_better(im, tool, unit) ? METRIC_HIGHER : METRIC_LOWER;
    }
    return add_row(im, s, &m, &result, err);
}

static enum tare_status read_action(struct history_import *im, const char *suite, const struct json_value *item,
                                    struct tare_err *err)
{
    double date = 0;
    struct history_session s = session_like(im);
    const char *commit = text_in(im, json_member(item, "commit"), "id"), *tool = text_in(im, item, "tool");
    if (!commit)
        return err_set(err, TARE_FORMAT, "an entry without the id of its commit");
    s.revision = commit;
    s.tool = "github-action-benchmark";
    if (json_number_of(json_member(item, "date"), &date) && fabs(date) < 9e12)
        s.measured_utc_ns = (int64_t)llround(date * 1e6);
    enum tare_status status = TARE_OK;
    for (const struct json_value *b = json_first(json_member(item, "benches")); b && !status; b = json_next(b))
        status = read_bench(im, &s, tool ? tool : "", suite, b, err);
    return status;
}

enum tare_status history_import_action(struct history_import *im, const char *text, size_t n, struct tare_err *err)
{
    struct json_value *all;
    const char *open = memchr(text, '{', n); /* behind window.BENCHMARK_DATA = */
    size_t left = open ? n - (size_t)(open - text) : 0;
    while (left && strchr("; \t\r\n", open[left - 1]))
        left--;
    enum tare_status status = open ? json_parse(&all, open, left, err) : err_set(err, TARE_FORMAT, "no JSON object");
    if (status)
        return status;
    const struct json_value *entries = json_member(all, "entries");
    if (!json_is_object(entries))
        status = err_set(err, TARE_FORMAT, "there is no member 'entries'");
    bool overlap = false;
    if (!status)
        status = action_suites_overlap(entries, im->arena, &overlap, err);
    for (const struct json_value *suite = json_first(entries); suite && !status; suite = json_next(suite))
        for (const struct json_value *item = json_first(suite); item && !status; item = json_next(item))
            status = read_action(im, overlap ? json_key(suite) : NULL, item, err);
    json_free(all);
    return status;
}

enum tare_status history_import_any(struct history_import *im, const char *text, size_t n, struct tare_err *err)
{
    static const char *const columns[] = {"benchmark", "metric", "value", NULL};
    struct csv_reader c = csv_reader_over(text, n, im->arena);
    static const char script[] = "window.BENCHMARK_DATA";
    if ((n && *text == '{') || (n >= sizeof script && !memcmp(text, script, sizeof script - 1)))
        return history_import_action(im, text, n, err);
    if (csv_reader_head(&c, err) || (need_columns(&c, columns, err) && !csv_reader_has(&c, "time")))
        return err_set(
            err, TARE_FORMAT,
            "not a file of results over commits: neither CSV with columns benchmark, metric and value, or time, nor data.js "
            "of github-action-benchmark; for a session of one commit use tare history add");
    return need_columns(&c, columns, err) ? history_import_otava(im, text, n, err) : history_import_csv(im, text, n, err);
}
