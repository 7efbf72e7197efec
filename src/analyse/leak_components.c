/* SPDX-License-Identifier: MIT
 *
 * The evidence of one question: some thirty bets for each pair of classes, each an e-process of its own, of bounded memory.
 *
 * With a, b the times of the two classes in a block. Were the classes without effect, then given the past and the two times, which class
 * has which would be a fair coin, for the order was drawn. So, for every g and every limit that the past alone set:
 *   mcnemar  of the blocks in which just one time is at or below the limit, the one that is: a coin (limits 5, 10 .. 95, 99, 99.8 %)
 *   sign     of the blocks with a /= b, the faster one: a coin
 *   mean     g(b) - g(a) with g clipped at 50, 90, 99 % or not at all: symmetric about 0
 *   spread   the same with g the distance from the median, clipped; and mcnemar of that distance at 50 and 90 %
 * Coins: tare_log_e_coin. Symmetric: tare_log_e_symmetric, scaled by the mean square in the warm-up. E is the plain average over
 * components and pairs: an e-process for one filtration, that of whole blocks. It costs ln J, about 3.4, against knowing the best.
 *
 * Limits move at set numbers of blocks (each doubling, from 65536 on each 65536), to what the blocks since the last move say: the
 * past of every block that they then judge. Where sizes are over processes they begin anew in each, at 50, 100, 200 .. of its blocks: a process has a level of its
 * own, and limits of another would leave all of it on one side; blocks before them are in the evidence, and in no size. Priors and scales never change after the warm-up. Ties carry no evidence. Smallest n: any.
 * Sums of squares: about the mean (Welford), from which S and V follow without loss.
 */
#include "leak_core.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum tare_status leak_test_set_start(struct leak_test_set *b, const struct leak_rule *rule, int k, int64_t warmup,
                                     double *scratch, bool sized)
{
    *b = (struct leak_test_set){
        .rule = rule, .k = k, .pairs = k * (k - 1) / 2, .warmup_blocks = warmup, .scratch = scratch, .median = NAN};
    b->tally = calloc((size_t)b->pairs, sizeof *b->tally);
    enum tare_status status = b->tally ? leak_sample_start(&b->recent, k, LEAK_SAMPLE_TIMES / k) : TARE_NO_MEMORY;
    if (!status && sized && rule->exact && !(b->exact = calloc((size_t)b->pairs * LEAK_JUDGED, sizeof *b->exact)))
        status = TARE_NO_MEMORY;
    if (!status && sized && leak_rule_over_processes(rule))
        status = leak_over_start(&b->over, b->pairs);
    return status;
}

void leak_test_set_finish(struct leak_test_set *b)
{
    leak_sample_finish(&b->recent);
    free(b->tally);
    free(b->exact);
    leak_over_finish(&b->over);
    b->tally = NULL;
    b->exact = NULL;
}

void leak_test_set_restart(struct leak_test_set *b)
{
    assert(!b->exact && !b->over.pair);
    struct leak_test_set fresh = {.rule = b->rule,
                                  .k = b->k,
                                  .pairs = b->pairs,
                                  .warmup_blocks = b->warmup_blocks,
                                  .recent = b->recent,
                                  .scratch = b->scratch,
                                  .tally = b->tally,
                                  .median = NAN};
    memset(b->tally, 0, (size_t)b->pairs * sizeof *b->tally);
    *b = fresh;
    leak_sample_clear(&b->recent);
}

static double distance(const struct leak_limits *l, int i, double t)
{
    return fmin(fabs(t - l->middle), l->spread_clip[i]);
}

/* Mean square of the differences in the warm-up. Where all were 0: as if one in all had been one tick. */
static void set_scales(struct leak_test_set *b)
{
    const struct leak_sample *s = &b->recent;
    double n = (double)s->n * b->pairs, mean[LEAK_CLIPS] = {0}, spread[LEAK_SPREADS] = {0};
    for (int i = 0; i < s->n; i++) {
        const double *t = s->ticks + (size_t)i * (size_t)b->k;
        for (int second = 1; second < b->k; second++)
            for (int first = 0; first < second; first++) {
                for (int c = 0; c < LEAK_CLIPS; c++) {
                    double d = leak_clipped(&b->limits, c, t[second]) - leak_clipped(&b->limits, c, t[first]);
                    mean[c] += d * d;
                }
                for (int c = 0; c < LEAK_SPREADS; c++) {
                    double d = distance(&b->limits, c, t[second]) - distance(&b->limits, c, t[first]);
                    spread[c] += d * d;
                }
            }
    }
    for (int c = 0; c < LEAK_CLIPS; c++)
        b->mean_scale[c] = fmax(mean[c], 1) / n;
    for (int c = 0; c < LEAK_SPREADS; c++)
        b->spread_scale[c] = fmax(spread[c], 1) / n;
}

void leak_test_set_end_warmup(struct leak_test_set *b)
{
    if (b->warm || b->recent.n == 0)
        return;
    leak_limits_set(&b->limits, &b->recent, b->rule, b->scratch);
    set_scales(b);
    b->first = b->limits;
    b->median = b->limits.middle;
    for (int i = 0; b->exact && i < b->pairs * LEAK_JUDGED; i++) /* a range of nothing is no range: one tick */
        b->exact[i] = leak_bernstein_start(fmax(b->first.clip[i % LEAK_JUDGED] - b->first.low, 1));
    b->warm = true;
    leak_sample_clear(&b->recent);
    b->moves.next = b->warmup;
    b->next_look = 1;
}

static void move_limits(struct leak_test_set *b)
{
    /* those that are due, of a process that began anew */
    if (b->over.pair && b->moves.from > 0 && b->moves.next - b->moves.from == LEAK_MOVE_LEAST)
        leak_over_skip(&b->over, b->tally, b->pairs, b->n);
    leak_moves_on(&b->moves);
    if (b->recent.n < LEAK_MOVE_LEAST)
        return;
    leak_limits_set(&b->limits, &b->recent, b->rule, b->scratch);
    leak_sample_clear(&b->recent);
}

struct cut { /* one class's time, as the components see it */
    double t, clipped[LEAK_CLIPS], spread[LEAK_SPREADS];
    int below;
    bool near[LEAK_SPREADS];
};

/* Written in place: a struct of single values that is copied as a whole waits for each of them. */
static inline void cut(const struct leak_test_set *b, double t, struct cut *out)
{
    const struct leak_limits *l = &b->limits;
    const double far = fabs(t - l->middle);
    out->t = t;
    out->below = leak_limits_below(l, t);
    for (int i = 0; i < LEAK_CLIPS; i++)
        out->clipped[i] = leak_clipped(l, i, t);
    for (int i = 0; i < LEAK_SPREADS; i++) {
        out->spread[i] = far < l->spread_clip[i] ? far : l->spread_clip[i];
        out->near[i] = far <= l->spread_at[i];
    }
}

static void tally_block(struct leak_tally *t, const struct cut *a, const struct cut *b, double share)
{
    if (a->below != b->below) { /* the faster one is at or below the limits from its own place up to that of the other */
        bool second = b->below < a->below;
        t->below[second][second ? b->below : a->below]++;
        t->below[second][second ? a->below : b->below]--;
    }
    t->slower[0] += a->t > b->t;
    t->slower[1] += b->t > a->t;
    for (int i = 0; i < LEAK_CLIPS; i++)
        leak_running_add(&t->mean[i], b->clipped[i] - a->clipped[i], share);
    for (int i = 0; i < LEAK_SPREADS; i++) {
        t->near[0][i] += a->near[i] > b->near[i];
        t->near[1][i] += b->near[i] > a->near[i];
        leak_running_add(&t->spread[i], b->spread[i] - a->spread[i], share);
    }
}

void leak_tally_note(const struct leak_test_set *b, struct leak_tally *t, int64_t n, const double *two)
{
    struct cut first, second;
    cut(b, two[0], &first);
    cut(b, two[1], &second);
    tally_block(t, &first, &second, 1 / (double)n);
}

static struct leak_running merged(const struct leak_running *a, int64_t n, const struct leak_running *b, int64_t m)
{
    double off = b->mean - a->mean, all = (double)(n + m);
    return (struct leak_running){a->mean + off * (double)m / all, a->m2 + b->m2 + off * off * (double)n * (double)m / all};
}

void leak_tally_merge(struct leak_tally *t, int64_t n, const struct leak_tally *more, int64_t m)
{
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i <= LEAK_LIMITS; i++)
            t->below[side][i] += more->below[side][i];
        for (int i = 0; i < LEAK_SPREADS; i++)
            t->near[side][i] += more->near[side][i];
        t->slower[side] += more->slower[side];
    }
    for (int i = 0; i < LEAK_CLIPS; i++)
        t->mean[i] = merged(&t->mean[i], n, &more->mean[i], m);
    for (int i = 0; i < LEAK_SPREADS; i++)
        t->spread[i] = merged(&t->spread[i], n, &more->spread[i], m);
}

bool leak_test_set_add(struct leak_test_set *b, const double *ticks)
{
    leak_sample_add(&b->recent, ticks);
    if (!b->warm) {
        if (++b->warmup >= b->warmup_blocks)
            leak_test_set_end_warmup(b);
        return false;
    }
    b->n++;
    struct cut cuts[LEAK_CLASSES_MAX];
    double share = 1 / (double)b->n;
    int pair = 0;
    for (int i = 0; i < b->k; i++)
        cut(b, ticks[i], &cuts[i]);
    for (int first = 0; first < b->k; first++)
        for (int second = first + 1; second < b->k; second++, pair++) {
            tally_block(&b->tally[pair], &cuts[first], &cuts[second], share);
            for (int c = 0; b->exact && c < LEAK_JUDGED;
                 c++) { /* clipped where the warm-up set it: the range must be known before */
                double d = leak_clipped(&b->first, c, ticks[second]) - leak_clipped(&b->first, c, ticks[first]);
                leak_bernstein_add(&b->exact[pair * LEAK_JUDGED + c], d);
            }
        }
    if (b->n >= b->moves.next)
        move_limits(b);
    if (b->n < b->next_look) /* where the stretches of leak_selfcheck.c end there is a look in any case */
        return b->n >= LEAK_WINDOW && !(b->n & (b->n - 1));
    b->next_look += 1 + b->next_look / 12;
    return true;
}

void leak_test_set_round(struct leak_test_set *b)
{
    if (b->over.pair)
        leak_over_round(&b->over, b->tally, b->pairs, b->n, b->warmup);
    if (b->warm && leak_rule_over_processes(b->rule) && leak_moves_begin_process(&b->moves, b->n))
        leak_sample_clear(&b->recent);
}

static void component(struct leak_component *c, const char *name, enum leak_family family, double at, double log_e)
{
    *c = (struct leak_component){name, family, at, log_e};
}

static double log_e_of(const struct leak_running *r, int64_t n, double scale)
{
    if (n == 0)
        return 0;
    double s = (double)n * r->mean;
    return tare_log_e_symmetric(s, r->m2 + s * r->mean, scale);
}

static int at_limits(const struct leak_tally *t, struct leak_component *out)
{
    int64_t first[LEAK_LIMITS], second[LEAK_LIMITS];
    int n = 0;
    leak_tally_below(t, first, second);
    for (int i = 0; i < LEAK_LIMITS; i++) {
        double q = leak_limit_quantiles[i];
        component(&out[n++], "mcnemar", q > .9 ? LEAK_TAIL : LEAK_LOCATION, q,
                  tare_log_e_coin((double)first[i], (double)second[i]));
    }
    return n;
}

static int components_of(const struct leak_test_set *b, const struct leak_tally *t, int64_t blocks, struct leak_component *out)
{
    int n = at_limits(t, out);
    component(&out[n++], "sign", LEAK_LOCATION, NAN, tare_log_e_coin((double)t->slower[0], (double)t->slower[1]));
    for (int i = 0; i < LEAK_CLIPS; i++)
        component(&out[n++], "mean", i < LEAK_JUDGED ? LEAK_LOCATION : LEAK_TAIL, leak_clip_quantiles[i],
                  log_e_of(&t->mean[i], blocks, b->mean_scale[i]));
    for (int i = 0; i < LEAK_SPREADS; i++) {
        double coin = tare_log_e_coin((double)t->near[0][i], (double)t->near[1][i]);
        component(&out[n++], "spread", LEAK_SPREAD, leak_spread_clips[i], log_e_of(&t->spread[i], blocks, b->spread_scale[i]));
        component(&out[n++], "spread_mcnemar", LEAK_SPREAD, leak_spread_quantiles[i], coin);
    }
    return n;
}

int leak_components(const struct leak_test_set *b, int pair, struct leak_component *out)
{
    return components_of(b, &b->tally[pair], b->n, out);
}

double leak_tally_log_e(const struct leak_test_set *b, const struct leak_tally *t, int64_t blocks)
{
    struct leak_component c[LEAK_COMPONENTS];
    double each[LEAK_COMPONENTS];
    int n = components_of(b, t, blocks, c);
    for (int i = 0; i < n; i++)
        each[i] = c[i].log_e;
    return tare_log_mean_exp(each, n);
}

double leak_pair_log_e(const struct leak_test_set *b, int pair)
{
    return leak_tally_log_e(b, &b->tally[pair], b->n);
}

void leak_test_set_look(struct leak_test_set *b)
{
    double each[LEAK_PAIRS_MAX];
    b->worst = 0;
    for (int i = 0; i < b->pairs; i++) {
        each[i] = leak_pair_log_e(b, i);
        if (each[i] > each[b->worst])
            b->worst = i;
    }
    b->log_e = tare_log_mean_exp(each, b->pairs);
    b->most = fmax(b->most, b->log_e);
}
