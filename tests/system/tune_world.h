/* SPDX-License-Identifier: MIT
 *
 * tune_world.h - a tree of files that stands for a machine, settings to tune in it, and a hand that ends things at a chosen step.
 */
#ifndef TUNE_WORLD_H
#define TUNE_WORLD_H

#include "journal.h"
#include "rng.h"
#include "tune.h"

enum { WORLD_SETTINGS = 64 };

struct world {
    char path[256]; /* of the tree */
    struct system_root root;
    struct arena arena;
    struct look look;
    struct setting settings[WORLD_SETTINGS];
    struct knob knob;
    /* The steps that change something, from 1: */
    int step;
    int mortal;  /* the process that die_at is for; 0: any */
    int die_at;  /* SIGKILL instead of it; 0: never */
    int fail_at; /* it fails with fail_with; -1: all changes of the tree do */
    enum tare_status fail_with;
    void (*at_step)(struct world *w, const char *path); /* before each; NULL: none */
    char failed_path[256];                              /* what fail_at met */
    char last_path[256];                                /* of the step before */
};

void world_open(struct world *w); /* an empty tree with a boot id, no settings */
void world_close(struct world *w);
void world_put(struct world *w, const char *path, const char *text);
void world_forget(struct world *w, const char *path); /* removes a file */
/* As it stands there, with its line end. */
void world_expect(struct world *w, const char *path, const char *text);
struct setting *world_add(struct world *w, enum setting_kind kind, enum setting_form form, enum knob_stage stage,
                          const char *path, const char *now, const char *wanted);
/* Two policies, turbo, a group of CPUs with tasks, masks with names, settings of the kernel. The values at the start are drawn. */
void world_furnish(struct world *w, struct rng *r);

/* A hook for at_step: the governor sets the energy preference, turbo moves the highest frequency, as kernels do; a group gets its files when it is made. */
void world_kernel_moves(struct world *w, const char *path);

/* Every file and folder but the journal's, in order, with its bytes: to be held against another. The caller finishes it. */
struct buf world_shot(struct world *w);
void world_same(struct world *w, const struct buf *before, const char *when, int index);

/* With asserts on their statuses. */
struct tune_report world_tune(struct world *w);
struct tune_report world_reset(struct world *w, bool force);
int world_journal_there(struct world *w);
const struct change *world_change(const struct tune_report *r, const char *path); /* NULL: not in it */
/* run() in a process of its own; its exit code, or minus the signal that ended it. */
int world_apart(struct world *w, int (*run)(struct world *w));
int world_run_tune(struct world *w); /* exit 0, or minus the status */
int world_run_reset(struct world *w);

#endif
