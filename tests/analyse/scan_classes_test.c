/* SPDX-License-Identifier: MIT */
#include "scan_fit.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double x[] = {2, 8, 32, 128, 512};
enum { K = sizeof x / sizeof *x };

static double shape(enum scan_class class, double n)
{
    const double shapes[SCAN_CLASSES] = {0, log(n), n, n * log(n), n * n, n * n * n};
    return shapes[class];
}

/* A time that is exactly of one class, an intercept included, is missed by no more than rounding by it, and by the others by far. */
static void each_class_fits_its_own_times_and_no_other(void **state)
{
    (void)state;
    for (int truth = 0; truth < SCAN_CLASSES; truth++) {
        double y[K], misfit[SCAN_CLASSES];
        for (int j = 0; j < K; j++)
            y[j] = log(50 + 3 * shape((enum scan_class)truth, x[j]));
        scan_misfits(x, y, K, 1, misfit);
        assert_true(misfit[truth] < 1e-9);
        for (int c = 0; c < SCAN_CLASSES; c++)
            if (c != truth && truth != SCAN_1)
                assert_true(misfit[c] > 0.01);
    }
}

static void what_falls_is_a_constant_to_every_class(void **state)
{
    (void)state;
    double y[K], misfit[SCAN_CLASSES];
    for (int j = 0; j < K; j++)
        y[j] = log(100 - x[j] / 10);
    scan_misfits(x, y, K, 1, misfit);
    for (int c = 1; c < SCAN_CLASSES; c++)
        assert_true(fabs(misfit[c] / misfit[SCAN_1] - sqrt((K - 1.) / (K - 2))) < 1e-9);
}

static void rounds_do_not_mix(void **state)
{
    (void)state;
    double y[2 * K], one[SCAN_CLASSES], misfit[2 * SCAN_CLASSES];
    double alone[K];
    for (int j = 0; j < K; j++) {
        y[2 * j] = log(1 + x[j]);
        alone[j] = y[2 * j + 1] = log(7 + x[j] * sqrt(x[j]));
    }
    scan_misfits(x, y, K, 2, misfit);
    scan_misfits(x, alone, K, 1, one);
    for (int c = 0; c < SCAN_CLASSES; c++)
        assert_true(misfit[2 * c + 1] == one[c]);
    assert_true(misfit[2 * SCAN_N] < 1e-9);
}

/* Times of steps of 16, 24 and 18 times: n log n misses the first one by far, and what a class has exactly it misses nowhere. */
static void how_far_each_value_is_off_a_class(void **state)
{
    (void)state;
    static const double n[] = {100, 1000, 10000, 100000}, t[] = {182.3, 3005, 71400, 1295000};
    double y[4], off[8], own[8];
    for (int j = 0; j < 4; j++)
        y[j] = log(t[j]);
    scan_class_off(n, y, 4, 1, SCAN_N_LOG_N, off);
    double most = 0, square = 0, misfit[SCAN_CLASSES];
    for (int j = 0; j < 4; j++) {
        most = fmax(most, fabs(off[j]));
        square += off[j] * off[j];
    }
    scan_misfits(n, y, 4, 1, misfit);
    assert_true(most > 0.2);
    assert_true(fabs(sqrt(square / 2) - misfit[SCAN_N_LOG_N]) < 1e-12);
    for (int i = 0; i < 8; i++)
        own[i] = log(7 + 3 * n[i / 2] * (i % 2 + 1));
    scan_class_off(n, own, 4, 2, SCAN_N, off);
    for (int i = 0; i < 8; i++)
        assert_true(fabs(off[i]) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_class_fits_its_own_times_and_no_other),
        cmocka_unit_test(what_falls_is_a_constant_to_every_class),
        cmocka_unit_test(rounds_do_not_mix),
        cmocka_unit_test(how_far_each_value_is_off_a_class),
    };
    return cmocka_run_group_tests_name("scan_classes", tests, NULL, NULL);
}
