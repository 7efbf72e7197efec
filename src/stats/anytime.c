/* SPDX-License-Identifier: MIT
 *
 * E-values: tests that may be looked at after every value (Ville 1939; Ramdas, Grunwald, Vovk and Shafer 2023).
 *
 * Coin: the likelihood ratio of a beta (a, a) mixture over the coin's bias against a fair one after n = h + t tosses is
 *     E = 2^n B(h + a, t + a) / B(a, a),
 * a martingale that starts at 1 if every toss is fair given the past. With p = h + a, q = t + a, m = p + q, D and S as in beta.c,
 *     ln E = D(p, m/2) + D(q, m/2) - ln(pq/m)/2 + ln(a/2)/2 + S(p) + S(q) - S(m) - 2 S(a) + S(2a),
 * in which nothing cancels. The average over several a is one too; each further a costs ln 4 at most.
 * Symmetric: exp(l sum x - l^2/2 sum x^2) is a supermartingale for every l when each x is symmetric about 0 given the past (de la Pena
 * 1999), since cosh(y) <= exp(y^2/2); averaged over l ~ N(0, r) it is (1 + r v)^(-1/2) exp(r s^2 / (2 (1 + r v))). r =
 * 1/(scale 10^3), 1/(scale 3 10^4), 1/(scale 10^6): those are about the n at which each is strongest.
 * Smallest n: any; the evidence of few values is small. Ties and zeros carry none.
 */
#include "stats_core.h"

static double log_e_beta(double more, double fewer, double a)
{
    double p = more + a, q = fewer + a, m = p + q;
    double priors = 2 * stats_stirling_error(a) - stats_stirling_error(2 * a) - 0.5 * log(a / 2);
    return stats_deviance(p, m / 2) + stats_deviance(q, m / 2) - 0.5 * log(p / m * q) + stats_stirling_error(p) +
           stats_stirling_error(q) - stats_stirling_error(m) - priors;
}

double tare_log_e_coin(double heads, double tails)
{
    static const double priors[] = {0.5, 20, 800, 30000};
    enum { N = sizeof priors / sizeof *priors };
    if (!(heads >= 0 && tails >= 0) || isinf(heads + tails))
        return NAN;
    double more = fmax(heads, tails), fewer = fmin(heads, tails), each[N]; /* exactly the same for either side */
    for (int i = 0; i < N; i++)
        each[i] = heads + tails > 0 ? log_e_beta(more, fewer, priors[i]) : 0;
    return tare_log_mean_exp(each, N);
}

double tare_log_e_symmetric(double s, double v, double scale)
{
    static const double strongest_at[] = {1e3, 3e4, 1e6};
    enum { N = sizeof strongest_at / sizeof *strongest_at };
    if (!isfinite(s) || !(v >= 0) || isinf(v) || !(scale > 0) || isinf(scale))
        return NAN;
    double each[N];
    const double z = s / sqrt(scale), w = v / scale;
    if (!isfinite(z) || !isfinite(w))
        return NAN;
    for (int i = 0; i < N; i++)
        each[i] = z / (w + strongest_at[i]) * z / 2 - 0.5 * log1p(w / strongest_at[i]);
    return stats_finite(tare_log_mean_exp(each, N));
}

double tare_log_mean_exp(const double *x, ptrdiff_t n)
{
    double most = -INFINITY, sum = 0;
    if (n < 0)
        return NAN;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (isnan(x[i]))
            return NAN;
        most = fmax(most, x[i]);
    }
    if (isinf(most))
        return most;
    for (ptrdiff_t i = 0; i < n; i++)
        sum += exp(x[i] - most);
    return most + log(sum / (double)n);
}

/* The k largest are rejected, k the largest number with e of the k-th >= n / (k alpha). */
ptrdiff_t tare_e_bh(const double *log_e, ptrdiff_t n, double alpha, bool *rejected, double *scratch)
{
    if (n < 0 || !stats_level_ok(alpha))
        return -1;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (isnan(log_e[i]))
            return -1;
        scratch[i] = log_e[i];
    }
    tare_sort(scratch, n);
    ptrdiff_t k = n;
    while (k > 0 && scratch[n - k] < log((double)n / ((double)k * alpha)))
        k--;
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        count += rejected[i] = k > 0 && log_e[i] >= scratch[n - k];
    return count;
}
