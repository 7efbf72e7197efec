/* SPDX-License-Identifier: MIT */
#include "bench_session.h"
#include "fleet.h"
#include "plat.h"
#include "replan.h"
#include "run.h"
#include <string.h>

struct unit_run {
    struct fleet *f;
    int at;
    struct cli own;
    union fleet_measured options;
    union { /* the first is how the second begins */
        struct run run;
        struct bench bench;
    };
    bool complete;
    const char *said; /* the last error line of its session; NULL */
};

/* The talk of a session goes on to ours; why it failed is in a line of its own, "tare fleet run: TEXT". */
static enum tare_status pass_on(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct unit_run *x = context;
    const struct sink *talk = &x->f->cli->talk;
    const char *text = bytes, *end = n ? memchr(text, '\n', n) : NULL, *from;
    char *line = end && n > 5 && !memcmp(text, "tare ", 5) ? arena_copy(x->f->cli->arena, text, (size_t)(end - text)) : NULL;
    if (line && (from = strstr(line, ": ")))
        x->said = from + 2;
    return talk->write(talk->context, bytes, n, err);
}

/* For run.described: which unit of which plan the record is. */
static enum tare_status described(void *context, struct run *run, struct tare_err *err)
{
    const struct unit_run *x = context;
    const struct fleet_unit *u = &x->f->units[x->at];
    struct record *r = &run->record;
    const char *host = fleet_host_here(x->f->cli->arena);
    enum tare_status status = facts_add_text(r, &r->build, "fleet_plan", x->f->plan.id);
    if (!status && *host) /* by which two nodes are told apart, and where Slurm places what is missing of one */
        status = facts_add_text(r, &r->build, "fleet_host", host);
    if (!status)
        status = facts_add_number(r, &r->build, "fleet_unit", u->number);
    if (!status)
        status = facts_add_number(r, &r->build, "fleet_node", u->node);
    if (!status)
        status = facts_add_number(r, &r->build, "fleet_attempt", x->f->results[x->at].attempts + 1);
    if (status)
        return err_no_memory(err);
    /* What was built anew since another unit, here or elsewhere, would be left out afterwards. */
    return fleet_counts(x->f, x->at, r) ? TARE_OK : err_set(err, TARE_INVALID, "%s", x->f->results[x->at].refused);
}

static enum exit_code concluded(void *context, struct run *run)
{
    (void)run;
    ((struct unit_run *)context)->complete = true;
    return EXIT_ANSWERED;
}

/* The record takes its name, and is one of those that count. */
static enum exit_code keep_record(struct fleet *f, int at, struct plat_file *file, struct record *r)
{
    struct tare_err err;
    enum tare_status status = fleet_check_folder(f, &err);
    if (status)
        plat_file_abandon(file);
    else
        status = plat_file_commit(file, &err);
    if (status)
        return cli_fail(f->cli, EXIT_TOOL, &err);
    plat_file_remove(fleet_path(f, &f->units[at], "failed"), NULL);
    f->results[at] = (struct fleet_result){.record = *r, .there = true};
    record_init(r);
    return EXIT_ANSWERED;
}

static const struct record *any_record(const struct fleet *f)
{
    for (int i = 0; i < f->n; i++)
        if (f->results[i].there)
            return &f->results[i].record;
    return NULL;
}

/* As somebody would type it, for the record's header. */
static enum tare_status set_argv(const struct fleet *f, struct cli *own, struct tare_err *err)
{
    const char **argv = arena_array(f->cli->arena, (size_t)f->plan.argc + 2, sizeof *argv);
    if (!argv)
        return err_no_memory(err);
    argv[0] = "tare";
    memcpy(argv + 1, f->plan.argv, (size_t)f->plan.argc * sizeof *argv);
    argv[f->plan.argc + 1] = NULL;
    own->argv = (char *const *)(void *)argv;
    own->argc = f->plan.argc + 1;
    own->operands = f->operands;
    if (f->o->display.verbose < 1)
        own->out = sink_nowhere;
    return TARE_OK;
}

/* Its session, zeroed but for what is the command's. */
static void begin(struct unit_run *x)
{
    if (fleet_of_benchmarks(x->f)) {
        bench_begin(&x->bench, &x->own, &x->options.bench);
        return;
    }
    x->run = (struct run){.cli = &x->own, .o = &x->options.run};
    record_init(&x->run.record);
}

static enum exit_code run_unit(struct unit_run *x)
{
    struct fleet *f = x->f;
    struct tare_err err;
    const enum tare_status status = fleet_of_benchmarks(f) ? bench_describe(&x->bench, &err) : run_describe(&x->run, &err);
    if (status)
        return cli_fail(&x->own, run_code_of(status), &err);
    if (!f->notes_said)
        run_print_notes(&x->run);
    f->notes_said = true;
    return run_session(&x->run);
}

/* What ends all of a step, as scancel does, reaches the program and us one after the other: then the program's end is no failure of its own. */
static int signal_soon(void)
{
    for (int i = 0; i < 10 && !plat_signal(); i++)
        plat_sleep_ns(INT64_C(50000000));
    return plat_signal();
}

static enum exit_code measure_unit(struct fleet *f, int at)
{
    struct unit_run x = {.f = f, .at = at, .own = *f->cli, .options = f->measured};
    struct run_options *o = &x.options.run;
    struct plat_file *file = NULL;
    struct tare_err err;
    const struct record *before = any_record(f);
    o->display = f->o->display;
    f->results[at].refused = NULL; /* of what stood there */
    memset(o->display.export_file, 0, sizeof o->display.export_file);
    o->display.stdout_taken = false;
    enum tare_status status = set_argv(f, &x.own, &err);
    if (!status && before) /* a name may mean another commit by now */
        status = replan_commits(o, before, f->cli->arena, &err);
    const char *path = fleet_path(f, &f->units[at], "jsonl");
    if (!status)
        status = fleet_check_file(path, &err);
    if (!status)
        status = plat_file_create(&file, path, PLAT_FILE_REPLACE, &err);
    if (status) {
        f->results[at].told = true;
        fleet_keep_failure(f, at, arena_strdup(f->cli->arena, err.text));
        return cli_refuse(f->cli, status, &err);
    }
    begin(&x);
    x.run.hides_passwords = true;
    x.run.lent_save = file;
    x.run.shown_seed = &f->units[at].seed;
    x.run.described = described;
    x.run.concluded = concluded;
    x.run.context = &x;
    x.own.talk = (struct sink){.write = pass_on, .context = &x};
    enum exit_code code = run_unit(&x);
    if (f->results[at].refused) /* no failure of ours: its program was built anew meanwhile */
        code = EXIT_INVALID;
    const bool good = x.complete && code != EXIT_TOOL;
    f->signal_number = x.run.session.signal_number ? x.run.session.signal_number : good ? plat_signal() : signal_soon();
    if (good && !f->signal_number) {
        code = keep_record(f, at, file, &x.run.record);
    } else {
        plat_file_abandon(file);
        if (!f->signal_number) {
            f->results[at].told = x.said != NULL;
            fleet_keep_failure(f, at, x.said);
        }
    }
    return cli_worse(code, run_close(&x.run));
}

static void say_unit(const struct fleet *f, int at)
{
    const struct fleet_unit *u = &f->units[at];
    struct buf b = BUF_INIT(1 << 10);
    buf_format(&b, "unit %d of %d: node %d", u->number, f->n, u->node);
    if (f->plan.blocks > 1)
        buf_format(&b, ", block %d", u->block);
    cli_say(f->cli, f->o->display.quiet, &b);
}

struct held {
    struct plat_file *file;
    const char *path;
};

/* node 0: all. BUSY: another tare measures them. */
static enum tare_status hold(struct held *h, const struct fleet *f, int node, struct tare_err *err)
{
    char name[32];
    buf_print(name, sizeof name, node ? "node-%d" : "all", node);
    h->path = arena_format(f->cli->arena, "%s/%s.lock", f->o->dir, name);
    enum tare_status status = h->path ? fleet_check_file(h->path, err) : err_no_memory(err);
    if (!status)
        status = plat_file_create(&h->file, h->path, PLAT_FILE_APPEND, err);
    if (status == TARE_BUSY && node)
        return err_set(err, status, "another tare is measuring node %d in %s; wait for its end", node, f->o->dir);
    return status == TARE_BUSY ? err_set(err, status, "another tare is measuring all nodes in %s; wait for its end", f->o->dir)
                               : status;
}

static void let_go(const struct held *h)
{
    if (h->file)
        plat_file_remove(h->path, NULL);
    plat_file_abandon(h->file);
}

bool fleet_node_busy(const struct fleet *f, int node)
{
    struct held h = {0};
    const bool busy = hold(&h, f, node, NULL) == TARE_BUSY;
    let_go(&h);
    return busy;
}

/* What a tare that was killed in this unit left; its node is held. */
static void remove_torn(const struct fleet *f, const struct fleet_unit *u)
{
    struct buf names = BUF_INIT(1 << 26);
    const char *record = plat_base_name(fleet_path(f, u, "jsonl")), *name;
    int n = 0;
    if (!plat_directory_list(f->o->dir, &names, &n, NULL))
        for (name = buf_text(&names); n > 0; n--, name += strlen(name) + 1)
            if (plat_file_left_over(name) == strlen(record) && !strncmp(name, record, strlen(record)))
                plat_file_remove(arena_format(f->cli->arena, "%s/%s", f->o->dir, name), NULL);
    buf_finish(&names);
}

static enum exit_code measure_held(struct fleet *f, int at)
{
    struct held node = {0};
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    if (fleet_check_folder(f, &err) || (!f->o->node && hold(&node, f, f->units[at].node, &err)))
        code = cli_fail(f->cli, EXIT_TOOL, &err);
    else if (!(code = fleet_load_unit(f, at)) && !f->results[at].there) { /* nobody measured it before the lock was ours */
        const char *host = fleet_host_here(f->cli->arena);
        remove_torn(f, &f->units[at]);
        if (fleet_class_out(&f->class, host)) {
            fleet_keep_exclusion(f, at, host);
        } else {
            say_unit(f, at);
            code = measure_unit(f, at);
        }
    }
    let_go(&node);
    return code;
}

static bool asked_for(const struct fleet *f, const struct fleet_unit *u)
{
    return (!f->o->node || u->node == f->o->node) && (!f->o->block || u->block == f->o->block);
}

bool fleet_to_measure(const struct fleet *f)
{
    bool any = false;
    for (int i = 0; i < f->n; i++)
        any |= !f->results[i].there && asked_for(f, &f->units[i]);
    return any;
}

static enum exit_code measure_here(struct fleet *f)
{
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < f->n && !f->signal_number && code != EXIT_TOOL; i++)
        if (!f->results[i].there && asked_for(f, &f->units[i]))
            code = cli_worse(code, measure_held(f, i));
    return code;
}

static const struct fleet_engine fleet_local = {"local", measure_here};

/* One tare at a time on all nodes, and one on each. */
enum exit_code fleet_measure(struct fleet *f)
{
    static const struct fleet_engine *const engines[] = {&fleet_local, &fleet_slurm, &fleet_queue};
    const struct fleet_engine *engine = engines[0];
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        engine = strcmp(engines[i]->name, f->o->engine) ? engine : engines[i];
    struct held all = {0};
    struct tare_err err;
    enum tare_status status = plat_signals_watch();
    if (status)
        err_set(&err, status, "cannot watch signals");
    else
        status = hold(&all, f, f->o->node, &err);
    const enum exit_code code = status ? cli_fail(f->cli, EXIT_TOOL, &err) : engine->measure(f);
    let_go(&all);
    return code;
}
