/* SPDX-License-Identifier: MIT
 *
 * Programs of other harnesses: whose a file is, how they are asked, and what becomes of what they print. What is read back is what exec reads.
 */
#include "harness.h"
#include "plat.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct harness *google, *go, *catch2, *criterion;

static int find_them(void **state)
{
    (void)state;
    for (int i = 0; harness_at(i); i++) {
        google = strcmp(harness_at(i)->name, "google-benchmark") ? google : harness_at(i);
        go = strcmp(harness_at(i)->name, "go") ? go : harness_at(i);
        catch2 = strcmp(harness_at(i)->name, "catch2") ? catch2 : harness_at(i);
        criterion = strcmp(harness_at(i)->name, "criterion") ? criterion : harness_at(i);
    }
    return !google || !go || !catch2 || !criterion;
}

/* ---- whose a file is ---- */

static char release[HARNESS_RELEASE_MAX];

static const struct harness *harness_of(size_t before, const char *mark, const char *other)
{
    static const char path[] = "harness_test.tmp";
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    for (size_t i = 0; i < before; i++)
        fputc((int)(i % 251), f);
    fprintf(f, "%s", mark);
    fputc(0, f);
    fprintf(f, "%s", other);
    assert_int_equal(fclose(f), 0);
    const struct harness *h = harness_of_file(path, release);
    assert_int_equal(remove(path), 0);
    return h;
}

static void a_program_is_known_by_texts_in_its_file(void **state)
{
    (void)state;
    assert_ptr_equal(harness_of(10, "benchmark_list_tests", ""), google);
    assert_ptr_equal(harness_of(10, "libbenchmark.so.1", ""), google);
    assert_ptr_equal(harness_of(10, "test.benchtime", ""), go);
    assert_null(harness_of(10, "benchmark_list", ""));
    assert_null(harness_of(10, "benchmark_list_tests", "TARE_WIRE"));
    assert_null(harness_of(10, "benchmark_list_tests", "libtare.so.0"));
    assert_null(harness_of_file("no such file", release));
    assert_ptr_equal(harness_of(10, "benchmark-no-analysis", ""), catch2);
    assert_ptr_equal(harness_of(10, "CRITERION_HOME", ""), criterion);
    assert_ptr_equal(harness_of(10, "This executable is a Criterion.rs benchmark.", ""), criterion);
    for (size_t cut = 0; cut < 24; cut++) /* wherever the pieces end in which it is read */
        assert_ptr_equal(harness_of((1 << 16) - cut, "benchmark_list_tests", ""), google);
}

static void a_release_is_in_the_paths_of_its_sources(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < 40; cut++) {
        assert_ptr_equal(harness_of((1 << 16) - cut, "CRITERION_HOME/rust/criterion-plot-0.4.5/criterion-0.5.1/src/lib.rs", ""),
                         criterion);
        assert_string_equal(release, "0.5.1");
    }
    harness_of(0, "CRITERION_HOME", "C:\\criterion-0.9.0\\src");
    assert_string_equal(release, "");
    harness_of(0, "CRITERION_HOME", "C:\\x/criterion-0.9.0\\src");
    assert_string_equal(release, "0.9.0");
    harness_of(0, "CRITERION_HOME", "/criterion-0.1.2.3.4.5.6.7.8.9/");
    assert_string_equal(release, "");
    assert_true(harness_knows(criterion, "0.3.6") && harness_knows(criterion, "0.7.0") && harness_knows(criterion, ""));
    assert_false(harness_knows(criterion, "0.9.0") || harness_knows(criterion, "0.30.1") || harness_knows(criterion, "1.0.3.6"));
    assert_true(harness_knows(go, "1.2"));
}

/* ---- how they are asked ---- */

static void a_name_is_a_pattern_of_itself(void **state)
{
    (void)state;
    struct arena a = {0};
    struct harness_words words;
    const char **argv = harness_ask(google, "./b", "BM_x<int>/8 (a|b)*", 3, "", &words, &a);
    assert_string_equal(argv[0], "./b");
    assert_string_equal(argv[1], "--benchmark_filter=^BM_x<int>/8 \\(a\\|b\\)\\*$");
    harness_set_time(&words, 16666667);
    assert_string_equal(argv[2], "--benchmark_min_time=0.0166667");
    assert_string_equal(argv[3], "--benchmark_repetitions=3");
    harness_set_time(&words, 2000000000);
    assert_string_equal(argv[2], "--benchmark_min_time=2");
    argv = harness_ask(go, "./b", "BenchmarkX/n=10/a.b", 5, "", &words, &a);
    harness_set_time(&words, 1000000);
    assert_string_equal(argv[3], "-test.benchmem");
    assert_string_equal(argv[4], "-test.bench=^BenchmarkX$/^n=10$/^a\\.b$");
    assert_string_equal(argv[5], "-test.benchtime=0.001s");
    assert_string_equal(argv[6], "-test.count=5");
    assert_null(argv[7]);
    arena_finish(&a);
}

static const char *asked(const char **argv)
{
    static char out[1000];
    struct buf b = buf_over(out, sizeof out);
    for (argv++; *argv; argv++)
        buf_format(&b, "%s%s", b.len ? " " : "", *argv);
    return out;
}

#define WITH_CATCH2(spec, samples) \
    spec " -r xml --benchmark-samples=" samples " --benchmark-no-analysis --benchmark-warmup-time=1"
#define WITH_CRITERION(warmup, time, samples, name)                                                                 \
    "--bench --noplot --output-format=bencher --nresamples=1000 --warm-up-time=" warmup " --measurement-time=" time \
    " --sample-size=" samples " " name

static void a_test_case_of_catch2_is_all_that_may_be_in_front_of_a_slash(void **state)
{
    (void)state;
    struct arena a = {0};
    struct harness_words words;
    const char **argv = harness_ask(catch2, "./b", "of <a>, \"b\"/x [y]/c\\", 1, "", &words, &a);
    harness_set_time(&words, 50000000);
    assert_string_equal(asked(argv), WITH_CATCH2("\"of <a>\\, \\\"b\\\"\",\"of <a>\\, \\\"b\\\"/x \\[y\\]\"", "10"));
    words.own_ns = 20000;
    harness_set_time(&words, 50000000);
    assert_string_equal(argv[4], "--benchmark-samples=2500");
    words.own_ns = 1e12;
    harness_set_time(&words, 50000000);
    assert_string_equal(argv[4], "--benchmark-samples=1");
    words.own_ns = 1e-12;
    harness_set_time(&words, 50000000);
    assert_string_equal(argv[4], "--benchmark-samples=10000000");
    arena_finish(&a);
}

static void criterion_takes_whole_seconds_until_it_is_known_to_take_others(void **state)
{
    (void)state;
    static const struct {
        const char *release, *words;
    } rows[] = {{"0.3.6", WITH_CRITERION("1", "2", "12", "^x\\.y$")},
                {"", WITH_CRITERION("1", "2", "12", "^x\\.y$")},
                {"0.5.1", WITH_CRITERION("0.01", "1.2", "12", "^x\\.y$")}};
    struct arena a = {0};
    struct harness_words words;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char **argv = harness_ask(criterion, "./b", "x.y", 12, rows[i].release, &words, &a);
        harness_set_time(&words, 100000000);
        assert_string_equal(asked(argv), rows[i].words);
    }
    char longer[104];
    memset(longer, 'x', sizeof longer - 1);
    memcpy(longer + 100, "...", 4);
    const char **argv = harness_ask(criterion, "./b", longer, 10, "", &words, &a);
    longer[100] = 0;
    assert_string_equal(argv[8] + 1, longer);
    arena_finish(&a);
}

/* ---- lists ---- */

/* Names in a line, or the message. */
static const char *listed(const struct harness *h, const char *text)
{
    static char out[2000];
    struct buf frames = BUF_INIT(1 << 20), b = buf_over(out, sizeof out);
    struct tare_err err = {""};
    if (harness_list(h, text, strlen(text), &frames, &err)) {
        buf_str(&b, err.text);
    } else {
        struct wire_reader reader = {frames.data, frames.len, 0};
        struct wire_frame f;
        while (!wire_next(&reader, &f, NULL))
            if (f.type == WIRE_BENCH)
                buf_format(&b, "%s%s", b.len ? " " : "", f.u.bench.name);
    }
    buf_finish(&frames);
    return out;
}

static const char *last_listed(const struct harness *h, char *text)
{
    static char out[200];
    struct buf b = buf_over(out, sizeof out);
    out[0] = 0;
    harness_last_listed(h, text, strlen(text), &b);
    return out;
}

static void a_list_names_each_benchmark_once(void **state)
{
    (void)state;
    assert_string_equal(listed(google, "a\r\nb/8\n\nc"), "a b/8 c");
    assert_string_equal(listed(google, ""), "");
    assert_string_equal(listed(google, "a\nb\na\n"), "a b a"); /* who wants them decides */
    assert_string_equal(listed(go, "Benchmarking\nBenchmarkish\nBenchmark\nBenchmark1\nBenchmark_b\nBenchmarkÄ\n"),
                        "Benchmark Benchmark1 Benchmark_b BenchmarkÄ");
    assert_string_equal(listed(go,
                               "goos: linux\nBenchmarkA\nBenchmarkA-8 \t 1\t 5 ns/op\nBenchmarkB\nBenchmarkB/x\nBenchmarkB/x/y\n"
                               "BenchmarkB/z\nBenchmarkBC\n--- SKIP: BenchmarkBC\nPASS\n"),
                        "BenchmarkA BenchmarkB/x/y BenchmarkB/z BenchmarkBC");
    char text[] = "BenchmarkA\nBenchmarkB\nBenchm";
    assert_string_equal(last_listed(go, text), "BenchmarkB");
    assert_string_equal(listed(criterion, "Gnuplot not found\nchain: bench\n\na b/8: benchmark\n: bench\nx: test\n"),
                        "chain a b/8");
    char nothing[] = "goos: linux\n";
    assert_string_equal(last_listed(go, nothing), "its first one");
}

#define CATCH2(tests)        "said\n<?xml version=\"1.0\"?>\n<Catch name=\"x\">" tests "</Catch>\nand <\n"
#define TEST(name, parts)    "<TestCase name=\"" name "\" line=\"8\">" parts "<OverallResult success=\"true\"/></TestCase>"
#define SECTION(name, parts) "<Section name=\"" name "\">" parts "</Section>"
#define BENCH(name, mean) \
    "<BenchmarkResults name=\"" name "\" samples=\"5\" iterations=\"2\"><mean value=\"" mean "\"/></BenchmarkResults>"

static void a_list_of_catch2_is_what_its_test_cases_ran(void **state)
{
    (void)state;
    assert_string_equal(
        listed(catch2,
               CATCH2(TEST("a", BENCH("x", "1") SECTION("s", BENCH("y", "1")) BENCH("x", "1")
                                    SECTION("t", SECTION("u", BENCH("y&lt;", "1"))))
                          TEST("b", "<BenchmarkResults name=\"x\"><failed message=\"m\"/></BenchmarkResults>") TEST("c", ""))),
        "a/x a/s/y a/t/u/y< b/x");
    assert_string_equal(listed(catch2, CATCH2("")), "");
    assert_string_equal(listed(catch2, CATCH2(TEST("a", BENCH("x", "1")) TEST("a", BENCH("x", "1")))),
                        "a/x a/x"); /* who wants them decides */
    assert_string_equal(listed(catch2, "Error\n"), "it printed no XML of Catch2");
    assert_string_equal(listed(catch2, "<?xml ?><Catch name=\"x\"><TestCase name=\"a\">"), "XML of Catch2 that is cut");
    assert_string_equal(listed(catch2, "<?xml ?><Catch name=\"x\"></Section></TestCase></BenchmarkResults></Catch>"), "");
    char text[] = "said\n<Catch><TestCase name=\"a\"></TestCase><TestCase name=\"b &amp; c\"><Bench";
    assert_string_equal(last_listed(catch2, text), "b & c");
    char nothing[] = "said";
    assert_string_equal(last_listed(catch2, nothing), "its first one");
}

/* ---- results ---- */

/* As it was, before it was put so many times. */
static void put_sample(struct buf *b, const char *before, const struct wire_samples *s, uint32_t i)
{
    const double scale = (double)wire_sample(s, WIRE_SCALE, i);
    buf_format(b, "%s%.10g x %.10g", before, (double)wire_sample(s, WIRE_ITERATIONS, i) / scale,
               (double)wire_sample(s, WIRE_TICKS, i) / scale);
}

/* "samples 2: 10 x 1000; items 5; hits 4" or the trouble, or "failed: why". */
static const char *result_of(const struct harness *h, const char *benchmark, char *text, size_t n)
{
    static char out[2000];
    struct buf frames = BUF_INIT(1 << 20), b = buf_over(out, sizeof out);
    struct wire_frame f;
    int samples = 0;
    out[0] = 0;
    struct harness_words words = {.harness = h, .samples = 3, .release = ""};
    assert_int_equal(harness_result(&words, benchmark, text, n, &frames, NULL), TARE_OK);
    struct wire_reader reader = {frames.data, frames.len, 0};
    while (!wire_next(&reader, &f, NULL)) {
        if (f.type == WIRE_HELLO && *f.u.hello.trouble)
            buf_str(&b, f.u.hello.trouble);
        for (uint32_t i = 0; f.type == WIRE_SAMPLES && i < f.u.samples.n; i++, samples++)
            put_sample(&b, samples ? ", " : "", &f.u.samples, i);
        if (f.type != WIRE_END)
            continue;
        if (f.u.end.state)
            buf_format(&b, "%s: %s", wire_state_word(f.u.end.state), f.u.end.reason);
        if (f.u.end.items > 0 || f.u.end.bytes > 0)
            buf_format(&b, "; items %g bytes %g", f.u.end.items, f.u.end.bytes);
        for (uint32_t i = 0; i < f.u.end.n_counters; i++)
            buf_format(&b, "; %s %g%s", f.u.end.counters[i].name, f.u.end.counters[i].value, f.u.end.counters[i].unit);
        if (*f.u.end.remark)
            buf_format(&b, "; %s", f.u.end.remark);
    }
    buf_finish(&frames);
    return out;
}

static const char *result(const struct harness *h, const char *benchmark, const char *text)
{
    char copy[2000];
    struct buf b = buf_over(copy, sizeof copy);
    buf_str(&b, text);
    return result_of(h, benchmark, copy, b.len);
}

#define ENTRY(name, members)                      \
    "{\"name\":\"" name "\",\"run_name\":\"" name \
    "\",\"run_type\":\"iteration\",\"iterations\":10,\"real_time\":100,\"cpu_time\":50,\"time_unit\":\"ns\"" members "}"
#define TREE(entries) "{\n\"context\":{},\"benchmarks\":[" entries "]\n}\n"

static void a_tree_of_google_benchmark_becomes_samples_and_counters(void **state)
{
    (void)state;
    assert_string_equal(result(google, "a", TREE(ENTRY("a", ",\"hits\":4") "," ENTRY("a", ",\"hits\":6"))),
                        "10 x 1000, 10 x 1000; cpu_time 50ns; hits 5");
    assert_string_equal(result(google, "a", "said {\n{x}\n" TREE(ENTRY("a", ",\"bytes_per_second\":2e7")) "and }\n"),
                        "10 x 1000; items 0 bytes 1; cpu_time 50ns");
    assert_string_equal(result(google, "a", "said\r\n{\r\n\"context\":{},\"benchmarks\":[" ENTRY("a", "") "]\r\n}\r\nand\r\n"),
                        "10 x 1000; cpu_time 50ns");
    assert_string_equal(result(google, "a/real_time", TREE(ENTRY("a/real_time", ",\"items_per_second\":2e7"))),
                        "10 x 1000; items 2 bytes 0; cpu_time 50ns");
    assert_string_equal(result(google, "a", TREE(ENTRY("a", "") "," ENTRY("b", ""))),
                        "10 x 1000; cpu_time 50ns; each process also ran 1 other benchmark: the program ignores the filter");
}

/* Three repetitions of 1000 items each, the rates of which are by their own times. */
static void an_iteration_has_as_many_items_however_times_scatter(void **state)
{
    (void)state;
    static const char text[] =
        TREE("{\"name\":\"a\",\"iterations\":10,\"real_time\":300,\"cpu_time\":100,\"items_per_second\":1e10},"
             "{\"name\":\"a\",\"iterations\":10,\"real_time\":200,\"cpu_time\":125,\"items_per_second\":8e9},"
             "{\"name\":\"a\",\"iterations\":10,\"real_time\":200,\"cpu_time\":200,\"items_per_second\":5e9}");
    assert_non_null(strstr(result(google, "a", text), "; items 1000 bytes 0"));
}

/* Equal values would be taken for those of a coarse clock. */
static void printed_digits_are_kept(void **state)
{
    (void)state;
    static const char entry[] =
        "{\"benchmarks\":[{\"name\":\"a\",\"run_name\":\"a\",\"run_type\":\"iteration\",\"iterations\":10,"
        "\"real_time\":1195.3471,\"time_unit\":\"ns\"}]}\n";
    assert_string_equal(result(google, "a", entry), "10 x 11953.471");
}

/* A sample that is left out because of what it is would make another figure of the rest. */
static void a_value_that_cannot_be_fails_its_process(void **state)
{
    static const char cannot[] = "failed: a value that cannot be read, or cannot be";
    (void)state;
#define VALUE(iterations, time, unit) \
    ",{\"name\":\"a\",\"iterations\":" iterations ",\"real_time\":" time ",\"time_unit\":\"" unit "\"}"
    assert_string_equal(result(google, "a", TREE(ENTRY("a", "") VALUE("10", "-5", "ns") VALUE("10", "-5", "ns"))), cannot);
    assert_string_equal(result(google, "a", TREE(ENTRY("a", "") VALUE("2.5", "100", "ns"))), cannot);
    assert_string_equal(result(google, "a", TREE(ENTRY("a", "") VALUE("10", "NaN", "ns"))), cannot);
    assert_string_equal(result(google, "a", TREE(ENTRY("a", "") VALUE("10", "100", "days"))), cannot);
    assert_string_equal(result(go, "BenchmarkA", "BenchmarkA\t 100\t 20 ns/op\nBenchmarkA\t 100\t -1 ns/op\n"), cannot);
    assert_string_equal(result(go, "BenchmarkA", "BenchmarkA\t 100\t 20 ns/op\nBenchmarkA\t 100\t +Inf ns/op\n"), cannot);
    /* What it says beside is none of the benchmark's. */
    assert_string_equal(result(go, "BenchmarkA", "BenchmarkRunner 3 workers\nBenchmarkA\t 100\t 20 ns/op\n"), "100 x 2000");
}

static void counters_that_are_no_numbers_are_not_known(void **state)
{
    (void)state;
    assert_string_equal(
        result(google, "a", TREE(ENTRY("a", ",\"x\":NaN,\"y\": -Infinity,\"z\":-nan,\"hits\":4,\"label\":\"NaN \\\" inf\""))),
        "10 x 1000; cpu_time 50ns; hits 4");
    assert_string_equal(result(go, "BenchmarkA", "BenchmarkA\t 100\t 20 ns/op\t NaN x\t +Inf y/op\t 8 B/op\n"),
                        "100 x 2000; B/op 8");
}

static void what_a_program_prints_itself_is_left_out(void **state)
{
    (void)state;
    static const char *const said[] = {"{\"level\":\"info\"}\n", "[info] started\n", "<testsuite>\n", "{\n", "5 ns\n"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        char text[200];
        struct buf b = buf_over(text, sizeof text);
        buf_format(&b, "%sBenchmarkA\nBenchmarkA\t 100\t 20 ns/op\n", said[i]);
        assert_string_equal(result(go, "BenchmarkA", text), "100 x 2000");
    }
    char zeros[] = "a\0b\nBenchmarkA\n\0\nBenchmarkA\t 100\t 20 ns/op\n", tree[] = "a\0b\n" TREE(ENTRY("a", "")) "\0";
    assert_string_equal(result_of(go, "BenchmarkA", zeros, sizeof zeros - 1), "100 x 2000");
    assert_string_equal(result_of(google, "a", tree, sizeof tree - 1), "10 x 1000; cpu_time 50ns");
}

static void more_than_can_be_read_is_said(void **state)
{
    static char text[70000];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "BenchmarkA 100 20 ns/op\n", 24);
    assert_string_equal(result_of(go, "BenchmarkA", text, sizeof text - 1),
                        "100 x 2000"); /* what a test logs is as long as it likes */
    memcpy(text + 24, "BenchmarkA 100 ", 15);
    assert_string_equal(result_of(go, "BenchmarkA", text, sizeof text - 1),
                        "printed more than can be read: a line longer than 65536 bytes");
}

static void lines_of_go_become_samples_and_counters(void **state)
{
    (void)state;
    assert_string_equal(result(go, "BenchmarkA", "BenchmarkA\nBenchmarkA-8\t 100\t 20.5 ns/op\t 8 B/op\nPASS\n"),
                        "100 x 2050; B/op 8");
    assert_string_equal(result(go, "BenchmarkA", "BenchmarkA \t 100\t 20 ns/op\nBenchmarkA \t 100\t 22 ns/op\n"),
                        "100 x 2000, 100 x 2200");
    assert_string_equal(result(go, "BenchmarkA", "BenchmarkA\n    a_test.go:5: no data\n--- SKIP: BenchmarkA\nPASS\n"),
                        "skipped: a_test.go:5: no data");
    assert_string_equal(result(go, "BenchmarkA/b",
                               "BenchmarkA\nBenchmarkA/b\n  a.go:5: bad\n  a.go:6: worse\n--- FAIL: BenchmarkA/b\n"
                               "--- FAIL: BenchmarkA\nFAIL\n"),
                        "failed: a.go:5: bad");
    assert_string_equal(result(go, "BenchmarkA", "--- FAIL: BenchmarkA-8\n    a.go:5: without -v\nFAIL\n"),
                        "failed: a.go:5: without -v");
    assert_string_equal(result(go, "BenchmarkA", "BenchmarkA\t 100\t 20 B/op\n"), "printed no time of an iteration");
}

static void xml_of_catch2_becomes_a_sample_for_each_time_that_the_benchmark_ran(void **state)
{
    (void)state;
    const char *text = CATCH2(TEST("a", BENCH("x", "1.5e+02") SECTION("s", BENCH("x", "4")) BENCH("x", "160")));
    assert_string_equal(result(catch2, "a/x", text), "10 x 1500, 10 x 1600");
    assert_string_equal(result(catch2, "a/s/x", text), "10 x 40");
    assert_string_equal(result(catch2, "a/y", text), "ran a/x instead of it");
    assert_string_equal(result(catch2, "a/x", CATCH2(TEST("a", BENCH("x", "nan") BENCH("y", "1")))),
                        "printed no time of an iteration");
    text = CATCH2(TEST("a",
                       BENCH("x", "1") "<BenchmarkResults name=\"y\"><failed message=\"no &quot;data&quot;\"/></BenchmarkResults>"
                                       "<BenchmarkResults name=\"z\"><failed message=\"\"/></BenchmarkResults>"));
    assert_string_equal(result(catch2, "a/x", text), "10 x 10");
    assert_string_equal(result(catch2, "a/y", text), "failed: no \"data\"");
    assert_string_equal(result(catch2, "a/z", text), "failed: no reason given");
    text = CATCH2(
        TEST("a", BENCH("x", "1") "<Exception filename=\"a.cc\" line=\"7\">said</Exception><Failure filename=\"b\" line=\"9\"/>")
            TEST("ab", BENCH("x", "1")) TEST("s", "<Skip filename=\"a.cc\" line=\"8\"/>"));
    assert_string_equal(result(catch2, "a/x", text), "failed: its test case: Exception in a.cc:7");
    assert_string_equal(result(catch2, "ab/x", text), "10 x 10");
    assert_string_equal(result(catch2, "s/x", text), "skipped: its test case: Skip in a.cc:8");
}

static void catch2_is_asked_for_as_many_samples_as_fill_the_time(void **state)
{
    (void)state;
    struct harness_words words = {.harness = catch2, .samples = 1, .release = ""};
    static const struct {
        const char *mean;
        double own_ns;
    } rows[] = {{"1000", 2000}, {"1100", 2000}, {"500", 1000}, {"0", 1000}, {"2000", 4000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[500];
        struct buf b = buf_over(text, sizeof text), frames = BUF_INIT(1 << 20);
        buf_format(&b,
                   "<?xml ?><Catch ><TestCase name=\"a\"><BenchmarkResults name=\"x\" samples=\"%d\" iterations=\"2\"><mean "
                   "value=\"%s\"/>"
                   "</BenchmarkResults></TestCase></Catch>",
                   words.own_samples ? words.own_samples : 1, rows[i].mean);
        words.own_samples = words.own_samples ? words.own_samples : 1;
        assert_int_equal(harness_result(&words, "a/x", text, b.len, &frames, NULL), TARE_OK);
        assert_true(fabs(words.own_ns - rows[i].own_ns) < 1e-6);
        buf_finish(&frames);
    }
}

static void what_is_no_result_of_the_benchmark_is_said(void **state)
{
    (void)state;
    static const char *const nothing[] = {"",
                                          "garbage\n",
                                          "{",
                                          "{\n",
                                          "{\n}\n",
                                          "}\n{\n",
                                          "[]",
                                          "\x1f\x8b",
                                          "{\n\"benchmarks\":[]\n}\n",
                                          "{\"type\":\"header\"}\n",
                                          "{\n\"context\":{},\"benchmarks\":[{}]\n}\n"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        assert_string_equal(result(google, "a", nothing[i]), "printed no google-benchmark JSON with a result");
        assert_string_equal(result(go, "BenchmarkA", nothing[i]), "printed no line of a Go benchmark with a result");
        assert_string_equal(result(catch2, "a/x", nothing[i]), "printed no Catch2 XML with a result");
    }
    assert_string_equal(result(google, "a", TREE(ENTRY("b", ""))), "ran b instead of it");
    assert_string_equal(
        result(google, "a",
               TREE("{\"name\":\"a_median\",\"run_name\":\"a\",\"run_type\":\"aggregate\",\"aggregate_name\":\"median\","
                    "\"iterations\":3,\"real_time\":100,\"cpu_time\":50,\"time_unit\":\"ns\"}")),
        "printed no repetition, only summaries (ReportAggregatesOnly, DisplayAggregatesOnly)");
    assert_string_equal(result(go, "BenchmarkA", "BenchmarkAB-8\t 100\t 20 ns/op\n"), "ran BenchmarkAB-8 instead of it");
    assert_string_equal(result(google, "a", TREE(ENTRY("a", ",\"error_occurred\":true,\"error_message\":\"no data\""))),
                        "failed: no data");
    assert_string_equal(
        result(google, "a", TREE(ENTRY("a", "") "," ENTRY("a", ",\"error_occurred\":true,\"error_message\":\"later\""))),
        "failed: later");
    assert_string_equal(result(google, "a", TREE(ENTRY("a", ",\"skipped\":true,\"error_message\":\"not here\""))),
                        "skipped: not here");
    assert_string_equal(result(google, "a", TREE(ENTRY("a", ",\"skipped\":true,\"skip_message\":\"nor here\""))),
                        "skipped: nor here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_known_by_texts_in_its_file),
        cmocka_unit_test(a_name_is_a_pattern_of_itself),
        cmocka_unit_test(a_list_names_each_benchmark_once),
        cmocka_unit_test(an_iteration_has_as_many_items_however_times_scatter),
        cmocka_unit_test(printed_digits_are_kept),
        cmocka_unit_test(a_tree_of_google_benchmark_becomes_samples_and_counters),
        cmocka_unit_test(a_value_that_cannot_be_fails_its_process),
        cmocka_unit_test(counters_that_are_no_numbers_are_not_known),
        cmocka_unit_test(what_a_program_prints_itself_is_left_out),
        cmocka_unit_test(more_than_can_be_read_is_said),
        cmocka_unit_test(lines_of_go_become_samples_and_counters),
        cmocka_unit_test(a_release_is_in_the_paths_of_its_sources),
        cmocka_unit_test(a_test_case_of_catch2_is_all_that_may_be_in_front_of_a_slash),
        cmocka_unit_test(criterion_takes_whole_seconds_until_it_is_known_to_take_others),
        cmocka_unit_test(a_list_of_catch2_is_what_its_test_cases_ran),
        cmocka_unit_test(xml_of_catch2_becomes_a_sample_for_each_time_that_the_benchmark_ran),
        cmocka_unit_test(catch2_is_asked_for_as_many_samples_as_fill_the_time),
        cmocka_unit_test(what_is_no_result_of_the_benchmark_is_said),
    };
    return cmocka_run_group_tests(tests, find_them, NULL);
}
