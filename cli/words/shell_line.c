/* SPDX-License-Identifier: MIT */
#include "shell_line.h"
#include "words.h"
#include <ctype.h>
#include <string.h>

enum { DEEPEST = 3 };

struct splitting {
    struct arena *arena;
    struct shell_word *items;
    int n, room;
    bool failed;
    bool starts, redirected; /* what the next word is */
    bool shell;              /* a word of the command so far runs lines */
};

static void split_line(struct splitting *s, const char *line, int depth);

static const char *base_name(const char *word)
{
    const char *slash = strrchr(word, '/');
    return slash ? slash + 1 : word;
}

static bool runs_lines(const char *word)
{
    static const char *const names[] = {"su", "sg", "runuser", "flock", "script", NULL};
    const char *name = base_name(word);
    const size_t n = strlen(name);
    bool any = n >= 2 && !strcmp(name + n - 2, "sh");
    for (int i = 0; names[i]; i++)
        any |= !strcmp(name, names[i]);
    return any;
}

/* "-c", "-lc" of a shell: what follows is a line. To wc it is an option of its own. */
static bool before_line(const struct splitting *s)
{
    const char *option = s->n ? s->items[s->n - 1].text : "";
    const size_t n = strlen(option);
    return s->shell && *option == '-' && option[1] != '-' && n >= 2 && option[n - 1] == 'c';
}

static void add_word(struct splitting *s, const char *text, int depth)
{
    const bool line = depth < DEEPEST && before_line(s);
    if (s->n == s->room) {
        struct shell_word *grown = arena_array(s->arena, 2 * (size_t)s->room + 16, sizeof *grown);
        if (grown && s->n)
            memcpy(grown, s->items, (size_t)s->n * sizeof *grown);
        s->items = grown;
        s->room = 2 * s->room + 16;
    }
    s->failed |= !s->items || !text;
    if (s->failed)
        return;
    const struct shell_word word = {text, s->starts && !s->redirected, s->redirected};
    s->items[s->n++] = word;
    s->shell = (s->shell && !word.starts) || runs_lines(text);
    s->starts = s->starts && s->redirected;
    s->redirected = false;
    if (line)
        split_line(s, text, depth + 1);
}

/* A bare byte that ends a word. */
static void take_operator(struct splitting *s, char byte, char before)
{
    const bool of_redirection = before == '<' || before == '>'; /* >& >| */
    if (byte == '<' || byte == '>') {
        s->redirected = true;
    } else if (byte == '\n' || (!words_blank(byte) && !(of_redirection && strchr("&|", byte)))) {
        s->starts = true;
        s->redirected = false;
    }
}

static void split_line(struct splitting *s, const char *line, int depth)
{
    struct words_cursor c = words_begin(line);
    struct buf word = BUF_INIT(1 << 20);
    bool inside = false;
    char before = 0;
    s->starts = true;
    s->redirected = false;
    for (enum words_step step; !s->failed && (step = words_next(&c)) != WORDS_END;) {
        const bool bare =
            step == WORDS_SEPARATOR || (step == WORDS_BYTE && c.quoting == WORDS_BARE && strchr("|&;()<>`", c.byte));
        if (bare && inside) {
            add_word(s, arena_copy(s->arena, buf_text(&word), word.len), depth);
            buf_clear(&word);
        }
        if (bare)
            take_operator(s, c.byte, before);
        else if (step == WORDS_BYTE)
            buf_char(&word, c.byte);
        inside = !bare;
        before = bare ? c.byte : 0;
    }
    if (inside && !s->failed)
        add_word(s, arena_copy(s->arena, buf_text(&word), word.len), depth);
    s->failed |= word.status != TARE_OK;
    s->starts = s->redirected = false;
    buf_finish(&word);
}

int shell_line_words(struct arena *a, const char *const *argv, struct shell_word **out)
{
    struct splitting s = {.arena = a, .starts = true};
    for (int i = 0; argv && argv[i] && !s.failed; i++)
        add_word(&s, argv[i], 0);
    *out = s.items;
    return s.failed ? 0 : s.n;
}

static bool is_assignment(const char *word)
{
    const char *c = word;
    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    return c > word && *c == '=';
}

/* Another command follows, perhaps behind options and their numbers. */
static bool runs_another(const char *word)
{
    static const char *const names[] = {
        "if",      "then",    "elif",    "else",    "while",  "until",  "do",     "!",       "{",      "env",     "exec",
        "eval",    "time",    "command", "nice",    "ionice", "nohup",  "stdbuf", "chrt",    "setsid", "taskset", "timeout",
        "numactl", "setarch", "prlimit", "setpriv", "xargs",  "x86_64", "i386",   "unshare", "strace", "sudo",    NULL};
    const char *name = base_name(word);
    for (int i = 0; names[i]; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

const char *const *shell_line_command(struct arena *a, const struct shell_word *words, int n, int *at, bool *elsewhere,
                                      bool *wrapped)
{
    const char **argv = arena_array(a, (size_t)(n - *at) + 1, sizeof *argv);
    int kept = 0;
    *wrapped = false;
    for (int first = *at; argv && *at < n && (*at == first || !words[*at].starts); ++*at) {
        const char *text = words[*at].text;
        const bool option = *wrapped && (*text == '-' || isdigit((unsigned char)*text));
        if (words[*at].redirected || (!kept && (is_assignment(text) || option)))
            continue;
        if (!kept && runs_another(text))
            *wrapped = true;
        else
            argv[kept++] = text;
    }
    if (argv && kept && (!strcmp(argv[0], "cd") || !strcmp(argv[0], "pushd") || !strcmp(argv[0], "popd")))
        *elsewhere = true;
    return argv;
}
