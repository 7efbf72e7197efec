/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "clock_kinds.h"
#include <math.h>
#include <string.h>

static const struct clock_kind *const kinds[] = {
#define CLOCK(id) &clock_##id,
#include "clocks.def"
#undef CLOCK
};

const struct clock_kind *clock_kind_at(int index)
{
    return index >= 0 && index < (int)(sizeof kinds / sizeof *kinds) ? kinds[index] : NULL;
}

const struct clock_kind *clock_kind_named(const char *id)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i]->id, id))
            return kinds[i];
    return NULL;
}

/* ---- clocks of the system ---- */

enum tare_status clock_system_probe(enum plat_clock clock, const char *title, struct tare_err *err)
{
    return plat_clock_ns(clock) != INT64_MIN ? TARE_OK : err_set(err, TARE_UNSUPPORTED, "this system has no %s", title);
}

double clock_nanosecond_hz(void)
{
    return 1e9;
}

/* ---- counters of processors ---- */

enum tare_status clock_counter_probe(const char *id, struct tare_err *err)
{
    if (strcmp(id, cpu_ticks_name()))
        return err_set(err, TARE_UNSUPPORTED, "the counter of this processor is %s", cpu_ticks_name());
    return plat_ticks_allowed(err);
}

int64_t clock_counter_read(void)
{
    return (int64_t)cpu_ticks_begin();
}

/* Of a counter that is not trusted: as measured, for what it is worth. */
double clock_counter_hz(void)
{
    const struct clock_counter *c = &clock_state()->counter;
    return c->trusted ? c->hz : c->sources[SOURCE_MEASURED].hz;
}

int64_t clock_no_promise(void)
{
    return 0;
}
