/* SPDX-License-Identifier: MIT
 *
 * The normal distribution through erfc, and its quantile by Newton's method.
 *
 * Tails: ln Phi is concave, so Newton's steps on ln Phi(z) = ln p approach the root from below without overshoot; start
 * -sqrt(-2 ln p), which lies below it. Near the middle the same holds for erf on z > 0, started at 0. NaN in, NaN out.
 *
 * Edgeworth's expansion for sums: stats_core.h.
 */
#include "stats_core.h"

double tare_normal_cdf(double z)
{
    return 0.5 * erfc(-z / sqrt(2.0));
}

double stats_normal_density(double z)
{
    return exp(-z * z / 2) / sqrt(2 * STATS_PI);
}

/* z >= 0 with Phi(z) - 1/2 = share. */
static double central_quantile(double share)
{
    double z = 0;
    for (int i = 0; i < 60; i++) {
        double step = (share - 0.5 * erf(z / sqrt(2.0))) / stats_normal_density(z);
        z += step;
        if (fabs(step) <= 1e-16 * z)
            break;
    }
    return z;
}

/* The same for p so small that Phi has lost digits: phi(z) / Phi(-z) by Laplace's continued fraction z + 1/(z + 2/(z + ...)). */
static double far_quantile(double p)
{
    double z = 37;
    for (int i = 0; i < 60; i++) {
        double ratio = z;
        for (int j = 30; j > 0; j--)
            ratio = z + j / ratio;
        const double ln_phi = -z * z / 2 - 0.5 * log(2 * STATS_PI), step = (ln_phi - log(ratio) - log(p)) / ratio;
        z += step;
        if (fabs(step) <= 1e-15 * z)
            break;
    }
    return -z;
}

/* z < 0 with Phi(z) = p, p below 0.1. */
static double tail_quantile(double p)
{
    if (p < 1e-290)
        return far_quantile(p);
    double z = fmax(-sqrt(-2 * log(p)), -38.4); /* below -38.47 Phi underflows to 0 */
    for (int i = 0; i < 60; i++) {
        double at = tare_normal_cdf(z);
        double step = log(p / at) * at / stats_normal_density(z);
        z += step;
        if (fabs(step) <= 1e-16 * fabs(z))
            break;
    }
    return z;
}

double tare_normal_quantile(double p)
{
    if (!(p >= 0 && p <= 1))
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    if (p < 0.1)
        return tail_quantile(p);
    if (p > 0.9)
        return -tail_quantile(1 - p);
    return p < 0.5 ? -central_quantile(0.5 - p) : central_quantile(p - 0.5);
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

int64_t stats_edgeworth_k(const struct stats_cumulants *c, int64_t most, double limit)
{
    int64_t good = -1, bad = most + 1;
    while (bad - good > 1) {
        int64_t s = good + (bad - good) / 2;
        if (stats_edgeworth_cdf((double)s + 0.5, c) <= limit)
            good = s;
        else
            bad = s;
    }
    return bad;
}
