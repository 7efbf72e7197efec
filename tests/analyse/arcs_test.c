/* SPDX-License-Identifier: MIT */
#include "analyse_stored.h"
#include "arcs.h"
#include "rng.h"
#include "trace_format.h"
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

#include <cmocka.h>

static void close_to(double actual, double expected, const char *what, int line)
{
    if (!(fabs(actual - expected) <= 1e-9 * fmax(1, fabs(expected))))
        fail_msg("line %d: %s is %.17g, not %.17g", line, what, actual, expected);
}
#define assert_close(actual, expected) close_to(actual, expected, #actual, __LINE__)

/* ---- a record of runs ---- */

static void begin(struct record *r, int subjects)
{
    static const char *const names[] = {"a", "b"}, *const columns[] = {"wall"};
    record_init(r);
    assert_int_equal(record_add_arc_metric(r), TARE_OK);
    assert_true(record_add_metric(r, metric_builtin_find("wall")) >= 0);
    for (int i = 0; i < subjects; i++)
        assert_int_equal(
            record_add_subject(r, &(struct subject){.kind = SUBJECT_TRACE, .name = names[i], .command = names[i]}, columns, 1),
            i);
    r->rule = (struct rule){.metric = "wall", .confidence = .95, .margin = .01, .interleaved = true, .fail_if_slower = NAN};
}

static int point(struct record *r, int subject, int line, const char *func, const char *name)
{
    return record_add_point(
        r, &(struct point){.subject = subject, .file = "/x/a.c", .func = func, .name = name, .line = line, .partner = -1});
}

static int run(struct record *r, int subject, int round, int repeat, double weight)
{
    const double wall = 1e6;
    record_append_row(r, subject, &(struct row){.round = round, .slot = subject, .start_ns = round, .values = &wall});
    return record_add_traced_run(r, &(struct traced_run){.subject = subject,
                                                         .round = round,
                                                         .clock = "tsc",
                                                         .order = "ordered",
                                                         .hz = 2e9, /* a unit is half a nanosecond */
                                                         .step = 1,
                                                         .repeat = repeat,
                                                         .weight = weight,
                                                         .weight_sd = 1,
                                                         .weight_rows = 100,
                                                         .residual_ppm = NAN});
}

/* n passages of the same time. */
static void passed(struct record *r, int of_run, int from, int to, uint64_t n, int64_t units)
{
    struct arc_bin bin = {trace_bin((uint64_t)units), n};
    record_add_traced_arc(r, &(struct traced_arc){.run = of_run,
                                                  .from = from,
                                                  .to = to,
                                                  .passes = n,
                                                  .n = n,
                                                  .sum = (int64_t)n * units,
                                                  .square_low = n * (uint64_t)units * (uint64_t)units,
                                                  .min = units,
                                                  .max = units,
                                                  .clean_n = n,
                                                  .clean_sum = (int64_t)n * units,
                                                  .bins = &bin,
                                                  .n_bins = 1});
}

static void analyse(struct record *r, int rounds)
{
    static const int both[] = {0, 1};
    const struct look look = {1, rounds, .05};
    record_clear_results(r);
    r->rule.n_looks = 1;
    r->rule.look_at[0] = rounds;
    r->rule.look_level[0] = .05;
    assert_int_equal(analyse_group(r, both, r->n_subjects, &look, NULL), TARE_OK);
}

static const struct arc_result *result(const struct record *r, int from, int to)
{
    for (int i = 0; i < r->traced->n_results; i++)
        if (r->traced->results[i].from == from && r->traced->results[i].to == to)
            return &r->traced->results[i];
    fail_msg("no result from %d to %d", from, to);
    return NULL;
}

/* ---- means ---- */

static void words_weigh_a_probe_and_unordered_ends_what_theirs_do(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", ""), c = point(&r, 0, 3, "f", "");
    for (int i = 0; i < 3; i++) {
        int of_run = run(&r, 0, i, 1, 40);
        r.traced->runs[of_run].weight_fast = 30;
        passed(&r, of_run, a, b, 10, 200);
        r.traced->arcs[r.traced->n_arcs - 1].words = 5;
        passed(&r, of_run, b, c, 10, 200);
        r.traced->arcs[r.traced->n_arcs - 1].fast = true;
        passed(&r, of_run, c, a, 10, 200);
    }
    analyse(&r, 3);
    assert_close(result(&r, a, b)->mean_ns, 100 - 20 - 10);
    assert_close(result(&r, a, b)->probe_ns, 30);
    assert_close(result(&r, a, b)->total_ns, 700);
    assert_close(result(&r, b, c)->mean_ns, 100 - 15);
    assert_close(result(&r, c, a)->mean_ns, 100 - 20);
    record_finish(&r);
}

static void the_mean_is_the_ratio_of_sums_with_runs_as_clusters(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    const uint64_t n[] = {10, 20, 30};
    const int64_t units[] = {200, 220, 210};
    for (int i = 0; i < 3; i++)
        passed(&r, run(&r, 0, i, 1, 40), a, b, n[i], units[i]);
    analyse(&r, 3);
    const struct arc_result *x = result(&r, a, b);
    /* ns: sums 1000, 2200, 3150 over 10, 20, 30; the probe 20 ns in each run alike */
    double ratio = 6350.0 / 60, e[] = {1000 - 10 * ratio, 2200 - 20 * ratio, 3150 - 30 * ratio};
    double se = sqrt(1.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2])) / 60, half = tare_student_quantile(.975, 2) * se;
    assert_close(x->mean_ns, ratio - 20);
    assert_close(x->low_ns, ratio - 20 - half);
    assert_close(x->high_ns, ratio - 20 + half);
    assert_close(x->probe_ns, 20);
    assert_close(x->total_ns, (6350.0 - 60 * 20) / 3);
    assert_close(x->share, 1);
    assert_int_equal(x->n, 60);
    assert_int_equal(x->runs, 3);
    assert_close(x->within_sd, 0);
    assert_close(x->min_ns, 80);
    assert_close(x->max_ns, 90);
    assert_false(x->below_resolution);
    record_finish(&r);
}

static void the_probe_s_uncertainty_adds_up(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    const double weight[] = {38, 40, 42};
    for (int i = 0; i < 3; i++)
        passed(&r, run(&r, 0, i, 1, weight[i]), a, b, 10, 200);
    analyse(&r, 3);
    const struct arc_result *x = result(&r, a, b);
    double error = 1 / sqrt(3), half = tare_student_quantile(.975, 2) * error; /* 19, 20, 21 ns: standard deviation 1 */
    assert_close(x->mean_ns, 80);
    assert_close(x->probe_error_ns, error);
    assert_close(x->high_ns - x->mean_ns, half);
    assert_close(x->resolution_ns, half);
    record_finish(&r);
}

static void a_weight_that_goes_with_the_run_comes_off_that_run(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    const uint64_t n[] = {10, 10, 40};
    const int64_t weight[] = {40, 44, 60}; /* 80 ns and what the probe weighs; the last run has most passages */
    for (int i = 0; i < 4; i++) {
        int at = run(&r, 0, i, 1, i < 3 ? (double)weight[i] : 1000); /* a run without the arc says nothing of it */
        if (i < 3)
            passed(&r, at, a, b, n[i], 160 + weight[i]);
    }
    analyse(&r, 4);
    const struct arc_result *x = result(&r, a, b);
    assert_close(x->mean_ns, 80);
    assert_close(x->low_ns, 80);
    assert_close(x->high_ns, 80);
    assert_close(x->clean_ns, 80);
    assert_close(x->min_ns, 80);
    assert_close(x->max_ns, 80);
    assert_close(x->probe_ns, (10 * 20 + 10 * 22 + 40 * 30) / 60.0);
    assert_close(x->total_ns, 80 * 60 / 4.0);
    assert_close(x->between_sd, 0);
    record_finish(&r);
}

/* Four runs, 120 ns a passage with 20 of the probe; some not weighed. */
static struct record half_weighed(const double *weight, double sd, int *a, int *b)
{
    struct record r;
    begin(&r, 1);
    *a = point(&r, 0, 1, "f", "");
    *b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 4; i++) {
        int at = run(&r, 0, i, 1, weight[i]);
        r.traced->runs[at].weight_sd = sd;
        passed(&r, at, *a, *b, 10, 200 + (isnan(weight[i]) ? 40 : (int64_t)weight[i]));
    }
    analyse(&r, 4);
    return r;
}

static void runs_not_weighed_take_the_others_weight_and_its_doubt(void **state)
{
    (void)state;
    int a, b;
    struct record r = half_weighed((const double[]){38, 42, NAN, NAN}, 1, &a, &b);
    const struct arc_result *x = result(&r, a, b);
    double error = .5 * sqrt(2.0) / sqrt(2), half = tare_student_quantile(.975, 1) * error; /* 19 and 21 ns */
    assert_close(x->mean_ns, 100);
    assert_close(x->high_ns - x->mean_ns, half);
    assert_close(x->total_ns, 1000);
    assert_close(x->total_high - x->total_ns, half * 10);
    record_finish(&r);
}

static void a_doubt_of_the_probe_that_is_not_known_gives_no_interval(void **state)
{
    (void)state;
    int a, b;
    struct record r = half_weighed((const double[]){40, NAN, NAN, NAN}, NAN, &a, &b);
    const struct arc_result *x = result(&r, a, b);
    assert_close(x->mean_ns, 100);
    assert_true(isinf(x->low_ns) && isinf(x->high_ns));
    assert_true(isinf(x->total_low) && isinf(x->total_high));
    assert_true(isnan(x->resolution_ns));
    assert_non_null(x->reason);
    const struct estimate *probe = record_estimate(&r, 0, ARCS_METRIC, "probe");
    assert_true(isinf(probe->low) && isinf(probe->high));
    record_finish(&r);
}

static void one_run_gives_no_interval_and_says_why(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    passed(&r, run(&r, 0, 0, 1, 40), a, b, 10, 200);
    analyse(&r, 1);
    const struct arc_result *x = result(&r, a, b);
    assert_close(x->mean_ns, 80);
    assert_true(isinf(x->low_ns) && isinf(x->high_ns));
    assert_non_null(x->reason);
    assert_non_null(record_estimate(&r, 0, ARCS_METRIC, ARCS_HALF_WIDTH)->reason);
    record_finish(&r);
}

static void arcs_that_only_some_runs_passed_are_of_those_runs(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 4; i++) {
        int at = run(&r, 0, i, 1, 0);
        passed(&r, at, a, b, 10, 2000);
        if (i % 2)
            passed(&r, at, b, a, 5, 400 + i);
    }
    analyse(&r, 4);
    const struct arc_result *x = result(&r, b, a);
    assert_int_equal(x->runs, 4);
    assert_int_equal(x->runs_passed, 2);
    assert_close(x->mean_ns, 201);
    assert_close(x->total_ns, 10 * 201 / 4.0);
    assert_true(isfinite(x->high_ns));
    assert_close(x->share, 502.5 / (502.5 + 10000));
    assert_int_equal(r.traced->results[0].from, a); /* the largest share first */
    record_finish(&r);
}

static void less_than_the_resolution_is_said_to_be(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 5; i++)
        passed(&r, run(&r, 0, i, 1, 40 + i % 2), a, b, 10, 41);
    analyse(&r, 5);
    assert_true(result(&r, a, b)->below_resolution);
    assert_true(result(&r, a, b)->resolution_ns >= .5); /* a step of the clock at least */
    record_finish(&r);
}

static void what_four_stamps_leave_is_taken_off(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 3; i++) {
        int at = run(&r, 0, i, 1, 10);
        r.traced->runs[at].order = "precise";
        r.traced->runs[at].weight_word = 20;
        passed(&r, at, a, b, 10, 200);
        passed(&r, at, b, a, 10, 200);
        r.traced->arcs[r.traced->n_arcs - 1].words = 20;
    }
    analyse(&r, 3);
    assert_close(result(&r, a, b)->mean_ns, 100 - 5);
    assert_close(result(&r, a, b)->probe_ns, 5);
    assert_close(result(&r, b, a)->mean_ns, 100 - 5 - 2 * 10);
    record_finish(&r);
}

static void passages_that_the_program_added_up_have_a_weight_of_their_own(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 3; i++) {
        int at = run(&r, 0, i, 1, 40);
        r.traced->runs[at].weight_added = i == 1 ? 0 : 60; /* a run without takes the mean of the others */
        passed(&r, at, a, b, 10, 200);
        r.traced->arcs[r.traced->n_arcs - 1].added = 5;
    }
    analyse(&r, 3);
    assert_close(result(&r, a, b)->mean_ns, 100 - (20 + 30) / 2.);
    record_finish(&r);
}

static void the_loose_part_of_a_probe_is_in_low_ends_and_in_the_resolution(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 3; i++) {
        int at = run(&r, 0, i, 1, 40);
        r.traced->runs[at].loose = 16;
        passed(&r, at, a, b, 10, 200);
        passed(&r, at, b, a, 10, 54);
    }
    analyse(&r, 3);
    assert_close(result(&r, a, b)->mean_ns, 80);
    assert_close(result(&r, a, b)->low_ns, 72);
    assert_close(result(&r, a, b)->high_ns, 80);
    assert_close(result(&r, a, b)->total_low, 720);
    assert_close(result(&r, a, b)->loose_ns, 8);
    assert_false(result(&r, a, b)->below_resolution);
    assert_close(result(&r, b, a)->mean_ns, 7);
    assert_close(result(&r, b, a)->resolution_ns, 8);
    assert_true(result(&r, b, a)->below_resolution);
    record_finish(&r);
}

static void spread_is_split_within_and_between_runs(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 2; i++) { /* units 200 +- 20 and 400 +- 20, two passages each */
        int at = run(&r, 0, i, 1, 0);
        int64_t middle = i ? 400 : 200;
        struct arc_bin bins[] = {{trace_bin((uint64_t)middle - 20), 1}, {trace_bin((uint64_t)middle + 20), 1}};
        record_add_traced_arc(&r, &(struct traced_arc){.run = at,
                                                       .from = a,
                                                       .to = b,
                                                       .passes = 2,
                                                       .n = 2,
                                                       .sum = 2 * middle,
                                                       .square_low = (uint64_t)(2 * middle * middle + 800),
                                                       .min = middle - 20,
                                                       .max = middle + 20,
                                                       .clean_n = 2,
                                                       .clean_sum = 2 * middle,
                                                       .bins = bins,
                                                       .n_bins = 2});
    }
    analyse(&r, 2);
    const struct arc_result *x = result(&r, a, b);
    /* ns: 90 110 190 210 */
    assert_close(x->var_ns2, (3600 + 1600 + 1600 + 3600) / 3.0);
    assert_close(x->within_sd, sqrt(200));
    assert_close(x->between_sd, sqrt(5000 - 200 / 2.0));
    record_finish(&r);
}

static void quantiles_come_from_bins_and_stay_between_the_least_and_the_largest(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    struct arc_bin bins[] = {{trace_bin(250), 99}, {trace_bin(90000), 1}}; /* 240 to 255 units, 250 the least that came */
    record_add_traced_arc(&r, &(struct traced_arc){.run = run(&r, 0, 0, 1, 40),
                                                   .from = a,
                                                   .to = b,
                                                   .passes = 100,
                                                   .n = 100,
                                                   .sum = 99 * 252 + 90000,
                                                   .min = 250,
                                                   .max = 90000,
                                                   .bins = bins,
                                                   .n_bins = 2});
    analyse(&r, 1);
    const struct arc_result *x = result(&r, a, b);
    assert_true(x->median_ns >= 105 && x->median_ns <= 107.5);
    assert_true(x->p99_ns >= 107 && x->p99_ns <= 107.5);
    assert_close(x->min_ns, 105);
    assert_close(x->max_ns, 44980);
    record_finish(&r);
}

/* ---- the proof by dilation ---- */

/* Words behind others weigh 8 ns more than the first. */
static void words_behind_others_weigh_their_loose_part_too(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 9; i++) {
        int repeat = 1 + i % 3, at = run(&r, 0, i, repeat, 40);
        r.traced->runs[at].loose = 16;
        passed(&r, at, a, b, 10, 200 + 40 + 56 * (repeat - 1));
    }
    analyse(&r, 9);
    const struct arc_result *x = result(&r, a, b);
    assert_close(x->mean_ns, 100);
    assert_close(x->dilated_ns, 100);
    assert_close(x->dilated_probe_ns, 20);
    record_finish(&r);
}

static void runs_with_more_words_a_pass_are_extrapolated_to_none(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 9; i++) {
        int repeat = 1 + i % 3;
        passed(&r, run(&r, 0, i, repeat, 46), a, b, 10, 100 + 50 * repeat);
    }
    analyse(&r, 9);
    const struct arc_result *x = result(&r, a, b);
    assert_close(x->dilated_ns, 50);
    assert_close(x->dilated_probe_ns, 25);
    assert_close(x->mean_ns, 75 - 23); /* of the runs with one word alone */
    assert_int_equal(x->runs, 3);
    assert_int_equal(x->n, 30);
    record_finish(&r);
}

/* ---- points of two builds ---- */

static void points_are_matched_by_name_or_by_order_in_their_function(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int a[] = {point(&r, 0, 10, "f", ""), point(&r, 0, 20, "f", ""), point(&r, 0, 30, "g", "load"), point(&r, 0, 40, "h", "")};
    int b[] = {point(&r, 1, 13, "f", ""), point(&r, 1, 29, "f", ""), point(&r, 1, 99, "k", "load"), point(&r, 1, 50, "i", "")};
    int of[8];
    assert_int_equal(arc_matches(&r, 0, 1, of), TARE_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(of[b[i]], a[i]);
    assert_int_equal(of[b[3]], -1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(of[a[i]], -1);
    record_finish(&r);
}

static void two_builds_are_compared_arc_by_arc(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int p[2][3];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 3; i++)
            p[s][i] = point(&r, s, 10 * i + s, "f", "");
    for (int i = 0; i < 12; i++)
        for (int s = 0; s < 2; s++) {
            int at = run(&r, s, i, 1, 40);
            passed(&r, at, p[s][0], p[s][1], 100, 2000 + i);
            passed(&r, at, p[s][1], p[s][2], 100, (s ? 1200 : 1000) + i);
        }
    analyse(&r, 12);
    int same = 0, slower = 0;
    for (int i = 0; i < r.n_comparisons; i++) {
        const struct comparison *c = &r.comparisons[i];
        if (!c->arc)
            continue;
        const struct arc_result *own = &r.traced->results[c->arc - 1], *other = &r.traced->results[c->reference_arc - 1];
        assert_int_equal(own->subject, 1);
        assert_int_equal(other->subject, 0);
        assert_int_equal(c->rounds, 12);
        if (own->from == p[1][0]) {
            assert_int_equal(c->verdict, VERDICT_SAME);
            same++;
        } else {
            assert_int_equal(c->verdict, VERDICT_SLOWER);
            assert_true(c->shift > log(1.2) && c->shift < log(1.23)); /* the probe is no part of either */
            slower++;
        }
    }
    assert_int_equal(same, 1);
    assert_int_equal(slower, 1);
    record_finish(&r);
}

/* 20 ns more, of which 30 may be what the work of one hides of the probe and that of the other does not. */
static void a_difference_within_the_loose_part_of_the_probe_has_no_word(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int p[2][3];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 3; i++)
            p[s][i] = point(&r, s, 10 * i + s, "f", "");
    for (int i = 0; i < 12; i++)
        for (int s = 0; s < 2; s++) {
            int at = run(&r, s, i, 1, 40);
            r.traced->runs[at].loose = 60;
            passed(&r, at, p[s][0], p[s][1], 100, (s ? 240 : 200) + i);
            passed(&r, at, p[s][1], p[s][2], 100, (s ? 280 : 200) + i);
        }
    analyse(&r, 12);
    int seen = 0;
    for (int i = 0; i < r.n_comparisons; i++) {
        const struct comparison *c = &r.comparisons[i];
        if (!c->arc)
            continue;
        bool within = r.traced->results[c->arc - 1].from == p[1][0];
        assert_true(c->low > 0); /* by the pairs alone both are slower */
        assert_int_equal(c->verdict, within ? VERDICT_UNDECIDED : VERDICT_SLOWER);
        assert_int_equal(c->better, within ? -1 : 0);
        assert_int_equal(c->sign_proven, !within);
        seen++;
    }
    assert_int_equal(seen, 2);
    record_finish(&r);
}

static void one_program_whose_probe_was_not_weighed_has_no_word(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int p[2][2];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 2; i++)
            p[s][i] = point(&r, s, 10 * i, "f", "");
    for (int i = 0; i < 12; i++)
        for (int s = 0; s < 2; s++)
            passed(&r, run(&r, s, i, 1, s ? NAN : 40), p[s][0], p[s][1], 100, 200 + i);
    analyse(&r, 12);
    int seen = 0;
    for (int i = 0; i < r.n_comparisons; i++) {
        if (!r.comparisons[i].arc)
            continue;
        seen++;
        assert_int_equal(r.comparisons[i].verdict, VERDICT_UNDECIDED);
        assert_int_equal(r.comparisons[i].better, -1);
        assert_non_null(r.comparisons[i].reason);
    }
    assert_int_equal(seen, 1);
    record_finish(&r);
}

/* ---- two sessions ---- */

static void session_of_one_arc(struct record *r, double mean, double error, double df)
{
    begin(r, 1);
    int a = point(r, 0, 1, "f", ""), b = point(r, 0, 2, "f", "");
    for (int i = 0; i < 3; i++)
        passed(r, run(r, 0, i, 1, 40), a, b, 10, 200);
    struct arc_result x;
    arc_result_init(&x, 0, a, b);
    x.runs = x.runs_passed = 3;
    x.mean_ns = mean;
    x.mean_error_ns = error;
    x.mean_df = df;
    x.level = .05;
    x.low_ns = mean - 1; /* what a reader of older files would go by */
    x.high_ns = mean + 1;
    x.passes = x.n = 30;
    assert_true(record_add_arc_result(r, &x) >= 0);
}

/* By numerical integration of Student's density: t(.975, 19.3417) = 2.0905239894. */
static void stored_sessions_are_compared_by_each_mean_s_own_error_and_freedom(void **state)
{
    (void)state;
    struct record old, new, out;
    session_of_one_arc(&old, 200, 4, 7.3);
    session_of_one_arc(&new, 230, 5, 12.8);
    record_init(&out);
    const struct stored_question q = {
        .confidence = .95, .margin = .01, .fail_if_slower = NAN, .names = {"old", "new"}, .assume_no_drift = true};
    assert_int_equal(analyse_stored(&out, &old, &new, &q, NULL), TARE_OK);
    assert_int_equal(out.n_comparisons, 1);
    const struct comparison *c = &out.comparisons[0];
    assert_close(c->shift, 0.13976194237515863);
    assert_close(c->low, 0.07800863539908837);
    assert_close(c->high, 0.2015152493512289);
    if (fabs(c->p - 0.0001389196746557353) > 1e-12)
        fail_msg("p is %.17g, not 0.0001389196746557353", c->p);
    assert_int_equal(c->verdict, VERDICT_SLOWER);
    record_finish(&old);
    record_finish(&new);
    record_finish(&out);
}

static enum verdict word_on_stored(double old_loose, bool below)
{
    struct record old, new, out;
    session_of_one_arc(&old, 200, 4, 7.3);
    session_of_one_arc(&new, 230, 5, 12.8);
    old.traced->results[0].loose_ns = old_loose;
    new.traced->results[0].below_resolution = below;
    record_init(&out);
    const struct stored_question q = {
        .confidence = .95, .margin = .01, .fail_if_slower = NAN, .names = {"old", "new"}, .assume_no_drift = true};
    assert_int_equal(analyse_stored(&out, &old, &new, &q, NULL), TARE_OK);
    assert_int_equal(out.n_comparisons, 1);
    enum verdict word = out.comparisons[0].verdict;
    record_finish(&old);
    record_finish(&new);
    record_finish(&out);
    return word;
}

static void stored_means_have_no_word_below_resolution_or_within_the_loose_part(void **state)
{
    (void)state;
    assert_int_equal(word_on_stored(29, false), VERDICT_SLOWER);
    assert_int_equal(word_on_stored(31, false), VERDICT_UNDECIDED);
    assert_int_equal(word_on_stored(0, true), VERDICT_UNDECIDED);
}

static void without_error_and_freedom_they_are_compared_by_the_interval(void **state)
{
    (void)state;
    struct record old, new, out;
    session_of_one_arc(&old, 200, NAN, NAN);
    session_of_one_arc(&new, 230, NAN, NAN);
    record_init(&out);
    const struct stored_question q = {.confidence = .95, .margin = .01, .fail_if_slower = NAN, .names = {"old", "new"}};
    assert_int_equal(analyse_stored(&out, &old, &new, &q, NULL), TARE_OK);
    const struct comparison *c = &out.comparisons[0];
    const double t = tare_student_quantile(.975, 2), u = 1 / t / 200, v = 1 / t / 230, both = hypot(u, v);
    const double freedom = pow(both, 4) / (pow(u, 4) / 2 + pow(v, 4) / 2);
    assert_close(c->high - c->shift, tare_student_quantile(.975, freedom) * both);
    assert_int_equal(c->verdict, VERDICT_UNDECIDED);
    record_finish(&old);
    record_finish(&new);
    record_finish(&out);
}

/* ---- how far quantiles from bins may be off ---- */

enum { VALUES = 2000 };

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static int64_t draw(struct rng *rng, int kind)
{
    const double u = rng_uniform(rng), z = rng_normal(rng);
    return (int64_t)(kind == 0   ? 40 + 40 * u                        /* even */
                     : kind == 1 ? 300 * exp(.5 * z)                  /* skewed */
                     : kind == 2 ? (u < .6 ? 50 : 900) * exp(.05 * z) /* two humps */
                     : kind == 3 ? 20 / pow(u + 1e-9, .8)             /* a long tail */
                                 : 1000000 + 1000 * fabs(z));         /* narrow and far out */
}

/* Each lies in the bin of the value that has its rank. A bin is an eighth of its octave wide: at most 12.5 % of what is in it. */
static void quantiles_lie_in_the_bin_of_the_value_with_their_rank(void **state)
{
    (void)state;
    struct rng rng = rng_seeded(7);
    for (int round = 0; round < 50; round++) {
        struct record r;
        int64_t x[VALUES];
        uint64_t in[TRACE_HISTOGRAM] = {0};
        struct arc_bin bins[TRACE_HISTOGRAM];
        struct traced_arc a = {.from = 0, .to = 1, .passes = VALUES, .n = VALUES, .clean_n = VALUES, .bins = bins};
        begin(&r, 1);
        point(&r, 0, 1, "f", "");
        point(&r, 0, 2, "f", "");
        a.run = run(&r, 0, 0, 1, 0);
        for (int i = 0; i < VALUES; i++) {
            x[i] = draw(&rng, round % 5);
            a.sum += x[i];
            in[trace_bin((uint64_t)x[i])]++;
        }
        qsort(x, VALUES, sizeof *x, by_value);
        a.clean_sum = a.sum;
        a.min = x[0];
        a.max = x[VALUES - 1];
        for (int i = 0; i < TRACE_HISTOGRAM; i++)
            if (in[i])
                bins[a.n_bins++] = (struct arc_bin){i, in[i]};
        record_add_traced_arc(&r, &a);
        analyse(&r, 1);
        const double median = result(&r, 0, 1)->median_ns * 2, p99 = result(&r, 0, 1)->p99_ns * 2; /* units */
        const double found[] = {median, p99}, q[] = {.5, .99};
        for (int i = 0; i < 2; i++) {
            const int64_t exact = x[(int)(q[i] * (VALUES - 1))];
            if (trace_bin((uint64_t)(found[i] + 1e-9)) != trace_bin((uint64_t)exact) ||
                fabs(found[i] - (double)exact) > .125 * (double)exact)
                fail_msg("kind %d: quantile %g is %g, and the value of that rank is %lld", round % 5, q[i], found[i],
                         (long long)exact);
        }
        record_finish(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_weigh_a_probe_and_unordered_ends_what_theirs_do),
        cmocka_unit_test(the_mean_is_the_ratio_of_sums_with_runs_as_clusters),
        cmocka_unit_test(the_probe_s_uncertainty_adds_up),
        cmocka_unit_test(a_weight_that_goes_with_the_run_comes_off_that_run),
        cmocka_unit_test(runs_not_weighed_take_the_others_weight_and_its_doubt),
        cmocka_unit_test(a_doubt_of_the_probe_that_is_not_known_gives_no_interval),
        cmocka_unit_test(one_run_gives_no_interval_and_says_why),
        cmocka_unit_test(arcs_that_only_some_runs_passed_are_of_those_runs),
        cmocka_unit_test(less_than_the_resolution_is_said_to_be),
        cmocka_unit_test(what_four_stamps_leave_is_taken_off),
        cmocka_unit_test(passages_that_the_program_added_up_have_a_weight_of_their_own),
        cmocka_unit_test(the_loose_part_of_a_probe_is_in_low_ends_and_in_the_resolution),
        cmocka_unit_test(spread_is_split_within_and_between_runs),
        cmocka_unit_test(quantiles_come_from_bins_and_stay_between_the_least_and_the_largest),
        cmocka_unit_test(runs_with_more_words_a_pass_are_extrapolated_to_none),
        cmocka_unit_test(words_behind_others_weigh_their_loose_part_too),
        cmocka_unit_test(points_are_matched_by_name_or_by_order_in_their_function),
        cmocka_unit_test(two_builds_are_compared_arc_by_arc),
        cmocka_unit_test(a_difference_within_the_loose_part_of_the_probe_has_no_word),
        cmocka_unit_test(one_program_whose_probe_was_not_weighed_has_no_word),
        cmocka_unit_test(stored_means_have_no_word_below_resolution_or_within_the_loose_part),
        cmocka_unit_test(stored_sessions_are_compared_by_each_mean_s_own_error_and_freedom),
        cmocka_unit_test(without_error_and_freedom_they_are_compared_by_the_interval),
        cmocka_unit_test(quantiles_lie_in_the_bin_of_the_value_with_their_rank),
    };
    return cmocka_run_group_tests_name("arcs", tests, NULL, NULL);
}
