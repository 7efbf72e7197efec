/* SPDX-License-Identifier: MIT
 * What --fail-if-slower answers to arcs of which something is not known. */
#include "arcs_record.h"
#include "gate.h"
#include <string.h>

/* Two programs of one arc that both have, and of another whose hits were counted and never timed: in windows it is in none of them. */
static void two_programs(struct record *r, bool untimed)
{
    begin(r, 2);
    r->rule.fail_if_slower = 1;
    for (int subject = 0; subject < 2; subject++) {
        const int a = point(r, subject, 1, "f", ""), b = point(r, subject, 2, "f", ""), c = point(r, subject, 3, "f", "");
        for (int round = 0; round < 12; round++) {
            const int of_run = run(r, subject, round, 1, 40);
            passed(r, of_run, a, b, 10, 2000 + round);
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
        two_programs(&r, untimed);
        assert_int_equal(gate_slower(&r, false, &said), untimed ? EXIT_UNDECIDED : EXIT_ANSWERED);
        assert_int_equal(strstr(buf_text(&said), "counted and never timed") != NULL, untimed);
        buf_finish(&said);
        record_finish(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_never_timed_may_take_any_share)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
