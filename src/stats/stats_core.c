/* SPDX-License-Identifier: MIT */
#include "stats_core.h"

bool stats_all_finite(const double *x, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

bool stats_sorted_ok(const double *x, ptrdiff_t n)
{
    for (ptrdiff_t i = 1; i < n; i++)
        if (!(x[i - 1] <= x[i]))
            return false;
    return n == 0 || (isfinite(x[0]) && isfinite(x[n - 1]));
}

bool stats_level_ok(double level)
{
    return level > 0 && level < 1;
}

struct tare_interval stats_no_interval(ptrdiff_t n, double level)
{
    return (struct tare_interval){.point = NAN, .low = -INFINITY, .high = INFINITY, .level = level, .n = n};
}

double stats_median_sorted(const double *sorted, ptrdiff_t n)
{
    return tare_quantile_sorted(sorted, n, 0.5);
}

struct bracket {
    double a, fa; /* newest end */
    double b, fb; /* the other end: the sign differs */
    double c, fc; /* the end before */
};

/* Where to look next, as a fraction of the way from a to b. */
static double chandrupatla_step(const struct bracket *k)
{
    double xi = (k->a - k->b) / (k->c - k->b), phi = (k->fa - k->fb) / (k->fc - k->fb);
    if (!(phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi))
        return 0.5;
    return k->fa / (k->fb - k->fa) * (k->fc / (k->fb - k->fc)) +
           (k->c - k->a) / (k->b - k->a) * (k->fa / (k->fc - k->fa)) * (k->fb / (k->fc - k->fb));
}

double stats_root(double (*f)(double, const void *), const void *context, double lo, double hi)
{
    struct bracket k = {.a = lo, .fa = f(lo, context), .b = hi, .fb = f(hi, context)};
    double t = 0.5;
    for (int i = 0; i < 200 && k.fa != 0 && k.fb != 0; i++) {
        double x = k.a + t * (k.b - k.a), fx = f(x, context);
        if ((fx > 0) == (k.fa > 0)) {
            k.c = k.a, k.fc = k.fa;
        } else {
            k.c = k.b, k.fc = k.fb;
            k.b = k.a, k.fb = k.fa;
        }
        k.a = x, k.fa = fx;
        double best = fabs(k.fa) < fabs(k.fb) ? k.a : k.b;
        double smallest = (4e-16 * fabs(best) + 1e-300) / fabs(k.b - k.a);
        if (smallest >= 0.5)
            break;
        t = chandrupatla_step(&k);
        t = t > smallest ? t < 1 - smallest ? t : 1 - smallest : smallest;
    }
    return fabs(k.fa) < fabs(k.fb) ? k.a : k.b;
}

double stats_edgeworth_cdf(double s, const struct stats_cumulants *c)
{
    double z = (s - c->mean) / sqrt(c->k2), density = exp(-z * z / 2) / sqrt(2 * STATS_PI);
    double l4 = c->k4 / (c->k2 * c->k2), l6 = c->k6 / (c->k2 * c->k2 * c->k2), l8 = c->k8 / (c->k2 * c->k2) / (c->k2 * c->k2);
    double he[12] = {1, z}; /* Hermite polynomials */
    for (int i = 2; i < 12; i++)
        he[i] = z * he[i - 1] - (i - 1) * he[i - 2];
    double first = l4 / 24 * he[3];
    double second = l6 / 720 * he[5] + l4 * l4 / 1152 * he[7];
    double third = l8 / 40320 * he[7] + l4 * l6 / 17280 * he[9] + l4 * l4 * l4 / 82944 * he[11];
    return fmax(tare_normal_cdf(z) - density * (first + second + third), 0); /* far out the expansion may turn negative */
}
