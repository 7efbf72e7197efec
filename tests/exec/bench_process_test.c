/* SPDX-License-Identifier: MIT
 *
 * How much one program may report, and what it may say of its times.
 */
#include "bench_process.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void samples_fit_up_to_the_limits_of_benchmark_and_session(void **state)
{
    (void)state;
    struct series series[5] = {{.samples = {.n = BENCH_SAMPLES_MAX - 20}}};
    const struct record r = {.series = series, .n_subjects = 5};
    const struct bench_report twenty = {.samples = 20}, one_more = {.samples = 21};
    assert_true(bench_samples_fit(&twenty, &r, 0));
    assert_false(bench_samples_fit(&one_more, &r, 0));
    assert_true(bench_samples_fit(&one_more, &r, 1)); /* another benchmark has room of its own */
    for (int i = 1; i < 4; i++)
        series[i].samples.n = BENCH_SAMPLES_MAX;
    assert_true(bench_samples_fit(&twenty, &r, 4));
    assert_false(bench_samples_fit(&one_more, &r, 4));
}

/* ---- what a report says of its times ---- */

struct sample {
    int64_t iterations, ticks;
    int backwards;              /* in so many of them the clock ran backwards, and was seen to */
    int64_t empty_ticks, scale; /* scale 0: not told */
};

/* Of a process with one benchmark, and the clock's name and rate; ten samples. */
static const char *trouble_of(struct sample one, const char *clock, double hz, uint32_t flags, double most_ns)
{
    enum { N = 10 };
    static struct bench_report report;
    struct buf b = BUF_INIT(1 << 16);
    int64_t column[5][N];
    for (int i = 0; i < N; i++) {
        column[0][i] = one.iterations;
        column[1][i] = i < one.backwards ? -5 : one.ticks;
        column[2][i] = i < one.backwards ? ROW_CLOCK : 0;
        column[3][i] = one.empty_ticks;
        column[4][i] = one.scale;
    }
    const int64_t *columns[WIRE_COLUMNS_N] = {[WIRE_ITERATIONS] = column[0],
                                              [WIRE_TICKS] = column[1],
                                              [WIRE_FLAGS] = column[2],
                                              [WIRE_EMPTY_TICKS] = column[3],
                                              [WIRE_SCALE] = one.scale ? column[4] : NULL};
    wire_put_hello(&b, &(struct wire_hello){.version = WIRE_VERSION, .benchmarks = 1});
    wire_put_clock(&b, &(struct wire_clock){.name = clock, .hz = hz, .step_ticks = 10});
    wire_put_bench(&b, &(struct wire_bench){.name = "add", .threads = 1, .flags = flags});
    wire_put_samples(&b, 0, 0, N, columns);
    wire_put_samples(&b, 0, 1, N, columns); /* another thread's, at the same time */
    wire_put_end(&b, &(struct wire_end){.peak_bytes = WIRE_NONE, .before_bytes = WIRE_NONE});
    wire_put_bye(&b, &(struct wire_bye){.benchmarks = 1});
    bench_read(b.data, b.len, &(struct bench_request){.benchmark = "add"}, most_ns, &report);
    buf_finish(&b);
    return report.trouble;
}

#define assert_impossible(...) assert_non_null(strstr(trouble_of(__VA_ARGS__), "impossible"))
#define assert_possible(...)   assert_string_equal(trouble_of(__VA_ARGS__), "")

static void times_that_a_process_did_not_have_are_impossible(void **state)
{
    (void)state;
    assert_possible((struct sample){1000, 100, 0, 0, 0}, "tsc", 1e9, 0, 1000);
    assert_impossible((struct sample){1000, 101, 0, 0, 0}, "tsc", 1e9, 0, 1000);
    assert_impossible((struct sample){1000, INT64_MAX, 0, 0, 0}, "tsc", 1e9, 0, 1e12);
    assert_impossible((struct sample){1000, -1, 0, 0, 0}, "tsc", 1e9, 0, 1e12);
    assert_possible((struct sample){1000, 1000, 0, 0, 0}, "tsc", 1e10, 0, 1000);
    assert_impossible((struct sample){1000, 100, 0, 0, 0}, "tsc", 0.5, 0, 1e12);
    assert_impossible((struct sample){1000, 100, 0, 0, 0}, "tsc", 1e12, 0, 1e12);
}

static void empty_brackets_that_a_process_did_not_have_are_impossible(void **state)
{
    (void)state;
    assert_possible((struct sample){1000, 90, 0, 10, 0}, "tsc", 1e9, 0, 1000);
    assert_impossible((struct sample){1000, 90, 0, 11, 0}, "tsc", 1e9, 0, 1000);
    assert_impossible((struct sample){1000, 90, 0, -1, 0}, "tsc", 1e9, 0, 1e12);
    assert_impossible((struct sample){1000, 90, 0, INT64_MAX, 0}, "tsc", 1e9, 0, 1e12);
    assert_possible((struct sample){1000, 90, 0, WIRE_NONE, 0}, "tsc", 1e9, 0, 1000);
}

static void iterations_that_no_processor_makes_are_impossible(void **state)
{
    (void)state;
    assert_impossible((struct sample){0, 100, 0, 0, 0}, "tsc", 1e9, 0, 1e12);
    assert_impossible((struct sample){-1, 100, 0, 0, 0}, "tsc", 1e9, 0, 1e12);
    assert_impossible((struct sample){INT64_MAX, 100, 0, 0, 0}, "tsc", 1e9, 0, 1e12);
    assert_impossible((struct sample){1000000, 100, 0, 0, 0}, "tsc", 1e9, 0, 1e12);
    assert_possible((struct sample){6400, 100, 0, 0, 0}, "tsc", 1e9, 0, 1e12);
    assert_possible((struct sample){1, 0, 0, 0, 0}, "tsc", 1e11, 0, 1e12); /* one call, within a step of the clock */
}

static void clocks_that_are_not_of_the_wall_are_held_by_their_own_measure(void **state)
{
    (void)state;
    assert_possible((struct sample){1000, 100, 4, 0, 0}, "tsc", 1e9, 0, 1000);
    assert_impossible((struct sample){1000, 100, 5, 0, 0}, "tsc", 1e9, 0, 1000); /* what its median is of */
    assert_possible((struct sample){1000, 1000000000, 0, 0, 0}, "tsc", 1e9, WIRE_MANUAL_TIME,
                    1000); /* simulated time, or a GPU's */
    assert_impossible((struct sample){1000, -5, 0, 0, 0}, "tsc", 1e9, WIRE_MANUAL_TIME, 1000);
    assert_impossible((struct sample){1000, INT64_C(1) << 62, 0, 0, 0}, "tsc", 1e9, WIRE_MANUAL_TIME, 1000);
    assert_impossible((struct sample){INT64_C(1) << 62, 1, 0, 0, 0}, "tsc", 1e9, WIRE_MANUAL_TIME, 1000);
}

/* Manual time of few iterations: they are held, and not so many times them. */
static void times_with_digits_are_held_as_what_they_were(void **state)
{
    (void)state;
    assert_possible((struct sample){1000000, 100000000, 0, 0, 1000000}, "tsc", 1e9, 0, 1000);
    assert_impossible((struct sample){1000000, 101000000, 0, 0, 1000000}, "tsc", 1e9, 0, 1000);
    assert_possible((struct sample){1000, 12400, 0, 0, 1000}, "tsc", 1e9, WIRE_MANUAL_TIME, 1);
    assert_impossible((struct sample){1000, 12400, 0, 0, 10}, "tsc", 1e9, WIRE_MANUAL_TIME, 1);
    assert_impossible((struct sample){1000, 100, 0, 0, -1}, "tsc", 1e9, 0, 1e12);
    assert_impossible((struct sample){1000, 100, 0, 0, 1001}, "tsc", 1e9, 0, 1e12); /* less than an iteration */
}

/* A row has real iterations and their time, however they were sent, and so have all figures made of it. */
static void rows_have_what_was_sent_divided_by_its_scale(void **state)
{
    (void)state;
    const int64_t iterations[] = {3000, 3, INT64_C(3000000000000000)}, ticks[] = {12400, 50, 7000000},
                  scale[] = {1000, 1, INT64_C(1000000000000000)};
    const int64_t *columns[WIRE_COLUMNS_N] = {[WIRE_ITERATIONS] = iterations, [WIRE_TICKS] = ticks, [WIRE_SCALE] = scale};
    struct buf b = BUF_INIT(1 << 16);
    wire_put_samples(&b, 0, 0, 3, columns);
    struct record r;
    record_init(&r);
    int n;
    const char *const *names = bench_sample_columns(&n);
    assert_int_equal(record_add_subject(&r, &(struct subject){.name = "add"}, NULL, 0), 0);
    assert_int_equal(record_set_sample_columns(&r, 0, names, n), TARE_OK);
    const double all[] = {0};
    const struct row process = {.values = all};
    const struct bench_report report = {.bytes = b.data, .n = b.len, .clock = {.hz = 1e9}};
    assert_int_equal(bench_samples(&report, &process, &r, 0), TARE_OK);
    const double ns[] = {12.4, 50, 7e-9};
    for (int i = 0; i < 3; i++)
        if (series_samples(r.series, "iterations")[i] != 3 || series_samples(r.series, "ticks")[i] != ns[i])
            fail_msg("%.17g iterations in %.17g ns, not 3 in %.17g", series_samples(r.series, "iterations")[i],
                     series_samples(r.series, "ticks")[i], ns[i]);
    record_finish(&r);
    buf_finish(&b);
}

/* ---- what a report is made of ---- */

enum frame { HELLO, CLOCK, BENCH, SAMPLES, WARMUP, LONG_CHAIN, CHAIN_BACKWARDS, OF_ANOTHER, END, END_OF_ANOTHER, BYE, NO_FRAME };

static void put(struct buf *b, enum frame frame)
{
    const int64_t iterations[] = {1000, 1000}, ticks[] = {90, 90}, empty[] = {10, 10}, warmup[] = {WIRE_WARMUP, WIRE_WARMUP},
                  chain[] = {frame == CHAIN_BACKWARDS ? -1 : 1000000, 10};
    const int64_t *columns[WIRE_COLUMNS_N] = {[WIRE_ITERATIONS] = iterations, [WIRE_TICKS] = ticks, [WIRE_EMPTY_TICKS] = empty};
    if (frame == WARMUP)
        columns[WIRE_FLAGS] = warmup;
    if (frame == LONG_CHAIN || frame == CHAIN_BACKWARDS)
        columns[WIRE_CHAIN_AFTER] = chain;
    if (frame == HELLO)
        wire_put_hello(b, &(struct wire_hello){.version = WIRE_VERSION, .benchmarks = 1});
    else if (frame == CLOCK)
        wire_put_clock(b, &(struct wire_clock){.name = "tsc", .hz = 1e9, .step_ticks = 10});
    else if (frame == BENCH)
        wire_put_bench(b, &(struct wire_bench){.name = "add", .threads = 1});
    else if (frame == END || frame == END_OF_ANOTHER)
        wire_put_end(b, &(struct wire_end){.bench = frame != END, .peak_bytes = WIRE_NONE, .before_bytes = WIRE_NONE});
    else if (frame == BYE)
        wire_put_bye(b, &(struct wire_bye){.benchmarks = 1});
    else
        wire_put_samples(b, frame == OF_ANOTHER, 0, 2, columns);
}

static void assert_told(const enum frame *frames, const char *trouble)
{
    static struct bench_report report;
    struct buf b = BUF_INIT(1 << 16);
    for (; *frames != NO_FRAME; frames++)
        put(&b, *frames);
    bench_read(b.data, b.len, &(struct bench_request){.benchmark = "add"}, 1e4, &report);
    buf_finish(&b);
    assert_string_equal(report.trouble, trouble);
}

static void samples_belong_between_their_benchmark_and_its_end(void **state)
{
    (void)state;
    static const char before[] = "reports samples before the benchmark that they are of",
                      after[] = "reported twice: a process that it forked went on measuring";
    assert_told((const enum frame[]){HELLO, CLOCK, BENCH, SAMPLES, SAMPLES, END, BYE, NO_FRAME}, "");
    assert_told((const enum frame[]){HELLO, CLOCK, SAMPLES, BENCH, END, BYE, NO_FRAME}, before);
    assert_told((const enum frame[]){HELLO, CLOCK, BENCH, SAMPLES, END, SAMPLES, BYE, NO_FRAME}, after);
    assert_told((const enum frame[]){HELLO, CLOCK, BENCH, SAMPLES, END, BYE, SAMPLES, NO_FRAME}, after);
    assert_told((const enum frame[]){HELLO, CLOCK, BENCH, SAMPLES, END, BYE, BYE, NO_FRAME}, after);
}

static void samples_and_end_are_of_the_benchmark_that_was_asked_for(void **state)
{
    (void)state;
    static const char another[] = "reports on a benchmark that was not asked for";
    assert_told((const enum frame[]){HELLO, CLOCK, BENCH, SAMPLES, OF_ANOTHER, END, BYE, NO_FRAME}, another);
    assert_told((const enum frame[]){HELLO, CLOCK, BENCH, SAMPLES, END_OF_ANOTHER, BYE, NO_FRAME}, another);
    assert_told((const enum frame[]){HELLO, CLOCK, END, BENCH, SAMPLES, BYE, NO_FRAME}, another);
}

static void other_arguments_threads_or_versions_are_other_terms(void **state)
{
    (void)state;
    const struct wire_bench one = {.name = "add", .threads = 1, .n_args = 1, .args = {{"n", 100, ""}}, .version = ""};
    struct wire_bench other[] = {one, one, one, one, one, one};
    other[0].threads = 2;
    other[1].n_args = 0;
    other[2].args[0].value = 101;
    other[3].args[0].word = "100";
    other[4].version = "2";
    other[5].flags = WIRE_MANUAL_TIME;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_int_not_equal(bench_terms(&one), bench_terms(&other[i]));
    other[5].flags = WIRE_BASELINE;
    assert_int_equal(bench_terms(&one), bench_terms(&other[5]));
}

static void samples_of_the_warmup_alone_are_no_figure(void **state)
{
    (void)state;
    assert_told((const enum frame[]){HELLO, CLOCK, BENCH, WARMUP, SAMPLES, END, BYE, NO_FRAME}, "");
    assert_told((const enum frame[]){HELLO, CLOCK, BENCH, WARMUP, END, BYE, NO_FRAME}, "measured no sample after its warmup");
}

static void reference_chains_fit_into_the_time_too(void **state)
{
    (void)state;
    assert_told((const enum frame[]){HELLO, CLOCK, BENCH, LONG_CHAIN, END, BYE, NO_FRAME},
                "reports what is impossible: its samples cannot have taken 1.00 ms: it had 10.0 µs");
}

static void a_chain_below_zero_is_unknown(void **state)
{
    (void)state;
    struct record r;
    record_init(&r);
    struct buf b = BUF_INIT(1 << 16);
    struct bench_report report;
    static const enum frame frames[] = {HELLO, CLOCK, BENCH, CHAIN_BACKWARDS, END, BYE};
    int n;
    for (int i = 0; i < 6; i++)
        put(&b, frames[i]);
    bench_read(b.data, b.len, &(struct bench_request){.benchmark = "add"}, 1e4, &report);
    const int s = record_add_subject(&r, &(struct subject){.kind = SUBJECT_BENCH, .name = "add"}, NULL, 0);
    const char *const *columns = bench_sample_columns(&n);
    assert_int_equal(record_set_sample_columns(&r, s, columns, n), TARE_OK);
    assert_int_equal(bench_samples(&report, &(struct row){0}, &r, s), TARE_OK);
    const double *after = series_samples(&r.series[s], "chain_after");
    assert_true(isnan(after[0]));
    assert_true(after[1] == 10);
    buf_finish(&b);
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_fit_up_to_the_limits_of_benchmark_and_session),
        cmocka_unit_test(times_that_a_process_did_not_have_are_impossible),
        cmocka_unit_test(empty_brackets_that_a_process_did_not_have_are_impossible),
        cmocka_unit_test(iterations_that_no_processor_makes_are_impossible),
        cmocka_unit_test(clocks_that_are_not_of_the_wall_are_held_by_their_own_measure),
        cmocka_unit_test(times_with_digits_are_held_as_what_they_were),
        cmocka_unit_test(rows_have_what_was_sent_divided_by_its_scale),
        cmocka_unit_test(samples_belong_between_their_benchmark_and_its_end),
        cmocka_unit_test(samples_and_end_are_of_the_benchmark_that_was_asked_for),
        cmocka_unit_test(other_arguments_threads_or_versions_are_other_terms),
        cmocka_unit_test(samples_of_the_warmup_alone_are_no_figure),
        cmocka_unit_test(reference_chains_fit_into_the_time_too),
        cmocka_unit_test(a_chain_below_zero_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
