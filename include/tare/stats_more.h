/* SPDX-License-Identifier: MIT
 *
 * tare/stats_more.h - statistics that are experimental: calls and structs here may change with any version (docs/abi.md). The rules are those of
 * tare/stats.h.
 *
 *     double heads = 0, tails = 0;                           // which of two was slower, pair by pair
 *     while (next_pair(&heads, &tails))
 *         if (tare_log_e_coin(heads, tails) > log(1 / 0.01))
 *             return "they differ";                          // wrong in 1 of 100 cases at most, however often this is asked
 *
 * What it does not do: correct for several questions, but by tare_e_bh.
 */
#ifndef TARE_STATS_MORE_H
#define TARE_STATS_MORE_H

#include <tare/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- anytime-valid: tests and intervals that hold at all n at once, however often they are looked at ---- */

/* An e-value is a bet against the null at fair odds: capital that starts at 1 and that no strategy can expect to grow while the null is
 * true. The probability that it ever reaches 1/alpha is then at most alpha (Ville 1939), whatever the rule by which one stops. These calls
 * return its natural logarithm, so that large evidence does not overflow: reject at -log(alpha). */

/* Against a fair coin after `heads` and `tails` tosses: likelihood ratio of a mixture of beta priors (a, a) about 1/2, a = .5, 20, 800,
 * 30000, from large effects to tiny ones (McNemar's counts, signs of pairs). Each toss may depend on the past in all but
 * its fairness. 0 for no tosses; NaN for negative counts or an infinite sum. Full precision up to 2^53 tosses. */
double tare_log_e_coin(double heads, double tails);

/* Against symmetry about 0 of values x[i] given the past (randomised differences): s = sum x, v = sum x^2, scale > 0 a guess of the mean
 * of x^2, fixed before the first of them; a poor guess costs power, never validity. Mixture of normal priors for the bet. No
 * moments are assumed (de la Pena 1999). 0 for v = 0; NaN for v < 0, scale <= 0 or what is not finite, v / scale and s^2 / scale
 * among them. */
double tare_log_e_symmetric(double s, double v, double scale);

/* ln of the mean of exp(x[i]): the average of e-values is an e-value, under any dependence. -inf for n = 0, NaN for n < 0 and where one is NaN. */
double tare_log_mean_exp(const double *x, ptrdiff_t n);

/* e-BH (Wang and Ramdas 2022): which of n e-values (as logarithms) to reject so that the expected share of false rejections among
 * them is at most alpha, under any dependence. rejected: n flags, written. Returns their number; -1 for a bad argument. scratch: n doubles. */
ptrdiff_t tare_e_bh(const double *log_e, ptrdiff_t n, double alpha, bool *rejected, double *scratch);

/* Asymptotic confidence sequence of a mean (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024): over all n >= n_first at once the interval
 * misses the running mean of the conditional means with a probability that tends to at most `level` as n_first grows. sd: of the
 * values so far. Narrowest near n_tight. Assumes finite variance; a burn-in of some hundred values. Unbounded for n < 2. */
enum tare_status tare_mean_cs_asymptotic(double mean, double sd, ptrdiff_t n, ptrdiff_t n_tight, double level,
                                         struct tare_interval *out);

/* ---- several levels, several modes, series that settle ---- */

/* What scatters within groups (the samples of one process) and what between them (Kalibera and Jones 2013). */
struct tare_levels {
    ptrdiff_t groups, n; /* groups and values in all */
    double mean;         /* of the groups' means */
    double within;       /* variance of a value about its group's true mean; NaN: no group has two values */
    double between;      /* variance of the groups' true means, at least 0; NaN: fewer than two groups, or `within` is unknown */
    double of_means;     /* variance of the groups' means as seen: of_means / groups is the square of the standard error */
};
/* x: the groups' values one group after the other, sizes[g] >= 1 of each, |x| within 1e-150 to 1e150: a variance beyond the largest double is NaN,
 * one below the least 0. An interval is tare_mean_ci_student of the means. */
enum tare_status tare_two_levels(const double *x, const ptrdiff_t *sizes, ptrdiff_t groups, struct tare_levels *out);
/* Values to take in each group for the least error in a given time, when one costs cost_within and a group cost_between besides
 * (same unit). INFINITY: groups do not differ; NaN: not known. */
double tare_two_levels_best(const struct tare_levels *l, double cost_within, double cost_between);

struct tare_mode {
    ptrdiff_t n;              /* values in it */
    double median, low, high; /* of them; median: of an even number the geometric mean of the two middle ones */
};
/* Cuts the values where a gap is wide beside the scatter of their denser half and wider than least_ratio (.05: 5 %); the chance to
 * cut a sample of one normal (of the logarithms) is at most 1 %. One value far off is a mode too. All x > 0, else TARE_INVALID. Modes
 * come ascending, at most `room`, the last holding the rest. Fewer than 8 values are one mode. scratch: n doubles. */
enum tare_status tare_modes_by_gaps(const double *x, ptrdiff_t n, double least_ratio, double *scratch, struct tare_mode *modes,
                                    int room, int *found);
/* 1 - (1 - share)^n: the chance that n draws show a thing that each has with probability `share`. 0 for n = 0; NaN for n < 0 or a share outside
 * [0, 1]. */
double tare_chance_to_see(double share, ptrdiff_t n);

enum tare_steady_word {
    TARE_STEADY_UNKNOWN,   /* fewer than 12 values */
    TARE_STEADY_FLAT,      /* steady from the start */
    TARE_STEADY_WARM_UP,   /* slower first */
    TARE_STEADY_SLOW_DOWN, /* it was faster before */
    TARE_STEADY_NONE       /* still changing in its last quarter */
};
struct tare_steady {
    enum tare_steady_word word;
    ptrdiff_t onset;    /* index of the first steady value */
    ptrdiff_t segments; /* stretches of one level */
    ptrdiff_t outliers; /* values far from their neighbours */
    double level;       /* mean from the onset on */
    double sigma, rho;  /* relative standard deviation and lag-1 correlation of the noise about the levels */
};
/* When did a series of times settle? Optimal partitioning of the logarithms into stretches of one level (Jackson et al. 2005, pruned after Maidstone
 * et al. 2017); of the partitions that several prices of a change give, the likeliest with AR(1) noise about its levels. Stretches within 1 % of the last are the
 * steady part, which must not drift. Values in the order of measurement, all > 0 (else TARE_INVALID); assumes noise that stays the same but for its level. A
 * slow start of one or two values is two outliers, one of three is a warm-up. scratch: tare_steady_scratch_bytes(n). Time nearly in
 * proportion to n. Exact up to 1000 values; beyond, a trend without noise is cut at some of the places alone. */
enum tare_status tare_steady_state(const double *x, ptrdiff_t n, void *scratch, struct tare_steady *out);
size_t tare_steady_scratch_bytes(ptrdiff_t n);            /* 0 for n <= 0; SIZE_MAX where it overflows */
const char *tare_steady_name(enum tare_steady_word word); /* "warm-up" */
/* The published rule of Georges, Buytaert and Eeckhout (2007): index of the first of k values in a row whose standard deviation is below cov times
 * their mean; -1: there is none. It has no guard against drift: it accepts any that is slow enough. */
ptrdiff_t tare_steady_window_cov(const double *x, ptrdiff_t n, ptrdiff_t k, double cov);

#ifdef __cplusplus
}
#endif
#endif
