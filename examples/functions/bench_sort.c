/* SPDX-License-Identifier: MIT
 *
 * qsort, each time of ints that are not sorted yet.
 *
 * An array that was sorted once is sorted for ever after, and sorting it again is another task, often a much faster one. TARE_EACH gives every
 * call an array of its own, filled before the clock starts. `order` says what they were: compare random with sorted.
 */
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The same seed gives the same numbers: all that are compared sort the same. */
static void fill(int *v, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        v[i] = (int)(seed >> 33);
    }
}

static int is_sorted(const int *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (v[i - 1] > v[i])
            return 0;
    return 1;
}

TARE_BENCH(sort, .args = TARE_NAMED("n", 10, 100, 1000, 10000), .args2 = TARE_WORDS("order", "random", "sorted"),
           .complexity = true)
{
    size_t n = (size_t)tare_arg(st, 0), bytes = n * sizeof(int);
    int *proto = tare_alloc(st, bytes), *result = tare_alloc(st, bytes);
    if (!proto || !result)
        return;
    fill(proto, n, tare_seed(st));
    if (strcmp(tare_word(st, 1), "sorted") == 0)
        qsort(proto, n, sizeof *proto, by_value);
    TARE_EACH(st, int, v, n, memcpy(v, proto, bytes))
    {
        qsort(v, n, sizeof *v, by_value);
        tare_use_mem(v, bytes);
    }
    memcpy(result, proto, bytes); /* the check sorts once more, beside the clock */
    qsort(result, n, sizeof *result, by_value);
    tare_check(st, is_sorted(result, n));
    tare_items(st, (double)n);
}

TARE_MAIN()
