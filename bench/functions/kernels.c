/* SPDX-License-Identifier: MIT
 *
 * What bench/functions.sh measures, by libtare and, compiled as C++ with other_bench.hpp, by google/benchmark: the same source, with each one's own loop and
 * barriers.
 *
 * chain_N     a chain of dependent register instructions that takes N core cycles: adds of a register (1 cycle; a constant would be folded
 *             by the renamer of some cores) and multiplies (3). truth.c checks that they do on this core.
 * chain_load, chain_divide      the same place read again, the same number divided: how many cycles is up to the core, but it is a whole number
 * copy_4k, sort_1000, map_find, chase      the real ones: memory within L1, fresh input each time, a hash map, a walk beyond the second cache
 * links       a chain of LINKS multiplies, hash: a hash over 50 LINKS bytes. Built with 200 and, for a planted difference, with 201 and more.
 * sort_N      N = 8 ... 1000: sorting fresh input, and copying it alone in copy_N: what each adds to an iteration
 */
#include <stdlib.h>
#include <string.h>
#ifdef OTHER_BENCH
#include "other_bench.hpp"
#else
#include <tare/tare.h>
#endif

#ifndef LINKS
#define LINKS 200
#endif
#define AS_TEXT(x)   #x
#define NUMBER_OF(x) AS_TEXT(x)

#if defined(__aarch64__)
#define MULTIPLY "mul %0, %0, %1\n"
#define ADD      "add %0, %0, %1\n"
#else
#define MULTIPLY "imul %1, %0\n"
#define ADD      "add %1, %0\n"
#endif
#define REPEATED(times, instruction, x, by) __asm__ __volatile__(".rept " times "\n" instruction ".endr" : "+r"(x) : "r"(by))

#define CHAIN(name, times, instruction)             \
    TARE_BENCH(name)                                \
    {                                               \
        uint64_t x = tare_seed(st) | 1, by = x + 2; \
        TARE_LOOP(st)                               \
        {                                           \
            REPEATED(times, instruction, x, by);    \
            tare_chain(x);                          \
        }                                           \
    }
CHAIN(chain_1, "1", ADD)
CHAIN(chain_3, "1", MULTIPLY)
CHAIN(chain_6, "2", MULTIPLY)
CHAIN(chain_15, "5", MULTIPLY)
CHAIN(chain_60, "20", MULTIPLY)

TARE_BENCH(chain_load)
{
    void *self, **at = &self;
    self = at;
    tare_use_mem(&self, sizeof self);
    TARE_LOOP(st)
    {
        at = (void **)*at;
        tare_chain(at);
    }
}

TARE_BENCH(chain_divide)
{
    uint64_t x = tare_seed(st) | (uint64_t)1 << 63, one = tare_opaque((uint64_t)1);
    TARE_LOOP(st)
    {
        x /= one;
        tare_chain(x);
    }
}

CHAIN(links, NUMBER_OF(LINKS), MULTIPLY)

TARE_BENCH(hash)
{
    const size_t n = 50 * LINKS;
    unsigned char *text = (unsigned char *)tare_alloc(st, n);
    if (!text)
        return;
    for (size_t i = 0; i < n; i++)
        text[i] = (unsigned char)(i * 167 + tare_seed(st));
    uint64_t h = 0xcbf29ce484222325u;
    TARE_LOOP(st)
    {
        for (size_t i = 0; i < n; i++)
            h = (h ^ text[i]) * 0x100000001b3u;
        tare_chain(h);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t x = *state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

TARE_BENCH(copy_4k)
{
    enum { BYTES = 4096 };
    char *from = (char *)tare_alloc(st, BYTES), *to = (char *)tare_alloc(st, BYTES);
    if (!from || !to)
        return;
    memset(from, 1, BYTES);
    memset(to, 2, BYTES);
    TARE_LOOP(st)
    {
        memcpy(to, tare_opaque(from), BYTES);
        tare_use_mem(to, BYTES);
    }
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int *random_ints(struct tare_state *st, size_t n)
{
    uint64_t state = tare_seed(st);
    int *all = (int *)tare_alloc(st, n * sizeof *all);
    for (size_t i = 0; all && i < n; i++)
        all[i] = (int)(next_random(&state) >> 40);
    return all;
}

/* Copies, and then does what `after` says, in long loops without anything between iterations. */
#define COPIES(name, size, after)                           \
    TARE_BENCH(name##_##size)                               \
    {                                                       \
        const int *from = random_ints(st, size);            \
        int *v = (int *)tare_alloc(st, size * sizeof *v);   \
        if (!from || !v)                                    \
            return;                                         \
        TARE_LOOP(st)                                       \
        {                                                   \
            memcpy(v, tare_opaque(from), size * sizeof *v); \
            after;                                          \
            tare_use_mem(v, size * sizeof *v);              \
        }                                                   \
    }

#define SORT(size)                                                                                      \
    TARE_BENCH(sort_##size)                                                                             \
    {                                                                                                   \
        const int *from = random_ints(st, size);                                                        \
        if (!from)                                                                                      \
            return;                                                                                     \
        TARE_EACH(st, int, v, size, memcpy(v, from, size * sizeof *v))                                  \
        {                                                                                               \
            qsort(v, size, sizeof *v, by_value);                                                        \
            tare_use_mem(v, size * sizeof *v);                                                          \
        }                                                                                               \
    }                                                                                                   \
    COPIES(both, size, qsort(v, size, sizeof *v, by_value)) /* the truth of sort_N: this less copy_N */ \
    COPIES(copy, size, (void)0)
SORT(8)
SORT(32)
SORT(100)
SORT(1000)

/* Open addressing, 4096 keys in twice as many places; key 0 is none. */
enum { KEYS = 4096, PLACES = 2 * KEYS };

static uint64_t place_of(const uint64_t *places, uint64_t key)
{
    uint64_t i = key * 0x9e3779b97f4a7c15u >> 51;
    while (places[i] && places[i] != key)
        i = (i + 1) % PLACES;
    return i;
}

TARE_BENCH(map_find)
{
    uint64_t *places = (uint64_t *)tare_alloc(st, PLACES * sizeof *places),
             *keys = (uint64_t *)tare_alloc(st, KEYS * sizeof *keys);
    uint64_t state = tare_seed(st), at = 0;
    if (!places || !keys)
        return;
    memset(places, 0, PLACES * sizeof *places);
    for (int i = 0; i < KEYS; i++) {
        keys[i] = next_random(&state) | 1;
        places[place_of(places, keys[i])] = keys[i];
    }
    TARE_LOOP(st)
    {
        tare_use(place_of(places, keys[at]));
        at = (at + 1) % KEYS;
    }
}

/* One cycle through 16 MB in random order (Sattolo's shuffle); a line each. Larger takes longer to make than to measure. */
TARE_BENCH(chase)
{
    enum { LINES = 1 << 18, WORDS = 8 };
    uint64_t *lines = (uint64_t *)tare_alloc(st, (size_t)LINES * WORDS * sizeof *lines), state = tare_seed(st);
    if (!lines)
        return;
    for (uint64_t i = 0; i < LINES; i++)
        lines[i * WORDS] = i * WORDS;
    for (uint64_t i = LINES - 1; i > 0; i--) {
        uint64_t k = next_random(&state) % i, other = lines[k * WORDS];
        lines[k * WORDS] = lines[i * WORDS];
        lines[i * WORDS] = other;
    }
    uint64_t at = 0;
    TARE_LOOP(st)
    {
        at = lines[at];
        tare_chain(at);
    }
}

TARE_MAIN()
