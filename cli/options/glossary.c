/* SPDX-License-Identifier: MIT */
#include "glossary.h"
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>

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
