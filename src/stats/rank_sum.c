/* SPDX-License-Identifier: MIT
 *
 * Two samples: Wilcoxon's (1945) rank sum in the form of Mann and Whitney (1947).
 *
 * u counts the pairs with x_i > y_j, ties by half. Mean n m / 2, variance n m / 12 (N + 1 - sum t(t^2-1) / (N(N-1))) over groups
 * of t equal values among all N = n + m; normal with continuity correction of 1/2, fair from 8 values on each side.
 * Assumes independent values of one law under the null; what it finds is a shift, or more generally P(x > y) far from 1/2.
 * All values equal, or a side of 0: z = 0, p = 1.
 */
#include "stats_core.h"
#include <string.h>

enum tare_status tare_rank_sum_test(const double *x, ptrdiff_t n, const double *y, ptrdiff_t m, double *scratch,
                                    struct tare_rank_sum *out)
{
    *out = (struct tare_rank_sum){.u = NAN, .z = NAN, .p = NAN};
    if (n < 0 || m < 0 || !stats_all_finite(x, n) || !stats_all_finite(y, m))
        return TARE_INVALID;
    *out = (struct tare_rank_sum){.p = 1};
    if (!n || !m)
        return TARE_OK;
    double *all = scratch, *own = scratch + n + m; /* both sides, and x alone, ascending */
    memcpy(all, x, (size_t)n * sizeof *x);
    memcpy(all + n, y, (size_t)m * sizeof *y);
    memcpy(own, x, (size_t)n * sizeof *x);
    tare_sort(all, n + m);
    tare_sort(own, n);
    double total = (double)(n + m), ranks = 0, ties = 0;
    for (ptrdiff_t first = 0, next, mine = 0; first < n + m; first = next) {
        for (next = first + 1; next < n + m && all[next] == all[first];)
            next++;
        double t = (double)(next - first), midrank = (double)(first + next + 1) / 2;
        ties += t * (t * t - 1);
        for (; mine < n && own[mine] == all[first]; mine++)
            ranks += midrank;
    }
    double size = (double)n, product = size * (double)m;
    double variance = product / 12 * (total + 1 - ties / (total * (total - 1)));
    out->u = ranks - size * (size + 1) / 2;
    double apart = out->u - product / 2;
    if (variance > 0 && fabs(apart) > 0.5)
        out->z = (apart - copysign(0.5, apart)) / sqrt(variance);
    out->p = 2 * tare_normal_cdf(-fabs(out->z));
    return TARE_OK;
}
