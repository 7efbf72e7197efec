/* SPDX-License-Identifier: MIT
 *
 * Where the evidence cuts and clips: quantiles of blocks that lie in the past.
 *
 * The sample takes every block until it is full, then every second, fourth ... one, dropping every other of those it has: it
 * is spread evenly over what was seen, and the same stream gives the same sample. Whole blocks are taken, so no class is favoured, and
 * for the order in a block is drawn, no place in it either.
 * Limit at q: the value of rank ceil(q n) (n of them pooled over classes), so that at least a share q is at or below. Ties: limits
 * coincide on a coarse clock; a component is then counted more than once in the average, which costs nothing but weight. Smallest n: 1;
 * then all limits are that value. A clock with steps shows one and the same time as one of two values: its clips lie a step above the quantile, or
 * they would cut off the upper one, and with it the fraction of a step that the mean has. Where the phase was drawn, a clipped mean at a value v of the clock is then that of the times clipped at v. Times are clipped below at the least of the sample too, so that what is clipped is bounded.
 */
#include "leak_core.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double leak_limit_quantiles[LEAK_LIMITS] = {.05, .1,  .15, .2,  .25, .3,  .35, .4,  .45, .5,  .55,
                                                  .6,  .65, .7,  .75, .8,  .85, .9,  .95, .99, .998};
const double leak_clip_quantiles[LEAK_CLIPS] = {.5, .9, .99, 1};
const double leak_spread_quantiles[LEAK_SPREADS] = {.5, .9};
const double leak_spread_clips[LEAK_SPREADS] = {.9, .99};

enum tare_status leak_sample_start(struct leak_sample *s, int k, int room)
{
    *s = (struct leak_sample){.k = k, .room = room, .stride = 1};
    s->ticks = calloc((size_t)room * (size_t)k, sizeof *s->ticks);
    return s->ticks ? TARE_OK : TARE_NO_MEMORY;
}

void leak_sample_finish(struct leak_sample *s)
{
    free(s->ticks);
    s->ticks = NULL;
}

void leak_sample_clear(struct leak_sample *s)
{
    s->n = 0;
    s->seen = 0;
    s->stride = 1;
}

void leak_sample_add(struct leak_sample *s, const double *ticks)
{
    int64_t at = s->seen++;
    if (at % s->stride)
        return;
    if (s->n == s->room) {
        s->stride *= 2;
        s->n = (s->n + 1) / 2;
        for (size_t i = 1, k = (size_t)s->k; i < (size_t)s->n; i++)
            memcpy(s->ticks + i * k, s->ticks + i * 2 * k, k * sizeof *s->ticks);
        if (at % s->stride)
            return;
    }
    memcpy(s->ticks + (size_t)s->n++ * (size_t)s->k, ticks, (size_t)s->k * sizeof *ticks);
}

static double at_rank(const double *sorted, int n, double q)
{
    int rank = (int)ceil(q * n - 1e-9); /* .05 * 100 is no more than 5 */
    return sorted[rank < 1 ? 0 : rank > n ? n - 1 : rank - 1];
}

double leak_mid_median(const double *sorted, int n)
{
    double last_at = NAN, last_mid = 0;
    for (int i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && sorted[next] == sorted[i];)
            next++;
        const double mid = (i + next) / 2.0;
        if (mid >= n / 2.0)
            return isnan(last_at) ? sorted[i] : last_at + (sorted[i] - last_at) * (n / 2.0 - last_mid) / (mid - last_mid);
        last_at = sorted[i];
        last_mid = mid;
    }
    return last_at;
}

/* A limit at the largest value has everything at or below it and tells nothing; of a clock with steps, on which that value is that of many calls, it moves
 * to the one below. What bet is made is chosen of the past alone, as before. */
static void lower_dead_limits(struct leak_limits *l, const double *sorted, int n)
{
    int below = n - 1;
    while (below >= 0 && sorted[below] == sorted[n - 1])
        below--;
    for (int i = 0; i < LEAK_LIMITS && below >= 0; i++)
        l->at[i] = fmin(l->at[i], sorted[below]);
}

void leak_limits_set(struct leak_limits *l, const struct leak_sample *s, const struct leak_rule *rule, double *scratch)
{
    int n = s->n * s->k;
    const double drawn = rule->drawn_step_ticks, step = fmax(rule->step_ticks, drawn);
    memcpy(scratch, s->ticks, (size_t)n * sizeof *scratch);
    tare_sort(scratch, n);
    for (int i = 0; i < LEAK_LIMITS; i++)
        l->at[i] = at_rank(scratch, n, leak_limit_quantiles[i]);
    if (drawn > 0)
        lower_dead_limits(l, scratch, n);
    for (int i = 0; i < LEAK_JUDGED; i++)
        l->clip[i] = at_rank(scratch, n, leak_clip_quantiles[i]) + step;
    l->middle = drawn > 0 ? leak_mid_median(scratch, n) : at_rank(scratch, n, .5);
    l->low = scratch[0] - drawn;
    for (int i = 0; i < n; i++)
        scratch[i] = fabs(s->ticks[i] - l->middle);
    tare_sort(scratch, n);
    for (int i = 0; i < LEAK_SPREADS; i++) {
        l->spread_at[i] = at_rank(scratch, n, leak_spread_quantiles[i]);
        l->spread_clip[i] = at_rank(scratch, n, leak_spread_clips[i]) + drawn;
    }
}

int leak_limits_below(const struct leak_limits *l, double t)
{
    const double *base = l->at;
    for (int n = LEAK_LIMITS; n > 1; n -= n / 2) /* halving without a branch that could be guessed wrong */
        base += base[n / 2 - 1] < t ? n / 2 : 0;
    return (int)(base - l->at) + (*base < t);
}

void leak_moves_on(struct leak_moves *m)
{
    int64_t had = m->next - m->from;
    m->next += had < LEAK_MOVE_MOST ? had : LEAK_MOVE_MOST;
}

bool leak_moves_begin_process(struct leak_moves *m, int64_t n)
{
    if (n - m->from < 2 * LEAK_MOVE_LEAST)
        return false;
    *m = (struct leak_moves){n, n + LEAK_MOVE_LEAST};
    return true;
}

void leak_tally_below(const struct leak_tally *t, int64_t *first, int64_t *second)
{
    int64_t a = 0, b = 0;
    for (int i = 0; i < LEAK_LIMITS; i++) {
        first[i] = a += t->below[0][i];
        second[i] = b += t->below[1][i];
    }
}

bool leak_rule_over_processes(const struct leak_rule *r)
{
    return r->processes && !r->exact;
}
