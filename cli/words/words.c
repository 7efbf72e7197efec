/* SPDX-License-Identifier: MIT */
#include "words.h"
#include <string.h>

bool words_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

int words_column(const char *text, size_t offset)
{
    int column = 1;
    for (size_t i = 0; i < offset && text[i]; i++)
        column += ((unsigned char)text[i + 1] & 0xc0) != 0x80;
    return column;
}

struct words_cursor words_begin(const char *text)
{
    return (struct words_cursor){.text = text};
}

static enum words_step give_char(struct words_cursor *c, enum words_quoting quoting, size_t at, size_t byte_at)
{
    c->quoting = quoting;
    c->at = at;
    c->byte = c->text[byte_at];
    c->next = byte_at + 1;
    return WORDS_BYTE;
}

/* Does the backslash before `c` quote it here? Within double quotes only before what would be special there. */
static bool escapes(char quote, char c)
{
    return quote ? c == '$' || c == '`' || c == '"' || c == '\\' : c != 0;
}

enum words_step words_next(struct words_cursor *c)
{
    for (;;) {
        size_t at = c->next;
        char byte = c->text[at];
        if (!byte)
            return WORDS_END;
        if (c->quote == byte) {
            c->quote = 0;
            c->next++;
        } else if (c->quote == '\'') {
            return give_char(c, WORDS_SINGLE, at, at);
        } else if (byte == '\\' && c->text[at + 1] == '\n') {
            c->next += 2;
        } else if (byte == '\\' && escapes(c->quote, c->text[at + 1])) {
            return give_char(c, WORDS_ESCAPED, at, at + 1);
        } else if (c->quote) {
            return give_char(c, WORDS_DOUBLE, at, at);
        } else {
            give_char(c, WORDS_BARE, at, at);
            if (words_blank(byte))
                return WORDS_SEPARATOR;
            if (byte != '\'' && byte != '"')
                return WORDS_BYTE;
            c->quote = byte;
            c->quote_at = at;
            return WORDS_OPENED;
        }
    }
}

/* Writes the words one after the other, each closed by a zero, and returns how many there are. */
static int write_words(struct words_cursor *c, char *out)
{
    int n = 0;
    bool inside = false;
    enum words_step step;
    while ((step = words_next(c)) != WORDS_END) {
        if (step == WORDS_SEPARATOR) {
            if (inside)
                *out++ = 0;
            inside = false;
            continue;
        }
        n += !inside;
        inside = true;
        if (step == WORDS_BYTE)
            *out++ = c->byte;
    }
    return n;
}

enum tare_status words_listed(struct arena *a, const char *bytes, int n, const char *const **argv, struct tare_err *err)
{
    const char **words = arena_array(a, (size_t)n + 1, sizeof *words);
    if (!words)
        return err_no_memory(err);
    for (int i = 0; i < n; i++) {
        words[i] = bytes;
        bytes += strlen(bytes) + 1;
    }
    *argv = words;
    return TARE_OK;
}

enum tare_status words_split(struct arena *a, const char *text, const char *const **argv, int *n, struct tare_err *err)
{
    *argv = NULL;
    *n = 0;
    char *bytes = arena_alloc(a, strlen(text) + 1); /* unquoting never adds a byte */
    if (!bytes)
        return err_no_memory(err);
    struct words_cursor c = words_begin(text);
    int count = write_words(&c, bytes);
    if (c.quote)
        return err_set(err, TARE_INVALID, "unmatched %c at column %d; close it, or write \\%c to pass it on", c.quote,
                       words_column(text, c.quote_at), c.quote);
    *n = count;
    return words_listed(a, bytes, count, argv, err);
}

/* Bytes that mean nothing to any shell, wherever they stand in a word. */
static bool plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || ((unsigned char)c & 0x80) ||
           (c && strchr("%+,-./:@_", c));
}

/* A=1 as a first word would be an assignment; --a=1 is harmless, and common in the names of commands. */
static bool all_plain(const char *word)
{
    bool option = *word == '-';
    while (plain(*word) || (option && *word == '='))
        word++;
    return !*word;
}

void words_quote(struct buf *b, const char *word)
{
    if (*word && all_plain(word)) {
        buf_str(b, word);
        return;
    }
    buf_char(b, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            buf_str(b, "'\\''");
        else
            buf_char(b, *word);
    }
    buf_char(b, '\'');
}
