/* SPDX-License-Identifier: MIT
 *
 * `tare run --sessions N --every T`, and tare leak's: sessions one after the other, each as if it were alone, then what they say together.
 *
 * One file holds them all, a record a session, each readable as it grows: whatever happens, what was measured is there, and what was
 * cut off is measured again by --continue. The file is held open, so that no other session writes into it meanwhile.
 */
#include "comparable.h"
#include "machine.h"
#include "plan.h"
#include "plat.h"
#include "record_kind.h"
#include "replan.h"
#include "run.h"
#include "screen.h"
#include "stored_file.h"
#include "units.h"
#include <math.h>

enum { SECOND_NS = 1000000000, STILL_WHILE_NS = 100000000 };

struct sessions {
    struct cli *cli;
    const struct run_options *o;
    const struct session_maker *maker;
    struct kept_sessions done; /* whole ones */
    struct plat_file *file;
    struct outputs exports;
    struct render_options render;
    struct live live;
    int64_t begun_ns; /* the last one that began here; -1: none */
    int signal_number;
    bool save_failed; /* which was said */
};

/* Hours of measurements are not emptied by a line that was typed again. */
static enum exit_code refuse_to_overwrite(const struct sessions *s, const struct record *now)
{
    struct tare_err err;
    enum tare_status status = stored_keep(s->o->save, (struct stored_keep){true, record_kind(now)->targets}, &err);
    return status ? cli_refuse(s->cli, status, &err) : EXIT_ANSWERED;
}

static enum tare_status check_one(const struct record *first, const struct record *now, int number, struct tare_err *err)
{
    struct buf how = BUF_INIT(1 << 10);
    enum tare_status status = TARE_OK;
    if (first->n_leak_targets && !first->session) /* the file of times beside it is of one session */
        status = err_set(err, TARE_INVALID, "holds one session without --sessions, with its times; give another file");
    else if (sessions_differ(first, now, &how))
        status = err_set(err, TARE_INVALID, "session %d in it %s; give another file", number, buf_text(&how));
    buf_finish(&how);
    return status;
}

static enum tare_status check_all(const struct sessions *s, struct run *described, struct tare_err *err)
{
    struct record *now = &described->record;
    enum tare_status status = machine_identity(now, &now->machine);
    if (!status)
        status = run_describe_options(described);
    if (!status)
        status = run_describe_programs(described);
    if (status)
        err_set(err, status, "cannot describe the machine");
    for (int i = 0; i < s->done.n && !status; i++)
        status = check_one(&s->done.items[i], now, i + 1, err);
    return status;
}

static enum exit_code load_done(struct sessions *s, struct run *described)
{
    struct tare_err err;
    if (!plat_same_file(s->o->save, s->o->save)) /* a pipe or a device holds nothing to go on with */
        return EXIT_ANSWERED;
    enum exit_code code = sessions_load(s->cli, s->o->save, s->o->display.quiet, &s->done);
    enum tare_status status = code ? TARE_OK : check_all(s, described, &err);
    if (!status)
        return code;
    err_prefix(&err, s->o->save);
    return cli_refuse(s->cli, status, &err);
}

/* When the next one begins by our clock; of those in the file only the wall clock knows. */
static int64_t due_ns(const struct sessions *s)
{
    int64_t now_ns = plat_now_ns();
    if (s->begun_ns >= 0)
        return s->begun_ns + s->o->every_ns;
    if (!s->done.n)
        return now_ns;
    int64_t since_ns = plat_utc_ns() - s->done.items[s->done.n - 1].start_utc_ns;
    return since_ns < 0 ? now_ns : now_ns + s->o->every_ns - since_ns;
}

static void wait_for_next(struct sessions *s)
{
    int64_t due = due_ns(s), left_ns = due - plat_now_ns();
    struct buf phase = BUF_INIT(1024);
    struct record none = {0};
    buf_format(&phase, "waiting for session %d of %d, Ctrl-C ends with those measured so far", s->done.n + 1, s->o->sessions);
    if (left_ns > SECOND_NS) {
        struct buf b = BUF_INIT(1024);
        buf_format(&b, "session %d of %d begins in %s; Ctrl-C ends with those measured so far", s->done.n + 1, s->o->sessions,
                   figure_text(figure_duration, (double)left_ns / 1e9).at);
        cli_say(s->cli, s->o->display.quiet || s->render.live, &b);
    }
    live_begin(&s->live, &s->render, s->cli->talk);
    for (; left_ns > 0 && !plat_signal(); left_ns = due - plat_now_ns()) {
        if (left_ns > s->o->every_ns) /* the clock was set back */
            due -= left_ns - s->o->every_ns, left_ns = s->o->every_ns;
        if (left_ns > STILL_WHILE_NS)
            live_wait(&s->live, &none, buf_text(&phase), (double)left_ns / 1e9);
        plat_sleep_ns(left_ns < SECOND_NS ? left_ns : SECOND_NS);
    }
    live_end(&s->live);
    buf_finish(&phase);
}

static enum exit_code say_number(struct sessions *s)
{
    struct buf b = BUF_INIT(256);
    if (s->o->display.quiet)
        return EXIT_ANSWERED;
    buf_format(&b, "%sSession %d of %d\n", s->begun_ns >= 0 ? "\n" : "", s->done.n + 1, s->o->sessions);
    return screen_text(s->cli, &s->o->display, &b);
}

struct one {
    struct sessions *all;
    bool complete, refused;
};

/* Its record is complete: it is kept for what all say together. */
static enum exit_code concluded(void *context, struct run *run)
{
    (void)run;
    ((struct one *)context)->complete = true;
    return EXIT_ANSWERED;
}

/* A program that was built anew meanwhile is not measured, and nothing of it comes into the file. */
static enum tare_status described(void *context, struct run *run, struct tare_err *err)
{
    struct one *one = context;
    const struct kept_sessions *done = &one->all->done;
    struct buf how = BUF_INIT(1 << 10);
    one->refused = done->n && sessions_differ(&done->items[0], &run->record, &how);
    enum tare_status status = one->refused ? err_set(err, TARE_INVALID, "session %d %s than the first, so it is not measured",
                                                     done->n + 1, buf_text(&how))
                                           : TARE_OK;
    buf_finish(&how);
    return status;
}

static struct run_options options_of_one(const struct sessions *s)
{
    struct run_options o = *s->o;
    for (int i = 0; i < N_EXPORTS; i++)
        o.display.export_file[i] = NULL;
    o.save = NULL;
    if (o.baseline.n) { /* which all sessions together are held against, and the gate with them */
        o.baseline = (struct option_list){0};
        o.fail_if_slower = NAN;
        o.assume_no_drift = false;
    }
    o.seed += (uint64_t)s->done.n; /* where one was given: each session has its own order, and all can be repeated */
    return o;
}

static enum exit_code one_session(struct sessions *s, bool *goes_on)
{
    const struct session_maker *m = s->maker;
    struct run_options o = options_of_one(s);
    struct one one = {.all = s};
    struct tare_err err;
    struct run *run = m->begin(m->context, s->cli, &o);
    run->lent_save = s->file;
    run->concluded = concluded;
    run->described = described;
    run->context = &one;
    record_init(&run->record);
    enum exit_code code = say_number(s);
    enum tare_status status = s->done.n ? replan_commits(&o, &s->done.items[0], s->cli->arena, &err) : TARE_OK;
    if (!status)
        status = m->describe(m->context, run, &err);
    run->record.session = s->done.n + 1;
    s->begun_ns = plat_now_ns();
    code = cli_worse(code, status ? cli_fail(s->cli, run_code_of(status), &err) : m->measure(m->context, run));
    if (one.refused)
        code = EXIT_INVALID;
    if (!s->done.n && !one.complete && run->record.ended && outputs_export(&s->exports, &run->record, &err)) /* what there is */
        code = cli_worse(code, cli_fail(s->cli, EXIT_TOOL, &err));
    s->signal_number = run->session.signal_number ? run->session.signal_number : plat_signal();
    s->save_failed |= run->session.outputs.writer.status != TARE_OK;
    *goes_on = one.complete && !s->signal_number && code != EXIT_TOOL;
    if (m->end)
        m->end(m->context, run);
    if (one.complete && sessions_keep(&s->done, s->cli->arena, &run->record)) {
        err_no_memory(&err);
        code = cli_worse(code, cli_fail(s->cli, EXIT_TOOL, &err));
        *goes_on = false;
    }
    return cli_worse(code, run_close(run));
}

/* The file is locked before it is read: what another session adds to it meanwhile would be measured again. */
static enum exit_code open_files(struct sessions *s, struct run *described)
{
    struct tare_err err;
    enum tare_status status = plat_signals_watch();
    if (status)
        err_set(&err, status, "cannot watch signals");
    if (!status)
        status = outputs_open(&s->exports, &s->o->display, NULL, &err);
    if (!status && s->o->save) {
        status = plat_file_create(&s->file, s->o->save, s->o->go_on ? PLAT_FILE_APPEND : PLAT_FILE_APPEND_ASIDE, &err);
        if (status)
            err_prefix(&err, "--save");
    }
    if (status)
        return cli_fail(s->cli, EXIT_TOOL, &err);
    return s->o->go_on ? load_done(s, described) : EXIT_ANSWERED;
}

/* Sessions that are in memory outlive a file that was deleted or changed meanwhile. */
static enum exit_code mend_file(struct sessions *s)
{
    struct tare_err err;
    const struct record **all = arena_array(s->cli->arena, (size_t)s->done.n + 1, sizeof *all);
    if (!s->file || !s->done.n || s->save_failed || plat_file_intact(s->file)) /* a full disk was said already */
        return EXIT_ANSWERED;
    for (int i = 0; all && i < s->done.n; i++)
        all[i] = &s->done.items[i];
    enum tare_status status = all ? outputs_renew(s->file, all, s->done.n, &err) : err_no_memory(&err);
    if (!status && !s->o->display.quiet)
        cli_note(s->cli, "note",
                 "--save: the file was deleted, replaced or changed while tare measured; its sessions were written anew");
    return status ? cli_fail(s->cli, EXIT_TOOL, &err) : EXIT_ANSWERED;
}

static enum exit_code close_files(struct sessions *s)
{
    struct tare_err err;
    enum exit_code code = mend_file(s);
    if (s->file && plat_file_commit(s->file, &err))
        code = cli_fail(s->cli, EXIT_TOOL, &err);
    if (outputs_finish(&s->exports, &err))
        code = cli_fail(s->cli, EXIT_TOOL, &err);
    return code;
}

static enum exit_code measure_all(struct sessions *s)
{
    enum exit_code code = EXIT_ANSWERED;
    bool goes_on = true;
    while (goes_on && s->done.n < s->o->sessions) {
        wait_for_next(s);
        s->signal_number = plat_signal();
        if (s->signal_number)
            break;
        code = cli_worse(code, one_session(s, &goes_on));
    }
    return code;
}

/* Where nothing but the baseline is compared the gate is about that alone. */
static double limit_of_all(const struct sessions *s)
{
    const struct record *first = &s->done.items[0];
    const bool compares = record_kind(first)->processes ? plan_two_programs(first) : first->n_comparisons > 0;
    return s->o->baseline.n && !compares ? NAN : s->o->fail_if_slower;
}

static enum exit_code measure_and_state(struct sessions *s, struct run *described)
{
    enum exit_code code = open_files(s, described);
    if (code)
        return cli_worse(code, close_files(s));
    code = measure_all(s);
    if (s->done.n)
        code = cli_worse(code, sessions_together(s->cli, &s->o->display, s->done.items, s->done.n, s->done.n < s->o->sessions,
                                                 limit_of_all(s), &s->exports, s->maker->answer));
    if (s->done.n)
        code = cli_worse(code, run_against_baseline(described, s->done.items, s->done.n));
    return cli_worse(code, close_files(s));
}

enum exit_code run_sessions(struct run *described, const struct session_maker *maker)
{
    const struct run_options *o = described->o;
    struct sessions s = {.cli = described->cli, .o = o, .maker = maker, .begun_ns = -1, .render = screen_options(&o->display)};
    if (o->baseline.n)
        described->record.rule.fail_if_slower = NAN; /* as in each session */
    enum exit_code code = o->go_on ? EXIT_ANSWERED : refuse_to_overwrite(&s, &described->record);
    if (!code)
        code = run_baseline_load(described);
    if (!code)
        code = measure_and_state(&s, described);
    sessions_finish(&s.done);
    described->session.signal_number = s.signal_number; /* of which run_end then dies */
    return code;
}
