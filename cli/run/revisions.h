/* SPDX-License-Identifier: MIT
 *
 * revisions.h - `tare run --rev A --rev B`: the revisions of a git repository that are compared.
 *
 *     struct revisions rs = {.arena = a, .environment = e, .cli = cli, .build = "make"};
 *     revisions_resolve(&rs, &given, &err);       // reads the repository, changes nothing
 *     revisions_check_out(&rs, &err);             // a work tree for each in a folder of ours
 *     revisions_build(&rs, &err);                 // what is carried, and the build in it
 *     ... commands run in rs.items[i].directory ...
 *     revisions_remove(&rs, &err);                // whatever happened before
 *
 * All work trees have paths of one length, for the length of paths moves the stack of a program and with it its speed. The user's own work tree,
 * index and branches are never touched. A session that is killed leaves its folder behind; the next one in this
 * repository finds it in git's list of work trees and removes it: a lock on a file in it tells the dead from the living.
 * The working tree as it is (`.`) is taken as a commit that belongs to no branch: tracked and untracked files, not the ignored ones.
 */
#ifndef REVISIONS_H
#define REVISIONS_H

#include "cli.h"
#include "git.h"
#include "record.h"
#include "run_options.h"

struct revision {
    const char *given;                /* as typed: "HEAD~1" */
    const char *hash;                 /* of the commit, in full; of `.` with changes that of HEAD */
    const char *id;                   /* what {rev} becomes: the hash, of `.` with changes HASH-dirty */
    const char *label;                /* "1a2b3c4 (HEAD~1)" */
    bool dirty;                       /* `.`, and it has changes */
    const char *taken;                /* the commit checked out, once it is */
    const char *worktree, *directory; /* once checked out; directory: where in it the user stands in theirs */
    double build_seconds;             /* NaN: nothing was built */
};

struct revisions {
    /* the caller's */
    struct arena *arena;
    const char *const *environment;        /* of the build; git itself gets tare's own, without --env */
    const struct revision_commit *commits; /* of a repetition: what the names meant then; NULL: they are asked */
    const char *build;                     /* NULL: none; {rev} in it is filled in */
    bool show_output;                      /* of the build, where notes go */
    struct cli *cli;
    bool quiet;                        /* notes are not said */
    bool alone;                        /* one is enough: nothing is compared */
    bool twins;                        /* the same one twice is meant */
    const char *option;                /* that names them, for messages; NULL: --rev */
    const struct option_list *carried; /* paths that all others get as the last revision has them; NULL: none */
    struct sink log;                   /* gets what all builds write, where it has a context */
    const struct revisions *ready;     /* checked out and built: whose commits are used and left there; NULL */
    /* ours */
    struct revision *items;
    int n;
    struct git git;
    const char *top, *prefix; /* of the user's work tree, and where in it they stand: "" or "sub/folder" */
    const char *common;       /* the repository */
    bool bare;
    const char *folder; /* NULL: not made */
    int unbuilt;        /* 1 + index of the one that does not build; 0: none is known */
    struct plat_file *lock;
    bool told_of_changes; /* that those of the work tree are in no revision: said once */
};

/* One alone gets the working tree beside it. INVALID: not a repository, no such revision; UNSUPPORTED: no git. Says what the user should know. */
enum tare_status revisions_resolve(struct revisions *rs, const struct option_list *given, struct tare_err *err);
/* As the commits have them. IO: git cannot. INTERRUPTED. */
enum tare_status revisions_check_out(struct revisions *rs, struct tare_err *err);
/* INVALID: what is carried is not there; CHILD: a build failed, its last lines are printed. INTERRUPTED. */
enum tare_status revisions_build(struct revisions *rs, struct tare_err *err);
/* Whether the builds wrote, or may have written, the file. */
bool revisions_wrote(const struct revisions *rs, const char *path);
/* Facts of the record's build: revision_1, revision_1_hash, revision_1_build_seconds ... build_command. */
enum tare_status revisions_describe(const struct revisions *rs, struct record *r);
/* Zeroed is fine. The first failure is told; all else is removed all the same. */
enum tare_status revisions_remove(struct revisions *rs, struct tare_err *err);

#endif
