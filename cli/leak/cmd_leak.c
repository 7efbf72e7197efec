/* SPDX-License-Identifier: MIT
 *
 * `tare leak`: does the time of this code depend on its secret input?
 *
 *     memcmp_32  LEAK     12.4 ns (12.1–12.7) between equal and random; an attacker needs about 11 calls
 *     self-checks passed (A/A, injected delay) · 1 leak: exit 1
 */
#include "leak_ledger.h"
#include "leak_session.h"
#include "screen.h"
#include "stored_keep.h"
#include <math.h>
#include <string.h>

static int print_list(const struct leak *k)
{
    struct buf text = BUF_INIT(1 << 24);
    for (int i = 0; i < k->n_programs; i++)
        for (int t = 0; t < k->programs[i].n_targets; t++)
            cli_put_name(&text, k->programs[i].label, k->programs[i].targets[t]);
    return cli_print(k->run.cli, &text);
}

static int print_dry(const struct leak *k)
{
    struct buf text = BUF_INIT(1 << 24);
    render_leak_dry_run(&k->run.record, (double)k->run.session.plan.budget_ns / 1e9, &k->run.render, &text);
    return cli_print(k->run.cli, &text);
}

/* ---- before the first round ---- */

/* An explicit --max-time holds for processes that do not come back too. */
static void limit_time(struct leak *k)
{
    struct run *run = &k->run;
    if (k->o->run.max_time_ns)
        run->exec_options.end_ns = exec_start_ns(run->session.exec) + k->o->run.max_time_ns;
}

static enum tare_status open_all(struct leak *k, struct tare_err *err)
{
    struct run *run = &k->run;
    enum tare_status status = leak_open_files(k, err);
    run->exec_options.take = leak_take_report;
    leak_try_pinning(k);
    if (!status)
        status = run_open(run, err);
    if (!status)
        status = leak_judges_open(&k->judges, &run->record, run->cli->arena, err);
    k->judges.runs = leak_ledger_runs(k->ledger);
    run->session.judge = leak_look;
    run->session.judge_context = k;
    return status;
}

/* ---- after the last ---- */

/* What was measured is not lost, which is worth saying when somebody just pressed a key. */
static void say_goes_on(const struct leak *k)
{
    struct buf text = BUF_INIT(1 << 16);
    buf_format(&text, "to continue: tare leak --continue %s", k->o->run.save);
    run_note(&k->run, "%s", buf_text(&text));
    buf_finish(&text);
}

static int measure_leaks(struct leak *k)
{
    struct run *run = &k->run;
    struct tare_err err;
    enum tare_status status = open_all(k, &err);
    if (status)
        return cli_fail(run->cli, run_code_of(status), &err);
    if (k->o->go_on && (status = leak_continue_take(k, &err)))
        return cli_fail(run->cli, leak_stored_code(status), &err);
    limit_time(k);
    leak_first_requests(k);
    status = run_measure(run, &err);
    leak_note_unreached(&run->record);
    if (!status)
        status = leak_taint(k, &err);
    enum exit_code code = leak_close_raw(k);
    code = cli_worse(code, leak_draw(k));
    code = cli_worse(code, run_report(run, status, &err));
    code = cli_worse(code, leak_show_pictures(run->cli, &k->o->run.display, &run->record));
    code = cli_worse(code, leak_taint_show(k));
    code = cli_worse(code, leak_add_to_ledger(k));
    if (status == TARE_INTERRUPTED && k->o->run.save && !run->session.save_failed && !k->raw.failed)
        say_goes_on(k);
    return status ? (int)code : (int)cli_worse(code, leak_code(&run->record));
}

/* ---- a session of a set ---- */

struct several {
    const struct leak_options *o;
    struct leak_options one; /* of the session at hand */
    struct leak k;
};

static struct run *begin_session(void *context, struct cli *cli, const struct run_options *o)
{
    struct several *s = context;
    s->one = *s->o;
    s->one.run = *o;
    s->k = (struct leak){.o = &s->one, .run = {.cli = cli, .o = &s->one.run, .benchmarks = true}};
    return &s->k.run;
}

static enum tare_status describe_session(void *context, struct run *run, struct tare_err *err)
{
    (void)run;
    return leak_describe(&((struct several *)context)->k, err);
}

/* A verdict of one session is no answer of the set; what failed is. */
static int measure_session(void *context, struct run *run)
{
    (void)run;
    const int code = measure_leaks(&((struct several *)context)->k);
    return code == EXIT_CHILD || code == EXIT_TOOL || code == EXIT_USAGE ? code : EXIT_ANSWERED;
}

static void end_session(void *context, struct run *run)
{
    leak_close(&((struct several *)context)->k);
    run->record.pages = NULL; /* were of its judges */
    run->record.n_pages = 0;
}

static int in_sessions(struct leak *described)
{
    struct several s = {.o = described->o};
    const struct session_maker maker = {.context = &s,
                                        .begin = begin_session,
                                        .describe = describe_session,
                                        .measure = measure_session,
                                        .end = end_session,
                                        .answer = leak_code};
    return run_sessions(&described->run, &maker);
}

static int with_programs(struct leak *k)
{
    struct tare_err err;
    enum tare_status status = k->o->go_on ? leak_continue_load(k, &err) : TARE_OK;
    if (status)
        return cli_fail(k->run.cli, leak_stored_code(status), &err);
    const enum exit_code agreed = k->o->go_on ? leak_continue_consent(k) : EXIT_ANSWERED;
    if (agreed)
        return (int)agreed;
    status = leak_describe(k, &err);
    if (!status)
        status = leak_taint_check(k, &err);
    int code = status               ? cli_fail(k->run.cli, run_code_of(status), &err)
               : k->o->list         ? print_list(k)
               : k->o->run.dry_run  ? print_dry(k)
               : k->o->run.sessions ? in_sessions(k)
                                    : measure_leaks(k);
    return code;
}

/* Nothing that is read is written over, and no file is written twice. */
static enum tare_status check_places(struct cli *cli, const struct leak_options *o, struct tare_err *err)
{
    const char *beside[] = {o->run.save, o->go_on, o->replay}, *raw[3];
    for (int i = 0; i < 3; i++) {
        struct buf b = BUF_INIT(1 << 16);
        buf_format(&b, "%s.raw", beside[i] ? beside[i] : "");
        raw[i] = beside[i] ? arena_strdup(cli->arena, buf_text(&b)) : NULL;
        buf_finish(&b);
    }
    const struct outputs_place places[] = {{"--save", o->run.save, false},
                                           {"the file of times beside --save", raw[0], false},
                                           {"--continue", o->go_on, true},
                                           {"the file of times beside --continue", raw[1], true},
                                           {"--replay", o->replay, true},
                                           {"the file of times beside --replay", raw[2], true},
                                           {"--csv", o->csv, true},
                                           {"--ledger", o->ledger, false},
                                           {"--suppressions", o->suppressions, true}};
    struct outputs_place given[sizeof places / sizeof *places];
    int n = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].path)
            given[n++] = places[i];
    return outputs_check(&o->run.display, given, n, err);
}

int cmd_leak(struct cli *cli, const void *options)
{
    struct tare_err err;
    struct leak k = {.o = options};
    enum tare_status status = check_places(cli, k.o, &err);
    if (!status && !k.o->run.go_on)
        status = stored_keep(k.o->run.save, (struct stored_keep){k.o->run.sessions > 0, true}, &err);
    if (status)
        return cli_fail(cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, &err);
    k.run = (struct run){.cli = cli, .o = &k.o->run, .benchmarks = true};
    record_init(&k.run.record);
    int code = k.o->csv ? leak_from_csv(&k) : k.o->replay ? leak_from_replay(&k) : with_programs(&k);
    leak_close(&k);
    return run_end(&k.run, code);
}
