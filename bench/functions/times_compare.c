/* SPDX-License-Identifier: MIT
 *
 * times_compare FILE FILE: two files of times, a number a line, through the test of Mann and Whitney at 5 %. Prints "WORD RATIO": slower, faster or none of
 * the second against the first, and the ratio of their medians.
 */
#include <stdio.h>
#include <tare/stats.h>

enum { MOST = 1000 };

static int read_times(const char *path, double *out)
{
    FILE *f = fopen(path, "r");
    int n = 0;
    while (f && n < MOST && fscanf(f, "%lf", &out[n]) == 1)
        n++;
    if (f)
        fclose(f);
    return n;
}

int main(int argc, char **argv)
{
    static double one[MOST], two[MOST], scratch[3 * MOST];
    struct tare_rank_sum test;
    if (argc != 3)
        return 2;
    int n = read_times(argv[1], one), m = read_times(argv[2], two);
    if (tare_rank_sum_test(one, n, two, m, scratch, &test))
        return 1;
    tare_sort(one, n);
    tare_sort(two, m);
    double a = tare_quantile_sorted(one, n, 0.5), b = tare_quantile_sorted(two, m, 0.5);
    printf("%s %.6f\n", test.p >= 0.05 ? "none" : b > a ? "slower" : "faster", b / a);
    return 0;
}
