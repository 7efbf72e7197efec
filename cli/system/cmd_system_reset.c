/* SPDX-License-Identifier: MIT
 *
 * `tare system reset`: puts back what tare system tune changed.
 */
#include "journal.h"
#include "layout.h"
#include "plat.h"
#include "quote.h"
#include "screen.h"
#include "system_options.h"
#include "system_place.h"
#include "system_report.h"
#include "tune.h"

enum { TEXT_MAX = 1 << 24 };

struct resetting {
    struct cli *cli;
    const struct system_reset_options *o;
    struct system_place place;
    struct outputs outputs;
    struct render_options render;
};

static void put_entry(struct page *p, const struct journal_entry *e)
{
    quote_mask(&p->piece, e->path, p->o->unicode);
    buf_str(&p->piece, ": ");
    quote_mask(&p->piece, e->wrote ? e->wrote : "(kept)", p->o->unicode);
    buf_str(&p->piece, " → ");
    quote_mask(&p->piece, e->old ? e->old : "(not there)", p->o->unicode);
    flow_line(p, 2, HUE_PLAIN);
}

static enum exit_code put_json(struct resetting *r, const struct tune_report *report)
{
    return system_export(&r->outputs, r->cli, "reset", r->o->dry_run, NULL, report);
}

static enum exit_code print_plan(struct resetting *r, const struct journal *j)
{
    struct buf text = BUF_INIT(TEXT_MAX);
    struct page p = page_over(NULL, &r->render, &text);
    for (int i = journal_n(j) - 1; i >= 0 && r->render.verbosity >= 0; i--)
        if (journal_at(j, i)->open)
            put_entry(&p, journal_at(j, i));
    int n = journal_open_entries(j);
    if (journal_is_void(j))
        buf_format(&p.piece, "%d change%s of an earlier boot, which the reboot undid: nothing would be written", n,
                   buf_plural(n));
    else
        buf_format(&p.piece, "%d file%s would be restored", n, buf_plural(n));
    flow_line(&p, 0, HUE_BOLD);
    page_finish(&p);
    enum exit_code code = cli_worse(screen_text(r->cli, &r->o->display, &text), put_json(r, NULL));
    return cli_worse(code, journal_open_entries(j) && !journal_is_void(j) ? EXIT_BAD : EXIT_ANSWERED);
}

/* Lines that cannot be read or are missing may have been changes: what is left stays for who puts those back by hand. */
static enum exit_code say_damaged(struct resetting *r, const struct journal *j)
{
    struct tare_err err;
    struct buf room = err_room(&err);
    int n = journal_lost(j);
    buf_format(&room,
               "%d line%s of %s cannot be read or %s missing: restore by hand what it still holds, then remove it: tare system "
               "reset --force",
               n, buf_plural(n), journal_path(j), n == 1 ? "is" : "are");
    return cli_worse(put_json(r, NULL), cli_fail(r->cli, EXIT_TOOL, &err));
}

static enum exit_code say_nothing(struct resetting *r, struct journal *j)
{
    struct tare_err err;
    if (journal_lost(j) && !journal_is_void(j) && !r->o->force)
        return say_damaged(r, j);
    enum tare_status status =
        r->o->dry_run ? TARE_OK : journal_remove(j, &err); /* one whose owner died before its first change */
    struct buf text = BUF_INIT(TEXT_MAX);
    buf_str(&text, "nothing to restore: no change of tare system tune is recorded here\n");
    enum exit_code code = cli_worse(screen_text(r->cli, &r->o->display, &text), put_json(r, NULL));
    return status ? cli_worse(code, cli_fail(r->cli, EXIT_TOOL, &err)) : code;
}

/* The page names each; where there is none, standard error says that there are some. */
static enum exit_code say_unrestored(struct resetting *r)
{
    struct tare_err err;
    if (r->o->display.style != RENDER_NONE)
        return EXIT_TOOL;
    err_set(&err, TARE_IO, "not everything could be restored; without --style none tare says what");
    return cli_fail(r->cli, EXIT_TOOL, &err);
}

static enum exit_code put_back(struct resetting *r, struct journal *j)
{
    struct tare_err err;
    struct tune_report report = {.arena = r->cli->arena};
    bool lost = journal_lost(j) && !journal_is_void(j); /* the report says so */
    enum tare_status status = tune_reset(&r->place.root, j, r->o->force, &report, &err);
    struct buf text = BUF_INIT(TEXT_MAX);
    system_report_page(&report, true, &r->render, &text);
    if (report.conflicts && r->render.verbosity >= 0)
        buf_str(
            &text,
            "somebody else changed what is in conflict since; to write the old values all the same: tare system reset --force\n");
    enum exit_code code = cli_worse(screen_text(r->cli, &r->o->display, &text), put_json(r, &report));
    if (status)
        code = cli_worse(code, cli_fail(r->cli, EXIT_TOOL, &err));
    if (lost || report.refused || report.ineffective)
        code = cli_worse(code, say_unrestored(r));
    return cli_worse(code, report.conflicts ? EXIT_BAD : EXIT_ANSWERED);
}

static enum exit_code reset_all(struct resetting *r)
{
    struct journal *j;
    struct tare_err err;
    enum tare_status status = journal_open(&j, NULL, &r->place.root, &err);
    if (status == TARE_PERMISSION && !r->o->sysroot)
        return system_denied(r->cli, &err);
    if (status)
        return cli_fail(r->cli, EXIT_TOOL, &err);
    enum exit_code code = !journal_open_entries(j) ? say_nothing(r, j) : r->o->dry_run ? print_plan(r, j) : put_back(r, j);
    journal_close(j);
    return code;
}

int cmd_system_reset(struct cli *cli, const void *options)
{
    struct resetting r = {.cli = cli, .o = options};
    struct tare_err err;
    r.render = screen_options(&r.o->display);
    enum tare_status status = system_place_open(&r.place, r.o->sysroot, NULL, cli->arena, &err);
    if (!status && (status = plat_signals_watch())) /* what is begun is ended before a key that was pressed counts */
        err_set(&err, status, "cannot watch signals");
    if (status)
        return cli_refuse(cli, status, &err);
    if ((status = outputs_open(&r.outputs, &r.o->display, NULL, &err)))
        return cli_refuse(cli, status, &err);
    enum exit_code code = reset_all(&r);
    outputs_finish(&r.outputs, NULL);
    if (plat_signal())
        plat_die_of(plat_signal());
    return code;
}
