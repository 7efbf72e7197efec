/* SPDX-License-Identifier: MIT
 *
 * What a gate promises, counted in a small share of the simulated gates of bench/gate.sh: base against base fails in at most 5 % of them, what is slower by exactly P passes in at most 5 %, and what is
 * clearly slower is found. Seeds are fixed; marks are exact binomial ones of 1 in 10 000.
 */
#include "gate_world.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <tare/stats.h>

enum { GATES = 60 };

struct tally {
    int failed, passed, named, benchmark_passed, others;
};

static struct tally simulate(struct gate_world w)
{
    struct tally t = {0};
    for (int i = 0; i < GATES; i++) {
        struct gate_outcome o;
        w.seed = 9000000 + (uint64_t)i;
        gate_simulate(&w, &o);
        t.failed += o.verdict == GATE_FAIL;
        t.passed += o.verdict == GATE_PASS;
        t.named += o.named;
        t.benchmark_passed += o.passed;
        t.others += o.other;
    }
    return t;
}

/* So few in so many gates are no surprise where the probability is p at most. */
static void assert_at_most(const char *what, int k, double p)
{
    print_message("             %s: %d of %d\n", what, k, GATES);
    if (1 - tare_binomial_cdf(k - 1, GATES, p) < 1e-4)
        fail_msg("%s in %d of %d gates, promised %g", what, k, GATES, p);
}

static void assert_at_least(const char *what, int k, double p)
{
    assert_at_most(what, GATES - k, 1 - p);
}

static void base_against_base_does_not_fail(void **state)
{
    (void)state;
    static const double layouts[] = {0, .005};
    for (int m = 0; m < GATE_MACHINES; m++)
        for (int l = 0; l < 2; l++) {
            const struct gate_world w = {
                .machine = (enum gate_machine)m, .benchmarks = 40, .budget_s = 60, .limit = .02, .layout = layouts[l]};
            assert_at_most("equal builds fail", simulate(w).failed, .05);
        }
}

static void quiet_machines_let_equal_builds_pass(void **state)
{
    (void)state;
    assert_at_least("equal builds do not pass",
                    simulate((struct gate_world){.benchmarks = 40, .budget_s = 300, .limit = .02}).passed, .95);
}

static void a_slowdown_of_exactly_p_rarely_passes_or_fails(void **state)
{
    (void)state;
    const struct tally t = simulate((struct gate_world){.benchmarks = 40, .budget_s = 300, .limit = .02, .planted = .02});
    assert_at_most("slower by P passes", t.benchmark_passed, .05);
    assert_at_most("slower by P fails", t.failed, .05);
}

static void a_slowdown_of_5_percent_is_named_and_no_other(void **state)
{
    (void)state;
    const struct tally t =
        simulate((struct gate_world){.machine = GATE_BUSY, .benchmarks = 40, .budget_s = 300, .limit = .02, .planted = .05});
    assert_at_least("5 % slower is not named", t.named, .95);
    assert_at_most("another one is named", t.others, .05);
}

static void merged_records_hold_the_same(void **state)
{
    (void)state;
    struct gate_world w = {.benchmarks = 40, .budget_s = 60, .limit = .02, .layout = .005, .runners = 2};
    assert_at_most("equal builds fail on two machines", simulate(w).failed, .05);
    w.layout = 0;
    assert_at_least("equal builds do not pass on two machines", simulate(w).passed, .9);
    w.planted = .02;
    assert_at_most("slower by P passes on two machines", simulate(w).benchmark_passed, .05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_against_base_does_not_fail),
        cmocka_unit_test(quiet_machines_let_equal_builds_pass),
        cmocka_unit_test(a_slowdown_of_exactly_p_rarely_passes_or_fails),
        cmocka_unit_test(a_slowdown_of_5_percent_is_named_and_no_other),
        cmocka_unit_test(merged_records_hold_the_same),
    };
    return cmocka_run_group_tests_name("gate, simulated", tests, NULL, NULL);
}
