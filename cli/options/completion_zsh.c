/* SPDX-License-Identifier: MIT
 *
 * One _arguments specification for each option. Inside them a colon ends a field, brackets hold the description. */
#include "completion.h"
#include <string.h>

static const char head[] =
    "#compdef tare\n"
    "# zsh completion for tare, made by: tare completion zsh\n"
    "\n"
    "# some words, and files beside them\n"
    "_tare_words_or_files() { compadd -- \"$@\"; _files }\n"
    "_tare_words_or_commands() { compadd -- \"$@\"; _command_names -e }\n"
    "_tare_list() { _sequence compadd - \"$@\" }\n"
    "_tare_command_line() { _command_names -e; _files }\n"
    "\n"
    "_tare()\n"
    "{\n"
    "    local context state state_descr line\n"
    "    typeset -A opt_args\n"
    "    _arguments -C '(- : *)'{-h,--help}'[Print the help]' '(- : *)'{-V,--version}'[Print the version of tare]' \\\n"
    "        '1:command:->command' '*::argument:->argument' && return\n"
    "    if [[ $state == command ]]; then\n"
    "        local -a list=(\n";

static void put_action(struct buf *b, const char *choices, enum option_suggest suggest)
{
    static const char *const plain[] = {
        [SUGGEST_NOTHING] = " ",
        [SUGGEST_FILES] = "_files",
        [SUGGEST_DIRECTORIES] = "_files -/",
        [SUGGEST_COMMANDS] = "_tare_command_line",
        [SUGGEST_TOPICS] = " ",
        [SUGGEST_KNOBS] = " ",
    };
    static const char *const with_choices[] = {
        [SUGGEST_NOTHING] = "(",
        [SUGGEST_FILES] = " _tare_words_or_files ",
        [SUGGEST_DIRECTORIES] = " _tare_words_or_files ",
        [SUGGEST_COMMANDS] = " _tare_words_or_commands ",
        [SUGGEST_TOPICS] = "(",
        [SUGGEST_KNOBS] = " _tare_list ",
    };
    const char *action = (choices ? with_choices : plain)[suggest];
    buf_str(b, action);
    for (const char *p = choices; p && *p; p++)
        buf_format(b, "%s%c", *p == ':' ? "\\" : "", *p);
    if (*action == '(')
        buf_char(b, ')');
}

/* ":VAR: :VALUES:action"; the choices belong to the last word. */
static void put_values(struct buf *b, const struct option *o, const char *knobs)
{
    int words = option_words(o);
    const char *arg = o->arg;
    for (int i = 0; i < words; i++) {
        int len = (int)strcspn(arg, " ");
        buf_format(b, ":%.*s:", len, arg);
        if (i + 1 == words)
            put_action(b, completion_choices(o, knobs), option_suggests(o));
        else
            buf_char(b, ' ');
        arg += len + (arg[len] == ' ');
    }
}

static void put_option(struct buf *b, const struct option *o, const char *knobs)
{
    const char *joined = option_takes_value(o) ? "+" : "";
    const char *equals = option_takes_value(o) ? "=" : option_may_take_value(o) ? "=-" : "";
    buf_str(b, "            ");
    if (!o->once && (o->type == OPTION_LIST || o->type == OPTION_COUNT))
        buf_str(b, "'*'");
    else if (o->letter && o->name)
        buf_format(b, "'(-%c --%s)'", o->letter, o->name);
    if (o->letter && o->name)
        buf_format(b, "{-%c%s,--%s%s}", o->letter, joined, o->name, equals);
    else if (o->letter)
        buf_format(b, "-%c%s", o->letter, joined);
    else
        buf_format(b, "--%s%s", o->name, equals);
    buf_str(b, "'[");
    completion_put_sentence(b, o->help, "[]:\\", "'\\''");
    buf_char(b, ']');
    if (option_may_take_value(o)) {
        buf_format(b, "::%s:", o->arg);
        put_action(b, completion_choices(o, knobs), option_suggests(o));
    }
    put_values(b, o, knobs);
    buf_str(b, "' \\\n");
}

static void put_operands(struct buf *b, const struct command *c)
{
    buf_str(b, "            '*:operand:");
    if (c->operands == SUGGEST_TOPICS) {
        buf_char(b, '(');
        completion_put_topics(b);
        buf_char(b, ')');
    } else
        put_action(b, c->operand_choices, c->operands);
    buf_str(b, "' ;;\n");
}

static void put_described(struct buf *b, const char *name, const char *summary)
{
    buf_format(b, "            '%s:", name);
    completion_put_sentence(b, summary, "\\:", "'\\''");
    buf_str(b, "'\n");
}

/* Of a family the second word is a part of the name, and what follows is read as if it stood behind one word. */
static void put_family(struct buf *b, const struct command_family *f)
{
    buf_format(b, "    if [[ $name == %s ]]; then\n        if ((CURRENT == 2)); then\n            local -a list=(\n", f->name);
    for (int i = 0; commands[i]; i++)
        if (command_family_of(commands[i]) == f)
            put_described(b, command_last_word(commands[i]), commands[i]->summary);
    buf_str(b, "            )\n            _describe -t commands 'command' list\n            return\n        fi\n"
               "        name+=\" $words[2]\"\n        shift words\n        ((CURRENT--))\n    fi\n");
}

void completion_write_zsh(struct buf *b, const char *knobs)
{
    buf_str(b, head);
    const char *name, *summary;
    for (int i = 0; commands[i]; i++)
        if (command_listed(i, &name, &summary))
            put_described(b, name, summary);
    buf_str(b, "        )\n        _describe -t commands 'command' list\n        return\n    fi\n");
    buf_str(b, "    local name=$words[1]\n");
    for (int i = 0; command_families[i]; i++)
        put_family(b, command_families[i]);
    buf_str(b, "    case $name in\n");
    for (int i = 0; commands[i]; i++) {
        buf_format(b, "    '%s')\n        _arguments -s -S \\\n", commands[i]->name);
        for (int j = 0; j < commands[i]->options.n; j++)
            if (!commands[i]->options.items[j].hidden)
                put_option(b, &commands[i]->options.items[j], knobs);
        put_operands(b, commands[i]);
    }
    buf_str(b, "    esac\n}\n\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then _tare \"$@\"; else compdef _tare tare; fi\n");
}
