/* SPDX-License-Identifier: MIT
 *
 * All lines first, then the search: the simplest to think about. It reads the whole file, and pays memory for each line, also
 * for those behind the answer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"
#include "word_list.h"

struct word {
    char *text;
    size_t length;
};

struct array {
    struct word *words;
    size_t n, room;
};

static void array_finish(struct array *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->words[i].text);
    free(a->words);
}

static bool array_grow(struct array *a)
{
    size_t room = a->room ? a->room * 2 : 1024;
    struct word *words = room <= SIZE_MAX / sizeof *words ? realloc(a->words, room * sizeof *words) : NULL;
    if (!words)
        return false;
    a->words = words;
    a->room = room;
    return true;
}

static bool array_add(struct array *a, const char *text, size_t length)
{
    if (a->n == a->room && !array_grow(a))
        return false;
    char *copy = malloc(length ? length : 1);
    if (!copy)
        return false;
    memcpy(copy, text, length);
    a->words[a->n++] = (struct word){copy, length};
    return true;
}

static int read_all(struct array *a, struct word_list *list) /* 0 or errno */
{
    while (word_list_next(list))
        if (!array_add(a, list->word, list->length))
            return ENOMEM;
    return list->error;
}

static enum search_end look_through(struct search *s, const struct array *a, struct sha256 *sha)
{
    for (size_t i = 0; i < a->n; i++) {
        s->lines++;
        int hit = sha256_is(sha, a->words[i].text, a->words[i].length, s->want);
        if (hit < 0)
            return search_failed(s, "computing SHA-256", 0);
        if (hit)
            return search_found(s, a->words[i].text, a->words[i].length);
    }
    return SEARCH_ABSENT;
}

enum search_end search_array(struct search *s)
{
    struct word_list list;
    struct array array = {0};
    struct sha256 sha = {0};
    enum search_end end;
    int error;
    if (!word_list_open(&list, s->path))
        end = search_failed(s, "opening", list.error);
    else if ((error = read_all(&array, &list)) != 0)
        end = search_failed(s, "reading", error);
    else if (!sha256_init(&sha))
        end = search_failed(s, "starting OpenSSL's SHA-256", 0);
    else
        end = look_through(s, &array, &sha);
    sha256_finish(&sha);
    array_finish(&array);
    word_list_close(&list);
    return end;
}
