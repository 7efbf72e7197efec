/* SPDX-License-Identifier: MIT
 *
 *     $ tare help run      opens tare-run(1), or prints what tare run --help prints when there is no manual
 *     $ tare help record   opens tare-record(5), or says in short what a record is
 *     $ tare help margin   explains the term, as docs/glossary.md does
 */
#include "buf.h"
#include "cli.h"
#include "help.h"
#include "nearest.h"
#include <stdlib.h>
#include <string.h>

/* What was asked for: all NULL and no terms for tare itself. */
struct subject_of_help {
    const struct command *command;
    const struct command_family *family;
    const struct help_topic *topic;
    const struct glossary_term *first, *last; /* terms */
};

static const struct glossary_term *last_term(void)
{
    const struct glossary_term *t = glossary;
    while (t[1].name)
        t++;
    return t;
}

enum { SUGGESTED_MOST = 3 };

struct suggestions {
    const char *word;
    struct buf list;
    int n, slips; /* those with so many are added now */
};

static void suggest(struct suggestions *s, const char *candidate)
{
    int slips = strstr(candidate, s->word) ? 0 : nearest_slips(s->word, candidate);
    if (slips != s->slips || s->n == SUGGESTED_MOST || slips > ((int)strlen(candidate) + 2) / 3)
        return;
    buf_format(&s->list, "%stare help %s", s->n++ ? ", " : "", candidate);
}

static void suggest_all(struct suggestions *s)
{
    const char *name, *summary;
    for (int i = 0; commands[i]; i++)
        if (command_listed(i, &name, &summary))
            suggest(s, name);
    for (const struct help_topic *t = help_topics; t->name; t++)
        suggest(s, t->name);
    for (const struct glossary_term *t = glossary; t->name; t++)
        if (!command_named(t->name) && !help_topic_named(t->name))
            suggest(s, t->name);
}

static enum tare_status unknown_topic(const char *word, struct tare_err *err)
{
    char room[200];
    struct suggestions s = {.word = word, .list = buf_over(room, sizeof room)};
    for (int longest = 8; s.slips <= longest; s.slips++)
        suggest_all(&s);
    if (s.n)
        return err_set(err, TARE_INVALID, "there is no command, topic or term '%.60s'; did you mean %s?", word, room);
    return err_set(err, TARE_INVALID, "there is no command, topic or term '%.60s'; tare -h and tare help glossary list them",
                   word);
}

static enum tare_status find_subject(const struct option_operands *operands, struct subject_of_help *out, struct tare_err *err)
{
    char room[200];
    struct buf joined = buf_over(room, sizeof room);
    for (int i = 0; i < operands->n; i++)
        buf_format(&joined, "%s%s", i ? " " : "", operands->items[i]);
    int words, index = command_of_words(operands->n, operands->items, &words);
    *out = (struct subject_of_help){.command = index < 0 ? NULL : commands[index]};
    out->topic = help_topic_named(room);
    out->last = out->first = out->topic || index >= 0 ? NULL : glossary_find(room);
    if (!operands->n || words == operands->n) {
        out->family = operands->n && !out->command ? command_family_named(room) : NULL;
        return TARE_OK;
    }
    if (!strcmp(room, "glossary"))
        *out = (struct subject_of_help){.first = glossary, .last = last_term()};
    if (out->topic || (out->first && !words))
        return TARE_OK;
    if (words && index < 0)
        return err_set(err, TARE_INVALID, "there is no command '%.60s %.60s'; tare %.60s -h lists them", operands->items[0],
                       operands->items[1], operands->items[0]);
    if (words || help_topic_named(operands->items[0]))
        return err_set(err, TARE_INVALID, "one page at a time; '%.60s' is one too many", operands->items[words ? words : 1]);
    return unknown_topic(room, err);
}

/* The page's name is ours, so nothing of the user's reaches the shell. That there is a page is asked first: a man of an image without manuals says so and
 * succeeds. man decides itself whether to page. */
static bool open_page(int section, const char *name)
{
    char page[60], line[300];
    struct buf b = buf_over(page, sizeof page), all = buf_over(line, sizeof line);
    buf_format(&b, "%d tare%s%s", section, name ? "-" : "", name ? name : "");
    buf_format(&all, "page=$(man -w %s 2>/dev/null) && [ -r \"$page\" ] && man %s 2>/dev/null", page, page);
    return system(line) == 0;
}

int cmd_help(struct cli *cli, const void *options)
{
    struct subject_of_help s;
    struct buf b = BUF_INIT(1 << 20);
    struct tare_err err;
    (void)options;
    if (find_subject(&cli->operands, &s, &err))
        return cli_fail(cli, EXIT_USAGE, &err);
    if (s.first) {
        for (const struct glossary_term *t = s.first; t <= s.last; t++)
            help_term(&b, t);
        return cli_print(cli, &b);
    }
    if (open_page(s.topic ? 5 : 1, s.topic     ? s.topic->name
                                   : s.command ? command_page(s.command)
                                   : s.family  ? s.family->name
                                               : NULL))
        return EXIT_ANSWERED;
    if (s.topic)
        help_topic(&b, s.topic);
    else if (s.family)
        help_family(&b, s.family);
    else if (s.command)
        help_command(&b, s.command, false);
    else
        help_tool(&b);
    return cli_print(cli, &b);
}
