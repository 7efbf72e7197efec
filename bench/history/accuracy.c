/* SPDX-License-Identifier: MIT
 *
 * history_accuracy SERIES     how often the change detector of a history is right about series with known truth (history_models.h), and its CPU
 * time. Prints Markdown. SERIES simulated for each figure, for more than 300 values fewer. Figures of other tools are as they were published or measured once, on
 * series of the same description and not on these.
 */
#include "history_counts.h"
#include <stdio.h>
#include <stdlib.h>

static int series;

static double percent(int hits, int n)
{
    return n ? 100. * hits / n : 0;
}

static void print_flat(void)
{
    static const char *const others[HISTORY_MODELS] = {
        [HISTORY_WHITE] = "20 | 0", [HISTORY_AR5] = "99 | 0", [HISTORY_LOGNORMAL] = "41 | 0"};
    static const int lengths[] = {12, 30, 50, 100, 300, 1000};
    printf("### Flat series in which anything was found, %% of %d (changes + drift or either)\n\n", series);
    printf("| noise | 12 values | 30 | 50 | 100 | 300 | 1000 | otava, 300 | asv, 300 "
           "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int m = 0; m < HISTORY_MODELS; m++) {
        printf("| %s |", history_model_name((enum history_model)m));
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            const struct made_history h = {.model = (enum history_model)m, .n = lengths[i], .at = lengths[i], .noise = 1};
            const struct history_counts c = history_count(&h, lengths[i] > 300 ? series / 3 + 1 : series, 1000000);
            printf(" %.1f + %.1f |", percent(c.steps, c.series), percent(c.drift + c.either, c.series));
        }
        printf(" %s |\n", others[m] ? others[m] : " | ");
    }
}

static void print_steps(void)
{
    static const double shifts[] = {.02, .05};
    static const char *const others[HISTORY_MODELS][2] = {[HISTORY_WHITE] = {"66 | 64", "100 | 100"},
                                                          [HISTORY_AR5] = {"55 | 1", "96 | 85"},
                                                          [HISTORY_LOGNORMAL] = {"64 | 90", "100 | 100"}};
    printf("\n### One step in 300 values, at a place of its own, %% of %d series\n\n", series);
    printf("\"Found\" is within 5 values. The intervals' shares are of the series with any change.\n\n");
    printf("| noise | step | found | otava | asv | exactly one change | called drift | either | of them in place | interval has "
           "the place | mean width | has "
           "the shift | "
           "half-width |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int m = 0; m < HISTORY_MODELS; m++)
        for (int s = 0; s < 2; s++) {
            const struct made_history h = {.model = (enum history_model)m, .n = 300, .at = -1, .shift = shifts[s], .noise = 1};
            const struct history_counts c = history_count(&h, series, 2000000);
            printf("| %s | +%.0f %% | %.1f | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | ±%.2f %% |\n",
                   history_model_name(h.model), 100 * h.shift, percent(c.hit, series), others[m][s] ? others[m][s] : " | ",
                   percent(c.one, series), percent(c.drift, series), percent(c.either, series), percent(c.either_hit, series),
                   percent(c.in_place, c.steps), c.width, percent(c.in_shift, c.steps), 100 * c.half_width);
        }
}

static void print_fresh(void)
{
    static const int fresh[] = {3, 5, 10, 20};
    static const double shifts[] = {.02, .04, .06, .1};
    printf("\n### New level in the last values of 100, white noise of 2 %%, found within 5 values, %% of %d series\n\n", series);
    printf("| values | +2 %% | +4 %% | +6 %% | +10 %% |\n|---:|---:|---:|---:|---:|\n");
    for (int f = 0; f < 4; f++) {
        printf("| %d |", fresh[f]);
        for (int s = 0; s < 4; s++) {
            const struct made_history h = {
                .model = HISTORY_WHITE, .n = 100, .at = 100 - fresh[f], .shift = shifts[s], .noise = 1};
            printf(" %.0f |", percent(history_count(&h, series, 3000000).hit, series));
        }
        printf("\n");
    }
}

static void print_drift(void)
{
    static const double noises[] = {1, .7, .5, .35, .2, .1, .02};
    printf("\n### A line of 1 %% over 200 values, %% of %d series called steps (drift)\n\n| noise |", series);
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++)
        printf(" %.2g %% |", 2 * noises[i]);
    printf("\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int m = 0; m < HISTORY_MODELS; m++) {
        printf("| %s |", history_model_name((enum history_model)m));
        for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
            const struct made_history h = {.model = (enum history_model)m, .n = 200, .at = 200, .drift = .01, .noise = noises[i]};
            const struct history_counts c = history_count(&h, series, 4000000);
            printf(" %.1f (%.0f) |", percent(c.steps, series), percent(c.drift, series));
        }
        printf("\n");
    }
}

static void print_time(void)
{
    static const int lengths[] = {100, 300, 1000, 3000, 10000};
    printf("\n### CPU time for a series, milliseconds, with one step of 5 %%\n\n| noise | 100 values | 300 | 1000 | 3000 | 10 "
           "000 |\n"
           "|---|---:|---:|---:|---:|---:|\n");
    for (int m = 0; m < HISTORY_MODELS; m++) {
        printf("| %s |", history_model_name((enum history_model)m));
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            const struct made_history h = {
                .model = (enum history_model)m, .n = lengths[i], .at = lengths[i] / 3, .shift = .05, .noise = 1};
            printf(" %.3f |", 1e3 * history_count(&h, 100000 / lengths[i], 5000000).seconds);
        }
        printf("\n");
    }
    printf("| otava | | | 17 | | |\n| asv, its path without compiled code | | | 390 | | |\n");
}

int main(int argc, char **argv)
{
    series = argc > 1 ? atoi(argv[1]) : 1000;
    if (series < 1)
        return 2;
    print_flat();
    print_steps();
    print_fresh();
    print_drift();
    print_time();
    return 0;
}
