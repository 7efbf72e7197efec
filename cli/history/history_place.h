/* SPDX-License-Identifier: MIT
 *
 * history_place.h - where a history is and what is measured for it: the folder, the repository around it, the commit.
 *
 *     struct history_place p;
 *     status = history_place_open(&p, o->dir, cli->arena, &err);        // p.folder
 *     if (p.repository)
 *         status = history_line_read(&line, &p.git, "HEAD", arena, &err);
 *     history_place_close(&p);
 *
 * Reads the repository and changes nothing; history_place_make alone makes the folder. Strings live in the arena.
 */
#ifndef HISTORY_PLACE_H
#define HISTORY_PLACE_H

#include "git.h"
#include "history.h"

struct display_options;

struct history_place {
    struct arena *arena;
    const char *folder;     /* of the history, or the URL of a database */
    const char *project;    /* of events in a database, where others may be too; NULL: a folder, or not known */
    struct git git;         /* open where there is a git */
    bool repository;        /* we are in a work tree */
    const char *no_commits; /* why there are none to look up, and what to do; NULL: not known */
    const char *top;        /* of the work tree; "" */
    const char *prefix;     /* where in it we are: "" or "sub/folder" */
};

/* dir NULL: .tare/history at the top of the work tree. Without a repository a folder must be given: INVALID. Where there is none or no git,
 * `repository` is false. */
enum tare_status history_place_open(struct history_place *p, const char *dir, struct arena *a, struct tare_err *err);
void history_place_close(struct history_place *p); /* zeroed is fine */
/* The folder as git names it, "sub/folder"; NULL: it is not in the work tree, or none can tell. */
const char *history_place_in_tree(const struct history_place *p);
/* The folder with those above it, and that a file can be made in it. IO. */
enum tare_status history_place_make(const struct history_place *p, struct tare_err *err);
/* Whether all exports, and `path` of this option (NULL: none), leave its files alone: INVALID where one would take the place of results. */
enum tare_status history_place_spared(const struct history_place *p, const struct display_options *d, const char *option,
                                      const char *path, struct tare_err *err);
/* The commit that `revision` names, in full. INVALID: no repository, or no such commit. */
enum tare_status history_place_commit(struct history_place *p, const char *revision, const char **hash, struct tare_err *err);
/* When it was committed, for results that do not say when they were measured. */
enum tare_status history_place_time(struct history_place *p, const char *hash, int64_t *utc_ns, struct tare_err *err);
/* Project, revision, dirty, folder and the time of the commit of a session at `revision`; ".": of the working tree as it is. INVALID as above, and in a
 * shallow clone, whose project is not known. */
enum tare_status history_place_session(struct history_place *p, const char *revision, struct history_session *s,
                                       struct tare_err *err);

#endif
