/* SPDX-License-Identifier: MIT
 *
 * stats_test.h - what the test files of src/stats share. Each file gives one group; a group returns its failures.
 */
#ifndef STATS_TEST_H
#define STATS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats_more.h>

#include <cmocka.h>

/* Equal, or within tolerance relative to the larger of |expected| and `floor`; a failure prints both values. */
static inline void close_at(double actual, double expected, double tolerance, double floor, const char *file, int line)
{
    if (actual == expected || (isnan(actual) && isnan(expected)))
        return;
    double scale = fmax(fabs(expected), floor);
    if (!(fabs(actual - expected) <= tolerance * scale)) {
        print_error("got %.17g, expected %.17g, off by %.3g relative (allowed %.3g)\n", actual, expected,
                    fabs(actual - expected) / scale, tolerance);
        _fail(file, line);
    }
}
#define assert_close(actual, expected, tolerance) close_at(actual, expected, tolerance, 0, __FILE__, __LINE__)
#define assert_near(actual, expected, absolute)   close_at(actual, expected, absolute, 1, __FILE__, __LINE__)
#define assert_interval(interval, point_, low_, high_, tolerance) \
    do {                                                          \
        assert_close((interval).point, point_, tolerance);        \
        assert_close((interval).low, low_, tolerance);            \
        assert_close((interval).high, high_, tolerance);          \
    } while (0)

static inline void *scratch_for(ptrdiff_t n)
{
    void *p = malloc(tare_hl_scratch_bytes(n) + 1);
    assert_non_null(p);
    return p;
}

int reference_tests(void);
int strd_tests(void);
int walsh_tests(void);
int series_tests(void);
int edge_tests(void);
int property_tests(void);
int two_variables_tests(void);
int anytime_tests(void);
int levels_tests(void);
int nodes_tests(void);
int rates_tests(void);
int shift_function_tests(void);

#endif
