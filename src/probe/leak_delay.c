/* SPDX-License-Identifier: MIT
 *
 * Before the first timed call of a target: how many calls a reading has, what an empty bracket takes, and the injected delay of known length.
 */
#include "leak_harness.h"
#include "stepped.h"
#include <math.h>
#include <string.h>

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

enum { BETWEEN = 6, PAIRS_LEAST = 64, PAIRS_MOST = 4096 };

struct mean {
    double ticks, error; /* of one call; the standard error of the mean */
};

/* Of the target, of class 0, as a run has it; or of nothing. */
static uint32_t timed_call(struct leak_job *job, bool alone, int slot, enum leak_delay delay)
{
    leak_body *volatile run = leak_nothing;
    if (alone)
        return leak_time(&job->timer, run, NULL, (const unsigned char *)&job->timer, delay);
    return leak_one_call(job, slot, leak_base(job), job->q->cache == WIRE_COLD, delay);
}

/* The long delay less the short one, as a run has them: inputs made anew, calls of all classes without a delay before them, for a delay is rare there,
 * and then the two in an order by a coin. */
static int64_t difference_once(struct leak_job *job, bool alone)
{
    const int slots = job->n_classes ? job->n_classes : 1, first = chacha_bit(&job->order);
    int64_t ticks[2];
    if (!alone && job->n_classes)
        leak_make_all(job);
    for (int k = 0; k < (alone ? 1 : BETWEEN); k++)
        timed_call(job, alone, k % slots, LEAK_NO_DELAY);
    for (int k = 0; k < 2; k++)
        ticks[first ^ k] = timed_call(job, alone, 0, first ^ k ? LEAK_LONG_DELAY : LEAK_SHORT_DELAY);
    return ticks[1] - ticks[0];
}

/* Until it is known well enough, or the time is over. */
static struct mean mean_difference(struct leak_job *job, bool alone, double wanted)
{
    static const double well_enough = .05;
    const int repeat = job->timer.repeat;
    const int64_t until = leak_elapsed_ns(job) + leak_time_ns(job) / 30;
    double differences[PAIRS_MOST];
    struct mean w = {NAN, INFINITY};
    for (int n = 1; n <= PAIRS_MOST; n++) {
        differences[n - 1] = (double)difference_once(job, alone);
        const bool over = leak_elapsed_ns(job) > until && (!alone || n >= PAIRS_LEAST);
        const bool due = n >= PAIRS_LEAST && (over || n == PAIRS_MOST || !(n & (n - 1)));
        if (due) {
            const struct stepped_mean mean = stepped_mean(differences, n, job->timer.session->step_ticks);
            w = (struct mean){mean.mean, mean.error};
        }
        if (over || (due && w.error < well_enough * wanted * repeat))
            break;
    }
    return (struct mean){w.ticks / repeat, w.error / repeat};
}

/* What so many adds add to a call of the target, part of which may run beside them. Where its own times vary too much to tell, or its calls are
 * long, what they add to a call of nothing: that is never more than they take, and the run shows whether it is less. */
static struct mean delay_of(struct leak_job *job, double adds, double wanted)
{
    static const double told = .25;
    struct leak_timer *t = &job->timer;
    const double most = (double)WIRE_SPIKE_ADDS_MAX / t->repeat;
    t->adds = adds < 1 ? 1 : adds > most ? (int)most : (int)lround(adds);
    struct mean in_place = mean_difference(job, false, wanted);
    struct mean w = in_place.error < told * wanted ? in_place : mean_difference(job, true, wanted);
    t->delay_ticks = w.ticks;
    return w;
}

/* The core's frequency is a first guess; what the adds take is measured, and corrected. It need not be in proportion: a call that does not wait
 * for its arguments runs beside the first of them, so that few adds nothing at all. So the number is kept between one that was too few
 * and one that was too many, and of these two the nearer counts,
 * unless it is next to nothing: while there is no better one, more time is spent. */
static void search_delay(struct leak_job *job)
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
        const struct mean w = delay_of(job, adds, wanted);
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
    t->delay_ticks = nearer ? few.ticks : many.ticks;
}

/* An add takes a cycle, and in line all that follows waits for it, so the core's frequency tells how many; or earlier processes do. These are only
 * measured: to choose among measurements is to find the one that is off the right way. */
static void set_delay(struct leak_job *job)
{
    const struct wire_request *q = job->q;
    const struct probe_session *session = job->timer.session;
    double core_hz, adds = q->spike_adds;
    if (!q->spike_adds && session->way && clock_core_hz(&core_hz, NULL) == TARE_OK)
        adds = fmax(1, q->spike_ns * core_hz / 1e9);
    if (adds > 0)
        delay_of(job, adds, q->spike_ns * session->hz / 1e9);
    else
        search_delay(job);
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
    t->pair_ticks = leak_empty_ticks(t);
    if (job->input.room > 1 && !readings_fit(job))
        return;
    t->repeat = job->input.room > 1 ? job->input.room : 1;
    t->pitch = job->input.pitch;
    if (t->repeat > 1) {
        job->facts |= WIRE_OWN_INPUTS;
        leak_input_take(job, t->repeat);
    } else if (job->q->repeat > 1) {
        const size_t said = strlen(job->remark);
        struct buf more = buf_over(job->remark + said, sizeof job->remark - said);
        buf_format(&more, "%s%d calls in one reading were asked for, but %s, so each is timed alone", said ? "; " : "",
                   job->q->repeat, leak_one_because(job));
    }
    t->delay_ticks = NAN;
    if (job->end == WIRE_OK && job->q->spike_ns > 0 && job->q->selfcheck > 0)
        set_delay(job);
}
