/* SPDX-License-Identifier: MIT
 *
 * The wording and layout of results, held by golden files. */
#include "golden.h"
#include "render.h"
#include "rng.h"
#include "rng_normal.h"
#include "sample_record.h"
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- ways to look at a record ---- */

static const struct view {
    const char *suffix;
    struct render_options options;
} views[] = {
    {"80", {.width = 80, .unicode = true}},
    {"120", {.width = 120, .unicode = true}},
    {"40", {.width = 40, .unicode = true}},
    {"pipe", {.width = 0, .unicode = true}},
    {"ascii", {.width = 80}},
    {"colour", {.width = 100, .unicode = true, .colour = true}},
    {"verbose", {.width = 100, .unicode = true, .verbosity = 1}},
    {"quiet", {.width = 100, .unicode = true, .verbosity = -1}},
};

static void check(const char *name, const struct view *view, const struct record *r)
{
    char file[128];
    snprintf(file, sizeof file, "%s.%s", name, view->suffix);
    struct buf b = BUF_INIT(1 << 20);
    render_result(r, &view->options, &b);
    assert_golden(file, &b);
    buf_finish(&b);
}

static void check_in_all_views(const char *name, const struct record *r)
{
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        check(name, &views[i], r);
}

/* ---- the usual ---- */

static void one_command(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 64, 9);
    sample_command(&r, "grep -c foo big.txt", 12.30e6, 0.085e6);
    check_in_all_views("one", &r);
    record_finish(&r);
}

static void two_commands(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 50, 9);
    sample_command(&r, "grep -c foo big.txt", 12.30e6, 0.085e6);
    sample_command(&r, "rg -c foo big.txt", 6.75e6, 0.04e6);
    struct comparison c = sample_comparison(&r, 1, VERDICT_FASTER, -0.6, -0.61, -0.59);
    c.slot_effect = 0.0021, c.slot_p = 0.37;
    record_add_comparison(&r, &c);
    check_in_all_views("two", &r);
    record_finish(&r);
}

/* ---- every word, each with what it must and must not promise ---- */

struct word_case {
    const char *about;
    enum verdict verdict;
    double shift, low, high;
    double rounds_needed;
    const char *reason;
};

static void show_case(const struct word_case *w, const struct view *view, struct buf *out)
{
    struct record r = {0};
    sample_begin(&r, 50, 9);
    sample_command(&r, "old", 12.30e6, 0.085e6);
    sample_command(&r, "new", 12.30e6 * exp(isfinite(w->shift) ? w->shift : 0), 0.085e6);
    struct comparison c = sample_comparison(&r, 1, w->verdict, w->shift, w->low, w->high);
    c.rounds_needed = w->rounds_needed;
    c.reason = w->reason;
    record_add_comparison(&r, &c);
    struct render_options o = view->options;
    o.verbosity = -1;
    buf_format(out, "# %s\n", w->about);
    render_result(&r, &o, out);
    buf_char(out, '\n');
    record_finish(&r);
}

static void every_word_is_careful(void **state)
{
    (void)state;
    static const struct word_case cases[] = {
        {"faster, far beyond the margin", VERDICT_FASTER, -0.6, -0.61, -0.59, NAN, NULL},
        {"faster, little", VERDICT_FASTER, -0.032, -0.034, -0.030, NAN, NULL},
        {"faster, perhaps within the margin", VERDICT_FASTER, -0.012, -0.019, -0.005, NAN, NULL},
        {"slower, far", VERDICT_SLOWER, 1.2, 1.15, 1.26, NAN, NULL},
        {"slower, a thousand times", VERDICT_SLOWER, 7, 6.9, 7.1, NAN, NULL},
        {"slower, little", VERDICT_SLOWER, 0.05, 0.04, 0.06, NAN, NULL},
        {"slower, perhaps within the margin", VERDICT_SLOWER, 0.012, 0.005, 0.019, NAN, NULL},
        {"same", VERDICT_SAME, -0.001, -0.003, 0.004, NAN, NULL},
        {"same, though really slower", VERDICT_SAME, 0.004, 0.002, 0.006, NAN, NULL},
        {"same, though really faster", VERDICT_SAME, -0.004, -0.006, -0.002, NAN, NULL},
        {"same, all differences equal", VERDICT_SAME, 0, 0, 0, NAN, NULL},
        {"undecided, with a projection", VERDICT_UNDECIDED, 0.004, -0.008, 0.016, 170, NULL},
        {"undecided, without", VERDICT_UNDECIDED, 0.004, -0.008, 0.016, NAN, NULL},
        {"undecided, too few", VERDICT_UNDECIDED, 0.004, -INFINITY, INFINITY, NAN, NULL},
        {"undecided, no look", VERDICT_UNDECIDED, NAN, -INFINITY, INFINITY, NAN, "too few rounds for an interval"},
        {"undecided, with a reason", VERDICT_UNDECIDED, 0.2, 0.1, 0.3, NAN,
         "the reference's median is 0: give an absolute --margin"},
        {"invalid", VERDICT_INVALID, 0.2, 0.1, 0.3, NAN, "one command failed where the other did not"},
        {"not comparable", VERDICT_NOT_COMPARABLE, NAN, -INFINITY, INFINITY, NAN, "the machines differ"},
        {"no word", VERDICT_NONE, 0.2, -INFINITY, INFINITY, NAN,
         "the commands ran one after the other because their setup differs; the intervals of the medians do not overlap"},
    };
    static const int in_views[] = {0, 1, 5};
    for (size_t v = 0; v < sizeof in_views / sizeof *in_views; v++) {
        const struct view *view = &views[in_views[v]];
        char file[64];
        snprintf(file, sizeof file, "words.%s", view->suffix);
        struct buf b = BUF_INIT(1 << 20);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            show_case(&cases[i], view, &b);
        assert_golden(file, &b);
        buf_finish(&b);
    }
}

/* ---- other metrics ---- */

/* A proven sign next to an interval that reads "0" would contradict itself. */
static void a_bound_near_nothing_keeps_its_sign(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 64, 9);
    sample_command(&r, "a", 100e6, 1e6);
    sample_command(&r, "b", 105e6, 1e6);
    struct comparison c = sample_comparison(&r, 1, VERDICT_SLOWER, 0.05, 0.0004, 0.42);
    record_add_comparison(&r, &c);
    struct render_options o = {.unicode = true};
    struct buf b = BUF_INIT(1 << 16);
    render_result(&r, &o, &b);
    assert_non_null(strstr(buf_text(&b), "(0.04–52.20)"));
    buf_finish(&b);
    record_finish(&r);
}

static void sizes_and_counts_have_their_own_words(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 20);
    static const struct {
        const char *metric;
        enum metric_kind kind;
        enum verdict verdict;
        double a, b, half, shift, low, high;
    } cases[] = {
        {"rss", METRIC_SIZE, VERDICT_LOWER, 40.2e6, 20.1e6, 0.1e6, -0.6931, -0.70, -0.69},
        {"rss", METRIC_SIZE, VERDICT_HIGHER, 40.2e6, 41.0e6, 0.1e6, 0.02, 0.015, 0.025},
        {"cpu", METRIC_TIME, VERDICT_SLOWER, 1.2e9, 2.4e9, 1e7, 0.69, 0.68, 0.70},
        {"minflt", METRIC_COUNT, VERDICT_LOWER, 320, 300, 2, -20, -22, -18},
        {"majflt", METRIC_COUNT, VERDICT_SAME, 0, 0, 0, 0, 0, 0},
        {"ctx", METRIC_COUNT, VERDICT_HIGHER, 2, 2.5, 0.5, 0.5, 0.5, 1},
        {"wall", METRIC_COUNT, VERDICT_SLOWER, 12.3e6, 12.9e6, 8e4, 6e5, 5.5e5, 6.4e5}, /* an absolute margin */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r = {0};
        sample_begin(&r, 50, 9);
        r.rule.metric = cases[i].metric;
        if (i == 6)
            r.rule.margin_unit = "ns", r.rule.margin = 100;
        sample_command(&r, "old", 12.30e6, 0.085e6);
        sample_command(&r, "new", 12.30e6, 0.085e6);
        sample_estimate(&r, 0, cases[i].metric, "median", cases[i].a, cases[i].half);
        sample_estimate(&r, 1, cases[i].metric, "median", cases[i].b, cases[i].half);
        struct comparison c = sample_comparison(&r, 1, cases[i].verdict, cases[i].shift, cases[i].low, cases[i].high);
        c.kind = cases[i].kind;
        record_add_comparison(&r, &c);
        render_result(&r, &views[1].options, &b);
        buf_char(&b, '\n');
        record_finish(&r);
    }
    assert_golden("metrics", &b);
    buf_finish(&b);
}

/* ---- what can be missing ---- */

static void bare_command(struct record *r, const char *name, int rounds)
{
    static const char *const columns[] = {"wall"};
    struct subject s = {.kind = SUBJECT_COMMAND, .name = name, .command = name};
    int i = record_add_subject(r, &s, columns, 1);
    for (int n = 0; n < rounds; n++) {
        double value = 12e6;
        struct row row = {.round = n, .values = &value};
        record_append_row(r, i, &row);
    }
}

static void few_runs_get_no_interval(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 20);
    for (int n = 0; n <= 3; n++) {
        struct record r = {0};
        sample_begin(&r, n, 1);
        r.look = 0;
        bare_command(&r, "true", n);
        struct estimate e = {
            .subject = 0, .metric = "wall", .statistic = "median", .method = "order statistics", .point = n ? 12e6 : NAN};
        e.low = -INFINITY, e.high = INFINITY, e.n = n, e.n_effective = NAN, e.confidence = 0.95;
        e.reason = n ? "too few rounds for an interval at this level" : "no complete round";
        record_add_estimate(&r, &e);
        if (n > 1)
            sample_estimate(&r, 0, "wall", "mean", 12.1e6, 3e5); /* exists from two runs on */
        render_result(&r, &views[n % 2].options, &b);
        buf_char(&b, '\n');
        record_finish(&r);
    }
    assert_golden("few", &b);
    buf_finish(&b);
}

static void check_of_equal_middle(const char *name, double most, double sd)
{
    struct record r = {0};
    sample_begin(&r, 20, 1);
    bare_command(&r, "true", 20);
    struct estimate e = {
        .metric = "wall", .statistic = "median", .method = "order statistics", .point = 12e6, .low = 12e6, .high = 12e6};
    e.confidence = 0.95, e.n = 20, e.n_effective = 20;
    record_add_estimate(&r, &e);
    const struct estimate others[] = {{.metric = "wall", .statistic = "min", .point = 12e6, .n = 20},
                                      {.metric = "wall", .statistic = "max", .point = most, .n = 20},
                                      {.metric = "wall", .statistic = "stddev", .point = sd, .n = 20}};
    for (int i = 0; i < 3; i++)
        record_add_estimate(&r, &others[i]);
    check(name, &views[6], &r);
    record_finish(&r);
}

static void equal_values_are_said_to_be_equal(void **state)
{
    (void)state;
    check_of_equal_middle("equal", 12e6, 0);
    check_of_equal_middle("equal_middle", 15e6, 0.7e6); /* the interval has no width, and the runs are not equal */
}

static void what_is_not_measurable_says_why(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 50, 9);
    struct metric cycles = {"perf:cycles", "CPU cycles", "1", METRIC_COUNT, METRIC_LOWER, NULL};
    record_add_metric(&r, &cycles);
    sample_command(&r, "make", 1.2e9, 2e6);
    struct estimate e = {
        .metric = "rss", .statistic = "median", .point = NAN, .low = -INFINITY, .high = INFINITY, .n_effective = NAN};
    e.reason = "not measurable in every run";
    record_add_estimate(&r, &e);
    e.metric = "perf:cycles", e.reason = "this machine has no performance counters";
    record_add_estimate(&r, &e);
    check("null", &views[0], &r);
    check("null", &views[6], &r);
    r.rule.metric = "perf:cycles";
    check("null-main", &views[0], &r);
    record_finish(&r);
}

static void failed_and_late_runs_are_counted(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 50, 9);
    sample_command(&r, "flaky", 1.2e9, 2e6);
    r.series[0].main.flags[3] = ROW_FAILED;
    r.series[0].main.flags[4] = ROW_FAILED;
    r.series[0].main.flags[9] = ROW_TIMED_OUT | ROW_FAILED;
    check("failed", &views[1], &r);
    record_finish(&r);
}

static void a_session_cut_short_says_so(void **state)
{
    (void)state;
    static const char *const ends[] = {"interrupted", "failed", NULL, "interrupted"};
    struct buf b = BUF_INIT(1 << 20);
    for (int i = 0; i < 4; i++) {
        struct record r = {0};
        sample_begin(&r, 40, 9);
        sample_command(&r, "old", 12.30e6, 0.085e6);
        r.partial = true;
        r.ended = ends[i];
        r.look = i == 3 ? 0 : 4;
        render_result(&r, &views[0].options, &b);
        buf_char(&b, '\n');
        record_finish(&r);
    }
    assert_golden("partial", &b);
    buf_finish(&b);
}

/* ---- the published method ---- */

/* What was tuned for a session, as tare system and --tune note it. */
static void what_was_tuned_is_said_in_words(void **state)
{
    static const struct {
        const char *knobs;
        double files, refused;
        const char *warning, *said;
    } cases[] = {{"governor, turbo", 3, 0, NULL, "Tuned for it, CPU 1: governor, turbo (3 files).\n"},
                 {"statistics", 1, 2, NULL, "Tuned for it, CPU 1: statistics (1 file, 2 refused).\n"},
                 {"none", 0, 0, NULL, "Tuned for it, CPU 1: nothing had to be changed.\n"},
                 {"none", 0, 2, NULL, "Tuned for it, CPU 1: nothing could be changed (2 refused).\n"},
                 {"none", 0, 0, "timers: undone", "Tuned for it, CPU 1: nothing stays changed. timers: undone.\n"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r = {0};
        sample_begin(&r, 40, 9);
        sample_command(&r, "old", 12.30e6, 0.085e6);
        facts_add_number(&r, &r.before, "tune_cpu", 1);
        facts_add_text(&r, &r.before, "tune_knobs", cases[i].knobs);
        facts_add_number(&r, &r.before, "tune_files", cases[i].files);
        facts_add_number(&r, &r.before, "tune_refused", cases[i].refused);
        if (cases[i].warning)
            facts_add_text(&r, &r.before, "tune_warning", cases[i].warning);
        struct buf out = BUF_INIT(1 << 20);
        render_result(&r, &(struct render_options){.width = 80, .verbosity = 1}, &out);
        if (!strstr(buf_text(&out), cases[i].said))
            fail_msg("expected '%s' in '%s'", cases[i].said, buf_text(&out));
        buf_finish(&out);
        record_finish(&r);
    }
}

static void georges_leads_with_the_mean_and_gives_no_word(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 12, 1);
    r.rule.method = METHOD_GEORGES;
    r.rule.interleaved = false;
    r.rule.georges_runs = 30;
    r.rule.precision = 0.02;
    sample_command(&r, "array", 2995e6, 6e6);
    sample_command(&r, "generator", 844.6e6, 9e6);
    struct comparison c = sample_comparison(&r, 1, VERDICT_NONE, -1.266, -INFINITY, INFINITY);
    c.better = -1;
    c.reason = "the published method judges no pair (--method tare does); the intervals of the means do not overlap";
    record_add_comparison(&r, &c);
    check("georges", &views[0], &r);
    check("georges", &views[1], &r);
    record_finish(&r);
}

/* ---- many ---- */

static void many(struct record *r)
{
    static const char *const names[] = {
        "sort -S 1M big.txt",        "sort -S 2M big.txt",
        "sort --parallel=4 big.txt", "a command with a long name and much to say about its input.txt",
        "sort -S 16M big.txt",       "busybox sort big.txt"};
    sample_begin(r, 50, 9);
    for (int i = 0; i < 6; i++)
        sample_command(r, names[i], 12.3e6 * (i == 2 ? 0.5 : 1 + 0.004 * i), 0.085e6);
    r->subjects[1].n_parameters = 0;
    static const enum verdict verdicts[] = {VERDICT_SAME, VERDICT_FASTER, VERDICT_UNDECIDED, VERDICT_SLOWER, VERDICT_INVALID};
    static const double shifts[] = {0.004, -0.693, 0.012, 0.016, 0.02};
    for (int i = 0; i < 5; i++) {
        double half = verdicts[i] == VERDICT_UNDECIDED ? 0.02 : 0.003;
        struct comparison c = sample_comparison(r, i + 1, verdicts[i], shifts[i], shifts[i] - half, shifts[i] + half);
        c.rounds_needed = verdicts[i] == VERDICT_UNDECIDED ? 170 : NAN;
        c.reason = verdicts[i] == VERDICT_INVALID ? "one command failed where the other did not" : NULL;
        record_add_comparison(r, &c);
    }
}

static void many_commands_get_a_table(void **state)
{
    (void)state;
    struct record r = {0};
    many(&r);
    check_in_all_views("many", &r);
    struct view by_command = {"command", {.width = 100, .unicode = true, .sort = RENDER_SORT_COMMAND}};
    check("many", &by_command, &r);
    record_finish(&r);
}

static void a_scan_shows_the_values_of_its_parameters(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 50, 9);
    static const char *const sizes[] = {"1000", "2000", "4000", "8000", "16000", "32000"};
    for (int i = 0; i < 6; i++) {
        char name[32];
        snprintf(name, sizeof name, "work %s", sizes[i]);
        static const char *const columns[] = {"wall"};
        struct parameter parameters[] = {{"size", sizes[i]}, {"compiler", i % 2 ? "gcc" : "clang"}};
        struct subject s = {.kind = SUBJECT_COMMAND, .name = name, .command = name, .parameters = parameters, .n_parameters = 2};
        int subject = record_add_subject(&r, &s, columns, 1);
        double median = 3e6 * (1 << i) + 1e6;
        sample_estimates(&r, subject, median, median / 200);
        if (i) {
            struct comparison c =
                sample_comparison(&r, i, VERDICT_SLOWER, log(median / 4e6), log(median / 4e6) - 0.01, log(median / 4e6) + 0.01);
            record_add_comparison(&r, &c);
        }
    }
    check("scan", &views[0], &r);
    check("scan", &views[2], &r);
    check("scan", &views[4], &r);
    check("scan", &views[5], &r);
    record_finish(&r);
}

/* ---- names ---- */

static void foreign_names_cannot_steer_the_terminal(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 50, 9);
    sample_command(&r, "printf '\033[2J\a' \xff\xfe\n\xe2\x80\xae", 12.30e6, 0.085e6);
    sample_command(&r, "echo \"it's\" 日本語のファイル名.txt", 12.30e6, 0.085e6);
    sample_command(&r, "compare --the-same-beginning-of-both=1 --and-the-same-end-of-both", 12.30e6, 0.085e6);
    sample_command(&r, "compare --the-same-beginning-of-both=2 --and-the-same-end-of-both", 12.30e6, 0.085e6);
    for (int i = 1; i < 4; i++) {
        struct comparison c = sample_comparison(&r, i, VERDICT_SAME, -0.001, -0.003, 0.004);
        record_add_comparison(&r, &c);
    }
    check("names", &views[0], &r);
    check("names", &views[4], &r);
    record_finish(&r);
}

/* ---- units and findings ---- */

static void one_unit_serves_all_commands(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 20);
    static const char *const units[] = {NULL, "second", "microsecond", "min"};
    for (int i = 0; i < 4; i++) {
        struct record r = {0};
        sample_begin(&r, 50, 9);
        sample_command(&r, "quick", 44e3, 60);
        sample_command(&r, "slow", 3.2e9, 5e6);
        struct comparison c = sample_comparison(&r, 1, VERDICT_SLOWER, log(3.2e9 / 44e3), 11.1, 11.3);
        record_add_comparison(&r, &c);
        struct render_options o = views[i % 2 ? 4 : 0].options;
        o.time_unit = units[i];
        render_result(&r, &o, &b);
        buf_char(&b, '\n');
        record_finish(&r);
    }
    assert_golden("units", &b);
    buf_finish(&b);
}

static void the_two_weightiest_warnings_are_shown_before_any_note(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 50, 9);
    sample_command(&r, "grep -c foo big.txt", 12.30e6, 0.085e6);
    const struct finding findings[] = {
        {"outliers", SEVERITY_WARNING, 0, "3 of 50 runs are more than 10 standard deviations above the median",
         "read the median, not the mean", 6, "They count in all figures.", 0},
        {"first_run", SEVERITY_NOTE, 0, "the first run took 38 ms, 3.1 times the median", NULL, 0.5, NULL, 0},
        {"steal", SEVERITY_WARNING, -1, "the hypervisor gave 1.1 s of CPU time to others (17 % of 2 CPUs)",
         "interleave the rounds, or use another host", 34, "Other virtual machines on this host compete for its CPUs.", 0},
        {"coarse", SEVERITY_NOTE, 0, "50 values are only 9 different ones: the clock is too coarse",
         "use --metric wall or a longer command", 50, NULL, 0},
    };
    for (int i = 0; i < 4; i++)
        record_add_finding(&r, &findings[i]);
    check("findings", &views[0], &r);
    check("findings", &views[5], &r);
    check("findings", &views[6], &r);
    record_finish(&r);
}

static void a_finding_names_its_command_where_there_are_several(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 50, 9);
    for (int i = 0; i < 3; i++)
        sample_command(&r, i == 0 ? "old" : i == 1 ? "new" : "newer", 12e6 + 1e6 * i, 0.05e6);
    const struct finding findings[] = {
        {"noisy", SEVERITY_WARNING, 1, "pairs scatter by 12 %", "use a quieter machine", 12, NULL, 0},
        {"noisy", SEVERITY_WARNING, 2, "pairs scatter by 9 %", "use a quieter machine", 9,
         "This is the robust standard deviation of the ratio.", 0},
        {"counter_cost", SEVERITY_NOTE, -1, "with counters an empty program takes 2 ms instead of 1 ms", NULL, 1, NULL, 0},
    };
    for (int i = 0; i < 3; i++)
        record_add_finding(&r, &findings[i]);
    check("finding_names", &views[0], &r);
    record_clear_results(&r);
    for (int i = 0; i < 2; i++)
        record_add_finding(&r, &findings[i]);
    check("finding_details", &views[0], &r);
    record_finish(&r);
}

/* ---- pictures ---- */

static void histograms_show_tails_modes_and_wide_ranges(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 20);
    for (int kind = 0; kind < 4; kind++) {
        struct record r = {0};
        sample_begin(&r, 300, 9);
        static const char *const names[] = {"a tail", "two modes", "from microseconds to seconds", "two values"};
        static const char *const columns[] = {"wall"};
        struct subject s = {.kind = SUBJECT_COMMAND, .name = names[kind], .command = names[kind]};
        record_add_subject(&r, &s, columns, 1);
        struct rng g = rng_seeded(5);
        for (int i = 0; i < 300; i++) {
            double z = rng_normal(&g), value = 10e6 + 1e5 * z;
            if (kind == 0 && i % 40 == 7)
                value += 5e6 * rng_uniform(&g);
            else if (kind == 1 && i % 3 == 0)
                value += 3e6;
            else if (kind == 2)
                value = 10e6 * exp(2 * z);
            else if (kind == 3)
                value = i % 4 ? 10e6 : 11e6;
            struct row row = {.round = i, .values = &value, .start_ns = i};
            record_append_row(&r, 0, &row);
        }
        sample_estimates(&r, 0, 10e6, 0.5e5);
        struct render_options o = views[kind % 2 ? 4 : 0].options;
        o.verbosity = 1;
        render_result(&r, &o, &b);
        record_finish(&r);
    }
    assert_golden("histograms", &b);
    buf_finish(&b);
}

static void very_verbose_lists_every_run(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 12, 2);
    r.look = 2;
    sample_command(&r, "grep -c foo big.txt", 12.30e6, 0.085e6);
    r.series[0].main.flags[3] = ROW_FAILED | ROW_TIMED_OUT;
    r.series[0].main.value[0][5] = NAN;
    struct view view = {"runs", {.width = 100, .unicode = true, .verbosity = 2}};
    check("one", &view, &r);
    record_finish(&r);
}

/* ---- memory over time ---- */

static void add_memory(struct record *r, int subject, const char *exit_status, const char *no_heap)
{
    static struct timeline_samples samples;
    struct timeline t;
    timeline_init(&t, &samples, 1000000);
    t.subject = subject;
    t.wall_ns = 300e6;
    t.exit_status = exit_status;
    t.heap_reason = no_heap;
    t.processes = subject + 1;
    for (int64_t at = 0; at < 300000000; at += 2000000) {
        double x = (double)at / 300e6, heap = 40e6 * (1 - cos(6.28318530717958647692 * x)) + 1e6;
        if (x < 0.6 || x > 0.7) /* nothing was seen there: what was before holds */
            timeline_add(&t, at, subject ? 20e6 + 10e6 * x : heap * 1.1 + 2e6, no_heap ? NAN : heap);
    }
    t.largest_process = t.rss_peak;
    if (!no_heap) {
        t.heap_peak = subject ? 90e6 : 81e6;
        t.heap_peak_ns = 150e6;
        t.heap_peak_exact = !subject;
        t.heap_left = subject ? 1234567 : 0;
        t.allocations = 123456;
        t.allocated_bytes = 987654321;
        t.unwatched = t.left_count = subject;
        t.failures = subject;
    }
    record_add_timeline(r, &t);
}

static void memory_over_time(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 64, 9);
    sample_command(&r, "sort words", 12.30e6, 0.085e6);
    sample_command(&r, "sort -u words", 12.40e6, 0.085e6);
    sample_command(&r, "static", 12.40e6, 0.085e6);
    sample_command(&r, "over", 12.40e6, 0.085e6);
    add_memory(&r, 0, NULL, NULL);
    add_memory(&r, 1, "ended with exit code 3", NULL);
    add_memory(&r, 2, NULL, "it is statically linked");
    static struct timeline_samples none;
    struct timeline t;
    timeline_init(&t, &none, 1000);
    t.subject = 3;
    record_add_timeline(&r, &t);
    check_in_all_views("memory", &r);
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_command),
        cmocka_unit_test(two_commands),
        cmocka_unit_test(every_word_is_careful),
        cmocka_unit_test(a_bound_near_nothing_keeps_its_sign),
        cmocka_unit_test(sizes_and_counts_have_their_own_words),
        cmocka_unit_test(few_runs_get_no_interval),
        cmocka_unit_test(equal_values_are_said_to_be_equal),
        cmocka_unit_test(what_is_not_measurable_says_why),
        cmocka_unit_test(failed_and_late_runs_are_counted),
        cmocka_unit_test(a_session_cut_short_says_so),
        cmocka_unit_test(what_was_tuned_is_said_in_words),
        cmocka_unit_test(georges_leads_with_the_mean_and_gives_no_word),
        cmocka_unit_test(many_commands_get_a_table),
        cmocka_unit_test(a_scan_shows_the_values_of_its_parameters),
        cmocka_unit_test(foreign_names_cannot_steer_the_terminal),
        cmocka_unit_test(one_unit_serves_all_commands),
        cmocka_unit_test(the_two_weightiest_warnings_are_shown_before_any_note),
        cmocka_unit_test(a_finding_names_its_command_where_there_are_several),
        cmocka_unit_test(histograms_show_tails_modes_and_wide_ranges),
        cmocka_unit_test(very_verbose_lists_every_run),
        cmocka_unit_test(memory_over_time),
    };
    return cmocka_run_group_tests_name("render", tests, NULL, NULL);
}
