/* SPDX-License-Identifier: MIT
 *
 * From tables of values to numbers and words. Reference values are those of the project's notes on statistics, section 4.
 */
#include "rng.h"
#include "tabled_record.h"
#include "verdict.h"
#include <math.h>
#include <tare/stats.h>

static const double PUBLISHED = 1e-10; /* the notes give eleven or twelve digits, the last of them not always rounded */

static void repeat(double *out, int n, double value)
{
    for (int i = 0; i < n; i++)
        out[i] = value;
}

/* A two-command record of n rounds: the reference's values and, after them, the subject's. */
static struct record two(const char *metric, int n, const double *values)
{
    struct record r;
    tabled_record(&r, metric, 2, n, values);
    return r;
}

static const struct comparison *analysed(struct record *r, int rounds)
{
    struct look look = tabled_look(rounds, 0.05);
    tabled_analyse(r, &look);
    return tabled_comparison(r, 0);
}

/* ---- known numbers ---- */

static void times_are_compared_by_the_hodges_lehmann_log_ratio_with_fieller_beside_it(void **state)
{
    (void)state;
    const double values[] = {10.1, 9.9, 10.0, 10.3, 9.8, 10.2, 10.4, 10.1, 10.3, 10.6, 10.0, 10.5};
    struct record r = two("wall", 6, values);
    const struct comparison *c = analysed(&r, 6);
    assert_int_equal(c->kind, METRIC_TIME);
    assert_close(exp(c->shift), 1.02519286389, PUBLISHED);
    assert_close(exp(c->low), 1.02020202020, PUBLISHED);
    assert_close(exp(c->high), 1.03, PUBLISHED);
    assert_close(c->mean_ratio, 1.02653399668, PUBLISHED);
    assert_close(c->mean_low, 1.02148375255, PUBLISHED);
    assert_close(c->mean_high, 1.03142997306, PUBLISHED);
    assert_int_equal(c->verdict, VERDICT_SLOWER);
    assert_true(c->sign_proven && c->beyond_margin);
    assert_int_equal(c->better, 0);
    assert_int_equal(c->rounds, 6);
    assert_null(c->reason);
    record_finish(&r);
}

static void counts_are_compared_by_the_hodges_lehmann_difference(void **state)
{
    (void)state;
    const double values[] = {.878, .647, .598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29, /* Hollander and Wolfe, y and x */
                             1.83, .50,  1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    struct record r = two("depression", 9, values);
    struct look look = tabled_look(9, 0.0390625);
    tabled_analyse(&r, &look);
    const struct comparison *c = tabled_comparison(&r, 0);
    assert_int_equal(c->kind, METRIC_COUNT);
    assert_close(c->shift, .46, 1e-12);
    assert_close(c->low, .010, 1e-12);
    assert_close(c->high, .786, 1e-12);
    assert_close(c->margin, 0.01 * 1.06, 1e-12);
    assert_close(c->mean_ratio, 15.90 / 12.013, 1e-9); /* all are positive */
    assert_int_equal(c->verdict, VERDICT_HIGHER);
    record_finish(&r);
}

static void the_mean_has_students_interval(void **state)
{
    (void)state;
    const double sleep[] = {-1.2, -2.4, -1.3, -1.3, 0, -1.0, -1.8, -.8, -4.6, -1.4};
    struct record r;
    tabled_record(&r, "hours", 1, 10, sleep);
    struct look look = tabled_look(10, 0.05);
    tabled_analyse(&r, &look);
    const struct estimate *mean = tabled_estimate(&r, 0, "mean"), *median = tabled_estimate(&r, 0, "median");
    assert_close(mean->point, -1.58, 1e-12);
    assert_close(mean->low, -2.45988576325, PUBLISHED);
    assert_close(mean->high, -.70011423675, PUBLISHED);
    assert_string_equal(mean->method, "Student t");
    assert_close(median->point, -1.3, 1e-12);
    assert_close(median->low, -2.4, 0); /* ranks 2 and 9 of 10 */
    assert_close(median->high, -.8, 0);
    assert_string_equal(median->method, "order statistics");
    assert_int_equal(r.n_comparisons, 0);
    record_finish(&r);
}

static void quantiles_are_given_from_36_rounds_on(void **state)
{
    (void)state;
    double values[36];
    for (int i = 0; i < 36; i++)
        values[i] = 36 - i;
    for (int n = 35; n <= 36; n++) {
        struct record r;
        tabled_record(&r, "wall", 1, n, values + 36 - n); /* 1 .. n */
        struct look look = tabled_look(n, 0.05);
        tabled_analyse(&r, &look);
        assert_close(tabled_estimate(&r, 0, "min")->point, 1, 0);
        assert_close(tabled_estimate(&r, 0, "max")->point, n, 0);
        assert_close(tabled_estimate(&r, 0, "stddev")->point, sqrt(n * (n + 1.0) / 12), 1e-12);
        const struct estimate *p10 = record_estimate(&r, 0, "wall", "p10"), *p90 = record_estimate(&r, 0, "wall", "p90");
        assert_true((n == 36) == (p10 && p90));
        if (p10 && p90) {
            assert_close(p10->point, 4.5, 1e-12);
            assert_close(p90->point, 32.5, 1e-12);
        }
        record_finish(&r);
    }
}

/* ---- scales and margins ---- */

/* The reference takes `x` in each of ten rounds, the subject `x + d`. */
static struct record shifted(const char *metric, double x, double d)
{
    double values[20];
    repeat(values, 10, x);
    repeat(values + 10, 10, x + d);
    return two(metric, 10, values);
}

static void the_margin_of_counts_is_a_share_of_the_references_median(void **state)
{
    (void)state;
    struct record r = shifted("faults", 100, 3);
    const struct comparison *c = analysed(&r, 10);
    assert_close(c->margin, 1, 1e-12);
    assert_int_equal(c->verdict, VERDICT_HIGHER);
    assert_true(c->beyond_margin);
    r.rule.margin = 0.05;
    c = analysed(&r, 10);
    assert_close(c->margin, 5, 1e-12);
    assert_int_equal(c->verdict, VERDICT_SAME);
    assert_true(c->sign_proven && !c->beyond_margin);
    assert_int_equal(c->better, 0);
    record_finish(&r);
}

static void ratios_of_values_that_half_a_step_reaches_are_unbounded(void **state)
{
    (void)state;
    const double least[][2] = {{1, 4}, {4, 1}, {0.5, 4}, {4, 0.5}, {1, 1}, {0.5, 0.5}};
    for (int k = 0; k < 6; k++) {
        const struct printed p = {.step = 2, .one = least[k][0], .other = least[k][1]};
        struct tare_interval i = {.point = 0.288, .low = 0.1, .high = 0.4};
        assert_true(printed_open(&p, METRIC_TIME, &i));
        assert_true(i.low == -INFINITY && i.high == INFINITY);
        i = (struct tare_interval){.point = 1, .low = 0, .high = 1};
        assert_true(printed_open(&p, METRIC_COUNT, &i));
        assert_close(i.low, -2, 0);
        assert_close(i.high, 3, 0);
    }
    const struct printed p = {.step = 2, .one = 3, .other = 3};
    struct tare_interval i = {.point = 0, .low = 0, .high = 0};
    assert_true(printed_open(&p, METRIC_TIME, &i));
    assert_close(i.low, -log(2), 1e-12);
    assert_close(i.high, log(2), 1e-12);
}

/* What such a clock reads of so many ns from a drawn moment on. */
static double read_in_steps(double ns, double step, struct rng *rng)
{
    const double began = step * rng_uniform(rng);
    return step * (floor((began + ns) / step) - floor(began / step));
}

/* 2000 sessions of 15 and 15 times of 33 and 36.3 ms: by a clock of 15.625 ms it is seen wherever a side has two readings, by one of 1 ns never. */
static void a_clock_coarser_than_its_digits_is_seen_where_its_times_repeat(void **state)
{
    enum { SESSIONS = 2000, N = 15 };
    static const double coarse = 15625000;
    (void)state;
    struct rng rng = rng_seeded(18);
    int seen = 0, differ = 0, mistaken = 0;
    for (int i = 0; i < SESSIONS; i++) {
        double times[2][2][N]; /* coarse or fine, side */
        bool varies = false;
        for (int k = 0; k < 2 * N; k++) {
            const double ns = (k < N ? 33e6 : 36.3e6) * (1 + 0.02 * (rng_uniform(&rng) - 0.5));
            times[0][k / N][k % N] = read_in_steps(ns, coarse, &rng);
            times[1][k / N][k % N] = read_in_steps(ns, 1, &rng);
            varies = varies || times[0][k / N][k % N] != times[0][k / N][0];
        }
        struct printed p[2];
        for (int k = 0; k < 2; k++)
            p[k] = printed_values(metric_builtin_find("wall"), true, NAN, &(struct values){times[k][0], N},
                                  &(struct values){times[k][1], N});
        seen += p[0].step >= coarse;
        mistaken += p[1].step > 0;
        differ += varies;
    }
    assert_true(differ > SESSIONS / 2);
    assert_int_equal(seen, differ);
    assert_int_equal(mistaken, 0);
}

static void equal_differences_give_an_interval_of_no_width(void **state)
{
    (void)state;
    struct record r = shifted("faults", 100, -3);
    const struct comparison *c = analysed(&r, 10);
    assert_close(c->shift, -3, 0);
    assert_close(c->low, -3, 0);
    assert_close(c->high, -3, 0);
    assert_int_equal(c->verdict, VERDICT_LOWER);
    assert_int_equal(c->better, 1);
    record_finish(&r);
    r = shifted("faults", 7, 0);
    c = analysed(&r, 10);
    assert_close(c->low, 0, 0);
    assert_close(c->high, 0, 0);
    assert_int_equal(c->verdict, VERDICT_SAME);
    assert_int_equal(c->better, -1);
    record_finish(&r);
}

static void an_absolute_margin_is_in_the_metrics_own_unit(void **state)
{
    (void)state;
    static const struct {
        const char *metric, *unit;
        enum verdict more;
    } cases[] = {{"wall", "ns", VERDICT_SLOWER}, {"rss", "bytes", VERDICT_HIGHER}, {"ctx", "1", VERDICT_HIGHER}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r = shifted(cases[i].metric, 1e6, 4096);
        r.rule.margin_unit = cases[i].unit;
        r.rule.margin = 5000;
        const struct comparison *c = analysed(&r, 10);
        assert_int_equal(c->kind, METRIC_COUNT);
        assert_close(c->shift, 4096, 0);
        assert_close(c->margin, 5000, 0);
        assert_int_equal(c->verdict, VERDICT_SAME);
        r.rule.margin = 4096;
        c = analysed(&r, 10);
        assert_int_equal(c->verdict, cases[i].more);
        assert_true(c->beyond_margin); /* at the margin is beyond it */
        r.rule.margin = 4097;
        c = analysed(&r, 10);
        assert_int_equal(c->verdict, VERDICT_SAME);
        record_finish(&r);
    }
}

static void times_that_are_not_all_positive_are_compared_by_difference(void **state)
{
    (void)state;
    const double values[] = {4, 4, 0, 4, 4, 4, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8};
    struct record r = two("sys", 10, values);
    const struct comparison *c = analysed(&r, 10);
    assert_int_equal(c->kind, METRIC_COUNT);
    assert_close(c->shift, 4, 0);
    assert_close(c->margin, 0.04, 1e-12);
    assert_int_equal(c->verdict, VERDICT_SLOWER);
    record_finish(&r);
}

static void a_reference_of_zero_needs_an_absolute_margin(void **state)
{
    (void)state;
    const double values[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 2, -2, 0, 1, -1, 3, -3, 0};
    struct record r = two("faults", 10, values);
    const struct comparison *c = analysed(&r, 10);
    assert_int_equal(c->verdict, VERDICT_UNDECIDED);
    assert_true(isnan(c->margin));
    assert_string_equal(c->reason, "the reference's median is 0: give an absolute --margin");
    r.rule.margin_unit = "1";
    r.rule.margin = 10;
    c = analysed(&r, 10);
    assert_int_equal(c->verdict, VERDICT_SAME);
    assert_null(c->reason);
    record_finish(&r);
}

static void more_may_be_better_or_mean_nothing(void **state)
{
    (void)state;
    struct record r = shifted("rate", 100, 3);
    r.metrics[0].direction = METRIC_HIGHER;
    assert_int_equal(analysed(&r, 10)->better, 1);
    r.metrics[0].direction = METRIC_NEUTRAL;
    assert_int_equal(analysed(&r, 10)->better, -1);
    assert_int_equal(tabled_comparison(&r, 0)->verdict, VERDICT_HIGHER);
    record_finish(&r);
}

/* ---- words ---- */

static void words_are_read_from_an_interval_in_this_order(void **state)
{
    (void)state;
    static const struct {
        double low, high, limit;
        enum verdict time, other;
    } cases[] = {
        {-.009, .009, .01, VERDICT_SAME, VERDICT_SAME},
        {.001, .009, .01, VERDICT_SAME, VERDICT_SAME}, /* a sign that is proven and does not matter */
        {-.009, -.001, .01, VERDICT_SAME, VERDICT_SAME},
        {0, 0, .01, VERDICT_SAME, VERDICT_SAME},
        {-.01, .009, .01, VERDICT_UNDECIDED, VERDICT_UNDECIDED}, /* the margin itself is outside */
        {-.009, .01, .01, VERDICT_UNDECIDED, VERDICT_UNDECIDED},
        {.001, .01, .01, VERDICT_SLOWER, VERDICT_HIGHER},
        {-.01, -.001, .01, VERDICT_FASTER, VERDICT_LOWER},
        {.01, .02, .01, VERDICT_SLOWER, VERDICT_HIGHER},
        {-.02, -.01, .01, VERDICT_FASTER, VERDICT_LOWER},
        {0, .02, .01, VERDICT_UNDECIDED, VERDICT_UNDECIDED}, /* 0 is not excluded */
        {-.02, 0, .01, VERDICT_UNDECIDED, VERDICT_UNDECIDED},
        {-.02, .02, .01, VERDICT_UNDECIDED, VERDICT_UNDECIDED},
        {0, 0, 0, VERDICT_SAME, VERDICT_SAME},                  /* equal in every round needs no margin */
        {-1e-9, 1e-9, 0, VERDICT_UNDECIDED, VERDICT_UNDECIDED}, /* without a margin nothing else is the same */
        {1e-9, 2e-9, 0, VERDICT_SLOWER, VERDICT_HIGHER},
        {-INFINITY, INFINITY, .01, VERDICT_UNDECIDED, VERDICT_UNDECIDED},
        {-INFINITY, INFINITY, INFINITY, VERDICT_UNDECIDED, VERDICT_UNDECIDED},
        {NAN, NAN, .01, VERDICT_UNDECIDED, VERDICT_UNDECIDED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum verdict time = verdict_of(cases[i].low, cases[i].high, cases[i].limit, true);
        enum verdict other = verdict_of(cases[i].low, cases[i].high, cases[i].limit, false);
        if (time != cases[i].time || other != cases[i].other)
            fail_msg("[%g, %g] with margin %g: %s and %s, expected %s and %s", cases[i].low, cases[i].high, cases[i].limit,
                     verdict_name(time), verdict_name(other), verdict_name(cases[i].time), verdict_name(cases[i].other));
    }
}

static void a_wide_interval_says_how_many_rounds_a_word_may_need(void **state)
{
    (void)state;
    const double values[] = {100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 104, 97, 103, 98, 102, 99, 101, 96, 105, 99};
    struct record r = two("faults", 10, values);
    const struct comparison *c = analysed(&r, 10);
    assert_int_equal(c->verdict, VERDICT_UNDECIDED);
    double half = (c->high - c->low) / 2, wanted = fmax(fabs(c->shift), 1 - fabs(c->shift));      /* the margin is 1 */
    double factor = half / wanted * (1.959963984540054 + 1.2815515655446004) / 1.959963984540054; /* one look at .05, power .9 */
    assert_close(c->rounds_needed, ceil(10 * factor * factor), 0);
    assert_true(c->rounds_needed > 10);
    record_finish(&r);
}

static void too_few_rounds_for_an_interval_are_undecided(void **state)
{
    (void)state;
    struct record r;
    const double values[] = {1, 2, 3, 4, 5, 11, 12, 13, 14, 15};
    tabled_record(&r, "wall", 2, 5, values);
    const struct comparison *c = analysed(&r, 5);
    assert_int_equal(c->verdict, VERDICT_UNDECIDED);
    assert_true(isinf(c->low) && isinf(c->high));
    assert_true(isfinite(c->shift));
    const struct estimate *median = tabled_estimate(&r, 1, "median");
    assert_close(median->point, 13, 0);
    assert_true(isinf(median->low) && isinf(median->high));
    assert_string_equal(median->reason, "6 rounds are needed for an interval at this level");
    record_finish(&r);
}

/* ---- what makes a comparison worthless ---- */

static void a_missing_value_makes_the_comparison_invalid(void **state)
{
    (void)state;
    for (int command = 0; command < 2; command++) {
        struct record r = shifted("wall", 100, 3);
        r.series[command].main.value[TABLED_VALUES][4] = NAN;
        const struct comparison *c = analysed(&r, 10);
        assert_int_equal(c->verdict, VERDICT_INVALID);
        assert_string_equal(c->reason, "the metric was not measurable in at least one run");
        const struct estimate *median = tabled_estimate(&r, command, "median");
        assert_true(isnan(median->point));
        assert_string_equal(median->reason, "not measurable in at least one run");
        assert_close(tabled_estimate(&r, !command, "median")->point, command ? 100 : 103, 0);
        record_finish(&r);
    }
}

static void a_missing_value_after_the_look_changes_no_word(void **state)
{
    (void)state;
    struct record r = shifted("wall", 100, 3);
    r.series[1].main.value[TABLED_VALUES][9] = NAN;
    assert_int_equal(analysed(&r, 8)->verdict, VERDICT_SLOWER);
    assert_close(tabled_estimate(&r, 1, "median")->point, 103, 0);
    assert_true(isnan(tabled_estimate(&r, 1, "max")->point));
    assert_string_equal(tabled_estimate(&r, 1, "max")->reason, "not measurable in at least one run");
    record_finish(&r);
}

static void one_failing_alone_makes_the_comparison_invalid_and_nobody_better(void **state)
{
    (void)state;
    for (int command = 0; command < 2; command++) {
        struct record r = shifted("wall", 100, 3);
        r.series[command].main.value[TABLED_EXIT][4] = 3;
        const struct comparison *c = analysed(&r, 10);
        assert_int_equal(c->verdict, VERDICT_INVALID);
        assert_string_equal(c->reason, command ? "one failed where the other did not: 'a' in 0 of 10 runs, 'b' in 1 of 10"
                                               : "one failed where the other did not: 'a' in 1 of 10 runs, 'b' in 0 of 10");
        assert_int_equal(c->better, -1);
        assert_true(isfinite(c->shift)); /* what was measured is said all the same */
        record_finish(&r);
    }
}

/* By exit codes, or both by a signal: a crash is not what a code says. */
static void both_failing_alike_in_a_round_can_be_compared(void **state)
{
    (void)state;
    static const struct {
        int one, other;
        enum verdict verdict;
    } ends[] = {{3, 5, VERDICT_SLOWER},    {3, 255, VERDICT_SLOWER},  {134, 139, VERDICT_SLOWER},
                {3, 139, VERDICT_INVALID}, {139, 3, VERDICT_INVALID}, {3, -1073741819, VERDICT_INVALID}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct record r = shifted("wall", 100, 3);
        r.series[0].main.value[TABLED_EXIT][4] = ends[i].one;
        r.series[1].main.value[TABLED_EXIT][4] = ends[i].other;
        assert_int_equal(analysed(&r, 10)->verdict, ends[i].verdict);
        record_finish(&r);
    }
}

static void a_metric_without_a_column_is_undecided_with_the_reason(void **state)
{
    (void)state;
    struct record r = shifted("wall", 100, 3);
    r.rule.metric = "cpu";
    const struct comparison *c = analysed(&r, 10);
    assert_int_equal(c->verdict, VERDICT_UNDECIDED);
    assert_string_equal(c->reason, "the metric was not measured");
    record_finish(&r);
}

/* ---- the second of a round ---- */

static void what_a_run_leaves_behind_for_its_neighbour_is_found_and_does_not_count(void **state)
{
    (void)state;
    enum { ROUNDS = 20 };
    for (int slower = 0; slower < 2; slower++) {
        double values[2 * ROUNDS], factor = slower ? 1.1 : 1;
        for (int i = 0; i < ROUNDS; i++) { /* tabled records: command (i modulo 2) runs first in round i; all drift together */
            values[i] = (100 + i) * (i % 2 ? 1.005 : 1);
            values[ROUNDS + i] = factor * (100 + i) * (i % 2 ? 1 : 1.005);
        }
        struct record r = two("wall", ROUNDS, values);
        const struct comparison *c = analysed(&r, ROUNDS);
        assert_close(c->slot_effect, log(1.005), 1e-9);
        assert_true(c->slot_p < 1e-5);
        assert_true(fabs(c->shift - log(factor)) < 1e-12);
        assert_int_equal(c->verdict, slower ? VERDICT_SLOWER : VERDICT_SAME);
        record_finish(&r);
    }
}

static void no_slot_effect_at_all_is_zero_without_a_sign(void **state)
{
    (void)state;
    double values[40];
    repeat(values, 40, 100);
    struct record r = two("wall", 20, values);
    const double effect = analysed(&r, 20)->slot_effect;
    assert_true(effect == 0 && !signbit(effect));
    record_finish(&r);
}

static void no_slot_effect_is_claimed_for_more_than_two_commands_or_for_counts(void **state)
{
    (void)state;
    double values[30];
    repeat(values, 30, 5);
    struct record r;
    tabled_record(&r, "wall", 3, 10, values);
    assert_true(isnan(analysed(&r, 10)->slot_effect));
    assert_true(isnan(tabled_comparison(&r, 0)->slot_p));
    record_finish(&r);
    r = shifted("faults", 5, 1);
    assert_true(isnan(analysed(&r, 10)->slot_p));
    record_finish(&r);
}

/* ---- groups ---- */

enum { GROUP_ROUNDS = 12 };

/* d is 0.02 in five rounds, then 0 in five, and so on. */
static void rounds_like_their_neighbours_widen_the_interval_about_its_point(void **state)
{
    (void)state;
    enum { N = 20 };
    double values[2 * N], d[N], scratch[2 * N + N * (N + 1) / 2 + 1];
    for (int i = 0; i < N; i++) {
        values[i] = 1000;
        values[N + i] = 1000 * exp(d[i] = (i / 5 % 2 ? 0 : 0.02) + 1e-5 * (i * 7 % N));
    }
    struct record r;
    tabled_record(&r, "wall", 2, N, values);
    const struct comparison *c = analysed(&r, N);
    struct tare_interval narrow;
    assert_int_equal(tare_hl_ci_walsh(d, N, 0.05, scratch, &narrow), TARE_OK);
    struct tare_dependence dependence;
    assert_int_equal(tare_serial_dependence(d, N, scratch, &dependence), TARE_OK);
    const double m = dependence.n_effective;
    const double factor = sqrt(N / m) * tare_student_quantile(0.975, m - 1) / tare_student_quantile(0.975, N - 1);
    assert_true(m > 4 && m < 10);
    assert_close(c->effective_rounds, m, 1e-12);
    assert_close(c->widened, factor, 1e-12);
    assert_close(c->shift, narrow.point, 1e-9);
    assert_close(c->high - c->shift, (narrow.high - narrow.point) * factor, 1e-6);
    assert_close(c->shift - c->low, (narrow.point - narrow.low) * factor, 1e-6);
    assert_true(narrow.low > 0); /* by itself it says slower */
    assert_int_equal(c->verdict, VERDICT_UNDECIDED);
    assert_int_equal(tare_ratio_ci_fieller(values, values + N, N, 0.05, &narrow), TARE_OK);
    assert_close(c->mean_high - c->mean_ratio, (narrow.high - narrow.point) * factor, 1e-6);
    record_finish(&r);

    for (int i = 0; i < N; i++) /* the same values with large and small in turn */
        values[N + i] = 1000 * exp(d[i] = (i % 2 ? 0.02 : 0) + 1e-5 * (i * 7 % N));
    tabled_record(&r, "wall", 2, N, values);
    c = analysed(&r, N);
    assert_close(c->widened, 0, 0);
    assert_int_equal(c->verdict, VERDICT_SLOWER);
    record_finish(&r);
}

static void fill_group(double *values, int n)
{
    for (int s = 0; s < n; s++)
        for (int i = 0; i < GROUP_ROUNDS; i++)
            values[s * GROUP_ROUNDS + i] = (100 + 3 * s) * (1 + 0.001 * ((i * 7 + s * 5) % 11));
}

static void each_command_is_compared_with_the_reference_as_if_they_were_alone(void **state)
{
    (void)state;
    double values[5 * GROUP_ROUNDS], pair[2 * GROUP_ROUNDS];
    fill_group(values, 5);
    for (int n = 2; n <= 5; n++)
        for (int reference = 0; reference < n; reference++) {
            struct record r, alone;
            tabled_record(&r, "wall", n, GROUP_ROUNDS, values);
            r.rule.reference = reference;
            analysed(&r, GROUP_ROUNDS);
            assert_int_equal(r.n_comparisons, n - 1);
            for (int i = 0; i < n - 1; i++) {
                const struct comparison *c = tabled_comparison(&r, i);
                assert_int_equal(c->reference, reference);
                assert_int_equal(c->subject, i < reference ? i : i + 1);
                memcpy(pair, values + c->reference * GROUP_ROUNDS, sizeof pair / 2);
                memcpy(pair + GROUP_ROUNDS, values + c->subject * GROUP_ROUNDS, sizeof pair / 2);
                tabled_record(&alone, "wall", 2, GROUP_ROUNDS, pair);
                const struct comparison *a = analysed(&alone, GROUP_ROUNDS);
                assert_close(c->shift, a->shift, 0);
                assert_close(c->low, a->low, 0);
                assert_close(c->high, a->high, 0);
                assert_close(c->mean_ratio, a->mean_ratio, 0);
                assert_int_equal(c->verdict, c->subject < reference ? VERDICT_FASTER : VERDICT_SLOWER);
                assert_int_equal(c->better, c->subject < reference ? c->subject : reference);
                record_finish(&alone);
            }
            record_finish(&r);
        }
}

static void a_group_without_the_reference_is_compared_with_its_first(void **state)
{
    (void)state;
    double values[4 * GROUP_ROUNDS];
    fill_group(values, 4);
    struct record r;
    tabled_record(&r, "wall", 4, GROUP_ROUNDS, values);
    const int group[] = {1, 3};
    struct look look = tabled_look(GROUP_ROUNDS, 0.05);
    assert_int_equal(analyse_group(&r, group, 2, &look, NULL), TARE_OK);
    assert_int_equal(r.n_comparisons, 1);
    assert_int_equal(tabled_comparison(&r, 0)->reference, 1);
    assert_int_equal(tabled_comparison(&r, 0)->subject, 3);
    assert_null(record_estimate(&r, 0, "wall", "median"));
    record_finish(&r);
}

static void only_complete_rounds_count(void **state)
{
    (void)state;
    double values[20];
    repeat(values, 10, 100);
    repeat(values + 10, 10, 103);
    struct record r = two("wall", 10, values);
    const double more[] = {1e9, 0};
    struct row row = {.round = 10, .values = more};
    assert_int_equal(record_append_row(&r, 0, &row), TARE_OK);
    analysed(&r, 11);
    assert_int_equal(tabled_comparison(&r, 0)->rounds, 10);
    assert_int_equal(tabled_estimate(&r, 0, "median")->n, 10);
    assert_close(tabled_estimate(&r, 0, "max")->point, 100, 0);
    record_finish(&r);
}

/* ---- looks ---- */

static void rounds_after_the_look_enter_descriptions_only(void **state)
{
    (void)state;
    double values[2 * GROUP_ROUNDS], early[20];
    fill_group(values, 2);
    memcpy(early, values, sizeof early / 2);
    memcpy(early + 10, values + GROUP_ROUNDS, sizeof early / 2);
    for (int i = 10; i < GROUP_ROUNDS; i++)
        values[GROUP_ROUNDS + i] = 1; /* would turn the word */
    struct record r = two("wall", GROUP_ROUNDS, values), short_one = two("wall", 10, early);
    const struct comparison *c = analysed(&r, 10), *d = analysed(&short_one, 10);
    assert_close(c->shift, d->shift, 0);
    assert_close(c->low, d->low, 0);
    assert_close(c->mean_low, d->mean_low, 0);
    assert_int_equal(c->rounds, 10);
    assert_close(tabled_estimate(&r, 1, "median")->high, tabled_estimate(&short_one, 1, "median")->high, 0);
    assert_int_equal(tabled_estimate(&r, 1, "median")->n, 10);
    assert_close(tabled_estimate(&r, 1, "min")->point, 1, 0);
    assert_int_equal(tabled_estimate(&r, 1, "min")->n, GROUP_ROUNDS);
    record_finish(&r);
    record_finish(&short_one);
}

static void without_a_look_there_are_numbers_but_no_intervals_and_no_words(void **state)
{
    (void)state;
    double values[2 * GROUP_ROUNDS];
    fill_group(values, 2);
    struct record r = two("wall", GROUP_ROUNDS, values);
    const struct look none = {0};
    tabled_analyse(&r, &none);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 2; i++) {
            const struct estimate *e = tabled_estimate(&r, s, i ? "mean" : "median");
            assert_true(e->point > 99 && e->point < 105);
            assert_int_equal(e->n, GROUP_ROUNDS);
            assert_true(e->low == -INFINITY && e->high == INFINITY);
            assert_close(e->confidence, 0, 0);
            assert_string_equal(e->reason, "no interim analysis was made");
        }
    const struct comparison *c = tabled_comparison(&r, 0);
    assert_int_equal(c->verdict, VERDICT_UNDECIDED);
    assert_int_equal(c->look, 0);
    assert_true(isnan(c->shift) && c->low == -INFINITY && c->high == INFINITY);
    assert_string_equal(c->reason, "no interim analysis was made");
    record_finish(&r);
}

static void a_record_without_rounds_has_no_numbers(void **state)
{
    (void)state;
    struct record r;
    tabled_record(&r, "wall", 2, 0, (const double[]){0});
    const struct look none = {0};
    tabled_analyse(&r, &none);
    assert_true(isnan(tabled_estimate(&r, 0, "median")->point));
    assert_int_equal(tabled_comparison(&r, 0)->verdict, VERDICT_UNDECIDED);
    record_finish(&r);
}

/* ---- side by side ---- */

/* Three commands, each a group of its own. */
static struct record three_apart(const char *metric, enum method method)
{
    double values[3 * GROUP_ROUNDS];
    fill_group(values, 3);
    for (int i = 0; i < GROUP_ROUNDS; i++)
        values[2 * GROUP_ROUNDS + i] = values[i] + 0.001 * i;
    struct record r;
    tabled_record(&r, metric, 3, GROUP_ROUNDS, values);
    r.rule.method = method;
    r.rule.interleaved = false;
    struct look look = tabled_look(GROUP_ROUNDS, 0.05);
    for (int i = 0; i < 3; i++)
        assert_int_equal(analyse_group(&r, &i, 1, &look, NULL), TARE_OK);
    return r;
}

static void side_by_side_is_told_without_a_word(void **state)
{
    (void)state;
    for (int georges = 0; georges < 2; georges++) {
        struct record r = three_apart("wall", georges ? METHOD_GEORGES : METHOD_TARE);
        const char *statistic = georges ? "mean" : "median";
        assert_int_equal(r.n_comparisons, 0);
        assert_int_equal(analyse_side_by_side(&r, "because", NULL), TARE_OK);
        assert_int_equal(r.n_comparisons, 2);
        for (int i = 0; i < 2; i++) {
            const struct comparison *c = tabled_comparison(&r, i);
            assert_int_equal(c->verdict, VERDICT_NONE);
            assert_int_equal(c->better, -1);
            assert_false(c->sign_proven);
            assert_int_equal(c->reference, 0);
            assert_int_equal(c->subject, i + 1);
            assert_int_equal(c->rounds, GROUP_ROUNDS);
            assert_int_equal(c->kind, METRIC_TIME);
            double ratio = tabled_estimate(&r, i + 1, statistic)->point / tabled_estimate(&r, 0, statistic)->point;
            assert_close(c->shift, log(ratio), 1e-12);
            assert_true(c->low == -INFINITY && c->high == INFINITY);
        }
        const char *apart = georges ? "because; the intervals of the means do not overlap"
                                    : "because; the intervals of the medians do not overlap";
        const char *near =
            georges ? "because; the intervals of the means overlap" : "because; the intervals of the medians overlap";
        assert_string_equal(tabled_comparison(&r, 0)->reason, apart);
        assert_string_equal(tabled_comparison(&r, 1)->reason, near);
        record_finish(&r);
    }
}

static void side_by_side_keeps_the_kind_of_the_metric(void **state)
{
    (void)state;
    struct record r = three_apart("rss", METHOD_TARE);
    assert_int_equal(analyse_side_by_side(&r, "because", NULL), TARE_OK);
    assert_int_equal(tabled_comparison(&r, 0)->kind, METRIC_SIZE);
    record_finish(&r);
    r = three_apart("faults", METHOD_TARE);
    assert_int_equal(analyse_side_by_side(&r, "because", NULL), TARE_OK);
    const struct comparison *c = tabled_comparison(&r, 0);
    assert_int_equal(c->kind, METRIC_COUNT);
    assert_close(c->shift, tabled_estimate(&r, 1, "median")->point - tabled_estimate(&r, 0, "median")->point, 1e-12);
    record_finish(&r);
}

static void side_by_side_uses_the_rules_reference_and_says_what_is_not_known(void **state)
{
    (void)state;
    struct record r = three_apart("wall", METHOD_TARE);
    record_clear_results(&r);
    r.rule.reference = 1;
    const struct look none = {0};
    for (int i = 0; i < 3; i++)
        assert_int_equal(analyse_group(&r, &i, 1, &none, NULL), TARE_OK);
    assert_int_equal(analyse_side_by_side(&r, "because", NULL), TARE_OK);
    assert_int_equal(tabled_comparison(&r, 0)->reference, 1);
    assert_int_equal(tabled_comparison(&r, 0)->subject, 0);
    assert_int_equal(tabled_comparison(&r, 1)->subject, 2);
    assert_string_equal(tabled_comparison(&r, 1)->reason, "because; the intervals of the medians are not both known");
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_compared_by_the_hodges_lehmann_log_ratio_with_fieller_beside_it),
        cmocka_unit_test(counts_are_compared_by_the_hodges_lehmann_difference),
        cmocka_unit_test(the_mean_has_students_interval),
        cmocka_unit_test(quantiles_are_given_from_36_rounds_on),
        cmocka_unit_test(the_margin_of_counts_is_a_share_of_the_references_median),
        cmocka_unit_test(ratios_of_values_that_half_a_step_reaches_are_unbounded),
        cmocka_unit_test(a_clock_coarser_than_its_digits_is_seen_where_its_times_repeat),
        cmocka_unit_test(equal_differences_give_an_interval_of_no_width),
        cmocka_unit_test(an_absolute_margin_is_in_the_metrics_own_unit),
        cmocka_unit_test(times_that_are_not_all_positive_are_compared_by_difference),
        cmocka_unit_test(a_reference_of_zero_needs_an_absolute_margin),
        cmocka_unit_test(more_may_be_better_or_mean_nothing),
        cmocka_unit_test(words_are_read_from_an_interval_in_this_order),
        cmocka_unit_test(rounds_like_their_neighbours_widen_the_interval_about_its_point),
        cmocka_unit_test(a_wide_interval_says_how_many_rounds_a_word_may_need),
        cmocka_unit_test(too_few_rounds_for_an_interval_are_undecided),
        cmocka_unit_test(a_missing_value_makes_the_comparison_invalid),
        cmocka_unit_test(a_missing_value_after_the_look_changes_no_word),
        cmocka_unit_test(one_failing_alone_makes_the_comparison_invalid_and_nobody_better),
        cmocka_unit_test(both_failing_alike_in_a_round_can_be_compared),
        cmocka_unit_test(a_metric_without_a_column_is_undecided_with_the_reason),
        cmocka_unit_test(what_a_run_leaves_behind_for_its_neighbour_is_found_and_does_not_count),
        cmocka_unit_test(no_slot_effect_at_all_is_zero_without_a_sign),
        cmocka_unit_test(no_slot_effect_is_claimed_for_more_than_two_commands_or_for_counts),
        cmocka_unit_test(each_command_is_compared_with_the_reference_as_if_they_were_alone),
        cmocka_unit_test(a_group_without_the_reference_is_compared_with_its_first),
        cmocka_unit_test(only_complete_rounds_count),
        cmocka_unit_test(rounds_after_the_look_enter_descriptions_only),
        cmocka_unit_test(without_a_look_there_are_numbers_but_no_intervals_and_no_words),
        cmocka_unit_test(a_record_without_rounds_has_no_numbers),
        cmocka_unit_test(side_by_side_is_told_without_a_word),
        cmocka_unit_test(side_by_side_keeps_the_kind_of_the_metric),
        cmocka_unit_test(side_by_side_uses_the_rules_reference_and_says_what_is_not_known),
    };
    return cmocka_run_group_tests_name("analyse", tests, NULL, NULL);
}
