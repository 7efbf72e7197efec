/* SPDX-License-Identifier: MIT
 *
 * `tare compare A B` and `tare compare --baseline A... B...`: two stored sessions, or two sets of them.
 *
 *       command  baseline      new  change (95 % CI)
 *       prog      10.0 ms  11.0 ms  likely 9.9 % slower (8.8-10.9)
 *       6 vs 5 sessions, two sets
 */
#include "check.h"
#include "comparable.h"
#include "gate.h"
#include "outputs.h"
#include "plat.h"
#include "record_kind.h"
#include "screen.h"
#include "stored_file.h"
#include "stored_options.h"

struct compare {
    struct cli *cli;
    const struct compare_options *o;
    struct stored_side sides[2];
    struct record result;
    struct outputs outputs;
};

static const char *path_of(const struct compare *c, int side)
{
    return c->sides[side].paths[0];
}

static const struct record *record_of(const struct compare *c, int side)
{
    return stored_side_record(c->sides, side);
}

/* One file, or a copy of it: a gate would pass for ever. */
static bool is_one_session(const struct compare *c)
{
    return !stored_sides_are_sets(c->sides) &&
           (plat_same_file(path_of(c, 0), path_of(c, 1)) || session_is_again(record_of(c, 0), record_of(c, 1)));
}

static enum exit_code gate_compared(struct compare *c)
{
    struct buf said = BUF_INIT(1 << 20);
    const bool unicode = screen_options(&c->o->display).unicode;
    const struct gate_sides sides = {record_of(c, 0), record_of(c, 1), path_of(c, 1), NULL, NULL};
    enum exit_code code = gate_slower(&c->result, unicode, &said);
    code = cli_worse(code, gate_missing(&c->result, &sides, unicode, &said));
    if (code == EXIT_ANSWERED && is_one_session(c)) {
        buf_clear(&said);
        buf_format(&said, "--fail-if-slower %.10g%%: undecided: both are one session\n", 100 * c->o->fail_if_slower);
        code = EXIT_UNDECIDED;
    }
    return cli_worse(code, screen_text(c->cli, &c->o->display, &said));
}

static enum exit_code show_compared(struct compare *c)
{
    struct tare_err err;
    enum exit_code code = screen_result(c->cli, &c->o->display, &c->result, false);
    if (!isnan(c->o->fail_if_slower))
        code = cli_worse(code, gate_compared(c));
    for (int i = 0; i < 2; i++)
        c->outputs.made_of[i] = (struct export_sessions){c->sides[i].sessions.items, c->sides[i].sessions.n};
    if (outputs_export(&c->outputs, &c->result, &err))
        code = cli_worse(code, cli_fail(c->cli, EXIT_TOOL, &err));
    return code;
}

/* Whose partner is missing is said, so that nobody takes the rest for all. */
static void note_unmatched(const struct compare *c, int side)
{
    const struct record *r = record_of(c, side), *other = record_of(c, !side);
    struct buf b = BUF_INIT(1 << 16);
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        bool found = !subject_compared(&r->subjects[i]) || stored_partner(r, i, other) >= 0;
        if (!found && n++ < 5)
            buf_format(&b, "%s'%.60s'", b.len ? ", " : "", r->subjects[i].name);
    }
    if (n > 5)
        buf_format(&b, " and %d more", n - 5);
    struct buf line = BUF_INIT(1 << 16);
    if (n)
        buf_format(&line, "only in %.200s: %s", path_of(c, side), buf_text(&b));
    cli_say(c->cli, c->o->display.quiet, &line);
    buf_finish(&b);
}

static enum exit_code compare_sides(struct compare *c)
{
    struct tare_err err;
    struct stored_question q = {.metric = c->o->metric,
                                .confidence = c->o->confidence,
                                .margin = c->o->margin.value,
                                .margin_unit = c->o->margin.unit,
                                .fail_if_slower = c->o->fail_if_slower,
                                .assume_no_drift = c->o->assume_no_drift};
    enum tare_status status =
        q.margin_unit && record_kind(&c->sides[1].sessions.items[0])->arcs
            ? err_set(&err, TARE_INVALID,
                      "--margin is a share here, for arcs differ in length by powers of ten; write it like 1%%")
            : stored_sides_compare(&c->result, c->sides, &q, &err);
    if (!status)
        status = check_stored(&c->result, &err);
    if (status)
        return cli_fail(c->cli, status == TARE_INVALID || status == TARE_NOT_FOUND ? EXIT_USAGE : EXIT_TOOL, &err);
    note_unmatched(c, 0);
    note_unmatched(c, 1);
    if (c->result.n_comparisons)
        return show_compared(c);
    const struct record_kind *kind = record_kind(&c->sides[1].sessions.items[0]);
    err_set(&err, TARE_NOT_FOUND, "no %s of %.200s is in %.200s; they are matched by name%s", kind->subject, path_of(c, 1),
            path_of(c, 0), kind->id == RECORD_OF_commands ? " (-n in tare run)" : "");
    return cli_fail(c->cli, EXIT_INVALID, &err);
}

/* EXIT_ANSWERED and *both: they are two hosts, and have been shown. */
static enum exit_code show_hosts(struct compare *c, bool *both)
{
    struct tare_err err;
    const struct record *a = &c->sides[0].sessions.items[0], *b = &c->sides[1].sessions.items[0];
    bool first = record_kind(a)->id == RECORD_OF_hosts, second = record_kind(b)->id == RECORD_OF_hosts;
    *both = first && second && !stored_sides_are_sets(c->sides);
    if (first != second) {
        err_set(&err, TARE_INVALID, "%.200s is of tare system qualify and %.200s is not; give two of one kind",
                path_of(c, second), path_of(c, first));
        return cli_fail(c->cli, EXIT_USAGE, &err);
    }
    if (!*both)
        return EXIT_ANSWERED;
    if (outputs_wanted(&c->o->display) || !isnan(c->o->fail_if_slower)) {
        err_set(&err, TARE_INVALID, "two hosts are compared on the screen only; tare show exports one");
        return cli_fail(c->cli, EXIT_USAGE, &err);
    }
    const struct render_options options = screen_options(&c->o->display);
    struct buf text = BUF_INIT(1 << 20);
    render_hosts(a, b, (const char *const[]){path_of(c, 0), path_of(c, 1)}, &options, &text);
    return screen_text(c->cli, &c->o->display, &text);
}

static enum exit_code run_compare(struct compare *c)
{
    bool hosts = false;
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < 2 && !code; i++)
        code = stored_side_load(c->cli, c->o->display.quiet, &c->sides[i]);
    if (!code)
        code = show_hosts(c, &hosts);
    if (code || hosts)
        return code;
    if (!c->o->display.quiet && is_one_session(c))
        cli_note(c->cli, "note",
                 plat_same_file(path_of(c, 0), path_of(c, 1)) ? "both are one file, whose session is compared with itself"
                                                              : "both files have one session, which is compared with itself");
    return compare_sides(c);
}

int cmd_compare(struct cli *cli, const void *options)
{
    struct compare c = {.cli = cli, .o = options};
    struct tare_err err;
    /* With --baseline all operands are of the second side. */
    const char *const *words = c.cli->operands.items;
    const struct option_list *baseline = &c.o->baseline;
    const int n = c.cli->operands.n;
    c.sides[0] = (struct stored_side){.paths = baseline->n ? baseline->items : words, .n_paths = baseline->n ? baseline->n : 1};
    c.sides[1] = (struct stored_side){.paths = baseline->n ? words : words + 1, .n_paths = baseline->n ? n : 1};
    enum tare_status status = TARE_OK;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < c.sides[i].n_paths && !status; k++) {
            const struct outputs_place place = {c.o->baseline.n && !i ? "--baseline" : i ? "B" : "A", c.sides[i].paths[k], true};
            status = outputs_check(&c.o->display, &place, 1, &err);
        }
    if (status)
        return cli_refuse(cli, status, &err);
    if (outputs_open(&c.outputs, &c.o->display, NULL, &err))
        return cli_fail(cli, EXIT_TOOL, &err);
    record_init(&c.result);
    c.result.argv = arena_words(&c.result.arena, (const char *const *)cli->argv);
    enum exit_code code = run_compare(&c);
    if (outputs_finish(&c.outputs, &err))
        code = cli_worse(code, cli_fail(cli, EXIT_TOOL, &err));
    stored_side_finish(&c.sides[0]);
    stored_side_finish(&c.sides[1]);
    record_finish(&c.result);
    return code;
}
