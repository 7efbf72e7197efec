/* SPDX-License-Identifier: MIT
 *
 * counter_names.h - from an event's name, as perf spells it, to what perf_event_open takes.
 *
 * It says what a name means, not whether this machine can count it.
 */
#ifndef COUNTER_NAMES_H
#define COUNTER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct counter_event {
    uint32_t type;
    uint64_t config;
    bool user_only;   /* ":u" was asked for */
    bool kernel_side; /* happens inside the kernel: counted in user space alone it would always read 0 */
    bool hardware;    /* needs a performance monitoring unit */
};

/* False when there is no such event. */
bool counter_event_named(const char *name, struct counter_event *out);

#endif
