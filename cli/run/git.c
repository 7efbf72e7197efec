/* SPDX-License-Identifier: MIT */
#include "git.h"
#include "padding.h"
#include <stdarg.h>
#include <string.h>

#define GIT_FIXED "git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"
enum { FIXED = 5, WORDS_MAX = 32, ANSWER_BYTES = 16 << 20, SAID_BYTES = 1 << 16 };

/* What git itself lists as belonging to one repository (git rev-parse --local-env-vars), but its configuration, which is a
 * user's or a container's own choice; and the current folder, which is another one there. */
static const char *const foreign[] = {"GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                      "GIT_OBJECT_DIRECTORY",
                                      "GIT_DIR",
                                      "GIT_WORK_TREE",
                                      "GIT_IMPLICIT_WORK_TREE",
                                      "GIT_GRAFT_FILE",
                                      "GIT_INDEX_FILE",
                                      "GIT_NO_REPLACE_OBJECTS",
                                      "GIT_REPLACE_REF_BASE",
                                      "GIT_PREFIX",
                                      "GIT_SHALLOW_FILE",
                                      "GIT_COMMON_DIR",
                                      "GIT_INTERNAL_SUPER_PREFIX",
                                      "GIT_NAMESPACE",
                                      "GIT_QUARANTINE_PATH",
                                      "PWD",
                                      "OLDPWD"};

/* Its messages must be the ones that are looked for, whatever the user's language, it must not wait for anybody, and ":(top)" must not be read as the
 * name of a file. */
static const char *const own[] = {"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_LITERAL_PATHSPECS=0"};

/* The same files give the same commit, whoever asks and whenever. */
static const char *const committer[] = {
    "GIT_AUTHOR_NAME=tare",    "GIT_AUTHOR_EMAIL=tare@localhost",    "GIT_AUTHOR_DATE=@0 +0000",
    "GIT_COMMITTER_NAME=tare", "GIT_COMMITTER_EMAIL=tare@localhost", "GIT_COMMITTER_DATE=@0 +0000"};

enum {
    FOREIGN = sizeof foreign / sizeof *foreign,
    OWN = sizeof own / sizeof *own,
    COMMITTER = sizeof committer / sizeof *committer
};

const char *const *git_environment(struct arena *a, const char *const *environment)
{
    return environment_with(a, environment, foreign, FOREIGN);
}

enum tare_status git_open(struct git *g, struct arena *a, const char *const *environment, struct tare_err *err)
{
    *g = (struct git){.arena = a, .null = plat_open_null(), .environment = git_environment(a, environment)};
    if (g->environment)
        g->environment = environment_with(a, g->environment, own, OWN);
    if (g->null < 0 || !g->environment)
        return err_set(err, g->null < 0 ? TARE_IO : TARE_NO_MEMORY, "cannot prepare to run git");
    struct buf path = BUF_INIT(1 << 16);
    enum tare_status status = plat_find_program("git", g->environment, NULL, &path, NULL);
    g->program = status ? NULL : arena_strdup(a, buf_text(&path));
    buf_finish(&path);
    if (status)
        return err_set(err, TARE_UNSUPPORTED, "git is not on PATH; install it");
    return plat_spawner_create(&g->spawner, NULL, err);
}

void git_close(struct git *g)
{
    if (!g->arena)
        return;
    plat_spawner_destroy(g->spawner);
    plat_close(g->null);
    *g = (struct git){0};
}

static enum tare_status take_output(int fd, size_t most, struct buf *out, struct tare_err *err)
{
    int64_t size = plat_scratch_size(fd);
    size_t n = size > (int64_t)most ? most : (size_t)size;
    char piece[4096];
    for (size_t at = 0; at < n;) {
        size_t now = n - at < sizeof piece ? n - at : sizeof piece;
        enum tare_status status = plat_scratch_read(fd, (int64_t)at, piece, now, err);
        if (status)
            return status;
        buf_add(out, piece, now);
        at += now;
    }
    while (out->len && out->data[out->len - 1] == '\n')
        out->data[--out->len] = 0;
    return out->status ? err_set(err, out->status, "git printed too much") : TARE_OK;
}

/* Its first line that says why; the others are hints, progress and consequences. NULL: there is none. */
static const char *reason_said(const struct buf *said)
{
    static const char *const marks[] = {"fatal: ", "error: "};
    for (const char *line = buf_text(said); *line; line += strcspn(line, "\n"), line += *line == '\n')
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            if (!strncmp(line, marks[i], strlen(marks[i])))
                return line + strlen(marks[i]);
    return NULL;
}

static enum tare_status judge_result(const struct plat_child_result *result, const char *const *words, int fd_err,
                                     struct tare_err *err)
{
    if (result->end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted while git was at work");
    if (result->end == CHILD_EXITED && result->code == 0)
        return TARE_OK;
    if (result->end != CHILD_EXITED)
        return err_set(err, TARE_IO, "git %s did not end by itself", *words);
    struct buf said = BUF_INIT(SAID_BYTES + 1);
    enum tare_status status = take_output(fd_err, SAID_BYTES, &said, err);
    const char *reason = reason_said(&said), *why = reason ? reason : *buf_text(&said) ? buf_text(&said) : "git gave no reason";
    if (!status)
        status = err_set(err, !reason && (result->code == 1 || !said.len) ? TARE_NOT_FOUND : TARE_CHILD, "%.*s",
                         (int)strcspn(why, "\n"), why);
    buf_finish(&said);
    return status;
}

static enum tare_status run_between(struct git *g, const char *const *environment, const char *const *argv, int fd_in, int fd_out,
                                    struct tare_err *err)
{
    struct plat_child_spec spec = {.path = g->program,
                                   .argv = argv,
                                   .envp = environment,
                                   .cwd = g->cwd,
                                   .fd_in = fd_in,
                                   .fd_out = fd_out,
                                   .fd_err = plat_open_scratch(err),
                                   .pin_cpu = -1,
                                   .drain_fd = -1,
                                   .after_signal = g->ending,
                                   .scratch_bytes = ANSWER_BYTES};
    struct plat_child_result result = {0};
    enum tare_status status = spec.fd_out < 0 || spec.fd_err < 0 ? TARE_IO : plat_child_run(g->spawner, &spec, &result, err);
    if (!status && result.end == CHILD_NOT_STARTED)
        status = err_set(err, TARE_UNSUPPORTED, "%s could not be started: %s", g->program, plat_errno_text(result.code));
    if (!status)
        status = judge_result(&result, argv + FIXED, spec.fd_err, err);
    plat_close(spec.fd_err);
    return status;
}

static enum tare_status ask_git(struct git *g, const char *const *environment, struct buf *out, struct tare_err *err,
                                va_list words)
{
    const char *argv[WORDS_MAX] = {GIT_FIXED};
    int n = FIXED;
    for (const char *word; n < WORDS_MAX - 1 && (word = va_arg(words, const char *));)
        argv[n++] = word;
    int fd_out = plat_open_scratch(err);
    enum tare_status status = run_between(g, environment, argv, g->null, fd_out, err);
    if (!status && out)
        status = take_output(fd_out, ANSWER_BYTES, out, err);
    plat_close(fd_out);
    return status;
}

enum tare_status git_ask(struct git *g, struct buf *out, struct tare_err *err, ...)
{
    va_list words;
    va_start(words, err);
    enum tare_status status = ask_git(g, g->environment, out, err, words);
    va_end(words);
    return status;
}

static enum tare_status ask_text(struct git *g, const char *const *environment, const char **out, struct tare_err *err,
                                 va_list words)
{
    struct buf answer = BUF_INIT(ANSWER_BYTES + 1);
    enum tare_status status = ask_git(g, environment, &answer, err, words);
    *out = status ? NULL : arena_copy(g->arena, buf_text(&answer), answer.len);
    buf_finish(&answer);
    return status || *out ? status : err_no_memory(err);
}

enum tare_status git_text(struct git *g, const char **out, struct tare_err *err, ...)
{
    va_list words;
    va_start(words, err);
    enum tare_status status = ask_text(g, g->environment, out, err, words);
    va_end(words);
    return status;
}

enum tare_status git_text_aside(struct git *g, const char *index, const char **out, struct tare_err *err, ...)
{
    const char *const aside = arena_format(g->arena, "GIT_INDEX_FILE=%s", index);
    const char *const *environment = environment_with(g->arena, g->environment, committer, COMMITTER);
    if (environment && aside)
        environment = environment_with(g->arena, environment, &aside, 1);
    enum tare_status status = TARE_NO_MEMORY;
    va_list words;
    va_start(words, err);
    if (environment && aside)
        status = ask_text(g, environment, out, err, words);
    else
        err_set(err, status, "no memory to run git");
    va_end(words);
    return status;
}

bool git_is_outside(const struct tare_err *why)
{
    return strstr(why->text, "not a git repository (or any") || strstr(why->text, "must be run in a work tree");
}

enum tare_status git_failed(enum tare_status status, struct tare_err *err)
{
    if (status != TARE_CHILD)
        return status;
    err_prefix(err, "git");
    return TARE_IO;
}

/* What git says, and ends with 128 as it does when it fails, where the name given to it is wrong. */
static bool is_about_name(const struct tare_err *why)
{
    static const char *const said[] = {"expected ",
                                       "no upstream configured",
                                       "no such branch",
                                       "does not point to a branch",
                                       "not stored as a remote-tracking branch",
                                       "push destination",
                                       "push has no destination",
                                       "is outside repository",
                                       "is ambiguous"};
    bool about = false;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        about |= strstr(why->text, said[i]) != NULL;
    return about;
}

static bool is_hash(const char *name)
{
    return !name[strspn(name, "0123456789abcdefABCDEF")];
}

/* NOT_FOUND: it names nothing. INVALID: it is no such name, in git's words. IO: git failed. */
static enum tare_status verify(struct git *g, const char *name, const char **hash, struct tare_err *err)
{
    enum tare_status status = git_text(g, hash, err, "rev-parse", "--verify", "--quiet", "--end-of-options", name, (char *)NULL);
    if (status == TARE_NOT_FOUND && is_hash(name)) /* of a short one that several have git is quiet, too */
        status = git_text(g, hash, err, "rev-parse", "--verify", "--end-of-options", name, (char *)NULL);
    if (status == TARE_NOT_FOUND || (status == TARE_CHILD && strstr(err->text, "Needed a single revision")))
        return err_set(err, TARE_NOT_FOUND, "no such commit");
    return status == TARE_CHILD && is_about_name(err) ? TARE_INVALID : git_failed(status, err);
}

/* First what it names, then the commit behind: in ":/words" all that follows would belong to the words. */
enum tare_status git_commit(struct git *g, const char *name, const char **hash, struct tare_err *err)
{
    const char *named;
    enum tare_status status = verify(g, name, &named, err);
    if (!status && *named == '^') /* as git answers to ^HEAD */
        return err_set(err, TARE_NOT_FOUND, "no such commit");
    if (status)
        return status;
    const char *const commit = arena_format(g->arena, "%s^{commit}", named);
    status = commit ? verify(g, commit, hash, err) : err_no_memory(err);
    if (status == TARE_NOT_FOUND && !is_hash(name)) /* git takes all 40 digits as they are */
        return err_set(err, TARE_IO, "git: %s is %s, which is missing", name, named);
    return status;
}

bool git_is_shallow(struct git *g)
{
    const char *answer;
    return !git_text(g, &answer, NULL, "rev-parse", "--is-shallow-repository", (char *)NULL) && !strcmp(answer, "true");
}

const char *git_no_such_commit(struct git *g)
{
    return git_is_shallow(g) ? "no such commit " GIT_OF_SHALLOW
                             : "no such commit in this repository; git log --oneline lists them";
}

/* The same text whatever the user's settings for diffs are. A merge is what it brought to its first parent. */
static enum tare_status write_patches(struct git *g, int fd, const char *most, const char *hash, struct tare_err *err)
{
    const char *const argv[] = {GIT_FIXED,
                                "log",
                                "-p",
                                "-m",
                                "--first-parent",
                                "--format=commit %H",
                                "--no-ext-diff",
                                "--no-textconv",
                                "--no-color",
                                "--no-show-signature",
                                "--no-renames",
                                "--full-index",
                                "--unified=3",
                                "--diff-algorithm=myers",
                                "--src-prefix=a/",
                                "--dst-prefix=b/",
                                most,
                                hash,
                                "--",
                                NULL};
    return run_between(g, g->environment, argv, g->null, fd, err);
}

enum tare_status git_patch_ids(struct git *g, struct buf *out, struct tare_err *err, const char *most, const char *hash)
{
    static const char *const argv[] = {GIT_FIXED, "patch-id", "--stable", NULL};
    int fd = plat_open_scratch(err), fd_out = plat_open_scratch(err);
    enum tare_status status = fd < 0 ? TARE_IO : write_patches(g, fd, most, hash, err);
    if (!status && (status = plat_rewind(fd)))
        err_set(err, status, "cannot read what git wrote");
    if (!status)
        status = run_between(g, g->environment, argv, fd, fd_out, err);
    if (!status)
        status = take_output(fd_out, ANSWER_BYTES, out, err);
    plat_close(fd_out);
    plat_close(fd);
    return status;
}
