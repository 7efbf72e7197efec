/* SPDX-License-Identifier: MIT
 *
 * What a record has for a history: which subjects and metrics, under which names, and what is left out.
 */
#include "history_file.h"
#include "record_arcs.h"
#include "rng.h"
#include "rng_normal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 4 };

static const char *const columns[] = {"wall", "rss", "ns"};

static int add_subject(struct record *r, const struct subject *s, double first)
{
    const int i = record_add_subject(r, s, columns, 3);
    for (int round = 0; round < ROUNDS; round++) {
        const double values[] = {first + round, 4096, (first + round) / 3};
        assert_int_equal(record_append_row(r, i, &(struct row){.round = round, .values = values}), TARE_OK);
    }
    return i;
}

static void add_estimate(struct record *r, int subject, const char *metric, const char *statistic, double point, double low,
                         double high)
{
    const struct estimate e = {.subject = subject,
                               .metric = metric,
                               .statistic = statistic,
                               .method = "order statistics",
                               .point = point,
                               .low = low,
                               .high = high,
                               .n = ROUNDS,
                               .n_effective = NAN};
    assert_true(record_add_estimate(r, &e) >= 0);
}

static void begin(struct record *r)
{
    static const char *const argv[] = {"tare", "run", "x", NULL};
    record_init(r);
    r->tool_version = "9.8.7";
    r->argv = arena_words(&r->arena, argv);
    r->start_utc_ns = INT64_C(1764000000000000001);
    r->rule.metric = "wall";
    r->rule.confidence = 0.95;
    r->rounds = ROUNDS;
    for (int i = 0; metric_builtin(i); i++)
        assert_true(record_add_metric(r, metric_builtin(i)) >= 0);
    assert_int_equal(record_add_bench_metrics(r), TARE_OK);
    facts_add_text(r, &r->machine, "cpu_vendor", "GenuineIntel");
    facts_add_text(r, &r->machine, "cpu_brand", "A processor");
    facts_add_text(r, &r->machine, "cpu_family", "6");
    facts_add_text(r, &r->machine, "cpu_model", "106");
    facts_add_text(r, &r->machine, "cpu_stepping", "6");
    facts_add_number(r, &r->machine, "cpus_online", 8);
    facts_add_text(r, &r->machine, "hypervisor", "KVM");
}

static void taken(struct history_entry *e, const struct record *r, struct arena *a)
{
    struct tare_err err = {""};
    if (history_of_record(e, r, a, &err))
        fail_msg("%s", err.text);
}

static void commands_give_their_decisive_metric_wall_and_rss(void **state)
{
    (void)state;
    struct record r = {0};
    struct arena a = {0};
    struct history_entry e = {.session = {.project = "p", .revision = "v"}};
    const struct parameter n = {"n", "1000"};
    begin(&r);
    add_subject(&r, &(struct subject){.kind = SUBJECT_COMMAND, .name = "sort 1000", .parameters = &n, .n_parameters = 1}, 1000);
    add_subject(&r, &(struct subject){.kind = SUBJECT_COMMAND, .name = "broken", .failure = "failed"}, 1000);
    add_subject(&r, &(struct subject){.kind = SUBJECT_COMMAND, .name = "never measured"}, 1000);
    add_subject(&r, &(struct subject){.kind = SUBJECT_NOOP, .name = "noop"}, 10);
    for (int i = 0; i < 4; i++)
        if (i != 2) {
            add_estimate(&r, i, "wall", "median", 1001.5, 1000, INFINITY);
            add_estimate(&r, i, "rss", "median", 4096, 4096, 4096);
        }
    taken(&e, &r, &a);
    assert_int_equal(e.n, 2);
    assert_int_equal(e.failed, 1);
    assert_string_equal(e.results[0].benchmark, "sort 1000");
    assert_string_equal(e.results[0].arguments, "n=1000");
    assert_string_equal(e.results[0].metric->id, "wall");
    assert_string_equal(e.results[1].metric->id, "rss");
    assert_true(e.results[0].point.median == 1001.5 && e.results[0].point.low == 1000 && isnan(e.results[0].point.high));
    assert_true(isnan(e.results[0].point.ratio));
    assert_int_equal(e.results[0].n_values, ROUNDS);
    assert_true(e.results[0].values[3] == 1003);
    assert_string_equal(e.session.project, "p");
    assert_string_equal(e.session.tool, "tare 9.8.7");
    assert_string_equal(e.session.words[2], "x");
    assert_string_equal(e.session.machine, "A processor, 8 CPUs, KVM");
    assert_true(e.session.measured_utc_ns == r.start_utc_ns && e.session.confidence == 0.95);
    assert_null(e.session.anchor);
    record_finish(&r);
    struct tare_err err;
    begin(&r);
    add_subject(&r, &(struct subject){.kind = SUBJECT_NOOP, .name = "noop"}, 10);
    assert_int_equal(history_of_record(&e, &r, &a, &err), TARE_NOT_FOUND);
    arena_finish(&a);
    record_finish(&r);
}

static void benchmarks_are_named_as_they_were_registered(void **state)
{
    (void)state;
    struct record r = {0};
    struct arena a = {0};
    struct history_entry e = {0};
    const struct parameter args[] = {{"n", "10"}, {"k", "2"}};
    begin(&r);
    r.rule.metric = "ns";
    const struct subject s = {.kind = SUBJECT_BENCH,
                              .name = "sort/10/2 (new)",
                              .benchmark = "sort/10/2",
                              .group = "sort",
                              .parameters = args,
                              .n_parameters = 2,
                              .reference = -1};
    add_estimate(&r, add_subject(&r, &s, 1000), "ns", "median", 1001.5 / 3, 1000. / 3, 1003. / 3);
    taken(&e, &r, &a);
    assert_int_equal(e.n, 1);
    assert_string_equal(e.results[0].benchmark, "sort (new)");
    assert_string_equal(e.results[0].arguments, "n=10 k=2");
    assert_string_equal(e.results[0].metric->id, "ns");
    assert_true(e.results[0].values[0] == 333.333); /* a third apart, so thousandths are fine enough */
    assert_true(e.results[0].point.median == 333.8333333);
    arena_finish(&a);
    record_finish(&r);
}

static size_t bytes_of(const struct history_entry *e)
{
    struct buf b = BUF_INIT(1 << 16);
    struct tare_err err = {""};
    assert_int_equal(history_entry_text(e, &b, &err), TARE_OK);
    const size_t n = b.len;
    buf_finish(&b);
    return n;
}

/* Of seconds in nanoseconds, the longest numbers. The index comes on top: 80 bytes. */
/* As of a program that prints its times in seconds. */
static void values_far_below_one_keep_their_scatter(void **state)
{
    (void)state;
    struct record r;
    struct arena a = {0};
    struct history_entry e = {.n = 0};
    static const char *const only_wall[] = {"wall"};
    begin(&r);
    record_add_subject(&r, &(struct subject){.kind = SUBJECT_COMMAND, .name = "x", .command = "x"}, only_wall, 1);
    for (int i = 0; i < ROUNDS; i++) {
        const double value = (1.2 + 0.01 * i) * 1e-13;
        assert_int_equal(record_append_row(&r, 0, &(struct row){.round = i, .values = &value}), TARE_OK);
    }
    add_estimate(&r, 0, "wall", "median", 1.23e-13, 1.2e-13, 1.26e-13);
    taken(&e, &r, &a);
    for (int i = 0; i < ROUNDS; i++)
        assert_float_equal(e.results[0].values[i] * 1e13, 1.2 + 0.01 * i, 1e-6);
    arena_finish(&a);
    record_finish(&r);
}

static void a_result_with_thirty_values_takes_320_bytes_at_most(void **state)
{
    (void)state;
    enum { N = 30 };
    struct record r = {0};
    struct arena a = {0};
    struct history_entry e = {.session = {.project = "", .revision = "", .folder = ""}};
    struct rng rng = rng_seeded(7);
    begin(&r);
    r.rounds = N;
    for (int k = 0; k < 2; k++) {
        const char *name = k ? "suite/benchmark_1001" : "suite/benchmark_1000";
        const int i =
            record_add_subject(&r, &(struct subject){.kind = SUBJECT_COMMAND, .name = name, .command = name}, columns, 1);
        for (int at = 0; at < N; at++) {
            const double value = round(2e9 * (1 + 0.01 * rng_normal(&rng)));
            assert_int_equal(record_append_row(&r, i, &(struct row){.round = at, .values = &value}), TARE_OK);
        }
        add_estimate(&r, i, "wall", "median", 2e9 + 1, 2e9 - 10000001, 2e9 + 10000001);
        add_estimate(&r, i, "wall", STATISTIC_OF_ANCHOR, 0.9876543, 0.9765432, 0.9987654);
    }
    taken(&e, &r, &a);
    assert_int_equal(e.n, 2);
    assert_int_equal(e.results[1].n_values, N);
    const size_t two = bytes_of(&e);
    e.n = 1;
    assert_in_range(two - bytes_of(&e), 200, 320);
    arena_finish(&a);
    record_finish(&r);
}

static void the_ratio_to_the_anchor_stands_with_the_metric_that_decided(void **state)
{
    (void)state;
    struct record r = {0};
    struct arena a = {0};
    struct history_entry e = {0};
    begin(&r);
    const int anchor =
        add_subject(&r, &(struct subject){.kind = SUBJECT_COMMAND, .name = "old", .command = "./old", .anchor = true}, 500);
    const int s = add_subject(&r, &(struct subject){.kind = SUBJECT_COMMAND, .name = "new", .command = "./new"}, 1000);
    add_estimate(&r, anchor, "wall", "median", 501.5, 500, 503);
    add_estimate(&r, s, "wall", "median", 1001.5, 1000, 1003);
    add_estimate(&r, s, "rss", "median", 4096, 4096, 4096);
    add_estimate(&r, s, "wall", STATISTIC_OF_ANCHOR, 2, 1.75, INFINITY);
    taken(&e, &r, &a);
    assert_int_equal(e.n, 2);
    assert_string_equal(e.results[0].benchmark, "new");
    assert_true(e.results[0].point.ratio == 2 && e.results[0].point.ratio_low == 1.75 && isnan(e.results[0].point.ratio_high));
    assert_true(isnan(e.results[1].point.ratio));
    assert_non_null(e.session.anchor);
    assert_non_null(strstr(e.session.anchor, "./old"));
    arena_finish(&a);
    record_finish(&r);
}

static void arcs_are_results_by_their_mean(void **state)
{
    (void)state;
    struct record r = {0};
    struct arena a = {0};
    struct history_entry e = {0};
    begin(&r);
    const int s = add_subject(&r, &(struct subject){.kind = SUBJECT_TRACE, .name = "prog"}, 1000);
    add_estimate(&r, s, "wall", "median", 1001.5, 1000, 1003);
    const int from = record_add_point(&r, &(struct point){.subject = s, .file = "a.c", .line = 1, .func = "f", .name = "begin"}),
              to = record_add_point(&r, &(struct point){.subject = s, .file = "a.c", .line = 2, .func = "f", .name = "end"});
    struct arc_result arc;
    arc_result_init(&arc, s, from, to);
    arc.mean_ns = 12.5;
    arc.low_ns = 12;
    arc.high_ns = 13;
    arc.runs_passed = ROUNDS;
    arc.whole = true;
    assert_true(record_add_arc_result(&r, &arc) >= 0);
    taken(&e, &r, &a);
    assert_int_equal(e.n, 2);
    assert_string_equal(e.results[0].metric->id, "wall");
    assert_string_equal(e.results[1].benchmark, "begin -> end");
    assert_string_equal(e.results[1].metric->unit, "ns");
    assert_true(e.results[1].point.median == 12.5 && e.results[1].point.low == 12 && e.results[1].point.high == 13);
    assert_null(e.results[1].values);
    arena_finish(&a);
    record_finish(&r);
}

/* Its time is of what is left, or by a clock that nobody knows. */
static void arcs_of_lost_hits_and_wrong_clocks_are_no_results(void **state)
{
    (void)state;
    for (int fault = 0; fault < 4; fault++) {
        struct record r = {0};
        struct arena a = {0};
        struct history_entry e = {0};
        begin(&r);
        const int s = add_subject(&r, &(struct subject){.kind = SUBJECT_TRACE, .name = "prog"}, 1000);
        add_estimate(&r, s, "wall", "median", 1001.5, 1000, 1003);
        const int at = record_add_point(&r, &(struct point){.subject = s, .file = "a.c", .line = 1, .func = "f", .name = "loop"});
        assert_true(record_add_traced_run(&r, &(struct traced_run){.subject = s,
                                                                   .clock = "tsc",
                                                                   .order = "ordered",
                                                                   .lost = fault == 1 ? "2 entries" : NULL,
                                                                   .incomplete = fault == 1,
                                                                   .jumps = fault == 2}) >= 0);
        struct arc_result arc;
        arc_result_init(&arc, s, at, at);
        arc.mean_ns = 12.5;
        arc.low_ns = 12;
        arc.high_ns = 13;
        arc.passes = 1000;
        arc.backwards = fault == 3 ? 2 : 1;
        arc.whole = true;
        assert_true(record_add_arc_result(&r, &arc) >= 0);
        taken(&e, &r, &a);
        assert_int_equal(e.n, fault ? 1 : 2);
        assert_int_equal(e.unsound, fault > 0);
        arena_finish(&a);
        record_finish(&r);
    }
}

static const char *class_now(const struct record *r, const char *label, struct arena *a)
{
    struct history_entry e = {.session = {.class = label}};
    taken(&e, r, a);
    return e.session.class;
}

static void the_class_is_the_label_or_made_of_what_stays_the_same(void **state)
{
    (void)state;
    struct record r = {0};
    struct arena a = {0};
    begin(&r);
    add_estimate(&r, add_subject(&r, &(struct subject){.kind = SUBJECT_COMMAND, .name = "x"}, 1000), "wall", "median", 1, 1, 1);
    const char *class = class_now(&r, NULL, &a);
    assert_string_equal(class_now(&r, "desk", &a), "desk");
    assert_memory_equal(class, "GenuineIntel 6-106-6 ", 21);
    facts_add_text(&r, &r.machine, "host_name", "other");
    facts_add_text(&r, &r.machine, "kernel", "9.9");
    facts_add_text(&r, &r.machine, "cpu_microcode", "0x1");
    facts_add_number(&r, &r.machine, "nominal_hz", 1e9);
    facts_add_number(&r, &r.machine, "memory_bytes", 1e9);
    assert_string_equal(class_now(&r, "", &a), class);
    facts_add_number(&r, &r.machine, "cpus_online", 9);
    assert_string_not_equal(class_now(&r, NULL, &a), class);
    arena_finish(&a);
    record_finish(&r);
}

static void sessions_of_leaks_and_clocks_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const enum subject_kind kinds[] = {SUBJECT_LEAK, SUBJECT_CLOCK, SUBJECT_HOST};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct record r = {0};
        struct arena a = {0};
        struct history_entry e = {0};
        struct tare_err err = {""};
        begin(&r);
        add_subject(&r, &(struct subject){.kind = kinds[i], .name = "x"}, 1000);
        assert_int_equal(history_of_record(&e, &r, &a, &err), TARE_INVALID);
        assert_true(strlen(err.text) > 20);
        arena_finish(&a);
        record_finish(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(commands_give_their_decisive_metric_wall_and_rss),
                                       cmocka_unit_test(benchmarks_are_named_as_they_were_registered),
                                       cmocka_unit_test(values_far_below_one_keep_their_scatter),
                                       cmocka_unit_test(a_result_with_thirty_values_takes_320_bytes_at_most),
                                       cmocka_unit_test(the_ratio_to_the_anchor_stands_with_the_metric_that_decided),
                                       cmocka_unit_test(arcs_are_results_by_their_mean),
                                       cmocka_unit_test(arcs_of_lost_hits_and_wrong_clocks_are_no_results),
                                       cmocka_unit_test(the_class_is_the_label_or_made_of_what_stays_the_same),
                                       cmocka_unit_test(sessions_of_leaks_and_clocks_are_refused_with_a_reason)};
    return cmocka_run_group_tests_name("history_of_record", tests, NULL, NULL);
}
