/* SPDX-License-Identifier: MIT
 *
 * leak_clocks [BLOCKS] [SEED]: one leak, a comparison that stops at the first difference, timed by the processor's counter, by clock_gettime and by
 * gettimeofday, and what tare's engine makes of each. Prints Markdown.
 *
 * The calls are the same in all three: equal or random inputs of 16 bytes in blocks of drawn order. A clock whose step is larger than the call shows
 * nothing in most calls; the coin of the order makes of the rest what it can, and what is below resolution is said to be so. */
#include "leak_engine.h"
#include "rng.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <tare/tare.h>
#include <time.h>

enum { BYTES = 16, STEP_READS = 100000 };

static int __attribute__((noinline)) compare(const unsigned char *a, const unsigned char *b)
{
    for (int i = 0; i < BYTES; i++)
        if (a[i] != b[i])
            return i + 1;
    return 0;
}

/* ---- clocks, in ns but for the first ---- */

static uint64_t read_counter(void)
{
    return tare_ticks_begin().count;
}

static uint64_t read_gettime(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t read_timeofday(void)
{
    struct timeval t;
    gettimeofday(&t, NULL);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/* The smallest step that is seen, and the shortest time between two readings. */
static void steps(uint64_t (*read)(void), uint64_t *step, uint64_t *least)
{
    *step = UINT64_MAX;
    *least = UINT64_MAX;
    for (int i = 0; i < STEP_READS; i++) {
        uint64_t a = read(), b = read();
        *least = b - a < *least ? b - a : *least;
        *step = b > a && b - a < *step ? b - a : *step;
    }
}

/* ---- one clock ---- */

static uint32_t call(uint64_t (*read)(void), const unsigned char *a, const unsigned char *b)
{
    uint64_t start = read();
    int found = compare(a, b);
    tare_use(found);
    uint64_t stop = read();
    return stop > start && stop - start < UINT32_MAX ? (uint32_t)(stop - start) : 0;
}

static void block(struct rng *rng, uint64_t (*read)(void), uint8_t class[2], uint32_t ticks[2])
{
    _Alignas(64) unsigned char in[2][2 * BYTES];
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < BYTES; i++) {
            unsigned char mask = (unsigned char)(0 - c);
            in[c][i] = (unsigned char)rng_next(rng);
            in[c][BYTES + i] = (unsigned char)(in[c][i] ^ ((unsigned char)rng_next(rng) & mask));
        }
    class[0] = (uint8_t)(rng_next(rng) >> 63);
    class[1] = (uint8_t) !class[0];
    for (int k = 0; k < 2; k++)
        ticks[k] = call(read, in[class[k]], in[class[k]] + BYTES);
}

static void measure(const char *name, const char *unit, uint64_t (*read)(void), int64_t blocks, uint64_t seed)
{
    struct leak_rule rule = leak_rule_default(2);
    struct leak_engine *engine;
    struct leak_reading *r = malloc(sizeof *r);
    struct tare_err err;
    struct rng rng = rng_seeded(seed);
    uint64_t step, least;
    rule.margin_ticks = 1;
    rule.processes = false; /* one stream */
    if (!r || leak_engine_create(&rule, &engine, &err)) {
        fprintf(stderr, "leak_clocks: no memory\n");
        exit(6);
    }
    steps(read, &step, &least);
    for (int64_t i = 0; i < blocks; i++) {
        uint8_t class[2];
        uint32_t ticks[2];
        block(&rng, read, class, ticks);
        leak_engine_blocks(engine, LEAK_MAIN, 2, 1, class, ticks, &err);
        if (i % 500 == 499)
            leak_engine_round(engine);
    }
    leak_engine_round(engine);
    leak_engine_read(engine, r);
    const struct tare_interval *d = &r->pair[r->worst].at[r->headline].ticks;
    printf("| %s | %llu %s | %llu | ", name, (unsigned long long)step, unit, (unsigned long long)least);
    printf(r->found_after >= 0 ? "%lld" : "never", (long long)(2 * r->found_after));
    printf(" | %.3g [%.3g, %.3g] %s | %.1f |\n", d->point, d->low, d->high, unit, r->log10_e);
    leak_engine_destroy(engine);
    free(r);
}

int main(int argc, char **argv)
{
    int64_t blocks = argc > 1 ? atoll(argv[1]) : 300000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct tare_bracket first; /* the first of a process examines the counter: where it may not be read, the program ends here */
    TARE_START(first);
    TARE_STOP(first);
    if (!first.way) {
        fputs("leak_clocks: this process may not read the processor's counter, or it cannot be trusted\n", stderr);
        return 6;
    }
    puts("| clock | least above 0 | shortest | calls until found | difference | log10 E |\n|---|---:|---:|---:|---:|---:|");
    measure("the processor's counter", "ticks", read_counter, blocks, seed);
    measure("clock_gettime", "ns", read_gettime, blocks, seed);
    measure("gettimeofday", "ns", read_timeofday, blocks, seed);
    return 0;
}
