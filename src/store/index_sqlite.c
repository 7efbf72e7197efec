/* SPDX-License-Identifier: MIT
 *
 * The index as a SQLite database beside the files, or in memory. It holds nothing that is not in the files.
 *
 * The points of a series are in rows of a dozen that were added together, so that a series is read from few pages that are neighbours. A rollback journal, not a log:
 * an index is written seldom, and two processes need no shared memory for it, which some network file systems lack. Who has to wait does so for a minute.
 *
 * The file is not trusted. Its schema may come from a checkout, so it is only used where it was made in this place, which its inode says; nothing in a schema is
 * run, and links are not followed. Its bytes may have changed: `made` has a digest of all files and series, which is checked on opening, and each row of points its own;
 * that no row is missing is seen from the counts. A digest reads words as the processor has them, so that one from a machine of the other byte order is
 * none either.
 */
#include "history_index.h"
#include "plat.h"
#include "record_fields.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_VERSION = 2, WAIT_MS = 60000, CACHE_KIB = 65536, ROW_POINTS = 12 /* four rows of as many fill a page */ };

static const char schema[] = "CREATE TABLE made(version INTEGER, inode TEXT, digest INTEGER);"
                             "CREATE TABLE file(key INTEGER PRIMARY KEY, name TEXT NOT NULL, bytes INTEGER, modified INTEGER, "
                             "head TEXT NOT NULL, problem TEXT NOT NULL);"
                             "CREATE TABLE series(key INTEGER PRIMARY KEY, id TEXT NOT NULL, n INTEGER NOT NULL, project "
                             "TEXT NOT NULL, benchmark TEXT NOT NULL,"
                             " arguments TEXT NOT NULL, class TEXT NOT NULL, version TEXT NOT NULL, anchor TEXT, metric TEXT NOT "
                             "NULL, title TEXT NOT NULL, unit TEXT NOT NULL,"
                             " kind INTEGER, direction INTEGER, definition TEXT);"
                             /* before: how many points of the series are in rows before this one */
                             "CREATE TABLE points(series INTEGER, before INTEGER, digest INTEGER, items BLOB, "
                             "PRIMARY KEY(series, before)) WITHOUT ROWID;";

static const char all_files[] = "SELECT key,name,bytes,modified,head,problem FROM file ORDER BY key";
static const char all_series[] =
    "SELECT key,id,n,project,benchmark,arguments,class,version,anchor,metric,title,unit,kind,direction,definition"
    " FROM series ORDER BY key";

enum statement { ADD_FILE, REMOVE_FILE, ADD_SERIES, COUNT_SERIES, ADD_POINTS, REMOVE_POINTS, READ_POINTS, STATEMENTS };

static const char *const texts[STATEMENTS] = {
    [ADD_FILE] = "INSERT INTO file VALUES(?,?,?,?,?,?)",
    [REMOVE_FILE] = "DELETE FROM file WHERE key=?",
    [ADD_SERIES] = "INSERT INTO series VALUES(NULL,?,0,?,?,?,?,?,?,?,?,?,?,?,?)",
    [COUNT_SERIES] = "UPDATE series SET n=n+?2 WHERE key=?1",
    [ADD_POINTS] = "INSERT INTO points SELECT key,n,?2,?3 FROM series WHERE key=?1",
    [REMOVE_POINTS] = "DELETE FROM points WHERE series=?",
    [READ_POINTS] = "SELECT n,before,digest,items FROM series LEFT JOIN points ON series=key WHERE key=? ORDER BY before",
};

struct history_index {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENTS];
    const char *path;            /* NULL: in memory */
    struct indexed_point *items; /* of the series that was read last */
    int n_items, room_items;
};

static uint64_t digest_word(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 32;
}

static uint64_t digest_bytes(uint64_t digest, const char *bytes, size_t n)
{
    uint64_t word;
    for (digest = digest_word(digest, n); n >= sizeof word; bytes += sizeof word, n -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        digest = digest_word(digest, word);
    }
    word = 0;
    if (n)
        memcpy(&word, bytes, n);
    return digest_word(digest, word);
}

/* Of columns that are integers and texts. */
static uint64_t digest_row(uint64_t digest, sqlite3_stmt *s)
{
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        const int type = sqlite3_column_type(s, i);
        digest = digest_word(digest, (uint64_t)type);
        if (type == SQLITE_INTEGER) {
            digest = digest_word(digest, (uint64_t)sqlite3_column_int64(s, i));
            continue;
        }
        const char *text = (const char *)sqlite3_column_text(s, i);
        digest = digest_bytes(digest, text, text ? (size_t)sqlite3_column_bytes(s, i) : 0);
    }
    return digest;
}

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

static enum tare_status set_up(struct history_index *ix, struct tare_err *err)
{
    sqlite3_busy_timeout(ix->db, WAIT_MS);
    sqlite3_db_config(ix->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(ix->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(ix->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(ix->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    char text[200];
    buf_print(text, sizeof text,
              "PRAGMA cell_size_check=ON; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-%d",
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

/* Of all files and series. */
static enum tare_status digest_all(struct history_index *ix, uint64_t *digest, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    *digest = 0;
    for (int table = 0; !status && table < 2; table++) {
        sqlite3_stmt *s = NULL;
        int code = sqlite3_prepare_v2(ix->db, table ? all_series : all_files, -1, &s, NULL);
        while (!code && (code = sqlite3_step(s)) == SQLITE_ROW) {
            *digest = digest_row(*digest, s);
            code = SQLITE_OK;
        }
        status = outcome(ix, code, err);
        sqlite3_finalize(s);
    }
    return status;
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
    buf_format(&b, "INSERT INTO made VALUES(%d,'%s',0)", (int)INDEX_VERSION, inode);
    return run(ix, text, err);
}

/* Of another one nothing is read: a column of it may be an expression, which takes all memory, or hours. */
static bool is_schema(sqlite3_stmt *s, bool *empty, int *code)
{
    struct buf all = BUF_INIT(sizeof schema);
    *empty = true;
    while ((*code = sqlite3_step(s)) == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(s, 0);
        *empty = false;
        if (sql)
            buf_format(&all, "%s;", sql);
    }
    const bool is = !all.status && !strcmp(buf_text(&all), schema);
    buf_finish(&all);
    return is;
}

/* *ours: it is of this version, was made in this place and has the files and series that were written; *empty: it has just been created. */
static enum tare_status look(struct history_index *ix, bool *empty, bool *ours, struct tare_err *err)
{
    sqlite3_stmt *s = NULL;
    char inode[24];
    uint64_t digest = 0;
    int code = sqlite3_prepare_v2(ix->db, "SELECT sql FROM sqlite_schema ORDER BY rowid", -1, &s, NULL);
    const bool known = !code && is_schema(s, empty, &code);
    enum tare_status status = outcome(ix, code, err);
    *empty &= !status;
    *ours = false;
    sqlite3_finalize(s);
    if (status || !known)
        return status;
    s = NULL;
    status = outcome(ix, sqlite3_prepare_v2(ix->db, "SELECT version,inode,digest FROM made", -1, &s, NULL), err);
    if (!status && sqlite3_step(s) == SQLITE_ROW && place_of(ix, inode)) {
        const char *i = (const char *)sqlite3_column_text(s, 1);
        *ours = sqlite3_column_int(s, 0) == INDEX_VERSION && i && !strcmp(i, inode);
        status = *ours ? digest_all(ix, &digest, err) : TARE_OK; /* while the statement holds off those who write */
        *ours &= (uint64_t)sqlite3_column_int64(s, 2) == digest;
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

/* It plays a journal back and then removes the file that the journal's end names, where it has this mark. Of one database alone a journal names none. */
static bool names_another_file(const char *journal)
{
    static const char mark[8] = {'\xd9', '\xd5', '\x05', '\xf9', '\x20', '\xa1', '\x63', '\xd7'};
    char end[sizeof mark];
    const int fd = plat_open_input(journal, NULL);
    const int64_t at = fd < 0 ? -1 : plat_input_bytes(fd) - (int64_t)sizeof mark;
    const bool names = at >= 0 && (plat_input_part(fd, at, end, sizeof end, NULL) || !memcmp(end, mark, sizeof mark));
    plat_close(fd);
    return names;
}

/* The files that SQLite opens beside it: a pipe in the place of one would be waited for. */
static bool is_beset(const char *path)
{
    static const char *const suffixes[] = {"-journal", "-wal", ""};
    bool beset = false;
    for (size_t i = 0; path && i < sizeof suffixes / sizeof *suffixes; i++) {
        struct buf b = BUF_INIT(1 << 16);
        struct plat_file_state state;
        buf_format(&b, "%s%s", path, suffixes[i]);
        beset |= !plat_file_state(buf_text(&b), &state, NULL) && (!state.regular || (!i && names_another_file(buf_text(&b))));
        buf_finish(&b);
    }
    return beset;
}

enum tare_status history_index_open(struct history_index **out, const char *path, bool anew, struct tare_err *err)
{
    enum { FLAGS = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW };
    struct history_index *ix = calloc(1, sizeof *ix);
    if (!ix)
        return err_no_memory(err);
    ix->path = path;
    enum tare_status status =
        is_beset(path) ? err_set(err, TARE_PERMISSION, "the index, or a file beside it, is no regular file or names another")
                       : TARE_OK;
    if (!status)
        status = outcome(ix, sqlite3_open_v2(path ? path : ":memory:", &ix->db, FLAGS, NULL), err);
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
    free(ix->items);
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
    uint64_t digest;
    char text[80];
    struct buf b = buf_over(text, sizeof text);
    enum tare_status status = digest_all(ix, &digest, err);
    buf_format(&b, "UPDATE made SET digest=%lld; COMMIT", (long long)digest);
    return status ? status : run(ix, text, err);
}

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

enum tare_status history_index_add_series(struct history_index *ix, const struct history_series *of, int64_t *key,
                                          struct tare_err *err)
{
    enum tare_status status;
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

/* A statement with two numbers. */
static enum tare_status run_with(struct history_index *ix, enum statement which, int64_t one, int64_t two, struct tare_err *err)
{
    enum tare_status status;
    sqlite3_stmt *s = statement(ix, which, &status, err);
    if (!s)
        return status;
    sqlite3_bind_int64(s, 1, one);
    if (sqlite3_bind_parameter_count(s) > 1)
        sqlite3_bind_int64(s, 2, two);
    return done(ix, s, err);
}

/* Points of one series. */
static enum tare_status add_row(struct history_index *ix, const struct indexed_point *points, int n, struct tare_err *err)
{
    const size_t bytes = (size_t)n * sizeof *points;
    enum tare_status status;
    sqlite3_stmt *s = statement(ix, ADD_POINTS, &status, err);
    if (!s)
        return status;
    sqlite3_bind_int64(s, 1, points->series);
    sqlite3_bind_int64(s, 2, (int64_t)digest_bytes(0, (const char *)points, bytes));
    sqlite3_bind_blob64(s, 3, points, bytes, SQLITE_STATIC);
    status = done(ix, s, err);
    return status ? status : run_with(ix, COUNT_SERIES, points->series, n, err);
}

enum tare_status history_index_add_points(struct history_index *ix, const struct indexed_point *points, int n,
                                          struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int first = 0, i = 1; !status && i <= n; i++)
        if (i == n || points[i].series != points[first].series || i - first == ROW_POINTS) {
            status = add_row(ix, points + first, i - first, err);
            first = i;
        }
    return status;
}

static const char *text_at(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text ? text : "";
}

static const char *text_or_null(sqlite3_stmt *s, int column)
{
    return (const char *)sqlite3_column_text(s, column);
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

static enum tare_status visit_table(struct history_index *ix, const char *sql,
                                    enum tare_status (*one)(sqlite3_stmt *, const struct index_visit *),
                                    const struct index_visit *v, struct tare_err *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(ix->db, sql, -1, &s, NULL);
    enum tare_status status = outcome(ix, code, err);
    while (!status && (code = sqlite3_step(s)) == SQLITE_ROW)
        if ((status = one(s, v)) != TARE_OK)
            err_set(err, status, "the index: %s", tare_status_text(status));
    if (!status)
        status = outcome(ix, code, err);
    sqlite3_finalize(s);
    return status;
}

enum tare_status history_index_files(struct history_index *ix, const struct index_visit *visit, struct tare_err *err)
{
    return visit_table(ix, all_files, visit_file, visit, err);
}

enum tare_status history_index_each_series(struct history_index *ix, const struct index_visit *visit, struct tare_err *err)
{
    return visit_table(ix, all_series, visit_series, visit, err);
}

/* Those of the row at hand, behind those that are there. FORMAT: it is not what was written. */
static enum tare_status take_row(struct history_index *ix, sqlite3_stmt *s, int64_t series)
{
    const char *bytes = sqlite3_column_blob(s, 3);
    const size_t size = (size_t)sqlite3_column_bytes(s, 3), n = size / sizeof *ix->items;
    if (!n || size % sizeof *ix->items || sqlite3_column_int64(s, 1) != ix->n_items ||
        (uint64_t)sqlite3_column_int64(s, 2) != digest_bytes(0, bytes, size))
        return TARE_FORMAT;
    while ((size_t)(ix->room_items - ix->n_items) < n) {
        if (!array_room(&ix->items, ix->room_items, &ix->room_items, sizeof *ix->items))
            return TARE_NO_MEMORY;
    }
    memcpy(ix->items + ix->n_items, bytes, size);
    const bool ours = ix->items[ix->n_items].series == series;
    ix->n_items += (int)n;
    return ours ? TARE_OK : TARE_FORMAT;
}

/* All of a series into ix->items. FORMAT: a row is damaged, or missing. */
static enum tare_status read_points(struct history_index *ix, int64_t series, struct tare_err *err)
{
    enum tare_status status;
    sqlite3_stmt *s = statement(ix, READ_POINTS, &status, err);
    if (!s)
        return status;
    int64_t expected = -1;
    int code = SQLITE_DONE;
    ix->n_items = 0;
    sqlite3_bind_int64(s, 1, series);
    while (!status && (code = sqlite3_step(s)) == SQLITE_ROW) {
        expected = sqlite3_column_int64(s, 0);
        status = expected ? take_row(ix, s, series) : TARE_OK;
    }
    if (!status)
        status = status_of(code);
    if (!status && expected != ix->n_items)
        status = TARE_FORMAT;
    sqlite3_reset(s);
    return status ? err_set(err, status, "the index: the points of a series cannot be read") : TARE_OK;
}

enum tare_status history_index_points(struct history_index *ix, int64_t series, const struct indexed_point **items, int *n,
                                      struct tare_err *err)
{
    enum tare_status status = read_points(ix, series, err);
    *items = ix->items;
    *n = ix->n_items;
    return status;
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* What is left of a series is added again. */
static enum tare_status remove_of_series(struct history_index *ix, int64_t series, const int64_t *files, int n,
                                         struct tare_err *err)
{
    enum tare_status status = read_points(ix, series, err);
    int left = 0;
    for (int i = 0; !status && i < ix->n_items; i++)
        if (!bsearch(&ix->items[i].file, files, (size_t)n, sizeof *files, by_value))
            ix->items[left++] = ix->items[i];
    if (status || left == ix->n_items)
        return status;
    status = run_with(ix, REMOVE_POINTS, series, 0, err);
    if (!status)
        status = run_with(ix, COUNT_SERIES, series, -(int64_t)ix->n_items, err);
    return status ? status : history_index_add_points(ix, ix->items, left, err);
}

struct keys {
    int64_t *items;
    int n, room;
};

static enum tare_status take_key(void *context, const struct history_series *s, int64_t key)
{
    struct keys *k = context;
    (void)s;
    if (!array_room(&k->items, k->n, &k->room, sizeof *k->items))
        return TARE_NO_MEMORY;
    k->items[k->n++] = key;
    return TARE_OK;
}

enum tare_status history_index_remove(struct history_index *ix, int64_t *files, int n, struct tare_err *err)
{
    struct keys series = {0};
    qsort(files, (size_t)n, sizeof *files, by_value);
    enum tare_status status = history_index_each_series(ix, &(struct index_visit){.series = take_key, .context = &series}, err);
    for (int i = 0; !status && i < n; i++)
        status = run_with(ix, REMOVE_FILE, files[i], 0, err);
    for (int i = 0; !status && i < series.n; i++)
        status = remove_of_series(ix, series.items[i], files, n, err);
    free(series.items);
    return status;
}
