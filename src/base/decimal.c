/* SPDX-License-Identifier: MIT */
#include "decimal.h"
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Unsigned integers of up to 1280 bits: 2^1077 and 10^324 * 2^53 both fit. */

enum { LIMBS = 72 };

struct big {
    int n; /* limbs in use, the top one not 0 */
    uint32_t limb[LIMBS];
};

static struct big big_from(uint64_t x)
{
    struct big b = {.limb = {(uint32_t)x, (uint32_t)(x >> 32)}};
    b.n = x >> 32 ? 2 : x ? 1 : 0;
    return b;
}

static void big_times(struct big *b, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        assert(b->n < LIMBS);
        b->limb[b->n++] = (uint32_t)carry;
    }
}

static void big_times_power_of_10(struct big *b, int power)
{
    for (; power >= 9; power -= 9)
        big_times(b, 1000000000u);
    for (; power > 0; power--)
        big_times(b, 10);
}

static void big_shift_left(struct big *b, int bits)
{
    if (!b->n)
        return;
    int whole = bits / 32, rest = bits % 32;
    assert(b->n + whole < LIMBS);
    memmove(b->limb + whole, b->limb, (size_t)b->n * sizeof b->limb[0]);
    memset(b->limb, 0, (size_t)whole * sizeof b->limb[0]);
    b->n += whole;
    if (rest)
        big_times(b, UINT32_C(1) << rest);
}

static int big_compare(const struct big *a, const struct big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void big_add(struct big *a, const struct big *b)
{
    uint64_t carry = 0;
    int n = a->n > b->n ? a->n : b->n;
    for (int i = 0; i < n; i++) {
        carry += (uint64_t)(i < a->n ? a->limb[i] : 0) + (i < b->n ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    a->n = n;
    if (carry) {
        assert(n < LIMBS);
        a->limb[a->n++] = (uint32_t)carry;
    }
}

static void big_subtract(struct big *a, const struct big *b) /* a >= b */
{
    int64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->n ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->n && !a->limb[a->n - 1])
        a->n--;
}

static int big_divide_digit(struct big *a, const struct big *b) /* quotient 0..9; a becomes the remainder */
{
    int quotient = 0;
    while (big_compare(a, b) >= 0) {
        big_subtract(a, b);
        quotient++;
    }
    return quotient;
}

static int compare_sum(const struct big *a, const struct big *b, const struct big *c) /* a + b against c */
{
    struct big sum = *a;
    big_add(&sum, b);
    return big_compare(&sum, c);
}

/* Value = r / s, with half gaps to the neighbours below and above. */

struct fraction {
    struct big r, s, below, above;
    bool even;   /* the ends of the interval read back to the value */
    int top_bit; /* 2^top_bit <= value < 2^(top_bit + 1) */
    int exponent;
};

/* value = m * 2^e > 0. By its bits: numbers are written in programs that need no library of mathematics for anything else. */
static uint64_t mantissa_of(double value, int *e)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
    *e = (exponent ? exponent : 1) - 1075;
    return exponent ? m | UINT64_C(1) << 52 : m;
}

static void fraction_from(struct fraction *f, double value)
{
    int e;
    uint64_t m = mantissa_of(value, &e);
    for (f->top_bit = e; m >> (f->top_bit - e) > 1;)
        f->top_bit++;
    bool power_of_two = m == UINT64_C(1) << 52 && e > -1074; /* the gap below is half the gap above */
    f->even = m % 2 == 0;
    f->r = big_from(m);
    f->s = f->below = big_from(1);
    big_shift_left(&f->r, 1 + power_of_two + (e > 0 ? e : 0));
    big_shift_left(&f->s, 1 + power_of_two + (e < 0 ? -e : 0));
    big_shift_left(&f->below, e > 0 ? e : 0);
    f->above = f->below;
    big_shift_left(&f->above, power_of_two);
}

/* log10 of 2^top_bit, rounded up: log10 of the value, or one less. */
static int least_exponent(int top_bit)
{
    double log = top_bit * 0.30102999566398120 - 1e-10;
    int k = (int)log;
    return k < log ? k + 1 : k;
}

/* Scales so that r/s < 1 stands for 0.ddd * 10^exponent; with the upper gap when shortest digits are wanted. */
static void fraction_scale(struct fraction *f, bool with_gap)
{
    int k = least_exponent(f->top_bit);
    if (k >= 0) {
        big_times_power_of_10(&f->s, k);
    } else {
        big_times_power_of_10(&f->r, -k);
        big_times_power_of_10(&f->below, -k);
        big_times_power_of_10(&f->above, -k);
    }
    int over = with_gap ? compare_sum(&f->r, &f->above, &f->s) : big_compare(&f->r, &f->s);
    if (over > 0 || (over == 0 && (!with_gap || f->even))) {
        big_times(&f->s, 10);
        k++;
    }
    f->exponent = k;
}

static void zero(struct decimal *d)
{
    *d = (struct decimal){.n = 1, .exponent = 1};
}

/* Adds one unit in the last place, which may carry through all digits. */
static void round_up(struct decimal *d)
{
    int i = d->n - 1;
    while (i >= 0 && d->digits[i] == 9)
        d->digits[i--] = 0;
    if (i >= 0) {
        d->digits[i]++;
        return;
    }
    memmove(d->digits + 1, d->digits, (size_t)d->n);
    d->digits[0] = 1;
    d->n++;
    d->exponent++;
}

void decimal_shortest(struct decimal *d, double value)
{
    if (value == 0) {
        zero(d);
        return;
    }
    struct fraction f;
    fraction_from(&f, value);
    fraction_scale(&f, true);
    d->n = 0;
    d->exponent = f.exponent;
    for (;;) {
        big_times(&f.r, 10);
        big_times(&f.below, 10);
        big_times(&f.above, 10);
        int digit = big_divide_digit(&f.r, &f.s);
        int low = big_compare(&f.r, &f.below), high = compare_sum(&f.r, &f.above, &f.s);
        bool low_ok = low < 0 || (low == 0 && f.even), high_ok = high > 0 || (high == 0 && f.even);
        d->digits[d->n++] = (char)digit;
        if (!low_ok && !high_ok)
            continue;
        big_times(&f.r, 2);
        if (!low_ok || (high_ok && big_compare(&f.r, &f.s) >= 0))
            round_up(d);
        return;
    }
}

void decimal_fixed(struct decimal *d, double value, int decimals)
{
    if (value == 0) {
        zero(d);
        return;
    }
    struct fraction f;
    fraction_from(&f, value);
    fraction_scale(&f, false);
    d->exponent = f.exponent;
    int wanted = f.exponent + decimals; /* digits before the cut; may be 0 or less */
    if (wanted < 0) {
        zero(d);
        return;
    }
    assert(wanted <= DECIMAL_DIGITS_MAX - 2);
    for (d->n = 0; d->n < wanted; d->n++) {
        big_times(&f.r, 10);
        d->digits[d->n] = (char)big_divide_digit(&f.r, &f.s);
    }
    big_times(&f.r, 2);
    int half = big_compare(&f.r, &f.s);
    bool odd = d->n > 0 && d->digits[d->n - 1] % 2;
    if (half > 0 || (half == 0 && odd))
        round_up(d);
    if (d->n == 0)
        zero(d);
}

void decimal_cut(struct decimal *d, int digits)
{
    if (digits < 1 || d->n <= digits)
        return;
    bool up = d->digits[digits] >= 5;
    d->n = digits;
    if (up)
        round_up(d);
    while (d->n > 1 && d->digits[d->n - 1] == 0)
        d->n--;
}
