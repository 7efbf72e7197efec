/* SPDX-License-Identifier: MIT
 *
 * What is promised of changes in a history, counted in seeded simulations and held against exact binomial marks, as in stats_sim_test.c:
 * a detector that keeps its promise would miss one of them in 1 of 10 000 such tests, and the seeds are fixed.
 */
#include "history_counts.h"
#include "stats_test.h"

static const double MARK = 5e-5; /* each side */

/* `hits` of n must be compatible with a probability between p_low and p_high. */
static void assert_rate(const char *what, const char *where, int hits, int n, double p_low, double p_high)
{
    print_message("             %s, %s: %d of %d = %.4f\n", what, where, hits, n, (double)hits / n);
    const double too_few = tare_binomial_cdf(hits, n, p_low), too_many = tare_binomial_cdf(n - hits, n, 1 - p_high);
    if (too_few < MARK || too_many < MARK) {
        print_error("%s, %s: %.4f, promised %.4f to %.4f\n", what, where, (double)hits / n, p_low, p_high);
        fail();
    }
}

static void in_flat_series_of(enum history_model model, double most)
{
    const int lengths[] = {12, 20, 30, 50, 100, 300, 1000}, series[] = {2000, 2000, 2000, 1500, 1000, 700, 200};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const struct made_history flat = {.model = model, .n = lengths[i], .at = lengths[i], .noise = 1};
        const struct history_counts c = history_count(&flat, series[i], 1000 * (uint64_t)lengths[i]);
        char where[48];
        snprintf(where, sizeof where, "%d values, %s", lengths[i], history_model_name(model));
        assert_rate("anything in a flat series", where, c.steps + c.drift + c.either, c.series, 0, most);
    }
}

static void in_one_flat_series_of_twenty_is_anything_found(void **state)
{
    (void)state;
    for (int model = 0; model < HISTORY_AR8; model++)
        in_flat_series_of((enum history_model)model, .05);
    in_flat_series_of(HISTORY_AR8, .06); /* not promised; what it is */
}

/* Times that a program prints in few digits: ticks of 0.5 to 3 standard deviations, and so coarse that all but a few values are the same. */
static void few_digits_are_no_change(void **state)
{
    (void)state;
    static const enum history_model models[] = {HISTORY_WHITE, HISTORY_AR5, HISTORY_LOGNORMAL, HISTORY_SPIKES, HISTORY_BIMODAL};
    static const double ticks[] = {.5, 1, 1.5, 2, 3, 6};
    static const int lengths[] = {12, 20, 30, 50, 100, 300};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t t = 0; t < sizeof ticks / sizeof *ticks; t++)
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                const struct made_history flat = {
                    .model = models[m], .n = lengths[i], .at = lengths[i], .noise = 1, .tick = ticks[t]};
                const struct history_counts c = history_count(&flat, 1000, 200000 + 1000 * i);
                char where[64];
                snprintf(where, sizeof where, "%d values, %s, ticks of %g sd", lengths[i], history_model_name(models[m]),
                         ticks[t]);
                assert_rate("anything in a flat series", where, c.steps + c.drift, c.series, 0, .05);
            }
    const struct made_history two_ticks = {.model = HISTORY_WHITE, .n = 100, .at = -1, .shift = .08, .noise = 1, .tick = 2};
    const struct history_counts c = history_count(&two_ticks, 1000, 300000);
    assert_rate("found within 5 values", "two ticks of 2 sd", c.hit, c.series, .98, 1);
}

/* 300 values, the step anywhere in the middle two thirds. Of asv, on steps of its own: white 64 and 100 %, AR(1) 0.5 1 and 85 %, log-normal 90 and
 * 100 %. */
static const struct {
    enum history_model model;
    double shift, hit, in_place, in_shift; /* at least */
} steps[] = {
    {HISTORY_WHITE, .02, .70, .95, .95},     {HISTORY_WHITE, .05, .99, .95, .95},      {HISTORY_WHITE, -.02, .70, .95, .95},
    {HISTORY_AR5, .02, .24, .95, .95},       {HISTORY_AR5, .05, .95, .95, .95},        {HISTORY_LOGNORMAL, .02, .93, .95, .95},
    {HISTORY_LOGNORMAL, .05, .99, .95, .95}, {HISTORY_LOGNORMAL, -.02, .92, .95, .95}, {HISTORY_SPIKES, .02, .62, .95, .95},
    {HISTORY_SPIKES, .05, .98, .95, .95},    {HISTORY_QUANTISED, .02, .68, .95, .95},  {HISTORY_QUANTISED, .05, .99, .95, .95},
    {HISTORY_COARSE, .02, .52, .95, .95},    {HISTORY_COARSE, .05, .96, .95, .95},     {HISTORY_BIMODAL, .02, .68, .95, .95},
    {HISTORY_BIMODAL, .05, .99, .95, .95},
};

static void steps_are_found_and_their_intervals_have_the_truth(void **state)
{
    (void)state;
    enum { SERIES = 1000 };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct made_history h = {.model = steps[i].model, .n = 300, .at = -1, .shift = steps[i].shift, .noise = 1};
        const struct history_counts c = history_count(&h, SERIES, 50000 + 2000 * i);
        char where[48];
        snprintf(where, sizeof where, "%+.0f %%, %s", 100 * h.shift, history_model_name(h.model));
        assert_rate("found within 5 values", where, c.hit, c.series, steps[i].hit, 1);
        assert_rate("called a drift", where, c.drift, c.series, 0, .03);
        assert_rate("the interval has the place", where, c.in_place, c.steps, steps[i].in_place, 1);
        assert_rate("the interval has the shift", where, c.in_shift, c.steps, steps[i].in_shift, 1);
    }
}

/* The last `values` of 100 are at a new level. */
static void fresh_changes_are_found(void **state)
{
    (void)state;
    const struct {
        int values;
        double shift, least;
    } rows[] = {{5, .04, .5}, {10, .04, .8}, {3, .06, .65}, {5, .06, .95}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct made_history h = {
            .model = HISTORY_WHITE, .n = 100, .at = 100 - rows[i].values, .shift = rows[i].shift, .noise = 1};
        const struct history_counts c = history_count(&h, 1000, 90000 + 2000 * i);
        char where[48];
        snprintf(where, sizeof where, "%d values, %+.0f %%", rows[i].values, 100 * h.shift);
        assert_rate("found at the end", where, c.hit, c.series, rows[i].least, 1);
    }
}

static void a_drift_is_not_called_steps(void **state)
{
    (void)state;
    const double noises[] = {1, .7, .5, .35, .2, .1, .02};
    for (int model = 0; model < HISTORY_AR8; model++)
        for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
            const struct made_history h = {
                .model = (enum history_model)model, .n = 200, .at = 200, .drift = .01, .noise = noises[i]};
            const struct history_counts c = history_count(&h, 1000, 120000 + 1000 * i);
            char where[48];
            snprintf(where, sizeof where, "noise %.2g %%, %s", 2 * noises[i], history_model_name(h.model));
            assert_rate("1 % of drift is called steps", where, c.steps, c.series, 0, .05);
            if (noises[i] <= .1)
                assert_rate("1 % of drift is called drift", where, c.drift, c.series, .95, 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_one_flat_series_of_twenty_is_anything_found),
        cmocka_unit_test(few_digits_are_no_change),
        cmocka_unit_test(steps_are_found_and_their_intervals_have_the_truth),
        cmocka_unit_test(fresh_changes_are_found),
        cmocka_unit_test(a_drift_is_not_called_steps),
    };
    return cmocka_run_group_tests_name("changes, simulated", tests, NULL, NULL);
}
