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
#include "record_read.h"
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

/* Whether another session follows, and not what a full disk or a crash left. OK or NO_MEMORY. */
static enum tare_status find_several(struct loading *l, const char *rest, size_t n, struct tare_err *err)
{
    struct record_reading next;
    struct record r = {0};
    const enum tare_status status = record_read(&r, rest, n, &next, err);
    l->several = !status || record_next(rest, n) < n;
    if (!l->several && status != TARE_NO_MEMORY)
        stored_file_passed_over(l->cli, l->path, l->quiet, n, err);
    record_reading_finish(&next);
    record_finish(&r);
    return status == TARE_NO_MEMORY ? status : TARE_OK;
}

/* Before the first session: one that was cut off in its own head, behind which others were measured. How long it is; 0: there are none. */
static size_t truncated_head(const struct loading *l, const char *text, size_t n, const struct tare_err *err)
{
    size_t truncated = record_next(text, n);
    if (truncated == n)
        return 0;
    stored_file_passed_over(l->cli, l->path, l->quiet, truncated, err);
    return truncated;
}

static enum tare_status read_one(struct loading *l, const struct buf *all, struct record *r, struct tare_err *err)
{
    struct record_reading reading;
    const char *text = buf_text(all);
    size_t n = all->len;
    enum tare_status status = stored_read(r, text, n, &reading, err);
    for (size_t head; status == TARE_TRUNCATED && (head = truncated_head(l, text, n, err));) {
        record_reading_finish(&reading);
        text += head;
        n -= head;
        status = record_read(r, text, n, &reading, err);
    }
    const bool damaged = !status && reading.changed && r->ended; /* what was cut off counts for nothing, damaged or not */
    if (!status && reading.consumed < n && !damaged)
        status = find_several(l, text + reading.consumed, n - reading.consumed, err);
    if (!status) {
        if (!l->several)
            stored_file_notes(l->cli, l->path, l->quiet, &reading);
        l->changed = reading.changed && !l->several;
        if (l->changed)
            status = err_set(err, TARE_FORMAT, "changed after it was written, so nothing is concluded from it; see tare show");
        else if (reading.consumed < n && l->several)
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
    const enum tare_status status = read_all(&l, text, out, &err);
    out->no_memory = status == TARE_NO_MEMORY;
    if (!status)
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
    enum tare_status status = stored_file_text(path, &text, &err);
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
        over.partial |= partial;
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

static enum tare_status take_text(void *context, const void *bytes, size_t n, struct tare_err *err)
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
    enum tare_status status = plat_input_pour(path, &(struct sink){.write = take_text, .context = &t}, err);
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
static enum exit_code load_sessions(struct cli *cli, const char *path, bool quiet, struct kept_sessions *set, struct record *r)
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
    return load_sessions(cli, path, quiet, NULL, r);
}

/* The session of a file, or the complete ones of a file with several of one plan (tare run --sessions), behind those that `out` has. */
static enum exit_code stored_file_load_set(struct cli *cli, const char *path, bool quiet, struct kept_sessions *out)
{
    struct record r = {0};
    enum exit_code code = load_sessions(cli, path, quiet, out, &r);
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

static enum tare_status check_path(const struct stored_side *side, int index, struct tare_err *err)
{
    const char *path = side->paths[index];
    for (int i = 0; i < index; i++)
        if (!strcmp(path, side->paths[i]) || plat_same_file(path, side->paths[i]))
            return err_set(err, TARE_INVALID, "%.200s is the same file as %.200s; give each once", path, side->paths[i]);
    return TARE_OK;
}

static bool is_cut_short(const struct record *r)
{
    return r->partial || r->unverified;
}

/* The session `index`, of the file `path`, beside those of the files before, which end at `first`. INVALID: it is there again; FORMAT: it does not belong. */
static enum tare_status check_session(const struct stored_side *side, const char *path, int first, int index,
                                      struct tare_err *err)
{
    const struct record *all = side->sessions.items, *own = &all[index];
    struct buf how = BUF_INIT(1 << 16);
    enum tare_status status = TARE_OK;
    for (int i = 0; i < first && !status; i++)
        if (session_is_again(own, &all[i]))
            status = err_set(err, TARE_INVALID, "%.200s has a session that a file before it has too; give each once", path);
    if (!status && sessions_differ(&all[0], own, &how))
        status = err_set(err, TARE_FORMAT, "not comparable: %.200s %.400s than %.200s", path, buf_text(&how), side->paths[0]);
    if (!status && (is_cut_short(own) || is_cut_short(&all[0])))
        status = err_set(err, TARE_FORMAT, "not comparable: %.200s was cut short, and sets are of complete sessions",
                         is_cut_short(own) ? path : side->paths[0]);
    buf_finish(&how);
    return status;
}

static enum exit_code load_file(struct cli *cli, bool quiet, struct stored_side *side, int index)
{
    struct tare_err err;
    const int first = side->sessions.n;
    const char *path = side->paths[index];
    enum tare_status status = check_path(side, index, &err);
    enum exit_code code = status ? EXIT_ANSWERED : stored_file_load_set(cli, path, quiet, &side->sessions);
    for (int i = first; i < side->sessions.n && first && !status && !code; i++)
        status = check_session(side, path, first, i, &err);
    return status ? cli_fail(cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_INVALID, &err) : code;
}

enum exit_code stored_side_load(struct cli *cli, bool quiet, struct stored_side *side)
{
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < side->n_paths && !code; i++)
        code = load_file(cli, quiet, side, i);
    return code;
}

void stored_side_finish(struct stored_side *side)
{
    if (side->n_paths)
        sessions_finish(&side->sessions);
    record_finish(&side->over);
}

bool stored_sides_are_sets(const struct stored_side sides[2])
{
    return sides[0].sessions.n > 1 || sides[1].sessions.n > 1;
}

const struct record *stored_side_record(const struct stored_side sides[2], int side)
{
    return stored_sides_are_sets(sides) ? &sides[side].over : &sides[side].sessions.items[0];
}

static enum tare_status check_sets(const struct stored_side sides[2], struct tare_err *err)
{
    const struct kept_sessions *a = &sides[0].sessions, *b = &sides[1].sessions;
    const struct record_kind *kinds[] = {record_kind(&a->items[0]), record_kind(&b->items[0])};
    for (int i = 0; i < 2; i++)
        if (kinds[i]->arcs || kinds[i]->own_commands)
            return err_set(err, TARE_INVALID, "sessions of tare %s are compared one with one; give one on each side",
                           kinds[i]->arcs ? "trace" : "system qualify");
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < b->n; k++)
            if (session_is_again(&a->items[i], &b->items[k]))
                return err_set(err, TARE_INVALID, "session %d of the reference is session %d of the other side; give each once",
                               i + 1, k + 1);
    return TARE_OK;
}

static const char *name_of(const struct stored_side *side, int index)
{
    return !side->n_paths ? "now" : side->n_paths > 1 ? (index ? "new" : "baseline") : side->paths[0];
}

enum tare_status stored_sides_compare(struct record *out, struct stored_side sides[2], struct stored_question *q,
                                      struct tare_err *err)
{
    const bool sets = stored_sides_are_sets(sides);
    enum tare_status status = TARE_OK;
    stored_file_names(name_of(&sides[0], 0), name_of(&sides[1], 1), q->names);
    for (int i = 0; i < 2 && sets && !status; i++) {
        q->sets[i] = (struct stored_set){sides[i].sessions.items, sides[i].sessions.n};
        status = analyse_sessions(&sides[i].over, q->sets[i].sessions, q->sets[i].n, err);
        if (status && sides[i].n_paths == 1)
            err_prefix(err, sides[i].paths[0]);
    }
    if (sets && !status)
        status = check_sets(sides, err);
    return status ? status : analyse_stored(out, stored_side_record(sides, 0), stored_side_record(sides, 1), q, err);
}

enum { HEAD_MAX = 1 << 24 };

struct head {
    struct buf text;
    bool enough;
};

static enum tare_status take_head(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    static const char first_row[] = "\n{\"type\":\"row\"";
    struct head *h = context;
    size_t searched = h->text.len < sizeof first_row ? 0 : h->text.len - sizeof first_row;
    buf_add(&h->text, bytes, n);
    h->enough = h->text.status == TARE_TOO_LARGE || strstr(buf_text(&h->text) + searched, first_row);
    if (h->enough)
        return err_set(err, TARE_TOO_LARGE, "the rest is not read");
    return h->text.status ? err_set(err, h->text.status, "no memory to read it") : TARE_OK;
}

/* A session that was cut off in its own head has nothing, and others may follow it. */
static enum tare_status read_first_session(struct record *r, const char *text, size_t n, struct tare_err *err)
{
    enum tare_status status;
    do {
        struct record_reading reading;
        status = record_read(r, text, n, &reading, err);
        record_reading_finish(&reading);
        size_t next = record_next(text, n);
        text += next;
        n -= next;
    } while (status == TARE_TRUNCATED && n);
    return status;
}

static enum tare_status is_there(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    (void)bytes;
    *(bool *)context = n > 0;
    return n ? err_set(err, TARE_TOO_LARGE, "the rest is not read") : TARE_OK;
}

bool stored_has_times(const char *path)
{
    bool has = false;
    struct buf times = BUF_INIT(1 << 16);
    buf_format(&times, "%s.raw", path);
    if (plat_same_file(buf_text(&times), buf_text(&times))) /* no pipe, for which nobody may ever write */
        (void)plat_input_pour(buf_text(&times), &(struct sink){.write = is_there, .context = &has}, NULL);
    buf_finish(&times);
    return has;
}

static enum tare_status check_kept(const char *path, const struct record *there, struct stored_keep by, struct tare_err *err)
{
    bool leaks = record_kind(there)->targets;
    if (there->session && by.sessions && by.leaks == leaks)
        return err_set(err, TARE_INVALID, "%.200s holds sessions already: --continue goes on after them; or give another file",
                       path);
    if (there->session)
        return err_set(err, TARE_INVALID, "--save would replace the sessions that %.200s holds; give another file", path);
    if (leaks && (by.sessions || !by.leaks) && stored_has_times(path))
        return err_set(err, TARE_INVALID,
                       "--save would replace the session of tare leak that %.200s holds, and leave its times in %.200s.raw; give "
                       "another file",
                       path, path);
    return TARE_OK;
}

/* Of a record that was moved away, or of somebody else. */
static enum tare_status check_times(const char *path, struct tare_err *err)
{
    if (!stored_has_times(path))
        return TARE_OK;
    return err_set(err, TARE_INVALID,
                   "--save would replace %.200s.raw, and there is no %.200s to which it belongs; move it, or give another file",
                   path, path);
}

enum tare_status stored_keep(const char *path, struct stored_keep by, struct tare_err *err)
{
    struct record there = {0};
    if (!path || !strcmp(path, "-") || !plat_same_file(path, path)) /* a pipe or a device holds nothing */
        return TARE_OK;
    struct head h = {.text = BUF_INIT(HEAD_MAX)};
    enum tare_status status = plat_input_pour(path, &(struct sink){.write = take_head, .context = &h}, err);
    if (!status || h.enough)
        status = read_first_session(&there, buf_text(&h.text), h.text.len, err);
    buf_finish(&h.text);
    if (!status)
        status = check_kept(path, &there, by, err);
    else if (status == TARE_NOT_FOUND && by.leaks && !by.sessions)
        status = check_times(path, err);
    else if (!by.sessions || status == TARE_NOT_FOUND || status == TARE_TRUNCATED)
        status = TARE_OK;
    else
        err_prefix(err, path);
    record_finish(&there);
    return status;
}
