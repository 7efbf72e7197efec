/* SPDX-License-Identifier: MIT
 *
 * Noise that each command has of its own does not cancel within a round; where it outlasts a round, neighbouring values are alike and the
 * signed-rank law is too narrow. Where the lag-1 autocorrelation r of their ranks is positive by a one-sided test at 10 % (n >= 6; of independent
 * values r has mean -1/n and variance (n-2)^2 / (n^2 (n-1)), Moran 1948; nearly normal), every interval is widened about its point by
 *     f = sqrt(n / m) t(m - 1) / t(n - 1)        t: Student's quantile at the look's level
 * with m = n (1 - r')/(1 + r'), the effective sample size of a first-order process (series.c), but at least 4: smaller ones hardly protect
 * better and make the interval far wider. This is the t test with an equivalent sample size (Zwiers and von Storch 1995). Noise that dies out
 * more slowly than a first-order process is underestimated, and with fewer than some 30 rounds noise that lasts often looks like a difference:
 * tests/trust/replay_test.c and tests/analyse/scan_sim_test.c have the errors that remain and what independent rounds pay.
 * Constant values are independent. Values that are not finite: n.
 */
#include "dependence.h"
#include "stats_beyond.h"
#include <math.h>
#include <string.h>

enum { FEWEST_DEPENDENT = 6, FEWEST_EFFECTIVE = 4 };

/* r is NaN where x never changes. */
double dependence_effective_size(const double *x, int values, double level, double *sorted)
{
    const double n = values;
    struct tare_dependence d;
    memcpy(sorted, x, (size_t)values * sizeof *x);
    tare_sort(sorted, values);
    if (values < FEWEST_DEPENDENT || stats_serial_dependence(x, sorted, values, values, &d))
        return n;
    const double z = (d.r_ranks + 1 / n) * n * sqrt(n - 1) / (n - 2);
    return z > -tare_normal_quantile(level) ? fmin(fmax(d.n_effective, FEWEST_EFFECTIVE), n) : n;
}

double dependence_widening(double level, double inflation, double df, double df_independent)
{
    return sqrt(inflation) * tare_student_quantile(level / 2, df) / tare_student_quantile(level / 2, df_independent);
}

double dependence_of_rounds(const double *d, int rounds, double level, double *sorted, double *factor)
{
    const double n = rounds, m = dependence_effective_size(d, rounds, 0.1, sorted);
    *factor = m < n ? dependence_widening(level, n / m, m - 1, n - 1) : 1;
    return m;
}

void dependence_widen(struct tare_interval *i, double factor)
{
    i->low = i->point - (i->point - i->low) * factor;
    i->high = i->point + (i->high - i->point) * factor;
}
