/* SPDX-License-Identifier: MIT */
#include "history_import.h"
#include "history_keep.h"
#include "history_reading.h"
#include "screen.h"
#include "stored_file.h"
#include <string.h>

struct importing {
    struct cli *cli;
    const struct history_options *o;
    struct history_keep keep; /* its session: what it says of the repository */
    int added, known;
    struct { /* the last name of a commit and what it is in full */
        const char *given, *hash;
    } last;
};

static enum tare_status read_text(const struct importing *x, struct history_import *im, const struct buf *text,
                                  struct tare_err *err)
{
    static enum tare_status (*const readers[])(struct history_import *, const char *, size_t,
                                               struct tare_err *) = {[HISTORY_FORMAT_CSV] = history_import_csv,
                                                                     [HISTORY_FORMAT_OTAVA] = history_import_otava,
                                                                     [HISTORY_FORMAT_ACTION] = history_import_action,
                                                                     [HISTORY_FORMAT_AUTO] = history_import_any};
    return readers[x->o->format](im, buf_text(text), text->len, err);
}

static bool is_hash(const char *text)
{
    const size_t n = strlen(text);
    return (n == 40 || n == 64) && strspn(text, "0123456789abcdef") == n;
}

/* A name as "v1.2" or a short hash in full. */
static enum tare_status name_commit(struct importing *x, struct history_session *s, struct tare_err *err)
{
    if (is_hash(s->revision))
        return TARE_OK;
    if (x->last.given && !strcmp(x->last.given, s->revision)) {
        s->revision = x->last.hash;
        return TARE_OK;
    }
    const char *given = s->revision;
    enum tare_status status = history_place_commit(&x->keep.place, given, &s->revision, err);
    if (!status) {
        x->last.given = given;
        x->last.hash = s->revision;
    }
    return status;
}

static enum exit_code say_added(const struct importing *x, const struct history_entry *e, const char *id)
{
    struct buf b = BUF_INIT(1 << 16);
    if (x->o->display.verbose)
        buf_format(&b, "%.8s  %.7s, %d result%s\n", id, e->session.revision, e->n, buf_plural(e->n));
    return screen_text(x->cli, &x->o->display, &b);
}

static enum tare_status add_session(struct importing *x, const struct history_import *im, int session, struct tare_err *err)
{
    struct history_entry e;
    char id[HISTORY_ID_BYTES];
    bool added = false;
    enum tare_status status = history_import_entry(im, session, &e, err);
    if (!status)
        status = name_commit(x, &e.session, err);
    if (!status && !e.session.measured_utc_ns)
        status = history_place_time(&x->keep.place, e.session.revision, &e.session.measured_utc_ns, err);
    if (!status)
        status = history_add(x->keep.place.folder, &e, id, &added, err);
    if (status)
        return status;
    x->added += added;
    x->known += !added;
    say_added(x, &e, id);
    return TARE_OK;
}

static enum exit_code import_file(struct importing *x, const char *path)
{
    struct tare_err err;
    struct arena arena = {0};
    struct buf text = BUF_INIT(STORED_FILE_MAX);
    struct history_import im = {.arena = &arena,
                                .project = x->keep.session.project,
                                .folder = x->keep.session.folder,
                                .class = x->o->class,
                                .revision = x->keep.session.revision};
    stored_file_note_pipe(x->cli, x->o->display.quiet, path);
    enum tare_status status = plat_input_read(path, &text, &err);
    if (!status)
        status = read_text(x, &im, &text, &err);
    for (int i = 0; i < im.n_sessions && !status; i++)
        status = add_session(x, &im, i, &err);
    if (status)
        err_prefix(&err, path);
    history_import_finish(&im);
    buf_finish(&text);
    arena_finish(&arena);
    x->last.given = NULL;
    return status ? cli_fail(x->cli, EXIT_TOOL, &err) : EXIT_ANSWERED;
}

int cmd_history_import(struct cli *cli, const void *options)
{
    struct importing x = {.cli = cli, .o = options};
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    enum tare_status status = history_keep_begin(&x.keep, x.o->dir, x.o->revision, NULL, cli->arena, &err);
    if (status) {
        history_place_close(&x.keep.place);
        return cli_refuse(cli, status, &err);
    }
    for (int i = 0; i < cli->operands.n; i++)
        code = cli_worse(code, import_file(&x, cli->operands.items[i]));
    history_place_close(&x.keep.place);
    struct buf b = BUF_INIT(1 << 16);
    history_keep_total(&x.keep, x.added, x.known, false, &b);
    if (x.o->display.quiet || (code && !x.added && !x.known))
        buf_clear(&b);
    else
        buf_char(&b, '\n');
    return cli_worse(code, screen_text(cli, &x.o->display, &b));
}
