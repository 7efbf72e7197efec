/* SPDX-License-Identifier: MIT
 *
 * Findings of control points: told where they matter, silent where they do not.
 */
#include "check.h"
#include "record_arcs.h"
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct check_facts no_facts = {0};
enum { RUNS = 4 };

/* Four quiet runs of one arc. */
static struct record session(void)
{
    static const char *const columns[] = {"wall"};
    struct record r;
    struct arc_result a;
    record_init(&r);
    record_add_metric(&r, metric_builtin_find("wall"));
    record_add_subject(&r, &(struct subject){.kind = SUBJECT_TRACE, .name = "a", .command = "a"}, columns, 1);
    r.rule = (struct rule){.metric = "wall", .confidence = .95, .margin = .01, .fail_if_slower = NAN};
    r.seconds = 1;
    for (int i = 0; i < 2; i++)
        record_add_point(&r, &(struct point){.file = "a.c", .func = "f", .name = "", .line = 10 + i, .partner = -1});
    for (int i = 0; i < RUNS; i++) {
        const double wall = 1e6 + i;
        record_append_row(&r, 0, &(struct row){.round = i, .values = &wall});
        record_add_traced_run(
            &r, &(struct traced_run){
                    .round = i, .clock = "tsc", .order = "ordered", .hz = 1e9, .repeat = 1, .events = 9, .weight = 23});
    }
    arc_result_init(&a, 0, 0, 1);
    a.passes = a.n = 100;
    a.share = 1;
    a.mean_ns = 50;
    a.low_ns = 49;
    a.high_ns = 51;
    record_add_arc_result(&r, &a);
    return r;
}

/* Text and detail of the finding, NULL: there is none. The record is done with. */
static const char *told(struct record *r, const char *id)
{
    static char text[512];
    const char *found = NULL;
    assert_int_equal(check_record(r, &no_facts, NULL), TARE_OK);
    for (int i = 0; i < r->n_findings; i++)
        if (!strcmp(r->findings[i].id, id)) {
            snprintf(text, sizeof text, "%s. %s", r->findings[i].text, r->findings[i].detail);
            found = text;
            assert_non_null(r->findings[i].advice);
            assert_int_equal(r->findings[i].subject, 0);
        }
    record_finish(r);
    return found;
}

static void assert_told(struct record *r, const char *id, const char *words)
{
    const char *text = told(r, id);
    if (!text || !strstr(text, words))
        fail_msg("%s: '%s', not '%s'", id, text ? text : "(nothing)", words);
}

static void quiet_runs_give_none(void **state)
{
    (void)state;
    static const char *const ids[] = {"trace_backwards",     "trace_clock_jumped", "trace_clock_set", "trace_clock_unknown",
                                      "trace_dilation",      "trace_full",         "trace_lost",      "trace_probe_unknown",
                                      "trace_points_merged", "trace_stamps"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct record r = session();
        if (told(&r, ids[i]))
            fail_msg("%s is told of quiet runs", ids[i]);
    }
}

static void clocks_that_cannot_be_believed_are_told(void **state)
{
    (void)state;
    struct record r = session();
    r.traced->runs[1].jumps = r.traced->runs[2].jumps = 1;
    r.traced->runs[1].jump_ns = -3e6;
    r.traced->runs[2].jump_ns = 1e6;
    assert_told(&r, "trace_clock_jumped", "counter and system clock diverged by up to 3.00 ms in 2 of 4 runs");
    r = session();
    r.traced->runs[1].steps = 1;
    r.traced->runs[1].step_ns = 3600e9;
    assert_told(&r, "trace_clock_set", "in 1 of 4 runs");
    r = session();
    r.traced->runs[3].hz = NAN;
    assert_told(&r, "trace_clock_unknown", "in 1 of 4 runs");
}

static void what_is_missing_is_told(void **state)
{
    (void)state;
    struct record r = session();
    r.traced->runs[2].lost = "3 entries were not kept: the buffer was full\nand more\n";
    assert_told(&r, "trace_lost", "1 of 4 runs is incomplete. Missing: 3 entries were not kept: the buffer was full; and more.");
    r = session();
    r.traced->runs[0].degraded = true;
    assert_told(&r, "trace_full", "the limit was reached in 1 of 4 runs");
    r = session();
    r.traced->runs[0].degraded = true;
    r.traced->runs[0].round = -1; /* made again */
    assert_null(told(&r, "trace_full"));
}

static void a_probe_that_was_not_weighed_is_told(void **state)
{
    (void)state;
    struct record r = session();
    r.traced->runs[0].weight = NAN;
    assert_told(&r, "trace_probe_unknown",
                "no probe overhead was measured in 1 of 4 runs. The mean overhead of the other runs is subtracted");
    r = session();
    for (int i = 0; i < RUNS; i++)
        r.traced->runs[i].weight = NAN;
    assert_told(&r, "trace_probe_unknown", "measured in 4 of 4 runs. Nothing is subtracted");
    r = session();
    r.traced->runs[0].weight = NAN;
    r.traced->runs[0].order = "precise";
    assert_null(told(&r, "trace_probe_unknown"));
}

static void a_proof_that_fails_is_told_with_the_arc(void **state)
{
    (void)state;
    struct record r = session();
    struct arc_result *a = &r.traced->results[0];
    a->dilated_ns = 40;
    a->dilated_low = 39;
    a->dilated_high = 49.5; /* meets the other interval */
    assert_null(told(&r, "trace_dilation"));
    r = session();
    a = &r.traced->results[0];
    a->dilated_ns = 40;
    a->dilated_low = 39;
    a->dilated_high = 41;
    assert_told(&r, "trace_dilation", "1 of 1 arc differs");
    r = session();
    a = &r.traced->results[0];
    a->dilated_ns = 40;
    a->dilated_low = 39;
    a->dilated_high = 41;
    a->share = .001;
    assert_null(told(&r, "trace_dilation"));
}

static void clocks_that_go_back_are_told(void **state)
{
    (void)state;
    struct record r = session();
    r.traced->results[0].backwards = 2;
    assert_told(&r, "trace_backwards", "in 2 of 100 traversals");
}

static void a_run_that_counts_alone_needs_no_frequency(void **state)
{
    (void)state;
    struct record r = session();
    r.traced->runs[3].hz = NAN;
    r.traced->runs[3].events = 0;
    assert_null(told(&r, "trace_clock_unknown"));
}

static void points_that_are_one_are_told(void **state)
{
    (void)state;
    struct record r = session();
    r.traced->runs[1].merged = 2;
    assert_told(&r, "trace_points_merged", "2 points are counted as one with another");
}

static void interrupted_stamps_are_told_where_they_are_many(void **state)
{
    (void)state;
    struct record r = session();
    r.traced->results[0].stamps = 9;
    assert_null(told(&r, "trace_stamps"));
    r = session();
    r.traced->results[0].stamps = 12;
    assert_told(&r, "trace_stamps", "in 12 of 100 traversals");
}

/* tare trace has no --prepare. */
static void advice_names_what_a_trace_has(void **state)
{
    (void)state;
    struct record r = session();
    for (int i = RUNS; i < 2 * RUNS; i++) {
        const double wall = 1e6 + i;
        record_append_row(&r, 0, &(struct row){.round = i, .values = &wall});
    }
    r.series[0].main.value[0][0] = 5e6;
    assert_int_equal(check_record(&r, &no_facts, NULL), TARE_OK);
    bool found = false;
    for (int i = 0; i < r.n_findings; i++)
        if (!strcmp(r.findings[i].id, "first_run")) {
            assert_string_equal(r.findings[i].advice, "use --warmup 1");
            found = true;
        }
    assert_true(found);
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quiet_runs_give_none),
        cmocka_unit_test(clocks_that_cannot_be_believed_are_told),
        cmocka_unit_test(what_is_missing_is_told),
        cmocka_unit_test(a_probe_that_was_not_weighed_is_told),
        cmocka_unit_test(a_proof_that_fails_is_told_with_the_arc),
        cmocka_unit_test(clocks_that_go_back_are_told),
        cmocka_unit_test(a_run_that_counts_alone_needs_no_frequency),
        cmocka_unit_test(points_that_are_one_are_told),
        cmocka_unit_test(interrupted_stamps_are_told_where_they_are_many),
        cmocka_unit_test(advice_names_what_a_trace_has),
    };
    return cmocka_run_group_tests_name("trace_checks", tests, NULL, NULL);
}
