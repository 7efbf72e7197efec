/* SPDX-License-Identifier: MIT */
#include "history_place.h"
#include "display_options.h"
#include "history_view.h"
#include <stdlib.h>
#include <string.h>

/* Why there is none, or nothing that could know one. NULL: whatever else git says, as of a repository that is another user's, is no answer. */
static const char *why_outside(enum tare_status status, const struct tare_err *why)
{
    if (status == TARE_UNSUPPORTED)
        return "git is not on PATH; install it";
    if (status == TARE_CHILD && strstr(why->text, "not a git repository (or any"))
        return "not in a git repository; start tare in one";
    if (status == TARE_CHILD && strstr(why->text, "must be run in a work tree"))
        return "the git repository has no work tree here: it is bare, or this is its .git folder; start tare in a work tree";
    return NULL;
}

/* Results of different repositories are different series, and a shallow clone does not know which one it is of. */
static enum tare_status find_project(struct history_place *p, const char *revision, const char **project, struct tare_err *err)
{
    const char *shallow;
    enum tare_status status = git_text(&p->git, &shallow, err, "rev-parse", "--is-shallow-repository", (char *)NULL);
    if (!status && !strcmp(shallow, "true"))
        return err_set(err, TARE_INVALID,
                       "this clone is shallow, so its first commit is not known; git fetch --unshallow brings the rest "
                       "(fetch-depth: 0 in CI)");
    return status
               ? status
               : git_text(&p->git, project, err, "rev-list", "--max-parents=0", "--first-parent", revision, "--", (char *)NULL);
}

/* A name that is misspelt would become a folder. */
static enum tare_status check_dir(const char *dir, struct tare_err *err)
{
    const size_t scheme = dir ? strspn(dir, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-") : 0;
    if (!scheme || strncmp(dir + scheme, "://", 3) != 0)
        return TARE_OK;
    return history_is_url(dir)
               ? history_check_url(dir, err)
               : err_set(err, TARE_INVALID, "'%.100s' is no place for a history: take a folder or postgresql://...", dir);
}

/* What is read of a database is this repository's. Before its first commit and in a shallow clone that is not known: then all projects are. */
static enum tare_status narrow_to_project(struct history_place *p, struct tare_err *err)
{
    const char *head;
    enum tare_status status = git_commit(&p->git, "HEAD", &head, err);
    if (!status)
        status = find_project(p, head, &p->project, err);
    if (status != TARE_NOT_FOUND && status != TARE_INVALID)
        return git_failed(status, err);
    p->project = NULL;
    return TARE_OK;
}

enum tare_status history_place_open(struct history_place *p, const char *dir, struct arena *a, struct tare_err *err)
{
    struct tare_err why;
    *p = (struct history_place){.arena = a, .top = "", .prefix = ""};
    enum tare_status status = check_dir(dir, err);
    if (status)
        return status;
    status = git_open(&p->git, p->arena, plat_environment(), &why);
    if (!status)
        status = git_text(&p->git, &p->top, &why, "rev-parse", "--show-toplevel", (char *)NULL);
    if (!status)
        status = git_text(&p->git, &p->prefix, &why, "rev-parse", "--show-prefix", (char *)NULL);
    size_t n = status ? 0 : strlen(p->prefix);
    if (n && p->prefix[n - 1] == '/' && !(p->prefix = arena_copy(p->arena, p->prefix, n - 1)))
        status = err_no_memory(&why);
    if (!status && !*p->top)
        status = err_set(&why, TARE_IO, "git rev-parse --show-toplevel succeeded and printed nothing");
    p->repository = !status;
    p->no_commits = why_outside(status, &why);
    if (status == TARE_CHILD && !p->no_commits)
        return err_set(err, TARE_IO, "git refused to say which repository this is: %s", why.text);
    if (status && !p->no_commits)
        return err_set(err, status, "%s", why.text);
    if (status && !dir)
        return err_set(err, TARE_INVALID, "%s, or give the folder of a history", p->no_commits);
    p->folder = dir ? dir : arena_format(a, "%s/.tare/history", p->top);
    if (!p->folder)
        return err_no_memory(err);
    return dir && history_is_url(dir) && p->repository ? narrow_to_project(p, err) : TARE_OK;
}

const char *history_place_in_tree(const struct history_place *p)
{
    struct buf real = BUF_INIT(1 << 16);
    const size_t top = strlen(p->top);
    const char *below = NULL;
    const bool found = p->repository && !plat_directory_path(p->folder, &real, NULL);
    for (char *c = real.data; found && *c; c++)
        *c = plat_is_slash(*c) ? '/' : *c;
    if (found && !strncmp(real.data, p->top, top) && real.data[top] == '/')
        below = arena_strdup(p->arena, real.data + top + 1);
    buf_finish(&real);
    return below;
}

void history_place_close(struct history_place *p)
{
    git_close(&p->git);
}

static enum tare_status try_to_write(const char *folder, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    struct plat_file *f;
    buf_format(&path, "%s/.try", folder);
    enum tare_status status = path.status ? err_no_memory(err) : plat_file_create(&f, buf_text(&path), PLAT_FILE_REPLACE, err);
    if (!status)
        plat_file_abandon(f);
    buf_finish(&path);
    return status;
}

enum tare_status history_place_make(const struct history_place *p, struct tare_err *err)
{
    enum tare_status status = history_make_folder(p->folder, err);
    if (!status && !history_is_url(p->folder))
        status = try_to_write(p->folder, err);
    if (!status && !history_is_url(p->folder))
        history_clean_up(p->folder);
    return status && status != TARE_NO_MEMORY ? TARE_IO : status; /* others would exit 2, as wrong use does */
}

static bool is_in(const struct history_place *p, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end = strrchr(name, '.');
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "%s/%s", p->folder, name);
    const bool in = end && !strcmp(end, ".jsonl") && plat_same_file(path, buf_text(&b));
    buf_finish(&b);
    return in;
}

static enum tare_status check_spared(const struct history_place *p, const char *option, const char *path, struct tare_err *err)
{
    return path && is_in(p, path)
               ? err_set(err, TARE_INVALID, "%s '%.200s' would be one of the results in %.200s; give another file", option, path,
                         p->folder)
               : TARE_OK;
}

enum tare_status history_place_spared(const struct history_place *p, const struct display_options *d, const char *option,
                                      const char *path, struct tare_err *err)
{
    enum tare_status status = check_spared(p, option, path, err);
    for (int i = 0; i < N_EXPORTS && !status; i++)
        status = check_spared(p, display_export_name((enum display_export)i), d->export_file[i], err);
    return status;
}

enum tare_status history_place_commit(struct history_place *p, const char *revision, const char **hash, struct tare_err *err)
{
    if (!p->repository)
        return err_set(err, TARE_INVALID, "%.100s cannot be looked up: %s", revision, p->no_commits);
    return history_commit_named(&p->git, revision, hash, err);
}

/* Changes of files that git knows, as git describe --dirty: what a build leaves beside them is none. Nor are the results themselves. */
static enum tare_status find_changes(struct history_place *p, bool *dirty, struct tare_err *err)
{
    const char *changes, *below = history_place_in_tree(p);
    const char *results = below ? arena_format(p->arena, ":(exclude,top,literal)%s", below) : NULL;
    enum tare_status status = git_text(&p->git, &changes, err, "status", "--porcelain", "--untracked-files=no", "--", ":(top)",
                                       ":(exclude,top).tare", results, (char *)NULL);
    *dirty = !status && *changes;
    return status;
}

enum tare_status history_place_time(struct history_place *p, const char *hash, int64_t *utc_ns, struct tare_err *err)
{
    const char *seconds;
    enum tare_status status =
        git_text(&p->git, &seconds, err, "log", "-1", "--no-show-signature", "--format=%ct", hash, "--", (char *)NULL);
    *utc_ns = status ? 0 : strtoll(seconds, NULL, 10) * 1000000000;
    return status;
}

enum tare_status history_place_session(struct history_place *p, const char *revision, struct history_session *s,
                                       struct tare_err *err)
{
    const bool as_it_is = !strcmp(revision, ".");
    enum tare_status status = history_place_commit(p, as_it_is ? "HEAD" : revision, &s->revision, err);
    if (!status)
        status = find_project(p, s->revision, &s->project, err);
    if (!status)
        status = history_place_time(p, s->revision, &s->measured_utc_ns, err);
    if (!status && as_it_is)
        status = find_changes(p, &s->dirty, err);
    s->folder = p->prefix;
    return git_failed(status, err);
}
