/* SPDX-License-Identifier: MIT */
#include "history_keep.h"
#include "history_reading.h"
#include "quote.h"
#include "screen.h"
#include "stored_file.h"
#include <string.h>

struct adding {
    struct cli *cli;
    const struct history_options *o;
    struct history_keep keep;
    int added, known; /* sessions: new ones, and those that were there */
    int passed;       /* files of a folder that hold no results */
};

static enum exit_code fail_at(const struct adding *a, const char *path, enum exit_code code, struct tare_err *err)
{
    err_prefix(err, path);
    return cli_fail(a->cli, code, err);
}

static enum exit_code say_added(const struct adding *a, const char *path)
{
    struct buf b = BUF_INIT(1 << 17);
    if (a->o->display.verbose) {
        quote_mask(&b, path, true);
        buf_str(&b, ": ");
        history_keep_line(&a->keep, &b);
        buf_format(&b, ", %d result%s\n", a->keep.n, buf_plural(a->keep.n));
    }
    return screen_text(a->cli, &a->o->display, &b);
}

static enum tare_status add_record(struct adding *a, struct record *r, bool changed, struct tare_err *err)
{
    if (changed)
        return err_set(err, TARE_INVALID, "it was changed after it was written, so it is not added");
    enum tare_status status = stored_file_complete(r, err);
    if (!status)
        status = history_keep_add(&a->keep, r, err);
    if (status)
        return status;
    a->added += a->keep.added;
    a->known += !a->keep.added;
    return TARE_OK;
}

/* Another session may follow, also what is left of one: without a run it holds nothing. In a folder, a file without results is passed over. */
static enum exit_code add_text(struct adding *a, const char *path, const char *text, size_t n, bool in_folder)
{
    enum exit_code code = EXIT_ANSWERED;
    for (const char *first = text; n > 0;) {
        struct record r = {0};
        struct record_reading reading;
        struct tare_err err;
        enum tare_status status =
            text == first ? stored_read(&r, text, n, &reading, &err) : record_read(&r, text, n, &reading, &err);
        const bool damaged = status && (text != first || record_starts(text, n));
        const bool foreign = status == TARE_FORMAT && !damaged && in_folder;
        const size_t consumed = !status ? reading.consumed : damaged ? record_next(text, n) : n;
        const bool empty = status == TARE_TRUNCATED && (text != first || consumed < n);
        if (!status) {
            stored_file_notes(a->cli, path, a->o->display.quiet, &reading);
            status = add_record(a, &r, reading.changed, &err);
        }
        a->passed += foreign;
        if (empty)
            stored_file_passed_over(a->cli, path, a->o->display.quiet, consumed, &err);
        else if (status && !foreign)
            code = cli_worse(
                code, fail_at(a, path, status == TARE_INVALID || status == TARE_NOT_FOUND ? EXIT_INVALID : EXIT_TOOL, &err));
        else if (!status)
            code = cli_worse(code, say_added(a, path));
        record_reading_finish(&reading);
        record_finish(&r);
        text += consumed;
        n -= consumed;
    }
    return code;
}

static enum exit_code add_file(struct adding *a, const char *path, bool in_folder)
{
    struct buf text = BUF_INIT(STORED_FILE_MAX);
    struct tare_err err;
    stored_file_note_pipe(a->cli, a->o->display.quiet, path);
    enum exit_code code = stored_file_text(path, &text, &err) ? fail_at(a, path, EXIT_TOOL, &err)
                                                              : add_text(a, path, buf_text(&text), text.len, in_folder);
    buf_finish(&text);
    return code;
}

static enum exit_code add_folder(struct adding *a, const char *path)
{
    struct buf names = BUF_INIT(1 << 26);
    struct tare_err err;
    int n = 0;
    const bool listed = !plat_directory_list(path, &names, &n, &err);
    enum exit_code code = listed ? EXIT_ANSWERED : fail_at(a, path, EXIT_TOOL, &err);
    const char *name = names.data;
    for (int i = 0; i < n && listed; i++, name += strlen(name) + 1) {
        const char *file = arena_format(a->cli->arena, "%s/%s", path, name);
        struct plat_file_state state;
        if (file && !plat_file_state(file, &state, NULL) && state.regular) /* a pipe would be waited for */
            code = cli_worse(code, add_file(a, file, true));
    }
    buf_finish(&names);
    return code;
}

static enum exit_code say_all(const struct adding *a)
{
    struct buf b = BUF_INIT(1 << 16);
    history_keep_total(&a->keep, a->added, a->known, true, &b);
    if (a->passed)
        buf_format(&b, "; %d file%s without results passed over", a->passed, buf_plural(a->passed));
    buf_char(&b, '\n');
    if (a->o->display.quiet)
        buf_clear(&b);
    return screen_text(a->cli, &a->o->display, &b);
}

int cmd_history_add(struct cli *cli, const void *options)
{
    struct adding a = {.cli = cli, .o = options};
    struct tare_err err;
    enum tare_status status = history_keep_open(&a.keep, a.o->dir, a.o->revision, a.o->class, cli->arena, &err);
    if (status)
        return cli_refuse(cli, status, &err);
    a.keep.session.build = a.o->build;
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < cli->operands.n; i++) {
        const char *path = cli->operands.items[i];
        code = cli_worse(code, plat_is_directory(path) ? add_folder(&a, path) : add_file(&a, path, false));
    }
    return code && !a.added && !a.known ? code : cli_worse(code, say_all(&a));
}
