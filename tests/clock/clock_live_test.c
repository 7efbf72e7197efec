/* SPDX-License-Identifier: MIT
 *
 * The clocks of this machine, whatever it is: no figure is expected, only that they do not contradict each other and that what
 * cannot be had says why.
 */
#include "clocks.h"
#include "plat.h"
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

static void every_clock_is_measured_or_says_why_not(void **state)
{
    (void)state;
    struct tare_err err;
    const struct clock_kind *kind;
    for (int i = 0; (kind = clock_kind_at(i)); i++) {
        if (kind->probe(&err)) {
            print_message("# %s: %s\n", kind->id, err.text);
            assert_true(err.text[0]);
            continue;
        }
        struct clock_step step;
        struct clock_moment from, to;
        double error = NAN, ppm = NAN, bound = NAN;
        clock_moment(kind, &from);
        struct clock_spread cost = clock_cost(kind), kernel = clock_kernel_cost(kind);
        enum clock_path path = clock_path(kind, cost.median, kernel.median);
        enum tare_status stepped = clock_step(kind, &step, &err);
        assert_true(stepped == TARE_OK || stepped == TARE_TOO_FEW);
        err.text[0] = 0;
        enum tare_status ordered = clock_order_error(kind, &error, &err);
        clock_moment(kind, &to);
        enum tare_status paced = clock_ppm(kind, &from, &to, &ppm, &bound, NULL);
        print_message(
            "# %s: step %g ns (closest %g), cost %.1f %.1f %.1f ns, kernel %.1f, path %d, order %+.4f %s, %+.2f +- %.2f ppm\n",
            kind->id, step.ns, step.closest_ns, cost.p10, cost.median, cost.p99, kernel.median, path, error, err.text, ppm,
            bound);
        assert_int_equal(ordered == TARE_OK, isfinite(error));
        assert_int_equal(paced == TARE_OK, isfinite(ppm));
        if (kind->properties & CLOCK_STEADY)
            assert_false(step.backwards);
    }
}

static void orders_are_shown_or_missing_with_a_reason(void **state)
{
    (void)state;
    struct clock_order o;
    for (int i = 0; clock_order(i, &o); i++) {
        print_message("# %s [%s ... %s] %s: empty %.0f %.0f %.0f ticks;", o.order.name, o.order.begin, o.order.end,
                      o.order.missing ? o.order.missing : "", o.empty.p10, o.empty.median, o.empty.p99);
        for (int k = 0; k < CLOCK_CHAINS; k++)
            print_message(" %d: %.1f of %.0f", o.chain[k].multiplies, o.chain[k].cycles, o.chain[k].expected_cycles);
        print_message("\n");
        assert_int_equal(o.empty.n == 0, o.order.missing != NULL);
    }
}

static void two_processors_agree_or_there_is_only_one(void **state)
{
    (void)state;
    struct clock_skew skew;
    struct tare_err err = {{0}};
    if (!plat_cpu_allowed(0) || !plat_cpu_allowed(1))
        skip();
    int before = plat_cpus_allowed();
    if (clock_skew(0, 1, &skew, &err))
        print_message("# skew: %s\n", err.text);
    else
        print_message("# skew %g +- %g ticks, %d of %d impossible\n", skew.ticks, skew.bound_ticks, skew.impossible, skew.rounds);
    assert_int_equal(plat_cpus_allowed(), before);
    assert_int_equal(clock_skew(0, 0, &skew, &err), TARE_INVALID);
    assert_int_equal(clock_skew(0, 8000, &skew, &err), TARE_INVALID);
    print_message("# %s\n", err.text);
    assert_int_equal(plat_cpus_allowed(), before);
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
        cmocka_unit_test(the_counter_is_trusted_or_says_why_not),    cmocka_unit_test(the_core_has_a_frequency_or_a_reason),
        cmocka_unit_test(every_clock_is_measured_or_says_why_not),   cmocka_unit_test(orders_are_shown_or_missing_with_a_reason),
        cmocka_unit_test(two_processors_agree_or_there_is_only_one), cmocka_unit_test(a_bracket_says_what_it_found),
    };
    return cmocka_run_group_tests_name("clock_live", tests, NULL, NULL);
}
