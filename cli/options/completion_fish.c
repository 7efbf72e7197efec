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
        [SUGGEST_KNOBS] = "",
    };
    if (suggest == SUGGEST_KNOBS) {
        buf_format(b, " -a '(__fish_append , %s)'", choices);
        return;
    }
    if (suggest == SUGGEST_FILES)
        buf_str(b, " -F");
    if (!choices && !*calls[suggest])
        return;
    buf_format(b, " -a '%s%s%s'", choices ? choices : "", choices && *calls[suggest] ? " " : "", calls[suggest]);
}

static void put_option(struct buf *b, const struct command *c, const struct option *o, const char *knobs)
{
    buf_format(b, "complete -c tare -n '__tare_is %s'", c->name);
    if (o->letter)
        buf_format(b, " -s %c", o->letter);
    if (o->name)
        buf_format(b, " -l %s", o->name);
    if (option_takes_value(o))
        buf_str(b, option_suggests(o) == SUGGEST_FILES ? " -r" : " -x");
    put_suggestions(b, completion_choices(o, knobs), option_suggests(o));
    buf_str(b, " -d '");
    completion_put_sentence(b, o->help, "\\", "\\'");
    buf_str(b, "'\n");
}

static void put_operands(struct buf *b, const struct command *c)
{
    if (!c->operands && !c->operand_choices)
        return;
    buf_format(b, "complete -c tare -n '__tare_is %s'", c->name);
    if (c->operands == SUGGEST_TOPICS) {
        buf_str(b, " -a '");
        completion_put_topics(b);
        buf_char(b, '\'');
    }
    put_suggestions(b, c->operand_choices, c->operands);
    buf_char(b, '\n');
}

/* fish's own __fish_seen_subcommand_from would take `tare system show` for tare show. */
static const char head[] = "# fish completion for tare, made by: tare completion fish\n"
                           "\n"
                           "# whether the line begins with tare and these words\n"
                           "function __tare_is\n"
                           "    set -l line (commandline -opc)\n"
                           "    test (count $line) -gt (count $argv); or return 1\n"
                           "    set -l last (math (count $argv) + 1)\n"
                           "    test \"$line[2..$last]\" = \"$argv\"\n"
                           "end\n"
                           "# whether it has these and no more\n"
                           "function __tare_is_just\n"
                           "    test (count (commandline -opc)) -eq (math (count $argv) + 1); and __tare_is $argv\n"
                           "end\n"
                           "\n"
                           "complete -c tare -f\n";

static void put_name(struct buf *b, const char *condition, const char *name, const char *summary)
{
    buf_format(b, "complete -c tare -n '%s' -a %s -d '", condition, name);
    completion_put_sentence(b, summary, "\\", "\\'");
    buf_str(b, "'\n");
}

void completion_write_fish(struct buf *b, const char *knobs)
{
    buf_str(b, head);
    for (int i = 0; commands[i]; i++) {
        const char *name, *summary;
        char room[64];
        struct buf condition = buf_over(room, sizeof room);
        if (command_listed(i, &name, &summary))
            put_name(b, "__fish_use_subcommand", name, summary);
        buf_format(&condition, "__tare_is_just %s", name);
        if (command_family_of(commands[i]))
            put_name(b, buf_text(&condition), command_last_word(commands[i]), commands[i]->summary);
    }
    buf_str(b, "complete -c tare -n __fish_use_subcommand -s h -l help -d 'Print the help'\n"
               "complete -c tare -n __fish_use_subcommand -s V -l version -d 'Print the version of tare'\n");
    for (int i = 0; commands[i]; i++) {
        put_operands(b, commands[i]);
        for (int j = 0; j < commands[i]->options.n; j++)
            if (!commands[i]->options.items[j].hidden)
                put_option(b, commands[i], &commands[i]->options.items[j], knobs);
    }
}
