/* SPDX-License-Identifier: MIT */
#include "completion.h"
#include "help.h"
#include <string.h>

void completion_put_commands(struct buf *b)
{
    const char *name, *summary;
    for (int i = 0; commands[i]; i++)
        if (command_listed(i, &name, &summary))
            buf_format(b, "%s%s", i ? " " : "", name);
}

void completion_put_family(struct buf *b, const struct command_family *f)
{
    const char *gap = "";
    for (int i = 0; commands[i]; i++) {
        if (command_family_of(commands[i]) != f)
            continue;
        buf_format(b, "%s%s", gap, command_last_word(commands[i]));
        gap = " ";
    }
}

void completion_put_topics(struct buf *b)
{
    completion_put_commands(b);
    for (const struct help_topic *t = help_topics; t->name; t++)
        buf_format(b, " %s", t->name);
}

/* Up to the first ". " or "; ", or to the closing full stop. */
static size_t sentence_length(const char *help)
{
    size_t len = 0;
    while (help[len] && !((help[len] == '.' || help[len] == ';') && (help[len + 1] == ' ' || !help[len + 1])))
        len++;
    return len;
}

void completion_put_sentence(struct buf *b, const char *help, const char *escaped, const char *quote)
{
    size_t len = sentence_length(help);
    for (const char *p = help; p < help + len; p++) {
        if (*p == '\'')
            buf_str(b, quote);
        else
            buf_format(b, "%s%c", strchr(escaped, *p) ? "\\" : "", *p);
    }
}
