/* SPDX-License-Identifier: MIT
 *
 * From what the user typed to commits, which only reads the repository; then a work tree for each, and the build in it:
 *
 *     TMPDIR/tare-rev-aB3dE6/session      locked while the session lives
 *     TMPDIR/tare-rev-aB3dE6/aB3dE6-01    the first revision; git knows it by this last name
 *     TMPDIR/tare-rev-aB3dE6/log          what the last build wrote
 */
#include "revisions.h"
#include "parameters.h"
#include "quote.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

BUF_FORMATS(2, 3) static void say(const struct revisions *rs, const char *format, ...)
{
    struct buf b = BUF_INIT(1 << 20);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    cli_say(rs->cli, rs->quiet, &b);
}

static const char *option_of(const struct revisions *rs)
{
    return rs->option ? rs->option : "--rev";
}

/* The two answers of one question, a line each. */
static void read_nature(struct revisions *rs, const char *lines)
{
    rs->bare = strncmp(lines, "true", 4) != 0;
    lines += strcspn(lines, "\n");
    rs->common = lines + (*lines == '\n');
}

static enum tare_status find_repository(struct revisions *rs, struct tare_err *err)
{
    const char *nature;
    enum tare_status status = git_text(&rs->git, &nature, err, "rev-parse", "--is-inside-work-tree", "--path-format=absolute",
                                       "--git-common-dir", (char *)NULL);
    if (status == TARE_CHILD && git_is_outside(err)) {
        struct tare_err why = *err;
        status = err_set(err, TARE_INVALID, "--rev compares revisions of a git repository, so run it inside one; git says: %s",
                         why.text);
    }
    rs->prefix = "";
    if (!status)
        read_nature(rs, nature);
    if (!status && !rs->bare)
        status = git_text(&rs->git, &rs->top, err, "rev-parse", "--show-toplevel", (char *)NULL);
    if (!status && !rs->bare)
        status = git_text(&rs->git, &rs->prefix, err, "rev-parse", "--show-prefix", (char *)NULL);
    size_t n = status ? 0 : strlen(rs->prefix);
    if (n && !(rs->prefix = arena_copy(rs->arena, rs->prefix, n - (rs->prefix[n - 1] == '/'))))
        status = err_no_memory(err);
    rs->git.cwd = rs->top;
    return status;
}

static enum tare_status no_such(struct revisions *rs, const char *given, struct tare_err *err)
{
    const char *dots = strstr(given, "..");
    if (dots)
        return err_set(err, TARE_INVALID, "--rev %s is a range; name both ends: --rev %.*s --rev %s", given, (int)(dots - given),
                       given, dots + 2 + (dots[2] == '.'));
    return err_set(err, TARE_INVALID, "--rev %s: %s", given, git_no_such_commit(&rs->git));
}

static enum tare_status find_commit(struct revisions *rs, const char *given, struct revision *rev, struct tare_err *err)
{
    rev->hash = NULL;
    const enum tare_status status = git_commit(&rs->git, given, &rev->hash, err);
    if (status == TARE_INVALID)
        err_prefix(err, arena_format(rs->arena, "--rev %s", given));
    return status == TARE_NOT_FOUND ? no_such(rs, given, err) : status;
}

static enum tare_status name_commit(struct revisions *rs, struct revision *rev, struct tare_err *err)
{
    const char *brief;
    enum tare_status status = git_text(&rs->git, &brief, err, "rev-parse", "--short=7", rev->hash, (char *)NULL);
    if (status)
        return status;
    bool tells_more = strncmp(rev->hash, rev->given, strlen(rev->given)) != 0;
    rev->id = rev->dirty ? arena_format(rs->arena, "%s-dirty", rev->hash) : rev->hash;
    rev->label = !strcmp(rev->given, ".") ? arena_format(rs->arena, "working tree (%s%s)", brief, rev->dirty ? " + changes" : "")
                 : tells_more             ? arena_format(rs->arena, "%s (%s)", brief, rev->given)
                                          : brief;
    return rev->id && rev->label ? TARE_OK : err_no_memory(err);
}

/* Where the user stands must be there too, or nothing could be run. What the working tree holds, it holds. */
static enum tare_status find_folder(struct revisions *rs, const struct revision *rev, struct tare_err *err)
{
    if (!*rs->prefix || rev->dirty)
        return TARE_OK;
    const char *kind, *place = arena_format(rs->arena, "%s:%s", rev->hash, rs->prefix);
    enum tare_status status = place ? git_text(&rs->git, &kind, err, "cat-file", "-t", place, (char *)NULL) : err_no_memory(err);
    if (status ? status != TARE_CHILD || !strstr(err->text, "exist") : !strcmp(kind, "tree"))
        return status;
    return err_set(err, TARE_INVALID, "%s%s: there is no folder %s in it; start in one that all revisions have",
                   rs->option ? "" : "--rev ", rs->option ? rev->label : rev->given, rs->prefix);
}

struct changes {
    int changed, untracked;
    int within; /* submodules with changes of their own, which no commit of this repository can hold */
};

/* "1 .M SC.U 160000 ...": a submodule with another commit, and files that are untracked in it. */
static bool changed_within(const char *line)
{
    enum { NATURE = 5, MODIFIED = NATURE + 2, UNTRACKED = NATURE + 3 };
    return strcspn(line, "\n") > UNTRACKED && line[NATURE] == 'S' && (line[MODIFIED] == 'M' || line[UNTRACKED] == 'U');
}

static enum tare_status count_changes(struct revisions *rs, struct changes *c, struct tare_err *err)
{
    *c = (struct changes){0};
    if (rs->bare)
        return TARE_OK;
    struct buf answer = BUF_INIT(16 << 20);
    enum tare_status status =
        git_ask(&rs->git, &answer, err, "status", "--porcelain=v2", "--untracked-files=normal", (char *)NULL);
    for (const char *line = buf_text(&answer); !status && *line; line += strcspn(line, "\n"), line += *line == '\n') {
        line[0] == '?' ? c->untracked++ : c->changed++;
        c->within += changed_within(line);
    }
    buf_finish(&answer);
    return status;
}

static enum tare_status find_working_tree(struct revisions *rs, const struct changes *c, struct revision *rev,
                                          struct tare_err *err)
{
    if (rs->bare)
        return err_set(err, TARE_INVALID, "--rev . is the working tree, and this repository has none here; give two commits");
    struct tare_err why;
    enum tare_status status = find_commit(rs, "HEAD", rev, &why);
    rev->dirty = c->changed || c->untracked;
    if (!status && c->within)
        say(rs, "uncommitted changes within %d submodule%s are left out; commit them there", c->within, buf_plural(c->within));
    if (status == TARE_INVALID)
        return err_set(err, status, "--rev: there is no commit yet in this repository");
    return status ? err_set(err, status, "%s", why.text) : TARE_OK;
}

/* Of a repetition. What was not committed is kept by nobody but git, until it tidies up. */
static enum tare_status find_again(struct revisions *rs, const struct revision_commit *then, struct revision *rev,
                                   struct tare_err *err)
{
    struct revision taken;
    enum tare_status status = find_commit(rs, then->hash, rev, err);
    if (status || !then->changes)
        return status;
    status = find_commit(rs, then->changes, &taken, err);
    rev->dirty = true;
    rev->taken = taken.hash;
    if (status != TARE_INVALID)
        return status;
    return err_set(err, status, "--rev %s: the uncommitted changes that were measured then are no longer in this repository",
                   rev->given);
}

static enum tare_status resolve(struct revisions *rs, const struct changes *c, const char *given, struct tare_err *err)
{
    const struct revision_commit *then = rs->commits ? &rs->commits[rs->n] : NULL;
    struct revision *rev = &rs->items[rs->n++];
    *rev = (struct revision){.given = given, .build_seconds = NAN};
    enum tare_status status = then                  ? find_again(rs, then, rev, err)
                              : !strcmp(given, ".") ? find_working_tree(rs, c, rev, err)
                                                    : find_commit(rs, given, rev, err);
    if (!status)
        status = name_commit(rs, rev, err);
    return status ? status : find_folder(rs, rev, err);
}

static void note_twins(const struct revisions *rs)
{
    for (int i = 0; i < rs->n; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(rs->items[i].id, rs->items[j].id)) {
                say(rs, "%s and %s are the same: this compares them with themselves", rs->items[j].label, rs->items[i].label);
                return;
            }
}

/* For who names a branch or HEAD. A full hash means that commit, as that of the merge base does, which the gate names itself. */
static void note_changes(struct revisions *rs, const struct changes *c)
{
    bool named = false;
    for (int i = 0; i < rs->n; i++) {
        if (rs->items[i].dirty)
            return;
        named |= strcmp(rs->items[i].given, rs->items[i].hash) != 0;
    }
    if (!named || rs->told_of_changes || !(c->changed || c->untracked))
        return;
    rs->told_of_changes = true;
    say(rs, "your uncommitted changes (%d changed, %d untracked) are in no revision; %s . would measure them", c->changed,
        c->untracked, option_of(rs));
}

enum tare_status revisions_resolve(struct revisions *rs, const struct option_list *given, struct tare_err *err)
{
    struct changes changes;
    rs->items = arena_array(rs->arena, (size_t)given->n + 1, sizeof *rs->items);
    enum tare_status status = rs->items ? git_open(&rs->git, rs->arena, plat_environment(), err) : err_no_memory(err);
    if (!status)
        status = find_repository(rs, err);
    if (!status)
        status = count_changes(rs, &changes, err);
    for (int i = 0; i < given->n && !status; i++)
        status = resolve(rs, &changes, given->items[i], err);
    if (!status && rs->alone)
        return TARE_OK;
    if (!status && given->n == 1 && !strcmp(given->items[0], "."))
        return err_set(err, TARE_INVALID,
                       "--rev . alone has nothing to compare with; --rev HEAD compares it with the last commit");
    if (!status && given->n == 1)
        status = resolve(rs, &changes, ".", err);
    if (status)
        return git_failed(status, err);
    if (!rs->twins && !rs->ready)
        note_twins(rs);
    if (!rs->commits)
        note_changes(rs, &changes);
    return TARE_OK;
}

static enum tare_status add_text(struct record *r, int number, const char *what, const char *text)
{
    char key[64];
    buf_print(key, sizeof key, "revision_%d%s", number, what);
    return facts_add_text(r, &r->build, key, text);
}

static enum tare_status add_seconds(struct record *r, int number, double seconds)
{
    char key[64];
    buf_print(key, sizeof key, "revision_%d_build_seconds", number);
    return facts_add_number(r, &r->build, key, seconds);
}

static enum tare_status describe_one(struct record *r, int number, const struct revision *rev)
{
    enum tare_status status = add_text(r, number, "", rev->given);
    if (!status)
        status = add_text(r, number, "_hash", rev->hash);
    if (!status && rev->dirty)
        status = add_text(r, number, "_changes", rev->taken ? rev->taken : "not taken yet");
    return status || isnan(rev->build_seconds) ? status : add_seconds(r, number, rev->build_seconds);
}

enum tare_status revisions_describe(const struct revisions *rs, struct record *r)
{
    enum tare_status status = rs->build && rs->n ? facts_add_text(r, &r->build, "build_command", rs->build) : TARE_OK;
    if (!status && rs->n && *rs->prefix)
        status = facts_add_text(r, &r->build, "revision_folder", rs->prefix);
    for (int i = 0; i < rs->n && !status; i++)
        status = describe_one(r, i + 1, &rs->items[i]);
    return status;
}

static const char folder_prefix[] = "tare-rev-";
enum { RANDOM_CHARS = 6, TAIL_BYTES = 1 << 14, TAIL_LINES = 20, TAIL_TAB = 4 };

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

static enum tare_status make_folder(struct revisions *rs, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    enum tare_status status = plat_directory_private(&path, folder_prefix, err);
    if (!status && !(rs->folder = arena_strdup(rs->arena, buf_text(&path)))) {
        plat_directory_remove(buf_text(&path), NULL);
        status = err_no_memory(err);
    }
    buf_finish(&path);
    const char *session = status ? NULL : arena_format(rs->arena, "%s/session", rs->folder);
    if (status || !session)
        return status ? status : err_no_memory(err);
    return plat_file_create(&rs->lock, session, PLAT_FILE_APPEND_NEW, err);
}

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

static bool is_there(const char *path)
{
    struct plat_file_state state;
    return !plat_file_state(path, &state, NULL);
}

/* Held by nobody: then its session is dead, or has removed it just now. Where a cleaner of temporary files took it another user can have made one of its name,
 * whose files are not opened: they may be links to ours. */
static bool dead(const struct revisions *rs, const char *folder)
{
    struct plat_file *lock;
    if (!plat_directory_own(folder))
        return !is_there(folder) && !plat_is_link(folder);
    const char *session = arena_format(rs->arena, "%s/session", folder);
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
    const char *entry = arena_format(rs->arena, "%s/worktrees/%s", rs->common, strrchr(worktree, '/') + 1);
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
        say(rs, "a session that was killed left a folder behind: %s", err.text);
        return;
    }
    forget(rs, worktree);
    if (!*told || strcmp(*told, folder))
        say(rs, "removed what a killed session left behind: %s", folder);
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

/* Beside our folder, what was cut off before git knew of it. A younger one may belong to a session that is about to lock it. */
static void remove_unknown(struct revisions *rs)
{
    enum { NAME = sizeof folder_prefix - 1 + RANDOM_CHARS };
    const int64_t before = plat_utc_ns() - INT64_C(3600000000000);
    const char *parent = arena_copy(rs->arena, rs->folder, strlen(rs->folder) - NAME - 1);
    struct buf names = BUF_INIT(1 << 26);
    struct plat_file_state state;
    int n = 0;
    const char *name = !parent || plat_directory_list(parent, &names, &n, NULL) ? NULL : buf_text(&names);
    for (int i = 0; name && i < n; i++, name += strlen(name) + 1) {
        if (strlen(name) != NAME || strncmp(name, folder_prefix, sizeof folder_prefix - 1) != 0)
            continue;
        const char *folder = arena_format(rs->arena, "%s/%s", parent, name);
        if (folder && plat_directory_own(folder) && !plat_file_state(folder, &state, NULL) && state.modified_utc_ns < before &&
            dead(rs, folder) && !plat_directory_remove(folder, NULL))
            say(rs, "removed what a killed session left behind: %s", folder);
    }
    buf_finish(&names);
}

/* The working tree as a commit of its own, by way of another index: the user's own stays as it is. */
static enum tare_status take_changes(struct revisions *rs, struct revision *rev, struct tare_err *err)
{
    const char *index = arena_format(rs->arena, "%s/index", rs->folder), *tree, *done;
    enum tare_status status = index ? TARE_OK : err_no_memory(err);
    if (!status)
        status = git_text_aside(&rs->git, index, &done, err, "read-tree", rev->hash, (char *)NULL);
    if (!status)
        status = git_text_aside(&rs->git, index, &done, err, "add", "--all", (char *)NULL);
    if (!status)
        status = git_text_aside(&rs->git, index, &tree, err, "write-tree", (char *)NULL);
    if (!status)
        status = git_text_aside(&rs->git, index, &rev->taken, err, "commit-tree", tree, "-p", rev->hash, "-m",
                                "the working tree, taken by tare run --rev .", (char *)NULL);
    return at_revision(rev, "cannot take the uncommitted changes", status, err);
}

/* As the user has them: where no submodule is initialised, none is fetched. */
static enum tare_status bring_submodules(struct revisions *rs, const struct revision *rev, struct tare_err *err)
{
    const char *list = arena_format(rs->arena, "%s/.gitmodules", rev->worktree);
    if (!list || !is_there(list))
        return list ? TARE_OK : err_no_memory(err);
    struct tare_err none;
    enum tare_status status =
        git_ask(&rs->git, NULL, &none, "config", "--get-regexp", "^submodule\\.(active$|.*\\.(url|active)$)", (char *)NULL);
    if (status == TARE_NOT_FOUND) {
        say(rs, "%s: its submodules stay empty, as none is initialised here; git submodule update --init does it", rev->label);
        return TARE_OK;
    }
    const char *cwd = rs->git.cwd;
    rs->git.cwd = rev->worktree;
    status = git_ask(&rs->git, NULL, err, "submodule", "--quiet", "update", "--init", "--recursive", (char *)NULL);
    rs->git.cwd = cwd;
    return at_revision(rev, "cannot bring its submodules", status, err);
}

/* git meets half of a work tree that another session makes or removes. */
static bool met_another(const char *error)
{
    return strstr(error, "worktrees/") && (strstr(error, "failed to read") || strstr(error, "No such file or directory"));
}

/* Nodes that share a repository make theirs at once. */
static enum tare_status add_worktree(struct revisions *rs, const struct revision *rev, struct tare_err *err)
{
    enum { TRIES = 20, WAIT_NS = 50000000 };
    enum tare_status status = TARE_OK;
    for (int i = 1; i <= TRIES && !plat_signal(); i++) {
        status = git_ask(&rs->git, NULL, err, "worktree", "add", "--quiet", "--detach", rev->worktree, rev->taken, (char *)NULL);
        if (status != TARE_CHILD || !met_another(err->text))
            return status;
        plat_sleep_ns((int64_t)i * WAIT_NS);
    }
    return status ? status : err_set(err, TARE_INTERRUPTED, "interrupted");
}

static enum tare_status check_out(struct revisions *rs, struct revision *rev, struct tare_err *err)
{
    const int index = (int)(rev - rs->items);
    const char *chars = rs->folder + strlen(rs->folder) - RANDOM_CHARS;
    rev->worktree = arena_format(rs->arena, "%s/%s-%02d", rs->folder, chars, index + 1);
    if (!rev->worktree)
        return err_no_memory(err);
    rev->directory = *rs->prefix ? arena_format(rs->arena, "%s/%s", rev->worktree, rs->prefix) : rev->worktree;
    if (!rev->directory)
        return err_no_memory(err);
    if (!rev->dirty)
        rev->taken = rev->hash;
    enum tare_status status = rev->taken ? TARE_OK : take_changes(rs, rev, err);
    if (status)
        return status;
    status = add_worktree(rs, rev, err);
    return status ? at_revision(rev, "cannot check it out", status, err) : bring_submodules(rs, rev, err);
}

/* The paths as the last one has them, so that what it deleted there goes too. */
static enum tare_status carry(struct revisions *rs, struct tare_err *err)
{
    const int n = rs->carried ? rs->carried->n : 0;
    const char *cwd = rs->git.cwd;
    const struct revision *from = &rs->items[rs->n - 1];
    const char *source = arena_format(rs->arena, "--source=%s", from->taken);
    enum tare_status status = source ? TARE_OK : err_no_memory(err);
    for (int i = 0; i < n && !status; i++)
        for (int k = 0; k < rs->n - 1 && !status; k++) {
            rs->git.cwd = rs->items[k].directory;
            status = git_ask(&rs->git, NULL, err, "restore", source, "--staged", "--worktree", "--", rs->carried->items[i],
                             (char *)NULL);
            if (status == TARE_CHILD && strstr(err->text, "did not match"))
                status = err_set(err, TARE_INVALID, "--carry %s: there is no such file or folder in %s", rs->carried->items[i],
                                 from->label);
        }
    rs->git.cwd = cwd;
    return status;
}

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

/* Without the carriage return before its end, where lines have one. */
static size_t line_bytes(const char *line, const char *stop)
{
    const bool returned = stop > line && stop[-1] == '\r';
    return (size_t)(stop - line) - returned;
}

/* A build may write anything; what could move the cursor or colour the rest appears as an escape. */
static void put_log_line(struct buf *out, const char *line, size_t n)
{
    struct buf text = BUF_INIT(TAIL_TAB * TAIL_BYTES + 1);
    for (size_t i = 0; i < n; i++)
        line[i] == '\t' ? buf_repeat(&text, ' ', TAIL_TAB) : buf_char(&text, line[i]);
    buf_str(out, "  | ");
    quote_mask(out, buf_text(&text), true);
    buf_char(out, '\n');
    buf_finish(&text);
}

/* Whether there was anything. */
static bool print_tail(const struct revisions *rs, const char *log)
{
    struct tail t = {.n = 0};
    struct buf out = BUF_INIT(8 * TAIL_BYTES);
    if (plat_file_pour(log, &(struct sink){.write = keep_end, .context = &t}, NULL))
        return false;
    const char *end = t.bytes + t.n;
    for (const char *at = last_lines(t.bytes, t.n); at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        put_log_line(&out, at, line_bytes(at, stop ? stop : end));
        at = stop ? stop + 1 : end;
    }
    rs->cli->talk.write(rs->cli->talk.context, buf_text(&out), out.len, NULL);
    buf_finish(&out);
    return t.n > 0;
}

static void keep_log(const struct revisions *rs, const struct revision *rev, const char *text, const char *log)
{
    struct buf head = BUF_INIT(1 << 16);
    if (!rs->log.context)
        return;
    buf_format(&head, "# %s: %s\n", rev->label, text);
    rs->log.write(rs->log.context, buf_text(&head), head.len, NULL);
    plat_file_pour(log, &rs->log, NULL);
    buf_finish(&head);
}

static enum tare_status judge_build(const struct revisions *rs, const struct revision *rev, const char *text, const char *log,
                                    const struct plat_child_result *result, struct tare_err *err)
{
    if (result->end == CHILD_EXITED && result->code == 0) {
        if (rs->show_output)
            plat_file_pour(log, &rs->cli->talk, NULL);
        return TARE_OK;
    }
    const char *said = print_tail(rs, log) ? "its last lines are above" : "the command wrote nothing";
    if (result->end == CHILD_EXITED)
        return err_set(err, TARE_CHILD, "%s does not build: '%s' ended with exit code %d; %s", rev->label, text, result->code,
                       said);
    return err_set(err, TARE_CHILD, "%s does not build: '%s' was ended by %s; %s", rev->label, text,
                   plat_signal_name(result->code), said);
}

/* `/bin/sh -c TEXT`, on Windows `cmd.exe /d /s /c TEXT`, in its folder, both outputs into the file `log`. */
static enum tare_status run_build(const struct revisions *rs, const struct revision *rev, const char *text, const char *log,
                                  struct plat_child_result *result, struct tare_err *err)
{
    const bool windows = plat_words_are_windows();
    const char *const posix[] = {"/bin/sh", "-c", text, NULL}, *const cmd[] = {"cmd.exe", "/d", "/s", "/c", text, NULL},
                      *const *argv = windows ? cmd : posix, *shell = argv[0];
    struct buf found = BUF_INIT(1 << 16);
    if (windows && plat_find_program(cmd[0], rs->environment, rev->directory, &found, err))
        return TARE_IO;
    int fd = plat_open_output(log, err);
    if (fd < 0) {
        buf_finish(&found);
        return TARE_IO;
    }
    struct plat_child_spec spec = {.path = windows ? buf_text(&found) : shell,
                                   .argv = argv,
                                   .envp = rs->environment,
                                   .cwd = rev->directory,
                                   .fd_in = rs->git.null,
                                   .fd_out = fd,
                                   .fd_err = fd,
                                   .pin_cpu = -1,
                                   .drain_fd = -1};
    enum tare_status status = plat_child_run(rs->git.spawner, &spec, result, err);
    plat_close(fd);
    buf_finish(&found);
    if (!status && result->end == CHILD_NOT_STARTED)
        return err_set(err, TARE_IO, "%s could not be started: %s", shell, plat_errno_text(result->code));
    return !status && result->end == CHILD_INTERRUPTED ? err_set(err, TARE_INTERRUPTED, "interrupted while building") : status;
}

static enum tare_status build(struct revisions *rs, struct revision *rev, struct tare_err *err)
{
    if (!rs->build)
        return TARE_OK;
    const struct parameter id = {"rev", rev->id};
    const char *text = parameters_fill(rs->arena, rs->build, &id, 1), *log = arena_format(rs->arena, "%s/log", rs->folder);
    if (!text || !log)
        return err_no_memory(err);
    say(rs, "building %s: %s", rev->label, text);
    struct plat_child_result result;
    int64_t start_ns = plat_now_ns();
    enum tare_status status = run_build(rs, rev, text, log, &result, err);
    rev->build_seconds = (double)(plat_now_ns() - start_ns) / 1e9;
    keep_log(rs, rev, text, log);
    if (!status)
        status = judge_build(rs, rev, text, log, &result, err);
    rs->unbuilt = status == TARE_CHILD ? (int)(rev - rs->items) + 1 : 0;
    return status;
}

/* One that is ready has a folder and no work tree of ours. */
static void use_ready(const struct revisions *rs, struct revision *rev)
{
    for (int i = 0; rs->ready && i < rs->ready->n; i++) {
        const struct revision *there = &rs->ready->items[i];
        if (rev->dirty || !there->directory || strcmp(there->taken, rev->hash) != 0)
            continue;
        rev->taken = there->taken;
        rev->directory = there->directory;
        rev->build_seconds = there->build_seconds;
        if (rev == &rs->items[i])
            return; /* both may be of one commit, each with a work tree of its own */
    }
}

enum tare_status revisions_check_out(struct revisions *rs, struct tare_err *err)
{
    bool all_ready = true;
    for (int i = 0; i < rs->n; i++) {
        use_ready(rs, &rs->items[i]);
        all_ready &= rs->items[i].directory != NULL;
    }
    if (all_ready)
        return TARE_OK;
    remove_leftovers(rs);
    enum tare_status status = make_folder(rs, err);
    if (!status)
        remove_unknown(rs);
    for (int i = 0; i < rs->n && !status; i++)
        if (!rs->items[i].directory)
            status = check_out(rs, &rs->items[i], err);
    return status;
}

enum tare_status revisions_build(struct revisions *rs, struct tare_err *err)
{
    enum tare_status status = carry(rs, err);
    for (int i = 0; i < rs->n && !status; i++)
        if (rs->items[i].worktree)
            status = build(rs, &rs->items[i], err);
    return status;
}

/* By the clock of the file system, which stamped a file of ours before the first build. */
bool revisions_wrote(const struct revisions *rs, const char *path)
{
    const struct revisions *by = rs->ready ? rs->ready : rs;
    const char *session = by->folder && by->build ? arena_format(rs->arena, "%s/session", by->folder) : NULL;
    struct plat_file_state begun, now;
    if (!session || plat_file_state(session, &begun, NULL) || plat_file_state(path, &now, NULL) || !now.regular)
        return false;
    return now.modified_utc_ns >= begun.modified_utc_ns || now.changed_utc_ns >= begun.modified_utc_ns;
}

/* The files first, for git would stumble over what a build left; then it has only its own entry to forget. */
enum tare_status revisions_remove(struct revisions *rs, struct tare_err *err)
{
    rs->git.ending = true;
    enum tare_status status = rs->folder ? plat_directory_remove(rs->folder, err) : TARE_OK;
    if (status) { /* where a file that is open stays, as on Windows */
        plat_file_abandon(rs->lock);
        rs->lock = NULL;
        status = plat_directory_remove(rs->folder, err);
    }
    for (int i = 0; rs->folder && i < rs->n; i++)
        if (rs->items[i].worktree)
            forget(rs, rs->items[i].worktree);
    plat_file_abandon(rs->lock);
    git_close(&rs->git);
    rs->folder = NULL;
    rs->lock = NULL;
    return status;
}
