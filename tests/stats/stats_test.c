/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <tare/stats.h>

#include <cmocka.h>

static void signed_rank_k_agrees_with_the_published_table(void **state)
{
    (void)state;
    const struct {
        ptrdiff_t n, k05, k01;
    } rows[] = {{5, 0, 0}, {6, 1, 0}, {7, 3, 0}, {8, 4, 1}, {10, 9, 4}, {20, 53, 38}, {50, 435, 374}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *scratch = malloc(tare_hl_scratch_bytes(rows[i].n));
        assert_int_equal(tare_signed_rank_k(rows[i].n, .05, scratch), rows[i].k05);
        assert_int_equal(tare_signed_rank_k(rows[i].n, .01, scratch), rows[i].k01);
        free(scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signed_rank_k_agrees_with_the_published_table),
    };
    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
