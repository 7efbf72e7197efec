/* SPDX-License-Identifier: MIT
 *
 * `tare compare A B`: two stored sessions.
 *
 *     Comparison (two sessions, not interleaved)
 *       './prog (new.jsonl)' is UNDECIDED against './prog (old.jsonl)': +9.9 % [+9.5, +10.3] (n = 20 against 20 runs, ...)
 *         if nothing drifted between the two sessions; no word follows from runs that were not interleaved ...
 */
#include "analyse_stored.h"
#include "comparable.h"
#include "gate.h"
#include "outputs.h"
#include "plat.h"
#include "record_kind.h"
#include "screen.h"
#include "stored_file.h"
#include "stored_options.h"
#include <string.h>

struct compare {
    struct cli *cli;
    const struct compare_options *o;
    const char *const *paths;
    struct record sessions[2], result;
    struct outputs outputs;
};

static enum exit_code show(struct compare *c)
{
    struct tare_err err;
    enum exit_code code = screen_result(c->cli, &c->o->display, &c->result);
    if (!isnan(c->o->fail_if_slower)) {
        struct buf said = BUF_INIT(1 << 20);
        bool unicode = screen_options(&c->o->display).unicode;
        const struct gate_sides sides = {&c->sessions[0], &c->sessions[1], c->paths[1], NULL, NULL};
        code = cli_worse(code, gate_slower(&c->result, unicode, &said));
        code = cli_worse(code, gate_missing(&c->result, &sides, unicode, &said));
        code = cli_worse(code, screen_text(c->cli, &c->o->display, &said));
    }
    if (outputs_export(&c->outputs, &c->result, &err))
        code = cli_worse(code, cli_fail(c->cli, EXIT_TOOL, &err));
    return code;
}

static enum exit_code compare(struct compare *c)
{
    struct tare_err err;
    struct stored_question q = {.metric = c->o->metric,
                                .confidence = c->o->confidence,
                                .margin = c->o->margin.value,
                                .margin_unit = c->o->margin.unit,
                                .fail_if_slower = c->o->fail_if_slower,
                                .assume_no_drift = c->o->assume_no_drift};
    stored_file_names(c->paths[0], c->paths[1], q.names);
    enum tare_status status = analyse_stored(&c->result, &c->sessions[0], &c->sessions[1], &q, &err);
    if (status)
        return cli_fail(c->cli, status == TARE_INVALID || status == TARE_NOT_FOUND ? EXIT_USAGE : EXIT_TOOL, &err);
    if (c->result.n_comparisons)
        return show(c);
    err_set(&err, TARE_NOT_FOUND, "no command of %.200s is in %.200s; they are matched by name (-n in tare run)", c->paths[1],
            c->paths[0]);
    return cli_fail(c->cli, EXIT_INVALID, &err);
}

/* Whose partner is missing is said, so that nobody takes the rest for all. */
static void note_unmatched(const struct compare *c, int side)
{
    const struct record *r = &c->sessions[side], *other = &c->sessions[!side];
    struct buf b = BUF_INIT(1 << 16);
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        bool found = !subject_measured(&r->subjects[i]) || r->subjects[i].anchor || stored_partner(r, i, other) >= 0;
        if (!found && n++ < 5)
            buf_format(&b, "%s'%.60s'", b.len ? ", " : "", r->subjects[i].name);
    }
    if (n > 5)
        buf_format(&b, " and %d more", n - 5);
    if (n && !c->o->display.quiet) {
        struct buf line = BUF_INIT(1 << 16);
        buf_format(&line, "only in %.200s: %s", c->paths[side], buf_text(&b));
        cli_note(c->cli, "note", buf_text(&line));
        buf_finish(&line);
    }
    buf_finish(&b);
}

/* A script that names one file for both has its gate pass for ever. */
static void note_itself(const struct compare *c)
{
    if (!c->o->display.quiet && plat_same_file(c->paths[0], c->paths[1]))
        cli_note(c->cli, "note", "both are one file, whose session is compared with itself");
}

/* One session cannot be held against a set: it says nothing of what changes from one to the next. */
static enum exit_code check_sides(const struct compare *c)
{
    struct tare_err err;
    bool first = record_is_over_sessions(&c->sessions[0]), second = record_is_over_sessions(&c->sessions[1]);
    if (first == second)
        return EXIT_ANSWERED;
    err_set(&err, TARE_INVALID, "%.200s holds several sessions and %.200s one; give two files with several, or two with one",
            c->paths[second], c->paths[first]);
    return cli_fail(c->cli, EXIT_USAGE, &err);
}

/* EXIT_ANSWERED and *both: they are two hosts, and have been shown. */
static enum exit_code show_hosts(struct compare *c, bool *both)
{
    struct tare_err err;
    bool first = record_kind(&c->sessions[0])->id == RECORD_OF_hosts,
         second = record_kind(&c->sessions[1])->id == RECORD_OF_hosts;
    *both = first && second;
    if (first != second) {
        err_set(&err, TARE_INVALID, "%.200s is of tare system qualify and %.200s is not; give two of one kind", c->paths[second],
                c->paths[first]);
        return (enum exit_code)cli_fail(c->cli, EXIT_USAGE, &err);
    }
    if (!*both)
        return EXIT_ANSWERED;
    if (outputs_wanted(&c->o->display) || !isnan(c->o->fail_if_slower)) {
        err_set(&err, TARE_INVALID, "two hosts are compared on the screen only; tare show exports one");
        return (enum exit_code)cli_fail(c->cli, EXIT_USAGE, &err);
    }
    const struct render_options options = screen_options(&c->o->display);
    struct buf b = BUF_INIT(1 << 20);
    render_hosts(&c->sessions[0], &c->sessions[1], c->paths, &options, &b);
    return screen_text(c->cli, &c->o->display, &b);
}

static enum exit_code run(struct compare *c)
{
    bool hosts = false;
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < 2 && !code; i++)
        code = stored_file_load_set(c->cli, c->paths[i], c->o->display.quiet, &c->sessions[i]);
    if (!code)
        code = check_sides(c);
    if (!code)
        code = show_hosts(c, &hosts);
    if (code || hosts)
        return code;
    note_itself(c);
    note_unmatched(c, 0);
    note_unmatched(c, 1);
    return compare(c);
}

int cmd_compare(struct cli *cli, const void *options)
{
    struct compare c = {.cli = cli, .o = options, .paths = cli->operands.items};
    const struct outputs_place places[] = {{"A", c.paths[0], true}, {"B", c.paths[1], true}};
    struct tare_err err;
    for (int i = 0; i < 2; i++) {
        enum tare_status status = outputs_check(&c.o->display, &places[i], 1, &err);
        if (status)
            return cli_fail(cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, &err);
    }
    if (outputs_open(&c.outputs, &c.o->display, NULL, &err))
        return cli_fail(cli, EXIT_TOOL, &err);
    record_init(&c.result);
    enum exit_code code = run(&c);
    if (outputs_finish(&c.outputs, &err))
        code = cli_worse(code, cli_fail(cli, EXIT_TOOL, &err));
    record_finish(&c.sessions[0]);
    record_finish(&c.sessions[1]);
    record_finish(&c.result);
    return code;
}
