/* SPDX-License-Identifier: MIT
 *
 * A history in PostgreSQL. What is added is sent as arrays, a column each, so that a session is some ten statements however many results it has.
 */
#include "history_file.h"
#include "history_series.h"
#include "json_write.h"
#include "quote.h"
#include "record_fields.h"
#include "server.h"
#include "utc.h"
#include <stdlib.h>
#include <string.h>

enum { COLUMN_MAX = 1 << 28, SENT_AT_ONCE = 1 << 24 };

/* ---- reading ---- */

static bool is_id(const char *id)
{
    return strlen(id) == HISTORY_ID_BYTES - 1 && strspn(id, "0123456789abcdef") == HISTORY_ID_BYTES - 1;
}

/* Its head has to name the project of its row, by which the database says who may have written it. */
struct owner {
    const char *project;
    bool other;
};

static enum tare_status owner_of_session(void *context, const struct history_session *s, struct tare_err *err)
{
    struct owner *o = context;
    (void)err;
    o->other = strcmp(s->project, o->project) != 0;
    return TARE_OK;
}

static enum tare_status owner_of_event(void *context, const struct history_event *e, struct tare_err *err)
{
    struct owner *o = context;
    (void)err;
    o->other = strcmp(e->project ? e->project : "", o->project) != 0;
    return TARE_OK;
}

static enum tare_status check_head(const char *head, const char *project, struct buf *why)
{
    struct tare_err err = {""};
    struct owner of = {.project = project};
    const struct history_visit visit = {.session = owner_of_session, .event = owner_of_event, .context = &of};
    struct buf notes = BUF_INIT(1 << 12);
    enum tare_status status = history_text_read(head, strlen(head), &visit, &notes, &err);
    buf_finish(&notes);
    if (status == TARE_NO_MEMORY)
        return status;
    if (status || of.other)
        buf_str(why, status ? err.text : "of another project than the one that it was added to");
    return TARE_OK;
}

static enum tare_status visit_file(struct answer_row *row, const struct index_visit *visit)
{
    struct buf why = BUF_INIT(1 << 12);
    struct indexed_file f = {answer_integer_at(row, 0),
                             answer_text_at(row, 1, HISTORY_ID_BYTES - 1),
                             -1,
                             0,
                             answer_text_at(row, 2, HISTORY_LINE_MAX),
                             ""};
    const char *project = answer_text_at(row, 3, HISTORY_TEXT_MAX);
    row->bad |= !is_id(f.name);
    if (row->bad)
        buf_str(&why, "not what tare writes");
    enum tare_status status = row->bad ? TARE_OK : check_head(f.head, project, &why);
    if (why.len) {
        f.head = "";
        f.problem = buf_text(&why);
    }
    if (!status)
        status = visit->file(visit->context, &f);
    buf_finish(&why);
    return status;
}

/* Its id is the hash of what it is, and nothing in its unit steers a terminal: as of what is read from a file. */
static bool is_sound(const struct history_series *s, int kind, int direction)
{
    char id[HISTORY_SERIES_ID];
    struct buf unit = BUF_INIT(HISTORY_LINE_MAX);
    quote_mask(&unit, s->metric.unit, true);
    const bool sound = kind >= 0 && direction >= 0 && !history_series_id(s, id) && !strcmp(id, s->id) &&
                       !strcmp(buf_text(&unit), s->metric.unit) && *s->benchmark;
    buf_finish(&unit);
    return sound;
}

static enum tare_status visit_series(struct answer_row *row, const struct index_visit *visit)
{
    enum { LONGEST = HISTORY_TEXT_MAX };
    const int64_t key = answer_integer_at(row, 0);
    const int kind = words_value(&metric_kind_words, answer_text_at(row, 11, LONGEST)),
              direction = words_value(&metric_direction_words, answer_text_at(row, 12, LONGEST));
    const struct history_series s = {.id = answer_text_at(row, 1, HISTORY_SERIES_ID - 1),
                                     .n = 1,
                                     .project = answer_text_at(row, 2, LONGEST),
                                     .benchmark = answer_text_at(row, 3, LONGEST),
                                     .arguments = answer_text_at(row, 4, LONGEST),
                                     .class = answer_text_at(row, 5, LONGEST),
                                     .version = answer_text_at(row, 6, LONGEST),
                                     .anchor = answer_text_or_null(row, 7, LONGEST),
                                     .metric = {answer_text_at(row, 8, LONGEST), answer_text_at(row, 9, LONGEST),
                                                answer_text_at(row, 10, LONGEST), kind < 0 ? METRIC_TIME : (enum metric_kind)kind,
                                                direction < 0 ? METRIC_LOWER : (enum metric_direction)direction,
                                                answer_text_or_null(row, 13, LONGEST)}};
    if (!row->bad && is_sound(&s, kind, direction))
        return visit->series(visit->context, &s, key);
    char name[40];
    buf_print(name, sizeof name, "series %lld", (long long)key);
    return visit->file(visit->context, &(struct indexed_file){.name = name, .head = "", .problem = "not what tare writes"});
}

static enum tare_status visit_table(struct server *s, const char *sql,
                                    enum tare_status (*one)(struct answer_row *, const struct index_visit *),
                                    const struct index_visit *visit, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    struct answer *r = s->empty ? NULL : server_ask(s, sql, 0, NULL, &status, err);
    for (int i = 0, n = answer_rows(r); i < n && !status; i++)
        if ((status = one(&(struct answer_row){.r = r, .at = i}, visit)) != TARE_OK)
            err_set(err, status, "the database: %s", tare_status_text(status));
    answer_finish(r);
    return status;
}

enum tare_status server_files(struct server *s, const struct index_visit *visit, struct tare_err *err)
{
    return visit_table(s,
                       "SELECT f.key,f.id,f.head,p.name FROM tare.file f JOIN tare.project p ON p.key=f.project ORDER BY f.key",
                       visit_file, visit, err);
}

enum tare_status server_each_series(struct server *s, const struct index_visit *visit, struct tare_err *err)
{
    return visit_table(
        s,
        "SELECT s.key,s.id,p.name,benchmark,arguments,class,version,anchor,metric,title,unit,kind,direction,definition"
        " FROM tare.series s JOIN tare.project p ON p.key=s.project ORDER BY s.key",
        visit_series, visit, err);
}

static bool holds(double point, double low, double high)
{
    return !(low > point) && !(high < point);
}

static enum tare_status take_point(struct server *s, struct answer_row *row, int n_keys)
{
    if (!array_room(&s->items, s->n_items, &s->room_items, sizeof *s->items))
        return TARE_NO_MEMORY;
    const int64_t n = answer_integer_at(row, 2), of = answer_integer_at(row, 9);
    struct indexed_point *p = &s->items[s->n_items++];
    *p = (struct indexed_point){.series = of < 1 || of > n_keys ? -1 : (int32_t)of - 1,
                                .file = answer_integer_at(row, 0),
                                .place = answer_integer_at(row, 1),
                                .n = (int32_t)n,
                                .median = answer_number_at(row, 3),
                                .low = answer_number_at(row, 4),
                                .high = answer_number_at(row, 5),
                                .ratio = answer_number_at(row, 6),
                                .ratio_low = answer_number_at(row, 7),
                                .ratio_high = answer_number_at(row, 8)};
    const bool sound = !row->bad && p->series >= 0 && n >= 0 && n <= INT32_MAX && p->place >= 0 &&
                       holds(p->median, p->low, p->high) && holds(p->ratio, p->ratio_low, p->ratio_high);
    return sound ? TARE_OK : TARE_FORMAT;
}

/* The results of a series are spread over the pages of all sessions, where those of others are beside them: several at a time take half as long, and the question
 * is planned once, for each month. */
enum tare_status server_points(struct server *s, const int64_t *keys, int n_keys, const struct indexed_point **items, int *n,
                               struct tare_err *err)
{
    char list[SERVER_SERIES_MOST * 24];
    const char *const values[] = {list};
    struct buf b = buf_over(list, sizeof list);
    enum tare_status status;
    for (int i = 0; i < n_keys; i++)
        buf_format(&b, "%c%lld", i ? ',' : '{', (long long)keys[i]);
    buf_char(&b, '}');
    s->n_items = 0;
    struct answer *r = server_ask(s,
                                  "SELECT file,place::int8,n::int8,median,low,high,ratio,ratio_low,ratio_high,"
                                  "array_position($1::int8[],series)::int8 FROM tare.result WHERE series=ANY($1::int8[])",
                                  1, values, &status, err);
    for (int i = 0, rows = answer_rows(r); i < rows && !status; i++)
        if ((status = take_point(s, &(struct answer_row){.r = r, .at = i}, n_keys)) != TARE_OK)
            err_set(err, status, "the database: the results of a series are not as they were added");
    answer_finish(r);
    *items = s->items;
    *n = s->n_items;
    return status;
}

enum tare_status server_values(struct server *s, int64_t file, int64_t measured_utc_ns, int64_t place, double **values, int *n,
                               double *step, struct tare_err *err)
{
    char keys[2][24], measured[40];
    const char *const given[] = {keys[0], keys[1], measured};
    struct buf b = buf_over(measured, sizeof measured);
    enum tare_status status;
    buf_print(keys[0], sizeof keys[0], "%lld", (long long)file);
    buf_print(keys[1], sizeof keys[1], "%lld", (long long)place);
    utc_text(&b, measured_utc_ns);
    struct answer *r = server_ask(
        s, "SELECT step,samples FROM tare.result WHERE file=$1::int8 AND place=$2::int8::int4 AND measured=$3::timestamptz", 3,
        given, &status, err);
    struct answer_row row = {.r = r};
    if (answer_rows(r) == 1) {
        const double given_step = answer_number_at(&row, 0);
        *step = given_step > 0 ? given_step : 0;
        *values = answer_numbers_at(&row, 1, HISTORY_VALUES_MAX, n);
    } else
        row.bad = !status;
    if (row.bad)
        status = err_set(err, TARE_FORMAT, "the database: the values of a result are not as they were added");
    answer_finish(r);
    return status;
}

/* ---- adding ---- */

enum { OF_SERIES = 12, OF_RESULT = 11 };

struct adding {
    struct server *s;
    const struct buf *text;
    struct arena arena;
    const char *project;
    struct history_series of_session;
    char project_key[24], file_key[24], measured[40];
    struct buf series[OF_SERIES], results[OF_RESULT]; /* arrays of SQL, a column each: "{1,2" */
    int n;                                            /* results in them */
    int64_t added;                                    /* results that were sent */
};

static void put_item(struct buf *column)
{
    buf_char(column, column->len ? ',' : '{');
}

static void put_text(struct buf *column, const char *text)
{
    put_item(column);
    if (!text) {
        buf_str(column, "NULL");
        return;
    }
    buf_char(column, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            buf_char(column, '\\');
        buf_char(column, *text);
    }
    buf_char(column, '"');
}

static void put_number(struct buf *column, double x)
{
    put_item(column);
    if (isnan(x))
        buf_str(column, "NULL");
    else
        buf_format(column, "%g", x);
}

/* An array as text within an array. */
static void put_samples(struct buf *column, const double *x, int n)
{
    put_item(column);
    if (!n)
        buf_str(column, "NULL");
    for (int i = 0; i < n; i++)
        buf_format(column, i ? ",%g" : "\"{%g", x[i]);
    if (n)
        buf_str(column, "}\"");
}

/* Of columns that are full: as parameters from `first` on. */
static enum tare_status close_columns(struct buf *columns, int n, const char **values, struct tare_err *err)
{
    for (int i = 0; i < n; i++) {
        buf_char(&columns[i], '}');
        if (columns[i].status)
            return err_set(err, columns[i].status, "no room for the results of one session");
        values[i] = buf_text(&columns[i]);
    }
    return TARE_OK;
}

static const char add_series[] =
    "INSERT INTO tare.series(project,id,benchmark,arguments,class,version,anchor,metric,title,unit,kind,direction,definition)"
    " SELECT DISTINCT ON (u.id) $1::int4,u.* FROM unnest($2::text[],$3::text[],$4::text[],$5::text[],$6::text[],$7::text[],"
    "$8::text[],$9::text[],$10::text[],$11::text[],$12::text[],$13::text[]) AS u(id,benchmark,arguments,class,version,anchor,"
    "metric,title,unit,kind,direction,definition)"
    " WHERE NOT EXISTS (SELECT FROM tare.series s WHERE s.project=$1::int4 AND s.id=u.id)"
    " ORDER BY u.id ON CONFLICT DO NOTHING"; /* in one order, so that two never wait for each other */
static const char add_results[] =
    "INSERT INTO tare.result(project,file,measured,series,place,n,median,low,high,ratio,ratio_low,ratio_high,step,samples)"
    " SELECT $1::int4,$2::int8,$3::timestamptz,s.key,u.place,u.n,u.median,u.low,u.high,u.ratio,u.ratio_low,u.ratio_high,u.step,"
    "u.samples::float8[] FROM unnest($4::text[],$5::int4[],$6::int4[],$7::float8[],$8::float8[],$9::float8[],$10::float8[],"
    "$11::float8[],$12::float8[],$13::float8[],$14::text[]) AS u(series,place,n,median,low,high,ratio,ratio_low,ratio_high,step,"
    "samples) JOIN tare.series s ON s.project=$1::int4 AND s.id=u.series";

static enum tare_status flush(struct adding *a, struct tare_err *err)
{
    const char *series[1 + OF_SERIES] = {a->project_key}, *results[3 + OF_RESULT] = {a->project_key, a->file_key, a->measured};
    if (!a->n)
        return TARE_OK;
    enum tare_status status = close_columns(a->series, OF_SERIES, series + 1, err);
    if (!status)
        status = close_columns(a->results, OF_RESULT, results + 3, err);
    struct answer *r = status ? NULL : server_ask(a->s, add_series, 1 + OF_SERIES, series, &status, err);
    answer_finish(r);
    r = status ? NULL : server_ask(a->s, add_results, 3 + OF_RESULT, results, &status, err);
    if (r && answer_changed(r) != a->n)
        status = err_set(err, TARE_FORMAT, "the database took %d of %d results", (int)answer_changed(r), a->n);
    answer_finish(r);
    a->added += a->n;
    a->n = 0;
    for (int i = 0; i < OF_SERIES; i++)
        buf_clear(&a->series[i]);
    for (int i = 0; i < OF_RESULT; i++)
        buf_clear(&a->results[i]);
    return status;
}

static enum tare_status take_session(void *context, const struct history_session *s, struct tare_err *err)
{
    struct adding *a = context;
    a->of_session = (struct history_series){.project = s->project, .class = s->class, .anchor = s->anchor};
    return history_series_keep(&a->of_session, &a->arena) ? TARE_OK : err_no_memory(err);
}

static enum tare_status put_values(struct adding *a, int64_t place, struct tare_err *err)
{
    const char *line = a->text->data + place, *end = memchr(line, '\n', a->text->len - (size_t)place);
    double *values, step;
    int n;
    enum tare_status status =
        history_line_values(line, end ? (size_t)(end - line) : a->text->len - (size_t)place, &values, &n, &step, err);
    if (status)
        return status;
    put_number(&a->results[9], step > 0 ? step : NAN);
    put_samples(&a->results[10], values, n);
    free(values);
    return TARE_OK;
}

static enum tare_status take_result(void *context, const struct history_result *r, struct tare_err *err)
{
    struct adding *a = context;
    const struct history_point *p = &r->point;
    const double figures[] = {(double)p->place, p->n, p->median, p->low, p->high, p->ratio, p->ratio_low, p->ratio_high};
    char id[HISTORY_SERIES_ID];
    struct history_series s = a->of_session;
    s.benchmark = r->benchmark;
    s.arguments = r->arguments;
    s.version = r->version;
    s.metric = *r->metric;
    if (isnan(p->ratio))
        s.anchor = NULL;
    if (history_series_id(&s, id))
        return err_no_memory(err);
    const char *const columns[OF_SERIES] = {id,
                                            s.benchmark,
                                            s.arguments,
                                            s.class,
                                            s.version,
                                            s.anchor,
                                            s.metric.id,
                                            s.metric.title,
                                            s.metric.unit,
                                            metric_kind_name(s.metric.kind),
                                            words_name(&metric_direction_words, (int)s.metric.direction),
                                            s.metric.definition};
    for (int i = 0; i < OF_SERIES; i++)
        put_text(&a->series[i], columns[i]);
    put_text(&a->results[0], id);
    for (int i = 0; i < 8; i++)
        put_number(&a->results[1 + i], figures[i]);
    a->n++;
    enum tare_status status = put_values(a, p->place, err);
    return status || a->results[10].len < SENT_AT_ONCE ? status : flush(a, err);
}

/* Key of the project, which is made where it is missing; another may make it meanwhile. */
static enum tare_status find_project(struct adding *a, struct tare_err *err)
{
    const char *const name[] = {a->project};
    enum tare_status status = TARE_OK;
    for (int tries = 0; tries < 2 && !status && !*a->project_key; tries++) {
        bool there;
        int64_t key;
        status = server_ask_integer(a->s, "SELECT key::int8 FROM tare.project WHERE name=$1::text", 1, name, &there, &key, err);
        if (!status && there)
            buf_print(a->project_key, sizeof a->project_key, "%lld", (long long)key);
        else if (!status)
            status = server_do(a->s, "INSERT INTO tare.project(name) VALUES ($1::text) ON CONFLICT DO NOTHING", 1, name, err);
    }
    return status || *a->project_key ? status
                                     : err_set(err, TARE_PERMISSION, "the database: this role may not add to this project");
}

struct head {
    struct adding *a;
    int64_t utc_ns;
};

static enum tare_status head_session(void *context, const struct history_session *s, struct tare_err *err)
{
    struct head *h = context;
    h->utc_ns = s->measured_utc_ns;
    h->a->project = arena_strdup(&h->a->arena, s->project);
    return h->a->project ? TARE_OK : err_no_memory(err);
}

static enum tare_status head_event(void *context, const struct history_event *e, struct tare_err *err)
{
    struct head *h = context;
    h->utc_ns = e->at_utc_ns;
    h->a->project = arena_strdup(&h->a->arena, e->project ? e->project : "");
    return h->a->project ? TARE_OK : err_no_memory(err);
}

/* The row of the file; *added false: it is there already. */
static enum tare_status add_file(struct adding *a, const char *head, const char *id, bool *added, struct tare_err *err)
{
    const char *const values[] = {a->project_key, id, a->measured, head};
    int64_t key;
    enum tare_status status =
        server_ask_integer(a->s,
                           "INSERT INTO tare.file(project,id,measured,head) VALUES ($1::int4,$2::text,$3::timestamptz,$4::text)"
                           " ON CONFLICT DO NOTHING RETURNING key",
                           4, values, added, &key, err);
    buf_print(a->file_key, sizeof a->file_key, "%lld", (long long)key);
    return status;
}

/* A month is made first and by itself: it waits for all who are adding. */
static enum tare_status prepare_file(struct adding *a, const char *head, struct tare_err *err)
{
    struct head of = {.a = a};
    const struct history_visit visit = {.session = head_session, .event = head_event, .context = &of};
    struct buf notes = BUF_INIT(1 << 12), b = buf_over(a->measured, sizeof a->measured);
    const char *const values[] = {a->measured};
    enum tare_status status = history_text_read(head, strlen(head), &visit, &notes, err);
    buf_finish(&notes);
    utc_text(&b, of.utc_ns);
    if (!status)
        status = find_project(a, err);
    if (!status)
        status = server_do(a->s, "SELECT tare.add_month($1::timestamptz)", 1, values, err);
    return status;
}

static enum tare_status add_results_of(struct adding *a, struct tare_err *err)
{
    const struct history_visit visit = {.session = take_session, .result = take_result, .context = a};
    struct buf notes = BUF_INIT(1 << 12);
    enum tare_status status = history_text_read(a->text->data, a->text->len, &visit, &notes, err);
    if (!status && notes.len)
        status = err_set(err, TARE_FORMAT, "%s", buf_text(&notes));
    buf_finish(&notes);
    return status ? status : flush(a, err);
}

static enum tare_status remove_file(struct adding *a, const char *id, int64_t *results, struct tare_err *err)
{
    const char *const values[] = {a->project_key, id};
    enum tare_status status =
        server_run(a->s, "LOCK TABLE tare.file IN ROW EXCLUSIVE MODE", err); /* before those of results, as add_month */
    if (!status)
        status = server_ask_integer(
            a->s,
            "SELECT count(*) FROM tare.result WHERE file=(SELECT key FROM tare.file WHERE project=$1::int4 AND id=$2::text)", 2,
            values, NULL, results, err);
    if (!status)
        status = server_do(a->s, "DELETE FROM tare.file WHERE project=$1::int4 AND id=$2::text", 2, values, err);
    return status;
}

static enum tare_status add_all(struct adding *a, const char *head, const char *old, const char *id, bool *added,
                                struct tare_err *err)
{
    int64_t removed = 0;
    enum tare_status status = prepare_file(a, head, err);
    if (!status)
        status = server_run(a->s, SERVER_BEGIN, err);
    if (!status && old)
        status = remove_file(a, old, &removed, err);
    if (!status)
        status = add_file(a, head, id, added, err);
    if (!status && *added)
        status = add_results_of(a, err);
    if (!status && *added && a->added < removed) /* some are of a series that makes no sense */
        status = err_set(err, TARE_FORMAT, "%.12s: %lld of its %lld results cannot be read, so it was left as it is", old,
                         (long long)(removed - a->added), (long long)removed);
    return status ? status : server_run(a->s, "COMMIT", err);
}

enum tare_status server_add(struct server *s, const struct buf *text, const char *old, char id[HISTORY_ID_BYTES], bool *added,
                            struct tare_err *err)
{
    struct adding a = {.s = s, .text = text};
    for (int i = 0; i < OF_SERIES; i++)
        a.series[i] = BUF_INIT(COLUMN_MAX);
    for (int i = 0; i < OF_RESULT; i++)
        a.results[i] = BUF_INIT(COLUMN_MAX);
    history_text_id(text->data, text->len, id);
    const char *head = arena_copy(&a.arena, text->data, strcspn(text->data, "\n"));
    enum tare_status status = head ? add_all(&a, head, old, id, added, err) : err_no_memory(err);
    for (int i = 0; i < OF_SERIES; i++)
        buf_finish(&a.series[i]);
    for (int i = 0; i < OF_RESULT; i++)
        buf_finish(&a.results[i]);
    arena_finish(&a.arena);
    return status;
}
