/* SPDX-License-Identifier: MIT */
#include "sessions_together.h"
#include "analyse_sessions.h"
#include "gate.h"
#include "plat.h"
#include "screen.h"
#include "stored_file.h"
#include <math.h>
#include <string.h>

/* ---- what they say ---- */

static enum exit_code show(struct cli *cli, const struct display_options *d, struct record *over, double fail_if_slower)
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
    if (analyse_sessions(&over, sessions, n, &err)) {
        code = (enum exit_code)cli_fail(cli, EXIT_TOOL, &err);
    } else {
        over.partial = partial;
        code = show(cli, d, &over, fail_if_slower);
        code = answer ? cli_worse(code, answer(&over)) : code;
        if (outputs_export(exports, &over, &err))
            code = cli_worse(code, (enum exit_code)cli_fail(cli, EXIT_TOOL, &err));
    }
    record_finish(&over);
    return code;
}

/* ---- those of a file ---- */

enum tare_status sessions_keep(struct kept_sessions *k, struct arena *a, struct record *r)
{
    if (k->n == k->room) {
        int room = k->room ? 2 * k->room : 16;
        struct record *items = arena_array(a, (size_t)room, sizeof *items);
        if (!items)
            return TARE_NO_MEMORY;
        if (k->n)
            memcpy(items, k->items, (size_t)k->n * sizeof *items);
        k->items = items;
        k->room = room;
    }
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

struct loading {
    struct cli *cli;
    const char *path;
    bool quiet;
    bool changed; /* a record that was changed after it was written */
    struct kept_sessions *out;
};

static enum tare_status take_whole(struct loading *l, struct record *r, bool changed, struct tare_err *err)
{
    l->changed |= changed;
    if (changed)
        return err_set(err, TARE_FORMAT, "not as it was written, so nothing is concluded from it; tare show has it");
    if (!record_is_whole(r))
        return TARE_OK;
    enum tare_status status = stored_file_complete(r, err);
    if (!status && sessions_keep(l->out, l->cli->arena, r))
        status = err_set(err, TARE_NO_MEMORY, "no memory for another session");
    return status;
}

/* One that was cut off before its first run holds nothing, and loses nothing; what a full disk or a crash left behind finished sessions, or in one
 * that was not finished, takes nothing from them. */
static enum tare_status take(struct loading *l, const char *text, size_t n, size_t *consumed, struct tare_err *err)
{
    struct record_reading reading;
    struct record r = {0};
    enum tare_status status = record_read(&r, text, n, &reading, err);
    *consumed = record_next(text, n);
    if (!status) {
        stored_file_notes(l->cli, l->path, l->quiet, &reading);
        *consumed = reading.consumed;
        status = take_whole(l, &r, reading.changed && r.ended, err);
    } else if (status == TARE_FORMAT && l->out->n) {
        stored_file_passed_over(l->cli, l->path, l->quiet, *consumed, err);
        status = TARE_OK;
    }
    record_finish(&r);
    record_reading_finish(&reading);
    return status == TARE_TRUNCATED ? TARE_OK : status;
}

enum tare_status sessions_read(struct cli *cli, const char *path, bool quiet, const struct buf *text, struct kept_sessions *out,
                               bool *changed, struct tare_err *err)
{
    struct loading l = {.cli = cli, .path = path, .quiet = quiet, .out = out};
    enum tare_status status = TARE_OK;
    for (size_t at = 0, consumed = 0; !status && at < text->len; at += consumed)
        status = take(&l, text->data + at, text->len - at, &consumed, err);
    *changed = l.changed;
    return status;
}

enum exit_code sessions_load(struct cli *cli, const char *path, bool quiet, struct kept_sessions *out)
{
    struct tare_err err;
    struct buf text = BUF_INIT(STORED_FILE_MAX);
    bool changed = false;
    enum tare_status status = plat_file_read(path, &text, &err);
    if (!status)
        status = sessions_read(cli, path, quiet, &text, out, &changed, &err);
    if (status == TARE_NOT_FOUND)
        status = TARE_OK;
    if (status)
        err_prefix(&err, path);
    buf_finish(&text);
    return status ? (enum exit_code)cli_fail(cli, changed ? EXIT_INVALID : EXIT_TOOL, &err) : EXIT_ANSWERED;
}
