/* SPDX-License-Identifier: MIT
 *
 * spawner.h - what starts children on Windows: this process itself, each child in a job object of its own. Only for the files here that see the job of
 * the run in progress.
 */
#ifndef SPAWNER_H
#define SPAWNER_H

#include "win32.h"

struct plat_spawner {
    char *noop, *work;
    HANDLE job; /* of the run in progress; NULL between runs */
    struct plat_counter *counters;
};

/* What the counters that are open count of a run that ended. */
void counters_collect(struct plat_counter *first, HANDLE process, HANDLE job);
void counters_orphan(struct plat_counter *first);

#endif
