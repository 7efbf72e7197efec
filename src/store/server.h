/* SPDX-License-Identifier: MIT
 *
 * server.h - a history in PostgreSQL instead of a folder: the heads of its files, its series and results in tables (server_schema.sql), where the index of a
 * folder has the same. server_history.c; server_absent.c where libpq's headers are missing.
 *
 *     status = server_open(&s, "postgresql://db.example/bench", SERVER_READ, &err);
 *     status = server_files(s, &visit, &err);
 *     server_close(s);
 *
 * What comes from it is not trusted: a row that makes no sense is handed over as a file with a problem. Inside of src/store.
 */
#ifndef SERVER_H
#define SERVER_H

#include "history_index.h"
#include "server_session.h"

/* As of an index; n of a series is 1, as nobody counts. Files by visit->file, also of series that are left out. */
enum tare_status server_files(struct server *s, const struct index_visit *visit, struct tare_err *err);
enum tare_status server_each_series(struct server *s, const struct index_visit *visit, struct tare_err *err);
/* Of several series; `series` of an item says of which of the keys it is, from 0. */
enum { SERVER_SERIES_MOST = 64 };
enum tare_status server_points(struct server *s, const int64_t *keys, int n_keys, const struct indexed_point **items, int *n,
                               struct tare_err *err);
/* As history_values. */
enum tare_status server_values(struct server *s, int64_t file, int64_t measured_utc_ns, int64_t place, double **values, int *n,
                               double *step, struct tare_err *err);

/* The text of a file, in one transaction; where its id is there already nothing is done. old: the id of one that it replaces; NULL. */
enum tare_status server_add(struct server *s, const struct buf *text, const char *old, char id[HISTORY_ID_BYTES], bool *added,
                            struct tare_err *err);

#endif
