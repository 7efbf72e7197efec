/* SPDX-License-Identifier: MIT
 *
 * Which two commits, and their work trees with the builds in them. */
#include "gate_session.h"
#include <math.h>
#include <string.h>

static enum tare_status find_given(struct gate *g, const char *option, const char *name, const char **hash, struct tare_err *err)
{
    enum tare_status status = git_commit(&g->git, name, hash, err);
    if (status == TARE_IO || status == TARE_INVALID)
        err_prefix(err, option);
    if (status != TARE_NOT_FOUND)
        return status;
    return err_set(err, TARE_INVALID, "%s %s: %s", option, name, git_no_such_commit(&g->git));
}

/* The branch that changes are merged into. INVALID: none of the usual names exists. */
static enum tare_status default_branch(struct gate *g, const char **branch, const char **hash, struct tare_err *err)
{
    static const char *const names[] = {"origin/HEAD", "origin/main", "origin/master", "main", "master"};
    enum tare_status status = TARE_NOT_FOUND;
    for (size_t i = 0; i < sizeof names / sizeof *names && status == TARE_NOT_FOUND; i++)
        status = git_commit(&g->git, *branch = names[i], hash, err);
    return status == TARE_NOT_FOUND
               ? err_set(err, TARE_INVALID, "there is no origin/HEAD, main or master here to find the base with; give --base REV")
               : status;
}

static enum tare_status find_merge_base(struct gate *g, const char *head, const char **base, struct tare_err *err)
{
    const char *branch_hash, *branch;
    enum tare_status status = default_branch(g, &branch, &branch_hash, err);
    if (status)
        return status;
    const char *name = !strcmp(branch, "origin/HEAD") ? "the default branch" : branch;
    status = git_text(&g->git, base, err, "merge-base", branch_hash, head, (char *)NULL);
    if (status == TARE_CHILD)
        err_prefix(err, "git merge-base");
    if (status == TARE_NOT_FOUND)
        return err_set(err, TARE_INVALID, "%s and the head have no common ancestor%s", name,
                       git_is_shallow(&g->git) ? " " GIT_OF_SHALLOW : "; give --base REV");
    g->base_note = arena_format(g->cli->arena, "merge base with %s", name);
    return status || g->base_note ? status : err_no_memory(err);
}

static bool is_working_tree(const char *revision)
{
    return !strcmp(revision, ".");
}

static enum tare_status find_both(struct gate *g, struct tare_err *err)
{
    const char *head_name = g->o->head_revision ? g->o->head_revision : "HEAD", *head, *base;
    enum tare_status status = find_given(g, "--head", is_working_tree(head_name) ? "HEAD" : head_name, &head, err);
    if (!status && g->o->base_revision)
        status = find_given(g, "--base", g->o->base_revision, &base, err);
    else if (!status)
        status = find_merge_base(g, head, &base, err);
    if (status)
        return status;
    if (!g->o->base_revision && !g->o->qualify && !strcmp(base, head) && !is_working_tree(head_name))
        return err_set(
            err, TARE_INVALID,
            "the head is part of the branch that it is merged into, so there is nothing to compare; --head . tests uncommitted "
            "changes, --base HEAD~1 the last commit");
    g->revisions[GATE_BASE] = g->o->base_revision ? g->o->base_revision : base;
    g->revisions[GATE_HEAD] = g->o->qualify ? base : head_name;
    return TARE_OK;
}

static enum tare_status keep_talk(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct gate *g = context;
    buf_add(&g->said, bytes, n);
    return g->cli->talk.write(g->cli->talk.context, bytes, n, err);
}

/* A build goes on where its log has no room; that something is missing is said in the end. */
static enum tare_status write_log(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct gate *g = context;
    struct tare_err lost;
    (void)err;
    if (plat_file_write(g->log, bytes, n, &lost) && !*g->log_lost.text)
        g->log_lost = lost;
    return TARE_OK;
}

enum tare_status gate_sides_find(struct gate *g, struct tare_err *err)
{
    enum tare_status status = git_open(&g->git, g->cli->arena, plat_environment(), err);
    if (!status)
        status = git_text(&g->git, &g->top, err, "rev-parse", "--show-toplevel", (char *)NULL);
    if (status == TARE_CHILD && !git_is_outside(err))
        return git_failed(status, err);
    if (status == TARE_CHILD)
        return err_set(err, TARE_INVALID,
                       strstr(err->text, "work tree")
                           ? "this folder of a git repository has no files of a commit; start tare gate in a work tree"
                           : "this is no git repository; start tare gate inside one");
    if (!status)
        status = find_both(g, err);
    if (status)
        return status;
    g->said = BUF_INIT(1 << 20);
    g->builder = *g->cli;
    g->builder.talk = (struct sink){.write = keep_talk, .context = g};
    g->rs = (struct revisions){.arena = g->cli->arena,
                               .environment = git_environment(g->cli->arena, plat_environment()),
                               .build = g->o->build,
                               .cli = &g->builder,
                               .quiet = g->o->display.quiet,
                               .option = "--head",
                               .twins = g->o->qualify > 0,
                               .carried = &g->o->carried,
                               .log = {.write = write_log}};
    const struct option_list given = {g->revisions, 2};
    return g->rs.environment ? revisions_resolve(&g->rs, &given, err) : err_no_memory(err);
}

/* As both work trees have it. */
static bool read_file_of(const struct gate *g, enum gate_side side, struct buf *text)
{
    const char *path = arena_format(g->cli->arena, "%s/.tare/gate", g->rs.items[side].worktree);
    struct plat_file_state state;
    *text = BUF_INIT(1 << 20);
    return path && !plat_file_state(path, &state, NULL) && state.regular && !plat_file_read(path, text, NULL);
}

/* It may be a link, and the change one of what that leads to; what is carried and what a build writes would hide it. Or both have it, and where we are it is
 * deleted. */
static bool files_differ(const struct gate *g)
{
    struct buf base, head;
    const bool in_base = read_file_of(g, GATE_BASE, &base), in_head = read_file_of(g, GATE_HEAD, &head),
               differ = in_base != in_head || base.len != head.len || memcmp(buf_text(&base), buf_text(&head), base.len) != 0;
    buf_finish(&base);
    buf_finish(&head);
    return differ || (in_base && !g->own_file);
}

/* A change that loosens its own gate, or takes its options away, is to be seen. */
static bool changes_file(struct gate *g)
{
    struct buf names = BUF_INIT(1 << 16);
    const bool asked = !git_ask(&g->rs.git, &names, NULL, "diff-tree", "-r", "--name-only", g->rs.items[GATE_BASE].taken,
                                g->rs.items[GATE_HEAD].taken, "--", ":(top).tare/gate", (char *)NULL);
    const bool changes = (asked && names.len) || files_differ(g);
    buf_finish(&names);
    return changes;
}

enum tare_status gate_sides_build(struct gate *g, struct tare_err *err)
{
    struct tare_err lost;
    if (g->o->build_log) {
        enum tare_status status =
            plat_file_create(&g->log, g->o->build_log, g->number ? PLAT_FILE_APPEND : PLAT_FILE_REPLACE, err);
        if (status) {
            err_prefix(err, "--build-log");
            return status;
        }
        g->rs.log.context = g;
    }
    buf_clear(&g->said);
    enum tare_status status = revisions_check_out(&g->rs, err);
    g->file_changed = !status && changes_file(g);
    if (!status)
        status = revisions_build(&g->rs, err);
    g->build_seconds = 0;
    for (int i = 0; i < g->rs.n; i++)
        g->build_seconds += isnan(g->rs.items[i].build_seconds) ? 0 : g->rs.items[i].build_seconds;
    if (g->log && plat_file_commit(g->log, &lost) && !*g->log_lost.text)
        g->log_lost = lost;
    g->log = NULL;
    if (status || !*g->log_lost.text)
        return status;
    *err = g->log_lost;
    err_prefix(err, "--build-log");
    return TARE_IO;
}

enum tare_status gate_sides_build_again(struct gate *g, struct tare_err *err)
{
    const struct option_list given = {g->revisions, 2};
    enum tare_status status = revisions_remove(&g->rs, err);
    g->rs.n = 0;
    if (!status)
        status = revisions_resolve(&g->rs, &given, err);
    return status ? status : gate_sides_build(g, err);
}

enum tare_status gate_sides_remove(struct gate *g, struct tare_err *err)
{
    enum tare_status status = revisions_remove(&g->rs, err);
    git_close(&g->git);
    buf_finish(&g->said);
    return status;
}
