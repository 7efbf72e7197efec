/* SPDX-License-Identifier: MIT
 *
 *     $ tare completion bash > ~/.local/share/bash-completion/completions/tare
 */
#include "buf.h"
#include "cli.h"
#include "completion.h"
#include <string.h>

int cmd_completion(struct cli *cli, const void *options)
{
    static const struct {
        const char *shell;
        void (*write)(struct buf *b);
    } completions[] = {{"bash", completion_write_bash}, {"zsh", completion_write_zsh}, {"fish", completion_write_fish}};
    struct buf b = BUF_INIT(1 << 20);
    struct tare_err err;
    (void)options;
    if (cli->operands.n != 1) {
        err_set(&err, TARE_INVALID, "name one shell: bash, zsh or fish");
        return cli_fail(cli, EXIT_USAGE, &err);
    }
    for (size_t i = 0; i < sizeof completions / sizeof *completions; i++)
        if (!strcmp(completions[i].shell, cli->operands.items[0])) {
            completions[i].write(&b);
            return cli_print(cli, &b);
        }
    err_set(&err, TARE_INVALID, "'%.60s' is not known; choose one of: bash, zsh, fish", cli->operands.items[0]);
    return cli_fail(cli, EXIT_USAGE, &err);
}
