/* SPDX-License-Identifier: MIT
 *
 * peak_group.h - the memory charged to a child and all that it starts, by a control group (version 2) made for it. Used by
 * child_run.c and its tests only.
 *
 *     struct peak_group g;
 *     if (!peak_group_open(&g, NULL, pid)) ...         // the child is held before its exec
 *     int64_t bytes = peak_group_close(&g);            // when it has ended; -1: the kernel did not tell
 *
 * It needs a folder of the group hierarchy that was given to us (delegated): ours, or the one above it, with the memory controller switched on for its
 * members, as systemd gives each user. Nothing is switched on here. What the child leaves running is moved to the folder's own group, or where that
 * is not allowed the empty-to-be group stays behind.
 */
#ifndef PEAK_GROUP_H
#define PEAK_GROUP_H

#include "plat.h"

enum { PEAK_GROUP_PATH = 1024 };

struct peak_group {
    char path[PEAK_GROUP_PATH], home[PEAK_GROUP_PATH]; /* the group; where its processes go at the end. Empty path: none */
};

/* root: where the hierarchy is mounted, NULL to find it. PEAK_KNOWN, or PEAK_NO_GROUP. */
enum plat_peak_why peak_group_open(struct peak_group *g, const char *root, int pid);
/* memory.peak; the group is removed. One that was never opened gives -1. */
int64_t peak_group_close(struct peak_group *g);

#endif
