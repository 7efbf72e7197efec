/* SPDX-License-Identifier: MIT
 *
 * The clock of this process, and how fast its core runs.
 *
 * Core cycles from two chains of instructions that wait for each other: C multiplies of m cycles and m C adds of one cycle take
 * the same time, whatever the core's frequency. When they do, the frequency is m C over that time; when they do not, one of the
 * two is not what it is taken for (adds folded at rename, a multiply of another length, an emulator), and nothing is said.
 *
 * Chains are run in turn, so that both see the same frequency, and the fastest of each in a set says whether they agree: an interrupt or
 * a neighbour on the core's other thread only ever makes a chain longer. Such a neighbour slows adds, which use the ports that
 * everything uses, by 1 to 5 % for milliseconds, and multiplies hardly at all; so sets are repeated until one agrees. A
 * chain that is not what it is taken for is off by a tenth at least, in every set. The weight of the two reads, the mean of
 * empty brackets (stepped.h), is taken off.
 */
#include "buf.h"
#include "clock_core_state.h"
#include "cpu.h"
#include "plat_process.h"
#include "stepped.h"
#include <math.h>

/* The one clock of this process. A process has one counter as it has one set of clocks, and measuring it takes milliseconds, so
 * it is made once and kept: with what brackets read (calibrate.c) and the core the only thing in libtare that is neither a caller's
 * nor constant. */

enum {
    MADE = -1
}; /* else it is not, or the state says in which process it is being made: in one that was forked meanwhile nobody does */

static struct clock_state the_clock;
static struct clock_told told_of; /* hz of 0: nothing was told */
static atomic_int made;

static void clock_once(atomic_int *state, void (*make)(void))
{
    if (atomic_load_explicit(state, memory_order_acquire) == MADE)
        return;
    const int self = (int)(plat_process_id() & INT32_MAX / 2) + 1;
    for (int seen; (seen = atomic_load_explicit(state, memory_order_acquire)) != MADE;)
        if (seen == self)
            plat_clock_sleep_ns(100000);
        else if (atomic_compare_exchange_strong(state, &seen, self)) {
            make();
            atomic_store_explicit(state, MADE, memory_order_release);
        }
}

static void make_clock(void)
{
    struct clock_state *c = &the_clock;
    *c = (struct clock_state){.name = clock_reference() == PLAT_CLOCK_RAW ? "raw" : "monotonic", .hz = 1e9};
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

/* hz of 0: nothing was told */
static const struct clock_told *clock_was_told(void)
{
    return &told_of;
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

static const double AGREE = 0.005;
const double CLOCK_STEP_MATTERS = 2e-4;

enum {
    PAIRS = 64, /* of a set: some 150 us */
    EMPTIES = 101,
    COARSE = 15, /* chains whose mean is the frequency */
    STEPS = 1000,
    STEPS_MAX = 4000000,   /* on a counter of 1 MHz: a millisecond and more */
    STEPS_PER_TICK = 1000, /* a chain is so many steps of the counter long, or longer: its step then is 0.1 % */
    ADDS = 3,              /* per multiply */
    SETS = 50,
};

/* Mean of empty brackets around chains, ticks. */
static double chain_empty(void)
{
    double ticks[EMPTIES];
    struct clock_phase phase;
    clock_phase_open(&phase, EMPTIES, clock_step_ns());
    for (int i = 0; i < EMPTIES; i++) {
        clock_phase_draw(&phase);
        ticks[i] = (double)cpu_empty_ticks();
    }
    return stepped_mean(ticks, EMPTIES, (double)clock_state()->step_ticks).mean;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What a multiply may take: as the architecture says; where it leaves that open, 2 to 5. */
static int nearest_cycles(double ratio)
{
    int fixed = cpu_multiply_cycles();
    if (fixed)
        return fixed;
    return !(ratio > 2) ? 2 : ratio > 5 ? 5 : (int)(ratio + .5); /* NaN: 2 */
}

/* A chain within one step of the counter takes no time, and says nothing of the core. */
static double hz_of(double cycles, double ticks, double tick_hz)
{
    return ticks > 0 ? cycles * tick_hz / ticks : NAN;
}

static double least_of(const double *ticks, int n)
{
    double least = ticks[0];
    for (int i = 1; i < n; i++)
        least = fmin(least, ticks[i]);
    return least;
}

/* Whether the chains agree is seen by the fastest of each, and how fast they ran by their means: the least of stepped readings, less the mean of
 * empty ones, is short by a step and by what the reads scatter. */
static void examine(struct clock_core *out, int steps, double tick_hz)
{
    const double step = (double)clock_state()->step_ticks;
    const int pairs = steps == STEPS ? PAIRS : PAIRS / 8; /* long chains are not many */
    double multiply[PAIRS], add[PAIRS];
    struct clock_phase phase;
    out->empty_ticks = chain_empty();
    clock_phase_open(&phase, (uint64_t)pairs, clock_step_ns());
    for (int i = 0; i < pairs; i++) {
        clock_phase_draw(&phase);
        multiply[i] = (double)cpu_chain_ticks(CHAIN_OF_MULTIPLIES, steps) - out->empty_ticks;
        add[i] = (double)cpu_chain_ticks(CHAIN_OF_ADDS, ADDS * steps) - out->empty_ticks;
    }
    out->ratio = ADDS * least_of(multiply, pairs) / least_of(add, pairs);
    out->multiply_cycles = nearest_cycles(out->ratio);
    out->hz = hz_of(steps * (double)out->multiply_cycles, stepped_mean(multiply, pairs, step).mean, tick_hz);
    out->adds_hz = hz_of(ADDS * (double)steps, stepped_mean(add, pairs, step).mean, tick_hz);
    out->reason[0] = 0;
    struct buf b = buf_over(out->reason, sizeof out->reason);
    const bool seen = !isnan(out->hz) && !isnan(out->adds_hz);
    out->agree = seen && fabs(out->ratio / out->multiply_cycles - 1) <= AGREE;
    if (!seen)
        buf_str(&b, "the longest chain takes less than a step of the counter: core cycles cannot be counted");
    else if (!out->agree)
        buf_format(
            &b, "a multiply takes as long as %.3f adds of registers here, not %d.000 within %g %%: core cycles cannot be counted",
            out->ratio, out->multiply_cycles, AGREE * 100);
}

/* As clock_core_examine, with at most so many sets. */
static enum tare_status examine_sets(struct clock_core *out, int most, struct tare_err *err)
{
    const struct clock_state *c = clock_state();
    *out = (struct clock_core){.hz = NAN, .adds_hz = NAN, .ratio = NAN};
    if (!c->counter.trusted)
        return err_set(err, TARE_UNSUPPORTED, "core cycles cannot be counted: %s", c->counter.reason);
    /* More steps where the counter is slow. */
    double step = (double)clock_state()->step_ticks;
    int steps = STEPS;
    while (steps < STEPS_MAX && (double)cpu_chain_ticks(CHAIN_OF_MULTIPLIES, steps) < step * STEPS_PER_TICK)
        steps *= 4;
    int sets = steps == STEPS ? most : (most + 7) / 8;
    for (int i = 0; i < sets && !out->agree; i++) {
        examine(out, steps, c->hz);
        out->sets = i + 1;
    }
    return TARE_OK;
}

enum tare_status clock_core_examine(struct clock_core *out, struct tare_err *err)
{
    return examine_sets(out, SETS, err);
}

/* A neighbour on the same core makes adds up to a tenth longer for a while, and a frequency that moves either chain; whatever else is wrong is off by
 * more, and stays. */
static const double BY_A_NEIGHBOUR = 0.1;
enum { EXAMINED_AGAIN = 100, SETS_WHEN_TOLD = 4 /* half a millisecond: the next process tries again */ };
/* How long the first call tries, who is told by another process and who is not, and waits between two tries: disturbances of milliseconds pass. */
enum { BUDGET_NS = 200000000, BUDGET_WHEN_TOLD_NS = 20000000, PAUSE_NS = 2000000 };

static struct clock_core_state the_core;
static atomic_int core_made;
static atomic_int again; /* how often it may still be examined; 0 also while a thread does */

static bool worth_another_try(const struct clock_core *found)
{
    return fabs(found->ratio / found->multiply_cycles - 1) < BY_A_NEIGHBOUR;
}

/* The status of the examination; *found always filled. */
static enum tare_status examine_core(struct clock_core *found, struct tare_err *err)
{
    enum tare_status status = examine_sets(found, clock_was_told()->hz > 0 ? SETS_WHEN_TOLD : SETS, err);
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
    const double cycles = clock_state()->counter.trusted ? clock_was_told()->chain_cycles / CPU_PROBE_STEPS : 0;
    const int fixed = cpu_multiply_cycles();
    return (fixed ? cycles == fixed : cycles >= 2 && cycles <= 5 && cycles == (int)cycles) ? (int)cycles : 0;
}

/* Examines until the chains agree, it is hopeless, or the budget has gone; returns how often. */
static int examine_within_budget(struct clock_core *found, enum tare_status *status, struct tare_err *err)
{
    const int64_t end = plat_clock_ns(clock_reference()) + (clock_was_told()->hz > 0 ? BUDGET_WHEN_TOLD_NS : BUDGET_NS);
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
        the_core.empty_ticks = chain_empty();
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

const struct clock_core_state *clock_core_state(void)
{
    clock_state();
    clock_once(&core_made, make_core);
    if (!atomic_load_explicit(&the_core.usable, memory_order_acquire) && atomic_load(&again)) {
        struct clock_core found;
        int left = atomic_exchange(&again, 0);
        if (left && !examine_core(&found, NULL) && !found.agree)
            atomic_store(&again, left - 1);
    }
    return &the_core;
}

void clock_forget(void)
{
    told_of = (struct clock_told){0};
    atomic_store(&made, CLOCK_NOT_MADE);
    atomic_store(&core_made, CLOCK_NOT_MADE);
}

static double hz_of_chain(double ticks)
{
    const struct clock_core_state *core = clock_core_state();
    double net = ticks - core->empty_ticks;
    if (!core->usable || !(net > 0))
        return NAN;
    return CPU_PROBE_STEPS * (double)core->multiply_cycles * clock_state()->hz / net;
}

double clock_chain_hz(int64_t ticks)
{
    return hz_of_chain((double)ticks);
}

enum tare_status clock_chain_weights(double *cycles, double *empty_ticks, struct tare_err *err)
{
    const struct clock_core_state *core = clock_core_state();
    if (!core->usable)
        return err_set(err, TARE_UNSUPPORTED, "%s", core->reason);
    *cycles = CPU_PROBE_STEPS * (double)core->multiply_cycles;
    *empty_ticks = core->empty_ticks;
    return TARE_OK;
}

/* The least of quantised readings is short by up to a step. */
static double mean_of_chains(void)
{
    double ticks[COARSE];
    struct clock_phase phase;
    clock_phase_open(&phase, COARSE, clock_step_ns());
    for (int i = 0; i < COARSE; i++) {
        clock_phase_draw(&phase);
        ticks[i] = (double)cpu_chain_ticks(CHAIN_OF_MULTIPLIES, CPU_PROBE_STEPS);
    }
    return stepped_mean(ticks, COARSE, (double)clock_state()->step_ticks).mean;
}

enum tare_status clock_core_hz(double *hz, struct tare_err *err)
{
    const struct clock_core_state *core = clock_core_state();
    if (!core->usable)
        return err_set(err, TARE_UNSUPPORTED, "%s", core->reason);
    int64_t least = INT64_MAX;
    for (int i = 0; i < 3; i++)
        least = lesser(least, cpu_chain_ticks(CHAIN_OF_MULTIPLIES, CPU_PROBE_STEPS));
    double best = (double)least;
    if ((double)clock_state()->step_ticks > CLOCK_STEP_MATTERS * best)
        best = mean_of_chains();
    *hz = hz_of_chain(best);
    return isnan(*hz)
               ? err_set(err, TARE_UNSUPPORTED, "a chain takes no longer than the readings around it: the counter is too coarse")
               : TARE_OK;
}

enum tare_status tare_core_hz(double *hz, struct tare_err *err)
{
    return clock_core_hz(hz, err);
}
