/* SPDX-License-Identifier: MIT
 *
 * Core cycles from reference chains: frequencies that change while a process runs, what is systematic in them, and one exponent for both sides
 * of a comparison.
 */
#include "estimates.h"
#include "processes.h"
#include "repeated.h"
#include "rng.h"
#include "rng_normal.h"
#include "tabled_record.h"
#include <math.h>
#include <string.h>
#include <tare/stats.h>

enum { SAMPLES = 40, ITERATIONS = 1000, STEPS = 3000, EMPTY = 10 };

static const char *const columns[] = {"ns",           "cycles",      "clock_hz", "clock_step", "clock_pair",
                                      "chain_cycles", "chain_empty", "chain_hz", "chain_drawn"};
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

static void end_process(struct record *r, int subject, int round, double step, double drawn)
{
    const double values[] = {NAN, NAN, 2e9, step, 30, STEPS, EMPTY, NAN, drawn};
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
    end_process(&r, 0, 0, 1, 1);
    assert_close(series_values(&r.series[0], "ns")[0] * series_values(&r.series[0], "chain_hz")[0] / 1e9, 30, 1e-9);
    record_finish(&r);
}

/* ---- what is systematic ---- */

static struct control of_processes(double chance, double excess, double step, double drift, int warmup, double first_drawn)
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
        end_process(&r, 0, round, step, round ? 1 : first_drawn);
    }
    assert_int_equal(process_control(&r, 0, 20, &c), TARE_OK);
    record_finish(&r);
    return c;
}

/* Samples of 100 chains' length. Each chain is `excess` longer with the given chance. */
static struct control control_of(double chance, double excess, double step, double drift, int warmup)
{
    return of_processes(chance, excess, step, drift, warmup, 1);
}

static void a_phase_that_a_process_did_not_draw_leaves_two_steps(void **state)
{
    (void)state;
    assert_close(of_processes(0, 0, 20, 0, 0, NAN).error, 2 * 20 / 2000.0, 1e-12);
    assert_close(of_processes(0, 0, 0.1, 0, 0, NAN).error, 2 * 0.1 / 2000, 1e-12); /* so fine that none is needed */
}

static void the_phase_of_the_counter_stays_uncertain_by_its_mean(void **state)
{
    (void)state;
    struct control c = control_of(0, 0, 2, 0, 0);
    assert_close(c.error, 2e-4, 1e-12); /* 1600 phases are averaged to less than what chains are known to */
    assert_close(control_of(0, 0, 20, 0, 0).error, 20 / 2000.0 * sqrt(1 / 1600.0 + 1 / (101 * 20.0)), 1e-12);
    assert_close(control_of(0, 0, 0.1, 0, 0).error, 2 * 0.1 / 2000, 1e-12); /* so fine that no phase is drawn */
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
        end_process(&r, 0, round, 1, 1);
    }
    const struct look look = {1, 12, .05, 0};
    assert_int_equal(analyse_group(&r, subjects, 1, &look, &err), TARE_OK);
    const struct estimate *cycles = record_estimate(&r, 0, "cycles", "median"), *ns = record_estimate(&r, 0, "ns", "median");
    assert_close(ns->low, 10, 1e-12);
    assert_close(ns->high, 10, 1e-12);
    assert_close(cycles->point, 30, 1e-12);
    assert_close(cycles->low, 30 * .9998, 1e-12);
    assert_close(cycles->high, 30 * 1.0002, 1e-12);
    assert_close(record_estimate(&r, 0, "cycles", "control_error")->point, 2e-4, 1e-12);
    assert_null(record_estimate(&r, 0, "cycles", "control_bias"));
    record_finish(&r);
}

/* ---- counters in steps ---- */

enum { SESSIONS = REPEATED(200), PROCESSES = 12, IN_PROCESS = 50, OVERHEADS = 101, CHAIN = 12000 };

/* Differences of readings of a counter in steps. */
struct counter {
    double hz, step_ticks;
    struct rng rng;
};

static double reading(struct counter *c, double ns)
{
    const double ticks = ns * c->hz / 1e9, phase = c->step_ticks * rng_uniform(&c->rng);
    return c->step_ticks * (floor((phase + ticks) / c->step_ticks) - floor(phase / c->step_ticks));
}

/* Of a chain, or a sample: what disturbs comes to one in fifty and lasts microseconds. */
static double lasting(struct counter *c, double ns)
{
    return reading(c, ns + 20 + (rng_below(&c->rng, 50) ? 0 : 5000 * rng_uniform(&c->rng)));
}

static void add_process_in_steps(struct record *r, struct counter *c, int round, double cycles)
{
    const double hz = 3.1e9 * (1 + 0.005 * rng_normal(&c->rng)), iterations = rint(310000 / cycles);
    double empty = 0;
    for (int i = 0; i < OVERHEADS; i++)
        empty += reading(c, 20) / OVERHEADS;
    for (int i = 0; i < IN_PROCESS; i++) {
        const double now = hz * (1 + 1e-4 * rng_normal(&c->rng));
        const double chain = CHAIN / now * 1e9, sample[] = {iterations, lasting(c, iterations * cycles / now * 1e9), empty,
                                                            lasting(c, chain), lasting(c, chain)};
        assert_int_equal(record_append_sample(r, 0, &(struct row){.round = round, .slot = i, .values = sample}), TARE_OK);
    }
    const double values[] = {NAN, NAN, c->hz, c->step_ticks, empty, CHAIN, empty, NAN, 1};
    assert_int_equal(record_append_row(r, 0, &(struct row){.round = round, .values = values}), TARE_OK);
    analyse_process(r, 0, false);
}

/* Does the interval of cycles hold the truth? *width: its half, relative. */
static bool session_in_steps(struct counter *c, double cycles, double *width)
{
    struct record r;
    struct tare_err err;
    begin(&r, 1);
    for (int round = 0; round < PROCESSES; round++)
        add_process_in_steps(&r, c, round, cycles);
    assert_int_equal(analyse_group(&r, (const int[]){0}, 1, &(struct look){1, PROCESSES, .05, 0}, &err), TARE_OK);
    const struct estimate *e = record_estimate(&r, 0, "cycles", "median");
    const bool holds = e->low <= cycles && cycles <= e->high;
    *width = (e->high - e->low) / 2 / cycles;
    record_finish(&r);
    return holds;
}

/* Chains of 1 to 60 cycles, steps of 0.4, 10 and 41.7 ns: 91 % of 200 is the 1 % quantile of 95 %; the median half-width is at most 0.1 %. */
static void cycles_are_known_to_a_thousandth_whatever_the_step(void **state)
{
    (void)state;
    static const double counters[][2] = {{2.5e9, 1}, {2.6e9, 26}, {24e6, 1}};
    for (int k = 0; k < 3; k++) {
        struct counter c = {counters[k][0], counters[k][1], rng_seeded(170 + (uint64_t)k)};
        double widths[SESSIONS];
        int held = 0;
        for (int i = 0; i < SESSIONS; i++)
            held += session_in_steps(&c, 1 + (double)rng_below(&c.rng, 60), &widths[i]);
        tare_sort(widths, SESSIONS);
        print_message("step %.1f ns: %d of %d hold, half-widths %.4f %% (median), %.4f %% (95 %%)\n", c.step_ticks / c.hz * 1e9,
                      held, SESSIONS, 100 * widths[SESSIONS / 2], 100 * widths[SESSIONS * 95 / 100]);
        assert_true(held >= SESSIONS * 91 / 100);
        assert_true(widths[SESSIONS / 2] <= 1e-3);
    }
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
            const double values[] = {ns, NAN, 2e9, 1, 30, STEPS, EMPTY, hz, 1};
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

/* By what the first process's cycles differ from its time at the median frequency, relatively; *said: what the record has of the exponent. */
static double adjusted_by(double exponent, struct estimate *said)
{
    struct record r;
    struct rng rng = rng_seeded(12);
    begin(&r, 1);
    for (int round = 0; round < ROUNDS; round++) {
        const double hz = 3e9 * exp(.05 * rng_normal(&rng)), ns = 10 * pow(hz / 3e9, exponent) * exp(.001 * rng_normal(&rng));
        const double values[] = {ns, NAN, 2e9, 1, 30, STEPS, EMPTY, hz, 1};
        record_append_row(&r, 0, &(struct row){.round = round, .values = values});
    }
    assert_int_equal(process_cycles(&r), TARE_OK);
    assert_int_equal(estimate_benchmark(&r, 0, ROUNDS), TARE_OK);
    const struct estimate *e = record_estimate(&r, 0, "cycles", "frequency_exponent");
    assert_non_null(e);
    *said = *e;
    double room[ROUNDS];
    memcpy(room, series_values(&r.series[0], "chain_hz"), sizeof room);
    tare_sort(room, ROUNDS);
    const double unadjusted = series_values(&r.series[0], "ns")[0] * tare_quantile_sorted(room, ROUNDS, .5) / 1e9,
                 adjusted = series_values(&r.series[0], "cycles")[0];
    record_finish(&r);
    return fabs(adjusted / unadjusted - 1);
}

static void an_exponent_that_no_program_has_is_refused_with_a_reason(void **state)
{
    (void)state;
    struct estimate said;
    assert_true(adjusted_by(-1.6, &said) < 1e-12);
    assert_close(said.point, -1.6, .02);
    assert_non_null(said.reason);
    assert_true(adjusted_by(-1, &said) > .01);
    assert_close(said.point, -1, .02);
    assert_null(said.reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frequency_that_changes_within_a_process_does_no_harm),
        cmocka_unit_test(the_phase_of_the_counter_stays_uncertain_by_its_mean),
        cmocka_unit_test(a_phase_that_a_process_did_not_draw_leaves_two_steps),
        cmocka_unit_test(what_is_rarer_than_every_other_sample_does_not_move_their_median),
        cmocka_unit_test(what_comes_often_may_be_in_every_sample),
        cmocka_unit_test(a_slow_change_of_the_frequency_is_no_disturbance),
        cmocka_unit_test(without_enough_chains_nothing_is_said_of_disturbances),
        cmocka_unit_test(the_interval_of_cycles_holds_what_is_systematic_and_that_of_times_does_not),
        cmocka_unit_test(cycles_are_known_to_a_thousandth_whatever_the_step),
        cmocka_unit_test(who_is_who_in_a_round_does_not_change_the_exponent_of_a_comparison),
        cmocka_unit_test(an_exponent_that_no_program_has_is_refused_with_a_reason),
    };
    return cmocka_run_group_tests_name("core cycles", tests, NULL, NULL);
}
