/* SPDX-License-Identifier: MIT
 *
 * Intervals of a mean that hold at all n at once.
 *
 * Asymptotic (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, theorem 2.2): radius
 *     sd sqrt( 2 (n r^2 + 1) / (n^2 r^2) ln( sqrt(n r^2 + 1) / level ) ),
 * Robbins' normal mixture for Brownian motion carried over by strong approximation, r^2 = (-2 ln level + ln(1 - 2 ln level)) / n_tight,
 * where it is narrowest. Assumes finite variance and values that are martingale differences about their conditional means;
 * the promise is one of the limit: it wants a burn-in.
 *
 * Bounded, exact (Waudby-Smith and Ramdas 2024, theorem 2), for x in [0, 1] with conditional mean mu: with bets
 *     l_i = min(1/2, sqrt(2 ln(2/level) / (v_(i-1) i ln(i + 1)))),  v_i = (1/4 + sum (x_j - m_j)^2) / (i + 1),  m_i = (1/2 + sum x_j) / (i + 1)
 * the intervals  sum l_i x_i / sum l_i +- (ln(2/level) + sum 4 (x_i - m_(i-1))^2 psi(l_i)) / sum l_i,  psi(l) = (-ln(1 - l) - l) / 4
 * hold together with probability 1 - level, and so does their intersection. Smallest n: 1 (then wide). Constant data narrow like ln(n)/n.
 */
#include "stats_core.h"

enum tare_status tare_mean_cs_asymptotic(double mean, double sd, ptrdiff_t n, ptrdiff_t n_tight, double level,
                                         struct tare_interval *out)
{
    *out = stats_no_interval(n, level);
    if (n < 0 || n_tight < 1 || !stats_level_ok(level) || (n > 0 && !isfinite(mean)) || (n > 1 && !(sd >= 0 && isfinite(sd))))
        return TARE_INVALID;
    if (n > 0)
        out->point = mean;
    if (n < 2)
        return TARE_OK;
    double r2 = (-2 * log(level) + log1p(-2 * log(level))) / (double)n_tight, nr2 = (double)n * r2;
    double radius = sd * sqrt(2 * (nr2 + 1) / ((double)n * nr2) * (0.5 * log1p(nr2) - log(level)));
    out->low = mean - radius;
    out->high = mean + radius;
    return TARE_OK;
}

enum tare_status tare_bounded_mean_start(struct tare_bounded_mean *m, double low, double high, double level)
{
    *m = (struct tare_bounded_mean){.low = low, .high = high, .level = level, .best_high = 1, .broken = true};
    if (!isfinite(low) || !isfinite(high) || !(low < high) || isinf(high - low) || !stats_level_ok(level))
        return TARE_INVALID;
    m->broken = false;
    return TARE_OK;
}

static void narrow(struct tare_bounded_mean *m)
{
    double centre = m->at / m->weight, radius = (log(2 / m->level) + m->penalty) / m->weight;
    m->best_low = fmax(m->best_low, centre - radius);
    m->best_high = fmin(m->best_high, centre + radius);
    m->broken = m->best_low > m->best_high; /* no one mean fits: it was not constant */
}

void tare_bounded_mean_add(struct tare_bounded_mean *m, double x)
{
    if (m->broken || !(x >= m->low && x <= m->high)) {
        m->broken = true;
        return;
    }
    double y = (x - m->low) / (m->high - m->low), before = (double)m->n, i = before + 1;
    double variance = (0.25 + m->squares) / i, mean = (0.5 + m->sum) / i; /* of what came before */
    double bet = fmin(0.5, sqrt(2 * log(2 / m->level) / (variance * i * log1p(i))));
    m->weight += bet;
    m->at += bet * y;
    m->penalty += (y - mean) * (y - mean) * (-log1p(-bet) - bet); /* the 4 of the square and the 1/4 of psi */
    m->n++;
    m->sum += y;
    double now = (0.5 + m->sum) / (i + 1);
    m->squares += (y - now) * (y - now);
    narrow(m);
}

void tare_bounded_mean_ci(const struct tare_bounded_mean *m, struct tare_interval *out)
{
    *out = stats_no_interval(m->n, m->level);
    if (m->broken)
        return;
    double range = m->high - m->low;
    out->low = m->low;
    out->high = m->high;
    if (m->n == 0)
        return;
    out->point = m->low + range * (m->sum / (double)m->n);
    out->low = m->low + range * m->best_low;
    out->high = m->low + range * m->best_high;
}
