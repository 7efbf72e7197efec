/* SPDX-License-Identifier: MIT
 *
 * Runners as blocks: each runner's rounds are judged by themselves, for noise, drift and clocks are its own, and only the answers are put together.
 *
 * FAIL: on every runner that has the benchmark. What is not slower on one of them fails wrongly with probability alpha at most, that runner's own, over all
 * benchmarks (intersection-union test over the runners).
 * PASS: on one runner at least its upper bound at alpha / runners is below the limit, on none does it fail, and where it was nominated the confirmation
 * cleared it. What is slower by P on all runners passes with probability alpha at most (Bonferroni).
 * Else CANNOT TELL: also where it fails on some runners and not on others. NO RESULT: on one of them it has none.
 *
 * Assumes that a slowdown is about the same on all runners; where that is in doubt, as between kinds of processors, each kind deserves a gate of its own.
 */
#include "gate_merge.h"
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

/* own: at alpha; shared: at alpha / runners. */
static void add_runner(struct gate_merged *m, const struct gate_result *own, const struct gate_result *shared)
{
    const bool suspect = own->nominated && own->verdict != GATE_PASS;
    m->runners++;
    m->failed += own->verdict == GATE_FAIL;
    m->passed += shared->verdict == GATE_PASS;
    m->result.nominated |= suspect;
    m->result.shift += own->shift;
    m->result.low = fmin(m->result.low, own->low);
    m->result.high = fmin(m->result.high, shared->high);
    if (own->verdict == GATE_NO_RESULT)
        m->result.verdict = GATE_NO_RESULT;
}

static bool add_case(const struct gate_runner *r, int n_runners, double alpha, struct gate_merged *out, int *n)
{
    struct gate_result *own = malloc(2 * (size_t)r->n * sizeof *own + 1), *shared = own + r->n;
    if (!own)
        return false;
    gate_answer(r->cases, r->n, alpha, own);
    gate_answer(r->cases, r->n, alpha / n_runners, shared);
    for (int i = 0; i < r->n; i++)
        add_runner(merged_named(out, n, &r->cases[i]), &own[i], &shared[i]);
    free(own);
    return true;
}

static void conclude(struct gate_merged *m)
{
    m->result.shift /= m->runners;
    m->result.decidable = isfinite(m->result.high) ? expm1(m->result.high) : NAN;
    if (m->result.verdict == GATE_NO_RESULT)
        return;
    m->result.verdict = m->failed == m->runners                           ? GATE_FAIL
                        : m->passed && !m->failed && !m->result.nominated ? GATE_PASS
                                                                          : GATE_CANNOT_TELL;
}

enum gate_verdict gate_merge(const struct gate_runner *runners, int n_runners, double alpha, struct gate_merged *out, int *n)
{
    bool asks = false;
    enum gate_verdict all = GATE_PASS;
    *n = 0;
    for (int i = 0; i < n_runners; i++)
        if (!add_case(&runners[i], n_runners, alpha, out, n))
            return GATE_NO_RESULT;
    for (int i = 0; i < *n; i++) {
        conclude(&out[i]);
        asks |= out[i].asked;
        if (out[i].asked && (!out[i].accepted || out[i].result.verdict == GATE_NO_RESULT))
            all = gate_worse(all, out[i].result.verdict);
    }
    return asks ? all : GATE_NO_RESULT;
}
