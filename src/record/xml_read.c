/* SPDX-License-Identifier: MIT */
#include "xml_read.h"
#include <string.h>

static bool begins(const char *at, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - at) >= n && !memcmp(at, word, n);
}

const char *xml_find(const char *at, const char *end, const char *word)
{
    for (; (at = memchr(at, *word, (size_t)(end - at))); at++)
        if (begins(at, end, word))
            return at;
    return NULL;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The end of the tag: quoted values may have a ">" in them. */
static const char *tag_end(const char *at, const char *end)
{
    char quote = 0;
    for (; at < end; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '>')
            return at;
    }
    return NULL;
}

int xml_next(struct xml *x, struct xml_tag *t)
{
    static const char *const skipped[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    const char *at = x->at;
    while ((at = memchr(at, '<', (size_t)(x->end - at)))) {
        const char *close = NULL, *was = at;
        for (size_t i = 0; i < sizeof skipped / sizeof *skipped && at == was; i++)
            if (begins(at, x->end, skipped[i][0])) {
                if (!(close = xml_find(at, x->end, skipped[i][1])))
                    return -1;
                at = close + strlen(skipped[i][1]);
            }
        if (at != was)
            continue;
        *t = (struct xml_tag){.name = at + 1, .end = tag_end(at, x->end)};
        if (!t->end || at[1] == '!')
            return -1;
        t->closing = at[1] == '/';
        t->name += t->closing;
        t->empty = t->end[-1] == '/';
        while (t->name + t->n < t->end && !is_space(t->name[t->n]) && t->name[t->n] != '/')
            t->n++;
        x->at = t->end + 1;
        return 1;
    }
    return 0;
}

bool xml_is(const struct xml_tag *t, const char *name)
{
    return t->n == strlen(name) && !memcmp(t->name, name, t->n);
}

bool xml_attribute(const struct xml_tag *t, const char *name, const char **value, size_t *n)
{
    const char *at = t->name + t->n;
    while (at < t->end) {
        while (at < t->end && (is_space(*at) || *at == '/'))
            at++;
        const char *key = at;
        while (at < t->end && *at != '=' && !is_space(*at))
            at++;
        size_t length = (size_t)(at - key);
        while (at < t->end && *at != '"' && *at != '\'')
            at++;
        if (at == t->end)
            return false;
        const char *close = memchr(at + 1, *at, (size_t)(t->end - at - 1));
        if (!close)
            return false;
        *value = at + 1;
        *n = (size_t)(close - at - 1);
        at = close + 1;
        if (length == strlen(name) && !memcmp(key, name, length))
            return true;
    }
    return false;
}

void xml_decode(struct buf *b, const char *text, size_t n)
{
    static const struct {
        const char *entity;
        char sign;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (const char *at = text, *end = text + n; at < end;) {
        size_t i = 0;
        const size_t known = sizeof entities / sizeof *entities;
        while (i < known && !begins(at, end, entities[i].entity))
            i++;
        buf_char(b, i < known ? entities[i].sign : *at);
        at += i < known ? strlen(entities[i].entity) : 1;
    }
}
