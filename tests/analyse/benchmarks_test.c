/* SPDX-License-Identifier: MIT
 *
 * From samples to processes, from processes to figures: time per iteration, core cycles by the control variate, variance levels, modes,
 * steady state, and words of many comparisons.
 */
#include "comparable.h"
#include "compare.h"
#include "processes.h"
#include "rng.h"
#include "rng_normal.h"
#include "tabled_record.h"
#include <math.h>
#include <stdio.h>
#include <tare/stats_more.h>

enum { SAMPLES = 20, ITERATIONS = 1000 };

static const char *const columns[] = {"wall",         "ns",          "cycles",   "clock_hz",   "clock_step", "clock_pair",
                                      "chain_cycles", "chain_empty", "chain_hz", "resolution", "steady",     "onset"};
static const char *const sample_columns[] = {"iterations", "ticks", "empty_ticks", "chain_before", "chain_after", "cpu_ns"};
enum { COLUMNS = sizeof columns / sizeof *columns, SAMPLE_COLUMNS = sizeof sample_columns / sizeof *sample_columns };

static double on_cpu = NAN; /* share of a sample's time; NaN: not known */

static void begin(struct record *r, int subjects)
{
    record_init(r);
    r->rule = (struct rule){.metric = "ns", .confidence = 0.95, .margin = 0.01, .interleaved = true, .fail_if_slower = NAN};
    record_add_metric(r, metric_builtin_find("wall"));
    assert_int_equal(record_add_bench_metrics(r), TARE_OK);
    for (int i = 0; i < subjects; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        const struct subject s = {.kind = SUBJECT_BENCH,
                                  .name = name,
                                  .command = name,
                                  .program = i % 2 ? "new" : "old",
                                  .benchmark = "b",
                                  .reference = i % 2 ? i - 1 : -1};
        assert_int_equal(record_add_subject(r, &s, columns, COLUMNS), i);
        assert_int_equal(record_set_sample_columns(r, i, sample_columns, SAMPLE_COLUMNS), TARE_OK);
    }
}

/* A process of which every sample takes `ns` an iteration on a core of so many Hz; the first `warmup` samples are slower by half. */
static void add_process(struct record *r, int subject, int round, double ns, double hz, int warmup)
{
    for (int i = 0; i < SAMPLES; i++) {
        double value = i < warmup ? 1.5 * ns : ns;
        const double sample[] = {ITERATIONS,           value * ITERATIONS * 2 + 30, 30,
                                 3000 * 2e9 / hz + 10, 3000 * 2e9 / hz + 10,        on_cpu * value * ITERATIONS};
        const struct row row = {.round = round, .slot = i, .values = sample};
        assert_int_equal(record_append_sample(r, subject, &row), TARE_OK);
    }
    const double values[] = {1e6, NAN, NAN, 2e9, 1, 30, 3000, 10, NAN, NAN, NAN, NAN};
    const struct row row = {.round = round, .slot = subject, .values = values};
    assert_int_equal(record_append_row(r, subject, &row), TARE_OK);
    analyse_process(r, subject, false);
}

static double last(const struct record *r, int subject, const char *column)
{
    return series_values(&r->series[subject], column)[r->series[subject].main.n - 1];
}

static void a_process_is_the_median_of_its_samples_less_the_empty_bracket(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    add_process(&r, 0, 0, 5.25, 3e9, 0);
    assert_close(last(&r, 0, "ns"), 5.25, 1e-12);
    assert_close(last(&r, 0, "chain_hz"), 3e9, 1e-12);
    assert_close(last(&r, 0, "resolution"), 3.0 / ITERATIONS / 2, 1e-12); /* a tenth of the bracket, at 2 ticks a ns */
    assert_close(last(&r, 0, "steady"), TARE_STEADY_FLAT, 0);
    record_finish(&r);
}

static void what_comes_before_the_steady_state_does_not_count(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    add_process(&r, 0, 0, 4, 3e9, 12);
    assert_close(last(&r, 0, "ns"), 4, 1e-12); /* the median of all would be 6 */
    assert_close(last(&r, 0, "steady"), TARE_STEADY_WARM_UP, 0);
    assert_close(last(&r, 0, "onset"), 12 * ITERATIONS, 0);
    record_finish(&r);
}

static void samples_set_aside_and_missing_ones_are_no_figure(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    const double values[] = {1e6, NAN, NAN, 2e9, 1, 30, 3000, 10, NAN, NAN, NAN, NAN};
    const struct row row = {.round = 0, .values = values};
    record_append_row(&r, 0, &row);
    analyse_process(&r, 0, false);
    assert_true(isnan(last(&r, 0, "ns")) && isnan(last(&r, 0, "chain_hz")));
    record_finish(&r);
}

/* Times of a kernel whose share `core` follows the core's frequency, over 30 processes at 2 to 3.4 GHz. */
static void fill_frequencies(struct record *r, double core, uint64_t seed)
{
    struct rng rng = rng_seeded(seed);
    for (int i = 0; i < 30; i++) {
        double hz = 2e9 + 1.4e9 * (double)rng_below(&rng, 1000) / 1000;
        add_process(r, 0, i, 10 * pow(hz / 3e9, -core) * exp(.002 * rng_normal(&rng)), hz, 0);
    }
    assert_int_equal(process_cycles(r), TARE_OK);
}

static double relative_sd(const struct record *r, const char *column)
{
    const struct series *s = &r->series[0];
    return tare_stddev(series_values(s, column), s->main.n) / tare_mean(series_values(s, column), s->main.n);
}

static void cycles_of_core_bound_code_do_not_follow_the_frequency(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    fill_frequencies(&r, 1, 3);
    assert_true(relative_sd(&r, "ns") > .05);
    assert_true(relative_sd(&r, "cycles") < .005);
    const double *cycles = series_values(&r.series[0], "cycles");
    assert_close(tare_mean(cycles, 30), 30, .01); /* 10 ns at 3 GHz */
    record_finish(&r);
}

static void what_mostly_waited_for_a_cpu_has_no_cycles(void **state)
{
    (void)state;
    static const double shares[] = {1, .6, .4};
    for (int i = 0; i < 3; i++) {
        struct record r;
        begin(&r, 1);
        on_cpu = shares[i];
        fill_frequencies(&r, 1, 3);
        on_cpu = NAN;
        assert_int_equal(isnan(last(&r, 0, "cycles")) != 0, shares[i] < .5);
        record_finish(&r);
    }
}

static void cycles_of_memory_bound_code_look_no_better_than_its_times(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    fill_frequencies(&r, 0, 4);
    assert_close(relative_sd(&r, "cycles"), relative_sd(&r, "ns"), 1e-6);
    record_finish(&r);
}

static void without_chains_there_are_no_cycles(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    add_process(&r, 0, 0, 10, NAN, 0);
    process_cycles(&r);
    assert_close(last(&r, 0, "ns"), 10, 1e-12);
    assert_true(isnan(last(&r, 0, "cycles")));
    record_finish(&r);
}

/* ---- over processes ---- */

static void analyse_all(struct record *r, int subjects, const struct look *look)
{
    int group[64];
    for (int i = 0; i < subjects; i++)
        group[i] = i;
    record_clear_results(r);
    struct tare_err err;
    assert_int_equal(analyse_group(r, group, subjects, look, &err), TARE_OK);
}

static double point(const struct record *r, const char *statistic)
{
    const struct estimate *e = record_estimate(r, 0, "ns", statistic);
    return e ? e->point : NAN;
}

static void one_slow_process_is_a_mode_and_not_a_mean(void **state)
{
    (void)state;
    struct record r;
    struct rng rng = rng_seeded(9);
    begin(&r, 1);
    for (int i = 0; i < 33; i++)
        add_process(&r, 0, i, (i == 16 ? 50 : 5) * exp(.01 * rng_normal(&rng)), 3e9, 0);
    const struct look look = {1, 33, .05, 0};
    analyse_all(&r, 1, &look);
    assert_close(point(&r, "median"), 5, .01);
    assert_close(point(&r, "mode_2"), 50, .05);
    assert_int_equal(record_estimate(&r, 0, "ns", "mode_2")->n, 1);
    assert_close(point(&r, "mode_2_share"), 1.0 / 33, 1e-12);
    assert_close(point(&r, "mode_2_seen"), 1 - pow(32.0 / 33, 33), 1e-12);
    assert_true(isnan(point(&r, "mode_3")));
    record_finish(&r);
}

static void variance_is_split_between_samples_and_processes(void **state)
{
    (void)state;
    struct record r;
    struct rng rng = rng_seeded(10);
    begin(&r, 1);
    for (int i = 0; i < 33; i++)
        add_process(&r, 0, i, 100 + 2 * rng_normal(&rng), 3e9, 0);
    const struct look look = {1, 33, .05, 0};
    analyse_all(&r, 1, &look);
    assert_close(point(&r, "within_sd"), 0, 1e-9);
    assert_true(point(&r, "between_sd") > 1 && point(&r, "between_sd") < 3);
    assert_close(point(&r, "samples"), SAMPLES, 0);
    assert_close(point(&r, "samples_best"), 1, 0); /* samples of a process are all alike: one says it */
    assert_close(point(&r, "steady_flat"), 33, 0);
    record_finish(&r);
}

/* ---- many comparisons ---- */

/* m pairs of which the first `real` differ by 5 %, the others by nothing; 10 processes each. Returns the words of difference among the equal ones. */
static int false_words(enum correction correction, int m, int real, uint64_t seed, int *found)
{
    struct record r;
    struct rng rng = rng_seeded(seed);
    begin(&r, 2 * m);
    r.rule.correction = correction;
    for (int round = 0; round < 10; round++)
        for (int i = 0; i < 2 * m; i++)
            add_process(&r, i, round, (i % 2 && i / 2 < real ? 1.05 : 1) * 10 * exp(.01 * rng_normal(&rng)), 3e9, 0);
    const struct look look = {1, 10, .05, 0};
    r.rule.n_looks = 1;
    r.rule.look_at[0] = 10;
    r.rule.look_level[0] = .05;
    analyse_all(&r, 2 * m, &look);
    int wrong = 0;
    *found = 0;
    assert_int_equal(r.n_comparisons, m);
    for (int i = 0; i < m; i++) {
        enum verdict v = r.comparisons[i].verdict;
        bool word = v == VERDICT_FASTER || v == VERDICT_SLOWER;
        wrong += word && i >= real;
        *found += word && i < real;
        assert_int_equal(r.comparisons[i].reference, 2 * i);
    }
    record_finish(&r);
    return wrong;
}

static void each_program_pair_has_its_own_reference_and_many_are_corrected(void **state)
{
    (void)state;
    int found, none = 0, bh = 0, holm = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        none += false_words(CORRECTION_NONE, 12, 0, seed, &found) > 0;
        bh += false_words(CORRECTION_BH, 12, 0, seed, &found) > 0;
        holm += false_words(CORRECTION_HOLM, 12, 0, seed, &found) > 0;
    }
    assert_true(none >= 5); /* 46 % of the sessions are expected to have one */
    assert_true(bh <= 4 && holm <= 4);
    assert_int_equal(false_words(CORRECTION_BH, 12, 8, 77, &found), 0);
    assert_int_equal(found, 8);
}

static void one_comparison_alone_is_not_corrected(void **state)
{
    (void)state;
    int found;
    false_words(CORRECTION_BH, 1, 1, 5, &found);
    assert_int_equal(found, 1);
}

/* Samples of so many steps of a millisecond, `list` over and over; a process each ten. */
static double step_of_own_clock(const int *list, int n, int iterations, double fraction)
{
    struct record r;
    begin(&r, 1);
    for (int i = 0; i < 60; i++) {
        const double sample[] = {iterations, list[i % n] * 1e6 + fraction, 0, NAN, NAN, NAN},
                     values[] = {1e6, NAN, NAN, 1e9, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
        const struct row of_sample = {.round = i / 10, .slot = i % 10, .values = sample},
                         row = {.round = i / 10, .values = values};
        assert_int_equal(record_append_sample(&r, 0, &of_sample), TARE_OK);
        if (i % 10 < 9)
            continue;
        assert_int_equal(record_append_row(&r, 0, &row), TARE_OK);
        analyse_process(&r, 0, false);
    }
    const double step = series_step(&r.series[0], "ns");
    record_finish(&r);
    return step;
}

static void the_steps_of_a_program_s_own_clock_are_seen_in_its_samples(void **state)
{
    (void)state;
    assert_close(step_of_own_clock((int[]){1, 0, 1, 2, 1}, 5, 8, 0), 1e6 / 8, 0);
    assert_close(step_of_own_clock((int[]){4, 8, 4, 12}, 4, 1, 0), 4e6, 0);
    assert_close(step_of_own_clock((int[]){-1, 1, 0}, 3, 100, 0), 1e4, 0);
    assert_close(step_of_own_clock((int[]){1, 2, 1}, 3, 1000, 1), 1e-3, 0); /* of 1 ns */
    assert_true(isnan(step_of_own_clock((int[]){3}, 1, 8, 0)));             /* exact, as far as is known */
    assert_true(isnan(step_of_own_clock((int[]){0}, 1, 8, 0)));
    assert_true(isnan(step_of_own_clock((int[]){1, 2}, 2, 8, .5)));
}

/* Of a program that reports its times itself nothing is known of its clock. */
static void times_of_a_program_s_own_clock_are_not_compared_with_ours(void **state)
{
    (void)state;
    enum { ROUNDS = 10, STEP = 4 };
    static const struct {
        int own[2]; /* processes of each that reported their times */
        const char *metric;
        bool invalid;
    } cases[] = {
        {{0, 0}, "ns", false}, {{ROUNDS, ROUNDS}, "ns", false},    {{0, ROUNDS}, "ns", true},   {{ROUNDS, 0}, "ns", true},
        {{0, 1}, "ns", true},  {{ROUNDS, ROUNDS - 1}, "ns", true}, {{0, ROUNDS}, "peak", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r;
        begin(&r, 2);
        for (int round = 0; round < ROUNDS; round++)
            for (int k = 0; k < 2; k++)
                add_process(&r, k, round, 10 + k + .001 * round, 3e9, 0);
        for (int k = 0; k < 2; k++)
            for (int round = 0; round < cases[i].own[k]; round++)
                r.series[k].main.value[STEP][round] = NAN;
        r.rule.metric = cases[i].metric;
        const char *why = other_work(&r, 0, 1, ROUNDS);
        assert_int_equal(why != NULL, cases[i].invalid);
        if (why)
            assert_string_equal(why, "one reports its times itself (manual time), the other is timed");
        record_finish(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_is_the_median_of_its_samples_less_the_empty_bracket),
        cmocka_unit_test(what_comes_before_the_steady_state_does_not_count),
        cmocka_unit_test(samples_set_aside_and_missing_ones_are_no_figure),
        cmocka_unit_test(cycles_of_core_bound_code_do_not_follow_the_frequency),
        cmocka_unit_test(what_mostly_waited_for_a_cpu_has_no_cycles),
        cmocka_unit_test(cycles_of_memory_bound_code_look_no_better_than_its_times),
        cmocka_unit_test(without_chains_there_are_no_cycles),
        cmocka_unit_test(one_slow_process_is_a_mode_and_not_a_mean),
        cmocka_unit_test(variance_is_split_between_samples_and_processes),
        cmocka_unit_test(each_program_pair_has_its_own_reference_and_many_are_corrected),
        cmocka_unit_test(one_comparison_alone_is_not_corrected),
        cmocka_unit_test(times_of_a_program_s_own_clock_are_not_compared_with_ours),
        cmocka_unit_test(the_steps_of_a_program_s_own_clock_are_seen_in_its_samples),
    };
    return cmocka_run_group_tests_name("benchmarks", tests, NULL, NULL);
}
