/* SPDX-License-Identifier: MIT
 *
 * Calls between two readings of the clock: the call itself, the phase of the clock in which it begins, what an empty bracket takes, and the
 * injected delay of known length.
 *
 * One call, always, unless several are asked for: each call meets the predictors and caches as the class leaves them, and a reading is the time of
 * one call. How coarse the clock is does not matter to a mean. A clock of step s reads s floor(t / s). Where the phase of the first reading in its
 * step is uniform and independent of the call, the mean of the difference of two readings is the mean of the time between them, whatever s is
 * (Bennett 1948; Wagdy 1989, dither). So before the first reading there is a delay of a + b adds that wait for each other, a cycle each, a and
 * b drawn uniformly from 0 .. N - 1, where N adds last a whole number of steps. With one such draw, and N off by a share e, the phase has a
 * Fourier coefficient of about e at most, and the mean is wrong by e s / pi; with two it is e^2 s / pi: for e = 8 %, 0.002 s
 * (leak_phase_test.c enumerates it). N is measured against the clock itself before each batch, some 40 us, since the core's frequency moves. (A width that clock_phase_open gives makes 25 steps and more so that nothing need be measured; in front of each of a million calls that is too long.) The draw, the delay and
 * the reading that waits for its end come before forget_branches, so that neither the wrongly foretold jump into the adds nor their number is in the history that the
 * target meets. Whole cycles draw the phase of a step of a
 * few cycles only roughly: from 4 cycles on the mean is proven to 0.002 s, below it is seen to be better than without (docs/leak.md). Steps below one cycle have no delay.
 *
 * The choice between brackets is made before the first reading, which waits until all before it is done: a branch that was foretold wrongly has
 * no part in the time.
 */
#include "cpu.h"
#include "leak_harness.h"
#include "stepped.h"
#include <math.h>
#include <string.h>

enum {
    EMPTY = 301, /* brackets around nothing; of a coarse clock */
    EMPTY_COARSE = 2001,
    SHORT_ADDS = 129,
    LEAST_CYCLES = 1,    /* adds take whole cycles: no phase can be drawn for a step that is shorter */
    WIDTH_LEAST = 16,    /* adds: fewer are no fair share of a step */
    WIDTH_MOST = 1 << 18 /* 0.1 ms and less: a clock that steps more seldom than that is not made finer */
};

/* ---- the phase ---- */

int leak_phase_width(double step_cycles)
{
    enum { MOST_STEPS = 32 };
    static const double near_enough = .01;
    int best = 0;
    double best_off = INFINITY;
    for (int steps = 1; steps <= MOST_STEPS && best_off > near_enough; steps++) {
        const double wanted = steps * step_cycles, width = rint(wanted), off = fabs(width - wanted) / wanted;
        if (width < WIDTH_LEAST || width > WIDTH_MOST || off >= best_off)
            continue;
        best = (int)width;
        best_off = off;
    }
    return best;
}

/* Ticks between two readings around so many adds; the least of some, which an interruption did not lengthen. */
static double ticks_of_adds(const struct leak_timer *t, int adds)
{
    enum { TRIES = 3 };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t begin = t->session->read().count;
        cpu_delay(adds);
        const uint64_t took = t->session->read().count - begin;
        least = took < least ? took : least;
    }
    return (double)least;
}

void leak_phase_calibrate(struct leak_timer *t)
{
    enum { FIRST = 8192, MOST = 1 << 22, MANY_STEPS = 128 };
    const double step = t->session->step_ticks;
    t->phase.width_adds = 0;
    t->fixed_phase = false;
    if (!(step > 0))
        return;
    t->fixed_phase = true;
    for (int adds = FIRST; adds <= MOST; adds *= 2) { /* less as many again: what a reading takes is in both */
        const double once = ticks_of_adds(t, adds), twice = ticks_of_adds(t, 2 * adds);
        if (twice - once < MANY_STEPS * step)
            continue;
        const double step_cycles = step * adds / (twice - once);
        t->phase.width_adds = step_cycles < LEAST_CYCLES ? 0 : leak_phase_width(step_cycles);
        t->fixed_phase = step_cycles >= LEAST_CYCLES && !t->phase.width_adds;
        return;
    }
}

/* Nothing of it depends on what is called. */
static void draw_phase(struct leak_timer *t)
{
    if (!t->phase.width_adds)
        return;
    const uint64_t width = (uint64_t)t->phase.width_adds;
    cpu_delay((int)(1 + rng_below(&t->phase.rng, width) + rng_below(&t->phase.rng, width)));
    if (t->session->way)
        tare_ticks_begin(); /* waits for the adds */
    else
        t->session->read();
}

/* ---- brackets ---- */

/* Predictors of branches look back on the last ones taken, some 200 of them; those of the making of inputs depend on the inputs, and
 * could foretell what the target does with them. Behind this loop, which is the same for each call, they have all gone by. */
static void forget_branches(void)
{
    enum { FORGOTTEN = 256 };
    for (int i = 0; i < FORGOTTEN; i++)
        __asm__ volatile("");
}

/* In the functions below nothing stands between the two readings but calls of the target; where they are several the counting of them and the address of
 * the next one's input, which was there before; and in front of them the injected delay where one is asked for, with what waits for its end. The target's
 * arguments are computed with what the delay returns, which is 0. */

/* fenced is a constant wherever these are called, so that no branch stands in them. */
#define IN_LINE static inline __attribute__((always_inline))

IN_LINE uint64_t closing(bool fenced)
{
    int cpu;
    return fenced ? tare_ticks_begin().count : tare_ticks_end(&cpu).count;
}

IN_LINE uint64_t time_once(struct leak_timer *t, leak_body *run, void *state, const unsigned char *in, bool fenced)
{
    uint64_t begin = tare_ticks_begin().count;
    uint64_t result = run(state, in);
    uint64_t end = closing(fenced);
    t->result = result;
    return end - begin;
}

IN_LINE uint64_t time_times(struct leak_timer *t, leak_body *run, void *state, const unsigned char *in, bool fenced)
{
    int left = t->repeat;
    uint64_t result;
    uint64_t begin = tare_ticks_begin().count;
    do {
        result = run(state, in);
        in += t->pitch;
    } while (--left);
    uint64_t end = closing(fenced);
    t->result = result;
    return end - begin;
}

/* Either delay, by the same code: a predictor of branches that is right about one and wrong about the other weighs more than the adds, some twenty
 * cycles. They differ in where a chain of adds is entered; if the jump there was foretold wrongly, that is over before the adds in front of it are. What
 * follows waits for the last one, so that none of it runs beside them. */
IN_LINE uint64_t time_delayed(struct leak_timer *t, leak_body *run, void *state, const unsigned char *in, int adds, bool fenced)
{
    int left = t->repeat;
    uint64_t result;
    uint64_t begin = tare_ticks_begin().count;
    uintptr_t zero = cpu_delay(adds);
    in += zero;
    state = (void *)((uintptr_t)state + zero);
    tare_ticks_begin(); /* waits for the adds */
    do {
        result = run(state, in);
        in += t->pitch;
    } while (--left);
    uint64_t end = closing(fenced);
    t->result = result;
    return end - begin;
}

#define BRACKETS(name, fenced)                                                                                  \
    __attribute__((noinline)) static uint64_t name##_once(struct leak_timer *t, leak_body *run, void *state,    \
                                                          const unsigned char *in)                              \
    {                                                                                                           \
        return time_once(t, run, state, in, fenced);                                                            \
    }                                                                                                           \
    __attribute__((noinline)) static uint64_t name##_times(struct leak_timer *t, leak_body *run, void *state,   \
                                                           const unsigned char *in)                             \
    {                                                                                                           \
        return time_times(t, run, state, in, fenced);                                                           \
    }                                                                                                           \
    __attribute__((noinline)) static uint64_t name##_delayed(struct leak_timer *t, leak_body *run, void *state, \
                                                             const unsigned char *in, int adds)                 \
    {                                                                                                           \
        return time_delayed(t, run, state, in, adds, fenced);                                                   \
    }

BRACKETS(bracket, false)
BRACKETS(fenced, true)

/* Of other clocks than the processor's counter. Nothing but the arguments waits for the spike: a call may run beside its first adds. */
__attribute__((noinline)) static uint64_t bracket_by_call(struct leak_timer *t, leak_body *run, void *state,
                                                          const unsigned char *in, int adds)
{
    struct tare_ticks (*const read)(void) = t->session->read;
    int left = t->repeat;
    uint64_t result;
    struct tare_ticks begin = read();
    uintptr_t zero = adds ? cpu_delay(adds) : 0;
    in += zero;
    state = (void *)((uintptr_t)state + zero);
    do {
        result = run(state, in);
        in += t->pitch;
    } while (--left);
    struct tare_ticks end = read();
    t->result = result;
    return end.count - begin.count;
}

uint32_t leak_time(struct leak_timer *t, leak_body *run, void *state, const unsigned char *in, enum leak_delay delay)
{
    const int adds = delay == LEAK_NO_DELAY ? 0 : SHORT_ADDS + (delay == LEAK_LONG_DELAY ? t->adds * t->repeat : 0);
    draw_phase(t);
    forget_branches();
    const bool fenced = t->session->way == TARE_TICKS_FENCED;
    uint64_t ticks;
    if (!t->session->way)
        ticks = bracket_by_call(t, run, state, in, adds);
    else if (adds)
        ticks = fenced ? fenced_delayed(t, run, state, in, adds) : bracket_delayed(t, run, state, in, adds);
    else if (t->repeat > 1)
        ticks = fenced ? fenced_times(t, run, state, in) : bracket_times(t, run, state, in);
    else
        ticks = fenced ? fenced_once(t, run, state, in) : bracket_once(t, run, state, in);
    const int cpu = plat_cpu_now();
    t->migrated += cpu != t->cpu && t->cpu >= 0;
    t->cpu = cpu;
    t->calls++;
    if (ticks < UINT32_MAX)
        return (uint32_t)ticks;
    t->saturated++;
    return UINT32_MAX;
}

/* ---- the empty bracket ---- */

static uint64_t nothing(void *state, const unsigned char *in)
{
    (void)state;
    return (uintptr_t)in;
}

static double empty_ticks(struct leak_timer *t)
{
    double ticks[EMPTY_COARSE];
    const int n = t->phase.width_adds ? EMPTY_COARSE : EMPTY;
    leak_body *volatile run = nothing;
    for (int i = 0; i < n; i++)
        ticks[i] = leak_time(t, run, NULL, (const unsigned char *)t, LEAK_NO_DELAY);
    return stepped_mean(ticks, n, t->session->step_ticks).mean;
}

/* ---- calls in a reading ---- */

/* Calls that change what they work on are alone: the second one would find something else. */
const char *leak_one_because(const struct leak_job *job)
{
    return job->target->reset                  ? "it is put back before each call"
           : job->n_sizes && job->target->undo ? "each call is undone"
           : job->q->cache != WIRE_WARM        ? "only the first of several finds the caches cold"
           : job->q->leak_kind == WIRE_SCAN    ? "a scan is about single calls"
                                               : NULL;
}

/* As long as the longest process of `tare leak`. Before its first block a process has some ten times the readings of one. */
enum { BLOCK_MOST_NS = 1000000000 };

/* What a call takes with its input, from calls by themselves: the least of some, so that an interruption is none. */
static int64_t call_ns(struct leak_job *job)
{
    enum { TRIES = 3 };
    const int slots = job->n_classes ? job->n_classes : 1;
    int64_t least = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const int64_t begun = leak_elapsed_ns(job);
        for (int slot = 0; slot < slots; slot++) {
            leak_make(job, slot, slot);
            leak_one_call(job, slot, leak_base(job), false, LEAK_NO_DELAY);
        }
        const int64_t took = (leak_elapsed_ns(job) - begun) / slots;
        least = took < least ? took : least;
    }
    return least > 0 ? least : 1;
}

/* Else one process takes minutes, whatever time there is. */
static bool readings_fit(struct leak_job *job)
{
    const int repeat = job->input.room, in_block = job->n_sizes ? job->n_sizes : job->n_classes ? job->n_classes : 1;
    const int64_t one_ns = call_ns(job), most = BLOCK_MOST_NS / in_block / one_ns;
    if (repeat <= most)
        return true;
    job->facts |= WIRE_LONG_READINGS;
    leak_end(job, WIRE_FAILED,
             "a block of readings of %d calls takes about %.2g s, and a process has 1 s at most; give --repeat %lld or less",
             repeat, (double)one_ns * repeat * in_block / 1e9, (long long)(most > 1 ? most : 1));
    return false;
}

/* ---- the spike ---- */

enum { BETWEEN = 6, WEIGHED_LEAST = 64, WEIGHED_MOST = 4096 };

struct weight {
    double ticks, error; /* of one call; the standard error of the mean */
};

/* Of the target, of class 0, as a run has it; or of nothing. */
static uint32_t weighed(struct leak_job *job, bool alone, int slot, enum leak_delay delay)
{
    leak_body *volatile run = nothing;
    if (alone)
        return leak_time(&job->timer, run, NULL, (const unsigned char *)&job->timer, delay);
    return leak_one_call(job, slot, leak_base(job), job->q->cache == WIRE_COLD, delay);
}

/* The long delay less the short one, as a run has them: inputs made anew, calls of all classes without a delay before them, for a delay is rare there,
 * and then the two in an order by a coin. */
static int64_t difference(struct leak_job *job, bool alone)
{
    const int slots = job->n_classes ? job->n_classes : 1, first = chacha_bit(&job->order);
    int64_t ticks[2];
    if (!alone && job->n_classes)
        leak_make_all(job);
    for (int k = 0; k < (alone ? 1 : BETWEEN); k++)
        weighed(job, alone, k % slots, LEAK_NO_DELAY);
    for (int k = 0; k < 2; k++)
        ticks[first ^ k] = weighed(job, alone, 0, first ^ k ? LEAK_LONG_DELAY : LEAK_SHORT_DELAY);
    return ticks[1] - ticks[0];
}

/* Until it is known well enough, or the time is over. */
static struct weight weigh(struct leak_job *job, bool alone, double wanted)
{
    static const double well_enough = .05;
    const int repeat = job->timer.repeat;
    const int64_t until = leak_elapsed_ns(job) + leak_time_ns(job) / 30;
    double differences[WEIGHED_MOST];
    struct weight w = {NAN, INFINITY};
    for (int n = 1; n <= WEIGHED_MOST; n++) {
        differences[n - 1] = (double)difference(job, alone);
        const bool over = leak_elapsed_ns(job) > until && (!alone || n >= WEIGHED_LEAST);
        const bool due = n >= WEIGHED_LEAST && (over || n == WEIGHED_MOST || !(n & (n - 1)));
        if (due) {
            const struct stepped_mean mean = stepped_mean(differences, n, job->timer.session->step_ticks);
            w = (struct weight){mean.mean, mean.error};
        }
        if (over || (due && w.error < well_enough * wanted * repeat))
            break;
    }
    return (struct weight){w.ticks / repeat, w.error / repeat};
}

/* What so many adds add to a call of the target, part of which may run beside them. Where its own times vary too much to tell, or its calls are
 * long, what they add to a call of nothing: that is never more than they weigh, and the run shows whether it is less. */
static struct weight delay_of(struct leak_job *job, double adds, double wanted)
{
    static const double told = .25;
    struct leak_timer *t = &job->timer;
    const double most = (double)WIRE_SPIKE_ADDS_MAX / t->repeat;
    t->adds = adds < 1 ? 1 : adds > most ? (int)most : (int)lround(adds);
    struct weight in_place = weigh(job, false, wanted);
    struct weight w = in_place.error < told * wanted ? in_place : weigh(job, true, wanted);
    t->spike_ticks = w.ticks;
    return w;
}

/* The core's frequency is a first guess; what the adds take is measured, and corrected. It need not be in proportion: a call that does not wait
 * for its arguments runs beside the first of them, so that few adds nothing at all. So the number is kept between one that was too few
 * and one that was too many, and of these two the nearer counts,
 * unless it is next to nothing: while there is no better one, more time is spent. */
static void choose_spike(struct leak_job *job)
{
    enum { TRIES = 12 };
    struct leak_timer *t = &job->timer;
    const double wanted = job->q->spike_ns * t->session->hz / 1e9;
    const int64_t begun = leak_elapsed_ns(job), share = leak_time_ns(job) / 10;
    struct {
        int adds;
        double ticks;
    } few = {0, 0}, many = {0, 0};
    double core_hz = 0, adds = clock_core_hz(&core_hz, NULL) == TARE_OK ? job->q->spike_ns * core_hz / 1e9 : wanted;
    for (int i = 0; i < TRIES; i++) {
        const bool nothing_yet = !many.adds && few.ticks < wanted / 2;
        if (i > 0 && leak_elapsed_ns(job) - begun > (nothing_yet ? 3 * share : share))
            break;
        const struct weight w = delay_of(job, adds, wanted);
        const double ticks = w.ticks;
        if (fabs(ticks - wanted) < fmax(0.05 * wanted, w.error))
            return;
        if (ticks < wanted) {
            few.adds = t->adds;
            few.ticks = ticks;
        } else {
            many.adds = t->adds;
            many.ticks = ticks;
        }
        if (many.adds && many.adds - few.adds <= 1)
            break;
        adds = many.adds ? few.adds + (many.adds - few.adds) * fmax(.1, fmin(.9, (wanted - few.ticks) / (many.ticks - few.ticks)))
                         : few.adds * fmax(2, fmin(8, wanted / fmax(ticks, wanted / 8)));
        adds = many.adds ? fmax(few.adds + 1, fmin(many.adds - 1, adds)) : adds;
    }
    bool nearer = few.adds && (!many.adds || (few.ticks > wanted / 2 && wanted - few.ticks < many.ticks - wanted));
    t->adds = nearer ? few.adds : many.adds;
    t->spike_ticks = nearer ? few.ticks : many.ticks;
}

/* An add takes a cycle, and in line all that follows waits for it, so the core's frequency tells how many; or earlier processes do. These are only
 * weighed: to choose among weighings is to find the one that is off the right way. */
static void plant_spike(struct leak_job *job)
{
    const struct wire_request *q = job->q;
    const struct probe_session *session = job->timer.session;
    double core_hz, adds = q->spike_adds;
    if (!q->spike_adds && session->way && clock_core_hz(&core_hz, NULL) == TARE_OK)
        adds = fmax(1, q->spike_ns * core_hz / 1e9);
    if (adds > 0)
        delay_of(job, adds, q->spike_ns * session->hz / 1e9);
    else
        choose_spike(job);
}

static void say_alone(struct leak_job *job, const char *alone)
{
    const size_t said = strlen(job->remark);
    struct buf more = buf_over(job->remark + said, sizeof job->remark - said);
    buf_format(&more, "%s%d calls in one reading were asked for, but %s, so each is timed alone", said ? "; " : "",
               job->q->repeat, alone);
}

void leak_timer_open(struct leak_job *job)
{
    struct leak_timer *t = &job->timer;
    t->session = job->session;
    t->repeat = 1;
    t->pitch = 0; /* nothing has no input */
    t->cpu = -1;
    clock_phase_open(&t->phase, ~job->q->seed, 0);
    leak_phase_calibrate(t);
    job->facts |= t->phase.width_adds ? WIRE_DRAWN_PHASE : t->fixed_phase ? WIRE_FIXED_PHASE : 0u;
    t->pair_ticks = empty_ticks(t);
    if (job->input.room > 1 && !readings_fit(job))
        return;
    t->repeat = job->input.room > 1 ? job->input.room : 1;
    t->pitch = job->input.pitch;
    if (t->repeat > 1) {
        job->facts |= WIRE_OWN_INPUTS;
        leak_input_take(job, t->repeat);
    } else if (job->q->repeat > 1) {
        say_alone(job, leak_one_because(job));
    }
    t->spike_ticks = NAN;
    if (job->end == WIRE_OK && job->q->spike_ns > 0 && job->q->selfcheck > 0)
        plant_spike(job);
}
