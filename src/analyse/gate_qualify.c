/* SPDX-License-Identifier: MIT
 *
 * False positives: gates of base against base that failed, with the exact limits of Clopper and Pearson (1934).
 *
 * Layout: two builds of one source differ where code comes to lie elsewhere, and fresh processes do not draw that anew, so that the confirmation confirms it.
 * Gates of base against base, each of two builds of their own, are exchangeable with the next one whose change does nothing: its largest confirmed lower
 * bound is above the largest of all N with probability 1 / (N + 1) at most, whatever the law of the layout and of the noise. A FAIL that must exceed this
 * is wrong at most so often: 19 gates for 5 %. It holds for the same benchmarks, budget and machine, and for builds that differ no less than those of a
 * change do.
 *
 * Smallest slowdown seen: the share named is taken to rise with the planted slowdown (pool-adjacent-violators, Ayer et al. 1955); the smallest planted one whose share
 * is 9 in 10 or more, with exact limits from the trials pooled there. Nothing is interpolated. Smallest numbers: any; of 10 trials 9 have the limits 55 to 99.7 %.
 */
#include "gate_answer.h"
#include <math.h>
#include <stdlib.h>

static const double LEVEL = .05, OFTEN = .9;

struct planted {
    double size;
    int named, n;
};

static int by_size(const void *a, const void *b)
{
    const double x = ((const struct planted *)a)->size, y = ((const struct planted *)b)->size;
    return x < y ? -1 : x > y;
}

/* One entry a size, ascending. */
static int count_sizes(const struct gate_trial *t, int n, struct planted *out)
{
    int sizes = 0;
    for (int i = 0; i < n; i++) {
        if (!(t[i].planted > 0) || t[i].verdict == GATE_NO_RESULT)
            continue;
        int k = 0;
        while (k < sizes && out[k].size != t[i].planted)
            k++;
        if (k == sizes)
            out[sizes++] = (struct planted){.size = t[i].planted};
        out[k].named += t[i].named;
        out[k].n++;
    }
    qsort(out, (size_t)sizes, sizeof *out, by_size);
    return sizes;
}

static bool falls(const struct planted *a, const struct planted *b)
{
    return (double)a->named * b->n > (double)b->named * a->n;
}

/* Pools neighbours until shares rise; the pool has its smallest size. */
static int pool(struct planted *p, int n)
{
    int last = 0;
    for (int i = 1; i < n; i++) {
        p[++last] = p[i];
        for (; last > 0 && falls(&p[last - 1], &p[last]); last--) {
            p[last - 1].named += p[last].named;
            p[last - 1].n += p[last].n;
        }
    }
    return n ? last + 1 : 0;
}

static void find_seen(const struct gate_trial *t, int n, struct gate_qualified *out)
{
    struct planted *p = malloc((size_t)n * sizeof *p + 1);
    const int sizes = p ? pool(p, count_sizes(t, n, p)) : 0;
    for (int i = 0; i < sizes && isnan(out->seen); i++) {
        if (p[i].named < OFTEN * p[i].n)
            continue;
        out->seen = p[i].size;
        out->seen_named = p[i].named;
        out->seen_n = p[i].n;
        tare_binomial_ci_clopper_pearson(p[i].named, p[i].n, LEVEL, &out->seen_share);
    }
    free(p);
}

void gate_qualify(const struct gate_trial *t, int n, struct gate_qualified *out)
{
    *out = (struct gate_qualified){.seen = NAN};
    for (int i = 0; i < n; i++) {
        if (t[i].planted > 0 || t[i].verdict == GATE_NO_RESULT)
            continue;
        out->equal++;
        out->failed += t[i].verdict == GATE_FAIL;
        out->passed += t[i].verdict == GATE_PASS;
        out->undecided += t[i].verdict == GATE_CANNOT_TELL;
        out->layout = fmax(out->layout, t[i].largest);
    }
    out->exceeded = 1. / (out->equal + 1);
    tare_binomial_ci_clopper_pearson(out->failed, out->equal, LEVEL, &out->false_positive);
    find_seen(t, n, out);
}
