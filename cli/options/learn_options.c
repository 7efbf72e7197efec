/* SPDX-License-Identifier: MIT
 *
 * tare help and tare completion, which read the tables of all commands: so what they refuse is with their work. */
#include "command.h"

/* clang-format off */
static const struct option items[] = {
#include "common_options.def"
};
/* clang-format on */

static const struct example examples_of_help[] = {
    {"tare help run", "open the manual page of tare run"},
    {"tare help record", "open the page on the format of records"},
    {"tare help interim analysis", "explain a term"},
};

const struct command command_help = {
    .name = "help",
    .group = "learn",
    .summary = "open the manual of a command, or explain a term",
    .synopsis = (const char *const[]){"[COMMAND | TOPIC | TERM]", NULL},
    .description = "The topics are record and export, which describe file formats, and glossary, which lists all terms. If the "
                   "manual is not installed, prints short help instead.",
    .examples = examples_of_help,
    .n_examples = sizeof examples_of_help / sizeof *examples_of_help,
    .options = {items, sizeof items / sizeof *items, sizeof(struct option_base)},
    .operands = SUGGEST_TOPICS,
};

static const struct example examples_of_completion[] = {
    {"tare completion bash > ~/.local/share/bash-completion/completions/tare", "install it for bash"},
    {"tare completion fish > ~/.config/fish/completions/tare.fish", "install it for fish"},
    {"tare completion zsh > ~/.zfunc/_tare", "install it for zsh, if ~/.zfunc is in its fpath"},
};

const struct command command_completion = {
    .name = "completion",
    .group = "learn",
    .summary = "print completions for bash, zsh or fish",
    .synopsis = (const char *const[]){"SHELL", NULL},
    .description = "The package installs these scripts; use this command if tare was installed without it.",
    .examples = examples_of_completion,
    .n_examples = sizeof examples_of_completion / sizeof *examples_of_completion,
    .options = {items, sizeof items / sizeof *items, sizeof(struct option_base)},
    .operand_choices = "bash zsh fish",
};
