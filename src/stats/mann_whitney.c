/* SPDX-License-Identifier: MIT
 *
 * Two independent samples: Hodges and Lehmann's shift (1963) with the interval that inverts the test of Mann and Whitney (1947).
 *
 * Point: median of the n m differences D = y_j - x_i. Interval: [D(k), D(nm+1-k)] in ascending order, k - 1 the largest u with
 * P(U <= u) <= level/2, U the number of pairs with y below x when both samples have one law. Assumes independent values within and
 * between the samples, and laws that differ by a shift alone (equal shapes); then it covers with at least 1 - level.
 * Smallest n with an interval: 2/C(n+m, n) <= level, so 4 and 4 at .05, 5 and 5 at .01. Ties make it cover more; all D equal:
 * [d, d]; an empty sample: nothing.
 *
 * The law of U. Small samples: exact, by the recurrence on the largest value of all, p(n,m,u) = n/(n+m) p(n-1,m,u-m) +
 * m/(n+m) p(n,m-1,u), whose terms are all positive. Others: Edgeworth's expansion to the third order; the cumulants of U are
 * B(2r)/(2r) sum over i = 1..n of (m+i)^2r - i^2r, B Bernoulli's numbers (U is a ratio of products of sinh; see
 * Fix and Hodges 1955).
 */
#include "stats_core.h"
#include <stdint.h>
#include <string.h>

enum { EXACT_BOTH = 50, EXACT_FEW = 9, EXACT_MANY = 400 };

static ptrdiff_t smaller(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

static ptrdiff_t larger(ptrdiff_t a, ptrdiff_t b)
{
    return a > b ? a : b;
}

/* The law of U for 0..few values against j, up to the middle of the last: one row for each. */
static size_t law_size(ptrdiff_t few, ptrdiff_t many)
{
    return (size_t)(few + 1) * (size_t)(few * many / 2 + 1);
}

/* Kept for large samples too, so that scratch made for them serves all smaller ones. */
static size_t law_room(ptrdiff_t few, ptrdiff_t many)
{
    size_t both = law_size(smaller(few, EXACT_BOTH), smaller(many, EXACT_BOTH));
    size_t uneven = law_size(smaller(few, EXACT_FEW), smaller(many, EXACT_MANY));
    return both > uneven ? both : uneven;
}

size_t tare_shift_scratch_bytes(ptrdiff_t n, ptrdiff_t m)
{
    if (n <= 0 || m <= 0)
        return 0;
    if (n > PTRDIFF_MAX / 64 || m > PTRDIFF_MAX / 64)
        return SIZE_MAX;
    size_t lists = (size_t)(n + m) * 2, law = law_room(smaller(n, m), larger(n, m));
    return sizeof(double) * (lists > law ? lists : law);
}

/* One more value in the larger sample, j in all. Rows ascend, so row i - 1 is of j already, as the recurrence asks. */
static void law_step(double *law, ptrdiff_t few, ptrdiff_t room, ptrdiff_t j)
{
    for (ptrdiff_t i = 1; i <= few; i++) {
        double *row = law + i * room;
        const double *before = row - room, all = (double)(i + j);
        for (ptrdiff_t u = 0; u < room; u++)
            row[u] = ((double)j * row[u] + (u >= j ? (double)i * before[u - j] : 0)) / all;
    }
}

static ptrdiff_t exact_k(ptrdiff_t few, ptrdiff_t many, double limit, double *law)
{
    ptrdiff_t room = few * many / 2 + 1;
    memset(law, 0, law_size(few, many) * sizeof *law);
    for (ptrdiff_t i = 0; i <= few; i++)
        law[i * room] = 1; /* against no value U is 0 */
    for (ptrdiff_t j = 1; j <= many; j++)
        law_step(law, few, room, j);
    const double *last = law + few * room;
    double sum = 0;
    ptrdiff_t k = 0;
    while (k < room && (sum += last[k]) <= limit)
        k++;
    return k;
}

static int64_t approximate_k(ptrdiff_t few, ptrdiff_t many, double limit)
{
    struct stats_cumulants c = {.mean = (double)few * (double)many / 2};
    for (ptrdiff_t i = 1; i <= few; i++) {
        double a = (double)(many + i) * (double)(many + i), b = (double)i * (double)i;
        c.k2 += (a - b) / 12;
        c.k4 -= (a * a - b * b) / 120;
        c.k6 += (a * a * a - b * b * b) / 252;
        c.k8 -= (a * a * a * a - b * b * b * b) / 240;
    }
    return stats_edgeworth_k(&c, (int64_t)few * many / 2, limit);
}

int64_t tare_mann_whitney_k(ptrdiff_t n, ptrdiff_t m, double level, void *scratch)
{
    if (n <= 0 || m <= 0 || !stats_level_ok(level))
        return 0;
    double limit = level / 2 * STATS_TIE;
    ptrdiff_t few = smaller(n, m), many = larger(n, m);
    return (many <= EXACT_BOTH || (few <= EXACT_FEW && many <= EXACT_MANY)) ? exact_k(few, many, limit, scratch)
                                                                            : approximate_k(few, many, limit);
}

struct differences { /* of two ascending samples */
    const double *x, *y;
    ptrdiff_t n, m;
};

static int64_t count_upto(const void *differences, double d)
{
    const struct differences *s = differences;
    int64_t count = 0;
    for (ptrdiff_t i = 0, j = 0; i < s->n; i++, count += j)
        while (j < s->m && s->y[j] - s->x[i] <= d)
            j++;
    return count;
}

static ptrdiff_t list_between(const void *differences, double above, double upto, double *list)
{
    const struct differences *s = differences;
    ptrdiff_t found = 0;
    for (ptrdiff_t i = 0, start = 0; i < s->n; i++) {
        while (start < s->m && s->y[start] - s->x[i] <= above)
            start++;
        for (ptrdiff_t j = start; j < s->m && s->y[j] - s->x[i] <= upto; j++)
            list[found++] = s->y[j] - s->x[i];
    }
    return found;
}

enum tare_status tare_shift_ci_mann_whitney(const double *x, ptrdiff_t n, const double *y, ptrdiff_t m, double level,
                                            void *scratch, struct tare_interval *out)
{
    *out = stats_no_interval(smaller(n, m), level);
    if (n < 0 || m < 0 || !stats_level_ok(level) || !stats_all_finite(x, n) || !stats_all_finite(y, m))
        return TARE_INVALID;
    if (!n || !m)
        return TARE_OK;
    int64_t k = tare_mann_whitney_k(n, m, level, scratch), all = (int64_t)n * m;
    double *own_x = scratch, *own_y = own_x + n, *list = own_y + m;
    const double unit = fmax(stats_unit_of_two(x, n, y, m), 1); /* half of a denormal loses a bit */
    for (ptrdiff_t i = 0; i < n; i++)
        own_x[i] = x[i] * unit;
    for (ptrdiff_t j = 0; j < m; j++)
        own_y[j] = y[j] * unit;
    tare_sort(own_x, n);
    tare_sort(own_y, m);
    struct differences s = {own_x, own_y, n, m};
    struct stats_pairs p = {.count_upto = count_upto,
                            .list_between = list_between,
                            .context = &s,
                            .n = all,
                            .room = n + m,
                            .least = own_y[0] - own_x[n - 1],
                            .largest = own_y[m - 1] - own_x[0]};
    if (!isfinite(p.least) || !isfinite(p.largest))
        return TARE_INVALID; /* the differences overflow */
    out->point = stats_pairs_select(&p, all / 2 + 1, list);
    if (all % 2 == 0)
        out->point = stats_pairs_select(&p, all / 2, list) / 2 + out->point / 2;
    if (k > 0) {
        out->low = stats_pairs_select(&p, k, list);
        out->high = stats_pairs_select(&p, all + 1 - k, list);
    }
    stats_interval_in_unit(out, unit);
    return TARE_OK;
}

/* The test alone, for large samples. */

/* Wilcoxon's (1945) rank sum. u counts the pairs with x_i > y_j, ties by half. Mean n m / 2, variance n m / 12 (N + 1 - sum t(t^2-1) / (N(N-1))) over
 * groups of t equal values among all N = n + m; normal with continuity correction of 1/2, fair from 8 values on each side. Assumes independent values
 * of one law under the null; what it finds is a shift, or more generally P(x > y) far from 1/2. All values equal, or a side of 0: z = 0, p = 1. */
enum tare_status tare_rank_sum_test(const double *x, ptrdiff_t n, const double *y, ptrdiff_t m, double *scratch,
                                    struct tare_rank_sum *out)
{
    *out = (struct tare_rank_sum){.u = NAN, .z = NAN, .p = NAN};
    if (n < 0 || m < 0 || !stats_all_finite(x, n) || !stats_all_finite(y, m))
        return TARE_INVALID;
    *out = (struct tare_rank_sum){.p = 1};
    if (!n || !m)
        return TARE_OK;
    double *own = scratch, *others = scratch + n, total = (double)(n + m), ranks = 0, ties = 0;
    memcpy(own, x, (size_t)n * sizeof *x);
    memcpy(others, y, (size_t)m * sizeof *y);
    tare_sort(own, n);
    tare_sort(others, m);
    for (ptrdiff_t mine = 0, theirs = 0; mine < n || theirs < m;) {
        const double at = theirs == m || (mine < n && own[mine] < others[theirs]) ? own[mine] : others[theirs];
        const ptrdiff_t before = mine + theirs, first = mine;
        while (mine < n && own[mine] == at)
            mine++;
        while (theirs < m && others[theirs] == at)
            theirs++;
        const double t = (double)(mine + theirs - before);
        ties += t * (t * t - 1);
        ranks += (double)(mine - first) * ((double)before + (t + 1) / 2);
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
