/* SPDX-License-Identifier: MIT
 *
 *     $ tare help run      opens tare-run(1), or prints what tare run -h prints when there is no manual
 *     $ tare help record   opens tare-record(5), or says in short what a record is
 */
#include "buf.h"
#include "cli.h"
#include "help.h"
#include "nearest.h"
#include <stdlib.h>

static enum tare_status unknown_topic(const char *word, struct tare_err *err)
{
    struct nearest near = {.word = word};
    for (int i = 0; commands[i]; i++)
        nearest_try(&near, commands[i]->name);
    for (int i = 0; command_families[i]; i++)
        nearest_try(&near, command_families[i]->name);
    for (const struct help_topic *t = help_topics; t->name; t++)
        nearest_try(&near, t->name);
    if (near.best)
        return err_set(err, TARE_INVALID, "there is no command or topic '%.60s'; did you mean tare help %s?", word, near.best);
    return err_set(err, TARE_INVALID, "there is no command or topic '%.60s'; tare -h lists them", word);
}

/* Words that are one command's name, or one word. */
static enum tare_status check_topic(const struct option_operands *operands, struct tare_err *err)
{
    int words;
    bool command = command_of_words(operands->n, operands->items, &words) >= 0;
    if (!command && !words && operands->n && !help_topic_named(operands->items[0]))
        return unknown_topic(operands->items[0], err);
    if (!command && words && operands->n > words)
        return err_set(err, TARE_INVALID, "there is no command '%.60s %.60s'; tare %.60s -h lists them", operands->items[0],
                       operands->items[1], operands->items[0]);
    words = words ? words : 1;
    if (operands->n > words)
        return err_set(err, TARE_INVALID, "one page at a time; '%.60s' is one too many", operands->items[words]);
    return TARE_OK;
}

/* The page's name is ours, so nothing of the user's reaches the shell. man decides itself whether to page. */
static bool open_page(int section, const char *name)
{
    char room[100];
    struct buf line = buf_over(room, sizeof room);
    buf_format(&line, "man %d tare%s%s 2>/dev/null", section, name ? "-" : "", name ? name : "");
    return system(room) == 0;
}

int cmd_help(struct cli *cli, const void *options)
{
    const char *word = cli->operands.n ? cli->operands.items[0] : NULL;
    int words, index = command_of_words(cli->operands.n, cli->operands.items, &words);
    const struct command *c = index < 0 ? NULL : commands[index];
    const struct command_family *family = word && !c ? command_family_named(word) : NULL;
    const struct help_topic *topic = word && !c && !family ? help_topic_named(word) : NULL;
    struct buf b = BUF_INIT(1 << 20);
    struct tare_err err;
    (void)options;
    if (check_topic(&cli->operands, &err))
        return cli_fail(cli, EXIT_USAGE, &err);
    if (open_page(topic ? 5 : 1, topic ? topic->name : c ? command_page(c) : family ? family->name : NULL))
        return EXIT_ANSWERED;
    if (topic)
        help_topic(&b, topic);
    else if (family)
        help_family(&b, family);
    else if (c)
        help_command(&b, c);
    else
        help_tool(&b);
    return cli_print(cli, &b);
}
