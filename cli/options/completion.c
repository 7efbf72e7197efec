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

void completion_put_topics(struct buf *b)
{
    completion_put_commands(b);
    for (const struct help_topic *t = help_topics; t->name; t++)
        buf_format(b, " %s", t->name);
    buf_str(b, " glossary");
    for (const struct glossary_term *t = glossary; t->name; t++) {
        if (command_named(t->name) || help_topic_named(t->name))
            continue;
        buf_char(b, ' ');
        for (const char *p = t->name; *p;
             p++) /* a term is one word of the list, "effective-sample-size", and two by a comma are two */
            buf_char(b, p[0] == ',' ? ' ' : p[0] != ' ' ? p[0] : p[-1] == ',' ? ' ' : '-');
    }
}

void completion_put_sentence(struct buf *b, const char *help, const char *escaped, const char *quote)
{
    size_t len = help_sentence(help);
    for (const char *p = help; p < help + len; p++) {
        if (*p == '\'')
            buf_str(b, quote);
        else
            buf_format(b, "%s%c", strchr(escaped, *p) ? "\\" : "", *p);
    }
}

const char *completion_choices(const struct option *o, const char *knobs)
{
    return option_suggests(o) == SUGGEST_KNOBS ? knobs : o->choices;
}
