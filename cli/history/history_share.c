/* SPDX-License-Identifier: MIT
 * One piece of work for each of many series, in forked processes where there are enough of them. */
#include "history_reading.h"
#include "plat.h"
#include <string.h>

enum { WORTH_A_PROCESS = 200, PROCESSES_MOST = 16 };
static const size_t PART_BYTES = (size_t)1 << 32;

/* Of process i of `processes`. */
struct part {
    const struct history_share *s;
    int processes;
};

static int first_of(const struct part *p, int i)
{
    return (int)((int64_t)p->s->n * i / p->processes);
}

/* The number of bytes first. */
static enum tare_status put_item(const struct history_share *s, int item, struct buf *out, struct tare_err *err)
{
    size_t n = 0;
    const size_t at = out->len;
    buf_add(out, (const char *)&n, sizeof n);
    enum tare_status status = s->make(s->context, item, out, err);
    if (!status && out->status)
        status = err_set(err, out->status, "no room for what %d series came to", s->n);
    n = out->len - at - sizeof n;
    if (!status)
        memcpy(out->data + at, &n, sizeof n);
    return status;
}

static enum tare_status make_part(const struct part *p, int i, struct buf *out, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int item = first_of(p, i), end = first_of(p, i + 1); item < end && !status; item++)
        status = plat_signal() ? err_set(err, TARE_INTERRUPTED, "interrupted") : put_item(p->s, item, out, err);
    return status;
}

static enum tare_status make_forked(void *context, int i, struct buf *out, struct tare_err *err)
{
    const struct part *p = context;
    struct history_reading *r = p->s->r;
    enum tare_status status = history_forked(r->h, err);
    if (!status && r->place.repository && history_n_events(r->h))       /* some may have to be looked for after a rebase */
        status = plat_spawner_create(&r->place.git.spawner, NULL, err); /* one of its own */
    return status ? status : make_part(p, i, out, err);
}

static enum tare_status take_part(const struct history_share *s, int first, const struct buf *made, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    size_t n;
    for (const char *at = buf_text(made), *end = at + made->len; at < end && !status; at += n) {
        memcpy(&n, at, sizeof n);
        at += sizeof n;
        status = s->take(s->context, first++, at, n, err);
    }
    return status;
}

enum tare_status history_share(const struct history_share *s, struct tare_err *err)
{
    const int cpus = plat_cpus_allowed(), most = s->n / WORTH_A_PROCESS;
    const int n = cpus < PROCESSES_MOST ? cpus : PROCESSES_MOST;
    const int several = most < 2 ? 1 : n < most ? n : most;
    struct part p = {s, several};
    struct buf made[PROCESSES_MOST];
    for (int i = 0; i < several; i++)
        made[i] = BUF_INIT(PART_BYTES);
    enum tare_status status = several > 1 ? plat_share(several, make_forked, &p, made, err) : TARE_UNSUPPORTED;
    if (status == TARE_UNSUPPORTED) {
        p.processes = 1;
        status = make_part(&p, 0, &made[0], err);
    }
    for (int i = 0; i < several; i++) {
        if (!status && i < p.processes)
            status = take_part(s, first_of(&p, i), &made[i], err);
        buf_finish(&made[i]);
    }
    return status;
}
