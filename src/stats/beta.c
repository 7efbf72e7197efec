/* SPDX-License-Identifier: MIT
 *
 * The regularised incomplete beta function, from its formulas.
 *
 * Front factor x^a y^b / B(a,b) in Loader's saddle-point form ("Fast and accurate computation of binomial probabilities",
 * 2000): sqrt(ab / (2 pi (a+b))) exp(S(a+b) - S(a) - S(b) - D(a, (a+b)x) - D(b, (a+b)y)), with S the error of Stirling's
 * formula and D(a, m) = a ln(a/m) + m - a. No large logarithms cancel, so it keeps its digits for a of a million and more,
 * where a difference of log-gammas has lost five.
 * The integral by the even part of its continued fraction (Abramowitz and Stegun 26.5.8, contracted as by Didonato and Morris
 * 1992): unlike the fraction itself it does not cancel for x near 1 and large a, which is Student's t with many degrees of
 * freedom. Evaluated by Lentz's method on that side of the mode where it converges in about sqrt(max(a,b)) terms.
 */
#include "stats_core.h"

double stats_stirling_error(double z)
{
    double below = 0;
    for (; z < 16; z += 1)
        below += (z + 0.5) * log1p(1 / z) - 1;
    double q = 1 / (z * z);
    double series =
        1.0 / 12 - q * (1.0 / 360 - q * (1.0 / 1260 - q * (1.0 / 1680 - q * (1.0 / 1188 - q * (691.0 / 360360 - q / 156)))));
    return below + series / z;
}

/* With v = (a-m)/(a+m), ln(a/m) = 2 (v + v^3/3 + v^5/5 ...). */
double stats_deviance(double a, double m)
{
    if (fabs(a - m) > 0.1 * (a + m))
        return a * log(a / m) + m - a;
    double v = (a - m) / (a + m), power = v, sum = 0;
    for (int j = 3; j < 60; j += 2) {
        power *= v * v;
        double before = sum;
        sum += power / j;
        if (sum == before)
            break;
    }
    return (a - m) * v + 2 * a * sum;
}

static double front_factor(double a, double b, double x, double y)
{
    double n = a + b;
    double e = stats_stirling_error(n) - stats_stirling_error(a) - stats_stirling_error(b) - stats_deviance(a, n * x) -
               stats_deviance(b, n * y);
    return sqrt(a / n * b / (2 * STATS_PI)) * exp(e);
}

/* The fraction K with I_x(a, b) = front / K, for x no further than the mode. excess = a - (a + b) x, known exactly from y.
 * Its denominators stay positive, so Lentz's recurrence needs no guard against 0. */
static double continued_fraction(double a, double b, double x, double y)
{
    double excess = x < y ? a - (a + b) * x : (a + b) * y - b;
    double k = a / (a + 1) * (excess + 1), c = k, d = 0;
    for (double n = 1; n < 1e7; n++) {
        double odd = a + 2 * n - 1, numerator = (a + n - 1) / odd * ((a + b + n - 1) / odd) * n * (b - n) * x * x;
        double denominator = n + n * (b - n) * x / odd + (a + n) / (odd + 2) * (excess + 1 + n * (1 + y));
        d = 1 / (denominator + numerator * d);
        c = denominator + numerator / c;
        k *= c * d;
        if (fabs(c * d - 1) < 3e-16)
            break;
    }
    return k;
}

double stats_beta_log_lower(double a, double b, double x, double y, double *slope)
{
    const double n = a + b, k = continued_fraction(a, b, x, y);
    *slope = k;
    return 0.5 * log(a / n * b / (2 * STATS_PI)) + stats_stirling_error(n) - stats_stirling_error(a) - stats_stirling_error(b) -
           stats_deviance(a, n * x) - stats_deviance(b, n * y) - log(k);
}

void stats_beta(double a, double b, double x, double y, double *lower, double *upper, double *density)
{
    double front = x > 0 && y > 0 ? front_factor(a, b, x, y) : 0;
    if (density)
        *density = front;
    if (x <= 0 || y <= 0) {
        *lower = x <= 0 ? 0 : 1;
        *upper = 1 - *lower;
    } else if (x * (a + b + 2) <= a + 1) {
        *lower = front / continued_fraction(a, b, x, y);
        *upper = 1 - *lower;
    } else {
        *upper = front / continued_fraction(b, a, y, x);
        *lower = 1 - *upper;
    }
}
