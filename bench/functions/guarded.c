/* SPDX-License-Identifier: MIT
 *
 * Code that does its work, for bench/functions.sh --part guard: whatever the counter and the machine do, the guard may not say that the compiler took
 * it away. Also built over the coarse counter of tests/coarse.
 *
 * times_three    x *= 3, a lea or a multiply: 1 to 3 cycles
 * chain_N        dependent multiplies of N cycles; load: a walk through the first cache; divide, float_add: what they say
 * overlapping    3 cycles a call where calls overlap, 12 where they do not
 * adler_8        a checksum of 8 bytes, the one of docs/tutorial-bench.md
 */
#include <tare/tare.h>

TARE_BENCH(times_three)
{
    uint64_t x = tare_seed(st) | 1;
    TARE_LOOP(st)
    {
        x *= 3;
        tare_chain(x);
    }
}

TARE_BENCH(multiply_add)
{
    uint64_t x = tare_seed(st) | 1;
    TARE_LOOP(st)
    {
        x = x * 0x9e3779b97f4a7c15u + 1;
        tare_chain(x);
    }
}

#define CHAIN(n)                                \
    TARE_BENCH(chain_##n)                       \
    {                                           \
        uint64_t x = tare_seed(st) | 1;         \
        TARE_LOOP(st)                           \
        {                                       \
            for (int i = 0; i < (n) / 3; i++) { \
                x *= 0x9e3779b97f4a7c15u;       \
                tare_chain(x);                  \
            }                                   \
        }                                       \
    }
CHAIN(3)
CHAIN(6)
CHAIN(15)
CHAIN(60)

TARE_BENCH(load)
{
    enum { PLACES = 64 };
    void *places[PLACES], **at = places;
    for (int i = 0; i < PLACES; i++)
        places[i] = &places[(i + 7) % PLACES];
    tare_use_mem(places, sizeof places);
    TARE_LOOP(st)
    {
        at = (void **)*at;
        tare_chain(at);
    }
}

TARE_BENCH(divide)
{
    uint64_t x = tare_seed(st) | 1, by = tare_opaque(3);
    TARE_LOOP(st)
    {
        x = x / by + 0x123456789abcdefu;
        tare_chain(x);
    }
}

TARE_BENCH(float_add)
{
    double x = 1;
    TARE_LOOP(st)
    {
        x += 1.5;
        tare_chain(x);
    }
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

TARE_BENCH(overlapping)
{
    TARE_LOOP(st)
    {
        tare_use(mixed(tare_opaque((uint64_t)42)));
    }
}

TARE_BENCH(adler_8)
{
    unsigned char text[8] = {'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x'};
    TARE_LOOP(st)
    {
        uint32_t a = 1, b = 0;
        tare_use_mem(text, sizeof text);
        for (int i = 0; i < 8; i++) {
            a = (a + text[i]) % 65521;
            b = (b + a) % 65521;
        }
        tare_use(b << 16 | a);
    }
}

TARE_MAIN()
