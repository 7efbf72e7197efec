/* SPDX-License-Identifier: MIT
 *
 * Cost: batches of readings between two readings of the best clock there is (the counter where it is trusted, else
 * CLOCK_MONOTONIC_RAW), divided by their number: an interrupt spoils a batch and shows in p99, not in the median.
 * Step: over readings in a row. Where some are equal, the clock is coarser than reading it and its step is the smallest difference;
 * where none are, only the largest common divisor of the differences can be seen. Assumes nothing else; a clock that stands still for
 * the whole time has no step.
 */
#include "ways.h"
#include "buf.h"
#include <math.h>

enum { BATCHES = 301, BATCH = 32, READINGS = 4000, CHAIN_RUNS = 101, CHAIN_STEPS = 1000 };

static const int64_t step_patience_ns = 13000000; /* three ticks of 250 Hz */

static const char *const names[PLAT_CLOCKS] = {
    [PLAT_CLOCK_MONOTONIC] = "CLOCK_MONOTONIC",
    [PLAT_CLOCK_RAW] = "CLOCK_MONOTONIC_RAW",
    [PLAT_CLOCK_COARSE] = "CLOCK_MONOTONIC_COARSE",
    [PLAT_CLOCK_BOOTTIME] = "CLOCK_BOOTTIME",
    [PLAT_CLOCK_REALTIME] = "CLOCK_REALTIME",
    [PLAT_CLOCK_PROCESS_CPU] = "CLOCK_PROCESS_CPUTIME_ID",
    [PLAT_CLOCK_THREAD_CPU] = "CLOCK_THREAD_CPUTIME_ID",
};

int clock_ways(void)
{
    return CLOCK_WAYS;
}

static enum plat_clock clock_of(int way)
{
    return (enum plat_clock)(way - 1);
}

const char *clock_way_name(int way)
{
    return way == CLOCK_COUNTER_WAY ? cpu_ticks_name() : names[clock_of(way)];
}

/* ---- the clock that times the others ---- */

static int64_t timer_now(void)
{
    return clock_state()->counter.trusted ? (int64_t)cpu_ticks_begin() : plat_clock_ns(clock_reference());
}

static double timer_ns(double units)
{
    const struct clock_state *c = clock_state();
    return c->counter.trusted ? units / c->hz * 1e9 : units;
}

/* ---- cost ---- */

typedef int64_t reader(int way);

static int64_t read_way(int way)
{
    return way == CLOCK_COUNTER_WAY ? (int64_t)cpu_ticks_begin() : plat_clock_ns(clock_of(way));
}

static int64_t read_by_kernel(int way)
{
    return plat_clock_kernel_ns(clock_of(way));
}

static struct clock_spread scaled(struct clock_spread s, double factor)
{
    return (struct clock_spread){s.n,           s.min * factor, s.p10 * factor, s.median * factor, s.p90 * factor, s.p99 * factor,
                                 s.max * factor};
}

/* In thousandths of a timer's unit for a reading, so that whole numbers hold them. */
static struct clock_spread cost_of(reader *read, int way, int batches)
{
    int64_t costs[BATCHES];
    for (int i = 0; i < batches; i++) {
        int64_t begin = timer_now();
        for (int k = 0; k < BATCH; k++)
            read(way);
        costs[i] = (timer_now() - begin) * 1000 / BATCH;
    }
    return scaled(clock_spread_of(costs, batches), timer_ns(1e-3));
}

/* A reading that costs more than this share of the plain system call goes through the kernel too. */
static const double no_shortcut_from = 0.7;

static void measure_cost(int way, struct clock_way_found *out)
{
    out->cost_ns = cost_of(read_way, way, BATCHES);
    out->kernel_cost_ns = NAN;
    out->shortcut = SHORTCUT_NOT_NEEDED;
    if (way == CLOCK_COUNTER_WAY)
        return;
    out->kernel_cost_ns = cost_of(read_by_kernel, way, BATCHES / 5).median;
    out->shortcut = out->cost_ns.median > no_shortcut_from * out->kernel_cost_ns ? SHORTCUT_NONE : SHORTCUT_TAKEN;
}

/* ---- step ---- */

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

struct steps {
    int64_t smallest, divisor, backward, equal, forward;
};

static struct steps watch(int way)
{
    struct steps s = {.smallest = INT64_MAX};
    int64_t end = plat_clock_ns(clock_reference()) + step_patience_ns, before = read_way(way);
    for (int n = 0; s.forward < READINGS; n++) {
        int64_t now = read_way(way), step = now - before;
        s.backward += step < 0;
        s.equal += step == 0;
        s.forward += step > 0;
        if (step > 0) {
            s.smallest = step < s.smallest ? step : s.smallest;
            s.divisor = common_divisor(step, s.divisor);
        }
        before = now;
        if (n % 256 == 0 && plat_clock_ns(clock_reference()) > end)
            break;
    }
    return s;
}

static double unit_ns(int way)
{
    return way == CLOCK_COUNTER_WAY ? 1e9 / clock_state()->hz : 1;
}

static void measure_step(int way, struct clock_way_found *out)
{
    struct steps s = watch(way);
    out->backward = s.backward;
    out->step_ns = NAN;
    if (way == CLOCK_COUNTER_WAY && !clock_state()->counter.trusted)
        out->step_reason = "the length of its ticks is not known";
    else if (!s.forward)
        out->step_reason = "it stood still";
    else
        out->step_ns = (double)(s.equal ? s.smallest : s.divisor) * unit_ns(way);
}

/* ---- its place among the instructions ---- */

static double bracket_of(int way, int steps)
{
    int64_t spans[CHAIN_RUNS];
    for (int i = 0; i < CHAIN_RUNS; i++) {
        int64_t begin = read_way(way);
        if (steps)
            cpu_chain_run(CHAIN_OF_MULTIPLIES, steps);
        spans[i] = read_way(way) - begin;
    }
    return clock_spread_of(spans, CHAIN_RUNS).median * unit_ns(way);
}

/* True length of so many multiplies at this moment; NaN where the core's frequency is not known. */
static double chain_ns(const struct clock_core *core, int multiplies)
{
    double hz;
    if (!core || !core->agree || clock_core_hz(&hz, NULL))
        return NAN;
    return (double)multiplies * core->multiply_cycles / hz * 1e9;
}

static void say(char *reason, const char *text)
{
    struct buf b = buf_over(reason, CLOCK_REASON);
    buf_str(&b, text);
}

static void measure_ordering(int way, const struct clock_core *core, const char *why_no_core, struct clock_way_found *out)
{
    double truth = chain_ns(core, CHAIN_STEPS);
    out->ordering = NAN;
    if (isnan(truth))
        say(out->ordering_reason, why_no_core ? why_no_core : "the core's frequency is not known");
    else if (!(out->step_ns < truth / 10))
        say(out->ordering_reason, "its step is too long to see a chain of 1000 multiplies");
    else
        out->ordering = (bracket_of(way, CHAIN_STEPS) - bracket_of(way, 0)) / truth - 1;
}

/* ---- one way ---- */

static bool is_there(int way, char *reason)
{
    struct tare_err why = {{0}};
    if (way == CLOCK_COUNTER_WAY && plat_ticks_allowed(&why)) {
        say(reason, why.text);
        return false;
    }
    if (way != CLOCK_COUNTER_WAY && plat_clock_ns(clock_of(way)) == INT64_MIN) {
        say(reason, "the system has no such clock");
        return false;
    }
    return true;
}

void clock_way_measure(int way, const struct clock_core *core, const char *why_no_core, struct clock_way_found *out)
{
    *out = (struct clock_way_found){.cost_ns = clock_spread_of(NULL, 0), .kernel_cost_ns = NAN, .step_ns = NAN, .ordering = NAN};
    out->there = is_there(way, out->reason);
    if (!out->there)
        return;
    measure_cost(way, out);
    measure_step(way, out);
    measure_ordering(way, core, why_no_core, out);
}
