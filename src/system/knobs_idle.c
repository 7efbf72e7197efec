/* SPDX-License-Identifier: MIT
 *
 * How deep an idle CPU sleeps, and so how long it takes to wake and how cold its caches are then.
 */
#include "knob_look.h"
#include <string.h>

/* C1 wakes in 1 to 2 us and keeps the caches. A latency of 0 would forbid even that: all CPUs would spin, and heat takes the frequency that this is to keep. */
#define SHALLOW "2"
enum { SHALLOW_US = 10, STATES_MAX = 16 };

struct deepest {
    const char *name;
    int64_t latency_us;
    int states;
};

static void look_at_state(struct look *l, int cpu, int i, struct deepest *d)
{
    int64_t latency, disabled;
    if (!look_number(l, &latency, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/latency", cpu, i))
        return;
    d->states++;
    if (look_number(l, &disabled, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/disable", cpu, i) && disabled)
        return;
    if (d->name && latency <= d->latency_us)
        return;
    const char *name = look_text(l, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/name", cpu, i);
    d->name = name ? name : look_say(l, "state %d", i);
    d->latency_us = latency;
}

static enum tare_status add_setting(struct look *l, const struct knob *k)
{
    static const char path[] = "/dev/cpu_dma_latency";
    return look_add_setting(
        l, &(struct setting){.knob = k,
                             .kind = SETTING_HELD,
                             .stage = STAGE_HELD,
                             .path = path,
                             .wanted = SHALLOW,
                             .why_not = root_exists(l->root, path) ? NULL : "there is no /dev/cpu_dma_latency here"});
}

enum tare_status look_idle(struct look *l, const struct knob *k)
{
    struct deepest d = {0};
    int cpu = cpu_list_next(&l->bench, 0);
    for (int i = 0; i < STATES_MAX && d.states == i; i++)
        look_at_state(l, cpu, i, &d);
    if (!d.states && boot_has(l, "idle=poll"))
        return row_ok(l, k, "none: idle=poll");
    if (!d.states) {
        l->sources->read =
            root_exists(l->root, look_say(l, "/sys/devices/system/cpu/cpu%d/cpuidle/state0", cpu)) ? TARE_FORMAT : TARE_NOT_FOUND;
        return row_hidden(l, k, "no driver of the kernel chooses idle states");
    }
    if (!d.name || d.latency_us <= SHALLOW_US)
        return row_ok(l, k, look_say(l, "down to %s, %lld us", d.name ? d.name : "none", (long long)d.latency_us));
    enum tare_status status = add_setting(l, k);
    return status ? status
                  : row_stays_noisy(l, k, look_say(l, "down to %s, %lld us", d.name, (long long)d.latency_us),
                                    "a CPU that waited wakes late and with cold caches", "");
}
