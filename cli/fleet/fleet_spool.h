/* SPDX-License-Identifier: MIT
 *
 * fleet_spool.h - the folder of a worker of the queue: in it one for each plan, as tare fleet run has it, whose records stay until the plan has left the queue. So
 * what could not be delivered is there after a crash, and the blocks of a node are held against each other.
 *
 *     status = spool_open(&s, o->dir, arena, &err);
 *     status = spool_put(&s, name, plan, arena, &err);
 *     run("--dir", spool_folder(&s, name, arena), ...);
 *     spool_remove(&s, name, arena);
 *     spool_close(&s);
 *
 * What is in it is executed: it is refused where others may write to it. One worker at a time.
 */
#ifndef FLEET_SPOOL_H
#define FLEET_SPOOL_H

#include "arena.h"
#include "plat_state.h"

struct spool {
    struct plat_state *lock;
    const char *dir;
};

/* dir NULL: in the user's folder for state. BUSY: another worker has it. */
enum tare_status spool_open(struct spool *s, const char *dir, struct arena *a, struct tare_err *err);
void spool_close(struct spool *s);
const char *spool_folder(const struct spool *s, const char *name, struct arena *a); /* NULL: no memory */
/* The names of the folders in it, in the arena, behind those that the list has. */
enum tare_status spool_list(const struct spool *s, struct arena *a, const char ***names, int *n, int *room, struct tare_err *err);
/* A folder with this plan. FORMAT: one with another is there. */
enum tare_status spool_put(const struct spool *s, const char *name, const char *plan, struct arena *a, struct tare_err *err);
void spool_remove(const struct spool *s, const char *name, struct arena *a);

#endif
