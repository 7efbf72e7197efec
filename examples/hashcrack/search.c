/* SPDX-License-Identifier: MIT */
#include "search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum search_end search_failed(struct search *s, const char *what, int error)
{
    s->what = what;
    s->error = error;
    return SEARCH_FAILED;
}

enum search_end search_found(struct search *s, const char *word, size_t length)
{
    s->word = malloc(length ? length : 1);
    if (!s->word)
        return search_failed(s, "keeping the answer", ENOMEM);
    memcpy(s->word, word, length);
    s->length = length;
    return SEARCH_FOUND;
}

void search_finish(struct search *s)
{
    free(s->word);
}
