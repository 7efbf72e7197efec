/* SPDX-License-Identifier: MIT
 * How commands report: the result, the one line of a failure, the exit code that wins. */
#include "cli.h"
#include "quote.h"

/* Works without memory too; a line past its room is cut. */
static void say_line(struct cli *cli, const char *const *parts)
{
    enum { LINE_MAX_BYTES = 1 << 14 };
    char room[LINE_MAX_BYTES];
    struct buf line = buf_over(room, sizeof room - 1); /* the newline always fits */
    for (; *parts; parts++)
        quote_mask(&line, *parts, true);
    room[line.len] = '\n';
    cli->talk.write(cli->talk.context, room, line.len + 1, NULL);
}

void cli_note(struct cli *cli, const char *where, const char *text)
{
    say_line(cli, (const char *const[]){where, ": ", text, NULL});
}

void cli_say(struct cli *cli, bool quiet, struct buf *text)
{
    if (!quiet && text->len)
        cli_note(cli, "note", buf_text(text));
    buf_finish(text);
}

enum exit_code cli_fail(struct cli *cli, enum exit_code code, const struct tare_err *err)
{
    const char *name = cli->command ? cli->command->name : "";
    say_line(cli, (const char *const[]){"tare", *name ? " " : "", name, ": ", err->text, NULL});
    return code;
}

enum exit_code cli_refuse(struct cli *cli, enum tare_status status, const struct tare_err *err)
{
    return cli_fail(cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, err);
}

enum exit_code cli_worse(enum exit_code a, enum exit_code b)
{
    static const int rank[] = {
        [EXIT_ANSWERED] = 0, [EXIT_UNDECIDED] = 1, [EXIT_BAD] = 2,   [EXIT_INVALID] = 3,
        [EXIT_CHILD] = 4,    [EXIT_TOOL] = 5,      [EXIT_USAGE] = 6,
    };
    return rank[a] >= rank[b] ? a : b;
}

void cli_put_name(struct buf *b, const char *label, const char *name)
{
    if (label) {
        quote_mask(b, label, true);
        buf_char(b, '\t');
    }
    quote_mask(b, name, true);
    buf_char(b, '\n');
}

enum exit_code cli_print(struct cli *cli, struct buf *b)
{
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    cli->out.write(cli->out.context, buf_text(b), b->len, NULL);
    if (b->status) {
        err_set(&err, b->status, "%s while composing the result", tare_status_text(b->status));
        code = cli_fail(cli, EXIT_TOOL, &err);
    }
    buf_finish(b);
    return code;
}
