/* SPDX-License-Identifier: MIT
 *
 * Who gets a shell. A shell is started only where a text needs one, because its start is part of what is measured and nothing
 * is ever subtracted. If one command of a comparison needs it all get it, so that its weight is on both sides. Hooks are not
 * timed and decide one by one. -S gives it to everything.
 *
 * -N forbids it, to hooks too. A text may then still hold characters that mean something to a shell. hyperfine passes them all on
 * without a word, so that `echo a | wc -l` measures an echo of five words. Here what would have started other programs, opened
 * files or set variables is an error: whoever wrote it wanted that, and a figure for something else is worse than none. What
 * would have changed a word (* $ ~ ...) is passed on with one line: patterns meant for the program itself (rg x[a-z]+) are
 * common and right.
 */
#include "subjects_work.h"
#include "windows_quote.h"
#include "windows_words.h"
#include <string.h>

enum { EXCERPT_BYTES = 60 };

enum tare_status subjects_note(struct work *w, struct buf *text)
{
    struct subject_plan *p = w->out;
    const bool room = arena_room(w->a, &p->notes, p->n_notes, &w->room_notes, sizeof *p->notes);
    const char *kept = room ? arena_strdup(w->a, buf_text(text)) : NULL;
    buf_finish(text);
    if (!kept)
        return err_no_memory(w->err);
    p->notes[p->n_notes++] = kept;
    return TARE_OK;
}

void subjects_excerpt(struct buf *b, const char *text)
{
    size_t n = strlen(text);
    if (n <= EXCERPT_BYTES) {
        buf_str(b, text);
        return;
    }
    for (n = EXCERPT_BYTES; n && ((unsigned char)text[n] & 0xc0) == 0x80;)
        n--;
    buf_add(b, text, n);
    buf_str(b, "...");
}

enum choice { SHELL_AUTO, SHELL_ALWAYS, SHELL_NEVER };

static const char *const posix_shell[] = {"/bin/sh", NULL}, *const windows_shell[] = {"cmd.exe", NULL};

struct shell {
    enum choice choice;
    const char *const *words;
    int n_words;
    const char *name;
    const struct work *w;
};

static struct shell_need find_need(const struct shell *sh, const char *text, int kinds)
{
    const struct subject_input *in = sh->w->in;
    return (in->windows ? windows_shell_find : shell_syntax_find)(text, kinds, in->program_exists, in->context);
}

static enum tare_status split_text(const struct work *w, const char *text, const char *const **argv, int *n)
{
    return (w->in->windows ? windows_words_split : words_split)(w->a, text, argv, n, w->err);
}

static enum tare_status read_shell(struct work *w, struct shell *sh)
{
    const char *given = w->in->shell, *const *usual = w->in->windows ? windows_shell : posix_shell;
    *sh = (struct shell){.choice = SHELL_AUTO, .words = usual, .n_words = 1, .name = usual[0], .w = w};
    if (given && w->in->no_shell)
        return err_set(w->err, TARE_INVALID, "-S and -N contradict each other; give one of them");
    if (w->in->no_shell || (given && strcmp(given, "none") == 0))
        sh->choice = SHELL_NEVER;
    else if (given)
        sh->choice = SHELL_ALWAYS;
    if (sh->choice != SHELL_ALWAYS || strcmp(given, "default") == 0)
        return TARE_OK;
    sh->name = given;
    enum tare_status status = split_text(w, given, &sh->words, &sh->n_words);
    if (!status && (sh->n_words == 0 || !*sh->words[0]))
        status = err_set(w->err, TARE_INVALID, "the shell's name is empty; give a program, \"default\" or \"none\"");
    if (status)
        err_prefix(w->err, "-S");
    return status;
}

/* SHELL... -c TEXT; of cmd.exe without what its user set to run first (/d), and all that is between the outer quotes (/s). NULL: out of memory. */
static const char *const *shelled(const struct shell *sh, const char *text)
{
    static const char *const cmd[] = {"/d", "/s", "/c"}, *const other[] = {"-c"};
    const bool windows = sh->w->in->windows && windows_is_cmd(sh->words[0]);
    const size_t n = (size_t)sh->n_words, options = windows ? 3 : 1;
    const char **argv = arena_array(sh->w->a, n + options + 2, sizeof *argv);
    if (!argv)
        return NULL;
    memcpy(argv, sh->words, n * sizeof *argv);
    memcpy(argv + n, windows ? cmd : other, options * sizeof *argv);
    const size_t bytes = strlen(text),
                 line_end = windows && bytes && text[bytes - 1] == '\r'; /* a part of the last word to cmd.exe */
    argv[n + options] = line_end ? arena_copy(sh->w->a, text, bytes - 1) : text;
    return argv[n + options] ? argv : NULL;
}

static enum tare_status split(const struct shell *sh, const char *text, const char *const **argv)
{
    int n;
    enum tare_status status = split_text(sh->w, text, argv, &n);
    if (status)
        return status;
    /* A text of '' or "" is not blank, and still names no program. */
    return n && *(*argv)[0] ? TARE_OK : err_set(sh->w->err, TARE_INVALID, "the program's name is empty");
}

/* An open quote is wrong for every shell, unless a here-document, a comment or a substitution before it changes the pairing. */
static enum tare_status check_quotes(const struct shell *sh, const struct shell_need *need)
{
    if (!need->open_sure)
        return TARE_OK;
    return err_set(sh->w->err, TARE_INVALID, "unmatched %c at column %d; close it, or write \\%c to pass it on", need->open_quote,
                   need->quote_column, need->open_quote);
}

static enum tare_status forbid_shell(struct work *w, const struct shell *sh, const char *place, const char *text)
{
    struct shell_need need = find_need(sh, text, SHELL_OPERATOR | SHELL_ASSIGNMENT | SHELL_BUILTIN);
    const bool refused = need.kind != SHELL_NOT_NEEDED;
    if (!refused)
        need = find_need(sh, text, SHELL_EXPANSION);
    if (!need.kind)
        return TARE_OK;
    struct buf b = BUF_INIT(4096);
    enum tare_status status;
    shell_need_describe(&b, &need);
    if (refused) {
        status = err_set(w->err, TARE_INVALID, "%s needs a shell, which -N forbids; drop -N%s", buf_text(&b),
                         need.kind == SHELL_BUILTIN ? "" : ", or quote it to pass it on unchanged");
    } else {
        struct buf line = BUF_INIT(4096);
        buf_format(&line, "%s: %s is passed to the program unchanged, because -N forbids a shell", place, buf_text(&b));
        status = subjects_note(w, &line);
    }
    buf_finish(&b);
    return status;
}

/* "command 2 (grep x ...)", "--reference (...)" */
static void subjects_place(struct buf *b, const struct work *w, int subject)
{
    if (subjects_is_alone(w, subject))
        buf_str(b, subject < w->first ? "--reference (" : "--anchor (");
    else
        buf_format(b, "command %d (", subject - w->first + 1);
    subjects_excerpt(b, w->out->subjects[subject].command);
    buf_char(b, ')');
}

static enum tare_status at_place(const struct work *w, int subject, enum tare_status status)
{
    if (!status || status == TARE_NO_MEMORY)
        return status;
    struct buf b = BUF_INIT(4096);
    subjects_place(&b, w, subject);
    err_prefix(w->err, buf_text(&b));
    buf_finish(&b);
    return status;
}

static enum tare_status set_reason(struct work *w, const struct shell *sh, int subject, const struct shell_need *need)
{
    struct buf what = BUF_INIT(4096), line = BUF_INIT(4096);
    shell_need_describe(&what, need);
    if (subjects_is_alone(w, subject))
        buf_format(&line, "the %s uses %s", subject < w->first ? "reference" : "anchor", buf_text(&what));
    else if (w->out->n == 1)
        buf_format(&line, "the command uses %s", buf_text(&what));
    else
        buf_format(&line, "command %d uses %s", subject - w->first + 1, buf_text(&what));
    w->out->shell_reason = arena_copy(w->a, buf_text(&line), line.len);
    if (!w->out->shell_reason) {
        buf_finish(&what);
        buf_finish(&line);
        return err_no_memory(w->err);
    }
    buf_clear(&line);
    buf_format(&line, "%s runs %s: %s; its own time is part of %s", sh->name, w->out->n == 1 ? "the command" : "every command",
               w->out->shell_reason, w->out->n == 1 ? "the result" : "all results");
    buf_finish(&what);
    return subjects_note(w, &line);
}

/* One need among all commands decides for all; open quotes are refused in each. */
static enum tare_status decide_shell(struct work *w, const struct shell *sh)
{
    w->out->shell = sh->choice == SHELL_ALWAYS;
    if (sh->choice != SHELL_AUTO)
        return TARE_OK;
    for (int i = 0; i < w->out->n; i++) {
        const struct subject *s = &w->out->subjects[i];
        if (s->argv)
            continue;
        struct shell_need need = find_need(sh, s->command, SHELL_NEEDS_ALL);
        enum tare_status status = at_place(w, i, check_quotes(sh, &need));
        if (!status && need.kind && !w->out->shell)
            status = set_reason(w, sh, i, &need);
        if (status)
            return status;
        w->out->shell |= need.kind != SHELL_NOT_NEEDED;
    }
    return TARE_OK;
}

static enum tare_status subject_argv(struct work *w, const struct shell *sh, int index)
{
    struct subject *s = &w->out->subjects[index];
    s->shell = w->out->shell;
    if (s->shell) {
        s->argv = shelled(sh, s->command);
        return s->argv ? TARE_OK : err_no_memory(w->err);
    }
    if (s->argv)
        return TARE_OK;
    enum tare_status status = split(sh, s->command, &s->argv);
    if (status || sh->choice != SHELL_NEVER)
        return status;
    struct buf b = BUF_INIT(4096);
    subjects_place(&b, w, index);
    status = forbid_shell(w, sh, buf_text(&b), s->command);
    buf_finish(&b);
    return status;
}

static enum tare_status hook_argv(struct work *w, const struct shell *sh, const char *option, struct hook *h)
{
    struct shell_need need = find_need(sh, h->text, SHELL_NEEDS_ALL);
    enum tare_status status = TARE_OK;
    h->shell = sh->choice == SHELL_ALWAYS || (sh->choice == SHELL_AUTO && need.kind);
    if (sh->choice == SHELL_AUTO)
        status = check_quotes(sh, &need);
    if (!status && h->shell) {
        h->argv = shelled(sh, h->text);
        return h->argv ? TARE_OK : err_no_memory(w->err);
    }
    if (!status)
        status = split(sh, h->text, &h->argv);
    if (!status && sh->choice == SHELL_NEVER)
        status = forbid_shell(w, sh, option, h->text);
    if (status && status != TARE_NO_MEMORY)
        err_prefix(w->err, option);
    return status;
}

/* Most hooks have the same text for every subject: then the one before is taken over. */
static enum tare_status fill_hook(struct work *w, const struct shell *sh, const char *option, struct hook *h,
                                  const struct hook *before)
{
    if (!h->text)
        return TARE_OK;
    if (before && before->text && strcmp(before->text, h->text) == 0) {
        *h = *before;
        return TARE_OK;
    }
    return hook_argv(w, sh, option, h);
}

static enum tare_status fill_hooks(struct work *w, const struct shell *sh, int index)
{
    struct subject_hooks *h = &w->out->hooks[index];
    const struct subject_hooks *b = index ? h - 1 : NULL;
    enum tare_status status = fill_hook(w, sh, "--setup", &h->setup, b ? &b->setup : NULL);
    if (!status)
        status = fill_hook(w, sh, "--prepare", &h->prepare, b ? &b->prepare : NULL);
    if (!status)
        status = fill_hook(w, sh, "--conclude", &h->conclude, b ? &b->conclude : NULL);
    return status ? status : fill_hook(w, sh, "--cleanup", &h->cleanup, b ? &b->cleanup : NULL);
}

enum tare_status subjects_fill_argv(struct work *w)
{
    struct shell sh;
    enum tare_status status = read_shell(w, &sh);
    if (!status)
        status = decide_shell(w, &sh);
    for (int i = 0; !status && i < w->out->n; i++) {
        status = at_place(w, i, subject_argv(w, &sh, i));
        if (!status)
            status = fill_hooks(w, &sh, i);
    }
    if (!status && w->out->shell)
        w->out->shell_name = sh.name;
    return status;
}

enum tare_status subjects_add_hook(const struct subject_input *in, struct arena *a, struct subject_plan *plan, const char *option,
                                   struct hook *h, struct tare_err *err)
{
    struct work w = {.in = in, .a = a, .out = plan, .err = err, .room_notes = plan->n_notes};
    struct shell sh;
    enum tare_status status = read_shell(&w, &sh);
    return status ? status : hook_argv(&w, &sh, option, h);
}
