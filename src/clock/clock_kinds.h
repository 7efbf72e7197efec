/* SPDX-License-Identifier: MIT
 *
 * clock_kinds.h - what the files of single clocks share: their declarations, and one macro for the clocks of the system, one for
 * the counters of processors.
 */
#ifndef CLOCK_KINDS_H
#define CLOCK_KINDS_H

#include "clocks.h"

#define CLOCK(id) extern const struct clock_kind clock_##id;
#include "clocks.def"
#undef CLOCK

/* OK when the system has it; UNSUPPORTED. */
enum tare_status clock_system_probe(enum plat_clock clock, const char *title, struct tare_err *err);
double clock_nanosecond_hz(void);

#define SYSTEM_CLOCK(name, full_title, plat, flags)                     \
    static enum tare_status probe(struct tare_err *err)                 \
    {                                                                   \
        return clock_system_probe(plat, full_title, err);               \
    }                                                                   \
    static int64_t read(void)                                           \
    {                                                                   \
        return plat_clock_ns(plat);                                     \
    }                                                                   \
    static int64_t read_kernel(void)                                    \
    {                                                                   \
        return plat_clock_kernel_ns(plat);                              \
    }                                                                   \
    static int64_t promised(void)                                       \
    {                                                                   \
        return plat_clock_step_ns(plat);                                \
    }                                                                   \
    const struct clock_kind clock_##name = {.id = #name,                \
                                            .title = full_title,        \
                                            .properties = flags,        \
                                            .probe = probe,             \
                                            .read = read,               \
                                            .read_kernel = read_kernel, \
                                            .hz = clock_nanosecond_hz,  \
                                            .promised_ns = promised};

/* OK when this processor's counter is the one named `id` and may be read. */
enum tare_status clock_counter_probe(const char *id, struct tare_err *err);
int64_t clock_counter_read(void);
double clock_counter_hz(void);
int64_t clock_no_promise(void);

#define COUNTER_CLOCK(name, full_title)                                                      \
    static enum tare_status probe(struct tare_err *err)                                      \
    {                                                                                        \
        return clock_counter_probe(#name, err);                                              \
    }                                                                                        \
    const struct clock_kind clock_##name = {.id = #name,                                     \
                                            .title = full_title,                             \
                                            .properties = CLOCK_COUNTS_TICKS | CLOCK_STEADY, \
                                            .probe = probe,                                  \
                                            .read = clock_counter_read,                      \
                                            .hz = clock_counter_hz,                          \
                                            .promised_ns = clock_no_promise};

#endif
