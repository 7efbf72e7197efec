/* SPDX-License-Identifier: MIT
 *
 *     $ tare completion bash > ~/.local/share/bash-completion/completions/tare
 */
#include "buf.h"
#include "cli.h"
#include "completion.h"
#include <string.h>

static const struct completion completions[] = {
    {"bash", completion_write_bash},
    {"zsh", completion_write_zsh},
    {"fish", completion_write_fish},
    {NULL, NULL},
};

const struct completion *completion_named(const char *shell)
{
    for (const struct completion *c = completions; c->shell; c++)
        if (!strcmp(c->shell, shell))
            return c;
    return NULL;
}

int cmd_completion(struct cli *cli, const void *options)
{
    const struct completion *of_shell = cli->operands.n == 1 ? completion_named(cli->operands.items[0]) : NULL;
    struct buf b = BUF_INIT(1 << 20);
    struct tare_err err;
    (void)options;
    if (of_shell) {
        of_shell->write(&b);
        return cli_print(cli, &b);
    }
    if (cli->operands.n != 1)
        err_set(&err, TARE_INVALID, "name one shell: bash, zsh or fish");
    else
        err_set(&err, TARE_INVALID, "'%.60s' is not known; choose one of: bash, zsh, fish", cli->operands.items[0]);
    return cli_fail(cli, EXIT_USAGE, &err);
}
