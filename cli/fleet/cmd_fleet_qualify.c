/* SPDX-License-Identifier: MIT
 *
 * `tare fleet qualify`: which hosts are of one class.
 *
 *     3 of 4 hosts are of one class; f/class.jsonl keeps it for tare fleet run and collect
 *       host  reference  vs class  noise  wrong A/A
 *       n1      10.0 ms    +0.1 %  0.8 %  0 of 10
 *       n4      13.1 ms     +30 %  0.9 %  0 of 10
 *       ! excluded: n4: the reference workload is 30 % slower than on the class (bound 5 %)
 *
 * A fleet of its own, in DIR/qualify: its plan is one session of tare run --aa a node, placed, measured and collected as any other.
 */
#include "fleet.h"
#include "json_write.h"
#include "layout.h"
#include "node_class.h"
#include "plat.h"
#include "screen.h"
#include <math.h>

enum { HOSTS_LEAST = 3 };

/* What tare system qualify runs: THOUSANDS of multiplies, KIB of memory; some milliseconds. */
static const char *const work_words[] = {"4000", "2048"};

struct qualification {
    struct cli cli; /* with the words of its plan */
    struct fleet_options o;
    struct fleet f;
    const char *dir, *path; /* of the fleet that it is for; of its class */
    struct node_class class;
};

/* "run --aa=10" and what was typed behind run, or the reference of tare. */
static enum tare_status set_words(struct qualification *x, const struct option_operands *typed, struct tare_err *err)
{
    struct arena *a = x->cli.arena;
    struct plat_spawner *spawner = NULL;
    const char **words = arena_array(a, (size_t)typed->n + 8, sizeof *words);
    int n = 0;
    if (!words)
        return err_no_memory(err);
    words[n++] = "run";
    words[n++] = arena_format(a, "--aa=%d", x->o.aa_sessions);
    for (int i = 1; i < typed->n; i++)
        words[n++] = typed->items[i];
    enum tare_status status = typed->n ? TARE_OK : plat_spawner_create(&spawner, NULL, err);
    if (!status && !typed->n) {
        words[n++] = "--";
        words[n++] = arena_strdup(a, plat_work_path(spawner));
        words[n++] = work_words[0];
        words[n++] = work_words[1];
    }
    plat_spawner_destroy(spawner);
    for (int i = 0; i < n && !status; i++)
        status = words[i] ? TARE_OK : err_no_memory(err);
    words[n] = NULL;
    x->cli.operands = (struct option_operands){.items = words, .n = n, .dashes = true};
    return status;
}

static enum exit_code prepare(struct qualification *x, const struct option_operands *typed)
{
    struct tare_err err;
    x->dir = x->o.dir;
    x->path = arena_format(x->cli.arena, "%s/class.jsonl", x->dir);
    x->o.dir = arena_format(x->cli.arena, "%s/qualify", x->dir);
    x->o.blocks = 1;
    enum tare_status status = x->path && x->o.dir ? set_words(x, typed, &err) : err_no_memory(&err);
    enum exit_code code = status ? cli_refuse(&x->cli, status, &err) : fleet_make(&x->f);
    if (!code && x->o.node > x->f.plan.nodes) {
        err_set(&err, TARE_INVALID, "--node %d: the plan has %d nodes", x->o.node, x->f.plan.nodes);
        code = cli_refuse(&x->cli, TARE_INVALID, &err);
    }
    if (!code && (status = plat_directory_make(x->dir, &err)))
        code = cli_refuse(&x->cli, status, &err);
    return code ? code : fleet_keep_plan(&x->f);
}

/* All on this machine would be no class. */
static enum exit_code check_places(struct qualification *x)
{
    struct tare_err err;
    const int there = fleet_there(&x->f);
    if (x->o.node || strcmp(x->o.engine, "local") != 0 || there == x->f.n)
        return EXIT_ANSWERED;
    err_set(&err, TARE_INVALID,
            "%d of %d nodes measured; measure each of the others on it, with --node NUM, or all with --engine slurm (tare system "
            "qualify tests one machine)",
            there, x->f.n);
    return cli_refuse(&x->cli, TARE_INVALID, &err);
}

static enum tare_status keep_class(struct qualification *x, const struct fleet_nodes *nodes, struct tare_err *err)
{
    const struct node_class *c = &x->class;
    struct fleet_class kept = {.plan = x->f.plan.id,
                               .metric = nodes->items[0].rule.metric,
                               .bound = c->bound,
                               .center = c->center,
                               .hosts = arena_array(x->cli.arena, (size_t)c->n, sizeof *kept.hosts)};
    struct buf text = BUF_INIT(1 << 26);
    if (!kept.hosts)
        return err_no_memory(err);
    for (int i = 0; i < c->n; i++) {
        const struct node_found *found = &c->found[i];
        const char *host = fleet_host(&nodes->items[i]);
        if (*host && utf8_valid(host)) /* another name, or none, could not be found again */
            kept.hosts[kept.n++] = (struct fleet_host){.host = host,
                                                       .out = found->out,
                                                       .reference = found->time,
                                                       .noise = found->noise,
                                                       .sessions = found->sessions,
                                                       .wrong = found->wrong};
    }
    fleet_class_put(&kept, &text);
    enum tare_status status = text.status ? err_no_memory(err) : fleet_check_file(x->path, err);
    if (!status)
        status = plat_file_replace(x->path, buf_text(&text), text.len, err);
    buf_finish(&text);
    return status;
}

/* ---- what is shown ---- */

static void put_host(struct table *t, const struct qualification *x, const struct record *r, const struct node_found *found)
{
    struct page *p = t->p;
    put_text(p, fleet_host(r));
    table_cell(t);
    if (!isnan(found->time))
        figure_scaled(&p->piece, base_unit(r, r->rule.metric), found->time, 3);
    table_cell(t);
    if (isfinite(found->time / x->class.center)) {
        const double apart = 100 * (found->time / x->class.center - 1);
        figure_signed(&p->piece, apart, figure_digits(apart, 2));
        buf_str(&p->piece, " %");
    }
    table_cell(t);
    if (!isnan(found->noise))
        figure_share(&p->piece, found->noise);
    table_cell(t);
    table_format(t, "%d of %d", found->wrong, found->sessions);
}

static void put_hosts(const struct qualification *x, const struct fleet_nodes *nodes, struct page *p)
{
    static const struct table_column columns[] = {{"host", SIDE_LEFT, 0},
                                                  {"reference", SIDE_RIGHT, 0},
                                                  {"vs class", SIDE_RIGHT, 0},
                                                  {"noise", SIDE_RIGHT, 1},
                                                  {"wrong A/A", SIDE_LEFT, 2}};
    struct table t;
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < nodes->n; i++)
        put_host(&t, x, &nodes->items[i], &x->class.found[i]);
    table_end(&t, 2);
}

static void put_warnings(const struct qualification *x, const struct fleet_nodes *nodes, struct page *p)
{
    for (int i = 0; i < nodes->n; i++) {
        if (!x->class.found[i].out)
            continue;
        flow_warning(p, "excluded");
        put_text(p, fleet_host(&nodes->items[i]));
        buf_str(&p->piece, ": ");
        put_text(p, x->class.found[i].out);
        flow_rest(p);
    }
    if (x->class.open) {
        flow_warning(p, "not judged");
        put_text(p, x->class.open);
        flow_rest(p);
    }
}

static enum exit_code show(struct qualification *x, const struct fleet_nodes *nodes)
{
    struct buf text = BUF_INIT(1 << 26);
    const struct render_options o = screen_options(&x->o.display);
    struct page p = page_over(NULL, &o, &text);
    buf_format(&p.piece, "%d of %d hosts are of one class; ", x->class.in, x->class.n);
    put_text(&p, x->path);
    buf_str(&p.piece, " keeps it for tare fleet run and collect");
    flow_line(&p, 0, HUE_BOLD);
    if (!x->o.display.quiet) {
        put_hosts(x, nodes, &p);
        put_warnings(x, nodes, &p);
    }
    page_finish(&p);
    const enum exit_code code = screen_text(&x->cli, &x->o.display, &text);
    return cli_worse(code, x->class.in < x->class.n ? EXIT_BAD : EXIT_ANSWERED);
}

/* ---- the command ---- */

static enum exit_code too_few(struct qualification *x, const struct fleet_nodes *nodes)
{
    struct tare_err err;
    if (nodes->n > 1 && nodes->hosts < 2)
        err_set(&err, TARE_TOO_FEW,
                "no class: all nodes are one machine, or have no names; tare system qualify tests one machine");
    else
        err_set(&err, TARE_TOO_FEW, "no class: %d host%s results, and it needs %d", nodes->n, nodes->n == 1 ? " has" : "s have",
                HOSTS_LEAST);
    return cli_fail(&x->cli, EXIT_INVALID, &err);
}

static enum exit_code judge(struct qualification *x)
{
    struct fleet_nodes nodes = {.f = &x->f};
    struct tare_err err;
    enum exit_code code = fleet_say_left_out(&x->f);
    enum tare_status status = fleet_make_nodes(&nodes, &err);
    const bool enough = nodes.n >= HOSTS_LEAST && nodes.hosts > 1;
    x->class =
        (struct node_class){.nodes = nodes.items, .n = nodes.n, .bound = x->o.bound, .load = x->o.load, .arena = x->cli.arena};
    if (!status && enough)
        status = analyse_node_class(&x->class, &err);
    if (!status && enough)
        status = keep_class(x, &nodes, &err);
    code = cli_worse(code, status ? cli_fail(&x->cli, EXIT_TOOL, &err) : enough ? show(x, &nodes) : too_few(x, &nodes));
    for (int i = 0; i < nodes.n; i++)
        record_finish(&nodes.items[i]);
    return code;
}

static enum exit_code measured_one(struct qualification *x)
{
    struct buf b = BUF_INIT(1 << 12);
    buf_format(&b, "%d of %d units measured; with all of them, the same command without --node names the class",
               fleet_there(&x->f), x->f.n);
    cli_say(&x->cli, x->o.display.quiet, &b);
    return EXIT_ANSWERED;
}

int cmd_fleet_qualify(struct cli *cli, const void *options)
{
    struct qualification x = {.cli = *cli, .o = *(const struct fleet_options *)options};
    x.f = (struct fleet){.cli = &x.cli, .o = &x.o, .qualifies = true};
    enum exit_code code = prepare(&x, &cli->operands);
    if (!code)
        code = fleet_load(&x.f);
    if (!code)
        code = check_places(&x);
    if (!code) {
        code = fleet_measure(&x.f);
        if (!x.f.signal_number && code != EXIT_TOOL)
            code = cli_worse(code, x.o.node ? measured_one(&x) : judge(&x));
    }
    fleet_close(&x.f);
    if (x.f.signal_number)
        plat_die_of(x.f.signal_number);
    return code;
}
