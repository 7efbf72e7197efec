/* SPDX-License-Identifier: MIT
 *
 * plat_memory.h - the part of the interface to the operating system with which memory is watched while a command runs. Only for
 * runs that nobody times: to look costs the machine time.
 *
 *     struct plat_tree *tree;
 *     plat_tree_create(&tree, spawner, &err);                  // before the run
 *     ... in spec.watch: n = plat_tree_sample(tree, false, &processes);
 *     plat_tree_destroy(tree);
 */
#ifndef PLAT_MEMORY_H
#define PLAT_MEMORY_H

#include "plat.h"

/* ---- the processes of a run ---- */

struct plat_tree;

struct plat_tree_process {
    int pid;
    int64_t rss_bytes; /* resident now; shared pages count in each process that has them */
    uint64_t image;    /* differs when the process executed another program since; 0: not told */
};

/* Notes who lives, so that what earlier runs left behind is no part of the next one. UNSUPPORTED: the system does not say. */
enum tare_status plat_tree_create(struct plat_tree **out, struct plat_spawner *s, struct tare_err *err);
/* The child of the run in progress and all that descend from it, those included whose parents ended; how many, 0 when there is none.
 * *processes is valid until the next call. A new process may be found up to 20 ms late, as looking for it is costly; not so when
 * the caller knows that there may be one. */
int plat_tree_sample(struct plat_tree *t, bool new_ones, const struct plat_tree_process **processes);
void plat_tree_destroy(struct plat_tree *t); /* NULL is fine */

/* ---- memory shared with measured programs ---- */

struct plat_shared {
    void *memory; /* zeroed */
    size_t bytes;
    int fd;
    char path[64]; /* under which programs that we start can open it, as long as it is there */
};
enum tare_status plat_shared_create(struct plat_shared *out, size_t bytes, struct tare_err *err);
void plat_shared_destroy(struct plat_shared *s); /* a zeroed one is fine */

/* ---- preloading ---- */

/* The library that counts allocations (alloc_board.h). NOT_FOUND, UNSUPPORTED. */
enum tare_status plat_alloc_library(struct buf *path, struct tare_err *err);
/* Why this program will not load it, a sentence's end ("it is statically linked"); NULL: nothing is known against it. */
const char *plat_preload_refused(const char *program);

#endif
