/* SPDX-License-Identifier: MIT */
#include "programs.h"
#include "plat.h"
#include "record_write.h"
#include "utc.h"
#include "windows_quote.h"
#include <string.h>

enum { READING_NS = 500000000, SOON_READ_BYTES = 4 << 20 };

struct adding {
    struct record *r;
    struct facts *f;
    int number;       /* 0: a library */
    const char *part; /* "": the file itself; or "interpreter_", "script_" */
};

static const char *key_of(struct buf *b, int number, const char *part, const char *what)
{
    if (number)
        buf_format(b, "program_%d_%s%s", number, part, what);
    else
        buf_format(b, "library_%s", what);
    return buf_text(b);
}

static enum tare_status add_text(const struct adding *a, const char *what, const char *text, const char *why)
{
    char key[64];
    struct buf b = buf_over(key, sizeof key);
    key_of(&b, a->number, a->part, what);
    return text ? facts_add_text(a->r, a->f, key, text) : facts_add_unknown(a->r, a->f, key, why);
}

static enum tare_status add_modified(const struct adding *a, int64_t utc_ns)
{
    char text[40];
    struct buf b = buf_over(text, sizeof text);
    utc_text(&b, utc_ns);
    return add_text(a, "modified", text, NULL);
}

struct hashing {
    uint64_t hash;
    int64_t left_bytes, until_ns;
};

static enum tare_status hash_piece(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct hashing *h = context;
    if ((int64_t)n > h->left_bytes) /* it grew since its size was read */
        return err_set(err, TARE_TOO_LARGE, "it grows while it is read");
    if (h->until_ns && plat_now_ns() > h->until_ns)
        return err_set(err, TARE_TOO_LARGE, "reading it took too long");
    h->left_bytes -= (int64_t)n;
    h->hash = fnv1a64(h->hash, bytes, n);
    return TARE_OK;
}

static enum tare_status add_hash(struct programs *p, const struct adding *a, const char *path, int64_t bytes)
{
    struct hashing h = {FNV1A64_EMPTY, p->left_bytes, p->until_ns};
    struct tare_err err;
    if (bytes > p->left_bytes)
        return add_text(a, "fnv1a64", NULL, "more than is read of all programs together");
    if (p->in_time && bytes > SOON_READ_BYTES && !h.until_ns)
        h.until_ns = p->until_ns = plat_now_ns() + READING_NS;
    enum tare_status status = plat_file_pour(path, &(struct sink){.write = hash_piece, .context = &h}, &err);
    p->left_bytes = h.left_bytes;
    if (status)
        return add_text(a, "fnv1a64", NULL, err.text);
    char text[20];
    buf_print(text, sizeof text, "%016llx", (unsigned long long)h.hash);
    return add_text(a, "fnv1a64", text, NULL);
}

/* One shell runs many commands, and many lines name one tool: a file whose content is known is not read again. */
static bool add_known(struct programs *p, const struct adding *a, const char *path, enum tare_status *status)
{
    for (int i = 0; i < p->n_known; i++)
        if (!strcmp(p->known[i].path, path)) {
            *status = add_text(a, "fnv1a64", p->known[i].hash, p->known[i].reason);
            return true;
        }
    return false;
}

static void keep_known(struct programs *p, const struct adding *a)
{
    char keys[2][64];
    struct buf b[2] = {buf_over(keys[0], sizeof keys[0]), buf_over(keys[1], sizeof keys[1])};
    const struct fact *path = facts_find(a->f, key_of(&b[0], a->number, a->part, "path")),
                      *hash = facts_find(a->f, key_of(&b[1], a->number, a->part, "fnv1a64"));
    if (path && path->text && hash && p->n_known < PROGRAMS_KNOWN)
        p->known[p->n_known++] = (struct program_known){path->text, hash->text, hash->reason};
}

struct programs programs_begin(int64_t bytes, const char *const *environment)
{
    return (struct programs){.left_bytes = bytes, .in_time = bytes < PROGRAMS_CLAIM_BYTES, .environment = environment};
}

static enum tare_status add_file(struct programs *p, const struct adding *a, const char *path)
{
    struct plat_file_state now;
    struct tare_err err;
    if (plat_file_state(path, &now, &err) || !now.regular)
        return TARE_OK; /* its path is all there is to say; whether it can be run, the run will tell */
    char key[64];
    struct buf b = buf_over(key, sizeof key);
    enum tare_status status = facts_add_number(a->r, a->f, key_of(&b, a->number, a->part, "bytes"), (double)now.bytes);
    if (!status)
        status = add_modified(a, now.modified_utc_ns);
    if (status || add_known(p, a, path, &status))
        return status;
    status = add_hash(p, a, path, now.bytes);
    keep_known(p, a);
    return status;
}

struct first_line {
    char text[256]; /* as much of it as the kernel looks at */
    size_t n;
};

static enum tare_status take_first_line(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct first_line *line = context;
    line->n = n < sizeof line->text - 1 ? n : sizeof line->text - 1;
    memcpy(line->text, bytes, line->n);
    return err_set(err, TARE_TOO_LARGE, "seen enough");
}

static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \t");
    *at = word + strcspn(word, " \t");
    if (**at)
        *(*at)++ = 0;
    return word;
}

/* The file that the script's first line names, or that env finds for it; empty: it is no script. */
static void find_interpreter(const struct programs *p, const char *path, struct buf *out)
{
    struct first_line line = {.n = 0};
    struct plat_file_state state;
    if (plat_file_state(path, &state, NULL) || !state.regular)
        return;
    plat_file_pour(path, &(struct sink){.write = take_first_line, .context = &line}, NULL);
    line.text[line.n] = 0;
    line.text[strcspn(line.text, "\n")] = 0;
    if (strncmp(line.text, "#!", 2) != 0)
        return;
    char *at = line.text + 2, *word = next_word(&at);
    const char *slash = strrchr(word, '/');
    if (!strcmp(slash ? slash + 1 : word, "env"))
        do
            word = next_word(&at);
        while (*word == '-' || strchr(word, '='));
    if (*word)
        plat_find_program(word, p->environment, NULL, out, NULL);
}

enum tare_status programs_add(struct programs *p, struct record *r, struct facts *f, int number, const char *path,
                              const char *why)
{
    const struct adding a = {r, f, number, ""}, of_script = {r, f, number, "interpreter_"};
    struct buf interpreter = BUF_INIT(1 << 16);
    enum tare_status status = add_text(&a, "path", path, why);
    if (!status && path)
        status = add_file(p, &a, path);
    if (!status && path)
        find_interpreter(p, path, &interpreter);
    if (interpreter.len) {
        status = add_text(&of_script, "path", buf_text(&interpreter), NULL);
        if (!status)
            status = add_file(p, &of_script, buf_text(&interpreter));
    }
    buf_finish(&interpreter);
    return status;
}

/* A version, or none: python3.12, python.exe. */
static bool ends_there(const char *rest)
{
    rest += strspn(rest, "0123456789.");
    return !*rest || (plat_words_are_windows() && rest[-1] == '.' && windows_is_word(rest, "exe"));
}

/* By its name. */
static bool is_interpreter(const char *program)
{
    static const char *const names[] = {"sh",   "bash", "dash", "zsh", "ksh",   "python",  "pypy", "perl",
                                        "ruby", "node", "php",  "lua", "tclsh", "Rscript", NULL};
    const char *name = plat_base_name(program);
    for (int i = 0; names[i]; i++) {
        const size_t n = strlen(names[i]);
        if (!strncmp(name, names[i], n) && ends_there(name + n))
            return true;
    }
    return false;
}

/* What follows is no file: code, or the name of a module. To a shell -e says something else. */
static bool is_code(const char *program, const char *option)
{
    const size_t n = strlen(program);
    const bool shell = n >= 2 && !strcmp(program + n - 2, "sh");
    return !strcmp(option, "-c") || !strcmp(option, "-m") || (!shell && (!strcmp(option, "-e") || !strcmp(option, "--eval")));
}

const char *programs_script(const char *const *argv, const char *cwd, struct buf *path)
{
    struct plat_file_state state;
    for (int i = 1; is_interpreter(argv[0]) && argv[i] && !is_code(argv[0], argv[i]); i++) {
        if (*argv[i] == '-')
            continue;
        buf_clear(path);
        const bool from = cwd && !plat_path_is_absolute(argv[i]);
        buf_format(path, "%s%s%s", from ? cwd : "", from ? "/" : "", argv[i]);
        if (!path->status && !plat_file_state(buf_text(path), &state, NULL) && state.regular)
            return buf_text(path);
    }
    return NULL;
}

enum tare_status programs_add_script(struct programs *p, struct record *r, struct facts *f, int number, int script,
                                     const char *path)
{
    char part[SCRIPT_PART_BYTES];
    const struct adding a = {r, f, number, record_script_part(script, part)};
    if (script >= SCRIPTS_MOST)
        return TARE_OK;
    enum tare_status status = add_text(&a, "path", path, NULL);
    return status ? status : add_file(p, &a, path);
}

enum tare_status programs_add_library(struct programs *p, struct record *r, struct facts *f, const char *path, const char *why)
{
    const struct adding a = {r, f, 0, ""};
    enum tare_status status = add_text(&a, "path", path, why);
    return status || !path ? status : add_file(p, &a, path);
}
