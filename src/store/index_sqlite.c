/* SPDX-License-Identifier: MIT
 *
 * The index as a SQLite database beside the files, or in memory. It holds nothing that is not in the files.
 *
 * One table has all points, clustered by series and time, so that a series is read from neighbouring pages. A rollback journal, not a log: an index is
 * written seldom, and two processes need no shared memory for it, which some network file systems lack. Who has to wait does so for a minute. The file is
 * not trusted: its schema may come from a checkout. So it is only used where it was made in this place, which its inode says; nothing in a schema is run, and links are
 * not followed.
 */
#include "history_index.h"
#include "plat.h"
#include "record_fields.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_VERSION = 1, WAIT_MS = 60000, CACHE_KIB = 65536 };

static const char schema[] = "CREATE TABLE made(version INTEGER, inode TEXT);"
                             "CREATE TABLE file(key INTEGER PRIMARY KEY, name TEXT NOT NULL, bytes INTEGER, modified INTEGER, "
                             "head TEXT NOT NULL, problem TEXT NOT NULL);"
                             "CREATE TABLE series(key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, n INTEGER NOT NULL, project "
                             "TEXT NOT NULL, benchmark TEXT NOT NULL,"
                             " arguments TEXT NOT NULL, class TEXT NOT NULL, version TEXT NOT NULL, anchor TEXT, metric TEXT NOT "
                             "NULL, title TEXT NOT NULL, unit TEXT NOT NULL,"
                             " kind INTEGER, direction INTEGER, definition TEXT);"
                             "CREATE TABLE point(series INTEGER, measured INTEGER, file INTEGER, place INTEGER, n INTEGER, "
                             "median REAL, low REAL, high REAL, ratio REAL,"
                             " ratio_low REAL, ratio_high REAL, PRIMARY KEY(series, measured, file, place)) WITHOUT ROWID;";

enum statement { ADD_FILE, FIND_SERIES, ADD_SERIES, COUNT_SERIES, ADD_POINT, READ_POINTS, STATEMENTS };

static const char *const texts[STATEMENTS] = {
    [ADD_FILE] = "INSERT INTO file VALUES(?,?,?,?,?,?)",
    [FIND_SERIES] = "SELECT key FROM series WHERE id=?",
    [ADD_SERIES] = "INSERT INTO series VALUES(NULL,?,0,?,?,?,?,?,?,?,?,?,?,?,?)",
    [COUNT_SERIES] = "UPDATE series SET n=n+? WHERE key=?",
    [ADD_POINT] = "INSERT INTO point VALUES(?,?,?,?,?,?,?,?,?,?,?)",
    [READ_POINTS] =
        "SELECT file,place,n,median,low,high,ratio,ratio_low,ratio_high FROM point WHERE series=? ORDER BY measured,file,place",
};

struct history_index {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENTS];
    const char *path; /* NULL: in memory */
};

/* ---- statuses ---- */

static enum tare_status status_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_DONE:
    case SQLITE_ROW:
        return TARE_OK;
    case SQLITE_NOMEM:
        return TARE_NO_MEMORY;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return TARE_BUSY;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return TARE_PERMISSION;
    case SQLITE_CANTOPEN:
        return TARE_NOT_FOUND;
    case SQLITE_FULL:
    case SQLITE_IOERR:
        return TARE_IO;
    default:
        return TARE_FORMAT; /* damaged, or with another schema */
    }
}

static enum tare_status outcome(struct history_index *ix, int code, struct tare_err *err)
{
    const enum tare_status status = status_of(code);
    return status ? err_set(err, status, "the index: %s", ix->db ? sqlite3_errmsg(ix->db) : sqlite3_errstr(code)) : TARE_OK;
}

static enum tare_status run(struct history_index *ix, const char *sql, struct tare_err *err)
{
    return outcome(ix, sqlite3_exec(ix->db, sql, NULL, NULL, NULL), err);
}

/* A statement, ready for its arguments. NULL: err says why. */
static sqlite3_stmt *statement(struct history_index *ix, enum statement which, enum tare_status *status, struct tare_err *err)
{
    sqlite3_stmt **s = &ix->statements[which];
    *status = *s ? TARE_OK : outcome(ix, sqlite3_prepare_v3(ix->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, s, NULL), err);
    return *status ? NULL : *s;
}

static enum tare_status done(struct history_index *ix, sqlite3_stmt *s, struct tare_err *err)
{
    const int code = sqlite3_step(s);
    enum tare_status status = outcome(ix, code, err);
    sqlite3_reset(s);
    return status;
}

/* ---- opening ---- */

static enum tare_status set_up(struct history_index *ix, struct tare_err *err)
{
    sqlite3_busy_timeout(ix->db, WAIT_MS);
    sqlite3_db_config(ix->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(ix->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(ix->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(ix->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    char text[200];
    struct buf b = buf_over(text, sizeof text);
    buf_format(&b, "PRAGMA cell_size_check=ON; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-%d",
               (int)CACHE_KIB);
    return run(ix, text, err);
}

/* Which file it is, as text: SQLite would take the number for a signed one. The device's number is left out, as it changes from boot to boot. */
static bool place_of(const struct history_index *ix, char inode[24])
{
    struct plat_file_state state = {0};
    if (ix->path && (plat_file_state(ix->path, &state, NULL) || !state.regular))
        return false;
    struct buf b = buf_over(inode, 24);
    buf_format(&b, "%llu", (unsigned long long)state.inode);
    return true;
}

static enum tare_status make_tables(struct history_index *ix, struct tare_err *err)
{
    char inode[24], text[120];
    struct buf b = buf_over(text, sizeof text);
    enum tare_status status = run(ix, schema, err);
    if (status)
        return status;
    if (!place_of(ix, inode))
        return err_set(err, TARE_FORMAT, "the index is no regular file");
    buf_format(&b, "INSERT INTO made VALUES(%d,'%s')", (int)INDEX_VERSION, inode);
    return run(ix, text, err);
}

/* *ours: it is of this version and was made in this place; *empty: it has just been created. */
static enum tare_status look(struct history_index *ix, bool *empty, bool *ours, struct tare_err *err)
{
    sqlite3_stmt *s = NULL;
    char inode[24];
    enum tare_status status = outcome(ix, sqlite3_prepare_v2(ix->db, "SELECT count(*) FROM sqlite_schema", -1, &s, NULL), err);
    if (!status)
        status = outcome(ix, sqlite3_step(s), err);
    *empty = !status && !sqlite3_column_int(s, 0);
    *ours = false;
    sqlite3_finalize(s);
    if (status || *empty)
        return status;
    s = NULL;
    status = outcome(ix, sqlite3_prepare_v2(ix->db, "SELECT version,inode FROM made", -1, &s, NULL), err);
    if (!status && sqlite3_step(s) == SQLITE_ROW && place_of(ix, inode)) {
        const char *i = (const char *)sqlite3_column_text(s, 1);
        *ours = sqlite3_column_int(s, 0) == INDEX_VERSION && i && !strcmp(i, inode);
    }
    sqlite3_finalize(s);
    return status;
}

/* All of it gone, whatever it is, under the locks that other processes keep too. */
static enum tare_status empty_it(struct history_index *ix, struct tare_err *err)
{
    sqlite3_db_config(ix->db, SQLITE_DBCONFIG_RESET_DATABASE, 1, NULL);
    enum tare_status status = run(ix, "VACUUM", err);
    sqlite3_db_config(ix->db, SQLITE_DBCONFIG_RESET_DATABASE, 0, NULL);
    return status;
}

/* Two processes may find it empty. */
static enum tare_status make_unless_made(struct history_index *ix, struct tare_err *err)
{
    bool empty = false, ours;
    enum tare_status status = run(ix, "BEGIN IMMEDIATE", err);
    if (!status)
        status = look(ix, &empty, &ours, err);
    if (!status && empty)
        status = make_tables(ix, err);
    return status ? status : run(ix, "COMMIT", err);
}

static enum tare_status prepare(struct history_index *ix, bool anew, struct tare_err *err)
{
    bool empty = false, ours = false;
    enum tare_status status = set_up(ix, err);
    if (!status && anew)
        status = empty_it(ix, err);
    if (!status)
        status = look(ix, &empty, &ours, err);
    if (!status && empty)
        return make_unless_made(ix, err);
    return status || ours ? status : err_set(err, TARE_FORMAT, "the index is of another version, or was made elsewhere");
}

enum tare_status history_index_open(struct history_index **out, const char *path, bool anew, struct tare_err *err)
{
    enum { FLAGS = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW };
    struct history_index *ix = calloc(1, sizeof *ix);
    if (!ix)
        return err_set(err, TARE_NO_MEMORY, "no memory for the index");
    ix->path = path;
    enum tare_status status = outcome(ix, sqlite3_open_v2(path ? path : ":memory:", &ix->db, FLAGS, NULL), err);
    if (!status)
        status = prepare(ix, anew, err);
    ix->path = NULL; /* the caller's */
    if (status) {
        history_index_close(ix);
        return status;
    }
    *out = ix;
    return TARE_OK;
}

void history_index_close(struct history_index *ix)
{
    if (!ix)
        return;
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(ix->statements[i]);
    sqlite3_close(ix->db);
    free(ix);
}

/* The parent's is not closed: that would touch what SQLite knows of its locks. One in memory is a copy already. */
enum tare_status history_index_forked(struct history_index **ix, const char *path, struct tare_err *err)
{
    return path ? history_index_open(ix, path, false, err) : TARE_OK;
}

enum tare_status history_index_begin(struct history_index *ix, struct tare_err *err)
{
    return run(ix, "BEGIN IMMEDIATE", err);
}

enum tare_status history_index_commit(struct history_index *ix, struct tare_err *err)
{
    return run(ix, "COMMIT", err);
}

/* ---- adding ---- */

static void bind_text(sqlite3_stmt *s, int place, const char *text)
{
    sqlite3_bind_text(s, place, text, -1, SQLITE_STATIC); /* NULL: null */
}

enum tare_status history_index_add_file(struct history_index *ix, const struct indexed_file *f, struct tare_err *err)
{
    enum tare_status status;
    sqlite3_stmt *s = statement(ix, ADD_FILE, &status, err);
    if (!s)
        return status;
    sqlite3_bind_int64(s, 1, f->key);
    bind_text(s, 2, f->name);
    sqlite3_bind_int64(s, 3, f->bytes);
    sqlite3_bind_int64(s, 4, f->modified_utc_ns);
    bind_text(s, 5, f->head);
    bind_text(s, 6, f->problem);
    return done(ix, s, err);
}

static enum tare_status find_series(struct history_index *ix, const char *id, int64_t *key, struct tare_err *err)
{
    enum tare_status status;
    sqlite3_stmt *s = statement(ix, FIND_SERIES, &status, err);
    if (!s)
        return status;
    bind_text(s, 1, id);
    const int code = sqlite3_step(s);
    status = outcome(ix, code, err);
    *key = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : -1;
    sqlite3_reset(s);
    return status;
}

enum tare_status history_index_series(struct history_index *ix, const struct history_series *of, int64_t *key,
                                      struct tare_err *err)
{
    enum tare_status status = find_series(ix, of->id, key, err);
    if (status || *key >= 0)
        return status;
    const char *const columns[] = {of->id,      of->project, of->benchmark, of->arguments,    of->class,
                                   of->version, of->anchor,  of->metric.id, of->metric.title, of->metric.unit};
    const int n = sizeof columns / sizeof *columns;
    sqlite3_stmt *s = statement(ix, ADD_SERIES, &status, err);
    if (!s)
        return status;
    for (int i = 0; i < n; i++)
        bind_text(s, i + 1, columns[i]);
    sqlite3_bind_int(s, n + 1, (int)of->metric.kind);
    sqlite3_bind_int(s, n + 2, (int)of->metric.direction);
    bind_text(s, n + 3, of->metric.definition);
    status = done(ix, s, err);
    *key = sqlite3_last_insert_rowid(ix->db);
    return status;
}

static enum tare_status count_series(struct history_index *ix, int64_t key, int n, struct tare_err *err)
{
    enum tare_status status;
    sqlite3_stmt *s = statement(ix, COUNT_SERIES, &status, err);
    if (!s)
        return status;
    sqlite3_bind_int(s, 1, n);
    sqlite3_bind_int64(s, 2, key);
    return done(ix, s, err);
}

static enum tare_status add_point(struct history_index *ix, sqlite3_stmt *s, const struct indexed_point *p, struct tare_err *err)
{
    const struct history_point *x = &p->point;
    const double numbers[] = {x->median, x->low, x->high, x->ratio, x->ratio_low, x->ratio_high};
    sqlite3_bind_int64(s, 1, p->series);
    sqlite3_bind_int64(s, 2, p->measured_utc_ns);
    sqlite3_bind_int64(s, 3, p->file);
    sqlite3_bind_int64(s, 4, x->place);
    sqlite3_bind_int(s, 5, x->n);
    for (int i = 0; i < 6; i++)
        sqlite3_bind_double(s, 6 + i, numbers[i]); /* NaN: null */
    return done(ix, s, err);
}

enum tare_status history_index_add_points(struct history_index *ix, const struct indexed_point *points, int n,
                                          struct tare_err *err)
{
    enum tare_status status;
    sqlite3_stmt *s = statement(ix, ADD_POINT, &status, err);
    for (int first = 0, i = 0; !status && i < n; i++) {
        status = add_point(ix, s, &points[i], err);
        if (!status && (i + 1 == n || points[i + 1].series != points[i].series)) {
            status = count_series(ix, points[i].series, i + 1 - first, err);
            first = i + 1;
        }
    }
    return status;
}

enum tare_status history_index_remove(struct history_index *ix, const int64_t *files, int n, struct tare_err *err)
{
    sqlite3_stmt *s = NULL;
    enum tare_status status = outcome(ix, sqlite3_prepare_v2(ix->db, "DELETE FROM file WHERE key=?", -1, &s, NULL), err);
    for (int i = 0; !status && i < n; i++) {
        sqlite3_bind_int64(s, 1, files[i]);
        status = done(ix, s, err);
    }
    sqlite3_finalize(s);
    return status ? status
                  : run(ix,
                        "DELETE FROM point WHERE file NOT IN (SELECT key FROM file);"
                        "UPDATE series SET n=(SELECT count(*) FROM point WHERE point.series=series.key)",
                        err);
}

/* ---- visits ---- */

static const char *text_at(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text ? text : "";
}

static const char *text_or_null(sqlite3_stmt *s, int column)
{
    return (const char *)sqlite3_column_text(s, column);
}

static double number_at(sqlite3_stmt *s, int column)
{
    const double x = sqlite3_column_double(s, column); /* 0 for null */
    return x == 0 && sqlite3_column_type(s, column) == SQLITE_NULL ? NAN : x;
}

static enum tare_status visit_file(sqlite3_stmt *s, const struct index_visit *v)
{
    const struct indexed_file f = {sqlite3_column_int64(s, 0), text_at(s, 1), sqlite3_column_int64(s, 2),
                                   sqlite3_column_int64(s, 3), text_at(s, 4), text_at(s, 5)};
    return v->file(v->context, &f);
}

static enum tare_status visit_series(sqlite3_stmt *s, const struct index_visit *v)
{
    const int kind = sqlite3_column_int(s, 12), direction = sqlite3_column_int(s, 13);
    if (kind < 0 || kind >= metric_kind_words.n || direction < 0 || direction >= metric_direction_words.n)
        return TARE_FORMAT;
    const struct history_series x = {.id = text_at(s, 1),
                                     .n = sqlite3_column_int(s, 2),
                                     .project = text_at(s, 3),
                                     .benchmark = text_at(s, 4),
                                     .arguments = text_at(s, 5),
                                     .class = text_at(s, 6),
                                     .version = text_at(s, 7),
                                     .anchor = text_or_null(s, 8),
                                     .metric = {text_at(s, 9), text_at(s, 10), text_at(s, 11), (enum metric_kind)kind,
                                                (enum metric_direction)direction, text_or_null(s, 14)}};
    return v->series(v->context, &x, sqlite3_column_int64(s, 0));
}

static enum tare_status visit_point(sqlite3_stmt *s, const struct index_visit *v)
{
    const struct indexed_point p = {.file = sqlite3_column_int64(s, 0),
                                    .point = {.place = sqlite3_column_int64(s, 1),
                                              .n = sqlite3_column_int(s, 2),
                                              .median = number_at(s, 3),
                                              .low = number_at(s, 4),
                                              .high = number_at(s, 5),
                                              .ratio = number_at(s, 6),
                                              .ratio_low = number_at(s, 7),
                                              .ratio_high = number_at(s, 8)}};
    return v->point(v->context, &p);
}

static enum tare_status visit_rows(struct history_index *ix, sqlite3_stmt *s,
                                   enum tare_status (*one)(sqlite3_stmt *, const struct index_visit *),
                                   const struct index_visit *v, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW && !status)
        status = one(s, v);
    return status ? err_set(err, status, "the index: %s", tare_status_text(status)) : outcome(ix, code, err);
}

static enum tare_status visit_table(struct history_index *ix, const char *sql,
                                    enum tare_status (*one)(sqlite3_stmt *, const struct index_visit *),
                                    const struct index_visit *v, struct tare_err *err)
{
    sqlite3_stmt *s = NULL;
    enum tare_status status = outcome(ix, sqlite3_prepare_v2(ix->db, sql, -1, &s, NULL), err);
    if (!status)
        status = visit_rows(ix, s, one, v, err);
    sqlite3_finalize(s);
    return status;
}

enum tare_status history_index_files(struct history_index *ix, const struct index_visit *visit, struct tare_err *err)
{
    return visit_table(ix, "SELECT key,name,bytes,modified,head,problem FROM file", visit_file, visit, err);
}

enum tare_status history_index_each_series(struct history_index *ix, const struct index_visit *visit, struct tare_err *err)
{
    return visit_table(
        ix,
        "SELECT key,id,n,project,benchmark,arguments,class,version,anchor,metric,title,unit,kind,direction,definition"
        " FROM series",
        visit_series, visit, err);
}

enum tare_status history_index_points(struct history_index *ix, int64_t series, const struct index_visit *visit,
                                      struct tare_err *err)
{
    enum tare_status status;
    sqlite3_stmt *s = statement(ix, READ_POINTS, &status, err);
    if (!s)
        return status;
    sqlite3_bind_int64(s, 1, series);
    status = visit_rows(ix, s, visit_point, visit, err);
    sqlite3_reset(s);
    return status;
}
