/* SPDX-License-Identifier: MIT
 *
 * Hodges and Lehmann's shift (1963) with the interval that inverts Wilcoxon's signed-rank test.
 *
 * Point: median of the M = n(n+1)/2 Walsh averages W = (d_i + d_j)/2, i <= j. Interval: [W(k), W(M+1-k)] in ascending order,
 * k from the law of the signed-rank statistic. Assumes independent d, symmetric about the shift; exact at a shift of 0 when
 * each sign is a fair coin. Smallest n with an interval: 1 + log2(1/level). Ties widen nothing and make it cover more;
 * constant data give [d, d]; n = 1 gives a point; n = 0 nothing.
 *
 * Selection: the W of sorted d form a matrix with ascending rows and columns, so the number of W <= x is counted in one walk of
 * 2n steps (pairs_select.c).
 */
#include "number_sort.h"
#include "stats_beyond.h"
#include "stats_core.h"
#include <string.h>

/* Halves of the sorted d: W is then a sum, and cannot overflow. */
struct walsh {
    const double *half;
    ptrdiff_t n;
};

static int64_t count_upto(const void *walsh, double x)
{
    const struct walsh *w = walsh;
    int64_t count = 0;
    for (ptrdiff_t i = 0, j = w->n - 1; i <= j; i++) {
        while (j >= i && w->half[i] + w->half[j] > x)
            j--;
        count += j - i + 1;
    }
    return count;
}

/* The smallest W above x; INFINITY: none. *upto: how many are not. */
static double next_above(const struct walsh *w, double x, int64_t *upto)
{
    double next = INFINITY;
    *upto = 0;
    for (ptrdiff_t i = 0, end = w->n - 1; i < w->n; i++) {
        while (end >= i && w->half[i] + w->half[end] > x)
            end--;
        const ptrdiff_t above = end < i ? i : end + 1;
        *upto += above - i;
        if (above < w->n)
            next = fmin(next, w->half[i] + w->half[above]);
    }
    return next;
}

/* Lists the W with above < W <= upto; returns how many. */
static ptrdiff_t list_between(const void *walsh, double above, double upto, double *list)
{
    const struct walsh *w = walsh;
    ptrdiff_t found = 0;
    for (ptrdiff_t i = 0, end = w->n - 1; i < w->n; i++) {
        while (end >= i && w->half[i] + w->half[end] > upto)
            end--;
        for (ptrdiff_t j = end; j >= i && w->half[i] + w->half[j] > above; j--)
            list[found++] = w->half[i] + w->half[j];
    }
    return found;
}

/* How many W there are. */
static int64_t walsh_all(ptrdiff_t n)
{
    return (int64_t)n * (n + 1) / 2;
}

/* The k-th smallest W, 1 <= k <= M. list has room for n. */
static double walsh_select(const struct walsh *w, int64_t k, double *list)
{
    const struct stats_pairs pairs = {.count_upto = count_upto,
                                      .list_between = list_between,
                                      .context = w,
                                      .n = walsh_all(w->n),
                                      .room = w->n,
                                      .least = 2 * w->half[0],
                                      .largest = 2 * w->half[w->n - 1]};
    return stats_pairs_select(&pairs, k, list);
}

/* m: how many there are. */
static double walsh_median(const struct walsh *w, int64_t m, double *list)
{
    int64_t upto;
    const double middle = walsh_select(w, (m + 1) / 2, list), next = m % 2 ? middle : next_above(w, middle, &upto);
    return m % 2 ? middle : middle / 2 + (upto > m / 2 ? middle : next) / 2;
}

enum tare_status tare_hl_ci_walsh(const double *d, ptrdiff_t n, double level, void *scratch, struct tare_interval *out)
{
    return stats_hl_ci_of_rank(d, n, level, tare_signed_rank_k(n, level, scratch), scratch, out);
}

enum tare_status stats_hl_ci_of_rank(const double *d, ptrdiff_t n, double level, int64_t k, double *scratch,
                                     struct tare_interval *out)
{
    *out = stats_no_interval(n, level);
    if (n < 0 || !stats_level_ok(level) || !stats_all_finite(d, n))
        return TARE_INVALID;
    if (n == 0)
        return TARE_OK;
    const int64_t m = walsh_all(n);
    double *half = scratch, *list = half + n;
    memcpy(half, d, (size_t)n * sizeof *d);
    number_sort(half, n, list);
    double smallest = half[0], largest = half[n - 1];
    const double unit = fmax(stats_unit(d, n), 1); /* halves of denormals lose a bit; large sums of halves need nothing */
    for (ptrdiff_t i = 0; i < n; i++)
        half[i] *= unit / 2;
    struct walsh w = {half, n};
    if (smallest == largest) {
        out->point = smallest;
        if (k > 0)
            out->low = out->high = smallest;
        return TARE_OK;
    }
    out->point = walsh_median(&w, m, list);
    if (k > 0) {
        out->low = walsh_select(&w, k, list);
        out->high = walsh_select(&w, m + 1 - k, list);
    }
    stats_interval_in_unit(out, unit);
    return TARE_OK;
}
