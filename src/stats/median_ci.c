/* SPDX-License-Identifier: MIT
 *
 * The exact interval of the median from order statistics: that of binomial.c at q = 1/2, where both ends have one rank and the binomial distribution is summed
 * directly, so that who wants medians alone carries no incomplete beta function. Measured programs do.
 *
 * Ranks: the largest l with P(Bin(n, 1/2) <= l - 1) <= level/2. Terms are taken relative to the central one, C(n, k) / C(n, n/2), from where they are too
 * small to matter upwards, all positive: a relative error of some ulps, and about 20 sqrt(n) steps. Smallest n, ties, constants: as there.
 */
#include "stats_core.h"

static const double NOTHING = 1e-280;

/* Sum of all terms; *first, *term: the lowest k whose term matters, and that term. */
static double sum_of_terms(ptrdiff_t n, ptrdiff_t *first, double *term)
{
    const ptrdiff_t middle = n / 2;
    double t = 1, half = 1;
    ptrdiff_t k = middle;
    while (k > 0 && t > NOTHING) {
        t *= (double)k / (double)(n - k + 1);
        half += t;
        k--;
    }
    *first = k;
    *term = t;
    return n % 2 ? 2 * half : 2 * half - 1;
}

static ptrdiff_t rank_of_median(ptrdiff_t n, double limit)
{
    ptrdiff_t k;
    double term, all = sum_of_terms(n, &k, &term), below = term;
    if (n < 1 || below > limit * STATS_TIE * all)
        return 0;
    while (k < n) {
        term *= (double)(n - k) / (double)(k + 1);
        if (below + term > limit * STATS_TIE * all)
            break;
        below += term;
        k++;
    }
    return k + 1;
}

enum tare_status tare_median_ci_binomial(const double *sorted, ptrdiff_t n, double level, struct tare_interval *out)
{
    *out = stats_no_interval(n, level);
    if (n < 0 || !stats_level_ok(level) || !stats_sorted_ok(sorted, n))
        return TARE_INVALID;
    out->point = tare_quantile_sorted(sorted, n, 0.5);
    const ptrdiff_t rank = rank_of_median(n, level / 2);
    if (rank > 0) {
        out->low = sorted[rank - 1];
        out->high = sorted[n - rank];
    }
    return TARE_OK;
}
