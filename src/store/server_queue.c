/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "json_write.h"
#include "server_session.h"
#include "sha2.h"
#include "unit_queue.h"
#include <stdlib.h>
#include <string.h>

#define SECOND_NS INT64_C(1000000000)
enum { PLAN_MAX = 1 << 26, COLUMN_MAX = 1 << 24, UNITS_MOST = 100000, ATTEMPTS_MOST = 1000000000, DIGITS = 24 };

struct queue {
    struct server *s; /* NULL: the connection was lost and could not be made again */
    char *url, *key;  /* key NULL: of no worker */
};

static enum tare_status not_as_made(struct tare_err *err)
{
    return err_set(err, TARE_FORMAT, "the database: the queue is not as tare makes it");
}

bool queue_is_name(const char *name)
{
    static const char digits[] = "0123456789abcdef";
    return strlen(name) == QUEUE_NAME_BYTES - 1 && strspn(name, digits) == 12 && name[12] == '-' &&
           strspn(name + 13, digits) == 16;
}

enum tare_status queue_again(struct queue *q, struct tare_err *err)
{
    server_close(q->s);
    q->s = NULL;
    const char *const values[] = {q->key};
    enum tare_status status = server_open(&q->s, q->url, q->key ? SERVER_WORK : SERVER_QUEUE, err);
    if (!status && q->key)
        status = server_do(q->s, "SELECT set_config('tare.worker',$1::text,false)", 1, values, err);
    if (status) { /* without its key a connection is another's */
        server_close(q->s);
        q->s = NULL;
    }
    return status;
}

static char *copy_of(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy ? memcpy(copy, text, strlen(text) + 1) : NULL;
}

enum tare_status queue_open(struct queue **out, const char *url, const char *key, struct tare_err *err)
{
    struct queue *q = calloc(1, sizeof *q);
    const bool there = q && (q->url = copy_of(url)) && (!key || (q->key = copy_of(key)));
    const enum tare_status status = there ? queue_again(q, err) : err_no_memory(err);
    if (status)
        queue_close(q);
    else
        *out = q;
    return status;
}

void queue_close(struct queue *q)
{
    if (!q)
        return;
    server_close(q->s);
    free(q->url);
    free(q->key);
    free(q);
}

static enum tare_status check_connection(const struct queue *q, struct tare_err *err)
{
    return q->s ? TARE_OK : err_set(err, TARE_IO, "the database: not connected");
}

static enum tare_status ask(struct queue *q, const char *sql, int n, const char *const *values, struct answer **r,
                            struct tare_err *err)
{
    enum tare_status status = check_connection(q, err);
    *r = status ? NULL : server_ask(q->s, sql, n, values, &status, err);
    return status;
}

static enum tare_status change(struct queue *q, const char *sql, int n, const char *const *values, struct tare_err *err)
{
    struct answer *r;
    enum tare_status status = ask(q, sql, n, values, &r, err);
    answer_finish(r);
    return status;
}

/* All of it or nothing; where `status` is none yet. */
static enum tare_status end_transaction(struct queue *q, enum tare_status status, struct tare_err *err)
{
    if (!status)
        return server_run(q->s, "COMMIT", err);
    if (q->s)
        server_run(q->s, "ROLLBACK", NULL);
    return status;
}

/* ---- who leads ---- */

static void put_number(struct buf *column, int64_t x)
{
    buf_format(column, column->len ? ",%lld" : "{%lld", (long long)x);
}

static void put_host(struct buf *column, const char *host)
{
    buf_char(column, column->len ? ',' : '{');
    if (!host)
        buf_str(column, "NULL");
    for (const char *c = host ? host : ""; *c; c++) {
        buf_str(column, c == host ? "\"" : "");
        if (*c == '"' || *c == '\\')
            buf_char(column, '\\');
        buf_char(column, *c);
    }
    buf_str(column, host ? "\"" : "");
}

static enum tare_status close_columns(struct buf *columns, int n, const char **values, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < n; i++) {
        buf_str(&columns[i], columns[i].len ? "}" : "{}");
        values[i] = buf_text(&columns[i]);
        if (columns[i].status)
            status = err_set(err, columns[i].status, "no room for the units of one plan");
    }
    return status;
}

static enum tare_status put_nodes(struct queue *q, const struct queue_entry *e, struct tare_err *err)
{
    struct buf columns[] = {BUF_INIT(COLUMN_MAX), BUF_INIT(COLUMN_MAX)};
    const char *values[3] = {e->name};
    for (int i = 0; i < e->n_nodes; i++) {
        put_number(&columns[0], e->nodes[i].node);
        put_host(&columns[1], e->nodes[i].host);
    }
    enum tare_status status = close_columns(columns, 2, values + 1, err);
    if (!status)
        status =
            server_do(q->s,
                      "INSERT INTO tare.fleet_node(fleet,node,host,kept) SELECT $1::text,u.node,u.host,u.host IS NOT NULL FROM "
                      "unnest($2::int4[],$3::text[]) u(node,host) ON CONFLICT DO NOTHING",
                      3, values, err);
    if (!status) /* before their units, as workers do */
        status = server_do(q->s, "SELECT FROM tare.fleet_node WHERE fleet=$1::text ORDER BY node FOR UPDATE", 1, values, err);
    buf_finish(&columns[0]);
    buf_finish(&columns[1]);
    return status;
}

static enum tare_status put_units(struct queue *q, const struct queue_entry *e, struct tare_err *err)
{
    struct buf columns[] = {BUF_INIT(COLUMN_MAX), BUF_INIT(COLUMN_MAX), BUF_INIT(COLUMN_MAX)};
    const char *values[4] = {e->name};
    for (int i = 0; i < e->n_units; i++) {
        put_number(&columns[0], e->units[i].unit);
        put_number(&columns[1], e->units[i].node);
        put_number(&columns[2], e->units[i].attempts);
    }
    enum tare_status status = close_columns(columns, 3, values + 1, err);
    if (!status)
        status = server_do(q->s,
                           "INSERT INTO tare.fleet_unit(fleet,unit,node,attempt) SELECT $1::text,u.* FROM "
                           "unnest($2::int4[],$3::int4[],$4::int4[]) u ON CONFLICT DO NOTHING",
                           4, values, err);
    if (!status) /* one that the leader had, and has lost */
        status = server_do(
            q->s, "UPDATE tare.fleet_unit SET tries=0,id=NULL WHERE fleet=$1::text AND unit=ANY($2::int4[]) AND record IS NULL",
            2, values, err);
    for (int i = 0; i < 3; i++)
        buf_finish(&columns[i]);
    return status;
}

/* A node of which nothing is left, here or there, waits for no host: the one that had it may be gone, or be excluded by now. */
static enum tare_status free_nodes(struct queue *q, const struct queue_entry *e, struct tare_err *err)
{
    struct buf nodes = BUF_INIT(COLUMN_MAX);
    const char *values[2] = {e->name};
    for (int i = 0; i < e->n_nodes; i++)
        if (!e->nodes[i].host)
            put_number(&nodes, e->nodes[i].node);
    enum tare_status status = close_columns(&nodes, 1, values + 1, err);
    if (!status)
        status = server_do(q->s,
                           "UPDATE tare.fleet_node n SET kept=false WHERE n.fleet=$1::text AND n.node=ANY($2::int4[]) AND n.kept "
                           "AND NOT EXISTS (SELECT FROM tare.fleet_unit u WHERE u.fleet=n.fleet AND u.node=n.node AND "
                           "u.id IS NOT NULL)",
                           2, values, err);
    buf_finish(&nodes);
    return status;
}

static enum tare_status put_entry(struct queue *q, const struct queue_entry *e, struct tare_err *err)
{
    char numbers[3][40];
    struct buf excluded = BUF_INIT(COLUMN_MAX);
    const char *values[] = {e->name, e->plan, e->class, numbers[0], numbers[1], numbers[2], NULL};
    buf_print(numbers[0], sizeof numbers[0], "%d", e->attempts);
    buf_print(numbers[1], sizeof numbers[1], "%lld milliseconds", (long long)(e->lost_ns / 1000000));
    buf_print(numbers[2], sizeof numbers[2], "%lld", (long long)((e->timeout_ns + SECOND_NS - 1) / SECOND_NS));
    for (int i = 0; i < e->n_excluded; i++)
        put_host(&excluded, e->excluded[i]);
    enum tare_status status = close_columns(&excluded, 1, values + 6, err);
    if (!status)
        status = server_do(q->s,
                           "INSERT INTO tare.fleet(name,plan,class,attempts,lost,timeout_s,excluded,open) VALUES "
                           "($1::text,$2::text,$3::text,$4::int4,$5::interval,$6::int4,$7::text[],true) ON CONFLICT (name) DO "
                           "UPDATE SET class=EXCLUDED.class,attempts=EXCLUDED.attempts,lost=EXCLUDED.lost,"
                           "timeout_s=EXCLUDED.timeout_s,excluded=EXCLUDED.excluded,open=true",
                           7, values, err);
    buf_finish(&excluded);
    return status;
}

enum tare_status queue_put(struct queue *q, const struct queue_entry *e, struct tare_err *err)
{
    enum tare_status status = check_connection(q, err);
    if (!status)
        status = server_run(q->s, SERVER_BEGIN, err);
    if (!status)
        status = put_entry(q, e, err);
    if (!status)
        status = put_nodes(q, e, err);
    if (!status)
        status = put_units(q, e, err);
    if (!status)
        status = free_nodes(q, e, err);
    return end_transaction(q, status, err);
}

enum tare_status queue_stop(struct queue *q, const char *name, struct tare_err *err)
{
    return change(q, "UPDATE tare.fleet SET open=false WHERE name=$1::text", 1, &name, err);
}

enum tare_status queue_remove(struct queue *q, const char *name, struct tare_err *err)
{
    return change(q, "DELETE FROM tare.fleet WHERE name=$1::text", 1, &name, err);
}

/* Its leader has it, so that only its hash stays. */
static enum tare_status accept(struct queue *q, const char *const values[2], struct tare_err *err)
{
    return server_do(q->s, "UPDATE tare.fleet_unit SET record=NULL WHERE fleet=$1::text AND unit=$2::int4", 2, values, err);
}

/* Its node may then be another host's, unless something else of it is there. The node first: workers wait for its row. */
static enum tare_status drop(struct queue *q, const char *const values[3], struct tare_err *err)
{
    enum tare_status status = server_run(q->s, SERVER_BEGIN, err);
    if (!status)
        status =
            server_do(q->s,
                      "SELECT FROM tare.fleet_node n WHERE n.fleet=$1::text AND n.node=(SELECT u.node FROM tare.fleet_unit u "
                      "WHERE u.fleet=$1::text AND u.unit=$2::int4) FOR UPDATE",
                      2, values, err);
    if (!status)
        status = server_do(q->s,
                           "UPDATE tare.fleet_unit SET id=NULL,record=NULL,heard=NULL,failure=left($3::text,1000) "
                           "WHERE fleet=$1::text AND unit=$2::int4",
                           3, values, err);
    if (!status)
        status = server_do(q->s,
                           "UPDATE tare.fleet_node n SET host=NULL,taken_by=NULL,kept=false WHERE n.fleet=$1::text AND n.node="
                           "(SELECT u.node FROM tare.fleet_unit u WHERE u.fleet=$1::text AND u.unit=$2::int4) AND NOT EXISTS "
                           "(SELECT FROM tare.fleet_unit u WHERE u.fleet=n.fleet AND u.node=n.node AND (u.id IS NOT NULL OR "
                           "u.heard IS NOT NULL))",
                           2, values, err);
    return end_transaction(q, status, err);
}

static enum tare_status fetch_row(struct queue *q, const char *name, struct answer_row *row, queue_take_record *took,
                                  void *context, struct tare_err *err)
{
    char unit[DIGITS];
    const char *why = NULL, *values[3] = {name, unit};
    const int64_t number = answer_integer_at(row, 0), attempt = answer_integer_at(row, 1);
    const char *host = answer_text_at(row, 2, QUEUE_HOST_MAX), *reason = answer_text_at(row, 3, QUEUE_REASON_MAX);
    if (row->bad || number < 1 || number > UNITS_MOST || attempt < 0 || attempt > ATTEMPTS_MOST)
        return not_as_made(err);
    const struct queue_record r = {(int)number, (int)attempt, host, reason, answer_text_at(row, 4, QUEUE_RECORD_MAX)};
    buf_print(unit, sizeof unit, "%d", r.unit);
    enum tare_status status = TARE_OK;
    if (row->bad)
        why = "its record did not count: it is no text";
    else
        status = took(context, &r, &why, err);
    values[2] = why;
    return status ? status : why ? drop(q, values, err) : accept(q, values, err);
}

enum tare_status queue_fetch(struct queue *q, const char *name, queue_take_record *took, void *context, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int rows = 1; rows > 0 && !status;) {
        struct answer *r;
        status = ask(q,
                     "SELECT u.unit::int8,u.attempt::int8,coalesce(n.host,''),coalesce(u.failure,''),u.record FROM "
                     "tare.fleet_unit u JOIN tare.fleet_node n ON "
                     "n.fleet=u.fleet AND n.node=u.node WHERE u.fleet=$1::text AND u.record IS NOT NULL ORDER BY u.unit LIMIT 1",
                     1, &name, &r, err);
        rows = answer_rows(r);
        if (rows > 0 && !status)
            status = fetch_row(q, name, &(struct answer_row){.r = r}, took, context, err);
        answer_finish(r);
    }
    return status;
}

static enum tare_status see_row(struct answer_row *row, queue_see *see, void *context, struct tare_err *err)
{
    const int64_t unit = answer_integer_at(row, 0), state = answer_integer_at(row, 1), attempt = answer_integer_at(row, 2);
    const struct queue_seen u = {.unit = (int)unit,
                                 .state = (enum queue_state)state,
                                 .attempt = (int)attempt,
                                 .host = answer_text_at(row, 3, QUEUE_HOST_MAX),
                                 .reason = answer_text_at(row, 4, QUEUE_REASON_MAX)};
    if (row->bad || unit < 1 || unit > UNITS_MOST || state < QUEUE_WAITING || state > QUEUE_DONE || attempt < 0 ||
        attempt > ATTEMPTS_MOST)
        return not_as_made(err);
    see(context, &u);
    return TARE_OK;
}

enum tare_status queue_look(struct queue *q, const char *name, queue_see *see, void *context, bool *there, struct tare_err *err)
{
    struct answer *r;
    enum tare_status status = ask(
        q,
        "SELECT u.unit::int8,(CASE WHEN u.id IS NOT NULL THEN 4 WHEN u.heard>=now()-f.lost THEN 1 WHEN u.tries>=f.attempts THEN 3"
        " WHEN u.heard IS NOT NULL THEN 2 ELSE 0 END)::int8,u.attempt::int8,coalesce(n.host,''),coalesce(u.failure,CASE WHEN "
        "u.heard<now()-f.lost THEN 'nothing was heard of its host any more' END,'') FROM tare.fleet f JOIN tare.fleet_unit u ON "
        "u.fleet=f.name JOIN tare.fleet_node n ON n.fleet=u.fleet AND n.node=u.node WHERE f.name=$1::text ORDER BY u.unit",
        1, &name, &r, err);
    *there = answer_rows(r) > 0;
    for (int i = 0; i < answer_rows(r) && !status; i++)
        status = see_row(&(struct answer_row){.r = r, .at = i}, see, context, err);
    answer_finish(r);
    return status;
}

/* ---- who works ---- */

enum tare_status queue_call(struct queue *q, const char *host, struct tare_err *err)
{
    int64_t ours = 0;
    enum tare_status status = check_connection(q, err);
    if (!status)
        status = server_ask_integer(q->s, "SELECT tare.fleet_called($1::text)", 1, &host, NULL, &ours, err);
    return status || ours
               ? status
               : err_set(
                     err, TARE_BUSY,
                     "another worker was called %.100s within the last minute, or has a session; if it is on another machine, "
                     "give this one another --name",
                     host);
}

static const char *put_names(struct buf *b, const char *const *names, int n)
{
    buf_char(b, '{');
    for (int i = 0; i < n; i++)
        buf_format(b, i ? ",%s" : "%s", names[i]);
    buf_char(b, '}');
    return buf_text(b);
}

enum tare_status queue_offers(struct queue *q, const struct queue_question *of, queue_offered *offered, void *context,
                              struct tare_err *err)
{
    struct buf known = BUF_INIT(COLUMN_MAX), kept = BUF_INIT(COLUMN_MAX);
    const char *const values[] = {put_names(&known, of->known, of->n_known), put_names(&kept, of->kept, of->n_kept), of->class};
    struct answer *r = NULL;
    enum tare_status status = known.status || kept.status ? err_no_memory(err) : TARE_OK;
    if (!status)
        status = ask(q, "SELECT name,plan FROM tare.fleet_offers($1::text[],$2::text[],$3::text)", 3, values, &r, err);
    for (int i = 0; i < answer_rows(r) && !status; i++) {
        struct answer_row row = {.r = r, .at = i};
        const char *name = answer_text_at(&row, 0, QUEUE_NAME_BYTES - 1), *plan = answer_text_or_null(&row, 1, PLAN_MAX);
        status = row.bad || !queue_is_name(name) ? not_as_made(err) : offered(context, name, plan, err);
    }
    answer_finish(r);
    buf_finish(&known);
    buf_finish(&kept);
    return status;
}

static enum tare_status read_taken(struct answer_row *row, struct arena *a, struct queue_taken *out, struct tare_err *err)
{
    const char *name = answer_text_at(row, 0, QUEUE_NAME_BYTES - 1), *reason = answer_text_or_null(row, 3, QUEUE_REASON_MAX);
    const int64_t unit = answer_integer_at(row, 1), attempt = answer_integer_at(row, 2), lost_s = answer_integer_at(row, 4),
                  timeout_s = answer_integer_at(row, 5);
    if (row->bad || !queue_is_name(name) || unit < 1 || unit > UNITS_MOST || attempt < 1 || attempt > ATTEMPTS_MOST ||
        lost_s < 1 || lost_s > INT32_MAX || timeout_s < 0 || timeout_s > INT32_MAX)
        return not_as_made(err);
    *out = (struct queue_taken){.unit = (int)unit,
                                .attempt = (int)attempt,
                                .reason = arena_strdup(a, reason ? reason : ""),
                                .lost_ns = lost_s * SECOND_NS,
                                .timeout_ns = timeout_s * SECOND_NS};
    memcpy(out->name, name, QUEUE_NAME_BYTES);
    return out->reason ? TARE_OK : err_no_memory(err);
}

enum tare_status queue_take(struct queue *q, const char *const *names, int n, const char *host, const char *class,
                            struct arena *a, struct queue_taken *out, bool *there, struct tare_err *err)
{
    struct buf b = BUF_INIT(COLUMN_MAX);
    const char *const values[] = {put_names(&b, names, n), host, class};
    struct answer *r = NULL;
    enum tare_status status = b.status ? err_no_memory(err) : TARE_OK;
    if (!status)
        status = ask(q, "SELECT name,unit,attempt,failure,lost_s,timeout_s FROM tare.fleet_take($1::text[],$2::text,$3::text)", 3,
                     values, &r, err);
    *there = answer_rows(r) > 0;
    if (!status && *there)
        status = read_taken(&(struct answer_row){.r = r}, a, out, err);
    answer_finish(r);
    buf_finish(&b);
    return status;
}

struct claim { /* of a unit, as $1 to $4 */
    char unit[DIGITS], attempt[DIGITS];
};

static void put_claim(struct claim *c, const struct queue_taken *t, const char *host, const char *values[4])
{
    buf_print(c->unit, sizeof c->unit, "%d", t->unit);
    buf_print(c->attempt, sizeof c->attempt, "%d", t->attempt);
    values[0] = t->name;
    values[1] = c->unit;
    values[2] = c->attempt;
    values[3] = host;
}

enum tare_status queue_beat(struct queue *q, const struct queue_taken *t, const char *host, bool *still, struct tare_err *err)
{
    struct claim c;
    const char *values[4];
    int64_t number = 0;
    put_claim(&c, t, host, values);
    enum tare_status status = check_connection(q, err);
    if (!status)
        status = server_ask_integer(q->s, "SELECT tare.fleet_beat($1::text,$2::int4,$3::int4,$4::text)", 4, values, NULL, &number,
                                    err);
    *still = number != 0;
    return status;
}

static enum tare_status ask_verdict(struct queue *q, const char *const values[6], const char **verdict, struct tare_err *err)
{
    static const char *const known[] = {"added", "wanted", "there", "other", "gone"};
    struct answer *r;
    enum tare_status status =
        ask(q, "SELECT tare.fleet_deliver($1::text,$2::int4,$3::int4,$4::text,$5::text,$6::text)", 6, values, &r, err);
    *verdict = NULL;
    if (answer_rows(r) == 1) {
        struct answer_row row = {.r = r};
        const char *said = answer_text_at(&row, 0, 100);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            *verdict = strcmp(said, known[i]) ? *verdict : known[i];
    }
    answer_finish(r);
    return status || *verdict ? status : not_as_made(err);
}

/* What is not wanted is not sent. */
enum tare_status queue_deliver(struct queue *q, const struct queue_taken *t, const char *host, const char *record, size_t n,
                               enum queue_verdict *verdict, struct tare_err *err)
{
    char id[SHA256_TEXT];
    struct claim c;
    const char *values[6], *said = NULL;
    put_claim(&c, t, host, values);
    sha256_digits(record, n, id, sizeof id);
    values[4] = id;
    values[5] = NULL;
    enum tare_status status = ask_verdict(q, values, &said, err);
    values[5] = record;
    if (!status && !strcmp(said, "wanted"))
        status = ask_verdict(q, values, &said, err);
    if (!status)
        *verdict = !strcmp(said, "added")   ? QUEUE_ADDED
                   : !strcmp(said, "there") ? QUEUE_THERE
                   : !strcmp(said, "gone")  ? QUEUE_GONE
                                            : QUEUE_OTHERS;
    return status;
}

enum tare_status queue_fail(struct queue *q, const struct queue_taken *t, const char *host, const char *how, const char *why,
                            struct tare_err *err)
{
    struct claim c;
    const char *values[6];
    put_claim(&c, t, host, values);
    values[4] = how;
    values[5] = why;
    return change(q, "SELECT tare.fleet_fail($1::text,$2::int4,$3::int4,$4::text,$5::text,$6::text)", 6, values, err);
}
