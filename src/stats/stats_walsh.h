/* SPDX-License-Identifier: MIT
 *
 * stats_walsh.h - tare_hl_ci_walsh for many samples of one size: its rank follows from n and the level alone, and takes longer to find than the rest.
 *
 *     const int64_t k = tare_signed_rank_k(n, level, scratch);
 *     for (int i = 0; i < 100; i++)
 *         stats_hl_ci_of_rank(d[i], n, level, k, scratch, &shift[i]);
 */
#ifndef STATS_WALSH_H
#define STATS_WALSH_H

#include <tare/stats.h>

/* scratch: 2 n doubles. */
enum tare_status stats_hl_ci_of_rank(const double *d, ptrdiff_t n, double level, int64_t k, double *scratch,
                                     struct tare_interval *out);

#endif
