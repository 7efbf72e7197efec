/* SPDX-License-Identifier: MIT
 *
 * From the records of the units to one record a node, and what these say together.
 */
#include "analyse_stored.h"
#include "fleet.h"
#include "stored_file.h"
#include <math.h>
#include <string.h>

struct nodes {
    struct fleet *f;
    struct record *items; /* one a node that has results */
    int n, hosts;
};

/* Moves the units of a node together; how many. */
static int take_blocks(struct fleet *f, int node, struct record *out)
{
    int n = 0;
    for (int i = 0; i < f->n; i++) {
        if (f->units[i].node != node || !f->results[i].there)
            continue;
        out[n++] = f->results[i].record;
        f->results[i].there = false;
    }
    return n;
}

/* A node is one value, however many blocks it has. */
static enum tare_status add_node(struct nodes *x, struct record *blocks, int n, struct tare_err *err)
{
    struct record *to = &x->items[x->n++];
    if (n == 1) {
        *to = blocks[0];
        return TARE_OK;
    }
    *to = (struct record){0};
    const enum tare_status status = analyse_sessions(to, blocks, n, err);
    for (int i = 0; i < n; i++)
        record_finish(&blocks[i]);
    return status;
}

static int count_hosts(const struct nodes *x)
{
    int hosts = 0;
    for (int i = 0; i < x->n; i++) {
        int k = 0;
        while (k < i && strcmp(fleet_host(&x->items[k]), fleet_host(&x->items[i])) != 0)
            k++;
        hosts += k == i;
    }
    return hosts;
}

/* Of several hosts each node is one of its own; two nodes on one would count it twice. */
static void drop_shared_hosts(struct nodes *x)
{
    int kept = 0;
    x->hosts = count_hosts(x);
    for (int i = 0; x->hosts > 1 && i < x->n; i++) {
        int k = 0;
        while (k < kept && strcmp(fleet_host(&x->items[k]), fleet_host(&x->items[i])) != 0)
            k++;
        if (k == kept) {
            x->items[kept++] = x->items[i];
            continue;
        }
        struct buf b = BUF_INIT(1 << 10);
        buf_format(&b, "two nodes were measured on host %.60s, which counts once", fleet_host(&x->items[i]));
        cli_say(x->f->cli, x->f->o->display.quiet, &b);
        record_finish(&x->items[i]);
    }
    x->n = x->hosts > 1 ? kept : x->n;
}

static enum tare_status make_nodes(struct nodes *x, struct tare_err *err)
{
    struct fleet *f = x->f;
    struct arena *a = f->cli->arena;
    struct record *blocks = arena_array(a, (size_t)f->plan.blocks, sizeof *blocks);
    x->items = arena_array(a, (size_t)f->plan.nodes, sizeof *x->items);
    enum tare_status status = blocks && x->items ? TARE_OK : err_no_memory(err);
    for (int node = 1; node <= f->plan.nodes && !status; node++) {
        const int n = take_blocks(f, node, blocks);
        if (n)
            status = add_node(x, blocks, n, err);
    }
    if (!status)
        drop_shared_hosts(x);
    if (!status && x->n)
        status = facts_add_number(&x->items[0], &x->items[0].build, "fleet_hosts", x->hosts) ? err_no_memory(err) : TARE_OK;
    return status;
}

static enum exit_code too_few(const struct nodes *x)
{
    const struct fleet *f = x->f;
    struct tare_err err;
    err_set(&err, TARE_TOO_FEW, "no answer: %d node%s of the plan %s results, and it needs %d", x->n, buf_plural(x->n),
            x->n == 1 ? "has" : "have", FLEET_NODES_LEAST);
    return cli_fail(f->cli, isnan(f->o->fail_if_slower) ? EXIT_INVALID : EXIT_UNDECIDED, &err);
}

/* What of the plan is not in the answer, a line each, and how many have no record yet. */
static enum exit_code say_left_out(const struct fleet *f)
{
    enum exit_code code = EXIT_ANSWERED;
    struct buf rest = BUF_INIT(1 << 10);
    int none = 0;
    for (int i = 0; i < f->n; i++) {
        const struct fleet_result *r = &f->results[i];
        struct buf b = BUF_INIT(1 << 12);
        none += !r->there && !r->refused && !r->failure;
        if (r->there || (!r->refused && !r->failure))
            continue;
        buf_format(&b, "unit %d (node %d) %s: %s", i + 1, f->units[i].node, r->refused ? "does not count" : "failed",
                   r->refused ? r->refused : r->failure);
        cli_say(f->cli, f->o->display.quiet, &b);
        code = cli_worse(code, r->refused ? EXIT_INVALID : EXIT_CHILD);
    }
    if (none)
        buf_format(&rest, "%d of %d units %s not measured yet", none, f->n, none == 1 ? "is" : "are");
    cli_say(f->cli, f->o->display.quiet, &rest);
    return code;
}

enum exit_code fleet_conclude(struct fleet *f, struct outputs *exports)
{
    struct nodes x = {.f = f};
    struct tare_err err;
    const bool partial = fleet_there(f) < f->n;
    enum exit_code code = say_left_out(f);
    const enum tare_status status = make_nodes(&x, &err);
    if (status)
        code = cli_worse(code, cli_fail(f->cli, EXIT_TOOL, &err));
    else if (x.n < FLEET_NODES_LEAST)
        code = cli_worse(code, too_few(&x));
    else
        code = cli_worse(code,
                         sessions_together(f->cli, &f->o->display, x.items, x.n, partial, f->o->fail_if_slower, exports, NULL));
    for (int i = 0; i < x.n; i++)
        record_finish(&x.items[i]);
    return code;
}
