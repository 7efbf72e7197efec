/* SPDX-License-Identifier: MIT
 *
 * stats_beyond.h - estimators that tare uses beyond those of <tare/stats.h>, with the same errors. Pure; no memory. Each file that is named has the
 * formulas, sources, assumptions and smallest n.
 */
#ifndef STATS_BEYOND_H
#define STATS_BEYOND_H

#include <stdbool.h>
#include <tare/stats.h>

/* ---- series.c ----
 *
 * What a series' order tells, without what the caller has or may not need: tare_mann_kendall in two steps, as the slope takes most of the
 * time, and tare_serial_dependence of values that are at hand sorted as well.
 *
 *     if (!stats_trend_test(x, n, scratch, &t) && t.p < .01)
 *         slope = stats_trend_slope(x, n, scratch);
 */

/* out->slope NaN; else as tare_mann_kendall, scratch too. */
enum tare_status stats_trend_test(const double *x, ptrdiff_t n, double *scratch, struct tare_trend *out);
double stats_trend_slope(const double *x, ptrdiff_t n, double *scratch); /* of finite values, n > 1 */

/* sorted: x, ascending. most: of more neighbours so many pairs, one drawn from each stretch, give r_ranks, as finding a rank in very many values takes long. */
enum { STATS_NEIGHBOURS = 20000 };
enum tare_status stats_serial_dependence(const double *x, const double *sorted, ptrdiff_t n, ptrdiff_t most,
                                         struct tare_dependence *out);

/* ---- walsh.c ----
 *
 * For tare_hl_ci_walsh of many samples of one size: its rank follows from n and the level alone, and takes longer to find than the rest.
 *
 *     const int64_t k = tare_signed_rank_k(n, level, scratch);
 *     for (int i = 0; i < 100; i++)
 *         stats_hl_ci_of_rank(d[i], n, level, k, scratch, &shift[i]);
 */

/* scratch: 2 n doubles. */
enum tare_status stats_hl_ci_of_rank(const double *d, ptrdiff_t n, double level, int64_t k, double *scratch,
                                     struct tare_interval *out);

/* ---- looks.c ----
 *
 * The levels of looks that were not planned (tare_looks_spent), one after the other. What a look leaves for the next one depends on
 * it and those before alone, so who asks for many rows with the same beginning keeps it (tests/stats/remembered.c).
 *
 *     struct stats_looks looks[2];
 *     for (int j = 0; j < k; j++)
 *         level = stats_looks_next(&looks[(j + 1) % 2], n_at, spent, j, &looks[j % 2]);
 */

enum { STATS_LOOKS_POINTS = 16, STATS_LOOKS_NODES = 64 * STATS_LOOKS_POINTS };

/* Gauss-Legendre on [-1, 1]. */
struct stats_looks_rule {
    double point[STATS_LOOKS_POINTS], weight[STATS_LOOKS_POINTS];
};

/* Nodes on [0, bound] with weight times density of the paths still inside. */
struct stats_looks_grid {
    int n;
    double at[STATS_LOOKS_NODES], mass[STATS_LOOKS_NODES];
};

struct stats_looks {
    struct stats_looks_rule rule;
    struct stats_looks_grid inside; /* at the look before the last one; none where that is the first */
    double bound;                   /* of the last one */
};

/* What tare_looks_spent takes. */
bool stats_looks_ok(const int *n_at, const double *spent, int k);

/* Level of look j, counted from 0, and what is left for the next one. before: of look j - 1, not read where j is 0. */
double stats_looks_next(const struct stats_looks *before, const int *n_at, const double *spent, int j, struct stats_looks *now);

/* ---- shift_function.c ----
 *
 * The shift function of pairs, or of two independent samples: by how much each quantile of y exceeds the same quantile of x.
 *
 *     const double q[] = {.25, .5, .75};
 *     struct tare_interval shift[3];
 *     stats_shift_function(x, y, n, q, 3, .05, 1, scratch, shift);    // the three intervals hold together
 */

/* x[i] and y[i] are a pair. level: of all k quantiles together. widened: 1, or by what factor intervals that count standard errors are widened where
 * neighbouring pairs are alike; at least 1. scratch: 8 n doubles. out[j] for q[j]; an end that n is too small for is infinite.
 * O(n log n + k n) time. TARE_INVALID: values that are not finite, a q outside (0, 1), k < 1, a bad level, widened below 1. */
enum tare_status stats_shift_function(const double *x, const double *y, ptrdiff_t n, const double *q, int k, double level,
                                      double widened, double *scratch, struct tare_interval *out);
/* The same of n values of x and m of y that share nothing. scratch: 8 times the larger of n and m. */
enum tare_status stats_shift_function_of_samples(const double *x, ptrdiff_t n, const double *y, ptrdiff_t m, const double *q,
                                                 int k, double level, double widened, double *scratch, struct tare_interval *out);
/* The smallest number of pairs, or of values in each sample, with an interval for this q, of k quantiles; INFINITY where they are widened so
 * far that none has one; NaN for what these refuse. */
double stats_shift_least(double q, int k, double level, double widened, bool paired);

/* ---- rates.c ----
 *
 * Events that come at a rate: an exact interval for the rate, and an exact test of whether it rose.
 *
 *     struct tare_interval rate;
 *     stats_rate_ci_garwood(250, 2.0, 0.05, &rate);       // 250 events in 2 s: 125 [110, 141] per second
 *     double p = stats_rates_rose_p(250, 2.0, 300, 2.0);  // chance of so many more, did the rate not rise
 */

/* k events in `exposure` > 0 (seconds, metres ...); point, low and high per unit of it. k = 0: low = 0. TARE_INVALID: k < 0, an exposure that is
 * not positive and finite, a bad level. out->n = k. */
enum tare_status stats_rate_ci_garwood(ptrdiff_t k, double exposure, double level, struct tare_interval *out);

/* One-sided p of "the second rate is not above the first": P(X >= after), X binomial of before + after trials with the second's share of the
 * exposure. 1 when there are no events at all. NaN for a negative count or an exposure that is not positive and finite. */
double stats_rates_rose_p(ptrdiff_t before, double exposure_before, ptrdiff_t after, double exposure_after);

/* ---- nodes.c ----
 *
 * One result from each of several machines of a class: what holds for the class, and for one more machine of it.
 *
 *     double x[5] = {...}, se[5] = {...};         // ln ratio of each node, and its standard error
 *     struct stats_nodes n;
 *     stats_nodes(x, se, 5, .05, &n);
 *     ... n.mean.low, n.predicted.high, n.tau, n.share
 */

enum { STATS_NODES_PREDICT = 4 }; /* fewest nodes with an interval for another one */

struct stats_nodes {
    struct tare_interval mean; /* of the class; unbounded for n < 2 */
    struct tare_interval
        predicted; /* where one more node, measured like these, will lie; unbounded for n < STATS_NODES_PREDICT */
    double sd;     /* of the nodes' values; NaN for n < 2 */
    double tau; /* of what they would be without errors of measurement: descriptive, 0 where those explain all; NaN: not known */
    double share; /* I squared: tau^2 / (tau^2 + mean of se^2), from 0 to 1; NaN: not known */
};

/* se: of each node, not negative; NULL, or one that is NaN: not known, so tau and share are NaN. TARE_INVALID: x or level as for every call of tare/stats.h, or a
 * negative or infinite se. */
enum tare_status stats_nodes(const double *x, const double *se, ptrdiff_t n, double level, struct stats_nodes *out);

/* ---- class_bounds.c ----
 *
 * Which of several machines are unlike most of them, by one value of each: the logarithm of what the same work takes there.
 *
 *     struct stats_class c;
 *     double scratch[n + STATS_CLASS_SCRATCH], limit;
 *     stats_class(x, n, scratch, &c);
 *     stats_class_limit(n, .03, false, scratch, &limit);
 *     for (i ...) if (fabs(x[i] - c.center) > limit * c.scale) ...   // one class in 33 loses a machine so, though all are alike
 */

enum { STATS_CLASS_LEAST = 3, STATS_CLASS_SCRATCH = 4999 };

struct stats_class {
    double center, scale; /* mean and standard deviation of the closest three quarters of the values */
};

/* scratch: n. TOO_FEW: n < STATS_CLASS_LEAST; INVALID: a value that is not finite. */
enum tare_status stats_class(const double *x, ptrdiff_t n, double *scratch, struct stats_class *out);

/* How many scales from the center the farthest of n alike machines lies with the probability `level`, to either side or, with `above`, above it.
 * scratch: n + STATS_CLASS_SCRATCH. Time: n = 1000 takes seconds, 10 hundredths. TOO_FEW, INVALID as above. */
enum tare_status stats_class_limit(ptrdiff_t n, double level, bool above, double *scratch, double *out);

#endif
