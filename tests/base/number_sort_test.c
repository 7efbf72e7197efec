/* SPDX-License-Identifier: MIT */
#include "number_sort.h"
#include "rng.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 5000 };

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void assert_sorts(const double *values, ptrdiff_t n)
{
    double x[MOST], room[MOST], expected[MOST];
    memcpy(x, values, (size_t)n * sizeof *x);
    memcpy(expected, values, (size_t)n * sizeof *x);
    qsort(expected, (size_t)n, sizeof *expected, by_size);
    number_sort(x, n, room);
    for (ptrdiff_t i = 0; i < n; i++)
        if (x[i] != expected[i])
            fail_msg("of %td numbers number %td is %g, expected %g", n, i, x[i], expected[i]);
}

static void numbers_of_any_size_and_sign_ascend(void **state)
{
    (void)state;
    double x[MOST];
    struct rng rng = rng_seeded(26);
    static const ptrdiff_t sizes[] = {0, 1, 2, 3, 17, 999, 1000, MOST};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int kind = 0; kind < 5; kind++) {
            for (ptrdiff_t i = 0; i < sizes[k]; i++) {
                const double u = rng_uniform(&rng);
                x[i] = kind == 0   ? floor(1e7 * (1 + u)) /* times */
                       : kind == 1 ? u - 0.5
                       : kind == 2 ? ldexp(u - 0.5, (int)(2000 * u) - 1000) /* all that doubles reach */
                       : kind == 3 ? floor(3 * u)
                                   : -(double)i;
            }
            assert_sorts(x, sizes[k]);
        }
}

static void infinities_are_the_ends_and_equal_numbers_stay(void **state)
{
    (void)state;
    assert_sorts((const double[]){INFINITY, 1, -INFINITY, 0x1p-1074, -0x1p-1074, 0, INFINITY, -1}, 8);
    assert_sorts((const double[]){4, 4, 4}, 3);
    double zeros[] = {0., -0.}, room[2];
    number_sort(zeros, 2, room);
    assert_true(zeros[0] == 0 && zeros[1] == 0);
}

static void what_is_no_number_comes_last(void **state)
{
    (void)state;
    double x[] = {3, NAN, 1, -NAN, INFINITY, 2}, room[6], none[] = {NAN, NAN};
    number_sort(x, 6, room);
    assert_true(x[0] == 1 && x[1] == 2 && x[2] == 3 && isinf(x[3]) && isnan(x[4]) && isnan(x[5]));
    number_sort(none, 2, room);
    assert_true(isnan(none[0]) && isnan(none[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_any_size_and_sign_ascend),
        cmocka_unit_test(infinities_are_the_ends_and_equal_numbers_stay),
        cmocka_unit_test(what_is_no_number_comes_last),
    };
    return cmocka_run_group_tests_name("number_sort", tests, NULL, NULL);
}
