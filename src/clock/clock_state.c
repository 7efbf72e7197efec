/* SPDX-License-Identifier: MIT
 *
 * The one clock of this process. A process has one counter as it has one set of clocks, and measuring it takes milliseconds, so
 * it is made once and kept: the only thing in libtare that is neither a caller's nor constant.
 */
#include "buf.h"
#include "clock_core_state.h"
#include "clocks.h"
#include "cpu.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { NOT_MADE, BEING_MADE, MADE };

static struct clock_state the_clock;
static struct clock_core_state the_core;
static struct clock_told told_of; /* hz of 0: nothing was told */
static atomic_int made, core_made;

/* Runs `make` once for all threads. */
static void once(atomic_int *state, void (*make)(void))
{
    int expected = NOT_MADE;
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
    c->step_ticks = c->counter.trusted ? c->counter.step_ticks : (uint64_t)step_in_a_row(clock_ticks_now);
    c->floor_ticks = clock_bracket_floor(c->counter.trusted ? cpu_ticks_way() : TARE_TICKS_BY_CALL, (double)c->step_ticks);
}

const struct clock_state *clock_state(void)
{
    once(&made, make_clock);
    return &the_clock;
}

void clock_tell(const struct clock_told *told)
{
    told_of = *told;
}

void clock_forget(void)
{
    told_of = (struct clock_told){0};
    atomic_store(&made, NOT_MADE);
    atomic_store(&core_made, NOT_MADE);
}

uint64_t clock_ticks_now(void)
{
    return the_clock.counter.trusted ? cpu_ticks_begin() : (uint64_t)plat_clock_ns(clock_reference());
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

/* ---- the core ---- */

/* A neighbour on the same core makes adds up to a tenth longer for a while, and a frequency that moves either chain; whatever else is wrong is off by
 * more, and stays. */
static const double BY_A_NEIGHBOUR = 0.1;
enum { EXAMINED_AGAIN = 100, SETS_WHEN_TOLD = 4 /* half a millisecond: the next process tries again */ };
/* How long the first call tries, who is told by another process and who is not, and waits between two tries: disturbances of milliseconds pass. */
enum { BUDGET_NS = 200000000, BUDGET_WHEN_TOLD_NS = 20000000, PAUSE_NS = 2000000 };

static atomic_int again; /* how often it may still be examined; 0 also while a thread does */

static bool worth_another_try(const struct clock_core *found)
{
    return fabs(found->ratio / found->multiply_cycles - 1) < BY_A_NEIGHBOUR;
}

/* The status of the examination; *found always filled. */
static enum tare_status examine_core(struct clock_core *found, struct tare_err *err)
{
    enum tare_status status = clock_core_look(found, told_of.hz > 0 ? SETS_WHEN_TOLD : CLOCK_CORE_SETS, err);
    if (status || !found->agree)
        return status;
    the_core.multiply_cycles = found->multiply_cycles;
    the_core.empty_ticks = found->empty_ticks;
    atomic_store_explicit(&the_core.usable, true, memory_order_release);
    return status;
}

/* Cycles of a multiply; 0: none were told that one can take. */
static int told_cycles(void)
{
    const double cycles = the_clock.counter.trusted ? told_of.chain_cycles / CPU_PROBE_STEPS : 0;
    const int fixed = cpu_multiply_cycles();
    return (fixed ? cycles == fixed : cycles >= 2 && cycles <= 5 && cycles == (int)cycles) ? (int)cycles : 0;
}

/* Examines until the chains agree, it is hopeless, or the budget has gone; returns how often. */
static int examine_within_budget(struct clock_core *found, enum tare_status *status, struct tare_err *err)
{
    const int64_t end = plat_clock_ns(clock_reference()) + (told_of.hz > 0 ? BUDGET_WHEN_TOLD_NS : BUDGET_NS);
    for (int tries = 1;; tries++) {
        *status = examine_core(found, err);
        if (*status || found->agree || !worth_another_try(found) || plat_clock_ns(clock_reference()) >= end)
            return tries;
        plat_clock_sleep_ns(PAUSE_NS);
    }
}

static void make_core(void)
{
    the_core.multiply_cycles = told_cycles();
    if (the_core.multiply_cycles) {
        the_core.empty_ticks = clock_chain_empty();
        atomic_store(&again, 0);
        atomic_store_explicit(&the_core.usable, true, memory_order_release);
        return;
    }
    struct buf reason = buf_over(the_core.reason, sizeof the_core.reason);
    struct clock_core found;
    struct tare_err err = {{0}};
    atomic_store(&the_core.usable, false);
    enum tare_status status;
    const int tries = examine_within_budget(&found, &status, &err);
    buf_str(&reason, status ? err.text : found.reason);
    if (tries > 1 && reason.len)
        buf_format(&reason, " (the last of %d tries)", tries);
    atomic_store(&again, !status && worth_another_try(&found) ? EXAMINED_AGAIN : 0);
}

static void try_again(void)
{
    struct clock_core found;
    int left = atomic_exchange(&again, 0);
    if (left && !examine_core(&found, NULL) && !found.agree)
        atomic_store(&again, left - 1);
}

const struct clock_core_state *clock_core_state(void)
{
    clock_state();
    once(&core_made, make_core);
    if (!atomic_load_explicit(&the_core.usable, memory_order_acquire) && atomic_load(&again))
        try_again();
    return &the_core;
}
