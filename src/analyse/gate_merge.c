/* SPDX-License-Identifier: MIT
 *
 * Runners as blocks: each runner's rounds are judged by themselves, for noise, drift and clocks are its own, and only the answers are put together.
 *
 * FAIL: on every runner that has the benchmark. What is not slower on one of them fails wrongly with probability alpha at most, that runner's own, over all
 * benchmarks (intersection-union test over the runners).
 * PASS: on none does it fail, where it was nominated the estimate of all rounds is below the limit, and for some j on j of the k runners the upper bound at
 * alpha j / k is: on one at alpha / k, or on all at alpha. What is slower by P on all runners passes with probability alpha at most (Simes 1986, for what is
 * independent, as the noise of machines is; also with fewer j, so not all of many are tried, each of which takes as long as all runners). By alpha / k
 * alone two runners passed less than one of them does, for each gate ends once its own bounds are below the limit at alpha. A runner with equal builds passes there, which says nothing of the others: so it counts only where all pass.
 * Else CANNOT TELL: also where it fails on some runners and not on others. NO RESULT: on one of them it has none.
 *
 * Assumes that a slowdown is about the same on all runners; where that is in doubt, as between kinds of processors, each kind deserves a gate of its own.
 */
#include "gate_answer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct gate_merged *merged_named(struct gate_merged *out, int *n, const struct gate_case *c)
{
    for (int i = 0; i < *n; i++)
        if (!strcmp(out[i].name, c->name))
            return &out[i];
    struct gate_merged *m = &out[(*n)++];
    *m = (struct gate_merged){.name = c->name,
                              .result = {.verdict = GATE_PASS, .low = INFINITY, .high = INFINITY, .decidable = NAN},
                              .asked = !c->control,
                              .accepted = c->accepted};
    return m;
}

static void add_runner(struct gate_merged *m, const struct gate_result *own, const struct gate_case *c)
{
    m->runners++;
    m->equal += c->equal;
    m->failed += own->verdict == GATE_FAIL;
    m->result.nominated |= own->nominated && own->shift >= c->limit;
    m->result.shift += own->shift;
    m->result.low = fmin(m->result.low, own->low);
    if (own->verdict == GATE_NO_RESULT)
        m->result.verdict = GATE_NO_RESULT;
}

/* Of one of the levels of PASS. */
struct at_level {
    double high[GATE_RUNNERS_MOST]; /* of the runners, ascending */
    int n, passed;
};

static void add_at_level(struct at_level *l, const struct gate_result *r)
{
    int i = l->n++;
    for (; i > 0 && l->high[i - 1] > r->high; i--)
        l->high[i] = l->high[i - 1];
    l->high[i] = r->high;
    l->passed += r->verdict == GATE_PASS;
}

/* Of each case of each runner, which one it is. */
static void find_places(const struct gate_runner *runners, int k, struct gate_merged *out, int *n, int *place)
{
    for (int i = 0; i < k; i++)
        for (int c = 0; c < runners[i].n; c++)
            *place++ = (int)(merged_named(out, n, &runners[i].cases[c]) - out);
}

/* At alpha j / k. room: for the results of a runner; level: for each benchmark. */
static void pass_at(const struct gate_runner *runners, int k, int j, double alpha, struct gate_merged *out, int n,
                    const int *place, struct gate_result *room, struct at_level *level)
{
    memset(level, 0, (size_t)n * sizeof *level);
    for (int i = 0; i < k; i++) {
        gate_answer(runners[i].cases, runners[i].n, alpha * j / k, room);
        for (int c = 0; c < runners[i].n; c++, place++) {
            if (j == k || !runners[i].cases[c].equal)
                add_at_level(&level[*place], &room[c]);
            if (j == k)
                add_runner(&out[*place], &room[c], &runners[i].cases[c]);
        }
    }
    for (int i = 0; i < n; i++) {
        if (level[i].n >= j)
            out[i].result.high = fmin(out[i].result.high, level[i].high[j - 1]);
        out[i].passes |= level[i].passed >= j;
    }
}

static void conclude(struct gate_merged *m)
{
    m->result.shift /= m->runners > m->equal ? m->runners - m->equal : 1;
    m->result.decidable = isfinite(m->result.high) ? expm1(m->result.high) : NAN;
    if (m->result.verdict == GATE_NO_RESULT)
        return;
    m->result.verdict = m->failed == m->runners                           ? GATE_FAIL
                        : m->passes && !m->failed && !m->result.nominated ? GATE_PASS
                                                                          : GATE_CANNOT_TELL;
}

static int next_level(int j, int k)
{
    enum { EACH = 9 };
    const int next = j < EACH ? j + 1 : j + j / 2;
    return j < k && next > k ? k : next;
}

enum gate_verdict gate_merge(const struct gate_runner *runners, int n_runners, double alpha, struct gate_merged *out, int *n)
{
    int most = 0;
    bool asks = false;
    enum gate_verdict all = GATE_PASS;
    *n = 0;
    for (int i = 0; i < n_runners; i++)
        most += runners[i].n;
    struct gate_result *room = malloc((size_t)most * sizeof *room + 1);
    struct at_level *level = malloc((size_t)most * sizeof *level + 1);
    int *place = malloc((size_t)most * sizeof *place + 1);
    const bool good = room && level && place && n_runners <= GATE_RUNNERS_MOST;
    if (good)
        find_places(runners, n_runners, out, n, place);
    for (int j = 1; good && j <= n_runners; j = next_level(j, n_runners))
        pass_at(runners, n_runners, j, alpha, out, *n, place, room, level);
    free(room);
    free(level);
    free(place);
    if (!good)
        return GATE_NO_RESULT;
    for (int i = 0; i < *n; i++) {
        conclude(&out[i]);
        asks |= out[i].asked;
        if (out[i].asked && (!out[i].accepted || out[i].result.verdict == GATE_NO_RESULT))
            all = gate_worse(all, out[i].result.verdict);
    }
    return asks ? all : GATE_NO_RESULT;
}
