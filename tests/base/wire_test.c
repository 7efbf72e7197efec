/* SPDX-License-Identifier: MIT
 *
 * Both directions of wire.h: what is written is what is read; what is torn, turned or foreign is refused; every cut of a record leaves its
 * whole frames.
 */
#include "wire.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- the request ---- */

static void a_request_reads_back_as_it_was_written(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(WIRE_REQUEST_MAX);
    struct wire_request q = wire_request_default(7), back;
    q.profile = WIRE_STARTUP;
    q.seed = UINT64_MAX;
    q.sample_ns = 250000;
    q.samples = 12;
    q.warmup = 0;
    q.guard = 0;
    q.signals = 1;
    q.clock = "raw!";
    q.clock_size = 3;
    wire_request_write(&text, &q);
    wire_request_add(&text, "sort ints/n:100", 5000);
    wire_request_add(&text, "other", 0);
    assert_int_equal(wire_request_read(buf_text(&text), &back, NULL), TARE_OK);
    assert_int_equal(back.fd, 7);
    assert_int_equal(back.mode, WIRE_MEASURE);
    assert_int_equal(back.profile, WIRE_STARTUP);
    assert_true(back.seed == UINT64_MAX && back.sample_ns == 250000 && back.samples == 12);
    assert_true(back.warmup == 0 && back.guard == 0 && back.signals == 1);
    assert_int_equal(back.clock_size, 3);
    assert_memory_equal(back.clock, "raw", 3);
    struct wire_run run;
    size_t at = 0;
    assert_true(wire_request_run(&back, &at, &run));
    assert_int_equal(run.size, strlen("sort ints/n:100"));
    assert_memory_equal(run.name, "sort ints/n:100", run.size);
    assert_true(run.iterations == 5000);
    assert_true(wire_request_run(&back, &at, &run));
    assert_true(run.iterations == 0 && run.size == 5);
    assert_false(wire_request_run(&back, &at, &run));
    buf_finish(&text);
}

static void filters_are_words_any_of_which_is_enough(void **state)
{
    (void)state;
    struct wire_request q;
    assert_int_equal(wire_request_read("tare-wire 1 3\nfilter sort\nfilter x y", &q, NULL), TARE_OK);
    assert_true(wire_request_wants(&q, "my_sort/3"));
    assert_true(wire_request_wants(&q, "ax yb"));
    assert_false(wire_request_wants(&q, "x"));
    assert_int_equal(wire_request_read("tare-wire 1 3", &q, NULL), TARE_OK);
    assert_true(wire_request_wants(&q, "anything"));
}

static void a_word_of_a_later_day_is_passed_over(void **state)
{
    (void)state;
    struct wire_request q;
    assert_int_equal(wire_request_read("tare-wire 1 3\nfuture 1 2 3\n\nseed 5\n", &q, NULL), TARE_OK);
    assert_true(q.seed == 5);
}

static void another_version_is_said_and_nothing_else_is_believed(void **state)
{
    (void)state;
    struct wire_request q;
    struct tare_err err = {{0}};
    assert_int_equal(wire_request_read("tare-wire 99 3\nseed x\n", &q, &err), TARE_VERSION);
    assert_int_equal(q.version, 99);
    assert_int_equal(q.fd, 3);
    assert_non_null(strstr(err.text, "99"));
}

static void what_is_no_request_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "x",
                                      "tare-wire",
                                      "tare-wire 1",
                                      "tare-wire 1 ",
                                      "tare-wire 1 x",
                                      "tare-wire 1 3 4",
                                      "tare-wire -1 3",
                                      "tare-wire 1 99999999999",
                                      "tare-wire 1 3\nseed -1",
                                      "tare-wire 1 3\nseed 18446744073709551616",
                                      "tare-wire 1 3\nsamples 1000001",
                                      "tare-wire 1 3\nguard 2",
                                      "tare-wire 1 3\nmode dance",
                                      "tare-wire 1 3\nprofile ",
                                      "tare-wire 1 3\nclock "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wire_request q;
        if (wire_request_read(bad[i], &q, NULL) != TARE_FORMAT)
            fail_msg("\"%s\" is taken for a request", bad[i]);
    }
    struct wire_request q;
    assert_int_equal(wire_request_read(NULL, &q, NULL), TARE_FORMAT);
}

/* ---- frames ---- */

static const int64_t ITERATIONS[] = {10, 20, 30}, TICKS[] = {1, -2, INT64_MAX};

static void put_all(struct buf *out)
{
    const int64_t *columns[WIRE_COLUMNS_N] = {[WIRE_ITERATIONS] = ITERATIONS, [WIRE_TICKS] = TICKS};
    struct wire_bench bench = {
        .index = 4, .name = "a/100", .group = "a", .file = "a.c", .line = 7, .flags = WIRE_BASELINE, .threads = 2, .n_args = 2};
    bench.args[0] = (struct wire_arg){"n", -100, ""};
    bench.args[1] = (struct wire_arg){NULL, 1, "word"};
    struct wire_end end = {.bench = 4,
                           .state = WIRE_FAILED,
                           .reason = "no",
                           .iterations = 9,
                           .items = 2.5,
                           .peak_bytes = WIRE_NONE,
                           .scaling = NAN,
                           .n_counters = 1};
    end.account.cpu_ns = 77;
    end.counters[0] = (struct wire_counter){"swaps", "1", 1e300, WIRE_TOTAL};
    wire_put_hello(out, &(struct wire_hello){WIRE_VERSION, "0.1.0", 1234, 5, ""});
    wire_put_clock(out, &(struct wire_clock){.name = "tsc",
                                             .source = "measured",
                                             .hz = 2e9,
                                             .counter = true,
                                             .core = true,
                                             .chain_cycles = 12000,
                                             .chain_ratio = NAN});
    wire_put_bench(out, &bench);
    wire_put_samples(out, 4, 1, 3, columns);
    wire_put_end(out, &end);
    wire_put_bye(out, &(struct wire_bye){NAN, 3, true, 1});
}

static void each_frame_reads_back_as_it_was_written(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 20);
    put_all(&b);
    struct wire_reader r = {b.data, b.len, 0};
    struct wire_frame f;
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_HELLO && f.u.hello.version == WIRE_VERSION && f.u.hello.pid == 1234 && f.u.hello.benchmarks == 5);
    assert_string_equal(f.u.hello.library, "0.1.0");
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_CLOCK && f.u.clock.hz == 2e9 && f.u.clock.core && isnan(f.u.clock.chain_ratio));
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_BENCH && f.u.bench.line == 7 && f.u.bench.threads == 2 && f.u.bench.args[0].value == -100);
    assert_string_equal(f.u.bench.args[1].word, "word");
    assert_string_equal(f.u.bench.args[1].name, "");
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_SAMPLES && f.u.samples.n == 3 && f.u.samples.columns == 2 && f.u.samples.thread == 1);
    assert_true(wire_sample(&f.u.samples, WIRE_TICKS, 1) == -2 && wire_sample(&f.u.samples, WIRE_TICKS, 2) == INT64_MAX);
    assert_true(wire_sample(&f.u.samples, WIRE_FLAGS, 0) == WIRE_NONE && wire_sample(&f.u.samples, WIRE_TICKS, 3) == WIRE_NONE);
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_END && f.u.end.state == WIRE_FAILED && f.u.end.items == 2.5 && f.u.end.peak_bytes == WIRE_NONE);
    assert_true(f.u.end.account.cpu_ns == 77 && f.u.end.counters[0].value == 1e300 && f.u.end.counters[0].per == WIRE_TOTAL);
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_true(f.type == WIRE_BYE && isnan(f.u.bye.drift_ppm) && f.u.bye.drift_bound_ppm == 3 && f.u.bye.backwards);
    assert_int_equal(wire_next(&r, &f, NULL), TARE_TRUNCATED);
    buf_finish(&b);
}

static int frames_in(const char *bytes, size_t n, enum tare_status *end)
{
    struct wire_reader r = {bytes, n, 0};
    struct wire_frame f;
    int frames = 0;
    while ((*end = wire_next(&r, &f, NULL)) == TARE_OK)
        frames++;
    return frames;
}

static void a_record_cut_anywhere_keeps_its_whole_frames(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 20);
    put_all(&b);
    int before = 0;
    for (size_t n = 0; n <= b.len; n++) {
        enum tare_status end;
        int frames = frames_in(b.data, n, &end);
        if (frames < before || frames > before + 1 || end != TARE_TRUNCATED)
            fail_msg("%zu of %zu bytes: %d frames after %d, status %d", n, b.len, frames, before, end);
        before = frames;
    }
    assert_int_equal(before, 6);
    buf_finish(&b);
}

static void a_turned_bit_is_found(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 20);
    put_all(&b);
    for (size_t at = 0; at < b.len; at++)
        for (int bit = 0; bit < 8; bit++) {
            enum tare_status end;
            b.data[at] ^= (char)(1 << bit);
            int frames = frames_in(b.data, b.len, &end);
            b.data[at] ^= (char)(1 << bit);
            if (frames >= 6)
                fail_msg("bit %d of byte %zu can be turned unseen", bit, at);
        }
    buf_finish(&b);
}

static void a_frame_that_does_not_fit_leaves_nothing(void **state)
{
    (void)state;
    char place[40];
    struct buf b = buf_over(place, sizeof place);
    wire_put_hello(&b, &(struct wire_hello){WIRE_VERSION, "a library with a long version", 1, 2, ""});
    assert_int_equal(b.status, TARE_TOO_LARGE);
    assert_int_equal(b.len, 0);
}

static void a_hello_of_another_version_says_which(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(4096);
    wire_put_hello(&b, &(struct wire_hello){.version = WIRE_VERSION + 1, .library = "9.9"});
    struct wire_reader r = {b.data, b.len, 0};
    struct wire_frame f;
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_int_equal(f.u.hello.version, WIRE_VERSION + 1);
    assert_string_equal(f.u.hello.library, "");
    buf_finish(&b);
}

static void infinite_figures_are_refused(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(4096);
    wire_put_end(&b, &(struct wire_end){.items = INFINITY});
    enum tare_status end;
    assert_int_equal(frames_in(b.data, b.len, &end), 0);
    assert_int_equal(end, TARE_FORMAT);
    buf_finish(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_reads_back_as_it_was_written),
        cmocka_unit_test(filters_are_words_any_of_which_is_enough),
        cmocka_unit_test(a_word_of_a_later_day_is_passed_over),
        cmocka_unit_test(another_version_is_said_and_nothing_else_is_believed),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test(each_frame_reads_back_as_it_was_written),
        cmocka_unit_test(a_record_cut_anywhere_keeps_its_whole_frames),
        cmocka_unit_test(a_turned_bit_is_found),
        cmocka_unit_test(a_frame_that_does_not_fit_leaves_nothing),
        cmocka_unit_test(a_hello_of_another_version_says_which),
        cmocka_unit_test(infinite_figures_are_refused),
    };
    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
