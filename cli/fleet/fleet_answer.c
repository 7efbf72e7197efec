/* SPDX-License-Identifier: MIT
 *
 * From the records of the units to one record a node, and what these say together.
 */
#include "analyse_stored.h"
#include "fleet.h"
#include "history_keep.h"
#include "screen.h"
#include "stored_file.h"
#include <math.h>
#include <string.h>

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
static enum tare_status add_node(struct fleet_nodes *x, struct record *blocks, int n, struct tare_err *err)
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

/* Whether one of n is of its host too. */
static bool host_again(const struct record *items, int n, const struct record *r)
{
    bool again = false;
    for (int i = 0; i < n; i++)
        again |= !strcmp(fleet_host(&items[i]), fleet_host(r));
    return again;
}

static int count_hosts(const struct fleet_nodes *x)
{
    int hosts = 0;
    for (int i = 0; i < x->n; i++)
        hosts += !host_again(x->items, i, &x->items[i]);
    return hosts;
}

/* Of several hosts each node is one of its own; two nodes on one would count it twice. */
static void drop_shared_hosts(struct fleet_nodes *x)
{
    int kept = 0;
    x->hosts = count_hosts(x);
    for (int i = 0; x->hosts > 1 && i < x->n; i++) {
        if (!host_again(x->items, kept, &x->items[i])) {
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

/* "n4: the reference workload is 30 % slower ...", of the next host from *at on that is none of the class; NULL: there is none. */
static const char *next_excluded(const struct fleet *f, int *at)
{
    while (*at < f->class.n && !f->class.hosts[*at].out)
        ++*at;
    if (*at == f->class.n)
        return NULL;
    const struct fleet_host *h = &f->class.hosts[(*at)++];
    return arena_format(f->cli->arena, "%s: %s", h->host, h->out);
}

/* Into the record, for the screen and all exports. */
static enum tare_status add_excluded(struct fleet_nodes *x, struct tare_err *err)
{
    struct record *r = &x->items[0];
    const char *text;
    enum tare_status status = TARE_OK;
    for (int at = 0, n = 1; !status && (text = next_excluded(x->f, &at)); n++) {
        const char *key = arena_format(x->f->cli->arena, "fleet_excluded_%d", n);
        status = key ? facts_add_text(r, &r->build, key, text) : TARE_NO_MEMORY;
    }
    return status ? err_no_memory(err) : TARE_OK;
}

/* Those that nobody looked at count. */
static void say_unqualified(const struct fleet_nodes *x)
{
    struct buf b = BUF_INIT(1 << 12);
    for (int i = 0; i < x->n && x->f->class.n; i++)
        if (!fleet_class_find(&x->f->class, fleet_host(&x->items[i])))
            buf_format(&b, "%s%.60s", b.len ? ", " : "not qualified, and counted: ", fleet_host(&x->items[i]));
    cli_say(x->f->cli, x->f->o->display.quiet, &b);
}

enum tare_status fleet_make_nodes(struct fleet_nodes *x, struct tare_err *err)
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
    if (x->n)
        x->items[0].seed = f->plan.seed; /* from which all of it follows, unlike from that of a unit */
    return status || !x->n ? status : add_excluded(x, err);
}

static enum exit_code too_few(const struct fleet_nodes *x)
{
    const struct fleet *f = x->f;
    const char *text;
    struct tare_err err;
    for (int at = 0; (text = next_excluded(f, &at));)
        cli_note(f->cli, "excluded", text);
    err_set(&err, TARE_TOO_FEW, "no answer: %d node%s of the plan %s results, and it needs %d (--min-nodes)", x->n,
            buf_plural(x->n), x->n == 1 ? "has" : "have", f->o->min_nodes);
    return cli_fail(f->cli, isnan(f->o->fail_if_slower) ? EXIT_INVALID : EXIT_UNDECIDED, &err);
}

enum exit_code fleet_say_left_out(const struct fleet *f)
{
    enum exit_code code = EXIT_ANSWERED;
    struct buf rest = BUF_INIT(1 << 10);
    int none = 0;
    for (int i = 0; i < f->n; i++) {
        const struct fleet_result *r = &f->results[i];
        struct buf b = BUF_INIT(1 << 12);
        none += !r->there && !r->excluded && !r->refused && !r->failure;
        if (r->there || r->excluded || (!r->refused && !r->failure))
            continue;
        buf_format(&b, "unit %d (node %d) %s: %s", i + 1, f->units[i].node, r->refused ? "does not count" : "failed",
                   r->refused ? r->refused : r->failure);
        cli_say(f->cli, f->o->display.quiet || r->told, &b);
        code = cli_worse(code, r->refused ? EXIT_INVALID : EXIT_CHILD);
    }
    if (none)
        buf_format(&rest, "%d of %d units %s not measured yet", none, f->n, none == 1 ? "is" : "are");
    cli_say(f->cli, f->o->display.quiet, &rest);
    return code;
}

enum exit_code fleet_open_history(struct fleet *f)
{
    struct tare_err err;
    const struct fleet_options *o = f->o;
    enum tare_status status = TARE_OK;
    if (!o->history)
        return EXIT_ANSWERED;
    f->history = arena_alloc(f->cli->arena, sizeof *f->history);
    if (f->measured.run.revisions.n)
        status = err_set(&err, TARE_INVALID, "--history adds results of the commit that is checked out, and the plan has --rev");
    else
        status = f->history
                     ? history_keep_open(f->history, *o->history ? o->history : NULL, ".", o->node_class, f->cli->arena, &err)
                     : err_no_memory(&err);
    if (!status)
        status = history_place_spared(&f->history->place, &o->display, NULL, NULL, &err);
    if (!status)
        return EXIT_ANSWERED;
    if (!f->measured.run.revisions.n)
        err_prefix(&err, "--history");
    return cli_refuse(f->cli, status, &err);
}

/* Each unit is a session there. */
static enum exit_code add_to_history(struct fleet *f)
{
    int added = 0, known = 0;
    struct tare_err err;
    struct buf line = BUF_INIT(1 << 16);
    for (int i = 0; i < f->n && f->history; i++) {
        if (!f->results[i].there)
            continue;
        if (history_keep_add(f->history, &f->results[i].record, &err)) {
            err_prefix(&err, "--history");
            return cli_fail(f->cli, EXIT_TOOL, &err);
        }
        added += f->history->added;
        known += !f->history->added;
    }
    if (f->history)
        history_keep_total(f->history, added, known, true, &line);
    cli_say(f->cli, f->o->display.quiet, &line);
    return EXIT_ANSWERED;
}

/* As of tare bench. The table says which they are. */
static enum exit_code code_of_benchmarks(const struct fleet *f)
{
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < f->n; i++)
        for (int k = 0; f->results[i].there && k < f->results[i].record.n_subjects; k++) {
            const struct subject *s = &f->results[i].record.subjects[k];
            if (s->failure && !subject_skipped(s))
                code = EXIT_CHILD;
        }
    return code;
}

enum exit_code fleet_conclude(struct fleet *f, struct outputs *exports)
{
    struct fleet_nodes x = {.f = f};
    struct tare_err err;
    const bool partial = fleet_there(f) + fleet_excluded(f) < f->n;
    enum exit_code code = cli_worse(fleet_say_left_out(f), code_of_benchmarks(f));
    code = cli_worse(code, add_to_history(f)); /* whose records are then taken */
    const enum tare_status status = fleet_make_nodes(&x, &err);
    if (status)
        code = cli_worse(code, cli_fail(f->cli, EXIT_TOOL, &err));
    else if (x.n < f->o->min_nodes)
        code = cli_worse(code, too_few(&x));
    else {
        say_unqualified(&x);
        code = cli_worse(code,
                         sessions_together(f->cli, &f->o->display, x.items, x.n, partial, f->o->fail_if_slower, exports, NULL));
    }
    for (int i = 0; i < x.n; i++)
        record_finish(&x.items[i]);
    return code;
}
