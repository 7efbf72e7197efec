/* SPDX-License-Identifier: MIT
 *
 * Files with results as benchmarks of a program: which they are, what is a sample, what is said of the others.
 */
#include "result_file.h"
#include "wire.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct result_file file;

static int forget(void **state)
{
    (void)state;
    result_file_finish(&file);
    return 0;
}

static void take(const char *text)
{
    assert_int_equal(result_file_take(&file, "r.txt", text, strlen(text), NULL), TARE_OK);
}

/* As it was, before it was put so many times. */
static void put_sample(struct buf *b, const char *before, const struct wire_samples *s, uint32_t i)
{
    const double scale = (double)wire_sample(s, WIRE_SCALE, i);
    buf_format(b, "%s%.10g x %.10g", before, (double)wire_sample(s, WIRE_ITERATIONS, i) / scale,
               (double)wire_sample(s, WIRE_TICKS, i) / scale);
}

/* "10 x 1000, 10 x 1000; hits 4", or the trouble, or "failed: why". */
static const char *result(const char *benchmark)
{
    static char out[2000];
    struct buf frames = BUF_INIT(1 << 20), b = buf_over(out, sizeof out);
    struct wire_frame f;
    int samples = 0;
    out[0] = 0;
    assert_int_equal(result_file_frames(&file, benchmark, NULL, 0, &frames, NULL), TARE_OK);
    struct wire_reader reader = {frames.data, frames.len, 0};
    while (!wire_next(&reader, &f, NULL)) {
        if (f.type == WIRE_HELLO && *f.u.hello.trouble)
            buf_str(&b, f.u.hello.trouble);
        if (f.type == WIRE_BENCH)
            assert_true(f.u.bench.flags & WIRE_MANUAL_TIME);
        for (uint32_t i = 0; f.type == WIRE_SAMPLES && i < f.u.samples.n; i++, samples++)
            if (samples < 3)
                put_sample(&b, samples ? ", " : "", &f.u.samples, i);
        if (f.type != WIRE_END)
            continue;
        if (samples > 3)
            buf_format(&b, " ... %d", samples);
        if (f.u.end.state)
            buf_format(&b, "%s: %s", wire_state_word(f.u.end.state), f.u.end.reason);
        for (uint32_t i = 0; i < f.u.end.n_counters; i++)
            buf_format(&b, "; %s %g", f.u.end.counters[i].name, f.u.end.counters[i].value);
    }
    buf_finish(&frames);
    return out;
}

static const char *names(void)
{
    static char out[2000];
    struct buf b = buf_over(out, sizeof out);
    const char *name;
    out[0] = 0;
    for (int at = 0; (name = result_file_next(&file, &at));)
        buf_format(&b, "%s%s", b.len ? " " : "", name);
    assert_int_equal(result_file_any(&file), b.len > 0);
    return out;
}

static const char *others(void)
{
    static char out[2000];
    struct buf b = buf_over(out, sizeof out);
    out[0] = 0;
    result_file_say_others(&file, &b);
    return out;
}

static void values_of_a_name_are_its_samples(void **state)
{
    (void)state;
    take("a 12 ms\nb 5 us\na 13 ms\n7 s\n");
    assert_string_equal(file.trouble, "");
    assert_string_equal(names(), "a b value");
    assert_string_equal(others(), "");
    assert_string_equal(result("a"), "1 x 12000000, 1 x 13000000");
    assert_string_equal(result("b"), "1 x 5000");
    assert_string_equal(result("value"), "1 x 7000000000");
    assert_string_equal(result("c"), "is not in the file any more");
}

static void digits_of_short_means_are_kept(void **state)
{
    (void)state;
    take("a 1.25 ns\na 1.5 ns\n");
    assert_string_equal(result("a"), "1 x 1.25, 1 x 1.5");
    take("BenchmarkA-8 10 1.25 ns/op 7 hits/op\n");
    assert_string_equal(result("BenchmarkA-8"), "10 x 12.5; hits/op 7");
    take("BenchmarkA-8 1000 1.25 ns/op\n");
    assert_string_equal(result("BenchmarkA-8"), "1000 x 1250");
    take("a 0.000000001 ns\na 10 s\n"); /* the digits of one are none of another's */
    assert_string_equal(result("a"), "1 x 1e-09, 1 x 10000000000");
}

static void very_many_values_are_few_samples(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(1 << 20);
    for (int i = 0; i < 2500; i++)
        buf_format(&text, "a %d ns\n", 20000 + i);
    take(buf_text(&text));
    assert_string_equal(result("a"), "3 x 60003, 3 x 60012, 3 x 60021 ... 834");
    buf_finish(&text);
}

static void a_rate_of_operations_is_the_time_of_one(void **state)
{
    (void)state;
    take("[{\"benchmark\":\"a\",\"primaryMetric\":{\"scoreUnit\":\"ops/ms\",\"rawData\":[[4,5]]},"
         "\"secondaryMetrics\":{\"alloc\":{\"scoreUnit\":\"B/op\",\"rawData\":[[24,24]]}}}]");
    assert_string_equal(names(), "a");
    assert_string_equal(result("a"), "1 x 250000, 1 x 200000; alloc 24");
}

static void what_is_no_time_is_named(void **state)
{
    (void)state;
    take("a 12 ms\nrate 5 req/s\nheap 3 MB\nn 17\nm 18\nk 19\n");
    assert_string_equal(names(), "a");
    assert_string_equal(others(), "'rate' (req/s), 'heap' (bytes), 'n' (no unit), 'm' (no unit) and 1 more");
    assert_string_equal(result("rate"), "has no time in the file any more");
}

#define CASE(name, time, in) "<testcase name=\"" name "\" time=\"" time "\">" in "</testcase>"

static void failures_are_told_and_skips_apart_from_them(void **state)
{
    (void)state;
    take("<testsuite>" CASE("a", "1", "") CASE("b", "1", "<failure message=\"1 &lt; 2\"/>")
             CASE("c", "0", "<skipped message='no'/>") CASE("d", "x", "") CASE("a", "2", "<error/>") "</testsuite>");
    assert_true(file.failure_reported);
    assert_string_equal(names(), "a b c d");
    assert_string_equal(others(), "");
    assert_string_equal(result("a"), "failed: ");
    assert_string_equal(result("b"), "failed: 1 < 2");
    assert_string_equal(result("c"), "skipped: no");
    assert_string_equal(result("d"), "failed: a value that cannot be read, or cannot be");
    take("<testsuite>" CASE("b", "1", "<failure/>") "</testsuite>"); /* nothing else in it */
    assert_true(file.failure_reported);
    assert_string_equal(names(), "b");
    assert_string_equal(result("b"), "failed: ");
    take("<testsuite>" CASE("a", "1", "") "</testsuite>");
    assert_false(file.failure_reported);
    assert_string_equal(result("a"), "1 x 1000000000");
}

static void a_file_that_is_none_or_of_another_format_has_nothing(void **state)
{
    (void)state;
    static const char *const nothing[] = {
        "", "prose\n", "{", "[]", "\x1f\x8b", "<testsuite></testsuite>", "{\"type\":\"header\"}\n"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        take(nothing[i]);
        assert_string_equal(names(), "");
        assert_int_equal(strncmp(file.trouble, "wrote r.txt, which could not be read: ", 38), 0);
        assert_string_equal(result("a"), file.trouble);
    }
    file.format = 6;
    take("a 12 ms\n");
    assert_string_equal(file.trouble, "wrote r.txt, which could not be read: it is lines of values, not JMH JSON");
    file.format = 0;
    assert_int_equal(result_file_read(&file, "no such file", NULL), TARE_OK);
    assert_true(file.missing);
    assert_string_equal(file.trouble, "did not write no such file");
}

static void the_list_has_frames_that_are_read(void **state)
{
    (void)state;
    struct buf frames = BUF_INIT(1 << 20);
    struct wire_frame f;
    int n = 0;
    take("a 12 ms\nb/c 5 us\n");
    assert_int_equal(result_file_list(&file, &frames, NULL), TARE_OK);
    struct wire_reader reader = {frames.data, frames.len, 0};
    while (!wire_next(&reader, &f, NULL))
        n += f.type == WIRE_BENCH;
    assert_int_equal(n, 2);
    buf_clear(&frames);
    char text[WIRE_NAME_MAX + 20];
    memset(text, 'x', sizeof text);
    strcpy(text + WIRE_NAME_MAX, " 5 us\n");
    take(text);
    assert_int_equal(result_file_list(&file, &frames, NULL), TARE_TOO_LARGE);
    buf_finish(&frames);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_a_name_are_its_samples),
        cmocka_unit_test(digits_of_short_means_are_kept),
        cmocka_unit_test(very_many_values_are_few_samples),
        cmocka_unit_test(a_rate_of_operations_is_the_time_of_one),
        cmocka_unit_test(what_is_no_time_is_named),
        cmocka_unit_test(failures_are_told_and_skips_apart_from_them),
        cmocka_unit_test(a_file_that_is_none_or_of_another_format_has_nothing),
        cmocka_unit_test(the_list_has_frames_that_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}
