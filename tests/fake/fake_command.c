/* SPDX-License-Identifier: MIT */
#include "fake_command.h"
#include "buf.h"
#include "fake_state.h"
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <string.h>

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool fake_program_named(const struct fake_program *p, const char *name)
{
    return !strcmp(p->words[0], name) || !strcmp(p->words[0], last_part(name));
}

bool fake_is_shell(const char *name)
{
    static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh", "fish"};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(last_part(name), shells[i]))
            return true;
    return false;
}

/* The TEXT of `sh ... -c TEXT`, NULL when this is not that. */
static const char *shell_text(const char *const *argv)
{
    if (!argv[0] || !fake_is_shell(argv[0]))
        return NULL;
    for (int i = 1; argv[i]; i++)
        if (!strcmp(argv[i], "-c"))
            return argv[i + 1];
    return NULL;
}

/* ---- a shell's text, so far as a script needs it: words, quotes taken off, operators as words of their own ---- */

static bool is_operator(char c)
{
    return c && strchr("|&;<>()\n", c);
}

/* Reads one word from *p to out and ends it; returns the byte behind it. */
static char *shell_word(const char **p, char *out)
{
    char quote = 0;
    if (is_operator(**p))
        *out++ = *(*p)++;
    else
        for (; **p && (quote || (**p != ' ' && **p != '\t' && !is_operator(**p))); ++*p) {
            if (quote ? **p == quote : **p == '\'' || **p == '"')
                quote = quote ? 0 : **p;
            else
                *out++ = **p;
        }
    *out = 0;
    return out + 1;
}

static bool is_assignment(const char *word)
{
    size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    return n && word[n] == '=' && !(word[0] >= '0' && word[0] <= '9');
}

static bool read_shell(struct fake_command *c, const char *text)
{
    size_t length = strlen(text);
    char *room = arena_alloc(&c->arena, 2 * length + 1);
    c->words = arena_array(&c->arena, length + 1, sizeof *c->words);
    c->shown = arena_copy(&c->arena, text, length);
    if (!room || !c->words || !c->shown)
        return false;
    for (const char *p = text; p += strspn(p, " \t"), *p;) {
        c->words[c->n_words] = room;
        room = shell_word(&p, room);
        if (c->n_words || !is_assignment(c->words[0]))
            c->n_words++;
    }
    return true;
}

static bool read_argv(struct fake_command *c, const char *const *argv)
{
    int n = 0;
    while (argv[n])
        n++;
    c->words = arena_array(&c->arena, (size_t)n + 1, sizeof *c->words);
    struct buf shown = BUF_INIT(16 << 20);
    for (int i = 0; c->words && i < n; i++) {
        buf_format(&shown, "%s%s", i ? " " : "", argv[i]);
        if (!(c->words[i] = arena_strdup(&c->arena, argv[i])))
            break;
        c->n_words++;
    }
    c->shown = arena_strdup(&c->arena, buf_text(&shown));
    buf_finish(&shown);
    return c->words && c->n_words == n && c->shown;
}

bool fake_command_read(struct fake_command *c, const char *const *argv)
{
    const char *text = shell_text(argv);
    *c = (struct fake_command){.shell = text};
    if (text ? read_shell(c, text) : read_argv(c, argv))
        return true;
    fake_command_finish(c);
    return false;
}

void fake_command_finish(struct fake_command *c)
{
    arena_finish(&c->arena);
    *c = (struct fake_command){0};
}

static bool fits(const struct fake_command *c, const struct fake_program *p)
{
    if (p->n_words > c->n_words || !fake_program_named(p, c->words[0]))
        return false;
    for (int i = 1; i < p->n_words; i++)
        if (strcmp(p->words[i], c->words[i]))
            return false;
    return true;
}

struct fake_program *fake_command_match(const struct fake_command *c, struct fake_program *programs)
{
    struct fake_program *best = NULL;
    for (struct fake_program *p = programs; p; p = p->next)
        if (fits(c, p) && (!best || p->n_words >= best->n_words))
            best = p;
    return best;
}

static enum fake_found found_now(const struct fake_program *p)
{
    enum fake_found found = FOUND_OK;
    for (const struct fake_lookup *l = p->lookups; l; l = l->next)
        if (p->runs + 1 >= l->from_run)
            found = l->found;
    return found;
}

static enum fake_found look_up(const struct fake_script *s, const char *name)
{
    for (const struct fake_program *p = s->programs; p; p = p->next)
        if (fake_program_named(p, name))
            return found_now(p);
    return fake_is_shell(name) ? FOUND_OK : FOUND_NOT;
}

enum tare_status plat_find_program(const char *name, const char *const *envp, const char *cwd, struct buf *out,
                                   struct tare_err *err)
{
    (void)envp, (void)cwd;
    bool on_path = !strchr(name, '/');
    switch (look_up(&fake_state()->script, name)) {
    case FOUND_OK:
        break;
    case FOUND_NOT:
        return on_path ? err_set(err, TARE_NOT_FOUND, "cannot find the program %s on PATH", name)
                       : posix_fail(err, ENOENT, "cannot execute %s", name);
    case FOUND_DENIED:
        return posix_fail(err, EACCES, "cannot execute %s", name);
    case FOUND_DIRECTORY:
        return err_set(err, TARE_PERMISSION, "cannot execute %s: it is a directory", name);
    }
    buf_format(out, "%s%s", on_path ? "/fake/bin/" : "", name);
    return out->status;
}
