/* SPDX-License-Identifier: MIT
 * Calibration error against its length: bench/calibration [REPEATS]. Prints Markdown rows.
 *
 * Each length is calibrated again and again, in turn with the others; the error is the difference to the frequency over the whole of
 * that time. The single pair reads clock and counter once at each end, as many programs do. */
#include "clocks.h"
#include "cpu.h"
#include "plat.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/stats.h>

enum { LENGTHS = 4, REPEATS_MAX = 1000 };

static const int64_t length_ns[LENGTHS] = {100000, 1000000, 10000000, 100000000};

static double single_pair_hz(int64_t over_ns)
{
    uint64_t ticks = cpu_ticks_begin();
    int64_t ns = plat_clock_ns(PLAT_CLOCK_RAW), now;
    do
        now = plat_clock_ns(PLAT_CLOCK_RAW);
    while (now - ns < over_ns);
    return (double)(cpu_ticks_end(NULL) - ticks) / (double)(now - ns) * 1e9;
}

static double calibrated_hz(int64_t over_ns)
{
    struct clock_calibration c;
    return clock_calibrate(&c, over_ns, NULL) ? NAN : c.hz;
}

static void print_row(const char *method, double ms, double *hz, int n, double truth)
{
    for (int i = 0; i < n; i++)
        hz[i] = fabs(hz[i] / truth - 1) * 1e6;
    tare_sort(hz, n);
    printf("| %s | %g | %d | %.3f | %.3f | %.3f |\n", method, ms, n, hz[n / 2], hz[(n - 1) * 9 / 10], hz[n - 1]);
}

int main(int argc, char **argv)
{
    static double pair[REPEATS_MAX], hz[LENGTHS][REPEATS_MAX];
    int n = argc > 1 ? atoi(argv[1]) : 100;
    struct tare_err err;
    struct clock_pair from, to;
    if (n < 1 || n > REPEATS_MAX || plat_ticks_allowed(&err) != TARE_OK)
        return 2;
    struct clock_calibration whole;
    clock_calibrate(&whole, 1000000, NULL);
    from = whole.from;
    for (int i = 0; i < n; i++) {
        pair[i] = single_pair_hz(length_ns[0]);
        for (int l = 0; l < LENGTHS; l++)
            hz[l][i] = calibrated_hz(length_ns[l]);
    }
    clock_calibrate(&whole, 1000000, NULL);
    to = whole.to;
    double truth = (double)(to.ticks - from.ticks) / (double)(to.ns - from.ns) * 1e9;
    print_row("single pair", 0.1, pair, n, truth);
    for (int l = 0; l < LENGTHS; l++)
        print_row("narrowest of 31 at each end", (double)length_ns[l] / 1e6, hz[l], n, truth);
    return 0;
}
