/* SPDX-License-Identifier: MIT
 *
 * Classes of complexity, each with an intercept: t = a + b f(x), f one of 1 (b = 0), ln x, x, x ln x, x^2, x^3.
 *
 * In each round a and b are fitted by least squares of the relative deviations, (a + b f(x_j)) / t_j - 1, so that every x weighs the same
 * however long it takes. b is not negative: where it would be, the class is the constant, with the line's degrees of freedom. The
 * misfit is the root of the sum of squares over the degrees of freedom left, k - 2, or k - 1 for the constant: so a class gains
 * nothing by its second parameter alone. Whether two classes can be told apart is asked of their misfits' differences round by
 * round (scan.c), by the estimator that the slope has.
 *
 * Assumptions: t > 0. Smallest k: 4, of as many different x. A constant time: all misfits are alike but for noise.
 */
#include "scan_classes.h"
#include <math.h>

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

static struct sums sums_of(const double *x, const double *y, int k, int n, int class)
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
    return s;
}

static double misfit_of(const double *x, const double *y, int k, int n, int class)
{
    struct sums s = sums_of(x, y, k, n, class);
    double b = class == SCAN_1 || !(s.ff > 0) ? 0 : fmax(0, s.ft / s.ff), a = s.t / s.w, square = 0;
    for (int j = 0; j < k; j++) {
        double off = (a + b * (shape(class, x[j]) - s.f)) / exp(y[j * n]) - 1;
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

void scan_misfits_sqrt(const double *x, const double *y, int k, int n, double *misfit)
{
    for (int i = 0; i < n; i++)
        misfit[i] = misfit_of(x, y + i, k, n, SQRT_N);
}
