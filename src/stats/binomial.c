/* SPDX-License-Identifier: MIT
 *
 * The binomial distribution, Clopper and Pearson's exact interval of a share, and the exact interval of a quantile from order statistics.
 *
 * P(X <= k) = I_{1-p}(n-k, k+1). The interval's ends solve P(X >= k | low) = level/2 and P(X <= k | high) = level/2; they are
 * sought on the logit scale, where both tails are smooth. Assumes independent trials of one probability.
 *
 * Quantile: [x(l), x(u)], for of n independent values the number below the true quantile q is Bin(n, q), whatever the
 * distribution (Thompson 1936; Le Boudec, Performance Evaluation, 2010, theorem 2.1). Ties make it cover more. n = 0: no
 * value; n = 1: a value without interval; constant data: [x, x] once n allows an interval. That of the median, which needs no incomplete beta
 * function, is in median_ci.c.
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

/* The largest l in 0..n with P(Bin(n,q) <= l-1) <= limit; 0 = none. The probability grows with l, so halving finds it. */
static ptrdiff_t lower_rank(ptrdiff_t n, double q, double limit)
{
    ptrdiff_t good = 0, bad = n + 1;
    while (bad - good > 1) {
        ptrdiff_t l = good + (bad - good) / 2;
        if (tare_binomial_cdf(l - 1, n, q) <= limit * STATS_TIE)
            good = l;
        else
            bad = l;
    }
    return good;
}

enum tare_status tare_quantile_ci_binomial(const double *sorted, ptrdiff_t n, double q, double level, struct tare_interval *out)
{
    *out = stats_no_interval(n, level);
    if (n < 0 || !(q > 0 && q < 1) || !stats_level_ok(level) || !stats_sorted_ok(sorted, n))
        return TARE_INVALID;
    out->point = tare_quantile_sorted(sorted, n, q);
    ptrdiff_t l = lower_rank(n, q, level / 2);
    ptrdiff_t from_top = lower_rank(n, 1 - q, level / 2); /* the same seen from the largest value */
    if (l > 0)
        out->low = sorted[l - 1];
    if (from_top > 0)
        out->high = sorted[n - from_top];
    return TARE_OK;
}
