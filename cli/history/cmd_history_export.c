/* SPDX-License-Identifier: MIT */
#include "cli.h"
#include "history_export.h"
#include "history_options.h"

enum { TEXT_MAX = 1 << 30 };

static enum tare_status write_text(struct cli *cli, const struct history_export_options *o, const struct history_reading *r,
                                   struct buf *b, struct tare_err *err)
{
    const struct history_choice which = {o->class, &o->filters};
    switch ((enum history_format)o->format) {
    case HISTORY_FORMAT_OTAVA:
        return history_export_otava(b, r, &which, cli->arena, err);
    case HISTORY_FORMAT_ACTION:
        return history_export_action(b, r, &which, cli->arena, err);
    case HISTORY_FORMAT_JSON:
        return history_export_json(b, r, &which, cli->arena, err);
    case HISTORY_FORMAT_CSV:
        break;
    }
    return history_export_csv(b, r, &which, err);
}

int cmd_history_export(struct cli *cli, const void *options)
{
    const struct history_export_options *o = options;
    const char *path = cli->operands.n ? cli->operands.items[0] : "-";
    struct history_reading r;
    struct buf text = BUF_INIT(TEXT_MAX);
    struct tare_err err;
    enum tare_status status = history_reading_open(&r, o->dir, cli->arena, &err);
    if (!status)
        status = write_text(cli, o, &r, &text, &err);
    for (int i = 0; !status && !o->display.quiet && i < history_n_problems(r.h); i++)
        cli_note(cli, history_problem_at(r.h, i)->path, history_problem_at(r.h, i)->text);
    if (!status && text.status)
        status = err_set(&err, text.status, "the export is too long");
    if (!status)
        status = plat_file_replace(path, buf_text(&text), text.len, &err);
    int code = status ? cli_fail(cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, &err) : EXIT_ANSWERED;
    buf_finish(&text);
    history_reading_close(&r);
    return code;
}
