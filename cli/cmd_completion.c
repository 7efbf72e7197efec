/* SPDX-License-Identifier: MIT
 *
 *     $ tare completion bash > ~/.local/share/bash-completion/completions/tare
 */
#include "buf.h"
#include "cli.h"
#include "completion.h"
#include "knob.h"
#include <string.h>

/* Those that tune can change. */
static void list_knobs(struct buf *b)
{
    const struct knob *k;
    for (int i = 0; (k = knob_at(i)); i++)
        if (k->files || k->number.path)
            buf_format(b, "%s%s", b->len ? " " : "", k->id);
}

int cmd_completion(struct cli *cli, const void *options)
{
    static const struct {
        const char *shell;
        void (*write)(struct buf *b, const char *knobs);
    } completions[] = {{"bash", completion_write_bash}, {"zsh", completion_write_zsh}, {"fish", completion_write_fish}};
    char room[2000];
    struct buf knobs = buf_over(room, sizeof room);
    struct buf b = BUF_INIT(1 << 20);
    struct tare_err err;
    (void)options;
    if (cli->operands.n != 1) {
        err_set(&err, TARE_INVALID, "name one shell: bash, zsh or fish");
        return cli_fail(cli, EXIT_USAGE, &err);
    }
    for (size_t i = 0; i < sizeof completions / sizeof *completions; i++)
        if (!strcmp(completions[i].shell, cli->operands.items[0])) {
            list_knobs(&knobs);
            completions[i].write(&b, room);
            return cli_print(cli, &b);
        }
    err_set(&err, TARE_INVALID, "'%.60s' is not known; choose one of: bash, zsh, fish", cli->operands.items[0]);
    return cli_fail(cli, EXIT_USAGE, &err);
}
