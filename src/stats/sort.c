/* SPDX-License-Identifier: MIT
 *
 * Introsort (Musser 1997): quicksort on the median of three, heapsort for a range that has been split too often, insertion
 * sort for what is short. NaN compare false with everything and would break the order, so they are moved to the end first.
 */
#include "stats_core.h"

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

static void insertion_sort(double *x, ptrdiff_t n)
{
    for (ptrdiff_t i = 1; i < n; i++) {
        double v = x[i];
        ptrdiff_t j = i;
        for (; j > 0 && v < x[j - 1]; j--)
            x[j] = x[j - 1];
        x[j] = v;
    }
}

static void sift_down(double *x, ptrdiff_t root, ptrdiff_t n)
{
    for (ptrdiff_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && x[child] < x[child + 1])
            child++;
        if (!(x[root] < x[child]))
            return;
        swap(x + root, x + child);
    }
}

static void heap_sort(double *x, ptrdiff_t n)
{
    for (ptrdiff_t i = n / 2 - 1; i >= 0; i--)
        sift_down(x, i, n);
    for (ptrdiff_t last = n - 1; last > 0; last--) {
        swap(x, x + last);
        sift_down(x, 0, last);
    }
}

double stats_middle_of_three(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* What is below the pivot comes first, with `equal` also what equals it; returns how many these are (Lomuto). The order of values is as good as
 * random, so no branch depends on it. */
static inline ptrdiff_t below_first(double *x, ptrdiff_t n, double pivot, bool equal)
{
    ptrdiff_t below = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double v = x[i];
        x[i] = x[below];
        x[below] = v;
        below += equal ? v <= pivot : v < pivot;
    }
    return below;
}

static void intro_sort(double *x, ptrdiff_t n, int splits_left)
{
    while (n > 24) {
        if (splits_left-- == 0) {
            heap_sort(x, n);
            return;
        }
        const double pivot = stats_middle_of_three(x[n / 4], x[n / 2], x[n - n / 4]);
        const ptrdiff_t left = below_first(x, n, pivot, false);
        if (!left) { /* it is the smallest: what equals it is in its place */
            const ptrdiff_t equal = below_first(x, n, pivot, true);
            x += equal, n -= equal;
        } else if (left < n - left) { /* recurse into the shorter part: the stack stays logarithmic */
            intro_sort(x, left, splits_left);
            x += left, n -= left;
        } else {
            intro_sort(x + left, n - left, splits_left);
            n = left;
        }
    }
    insertion_sort(x, n);
}

void tare_sort(double *x, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n;) {
        if (isnan(x[i]))
            swap(x + i, x + --n);
        else
            i++;
    }
    ptrdiff_t ascending = 1;
    while (ascending < n && x[ascending - 1] <= x[ascending])
        ascending++;
    if (ascending >= n)
        return;
    int splits = 0;
    for (ptrdiff_t m = n; m > 0; m /= 2)
        splits += 3;
    intro_sort(x, n, splits);
}
