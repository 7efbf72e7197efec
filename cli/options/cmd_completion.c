/* SPDX-License-Identifier: MIT
 *
 *     $ tare completion bash > ~/.local/share/bash-completion/completions/tare
 */
#include "buf.h"
#include "cli.h"
#include "completion.h"

struct completion_options {
    struct option_base base;
};

static const struct option items[] = {
#include "common_options.def"
};

static enum tare_status check(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    (void)options;
    (void)a;
    if (operands->n != 1)
        return err_set(err, TARE_INVALID, "name one shell: bash, zsh or fish");
    if (!completion_named(operands->items[0]))
        return err_set(err, TARE_INVALID, "'%.60s' is not known; choose one of: bash, zsh, fish", operands->items[0]);
    return TARE_OK;
}

int cmd_completion(struct cli *cli, const void *options)
{
    struct buf b = BUF_INIT(1 << 20);
    (void)options;
    completion_named(cli->operands.items[0])->write(&b);
    return cli_print(cli, &b);
}

static const char *const synopsis[] = {"SHELL", NULL};

static const struct example examples[] = {
    {"tare completion bash > ~/.local/share/bash-completion/completions/tare", "for the next bash"},
    {"tare completion fish > ~/.config/fish/completions/tare.fish", "for fish"},
    {"tare completion zsh > ~/.zfunc/_tare", "for zsh, when ~/.zfunc is on its fpath"},
};

const struct command command_completion = {
    .name = "completion",
    .group = "learn",
    .summary = "print completions for bash, zsh or fish",
    .synopsis = synopsis,
    .description = "An installed tare brings these scripts along; this is for a tare that was only copied somewhere.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct completion_options)},
    .operand_choices = "bash zsh fish",
    .check = check,
};
