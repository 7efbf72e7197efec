/* SPDX-License-Identifier: MIT
 *
 * server_session.h - one connection to PostgreSQL, for the histories and the queue that are kept there. Nobody else knows of libpq.
 *
 *     status = server_open(&s, "postgresql://db.example/bench", SERVER_READ, &err);
 *     struct answer *r = server_ask(s, "SELECT key, name FROM tare.project WHERE key > $1::int8", 1, (const char *[]){"7"}, &status, &err);
 *     for (int i = 0; i < answer_rows(r); i++) {
 *         struct answer_row row = {.r = r, .at = i};
 *         take(answer_integer_at(&row, 0), answer_text_at(&row, 1, 1000));
 *         if (row.bad)                                      // not what was asked for
 *             ...
 *     }
 *     answer_finish(r);
 *     server_close(s);
 *
 * How it is reached, TLS and passwords are libpq's: parameters of the URL, PG* variables, service files, PGPASSFILE. What comes from it is not trusted. Text goes
 * there as a parameter, never as part of SQL. One thread at a time. Inside of src/store.
 */
#ifndef SERVER_SESSION_H
#define SERVER_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <tare/status.h>

struct indexed_point;

struct server {
    void *connection;
    bool empty;  /* tables of a history are not there yet */
    bool silent; /* it did not answer when a signal came, and is not asked again */
    struct indexed_point *items;
    int n_items, room_items;
};

enum server_use {
    SERVER_READ,  /* tables that are missing are a history without results */
    SERVER_ADD,   /* they are made or brought to this version, where we may. PERMISSION: we may not add */
    SERVER_QUEUE, /* the same; what the role may is not asked */
    SERVER_WORK   /* likewise, for a worker of the queue */
};
/* VERSION: its tables are of a newer tare. IO, BUSY: it cannot be reached, or not now. */
enum tare_status server_open(struct server **out, const char *url, enum server_use use, struct tare_err *err);
void server_close(struct server *s); /* NULL is fine */

/* A transaction of which each statement sees what others have committed meanwhile, whatever the default of the database or role. */
#define SERVER_BEGIN "BEGIN ISOLATION LEVEL READ COMMITTED"

/* Statements without parameters. */
enum tare_status server_run(struct server *s, const char *sql, struct tare_err *err);
/* values: of $1 to $n, NULL is NULL. NULL: *status and err say why. */
struct answer *server_ask(struct server *s, const char *sql, int n, const char *const *values, enum tare_status *status,
                          struct tare_err *err);
/* Where the answer is not of interest. */
enum tare_status server_do(struct server *s, const char *sql, int n, const char *const *values, struct tare_err *err);
/* One number; there NULL: a row without it would be a fault. */
enum tare_status server_ask_integer(struct server *s, const char *sql, int n, const char *const *values, bool *there,
                                    int64_t *out, struct tare_err *err);

int answer_rows(const struct answer *r);  /* of NULL 0 */
int64_t answer_changed(struct answer *r); /* rows that a statement inserted or changed */
void answer_finish(struct answer *r);     /* NULL is fine */

/* A row, which is what we asked for unless the other side means ill: then `bad`. Texts live as long as the answer. */
struct answer_row {
    const struct answer *r;
    int at;
    bool bad;
};
int64_t answer_integer_at(struct answer_row *row, int column); /* of an int8 */
double answer_number_at(struct answer_row *row, int column);   /* of a float8; NaN: null */
const char *answer_text_or_null(struct answer_row *row, int column, int longest);
const char *answer_text_at(struct answer_row *row, int column, int longest);
/* Of a float8[], at most `most` of them, the caller frees them; NULL: null. */
double *answer_numbers_at(struct answer_row *row, int column, int most, int *n);

#endif
