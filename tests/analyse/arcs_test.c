/* SPDX-License-Identifier: MIT */
#include "arcs_record.h"
#include "rng.h"
#include "rng_normal.h"
#include "trace_format.h"
#include <math.h>
#include <stdlib.h>
#include <tare/stats.h>

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
    assert_close(result(&r, b, a)->mean_ns, 0); /* 7, of which all but 1 of 8 is taken off too */
    assert_close(result(&r, b, a)->low_ns, 7 - 8);
    assert_close(result(&r, b, a)->high_ns, 7);
    assert_close(result(&r, b, a)->clean_ns, 0);
    assert_close(result(&r, b, a)->total_high, 70);
    assert_close(result(&r, b, a)->resolution_ns, 8);
    assert_true(result(&r, b, a)->below_resolution);
    record_finish(&r);
}

/* Of an arc that shows x where an empty one shows 10 ns. */
static double mean_where_it_shows(double x)
{
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 3; i++) {
        int at = run(&r, 0, i, 1, 40);
        r.traced->runs[at].loose = 20;
        passed(&r, at, a, b, 10, (int)(2 * x) + 40);
    }
    analyse(&r, 3);
    const double mean = result(&r, a, b)->mean_ns;
    assert_close(result(&r, a, b)->low_ns, x - 10);
    assert_close(result(&r, a, b)->high_ns, x);
    record_finish(&r);
    return mean;
}

static void an_empty_arc_comes_out_next_to_nothing_and_others_as_they_are(void **state)
{
    (void)state;
    assert_close(mean_where_it_shows(10), 1);
    assert_close(mean_where_it_shows(11), 6.5);
    assert_close(mean_where_it_shows(12), 12);
    assert_close(mean_where_it_shows(30), 30);
}

static void what_the_code_around_makes_of_the_weight_is_in_both_ends_whatever_the_runs(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 3; i++) {
        int at = run(&r, 0, i, 1, 40);
        r.traced->runs[at].weight_around = 4;
        passed(&r, at, a, b, 10, 200);
    }
    analyse(&r, 3);
    const double half = tare_normal_quantile(.975) * 2;
    assert_close(result(&r, a, b)->low_ns, 80 - half);
    assert_close(result(&r, a, b)->high_ns, 80 + half);
    assert_close(result(&r, a, b)->total_high, 800 + 10 * half);
    assert_close(result(&r, a, b)->mean_error_ns, 0);
    record_finish(&r);
}

/* 30, 34 and 40 ns at most go to a neighbour. */
static void unordered_readings_open_the_interval_by_what_a_neighbour_gets(void **state)
{
    (void)state;
    static const double moved[] = {60, 68, 80};
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 3; i++) {
        int at = run(&r, 0, i, 1, 40);
        r.traced->runs[at].order = "fast";
        r.traced->runs[at].weight_moved = moved[i];
        r.traced->runs[at].loose = 16;
        passed(&r, at, a, b, 10, 54);
    }
    analyse(&r, 3);
    assert_close(result(&r, a, b)->mean_ns, 7);
    assert_close(result(&r, a, b)->low_ns, 7 - 8 - 40);
    assert_close(result(&r, a, b)->high_ns, 7 + 40);
    record_finish(&r);
}

/* 7, 8 and 9 ns: 8 with a standard error of 1 / sqrt 3, on two degrees of freedom. */
static void the_loose_part_s_own_uncertainty_is_in_low_ends_and_in_the_resolution(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 3; i++) {
        int at = run(&r, 0, i, 1, 40);
        r.traced->runs[at].loose = 14 + 2 * i;
        passed(&r, at, a, b, 10, 200);
    }
    analyse(&r, 3);
    const double half = tare_student_quantile(.975, 2) / sqrt(3);
    assert_close(result(&r, a, b)->loose_ns, 8);
    assert_close(result(&r, a, b)->loose_error_ns, 1 / sqrt(3));
    assert_close(result(&r, a, b)->low_ns, 80 - 8 - half);
    assert_close(result(&r, a, b)->high_ns, 80);
    assert_close(result(&r, a, b)->total_low, 800 - 10 * (8 + half));
    assert_close(result(&r, a, b)->resolution_ns, 8 + half);
    record_finish(&r);
}

/* An arc that takes 80 ns: written with a probe of 20 ns, 60 of its passages, and added up with one of 45, the other 40. */
static void what_was_added_up_after_room_ended_has_its_own_weight_in_every_figure(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 3; i++) {
        int at = run(&r, 0, i, 1, 40);
        r.traced->runs[at].weight_added = 90;
        passed(&r, at, a, b, 60, 200);
        passed(&r, at, a, b, 40, 250);
        r.traced->arcs[r.traced->n_arcs - 1].added = 40;
    }
    analyse(&r, 3);
    const struct arc_result *x = result(&r, a, b);
    assert_int_equal(x->n, 300);
    assert_int_equal(x->added, 120);
    assert_int_equal(x->runs_passed, 3);
    assert_close(x->mean_ns, 80);
    assert_close(x->min_ns, 80);
    assert_close(x->max_ns, 80);
    assert_close(x->median_ns, 80);
    assert_close(x->p99_ns, 80);
    assert_close(x->clean_ns, 80);
    assert_close(x->within_sd, 0);
    assert_close(x->std_ns, 0);
    assert_int_equal(record_arc_coverage(&r, 0).arcs, 1);
    assert_int_equal(record_arc_coverage(&r, 0).arcs_in_all, 1);
    record_finish(&r);
}

/* 300 passages of each kind over three bins that come to lie on each other: 215.5 units of 192 to 240, not between two humps. */
static void the_median_of_both_kinds_is_that_of_one_population(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", ""), at = run(&r, 0, 0, 1, 40);
    r.traced->runs[at].weight_added = 56;
    for (int added = 0; added < 2; added++) {
        struct arc_bin bins[3];
        int64_t sum = 0;
        for (int k = 0; k < 3; k++) {
            const int64_t units = 200 + 16 * k + 16 * added;
            bins[k] = (struct arc_bin){trace_bin((uint64_t)units), 100};
            sum += 100 * units;
        }
        record_add_traced_arc(&r, &(struct traced_arc){.run = at,
                                                       .from = a,
                                                       .to = b,
                                                       .passes = 300,
                                                       .n = 300,
                                                       .sum = sum,
                                                       .min = 200 + 16 * added,
                                                       .max = 232 + 16 * added,
                                                       .added = added ? 300 : 0,
                                                       .clean_n = 300,
                                                       .clean_sum = sum,
                                                       .bins = bins,
                                                       .n_bins = 3});
    }
    analyse(&r, 1);
    const struct arc_result *x = result(&r, a, b); /* 80, 88 and 96 ns */
    assert_close(x->min_ns, 80);
    assert_close(x->max_ns, 96);
    assert_close(x->median_ns, 215.5 / 2 - 20);
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
    assert_true(x->p99_ns >= 107 + .01 * (44980 - 107.5) && x->p99_ns <= 107.5 + .01 * (44980 - 107)); /* rank 98.01 */
    assert_close(x->min_ns, 105);
    assert_close(x->max_ns, 44980);
    assert_true(x->binned);
    record_finish(&r);
}

/* Of two calls the median is the mean, and 99 % of the way between is close to the longer. */
static void quantiles_of_few_calls_lie_between_them(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    struct arc_bin bins[] = {{trace_bin(200), 1}, {trace_bin(400), 1}};
    record_add_traced_arc(&r, &(struct traced_arc){.run = run(&r, 0, 0, 1, 0),
                                                   .from = a,
                                                   .to = b,
                                                   .passes = 2,
                                                   .n = 2,
                                                   .sum = 600,
                                                   .min = 200,
                                                   .max = 400,
                                                   .bins = bins,
                                                   .n_bins = 2});
    analyse(&r, 1);
    assert_close(result(&r, a, b)->median_ns, 150);
    assert_close(result(&r, a, b)->p99_ns, 199);
    record_finish(&r);
}

/* One call in each of three runs: the median is that of the second, whatever lies in its bin. */
static void quantiles_of_one_call_a_run_are_exact(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    const int64_t units[] = {1010, 900, 1030};
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 3; i++) {
        const struct arc_bin bin = {trace_bin((uint64_t)units[i]), 1};
        record_add_traced_arc(&r, &(struct traced_arc){.run = run(&r, 0, i, 1, 0),
                                                       .from = a,
                                                       .to = b,
                                                       .passes = 1,
                                                       .n = 1,
                                                       .sum = units[i],
                                                       .min = units[i],
                                                       .max = units[i],
                                                       .bins = &bin,
                                                       .n_bins = 1});
    }
    analyse(&r, 3);
    const struct arc_result *x = result(&r, a, b);
    assert_close(x->median_ns, 505);
    assert_close(x->p99_ns, 505 + .98 * 10);
    assert_false(x->binned);
    record_finish(&r);
}

/* ---- the proof by dilation ---- */

/* Passes that are written more than once cost a call of 6 ns besides, and each word behind the first 8 ns more than that. */
static void passes_written_more_often_weigh_what_their_own_rows_say(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
    for (int i = 0; i < 9; i++) {
        const int repeat = 1 + i % 3, weight = 40 + (repeat > 1 ? 12 : 0) + 56 * (repeat - 1);
        passed(&r, run(&r, 0, i, repeat, weight), a, b, 10, 200 + weight);
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
        passed(&r, run(&r, 0, i, repeat, 46 * repeat), a, b, 10, 100 + 50 * repeat);
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
            const double place = q[i] * (VALUES - 1), part = place - floor(place);
            const double exact = (1 - part) * (double)x[(int)place] + part * (double)x[(int)place + 1];
            if (fabs(found[i] - exact) > .125 * exact)
                fail_msg("kind %d: quantile %g is %g, and that of the values %g", round % 5, q[i], found[i], exact);
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
        cmocka_unit_test(the_loose_part_s_own_uncertainty_is_in_low_ends_and_in_the_resolution),
        cmocka_unit_test(an_empty_arc_comes_out_next_to_nothing_and_others_as_they_are),
        cmocka_unit_test(what_the_code_around_makes_of_the_weight_is_in_both_ends_whatever_the_runs),
        cmocka_unit_test(unordered_readings_open_the_interval_by_what_a_neighbour_gets),
        cmocka_unit_test(what_was_added_up_after_room_ended_has_its_own_weight_in_every_figure),
        cmocka_unit_test(the_median_of_both_kinds_is_that_of_one_population),
        cmocka_unit_test(spread_is_split_within_and_between_runs),
        cmocka_unit_test(quantiles_come_from_bins_and_stay_between_the_least_and_the_largest),
        cmocka_unit_test(quantiles_of_few_calls_lie_between_them),
        cmocka_unit_test(quantiles_of_one_call_a_run_are_exact),
        cmocka_unit_test(runs_with_more_words_a_pass_are_extrapolated_to_none),
        cmocka_unit_test(passes_written_more_often_weigh_what_their_own_rows_say),
        cmocka_unit_test(quantiles_lie_in_the_bin_of_the_value_with_their_rank),
    };
    return cmocka_run_group_tests_name("arcs", tests, NULL, NULL);
}
