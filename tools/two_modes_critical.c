/* SPDX-License-Identifier: MIT
 *
 * Makes src/stats/two_modes_critical.def by simulation: the 95th percentile, over uniform samples, of the largest value that any stretch has beside
 * one on its left or on its right (src/stats/two_modes.c says why that is what a valley must exceed on both sides).
 *
 *     ninja -C build two_modes_critical && build/tests/stats/two_modes_critical > src/stats/two_modes_critical.def
 *
 * The seed is fixed, so the file can be made again, in a minute. Standard error of a value: .02.
 */
#include "rng.h"
#include "stats_core.h"
#include <stdio.h>

enum { N_MAX = 200, SAMPLES = 40000 };

static double percentile_95(int n, struct rng *rng, double *values)
{
    static double x[N_MAX];
    for (int s = 0; s < SAMPLES; s++) {
        for (int i = 0; i < n; i++)
            x[i] = rng_uniform(rng);
        tare_sort(x, n);
        const struct stats_valley deepest = stats_deepest_valley(&(struct stats_valleys){.sorted = x, .n = n, .one_side = true});
        values[s] = fmax(deepest.value, 0); /* of few values often none is sparser */
    }
    tare_sort(values, SAMPLES);
    return tare_quantile_sorted(values, SAMPLES, 0.95);
}

int main(void)
{
    static const int sizes[] = {6, 7, 8, 10, 12, 15, 20, 30, 50, 100, N_MAX};
    static double values[SAMPLES];
    struct rng rng = rng_seeded(20080801);
    puts("/* SPDX-License-Identifier: MIT */\n/* Made by tools/two_modes_critical.c: size of sample, logarithm of the likelihood "
         "ratio that "
         "one side of some\n * stretch exceeds in 5 of 100 uniform samples. */");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        printf("X(%d, %.4f)\n", sizes[i], percentile_95(sizes[i], &rng, values));
    return fflush(stdout) != 0;
}
