/* SPDX-License-Identifier: MIT */
#include "windows_words.h"
#include "words.h"
#include <string.h>

struct splitting {
    const char *at;
    char *out;
    bool quoted, program;
    const char *opened;
};

static void put_times(struct splitting *s, char c, size_t times)
{
    memset(s->out, c, times);
    s->out += times;
}

/* Of a text from a file of Windows, whose lines end in two characters. */
static bool blank_at(const char *at)
{
    return words_blank(*at) || (*at == '\r' && (!at[1] || at[1] == '\n'));
}

static void one_word(struct splitting *s)
{
    while (*s->at && (s->quoted || !blank_at(s->at))) {
        const size_t slashes = strspn(s->at, "\\");
        s->at += slashes;
        if (*s->at == '"') {
            /* A quote, and the backslashes before it. */
            put_times(s, '\\', s->program ? slashes : slashes / 2);
            if (!s->program && slashes % 2) {
                put_times(s, '"', 1);
            } else if (s->quoted && s->at[1] == '"') {
                put_times(s, '"', 1);
                s->at++;
            } else {
                s->quoted = !s->quoted;
                s->opened = s->at;
            }
            s->at++;
        } else if (slashes)
            put_times(s, '\\', slashes);
        else
            put_times(s, *s->at++, 1);
    }
    put_times(s, 0, 1);
}

static int write_words(struct splitting *s)
{
    int n = 0;
    for (;; n++) {
        while (*s->at && blank_at(s->at))
            s->at++;
        if (!*s->at)
            return n;
        s->program = !n;
        one_word(s);
    }
}

enum tare_status windows_words_split(struct arena *a, const char *text, const char *const **argv, int *n, struct tare_err *err)
{
    *argv = NULL;
    *n = 0;
    char *bytes = arena_alloc(a, strlen(text) + 1);
    if (!bytes)
        return err_no_memory(err);
    struct splitting s = {.at = text, .out = bytes};
    const int count = write_words(&s);
    if (s.quoted)
        return err_set(err, TARE_INVALID, "unmatched \" at column %d; close it, or write \\\" to pass it on",
                       words_column(text, (size_t)(s.opened - text)));
    *n = count;
    return words_listed(a, bytes, count, argv, err);
}

static const char *const builtins[] = {
    "assoc", "break",    "call",  "cd",    "chdir",  "cls",   "color", "copy", "date",   "del",    "dir",
    "echo",  "endlocal", "erase", "exit",  "for",    "ftype", "goto",  "if",   "md",     "mkdir",  "mklink",
    "move",  "path",     "pause", "popd",  "prompt", "pushd", "rd",    "rem",  "ren",    "rename", "rmdir",
    "set",   "setlocal", "shift", "start", "time",   "title", "type",  "ver",  "verify", "vol",
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Windows has variables with brackets in their names. */
static bool name_char(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || (c && strchr("_()", c));
}

static void found_need(struct shell_need *need, int kinds, enum shell_need_kind kind, const char *text, const char *at, size_t n)
{
    if (need->kind || !(kinds & (int)kind))
        return;
    need->kind = kind;
    n = n < sizeof need->what ? n : sizeof need->what - 1;
    memcpy(need->what, at, n);
    need->what[n] = 0;
    need->column = words_column(text, (size_t)(at - text));
}

/* "%PATH%", "%ProgramFiles(x86)%" */
static bool is_variable(const char *at)
{
    size_t n = 1;
    while (name_char(at[n]))
        n++;
    return n > 1 && (at[n] == '%' || at[n] == ':');
}

static void find_builtin(struct shell_need *need, int kinds, const char *text, shell_program_exists *exists, void *context)
{
    char word[16] = "";
    size_t n = 0;
    const char *start = text + strspn(text, " \t\n@(");
    for (; start[n] && !blank_at(start + n) && n + 1 < sizeof word; n++)
        word[n] = lower(start[n]);
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (!strcmp(word, builtins[i]) && !exists(context, word))
            found_need(need, kinds, SHELL_BUILTIN, text, start, n);
}

struct shell_need windows_shell_find(const char *text, int kinds, shell_program_exists *exists, void *context)
{
    struct shell_need need = {.kind = SHELL_NOT_NEEDED};
    const char *quote_at = NULL, *newline = NULL;
    find_builtin(&need, kinds, text, exists, context);
    for (const char *at = text; *at; at++) {
        if (newline && !words_blank(*at) && at[0] != '\r') {
            found_need(&need, kinds, SHELL_OPERATOR, text, newline, 1);
            newline = NULL;
        }
        if (*at == '%' && is_variable(at))
            found_need(&need, kinds, SHELL_EXPANSION, text, at, 1);
        if (*at == '"')
            quote_at = quote_at ? NULL : at;
        else if (!quote_at && strchr("&|<>^", *at))
            found_need(&need, kinds, SHELL_OPERATOR, text, at, 1);
        else if (!quote_at && *at == '\n' && at > text + strspn(text, " \t\n"))
            newline = at;
    }
    if (need.kind == SHELL_OPERATOR && need.what[0] == '\n')
        strcpy(need.what, "newline");
    need.open_quote = quote_at ? '"' : 0;
    need.quote_column = quote_at ? words_column(text, (size_t)(quote_at - text)) : 0;
    return need;
}
