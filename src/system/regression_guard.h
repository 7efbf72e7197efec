/* SPDX-License-Identifier: MIT
 *
 * regression_guard.h - for tune_options.worse: what the CPUs take from a program, measured before all changes and after each group of them.
 *
 *     struct regression_guard w = {.look = &look, .arena = &a};
 *     struct tune_options o = {.worse = regression_guard, .context = &w};
 *
 * Only the CPUs to measure on are looked at, at most NEVER_WORSE_CPUS of them, a third of a second each; what seems worse, and twice as bad, is measured twice more, and must be so each time, for
 * other programs come and go. What cannot be measured is not worse. It is for this machine alone:
 * of a copied tree nothing can be measured.
 */
#ifndef REGRESSION_GUARD_H
#define REGRESSION_GUARD_H

#include "buf.h"
#include "jitter.h"
#include "knob.h"

enum { NEVER_WORSE_CPUS = 2 };

struct regression_guard {
    const struct look *look;
    struct arena *arena;
    /* What the CPUs take just now; NULL: measured, after some time to settle once something has changed. Tests say what they like. */
    enum tare_status (*measure)(struct regression_guard *w, struct jitter *out);
    struct jitter before; /* the last state that was kept */
    bool known;
};

bool regression_guard(void *context, const char *group, struct buf *why);

/* The CPUs are nobody's but of the processes in their control group: this one enters it, if it stands; the result says whether it did. */
bool system_enter(const struct look *l, int pid);

#endif
