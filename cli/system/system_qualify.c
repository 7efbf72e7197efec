/* SPDX-License-Identifier: MIT
 *
 * `tare system qualify`: what a host is good for.
 *
 * One session of tare run --aa with a program of known work, in whose record stands too what the host was seen to do before: pairs of CPUs, gaps, throughput
 * over minutes, counters. Then sessions with planted differences, a row each.
 */
#include "system_qualify.h"
#include "leak_session.h"
#include "plat.h"
#include "screen.h"
#include <string.h>

enum { JITTER_NS = 2000000000 };

static const char name[] = "a program of known work";

/* ---- options ---- */

enum tare_status qualify_run_options(const struct qualification *x, struct run_options *out, struct option_operands *words,
                                     struct arena *a, struct tare_err *err)
{
    static const char *const names[] = {name, NULL};
    option_defaults(&run_option_set, out);
    out->margin.value = x->o->margin;
    out->pin_cpu = x->o->pin_cpu;
    out->names = (struct option_list){names, 1};
    out->display = x->o->display;
    return run_options_check(out, words, a, err);
}

static enum tare_status choose_cpus(struct qualification *x, struct tare_err *err)
{
    struct cpu_list *cpus = &x->host.cpus;
    enum tare_status status = TARE_OK;
    if (x->o->cpus && ((status = cpu_list_parse(cpus, x->o->cpus)) || cpu_list_next(cpus, 0) < 0))
        return err_set(err, TARE_INVALID, "--cpus %.60s is no list of CPUs such as 1 or 2-5,7", x->o->cpus);
    for (int cpu = 0; !x->o->cpus && cpu < CPU_LIST_MAX; cpu++)
        if (plat_cpu_allowed(cpu))
            cpu_list_add(cpus, cpu);
    return TARE_OK;
}

static enum tare_status describe_run(struct qualification *x, struct tare_err *err)
{
    char thousands[16], kib[16];
    struct buf t = buf_over(thousands, sizeof thousands), k = buf_over(kib, sizeof kib);
    buf_format(&t, "%d", WORK_THOUSANDS);
    buf_format(&k, "%d", WORK_KIB);
    const char *const all[] = {x->work, thousands, kib, NULL};
    const char *const *items = record_copy_words(&x->run.record, all);
    if (!items)
        return err_set(err, TARE_NO_MEMORY, "no memory for a command");
    x->as_run = *x->cli;
    x->as_run.operands = (struct option_operands){.items = items, .n = 3, .after = 0, .dashes = true};
    struct run_options *o = &x->run_options;
    enum tare_status status = qualify_run_options(x, o, &x->as_run.operands, x->cli->arena, err);
    o->aa_sessions = x->o->sessions;
    o->save = x->o->save;
    if (!QUALIFY_GIVEN(x->o, seed))
        return status ? status : run_describe(&x->run, err);
    x->run.shown_seed = &x->o->seed;
    return status ? status : run_describe(&x->run, err);
}

static void row_added(void *context, int series)
{
    struct qualification *x = context;
    const struct record *r = &x->run.record;
    struct session *s = &x->run.session;
    if (s->writer && !s->save_failed &&
        record_write_row(s->writer, r, series, false, r->series[series].main.n - 1, &s->save_error))
        s->save_failed = true;
}

static void phase(void *context, const char *what, double left_s)
{
    struct qualification *x = context;
    live_wait(&x->run.live, &x->run.record, what, left_s);
}

static enum tare_status describe(struct qualification *x, struct tare_err *err)
{
    enum tare_status status = choose_cpus(x, err);
    if (!status)
        status = run_start_spawner(&x->run, err);
    if (status)
        return status;
    x->work = plat_work_path(x->run.spawner);
    status = describe_run(x, err);
    x->host.record = &x->run.record;
    x->host.watch_ns = (int64_t)(x->o->minutes * 60e9);
    x->host.jitter_ns = JITTER_NS;
    x->host.after_row = row_added;
    x->host.phase = phase;
    x->host.context = x;
    if (!status && (status = qualify_describe(&x->host, err)) == TARE_INVALID)
        err_prefix(err, "--cpus");
    return status;
}

/* ---- what would be done ---- */

static int dry_run(struct qualification *x)
{
    struct buf b = BUF_INIT(1 << 20);
    const struct qualify *q = &x->host;
    double pairs_s = q->n_pairs * QUALIFY_PAIR_ROUNDS * 0.06, gaps_s = q->n_probed * (double)q->jitter_ns / 1e9;
    double sessions_s = 1.5 * (x->o->sessions + x->o->planted);
    buf_str(&b, "Dry run: nothing was measured.\n");
    buf_format(&b, "  %.1f s  %d pair%s of CPUs, each alone and both together\n", pairs_s, q->n_pairs, buf_plural(q->n_pairs));
    buf_format(&b, "  %.1f s  gaps on CPU%s ", gaps_s, buf_plural(q->n_probed));
    for (int i = 0; i < q->n_probed; i++)
        buf_format(&b, "%s%d", i ? ", " : "", q->probed[i]);
    buf_format(&b, "\n  %.1f s  throughput of %d CPU%s, all busy\n", (double)q->watch_ns / 1e9, q->n_cpus, buf_plural(q->n_cpus));
    buf_format(&b, "  %.0f s at most  %d session%s of a program against itself, %d against itself with more work (seed %llu)\n",
               sessions_s, x->o->sessions, buf_plural(x->o->sessions), x->o->planted, (unsigned long long)x->run.record.seed);
    return cli_print(x->cli, &b);
}

/* ---- the whole ---- */

enum tare_status qualify_complete(struct record *r, struct tare_err *err)
{
    struct host_verdict v;
    if (host_verdict_read(r, &v))
        return TARE_OK;
    enum tare_status status = qualify_estimates(r, err);
    return status ? status : analyse_host(r, &v, err);
}

/* Between the last run and the screen. */
static void settled(void *context, struct run *run)
{
    struct qualification *x = context;
    x->failed = qualify_estimates(&run->record, &x->why);
    if (!x->failed)
        x->failed = analyse_host(&run->record, &x->verdict, &x->why);
    if (!x->failed && !qualify_make_pages(&run->record, x->cli->arena))
        x->failed = err_set(&x->why, TARE_NO_MEMORY, "no memory for pictures");
}

static enum exit_code code_of(enum host_word word)
{
    return word == HOST_GOOD ? EXIT_ANSWERED : word == HOST_UNDECIDED ? EXIT_UNDECIDED : EXIT_BAD;
}

static enum exit_code concluded(void *context, struct run *run)
{
    struct qualification *x = context;
    if (x->failed)
        return (enum exit_code)cli_fail(x->cli, EXIT_TOOL, &x->why);
    return cli_worse(leak_show_pictures(x->cli, &x->o->display, &run->record), code_of(x->verdict.word));
}

/* Threads that cannot be had leave the rest whole. */
static enum tare_status measure_host(struct qualification *x, struct tare_err *err)
{
    live_begin(&x->run.live, &x->run.render, x->cli->talk);
    x->host.start_ns = exec_start_ns(x->run.exec);
    enum tare_status status = qualify_measure(&x->host, x->cli->arena, err);
    live_end(&x->run.live);
    if (status != TARE_UNSUPPORTED)
        return status;
    run_say(&x->run, err->text);
    return TARE_OK;
}

static enum tare_status measure(struct qualification *x, struct tare_err *err)
{
    enum tare_status status = measure_host(x, err);
    if (!status)
        status = run_measure(&x->run, err);
    if (!status && x->o->planted)
        status = qualify_plant(x, err);
    if (status != TARE_UNSUPPORTED)
        return status;
    run_say(&x->run, err->text);
    return TARE_OK;
}

static int whole(struct qualification *x)
{
    struct tare_err err;
    x->run.settled = settled;
    x->run.concluded = concluded;
    x->run.context = x;
    enum tare_status status = run_open(&x->run, &err);
    if (status)
        return cli_fail(x->cli, EXIT_TOOL, &err);
    status = measure(x, &err);
    if (status == TARE_INTERRUPTED)
        x->run.session.signal_number = plat_signal();
    if (status && !x->run.record.ended) {
        x->run.record.ended = status == TARE_INTERRUPTED ? "interrupted" : "failed";
        x->run.record.partial = true;
    }
    return run_report(&x->run, status, &err);
}

int cmd_system_qualify(struct cli *cli, const void *options)
{
    struct qualification x = {.cli = cli, .o = options};
    struct tare_err err;
    option_defaults(&run_option_set, &x.run_options);
    x.run = (struct run){.cli = &x.as_run, .o = &x.run_options};
    x.as_run = *cli;
    record_init(&x.run.record);
    enum tare_status status = describe(&x, &err);
    int code = status ? cli_fail(cli, run_code_of(status), &err) : x.o->dry_run ? dry_run(&x) : whole(&x);
    return run_end(&x.run, code);
}
