/* SPDX-License-Identifier: MIT */
#include "slope_select.h"
#include "stats_core.h"
#include <string.h>

/* Merges two ascending neighbours; returns the pairs whose left member is greater than the right. */
static int64_t merge(const double *left, ptrdiff_t n_left, const double *right, ptrdiff_t n_right, double *into)
{
    int64_t falling = 0;
    for (ptrdiff_t i = 0, j = 0; i < n_left || j < n_right;) {
        if (j == n_right || (i < n_left && left[i] <= right[j])) {
            *into++ = left[i++];
        } else {
            *into++ = right[j++];
            falling += n_left - i;
        }
    }
    return falling;
}

int64_t stats_count_falling(double *x, double *spare, ptrdiff_t n)
{
    int64_t falling = 0;
    double *from = x, *into = spare;
    for (ptrdiff_t width = 1; width < n; width *= 2) {
        for (ptrdiff_t i = 0; i < n; i += 2 * width) {
            ptrdiff_t left = width < n - i ? width : n - i, right = width < n - i - left ? width : n - i - left;
            falling += merge(from + i, left, from + i + left, right, into + i);
        }
        double *t = from;
        from = into, into = t;
    }
    if (from != x)
        memcpy(x, from, (size_t)n * sizeof *x);
    return falling;
}

static double x_at(const struct stats_slopes *s, ptrdiff_t i)
{
    return s->x ? s->x[i * s->stride] : (double)i;
}

static double y_at(const struct stats_slopes *s, ptrdiff_t i)
{
    return s->y[i * s->stride] * s->y_unit;
}

/* Slopes below b; *next becomes the smallest that is not. Pair by pair, each slope as the full list has it. */
static int64_t count_of_few(const struct stats_slopes *s, double b, double *next)
{
    int64_t below = 0;
    *next = INFINITY;
    for (ptrdiff_t i = 0; i < s->n; i++)
        for (ptrdiff_t j = i + 1; j < s->n; j++) {
            const double run = x_at(s, j) - x_at(s, i), slope = (y_at(s, j) - y_at(s, i)) / run;
            below += run > 0 && slope < b;
            *next = run > 0 && slope >= b && slope < *next ? slope : *next;
        }
    return below;
}

static int64_t count_of_many(const struct stats_slopes *s, double b)
{
    for (ptrdiff_t i = 0; i < s->n; i++)
        s->residuals[i] = y_at(s, i) - b * x_at(s, i);
    return stats_count_falling(s->residuals, s->spare, s->n);
}

double stats_slope_number(const struct stats_slopes *s, int64_t k)
{
    enum { FEW = 48 };
    double lo = s->least, hi = s->most, next = lo;
    int64_t upto_lo = 0, upto_hi = s->pairs;
    for (int by_value = 45; lo < hi && !(s->n <= FEW && upto_hi - upto_lo == 1);) {
        double b = by_value-- > 0 ? lo / 2 + hi / 2 : stats_middle_double(lo, hi);
        if (!(b > lo && b < hi))
            b = stats_middle_double(lo, hi);
        if (!(b > lo && b < hi))
            break;
        const int64_t below = s->n <= FEW ? count_of_few(s, b, &next) : count_of_many(s, b);
        if (below >= k)
            hi = b, upto_hi = below;
        else
            lo = b, upto_lo = below;
    }
    if (s->n > FEW)
        return count_of_many(s, hi) >= k ? lo : hi;
    count_of_few(s, lo, &next);
    return upto_lo < k && next <= hi ? next : hi;
}

double stats_median_slope(const struct stats_slopes *s)
{
    double middle = stats_slope_number(s, (s->pairs + 1) / 2);
    return s->pairs % 2 ? middle : middle / 2 + stats_slope_number(s, s->pairs / 2 + 1) / 2;
}
