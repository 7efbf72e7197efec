/* SPDX-License-Identifier: MIT
 *
 * What optimisers do to benchmarks. Those named trap_... are written as people write them who do not know better: the compiler may take their
 * work away, and libtare must then say so. Those named right_... do the same work and use the barriers; they must give a figure. The work is
 * never less than 12 cycles an iteration, so a lower figure without a word is wrong.
 */
#include "traps_other.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef OTHER_BENCH /* bench/functions.sh: another library, in C++ */
#include "other_bench.hpp"
#else
#include <tare/tare.h>
#endif

/* 12 multiplies and twice as many others that wait for each other: 60 cycles alone, some 20 where iterations overlap. */
static inline uint64_t mixed(uint64_t x)
{
    for (int i = 0; i < 12; i++) {
        x ^= x >> 31;
        x *= 0xbf58476d1ce4e5b9u;
    }
    return x;
}

struct pair {
    uint64_t a, b;
};

static struct pair mixed_pair(uint64_t x)
{
    return (struct pair){mixed(x), mixed(x + 1)};
}

static uint64_t sum_of(const struct pair *p)
{
    return mixed(p->a) + mixed(p->b);
}

static uint64_t never_written = 77;
static const uint64_t TABLE[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

static uint64_t table_mixed(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
        sum = mixed(sum + TABLE[i]);
    return sum;
}

#define LINE      "a string of which the compiler knows the length, and so never looks at it, however long it is; "
#define LONG_TEXT LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE

/* ---- the same input each time ---- */

TARE_BENCH(trap_constant_input)
{
    TARE_LOOP(st)
    {
        tare_use(mixed(42));
    }
}

TARE_BENCH(trap_constant_variable)
{
    uint64_t k = 42;
    TARE_LOOP(st)
    {
        uint64_t x = mixed(k);
        tare_use(x);
    }
}

TARE_BENCH(trap_invariant_input)
{
    uint64_t k = tare_seed(st);
    TARE_LOOP(st)
    {
        tare_use(mixed(k));
    }
}

TARE_BENCH(trap_invariant_chain)
{
    uint64_t k = tare_seed(st), x = 0;
    TARE_LOOP(st)
    {
        x = mixed(k);
        tare_chain(x);
    }
}

TARE_BENCH(trap_constant_struct)
{
    const struct pair p = {tare_seed(st), 5};
    TARE_LOOP(st)
    {
        tare_use(sum_of(&p));
    }
}

TARE_BENCH(trap_static_never_written)
{
    TARE_LOOP(st)
    {
        tare_use(mixed(never_written));
    }
}

TARE_BENCH(trap_constant_table)
{
    TARE_LOOP(st)
    {
        tare_use(table_mixed());
    }
}

TARE_BENCH(trap_pure_call)
{
    uint64_t k = tare_seed(st);
    TARE_LOOP(st)
    {
        tare_use(other_pure(k));
    }
}

TARE_BENCH(trap_pure_call_of_a_constant)
{
    TARE_LOOP(st)
    {
        tare_use(other_pure(7));
    }
}

TARE_BENCH(trap_other_file)
{
    TARE_LOOP(st)
    {
        tare_use(other_plain(7));
    }
}

TARE_BENCH(trap_constant_string)
{
    static const char text[] = LONG_TEXT;
    TARE_LOOP(st)
    {
        tare_use(strlen(text));
    }
}

TARE_BENCH(trap_constant_root)
{
    TARE_LOOP(st)
    {
        tare_use(sqrt(2.0) + sqrt(3.0) + sqrt(5.0));
    }
}

TARE_BENCH(trap_invariant_double)
{
    double k = (double)(tare_seed(st) & 0xffff);
    TARE_LOOP(st)
    {
        tare_use(k * k * k * k * k * k * k + 1 / (k + 1));
    }
}

TARE_BENCH(trap_computed_before)
{
    uint64_t x = mixed(tare_seed(st));
    TARE_LOOP(st)
    {
        tare_use(x);
    }
}

/* ---- nobody wants the result ---- */

TARE_BENCH(trap_dead_result)
{
    uint64_t x = tare_seed(st);
    TARE_LOOP(st)
    {
        mixed(x);
    }
}

TARE_BENCH(trap_dead_variable)
{
    uint64_t x = tare_seed(st);
    TARE_LOOP(st)
    {
        x = mixed(x);
    }
}

TARE_BENCH(trap_last_only)
{
    uint64_t x = 0, k = tare_seed(st);
    TARE_LOOP(st)
    {
        x = mixed(k);
    }
    tare_use(x);
}

TARE_BENCH(trap_dead_stores)
{
    char buffer[4096];
    TARE_LOOP(st)
    {
        memset(buffer, 1, sizeof buffer);
    }
}

TARE_BENCH(trap_dead_copy)
{
    char from[4096] = {1}, to[4096];
    TARE_LOOP(st)
    {
        memcpy(to, from, sizeof to);
    }
    tare_use(to[7]);
}

TARE_BENCH(trap_dead_memory)
{
    TARE_LOOP(st)
    {
        char *p = (char *)malloc(100);
        free(p);
    }
}

TARE_BENCH(trap_dead_out_parameter)
{
    uint64_t out, k = tare_seed(st);
    TARE_LOOP(st)
    {
        other_into(k, &out);
    }
}

TARE_BENCH(trap_dead_struct)
{
    uint64_t k = tare_seed(st);
    TARE_LOOP(st)
    {
        mixed_pair(k);
    }
}

/* ---- a loop that becomes a formula ---- */

TARE_BENCH(trap_sum_of_constants)
{
    uint64_t sum = 0;
    TARE_LOOP(st)
    {
        for (uint64_t i = 0; i < 100; i++)
            sum += i * i;
    }
    tare_use(sum);
}

TARE_BENCH(trap_sum_of_invariants)
{
    uint64_t sum = 0, k = tare_seed(st);
    TARE_LOOP(st)
    {
        for (uint64_t i = 0; i < 100; i++)
            sum += k;
    }
    tare_use(sum);
}

TARE_BENCH(trap_same_again)
{
    uint64_t x = tare_seed(st);
    TARE_LOOP(st)
    {
        for (int i = 0; i < 100; i++)
            x |= 0xf0f0;
    }
    tare_use(x);
}

TARE_BENCH(trap_nothing)
{
    TARE_LOOP(st)
    {
    }
}

TARE_BENCH(trap_clobber_only)
{
    TARE_LOOP(st)
    {
        tare_clobber();
    }
}

/* ---- as it should be ---- */

TARE_BENCH(right_latency)
{
    uint64_t x = tare_seed(st) | 1;
    TARE_LOOP(st)
    {
        x = mixed(x);
        tare_chain(x);
    }
}

TARE_BENCH(right_throughput)
{
    TARE_LOOP(st)
    {
        tare_use(mixed(tare_opaque(42)));
    }
}

TARE_BENCH(right_struct)
{
    struct pair p = {tare_seed(st), 5};
    TARE_LOOP(st)
    {
        tare_use_mem(&p, sizeof p);
        tare_use(sum_of(&p));
    }
}

TARE_BENCH(right_double)
{
    double x = 1.5;
    TARE_LOOP(st)
    {
        for (int i = 0; i < 10; i++)
            x = sqrt(x + 1);
        tare_chain(x);
    }
}

TARE_BENCH(right_float)
{
    float x = 1.5f;
    TARE_LOOP(st)
    {
        for (int i = 0; i < 10; i++)
            x = 1 / (x + 1);
        tare_chain(x);
    }
}

TARE_BENCH(right_stores)
{
    char buffer[4096];
    TARE_LOOP(st)
    {
        memset(buffer, 1, sizeof buffer);
        tare_use_mem(buffer, sizeof buffer);
    }
}

TARE_BENCH(right_string)
{
    const char *text = LONG_TEXT;
    TARE_LOOP(st)
    {
        tare_use(strlen(tare_opaque(text)));
    }
}

TARE_BENCH(right_memory)
{
    TARE_LOOP(st)
    {
        char *p = (char *)malloc(100);
        tare_use(p);
        free(p);
    }
}

TARE_BENCH(right_pure_call)
{
    TARE_LOOP(st)
    {
        tare_use(other_pure(tare_opaque(7)));
    }
}

TARE_BENCH(right_each)
{
    uint64_t seed = tare_seed(st);
    TARE_EACH(st, uint64_t, v, 1, *v = seed++)
    {
        *v = mixed(*v);
        tare_use_mem(v, sizeof *v);
    }
}

TARE_MAIN()
