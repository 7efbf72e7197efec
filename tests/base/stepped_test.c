/* SPDX-License-Identifier: MIT
 *
 * Means of durations that a clock in steps has read: the expectation by enumeration of phases, and the interval by simulation.
 */
#include "rng.h"
#include "rng_normal.h"
#include "stepped.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <tare/stats.h>

#include <cmocka.h>

enum { PHASES = 1000 };
static const double steps_ns[] = {0.4, 1, 2, 10, 26, 41.7, 64};
enum { STEPS = sizeof steps_ns / sizeof *steps_ns };

static double read_at(double phase, double duration, double step)
{
    return step * (floor((phase + duration) / step) - floor(phase / step));
}

/* PHASES readings of one duration, the phases in the middles of equal parts of a step. */
static void enumerate(double *ticks, double duration, double step)
{
    for (int i = 0; i < PHASES; i++)
        ticks[i] = read_at((i + 0.5) / PHASES * step, duration, step);
}

static void the_mean_has_no_error_of_the_step(void **state)
{
    (void)state;
    double ticks[PHASES];
    for (int s = 0; s < STEPS; s++)
        for (double duration = 0; duration < 100; duration += 0.37) {
            enumerate(ticks, duration, steps_ns[s]);
            const struct stepped_mean m = stepped_mean(ticks, PHASES, steps_ns[s]);
            if (m.cut || !(fabs(m.mean - duration) <= 0.002 * steps_ns[s]))
                fail_msg("%g ns in steps of %g: %g, %d cut", duration, steps_ns[s], m.mean, m.cut);
        }
}

/* An interrupt takes a microsecond and more: one reading in twenty, of both signs. */
static void interruptions_are_cut_and_leave_no_trace(void **state)
{
    (void)state;
    double ticks[PHASES + PHASES / 20];
    for (int s = 0; s < STEPS; s++)
        for (double duration = 0; duration < 100; duration += 1.37) {
            enumerate(ticks, duration, steps_ns[s]);
            for (int i = 0; i < PHASES / 20; i++)
                ticks[PHASES + i] = read_at(i, i % 2 ? duration + 1000 + 100 * i : -1000.0 - 100 * i, steps_ns[s]);
            const struct stepped_mean m = stepped_mean(ticks, PHASES + PHASES / 20, steps_ns[s]);
            if (m.cut != PHASES / 20 || !(fabs(m.mean - duration) <= 0.002 * steps_ns[s]))
                fail_msg("%g ns in steps of %g: %g, %d cut", duration, steps_ns[s], m.mean, m.cut);
        }
}

/* What scatters on its own is not cut: normal scatter of a hundredth to three steps. */
static void scatter_is_no_interruption(void **state)
{
    (void)state;
    static double ticks[200 * PHASES];
    const double sds[] = {0.01, 0.1, 0.3, 0.6, 1, 3};
    const int n = 200 * PHASES;
    for (size_t k = 0; k < sizeof sds / sizeof *sds; k++) {
        for (int i = 0; i < n; i++) { /* normal quantiles by phases, the inner index running */
            const double scatter = sds[k] * tare_normal_quantile((i / PHASES + 0.5) / 200);
            ticks[i] = read_at((i % PHASES + 0.5) / PHASES, 23.3 + scatter, 1);
        }
        const struct stepped_mean m = stepped_mean(ticks, n, 1);
        if (m.cut || !(fabs(m.mean - 23.3) <= 0.002))
            fail_msg("a scatter of %g steps: %g, %d cut", sds[k], m.mean, m.cut);
    }
}

/* Of 1000 means, at least 933 in the interval of 95 % (1 % quantile of the binomial): drawn phases and durations, with interruptions. */
static void the_interval_holds_at_every_n(void **state)
{
    (void)state;
    const int sizes[] = {9, 17, 31, 101};
    struct rng rng = rng_seeded(17);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int s = 0; s < STEPS; s++) {
            int held = 0;
            for (int run = 0; run < 1000; run++) {
                double ticks[101];
                const double duration = 90 * rng_uniform(&rng),
                             scatter = rng_below(&rng, 2) ? 0 : steps_ns[s] * rng_uniform(&rng);
                for (int i = 0; i < sizes[k]; i++)
                    ticks[i] = read_at(steps_ns[s] * rng_uniform(&rng),
                                       duration + scatter * rng_normal(&rng) + (rng_below(&rng, 40) ? 0 : 5000), steps_ns[s]);
                const struct stepped_mean m = stepped_mean(ticks, sizes[k], steps_ns[s]);
                held += fabs(m.mean - duration) <= tare_student_quantile(0.975, m.n - 1) * m.error;
            }
            if (held < 933)
                fail_msg("n %d, step %g: %d of 1000", sizes[k], steps_ns[s], held);
        }
}

static void the_edges_are_as_said(void **state)
{
    (void)state;
    double one[] = {7}, same[] = {5, 5, 5, 5}, with_nan[] = {1, NAN, 3}, plain[] = {1, 2, 3, 4, 1000};
    struct stepped_mean m = stepped_mean(one, 1, 10);
    assert_true(m.mean == 7 && isinf(m.error) && m.n == 1);
    m = stepped_mean(same, 4, 0);
    assert_true(m.mean == 5 && m.error == 0 && m.n == 4);
    m = stepped_mean(same, 4, 10);
    assert_true(m.mean == 5 && m.error > 0);
    m = stepped_mean(with_nan, 3, 1);
    assert_true(isnan(m.mean) && m.n == 0);
    m = stepped_mean(plain, 0, 1);
    assert_true(isnan(m.mean) && m.n == 0);
    m = stepped_mean(plain, 5, NAN);
    assert_true(m.mean == 2.5 && m.cut == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_has_no_error_of_the_step),
        cmocka_unit_test(interruptions_are_cut_and_leave_no_trace),
        cmocka_unit_test(scatter_is_no_interruption),
        cmocka_unit_test(the_interval_holds_at_every_n),
        cmocka_unit_test(the_edges_are_as_said),
    };
    return cmocka_run_group_tests_name("stepped", tests, NULL, NULL);
}
