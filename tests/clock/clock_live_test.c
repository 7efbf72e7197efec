/* SPDX-License-Identifier: MIT
 *
 * The clocks of this machine, whatever it is: no figure is expected, only that they do not contradict each other and that what
 * cannot be had says why.
 */
#include "clocks.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void the_counter_is_trusted_or_says_why_not(void **state)
{
    (void)state;
    const struct clock_state *c = clock_state();
    print_message("# %s at %.6f MHz +- %.2f ppm by %s, step %llu ticks; %s\n", c->name, c->hz / 1e6, c->error_ppm,
                  clock_source_name(c->counter.chosen), (unsigned long long)c->step_ticks, c->counter.reason);
    assert_int_equal(c->counter.trusted, !c->counter.reason[0]);
    assert_true(c->hz > 0);
}

static void the_core_has_a_frequency_or_a_reason(void **state)
{
    (void)state;
    struct clock_core core;
    struct tare_err err = {{0}};
    double hz = NAN;
    enum tare_status status = clock_core_examine(&core, &err);
    print_message("# core %.1f MHz by multiplies, %.1f by adds, ratio %.4f %s%s\n", core.hz / 1e6, core.adds_hz / 1e6, core.ratio,
                  core.reason, err.text);
    status = clock_core_hz(&hz, &err);
    print_message("# core %.1f MHz %s\n", hz / 1e6, err.text);
    assert_int_equal(status == TARE_OK, isfinite(hz));
}

static void a_bracket_says_what_it_found(void **state)
{
    (void)state;
    struct tare_bracket t;
    char text[TARE_BRACKET_TEXT];
    for (int i = 0; i < 3; i++) {
        TARE_START(t);
        TARE_STOP(t);
        size_t n = tare_bracket_text(&t, text, sizeof text);
        assert_int_equal(n, strlen(text));
        print_message("# nothing: %s\n", text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counter_is_trusted_or_says_why_not),
        cmocka_unit_test(the_core_has_a_frequency_or_a_reason),
        cmocka_unit_test(a_bracket_says_what_it_found),
    };
    return cmocka_run_group_tests_name("clock_live", tests, NULL, NULL);
}
