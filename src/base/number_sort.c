/* SPDX-License-Identifier: MIT
 *
 * By digits, the lowest first (LSD radix sort): each pass keeps the order of what it finds equal. Digits are of those bits alone in which the numbers differ:
 * times of whole nanoseconds, which leave the low half of a double empty, need three passes. */
#include "number_sort.h"
#include <stdint.h>
#include <string.h>

#define SIGN ((uint64_t)1 << 63)

enum { DIGIT_BITS = 11, DIGIT_BITS_OF_FEW = 6, FEW = 1000 };

/* Keys stand where numbers do, as bits: a copy as a double may change those that would be NaN. */
static uint64_t bits_at(const double *at)
{
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    return bits;
}

static void put_bits(double *at, uint64_t bits)
{
    memcpy(at, &bits, sizeof bits);
}

/* In the order of the numbers; its inverse makes a NaN of the largest. */
static uint64_t key_of(double x)
{
    const uint64_t bits = bits_at(&x);
    return x != x ? UINT64_MAX : bits & SIGN ? ~bits : bits | SIGN;
}

static uint64_t bits_of(uint64_t key)
{
    return key & SIGN ? key & ~SIGN : ~key;
}

static void distribute(const double *from, double *into, ptrdiff_t n, int low, int width)
{
    ptrdiff_t next[1 << DIGIT_BITS], before = 0;
    const uint64_t digits = (uint64_t)1 << width;
    memset(next, 0, (size_t)digits * sizeof *next);
    for (ptrdiff_t i = 0; i < n; i++)
        next[bits_at(from + i) >> low & (digits - 1)]++;
    for (uint64_t d = 0; d < digits; d++) {
        const ptrdiff_t count = next[d];
        next[d] = before;
        before += count;
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        const uint64_t key = bits_at(from + i);
        put_bits(into + next[key >> low & (digits - 1)]++, key);
    }
}

/* Keys by their bits from `low` to before `high`; they end in the array that is returned. */
static const double *by_bits(double *x, double *room, ptrdiff_t n, int low, int high)
{
    const int most = n < FEW ? DIGIT_BITS_OF_FEW : DIGIT_BITS, passes = (high - low + most - 1) / most;
    const int width = passes ? (high - low + passes - 1) / passes : 0;
    double *from = x, *into = room;
    for (; low < high; low += width) {
        distribute(from, into, n, low, width);
        double *t = from;
        from = into, into = t;
    }
    return from;
}

void number_sort(double *x, ptrdiff_t n, double *room)
{
    ptrdiff_t ascending = 1;
    while (ascending < n && x[ascending - 1] <= x[ascending])
        ascending++;
    if (ascending >= n)
        return;
    uint64_t any = 0, all = UINT64_MAX;
    for (ptrdiff_t i = 0; i < n; i++) {
        const uint64_t key = key_of(x[i]);
        put_bits(x + i, key);
        any |= key, all &= key;
    }
    const uint64_t differ = any ^ all;
    int low = 0, high = 64;
    while (low < high && !(differ >> low & 1))
        low++;
    while (low < high && !(differ >> (high - 1) & 1))
        high--;
    const double *sorted = by_bits(x, room, n, low, high);
    for (ptrdiff_t i = 0; i < n; i++)
        put_bits(x + i, bits_of(bits_at(sorted + i)));
}
