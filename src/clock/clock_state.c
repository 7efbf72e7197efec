/* SPDX-License-Identifier: MIT
 *
 * The one clock of this process. A process has one counter as it has one set of clocks, and measuring it takes milliseconds, so
 * it is made once and kept: with what brackets read (calibrate.c) and the core (chains.c) the only thing in libtare that is neither a caller's nor constant.
 */
#include "buf.h"
#include "clock_core_state.h"
#include "cpu.h"
#include <math.h>

enum { BEING_MADE = CLOCK_NOT_MADE + 1, MADE };

static struct clock_state the_clock;
static struct clock_told told_of; /* hz of 0: nothing was told */
static atomic_int made;

void clock_once(atomic_int *state, void (*make)(void))
{
    int expected = CLOCK_NOT_MADE;
    if (atomic_load_explicit(state, memory_order_acquire) == MADE)
        return;
    if (atomic_compare_exchange_strong(state, &expected, BEING_MADE)) {
        make();
        atomic_store_explicit(state, MADE, memory_order_release);
    }
    while (atomic_load_explicit(state, memory_order_acquire) != MADE)
        plat_clock_sleep_ns(100000);
}

static const char *reference_name(void)
{
    return clock_reference() == PLAT_CLOCK_RAW ? "raw" : "monotonic";
}

static void make_clock(void)
{
    struct clock_state *c = &the_clock;
    *c = (struct clock_state){.name = reference_name(), .hz = 1e9};
    if (told_of.hz > 0)
        clock_counter_believe(&c->counter, &told_of);
    else
        clock_counter_examine(&c->counter, CLOCK_CALIBRATE_NS);
    if (c->counter.trusted) {
        c->name = c->counter.name;
        c->hz = c->counter.hz;
        c->error_ppm = c->counter.error_ppm;
        clock_pair_read(&c->start);
    }
    c->scale = clock_scale_of((uint64_t)(c->hz * 1e6 + .5));
    clock_brackets_read(c->counter.trusted);
    c->step_ticks = c->counter.trusted ? c->counter.step_ticks : (uint64_t)step_in_a_row(clock_ticks_now);
    c->floor_ticks = clock_bracket_floor(c->counter.trusted ? cpu_ticks_way() : TARE_TICKS_BY_CALL, (double)c->step_ticks);
}

const struct clock_state *clock_state(void)
{
    clock_once(&made, make_clock);
    return &the_clock;
}

void clock_tell(const struct clock_told *told)
{
    told_of = *told;
}

const struct clock_told *clock_was_told(void)
{
    return &told_of;
}

void clock_state_forget(void)
{
    told_of = (struct clock_told){0};
    atomic_store(&made, CLOCK_NOT_MADE);
}

double clock_step_ns(void)
{
    const struct clock_state *c = clock_state();
    return (double)c->step_ticks / c->hz * 1e9;
}

enum tare_status clock_drift(struct clock_pair *since, double *ppm, double *bound_ppm, struct tare_err *err)
{
    const struct clock_state *c = clock_state();
    const struct clock_pair before = *since;
    struct clock_pair now;
    if (!c->counter.trusted)
        return err_set(err, TARE_UNSUPPORTED, "%s", c->counter.reason);
    bool forwards = clock_pair_read(&now);
    if (forwards)
        *since = now;
    if (!forwards || now.ticks <= before.ticks)
        return err_set(err, TARE_INVALID, "the counter %s went backwards or stood still", c->name);
    double ticks = (double)(now.ticks - before.ticks), ns = (double)(now.ns - before.ns);
    if (ns <= 0)
        return err_set(err, TARE_INVALID, "the reference clock stood still or went backwards");
    *ppm = (ticks / ns * 1e9 / c->hz - 1) * 1e6;
    *bound_ppm = c->error_ppm + clock_reading_ppm(&before, &now, c->step_ticks);
    return TARE_OK;
}
