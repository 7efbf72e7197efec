/* SPDX-License-Identifier: MIT
 *
 * `tare system tune`: makes the changes that show names, each noted before it is made.
 */
#include "journal.h"
#include "plat.h"
#include "regression_guard.h"
#include "screen.h"
#include "system_options.h"
#include "system_place.h"
#include "system_report.h"
#include "tune.h"
#include <string.h>

enum { TEXT_MAX = 1 << 24 };

struct tuning_once {
    struct cli *cli;
    const struct system_tune_options *o;
    struct system_place place;
    struct look look;
    struct outputs outputs;
    struct render_options render;
    struct tune_report report;
    bool reported; /* the report says something */
};

static enum tare_status read_wishes(struct tuning_once *t, struct tare_err *err)
{
    static const int frequencies[] = {[SYSTEM_FREQUENCY_BASE] = FREQUENCY_BASE,
                                      [SYSTEM_FREQUENCY_LOWEST] = FREQUENCY_LOWEST,
                                      [SYSTEM_FREQUENCY_HZ] = FREQUENCY_HZ};
    struct arena *a = t->cli->arena;
    struct wishes *w = &t->place.wishes;
    enum tare_status status = system_place_open(&t->place, t->o->sysroot, t->o->cpus, a, err);
    w->frequency = frequencies[t->o->frequency];
    w->hz = t->o->frequency_hz;
    if (!status)
        status = system_knob_ids(&t->o->only, "--only", &w->only, a, err);
    return status ? status : system_knob_ids(&t->o->without, "--without", &w->without, a, err);
}

static enum exit_code show_text(struct tuning_once *t, struct buf *text)
{
    return screen_text(t->cli, &t->o->display, text);
}

static enum exit_code put_json(struct tuning_once *t, bool dry)
{
    return system_export(&t->outputs, t->cli, "tune", dry, &t->look, t->reported ? &t->report : NULL);
}

static enum exit_code print_plan(struct tuning_once *t)
{
    struct buf text = BUF_INIT(TEXT_MAX);
    system_plan_page(&t->look, &t->render, &text);
    enum exit_code code = cli_worse(show_text(t, &text), put_json(t, true));
    return cli_worse(code, system_pending(&t->look) ? EXIT_BAD : EXIT_ANSWERED);
}

/* Nothing could be changed: what would have been, and how to be allowed to. */
static enum exit_code say_denied(struct tuning_once *t, struct tare_err *err)
{
    struct buf text = BUF_INIT(TEXT_MAX);
    system_plan_page(&t->look, &t->render, &text);
    enum exit_code code = cli_worse(show_text(t, &text), put_json(t, true));
    return cli_worse(code, system_denied(t->cli, err));
}

/* Who pressed a key wants the machine as it was, and nobody wants it tuned by half. */
static void take_back(struct tuning_once *t, struct journal *j, const char *why)
{
    struct tare_err err;
    struct tune_report undone = {.arena = t->cli->arena};
    plat_signal_clear();
    if (tune_reset(&t->place.root, j, false, &undone, &err))
        cli_fail(t->cli, EXIT_TOOL, &err);
    else {
        struct buf b = BUF_INIT(1 << 10);
        buf_format(&b, "%s; %s", why,
                   !undone.conflicts && !undone.refused && !undone.ineffective
                       ? "everything was restored"
                       : "not everything could be restored: tare system reset says what");
        cli_say(t->cli, false, &b);
    }
}

static enum exit_code apply_changes(struct tuning_once *t, struct journal *j)
{
    struct tare_err err;
    t->report = (struct tune_report){.arena = t->cli->arena};
    struct regression_guard watch = {.look = &t->look, .arena = t->cli->arena};
    const struct tune_options options = {.beside_others = t->o->beside_others,
                                         .lasting = true,
                                         .worse = t->o->sysroot ? NULL : regression_guard,
                                         .context = &watch};
    const bool cut_before = journal_interrupted(j);
    enum tare_status status = tune_apply(&t->look, j, &options, &t->report, &err);
    if (!status)
        status = system_check_allowed(&t->report, &err);
    if (status == TARE_PERMISSION)
        return say_denied(t, &err);
    if (status == TARE_INTERRUPTED) {
        int signal_number = plat_signal();
        take_back(t, j, "interrupted");
        journal_close(j);
        plat_die_of(signal_number);
    }
    if (!status && journal_open_entries(j))
        status = journal_leave(j, &err); /* what is changed is meant to stay */
    t->reported = true;
    struct buf text = BUF_INIT(TEXT_MAX);
    system_report_page(&t->report, false, &t->render, &text);
    if (!status && t->render.verbosity >= 0)
        buf_str(&text, "tare system reset restores every setting\n");
    enum exit_code code = cli_worse(show_text(t, &text), put_json(t, false));
    if (status)
        code = cli_worse(code, cli_fail(t->cli, EXIT_TOOL, &err));
    /* Only what this tuning changed. A change that was made but could no longer be noted is not in the report, and the journal says "interrupted". */
    if (status && (t->report.made + t->report.ineffective > 0 || (!cut_before && journal_interrupted(j))))
        take_back(t, j, "stopped on the way");
    return code;
}

/* The same for whoever asks. */
static enum exit_code read_only(struct tuning_once *t)
{
    struct tare_err err;
    err_set(&err, TARE_PERMISSION, "%s is mounted read-only here: tune the host", t->look.read_only);
    return cli_worse(print_plan(t), cli_fail(t->cli, EXIT_TOOL, &err));
}

static enum exit_code tune_once(struct tuning_once *t)
{
    struct journal *j;
    struct tare_err err;
    if (!t->o->dry_run && t->look.read_only && !system_pending(&t->look))
        return read_only(t);
    if (t->o->dry_run || !system_pending(&t->look))
        return print_plan(t);
    enum tare_status status = journal_open(&j, NULL, &t->place.root, &err);
    if (status == TARE_PERMISSION)
        return say_denied(t, &err);
    if (status)
        return cli_fail(t->cli, EXIT_TOOL, &err);
    enum exit_code code = apply_changes(t, j);
    journal_close(j);
    return code;
}

/* --unit: a unit of systemd that makes the same changes at each start of the machine and puts them back when it is stopped.
 *
 *     [Service]
 *     Type=oneshot
 *     RemainAfterExit=yes
 *     ExecStart=/usr/bin/tare system tune -q --cpus 3
 *     ExecStop=/usr/bin/tare system reset -q
 */

/* By the rules of systemd.syntax(7): % is doubled, what is no plain word is quoted. A $ is not doubled: of the program's path it is none of a variable, and
 * the other words have none. */
static void put_word(struct buf *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.,=:+@";
    bool quoted = !*word || word[strspn(word, plain)];
    buf_str(out, quoted ? "\"" : "");
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            buf_char(out, '\\');
        if (*word == '%')
            buf_char(out, *word);
        buf_char(out, *word);
    }
    buf_str(out, quoted ? "\"" : "");
}

static void put_option(struct buf *out, const char *name, const char *value)
{
    buf_format(out, " --%s ", name);
    put_word(out, value);
}

/* Those that say what is changed; who reads a unit's output is not who asked for the unit. */
static void put_wishes(const struct system_tune_options *o, struct buf *out)
{
    for (int i = 0; i < o->only.n; i++)
        put_option(out, "only", o->only.items[i]);
    for (int i = 0; i < o->without.n; i++)
        put_option(out, "without", o->without.items[i]);
    if (o->cpus)
        put_option(out, "cpus", o->cpus);
    if (o->frequency != SYSTEM_FREQUENCY_BASE)
        put_option(out, "freq", o->frequency_text);
    buf_str(out, o->beside_others ? " --beside-others" : "");
}

/* Where this program is: systemd takes no relative path. */
static enum tare_status whole_path(const struct cli *cli, struct buf *path, struct tare_err *err)
{
    struct buf found = BUF_INIT(1 << 16);
    enum tare_status status = plat_find_program(cli->argv[0], plat_environment(), NULL, &found, err);
    if (!status && !plat_path_is_absolute(buf_text(&found)))
        status = plat_working_folder(path, err);
    if (path->len)
        buf_char(path, '/');
    buf_str(path, buf_text(&found));
    buf_finish(&found);
    return status;
}

static enum tare_status system_unit(const struct tuning_once *t, struct buf *out, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    enum tare_status status = whole_path(t->cli, &path, err);
    buf_str(out, "# tare system tune --unit: save as /etc/systemd/system/tare-tune.service, then\n"
                 "# systemctl enable --now tare-tune\n"
                 "[Unit]\nDescription=Quiet this machine for measuring\nAfter=multi-user.target\n\n"
                 "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=");
    put_word(out, buf_text(&path));
    buf_str(out, " system tune -q");
    put_wishes(t->o, out);
    buf_str(out, "\nExecStop=");
    put_word(out, buf_text(&path));
    buf_str(out, " system reset -q\n\n[Install]\nWantedBy=multi-user.target\n");
    buf_finish(&path);
    return status;
}

/* Of wishes that this machine cannot fulfil there is none: it would fail at each start. */
static enum exit_code print_unit(struct tuning_once *t)
{
    struct buf text = BUF_INIT(1 << 18);
    struct tare_err err;
    enum tare_status status = read_wishes(t, &err);
    if (!status)
        status = system_unit(t, &text, &err);
    if (!status)
        return cli_print(t->cli, &text);
    buf_finish(&text);
    return cli_refuse(t->cli, status, &err);
}

int cmd_system_tune(struct cli *cli, const void *options)
{
    struct tuning_once t = {.cli = cli, .o = options};
    struct tare_err err;
    if (t.o->unit)
        return (int)print_unit(&t);
    t.render = screen_options(&t.o->display);
    enum tare_status status = read_wishes(&t, &err);
    if (!status && (status = plat_signals_watch()))
        err_set(&err, status, "cannot watch signals");
    if (!status)
        status = look_at_machine(&t.look, &t.place.root, &t.place.wishes, cli->arena, &err);
    if (status)
        return cli_refuse(cli, status, &err);
    if ((status = outputs_open(&t.outputs, &t.o->display, NULL, &err)))
        return cli_refuse(cli, status, &err);
    enum exit_code code = tune_once(&t);
    outputs_finish(&t.outputs, NULL);
    if (plat_signal())
        plat_die_of(plat_signal());
    return code;
}
