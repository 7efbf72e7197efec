/* SPDX-License-Identifier: MIT
 *
 * Did the compiler leave what was written? Judged by what 0, 1, n/2 and n iterations take.
 *
 * 1. n iterations must take longer than n/2: at least half of the way from one to n over n/2 times as long. A loop that is gone, or that
 *    became a formula, does not. The shortest passes count, which no interruption made; the readings' overhead is the shortest empty pass. Two steps
 *    of the counter and HOISTED are in doubt: what a few iterations take is hidden behind what a pass takes once.
 * 2. A loop whose iterations cost no more than counting them down, and of which one iteration, alone or even none, takes much longer: the work
 *    was the same each time and is done once, before the loop. Iterations overlap, so one alone may take longer than one
 *    of many; but what is done in a cycle and a half is a handful of instructions, which alone take fewer cycles than HOISTED. A neighbour on the
 *    core makes counting down two cycles of the chains; what takes more of these than BESIDE_NEIGHBOUR does something, and gets a remark instead.
 *    Without chains three cycles of work then look like one and a half, so only what takes no longer than counting down is nothing.
 *    What one and what none take are means of passes with drawn phase (stepped.h), for one step of a counter may be longer than HOISTED. More passes follow while
 *    HOISTED lies within SURE standard errors; if it still does after PROBE_GUARDS_MOST, there is no evidence and nothing is said.
 * 3. A barrier saw a constant: the compiler did the work.
 * 4. The compiler was asked to unroll TARE_LOOP, so that four iterations share one countdown. Work that waits for itself then takes a cycle or
 *    more, and nothing takes a quarter, or half of one beside a neighbour on the core. But a processor that adds up additions of constants before it runs
 *    them takes no longer for a chain of them. So an iteration that takes less than LESS_THAN_ONE keeps its figure, with a remark. Without chains a
 *    neighbour that slows the empty loops alone cannot be told: half of it.
 * 5. What takes up to HARDLY_SLOWER cycles may be so little work, or none where the compiler did not unroll: counting down alone takes one cycle or
 *    two, by how the loop lies in memory (Zen 5). No time can tell. The figure stands, with a remark.
 *
 * Of a benchmark with threads it is the first thread's own time, from its own start to its own end: a sample of them all, and an empty one as well,
 * lasts until the last one had a CPU, and what is left of one less the other says nothing of the code. Waiting only makes own times longer;
 * while the count is looked for, they count as far as the thread had a CPU.
 *
 * Sizes are in iterations of an empty loop, which take a cycle each, so that no frequency is needed.
 */
#include "probe.h"
#include <math.h>

static const double ENOUGH_TICKS = 500, ENOUGH_STEPS = 50, SURE = 4 /* standard errors */, GROWS = 0.5, LESS_THAN_ONE = 0.8,
                    AS_EMPTY = 1.15, NEARLY_EMPTY = 1.5, HARDLY_SLOWER = 2, BESIDE_NEIGHBOUR = 2.5, HOISTED = 24;

/* How far a reading may be off at either end. */
static double step_of_clock(void)
{
    return (double)clock_state()->step_ticks;
}

bool probe_guard_grows(struct tare_state *st)
{
    const double longer = (double)st->calibrated / (double)(st->calibrated / 2) - 1;
    const double half = (double)(st->best_half - st->best_empty), grown = (double)(st->best_whole - st->best_half);
    st->scaling = 1 + grown / half;
    return grown + 2 * step_of_clock() + HOISTED * st->session->floor_ticks >= GROWS * longer * half;
}

struct measured {
    double value, error;
};

static struct measured larger_bound(struct measured a, struct measured b, double sign)
{
    return a.value + sign * a.error > b.value + sign * b.error ? a : b;
}

/* An iteration is so short that it matters whether something was done before them all. */
static bool short_enough(const struct tare_state *st)
{
    const double each = (double)(st->best_whole - st->best_empty) / (double)st->calibrated;
    return each < 2 * BESIDE_NEIGHBOUR * st->session->floor_ticks;
}

bool probe_guard_judge(struct tare_state *st)
{
    const double step = step_of_clock();
    if (st->n_none == PROBE_GUARDS) {
        uint64_t half = st->calibrated / 2;
        if (!probe_guard_grows(st))
            probe_end(st, WIRE_OPTIMISED_AWAY,
                      "%llu iterations take no longer than %llu: the compiler took the work out of the loop",
                      (unsigned long long)st->calibrated, (unsigned long long)half);
    }
    struct stepped_mean lone = stepped_mean(st->lone, st->n_lone, step), none = stepped_mean(st->none, st->n_none, step);
    const struct measured one = {lone.mean - none.mean, SURE * hypot(lone.error, none.error)};
    const double pair = fmax(st->session->pair_ticks, probe_pair_ticks(st->session)); /* a core slows down: as it is now */
    const struct measured nothing = {none.mean - pair, SURE * none.error};
    const struct measured least = larger_bound(one, nothing, -1), most = larger_bound(one, nothing, 1);
    st->lone_ticks = one.value;
    st->before_ticks = fmax(one.value, nothing.value);
    st->before_least = least.value - least.error;
    const double limit = HOISTED * st->session->floor_ticks;
    const bool open = st->before_least <= limit && most.value + most.error > limit;
    if (open && short_enough(st) && st->n_none < PROBE_GUARDS_MOST)
        return false;
    st->session->floor_ticks = probe_floor_ticks(st->session); /* as it is now: the core's frequency changes */
    return true;
}

/* Per iteration, in cycles of the reference chain. NaN: there is none. */
static double row_cycles(const struct tare_state *st, int row)
{
    const struct probe_session *s = st->session;
    int64_t *const *c = st->rows.column;
    double chain = fmin((double)c[WIRE_CHAIN_BEFORE][row], (double)c[WIRE_CHAIN_AFTER][row]) - s->chain_empty_ticks;
    return s->chains && chain > 0 ? st->rows.own[row] / chain * s->chain_cycles : NAN;
}

/* How many times as long as an iteration of an empty loop an iteration takes: by the empty loops right beside the samples, and by the chains.
 * A neighbour on the core's other thread makes an empty loop twice as long and leaves the chains as they are; an interrupt does the opposite.
 * So each rule takes the one of the two that speaks against it, or for what is the case anyway. */
struct times {
    double lower, higher;
};

static struct times times_empty(struct tare_state *st)
{
    double *ratio = st->rows.times_empty;
    double by_loops = probe_lower_quartile(ratio, st->rows.n);
    for (int row = 0; row < st->rows.n; row++)
        ratio[row] = row_cycles(st, row);
    double by_chains = probe_lower_quartile(ratio, st->rows.n);
    return (struct times){fmin(by_loops, by_chains), fmax(by_loops, by_chains)};
}

void probe_guard_close(struct tare_state *st)
{
    if (st->saw_constant)
        probe_end(st, WIRE_OPTIMISED_AWAY,
                  "tare_use got a constant: the compiler computed it; put the input through tare_opaque");
    if (!st->rows.n || st->the_case->bench->manual_time || !st->session->request.guard)
        return;
    if ((double)st->calibrated * st->session->floor_ticks < fmax(ENOUGH_TICKS, ENOUGH_STEPS * step_of_clock()))
        return; /* so few that what the readings scatter by is larger than counting down; too few is never what an empty loop has */
    const struct times times = times_empty(st);
    const double floor = st->session->floor_ticks, before = st->before_ticks / floor;
    const bool once = times.lower < (st->session->chains ? NEARLY_EMPTY : AS_EMPTY) && st->before_least > HOISTED * floor;
    if (once && times.higher < BESIDE_NEIGHBOUR)
        probe_end(
            st, WIRE_OPTIMISED_AWAY,
            "an iteration takes as long as counting down, the first one %.0f times that: the work is the same each time and is "
            "done once; put its input through tare_opaque",
            before);
    struct buf remark = buf_over(st->remark, sizeof st->remark);
    if (times.higher < (st->session->chains ? LESS_THAN_ONE : LESS_THAN_ONE / 2))
        buf_str(&remark, "less than a cycle an iteration: folded by the compiler (tare_opaque prevents it) or by the processor");
    else if (times.lower < HARDLY_SLOWER)
        buf_str(&remark, "hardly slower than an empty loop: a cycle or two of work, or none");
    else if (once)
        buf_str(
            &remark,
            "hardly slower than the empty loops beside it, on a core that is shared: a few cycles of work, or work done once");
}
