/* SPDX-License-Identifier: MIT
 * What --fail-if-slower answers to arcs of which something is not known. */
#include "arcs_record.h"
#include "gate.h"
#include <string.h>

/* Two programs of one arc that both have, of the second so many times as many hits, and of another whose hits were counted and never timed: in windows it
 * is in none of them. */
static void two_programs(struct record *r, int times, bool untimed)
{
    begin(r, 2);
    r->rule.fail_if_slower = 1;
    for (int subject = 0; subject < 2; subject++) {
        const int a = point(r, subject, 1, "f", ""), b = point(r, subject, 2, "f", ""), c = point(r, subject, 3, "f", "");
        for (int round = 0; round < 12; round++) {
            const int of_run = run(r, subject, round, 1, 40);
            const int n = subject ? 10 * times : 10;
            passed(r, of_run, a, b, (uint64_t)n, 2000 + round);
            if (untimed)
                record_add_traced_arc(r, &(struct traced_arc){.run = of_run, .from = b, .to = c, .passes = 1});
        }
    }
    analyse(r, 12);
}

static void what_was_never_timed_may_take_any_share(void **state)
{
    (void)state;
    for (int untimed = 0; untimed < 2; untimed++) {
        struct record r;
        struct buf said = BUF_INIT(1 << 16);
        two_programs(&r, 1, untimed);
        assert_int_equal(gate_slower(&r, false, &said), untimed ? EXIT_UNDECIDED : EXIT_ANSWERED);
        assert_int_equal(strstr(buf_text(&said), "counted and never timed") != NULL, untimed);
        buf_finish(&said);
        record_finish(&r);
    }
}

/* Each hit takes as long as before, and two times as long is too much. */
static void more_hits_of_the_same_length_do_not_pass(void **state)
{
    (void)state;
    for (int times = 1; times < 3; times++) {
        struct record r;
        struct buf said = BUF_INIT(1 << 16);
        two_programs(&r, times, false);
        assert_int_equal(gate_slower(&r, false, &said), times > 1 ? EXIT_UNDECIDED : EXIT_ANSWERED);
        assert_int_equal(strstr(buf_text(&said), "a run has 20 hits where the reference has 10\n") != NULL, times > 1);
        buf_finish(&said);
        record_finish(&r);
    }
}

/* Two programs whose second arc takes less than 1 % of the time in both, and in the second program `times` as long; it varies by the given units. */
static void with_a_small_arc(struct record *r, int times, int varies)
{
    begin(r, 2);
    r->rule.fail_if_slower = 1;
    for (int subject = 0; subject < 2; subject++) {
        const int a = point(r, subject, 1, "f", ""), b = point(r, subject, 2, "f", ""), c = point(r, subject, 3, "f", "");
        for (int round = 0; round < 12; round++) {
            const int of_run = run(r, subject, round, 1, 40);
            passed(r, of_run, a, b, 1000, 200000 + round);
            passed(r, of_run, b, c, 10, (subject ? times : 1) * (2000 + round) + (subject + round) % 2 * varies);
        }
    }
    analyse(r, 12);
}

static void a_small_arc_fails_where_it_is_proven_slower_and_else_decides_nothing(void **state)
{
    (void)state;
    static const struct {
        int times, varies;
        enum exit_code code;
        const char *said; /* NULL: nothing of small arcs */
    } cases[] = {
        {1, 0, EXIT_ANSWERED, NULL},
        {50, 0, EXIT_BAD, "'b', a.c:2 (f) -> a.c:3 (f): FAILED: slower than that, though it is below 1 % of the time\n"},
        {1, 20000, EXIT_ANSWERED, "1 arc below 1 % of the time may be slower than that; it fails only if it is proven\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r;
        struct buf said = BUF_INIT(1 << 16);
        with_a_small_arc(&r, cases[i].times, cases[i].varies);
        assert_int_equal(gate_slower(&r, false, &said), cases[i].code);
        if (cases[i].said && !strstr(buf_text(&said), cases[i].said))
            fail_msg("case %zu: %s", i, buf_text(&said));
        if (!cases[i].said)
            assert_null(strstr(buf_text(&said), "below 1 %"));
        buf_finish(&said);
        record_finish(&r);
    }
}

/* Two programs with arcs a to b, b to c, the second of which one of them has not; its share is about a half. */
static void an_arc_that_only_one_program_has_does_not_pass(void **state)
{
    (void)state;
    static const char *const told[] = {"--fail-if-slower 7%: 'b' undecided: 1 arc with 50.0 % of the time of 'a' is not in it\n",
                                       "a.c:2 (f) -> a.c:3 (f): undecided: the program it is compared with has no such arc\n"};
    for (int only = 0; only < 2; only++) {
        struct record r;
        struct buf said = BUF_INIT(1 << 16);
        begin(&r, 2);
        r.rule.fail_if_slower = 0.07; /* 100 times as much is not 7 */
        for (int subject = 0; subject < 2; subject++) {
            const int a = point(&r, subject, 1, "f", ""), b = point(&r, subject, 2, "f", ""), c = point(&r, subject, 3, "f", "");
            for (int round = 0; round < 12; round++) {
                const int of_run = run(&r, subject, round, 1, 40);
                passed(&r, of_run, a, b, 10, 2000 + round);
                if (subject == only)
                    passed(&r, of_run, b, c, 10, 2000 + round);
            }
        }
        analyse(&r, 12);
        assert_int_equal(gate_slower(&r, false, &said), EXIT_UNDECIDED);
        if (!strstr(buf_text(&said), told[only]))
            fail_msg("only in %d: %s", only, buf_text(&said));
        buf_finish(&said);
        record_finish(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_arc_that_only_one_program_has_does_not_pass),
                                       cmocka_unit_test(what_was_never_timed_may_take_any_share),
                                       cmocka_unit_test(more_hits_of_the_same_length_do_not_pass),
                                       cmocka_unit_test(a_small_arc_fails_where_it_is_proven_slower_and_else_decides_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
