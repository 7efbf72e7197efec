/* SPDX-License-Identifier: MIT
 *
 * leak_test.h - what the tests of the leak engine share.
 */
#ifndef LEAK_TEST_H
#define LEAK_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tare/stats.h>

static inline void assert_near(const char *what, double got, double wanted, double tolerance)
{
    if (got == wanted || fabs(got - wanted) <= tolerance * fmax(1, fabs(wanted)))
        return;
    print_error("%s: got %.17g, wanted %.17g\n", what, got, wanted);
    fail();
}

static inline void assert_word(const char *got, const char *wanted)
{
    if (strcmp(got, wanted) != 0) {
        print_error("got %s, wanted %s\n", got, wanted);
        fail();
    }
}

/* Exact binomial: an honest procedure whose chance is p would have more than `hits` of n in at most 1 of 10 000 tests. */
static inline void assert_at_most(const char *what, const char *where, int hits, int n, double p)
{
    print_message("             %s, %s: %d of %d = %.5f\n", what, where, hits, n, (double)hits / n);
    if (tare_binomial_cdf(n - hits, n, 1 - p) < 1e-4) {
        print_error("%s, %s: %.5f, promised at most %.5f\n", what, where, (double)hits / n, p);
        fail();
    }
}

#endif
