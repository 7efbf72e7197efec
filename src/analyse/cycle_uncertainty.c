/* SPDX-License-Identifier: MIT
 *
 * What is uncertain in the core cycles of a benchmark besides the scatter of its processes: systematic parts, which more processes do not
 * shrink. They widen the interval of its cycles to [low / (1 + bias) x (1 - error), high x (1 + error)]. Comparisons have them on both sides and
 * leave them out.
 *
 * error    2 x sqrt(1 / N + 1 / (EMPTIES R)) x step / 2 / chain, at least KNOWN_TO: readings of a chain are off by less than a step of the counter, in the
 *          mean over phases, which are drawn, by nothing; the standard deviation of one is step / 2 at most. N chains, R processes with an overhead each that
 *          is the mean of EMPTIES. step the counter's, chain the mean ticks of a chain. KNOWN_TO: what the chains' own beginning and end
 *          may be off by. Where a step is less than that, no phase is drawn: 2 steps / chain, at most KNOWN_TO. Where a step is more and a process did not draw
 *          the phase (it says so, or is older than that): 2 steps / chain, one of the chain and one of its overhead.
 * bias     A sample is k times as long as the chains that stand for the core's frequency, so it meets disturbances that they escape:
 *          interrupts, a neighbour on the core. All such time is added, so that the figure is too large, and the more so the longer the sample (seen: 0.02 %
 *          at 20 us, 0.1 % at 100 us, 0.6 % at 300 us beside other virtual machines). What comes at random and less than ln 2 times in a sample's
 *          length is missing in more than half of the samples and does not move their median; what comes more often does, by no more than its
 *          mean. So bias is the mean excess of the chains without the ln 2 / k of them that are longest; the truth lies between none and
 *          all of it. Excess of a chain: over the median of itself and the ASIDE chains before and behind it, so that the core's frequency may
 *          change; where a step is more than IN_STEPS of a chain, for which a median is short by up to a step, over their mean without
 *          interruptions (stepped.h). A slow time that lasts longer than these chains is in samples and chains alike.
 *
 * Assumes that disturbances hit chains and samples alike. Not covered: what slows the code under test and not multiplies (a neighbour that
 * takes its ports). Over the samples that count, of all processes together. Below LEAST chains, without chains, without samples of known length
 * and where samples are no longer than chains (k <= ln 2) bias is 0, which says nothing; without a step or a chain error is 0. NaN are left out.
 */
#include "processes.h"
#include "stepped.h"
#include <stdlib.h>

enum { LEAST = 100, ASIDE = 16, EMPTIES = 101 };
static const double KNOWN_TO = 2e-4, IN_STEPS = 1e-3;

struct chains {
    const struct series *s;
    const double *before, *after, *ticks;
    double *net;    /* of all chains, in the order in which they ran */
    double *excess; /* of each; later sorted */
    double *k;      /* of each sample */
    int n, n_samples;
    double step; /* of the counter, ticks; NaN: not known */
};

static double typical(double *values, int n)
{
    tare_sort(values, n);
    return tare_quantile_sorted(values, n, 0.5);
}

/* What is typical of the chains beside chain i. */
static double beside(const struct chains *c, int first, int i)
{
    double net[2 * ASIDE + 1];
    int n = 0;
    for (int k = i - ASIDE; k <= i + ASIDE; k++)
        if (k >= first && k < c->n)
            net[n++] = c->net[k];
    return c->step > IN_STEPS * c->net[i] ? stepped_mean(net, n, c->step).mean : typical(net, n);
}

static void add_process(struct chains *c, int from, int end, double empty)
{
    const int first = c->n;
    for (int i = from; i < end; i++) {
        double before = c->before[i] - empty, after = c->after[i] - empty;
        if (c->s->samples.flags[i] & ROW_WARMUP || !(before > 0) || !(after > 0))
            continue;
        c->net[c->n++] = before;
        c->net[c->n++] = after;
        if (c->ticks[i] > 0)
            c->k[c->n_samples++] = c->ticks[i] / fmin(before, after);
    }
    for (int i = first; i < c->n; i++)
        c->excess[i] = c->net[i] / beside(c, first, i) - 1;
}

static double bias_of(struct chains *c)
{
    if (c->n < LEAST || !c->n_samples)
        return 0;
    double longest = log(2) / typical(c->k, c->n_samples);
    int n = longest < 1 ? c->n - (int)ceil(longest * c->n) : 0;
    tare_sort(c->excess, c->n);
    return n > 0 ? fmax(0, tare_mean(c->excess, n)) : 0;
}

static double step_of(const struct series *s, int rounds)
{
    const double *steps = series_values(s, "clock_step");
    for (int i = 0; steps && i < rounds; i++)
        if (steps[i] > 0)
            return steps[i];
    return NAN;
}

static bool all_drawn(const struct series *s, int rounds)
{
    const double *drawn = series_values(s, "chain_drawn");
    int n = 0;
    for (int i = 0; drawn && i < rounds; i++)
        n += drawn[i] > 0;
    return n == rounds;
}

static double error_of(struct chains *c, int rounds)
{
    if (!(c->step > 0) || !c->n)
        return 0;
    const double share = c->step / typical(c->net, c->n);
    if (share <= KNOWN_TO)
        return fmin(2 * share, KNOWN_TO);
    if (!all_drawn(c->s, rounds))
        return 2 * share;
    return fmax(KNOWN_TO, sqrt(1.0 / c->n + 1.0 / (EMPTIES * (double)rounds)) * share);
}

enum tare_status process_control(const struct record *r, int subject, int rounds, struct control *out)
{
    struct chains c = {.s = &r->series[subject], .step = step_of(&r->series[subject], rounds)};
    *out = (struct control){0};
    c.before = series_samples(c.s, "chain_before");
    c.after = series_samples(c.s, "chain_after");
    c.ticks = series_samples(c.s, "ticks");
    if (!c.before || !c.after || !c.ticks || !series_values(c.s, "chain_empty"))
        return TARE_OK;
    const size_t n = (size_t)c.s->samples.n;
    c.net = malloc((5 * n + 1) * sizeof *c.net);
    if (!c.net)
        return TARE_NO_MEMORY;
    c.excess = c.net + 2 * n;
    c.k = c.net + 4 * n;
    const double *empty = series_values(c.s, "chain_empty");
    const struct rows *samples = &c.s->samples;
    for (int row = 0, i = 0; row < rounds; row++) {
        while (i < samples->n && samples->round[i] < c.s->main.round[row])
            i++;
        int from = i;
        while (i < samples->n && samples->round[i] == c.s->main.round[row])
            i++;
        add_process(&c, from, i, empty[row]);
    }
    *out = (struct control){.bias = bias_of(&c), .error = error_of(&c, rounds)};
    free(c.net);
    return TARE_OK;
}
