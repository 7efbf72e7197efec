/* SPDX-License-Identifier: MIT
 *
 * Makes src/stats/two_modes_critical.def: the 99th percentile of tare_two_modes' ratio over normal samples, by simulation.
 *
 *     ninja -C build two_modes_critical && build/tests/stats/two_modes_critical > src/stats/two_modes_critical.def
 *
 * The seed is fixed, so the file can be made again. Standard error of a value: below .5 %.
 */
#include "rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <tare/stats.h>

enum { N_MAX = 5000 };

static double percentile_99(int n, int samples, struct rng *rng, double *ratios)
{
    static double x[N_MAX], scratch[N_MAX];
    int kept = 0;
    for (int s = 0; s < samples; s++) {
        for (int i = 0; i < n; i++)
            x[i] = rng_normal(rng);
        struct tare_modes m;
        tare_two_modes(x, n, scratch, &m);
        if (m.ratio == m.ratio) /* trimming may leave a small sample without a ratio */
            ratios[kept++] = m.ratio;
    }
    tare_sort(ratios, kept);
    return tare_quantile_sorted(ratios, kept, 0.99);
}

int main(void)
{
    static const int sizes[] = {6,  7,  8,  9,  10,  11,  12,  14,  16,  18,   20,   25,
                                30, 40, 50, 70, 100, 150, 200, 300, 500, 1000, 2000, N_MAX};
    struct rng rng = rng_seeded(19690601);
    puts("/* SPDX-License-Identifier: MIT */\n/* Made by tools/two_modes_critical.c: size of sample, 99th percentile of the "
         "split ratio of normal samples. */");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int n = sizes[i], samples = n < 100 ? 400000 : 40000000 / n;
        double *ratios = malloc((size_t)samples * sizeof *ratios);
        if (!ratios)
            return 1;
        printf("X(%d, %.4f)\n", n, percentile_99(n, samples, &rng, ratios));
        free(ratios);
    }
    return fflush(stdout) != 0;
}
