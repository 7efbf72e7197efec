/* SPDX-License-Identifier: MIT
 *
 * stats_core.h - what the files of src/stats share: checks of arguments, the incomplete beta function, a root finder, selection among pairs and slopes.
 */
#ifndef STATS_CORE_H
#define STATS_CORE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/stats_more.h>

#define STATS_PI  3.14159265358979323846
#define STATS_TIE (1 + 1e-12) /* discrete probabilities this close to their limit count as equal to it */

double stats_normal_density(double z);
bool stats_all_finite(const double *x, ptrdiff_t n);
bool stats_level_ok(double level);
/* An interval without value: point NaN, ends unbounded. */
struct tare_interval stats_no_interval(ptrdiff_t n, double level);
/* Ascending and free of NaN and infinity. */
bool stats_sorted_ok(const double *x, ptrdiff_t n);
/* Median of ascending data. */
double stats_median_sorted(const double *sorted, ptrdiff_t n);
double stats_middle_of_three(double a, double b, double c);
/* tare_quantile_sorted of finite values in any order, which are put into another one: by selection, in linear time. */
double stats_quantile_of(double *x, ptrdiff_t n, double q);
/* x[k] becomes the k-th smallest, 0 <= k < n, with no larger ones before it and no smaller ones behind. Values are finite. */
void stats_select(double *x, ptrdiff_t n, ptrdiff_t k);

/* Regularised incomplete beta function I_x(a, b) and its complement, each in full relative precision. y = 1 - x is given
 * because the caller often knows it better than the subtraction does. a, b > 0. *density, when not NULL, becomes
 * x^a y^b / B(a, b). */
void stats_beta(double a, double b, double x, double y, double *lower, double *upper, double *density);

/* ln I_x(a, b), also where it underflows, and x^a y^b / B(a, b) over it. For x (a + b + 2) <= a + 1. */
double stats_beta_log_lower(double a, double b, double x, double y, double *slope);

/* Parts of its logarithm that do not cancel: ln Gamma(z+1) - (z + 1/2) ln z + z - ln(2 pi)/2 for z > 0, and a ln(a/m) + m - a, also
 * where a is near m. */
double stats_stirling_error(double z);
double stats_deviance(double a, double m);

/* Sorts points by x, those of equal x by y. spare: n. (slope.c) */
struct stats_point {
    double x, y;
};
void stats_sort_points(struct stats_point *p, struct stats_point *spare, ptrdiff_t n);

/* The double in the middle between two when all doubles are counted; lo where they are neighbours. */
double stats_middle_double(double lo, double hi);

/* A power of two by which data are multiplied where they are so large or small that squares or sums leave the range of a double; 1 for others
 * (largest size from 2^-200 to 2^200). 1 for no data and all 0. */
double stats_unit(const double *x, ptrdiff_t n);
/* The same where nothing is squared: the largest becomes 2^400 at most, so that small values beside it keep their digits. */
double stats_unit_of_sums(const double *x, ptrdiff_t n);
/* A quarter where differences could overflow, else 1: where nothing is squared, small values beside large ones keep their digits. */
double stats_unit_of_differences(const double *x, ptrdiff_t n);
/* One unit for both. */
double stats_unit_of_two(const double *x, ptrdiff_t n, const double *y, ptrdiff_t m);
/* value / unit; what no double holds is infinite. */
double stats_in_unit(double value, double unit);
/* Mean of the values times unit. n > 0. */
double stats_mean_in_unit(const double *x, ptrdiff_t n, double unit);
/* Mean and standard deviation (n - 1) of the values times unit; sd NaN for n = 1. */
struct stats_spread {
    double mean, sd, unit;
};
struct stats_spread stats_spread(const double *x, ptrdiff_t n, double unit);
/* value; NaN where it is infinite. */
double stats_finite(double value);
/* An interval whose estimates were made of values times unit, in their own scale; a point that no double holds is NaN. */
void stats_interval_in_unit(struct tare_interval *interval, double unit);

/* Stretches of ascending values that are sparser than what is beside them (two_modes.c): the one with the largest value. step: what the values were rounded
 * to. one_side: the larger of both sides' values counts, not the smaller. */
struct stats_valleys {
    const double *sorted;
    ptrdiff_t n;
    double step;
    bool one_side;
};
struct stats_valley {
    double value; /* logarithm of a likelihood ratio; -INFINITY: none is sparser */
    ptrdiff_t first, last;
};
struct stats_valley stats_deepest_valley(const struct stats_valleys *v);

/* Root of f between lo and hi, where f has opposite signs (or is 0), to the last bits of the argument.
 * Chandrupatla's method (1997): inverse quadratic steps where they are safe, else halving; at most 200 calls. */
double stats_root(double (*f)(double, const void *), const void *context, double lo, double hi);

/* P(V <= s) for a symmetric sum V of independent parts with these mean and cumulants, by Edgeworth's expansion to the third
 * order. For lattice sums, s lies halfway between two values. */
struct stats_cumulants {
    double mean, k2, k4, k6, k8;
};
double stats_edgeworth_cdf(double s, const struct stats_cumulants *c);
/* How many integers s from 0 to `most` have a law at s + 1/2 of at most `limit`. */
int64_t stats_edgeworth_k(const struct stats_cumulants *c, int64_t most, double limit);

/* ---- pairs_select.c ----
 *
 * The k-th smallest of all values made from pairs (sums, differences), without making them all.
 *
 *     struct stats_pairs p = {count, list, context, n_pairs, room, least, largest};
 *     double median = stats_pairs_select(&p, n_pairs / 2 + 1, list);
 *
 * The k-th is bracketed between two doubles by counts, halving the distance first by value, and, where that does not get on (heavy
 * ties, far outliers), halving the number of doubles between them, which ends after at most 64 steps whatever the data. As soon as
 * at most `room` of the values lie in the bracket they are listed and sorted. Rounding must keep the order (sums and
 * differences do), so the result is the k-th of the full rounded list, bit for bit.
 */

struct stats_pairs {
    int64_t (*count_upto)(const void *context, double x); /* values <= x */
    /* Lists those with above < value <= upto, at most `room` when called; returns how many. */
    ptrdiff_t (*list_between)(const void *context, double above, double upto, double *list);
    const void *context;
    int64_t n; /* of pairs: more than a pointer counts where it has 32 bits */
    ptrdiff_t room;
    double least, largest; /* of all values */
};

/* 1 <= k <= n. list: `room` doubles. */
double stats_pairs_select(const struct stats_pairs *p, int64_t k, double *list);

/* ---- slope_select.c ----
 *
 * Any one of the slopes of all pairs of points, without making them all.
 *
 *     struct stats_slopes s = {.y = y, .stride = 1, .n = n, .y_unit = 1, .residuals = room, .spare = room + n,
 *                              .pairs = n (n-1)/2, .least = a, .most = b};
 *     double median = stats_median_slope(&s);
 *
 * Sorted by x and then y, a pair has a slope below b exactly when it falls in y - b x, so a count of falling pairs while merge-sorting
 * (Knight 1966) tells how many slopes lie below b. A search over b by secants ends when the k-th is the only one between two b, and computes that from its two
 * points; of equal slopes it goes on to the last bit that the rounding of y - b x allows. O(n log n) a count, about 20 counts, some 120 at most. Of up to 48 points the slopes
 * are listed and selected from, on 9 KB of stack: the result is then that of the sorted list, to the last bit.
 */

struct stats_slopes {
    const double *x, *y; /* sorted by x, then y, each read at steps of `stride`; x NULL: 0, 1, 2 ... */
    ptrdiff_t stride, n;
    double y_unit;             /* y is multiplied by it: a power of two, so that nothing overflows */
    double *residuals, *spare; /* n each */
    int64_t pairs;             /* with x that differ */
    double least, most;        /* bounds of all slopes, in these units */
};

/* Sorts x ascending with the help of spare (n each) and returns the number of pairs i < j with x[i] > x[j]. */
int64_t stats_count_falling(double *x, double *spare, ptrdiff_t n);

/* The k-th smallest slope, 1 <= k <= pairs; and the median: the mean of the two middle ones where pairs is even. */
double stats_slope_number(const struct stats_slopes *s, int64_t k);
double stats_median_slope(const struct stats_slopes *s);

#endif
