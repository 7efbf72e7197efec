/* SPDX-License-Identifier: MIT
 *
 * `tare show`: stored records, rendered anew in any format.
 */
#include "analyse.h"
#include "cli.h"
#include "comparable.h"
#include "export.h"
#include "gate.h"
#include "gate_show.h"
#include "leak_session.h"
#include "outputs.h"
#include "plat.h"
#include "quote.h"
#include "record_kind.h"
#include "screen.h"
#include "self_trace.h"
#include "spans.h"
#include "stored_file.h"
#include "stored_options.h"
#include "system_qualify.h"
#include "trace_session.h"
#include <string.h>

struct show {
    struct cli *cli;
    const struct show_options *o;
    struct outputs outputs;
    int shown;
    struct kept_sessions sessions; /* whole ones of one plan, of the file at hand */
};

static enum exit_code fail_at(const struct show *s, const char *path, enum exit_code code, struct tare_err *err)
{
    err_prefix(err, path);
    return cli_fail(s->cli, code, err);
}

/* Who asks for several sees which is which; with one the output is that of the session itself. */
static enum exit_code show_heading(struct show *s, const char *path)
{
    if (s->cli->operands.n < 2 || s->o->display.style == RENDER_NONE)
        return EXIT_ANSWERED;
    struct render_options options = screen_options(&s->o->display);
    struct buf b = BUF_INIT(1 << 16);
    buf_str(&b, s->shown ? "\n== " : "== ");
    quote_mask(&b, path, options.unicode);
    buf_str(&b, " ==\n");
    return screen_text(s->cli, &s->o->display, &b);
}

static enum exit_code say_changed(struct show *s, const char *path, const struct record_reading *reading)
{
    struct tare_err err;
    if (!reading->changed)
        return EXIT_ANSWERED;
    err_set(&err, TARE_FORMAT, "changed after it was written; what is shown may not be what was measured");
    return fail_at(s, path, EXIT_INVALID, &err);
}

/* Subjects that are no commands stay: they belong to the session. */
static enum exit_code filter_subjects(struct show *s, const char *path, struct record *r)
{
    struct tare_err err;
    bool *keep = arena_array(s->cli->arena, (size_t)r->n_subjects, sizeof *keep);
    int found = 0, of = 0;
    if (!s->o->filter)
        return EXIT_ANSWERED;
    if (!keep) {
        err_no_memory(&err);
        return fail_at(s, path, EXIT_TOOL, &err);
    }
    for (int i = 0; i < r->n_subjects; i++) {
        bool command = subject_compared(&r->subjects[i]), named = strstr(r->subjects[i].name, s->o->filter) != NULL;
        keep[i] = named || !command || r->subjects[i].anchor;
        found += named && command;
        of += command;
    }
    if (found) {
        record_keep_subjects(r, keep);
        return EXIT_ANSWERED;
    }
    err_set(&err, TARE_NOT_FOUND, "none of its %d commands has '%.100s' in its name", of, s->o->filter);
    return fail_at(s, path, EXIT_USAGE, &err);
}

static enum exit_code check_stable(struct show *s, const struct record *r)
{
    if (!s->o->check)
        return EXIT_ANSWERED;
    struct buf said = BUF_INIT(1 << 20);
    enum exit_code unstable = gate_unstable(r, "--check", screen_options(&s->o->display).unicode, &said);
    return cli_worse(screen_text(s->cli, &s->o->display, &said), unstable);
}

/* Whether verdicts are reached once more: of a session among several no times are kept, nor of one without --save, whose verdicts are then all there is. */
static bool has_times(const struct record *r)
{
    const char *times = facts_text(&r->before, "raw_file");
    return record_kind(r)->targets && r->rule.leaks.kind && !r->session && ((times && *times) || !r->n_leak_targets);
}

/* The verdicts once more, from the times beside the record, for pictures and for a session that was killed. Without those times what the session itself
 * concluded is shown, and the exit code says that they are not there or not what they were, as that of tare leak --replay does. */
static enum exit_code judge_again(struct show *s, const char *path, struct record *r, struct leak_judges *judges)
{
    struct tare_err err;
    if (!has_times(r))
        return EXIT_ANSWERED;
    enum tare_status status = leak_judges_open(judges, r, s->cli->arena, &err);
    if (!status)
        status = leak_rejudge(s->cli, s->o->display.quiet, path, r, judges, &err);
    if (!status && leak_make_pages(judges, r, s->cli->arena))
        return EXIT_ANSWERED;
    if (!status)
        err_no_memory(&err);
    return cli_fail(s->cli, leak_stored_code(status), &err);
}

static enum exit_code refuse_another(const struct show *s, const char *path)
{
    struct tare_err err;
    err_set(&err, TARE_INVALID, "an export holds one session, and this is one more; export them one at a time");
    return fail_at(s, path, EXIT_USAGE, &err);
}

static enum exit_code show_whole(struct show *s, const char *path, struct record *r, enum exit_code headed)
{
    struct tare_err err;
    if (s->shown++ && outputs_wanted(&s->o->display) && !r->session)
        return refuse_another(s, path);
    if (stored_file_complete(r, &err))
        return fail_at(s, path, EXIT_TOOL, &err);
    enum exit_code filtered = filter_subjects(s, path, r);
    if (filtered)
        return filtered;
    if (s->o->percentiles && record_kind(r)->id != RECORD_OF_clocks && !record_kind(r)->targets && analyse_percentiles(r, &err))
        return fail_at(s, path, EXIT_TOOL, &err);
    TARE_POINT_NAMED("print");
    enum exit_code code = cli_worse(headed, screen_result(s->cli, &s->o->display, r, true));
    code = cli_worse(code, leak_show_pictures(s->cli, &s->o->display, r));
    code = cli_worse(code, check_stable(s, r));
    TARE_POINT_NAMED("exports");
    if (!r->session && outputs_export(&s->outputs, r, &err))
        code = cli_worse(code, cli_fail(s->cli, EXIT_TOOL, &err));
    if (!s->o->display.quiet)
        outputs_say_left_out(&s->outputs, s->cli);
    return code;
}

/* From what is not as it was written nothing is concluded anew. */
static enum exit_code show_record(struct show *s, const char *path, struct record *r, bool changed)
{
    struct leak_judges judges = {0};
    struct tare_err err;
    if (has_times(r) && leak_raw_check(path, r, &s->o->display, NULL, &err))
        return cli_fail(s->cli, EXIT_USAGE, &err);
    enum exit_code code = show_heading(s, path);
    if (!changed)
        code = cli_worse(code, judge_again(s, path, r, &judges));
    if (record_kind(r)->id == RECORD_OF_hosts && !qualify_make_pages(r, s->cli->arena)) {
        err_no_memory(&err);
        code = cli_worse(code, cli_fail(s->cli, EXIT_TOOL, &err));
    }
    code = show_whole(s, path, r, code);
    r->pages = NULL;
    r->n_pages = 0;
    leak_judges_close(&judges);
    return code;
}

/* For what they say together; others than those of the first one's plan, machine and programs are only shown. */
static enum exit_code keep_session(struct show *s, const char *path, struct record *r, bool changed)
{
    struct tare_err err;
    struct buf how = BUF_INIT(1 << 10);
    const bool differs = s->sessions.n && sessions_differ(s->sessions.items, r, &how);
    buf_finish(&how);
    if (!r->session || changed || !record_is_complete(r) || differs || !sessions_keep(&s->sessions, s->cli->arena, r))
        return EXIT_ANSWERED;
    err_no_memory(&err);
    return fail_at(s, path, EXIT_TOOL, &err);
}

static enum exit_code show_together(struct show *s)
{
    const struct kept_sessions *set = &s->sessions;
    enum exit_code code = EXIT_ANSWERED;
    if (set->n)
        code = sessions_together(s->cli, &s->o->display, set->items, set->n, false, NAN, &s->outputs, NULL);
    if (s->o->check && sessions_missing(set->items, set->n)) {
        struct buf said = BUF_INIT(1 << 16);
        code = cli_worse(code, gate_undecided("--check", RECORD_SESSIONS_MISSING, &said));
        code = cli_worse(code, screen_text(s->cli, &s->o->display, &said));
    }
    sessions_finish(&s->sessions);
    return code;
}

/* Behind a session that was shown, and before one: what a full disk or a crash left takes nothing from it. */
static size_t pass_over(const struct show *s, const char *path, const char *text, size_t n, bool seen, enum tare_status status,
                        const struct tare_err *err)
{
    size_t bytes = status == TARE_TRUNCATED || (seen && status == TARE_FORMAT) ? record_next(text, n) : 0;
    if (bytes == n && !seen)
        return 0;
    if (bytes)
        stored_file_passed_over(s->cli, path, s->o->display.quiet, bytes, err);
    return bytes;
}

static enum exit_code show_text(struct show *s, const char *path, const char *text, size_t n)
{
    enum exit_code code = EXIT_ANSWERED;
    const char *first = text;
    bool seen = false;
    do {
        struct record r = {0};
        struct record_reading reading;
        struct tare_err err;
        TARE_POINT_NAMED("parse");
        enum tare_status status =
            text == first ? stored_read(&r, text, n, &reading, &err) : record_read(&r, text, n, &reading, &err);
        size_t passed = status ? pass_over(s, path, text, n, seen, status, &err) : 0;
        if (passed) {
            record_reading_finish(&reading);
            text += passed;
            n -= passed;
            continue;
        }
        if (status) {
            record_reading_finish(&reading);
            sessions_finish(&s->sessions);
            return cli_worse(code, fail_at(s, path, EXIT_TOOL, &err));
        }
        stored_file_notes(s->cli, path, s->o->display.quiet, &reading);
        seen = true;
        code = cli_worse(code, show_record(s, path, &r, reading.changed));
        code = cli_worse(code, say_changed(s, path, &reading));
        code = cli_worse(code, keep_session(s, path, &r, reading.changed));
        text += reading.consumed;
        n -= reading.consumed;
        record_reading_finish(&reading);
        record_finish(&r);
    } while (n);
    return cli_worse(code, show_together(s));
}

/* What traced programs left, without the record of a session. */
static enum exit_code show_raw(struct show *s, const char *path)
{
    struct tare_err err;
    struct record r = {0};
    struct trace_kept kept = {.n = 0};
    TARE_POINT_NAMED("raw files");
    enum tare_status status = trace_read_raw(s->cli, path, s->o->display.quiet, &kept, &r, &err);
    s->outputs.traces = (const struct trace_file *const *)kept.files;
    s->outputs.n_traces = kept.n;
    if (!status && kept.n && s->o->display.export_file[EXPORT_TO_HTML])
        status = spans_keep_stacks(&r, s->outputs.traces, kept.subject, kept.n, &err);
    enum exit_code code = status ? cli_fail(s->cli, EXIT_TOOL, &err) : show_record(s, path, &r, false);
    s->outputs.n_traces = 0;
    trace_kept_close(&kept);
    record_finish(&r);
    return code;
}

/* What asks for a table of rounds, or a file, is about a session; a page is one of the gate. */
static bool about_sessions(const struct show_options *o)
{
    struct display_options others = o->display;
    others.export_file[EXPORT_TO_HTML] = NULL;
    return o->filter || o->check || o->percentiles || outputs_wanted(&others);
}

/* Its page; with -vv its sessions, each as any other. False: it is no gate's, or what a killed one left, or several, which are shown session by session
 * too; then nothing was said. */
static bool show_gate(struct show *s, const char *path, const struct buf *text, enum exit_code *code)
{
    struct kept_sessions all = {0};
    struct buf said = BUF_INIT(1 << 20);
    struct cli quiet = *s->cli;
    quiet.talk = sink_to_buf(&said);
    const bool alone = strstr(buf_text(text), "\"gate_phase\":") &&
                       !sessions_of_text(&quiet, path, s->o->display.quiet, text, &all) && !all.cut &&
                       gate_recorded_alone(&all) && !said.status;
    if (alone) {
        s->cli->talk.write(s->cli->talk.context, buf_text(&said), said.len, NULL);
        *code = s->shown && outputs_wanted(&s->o->display) ? refuse_another(s, path) : show_heading(s, path);
        if (!*code)
            *code = gate_show(s->cli, &s->o->display, path, &all, &s->outputs);
        s->shown++;
    }
    buf_finish(&said);
    sessions_finish(&all);
    return alone;
}

static enum exit_code show_file(struct show *s, const char *path)
{
    struct tare_err err;
    if (strcmp(path, "-") != 0 && trace_is_raw(path))
        return show_raw(s, path);
    struct buf text = BUF_INIT(STORED_FILE_MAX);
    enum exit_code code = EXIT_ANSWERED;
    TARE_POINT_NAMED("file");
    stored_file_note_pipe(s->cli, s->o->display.quiet, path);
    if (stored_file_text(path, &text, &err))
        code = cli_fail(s->cli, EXIT_TOOL, &err);
    else if (s->o->display.verbose > 1 || about_sessions(s->o) || !show_gate(s, path, &text, &code))
        code = show_text(s, path, buf_text(&text), text.len);
    buf_finish(&text);
    return code;
}

static enum tare_status check_places(const struct cli *cli, const struct show_options *o, struct tare_err *err)
{
    const struct option_operands *records = &cli->operands;
    struct outputs_place *places = arena_array(cli->arena, (size_t)records->n, sizeof *places);
    if (!places)
        return err_no_memory(err);
    for (int i = 0; i < records->n; i++)
        places[i] = (struct outputs_place){"the record", records->items[i], true};
    for (int i = 0; i < records->n * N_EXPORTS; i++) {
        const char *folder = records->items[i / N_EXPORTS], *file = o->display.export_file[i % N_EXPORTS];
        if (file && trace_is_in(folder, file))
            return err_set(err, TARE_INVALID, "%s '%s' would be one of the traces in '%s'; give another file",
                           display_export_name((enum display_export)(i % N_EXPORTS)), file, folder);
    }
    return outputs_check(&o->display, places, records->n, err);
}

/* Without a name: what a program with SAMPLER v2's points left in this folder. */
static enum tare_status name_default(struct cli *cli, struct tare_err *err)
{
    static const char *const sampler[] = {"sampler.out", NULL};
    struct plat_file_state state;
    if (cli->operands.n)
        return TARE_OK;
    if (plat_file_state(sampler[0], &state, NULL))
        return err_set(err, TARE_INVALID,
                       "no record given, and no sampler.out is here; name a file that --save wrote, or - for standard input");
    cli->operands.items = sampler;
    cli->operands.n = cli->operands.after = 1;
    return TARE_OK;
}

int cmd_show(struct cli *cli, const void *options)
{
    struct show s = {.cli = cli, .o = options};
    struct tare_err err;
    enum tare_status status = name_default(cli, &err);
    if (!status)
        status = check_places(cli, s.o, &err);
    if (status)
        return cli_refuse(cli, status, &err);
    if (outputs_open(&s.outputs, &s.o->display, NULL, &err))
        return cli_fail(cli, EXIT_TOOL, &err);
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < cli->operands.n; i++)
        code = cli_worse(code, show_file(&s, cli->operands.items[i]));
    if (outputs_finish(&s.outputs, &err))
        code = cli_worse(code, cli_fail(cli, EXIT_TOOL, &err));
    return code;
}
