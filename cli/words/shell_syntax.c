/* SPDX-License-Identifier: MIT */
#include "shell_syntax.h"
#include "words.h"
#include <string.h>

/* POSIX special builtins, those regular builtins and bash builtins that act on the shell itself, and reserved words. Names that
 * are usually files as well (echo, printf, test, time ...) are here too: they count only where no such file exists. */
static const char *const builtins[] = {
    "!",       ".",       ":",       "[",       "[[",        "alias",    "bg",     "bind",    "break",   "builtin",  "caller",
    "case",    "cd",      "command", "compgen", "complete",  "continue", "coproc", "declare", "dirs",    "disown",   "echo",
    "enable",  "eval",    "exec",    "exit",    "export",    "false",    "fc",     "fg",      "for",     "function", "getopts",
    "hash",    "help",    "history", "if",      "jobs",      "kill",     "let",    "local",   "logout",  "mapfile",  "popd",
    "printf",  "pushd",   "pwd",     "read",    "readarray", "readonly", "return", "select",  "set",     "shift",    "shopt",
    "source",  "suspend", "test",    "time",    "times",     "trap",     "true",   "type",    "typeset", "ulimit",   "umask",
    "unalias", "unset",   "until",   "wait",    "while",
};

enum { WORD_KEPT = 16 };

struct scan {
    const char *text;
    struct words_cursor cursor;
    int kinds;
    struct shell_need need;
    int word;             /* 0 = before the first, 1 = in or after the first ... */
    bool inside;          /* a word has begun and no separator came */
    bool bare_name;       /* so far the word is an identifier without quoting */
    char kept[WORD_KEPT]; /* of the first word, unquoted, as much as fits */
    size_t n_kept, first_at;
    bool pending_newline;
    size_t newline_at;
    bool maybe_nested; /* something came after which quotes may pair in another way */
};

static void found_need(struct scan *s, enum shell_need_kind kind, const char *what, size_t n, size_t at)
{
    if (s->need.kind || !(s->kinds & (int)kind))
        return;
    s->need.kind = kind;
    n = n < sizeof s->need.what ? n : sizeof s->need.what - 1;
    memcpy(s->need.what, what, n);
    s->need.what[n] = 0;
    s->need.column = words_column(s->text, at);
}

static bool is_one_of(const char *set, char c)
{
    return c && strchr(set, c);
}

static bool name_char(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!first && c >= '0' && c <= '9');
}

static bool ends_word(char c)
{
    return !c || words_blank(c);
}

static void take_dollar(struct scan *s, size_t at, bool quoted)
{
    char after = s->text[at + 1];
    if (ends_word(after) || (quoted && after == '"'))
        return;
    s->maybe_nested |= after == '(' || after == '{' || after == '\'';
    found_need(s, SHELL_EXPANSION, "$", 1, at);
}

/* A bare byte of a word. `start`: the word's first. Returns how many bytes more it has dealt with. */
static size_t take_bare(struct scan *s, char c, size_t at, bool start)
{
    const char *text = s->text;
    if (is_one_of("|&;<>()`", c)) {
        s->maybe_nested |= c == '`' || (c == '<' && text[at + 1] == '<');
        found_need(s, SHELL_OPERATOR, text + at, 1, at);
    } else if (c == '$') {
        take_dollar(s, at, false);
    } else if (start && c == '{' && text[at + 1] == '}' && ends_word(text[at + 2])) {
        return 1;
    } else if (start && c == '[' && ends_word(text[at + 1])) {
        return 0;
    } else if (is_one_of("*?[{}", c) || (start && is_one_of("~#", c))) {
        s->maybe_nested |= c == '#';
        found_need(s, SHELL_EXPANSION, text + at, 1, at);
    } else if (c == '=' && !start && s->bare_name && s->word == 1) {
        found_need(s, SHELL_ASSIGNMENT, text + s->first_at, at - s->first_at + 1, s->first_at);
    }
    return 0;
}

static void begin_word(struct scan *s, size_t at)
{
    s->inside = true;
    s->bare_name = true;
    if (s->word++ == 0)
        s->first_at = at;
    if (s->pending_newline)
        found_need(s, SHELL_OPERATOR, "newline", 7, s->newline_at);
    s->pending_newline = false;
}

static void end_first_word(struct scan *s, shell_program_exists *exists, void *context)
{
    if (s->n_kept >= WORD_KEPT)
        return;
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strcmp(builtins[i], s->kept) == 0 && !exists(context, s->kept))
            found_need(s, SHELL_BUILTIN, s->kept, s->n_kept, s->first_at);
}

static void keep_char(struct scan *s, char c)
{
    if (s->word != 1)
        return;
    if (s->n_kept + 1 < WORD_KEPT)
        s->kept[s->n_kept] = c;
    s->n_kept++;
}

static void take_byte(struct scan *s, bool start)
{
    const struct words_cursor c = s->cursor;
    if (c.quoting == WORDS_BARE) {
        size_t more = take_bare(s, c.byte, c.at, start);
        s->cursor.next += more;
        keep_char(s, c.byte);
        s->bare_name = s->bare_name && name_char(c.byte, start);
        return;
    }
    s->bare_name = false;
    keep_char(s, c.byte);
    if (c.quoting == WORDS_DOUBLE && c.byte == '$')
        take_dollar(s, c.at, true);
    if (c.quoting == WORDS_DOUBLE && c.byte == '`') {
        s->maybe_nested = true;
        found_need(s, SHELL_OPERATOR, "`", 1, c.at);
    }
}

static void take_separator(struct scan *s, shell_program_exists *exists, void *context)
{
    if (s->inside && s->word == 1)
        end_first_word(s, exists, context);
    s->inside = false;
    if (s->cursor.byte == '\n' && s->word && !s->pending_newline) {
        s->pending_newline = true;
        s->newline_at = s->cursor.at;
    }
}

struct shell_need shell_syntax_find(const char *text, int kinds, shell_program_exists *exists, void *context)
{
    struct scan s = {.text = text, .cursor = words_begin(text), .kinds = kinds};
    enum words_step step;
    while ((step = words_next(&s.cursor)) != WORDS_END) {
        if (step == WORDS_SEPARATOR) {
            take_separator(&s, exists, context);
            continue;
        }
        bool start = !s.inside;
        if (start)
            begin_word(&s, s.cursor.at);
        if (step == WORDS_BYTE)
            take_byte(&s, start);
        else
            s.bare_name = false;
    }
    if (s.inside && s.word == 1)
        end_first_word(&s, exists, context);
    s.need.open_quote = s.cursor.quote;
    s.need.quote_column = s.cursor.quote ? words_column(text, s.cursor.quote_at) : 0;
    s.need.open_sure = s.cursor.quote && !s.maybe_nested;
    return s.need;
}

void shell_need_describe(struct buf *b, const struct shell_need *need)
{
    switch (need->kind) {
    case SHELL_BUILTIN:
        buf_format(b, "the shell builtin '%s'", need->what);
        break;
    case SHELL_ASSIGNMENT:
        buf_format(b, "the assignment %s at column %d", need->what, need->column);
        break;
    case SHELL_OPERATOR:
        buf_format(b, need->what[1] ? "a %s at column %d" : "'%s' at column %d", need->what, need->column);
        break;
    case SHELL_EXPANSION:
        buf_format(b, "'%s' at column %d", need->what, need->column);
        break;
    case SHELL_NOT_NEEDED:
        buf_str(b, "nothing");
        break;
    }
}
