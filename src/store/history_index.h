/* SPDX-License-Identifier: MIT
 *
 * history_index.h - what the files of a history hold, in a form that finds one series: index_sqlite.c keeps it in a database, index_plain.c, for
 * builds without SQLite, in memory alone.
 *
 *     status = history_index_open(&ix, "index.sqlite", false, &err);    // NULL: in memory
 *     status = history_index_files(ix, &visit, &err);                   // what it knows already
 *     status = history_index_begin(ix, &err);                           // waits for others that write
 *     ... history_index_add_file, _add_series, _add_points ...
 *     status = history_index_commit(ix, &err);                          // all of it, or nothing where it is not reached
 *     status = history_index_points(ix, key, &items, &n, &err);
 *
 * Any failure but NO_MEMORY says that the index is of no use; the files are the truth, so it can be made anew. Inside of src/store.
 */
#ifndef HISTORY_INDEX_H
#define HISTORY_INDEX_H

#include "history.h"

struct history_index;

struct indexed_file {
    int64_t key;
    const char *name; /* in the folder */
    int64_t bytes, modified_utc_ns;
    const char *head;    /* its first line; "": nothing of it is served */
    const char *problem; /* "": none */
};

/* A result, as it is kept: no padding. */
struct indexed_point {
    int32_t series, n;   /* the key of its series; runs behind it */
    int64_t file, place; /* the key of its file, and where its line begins in there */
    int64_t measured_utc_ns;
    double median, low, high, ratio, ratio_low, ratio_high;
};

/* FORMAT: it is damaged, was made elsewhere or by another version: then `anew` empties it. Else it cannot be made or written. */
enum tare_status history_index_open(struct history_index **out, const char *path, bool anew, struct tare_err *err);
void history_index_close(struct history_index *ix); /* NULL is fine; what was not committed is dropped */

/* In a process that was forked: a connection of its own in place of the one that it got from its parent. path: as for history_index_open. */
enum tare_status history_index_forked(struct history_index **ix, const char *path, struct tare_err *err);

/* A status of the visitor ends a visit and is returned. What is handed over lives until the visitor returns. */
struct index_visit {
    enum tare_status (*file)(void *context, const struct indexed_file *f);
    enum tare_status (*series)(void *context, const struct history_series *s, int64_t key); /* with its id and n */
    void *context;
};
enum tare_status history_index_files(struct history_index *ix, const struct index_visit *visit, struct tare_err *err);
enum tare_status history_index_each_series(struct history_index *ix, const struct index_visit *visit, struct tare_err *err);
/* In any order; they live until the next call. */
enum tare_status history_index_points(struct history_index *ix, int64_t series, const struct indexed_point **items, int *n,
                                      struct tare_err *err);

enum tare_status history_index_begin(struct history_index *ix, struct tare_err *err);
enum tare_status history_index_commit(struct history_index *ix, struct tare_err *err);
/* With a key that no other has. */
enum tare_status history_index_add_file(struct history_index *ix, const struct indexed_file *f, struct tare_err *err);
/* Files and all their points. Sorts the keys. */
enum tare_status history_index_remove(struct history_index *ix, int64_t *files, int n, struct tare_err *err);
/* One that is not there, with its id. */
enum tare_status history_index_add_series(struct history_index *ix, const struct history_series *s, int64_t *key,
                                          struct tare_err *err);
/* Those of a series beside each other. */
enum tare_status history_index_add_points(struct history_index *ix, const struct indexed_point *points, int n,
                                          struct tare_err *err);

#endif
