/* SPDX-License-Identifier: MIT
 *
 * quota.h - the CPU quotas of the control groups that this process runs in, its own and all above it, and how long they have stopped it.
 *
 *     struct noise_quota q;
 *     noise_quota_open(&q, &err);                            // q.n: so many groups have a quota
 *     int64_t before = noise_quota_throttled_ns(&q);         // allocates nothing
 *     ...
 *     noise_quota_close(&q);
 *
 * Children run in the same groups unless they leave them, so this speaks for measured programs too. The kernel counts the time in which a group stood
 * still on each CPU, so the figure may exceed the wall time. Groups above the root of our container cannot be seen; a quota given
 * after opening is not seen either. Cost of a reading: nothing without a quota, else a microsecond a group.
 * Ownership: the struct is the caller's, the descriptors in it are closed by noise_quota_close.
 */
#ifndef QUOTA_H
#define QUOTA_H

#include "buf.h"

enum { QUOTA_LEVELS = 8, QUOTA_PATH = 256 };

struct noise_quota {
    bool known;             /* false: the system does not say */
    int n;                  /* groups with a quota; of more than QUOTA_LEVELS the innermost count */
    int fd[QUOTA_LEVELS];   /* their cpu.stat, -1 where it cannot be read */
    double cpus;            /* the tightest: how many CPUs' time a second; 0 without a quota */
    char group[QUOTA_PATH]; /* where it stands, shortened in its middle; "" without */
};

/* The groups with a quota that we run in, from ours up to where its hierarchy is mounted, by the texts of /proc/self/cgroup and /proc/self/mountinfo.
 * False: no hierarchy of CPUs is mounted. */
struct quota_walk {
    bool (*read)(void *context, const char *path, struct buf *out); /* a file of a group; false: there is none */
    void (*group)(void *context, const char *folder, double cpus);  /* how many CPUs' time a second it may use */
    void *context;
};
bool quota_each(const struct quota_walk *w, const char *groups, const char *mounts);

/* UNSUPPORTED: no group with a CPU controller to be seen here; the struct then is as without a quota. */
enum tare_status noise_quota_open(struct noise_quota *q, struct tare_err *err);
void noise_quota_close(struct noise_quota *q);

/* Time and number of periods in which a quota stopped the groups, since they were made; -1: not known. */
int64_t noise_quota_throttled_ns(const struct noise_quota *q);
int64_t noise_quota_periods(const struct noise_quota *q);

#endif
