/* SPDX-License-Identifier: MIT
 *
 * A work tree for each revision, and the build in it:
 *
 *     TMPDIR/tare-rev-aB3dE6/session      locked while the session lives
 *     TMPDIR/tare-rev-aB3dE6/aB3dE6-01    the first revision; git knows it by this last name
 *     TMPDIR/tare-rev-aB3dE6/log          what the last build wrote
 */
#include "parameters.h"
#include "quote.h"
#include "revisions.h"
#include <string.h>

static const char folder_prefix[] = "tare-rev-";
enum { RANDOM_CHARS = 6, TAIL_BYTES = 1 << 14, TAIL_LINES = 20 };

static enum tare_status no_memory(struct tare_err *err)
{
    return err_set(err, TARE_NO_MEMORY, "no memory for the revisions");
}

static enum tare_status at_revision(const struct revision *rev, const char *what, enum tare_status status, struct tare_err *err)
{
    if (status == TARE_CHILD)
        status = TARE_IO; /* git refused: that is no program of the user's */
    if (status && status != TARE_INTERRUPTED) {
        err_prefix(err, what);
        err_prefix(err, rev->label);
    }
    return status;
}

/* ---- the folder ---- */

static enum tare_status make_folder(struct revisions *rs, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    enum tare_status status = plat_directory_private(&path, folder_prefix, err);
    if (!status && !(rs->folder = arena_strdup(rs->arena, buf_text(&path)))) {
        plat_directory_remove(buf_text(&path), NULL);
        status = no_memory(err);
    }
    buf_finish(&path);
    const char *session = status ? NULL : revisions_text(rs, "%s/session", rs->folder);
    if (status || !session)
        return status ? status : no_memory(err);
    return plat_file_create(&rs->lock, session, PLAT_FILE_APPEND_NEW, err);
}

static const char *worktree_path(const struct revisions *rs, int index)
{
    const char *chars = rs->folder + strlen(rs->folder) - RANDOM_CHARS;
    return revisions_text(rs, "%s/%s-%02d", rs->folder, chars, index + 1);
}

/* ---- what a killed session left ---- */

/* .../tare-rev-aB3dE6/aB3dE6-01: the length of the folder's path; 0: it is not ours. */
static size_t folder_of(const char *path, size_t n)
{
    enum { LAST = RANDOM_CHARS + 4 }; /* "/aB3dE6-01" */
    const size_t folder = sizeof folder_prefix - 1 + RANDOM_CHARS;
    if (n < LAST + folder + 1)
        return 0;
    const char *last = path + n - LAST, *name = last - folder;
    bool ours = name[-1] == '/' && !strncmp(name, folder_prefix, sizeof folder_prefix - 1) && last[0] == '/' &&
                !strncmp(last + 1, last - RANDOM_CHARS, RANDOM_CHARS) && last[1 + RANDOM_CHARS] == '-';
    return ours ? n - LAST : 0;
}

/* Held by nobody: then its session is dead, or has removed it just now. */
static bool dead(const struct revisions *rs, const char *folder)
{
    struct plat_file *lock;
    const char *session = revisions_text(rs, "%s/session", folder);
    enum tare_status status = session ? plat_file_create(&lock, session, PLAT_FILE_APPEND_NEW, NULL) : TARE_NO_MEMORY;
    if (!status)
        plat_file_abandon(lock);
    return !status || status == TARE_NOT_FOUND;
}

static void forget(struct revisions *rs, const char *worktree)
{
    struct tare_err err;
    if (git_ask(&rs->git, NULL, &err, "worktree", "remove", "--force", "--force", worktree, (char *)NULL) == TARE_OK)
        return;
    /* Cut off while it was made, git does not know it yet, and its half entry would stay. */
    const char *entry = revisions_text(rs, "%s/worktrees/%s", rs->common, strrchr(worktree, '/') + 1);
    if (entry)
        plat_directory_remove(entry, NULL);
}

static void remove_leftover(struct revisions *rs, const char *path, size_t n, const char **told)
{
    size_t folder_n = folder_of(path, n);
    const char *folder = folder_n ? arena_copy(rs->arena, path, folder_n) : NULL;
    const char *worktree = folder ? arena_copy(rs->arena, path, n) : NULL;
    struct tare_err err;
    if (!worktree || !dead(rs, folder))
        return;
    if (plat_directory_remove(folder, &err)) {
        revisions_say(rs, "a session that was killed left a folder behind: %s", err.text);
        return;
    }
    forget(rs, worktree);
    if (!*told || strcmp(*told, folder))
        revisions_say(rs, "removed what a killed session left behind: %s", folder);
    *told = folder;
}

static void remove_leftovers(struct revisions *rs)
{
    static const char mark[] = "worktree ";
    struct buf list = BUF_INIT(16 << 20);
    const char *told = NULL;
    if (!git_ask(&rs->git, &list, NULL, "worktree", "list", "--porcelain", (char *)NULL))
        for (const char *line = buf_text(&list); *line; line += strcspn(line, "\n"), line += *line == '\n')
            if (!strncmp(line, mark, sizeof mark - 1))
                remove_leftover(rs, line + sizeof mark - 1, strcspn(line, "\n") - (sizeof mark - 1), &told);
    buf_finish(&list);
}

/* ---- checking out ---- */

/* The working tree as a commit of its own, by way of another index: the user's own stays as it is. */
static enum tare_status take_changes(struct revisions *rs, struct revision *rev, struct tare_err *err)
{
    struct buf answer = BUF_INIT(1 << 16);
    const char *index = revisions_text(rs, "%s/index", rs->folder), *tree = NULL;
    enum tare_status status = index ? TARE_OK : no_memory(err);
    if (!status)
        status = git_ask_aside(&rs->git, index, NULL, err, "read-tree", rev->hash, (char *)NULL);
    if (!status)
        status = git_ask_aside(&rs->git, index, NULL, err, "add", "--all", (char *)NULL);
    if (!status)
        status =
            revisions_keep(rs, &tree, &answer, git_ask_aside(&rs->git, index, &answer, err, "write-tree", (char *)NULL), err);
    if (!status)
        status = revisions_keep(rs, &rev->taken, &answer,
                                git_ask_aside(&rs->git, index, &answer, err, "commit-tree", tree, "-p", rev->hash, "-m",
                                              "the working tree, taken by tare run --rev .", (char *)NULL),
                                err);
    buf_finish(&answer);
    return at_revision(rev, "cannot take the uncommitted changes", status, err);
}

static bool is_there(const char *path)
{
    struct plat_file_state state;
    return !plat_file_state(path, &state, NULL);
}

/* As the user has them: where no submodule is initialised, none is fetched. */
static enum tare_status bring_submodules(struct revisions *rs, const struct revision *rev, struct tare_err *err)
{
    const char *list = revisions_text(rs, "%s/.gitmodules", rev->worktree);
    if (!list || !is_there(list))
        return list ? TARE_OK : no_memory(err);
    struct tare_err none;
    enum tare_status status =
        git_ask(&rs->git, NULL, &none, "config", "--get-regexp", "^submodule\\.(active$|.*\\.(url|active)$)", (char *)NULL);
    if (status == TARE_CHILD) {
        revisions_say(rs, "%s: its submodules stay empty, as none is initialised here; git submodule update --init does it",
                      rev->label);
        return TARE_OK;
    }
    const char *cwd = rs->git.cwd;
    rs->git.cwd = rev->worktree;
    status = git_ask(&rs->git, NULL, err, "submodule", "--quiet", "update", "--init", "--recursive", (char *)NULL);
    rs->git.cwd = cwd;
    return at_revision(rev, "cannot bring its submodules", status, err);
}

static enum tare_status check_out(struct revisions *rs, struct revision *rev, struct tare_err *err)
{
    rev->worktree = worktree_path(rs, (int)(rev - rs->items));
    if (!rev->worktree)
        return no_memory(err);
    rev->directory = *rs->prefix ? revisions_text(rs, "%s/%s", rev->worktree, rs->prefix) : rev->worktree;
    if (!rev->directory)
        return no_memory(err);
    if (!rev->dirty)
        rev->taken = rev->hash;
    enum tare_status status = rev->taken ? TARE_OK : take_changes(rs, rev, err);
    if (status)
        return status;
    status = git_ask(&rs->git, NULL, err, "worktree", "add", "--quiet", "--detach", rev->worktree, rev->taken, (char *)NULL);
    return status ? at_revision(rev, "cannot check it out", status, err) : bring_submodules(rs, rev, err);
}

/* ---- building ---- */

struct tail {
    char bytes[TAIL_BYTES];
    size_t n;
};

static enum tare_status keep_end(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    (void)err;
    struct tail *t = context;
    if (n >= TAIL_BYTES) {
        bytes = (const char *)bytes + (n - TAIL_BYTES);
        n = TAIL_BYTES;
    }
    size_t stay = t->n + n > TAIL_BYTES ? TAIL_BYTES - n : t->n;
    memmove(t->bytes, t->bytes + (t->n - stay), stay);
    memcpy(t->bytes + stay, bytes, n);
    t->n = stay + n;
    return TARE_OK;
}

static const char *last_lines(const char *text, size_t n)
{
    int lines = 0;
    const char *at = text + n;
    for (; at > text; at--)
        if (at[-1] == '\n' && at != text + n && ++lines == TAIL_LINES)
            break;
    return at;
}

/* A build may write anything; what could move the cursor or colour the rest appears as an escape. */
/* Whether there was anything. */
static bool print_tail(const struct revisions *rs, const char *log)
{
    struct tail t = {.n = 0};
    struct buf out = BUF_INIT(8 * TAIL_BYTES), line = BUF_INIT(TAIL_BYTES + 1);
    if (plat_file_pour(log, &(struct sink){.write = keep_end, .context = &t}, NULL))
        return false;
    const char *end = t.bytes + t.n;
    for (const char *at = last_lines(t.bytes, t.n); at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        buf_clear(&line);
        buf_add(&line, at, (size_t)((stop ? stop : end) - at));
        buf_str(&out, "  | ");
        quote_mask(&out, buf_text(&line), false);
        buf_char(&out, '\n');
        at = stop ? stop + 1 : end;
    }
    rs->talk.write(rs->talk.context, buf_text(&out), out.len, NULL);
    buf_finish(&line);
    buf_finish(&out);
    return t.n > 0;
}

static enum tare_status judge_build(const struct revisions *rs, const struct revision *rev, const char *text, const char *log,
                                    const struct plat_child_result *result, struct tare_err *err)
{
    if (result->end == CHILD_EXITED && result->code == 0) {
        if (rs->show_output)
            plat_file_pour(log, &rs->talk, NULL);
        return TARE_OK;
    }
    const char *said = print_tail(rs, log) ? "its last lines are above" : "it wrote nothing";
    if (result->end == CHILD_EXITED)
        return err_set(err, TARE_CHILD, "%s does not build: '%s' ended with exit code %d; %s", rev->label, text, result->code,
                       said);
    return err_set(err, TARE_CHILD, "%s does not build: '%s' was ended by %s; %s", rev->label, text,
                   plat_signal_name(result->code), said);
}

static enum tare_status build(struct revisions *rs, struct revision *rev, struct tare_err *err)
{
    if (!rs->build)
        return TARE_OK;
    const struct parameter id = {"rev", rev->id};
    const char *text = parameters_fill(rs->arena, rs->build, &id, 1), *log = revisions_text(rs, "%s/log", rs->folder);
    if (!text || !log)
        return no_memory(err);
    revisions_say(rs, "building %s: %s", rev->label, text);
    struct plat_child_result result;
    int64_t start_ns = plat_now_ns();
    enum tare_status status = git_build(&rs->git, text, rev->directory, rs->environment, log, &result, err);
    rev->build_seconds = (double)(plat_now_ns() - start_ns) / 1e9;
    return status ? status : judge_build(rs, rev, text, log, &result, err);
}

/* ---- the whole ---- */

enum tare_status revisions_check_out(struct revisions *rs, struct tare_err *err)
{
    remove_leftovers(rs);
    enum tare_status status = make_folder(rs, err);
    for (int i = 0; i < rs->n && !status; i++)
        status = check_out(rs, &rs->items[i], err);
    for (int i = 0; i < rs->n && !status; i++)
        status = build(rs, &rs->items[i], err);
    return status;
}

/* The files first, for git would stumble over what a build left; then it has only its own entry to forget. */
enum tare_status revisions_remove(struct revisions *rs, struct tare_err *err)
{
    rs->git.ending = true;
    enum tare_status status = rs->folder ? plat_directory_remove(rs->folder, err) : TARE_OK;
    for (int i = 0; rs->folder && i < rs->n; i++)
        if (rs->items[i].worktree)
            forget(rs, rs->items[i].worktree);
    plat_file_abandon(rs->lock);
    git_close(&rs->git);
    rs->folder = NULL;
    rs->lock = NULL;
    return status;
}
