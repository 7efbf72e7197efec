/* SPDX-License-Identifier: MIT
 *
 * The binomial distribution and Clopper and Pearson's exact interval of a share.
 *
 * P(X <= k) = I_{1-p}(n-k, k+1). The interval's ends solve P(X >= k | low) = level/2 and P(X <= k | high) = level/2; they are
 * sought on the logit scale, where both tails are smooth. Assumes independent trials of one probability.
 */
#include "stats_core.h"

double tare_binomial_cdf(ptrdiff_t k, ptrdiff_t n, double p)
{
    if (n < 0 || !(p >= 0 && p <= 1))
        return NAN;
    if (k < 0)
        return 0;
    if (k >= n)
        return 1;
    double lower, upper;
    stats_beta((double)(n - k), (double)k + 1, 1 - p, p, &lower, &upper, NULL);
    return lower;
}

struct end {
    double a, b, target;
};

/* ln of I_p(a, b) over the target, p = 1 / (1 + exp(-logit)). */
static double beta_excess(double logit, const void *context)
{
    const struct end *e = context;
    double lower, upper;
    stats_beta(e->a, e->b, 1 / (1 + exp(-logit)), 1 / (1 + exp(logit)), &lower, &upper, NULL);
    return lower > 0 ? log(lower / e->target) : -1e300;
}

/* ln(p / (1-p)) of the p with I_p(a, b) = target. */
static double beta_quantile_logit(double a, double b, double target)
{
    struct end e = {a, b, target};
    return stats_root(beta_excess, &e, -700, 700);
}

enum tare_status tare_binomial_ci_clopper_pearson(ptrdiff_t k, ptrdiff_t n, double level, struct tare_interval *out)
{
    *out = stats_no_interval(n, level);
    if (n < 0 || k < 0 || k > n || !stats_level_ok(level))
        return TARE_INVALID;
    out->point = n > 0 ? (double)k / (double)n : NAN;
    out->low = k == 0 ? 0 : 1 / (1 + exp(-beta_quantile_logit((double)k, (double)(n - k) + 1, level / 2)));
    out->high = k == n ? 1 : 1 / (1 + exp(beta_quantile_logit((double)(n - k), (double)k + 1, level / 2)));
    return TARE_OK;
}
