/* SPDX-License-Identifier: MIT
 *
 * Calls between two readings of the clock: the call itself, what an empty bracket weighs, how many calls it takes for the clock to tell them,
 * and the spike, a delay of known length.
 *
 * One call, wherever a bracket with one is some steps of the clock long: then means of brackets are finer than a step, and each call meets
 * the predictors as the class leaves them. Of several with the same input the later ones are foretold by the first, and a difference of one wrong
 * guess a call is shared among them. So they are together only where the clock is coarse.
 *
 * The choice between brackets is made before the first reading, which waits until all before it is done: a branch that was foretold wrongly has
 * no part in the time.
 */
#include "cpu.h"
#include "leak_harness.h"
#include <math.h>
#include <string.h>

enum {
    FINE_STEPS = 8, /* of a bracket with one call: it is enough */
    STEPS = 20,     /* of the calls of one where they are several */
    EMPTY = 301,
    SHORT_ADDS = 129
};

/* ---- brackets ---- */

/* Predictors of branches look back on the last ones taken, some 200 of them; those of the making of inputs depend on the inputs, and
 * could foretell what the target does with them. Behind this loop, which is the same for each call, they have all gone by. */
static void forget_branches(void)
{
    enum { FORGOTTEN = 256 };
    for (int i = 0; i < FORGOTTEN; i++)
        __asm__ volatile("");
}

/* Sacred: in the functions below nothing stands between the two readings but calls of the target, the counting of them where they
 * are several, and in front of them the spike where one is asked for, with what waits for its end. The target's arguments are computed with what the
 * spike returns, which is 0. */

__attribute__((noinline)) static uint64_t bracket_once(struct leak_timer *t, leak_body *run, void *state, const unsigned char *in)
{
    int cpu;
    struct tare_ticks begin = tare_ticks_begin();
    uint64_t result = run(state, in);
    struct tare_ticks end = tare_ticks_end(&cpu);
    t->result = result;
    t->migrated += cpu != t->cpu;
    t->cpu = cpu;
    return end.count - begin.count;
}

__attribute__((noinline)) static uint64_t bracket_times(struct leak_timer *t, leak_body *run, void *state,
                                                        const unsigned char *in)
{
    int cpu, left = t->repeat;
    uint64_t result;
    struct tare_ticks begin = tare_ticks_begin();
    do
        result = run(state, in);
    while (--left);
    struct tare_ticks end = tare_ticks_end(&cpu);
    t->result = result;
    t->migrated += cpu != t->cpu;
    t->cpu = cpu;
    return end.count - begin.count;
}

/* Either delay, by the same code: a predictor of branches that is right about one and wrong about the other weighs more than the adds, some twenty
 * cycles. They differ in where a chain of adds is entered; if the jump there was foretold wrongly, that is over before the adds in front of it are. What
 * follows waits for the last one, so that none of it runs beside them. */
__attribute__((noinline)) static uint64_t bracket_delayed(struct leak_timer *t, leak_body *run, void *state,
                                                          const unsigned char *in, int adds)
{
    int cpu, left = t->repeat;
    uint64_t result;
    struct tare_ticks begin = tare_ticks_begin();
    uintptr_t zero = cpu_delay(adds);
    in += zero;
    state = (void *)((uintptr_t)state + zero);
    tare_ticks_begin(); /* waits for the adds */
    do
        result = run(state, in);
    while (--left);
    struct tare_ticks end = tare_ticks_end(&cpu);
    t->result = result;
    t->migrated += cpu != t->cpu;
    t->cpu = cpu;
    return end.count - begin.count;
}

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
    do
        result = run(state, in);
    while (--left);
    struct tare_ticks end = read();
    t->result = result;
    return end.count - begin.count;
}

uint32_t leak_time(struct leak_timer *t, leak_body *run, void *state, const unsigned char *in, enum leak_delay delay)
{
    const int adds = delay == LEAK_NO_DELAY ? 0 : SHORT_ADDS + (delay == LEAK_LONG_DELAY ? t->adds * t->repeat : 0);
    forget_branches();
    uint64_t ticks;
    if (!t->session->in_line)
        ticks = bracket_by_call(t, run, state, in, adds);
    else if (adds)
        ticks = bracket_delayed(t, run, state, in, adds);
    else if (t->repeat > 1)
        ticks = bracket_times(t, run, state, in);
    else
        ticks = bracket_once(t, run, state, in);
    t->calls++;
    if (ticks < UINT32_MAX)
        return (uint32_t)ticks;
    t->saturated++;
    return UINT32_MAX;
}

/* ---- weights ---- */

static uint64_t nothing(void *state, const unsigned char *in)
{
    (void)state;
    return (uintptr_t)in;
}

static double empty_ticks(struct leak_timer *t)
{
    int64_t ticks[EMPTY];
    leak_body *volatile run = nothing;
    for (int i = 0; i < EMPTY; i++)
        ticks[i] = leak_time(t, run, NULL, (const unsigned char *)t, LEAK_NO_DELAY);
    return clock_spread_of(ticks, EMPTY).median;
}

/* ---- calls in a bracket ---- */

/* Median of some brackets, without the empty one; fewer where they are long. */
static double net_ticks(struct leak_job *job)
{
    enum { MOST = 15, LEAST = 3, LONG_NS = 1000000 };
    int64_t ticks[MOST];
    int n = 0;
    do {
        ticks[n] = leak_one_call(job, 0, leak_base(job), false, LEAK_NO_DELAY);
        n++;
    } while (n < MOST && (n < LEAST || (double)ticks[n - 1] / job->session->hz * 1e9 < LONG_NS));
    return clock_spread_of(ticks, n).median - job->timer.pair_ticks;
}

/* Calls that change what they work on are alone: the second one would find something else. */
static const char *alone_because(const struct leak_job *job)
{
    return job->target->reset                  ? "it is put back before each call"
           : job->n_sizes && job->target->undo ? "each call is undone"
           : job->facts & WIRE_INPUT_CHANGED   ? "it changes its input"
                                               : NULL;
}

static void choose_repeat(struct leak_job *job)
{
    struct leak_timer *t = &job->timer;
    const double step =
        t->session->in_line ? (double)t->session->clock->step_ticks : (double)plat_clock_step_ns(clock_reference());
    const double wanted = STEPS * (step > 1 ? step : 1);
    const char *alone = alone_because(job);
    double net = net_ticks(job);
    const bool fine = net + t->pair_ticks >= FINE_STEPS * fmax(step, 1);
    while (!alone && !fine && net < wanted && t->repeat < LEAK_REPEAT_MAX) {
        double factor = net * 8 < wanted ? 8 : ceil(wanted / net);
        double repeat = t->repeat * (factor < 2 ? 2 : factor);
        t->repeat = repeat < LEAK_REPEAT_MAX ? (int)repeat : LEAK_REPEAT_MAX;
        net = net_ticks(job);
    }
    if (fine || net >= wanted)
        return;
    if (!alone) {
        job->facts |= WIRE_TOO_COARSE;
        leak_end(job, WIRE_FAILED, "%d calls take less than %d steps of the clock (%g ticks): it is too coarse for this target",
                 t->repeat, STEPS, step);
    } else if (net < step) {
        struct buf remark = buf_over(job->remark, sizeof job->remark);
        buf_format(&remark, "a call takes less than a step of the clock (%g ticks), and is timed alone as %s", step, alone);
    }
}

/* ---- the spike ---- */

enum { BETWEEN = 6, WEIGHED_LEAST = 64, WEIGHED_ALONE = 256, WEIGHED_MOST = 4096 };

struct weight {
    double ticks, error; /* of one call; the error of the mean, roughly */
};

/* The mean of n differences without the tenth at either end, which is finer than the clock's step: a mean of fewer would be one of the few values that
 * they have. Its error by the variance of the differences with those ends put in place of what lies beyond (Tukey and McLaughlin 1963). Sorts. */
static struct weight trimmed(int64_t *differences, int n)
{
    const int cut = n / 10, kept = n - 2 * cut;
    double sum = 0, square = 0;
    clock_spread_of(differences, n);
    for (int i = cut; i < n - cut; i++)
        sum += (double)differences[i];
    const double mean = sum / kept;
    for (int i = 0; i < n; i++) {
        const int at = i < cut ? cut : i >= n - cut ? n - cut - 1 : i;
        const double off = (double)differences[at] - mean;
        square += off * off;
    }
    return (struct weight){mean, sqrt(square / n) * sqrt(n) / kept};
}

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
    for (int k = 0; k < BETWEEN; k++)
        weighed(job, alone, k % slots, LEAK_NO_DELAY);
    for (int k = 0; k < 2; k++)
        ticks[first ^ k] = weighed(job, alone, 0, first ^ k ? LEAK_LONG_DELAY : LEAK_SHORT_DELAY);
    return ticks[1] - ticks[0];
}

/* Until it is known well enough, or the time is over. */
static struct weight weigh(struct leak_job *job, bool alone, double wanted)
{
    static const double well_enough = .05;
    const int most = alone ? WEIGHED_ALONE : WEIGHED_MOST, repeat = job->timer.repeat;
    const int64_t until = leak_elapsed_ns(job) + leak_time_ns(job) / 30;
    int64_t differences[WEIGHED_MOST];
    struct weight w = {NAN, INFINITY};
    for (int n = 1; n <= most; n++) {
        differences[n - 1] = difference(job, alone);
        const bool over = !alone && leak_elapsed_ns(job) > until;
        const bool due = n >= WEIGHED_LEAST && (over || n == most || !(n & (n - 1)));
        if (due)
            w = trimmed(differences, n);
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
    if (!q->spike_adds && session->in_line && clock_core_hz(&core_hz, NULL) == TARE_OK)
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
    t->cpu = -1;
    t->pair_ticks = empty_ticks(t);
    const bool given = job->q->repeat > 0 && !alone_because(job);
    t->repeat = given ? job->q->repeat : 1;
    if (!given)
        choose_repeat(job);
    if (!given && job->q->repeat > 1)
        say_alone(job, alone_because(job));
    t->spike_ticks = NAN;
    if (job->end == WIRE_OK && job->q->spike_ns > 0 && job->q->selfcheck > 0)
        plant_spike(job);
}
