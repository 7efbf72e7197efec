/* SPDX-License-Identifier: MIT
 *
 * tare/stats.h - estimators, intervals and tests on plain arrays: the mathematics behind every number that tare prints.
 *
 *     double d[30];                                          // ln(tB / tA) of 30 pairs
 *     struct tare_interval shift;
 *     void *scratch = malloc(tare_hl_scratch_bytes(30));
 *     if (tare_hl_ci_walsh(d, 30, 0.05, scratch, &shift) == TARE_OK)
 *         printf("ratio %.4f [%.4f, %.4f]\n", exp(shift.point), exp(shift.low), exp(shift.high));
 *     free(scratch);
 *
 * What it does not do: read clocks or files, print, allocate, keep state, round, or decide. It makes no word of a number.
 *
 * Rules that hold for every call:
 *   - pure: the result depends on the arguments alone; may be called from any thread at any time
 *   - data and scratch belong to the caller; const data are not changed; scratch needs the alignment of malloc, its content
 *     before and after means nothing; its size is said beside each call
 *   - n counts values; negative n is TARE_INVALID (NaN from calls that return a double)
 *   - data must be finite: NaN or infinity in them is TARE_INVALID (NaN from calls that return a double, except tare_sort)
 *   - no size of data overflows or underflows within a call: data times a power of two give the result times that power, exactly, from
 *     denormals to 1e308. Exceptions: running moments and tare_two_levels, which return variances
 *   - a result beyond the largest double is NaN; an end of an interval beyond it is unbounded
 *   - `level` is the two-sided error of an interval, from 1e-280 to below 1: 0.05 for a 95 % interval; outside: TARE_INVALID
 *   - too few data are no error: the status is TARE_OK, the interval is unbounded, the point is NaN when it has no value
 *   - after TARE_INVALID the point is NaN and the interval unbounded
 *   - a discrete probability that equals its limit to within 1e-12 relative counts as equal (so exact fractions, such as
 *     1/64 at n = 6, do not depend on rounding)
 */
#ifndef TARE_STATS_H
#define TARE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An estimate with its confidence interval. Unbounded ends are -INFINITY and +INFINITY: at this n and level no interval
 * exists. point NaN: no value. */
struct tare_interval {
    double point, low, high;
    double level; /* the two-sided error that was asked for */
    ptrdiff_t n;  /* values (or pairs) behind it */
};

/* ---- one sample: location, spread, order ---- */

/* Arithmetic mean, corrected by the mean of the residuals. Unit of x. NaN for n = 0. */
double tare_mean(const double *x, ptrdiff_t n);

/* Standard deviation, n - 1 in the denominator, corrected two-pass algorithm. NaN for n < 2. Constant data: 0. */
double tare_stddev(const double *x, ptrdiff_t n);

/* Sorts ascending, in place, no memory, O(n log n) in the worst case (introsort). Infinities are sorted as values,
 * -0 and 0 count as equal, NaN go to the end. Not stable. */
void tare_sort(double *x, ptrdiff_t n);

/* Sample quantile of ascending data: linear interpolation between order statistics at (n - 1) q, Hyndman and Fan's type 7
 * (the default of R and numpy). q in [0, 1]; q = .5 is the usual median. Exact on ties. NaN for n = 0, a q outside,
 * and data that are not finite at their ends, where tare_sort puts infinities and NaN. */
double tare_quantile_sorted(const double *sorted, ptrdiff_t n, double q);

/* Median absolute deviation about the median, raw: for normal data multiply by 1.4826 to estimate the standard deviation.
 * scratch: n doubles. NaN for n = 0. 0 when more than half of the values are equal. */
double tare_mad(const double *x, ptrdiff_t n, double *scratch);

/* Running moments by Welford's recurrence, for data that are not kept; merge by Chan, Golub and LeVeque. A zeroed struct is
 * empty. Values must be finite; a NaN added stays. The variance needs |x| within 1e-150 to 1e150: it is NaN where it is
 * beyond the largest double, and 0 where it is below the least. */
struct tare_moments {
    ptrdiff_t n;
    double mean, m2; /* m2: sum of squared deviations from the mean */
};
void tare_moments_add(struct tare_moments *m, double x);
void tare_moments_merge(struct tare_moments *into, const struct tare_moments *from);
double tare_moments_mean(const struct tare_moments *m);     /* NaN for n = 0 */
double tare_moments_variance(const struct tare_moments *m); /* n - 1 in the denominator; NaN for n < 2 */

/* exp(mean(ln x)): a summary of ratios over several benchmarks, to be labelled as such. All x > 0, else NaN; NaN for n = 0. */
double tare_geometric_mean(const double *x, ptrdiff_t n);

/* ---- distributions ---- */

/* Tails are computed as tails: tare_normal_cdf(-8) is 6.2e-16 in full relative precision, and 1 - p is tare_x_cdf(-z). */
double tare_normal_cdf(double z);
/* z with tare_normal_cdf(z) = p. p = 0 gives -INFINITY, 1 +INFINITY; outside [0, 1] NaN. */
double tare_normal_quantile(double p);
/* Student's t with df >= .5 degrees of freedom, not necessarily whole; df = INFINITY is the normal. NaN for a smaller df. */
double tare_student_cdf(double t, double df);
/* t with tare_student_cdf(t, df) = p, to 1e-12 relative, down to the least p; NaN where t is beyond the largest double. p = 0 gives -INFINITY, 1 +INFINITY; else NaN outside. */
double tare_student_quantile(double p, double df);
/* P(at most k successes in n trials of probability p). k < 0: 0. k >= n: 1. NaN for n < 0 or p outside [0, 1]. */
double tare_binomial_cdf(ptrdiff_t k, ptrdiff_t n, double p);

/* ---- intervals from one sample ---- */

/* Share k/n with the exact interval of Clopper and Pearson (1934): it covers with at least 1 - level, usually more.
 * k = 0: low = 0. k = n: high = 1. n = 0: point NaN, [0, 1]. TARE_INVALID: k outside 0..n. */
enum tare_status tare_binomial_ci_clopper_pearson(ptrdiff_t k, ptrdiff_t n, double level, struct tare_interval *out);

/* Mean with Student's t interval. Assumes independent values and a mean that is near normal: not true for correlated or
 * spiky timings. Unbounded for n < 2. Constant data: [x, x]. */
enum tare_status tare_mean_ci_student(const double *x, ptrdiff_t n, double level, struct tare_interval *out);

/* Quantile q (0 < q < 1) of the distribution that the data come from, with the exact distribution-free interval of two order
 * statistics, level/2 at each side: [x(l), x(u)], l the largest with P(Bin(n,q) <= l-1) <= level/2, u the smallest with
 * P(Bin(n,q) >= u) <= level/2. The ends are found independently: one may be unbounded while the other is not. Assumes
 * independent values; ties make it cover more. point is type 7. A two-sided 95 % interval needs n >= 6 for the median, 36
 * for q = .9, 368 for q = .99. `sorted` must be ascending (else TARE_INVALID). */
enum tare_status tare_quantile_ci_binomial(const double *sorted, ptrdiff_t n, double q, double level, struct tare_interval *out);
/* The same for q = .5. */
enum tare_status tare_median_ci_binomial(const double *sorted, ptrdiff_t n, double level, struct tare_interval *out);

/* ---- paired differences: Hodges-Lehmann and Wilcoxon's signed ranks ---- */

/* Bytes of scratch for the three calls that follow, with n or fewer data: at most 16 n + 161 KB. 0 for n <= 0; SIZE_MAX, which no
 * malloc gives, where the number overflows. */
size_t tare_hl_scratch_bytes(ptrdiff_t n);

/* Hodges and Lehmann's shift (1963) of the n differences d: the median of the M = n(n+1)/2 Walsh averages (d_i + d_j)/2,
 * i <= j, with the interval [W(k), W(M+1-k)] that inverts the signed-rank test, k = tare_signed_rank_k(n, level).
 * Under coin-ordered pairs the test is exact for whatever noise; away from a shift of 0 coverage needs d near-symmetric about
 * the shift. Unbounded while n < 1 + log2(1/level): 6 at .05, 8 at .01, 11 at .001. Ties make it cover more; all d equal:
 * [d, d]. The order statistics are found by selection on the sorted sums: O(n log n) time, O(n) memory; the result is
 * what the full list would give. */
enum tare_status tare_hl_ci_walsh(const double *d, ptrdiff_t n, double level, void *scratch, struct tare_interval *out);

/* The k of that interval: 1 + the largest s with P(V <= s) <= level/2, V the signed-rank statistic; 0 = no interval exists
 * at this n. Exact for n <= 200, beyond by Edgeworth's expansion, within one of exact. 0 also for a bad n or level. */
int64_t tare_signed_rank_k(ptrdiff_t n, double level, void *scratch);

/* Wilcoxon's signed-rank test of "d is symmetric about 0", two-sided. v is the sum of the ranks of the positive d; ties get
 * midranks; zeros are ranked and then left out (Pratt 1959). p is exact, conditional on the ties and zeros seen, for
 * n <= 200; beyond by Edgeworth's expansion with continuity correction. No data or all zero: v = 0, p = 1. */
enum tare_status tare_signed_rank_test(const double *d, ptrdiff_t n, void *scratch, double *v, double *p);

/* ---- two samples, two variables ---- */

/* Wilcoxon's rank-sum test of "x and y are of one law", two-sided: z > 0 where x tends to be larger. Ties get midranks; normal with
 * continuity correction, fair from 8 values on each side. u counts the pairs with x above y, ties by half. A side without
 * values, or all values equal: z = 0, p = 1. */
struct tare_rank_sum {
    double u, z, p;
};
/* scratch: n + m doubles. O(n log n). */
enum tare_status tare_rank_sum_test(const double *x, ptrdiff_t n, const double *y, ptrdiff_t m, double *scratch,
                                    struct tare_rank_sum *out);

/* Bytes of scratch for the two calls that follow, with n and m or fewer data: at most 16 (n + m) + 510 KB. 0 when a side is empty,
 * SIZE_MAX where the number overflows. */
size_t tare_shift_scratch_bytes(ptrdiff_t n, ptrdiff_t m);

/* Hodges and Lehmann's shift (1963) of y against x, two samples that were not paired: the median of the n m differences
 * y[j] - x[i], with the interval [D(k), D(nm+1-k)] that inverts the test of Mann and Whitney, k = tare_mann_whitney_k.
 * Assumes independent values and equal shapes: laws that differ by a shift alone. What drifted between the two samples is part of
 * the shift. Unbounded while 2/C(n+m, n) > level: 4 and 4 at .05, 5 and 5 at .01. Ties make it cover more; all differences equal:
 * [d, d]. out->n is the smaller of n and m. By selection: O((n + m) log(n + m)) time. TARE_INVALID too when a difference overflows. */
enum tare_status tare_shift_ci_mann_whitney(const double *x, ptrdiff_t n, const double *y, ptrdiff_t m, double level,
                                            void *scratch, struct tare_interval *out);

/* Difference of two means, y less x, with the interval of Welch (1947): Student's t with the degrees of freedom of Satterthwaite, so that the
 * two laws may scatter differently. Assumes independent values and near-normal means. Unbounded for n or m < 2. Both constant: [d, d].
 * out->n is the smaller of n and m. */
enum tare_status tare_shift_ci_welch(const double *x, ptrdiff_t n, const double *y, ptrdiff_t m, double level,
                                     struct tare_interval *out);

/* The k of the interval of Mann and Whitney: 1 + the largest u with P(U <= u) <= level/2; 0 = no interval exists, or a bad n, m or level. Exact for
 * n, m <= 50 (and for up to 9 against up to 400), beyond by Edgeworth's expansion. */
int64_t tare_mann_whitney_k(ptrdiff_t n, ptrdiff_t m, double level, void *scratch);

/* Slope of y over x: Theil and Sen's (1968) median of the slopes of all pairs, with the interval that inverts Kendall's test
 * (normal, ties in x counted). Robust: a fourth of the points may be anywhere. Assumes that what is left of y is independent of x and
 * of each other; an x that is itself measured with errors draws the slope towards 0. Unbounded below n = 5 at a level of .05; point
 * NaN for n < 2 or when all x are equal. Exponents of power laws: hand in logarithms of both.
 * scratch: 4 n doubles. O(n log n) time, some fifty sorts. Ends and point as of the full list to the last bit for n <= 48,
 * beyond to the rounding of y - slope x. */
enum tare_status tare_slope_ci_kendall(const double *x, const double *y, ptrdiff_t n, double level, double *scratch,
                                       struct tare_interval *out);

/* ---- ratio of two means ---- */

/* mean(y) / mean(x) of n pairs with Fieller's interval (1954), Student's t with n - 1 degrees of freedom. Assumes pairs that are
 * independent of each other and means that are near normal. Unbounded for n < 2, and when the mean of x is not distinct from
 * 0 at this level (no finite interval exists then). point NaN when mean(x) = 0. */
enum tare_status tare_ratio_ci_fieller(const double *x, const double *y, ptrdiff_t n, double level, struct tare_interval *out);

/* ---- group sequential looks ---- */

/* The per-look two-sided level, the same at each look (Pocock 1977), so that testing at n_at[0] < n_at[1] < ... < n_at[k-1]
 * data gives a false alarm with probability alpha in all. Numerical recursion over the joint normal law of the looks
 * (Armitage, McPherson and Rowe 1969) for exactly this schedule, to 1e-8. k = 1 gives alpha. A few milliseconds for k = 12.
 * Looks that lie closer than about n/10000 are taken as that far apart: the level is then on the safe side.
 * alpha below 1e-6: alpha / k (Bonferroni), since the recursion has too few digits there. Uses about 40 KB of stack. TARE_INVALID: k < 1, n_at not positive and strictly ascending, alpha outside (0, 1). */
enum tare_status tare_looks_level(const int *n_at, int k, double alpha, double *level);

/* How the error is spent over a session whose looks are not fixed before (Lan & DeMets 1983), two-sided, as a function of the share of the session
 * that is used:
 *     O'Brien-Fleming-like    4 - 4 Phi(z / sqrt(share)), z the upper alpha/4 quantile: next to nothing early
 *     Pocock-like             alpha ln(1 + (e - 1) share)
 *     power                   alpha share^exponent (Kim & DeMets 1987); small exponents spend early */
enum tare_spending { TARE_SPEND_OBRIEN_FLEMING, TARE_SPEND_POCOCK, TARE_SPEND_POWER };

/* The error that may be spent until this share of the session: 0 at 0, alpha at 1. NaN: a share outside [0, 1], alpha outside (0, 1), an exponent
 * (read by the power family alone) outside (0, 1000]. What is spent between two shares grows with alpha (O'Brien-Fleming: up to .6). */
double tare_spending(enum tare_spending family, double exponent, double share, double alpha);

/* The two-sided level of the last of k looks at n_at[0] < ... < n_at[k-1] data, of which look i may have spent spent[i] of the error with all before
 * it: the recursion over the joint normal law of the looks (Armitage, McPherson and Rowe 1969) for the looks that were made, each at its own
 * level. What is spent, and n_at, must be fixed before the look's data are read. A false alarm has probability spent[k-1] at most; never less than
 * spent[k-1] - spent[k-2], and spent[0] where k = 1. 0: nothing was left to spend, no interval. Nested: where each increment is larger, so is
 * the level. To 1e-8 relative for increments from 1e-12; where spent[k-1] < 1e-6 the increment itself (Bonferroni). Looks that lie closer than
 * about n/800 are taken as that far apart, to the safe side. Under a millisecond for k = 12, more where many looks are close; 40 KB of stack. TARE_INVALID, level NaN: k < 1, n_at
 * not positive and strictly ascending, spent negative, falling, 1 or more, NaN. */
enum tare_status tare_looks_spent(const int *n_at, const double *spent, int k, double *level);

/* ---- checks of one series: what makes the figures above doubtful. They describe; nothing is dropped because of them ---- */

/* Autocorrelation at lag 1 by NIST's definition, sum (x[i]-m)(x[i+1]-m) / sum (x[i]-m)^2: from -1 to 1, about -1/n for
 * independent values. NaN for n < 2 and for constant data. */
double tare_lag1_autocorrelation(const double *x, ptrdiff_t n);

/* Is a value like the one before it? Of ranks, so that a few outliers hide nothing. */
struct tare_dependence {
    double r, r_ranks;  /* lag-1 autocorrelation of the values and of their midranks; NaN: constant or n < 2 */
    double threshold;   /* max(.2, 2/sqrt(n)): r_ranks above it deserves a warning */
    double n_effective; /* n (1-r)/(1+r) for r_ranks with its bias corrected, r + (1+3r)/n; between 1 and n: negative correlation
                         * is not counted as extra information. n where r is NaN. Blind to dependence over long ranges */
};
/* x in the order in which it was measured. scratch: 2 n doubles. */
enum tare_status tare_serial_dependence(const double *x, ptrdiff_t n, double *scratch, struct tare_dependence *out);

/* Mann and Kendall's test of trend against order, ties corrected, normal with continuity correction (fair from n = 10 on).
 * Autocorrelation makes it reject too often: read it beside tare_serial_dependence. */
struct tare_trend {
    double s;    /* rising pairs minus falling pairs */
    double z, p; /* two-sided; z = 0, p = 1 for n < 3 or constant data */
    /* Theil and Sen's: median of the slopes of all pairs, of an even number the mean of the two middle ones; unit of x per step; NaN for
     * n < 2. That of the full list to the last bit for n <= 48, beyond to the rounding of x[i] - slope i. */
    double slope;
};
/* scratch: 2 n doubles. O(n log n) time, some thirty sorts for the slope. */
enum tare_status tare_mann_kendall(const double *x, ptrdiff_t n, double *scratch, struct tare_trend *out);

/* Counts of values far from the median, in robust standard deviations. */
enum tare_scale {
    TARE_SCALE_MAD,      /* 1.4826 times the median absolute deviation */
    TARE_SCALE_IQR,      /* more than half of the values are equal: interquartile range / 1.3490 */
    TARE_SCALE_QUANTISED /* that is 0 as well: no spread can be measured and nothing is counted */
};
struct tare_outliers {
    double median, sd; /* sd: robust, 0 when quantised */
    enum tare_scale scale;
    ptrdiff_t mild, severe; /* more than 5 and more than 10 sd above the median; mild includes severe */
    ptrdiff_t low;          /* more than 5 sd below it */
};
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* in C++ it names the struct's constructor too */
#endif
/* scratch: n doubles. median NaN for n = 0. Two modes inflate the scale and hide outliers. */
enum tare_status tare_outliers(const double *x, ptrdiff_t n, double *scratch, struct tare_outliers *out);
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

/* Do the values have two modes? Sought is a valley between two groups of a tenth of the values, and three, at least: a stretch that is sparser than
 * one on its left and one on its right by more than any distribution with one mode explains, whatever its shape. Rounding to a
 * step of any size makes no modes. Assumes independent values: slow changes between regimes show as two modes too. */
struct tare_modes {
    double ratio;    /* likelihood ratio for the deepest valley beside its denser sides; 0: there is none. NaN for n < 6 */
    double critical; /* above it: of 100 samples with one mode 5 at most, whatever their shape, and fewer than 1 of usual ones */
    ptrdiff_t low_n, high_n; /* sizes of the groups on both sides of the valley's widest gap; 0 where there is none */
    double low, high; /* where the values of either group are densest: the median of the shortest stretch with half of them */
    double gap;       /* the middle of the widest gap; these three are NaN where there is none */
};
/* scratch: n doubles. O(n log n) time. Two modes deserve a warning when ratio > critical. */
enum tare_status tare_two_modes(const double *x, ptrdiff_t n, double *scratch, struct tare_modes *out);

/* Is one side of n pairs oftener slow? The pairs of which exactly one member lies above the 90th percentile of all 2n values
 * are counted; under the coin each is a fair toss. Exact; it has some power from 100 pairs on. */
struct tare_tail {
    double threshold; /* that percentile; NaN for n = 0 */
    ptrdiff_t a_only, b_only;
    double p; /* two-sided sign test; 1 when there are no such pairs */
};
/* a[i] and b[i] are one pair. scratch: 2 n doubles. */
enum tare_status tare_tail_sign_test(const double *a, const double *b, ptrdiff_t n, double *scratch, struct tare_tail *out);

#ifdef __cplusplus
}
#endif
#endif
