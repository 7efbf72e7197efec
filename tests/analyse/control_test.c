/* SPDX-License-Identifier: MIT
 *
 * Core cycles from reference chains: frequencies that change while a process runs, what is systematic in them, and one exponent for both sides
 * of a comparison.
 */
#include "processes.h"
#include "rng.h"
#include "tabled_record.h"
#include <math.h>
#include <tare/stats.h>

enum { SAMPLES = 40, ITERATIONS = 1000, STEPS = 3000, EMPTY = 10 };

static const char *const columns[] = {"ns",         "cycles",       "clock_hz",    "clock_step",
                                      "clock_pair", "chain_cycles", "chain_empty", "chain_hz"};
static const char *const sample_columns[] = {"iterations", "ticks", "empty_ticks", "chain_before", "chain_after"};

static void begin(struct record *r, int subjects)
{
    record_init(r);
    r->rule = (struct rule){.metric = "cycles", .confidence = 0.95, .margin = 0.01, .interleaved = true, .fail_if_slower = NAN};
    assert_int_equal(record_add_bench_metrics(r), TARE_OK);
    for (int i = 0; i < subjects; i++) {
        const struct subject s = {.kind = SUBJECT_BENCH,
                                  .name = i ? "new" : "old",
                                  .command = "b",
                                  .program = i ? "new" : "old",
                                  .benchmark = "b",
                                  .reference = i - 1};
        assert_int_equal(record_add_subject(r, &s, columns, sizeof columns / sizeof *columns), i);
        assert_int_equal(record_set_sample_columns(r, i, sample_columns, sizeof sample_columns / sizeof *sample_columns),
                         TARE_OK);
    }
}

/* The counter has 2 GHz; a chain takes 3000 cycles. */
static void add_sample(struct record *r, int subject, int round, int i, double ns, double before_ticks, double after_ticks)
{
    const double sample[] = {ITERATIONS, ns * ITERATIONS * 2, 0, before_ticks + EMPTY, after_ticks + EMPTY};
    const struct row row = {.round = round, .slot = i, .values = sample};
    assert_int_equal(record_append_sample(r, subject, &row), TARE_OK);
}

static void end_process(struct record *r, int subject, int round, double step)
{
    const double values[] = {NAN, NAN, 2e9, step, 30, STEPS, EMPTY, NAN};
    const struct row row = {.round = round, .slot = subject, .values = values};
    assert_int_equal(record_append_row(r, subject, &row), TARE_OK);
    analyse_process(r, subject, false);
}

/* ---- within a process ---- */

static void a_frequency_that_changes_within_a_process_does_no_harm(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    for (int i = 0; i < SAMPLES; i++) { /* 30 cycles an iteration, at two frequencies in turn */
        double hz = i % 2 ? 3e9 : 2e9;
        add_sample(&r, 0, 0, i, 30 / hz * 1e9, STEPS / hz * 2e9, STEPS / hz * 2e9);
    }
    end_process(&r, 0, 0, 1);
    assert_close(series_values(&r.series[0], "ns")[0] * series_values(&r.series[0], "chain_hz")[0] / 1e9, 30, 1e-9);
    record_finish(&r);
}

/* ---- what is systematic ---- */

/* Samples of 100 chains' length. Each chain is `excess` longer with the given chance. */
static struct control control_of(double chance, double excess, double step, double drift, int warmup)
{
    struct record r;
    struct rng rng = rng_seeded(7);
    struct control c;
    begin(&r, 1);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < SAMPLES; i++) {
            double ticks[2];
            for (int k = 0; k < 2; k++)
                ticks[k] = 2000 * (1 + drift * i) * (rng_uniform(&rng) < chance ? 1 + excess : 1);
            const double sample[] = {ITERATIONS, 200000, 0, ticks[0] + EMPTY, ticks[1] + EMPTY};
            const struct row row = {.round = round, .slot = i, .flags = i < warmup ? ROW_WARMUP : 0, .values = sample};
            assert_int_equal(record_append_sample(&r, 0, &row), TARE_OK);
        }
        end_process(&r, 0, round, step);
    }
    assert_int_equal(process_control(&r, 0, 20, &c), TARE_OK);
    record_finish(&r);
    return c;
}

static void a_step_of_the_counter_on_either_side_stays_uncertain(void **state)
{
    (void)state;
    struct control c = control_of(0, 0, 2, 0, 0);
    assert_close(c.error, 2 * 2 / 2000.0, 1e-12);
    assert_close(c.bias, 0, 0);
    assert_close(control_of(0, 0, NAN, 0, 0).error, 0, 0); /* a step that is not known */
}

static void what_is_rarer_than_every_other_sample_does_not_move_their_median(void **state)
{
    (void)state;
    assert_close(control_of(.004, 2, 1, 0, 0).bias, 0, 0); /* ln 2 / 100 of the chains are left out */
}

static void what_comes_often_may_be_in_every_sample(void **state)
{
    (void)state;
    double bias = control_of(.2, .01, 1, 0, 0).bias;
    if (!(bias > .0015 && bias < .0025)) { /* a fifth of the chains, by 1 % */
        print_error("bias %g, about 0.002 was expected\n", bias);
        fail();
    }
}

static void a_slow_change_of_the_frequency_is_no_disturbance(void **state)
{
    (void)state;
    double bias = control_of(0, 0, 1, 1e-4, 0).bias; /* 0.4 % over the samples of a process */
    if (!(bias < 2e-4)) {
        print_error("bias %g, below 0.0002 was expected\n", bias);
        fail();
    }
}

static void without_enough_chains_nothing_is_said_of_disturbances(void **state)
{
    (void)state;
    struct control c = control_of(.2, .01, 1, 0, SAMPLES - 2); /* 80 chains count */
    assert_close(c.bias, 0, 0);
    assert_true(c.error > 0);
}

/* ---- in an interval ---- */

static void the_interval_of_cycles_holds_what_is_systematic_and_that_of_times_does_not(void **state)
{
    (void)state;
    struct record r;
    struct tare_err err;
    const int subjects[] = {0};
    begin(&r, 1);
    for (int round = 0; round < 12; round++) {
        for (int i = 0; i < SAMPLES; i++)
            add_sample(&r, 0, round, i, 10, 2000, 2000);
        end_process(&r, 0, round, 1);
    }
    const struct look look = {1, 12, .05};
    assert_int_equal(analyse_group(&r, subjects, 1, &look, &err), TARE_OK);
    const struct estimate *cycles = record_estimate(&r, 0, "cycles", "median"), *ns = record_estimate(&r, 0, "ns", "median");
    assert_close(ns->low, 10, 1e-12);
    assert_close(ns->high, 10, 1e-12);
    assert_close(cycles->point, 30, 1e-12);
    assert_close(cycles->low, 30 * .999, 1e-12);
    assert_close(cycles->high, 30 * 1.001, 1e-12);
    assert_close(record_estimate(&r, 0, "cycles", "control_error")->point, .001, 1e-12);
    assert_null(record_estimate(&r, 0, "cycles", "control_bias"));
    record_finish(&r);
}

/* ---- of a comparison ---- */

enum { ROUNDS = 20 };

/* Equal programs in rounds; in round `exchanged` the two processes change places. */
static void compared(int exchanged, double *x, double *y)
{
    struct record r;
    struct rng rng = rng_seeded(11);
    bool known;
    begin(&r, 2);
    for (int round = 0; round < ROUNDS; round++)
        for (int slot = 0; slot < 2; slot++) {
            int subject = round == exchanged ? 1 - slot : slot;
            double hz = 3e9 * exp(.05 * rng_normal(&rng)), ns = 10 * pow(hz / 3e9, -.6) * exp(.01 * rng_normal(&rng));
            const double values[] = {ns, NAN, 2e9, 1, 30, STEPS, EMPTY, hz};
            record_append_row(&r, subject, &(struct row){.round = round, .slot = slot, .values = values});
        }
    assert_int_equal(process_compared_cycles(&r, 0, 1, ROUNDS, x, y, &known), TARE_OK);
    assert_true(known);
    record_finish(&r);
}

static void who_is_who_in_a_round_does_not_change_the_exponent_of_a_comparison(void **state)
{
    (void)state;
    double x[ROUNDS], y[ROUNDS], other_x[ROUNDS], other_y[ROUNDS];
    compared(-1, x, y);
    compared(5, other_x, other_y);
    for (int i = 0; i < ROUNDS; i++) {
        assert_close(other_x[i], i == 5 ? y[i] : x[i], 1e-12);
        assert_close(other_y[i], i == 5 ? x[i] : y[i], 1e-12);
    }
    assert_true(fabs(log(y[0] / x[0])) < .06); /* the frequency is out of it, but for what the exponent misses */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frequency_that_changes_within_a_process_does_no_harm),
        cmocka_unit_test(a_step_of_the_counter_on_either_side_stays_uncertain),
        cmocka_unit_test(what_is_rarer_than_every_other_sample_does_not_move_their_median),
        cmocka_unit_test(what_comes_often_may_be_in_every_sample),
        cmocka_unit_test(a_slow_change_of_the_frequency_is_no_disturbance),
        cmocka_unit_test(without_enough_chains_nothing_is_said_of_disturbances),
        cmocka_unit_test(the_interval_of_cycles_holds_what_is_systematic_and_that_of_times_does_not),
        cmocka_unit_test(who_is_who_in_a_round_does_not_change_the_exponent_of_a_comparison),
    };
    return cmocka_run_group_tests_name("core cycles", tests, NULL, NULL);
}
