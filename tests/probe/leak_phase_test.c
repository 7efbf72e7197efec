/* SPDX-License-Identifier: MIT
 *
 * Is the mean of readings in a drawn phase the mean time? The expectation is enumerated, not drawn: all pairs of draws, calls of 1 to 60 cycles, steps
 * of 0.4 to 64 ns, a core of 2 to 5 GHz. A delay is whole cycles long. Where the core's clock is not locked to the counter's, the moment within a cycle at
 * which it begins takes all values by and by, and is averaged over; from where in the step it comes is not. Where it is locked, each moment by itself
 * must be right. Then the same where the number of adds was measured wrongly, and with one draw in place of two, to see what two are for.
 */
#include "leak_harness.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PHASES = 5, OF_CYCLE = 131, FEW_CYCLES = 4 };

/* Chances of the sum of `draws` uniforms of 0 .. width - 1; returns the number of sums. */
static int chances_of(int width, int draws, double *chance)
{
    const int n = draws == 1 ? width : 2 * width - 1;
    for (int i = 0; i < n; i++)
        chance[i] = draws == 1 ? 1.0 / width : (double)(i < width ? i + 1 : n - i) / width / width;
    return n;
}

/* In time, 1 is a step; a delay of i adds ends i cycles later. */
static double mean_reading(double begin, int call, double cycle, const double *chance, int n)
{
    double mean = 0;
    for (int i = 0; i < n; i++)
        mean += chance[i] * (floor(begin + (i + call) * cycle) - floor(begin + i * cycle));
    return mean;
}

/* The worst error of the mean over phases of the step, in steps. */
static double worst_bias(double cycle, const double *chance, int n, bool locked)
{
    const int moments = locked ? 1 : OF_CYCLE;
    double worst = 0;
    for (int call = 1; call <= 60; call += call < 6 ? 1 : 18)
        for (int p = 0; p < PHASES; p++) {
            double sum = 0;
            for (int m = 0; m < moments; m++)
                sum += mean_reading((p + .3137) / PHASES + (m + .5) / moments * cycle, call, cycle, chance, n);
            worst = fmax(worst, fabs(sum / moments - call * cycle));
        }
    return worst;
}

static double bias_at(double step_ns, double core_ghz, int draws, double mistaken)
{
    static double chance[1 << 12];
    const double step_cycles = step_ns * core_ghz;
    const int width = leak_phase_width(step_cycles * mistaken);
    assert_in_range(width, 16, (1 << 11) - 1);
    return worst_bias(1 / step_cycles, chance, chances_of(width, draws, chance), false);
}

static const double STEPS_NS[] = {.4, .5, 1, 2.5, 4, 8.2, 10, 20, 26, 40, 41.6667, 52, 64};

static void the_mean_is_right_to_a_five_hundredth_of_a_step(void **state)
{
    (void)state;
    double worst = 0;
    for (size_t i = 0; i < sizeof STEPS_NS / sizeof *STEPS_NS; i++)
        for (double ghz = 2; ghz <= 5; ghz += .53) {
            if (STEPS_NS[i] * ghz < FEW_CYCLES) /* whole cycles draw such a phase only roughly */
                continue;
            const double bias = bias_at(STEPS_NS[i], ghz, 2, 1);
            worst = fmax(worst, bias);
            if (!(bias <= .002))
                fail_msg("a step of %g ns at %g GHz: %g of a step", STEPS_NS[i], ghz, bias);
        }
    print_message("worst: %g of a step\n", worst);
}

static void of_a_core_that_is_locked_to_the_counter_each_phase_is_right(void **state)
{
    (void)state;
    static const struct {
        int cycles, steps;
    } locked[] = {{30, 1}, {41, 1}, {52, 5}, {47, 4}, {33, 2}, {9, 2}, {175, 1}};
    static double chance[1 << 12];
    for (size_t i = 0; i < sizeof locked / sizeof *locked; i++) {
        const double step_cycles = (double)locked[i].cycles / locked[i].steps;
        const int width = leak_phase_width(step_cycles);
        if (fabs(remainder(width, step_cycles)) > 1e-6) /* near enough to be taken, and so not locked to the width */
            continue;
        const double bias = worst_bias(1 / step_cycles, chance, chances_of(width, 2, chance), true);
        if (!(bias < 1e-6))
            fail_msg("%d cycles are %d steps, %d adds: %g of a step", locked[i].cycles, locked[i].steps, width, bias);
    }
}

static void two_draws_forgive_a_frequency_that_moved(void **state)
{
    (void)state;
    for (double mistaken = .96; mistaken < 1.05; mistaken += .02) {
        if (!(bias_at(10, 3, 2, mistaken) <= .002))
            fail_msg("two draws, %g of the width: %g of a step", mistaken, bias_at(10, 3, 2, mistaken));
        if (fabs(mistaken - 1) > .03 && !(bias_at(10, 3, 1, mistaken) > .005))
            fail_msg("one draw, %g of the width: %g of a step", mistaken, bias_at(10, 3, 1, mistaken));
    }
}

static void a_step_that_no_delay_spans_has_no_width(void **state)
{
    (void)state;
    assert_int_equal(leak_phase_width(1e7), 0);
    assert_int_equal(leak_phase_width(30), 30);
    assert_in_range(leak_phase_width(1.2), 16, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_is_right_to_a_five_hundredth_of_a_step),
        cmocka_unit_test(of_a_core_that_is_locked_to_the_counter_each_phase_is_right),
        cmocka_unit_test(two_draws_forgive_a_frequency_that_moved),
        cmocka_unit_test(a_step_that_no_delay_spans_has_no_width),
    };
    return cmocka_run_group_tests_name("leak_phase", tests, NULL, NULL);
}
