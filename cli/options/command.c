/* SPDX-License-Identifier: MIT */
#include "command.h"
#include "buf.h"
#include "quote.h"
#include <string.h>

#define COMMAND(name) extern const struct command command_##name;
#include "commands.def"

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.def"
    NULL,
};

#define FAMILY(name) extern const struct command_family family_##name;
#include "families.def"

const struct command_family *const command_families[] = {
#define FAMILY(name) &family_##name,
#include "families.def"
    NULL,
};

const struct command *command_named(const char *name)
{
    for (int i = 0; commands[i]; i++)
        if (!strcmp(commands[i]->name, name))
            return commands[i];
    return NULL;
}

const struct command_family *command_family_named(const char *name)
{
    for (int i = 0; command_families[i]; i++)
        if (!strcmp(command_families[i]->name, name))
            return command_families[i];
    return NULL;
}

/* Whether `word` is what stands before the blank of this name. */
static bool begins_with_word(const char *name, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(name, word, n) && name[n] == ' ';
}

const struct command_family *command_family_of(const struct command *c)
{
    for (int i = 0; command_families[i]; i++)
        if (begins_with_word(c->name, command_families[i]->name))
            return command_families[i];
    return NULL;
}

bool command_listed(int index, const char **name, const char **summary)
{
    const struct command *c = commands[index];
    const struct command_family *f = command_family_of(c);
    *name = f ? f->name : c->name;
    *summary = f ? f->summary : c->summary;
    return !f || !index || command_family_of(commands[index - 1]) != f;
}

const char *command_last_word(const struct command *c)
{
    const char *blank = strchr(c->name, ' ');
    return blank ? blank + 1 : c->name;
}

const char *command_page(const struct command *c)
{
    const struct command_family *f = command_family_of(c);
    return f ? f->name : c->name;
}

int command_of_words(int n, const char *const *words, int *n_words)
{
    *n_words = n > 0 && command_family_named(words[0]) ? 1 : 0;
    for (int i = 0; commands[i] && n > 0; i++) {
        bool two = n > 1 && begins_with_word(commands[i]->name, words[0]), one = !command_family_of(commands[i]);
        if ((two && !strcmp(command_last_word(commands[i]), words[1])) || (one && !strcmp(commands[i]->name, words[0]))) {
            *n_words = two ? 2 : 1;
            return i;
        }
    }
    return -1;
}

void command_hint_quotes(const struct command *c, const struct option_operands *operands, int argc, char *const *argv,
                         struct tare_err *err)
{
    for (int i = 0; i < operands->n; i++)
        if (!operands->items[i][0] || strpbrk(operands->items[i], " \t\n"))
            return; /* who quotes one knows of it */
    if (!c->quoted || operands->dashes)
        return;
    const struct tare_err before = *err;
    struct buf line = BUF_INIT(1 << 12), one = BUF_INIT(1 << 12);
    for (int i = 0; i < argc; i++) {
        struct buf *to = i < operands->first ? &line : &one;
        buf_str(to, to->len ? " " : "");
        quote_word(to, argv[i], true);
    }
    buf_str(&line, line.len ? " " : "");
    quote_word(&line, buf_text(&one), true);
    const char *advice = strstr(before.text, OPTION_UNKNOWN);
    int kept = (int)(advice ? (size_t)(advice - before.text) : strlen(before.text));
    if (line.len < sizeof before.text / 2)
        err_set(err, TARE_INVALID, "%.*s; tare %s takes each command as one argument; did you mean: tare %s %s?", kept,
                before.text, c->name, c->name, buf_text(&line));
    buf_finish(&one);
    buf_finish(&line);
}
