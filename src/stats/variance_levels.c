/* SPDX-License-Identifier: MIT
 *
 * Two levels of repetition: processes, and samples within each. Kalibera and Jones ("Rigorous benchmarking in reasonable time", 2013).
 *
 *   S1^2  mean of the unbiased variances within the groups          T1^2 = S1^2
 *   S2^2  unbiased variance of the group means                      T2^2 = S2^2 - mean(s_i^2 / r_i), at least 0
 *   best number of samples in a group, where one costs c1 and a group c2 besides:  ceil(sqrt(c2/c1 * T1^2/T2^2))
 *
 * For groups of equal size T2^2 is the paper's S2^2 - S1^2/r; with unequal ones each mean has its own share taken out. Assumes samples
 * that are independent within a group: where neighbours are alike T1^2/r is too small and T2^2 too large, the safe side for an advice
 * to make more groups. A group of one sample has no variance within and counts for S2^2 alone. Fewer than two groups: no T2^2; none of
 * two samples: no T1^2. Constant data: both 0. NaN: TARE_INVALID.
 */
#include "stats_core.h"

enum tare_status tare_two_levels(const double *x, const ptrdiff_t *sizes, ptrdiff_t groups, struct tare_levels *out)
{
    *out = (struct tare_levels){.mean = NAN, .within = NAN, .between = NAN, .of_means = NAN};
    struct tare_moments means = {0}, within = {0}, shares = {0};
    for (ptrdiff_t g = 0; g < groups; x += sizes[g++]) {
        if (sizes[g] < 1 || !stats_all_finite(x, sizes[g]))
            return TARE_INVALID;
        out->n += sizes[g];
        tare_moments_add(&means, tare_mean(x, sizes[g]));
        if (sizes[g] < 2)
            continue;
        double sd = tare_stddev(x, sizes[g]);
        tare_moments_add(&within, sd * sd);
        tare_moments_add(&shares, sd * sd / (double)sizes[g]);
    }
    if (groups < 0)
        return TARE_INVALID;
    out->groups = groups;
    out->mean = tare_moments_mean(&means);
    out->within = tare_moments_mean(&within);
    out->of_means = tare_moments_variance(&means);
    const double excess = out->of_means - tare_moments_mean(&shares); /* NaN where either is not known */
    out->between = excess < 0 ? 0 : excess;
    return TARE_OK;
}

double tare_two_levels_best(const struct tare_levels *l, double cost_within, double cost_between)
{
    if (!(cost_within > 0) || !(cost_between >= 0) || isnan(l->within) || isnan(l->between))
        return NAN;
    if (l->within == 0)
        return 1;
    return l->between > 0 ? fmax(1, ceil(sqrt(cost_between / cost_within * l->within / l->between))) : INFINITY;
}
