/* SPDX-License-Identifier: MIT
 *
 * Traced programs on the screen: tables, sentences, two programs, a proof, losses. */
#include "golden.h"
#include "record_arcs.h"
#include "render.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct record r;

static int forget(void **state)
{
    (void)state;
    record_finish(&r);
    return 0;
}

static int begin(const char *name, int runs)
{
    if (!r.n_subjects) {
        record_init(&r);
        r.rule = (struct rule){.metric = "wall", .confidence = 0.95, .interleaved = true, .fail_if_slower = NAN, .n_looks = 1};
        r.look = 1;
        r.rounds = runs;
        r.ended = "runs";
    }
    struct subject s = {.kind = SUBJECT_TRACE, .name = name, .command = name, .reference = -1};
    int subject = record_add_subject(&r, &s, NULL, 0);
    for (int i = 0; i < runs; i++) {
        const struct row row = {.round = i};
        assert_int_equal(record_append_row(&r, subject, &row), TARE_OK);
    }
    return subject;
}

static int point(int subject, const char *file, int line, const char *func, const char *name)
{
    const struct point p = {.subject = subject, .file = file, .func = func, .name = name, .line = line, .partner = -1};
    return record_add_point(&r, &p);
}

static void run(int subject, int round, const struct point_passes *passes, int n, const char *lost)
{
    const struct traced_run t = {.subject = subject,
                                 .round = round,
                                 .clock = "tsc",
                                 .order = "ordered",
                                 .hz = 2e9,
                                 .step = 1,
                                 .repeat = 1,
                                 .processes = 1,
                                 .threads = 1,
                                 .events = 1000,
                                 .weight = 46,
                                 .weight_sd = 1,
                                 .weight_rows = 3,
                                 .residual_ppm = NAN,
                                 .lost = lost,
                                 .passes = passes,
                                 .n_passes = n};
    assert_true(record_add_traced_run(&r, &t) >= 0);
}

static void passed(int in, int from, int to)
{
    const struct traced_arc a = {.run = in,
                                 .from = from,
                                 .to = to,
                                 .passes = 1,
                                 .n = 1,
                                 .sum = 1000,
                                 .min = 1000,
                                 .max = 1000,
                                 .clean_n = 1,
                                 .clean_sum = 1000};
    assert_true(record_add_traced_arc(&r, &a) >= 0);
}

/* mean_ns with 1 % to either side. */
static struct arc_result arc(int subject, int from, int to, uint64_t passes, double mean_ns, double share)
{
    struct arc_result a;
    arc_result_init(&a, subject, from, to);
    a.runs = a.runs_passed = r.rounds;
    a.passes = a.n = a.clean = passes;
    a.share = share;
    a.total_ns = mean_ns * (double)passes / r.rounds;
    a.mean_ns = mean_ns;
    a.low_ns = 0.99 * mean_ns;
    a.high_ns = 1.01 * mean_ns;
    a.clean_ns = 0.98 * mean_ns;
    a.within_sd = 0.1 * mean_ns;
    a.between_sd = 0.02 * mean_ns;
    a.min_ns = 0.9 * mean_ns;
    a.median_ns = 0.97 * mean_ns;
    a.p99_ns = 1.4 * mean_ns;
    a.max_ns = 30 * mean_ns;
    a.probe_ns = 23.1;
    a.probe_error_ns = 0.1;
    a.resolution_ns = 0.7;
    a.confidence = 0.95;
    a.level = 0.05;
    a.whole = true;
    return a;
}

static void probe(int subject, double ns)
{
    const struct estimate e = {.subject = subject,
                               .metric = "arc",
                               .statistic = "probe",
                               .method = "Student t",
                               .point = ns,
                               .low = ns - 0.2,
                               .high = ns + 0.2,
                               .confidence = 0.95,
                               .level = 0.05,
                               .n = r.rounds,
                               .n_effective = NAN};
    assert_true(record_add_estimate(&r, &e) >= 0);
}

static void shown(const char *name, const struct render_options *o)
{
    struct buf b = BUF_INIT(1 << 20);
    render_result(&r, o, &b);
    assert_int_equal(b.status, TARE_OK);
    assert_golden(name, &b);
    buf_finish(&b);
}

static void queue(const char *lost)
{
    int s = begin("./queue 1000", 12);
    int p[] = {point(s, "src/road.c", 41, "main", ""), point(s, "src/road.c", 52, "fill", "filled"),
               point(s, "src/road.c", 60, "drain", ""), point(s, "src/road.c", 90, "drop", "")};
    const struct point_passes passes[] = {{p[0], 1}, {p[1], 40}, {p[2], 40}};
    for (int i = 0; i < 12; i++) {
        run(s, i, passes, 3, i == 3 ? lost : NULL);
        passed(i, p[1], p[2]);
        passed(i, p[2], p[2]);
        if (i)
            passed(i, p[0], p[1]);
    }
    struct arc_result a = arc(s, p[1], p[2], 12 * 40, 1204, 0.612);
    a.interrupted = 2;
    a.gaps = 1;
    record_add_arc_result(&r, &a);
    a = arc(s, p[0], p[1], 12, 30.5e3, 0.387);
    a.runs_passed = 11;
    record_add_arc_result(&r, &a);
    a = arc(s, p[2], p[2], 12 * 39, 0.3, 0.001);
    a.below_resolution = true;
    a.low_ns = -0.4;
    a.high_ns = 1;
    record_add_arc_result(&r, &a);
    probe(s, 23.1);
}

static void arcs_stand_by_share_with_what_is_to_be_known_of_all(void **state)
{
    (void)state;
    queue(NULL);
    shown("trace.pipe", &(struct render_options){.unicode = true});
    shown("trace.80", &(struct render_options){.unicode = true, .width = 80});
    shown("trace.60", &(struct render_options){.unicode = true, .width = 60});
    shown("trace.40", &(struct render_options){.width = 40});
    shown("trace.quiet", &(struct render_options){.verbosity = -1});
    shown("trace.verbose", &(struct render_options){.verbosity = 1, .unicode = true, .width = 140});
    shown("trace.colour", &(struct render_options){.unicode = true, .width = 100, .colour = true});
    shown("trace.us", &(struct render_options){.time_unit = "us"});
}

static void arcs_without_a_time_are_not_said_to_have_none_of_it(void **state)
{
    (void)state;
    static const struct {
        int timed;
        const char *says;
    } cases[] = {{24, "and 4 more arcs with 4.0 % of the time; -v shows all"},
                 {22, "and 4 more arcs: 2 with 2.0 % of the time, 2 of which no time is known; -v shows all"},
                 {3, "and 4 more arcs, of which no time is known; -v shows all"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int s = begin("./many", 12), first = point(s, "a.c", 1, "f", "");
        run(s, 0, NULL, 0, NULL);
        for (int k = 0; k < 24; k++) {
            struct arc_result a = arc(s, first, point(s, "a.c", 2 + k, "f", ""), 12, 1000, 0.01);
            if (k >= cases[i].timed)
                a.share = a.total_ns = a.mean_ns = NAN;
            record_add_arc_result(&r, &a);
        }
        struct buf b = BUF_INIT(1 << 20);
        render_result(&r, &(struct render_options){.verbosity = 0}, &b);
        if (!strstr(buf_text(&b), cases[i].says))
            fail_msg("no '%s' in:\n%s", cases[i].says, buf_text(&b));
        buf_finish(&b);
        record_finish(&r);
        r = (struct record){0};
    }
}

static void what_is_lost_is_told_by_run(void **state)
{
    (void)state;
    queue("17 entries were not stored: no room was left\nthe file is shorter than its header says\n");
    shown("trace_lost", &(struct render_options){.unicode = true});
}

static void a_proof_stands_beside_the_measured_overhead(void **state)
{
    (void)state;
    queue(NULL);
    for (int i = 0; i < 2; i++) {
        struct arc_result *a = &r.traced->results[i];
        a->dilated_ns = a->mean_ns * (i ? 1.05 : 1.001);
        a->dilated_low = a->dilated_ns * 0.99;
        a->dilated_high = a->dilated_ns * 1.01;
        a->dilated_probe_ns = 24.2;
    }
    shown("trace_proof", &(struct render_options){.unicode = true});
}

/* reason: both arcs are undecided, for it; NULL: there are words. */
static void two_programs(const char *reason)
{
    int one = begin("./old", 15), other = begin("./new", 15), p[2][2];
    for (int i = 0; i < 2; i++) {
        int s = i ? other : one;
        p[i][0] = point(s, "q.c", 10 + i, "main", "begin");
        p[i][1] = point(s, "q.c", 20 + i, "main", "");
        const struct point_passes passes[] = {{p[i][0], 1}, {p[i][1], 20}};
        run(s, 0, passes, 2, NULL);
        struct arc_result a = arc(s, p[i][0], p[i][1], 15, 10e3 * (1 + 0.2 * i), 0.7);
        record_add_arc_result(&r, &a);
        a = arc(s, p[i][1], p[i][1], 15 * 19, 200, 0.3);
        record_add_arc_result(&r, &a);
    }
    for (int i = 0; i < 2; i++) {
        const struct comparison c = {.reference = one,
                                     .subject = other,
                                     .metric = "arc",
                                     .kind = METRIC_TIME,
                                     .shift = i ? 0 : log(1.2),
                                     .low = i ? -0.004 : log(1.19),
                                     .high = i ? 0.004 : log(1.21),
                                     .mean_ratio = NAN,
                                     .confidence = 0.95,
                                     .level = 0.05,
                                     .look = 1,
                                     .looks_planned = 1,
                                     .margin = 0.01,
                                     .verdict = reason ? VERDICT_UNDECIDED
                                                : i    ? VERDICT_SAME
                                                       : VERDICT_SLOWER,
                                     .reason = reason,
                                     .better = i || reason ? -1 : one,
                                     .rounds = 15,
                                     .arc = 3 + i,
                                     .reference_arc = 1 + i};
        assert_true(record_add_comparison(&r, &c) >= 0);
    }
}

static void two_programs_are_compared_arc_by_arc(void **state)
{
    (void)state;
    two_programs(NULL);
    shown("trace_two", &(struct render_options){.unicode = true});
    shown("trace_two.60", &(struct render_options){.unicode = true, .width = 60});
    shown("trace_two.verbose", &(struct render_options){.unicode = true, .width = 120, .verbosity = 1, .colour = true});
}

/* Of 200 ns that may be 300 the share is at most 45 %, and the ratio to 200 is none. */
static void bounds_have_shares_that_are_bounds_and_no_ratio(void **state)
{
    (void)state;
    two_programs("a mean is below the resolution of the probe");
    r.traced->results[3].below_resolution = true;
    r.traced->results[3].resolution_ns = 300;
    shown("trace_bounds", &(struct render_options){.unicode = true});
}

static void why_arcs_are_undecided_is_told_once(void **state)
{
    (void)state;
    static const char why[] = "the means differ by no more than the overlap bias of the probe";
    two_programs(why);
    struct buf b = BUF_INIT(1 << 20);
    render_result(&r, &(struct render_options){.verbosity = 0}, &b);
    const char *at = strstr(buf_text(&b), why);
    if (!at || strstr(at + 1, why) || !strstr(buf_text(&b), "  ! undecided: 2 arcs, the means differ"))
        fail_msg("the reason is not told once in:\n%s", buf_text(&b));
    buf_finish(&b);
}

static void a_clock_that_cannot_be_trusted_is_told(void **state)
{
    (void)state;
    queue(NULL);
    r.traced->runs[2].jumps = 1;
    r.traced->runs[2].jump_ns = -3.1e6;
    r.traced->runs[5].hz = NAN;
    r.traced->runs[6].steps = 1;
    r.traced->runs[6].step_ns = 2e9;
    shown("trace_clock", &(struct render_options){.unicode = true});
}

static void the_live_line_tells_the_widest_arc(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1 << 16);
    const struct render_options o = {.width = 100, .live = true};
    const struct render_progress progress = {.rounds = 15, .share = NAN, .groups = 1, .elapsed_s = 2, .left_s = NAN};
    const struct estimate e = {.subject = 0,
                               .metric = "arc",
                               .statistic = "arcs_half_width",
                               .method = "",
                               .point = 0.0312,
                               .low = NAN,
                               .high = NAN,
                               .n = 12};
    queue(NULL);
    assert_true(record_add_estimate(&r, &e) >= 0);
    render_live(&r, &progress, &o, &b);
    assert_non_null(strstr(buf_text(&b), "15 rounds | 2.0 s | means of arcs within +/-3.1 % so far"));
    buf_finish(&b);
}

static void names_of_points_cannot_steer_the_terminal(void **state)
{
    (void)state;
    int s = begin("./\x1b[31mred", 6);
    int a = point(s, "f\n.c", 1, "main", "two\nlines \x1b]0;x\x07"), b = point(s, "\xff", 2, "\xe2\x80\xae", "");
    const struct arc_result x = arc(s, a, b, 6, 100, 1);
    run(s, 0, &(struct point_passes){a, 1}, 1, "an \x1b[2J escape");
    record_add_arc_result(&r, &x);
    shown("trace_hostile", &(struct render_options){.unicode = true});
}

static void a_session_without_any_run_says_nothing_false(void **state)
{
    (void)state;
    begin("./queue", 0);
    r.look = 0;
    shown("trace_empty", &(struct render_options){.unicode = true});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(arcs_stand_by_share_with_what_is_to_be_known_of_all, forget),
        cmocka_unit_test_teardown(arcs_without_a_time_are_not_said_to_have_none_of_it, forget),
        cmocka_unit_test_teardown(what_is_lost_is_told_by_run, forget),
        cmocka_unit_test_teardown(a_proof_stands_beside_the_measured_overhead, forget),
        cmocka_unit_test_teardown(two_programs_are_compared_arc_by_arc, forget),
        cmocka_unit_test_teardown(bounds_have_shares_that_are_bounds_and_no_ratio, forget),
        cmocka_unit_test_teardown(why_arcs_are_undecided_is_told_once, forget),
        cmocka_unit_test_teardown(a_clock_that_cannot_be_trusted_is_told, forget),
        cmocka_unit_test_teardown(the_live_line_tells_the_widest_arc, forget),
        cmocka_unit_test_teardown(names_of_points_cannot_steer_the_terminal, forget),
        cmocka_unit_test_teardown(a_session_without_any_run_says_nothing_false, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
