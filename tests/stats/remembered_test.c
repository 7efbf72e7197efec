/* SPDX-License-Identifier: MIT
 *
 * What simulations remember (remembered.c, which the linker puts before these functions) is what the product says, at the first asking and at those after.
 */
#include "rng.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tare/stats.h>

#include <cmocka.h>

enum { LOOKS = 12, SCHEDULES = 60 };

enum tare_status __real_tare_looks_level(const int *n_at, int k, double alpha, double *level);
enum tare_status __real_tare_looks_spent(const int *n_at, const double *spent, int k, double *level);
int64_t __real_tare_signed_rank_k(ptrdiff_t n, double level, void *scratch);
double __real_tare_binomial_cdf(ptrdiff_t k, ptrdiff_t n, double p);
double __real_tare_normal_quantile(double p);

static void assert_same(double told, double right)
{
    if (memcmp(&told, &right, sizeof told) != 0)
        fail_msg("%.17g, not %.17g", told, right);
}

/* The looks of a session, one after the other, as simulations ask for them; every other one begins like the one before it, and the third is asked for twice. */
static void levels_of_looks_are_the_products(void **state)
{
    (void)state;
    struct rng rng = rng_seeded(1);
    int n_at[LOOKS] = {0};
    double spent[LOOKS] = {0};
    for (int i = 0; i < SCHEDULES; i++) {
        for (int k = i % 2 ? LOOKS / 2 : 0; k < LOOKS; k++) {
            n_at[k] = (k ? n_at[k - 1] : 5) + 1 + (int)rng_below(&rng, 40);
            spent[k] = (k ? spent[k - 1] : 0) + (double)rng_below(&rng, 100) * 5e-5;
        }
        for (int again = 0; again < 2; again++)
            for (int k = 1; k <= LOOKS; k++) {
                double told, right;
                assert_int_equal(tare_looks_spent(n_at, spent, k, &told), __real_tare_looks_spent(n_at, spent, k, &right));
                assert_same(told, right);
                if (k != 1 + i % LOOKS)
                    continue;
                assert_int_equal(tare_looks_level(n_at, k, .05, &told), __real_tare_looks_level(n_at, k, .05, &right));
                assert_same(told, right);
            }
    }
}

static void what_is_no_schedule_is_none(void **state)
{
    (void)state;
    const int falling[] = {10, 9};
    const double spent[] = {.01, .005};
    double told, right;
    assert_int_equal(tare_looks_spent(falling, spent, 2, &told), __real_tare_looks_spent(falling, spent, 2, &right));
    assert_int_equal(tare_looks_level(falling, 2, .05, &told), __real_tare_looks_level(falling, 2, .05, &right));
    assert_int_equal(tare_looks_level(falling, 0, .05, &told), __real_tare_looks_level(falling, 0, .05, &right));
}

static void other_figures_are_the_products(void **state)
{
    (void)state;
    static const double levels[] = {.05, .01, .001, 0};
    static char scratch[1 << 18];
    for (int again = 0; again < 2; again++)
        for (int n = -1; n < 120; n += 7)
            for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
                assert_int_equal(tare_signed_rank_k(n, levels[i], scratch), __real_tare_signed_rank_k(n, levels[i], scratch));
                assert_same(tare_binomial_cdf(n / 3, n, .5), __real_tare_binomial_cdf(n / 3, n, .5));
                assert_same(tare_binomial_cdf(n / 3, n, levels[i]), __real_tare_binomial_cdf(n / 3, n, levels[i]));
                assert_same(tare_normal_quantile(levels[i] / (n + 2)), __real_tare_normal_quantile(levels[i] / (n + 2)));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_of_looks_are_the_products),
        cmocka_unit_test(what_is_no_schedule_is_none),
        cmocka_unit_test(other_figures_are_the_products),
    };
    return cmocka_run_group_tests_name("remembered", tests, NULL, NULL);
}
