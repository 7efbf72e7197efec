/* SPDX-License-Identifier: MIT
 *
 * Slope of y over x: Theil's (1950) and Sen's (1968) median of the slopes of all pairs, with the interval that inverts Kendall's test.
 *
 * Point: median of the N slopes (y_j - y_i) / (x_j - x_i) over pairs with x_i < x_j. Interval: the k-th smallest and the k-th largest,
 * k = floor((N + 1 - z sqrt(V)) / 2), V = (n(n-1)(2n+5) - sum u(u-1)(2u+5)) / 18 over groups of u equal x (Sen 1968, eq. 2.6):
 * Kendall's S = N - 2 #{slopes < b} is about normal with variance V where b is the slope; continuity correction of 1.
 * Assumes: y - b x independent of x, and independent of each other; any law. A fourth of the points may be anywhere
 * (breakdown 29 %), where least squares follow a single far one. Errors in x draw it towards 0, as they do least squares: it
 * is then the slope that predicts y from x as measured.
 * Smallest n with an interval: 5 at a level of .05, 6 at .01. Ties in y make it cover more. All x equal, n of 0 or 1: no value.
 *
 * The slopes are found by selection (slope_select.c); every slope is a mean of those between neighbouring groups of equal x.
 */
#include "stats_core.h"
#include <string.h>

/* Which of two goes first is as good as random, so no branch depends on it. */
static inline ptrdiff_t goes_after(const struct stats_point *a, const struct stats_point *b)
{
    return (a->x > b->x) | ((a->x == b->x) & (a->y > b->y));
}

static void merge_points(const struct stats_point *left, ptrdiff_t n_left, const struct stats_point *right, ptrdiff_t n_right,
                         struct stats_point *into)
{
    const struct stats_point *const left_end = left + n_left, *const right_end = right + n_right;
    while (left < left_end && right < right_end) {
        const ptrdiff_t after = goes_after(left, right);
        *into++ = *(after ? right : left);
        right += after;
        left += 1 - after;
    }
    while (left < left_end)
        *into++ = *left++;
    while (right < right_end)
        *into++ = *right++;
}

void stats_sort_points(struct stats_point *p, struct stats_point *spare, ptrdiff_t n)
{
    struct stats_point *from = p, *into = spare;
    for (ptrdiff_t width = 1; width < n; width *= 2) {
        for (ptrdiff_t start = 0; start < n; start += 2 * width) {
            const ptrdiff_t mid = width < n - start ? start + width : n, end = width < n - mid ? mid + width : n;
            merge_points(from + start, mid - start, from + mid, end - mid, into + start);
        }
        struct stats_point *t = from;
        from = into, into = t;
    }
    if (from != p)
        memcpy(p, from, (size_t)n * sizeof *p);
}

/* A walk over the groups of equal x. Returns the variance of Kendall's S. */
static double measure_groups(struct stats_slopes *s, const struct stats_point *p)
{
    double n = (double)s->n, variance = n * (n - 1) * (2 * n + 5);
    s->pairs = (int64_t)s->n * (s->n - 1) / 2;
    s->least = INFINITY, s->most = -INFINITY;
    for (ptrdiff_t first = 0, next; first < s->n; first = next) {
        for (next = first + 1; next < s->n && p[next].x == p[first].x;)
            next++;
        double u = (double)(next - first);
        s->pairs -= (int64_t)(next - first) * (next - first - 1) / 2;
        variance -= u * (u - 1) * (2 * u + 5);
        if (next == s->n)
            break;
        ptrdiff_t last = next; /* of the group that follows */
        while (last + 1 < s->n && p[last + 1].x == p[next].x)
            last++;
        double step = p[next].x - p[first].x;
        s->least = fmin(s->least, (p[next].y - p[next - 1].y) / step);
        s->most = fmax(s->most, (p[last].y - p[first].y) / step);
    }
    return variance / 18;
}

static double in_units(double slope, double x_unit, double y_unit)
{
    return ldexp(slope, ilogb(x_unit) - ilogb(y_unit));
}

enum tare_status tare_slope_ci_kendall(const double *x, const double *y, ptrdiff_t n, double level, double *scratch,
                                       struct tare_interval *out)
{
    *out = stats_no_interval(n, level);
    if (n < 0 || !stats_level_ok(level) || !stats_all_finite(x, n) || !stats_all_finite(y, n))
        return TARE_INVALID;
    if (n < 2)
        return TARE_OK;
    struct stats_point *points = (struct stats_point *)scratch;
    double *rest = scratch + 2 * n;
    const double x_unit = stats_unit_of_sums(x, n), y_unit = stats_unit_of_sums(y, n);
    for (ptrdiff_t i = 0; i < n; i++)
        points[i] = (struct stats_point){x[i] * x_unit, y[i] * y_unit};
    stats_sort_points(points, (struct stats_point *)rest, n);
    struct stats_slopes s = {
        .x = &points->x, .y = &points->y, .stride = 2, .n = n, .y_unit = 1, .residuals = rest, .spare = rest + n};
    const double variance = measure_groups(&s, points);
    if (!s.pairs)
        return TARE_OK;
    out->point = stats_finite(in_units(stats_median_slope(&s), x_unit, y_unit));
    double k = floor(((double)s.pairs + 1 - tare_normal_quantile(1 - level / 2) * sqrt(variance)) / 2);
    if (k < 1)
        return TARE_OK;
    out->low = in_units(stats_slope_number(&s, (int64_t)k), x_unit, y_unit);
    out->high = in_units(stats_slope_number(&s, s.pairs + 1 - (int64_t)k), x_unit, y_unit);
    return TARE_OK;
}
