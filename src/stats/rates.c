/* SPDX-License-Identifier: MIT
 *
 * Poisson counts.
 *
 * Interval of a rate (Garwood 1936): the ends solve P(N >= k | low) = level/2 and P(N <= k | high) = level/2. With the regularised incomplete
 * gamma functions P and Q, P(N <= k | m) = Q(k + 1, m), so P(k, low) = level/2 and Q(k + 1, high) = level/2. It covers with at least 1 - level.
 * Comparison of two (Przyborowski and Wilenski 1940): given the sum of both counts the second one is binomial with its share of the exposure, whatever the
 * common rate. Exact, and conservative as all tests of counts.
 *
 * Assumes events that come independently of each other at one rate. Events that come like a clock make both wider than need be; events that
 * come in bursts make both too narrow: look at the scatter of the counts. Smallest n: any; k = 0 has low = 0 and, at .05, high = 3.69.
 * No data are sorted or read, so ties and NaN have no meaning here.
 *
 * x^a e^-x / Gamma(a) in Loader's saddle-point form, as in beta.c: no large logarithms cancel. P by its series for x < a + 1, Q by Legendre's continued
 * fraction above, evaluated by Lentz's method; both in about sqrt(a) terms near the mode.
 */
#include "stats_beyond.h"
#include "stats_core.h"

/* x^a e^-x / Gamma(a), a > 0, x > 0. */
static double front_factor(double a, double x)
{
    return sqrt(a / (2 * STATS_PI)) * exp(-stats_stirling_error(a) - stats_deviance(a, x));
}

static double series(double a, double x)
{
    double term = 1 / a, sum = term;
    for (double n = 1; n < 1e7 && term > sum * 1e-17; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum;
}

/* Q over the front factor, x > a: b0 = x + 1 - a, b(n) = b(n-1) + 2, a(n) = n (a - n). */
static double continued_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1e300, d = 1 / b, f = d;
    for (double n = 1; n < 1e7; n++) {
        double numerator = n * (a - n);
        b += 2;
        d = 1 / (b + numerator * d);
        c = b + numerator / c;
        f *= c * d;
        if (fabs(c * d - 1) < 3e-16)
            break;
    }
    return f;
}

static void gamma_tails(double a, double x, double *lower, double *upper)
{
    if (x <= 0) {
        *lower = 0;
        *upper = 1;
    } else if (x < a + 1) {
        *lower = fmin(front_factor(a, x) * series(a, x), 1);
        *upper = 1 - *lower;
    } else {
        *upper = fmin(front_factor(a, x) * continued_fraction(a, x), 1);
        *lower = 1 - *upper;
    }
}

struct end {
    double a, target;
    bool is_upper; /* whose tail: P(a, x) or Q(a, x) */
};

/* Rises with x for P, falls for Q; only the sign and the smoothness matter. */
static double tail_excess(double ln_x, const void *context)
{
    const struct end *e = context;
    double lower, upper;
    gamma_tails(e->a, exp(ln_x), &lower, &upper);
    double tail = e->is_upper ? upper : lower;
    return tail > 0 ? log(tail / e->target) : -1e300;
}

static double gamma_quantile(struct end e)
{
    double most = e.a + 50 * sqrt(e.a) + 1500; /* beyond it nothing of Q is left in a double */
    return exp(stats_root(tail_excess, &e, -745, log(most)));
}

static bool exposure_ok(double exposure)
{
    return exposure > 0 && isfinite(exposure);
}

enum tare_status stats_rate_ci_garwood(ptrdiff_t k, double exposure, double level, struct tare_interval *out)
{
    *out = stats_no_interval(k, level);
    if (k < 0 || !exposure_ok(exposure) || !stats_level_ok(level))
        return TARE_INVALID;
    double low = k ? gamma_quantile((struct end){(double)k, level / 2, false}) : 0;
    double high = gamma_quantile((struct end){(double)k + 1, level / 2, true});
    out->point = (double)k / exposure;
    out->low = low / exposure;
    out->high = high / exposure;
    return TARE_OK;
}

double stats_rates_rose_p(ptrdiff_t before, double exposure_before, ptrdiff_t after, double exposure_after)
{
    if (before < 0 || after < 0 || !exposure_ok(exposure_before) || !exposure_ok(exposure_after))
        return NAN;
    double all = exposure_before + exposure_after;
    return tare_binomial_cdf(before, before + after, exposure_before / all); /* so few before is so many after */
}
