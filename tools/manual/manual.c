/* SPDX-License-Identifier: MIT */
#include "manual.h"
#include "command.h"
#include "help.h"
#include "option_value.h"
#include <ctype.h>
#include <string.h>

/* ---- scdoc's own characters ---- */

static void put_escaped(struct buf *b, const char *text, int len)
{
    for (int i = 0; i < len; i++)
        buf_format(b, "%s%c", strchr("*_\\#`~<>[]|", text[i]) ? "\\" : "", text[i]);
}

static void put_text(struct buf *b, const char *text)
{
    put_escaped(b, text, (int)strlen(text));
}

/* Words in capitals are what the reader fills in: underlined. */
static void put_usage(struct buf *b, const char *text)
{
    while (*text) {
        int capitals = 0;
        while (isupper((unsigned char)text[capitals]))
            capitals++;
        if (capitals)
            buf_format(b, "_%.*s_", capitals, text);
        else
            put_escaped(b, text, 1);
        text += capitals ? capitals : 1;
    }
}

/* ---- the parts ---- */

static void put_name_line(struct buf *b, const char *name, const char *summary)
{
    buf_format(b, "tare-%s - ", name);
    put_text(b, summary);
    buf_char(b, '\n');
}

static void put_name(struct buf *b, const struct command *c)
{
    put_name_line(b, c->name, c->summary);
}

static void put_synopsis(struct buf *b, const struct command *c)
{
    for (int i = 0; c->synopsis[i]; i++) {
        buf_format(b, "%s*tare %s* ", i ? "++\n" : "", c->name);
        put_usage(b, c->synopsis[i]);
        buf_char(b, c->synopsis[i + 1] ? ' ' : '\n');
    }
}

static void put_option_head(struct buf *b, const struct option *o)
{
    if (o->letter)
        buf_format(b, "*-%c*%s", o->letter, o->name ? ", " : "");
    if (o->name)
        buf_format(b, "*--%s*", o->name);
    if (o->arg) {
        buf_str(b, option_may_take_value(o) ? "[=" : " ");
        put_usage(b, o->arg);
        buf_str(b, option_may_take_value(o) ? "]" : "");
    }
    buf_char(b, '\n');
}

static void put_facts(struct buf *b, const struct option *o)
{
    char room[200];
    struct buf range = buf_over(room, sizeof room);
    option_put_range(&range, o);
    if (range.len) {
        buf_str(b, " Allowed: ");
        put_text(b, room);
        buf_char(b, '.');
    }
    if (o->type == OPTION_WORD || o->type == OPTION_CHOICE) {
        const char *word;
        int len;
        for (int i = 0; option_choice(o, i, &word, &len); i++)
            buf_format(b, "%s%.*s", i ? ", " : " One of: ", len, word);
        buf_char(b, '.');
    }
    if (help_default(o)) {
        buf_str(b, " Default: ");
        put_text(b, help_default(o));
        buf_char(b, '.');
    }
}

static void put_option(struct buf *b, const struct option *o)
{
    put_option_head(b, o);
    buf_char(b, '\t');
    put_text(b, o->help);
    if (o->detail) {
        buf_char(b, ' ');
        put_text(b, o->detail);
    }
    put_facts(b, o);
    if (o->once)
        buf_str(b, " At most once.");
    buf_str(b, "\n\n");
}

static void put_options(struct buf *b, const struct command *c)
{
    const char *group = "";
    for (int i = 0; i < c->options.n; i++) {
        const struct option *o = &c->options.items[i];
        if (strcmp(group, o->group))
            buf_format(b, "## %s\n\n", o->group);
        group = o->group;
        put_option(b, o);
    }
}

static void put_examples(struct buf *b, const struct command *c)
{
    for (int i = 0; i < c->n_examples; i++) {
        const char *says = c->examples[i].says;
        buf_format(b, "%c", toupper((unsigned char)*says));
        put_text(b, says + 1);
        buf_format(b, ":\n\n```\n%s\n```\n\n", c->examples[i].line);
    }
}

static void put_commands(struct buf *b)
{
    for (int i = 0; commands[i]; i++) {
        const char *name, *summary;
        if (!command_listed(i, &name, &summary))
            continue;
        buf_format(b, "*tare-%s*(1)\n\t", name);
        put_text(b, summary);
        buf_str(b, "\n\n");
    }
}

/* ---- which command writes which format ---- */

static const char *format_of(const struct option *o)
{
    static const char export[] = "export-";
    return o->name && !strncmp(o->name, export, strlen(export)) ? o->name + strlen(export) : NULL;
}

static bool writes(const struct command *c, const char *format)
{
    for (int i = 0; i < c->options.n; i++) {
        const char *written = format_of(&c->options.items[i]);
        if (written && (!format || !strcmp(written, format)))
            return true;
    }
    return false;
}

/* One that an earlier command of the family has too has its row already. */
static bool is_new_format(const struct command_family *f, int command, const char *format)
{
    for (int i = 0; i < command; i++)
        if (command_family_of(commands[i]) == f && writes(commands[i], format))
            return false;
    return true;
}

static void put_format_row(struct buf *b, const struct command_family *f, const char *format)
{
    buf_format(b, "|  %s\n", format);
    for (int i = 0; commands[i]; i++)
        if (command_family_of(commands[i]) == f && writes(commands[i], NULL))
            buf_format(b, ":  %s\n", writes(commands[i], format) ? "x" : "-");
}

/* Of the commands of one word, or of a family: a table with a column for each command that exports and a row for each format. */
static void put_formats_of(struct buf *b, const struct command_family *f)
{
    buf_format(b, "|[ *%s*\n", f ? f->name : "format");
    for (int i = 0; commands[i]; i++)
        if (command_family_of(commands[i]) == f && writes(commands[i], NULL))
            buf_format(b, ":- *%s*\n", command_last_word(commands[i]));
    for (int i = 0; commands[i]; i++)
        for (int k = 0; k < commands[i]->options.n && command_family_of(commands[i]) == f; k++) {
            const char *format = format_of(&commands[i]->options.items[k]);
            if (format && is_new_format(f, i, format))
                put_format_row(b, f, format);
        }
    buf_char(b, '\n');
}

static void put_formats(struct buf *b)
{
    put_formats_of(b, NULL);
    for (int i = 0; command_families[i]; i++)
        put_formats_of(b, command_families[i]);
}

static void put_imports(struct buf *b)
{
    static const char *const rows[][3] = {
#define FOREIGN_FORMAT(word, source, maps, lost) {source, maps, lost},
#include "foreign_formats.def"
    };
    buf_str(b, "|[ *format*\n:[ *read*\n:[ *not read*\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 3; k++) {
            buf_str(b, k ? ":  " : "|  ");
            put_text(b, rows[i][k]);
            buf_char(b, '\n');
        }
    buf_char(b, '\n');
}

/* ---- the template ---- */

static const struct {
    const char *word;
    void (*put)(struct buf *b, const struct command *c);
} parts[] = {{"@name ", put_name}, {"@synopsis ", put_synopsis}, {"@options ", put_options}, {"@examples ", put_examples}};

static bool put_part(struct buf *b, const char *line, int len)
{
    char name[32];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int word = (int)strlen(parts[i].word);
        if (len <= word || len - word >= (int)sizeof name || memcmp(line, parts[i].word, (size_t)word))
            continue;
        memcpy(name, line + word, (size_t)(len - word));
        name[len - word] = '\0';
        const struct command_family *family = command_family_named(name);
        if (family && parts[i].put == put_name)
            put_name_line(b, name, family->summary);
        else if (command_named(name))
            parts[i].put(b, command_named(name));
        else
            return false;
        return true;
    }
    static const struct {
        const char *line;
        void (*put)(struct buf *b);
    } lists[] = {{"@commands", put_commands}, {"@formats", put_formats}, {"@imports", put_imports}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (len == (int)strlen(lists[i].line) && !memcmp(line, lists[i].line, (size_t)len)) {
            lists[i].put(b);
            return true;
        }
    return false;
}

static void put_line(struct buf *b, const char *line, int len, const char *version)
{
    static const char mark[] = "@VERSION@";
    int mark_len = (int)sizeof mark - 1;
    for (int i = 0; i < len;) {
        bool found = len - i >= mark_len && !memcmp(line + i, mark, (size_t)mark_len);
        if (found)
            buf_str(b, version);
        else
            buf_char(b, line[i]);
        i += found ? mark_len : 1;
    }
    buf_char(b, '\n');
}

enum tare_status manual_fill(struct buf *b, const char *template_text, const char *version, struct tare_err *err)
{
    int number = 1;
    for (const char *line = template_text; *line; number++) {
        int len = (int)strcspn(line, "\n");
        if (*line != '@')
            put_line(b, line, len, version);
        else if (!put_part(b, line, len))
            return err_set(err, TARE_INVALID, "line %d: '%.*s' is no part of the manual, or its command does not exist", number,
                           len > 60 ? 60 : len, line);
        line += len + (line[len] == '\n');
    }
    return b->status ? err_set(err, b->status, "%s", tare_status_text(b->status)) : TARE_OK;
}
