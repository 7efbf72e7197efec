/* SPDX-License-Identifier: MIT
 *
 * In place of server_libpq.c: none can be opened, so there is nothing else to do.
 */
#include "server.h"
#include "unit_queue.h"

static enum tare_status absent(struct tare_err *err)
{
    return err_set(err, TARE_UNSUPPORTED, "this tare was built without libpq, so it reaches no PostgreSQL");
}

enum tare_status history_check_url(const char *url, struct tare_err *err)
{
    (void)url;
    return absent(err);
}

enum tare_status server_open(struct server **out, const char *url, enum server_use use, struct tare_err *err)
{
    (void)out, (void)url, (void)use;
    return absent(err);
}

void server_close(struct server *s)
{
    (void)s;
}

enum tare_status server_files(struct server *s, const struct index_visit *visit, struct tare_err *err)
{
    (void)s, (void)visit;
    return absent(err);
}

enum tare_status server_each_series(struct server *s, const struct index_visit *visit, struct tare_err *err)
{
    (void)s, (void)visit;
    return absent(err);
}

enum tare_status server_points(struct server *s, const int64_t *keys, int n_keys, const struct indexed_point **items, int *n,
                               struct tare_err *err)
{
    (void)s, (void)keys, (void)n_keys, (void)items, (void)n;
    return absent(err);
}

enum tare_status server_values(struct server *s, int64_t file, int64_t measured_utc_ns, int64_t place, double **values, int *n,
                               double *step, struct tare_err *err)
{
    (void)s, (void)file, (void)measured_utc_ns, (void)place, (void)values, (void)n, (void)step;
    return absent(err);
}

enum tare_status server_add(struct server *s, const struct buf *text, const char *old, char id[HISTORY_ID_BYTES], bool *added,
                            struct tare_err *err)
{
    (void)s, (void)text, (void)old, (void)id, (void)added;
    return absent(err);
}

enum tare_status queue_open(struct queue **out, const char *url, const char *key, struct tare_err *err)
{
    (void)out, (void)url, (void)key;
    return absent(err);
}

enum tare_status queue_again(struct queue *q, struct tare_err *err)
{
    (void)q;
    return absent(err);
}

void queue_close(struct queue *q)
{
    (void)q;
}

bool queue_is_name(const char *name)
{
    (void)name;
    return false;
}

enum tare_status queue_call(struct queue *q, const char *host, struct tare_err *err)
{
    (void)q, (void)host;
    return absent(err);
}

enum tare_status queue_put(struct queue *q, const struct queue_entry *e, struct tare_err *err)
{
    (void)q, (void)e;
    return absent(err);
}

enum tare_status queue_stop(struct queue *q, const char *name, struct tare_err *err)
{
    (void)q, (void)name;
    return absent(err);
}

enum tare_status queue_remove(struct queue *q, const char *name, struct tare_err *err)
{
    (void)q, (void)name;
    return absent(err);
}

enum tare_status queue_fetch(struct queue *q, const char *name, queue_take_record *took, void *context, struct tare_err *err)
{
    (void)q, (void)name, (void)took, (void)context;
    return absent(err);
}

enum tare_status queue_look(struct queue *q, const char *name, queue_see *see, void *context, bool *there, struct tare_err *err)
{
    (void)q, (void)name, (void)see, (void)context, (void)there;
    return absent(err);
}

enum tare_status queue_offers(struct queue *q, const struct queue_question *of, queue_offered *offered, void *context,
                              struct tare_err *err)
{
    (void)q, (void)of, (void)offered, (void)context;
    return absent(err);
}

enum tare_status queue_take(struct queue *q, const char *const *names, int n, const char *host, const char *class,
                            struct arena *a, struct queue_taken *out, bool *there, struct tare_err *err)
{
    (void)q, (void)names, (void)n, (void)host, (void)class, (void)a, (void)out, (void)there;
    return absent(err);
}

enum tare_status queue_beat(struct queue *q, const struct queue_taken *t, const char *host, bool *still, struct tare_err *err)
{
    (void)q, (void)t, (void)host, (void)still;
    return absent(err);
}

enum tare_status queue_deliver(struct queue *q, const struct queue_taken *t, const char *host, const char *record, size_t n,
                               enum queue_verdict *verdict, struct tare_err *err)
{
    (void)q, (void)t, (void)host, (void)record, (void)n, (void)verdict;
    return absent(err);
}

enum tare_status queue_fail(struct queue *q, const struct queue_taken *t, const char *host, const char *how, const char *why,
                            struct tare_err *err)
{
    (void)q, (void)t, (void)host, (void)how, (void)why;
    return absent(err);
}
