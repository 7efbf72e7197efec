/* SPDX-License-Identifier: MIT
 *
 * Programs that are equal in both builds need not be measured: the program itself, every shared library in the work trees, and every tracked file but
 * documentation, because a program may read it. Which ones it does read cannot be seen from outside, nor from where it stands: a path may be in a file
 * of settings, and a folder of shared data beside all packages. So only somebody who knows can say so (--inputs). */
#include "gate_session.h"
#include "same_program.h"
#include <string.h>

enum { FILE_MAX = 1 << 30, DEPTH_MAX = 32, LIBRARIES_MAX = 10000 };

/* A pipe may have no end. */
static bool read_image(const char *path, const char *folder, struct buf *text, struct program_image *out)
{
    struct plat_file_state state;
    *text = BUF_INIT(FILE_MAX);
    if (plat_file_state(path, &state, NULL) || !state.regular || plat_file_read(path, text, NULL) || text->status)
        return false;
    *out = (struct program_image){buf_text(text), text->len, folder};
    return true;
}

/* Both are programs or libraries of the kind that is looked into. */
static bool same_files(const struct gate *g, const char *base, const char *head)
{
    struct buf of_base, of_head;
    struct program_image a, b;
    const bool same = read_image(base, g->rs.items[GATE_BASE].worktree, &of_base, &a) &
                          read_image(head, g->rs.items[GATE_HEAD].worktree, &of_head, &b) &&
                      is_program(&a) && is_program(&b) && same_program(&a, &b);
    buf_finish(&of_base);
    buf_finish(&of_head);
    return same;
}

struct search {
    const struct gate *g;
    int found;
    bool same;
};

static bool same_library(struct search *s, const char *below)
{
    struct arena *a = s->g->cli->arena;
    const char *base = arena_format(a, "%s/%s", s->g->rs.items[GATE_BASE].worktree, below),
               *head = arena_format(a, "%s/%s", s->g->rs.items[GATE_HEAD].worktree, below);
    return base && head && ++s->found <= LIBRARIES_MAX && same_files(s->g, base, head);
}

/* Of one work tree: each must be in the other, and equal. Links are files of the tree, or lead out of it to what both share. */
static void search_libraries(struct search *s, enum gate_side side, const char *below, int depth)
{
    struct arena *a = s->g->cli->arena;
    const char *folder = arena_format(a, "%s%s%s", s->g->rs.items[side].worktree, *below ? "/" : "", below);
    struct buf names = BUF_INIT(1 << 26);
    int n = 0;
    s->same = s->same && folder && depth < DEPTH_MAX && !plat_directory_list(folder, &names, &n, NULL);
    const char *name = buf_text(&names);
    for (int i = 0; s->same && i < n; i++, name += strlen(name) + 1) {
        if (!strcmp(name, ".git"))
            continue;
        const char *inner = arena_format(a, "%s%s%s", below, *below ? "/" : "", name),
                   *path = arena_format(a, "%s/%s", folder, name);
        if (!inner || !path)
            s->same = false;
        else if (plat_directory_own(path))
            search_libraries(s, side, inner, depth + 1);
        else if (named_as_library(name))
            s->same = same_library(s, inner);
    }
    buf_finish(&names);
}

/* Below a path as git takes it. -z: each name is closed by a zero byte, so no name is quoted. Settings of the user or the repository can make git diff
 * leave out submodules, or what is not below the current folder; diff-tree asks none of them, and .gitmodules only without the option. */
static bool files_equal(struct gate *g, const struct program_image *program, const char *path)
{
    struct buf names = BUF_INIT(16 << 20);
    bool equal = !git_ask(&g->rs.git, &names, NULL, "diff-tree", "-r", "--name-only", "--no-renames", "--ignore-submodules=none",
                          "-z", g->rs.items[GATE_BASE].taken, g->rs.items[GATE_HEAD].taken, "--", path, (char *)NULL);
    const char *text = buf_text(&names);
    for (size_t at = 0; equal && at < names.len; at += strlen(text + at) + 1)
        equal = read_by_nobody(text + at) && !program_names(program, text + at);
    buf_finish(&names);
    return equal;
}

/* A name with a slip in it would make all programs equal. */
static bool is_tracked(struct gate *g, const char *path)
{
    struct buf names = BUF_INIT(16 << 20);
    const bool there = !git_ask(&g->rs.git, &names, NULL, "ls-files", "-z", "--with-tree", g->rs.items[GATE_HEAD].taken, "--",
                                path, (char *)NULL) &&
                       names.len;
    buf_finish(&names);
    return there;
}

/* Paths are taken from the current folder, as that of the program, in the head's work tree. */
static bool inputs_equal(struct gate *g, const struct gate_program *p)
{
    struct buf bytes;
    struct program_image program;
    const char *cwd = g->rs.git.cwd;
    bool told = false, equal = read_image(p->side[GATE_HEAD].path, "", &bytes, &program);
    g->rs.git.cwd = g->rs.items[GATE_HEAD].directory;
    for (int i = 0; i < g->o->inputs.n && equal; i++) {
        const char *given = gate_inputs_of(g->o->inputs.items[i], p->name),
                   *path = given ? arena_format(g->cli->arena, ":(literal)%s", given) : NULL;
        if (!given)
            continue;
        told = true;
        equal = path && is_tracked(g, path) && files_equal(g, &program, path);
    }
    equal = equal && (told || files_equal(g, &program, ":/"));
    g->rs.git.cwd = cwd;
    buf_finish(&bytes);
    return equal;
}

const char *gate_programs_equal(struct gate *g, const struct gate_program *p)
{
    if (!p->side[GATE_BASE].path || !p->side[GATE_HEAD].path || g->o->qualify)
        return NULL;
    if (!same_files(g, p->side[GATE_BASE].path, p->side[GATE_HEAD].path) || !inputs_equal(g, p))
        return NULL;
    struct search s = {.g = g, .same = true};
    search_libraries(&s, GATE_BASE, "", 0);
    search_libraries(&s, GATE_HEAD, "", 0);
    return s.same
               ? arena_format(g->cli->arena,
                              "both builds make the same %s, apart from build IDs, debug information and folder names", p->name)
               : NULL;
}
