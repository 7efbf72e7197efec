/* SPDX-License-Identifier: MIT
 *
 * The ratio of commands to the anchor of their rounds. Reference values are those of the project's notes on statistics, section 4.
 */
#include "tabled_record.h"
#include <math.h>

static const double PUBLISHED = 1e-10;

/* The first command and the anchor have the values of the test of comparisons in analyse_test.c. */
static void the_ratio_to_the_anchor_is_that_of_a_comparison_and_costs_no_level(void **state)
{
    (void)state;
    const double values[] = {10.4, 10.1, 10.3, 10.6, 10.0, 10.5, 10.5, 10.2, 10.4,
                             10.6, 10.0, 10.5, 10.1, 9.9,  10.0, 10.3, 9.8,  10.2};
    struct record r;
    tabled_record(&r, "wall", 3, 6, values);
    r.subjects[2].anchor = true;
    struct look look = tabled_look(6, 0.05);
    tabled_analyse(&r, &look);
    const struct comparison *c = tabled_comparison(&r, 0);
    assert_int_equal(r.n_comparisons, 1); /* nothing is compared with the anchor */
    assert_int_equal(c->reference, 0);
    assert_int_equal(c->subject, 1);
    assert_true(!isnan(c->slot_effect)); /* one comparison, as of two commands */
    const struct estimate *e = record_ratio_to_anchor(&r, 0);
    assert_non_null(e);
    assert_close(e->point, 1.02519286389, PUBLISHED);
    assert_close(e->low, 1.02020202020, PUBLISHED);
    assert_close(e->high, 1.03, PUBLISHED);
    assert_close(e->confidence, 0.95, 0);
    assert_close(e->level, 0.05, 1e-12);
    assert_int_equal(e->n, 6);
    assert_null(e->reason);
    assert_non_null(record_ratio_to_anchor(&r, 1));
    assert_null(record_ratio_to_anchor(&r, 2));
    assert_int_equal(record_anchor(&r, 0), 2);
    assert_int_equal(record_anchor(&r, 2), -1);
    assert_int_equal(record_reference(&r, 2), -1);
    record_finish(&r);
}

static void one_command_and_its_anchor_are_not_compared(void **state)
{
    (void)state;
    const double values[] = {10.4, 10.1, 10.3, 10.6, 10.0, 10.5, 10.1, 9.9, 10.0, 10.3, 9.8, 10.2};
    struct record r;
    tabled_record(&r, "wall", 2, 6, values);
    r.subjects[1].anchor = true;
    struct look look = tabled_look(6, 0.05);
    tabled_analyse(&r, &look);
    assert_int_equal(r.n_comparisons, 0);
    assert_close(record_ratio_to_anchor(&r, 0)->point, 1.02519286389, PUBLISHED);
    look = (struct look){0};
    tabled_analyse(&r, &look);
    assert_true(isnan(record_ratio_to_anchor(&r, 0)->point));
    assert_non_null(record_ratio_to_anchor(&r, 0)->reason);
    record_finish(&r);
}

/* Where a comparison is by difference the anchor still has a ratio, unless a value is 0 or missing. */
static void the_anchor_has_a_ratio_of_counts_too(void **state)
{
    (void)state;
    double values[] = {110, 220, 330, 440, 550, 660, 100, 200, 300, 400, 500, 600};
    struct record r;
    tabled_record(&r, "faults", 2, 6, values);
    struct look look = tabled_look(6, 0.05);
    r.subjects[1].anchor = true;
    tabled_analyse(&r, &look);
    assert_close(record_ratio_to_anchor(&r, 0)->point, 1.1, 1e-12);
    r.series[1].main.value[TABLED_VALUES][3] = 0;
    tabled_analyse(&r, &look);
    assert_true(isnan(record_ratio_to_anchor(&r, 0)->point));
    assert_string_equal(record_ratio_to_anchor(&r, 0)->reason, "not all values are above 0");
    r.series[1].main.value[TABLED_VALUES][3] = NAN;
    tabled_analyse(&r, &look);
    assert_string_equal(record_ratio_to_anchor(&r, 0)->reason, "the metric was not measurable in at least one run");
    r.series[1].main.value[TABLED_VALUES][3] = 400;
    r.series[1].main.value[TABLED_EXIT][3] = 1;
    tabled_analyse(&r, &look);
    assert_true(isnan(record_ratio_to_anchor(&r, 0)->point));
    record_finish(&r);
}

static void an_anchor_is_named_by_its_command_and_the_hash_of_its_program(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 4};
    struct record r;
    tabled_record(&r, "wall", 2, 2, values);
    struct buf b = BUF_INIT(256);
    record_put_anchor(&r, &b);
    assert_string_equal(buf_text(&b), "");
    r.subjects[1].anchor = true;
    r.subjects[1].command = "./old 100";
    record_put_anchor(&r, &b);
    assert_string_equal(buf_text(&b), "./old 100");
    assert_int_equal(facts_add_text(&r, &r.build, "program_2_fnv1a64", "2c26b46b68ffc68f"), TARE_OK);
    buf_clear(&b);
    record_put_anchor(&r, &b);
    assert_string_equal(buf_text(&b), "./old 100 2c26b46b68ffc68f");
    r.subjects[1].shell = true;
    buf_clear(&b);
    record_put_anchor(&r, &b);
    assert_string_equal(buf_text(&b), "./old 100");
    buf_finish(&b);
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ratio_to_the_anchor_is_that_of_a_comparison_and_costs_no_level),
        cmocka_unit_test(one_command_and_its_anchor_are_not_compared),
        cmocka_unit_test(the_anchor_has_a_ratio_of_counts_too),
        cmocka_unit_test(an_anchor_is_named_by_its_command_and_the_hash_of_its_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
