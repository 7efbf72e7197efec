/* SPDX-License-Identifier: MIT
 *
 * One `complete` line for each option, under the condition that its command was typed. */
#include "completion.h"

static void put_suggestions(struct buf *b, const char *choices, enum option_suggest suggest)
{
    static const char *const calls[] = {
        [SUGGEST_NOTHING] = "",
        [SUGGEST_FILES] = "",
        [SUGGEST_DIRECTORIES] = "(__fish_complete_directories)",
        [SUGGEST_COMMANDS] = "(__fish_complete_command)",
        [SUGGEST_TOPICS] = "",
    };
    if (suggest == SUGGEST_FILES)
        buf_str(b, " -F");
    if (!choices && !*calls[suggest])
        return;
    buf_format(b, " -a '%s%s%s'", choices ? choices : "", choices && *calls[suggest] ? " " : "", calls[suggest]);
}

static void put_option(struct buf *b, const struct command *c, const struct option *o)
{
    buf_format(b, "complete -c tare -n '__fish_seen_subcommand_from %s'", c->name);
    if (o->letter)
        buf_format(b, " -s %c", o->letter);
    if (o->name)
        buf_format(b, " -l %s", o->name);
    if (option_takes_value(o))
        buf_str(b, option_suggests(o) == SUGGEST_FILES ? " -r" : " -x");
    put_suggestions(b, o->choices, option_suggests(o));
    buf_str(b, " -d '");
    completion_put_sentence(b, o->help, "\\", "\\'");
    buf_str(b, "'\n");
}

static void put_operands(struct buf *b, const struct command *c)
{
    if (!c->operands && !c->operand_choices)
        return;
    buf_format(b, "complete -c tare -n '__fish_seen_subcommand_from %s'", c->name);
    if (c->operands == SUGGEST_TOPICS) {
        buf_str(b, " -a '");
        completion_put_topics(b);
        buf_char(b, '\'');
    }
    put_suggestions(b, c->operand_choices, c->operands);
    buf_char(b, '\n');
}

void completion_write_fish(struct buf *b)
{
    buf_str(b, "# fish completion for tare, made by: tare completion fish\n\ncomplete -c tare -f\n");
    for (int i = 0; commands[i]; i++) {
        buf_format(b, "complete -c tare -n __fish_use_subcommand -a %s -d '", commands[i]->name);
        completion_put_sentence(b, commands[i]->summary, "\\", "\\'");
        buf_str(b, "'\n");
    }
    buf_str(b, "complete -c tare -n __fish_use_subcommand -s h -l help -d 'Print the help'\n"
               "complete -c tare -n __fish_use_subcommand -s V -l version -d 'Print the version of tare'\n");
    for (int i = 0; commands[i]; i++) {
        put_operands(b, commands[i]);
        for (int j = 0; j < commands[i]->options.n; j++)
            if (!commands[i]->options.items[j].hidden)
                put_option(b, commands[i], &commands[i]->options.items[j]);
    }
}
