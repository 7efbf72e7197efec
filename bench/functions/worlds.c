/* SPDX-License-Identifier: MIT
 *
 * Benchmarks whose time is made up, so that the truth is known: an iteration reports 1000 ns, varied by half a per cent, times what its world does.
 *
 *     decay_N   10 % more at first, which fades with a time constant of N iterations: the truth is 1000
 *     rising    0.3 % more with each iteration: there is no steady state
 *     late      10 % more from iteration 60 on
 *     spikes    three times as much in every 20th iteration
 *     mode      ten times as much in 3 of 100 processes
 */
#include <math.h>
#include <tare/tare.h>

static double random_unit(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t x = *state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) / 9007199254740992.0;
}

/* Irwin and Hall: twelve of them are as good as normal. */
static double varied(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(state);
    return 1000 * (1 + 0.005 * sum);
}

#define WORLD(name, ...)                                        \
    TARE_BENCH(name, .manual_time = true)                       \
    {                                                           \
        uint64_t state = tare_seed(st);                         \
        const double drawn = random_unit(&state);               \
        double i = 0;                                           \
        (void)drawn;                                            \
        TARE_LOOP(st)                                           \
        {                                                       \
            tare_manual_ns(st, varied(&state) * (__VA_ARGS__)); \
            i++;                                                \
        }                                                       \
    }
WORLD(decay_5, 1 + 0.1 * exp(-i / 5))
WORLD(decay_20, 1 + 0.1 * exp(-i / 20))
WORLD(decay_100, 1 + 0.1 * exp(-i / 100))
WORLD(rising, 1 + 0.003 * i)
WORLD(late, i >= 60 ? 1.1 : 1)
WORLD(spikes, fmod(i, 20) == 19 ? 3 : 1)
WORLD(mode, drawn < 0.03 ? 10 : 1)

TARE_MAIN()
