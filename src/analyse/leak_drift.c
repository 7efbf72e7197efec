/* SPDX-License-Identifier: MIT
 *
 * Did the level move over a run? CUSUM of the means of its stretches.
 *
 * With means x_1 .. x_n, s^2 half of the mean square of neighbours' differences (von Neumann 1941: a step in the level hardly touches it), C the
 * largest of |sum of the first i of (x - mean)| / (s sqrt n). Without drift C is about the supremum of a Brownian bridge: P(C > c) about
 * 2 exp(-2 c^2), 1 of 100 over 1.63. Neighbours that are alike by a slow drift make s small and C large, which is what is asked
 * for. It is a description: drift falls on all classes of a block alike, and no verdict rests on it.
 * Smallest n: LEAK_DRIFT_LEAST. All means equal: NaN.
 */
#include "leak_core.h"
#include <math.h>

double leak_cusum(const double *means, int n, int *at)
{
    double mean = 0, square = 0, sum = 0, most = 0;
    *at = 0;
    if (n < LEAK_DRIFT_LEAST)
        return NAN;
    for (int i = 0; i < n; i++)
        mean += means[i] / n;
    for (int i = 1; i < n; i++)
        square += (means[i] - means[i - 1]) * (means[i] - means[i - 1]);
    for (int i = 0; i < n - 1; i++) {
        sum += means[i] - mean;
        if (fabs(sum) > most) {
            most = fabs(sum);
            *at = i + 1;
        }
    }
    double s = sqrt(square / 2 / (n - 1));
    return s > 0 ? most / (s * sqrt(n)) / (1 + 3.0 / n) : NAN;
}

/* ---- means of stretches ---- */

void leak_levels_add(struct leak_levels *l, double x)
{
    l->now.n++;
    l->now.sum += x;
}

void leak_levels_round(struct leak_levels *l)
{
    l->each = l->each ? l->each : 1;
    if (l->now.n == 0 || ++l->in_this < l->each)
        return;
    if (l->n == LEAK_EPOCHS_MAX) {
        for (int i = 0; i < l->n / 2; i++)
            l->at[i] = (struct leak_level){l->at[2 * i].n + l->at[2 * i + 1].n, l->at[2 * i].sum + l->at[2 * i + 1].sum};
        l->n /= 2;
        l->each *= 2;
    }
    l->at[l->n++] = l->now;
    l->now = (struct leak_level){0};
    l->in_this = 0;
}

void leak_levels_read(const struct leak_levels *l, double *share, double *cusum, int64_t *after)
{
    double means[LEAK_EPOCHS_MAX], least = INFINITY, most = -INFINITY, sum = 0;
    int at;
    for (int i = 0; i < l->n; i++) {
        means[i] = l->at[i].sum / (double)l->at[i].n;
        least = fmin(least, means[i]);
        most = fmax(most, means[i]);
        sum += means[i];
    }
    *share = l->n < 2 || !(sum > 0) ? NAN : (most - least) / (sum / l->n);
    *cusum = leak_cusum(means, l->n, &at);
    *after = 0;
    for (int i = 0; i < at; i++)
        *after += l->at[i].n;
}
