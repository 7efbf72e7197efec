/* SPDX-License-Identifier: MIT
 * Edgeworth's expansion of stats_core.h. */
#include "stats_core.h"

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
