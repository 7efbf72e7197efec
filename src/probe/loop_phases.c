/* SPDX-License-Identifier: MIT
 *
 * How many iterations make a sample, and what the samples before those that are kept are for. See loop.c.
 */
#include "loop_phases.h"
#include <math.h>

enum { PAIRS = 3, PAIRS_IN_DOUBT = 30, GUARDS_COLD = 2 };
enum { IN_A_ROW = 2, LONE_IN_A_ROW = 4, AT_ONCE = 200 }; /* samples, samples, aims: when a count is believed */

/* ---- lengths ---- */

static int64_t net_of(const struct tare_state *st)
{
    return loop_manual(st) ? st->ticks : st->ticks - loop_median(st->empties);
}

/* Of what this thread did between its own two readings, as far as it had a CPU: a sample that was long because it waited does not tell how
 * long the code takes. Where CPU time is not known, or counted too coarsely to have moved, all of it counts. */
static double busy_net_of(const struct tare_state *st)
{
    double net = (double)net_of(st);
    return loop_manual(st) || st->cpu_ns <= 0 ? net : fmin(net, (double)st->cpu_ns / 1e9 * st->session->hz);
}

/* What a sample aims at, in the unit of net_of. */
static double target_of(const struct tare_state *st)
{
    return loop_manual(st) ? (double)st->session->request.sample_ns : (double)st->session->sample_ticks;
}

uint64_t loop_most(const struct tare_state *st)
{
    if (st->stride)
        return st->input_bytes / st->stride;
    const double tick_ns = loop_manual(st) ? 1 : 1e9 / st->session->hz;
    double most = 64 * target_of(st) *
                  fmax(1, tick_ns); /* no loop counts down so fast: 64 iterations a nanosecond, or a tick where that is shorter */
    return most < 1e18 ? (uint64_t)most : (uint64_t)1e18;
}

/* ---- the phases ---- */

/* How many samples are kept, and how many go before them, when each takes so many ns. */
static void choose_lengths(struct tare_state *st, double sample_ns)
{
    enum { SAMPLES = 50, AT_LEAST = 5, WARMUP = 5, WARMUP_MOST = 20, WARMUP_NS = 2000000 };
    struct wire_request *q = &st->session->request;
    double in_a_second = 1e9 / fmax(sample_ns, 1), in_warmup = WARMUP_NS / fmax(sample_ns, 1);
    int samples = in_a_second > SAMPLES ? SAMPLES : in_a_second < AT_LEAST ? AT_LEAST : (int)in_a_second;
    int warmup = in_warmup > WARMUP_MOST ? WARMUP_MOST : in_warmup < WARMUP ? WARMUP : (int)in_warmup;
    st->samples = q->samples > 0 ? q->samples : samples;
    st->warmup = q->warmup >= 0 ? q->warmup : samples == SAMPLES ? warmup : 1;
}

void loop_enter(struct tare_state *st, enum probe_phase phase)
{
    st->phase = phase;
    st->in_phase = 0;
    st->count = st->calibrated;
    if (phase == PHASE_HALF)
        st->count /= 2;
    if (phase == PHASE_NONE || phase == PHASE_LONE)
        st->count = phase == PHASE_LONE;
}

static void enter_warmup(struct tare_state *st)
{
    double per_second = loop_manual(st) ? 1e9 : st->session->hz;
    bool guarded = st->pairs > 0; /* the last sample was one of a single iteration */
    choose_lengths(st, (double)(guarded ? st->best_whole - st->best_empty : net_of(st)) / per_second * 1e9);
    loop_enter(st, st->warmup ? PHASE_WARMUP : PHASE_SAMPLE);
}

void loop_enter_guard(struct tare_state *st)
{
    st->best_half = st->best_whole = st->best_empty = INT64_MAX;
    if (st->session->request.guard && st->calibrated >= 2 && !loop_manual(st))
        loop_enter(st, PHASE_HALF);
    else
        enter_warmup(st);
}

static uint64_t longer_count(const struct tare_state *st, double net, double target)
{
    double factor = net * 10 < target ? 8 : 1.1 * target / net;
    double count = ceil((double)st->count * factor);
    double most = (double)loop_most(st);
    return count < most ? (uint64_t)count : loop_most(st);
}

static bool is_believed(const struct tare_state *st, double net, double target)
{
    return st->in_phase >= (st->count == 1 ? LONE_IN_A_ROW : IN_A_ROW) || (st->count == 1 && net >= AT_ONCE * target);
}

/* The clock, not the loop: two readings alone take some ticks, and no clock has steps as long as that. */
static bool clock_stopped(const struct tare_state *st)
{
    enum { NO_STEP_NS = 100000000 }; /* of CPU time */
    const bool at_most = st->count >= loop_most(st) && !st->stride;
    return !loop_manual(st) && st->ticks <= 0 && (at_most || st->cpu_ns > NO_STEP_NS);
}

void loop_calibrate(struct tare_state *st)
{
    double net = busy_net_of(st), target = target_of(st);
    bool enough = net >= 0.8 * target;
    st->in_phase = enough ? st->in_phase : 0;
    if (clock_stopped(st)) {
        st->calibrated = 0;
        probe_end(st, WIRE_FAILED, "its clock %s: %lld ticks in %llu iterations; --clock chooses another",
                  st->ticks < 0 ? "runs backwards" : "does not advance", (long long)st->ticks, (unsigned long long)st->count);
    } else if (enough && is_believed(st, net, target)) {
        st->calibrated = st->count;
        loop_enter_guard(st);
    } else if (!enough && st->count < loop_most(st)) {
        st->count = longer_count(st, net, target);
    } else if (!enough && st->stride) {
        st->calibrated = st->count; /* all the inputs that there are */
        loop_enter_guard(st);
    } else if (!enough && loop_manual(st)) {
        st->calibrated = 0;
        probe_end(st, WIRE_FAILED, "the time that it reports (tare_manual_ns) %s: %g ns in %llu iterations",
                  st->manual_ns < 0 ? "runs backwards" : "does not advance", st->manual_ns, (unsigned long long)st->count);
    } else if (!enough) {
        st->calibrated = 0;
        probe_end(st, WIRE_OPTIMISED_AWAY, "%llu iterations take no time: the compiler took the loop away",
                  (unsigned long long)st->count);
    }
}

static void keep_least(int64_t *best, int64_t value)
{
    *best = value < *best ? value : *best;
}

static void keep_least_empty(struct tare_state *st)
{
    for (int i = 0; i < PROBE_EMPTIES; i++)
        keep_least(&st->best_empty, st->empties[i]);
}

/* The first of each turn met cold caches. */
static bool keep_guard(struct tare_state *st, double *ticks, int *n)
{
    if (st->in_phase > GUARDS_COLD)
        ticks[(*n)++] = (double)st->ticks;
    return st->in_phase == GUARDS_COLD + PROBE_GUARDS;
}

void loop_guard(struct tare_state *st)
{
    switch (st->phase) {
    case PHASE_HALF:
        keep_least(&st->best_half, st->ticks);
        keep_least_empty(st);
        loop_enter(st, PHASE_WHOLE);
        return;
    case PHASE_WHOLE:
        keep_least(&st->best_whole, st->ticks);
        keep_least_empty(st);
        st->pairs++;
        loop_enter(st, st->pairs < (probe_guard_grows(st) ? PAIRS : PAIRS_IN_DOUBT) ? PHASE_HALF : PHASE_NONE);
        return;
    case PHASE_NONE:
        if (keep_guard(st, st->none, &st->n_none))
            loop_enter(st, PHASE_LONE);
        return;
    default:
        if (!keep_guard(st, st->lone, &st->n_lone))
            return;
    }
    if (!probe_guard_judge(st)) {
        loop_enter(st, PHASE_NONE);
        return;
    }
    st->count = st->calibrated;
    enter_warmup(st);
}
