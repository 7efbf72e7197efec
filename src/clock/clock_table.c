/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "clock_names.h"
#include "clocks.h"
#include <string.h>

static enum tare_status probe_system(enum plat_clock clock, const char *title, struct tare_err *err)
{
    return plat_clock_ns(clock) != INT64_MIN ? TARE_OK : err_set(err, TARE_UNSUPPORTED, "this system has no %s", title);
}

static double nanosecond_hz(void)
{
    return 1e9;
}

static enum tare_status probe_counter(const char *id, struct tare_err *err)
{
    if (strcmp(id, cpu_ticks_name()))
        return err_set(err, TARE_UNSUPPORTED, "the counter of this processor is %s", cpu_ticks_name());
    return plat_ticks_allowed(err);
}

static int64_t read_counter(void)
{
    return (int64_t)cpu_ticks_begin();
}

/* Of a counter that is not trusted: as measured, for what it is worth. */
static double counter_hz(void)
{
    const struct clock_counter *c = &clock_state()->counter;
    return c->trusted ? c->hz : c->sources[SOURCE_MEASURED].hz;
}

static int64_t no_promise(void)
{
    return 0;
}

#define SYSTEM_CLOCK(name, title, clock, flags)                \
    static enum tare_status probe_##name(struct tare_err *err) \
    {                                                          \
        return probe_system(clock, title, err);                \
    }                                                          \
    static int64_t read_##name(void)                           \
    {                                                          \
        return plat_clock_ns(clock);                           \
    }                                                          \
    static int64_t read_kernel_##name(void)                    \
    {                                                          \
        return plat_clock_kernel_ns(clock);                    \
    }                                                          \
    static int64_t promised_##name(void)                       \
    {                                                          \
        return plat_clock_step_ns(clock);                      \
    }
#define COUNTER_CLOCK(name, title)                             \
    static enum tare_status probe_##name(struct tare_err *err) \
    {                                                          \
        return probe_counter(#name, err);                      \
    }
#include "clocks.def"

static const struct clock_kind kinds[] = {
#define SYSTEM_CLOCK(name, full_title, which, flags) \
    {.id = #name,                                    \
     .title = full_title,                            \
     .properties = flags,                            \
     .clock = which,                                 \
     .probe = probe_##name,                          \
     .read = read_##name,                            \
     .read_kernel = read_kernel_##name,              \
     .hz = nanosecond_hz,                            \
     .promised_ns = promised_##name},
#define COUNTER_CLOCK(name, full_title)               \
    {.id = #name,                                     \
     .title = full_title,                             \
     .properties = CLOCK_COUNTS_TICKS | CLOCK_STEADY, \
     .clock = PLAT_CLOCKS,                            \
     .probe = probe_##name,                           \
     .read = read_counter,                            \
     .hz = counter_hz,                                \
     .promised_ns = no_promise},
#include "clocks.def"
};

const struct clock_kind *clock_kind_at(int index)
{
    return index >= 0 && index < (int)(sizeof kinds / sizeof *kinds) ? &kinds[index] : NULL;
}

const struct clock_kind *clock_kind_named(const char *id)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].id, id))
            return &kinds[i];
    return NULL;
}
