/* SPDX-License-Identifier: MIT
 *
 * Ticks to nanoseconds: ns = ticks * multiplier / 2^shift in 128 bits, by halves of 32 bits, as ISO C has no such type.
 * The multiplier has 64 significant bits and is rounded, so it is off by at most 2^-64 of itself: half a nanosecond for the
 * largest result there can be (292 years), under a millionth of one for an hour.
 */
#include "clocks.h"

static const uint64_t TOP_BIT = UINT64_C(1) << 63;

/* 1e15 / micro_hz is the length of a tick in ns; long division goes on until 64 bits are there. */
struct clock_scale clock_scale_of(uint64_t micro_hz)
{
    const uint64_t femto = UINT64_C(1000000000000000);
    uint64_t quotient = femto / micro_hz, rest = femto % micro_hz;
    int shift = 0;
    for (; quotient < TOP_BIT; shift++) {
        rest *= 2;
        quotient = quotient * 2 + (rest >= micro_hz);
        rest -= rest >= micro_hz ? micro_hz : 0;
    }
    if (rest * 2 >= micro_hz && quotient < UINT64_MAX)
        quotient++;
    return (struct clock_scale){quotient, shift};
}

struct wide {
    uint64_t high, low;
};

static struct wide multiply(uint64_t a, uint64_t b)
{
    const uint64_t half = 0xffffffff;
    uint64_t low = (a & half) * (b & half), across = (a >> 32) * (b & half) + (low >> 32);
    uint64_t other = (a & half) * (b >> 32) + (across & half);
    return (struct wide){(a >> 32) * (b >> 32) + (across >> 32) + (other >> 32), other << 32 | (low & half)};
}

static struct wide add_bit(struct wide w, int bit)
{
    if (bit >= 64)
        w.high += UINT64_C(1) << (bit - 64);
    else {
        w.low += UINT64_C(1) << bit;
        w.high += w.low < UINT64_C(1) << bit;
    }
    return w;
}

static uint64_t magnitude_ns(const struct clock_scale *scale, uint64_t ticks)
{
    struct wide w = add_bit(multiply(ticks, scale->multiplier), scale->shift - 1);
    if (scale->shift >= 64)
        return w.high >> (scale->shift - 64);
    if (w.high >> (scale->shift - 1))
        return INT64_MAX;
    return w.high << (64 - scale->shift) | w.low >> scale->shift;
}

int64_t clock_ticks_ns(const struct clock_scale *scale, int64_t ticks)
{
    uint64_t ns = magnitude_ns(scale, ticks < 0 ? 0 - (uint64_t)ticks : (uint64_t)ticks);
    if (ns >= INT64_MAX)
        return ticks < 0 ? INT64_MIN : INT64_MAX;
    return ticks < 0 ? -(int64_t)ns : (int64_t)ns;
}
