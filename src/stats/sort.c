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

/* Hoare's partition; returns the length of the left part, which is at least 1 and less than n. */
static ptrdiff_t partition(double *x, ptrdiff_t n)
{
    double *middle = x + n / 2, *last = x + n - 1;
    if (*middle < *x)
        swap(middle, x);
    if (*last < *middle)
        swap(last, middle);
    if (*middle < *x)
        swap(middle, x);
    double pivot = *middle;
    for (ptrdiff_t i = 0, j = n - 1;; i++, j--) {
        while (x[i] < pivot)
            i++;
        while (pivot < x[j])
            j--;
        if (i >= j)
            return j + 1 < n ? j + 1 : j;
        swap(x + i, x + j);
    }
}

static void intro_sort(double *x, ptrdiff_t n, int splits_left)
{
    while (n > 24) {
        if (splits_left-- == 0) {
            heap_sort(x, n);
            return;
        }
        ptrdiff_t left = partition(x, n);
        if (left < n - left) { /* recurse into the shorter part: the stack stays logarithmic */
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
    int splits = 0;
    for (ptrdiff_t m = n; m > 0; m /= 2)
        splits += 2;
    intro_sort(x, n, splits);
}
