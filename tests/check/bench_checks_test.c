/* SPDX-License-Identifier: MIT
 *
 * What is told of benchmarks whose counters differ and never vary.
 */
#include "check.h"
#include "tabled_record.h"

enum { ROUNDS = 6 };

static const struct check_facts no_facts;

/* Two benchmarks, the second compared with the first. */
static struct record two_benchmarks(void)
{
    struct record r;
    double values[2 * ROUNDS];
    for (int i = 0; i < 2 * ROUNDS; i++)
        values[i] = 1e6 + 1e3 * (i * 5 % 7);
    tabled_record(&r, "ns", 2, ROUNDS, values);
    for (int i = 0; i < 2; i++) {
        r.subjects[i].kind = SUBJECT_BENCH;
        r.subjects[i].program = i ? "./new" : "./old";
        r.subjects[i].benchmark = "sort";
        r.subjects[i].reference = i ? 0 : -1;
    }
    return r;
}

/* Whose processes count `one` and `other`; the last process of the second counts `last`. */
static struct record counted(const struct count *what, double one, double other, double last)
{
    struct record r = two_benchmarks();
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < ROUNDS; k++)
            assert_int_equal(record_add_count(&r, i, k, what, !i ? one : k < ROUNDS - 1 ? other : last), TARE_OK);
    assert_int_equal(check_record(&r, &no_facts, NULL), TARE_OK);
    return r;
}

static const struct finding *told(const struct record *r)
{
    const struct finding *f = NULL;
    for (int i = 0; i < r->n_findings; i++)
        if (!strcmp(r->findings[i].id, "counter_differs")) {
            assert_null(f);
            f = &r->findings[i];
        }
    return f;
}

static const struct count allocs = {.name = "allocs/op", .unit = "", .per = COUNT_AS_GIVEN};

static void a_counter_that_never_varies_and_differs_is_told(void **state)
{
    (void)state;
    struct record r = counted(&allocs, 2, 3, 3);
    const struct finding *f = told(&r);
    assert_non_null(f);
    assert_int_equal(f->subject, 1);
    assert_int_equal(f->severity, SEVERITY_NOTE);
    assert_string_equal(f->text, "allocs/op: 3 in each process, 2 in each of the reference (+50.0 %)");
    assert_string_equal(f->detail, "Counted in 6 and 6 processes, without one exception.");
    record_finish(&r);
    r = counted(&allocs, 0, 3, 3); /* nothing to take a share of */
    assert_string_equal(told(&r)->text, "allocs/op: 3 in each process, 0 in each of the reference");
    record_finish(&r);
    r = counted(&(struct count){.name = COUNT_ALLOCATED, .unit = "bytes"}, 4096, 2048, 2048);
    assert_string_equal(told(&r)->text, "heap bytes: 2048 in each process, 4096 in each of the reference (−50.0 %)");
    record_finish(&r);
}

static void what_varies_or_is_equal_is_not_told(void **state)
{
    (void)state;
    struct record r = counted(&allocs, 2, 3, 4);
    assert_null(told(&r));
    record_finish(&r);
    r = counted(&allocs, 2, 2, 2);
    assert_null(told(&r));
    record_finish(&r);
    r = counted(&(struct count){.name = "items", .unit = "", .per = COUNT_PER_SECOND}, 2, 3, 3); /* a rate */
    assert_null(told(&r));
    record_finish(&r);
    r = counted(&(struct count){.name = "cpu_time", .unit = "ns", .per = COUNT_AS_GIVEN}, 2, 3, 3);
    assert_null(told(&r));
    record_finish(&r);
    r = counted(&(struct count){.name = "ns", .unit = ""}, 2, 3, 3); /* which has a verdict */
    assert_null(told(&r));
    record_finish(&r);
}

/* The file of the first has 4096 bytes with the hash 1f1f3996cc25899f; of the second so many with this one. */
static bool says_same_program(double bytes, const char *hash)
{
    struct record r = two_benchmarks();
    const struct look look = tabled_look(ROUNDS, 0.05);
    bool found = false;
    assert_int_equal(facts_add_number(&r, &r.build, "program_1_bytes", 4096), TARE_OK);
    assert_int_equal(facts_add_text(&r, &r.build, "program_1_fnv1a64", "1f1f3996cc25899f"), TARE_OK);
    assert_int_equal(facts_add_number(&r, &r.build, "program_2_bytes", bytes), TARE_OK);
    assert_int_equal(facts_add_text(&r, &r.build, "program_2_fnv1a64", hash), TARE_OK);
    tabled_analyse(&r, &look);
    assert_int_equal(r.n_comparisons, 1);
    assert_int_equal(check_record(&r, &no_facts, NULL), TARE_OK);
    for (int i = 0; i < r.n_findings; i++)
        if (!strcmp(r.findings[i].id, "same_program")) {
            assert_string_equal(r.findings[i].text, "./old and ./new have the same bytes");
            found = true;
        }
    record_finish(&r);
    return found;
}

static void a_program_that_is_compared_with_its_copy_is_told(void **state)
{
    (void)state;
    assert_true(says_same_program(4096, "1f1f3996cc25899f"));
    assert_false(says_same_program(4096, "2f1f3996cc25899f"));
    assert_false(says_same_program(4097, "1f1f3996cc25899f"));
}

/* Of times in coarse steps, which scatter. */
static const char *advised(const char *id, bool of_gate)
{
    double values[30];
    struct record r;
    for (int i = 0; i < 30; i++)
        values[i] = 4e6 * (1 + i % 3);
    tabled_record(&r, "wall", 1, 30, values);
    r.subjects[0].kind = SUBJECT_BENCH;
    if (of_gate)
        assert_int_equal(facts_add_text(&r, &r.build, "gate_phase", "screen"), TARE_OK);
    const struct look look = tabled_look(30, 0.05);
    tabled_analyse(&r, &look);
    assert_int_equal(check_record(&r, &no_facts, NULL), TARE_OK);
    const char *advice = NULL;
    for (int i = 0; i < r.n_findings; i++)
        if (!strcmp(r.findings[i].id, id))
            advice = !r.findings[i].advice                           ? "none"
                     : strstr(r.findings[i].advice, "--sample-time") ? "sample"
                     : strstr(r.findings[i].advice, "--pin")         ? "pin"
                                                                     : "other";
    record_finish(&r);
    return advice ? advice : "not found";
}

static void of_a_gate_no_option_is_advised_that_it_lacks(void **state)
{
    (void)state;
    assert_string_equal(advised("coarse", false), "sample");
    assert_string_equal(advised("coarse", true), "none");
    assert_string_equal(advised("unstable", false), "pin");
    assert_string_equal(advised("unstable", true), "pin");
}

/* Each process made one call: a longer time for samples would change nothing. */
static void of_single_calls_the_steady_profile_is_advised(void **state)
{
    (void)state;
    static const char *const columns[] = {"ns", "clock_step", "clock_hz"}, *const sample_columns[] = {"ns", "iterations"};
    struct record r;
    record_init(&r);
    assert_int_equal(record_add_bench_metrics(&r), TARE_OK);
    assert_int_equal(record_add_subject(&r, &(struct subject){.kind = SUBJECT_BENCH, .name = "a", .reference = -1}, columns, 3),
                     0);
    assert_int_equal(record_set_sample_columns(&r, 0, sample_columns, 2), TARE_OK);
    for (int i = 0; i < 30; i++) {
        const double values[] = {40 * (1 + i % 3), 40, 1e9}, sample[] = {values[0], 1};
        assert_int_equal(record_append_row(&r, 0, &(struct row){.round = i, .start_ns = i * 1000, .values = values}), TARE_OK);
        assert_int_equal(record_append_sample(&r, 0, &(struct row){.round = i, .values = sample}), TARE_OK);
    }
    r.rule = (struct rule){.metric = "ns",
                           .confidence = 0.95,
                           .margin = 0.01,
                           .n_looks = 1,
                           .look_at = {30},
                           .look_level = {0.05},
                           .fail_if_slower = NAN};
    const struct look look = tabled_look(30, 0.05);
    tabled_analyse(&r, &look);
    assert_int_equal(check_record(&r, &no_facts, NULL), TARE_OK);
    const char *advice = NULL;
    for (int i = 0; i < r.n_findings; i++)
        if (!strcmp(r.findings[i].id, "coarse"))
            advice = r.findings[i].advice;
    assert_string_equal(advice, "use --profile steady");
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_that_is_compared_with_its_copy_is_told),
        cmocka_unit_test(a_counter_that_never_varies_and_differs_is_told),
        cmocka_unit_test(of_a_gate_no_option_is_advised_that_it_lacks),
        cmocka_unit_test(of_single_calls_the_steady_profile_is_advised),
        cmocka_unit_test(what_varies_or_is_equal_is_not_told),
    };
    return cmocka_run_group_tests_name("bench_checks", tests, NULL, NULL);
}
