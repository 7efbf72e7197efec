/* SPDX-License-Identifier: MIT
 *
 * The options of `tare run`: what hyperfine's users type, and what contradicts itself. */
#include "buf.h"
#include "command.h"
#include "option_check.h"
#include "run_options.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct run_options o;
static struct option_operands operands;
static struct tare_err err;

static int forget(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

/* A line as a shell splits it when ' are the only quotes. */
static int split(const char *line, char **argv, int room)
{
    int argc = 0;
    for (const char *p = line + strspn(line, " "); *p && argc < room; p += strspn(p, " ")) {
        struct buf word = BUF_INIT(4096);
        for (bool quoted = false; *p && (quoted || *p != ' '); p++) {
            if (*p == '\'')
                quoted = !quoted;
            else
                buf_char(&word, *p);
        }
        argv[argc++] = arena_copy(&arena, buf_text(&word), word.len);
        buf_finish(&word);
    }
    return argc;
}

/* "" or the message. */
static const char *run(const char *line)
{
    char *argv[60];
    int argc = split(line, argv, 60);
    err = (struct tare_err){0};
    option_defaults(&run_option_set, &o);
    enum tare_status s = option_parse(&run_option_set, &o, argc, argv, &operands, &arena, &err);
    s = s ? s : run_options_check(&o, &operands, &arena, &err);
    return s ? err.text : "";
}
#define ACCEPTED(line)         assert_string_equal(run(line), "")
#define REFUSED(line, message) assert_string_equal(run(line), message)

static const char *number(double x)
{
    static char room[40];
    struct buf b = buf_over(room, sizeof room);
    buf_format(&b, "%g", x);
    return room;
}
#define NUMBER(actual, expected) assert_string_equal(number(actual), number(expected))

static const char *joined(const struct option_list *list)
{
    struct buf b = BUF_INIT(1 << 16);
    for (int i = 0; i < list->n; i++)
        buf_format(&b, "%s%s", i ? "|" : "", list->items[i]);
    const char *text = arena_copy(&arena, buf_text(&b), b.len);
    buf_finish(&b);
    return text;
}

static void every_table_is_right(void **state)
{
    (void)state;
    for (int i = 0; commands[i]; i++) {
        enum tare_status s = option_set_check(&commands[i]->options, &err);
        assert_string_equal(s ? err.text : "", "");
    }
}

static void without_options_the_defaults_hold(void **state)
{
    (void)state;
    ACCEPTED("true");
    assert_int_equal(o.warmup, -1);
    assert_int_equal(o.runs, 0);
    assert_int_equal(o.min_runs, 10);
    assert_int_equal(o.max_runs, 0);
    assert_int_equal(o.max_time_ns, 0);
    assert_int_equal(o.timeout_ns, 0);
    NUMBER(o.precision, NAN);
    NUMBER(o.confidence, 0.95);
    NUMBER(o.margin.value, 0.01);
    assert_null(o.margin.unit);
    assert_string_equal(joined(&o.metrics), "wall");
    NUMBER(o.fail_if_slower, NAN);
    assert_int_equal(o.method, METHOD_TARE);
    assert_int_equal(o.shell_kind, RUN_SHELL_AUTO);
    assert_string_equal(o.input, "null");
    assert_int_equal(o.pin_cpu, -1);
    assert_int_equal(o.priority, RUN_PRIORITY_NORMAL);
    assert_int_equal(o.display.style, RENDER_AUTO);
    assert_int_equal(o.display.sort, RENDER_SORT_AUTO);
    assert_null(o.display.time_unit);
    assert_false(RUN_GIVEN(&o, runs));
}

/* Kinds of lines found in READMEs and CI files of programs that use hyperfine. */
static void lines_written_for_hyperfine_are_read_unchanged(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "'sleep 0.3'",
        "--runs 5 'sleep 0.3'",
        "-r5 'sleep 0.3'",
        "-r=5 'sleep 0.3'",
        "'hexdump file' 'xxd file'",
        "--warmup 3 'grep -R foo *'",
        "-w3 -r 10 'a' 'b'",
        "-N --warmup 5 'a' 'b'",
        "--shell=none 'a' 'b'",
        "--shell zsh 'a'",
        "-S 'bash --norc' 'a'",
        "--prepare 'sync; echo 3 | sudo tee /proc/sys/vm/drop_caches' 'grep -R foo *'",
        "-p 'make clean' 'make -j 4'",
        "-p 'a' -p 'b' 'c' 'd'",
        "--setup 'cargo build' --cleanup 'cargo clean' 'cargo test'",
        "--conclude 'kill server' 'curl x'",
        "-C 'kill server' 'curl x'",
        "--parameter-scan threads 1 12 'make -j {threads}'",
        "-P delay 0.3 0.7 -D 0.2 'sleep {delay}'",
        "--parameter-scan offset -5 5 'prog {offset}'",
        "-L compiler gcc,clang -L opt 0,1,2 '{compiler} -O{opt} x.c'",
        "--parameter-list fmt -a,-b 'prog {fmt}'",
        "-i 'false'",
        "-iN 'false'",
        "--ignore-failure 'false'",
        "--ignore-failure=1,2 'false'",
        "-i=7 'false'",
        "--style basic 'a'",
        "--style=none 'a'",
        "--sort mean-time 'a' 'b'",
        "-u millisecond 'a'",
        "--time-unit second 'a'",
        "--export-json out.json --export-markdown out.md --export-csv out.csv 'a' 'b'",
        "--export-asciidoc - 'a'",
        "--export-orgmode t.org 'a'",
        "--show-output 'a'",
        "--output=pipe 'a'",
        "--output null 'a' --output ./b.log 'b'",
        "--input data.txt 'wc -l'",
        "-n first 'a' -n second 'b'",
        "--command-name first 'a'",
        "--reference 'old' --reference-name before 'new'",
        "-m 3 -M 20 'a'",
        "--min-runs 20 'a'",
        "--max-runs=3 'a'",
        "--min-benchmarking-time 2.5 'a'",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ACCEPTED(lines[i]);
}

static void numbers_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    REFUSED("-r 0 a", "--runs: '0' is too small; allowed: 1 to 10000000 runs");
    REFUSED("-r -3 a", "--runs: '-3' is too small; allowed: 1 to 10000000 runs");
    REFUSED("-r nan a", "--runs: 'nan' is not a whole number; allowed: 1 to 10000000 runs");
    REFUSED("-m 0 a", "--min-runs: '0' is too small; allowed: 1 to 10000000 runs");
    REFUSED("-w -1 a", "--warmup: '-1' is too small; allowed: 0 to 1000000 runs");
    REFUSED("--precision 0 a", "--precision: '0' is too small; allowed: 0.001 to 100%");
    REFUSED("--precision nan a", "--precision: 'nan' is not a percentage; write it like 2%; allowed: 0.001 to 100%");
    REFUSED("--confidence 0.95 a", "--confidence: '0.95' is too small; write 95 for 95 %");
    REFUSED("--confidence 100 a", "--confidence: '100' is too large; allowed: 50 to 99.9999%");
    REFUSED("--max-time 0 a", "--max-time: '0' is too small; allowed: 0.001 to 1000000 s");
    REFUSED("--timeout -1 a", "--timeout: '-1' is too small; allowed: 0.001 to 1000000 s");
    REFUSED("--pin -1 a", "--pin: '-1' is too small; allowed: 0 to 4095");
    REFUSED("--margin -1% a", "--margin: '-1%' is negative; a margin is a size, so omit the minus sign");
}

static void numbers_of_runs_must_agree(void **state)
{
    (void)state;
    REFUSED("-r 5 -m 3 a", "--runs fixes the number of runs and --min-runs asks for more of them; give only one");
    REFUSED("-r 5 -M 30 a", "--runs fixes the number of runs and --max-runs limits it; give only one");
    REFUSED("-m 30 -M 20 a", "--min-runs 30 is more than --max-runs 20; lower one or raise the other");
    REFUSED("-r 5 --precision 1% a",
            "--runs fixes the number of runs and --precision makes it depend on the data; give only one");
    REFUSED("-r 5 --min-benchmarking-time 1 a",
            "--runs fixes the number of runs and --min-benchmarking-time makes it depend on time; give only one");
    REFUSED("--min-benchmarking-time 3 --max-time 2 a",
            "--min-benchmarking-time is more than --max-time; lower one or raise the other");
    ACCEPTED("-M 4 a"); /* as in hyperfine, a lower maximum lowers the default minimum */
    assert_int_equal(o.min_runs, 4);
    assert_int_equal(o.max_runs, 4);
    ACCEPTED("-M 40 a");
    assert_int_equal(o.min_runs, 10);
    ACCEPTED("-r 5 -w 2 --max-time 3 a");
    assert_int_equal(o.runs, 5);
    assert_true(RUN_GIVEN(&o, runs));
    assert_true(RUN_GIVEN(&o, warmup));
    assert_false(RUN_GIVEN(&o, min_runs));
}

static void the_published_method_has_its_own_numbers(void **state)
{
    (void)state;
    ACCEPTED("--method georges a");
    assert_int_equal(o.runs, 30);
    assert_int_equal(o.min_runs, 5);
    ACCEPTED("--method georges -r 1 a");
    assert_int_equal(o.runs, 1);
    assert_int_equal(o.min_runs, 1);
    ACCEPTED("--method georges --runs 40 -m 7 --precision 3% a");
    assert_int_equal(o.min_runs, 7);
    REFUSED("--method georges -m 9 -r 8 a", "--min-runs 9 is more than --runs 8; lower one or raise the other");
    REFUSED("--method georges -M 8 a", "--max-runs has no meaning with --method georges; --runs is its limit");
    REFUSED("--method georges --margin 2% a",
            "--method georges gives no verdict, so --margin has no meaning; give only one of them");
    REFUSED("--method georges --fail-if-slower 2% a b",
            "--method georges gives no verdict, so --fail-if-slower has no answer; give only one of them");
    REFUSED("--no-interleave --margin 2% a b",
            "--no-interleave gives no verdict, so --margin has no meaning; give only one of them");
    REFUSED("--no-interleave --fail-if-slower 2% a b",
            "--no-interleave gives no verdict, so --fail-if-slower has no answer; give only one of them");
    REFUSED("--method georges --min-benchmarking-time 2 a",
            "--method georges stops by its own rule; omit --min-benchmarking-time");
    REFUSED("--method best a", "--method: 'best' is not known; choose one of: tare, georges");
}

static void metrics_are_known_and_the_margin_fits_the_first(void **state)
{
    (void)state;
    ACCEPTED("--metric cpu --metric rss --metric perf:instructions a");
    assert_string_equal(joined(&o.metrics), "cpu|rss|perf:instructions");
    ACCEPTED("--metric wall --margin 5us a");
    assert_string_equal(o.margin.unit, "ns");
    NUMBER(o.margin.value, 5000);
    ACCEPTED("--metric rss --margin 100kB a");
    ACCEPTED("--metric majflt --margin 3 a");
    ACCEPTED("--metric perf:instructions --margin 1000 a");
    ACCEPTED("--metric perf:cycles --margin 20cycles a");
    assert_string_equal(o.margin.unit, "1");
    REFUSED("--metric wal a", "--metric: 'wal' is not known; choose one of: wall, cpu, user, sys, rss, majflt, minflt, ctx, "
                              "peak, peak_tree, perf:EVENT, regex:NAME=PATTERN, cmd:NAME=CMD");
    REFUSED("--metric perf: a", "--metric: 'perf:' names no event; write it like perf:instructions");
    REFUSED("--metric cpu --metric cpu a", "--metric cpu is given twice; give it once");
    REFUSED("--margin 5 a", "--margin must be a share or a time for --metric wall; write it like 1% or 5us");
    REFUSED("--margin 3kB a", "--margin must be a share or a time for --metric wall; write it like 1% or 5us");
    REFUSED("--metric rss --margin 3ms a", "--margin must be a share or a size for --metric rss; write it like 1% or 100kB");
    REFUSED("--metric ctx --margin 3ms a", "--margin must be a share or a plain number for --metric ctx; write it like 1% or 5");
    REFUSED("--margin 20cycles a",
            "--margin is in cycles and --metric wall is not; write it like 1% or in the metric's own unit");
    REFUSED("--metric perf:instructions --margin 20cycles a",
            "--margin is in cycles and --metric perf:instructions is not; write it like 1% or in the metric's own unit");
}

static void shell_options_are_resolved(void **state)
{
    (void)state;
    ACCEPTED("-N a");
    assert_int_equal(o.shell_kind, RUN_SHELL_NONE);
    ACCEPTED("-S none a");
    assert_int_equal(o.shell_kind, RUN_SHELL_NONE);
    ACCEPTED("-S default a");
    assert_int_equal(o.shell_kind, RUN_SHELL_DEFAULT);
    ACCEPTED("-S none -S 'bash --norc' a");
    assert_int_equal(o.shell_kind, RUN_SHELL_CUSTOM);
    assert_string_equal(o.shell, "bash --norc");
    REFUSED("-N -S bash a", "-N forbids a shell and --shell names one; give only one");
    REFUSED("-S '  ' a", "--shell is blank; name a shell, default or none");
}

static void where_output_goes_is_checked(void **state)
{
    (void)state;
    ACCEPTED("--show-output a b");
    assert_string_equal(joined(&o.output), "inherit");
    ACCEPTED("--output null --output pipe --output inherit --output ./f --output /tmp/null a");
    REFUSED("--output logfile a",
            "--output: 'logfile' is not known; choose null, pipe, inherit, or a path with a slash, like ./logfile");
    REFUSED("--output nul a", "--output: 'nul' is not known; choose null, pipe, inherit, or a path with a slash, like ./nul");
    REFUSED("--output 'null pipe' a",
            "--output: 'null pipe' is not known; choose null, pipe, inherit, or a path with a slash, like ./null pipe");
    REFUSED("--show-output --output pipe a", "--show-output and --output contradict each other; give only one");
    REFUSED("--show-output --style full a",
            "the progress line of --style would run into the commands' output; use --style color or basic");
    ACCEPTED("--show-output --style color a");
}

static void what_is_written_has_names_of_its_own(void **state)
{
    (void)state;
    ACCEPTED("--export-json /dev/null --export-csv /dev/null --save /dev/null a");
    REFUSED("--export-csv x --export-csv y a", "--export-csv is given twice; give it once");
    REFUSED("--setup x --setup y a", "--setup is given twice; give it once");
    ACCEPTED("--export-json - --export-csv out.csv --save s.jsonl a");
    REFUSED("-q -v a", "--quiet and --verbose contradict each other; give only one");
}

static void variables_of_the_environment_have_names(void **state)
{
    (void)state;
    ACCEPTED("--env A=1 --env B= --env 'C=x=y' a");
    assert_string_equal(joined(&o.env), "A=1|B=|C=x=y");
    REFUSED("--env A a", "--env: 'A' sets nothing; write it like NAME=VALUE");
    REFUSED("--env =1 a", "--env: '=1' sets nothing; write it like NAME=VALUE");
}

static void failing_if_slower_needs_something_to_compare(void **state)
{
    (void)state;
    ACCEPTED("--fail-if-slower 2% a");
    assert_int_equal(run_options_check_counts(&o, 2, &err), TARE_OK);
    assert_int_equal(run_options_check_counts(&o, 1, &err), TARE_INVALID);
    assert_string_equal(err.text, "--fail-if-slower compares, but there is only one command; give a second one, or a --baseline");
}

static void the_rule_of_the_session_follows(void **state)
{
    (void)state;
    struct rule rule;
    ACCEPTED("--metric rss --margin 4kB --confidence 99% --fail-if-slower 3% a b");
    run_options_rule(&o, 2, &rule);
    assert_int_equal(rule.method, METHOD_TARE);
    assert_string_equal(rule.metric, "rss");
    assert_string_equal(rule.margin_unit, "bytes");
    NUMBER(rule.margin, 4000);
    NUMBER(rule.confidence, 0.99);
    NUMBER(rule.fail_if_slower, 0.03);
    NUMBER(rule.precision, 0);
    assert_true(rule.interleaved);
    ACCEPTED("--no-interleave a b");
    run_options_rule(&o, 1, &rule);
    NUMBER(rule.precision, 0.01);
    assert_false(rule.interleaved);
    ACCEPTED("a");
    run_options_rule(&o, 1, &rule);
    NUMBER(rule.precision, 0.01);
    NUMBER(rule.fail_if_slower, NAN);
    assert_true(rule.interleaved);
    ACCEPTED("-r 20 a");
    run_options_rule(&o, 1, &rule);
    NUMBER(rule.precision, 0);
    ACCEPTED("--precision 3% a b");
    run_options_rule(&o, 2, &rule);
    NUMBER(rule.precision, 0.03);
    ACCEPTED("--method georges a b");
    run_options_rule(&o, 2, &rule);
    assert_int_equal(rule.method, METHOD_GEORGES);
    NUMBER(rule.precision, 0.02);
    assert_int_equal(rule.georges_runs, 30);
    assert_int_equal(rule.georges_min, 5);
}

#define TEST(f) cmocka_unit_test_teardown(f, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_table_is_right),
        TEST(without_options_the_defaults_hold),
        TEST(lines_written_for_hyperfine_are_read_unchanged),
        TEST(numbers_that_make_no_sense_are_refused),
        TEST(numbers_of_runs_must_agree),
        TEST(the_published_method_has_its_own_numbers),
        TEST(metrics_are_known_and_the_margin_fits_the_first),
        TEST(shell_options_are_resolved),
        TEST(where_output_goes_is_checked),
        TEST(what_is_written_has_names_of_its_own),
        TEST(variables_of_the_environment_have_names),
        TEST(failing_if_slower_needs_something_to_compare),
        TEST(the_rule_of_the_session_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
