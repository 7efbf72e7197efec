/* SPDX-License-Identifier: MIT
 *
 * One line at a time: stops reading where the answer is, and never holds more than one line.
 */
#include "search.h"
#include "word_list.h"

static enum search_end look_through(struct search *s, struct word_list *list, struct sha256 *sha)
{
    while (word_list_next(list)) {
        s->lines++;
        int hit = sha256_is(sha, list->word, list->length, s->want);
        if (hit < 0)
            return search_failed(s, "computing SHA-256", 0);
        if (hit)
            return search_found(s, list->word, list->length);
    }
    return list->error ? search_failed(s, "reading", list->error) : SEARCH_ABSENT;
}

enum search_end search_stream(struct search *s)
{
    struct word_list list;
    struct sha256 sha = {0};
    enum search_end end;
    if (!word_list_open(&list, s->path))
        end = search_failed(s, "opening", list.error);
    else if (!sha256_init(&sha))
        end = search_failed(s, "starting OpenSSL's SHA-256", 0);
    else
        end = look_through(s, &list, &sha);
    sha256_finish(&sha);
    word_list_close(&list);
    return end;
}
