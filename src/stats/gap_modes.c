/* SPDX-License-Identifier: MIT
 *
 * Modes that lie apart, however few values one has: processes that got another memory layout, for the most part.
 *
 * Sorted values are cut where the gap between two neighbours is larger than c(n) times the shortest stretch that holds a third of
 * them, and larger than `least_ratio` says. That stretch does not see the rarer modes, so that one value far off is a mode of its
 * own, and that of two modes of any shares the denser is seen alone. c(n) = 1.5 + 4/sqrt(n) + 75/n keeps the chance to cut a normal
 * sample at 1 % or below from n = 8 on (simulated, from 8 to 850; tests). Long tails without modes are cut too, at their far end: what is told is that a value lies apart, not why.
 * Scale: of logarithms where all are positive (times), so that a mode is a factor. Fewer than 8 values: one mode. More than half of the values equal: the
 * stretch is 0 and least_ratio decides alone.
 */
#include "stats_core.h"

enum { LEAST = 8 };

/* On the scale of logarithms, for 0 < a <= b. */
static double apart(double a, double b)
{
    return a == b ? 0 : log(b) - log(a);
}

static double shortest_third(const double *sorted, ptrdiff_t n)
{
    ptrdiff_t third = (n + 2) / 3;
    double width = INFINITY;
    for (ptrdiff_t i = 0; i + third < n; i++)
        width = fmin(width, apart(sorted[i], sorted[i + third]));
    return width;
}

static double gap_wanted(const double *sorted, ptrdiff_t n, double least)
{
    double root = sqrt((double)n);
    return fmax((1.5 + 4 / root + 75 / (root * root)) * shortest_third(sorted, n), least);
}

enum tare_status tare_modes_by_gaps(const double *x, ptrdiff_t n, double least_ratio, double *scratch, struct tare_mode *modes,
                                    int room, int *found)
{
    *found = 0;
    if (n < 0 || room < 1 || !stats_all_finite(x, n) || !(least_ratio > 0))
        return TARE_INVALID;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!(x[i] > 0))
            return TARE_INVALID;
        scratch[i] = x[i];
    }
    tare_sort(scratch, n);
    double gap = n < LEAST ? INFINITY : gap_wanted(scratch, n, log1p(least_ratio));
    for (ptrdiff_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && (apart(scratch[next - 1], scratch[next]) <= gap || *found == room - 1); next++)
            ;
        /* The median's two middle values are averaged as logarithms. */
        const double a = scratch[i + (next - i - 1) / 2], b = scratch[i + (next - i) / 2];
        modes[(*found)++] = (struct tare_mode){
            .n = next - i, .low = scratch[i], .high = scratch[next - 1], .median = a == b ? a : sqrt(a) * sqrt(b)};
    }
    return TARE_OK;
}

double tare_chance_to_see(double share, ptrdiff_t n)
{
    if (!(share >= 0 && share <= 1) || n < 0)
        return NAN;
    return n ? -expm1((double)n * log1p(-share)) : 0;
}
