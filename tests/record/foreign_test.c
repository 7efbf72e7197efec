/* SPDX-License-Identifier: MIT
 *
 * Other tools' files with much to be noted, failures by name, and one name for several things.
 */
#include "stored_read.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct file {
    struct record r;
    struct record_reading reading;
};

static void read_file(struct file *f, const char *text)
{
    struct tare_err err = {""};
    if (stored_read(&f->r, text, strlen(text), &f->reading, &err))
        fail_msg("%s", err.text);
}

static void finish(struct file *f)
{
    record_reading_finish(&f->reading);
    record_finish(&f->r);
}

static void assert_noted(const struct file *f, const char *note)
{
    if (!strstr(buf_text(&f->reading.notes), note))
        fail_msg("'%s' is not in the notes:\n%s", note, buf_text(&f->reading.notes));
}

static void assert_failed(const struct file *f, const char *const *names, int n)
{
    assert_int_equal(f->reading.n_failures, n);
    for (int i = 0; i < n; i++)
        assert_string_equal(f->reading.failures[i].benchmark, names[i]);
}

static void notes_never_make_a_file_unreadable(void **state)
{
    (void)state;
    enum { TESTS = 1000 };
    struct buf text = BUF_INIT(1 << 20);
    struct file f = {.r = {.n_subjects = 0}};
    buf_str(&text, "{\"format_version\": \"2\", \"tests\": [{\"name\": \"good\", \"execution_time\": [0.5, null]}");
    for (int i = 0; i < TESTS; i++)
        buf_format(
            &text,
            ", {\"name\": \"SingleSource/Benchmarks/Adobe-C++/test%d.test\", \"execution_time\": 0.5, \"execution_status\": 1}",
            i);
    buf_str(&text, "]}");
    read_file(&f, buf_text(&text));
    assert_int_equal(f.reading.n_failures, TESTS + 1);
    assert_noted(&f, "test0.test' was left out: its status says that it failed\n");
    assert_noted(&f, "\nfurther notes were left out\n1 value was left out:");
    finish(&f);
    buf_finish(&text);
}

static void a_name_of_any_length_is_noted_shortened(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(1 << 20);
    struct file f = {.r = {.n_subjects = 0}};
    buf_str(&text, "{\"format_version\": \"2\", \"tests\": [{\"name\": \"good\", \"execution_time\": 1}, {\"name\": \"long");
    buf_repeat(&text, 'g', 1 << 17);
    buf_str(&text, "\", \"execution_time\": 1, \"execution_status\": 1}]}");
    read_file(&f, buf_text(&text));
    assert_noted(&f, "...");
    assert_true(f.reading.notes.len < 1000);
    finish(&f);
    buf_finish(&text);
}

static void many_summaries_are_noted_once(void **state)
{
    (void)state;
    enum { RESULTS = 1500 };
    struct buf text = BUF_INIT(1 << 20);
    struct file f = {.r = {.n_subjects = 0}};
    buf_str(&text, "{\"results\": [{\"command\": \"mean\", \"mean\": 2}");
    for (int i = 0; i < RESULTS; i++)
        buf_format(&text, ", {\"command\": \"./bench --benchmark-number-%d\", \"median\": 0.5}", i);
    buf_str(&text, "]}");
    read_file(&f, buf_text(&text));
    assert_int_equal(f.r.n_subjects, RESULTS + 1);
    assert_string_equal(buf_text(&f.reading.notes),
                        "1500 benchmarks have no samples, only their median, which is taken as one value\n"
                        "'mean': it has no samples, only their mean, which is taken as one value\n");
    finish(&f);
    buf_finish(&text);
}

static void a_summary_that_cannot_be_is_not_noted_as_taken(void **state)
{
    (void)state;
    struct file f = {.r = {.n_subjects = 0}};
    read_file(&f, "{\"results\": [{\"command\": \"x\", \"median\": -1, \"mean\": 0.5}, {\"command\": \"y\", \"median\": -1},"
                  " {\"command\": \"z\", \"times\": [0.5]}]}");
    assert_string_equal(buf_text(&f.reading.notes), "'x': it has no samples, only their mean, which is taken as one value\n"
                                                    "1 value was left out: not understood, or negative where nothing can be\n");
    assert_true(f.r.series[0].main.n == 1 && f.r.series[0].main.value[0][0] == 5e8);
    assert_failed(&f, (const char *const[]){"y"}, 1);
    finish(&f);
}

#define GOOGLE(name, run, members) \
    "{\"name\": \"" name "\", \"run_name\": \"" run "\", \"iterations\": 2, \"cpu_time\": 1, \"time_unit\": \"ns\", " members "}"
#define GOOGLE_SUM(run, what, real) \
    GOOGLE(run "_" what, run, "\"run_type\": \"aggregate\", \"aggregate_name\": \"" what "\", \"real_time\": " real)

static void a_mean_alone_is_noted_and_no_summary_is_of_what_failed(void **state)
{
    (void)state;
    static const char *const entries[] = {
        GOOGLE("A", "A", "\"run_type\": \"iteration\", \"real_time\": -5"),
        GOOGLE_SUM("A", "median", "7"),
        GOOGLE("B", "B", "\"run_type\": \"iteration\", \"error_occurred\": true, \"error_message\": \"boom\""),
        GOOGLE_SUM("B", "mean", "7"),
        GOOGLE_SUM("B", "median", "7"),
        GOOGLE_SUM("C", "mean", "7"),
        GOOGLE_SUM("C", "stddev", "1"),
        GOOGLE_SUM("D", "mean", "7"),
        GOOGLE_SUM("D", "median", "8"),
    };
    struct file f = {.r = {.n_subjects = 0}};
    struct buf text = BUF_INIT(1 << 16);
    buf_str(&text, "{\"context\": {}, \"benchmarks\": [");
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        buf_format(&text, "%s%s", i ? "," : "", entries[i]);
    buf_str(&text, "]}");
    read_file(&f, buf_text(&text));
    buf_finish(&text);
    assert_string_equal(buf_text(&f.reading.notes), "'B' was left out: it failed or was skipped (boom)\n"
                                                    "'C' was left out: it has no repetitions and no median\n"
                                                    "'D': it has no samples, only their median, which is taken as one value\n"
                                                    "1 value was left out: not understood, or negative where nothing can be\n");
    assert_int_equal(f.r.n_subjects, 1);
    assert_string_equal(f.r.subjects[0].name, "D");
    assert_failed(&f, (const char *const[]){"A", "B", "C"}, 3);
    finish(&f);
}

static void a_failed_status_concerns_its_own_metrics(void **state)
{
    (void)state;
    struct file f = {.r = {.n_subjects = 0}};
    read_file(&f, "{\"format_version\": \"2\", \"tests\": ["
                  "{\"name\": \"a\", \"execution_time\": [0.5], \"mem_bytes\": 7, \"compile_time\": [1.5], \"code_size\": [9], "
                  "\"execution_status\": [1], \"compile_status\": [0]},"
                  "{\"name\": \"b\", \"execution_time\": [0.5], \"hash_status\": 1},"
                  "{\"name\": \"c\", \"execution_time\": 0.5, \"compile_time\": 2, \"compile_status\": 1},"
                  "{\"name\": \"d\", \"execution_time\": 0.5, \"speed\": 2, \"speed_status\": 1},"
                  "{\"name\": \"e\", \"execution_time\": 0.5, \"code_size\": null, \"execution_status\": 1}]}");
    static const char *const columns[][2] = {{"compile_time", "code_size"}, {"wall", NULL}, {"wall", NULL}, {"wall", NULL}};
    assert_int_equal(f.r.n_subjects, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(f.r.series[i].n_columns, columns[i][1] ? 2 : 1);
        for (int c = 0; c < f.r.series[i].n_columns; c++)
            assert_string_equal(f.r.series[i].columns[c], columns[i][c]);
    }
    assert_failed(&f, (const char *const[]){"a", "c", "d", "e"}, 4);
    assert_noted(&f, "'a': what it measured was left out where its execution_status says that it failed\n");
    assert_noted(&f, "'e' was left out: its status says that it failed\n");
    finish(&f);
}

static void tests_that_failed_are_found_by_name(void **state)
{
    (void)state;
    struct file f = {.r = {.n_subjects = 0}};
    read_file(
        &f, "{\"Machine\": {}, \"Tests\": [{\"Name\": \"n.a.exec\", \"Data\": [0.5]}, {\"Name\": \"n.b.exec\", \"Data\": [0.5]},"
            "{\"Name\": \"n.a.hash\", \"Data\": [\"x\"]}, {\"Name\": \"n.a.hash.status\", \"Data\": [1]},"
            "{\"Name\": \"n.c.exec.status\", \"Data\": [1]}, {\"Name\": \"n.b.exec.status\", \"Data\": [1]},"
            "{\"Name\": \"n.c.exec\", \"Data\": [0.5]}, {\"Name\": \"n.c.compile\", \"Data\": [0.5]}]}");
    assert_int_equal(f.r.n_subjects, 2);
    assert_string_equal(f.r.subjects[0].name, "n.a.exec");
    assert_string_equal(f.r.subjects[1].name, "n.c.compile");
    assert_failed(&f, (const char *const[]){"n.c.exec", "n.b.exec"}, 2);
    finish(&f);
}

static void the_names_of_metrics_are_those_of_any_order(void **state)
{
    (void)state;
    static const char *const texts[] = {"[{\"name\": \"a [rate]\", \"unit\": \"ops/s\", \"value\": 2}, {\"name\": \"b [rate]\", "
                                        "\"unit\": \"ops/ms\", \"value\": 3}]",
                                        "[{\"name\": \"b [rate]\", \"unit\": \"ops/ms\", \"value\": 3}, {\"name\": \"a [rate]\", "
                                        "\"unit\": \"ops/s\", \"value\": 2}]"};
    for (int i = 0; i < 2; i++) {
        struct file f = {.r = {.n_subjects = 0}};
        read_file(&f, texts[i]);
        assert_string_equal(f.r.series[i].columns[0], "rate (ops/s)");
        assert_string_equal(f.r.series[!i].columns[0], "rate (ops/ms)");
        assert_non_null(record_metric(&f.r, "rate (ops/s)"));
        assert_string_equal(f.r.rule.metric, i ? "rate (ops/ms)" : "rate (ops/s)");
        finish(&f);
    }
}

static void a_summary_of_jmh_does_not_take_the_name_of_values(void **state)
{
    (void)state;
    struct file f = {.r = {.n_subjects = 0}};
    read_file(
        &f,
        "[{\"benchmark\": \"s\", \"mode\": \"sample\", \"params\": {\"n\": \"1\"}, \"primaryMetric\": {\"score\": 3.5, "
        "\"scorePercentiles\": {\"50.0\": 3.25}, \"scoreUnit\": \"us/op\"}},"
        "{\"benchmark\": \"s\", \"mode\": \"sample\", \"params\": {\"n\": \"2\"}, \"primaryMetric\": {\"score\": 3.5, "
        "\"scorePercentiles\": {\"50.0\": 3.25}, \"scoreUnit\": \"us/op\"},"
        " \"secondaryMetrics\": {\"gc\": {\"score\": 24, \"scoreUnit\": \"B/op\", \"rawData\": [[24, 24]]}}},"
        "{\"benchmark\": \"s\", \"mode\": \"thrpt\", \"params\": {\"n\": \"1\"}, \"primaryMetric\": {\"scoreUnit\": \"ops/us\", "
        "\"rawData\": [[3.5, 3.6]]}},"
        "{\"benchmark\": \"s\", \"mode\": \"avgt\", \"params\": {\"n\": \"1\"}, \"primaryMetric\": {\"scoreUnit\": \"us/op\"}}]");
    assert_int_equal(f.r.n_subjects, 2);
    assert_string_equal(f.r.subjects[0].name, "s:n=2");
    assert_string_equal(f.r.subjects[1].name, "s:n=1");
    assert_string_equal(f.r.series[1].columns[0], "ops/us");
    assert_noted(&f, "the summary of 's:n=1' was left out: another mode has its values\n");
    assert_noted(&f, "secondary metrics of benchmarks without samples were left out\n");
    assert_failed(&f, NULL, 0);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_never_make_a_file_unreadable),
        cmocka_unit_test(a_name_of_any_length_is_noted_shortened),
        cmocka_unit_test(many_summaries_are_noted_once),
        cmocka_unit_test(a_summary_that_cannot_be_is_not_noted_as_taken),
        cmocka_unit_test(a_mean_alone_is_noted_and_no_summary_is_of_what_failed),
        cmocka_unit_test(a_failed_status_concerns_its_own_metrics),
        cmocka_unit_test(tests_that_failed_are_found_by_name),
        cmocka_unit_test(the_names_of_metrics_are_those_of_any_order),
        cmocka_unit_test(a_summary_of_jmh_does_not_take_the_name_of_values),
    };
    return cmocka_run_group_tests_name("foreign", tests, NULL, NULL);
}
