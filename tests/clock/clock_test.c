/* SPDX-License-Identifier: MIT
 *
 * The clocks on the fake platform, where every figure is known.
 */
#include "clocks.h"
#include "fake.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void play(const char *script)
{
    struct tare_err err = {{0}};
    if (fake_script_set(script, &err))
        fail_msg("%s", err.text);
    clock_forget();
}

static void near(double value, double expected, double tolerance, const char *what)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g within %g", what, value, expected, tolerance);
}

static void a_plain_counter_is_trusted(void **state)
{
    (void)state;
    play("ticks 2500M\n");
    const struct clock_state *c = clock_state();
    assert_string_equal(c->counter.reason, "");
    assert_true(c->counter.trusted);
    assert_string_equal(c->name, "tsc");
    assert_int_equal(c->counter.chosen, SOURCE_MEASURED);
    near(c->hz, 2.5e9, 2.5e9 * c->error_ppm * 1e-6, "hz");
}

static void the_core_is_measured(void **state)
{
    (void)state;
    play("core 3100M\n");
    double hz = 0;
    struct tare_err err = {{0}};
    if (clock_core_hz(&hz, &err))
        fail_msg("%s", err.text);
    near(hz, 3.1e9, 3.1e9 * 2e-4, "core");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_counter_is_trusted),
        cmocka_unit_test(the_core_is_measured),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
