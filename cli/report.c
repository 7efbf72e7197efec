/* SPDX-License-Identifier: MIT
 * How commands report: the result, the one line of a failure, the exit code that wins. */
#include "cli.h"
#include <string.h>

static void mask_controls(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

int cli_fail(struct cli *cli, enum exit_code code, const struct tare_err *err)
{
    char room[sizeof err->text + 64];
    struct buf line = buf_over(room, sizeof room - 1); /* the newline always fits */
    buf_format(&line, "tare%s%s: %s", cli->command ? " " : "", cli->command ? cli->command->name : "", err->text);
    mask_controls(room);
    size_t len = strlen(room);
    room[len++] = '\n';
    cli->talk.write(cli->talk.context, room, len, NULL);
    return code;
}

enum exit_code cli_worse(enum exit_code a, enum exit_code b)
{
    static const int rank[] = {
        [EXIT_ANSWERED] = 0, [EXIT_UNDECIDED] = 1, [EXIT_BAD] = 2,   [EXIT_INVALID] = 3,
        [EXIT_CHILD] = 4,    [EXIT_TOOL] = 5,      [EXIT_USAGE] = 6,
    };
    return rank[a] >= rank[b] ? a : b;
}

int cli_print(struct cli *cli, struct buf *b)
{
    struct tare_err err;
    int code = EXIT_ANSWERED;
    cli->out.write(cli->out.context, buf_text(b), b->len, NULL);
    if (b->status) {
        err_set(&err, b->status, "%s while composing the result", tare_status_text(b->status));
        code = cli_fail(cli, EXIT_TOOL, &err);
    }
    buf_finish(b);
    return code;
}
