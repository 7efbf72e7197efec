/* SPDX-License-Identifier: MIT
 *
 * cpu_users.h - who else used the CPUs while a session measured.
 *
 *     struct cpu_watch w = {0};
 *     cpu_watch_begin(&w, spawner_pid, 1000000);       // before the first run: at most about a millisecond
 *     ...
 *     struct cpu_users users;
 *     if (cpu_watch_end(&w, &users, &err) == TARE_OK && users.n)
 *         ... users.top[0].name, .id, .seconds
 *     cpu_watch_finish(&w);
 *
 * One look at every process at the start and one at the end, and as many in between as are asked for. What a process used that began and
 * ended between two looks is in the kernel's total but has no name: unnamed_seconds. Two accounts meet there: a process's own is exact to 0.01 s,
 * the total is counted at the scheduler's ticks, so small figures of unnamed_seconds mean nothing, and where the named used more than the total their sum is taken.
 * Not counted: ourselves, our children since (spawners of sessions within this one too), and what any of them has waited for. A process that a command left
 * behind is another one, and a child that we had at the start.
 * Ownership: the watch owns its list. One thread.
 */
#ifndef CPU_USERS_H
#define CPU_USERS_H

#include "proc_text.h"
#include <stdbool.h>
#include <stdint.h>
#include <tare/status.h>

enum { CPU_USERS_TOP = 5 };

/* Processes of one name: a build is many short ones. */
struct cpu_user {
    int64_t id;               /* of the one that used most */
    int processes;            /* that used any */
    double seconds;           /* together */
    char name[PROC_NAME_MAX]; /* as the process calls itself: any bytes */
};

struct cpu_users {
    struct cpu_user top[CPU_USERS_TOP]; /* most first; those with at least 0.02 s and 1 % of one CPU */
    int n;
    int more;               /* others of that size, beyond the top */
    double window_seconds;  /* between the looks */
    double seconds;         /* used by all others together */
    double unnamed_seconds; /* part of it that the list of processes does not show */
};

struct cpu_watch {
    struct cpu_seen *seen; /* by process id */
    int n, room;
    int spawner;
    bool known;
    int64_t began_ns, started; /* on our clock; our own start, in the kernel's ticks */
    int64_t own_ticks;
    int64_t below_ticks; /* at the last look: of our children since, and of the run that ended and is not waited for yet */
    struct proc_cpu total;
};

/* The newest processes are looked at first; those for which the time did not suffice have no name at the end if they are older
 * than we are. spawner 0: there is none. */
void cpu_watch_begin(struct cpu_watch *w, int spawner, int64_t budget_ns);
/* One more look, between runs: who is there now can be named at the end even if it is gone by then. Not before cpu_watch_begin. */
void cpu_watch_look(struct cpu_watch *w, int64_t budget_ns);
/* Ends the watch. UNSUPPORTED: /proc did not tell, at one of the ends. */
enum tare_status cpu_watch_end(struct cpu_watch *w, struct cpu_users *out, struct tare_err *err);
void cpu_watch_finish(struct cpu_watch *w); /* a zeroed one is fine */

#endif
