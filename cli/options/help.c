/* SPDX-License-Identifier: MIT */
#include "help.h"
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
    INDENT = 2,
    COLUMN = 26, /* where option heads and their texts begin */
    NAME = 13,
    SUMMARY = 25 /* where a command's name and its summary begin */
};

/* Fills lines from column `at` (where the cursor is now) with the words of text; further lines begin at column `left`. */
static void put_wrapped(struct buf *b, const char *text, int at, int left)
{
    bool first = true;
    for (const char *p = text + strspn(text, " "); *p; p += strspn(p, " ")) {
        int len = (int)strcspn(p, " ");
        if (!first && at + 1 + len > HELP_COLUMNS) {
            buf_char(b, '\n');
            buf_repeat(b, ' ', left);
            at = left;
            first = true;
        }
        buf_format(b, "%s%.*s", first ? "" : " ", len, p);
        at += len + !first;
        first = false;
        p += len;
    }
    buf_char(b, '\n');
}

static void pad_to(struct buf *b, size_t line_start, int column)
{
    int at = (int)(b->len - line_start);
    buf_repeat(b, ' ', column > at ? column - at : 1);
}

void help_option_head(struct buf *b, const struct option *o)
{
    if (o->letter)
        buf_format(b, "-%c%s", o->letter, o->name ? ", " : "");
    if (o->name)
        buf_format(b, "--%s", o->name);
    if (o->arg)
        buf_format(b, option_may_take_value(o) ? "[=%s]" : " %s", o->arg);
}

const char *help_default(const struct option *o)
{
    return o->preset_note ? o->preset_note : o->preset;
}

/* Up to the first ". " or "; ", or to the closing full stop. */
size_t help_sentence(const char *text)
{
    size_t len = 0;
    while (text[len] && !((text[len] == '.' || text[len] == ';') && (text[len + 1] == ' ' || !text[len + 1])))
        len++;
    return len;
}

static void put_option(struct buf *b, const struct option *o, bool all)
{
    char room[700];
    struct buf text = buf_over(room, sizeof room);
    size_t line = b->len;
    buf_repeat(b, ' ', o->letter ? INDENT : INDENT + 4);
    help_option_head(b, o);
    if (b->len - line + 2 > COLUMN) {
        buf_char(b, '\n');
        line = b->len;
    }
    pad_to(b, line, COLUMN);
    if (all)
        buf_str(&text, o->help);
    else
        buf_format(&text, "%.*s.", (int)help_sentence(o->help), o->help);
    const char *usual = all ? help_default(o) : o->preset;
    if (usual)
        buf_format(&text, " (default: %s)", usual);
    put_wrapped(b, room, COLUMN, COLUMN);
}

static void put_examples(struct buf *b, const struct example *examples, int n)
{
    buf_str(b, "\nExamples:\n");
    for (int i = 0; i < n; i++) {
        buf_format(b, "  %s\n      ", examples[i].line);
        put_wrapped(b, examples[i].says, 6, 6);
    }
}

static void put_description(struct buf *b, const char *text, bool all)
{
    char room[2000];
    struct buf part = buf_over(room, sizeof room);
    if (!text)
        return;
    buf_format(&part, "%.*s.", (int)(all ? strlen(text) - 1 : help_sentence(text)), text);
    buf_char(b, '\n');
    put_wrapped(b, room, 0, 0);
}

static void put_options(struct buf *b, const struct command *c, bool all)
{
    const char *group = "";
    if (!all)
        buf_str(b, "\nOptions:\n");
    for (int i = 0; i < c->options.n; i++) {
        const struct option *o = &c->options.items[i];
        if (all ? o->hidden : !o->common)
            continue;
        if (all && strcmp(group, o->group))
            buf_format(b, "\n%s:\n", o->group);
        group = o->group;
        put_option(b, o, all);
    }
}

void help_command(struct buf *b, const struct command *c, bool all)
{
    buf_format(b, "tare %s: ", c->name);
    put_wrapped(b, c->summary, (int)strlen(c->name) + 7, 2);
    buf_char(b, '\n');
    for (int i = 0; c->synopsis[i]; i++)
        buf_format(b, "%s tare %s %s\n", i ? "      " : "Usage:", c->name, c->synopsis[i]);
    put_description(b, c->description, all);
    put_examples(b, c->examples, all || c->n_examples < HELP_EXAMPLES ? c->n_examples : HELP_EXAMPLES);
    put_options(b, c, all);
}

const struct help_topic help_topics[] = {
    {"record",
     "A record is the file that tare run --save FILE writes and tare show FILE reads: JSON Lines in UTF-8, one object per line. "
     "Each run is written when it ends, so a killed session can be read up to its last run. Lines: header, machine, "
     "conditions, build, subject, metric, columns, row, estimate, comparison, finding, trailer."},
    {"export",
     "An export is a file that --export-json, --export-csv, --export-markdown, --export-asciidoc or --export-orgmode of tare run "
     "and tare show writes. hyperfine's keys and columns come first, with their meanings; times are seconds in JSON and CSV. "
     "In tables the figure after the ± is the standard deviation, Relative is the ratio of the means, and Paired ratio is "
     "the typical ratio within rounds, on which the verdict is based."},
    {NULL, NULL},
};

const struct help_topic *help_topic_named(const char *name)
{
    for (const struct help_topic *t = help_topics; t->name; t++)
        if (!strcmp(t->name, name))
            return t;
    return NULL;
}

void help_topic(struct buf *b, const struct help_topic *t)
{
    put_wrapped(b, t->summary, 0, 0);
    buf_format(b, "\nFor more see the page tare-%s(5), which is not installed here.\n", t->name);
}

void help_term(struct buf *b, const struct glossary_term *t)
{
    char room[600];
    buf_print(room, sizeof room, "%s: %s", t->name, t->meaning);
    put_wrapped(b, room, 0, 0);
}

void help_family(struct buf *b, const struct command_family *f)
{
    buf_format(b, "tare %s: ", f->name);
    put_wrapped(b, f->summary, (int)strlen(f->name) + 7, 2);
    buf_format(b, "\nUsage: tare %s COMMAND [OPTION...]\n\n", f->name);
    put_wrapped(b, f->description, 0, 0);
    buf_str(b, "\nCommands:\n");
    for (int i = 0; commands[i]; i++) {
        if (command_family_of(commands[i]) != f)
            continue;
        size_t line = b->len;
        buf_format(b, "  %s", command_last_word(commands[i]));
        pad_to(b, line, NAME);
        put_wrapped(b, commands[i]->summary, NAME, NAME);
    }
    buf_format(b, "\nMore: tare %s COMMAND -h, tare help %s\n", f->name, f->name);
}

const struct example help_tool_examples[] = {
    {"tare run 'sort words'", "how long does it take?"},
    {"tare run 'sort words' 'sort -u words'", "which is faster, and how sure is it?"},
    {"tare run --save it.jsonl 'sort words'", "keep every run, for tare show it.jsonl"},
};

void help_tool(struct buf *b)
{
    buf_str(b, "tare measures the speed of programs and says how far each number can be trusted.\n\n");
    for (int i = 0; i < HELP_TOOL_EXAMPLES; i++)
        buf_format(b, "  %-39s %s\n", help_tool_examples[i].line, help_tool_examples[i].says);
    buf_str(b, "\nCommands:\n");
    const char *group = "";
    for (int i = 0; commands[i]; i++) {
        const char *name, *summary;
        if (command_listed(i, &name, &summary)) {
            size_t line = b->len;
            buf_format(b, "  %s", strcmp(group, commands[i]->group) ? commands[i]->group : "");
            pad_to(b, line, NAME);
            buf_str(b, name);
            pad_to(b, line, SUMMARY);
            put_wrapped(b, summary, SUMMARY, SUMMARY);
        }
        group = commands[i]->group;
    }
    buf_str(b, "\nMore: tare COMMAND --help, tare COMMAND --help-all, tare help COMMAND or TERM\n");
}

const struct glossary_term glossary[] = {
#define TERM(name, meaning) {name, meaning},
#include "glossary.def"
#undef TERM
    {NULL, NULL},
};

static int plain(char c)
{
    return c == '-' || c == '_' ? ' ' : tolower((unsigned char)c);
}

/* Whether the words are this name, or one of those that its commas part. */
static bool is_named(const char *name, const char *words)
{
    const char *w = words;
    for (; *name && plain(*name) == plain(*w); name++)
        w++;
    if (!*w && (!*name || *name == ','))
        return true;
    while (*name && *name != ',')
        name++;
    return *name && is_named(name + 2, words);
}

const struct glossary_term *glossary_find(const char *words)
{
    for (const struct glossary_term *t = glossary; t->name; t++)
        if (is_named(t->name, words))
            return t;
    return NULL;
}
