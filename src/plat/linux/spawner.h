/* SPDX-License-Identifier: MIT
 *
 * spawner.h - tare's hold on the spawn helper, shared by the files that talk to it or measure its children. Never included outside src/plat/linux.
 */
#ifndef SPAWNER_H
#define SPAWNER_H

#include "exit_records.h"
#include "own_programs.h"
#include "peak.h"
#include "spawn_block.h"
#include <sys/types.h>
#include <tare/status.h>

struct plat_spawner {
    pid_t pid; /* of the helper; 0 = gone */
    int socket;
    int null_fd;
    struct spawn_block *block;
    char *programs[PROGRAMS];
    struct plat_counter *counters;
    struct exit_records exits;
    /* of the run in progress, with spec.peak */
    struct peak_trace *trace;
    enum plat_peak_why trace_why;
    struct peak_group group;
};

/* The helper's next word (spawn_block.h), 0 when it is gone. */
char spawner_hear(struct plat_spawner *s);
/* The signal that stopped the helper, 0: it is not stopped. */
int spawner_stopped(const struct plat_spawner *s);
/* It was stopped and goes on again, since this was last asked. */
bool spawner_went_on(const struct plat_spawner *s);
/* Ends the helper if it lives, and says in err how it ended. The spawner is of no more use. */
enum tare_status spawner_gone(struct plat_spawner *s, struct tare_err *err);

#endif
