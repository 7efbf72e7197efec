/* SPDX-License-Identifier: MIT
 *
 * Did the compiler leave what was written? Judged by what 0, 1, n/2 and n iterations take.
 *
 * 1. n iterations must take longer than n/2: at least half of the way from one to n over n/2 times as long. A loop that is gone, or that
 *    became a formula, does not.
 * 2. A loop whose iterations cost no more than counting them down, and of which one iteration, alone or even none, takes much longer: the work
 *    was the same each time and is done once, before the loop. Iterations overlap, so one alone may take longer than one
 *    of many; but what is done in a cycle and a half is a handful of instructions, which alone take fewer cycles than HOISTED. A neighbour on the
 *    core makes counting down two cycles of the chains; what takes more of these than BESIDE_NEIGHBOUR does something, and gets a remark instead.
 *    Without chains three cycles of work then look like one and a half, so only what takes no longer than counting down is nothing.
 * 3. A barrier saw a constant: the compiler did the work.
 * 4. The compiler was asked to unroll TARE_LOOP, so that four iterations share one countdown. Work that waits for itself then takes a cycle or
 *    more, and nothing takes a quarter, or half of one beside a neighbour on the core: an iteration that takes less than LESS_THAN_ONE is
 *    nothing, or so little that a loop has no figure for it.
 * 5. What takes a cycle may be a single cycle of work, or nothing where the compiler did not unroll; no time can tell. The figure stands, with
 *    a remark.
 *
 * Of a benchmark with threads it is the first thread's own time, from its own start to its own end: a sample of them all, and an empty one as well,
 * lasts until the last one had a CPU, and what is left of one less the other says nothing of the code. Waiting only makes own times longer;
 * while the count is looked for, they count as far as the thread had a CPU.
 *
 * Sizes are in iterations of an empty loop, which take a cycle each, so that no frequency is needed.
 */
#include "probe.h"
#include <math.h>

static const double ENOUGH_TICKS = 500, GROWS = 0.5, LESS_THAN_ONE = 0.8, AS_EMPTY = 1.15, NEARLY_EMPTY = 1.5,
                    BESIDE_NEIGHBOUR = 2.5, HOISTED = 24;

bool probe_guard_grows(struct tare_state *st)
{
    double expected = (double)st->calibrated / (double)(st->calibrated / 2);
    st->scaling = (double)st->best_whole / (double)st->best_half;
    return st->best_half > 0 && st->scaling - 1 >= GROWS * (expected - 1);
}

static void judge_growth(struct tare_state *st)
{
    uint64_t half = st->calibrated / 2;
    if (!probe_guard_grows(st))
        probe_end(st, WIRE_OPTIMISED_AWAY, "%llu iterations take no longer than %llu: the compiler took the work out of the loop",
                  (unsigned long long)st->calibrated, (unsigned long long)half);
}

void probe_guard_judge(struct tare_state *st)
{
    judge_growth(st);
    double lone = clock_spread_of(st->lone, PROBE_GUARDS).median, none = clock_spread_of(st->none, PROBE_GUARDS).median;
    st->lone_ticks = lone - none;
    st->before_ticks = fmax(st->lone_ticks, none - st->session->pair_ticks);
    st->session->floor_ticks = probe_floor_ticks(st->session); /* as it is now: the core's frequency changes */
}

/* Per iteration, in cycles of the reference chain. NaN: there is none. */
static double row_cycles(const struct tare_state *st, int row)
{
    const struct probe_session *s = st->session;
    int64_t *const *c = st->rows.column;
    double chain = (double)(c[WIRE_CHAIN_BEFORE][row] + c[WIRE_CHAIN_AFTER][row]) / 2 - s->chain_empty_ticks;
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
    if ((double)st->calibrated * st->session->floor_ticks < ENOUGH_TICKS)
        return; /* so few that what the readings scatter by is larger than counting down; too few is never what an empty loop has */
    const struct times times = times_empty(st);
    double before = st->before_ticks / st->session->floor_ticks;
    const bool once = times.lower < (st->session->chains ? NEARLY_EMPTY : AS_EMPTY) && before > HOISTED;
    if (once && times.higher < BESIDE_NEIGHBOUR)
        probe_end(
            st, WIRE_OPTIMISED_AWAY,
            "an iteration takes as long as counting down, the first one %.0f times that: the work is the same each time and is "
            "done once; put its input through tare_opaque",
            before);
    if (times.higher < LESS_THAN_ONE)
        probe_end(st, WIRE_OPTIMISED_AWAY,
                  "an iteration takes less than a cycle: the compiler took the work out of the loop, or it is too little for a "
                  "loop; put "
                  "its input through tare_opaque, or do it several times in an iteration");
    struct buf remark = buf_over(st->remark, sizeof st->remark);
    if (times.lower < AS_EMPTY)
        buf_str(&remark, "no slower than an empty loop: one cycle of work, or none");
    else if (once)
        buf_str(
            &remark,
            "hardly slower than the empty loops beside it, on a core that is shared: a few cycles of work, or work done once");
}
