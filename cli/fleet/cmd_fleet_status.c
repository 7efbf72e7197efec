/* SPDX-License-Identifier: MIT
 *
 * `tare fleet status`: how far a plan is.
 *
 *     plan 3f2a91c0b7d4: 4 of 6 units measured, 1 failed, 1 not yet
 *       node  block  host   state
 *       1     1      epyc1  measured
 *       2     1             failed 2 times: './new' ended with exit code 1 in run 3
 *       3     1             measuring on epyc3, attempt 1
 */
#include "fleet_queue.h"
#include "layout.h"
#include "screen.h"

static void put_state(struct page *p, const struct fleet *f, const struct fleet_result *of)
{
    if (of->there)
        buf_str(&p->piece, "measured");
    else if (of->excluded) {
        buf_str(&p->piece, "excluded: ");
        put_text(p, fleet_class_out(&f->class, of->excluded));
    } else if (of->queued)
        put_text(p, of->queued);
    else if (of->refused) {
        buf_str(&p->piece, "does not count: ");
        put_text(p, of->refused);
    } else if (of->failure) {
        buf_format(&p->piece, "failed %d time%s: ", of->attempts, buf_plural(of->attempts));
        put_text(p, of->failure);
    } else
        buf_str(&p->piece, "not yet");
}

static void put_unit(struct table *t, const struct fleet *f, int at)
{
    const struct fleet_result *of = &f->results[at];
    table_format(t, "%d", f->units[at].node);
    table_format(t, "%d", f->units[at].block);
    if (of->there || of->excluded)
        put_text(t->p, of->there ? fleet_host(&of->record) : of->excluded);
    table_cell(t);
    put_state(t->p, f, of);
    table_cell(t);
}

static void put_sums(const struct fleet *f, struct page *p)
{
    int failed = 0, refused = 0;
    const int there = fleet_there(f), excluded = fleet_excluded(f);
    for (int i = 0; i < f->n; i++) {
        const struct fleet_result *of = &f->results[i];
        refused += of->refused != NULL;
        failed += !of->there && !of->refused && !of->excluded && of->failure;
    }
    buf_format(&p->piece, "plan %s: %d of %d units measured", f->plan.id, there, f->n);
    if (failed)
        buf_format(&p->piece, ", %d failed", failed);
    if (refused)
        buf_format(&p->piece, ", %d not counted", refused);
    if (excluded)
        buf_format(&p->piece, ", %d excluded", excluded);
    if (there + failed + refused + excluded < f->n)
        buf_format(&p->piece, ", %d not yet", f->n - there - failed - refused - excluded);
    flow_line(p, 0, HUE_BOLD);
}

static bool shown(const struct fleet *f, int at)
{
    const struct fleet_result *r = &f->results[at];
    return r->there || r->refused || r->excluded || r->failure || r->queued || f->o->display.verbose > 0;
}

static void put_units(const struct fleet *f, struct page *p)
{
    static const struct table_column columns[] = {
        {"node", SIDE_LEFT, 0}, {"block", SIDE_LEFT, 2}, {"host", SIDE_LEFT, 1}, {"state", SIDE_LEFT, 0}};
    struct table t;
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    for (int node = 1; node <= f->plan.nodes; node++)
        for (int i = 0; i < f->n; i++)
            if (f->units[i].node == node && shown(f, i))
                put_unit(&t, f, i);
    table_end(&t, 2);
}

static void see(void *context, const struct queue_seen *u)
{
    struct fleet *f = context;
    struct arena *a = f->cli->arena;
    const char *of = u->state == QUEUE_DONE        ? "measured, not collected yet"
                     : u->state == QUEUE_MEASURING ? arena_format(a, "measuring on %s, attempt %d", u->host, u->attempt)
                     : u->state == QUEUE_LOST      ? arena_format(a, "lost by %s, to be measured again", u->host)
                     : u->state == QUEUE_FAILED    ? arena_format(a, "given up after attempt %d: %s", u->attempt, u->reason)
                     : *u->reason                  ? arena_format(a, "in the queue again: %s", u->reason)
                                                   : "in the queue";
    if (u->unit > f->n)
        return;
    struct fleet_result *result = &f->results[u->unit - 1];
    result->queued = of;
    result->refused = result->excluded = NULL; /* others are given it */
    result->failure = u->state == QUEUE_FAILED ? of : NULL;
}

/* A folder whose plan was never put there, or is complete, is in no queue. */
static enum exit_code look_into_queue(struct fleet *f)
{
    struct queue *q = NULL;
    struct tare_err err;
    const char *name;
    bool there;
    enum tare_status status = fleet_queue_check(f->o->queue, &err);
    if (!status)
        status = fleet_queue_name(f, false, &name, &err);
    if (!status)
        status = queue_open(&q, f->o->queue, NULL, &err);
    if (!status)
        status = queue_look(q, name, see, f, &there, &err);
    queue_close(q);
    return status && status != TARE_NOT_FOUND ? cli_refuse(f->cli, status, &err) : EXIT_ANSWERED;
}

static enum exit_code code_of(const struct fleet *f)
{
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < f->n; i++) {
        const struct fleet_result *of = &f->results[i];
        if (!of->there && !of->excluded && (of->refused || of->failure))
            code = cli_worse(code, of->refused ? EXIT_INVALID : EXIT_CHILD);
    }
    return code;
}

int cmd_fleet_status(struct cli *cli, const void *options)
{
    struct fleet f = {.cli = cli, .o = options};
    struct buf text = BUF_INIT(1 << 26);
    enum exit_code code = fleet_open(&f);
    if (!code)
        code = fleet_load(&f);
    if (!code && f.o->queue)
        code = look_into_queue(&f);
    if (!code) {
        const struct render_options o = screen_options(&f.o->display);
        struct page p = page_over(NULL, &o, &text);
        put_sums(&f, &p);
        if (!f.o->display.quiet)
            put_units(&f, &p);
        page_finish(&p);
        code = cli_worse(code_of(&f), screen_text(cli, &f.o->display, &text));
    }
    fleet_close(&f);
    return code;
}
