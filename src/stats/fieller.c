/* SPDX-License-Identifier: MIT
 *
 * Ratio of two means of pairs with Fieller's interval (1954).
 *
 * With X, Y the means, R = Y/X, t Student's quantile, v and c variances and covariance of the means, the set of ratios rho with
 * |Y - rho X| <= t sd(Y - rho X) is (g2 +- sqrt(g2^2 - g1 g3)) / g1 with g1 = X^2 - t^2 v_x, g2 = X Y - t^2 c_xy,
 * g3 = Y^2 - t^2 v_y; it is an interval only while g1 > 0. Written in the residuals r = y - R x nothing cancels:
 * g2 = R g1 - t^2 c_xr and g2^2 - g1 g3 = t^2 (g1 v_r + t^2 c_xr^2).
 * Assumes independent pairs and near-normal means; n < 2: no interval; constant data: a point; NaN refused.
 */
#include "stats_core.h"

/* Variances and covariance of the means of x and of r = y - ratio x. */
static void residual_moments(const double *x, const double *y, ptrdiff_t n, const double unit[2], const double mean[2],
                             double v[3])
{
    double ratio = mean[1] / mean[0], xx = 0, xr = 0, rr = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double dx = x[i] * unit[0] - mean[0], dr = y[i] * unit[1] - mean[1] - ratio * dx;
        xx += dx * dx;
        xr += dx * dr;
        rr += dr * dr;
    }
    double scale = (double)n * ((double)n - 1);
    v[0] = xx / scale, v[1] = xr / scale, v[2] = rr / scale;
}

enum tare_status tare_ratio_ci_fieller(const double *x, const double *y, ptrdiff_t n, double level, struct tare_interval *out)
{
    *out = stats_no_interval(n, level);
    if (n < 0 || !stats_level_ok(level) || !stats_all_finite(x, n) || !stats_all_finite(y, n))
        return TARE_INVALID;
    if (n == 0)
        return TARE_OK;
    const double unit[] = {stats_unit(x, n), stats_unit(y, n)};
    const double mean[] = {stats_mean_in_unit(x, n, unit[0]), stats_mean_in_unit(y, n, unit[1])}, ratio = mean[1] / mean[0];
    const int scale = ilogb(unit[0]) - ilogb(unit[1]);
    if (mean[0] == 0)
        return TARE_OK;
    out->point = stats_finite(ldexp(ratio, scale));
    if (n < 2)
        return TARE_OK;
    double v[3];
    residual_moments(x, y, n, unit, mean, v);
    double t = tare_student_quantile(level / 2, (double)n - 1), g1 = mean[0] * mean[0] - t * t * v[0];
    if (!(g1 > 0))
        return TARE_OK;
    double shift = t * t * v[1], half = sqrt(t * t * (g1 * v[2] + t * t * v[1] * v[1]));
    out->low = ldexp(ratio - (shift + half) / g1, scale);
    out->high = ldexp(ratio - (shift - half) / g1, scale);
    return TARE_OK;
}
