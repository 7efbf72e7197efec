/* SPDX-License-Identifier: MIT
 *
 * Student's t distribution, the t interval of a mean, and Welch's interval of the difference of two.
 *
 * P(T <= -t) = I_x(df/2, 1/2) / 2 with x = df / (df + t^2). The quantile is Newton's method on ln(probability) against ln t:
 * a straight line far out and near 0, concave between. Interval: mean +- t(1 - level/2, n - 1) sd / sqrt(n); assumes
 * independent values and a near-normal mean; n < 2 gives no interval, constant data a point.
 * Welch (1947): d +- t(1 - level/2, f) s, s^2 = a + b, a = sd(x)^2/n, b = sd(y)^2/m, f = s^4 / (a^2/(n - 1) + b^2/(m - 1)); f lies between
 * the smaller of n - 1, m - 1 and n + m - 2. n or m < 2 gives no interval, two constants a point.
 */
#include "stats_core.h"

static const double FAR = 1e100; /* in units of sqrt(df) */

/* For t > 0: P(T < -t), P(-t < T < t), and t times the density at t. */
static void student_parts(double t, double df, double *tail, double *centre, double *t_density)
{
    const double far = sqrt(df) * FAR;
    if (t > far) { /* a power law to the last bit; t^2 may overflow */
        student_parts(far, df, tail, centre, t_density);
        const double less = pow(far / t, df);
        *tail *= less;
        *t_density *= less;
        return;
    }
    double square = t * t, x = 1 / (1 + square / df), y = 1 / (1 + df / square);
    if (square < 1e-290) { /* t^2 underflows; the density is flat there */
        double outside, inside;
        student_parts(1e-140, df, &outside, &inside, t_density);
        *t_density *= t / 1e-140;
        *centre = inside * (t / 1e-140);
        *tail = 0.5;
        return;
    }
    double lower;
    stats_beta(df / 2, 0.5, x, y, &lower, centre, t_density);
    *tail = lower / 2;
}

double tare_student_cdf(double t, double df)
{
    if (isnan(t) || !(df >= 0.5))
        return NAN;
    if (df > 1e15)
        return tare_normal_cdf(t);
    if (t == 0)
        return 0.5;
    double tail, centre, t_density;
    student_parts(fabs(t), df, &tail, &centre, &t_density);
    return t < 0 ? tail : 1 - tail;
}

/* t > 0 with P(T < -t) = tail where tails have lost digits or underflow: Newton's method on logarithms of both. */
static double far_quantile(double tail, double df)
{
    const double u_far = 0.5 * log(df) + log(FAR);
    double u = log(-tare_normal_quantile(tail)), slope;
    for (int i = 0; i < 200; i++) {
        const double within = fmin(u, u_far), square = exp(2 * within);
        double ln_tail = stats_beta_log_lower(df / 2, 0.5, 1 / (1 + square / df), 1 / (1 + df / square), &slope) - log(2);
        ln_tail -= df * (u - within);
        const double step = (ln_tail - log(tail)) / (2 * slope);
        u += step;
        if (fabs(step) < 1e-15 * (1 + fabs(u)))
            break;
    }
    return exp(u);
}

/* t > 0 with P(T < -t) = tail, or with P(-t < T < t) = centre, whichever is the smaller of the two. */
static double positive_quantile(double tail, double centre, double df)
{
    bool by_tail = tail < centre;
    if (tail < 1e-200)
        return far_quantile(tail, df);
    double u = log(fmax(-tare_normal_quantile(tail), 1e-300));
    for (int i = 0; i < 200; i++) {
        double at_tail, at_centre, t_density;
        student_parts(exp(u), df, &at_tail, &at_centre, &t_density);
        double step = by_tail ? log(at_tail / tail) * at_tail / t_density : log(centre / at_centre) * at_centre / (2 * t_density);
        if (!isfinite(step))
            return NAN;
        u += step;
        if (fabs(step) < 1e-15)
            break;
    }
    return exp(u);
}

double tare_student_quantile(double p, double df)
{
    if (!(p >= 0 && p <= 1) || !(df >= 0.5))
        return NAN;
    if (df > 1e15)
        return tare_normal_quantile(p);
    if (p == 0.5)
        return 0;
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    return stats_finite(p < 0.5 ? -positive_quantile(p, 1 - 2 * p, df) : positive_quantile(1 - p, 2 * p - 1, df));
}

enum tare_status tare_mean_ci_student(const double *x, ptrdiff_t n, double level, struct tare_interval *out)
{
    *out = stats_no_interval(n, level);
    if (n < 0 || !stats_level_ok(level) || !stats_all_finite(x, n))
        return TARE_INVALID;
    if (n == 0)
        return TARE_OK;
    const struct stats_spread of_x = stats_spread(x, n, stats_unit(x, n));
    out->point = of_x.mean;
    if (n >= 2) {
        const double half = -tare_student_quantile(level / 2, (double)n - 1) * of_x.sd / sqrt((double)n);
        out->low = out->point - half;
        out->high = out->point + half;
    }
    stats_interval_in_unit(out, of_x.unit);
    return TARE_OK;
}

enum tare_status tare_shift_ci_welch(const double *x, ptrdiff_t n, const double *y, ptrdiff_t m, double level,
                                     struct tare_interval *out)
{
    *out = stats_no_interval(n < m ? n : m, level);
    if (n < 0 || m < 0 || !stats_level_ok(level) || !stats_all_finite(x, n) || !stats_all_finite(y, m))
        return TARE_INVALID;
    if (!n || !m)
        return TARE_OK;
    const double unit = stats_unit_of_two(x, n, y, m);
    const struct stats_spread of_x = stats_spread(x, n, unit), of_y = stats_spread(y, m, unit);
    out->point = of_y.mean - of_x.mean;
    if (n >= 2 && m >= 2) {
        double se_x = of_x.sd / sqrt((double)n), se_y = of_y.sd / sqrt((double)m), se = hypot(se_x, se_y), half = 0;
        if (se > 0) {
            double share_x = pow(se_x / se, 4) / ((double)n - 1), share_y = pow(se_y / se, 4) / ((double)m - 1);
            half = -tare_student_quantile(level / 2, 1 / (share_x + share_y)) * se;
        }
        out->low = out->point - half;
        out->high = out->point + half;
    }
    stats_interval_in_unit(out, unit);
    return TARE_OK;
}
