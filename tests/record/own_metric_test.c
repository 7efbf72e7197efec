/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "own_metric.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The first group of the last match as text; "-" without a match, "gave up", "unset" when the match did not pass through it. */
static const char *last(const char *pattern, const char *text)
{
    static char out[256];
    struct arena a = {0};
    struct pattern *p;
    struct tare_err err = {0};
    if (pattern_compile(&p, pattern, &a, &err))
        fail_msg("'%s': %s", pattern, err.text);
    struct pattern_group g;
    enum pattern_result r = pattern_last(p, text, strlen(text), PATTERN_STEPS, &g);
    struct buf b = buf_over(out, sizeof out);
    if (r == PATTERN_FOUND && g.start)
        buf_add(&b, g.start, g.n);
    else
        buf_str(&b, r == PATTERN_NONE ? "-" : r == PATTERN_GAVE_UP ? "gave up" : "unset");
    arena_finish(&a);
    return out;
}

static void the_first_group_of_the_last_match_counts(void **state)
{
    (void)state;
    assert_string_equal(last("n=([0-9]+)", "n=1\nn=2 n=3\nend\n"), "3");
    assert_string_equal(last("n=([0-9]+)", "n=1"), "1");
    assert_string_equal(last("n=([0-9]+)", "m=1\n"), "-");
    assert_string_equal(last("n=([0-9]+)", ""), "-");
    assert_string_equal(last("(a)(b)", "ab"), "a");
    assert_string_equal(last("(?:x|y)(b)", "yb"), "b");
    assert_string_equal(last("(a)|b", "a\nb\n"), "unset");
    assert_string_equal(last("(x*)", "axx\nb"), "");
}

static void expressions_mean_what_people_know(void **state)
{
    (void)state;
    assert_string_equal(last("(\\d+\\.\\d\\d) s", "took 12.34 s"), "12.34");
    assert_string_equal(last("^([^ ]+) +total$", "12 total\n x 13 total"), "12");
    assert_string_equal(last("^([^ ]+) +total$", "12 total\r\n"), "12");
    assert_string_equal(last("(a{2,3})", "aaaa"), "aaa");
    assert_string_equal(last("(a{2,3}?)", "aaa"), "aa");
    assert_string_equal(last("<(.+?)>", "<a> <b>"), "b");
    assert_string_equal(last("<(.+)>", "<a> <b>"), "a> <b");
    assert_string_equal(last("([[:alpha:]_]+)\\b", "12 ab_c"), "ab_c");
    assert_string_equal(last("([]a-]+)", "x-]a"), "-]a");
    assert_string_equal(last("(\xc2\xb5?s)", "12\xc2\xb5s"), "\xc2\xb5s");
    assert_string_equal(last("(ab|abc)(?:d?)", "abcd"), "ab");
    assert_string_equal(last("x(a*)*y", "xaaay"), "aaa");
    assert_string_equal(last("((?:a*)*)b", "aab"), "aa");
    assert_string_equal(last("(\\(\\*\\))", "f(*)"), "(*)");
}

static void a_match_does_not_cross_lines(void **state)
{
    (void)state;
    assert_string_equal(last("a\\s(b)", "a\nb\n"), "-");
    assert_string_equal(last("(.+)", "one\n\n"), "one");
}

static void refused(const char *pattern, const char *part)
{
    struct arena a = {0};
    struct pattern *p;
    struct tare_err err = {0};
    assert_int_equal(pattern_compile(&p, pattern, &a, &err), TARE_INVALID);
    if (!strstr(err.text, part))
        fail_msg("'%s': \"%s\" does not say \"%s\"", pattern, err.text, part);
    arena_finish(&a);
}

static void what_has_no_end_or_no_sense_is_refused(void **state)
{
    (void)state;
    char long_one[PATTERN_BYTES + 3];
    memset(long_one, 'a', sizeof long_one);
    long_one[sizeof long_one - 1] = 0;
    refused(long_one, "longer than");
    refused("abc", "no group");
    refused("(a)\\1", "backreference");
    refused("(a", "never closed");
    refused("a)", "closes nothing");
    refused("(a**)", "repetition");
    refused("(a{3,2})", "smaller");
    refused("(a{256})", "255");
    refused("(a{x})", "\\{");
    refused("([a", "closed");
    refused("([z-a])", "before it begins");
    refused("(a\\", "backslash");
    refused("(\\q)", "letter");
    refused("(?=a)", "(?");
    refused("(((a{255}){255}){255})", "multiply");
}

/* Each of these takes a backtracking search longer than anyone lives. Here the steps are bounded by bytes times states, and that is checked by
 * giving just so many. */
static void hostile_patterns_end_within_bytes_times_states(void **state)
{
    (void)state;
    static const char *const patterns[] = {"((a+)+)+b", "(a|aa)+$b",          "((a*)*)*b",          "(a?){100}(a){100}b",
                                           "(x+x+)+y",  "(.*.*.*.*.*.*)=.*b", "((?:a|a|a|a|a)+)+b", "(a{1,40}){1,20}b"};
    enum { BYTES = 20000 };
    char *text = malloc(BYTES);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct arena a = {0};
        struct pattern *p;
        struct pattern_group g;
        struct tare_err err = {0};
        if (pattern_compile(&p, patterns[i], &a, &err))
            fail_msg("'%s': %s", patterns[i], err.text);
        memset(text, patterns[i][1] == 'x' ? 'x' : 'a', BYTES);
        assert_int_equal(pattern_last(p, text, BYTES, (int64_t)2 * BYTES * PATTERN_STATES, &g), PATTERN_NONE);
        assert_int_equal(pattern_last(p, text, BYTES, BYTES, &g), PATTERN_GAVE_UP);
        arena_finish(&a);
    }
    free(text);
}

static struct own_metric parsed(struct arena *a, const char *text)
{
    struct own_metric m;
    struct tare_err err = {0};
    if (own_metric_parse(&m, text, a, &err))
        fail_msg("'%s': %s", text, err.text);
    return m;
}

static void the_head_names_unit_and_direction(void **state)
{
    (void)state;
    struct arena a = {0};
    assert_int_equal(parsed(&a, "regex:rate:req/s=([0-9]+)").direction, METRIC_HIGHER); /* a gate on it must not pass on less */
    assert_int_equal(parsed(&a, "result:rate:ops/ms=x").direction, METRIC_HIGHER);
    assert_int_equal(parsed(&a, "result:rate:ops/ms:lower=x").direction, METRIC_LOWER);
    assert_int_equal(parsed(&a, "result:rate:s/op=x").direction, METRIC_LOWER);
    struct own_metric m = parsed(&a, "regex:rate:req/s:higher=x=([0-9]+)");
    assert_int_equal(m.kind, OWN_REGEX);
    assert_string_equal(m.name, "rate");
    assert_string_equal(m.unit, "req/s");
    assert_int_equal(m.direction, METRIC_HIGHER);
    assert_string_equal(m.text, "x=([0-9]+)");
    m = parsed(&a, "cmd:lines:higher=wc -l");
    assert_int_equal(m.kind, OWN_COMMAND);
    assert_string_equal(m.unit, "1");
    assert_int_equal(m.direction, METRIC_HIGHER);
    m = parsed(&a, "cmd:t:ms=cat");
    assert_string_equal(m.unit, "ns");
    assert_int_equal(m.direction, METRIC_LOWER);
    assert_true(m.factor == 1e6);
    m = parsed(&a, "result:rate:ops/ms:higher=a=b c");
    assert_int_equal(m.kind, OWN_RESULT);
    assert_string_equal(m.unit, "ops/ms");
    assert_string_equal(m.text, "a=b c");
    m = parsed(&a, "result:sort=sort");
    assert_string_equal(m.unit, "ns");
    arena_finish(&a);
}

static void bad_heads_are_refused_in_one_line(void **state)
{
    (void)state;
    static const char *const all[] = {"regex:a",
                                      "regex:=(a)",
                                      "regex:1=(a)",
                                      "regex:a b=(a)",
                                      "regex:a:=(a)",
                                      "regex:a:s:up=(a)",
                                      "regex:a::=(a)",
                                      "regex:a:s:=(a)",
                                      "regex:a:s:lower:x=(a)",
                                      "cmd:a=",
                                      "result:a=",
                                      "result:=b",
                                      "cmd:a=  ",
                                      "regex:a=",
                                      "regex:a=(",
                                      "regex:\xc3\xa4=(a)"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct arena a = {0};
        struct own_metric m;
        struct tare_err err = {0};
        if (own_metric_parse(&m, all[i], &a, &err) != TARE_INVALID)
            fail_msg("'%s' was accepted", all[i]);
        if (strchr(err.text, '\n') || strncmp(err.text, "--metric", 8))
            fail_msg("'%s': \"%s\"", all[i], err.text);
        arena_finish(&a);
    }
}

static void reads_as(const struct own_metric *m, const char *text, double expected)
{
    double value = NAN, step;
    if (own_number(m, text, strlen(text), &value, &step) != !isnan(expected))
        fail_msg("'%s' was %s", text, isnan(expected) ? "read as a number" : "not read");
    if (!isnan(expected) && !(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("'%s' reads as %.17g, not %.17g", text, value, expected);
}

static void numbers_may_carry_prefixes_and_units(void **state)
{
    (void)state;
    struct arena a = {0};
    struct own_metric rate = parsed(&a, "regex:r:req/s=(a)"), time = parsed(&a, "regex:t:ms=(a)"),
                      count = parsed(&a, "regex:c=(a)");
    static const struct {
        const char *text;
        double rate, time, count;
    } all[] = {{"12", 12, 12e6, 12},          {"-1.5e3", -1500, -1500e6, -1500},
               {" .5\r\n", 0.5, 0.5e6, 0.5},  {"12k", 12e3, 12e9, 12e3},
               {"3 M", 3e6, 3e12, 3e6},       {"2Ki", 2048, 2048e6, 2048},
               {"5 req/s", 5, NAN, NAN},      {"5 kreq/s", 5e3, NAN, NAN},
               {"7us", NAN, 7e3, NAN},        {"7 s", NAN, 7e9, NAN},
               {"7\xc2\xb5s", NAN, 7e3, NAN}, {"4m", 4e-3, 4e3, 4e-3},
               {"1,234", NAN, NAN, NAN},      {"0x10", NAN, NAN, NAN},
               {"nan", NAN, NAN, NAN},        {"inf", NAN, NAN, NAN},
               {"", NAN, NAN, NAN},           {" ", NAN, NAN, NAN},
               {"1 2", NAN, NAN, NAN},        {"1e999", NAN, NAN, NAN},
               {"--1", NAN, NAN, NAN},        {".", NAN, NAN, NAN}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        reads_as(&rate, all[i].text, all[i].rate);
        reads_as(&time, all[i].text, all[i].time);
        reads_as(&count, all[i].text, all[i].count);
    }
    arena_finish(&a);
}

static void the_step_of_the_last_digit_is_known(void **state)
{
    (void)state;
    struct arena a = {0};
    struct own_metric rate = parsed(&a, "regex:r:req/s=(a)"), time = parsed(&a, "regex:t:ms=(a)"),
                      count = parsed(&a, "regex:c=(a)"), size = parsed(&a, "regex:b:B=(a)"), share = parsed(&a, "regex:p:%=(a)");
    const struct {
        const struct own_metric *m;
        const char *text;
        double step; /* 0: exact */
    } all[] = {{&count, "34", 0},
               {&count, "3400", 0},
               {&count, "3.4k", 100},
               {&count, "34k", 1000},
               {&count, "3.40", .01},
               {&count, "0.034k", 0},
               {&count, "1.5e3", 100},
               {&count, "1.5E+03", 100},
               {&count, "12.", 0},
               {&count, "-2m", .001},
               {&count, "1.5Gi", 0x1p30 / 10},
               {&rate, "12", 1},
               {&rate, "5 kreq/s", 1000},
               {&time, "12", 1e6},
               {&time, "1.20 s", 1e7},
               {&size, "8000 B", 0},
               {&size, "1.2 kB", 100},
               {&size, "1.5 GiB", 0x1p30 / 10},
               {&size, "1.024 kB", 0},
               {&share, "34", 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double value, step = NAN;
        assert_true(own_number(all[i].m, all[i].text, strlen(all[i].text), &value, &step));
        if (!(fabs(step - all[i].step) <= 1e-12 * all[i].step))
            fail_msg("'%s' steps by %.17g, not %.17g", all[i].text, step, all[i].step);
    }
    static const char *const scaled[] = {"k", " MB free", "GiB", "K\n", " ms", "%", " req/s,"},
                             *const plain[] = {"", " B", " lines", " Memory", " kitchens", "\nk", "  k", ",k", " bytes"};
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        assert_true(own_scaled_behind(scaled[i], strlen(scaled[i])));
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_false(own_scaled_behind(plain[i], strlen(plain[i])));
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_group_of_the_last_match_counts),
        cmocka_unit_test(expressions_mean_what_people_know),
        cmocka_unit_test(a_match_does_not_cross_lines),
        cmocka_unit_test(what_has_no_end_or_no_sense_is_refused),
        cmocka_unit_test(hostile_patterns_end_within_bytes_times_states),
        cmocka_unit_test(the_head_names_unit_and_direction),
        cmocka_unit_test(bad_heads_are_refused_in_one_line),
        cmocka_unit_test(numbers_may_carry_prefixes_and_units),
        cmocka_unit_test(the_step_of_the_last_digit_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
