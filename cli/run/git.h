/* SPDX-License-Identifier: MIT
 *
 * git.h - asks the git program, without a shell.
 *
 *     struct git g;
 *     git_open(&g, arena, environment, &err);
 *     git_ask(&g, &text, &err, "rev-parse", "--verify", "HEAD", NULL);   // text: its first output, without the last line's end
 *     git_close(&g);
 *
 * It speaks for no repository but the one of `cwd`: GIT_DIR and the like are taken out of the environment. Hooks of the repository do not run, nothing is asked on a terminal, and no daemon is started.
 * Ownership: strings live in the arena. One thread.
 */
#ifndef GIT_H
#define GIT_H

#include "arena.h"
#include "plat.h"

struct git {
    struct plat_spawner *spawner; /* its own: of normal priority, and there before the measured ones */
    struct arena *arena;
    const char *program;
    const char *const *environment;
    const char *cwd; /* NULL: ours */
    int null;
    bool ending; /* what follows is done although a signal came */
};

/* The environment without what names another repository (hooks of git set it) or another current folder. NULL: out of memory. */
const char *const *git_environment(struct arena *a, const char *const *environment);

/* UNSUPPORTED: there is no git. */
enum tare_status git_open(struct git *g, struct arena *a, const char *const *environment, struct tare_err *err);
void git_close(struct git *g); /* zeroed is fine */

/* Runs `git WORD...`, closed by NULL. out may be NULL. CHILD: git refused, and err is its own words, one line. NOT_FOUND: it ended with 1 or silently, and
 * told no error: so it answers no. INTERRUPTED. */
enum tare_status git_ask(struct git *g, struct buf *out, struct tare_err *err, ...) __attribute__((sentinel));
/* The same into the arena; *out is NULL where it fails. */
enum tare_status git_text(struct git *g, const char **out, struct tare_err *err, ...) __attribute__((sentinel));
/* The same with a file for the index, so that the repository's own stays as it is, and with a name for what is committed. */
enum tare_status git_text_aside(struct git *g, const char *index, const char **out, struct tare_err *err, ...)
    __attribute__((sentinel));
/* Whether its words mean that there is no repository here, or none with files of a commit. Whatever else they say, git failed. */
bool git_is_outside(const struct tare_err *why);
/* Where only git's own failure can be meant: CHILD as IO, "git: ..."; others stay. No program that is measured has failed. */
enum tare_status git_failed(enum tare_status status, struct tare_err *err);
/* The commit that a name leads to, in full. NOT_FOUND: there is none. INVALID: the name is wrong, in git's words. IO: git failed. */
enum tare_status git_commit(struct git *g, const char *name, const char **hash, struct tare_err *err);
#define GIT_OF_SHALLOW "in this clone, which is shallow; git fetch --unshallow brings the rest"
/* A clone without its older commits; false too where git does not say. */
bool git_is_shallow(struct git *g);
/* "no such commit in this repository; ...": what may help then. */
const char *git_no_such_commit(struct git *g);
/* "PATCH HASH" a line, by `git patch-id --stable`, of the first parents back from `hash`; most: "--max-count=N". A change keeps its patch id over a
 * rebase. */
enum tare_status git_patch_ids(struct git *g, struct buf *out, struct tare_err *err, const char *most, const char *hash);

#endif
