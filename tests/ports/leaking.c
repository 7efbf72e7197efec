/* SPDX-License-Identifier: MIT
 * A program of somebody else's with leak targets: one whose time follows its secret, one whose time does not, one that crashes, one that grows. */
#include <tare/tare.h>

static uint64_t multiplies(int n)
{
    uint64_t x = 3;
    for (int i = 0; i < n; i++) {
        x *= 0x9e3779b97f4a7c15u;
        tare_chain(x);
    }
    return x;
}

/* The class is the first bit. */
static void first_bit(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state;
    tare_random_bytes(random, in, 16);
    in[0] = (unsigned char)((in[0] & 0xfe) | which);
}

TARE_LEAK(planted, .bytes = 16, .classes = TARE_CLASSES("off", "on"), .make = first_bit)
{
    return multiplies(in[0] & 1 ? 2000 : 1000);
}

TARE_LEAK(constant, .bytes = 16, .classes = TARE_CLASSES("off", "on"), .make = first_bit)
{
    return multiplies(100) ^ in[3];
}

TARE_LEAK(outside, .bytes = 24, .classes = TARE_CLASSES("zero", "random"))
{
    return ((const volatile unsigned char *)in)[24];
}

static void *build(void *state, int64_t n)
{
    static int64_t sizes[2];
    (void)state;
    sizes[n > 1] = n;
    return &sizes[n > 1];
}

TARE_LEAK(growing, .growth = TARE_ARGS(1, 2000), .build = build)
{
    return multiplies((int)*(const int64_t *)state);
}

TARE_MAIN()
