/* SPDX-License-Identifier: MIT */
#include "stats_core.h"
#include <string.h>

/* Doubles in their order as integers: neighbours differ by 1, -0 and 0 coincide. */
static int64_t place_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >= 0 ? bits : INT64_MIN - bits;
}

static double double_at(int64_t place)
{
    int64_t bits = place >= 0 ? place : INT64_MIN - place;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double stats_middle_double(double lo, double hi)
{
    int64_t a = place_of(lo), b = place_of(hi);
    return double_at((a & b) + ((a ^ b) >> 1)); /* floor of the mean, without overflow */
}

double stats_pairs_select(const struct stats_pairs *p, int64_t k, double *list)
{
    double lo = double_at(place_of(p->least) - 1), hi = p->largest;
    int64_t upto_lo = 0, upto_hi = p->n; /* upto_lo < k <= upto_hi */
    int by_value = 8;
    for (ptrdiff_t m = p->room; m > 0; m /= 2)
        by_value++;
    while (upto_hi - upto_lo > p->room) {
        /* By turns where the k-th would be, were all spread evenly, and the middle, which gets on wherever they are. */
        const double share = by_value % 2 ? 0.5 : ((double)(k - upto_lo) - 0.5) / (double)(upto_hi - upto_lo);
        double x = by_value-- > 0 ? lo + (hi - lo) * share : stats_middle_double(lo, hi);
        if (!(x > lo && x < hi))
            x = stats_middle_double(lo, hi);
        if (!(x > lo && x < hi))
            return hi; /* neighbours: all that is left equals hi */
        int64_t count = p->count_upto(p->context, x);
        if (count >= k)
            hi = x, upto_hi = count;
        else
            lo = x, upto_lo = count;
    }
    ptrdiff_t found = p->list_between(p->context, lo, hi, list);
    stats_select(list, found, (ptrdiff_t)(k - upto_lo) - 1);
    return list[k - upto_lo - 1];
}
