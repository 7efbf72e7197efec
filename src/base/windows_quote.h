/* SPDX-License-Identifier: MIT
 *
 * windows_quote.h - a word as the C libraries of Windows read it back from a command line, and whether it is cmd.exe that reads it, which does not.
 *
 *     windows_quote(&out, "say \"x\"");   // "say \"x\"", in quotes and its own ones behind backslashes
 *
 * In a header, as both the platform and the command line's words need it, and no measured program does.
 */
#ifndef WINDOWS_QUOTE_H
#define WINDOWS_QUOTE_H

#include "buf.h"
#include <stdbool.h>
#include <string.h>

/* Backslashes are themselves, but those before a quote, of which each needs another before it, and so do those at the end, behind which our own
 * quote comes. What cmd.exe would act upon is in quotes, too. */
static inline void windows_quote(struct buf *out, const char *word)
{
    if (*word && !strpbrk(word, " \t\n\v\"&|<>^")) {
        buf_str(out, word);
        return;
    }
    buf_char(out, '"');
    while (*word) {
        const size_t slashes = strspn(word, "\\");
        const char next = word[slashes];
        const size_t written = next == '"' ? 2 * slashes + 1 : next ? slashes : 2 * slashes;
        for (size_t i = 0; i < written; i++)
            buf_char(out, '\\');
        if (next)
            buf_char(out, next);
        word += slashes + (next != 0);
    }
    buf_char(out, '"');
}

/* Whatever the case of its letters. */
static inline bool windows_is_word(const char *word, const char *lower)
{
    for (; *lower; word++, lower++)
        if ((*word >= 'A' && *word <= 'Z' ? *word + 32 : *word) != *lower)
            return false;
    return !*word;
}

/* "C:\x\CMD.EXE", "cmd" */
static inline bool windows_is_cmd(const char *program)
{
    const char *name = program;
    for (const char *c = program; *c; c++)
        if (*c == '/' || *c == '\\')
            name = c + 1;
    return windows_is_word(name, "cmd") || windows_is_word(name, "cmd.exe");
}

#endif
