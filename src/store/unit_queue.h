/* SPDX-License-Identifier: MIT
 *
 * unit_queue.h - the units of tare fleet in a PostgreSQL database (queue_schema.sql, queue_names.sql), for hosts that reach nothing else: a leader puts a plan, workers take units of it
 * one at a time and bring their records back.
 *
 *     status = queue_open(&q, "postgresql://db.example/bench", NULL, &err);
 *     status = queue_put(q, &entry, &err);                            // the leader
 *     status = queue_fetch(q, entry.name, took, context, &err);       // records that came since
 *
 *     status = queue_offers(q, &ask, offered, context, &err);         // a worker
 *     status = queue_take(q, names, n, "host3", NULL, arena, &taken, &there, &err);
 *     status = queue_beat(q, &taken, "host3", &still, &err);
 *     status = queue_deliver(q, &taken, "host3", text, n, &verdict, &err);
 *
 * Each call is one transaction, so it may be repeated after a failure: IO and BUSY say that the database is away, and queue_again connects anew. A unit has one
 * record at most: who was not heard of for too long has lost it as soon as another has it. What comes from there is not trusted: names and numbers are
 * as they can be, the texts are whatever somebody wrote. It knows nothing of plans and records. One thread at a time.
 */
#ifndef UNIT_QUEUE_H
#define UNIT_QUEUE_H

#include "arena.h"
#include <stdbool.h>
#include <stdint.h>
#include <tare/status.h>

enum {
    QUEUE_NAME_BYTES = 30, /* the plan's id, '-', 16 hexadecimal digits */
    QUEUE_RECORD_MAX = 1 << 26,
    QUEUE_REASON_MAX = 4096,
    QUEUE_HOST_MAX = 256
};

struct queue;
/* key: by which a worker is known, however often it connects; NULL: it is none. UNSUPPORTED: without libpq. PERMISSION, VERSION, IO, BUSY: see
 * server_session.h. The tables are made where they are missing. */
enum tare_status queue_open(struct queue **out, const char *url, const char *key, struct tare_err *err);
enum tare_status queue_again(struct queue *q, struct tare_err *err); /* after a failure the queue stays usable for another try */
void queue_close(struct queue *q);                                   /* NULL is fine */
bool queue_is_name(const char *name);

/* ---- who leads ---- */

struct queue_node {
    int node;
    const char *host; /* which measured something of it before; NULL */
};
struct queue_unit {
    int unit, node;
    int attempts; /* that failed before */
};
struct queue_entry {
    const char *name, *plan;
    const char *class; /* NULL: for all workers */
    int attempts;
    const char *const *excluded;    /* hosts that get no unit of it */
    int64_t lost_ns, timeout_ns;    /* timeout 0: none */
    const struct queue_node *nodes; /* all: a host that has one gets no other */
    const struct queue_unit *units;
    int n_nodes, n_units, n_excluded;
};
/* The entry, open, with units that it lacks; those that failed before may be tried again. */
enum tare_status queue_put(struct queue *q, const struct queue_entry *e, struct tare_err *err);
/* Gives no more units of it out. */
enum tare_status queue_stop(struct queue *q, const char *name, struct tare_err *err);
enum tare_status queue_remove(struct queue *q, const char *name, struct tare_err *err);

struct queue_record { /* lives until the call returns */
    int unit, attempt;
    const char *host, *reason; /* that it was given to, and why the attempt before came to nothing; "": not known */
    const char *text;
};
/* *why: NULL, it counts; else it is dropped, and the unit may be given out again. */
typedef enum tare_status queue_take_record(void *context, const struct queue_record *r, const char **why, struct tare_err *err);
enum tare_status queue_fetch(struct queue *q, const char *name, queue_take_record *took, void *context, struct tare_err *err);

enum queue_state {
    QUEUE_WAITING,
    QUEUE_MEASURING,
    QUEUE_LOST /* nobody was heard of, and it may be given out again */,
    QUEUE_FAILED,
    QUEUE_DONE
};
struct queue_seen {
    int unit;
    enum queue_state state;
    int attempt;               /* how often it was given out */
    const char *host, *reason; /* "": not known */
};
/* Each unit of the entry, in order; texts live until it returns. *there false: there is no such entry. */
typedef void queue_see(void *context, const struct queue_seen *u);
enum tare_status queue_look(struct queue *q, const char *name, queue_see *see, void *context, bool *there, struct tare_err *err);

/* ---- who works ---- */

/* Now and then: this name is ours. BUSY: it is that of a worker with another key or role, who was heard of within a minute or has a unit. */
enum tare_status queue_call(struct queue *q, const char *host, struct tare_err *err);

struct queue_question {
    const char *const *known, *const *kept; /* names: of what nothing is to be said; of what it is to be said when it is gone */
    int n_known, n_kept;
    const char *class; /* NULL */
};
/* plan NULL: it is gone. */
typedef enum tare_status queue_offered(void *context, const char *name, const char *plan, struct tare_err *err);
enum tare_status queue_offers(struct queue *q, const struct queue_question *ask, queue_offered *offered, void *context,
                              struct tare_err *err);

struct queue_taken {
    char name[QUEUE_NAME_BYTES];
    int unit, attempt;
    const char *reason; /* why the attempt before came to nothing; "": there was none */
    int64_t lost_ns, timeout_ns;
};
enum tare_status queue_take(struct queue *q, const char *const *names, int n, const char *host, const char *class,
                            struct arena *a, struct queue_taken *out, bool *there, struct tare_err *err);
enum tare_status queue_beat(struct queue *q, const struct queue_taken *t, const char *host, bool *still, struct tare_err *err);

enum queue_verdict {
    QUEUE_ADDED,
    QUEUE_THERE,  /* this very record is there already */
    QUEUE_OTHERS, /* the unit is another's by now, or has another record */
    QUEUE_GONE    /* the plan is not in the queue any more */
};
enum tare_status queue_deliver(struct queue *q, const struct queue_taken *t, const char *host, const char *record, size_t n,
                               enum queue_verdict *verdict, struct tare_err *err);
/* how: "failed" (to be tried by nobody), "lost", "returned" (no attempt of ours). */
enum tare_status queue_fail(struct queue *q, const struct queue_taken *t, const char *host, const char *how, const char *why,
                            struct tare_err *err);

#endif
