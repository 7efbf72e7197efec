/* SPDX-License-Identifier: MIT
 *
 * The engine queue: the plan and its units go into a PostgreSQL database, from where workers (cmd_fleet_work.c) take them, and the records that they bring back become
 * the files of the folder, as if this machine had made them. A record is held against the plan before it counts; one that does not is dropped, and its
 * unit given out again as often as --attempts allows.
 * A leader that is killed leaves the plan in the queue; the same command goes on with it.
 */
#include "fleet_queue.h"
#include "history.h"
#include "plat.h"
#include <string.h>

#define SECOND_NS INT64_C(1000000000)
enum { LONGEST_WAIT_S = 10 };

enum tare_status fleet_queue_check(const char *url, struct tare_err *err)
{
    return history_is_url(url) ? history_check_url(url, err)
                               : err_set(err, TARE_INVALID, "'%.100s' is no queue: take postgresql://HOST/NAME", url);
}

static enum tare_status read_tag(const char *path, char tag[QUEUE_TAG_BYTES], struct tare_err *err)
{
    struct buf text = BUF_INIT(1 << 10);
    enum tare_status status = fleet_check_file(path, err);
    if (!status)
        status = plat_file_read(path, &text, err);
    if (!status && (text.len != QUEUE_TAG_BYTES || strspn(text.data, "0123456789abcdef") != QUEUE_TAG_BYTES - 1))
        status = err_set(err, TARE_FORMAT, "%s is not as tare makes it; remove it, and another is drawn", path);
    if (!status)
        memcpy(tag, text.data, QUEUE_TAG_BYTES - 1);
    tag[QUEUE_TAG_BYTES - 1] = '\0';
    buf_finish(&text);
    return status;
}

enum tare_status fleet_queue_tag(const char *path, bool make, char tag[QUEUE_TAG_BYTES], struct tare_err *err)
{
    char line[QUEUE_TAG_BYTES + 1];
    enum tare_status status = path ? read_tag(path, tag, err) : err_no_memory(err);
    if (status == TARE_NOT_FOUND && make) {
        buf_print(line, sizeof line, "%016llx\n", (unsigned long long)plat_random_seed());
        memcpy(tag, line, QUEUE_TAG_BYTES - 1);
        status = plat_file_replace(path, line, QUEUE_TAG_BYTES, err);
    }
    return status;
}

enum tare_status fleet_queue_name(const struct fleet *f, bool make, const char **name, struct tare_err *err)
{
    char tag[QUEUE_TAG_BYTES];
    enum tare_status status = fleet_queue_tag(fleet_queue_path(f), make, tag, err);
    if (!status && !(*name = arena_format(f->cli->arena, "%s-%s", f->plan.id, tag)))
        status = err_no_memory(err);
    return status;
}

enum tare_status patience_after(struct patience *p, struct queue *q, enum tare_status failure, struct tare_err *err)
{
    enum tare_status status = failure;
    while ((status == TARE_IO || status == TARE_BUSY) && !plat_signal()) {
        if (p->tries && p->most_ns && plat_now_ns() - p->since_ns >= p->most_ns)
            return status;
        if (!p->tries++) {
            p->since_ns = plat_now_ns();
            struct buf b = BUF_INIT(1 << 12);
            buf_format(&b, "%s; waiting for it", err->text);
            cli_say(p->cli, p->quiet, &b);
        }
        plat_sleep_ns((p->tries < LONGEST_WAIT_S ? p->tries : LONGEST_WAIT_S) * SECOND_NS);
        status = plat_signal() ? status : queue_again(q, err);
    }
    return status;
}

void patience_over(struct patience *p)
{
    p->tries = 0;
}

/* ---- who leads ---- */

struct leader {
    struct fleet *f;
    struct queue *q;
    const char *name;
    const char *plan;
    int *given; /* how often each unit had been given out when that was last said */
    int left;
    bool dropped; /* a record did not count, so its unit may be left again */
};

/* A host that measured something of a node before goes on with it, unless it did so of several: of hosts each has one. */
static const char *host_of(const struct fleet *f, int node)
{
    const char *host = NULL;
    for (int i = 0; i < f->n; i++)
        if (f->results[i].there && f->units[i].node == node)
            host = fleet_host(&f->results[i].record);
    for (int i = 0; i < f->n && host; i++)
        if (f->results[i].there && f->units[i].node != node && !strcmp(host, fleet_host(&f->results[i].record)))
            host = NULL;
    return host && *host ? host : NULL;
}

/* The units that are missing, their nodes, and the nodes that are complete: their hosts get no other. */
static enum tare_status put_plan(const struct leader *l, struct tare_err *err)
{
    const struct fleet *f = l->f;
    struct queue_unit *units = arena_array(f->cli->arena, (size_t)f->n, sizeof *units);
    struct queue_node *nodes = arena_array(f->cli->arena, (size_t)f->plan.nodes, sizeof *nodes);
    const char **excluded = arena_array(f->cli->arena, (size_t)f->class.n + 1, sizeof *excluded);
    struct queue_entry e = {.name = l->name,
                            .plan = l->plan,
                            .class = f->o->node_class,
                            .attempts = f->o->attempts,
                            .lost_ns = f->o->lost_after_ns,
                            .timeout_ns = fleet_step_limit_ns(f),
                            .excluded = excluded,
                            .nodes = nodes,
                            .units = units};
    if (!units || !nodes || !excluded)
        return err_no_memory(err);
    for (int i = 0; i < f->plan.nodes; i++)
        nodes[e.n_nodes++] = (struct queue_node){i + 1, host_of(f, i + 1)};
    for (int i = 0; i < f->n; i++)
        if (!f->results[i].there)
            units[e.n_units++] = (struct queue_unit){f->units[i].number, f->units[i].node, f->results[i].attempts};
    for (int i = 0; i < f->class.n; i++)
        if (f->class.hosts[i].out && *f->class.hosts[i].host)
            excluded[e.n_excluded++] = f->class.hosts[i].host;
    return queue_put(l->q, &e, err);
}

static void say_unit(const struct fleet *f, int at, const char *host, const char *what)
{
    struct buf b = BUF_INIT(1 << 12);
    buf_format(&b, "unit %d of %d: node %d, %.60s%s%.400s", at + 1, f->n, f->units[at].node, host, *what ? ": " : "", what);
    cli_say(f->cli, f->o->display.quiet, &b);
}

/* Each attempt once, whether it is seen while it runs or by its record. */
static void say_given(const struct leader *l, int at, const char *host, int attempt, const char *reason)
{
    if (attempt <= l->given[at])
        return;
    l->given[at] = attempt;
    say_unit(l->f, at, host, *reason ? arena_format(l->f->cli->arena, "attempt %d, as %.600s", attempt, reason) : "");
}

/* Why a record is none of this unit, which was given to that host; NULL: it counts, and is in its place. */
static const char *check_record(struct fleet *f, int at, const char *host)
{
    struct fleet_result *result = &f->results[at];
    if (result->there && strcmp(fleet_host(&result->record), host) != 0) {
        record_finish(&result->record);
        result->there = false;
        result->refused = "it is of another host than the one that it was given to";
    }
    const char *out = result->excluded ? fleet_class_out(&f->class, result->excluded) : NULL;
    return result->there ? NULL : result->refused ? result->refused : out ? out : "it cannot be read";
}

/* Into its file first: whoever is killed before the queue hears of it fetches it again. */
static enum tare_status take_record(void *context, const struct queue_record *r, const char **why, struct tare_err *err)
{
    struct leader *l = context;
    struct fleet *f = l->f;
    const int at = r->unit - 1;
    if (r->unit > f->n) {
        *why = "it is of no unit of the plan";
        l->dropped = true;
        return TARE_OK;
    }
    if (f->results[at].there)
        return TARE_OK;
    const char *path = fleet_path(f, &f->units[at], "jsonl");
    enum tare_status status = fleet_check_folder(f, err);
    if (!status)
        status = fleet_check_file(path, err);
    if (!status)
        status = plat_file_replace(path, r->text, strlen(r->text), err);
    if (status)
        return status;
    if (fleet_load_unit(f, at))
        return err_no_memory(err);
    const char *wrong = check_record(f, at, r->host);
    say_given(l, at, r->host, r->attempt, r->reason);
    if (!wrong) {
        plat_file_remove(fleet_path(f, &f->units[at], "failed"), NULL);
        return TARE_OK;
    }
    *why = arena_format(f->cli->arena, "its record did not count: %s", wrong);
    f->results[at].refused = f->results[at].excluded = NULL;
    l->dropped = true;
    say_unit(f, at, r->host, *why ? *why : "");
    return *why ? plat_file_remove(path, err) : err_no_memory(err);
}

static void see_unit(void *context, const struct queue_seen *u)
{
    struct leader *l = context;
    if (u->unit > l->f->n)
        return;
    l->left += u->state < QUEUE_FAILED;
    if (u->state == QUEUE_MEASURING)
        say_given(l, u->unit - 1, u->host, u->attempt, u->reason);
}

/* What came; *done: there is nothing left to be measured, and all of it came. */
static enum tare_status look(struct leader *l, bool *done, struct tare_err *err)
{
    bool there = false;
    l->left = 0;
    l->dropped = false;
    enum tare_status status = queue_look(l->q, l->name, see_unit, l, &there, err);
    *done = !status && !l->left;
    if (!status && !there)
        status = err_set(err, TARE_NOT_FOUND, "the plan is not in the queue any more; the same command puts it there again");
    if (!status)
        status = queue_fetch(l->q, l->name, take_record, l, err);
    *done &= !status && !l->dropped;
    return status;
}

static enum tare_status wait_for_all(struct leader *l, struct tare_err *err)
{
    struct patience p = {.cli = l->f->cli, .quiet = l->f->o->display.quiet};
    enum tare_status status = TARE_OK;
    bool done = false;
    struct buf b = BUF_INIT(1 << 10);
    buf_format(&b, "%d of %d units to be measured by hosts on which tare fleet work runs", l->f->n - fleet_there(l->f), l->f->n);
    cli_say(l->f->cli, l->f->o->display.quiet, &b);
    while (!done && !status && !plat_signal()) {
        status = look(l, &done, err);
        if (status)
            status = patience_after(&p, l->q, status, err);
        else {
            patience_over(&p);
            plat_sleep_ns(done ? 0 : SECOND_NS / 2);
        }
    }
    return plat_signal() ? TARE_OK : status;
}

static void keep_failure(void *context, const struct queue_seen *u)
{
    struct fleet *f = ((struct leader *)context)->f;
    if (u->unit > f->n || u->state != QUEUE_FAILED || f->results[u->unit - 1].there)
        return;
    f->results[u->unit - 1].attempts = u->attempt > 0 ? u->attempt - 1 : 0;
    fleet_keep_failure(f, u->unit - 1, *u->reason ? arena_strdup(f->cli->arena, u->reason) : NULL);
}

/* And the number with it: where there is one the plan may be in the queue. */
static enum tare_status remove_plan(const struct leader *l, struct tare_err *err)
{
    const char *path = fleet_queue_path(l->f);
    const enum tare_status status = path ? queue_remove(l->q, l->name, err) : err_no_memory(err);
    return status ? status : plat_file_remove(path, err);
}

/* Of one that was interrupted what is being measured may still come. */
static enum tare_status leave(struct leader *l, struct tare_err *err)
{
    bool there;
    if (plat_signal())
        return queue_stop(l->q, l->name, err);
    enum tare_status status = queue_look(l->q, l->name, keep_failure, l, &there, err);
    return status ? status : remove_plan(l, err);
}

static enum tare_status open_leader(struct leader *l, struct tare_err *err)
{
    struct fleet *f = l->f;
    struct buf plan = BUF_INIT(1 << 26);
    fleet_plan_put(&f->plan, &plan);
    l->plan = arena_keep(f->cli->arena, &plan);
    l->given = arena_array(f->cli->arena, (size_t)f->n, sizeof *l->given);
    if (!l->plan || !l->given)
        return err_no_memory(err);
    for (int i = 0; i < f->n; i++)
        l->given[i] = f->results[i].attempts;
    enum tare_status status = fleet_queue_name(f, true, &l->name, err);
    if (!status)
        status = queue_open(&l->q, f->o->queue, NULL, err);
    return status ? status : put_plan(l, err);
}

/* That of a leader which was killed once the last record was there. The answer needs no database. */
static enum exit_code remove_left(struct leader *l)
{
    struct tare_err err;
    enum tare_status status = fleet_queue_name(l->f, false, &l->name, &err);
    if (!status)
        status = queue_open(&l->q, l->f->o->queue, NULL, &err);
    if (!status)
        status = remove_plan(l, &err);
    queue_close(l->q);
    if (status && status != TARE_NOT_FOUND) {
        err_prefix(&err, "the plan may still be in the queue; the same command removes it");
        cli_note(l->f->cli, "warning", err.text);
    }
    return EXIT_ANSWERED;
}

static enum exit_code measure_by_queue(struct fleet *f)
{
    struct leader l = {.f = f};
    struct tare_err err;
    if (fleet_there(f) == f->n)
        return remove_left(&l);
    enum tare_status status = open_leader(&l, &err);
    if (!status)
        status = wait_for_all(&l, &err);
    if (!status)
        status = leave(&l, &err);
    queue_close(l.q);
    f->signal_number = plat_signal();
    if (!status && f->signal_number)
        status = err_set(&err, TARE_INTERRUPTED, "interrupted, and no more units are given out; the same command continues");
    return status ? cli_refuse(f->cli, status, &err) : EXIT_ANSWERED;
}

const struct fleet_engine fleet_queue = {"queue", measure_by_queue};
