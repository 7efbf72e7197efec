/* SPDX-License-Identifier: MIT
 *
 * How a time t grows with a parameter x, as t = c x^b: the slope b of ln t over ln x.
 *
 * Each round holds one run of every value, in random order, so each round gives a whole line: with u = ln x its slope by least squares
 * is sum w_j ln t_j, w_j = (u_j - mean u) / sum (u - mean u)^2. The weights sum to 0, so that what a round's runs share (drift, a
 * slower clock) cancels, as it does in a pair. The n slopes are the sample; the estimate is Hodges and Lehmann's (1963) with the interval
 * that inverts the signed-rank test (tare_hl_ci_walsh), at the level of the look. Regressing all runs at once would take the runs of
 * one round as independent, which under drift they are not. Noise that one value has of its own and that outlasts a round does not cancel:
 * where the lag-1 autocorrelation of the slopes' ranks is positive, their interval is widened about its point as that of a comparison is, by
 * sqrt(n / m) t(m - 1) / t(n - 1), m the effective number of rounds (after Zwiers and von Storch 1995; dependence.c has the rule, the test and
 * what remains). So is every interval below.
 *
 * Whether t is a power of x at all: the parabola through the same points, in the basis 1, u - mean u, q(u) that is orthogonal over the
 * x, has the slope b + c q'(u), which changes by 2 c (u_last - u_first) from one end to the other; and each value's distance from the
 * straight line, ln t_j - mean ln t - b (u_j - mean u). All are linear in the round's logarithms, and get the same estimator.
 *
 * Assumptions: rounds independent, or like their neighbours as a first-order process is; the function's noise symmetric about its centre,
 * which it is for any noise where the values lie symmetric on the logarithmic scale, and nearly so elsewhere (simulated:
 * tests/analyse/scan_sim_test.c); t > 0, x > 0 and exact. Smallest k: 3 different x. Smallest n with an interval: 6 at .05; n of 1 gives a point, 0 none. Equal times: slope 0, [0, 0].
 *
 * Classes of complexity, each with an intercept: t = a + b f(x), f one of 1 (b = 0), ln x, x, x ln x, x^2, x^3.
 *
 * In each round a and b are fitted by least squares of the relative deviations, (a + b f(x_j)) / t_j - 1, so that every x weighs the same
 * however long it takes. b is not negative: where it would be, the class is the constant, with the line's degrees of freedom. The
 * misfit is the root of the sum of squares over the degrees of freedom left, k - 2, or k - 1 for the constant: so a class gains
 * nothing by its second parameter alone. Whether two classes can be told apart is asked of their misfits' differences round by
 * round (scan.c), by the estimator that the slope has. Misfits hold the noise of a round, so that they do not say whether the best class
 * fits: that is asked of each value's distance from it over the rounds, 1 - (a + b f(x_j)) / t_j, by the same estimator, with 1/k of the error each, so
 * that all k intervals hold together (Bonferroni; at .05 in all n is 8 at least for k to 6). It is said of the best class alone: one that fits worse
 * overall may miss its worst value by less.
 *
 * The constant a of a class may have either sign: n - 1 comparisons are linear with a constant below 0. But mostly a time that must be below 0 at the
 * beginning speaks against the class, so a and its interval over the rounds, by the same estimator and at the level of the misfits, are given beside it.
 *
 * Where the interval of the slope lies above 0 the constant is no candidate; where it lies below, no class is.
 *
 * Assumptions: t > 0. Smallest k: 4, of as many different x. A constant time: all misfits are alike but for noise.
 */
#include "scan_fit.h"
#include "dependence.h"
#include <math.h>

static double mean_of_logs(const double *x, int k)
{
    double sum = 0, rest = 0;
    for (int j = 0; j < k; j++)
        sum += log(x[j]);
    for (int j = 0; j < k; j++)
        rest += log(x[j]) - sum / k;
    return sum / k + rest / k;
}

/* Values in rising order. */
static bool three_different(const double *x, int k)
{
    int different = k > 0;
    for (int j = 1; j < k; j++)
        different += x[j] > x[j - 1];
    return different >= 3 && x[0] > 0 && isfinite(x[k - 1]);
}

/* q = v^2 - a v - b with v = u - mean u, orthogonal to 1 and v. */
struct parabola {
    double mean, a, b, square, norm; /* sum of v^2; of q^2 */
    double low, high;                /* least and largest v */
};

static double q_of(const struct parabola *p, double v)
{
    return v * v - p->a * v - p->b;
}

static struct parabola parabola_over(const double *x, int k)
{
    struct parabola p = {.mean = mean_of_logs(x, k), .low = INFINITY, .high = -INFINITY};
    double cube = 0;
    for (int j = 0; j < k; j++) {
        double v = log(x[j]) - p.mean;
        p.square += v * v;
        cube += v * v * v;
        p.low = fmin(p.low, v);
        p.high = fmax(p.high, v);
    }
    p.a = cube / p.square;
    p.b = p.square / k;
    for (int j = 0; j < k; j++)
        p.norm += q_of(&p, log(x[j]) - p.mean) * q_of(&p, log(x[j]) - p.mean);
    return p;
}

bool scan_weights(const double *x, int k, double *w)
{
    if (!three_different(x, k))
        return false;
    struct parabola p = parabola_over(x, k);
    for (int j = 0; j < k; j++) {
        double v = log(x[j]) - p.mean, slope = v / p.square, bend = q_of(&p, v) / p.norm;
        w[SCAN_SLOPE * k + j] = slope;
        w[SCAN_SLOPE_SMALLEST * k + j] = slope + bend * (2 * p.low - p.a);
        w[SCAN_SLOPE_LARGEST * k + j] = slope + bend * (2 * p.high - p.a);
        w[SCAN_SLOPE_CHANGE * k + j] = bend * 2 * (p.high - p.low);
        w[SCAN_MIDDLE * k + j] = 1.0 / k;
    }
    return p.square > 0 && p.norm > 0 && isfinite(1 / p.square) && isfinite(1 / p.norm);
}

void scan_distance_weights(const double *x, int k, int j, const double *all, double *w)
{
    double v = log(x[j]) - mean_of_logs(x, k);
    for (int i = 0; i < k; i++)
        w[i] = (i == j) - 1.0 / k - v * all[SCAN_SLOPE * k + i];
}

enum tare_status scan_interval_over(const double *d, int n, double level, void *scratch, double *effective,
                                    struct tare_interval *out)
{
    const enum tare_status status = tare_hl_ci_walsh(d, n, level, scratch, out);
    double factor;
    if (status)
        return status;
    const double m = dependence_of_rounds(d, n, level, scratch, &factor);
    dependence_widen(out, factor);
    if (effective)
        *effective = m;
    return TARE_OK;
}

enum tare_status scan_interval(const double *y, int k, int n, const double *w, double level, double *d, void *scratch,
                               double *effective, struct tare_interval *out)
{
    for (int i = 0; i < n; i++) {
        d[i] = 0;
        for (int j = 0; j < k; j++)
            d[i] += w[j] * y[j * n + i];
    }
    return scan_interval_over(d, n, level, scratch, effective, out);
}

enum { SQRT_N = SCAN_CLASSES + 1 };

static double shape(int class, double x)
{
    switch (class) {
    case SQRT_N:
        return sqrt(x);
    case SCAN_1:
    case SCAN_CLASSES:
        break;
    case SCAN_LOG_N:
        return log(x);
    case SCAN_N:
        return x;
    case SCAN_N_LOG_N:
        return x * log(x);
    case SCAN_N2:
        return x * x;
    case SCAN_N3:
        return x * x * x;
    }
    return 0;
}

struct sums { /* over the points, weights 1 / t^2; f is taken about its weighted mean, which keeps b well conditioned */
    double w, f, ff, ft, t;
};

struct class_fit { /* t = a + b (f(x) - f) */
    int class;
    double a, b, f;
};

static struct class_fit fit_class(const double *x, const double *y, int k, int n, int class)
{
    struct sums s = {0};
    double mean = 0;
    for (int j = 0; j < k; j++) {
        double w = exp(-2 * y[j * n]);
        s.w += w;
        mean += w * shape(class, x[j]);
    }
    s.f = mean / s.w;
    for (int j = 0; j < k; j++) {
        double t = exp(y[j * n]), w = 1 / t / t, f = shape(class, x[j]) - s.f;
        s.ff += w * f * f;
        s.ft += w * f * t;
        s.t += w * t;
    }
    return (struct class_fit){
        .class = class, .a = s.t / s.w, .b = class == SCAN_1 || !(s.ff > 0) ? 0 : fmax(0, s.ft / s.ff), .f = s.f};
}

/* By what share of the time the class is above it. */
static double above(const struct class_fit *c, double x, double y)
{
    return (c->a + c->b * (shape(c->class, x) - c->f)) / exp(y) - 1;
}

static double misfit_of(const double *x, const double *y, int k, int n, int class)
{
    const struct class_fit c = fit_class(x, y, k, n, class);
    double square = 0;
    for (int j = 0; j < k; j++) {
        const double off = above(&c, x[j], y[j * n]);
        square += off * off;
    }
    return sqrt(square / (k - (class == SCAN_1 ? 1 : 2)));
}

void scan_misfits(const double *x, const double *y, int k, int n, double *misfit)
{
    for (int class = 0; class < SCAN_CLASSES; class ++)
        for (int i = 0; i < n; i++)
            misfit[class * n + i] = misfit_of(x, y + i, k, n, class);
}

void scan_class_off(const double *x, const double *y, int k, int n, enum scan_class class, double *off)
{
    for (int i = 0; i < n; i++) {
        const struct class_fit c = fit_class(x, y + i, k, n, (int)class);
        for (int j = 0; j < k; j++)
            off[j * n + i] = -above(&c, x[j], y[j * n + i]);
    }
}

void scan_class_constants(const double *x, const double *y, int k, int n, enum scan_class class, double *constant)
{
    for (int i = 0; i < n; i++) {
        const struct class_fit c = fit_class(x, y + i, k, n, (int)class);
        constant[i] = c.a - c.b * c.f;
    }
}

void scan_misfits_sqrt(const double *x, const double *y, int k, int n, double *misfit)
{
    for (int i = 0; i < n; i++)
        misfit[i] = misfit_of(x, y + i, k, n, SQRT_N);
}
