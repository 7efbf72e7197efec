/* SPDX-License-Identifier: MIT */
#include "decimal_read.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 19, POWER_MAX = 22, EXPONENT_MAX = 99999 };

struct number {
    uint64_t digits; /* the first DIGITS_MAX that are not leading zeros */
    int n, power;    /* how many there are in all; times 10^power */
    bool negative;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Past the digits; each of them behind the point lowers the power. */
static const char *take_digits(const char *at, const char *end, int lower, struct number *x)
{
    for (; at < end && is_digit(*at); at++) {
        x->power -= lower;
        if (!x->n && *at == '0')
            continue;
        if (x->n < DIGITS_MAX)
            x->digits = x->digits * 10 + (uint64_t)(*at - '0');
        x->n++;
    }
    return at;
}

/* NULL: no whole number. One so large that nothing but 0 or infinity can come of it stays at the limit. */
static const char *take_exponent(const char *at, const char *end, int *power)
{
    bool negative = at < end && *at == '-';
    int value = 0;
    at += at < end && (*at == '-' || *at == '+');
    if (at == end)
        return NULL;
    for (; at < end && is_digit(*at); at++)
        value = value < EXPONENT_MAX ? value * 10 + (*at - '0') : EXPONENT_MAX;
    *power += negative ? -value : value;
    return at;
}

static bool take_number(const char *at, const char *end, struct number *x)
{
    x->negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    const char *first = at;
    at = take_digits(at, end, 0, x);
    bool any = at > first;
    if (at < end && *at == '.') {
        first = ++at;
        at = take_digits(at, end, 1, x);
        any = any || at > first;
    }
    if (any && at < end && (*at == 'e' || *at == 'E'))
        at = take_exponent(at + 1, end, &x->power);
    return any && at == end;
}

/* Both operands are exact, so the one rounding is the right one. */
static bool simple(const struct number *x, double *out)
{
    static const double powers[POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (x->n > DIGITS_MAX || x->digits > UINT64_C(1) << 53 || x->power > POWER_MAX || x->power < -POWER_MAX)
        return false;
    double value = (double)x->digits;
    value = x->power < 0 ? value / powers[-x->power] : value * powers[x->power];
    *out = x->negative ? -value : value;
    return true;
}

bool decimal_read(const char *text, size_t n, double *out)
{
    struct number x = {0};
    if (n > DECIMAL_TEXT_MAX || !take_number(text, text + n, &x))
        return false;
    if (simple(&x, out))
        return true;
    char copy[DECIMAL_TEXT_MAX + 1];
    memcpy(copy, text, n);
    copy[n] = 0;
    *out = strtod(copy, NULL);
    return true;
}
