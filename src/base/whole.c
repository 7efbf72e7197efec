/* SPDX-License-Identifier: MIT */
#include "whole.h"

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool whole_take(const char **p, const char *end, int base, int64_t *out)
{
    const char *at = *p;
    int64_t value = 0;
    for (; at < end && digit_of(*at) < base; at++) {
        if (value > (INT64_MAX - digit_of(*at)) / base)
            return false;
        value = value * base + digit_of(*at);
    }
    if (at == *p)
        return false;
    *p = at;
    *out = value;
    return true;
}
