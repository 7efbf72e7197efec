/* SPDX-License-Identifier: MIT */
#include "stored_file.h"
#include "analyse.h"
#include "analyse_stored.h"
#include "buf.h"
#include "check.h"
#include "comparable.h"
#include "gate.h"
#include "host_verdict.h"
#include "plat.h"
#include "qualify.h"
#include "record_kind.h"
#include "replan.h"
#include "screen.h"
#include <string.h>

void stored_file_notes(struct cli *cli, const char *path, bool quiet, struct record_reading *reading)
{
    struct buf text = BUF_INIT(1 << 16);
    char *line = reading->notes.len && !quiet ? reading->notes.data : NULL;
    for (char *end; line && *line; line = end + 1) {
        end = line + strcspn(line, "\n");
        bool last = !*end;
        *end = 0;
        buf_clear(&text);
        buf_format(&text, "%s: %s", path, line);
        cli_note(cli, "note", buf_text(&text));
        if (last)
            break;
    }
    buf_finish(&text);
}

void stored_file_passed_over(struct cli *cli, const char *path, bool quiet, size_t bytes, const struct tare_err *err)
{
    struct buf text = BUF_INIT(1 << 16);
    buf_format(&text, "%s: %zu byte%s that belong to no session were skipped: %s", path, bytes, buf_plural((int64_t)bytes),
               err->text);
    cli_say(cli, quiet, &text);
}

static bool any_prepare(const struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].prepare)
            return true;
    return false;
}

enum tare_status stored_file_complete(struct record *r, struct tare_err *err)
{
    if (r->ended && (r->n_estimates || r->n_leak_targets)) /* what rows get from all samples together is not in the file */
        return record_kind(r)->processes ? analyse_processes(r, err) : TARE_OK;
    const struct check_facts facts = {.prepared = any_prepare(r)};
    /* of targets nothing can be redone without their times, which leak_rejudge has read or could not */
    enum tare_status status = record_kind(r)->targets ? TARE_OK : analyse_redo(r, err);
    struct host_verdict host;
    if (!status && record_kind(r)->id == RECORD_OF_hosts && !host_verdict_read(r, &host)) {
        status = qualify_estimates(r, err);
        if (!status)
            status = analyse_host(r, &host, err);
    }
    return status ? status : check_record(r, &facts, err);
}

/* What is known of a file while it is read. */
struct loading {
    struct cli *cli;
    const char *path;
    bool quiet;
    bool changed; /* after it was written */
    bool several; /* sessions of a plan */
};

/* Whether another session follows, and not what a full disk or a crash left. */
static bool several_left(const struct loading *l, const struct buf *text, const struct record_reading *reading)
{
    const char *rest = buf_text(text) + reading->consumed;
    size_t n = text->len - reading->consumed;
    struct record_reading next;
    struct record r = {0};
    struct tare_err err;
    bool readable = !record_read(&r, rest, n, &next, &err);
    bool several = readable || record_next(rest, n) < n;
    if (!several)
        stored_file_passed_over(l->cli, l->path, l->quiet, n, &err);
    record_reading_finish(&next);
    record_finish(&r);
    return several;
}

/* Before the first session: one that was cut off in its own head, behind which others were measured. */
static bool drop_truncated_head(const struct loading *l, struct buf *text, const struct tare_err *err)
{
    size_t truncated = record_next(buf_text(text), text->len);
    if (truncated == text->len)
        return false;
    stored_file_passed_over(l->cli, l->path, l->quiet, truncated, err);
    text->len -= truncated;
    memmove(text->data, text->data + truncated, text->len);
    return true;
}

static enum tare_status read_one(struct loading *l, struct buf *text, struct record *r, struct tare_err *err)
{
    struct record_reading reading;
    enum tare_status status = stored_read(r, buf_text(text), text->len, &reading, err);
    while (status == TARE_TRUNCATED && drop_truncated_head(l, text, err)) {
        record_reading_finish(&reading);
        status = stored_read(r, buf_text(text), text->len, &reading, err);
    }
    if (!status) {
        const bool finished = r->ended != NULL; /* what was cut off counts for nothing, damaged or not */
        l->several = reading.consumed < text->len && !(reading.changed && finished) && several_left(l, text, &reading);
        if (!l->several)
            stored_file_notes(l->cli, l->path, l->quiet, &reading);
        l->changed = reading.changed && !l->several;
        if (l->changed)
            status = err_set(err, TARE_FORMAT, "changed after it was written, so nothing is concluded from it; see tare show");
        else if (reading.consumed < text->len && l->several)
            status = replan_refuse_gate(r, "is the record of a gate, which tare show prints", err)
                         ? TARE_INVALID
                         : err_set(err, TARE_INVALID, "holds several sessions; give a file with one");
        else if (record_kind(r)->alone)
            status = err_set(err, TARE_INVALID, "%s", record_kind(r)->alone);
        else
            status = stored_file_complete(r, err);
    }
    record_reading_finish(&reading);
    return status;
}

enum tare_status sessions_keep(struct kept_sessions *k, struct arena *a, struct record *r)
{
    if (!arena_room(a, &k->items, k->n, &k->room, sizeof *k->items))
        return TARE_NO_MEMORY;
    k->items[k->n++] = *r;
    *r = (struct record){0};
    return TARE_OK;
}

void sessions_finish(struct kept_sessions *k)
{
    for (int i = 0; i < k->n; i++)
        record_finish(&k->items[i]);
    k->n = 0;
}

static enum tare_status take_whole(struct loading *l, struct kept_sessions *out, struct record *r, bool changed,
                                   struct tare_err *err)
{
    l->changed |= changed;
    if (changed)
        return err_set(err, TARE_FORMAT, "changed after it was written, so nothing is concluded from it; see tare show");
    if (!record_is_complete(r)) {
        out->cut++;
        out->failed += r->ended && !strcmp(r->ended, "failed");
        return TARE_OK;
    }
    enum tare_status status = stored_file_complete(r, err);
    if (!status && sessions_keep(out, l->cli->arena, r))
        status = err_no_memory(err);
    return status;
}

/* One that was cut off before its first run holds nothing, and loses nothing; what a full disk or a crash left behind finished sessions, or in one
 * that was not finished, takes nothing from them. */
static enum tare_status take_next(struct loading *l, struct kept_sessions *out, const char *text, size_t n, size_t *consumed,
                                  struct tare_err *err)
{
    struct record_reading reading;
    struct record r = {0};
    enum tare_status status = record_read(&r, text, n, &reading, err);
    *consumed = record_next(text, n);
    if (!status) {
        stored_file_notes(l->cli, l->path, l->quiet, &reading);
        *consumed = reading.consumed;
        status = take_whole(l, out, &r, reading.changed && r.ended, err);
    } else if (status == TARE_FORMAT && out->n) {
        stored_file_passed_over(l->cli, l->path, l->quiet, *consumed, err);
        status = TARE_OK;
    }
    record_finish(&r);
    record_reading_finish(&reading);
    return status == TARE_TRUNCATED ? TARE_OK : status;
}

/* All complete records of a text. FORMAT, with l->changed where a record was changed after it was written; VERSION, NO_MEMORY ... */
static enum tare_status read_all(struct loading *l, const struct buf *text, struct kept_sessions *out, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (size_t at = 0, consumed = 0; !status && at < text->len; at += consumed)
        status = take_next(l, out, text->data + at, text->len - at, &consumed, err);
    return status;
}

enum exit_code sessions_of_text(struct cli *cli, const char *path, bool quiet, const struct buf *text, struct kept_sessions *out)
{
    struct tare_err err;
    struct loading l = {.cli = cli, .path = path, .quiet = quiet};
    if (!read_all(&l, text, out, &err))
        return EXIT_ANSWERED;
    err_prefix(&err, path);
    return cli_fail(cli, l.changed ? EXIT_INVALID : EXIT_TOOL, &err);
}

enum exit_code sessions_load(struct cli *cli, const char *path, bool quiet, struct kept_sessions *out)
{
    struct tare_err err;
    struct buf text = BUF_INIT(STORED_FILE_MAX);
    enum exit_code code = EXIT_ANSWERED;
    stored_file_note_pipe(cli, quiet, path);
    enum tare_status status = plat_file_read(path, &text, &err);
    if (!status)
        code = sessions_of_text(cli, path, quiet, &text, out);
    else if (status != TARE_NOT_FOUND)
        code = cli_fail(cli, EXIT_TOOL, &err);
    buf_finish(&text);
    return code;
}

/* Of a file, which are those from `first` on. */
static enum tare_status check_set(const struct kept_sessions *set, int first, struct tare_err *err)
{
    struct buf b = BUF_INIT(1 << 16);
    enum tare_status status = TARE_OK;
    for (int i = first + 1; i < set->n && !status; i++)
        if (sessions_differ(&set->items[first], &set->items[i], &b))
            status = err_set(err, TARE_INVALID, "session %d in it %s than the first; give a file with one", i - first + 1,
                             buf_text(&b));
    if (first == set->n)
        status = err_set(err, TARE_TOO_FEW, "none of its sessions is complete; see tare show");
    buf_finish(&b);
    return status;
}

static enum tare_status read_set(struct loading *l, const struct buf *text, struct kept_sessions *set, struct tare_err *err)
{
    const int first = set->n;
    l->changed = false;
    enum tare_status status = read_all(l, text, set, err);
    return status ? status : check_set(set, first, err);
}

static enum exit_code show_together(struct cli *cli, const struct display_options *d, struct record *over, double fail_if_slower)
{
    struct render_options o = screen_options(d);
    struct buf text = BUF_INIT(1 << 26);
    enum exit_code code = EXIT_ANSWERED;
    if (o.verbosity >= 0)
        buf_char(&text, '\n');
    render_sessions(over, &o, &text);
    over->rule.fail_if_slower = fail_if_slower;
    if (!isnan(fail_if_slower))
        code = gate_slower(over, o.unicode, &text);
    return cli_worse(code, screen_text(cli, d, &text));
}

enum exit_code sessions_together(struct cli *cli, const struct display_options *d, const struct record *sessions, int n,
                                 bool partial, double fail_if_slower, struct outputs *exports,
                                 enum exit_code (*answer)(const struct record *over))
{
    struct record over = {0};
    struct tare_err err;
    enum exit_code code;
    enum tare_status status = analyse_sessions(&over, sessions, n, &err);
    if (status) {
        code = cli_fail(cli, status == TARE_INVALID ? EXIT_INVALID : EXIT_TOOL, &err);
    } else {
        over.partial = partial;
        code = show_together(cli, d, &over, fail_if_slower);
        code = answer ? cli_worse(code, answer(&over)) : code;
        exports->made_of[0] = (struct export_sessions){sessions, n};
        if (outputs_export(exports, &over, &err))
            code = cli_worse(code, cli_fail(cli, EXIT_TOOL, &err));
        exports->made_of[0] = (struct export_sessions){NULL, 0};
    }
    record_finish(&over);
    return code;
}

struct taking {
    const char *path;
    struct buf *text;
    int64_t bytes;  /* of the file, where that is known before it is read; else 0 */
    size_t look_at; /* so many bytes are looked at next */
    bool unrecognised;
};

static enum tare_status take(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct taking *t = context;
    buf_add(t->text, bytes, n);
    if (t->text->len >= t->look_at) {
        t->look_at = 2 * t->text->len;
        t->unrecognised = stored_unrecognised(t->text->data, t->text->len);
    }
    if (t->unrecognised)
        return err_set(err, TARE_FORMAT, "seen enough");
    if (t->text->status == TARE_TOO_LARGE || t->bytes >= (int64_t)t->text->cap)
        return err_set(err, TARE_TOO_LARGE, "cannot read %s: more than %zu bytes; put its sessions into files of their own",
                       t->path, t->text->cap);
    return t->text->status ? err_set(err, t->text->status, "no memory to read %s", t->path) : TARE_OK;
}

enum tare_status stored_file_text(const char *path, struct buf *text, struct tare_err *err)
{
    struct plat_file_state state;
    struct taking t = {.path = path, .text = text};
    if (strcmp(path, "-") != 0 && !plat_file_state(path, &state, NULL) && state.regular)
        t.bytes = state.bytes;
    enum tare_status status = plat_input_pour(path, &(struct sink){.write = take, .context = &t}, err);
    return t.unrecognised ? TARE_OK : status;
}

void stored_file_note_pipe(struct cli *cli, bool quiet, const char *path)
{
    struct plat_file_state state;
    struct buf text = BUF_INIT(1 << 16);
    if (strcmp(path, "-") != 0 && !plat_file_state(path, &state, NULL) && state.named_pipe)
        buf_format(&text, "%s is a named pipe: waiting for a writer", path);
    cli_say(cli, quiet, &text);
}

/* One session into r; of a file with several, where they are wanted, all into the set. */
static enum exit_code load(struct cli *cli, const char *path, bool quiet, struct kept_sessions *set, struct record *r)
{
    struct loading l = {.cli = cli, .path = path, .quiet = quiet};
    struct tare_err err;
    struct buf text = BUF_INIT(STORED_FILE_MAX);
    stored_file_note_pipe(cli, quiet, path);
    enum tare_status status = stored_file_text(path, &text, &err);
    if (!status) {
        status = read_one(&l, &text, r, &err);
        if (l.several && r->session && set)
            status = read_set(&l, &text, set, &err);
        else if (!status && set && (status = sessions_keep(set, cli->arena, r)))
            err_set(&err, status, "no memory for another session");
        if (status)
            err_prefix(&err, path);
    }
    buf_finish(&text);
    enum exit_code code = status == TARE_INVALID ? EXIT_USAGE : l.changed ? EXIT_INVALID : EXIT_TOOL;
    return status ? cli_fail(cli, code, &err) : EXIT_ANSWERED;
}

enum exit_code stored_file_load(struct cli *cli, const char *path, bool quiet, struct record *r)
{
    return load(cli, path, quiet, NULL, r);
}

enum exit_code stored_file_load_set(struct cli *cli, const char *path, bool quiet, struct kept_sessions *out)
{
    struct record r = {0};
    enum exit_code code = load(cli, path, quiet, out, &r);
    record_finish(&r);
    return code;
}

static const char *file_name(const char *path)
{
    const char *name = plat_base_name(path);
    return *name ? name : path;
}

void stored_file_names(const char *first, const char *second, const char *out[2])
{
    out[0] = !strcmp(first, "-") ? "standard input" : file_name(first);
    out[1] = !strcmp(second, "-") ? "standard input" : file_name(second);
    if (strcmp(out[0], out[1]) != 0)
        return;
    out[0] = strcmp(first, second) ? first : "first";
    out[1] = strcmp(first, second) ? second : "second";
}
