/* SPDX-License-Identifier: MIT
 *
 * stats_rates.h - events that come at a rate: an exact interval for the rate, and an exact test of whether it rose.
 *
 *     struct tare_interval rate;
 *     stats_rate_ci_garwood(250, 2.0, 0.05, &rate);       // 250 events in 2 s: 125 [110, 141] per second
 *     double p = stats_rates_rose_p(250, 2.0, 300, 2.0);  // chance of so many more, did the rate not rise
 *
 * Formulas, assumptions and smallest n: rates.c. Pure; no memory.
 */
#ifndef STATS_RATES_H
#define STATS_RATES_H

#include <tare/stats.h>

/* k events in `exposure` > 0 (seconds, metres ...); point, low and high per unit of it. k = 0: low = 0. TARE_INVALID: k < 0, an exposure that is
 * not positive and finite, a bad level. out->n = k. */
enum tare_status stats_rate_ci_garwood(ptrdiff_t k, double exposure, double level, struct tare_interval *out);

/* One-sided p of "the second rate is not above the first": P(X >= after), X binomial of before + after trials with the second's share of the
 * exposure. 1 when there are no events at all. NaN for a negative count or an exposure that is not positive and finite. */
double stats_rates_rose_p(ptrdiff_t before, double exposure_before, ptrdiff_t after, double exposure_after);

#endif
