/* SPDX-License-Identifier: MIT
 *
 * PostgreSQL through libpq, which is loaded at the first use: it brings a dozen libraries, and tare starts in a millisecond. Answers are binary, so that numbers
 * are the same doubles.
 */
#include "history.h"
#include "json_write.h"
#include "plat.h"
#include "server_session.h"
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA_VERSION = 3 };

extern const unsigned char server_schema[], queue_schema[], queue_names[]; /* closed by a zero */
static const unsigned char *const steps[SCHEMA_VERSION] = {server_schema, queue_schema,
                                                           queue_names}; /* from version i to the next */

#define LIBPQ(X)            \
    X(PQclear)              \
    X(PQcmdTuples)          \
    X(PQconnectdbParams)    \
    X(PQconninfoFree)       \
    X(PQconninfoParse)      \
    X(PQconsumeInput)       \
    X(PQerrorMessage)       \
    X(PQfinish)             \
    X(PQflush)              \
    X(PQfreemem)            \
    X(PQgetResult)          \
    X(PQgetisnull)          \
    X(PQgetlength)          \
    X(PQgetvalue)           \
    X(PQisBusy)             \
    X(PQntuples)            \
    X(PQresultErrorField)   \
    X(PQresultStatus)       \
    X(PQsendQuery)          \
    X(PQsendQueryParams)    \
    X(PQsetNoticeProcessor) \
    X(PQsetnonblocking)     \
    X(PQsocket)             \
    X(PQstatus)
#define MEMBER(f) __typeof__(f) *f;
#define PLACE(f)  {#f, &pq.f},

static struct {
    LIBPQ(MEMBER)
} pq;

static enum tare_status load(struct tare_err *err)
{
    static const struct plat_library_function functions[] = {LIBPQ(PLACE)};
    if (pq.PQstatus) /* the last one */
        return TARE_OK;
    enum tare_status status = plat_library_load("libpq.so.5", functions, sizeof functions / sizeof *functions, err);
    if (status)
        err_prefix(err, "PostgreSQL needs libpq");
    return status;
}
#undef MEMBER
#undef PLACE

/* By SQLSTATE. FORMAT: what was sent is at fault, and would be again; not a database that is being restored or changed. */
static enum tare_status status_of(const char *state)
{
    static const struct {
        const char *begins;
        enum tare_status status;
    } classes[] = {{"42501", TARE_PERMISSION},
                   {"25006", TARE_PERMISSION},
                   {"22", TARE_FORMAT},
                   {"23", TARE_FORMAT},
                   {"P0", TARE_FORMAT},
                   {"08", TARE_IO},
                   {"53", TARE_IO},
                   {"57", TARE_IO},
                   {"58", TARE_IO},
                   {"40", TARE_BUSY},
                   {"55", TARE_BUSY}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strncmp(state, classes[i].begins, strlen(classes[i].begins)))
            return classes[i].status;
    return TARE_UNSUPPORTED;
}

/* The first line of what libpq says, which has no state where the connection is lost. */
static enum tare_status fail(const struct server *s, const PGresult *r, struct tare_err *err)
{
    const char *state = pq.PQresultErrorField(r, PG_DIAG_SQLSTATE), *said = pq.PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    if (!state || !said)
        said = pq.PQerrorMessage(s->connection);
    return err_set(err, state ? status_of(state) : TARE_IO, "the database: %.*s", (int)strcspn(said, "\n"), said);
}

/* Behind a signal a server that does not answer is waited for so long, which is enough to give back what it lent. */
static bool is_over(int64_t since_ns)
{
    return plat_signal() && plat_now_ns() - since_ns > INT64_C(5000000000);
}

/* False: it is over, or the connection is lost, which its result says. */
static bool await(const struct server *s, bool writing, int64_t since_ns)
{
    plat_wait_socket(pq.PQsocket(s->connection), writing, INT64_C(500000000));
    return !is_over(since_ns) && pq.PQconsumeInput(s->connection);
}

/* As PQexec and PQexecParams, but that a signal ends them: the last result of what was sent. NULL: the server did not answer. */
static PGresult *answer_of(struct server *s, int sent)
{
    const int64_t since_ns = plat_now_ns();
    PGresult *last = NULL, *r = NULL;
    while (sent && pq.PQflush(s->connection) == 1 && await(s, true, since_ns))
        ;
    for (bool more = sent; more; more = r) {
        while (pq.PQisBusy(s->connection) && await(s, false, since_ns))
            ;
        s->silent = s->silent || (pq.PQisBusy(s->connection) && is_over(since_ns));
        r = s->silent ? NULL : pq.PQgetResult(s->connection);
        pq.PQclear(r ? last : NULL);
        last = r ? r : last;
    }
    return last;
}

static enum tare_status status_of_result(const struct server *s, const PGresult *r, struct tare_err *err)
{
    const ExecStatusType got = pq.PQresultStatus(r);
    return s->silent                                           ? err_set(err, TARE_IO, "the database does not answer")
           : got == PGRES_COMMAND_OK || got == PGRES_TUPLES_OK ? TARE_OK
                                                               : fail(s, r, err);
}

enum tare_status server_run(struct server *s, const char *sql, struct tare_err *err)
{
    PGresult *r = answer_of(s, pq.PQsendQuery(s->connection, sql));
    const enum tare_status status = status_of_result(s, r, err);
    pq.PQclear(r);
    return status;
}

struct answer *server_ask(struct server *s, const char *sql, int n, const char *const *values, enum tare_status *status,
                          struct tare_err *err)
{
    PGresult *r = answer_of(s, pq.PQsendQueryParams(s->connection, sql, n, NULL, values, NULL, NULL, 1));
    *status = status_of_result(s, r, err);
    if (!*status)
        return (struct answer *)r;
    pq.PQclear(r);
    return NULL;
}

enum tare_status server_do(struct server *s, const char *sql, int n, const char *const *values, struct tare_err *err)
{
    enum tare_status status;
    answer_finish(server_ask(s, sql, n, values, &status, err));
    return status;
}

/* ---- answers ---- */

static const PGresult *result_of(const struct answer *r)
{
    return (const PGresult *)r;
}

int answer_rows(const struct answer *r)
{
    return r ? pq.PQntuples(result_of(r)) : 0;
}

int64_t answer_changed(struct answer *r)
{
    return r ? strtoll(pq.PQcmdTuples((PGresult *)r), NULL, 10) : 0;
}

void answer_finish(struct answer *r)
{
    if (r)
        pq.PQclear((PGresult *)r);
}

static bool is_null(const struct answer_row *row, int column)
{
    return pq.PQgetisnull(result_of(row->r), row->at, column);
}

static int length_at(const struct answer_row *row, int column)
{
    return pq.PQgetlength(result_of(row->r), row->at, column);
}

static const char *bytes_at(const struct answer_row *row, int column)
{
    return pq.PQgetvalue(result_of(row->r), row->at, column);
}

static uint64_t big_endian(const char *bytes, int n)
{
    uint64_t x = 0;
    for (int i = 0; i < n; i++)
        x = x << 8 | (unsigned char)bytes[i];
    return x;
}

static double double_of(const char *bytes)
{
    const uint64_t bits = big_endian(bytes, 8);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

int64_t answer_integer_at(struct answer_row *row, int column)
{
    if (is_null(row, column) || length_at(row, column) != 8) {
        row->bad = true;
        return 0;
    }
    return (int64_t)big_endian(bytes_at(row, column), 8);
}

double answer_number_at(struct answer_row *row, int column)
{
    if (is_null(row, column))
        return NAN;
    row->bad |= length_at(row, column) != 8;
    return row->bad ? NAN : double_of(bytes_at(row, column));
}

const char *answer_text_or_null(struct answer_row *row, int column, int longest)
{
    if (is_null(row, column))
        return NULL;
    const char *text = bytes_at(row, column);
    const int n = length_at(row, column);
    row->bad |= n > longest || strlen(text) != (size_t)n || !utf8_valid(text);
    return text;
}

const char *answer_text_at(struct answer_row *row, int column, int longest)
{
    const char *text = answer_text_or_null(row, column, longest);
    row->bad |= !text;
    return text ? text : "";
}

/* As PostgreSQL sends a one-dimensional array of doubles: dimensions, flags, type, length, first index, then length and bytes of each. */
static double *array_of(const char *bytes, int size, int most, int *n)
{
    enum { HEAD = 20, ITEM = 12 };
    *n = size >= HEAD && big_endian(bytes, 4) == 1 ? (int)big_endian(bytes + 12, 4) : 0;
    if (*n < 0 || *n > most || (*n ? size != HEAD + *n * ITEM : big_endian(bytes, size < 4 ? size : 4) != 0))
        return NULL;
    double *x = malloc(((size_t)*n + 1) * sizeof *x);
    const char *at = bytes + HEAD;
    for (int i = 0; x && i < *n; i++, at += ITEM) {
        if (big_endian(at, 4) != 8) {
            free(x);
            return NULL;
        }
        x[i] = double_of(at + 4);
    }
    return x;
}

double *answer_numbers_at(struct answer_row *row, int column, int most, int *n)
{
    double *x = is_null(row, column) ? NULL : array_of(bytes_at(row, column), length_at(row, column), most, n);
    row->bad |= !x && !is_null(row, column);
    return x;
}

enum tare_status server_ask_integer(struct server *s, const char *sql, int n, const char *const *values, bool *there,
                                    int64_t *out, struct tare_err *err)
{
    enum tare_status status;
    struct answer *r = server_ask(s, sql, n, values, &status, err);
    struct answer_row row = {.r = r};
    const bool any = answer_rows(r) > 0;
    *out = any ? answer_integer_at(&row, 0) : 0;
    if (there)
        *there = any;
    if (row.bad || (r && !any && !there))
        status = err_set(err, TARE_FORMAT, "the database: the tables of tare are not as they were made");
    answer_finish(r);
    return status;
}

/* ---- the tables ---- */

static enum tare_status ask_version(struct server *s, int64_t *version, struct tare_err *err)
{
    int64_t there = 0;
    enum tare_status status =
        server_ask_integer(s, "SELECT (to_regclass('tare.version') IS NOT NULL)::int::int8", 0, NULL, NULL, &there, err);
    *version = 0;
    if (!status && there)
        status = server_ask_integer(s, "SELECT version::int8 FROM tare.version", 0, NULL, NULL, version, err);
    if (!status && *version > SCHEMA_VERSION)
        status =
            err_set(err, TARE_VERSION, "the database has version %lld of the tables; this tare knows up to %d: use a newer tare",
                    (long long)*version, (int)SCHEMA_VERSION);
    return status;
}

/* Two may find it old. */
static enum tare_status migrate(struct server *s, struct tare_err *err)
{
    int64_t version = 0;
    enum tare_status status = server_run(s, SERVER_BEGIN, err);
    if (!status)
        status = server_run(s, "SELECT pg_advisory_xact_lock(1952543333)", err);
    if (!status)
        status = ask_version(s, &version, err);
    for (int64_t i = version; !status && i >= 0 && i < SCHEMA_VERSION; i++)
        status = server_run(s, (const char *)steps[i], err);
    if (!status)
        status = server_run(s, "COMMIT", err);
    if (status)
        err_prefix(err, "making the tables");
    return status;
}

/* Who owns the schema can have triggers and views in it, which do as whoever meets them may. */
static enum tare_status check_owner(struct server *s, struct tare_err *err)
{
    enum tare_status status;
    struct answer *r = server_ask(
        s,
        "SELECT r.rolname::text FROM pg_namespace n JOIN pg_roles r ON r.oid=n.nspowner JOIN pg_database d ON "
        "d.datname=current_database() WHERE n.nspname='tare' AND r.oid<>d.datdba AND NOT r.rolsuper AND r.rolname NOT IN "
        "(current_user,'pg_database_owner')",
        0, NULL, &status, err);
    if (answer_rows(r) > 0)
        status = err_set(err, TARE_PERMISSION,
                         "the database: the schema tare belongs to %.100s, who is not the database's owner and could act as you",
                         answer_text_at(&(struct answer_row){.r = r}, 0, 100));
    answer_finish(r);
    return status;
}

/* What was made for less is as good: who may not bring it to our version can go on with it. */
static enum tare_status prepare(struct server *s, enum server_use use, struct tare_err *err)
{
    static const int needed[] = {[SERVER_READ] = 0, [SERVER_ADD] = 1, [SERVER_QUEUE] = 2, [SERVER_WORK] = 3};
    int64_t version = 0, may = 1;
    enum tare_status status = check_owner(s, err);
    if (!status)
        status = ask_version(s, &version, err);
    if (!status && version < needed[use])
        status = migrate(s, err);
    s->empty = version < 1 && use == SERVER_READ;
    if (!status && use == SERVER_ADD)
        status =
            server_ask_integer(s, "SELECT has_any_column_privilege('tare.file','INSERT')::int::int8", 0, NULL, NULL, &may, err);
    return status || may ? status : err_set(err, TARE_PERMISSION, "the database: this role may read results and not add any");
}

static void drop_notice(void *context, const char *text)
{
    (void)context, (void)text;
}

static enum tare_status connect_to(struct server *s, const char *url, struct tare_err *err)
{
    /* What stands before the URL it may overrule. Of a server that dies while it is asked we hear in a minute. */
    static const char *const keys[] = {"connect_timeout",  "keepalives_idle",  "keepalives_interval",
                                       "keepalives_count", "tcp_user_timeout", "fallback_application_name",
                                       "dbname",           "client_encoding",  NULL};
    const char *const values[] = {
        plat_getenv("PGCONNECT_TIMEOUT") ? NULL : "10", "30", "10", "3", "60000", "tare", url, "UTF8", NULL};
    s->connection = pq.PQconnectdbParams(keys, values, 1);
    if (!s->connection)
        return err_no_memory(err);
    pq.PQsetNoticeProcessor(s->connection, drop_notice, NULL);
    return pq.PQstatus(s->connection) == CONNECTION_OK && !pq.PQsetnonblocking(s->connection, 1) ? TARE_OK : fail(s, NULL, err);
}

enum tare_status server_open(struct server **out, const char *url, enum server_use use, struct tare_err *err)
{
    struct server *s = NULL;
    enum tare_status status = load(err);
    if (!status && !(s = calloc(1, sizeof *s)))
        status = err_no_memory(err);
    if (!status)
        status = connect_to(s, url, err);
    if (!status) /* in another schema whoever may create there can have functions that fit our arguments better than PostgreSQL's */
        status = server_run(s, "SET search_path = pg_catalog, pg_temp", err);
    if (!status)
        status = prepare(s, use, err);
    if (status)
        server_close(s);
    else
        *out = s;
    return status;
}

void server_close(struct server *s)
{
    if (!s)
        return;
    pq.PQfinish(s->connection);
    free(s->items);
    free(s);
}

enum tare_status history_check_url(const char *url, struct tare_err *err)
{
    char *why = NULL;
    enum tare_status status = load(err);
    PQconninfoOption *options = status ? NULL : pq.PQconninfoParse(url, &why);
    if (!status && !options)
        status = err_set(err, TARE_INVALID, "%.*s", (int)strcspn(why ? why : "no memory", "\n"), why ? why : "no memory");
    for (const PQconninfoOption *o = options; o && o->keyword && !status; o++)
        if (*o->dispchar == '*' && o->val) /* password, sslpassword */
            status = err_set(
                err, TARE_INVALID,
                "a password in the URL would be seen in records and lists of processes; put it into PGPASSFILE or ~/.pgpass, "
                "on Windows %%APPDATA%%\\postgresql\\pgpass.conf");
    if (options)
        pq.PQconninfoFree(options);
    if (why)
        pq.PQfreemem(why);
    return status;
}
