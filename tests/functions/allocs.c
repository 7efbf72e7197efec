/* SPDX-License-Identifier: MIT
 *
 * Benchmarks that allocate so much, for allocs_test.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tare/tare.h>

static void *kept;

TARE_BENCH(two_blocks)
{
    kept = malloc(1000); /* outside of the loop: not an iteration's */
    TARE_LOOP(st)
    {
        char *p = malloc(100), *q = malloc(28);
        tare_use(p);
        tare_use(q);
        free(p);
        free(q);
    }
    free(kept);
}

TARE_BENCH(none)
{
    uint64_t x = tare_seed(st) | 1;
    TARE_LOOP(st)
    {
        x *= 3;
        tare_chain(x);
    }
}

static int processes_so_far(void)
{
    static int n;
    FILE *f = n ? NULL : fopen("fickle", "a");
    if (f) {
        fputc('.', f);
        n = (int)ftell(f);
        fclose(f);
    }
    return n;
}

TARE_BENCH(fickle)
{
    for (int i = processes_so_far(); i < 100; i++) { /* less in each process */
        void *p = malloc(16);
        tare_use(p);
        free(p);
    }
    TARE_LOOP(st)
    {
        tare_use(st);
    }
}

TARE_BENCH(in_threads, .threads = TARE_ARGS(2))
{
    TARE_LOOP(st)
    {
        char *p = malloc(64);
        tare_use(p);
        free(p);
    }
}

TARE_BENCH(large_input)
{
    TARE_EACH(st, char, v, 100000, *v = 1)
    {
        char *p = malloc(64);
        tare_use(p);
        free(p);
        tare_use_mem(v, 1);
    }
}

TARE_MAIN()
