/* SPDX-License-Identifier: MIT
 *
 * The script has two functions that know the tables (_tare_command: a command's options and operands; _tare_option: what
 * follows an option) and one that reads the line as option_parse does. Runs on bash 3.2 too, so no mapfile. */
#include "completion.h"

static const char offer[] = "_tare_offer()\n"
                            "{\n"
                            "    local before=''\n"
                            "    [[ $kind == list && $cur == *,* ]] && before=${cur%,*},\n"
                            "    COMPREPLY=($(compgen -W \"$choices\" -P \"$before\" -- \"${cur#\"$before\"}\"))\n"
                            "    local IFS=$'\\n'\n"
                            "    case $kind in\n"
                            "    files) COMPREPLY+=($(compgen -f -- \"$cur\")); compopt -o filenames 2>/dev/null ;;\n"
                            "    directories) COMPREPLY+=($(compgen -d -- \"$cur\")); compopt -o filenames 2>/dev/null ;;\n"
                            "    commands) COMPREPLY+=($(compgen -c -- \"$cur\")) ;;\n"
                            "    esac\n"
                            "    # bash replaces only what follows the last : or = of the word\n"
                            "    local i cut=\n"
                            "    [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]] && cut=${cur%\"${cur##*:}\"}\n"
                            "    [[ $COMP_WORDBREAKS == *=* ]] && prefix=''\n"
                            "    for i in \"${!COMPREPLY[@]}\"; do COMPREPLY[i]=$prefix${COMPREPLY[i]#\"$cut\"}; done\n"
                            "}\n\n";

static const char line[] =
    "# the words up to the cursor; what bash split at = and : is one word again\n"
    "_tare_line()\n"
    "{\n"
    "    local i word glue='' last=''\n"
    "    line=()\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $glue ]]; then\n"
    "            last+=$word glue=''\n"
    "        elif [[ $word == = && $last == --* && $last != *=* ]] || [[ $word == : && $last == *perf ]]; then\n"
    "            last+=$word glue=1\n"
    "        else\n"
    "            ((i > 1)) && line+=(\"$last\")\n"
    "            last=$word\n"
    "        fi\n"
    "    done\n"
    "    cur=$last\n"
    "}\n\n";

static const char reader[] =
    "_tare()\n"
    "{\n"
    "    local cur='' command word rest words='' choices='' kind='' options='' operand_choices='' operand_kind=''\n"
    "    local pending=0 dashes='' operands=0 prefix='' first=1\n"
    "    local -a line\n"
    "    COMPREPLY=()\n"
    "    _tare_line\n"
    "    command=${line[0]-}\n"
    "    if [[ ${line[1]-} ]] && _tare_command \"$command ${line[1]}\"; then\n"
    "        command+=\" ${line[1]}\" first=2\n"
    "    elif ! _tare_command \"$command\"; then\n"
    "        return 0\n"
    "    fi\n"
    "    for word in \"${line[@]:first}\"; do\n"
    "        if ((pending)); then\n"
    "            ((pending--))\n"
    "        elif [[ $dashes ]]; then\n"
    "            ((operands++))\n"
    "        elif [[ $word == -- ]]; then\n"
    "            dashes=1\n"
    "        elif [[ $word == --*=* ]]; then\n"
    "            _tare_option \"$command ${word%%=*}\"\n"
    "            ((pending = words > 1 ? words - 1 : 0))\n"
    "        elif [[ $word == --* ]]; then\n"
    "            _tare_option \"$command $word\"\n"
    "            pending=$words\n"
    "        elif [[ $word == -?* ]]; then\n"
    "            rest=${word#-}\n"
    "            while [[ $rest ]]; do\n"
    "                _tare_option \"$command -${rest:0:1}\"\n"
    "                rest=${rest:1}\n"
    "                if ((words)); then\n"
    "                    pending=$words\n"
    "                    [[ $rest ]] && ((pending--))\n"
    "                    break\n"
    "                fi\n"
    "            done\n"
    "        else\n"
    "            ((operands++))\n"
    "        fi\n"
    "    done\n"
    "    if ((pending)); then\n"
    "        :\n"
    "    elif [[ ! $dashes && $cur == --*=* ]]; then\n"
    "        _tare_option \"$command ${cur%%=*}\"\n"
    "        prefix=${cur%%=*}= cur=${cur#*=}\n"
    "    elif [[ ! $dashes && $cur == -* ]]; then\n"
    "        choices=$options kind=''\n"
    "    else\n"
    "        choices=$operand_choices kind=$operand_kind\n"
    "        [[ $dashes ]] && ((operands)) && kind=files\n"
    "    fi\n"
    "    _tare_offer\n"
    "}\n"
    "complete -F _tare tare\n";

static const char *kind_name(enum option_suggest suggest)
{
    static const char *const names[] = {
        [SUGGEST_NOTHING] = "",          [SUGGEST_FILES] = "files", [SUGGEST_DIRECTORIES] = "directories",
        [SUGGEST_COMMANDS] = "commands", [SUGGEST_TOPICS] = "",     [SUGGEST_KNOBS] = "list",
    };
    return names[suggest];
}

static void put_option_names(struct buf *b, const struct command *c)
{
    for (int i = 0; i < c->options.n; i++) {
        const struct option *o = &c->options.items[i];
        if (o->hidden)
            continue;
        if (o->letter)
            buf_format(b, "-%c ", o->letter);
        if (o->name)
            buf_format(b, "--%s ", o->name);
    }
}

static void completion_put_family(struct buf *b, const struct command_family *f)
{
    const char *gap = "";
    for (int i = 0; commands[i]; i++) {
        if (command_family_of(commands[i]) != f)
            continue;
        buf_format(b, "%s%s", gap, command_last_word(commands[i]));
        gap = " ";
    }
}

/* For the empty command: what may stand where the command's name is due. */
static void put_commands(struct buf *b)
{
    buf_str(b,
            "# the options and operands of a command\n_tare_command()\n{\n    case $1 in\n    '')\n        options='-h --help -V "
            "--version' operand_choices='");
    completion_put_commands(b);
    buf_str(b, "' ;;\n");
    for (int i = 0; command_families[i]; i++) {
        buf_format(b, "    '%s')\n        options='-h --help -V --version' operand_kind='' operand_choices='",
                   command_families[i]->name);
        completion_put_family(b, command_families[i]);
        buf_str(b, "' ;;\n");
    }
    for (int i = 0; commands[i]; i++) {
        const struct command *c = commands[i];
        buf_format(b, "    '%s')\n        options='", c->name);
        put_option_names(b, c);
        buf_str(b, "'\n        operand_choices='");
        if (c->operands == SUGGEST_TOPICS)
            completion_put_topics(b);
        buf_format(b, "%s' operand_kind='%s' ;;\n", c->operand_choices ? c->operand_choices : "", kind_name(c->operands));
    }
    buf_str(b, "    *) return 1 ;;\n    esac\n}\n\n");
}

static void put_option_case(struct buf *b, const struct command *c, const struct option *o, const char *knobs)
{
    const char *choices = completion_choices(o, knobs);
    if (o->hidden || (option_words(o) == 0 && !choices))
        return;
    buf_str(b, "    ");
    if (o->letter)
        buf_format(b, "'%s -%c'%s", c->name, o->letter, o->name ? " | " : "");
    if (o->name)
        buf_format(b, "'%s --%s'", c->name, o->name);
    buf_format(b, ") words=%d choices='%s' kind='%s' ;;\n", option_words(o), choices ? choices : "",
               kind_name(option_suggests(o)));
}

void completion_write_bash(struct buf *b, const char *knobs)
{
    buf_str(b, "# bash completion for tare, made by: tare completion bash\n# shellcheck shell=bash disable=SC2207,SC2034\n\n");
    put_commands(b);
    buf_str(b, "# how many words follow an option, and what they may be\n_tare_option()\n{\n    case $1 in\n");
    for (int i = 0; commands[i]; i++)
        for (int j = 0; j < commands[i]->options.n; j++)
            put_option_case(b, commands[i], &commands[i]->options.items[j], knobs);
    buf_str(b, "    *) words=0 choices='' kind='' ;;\n    esac\n}\n\n");
    buf_str(b, offer);
    buf_str(b, line);
    buf_str(b, reader);
}
