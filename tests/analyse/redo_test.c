/* SPDX-License-Identifier: MIT
 *
 * What a session found can be found again in its file: from all of it, and from what a kill leaves.
 */
#include "accounted_record.h"
#include "engine.h"
#include "record_read.h"
#include "record_write.h"
#include "rng.h"
#include "rng_normal.h"
#include "same_record.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <tare/stats.h>

#include <cmocka.h>

enum { FILE_MAX = 1 << 24 };

struct world {
    struct rng rng;
    double sd, step;
};

static double run_ns(void *context, int subject, int round, int slot, double elapsed_ns)
{
    (void)round, (void)slot, (void)elapsed_ns;
    struct world *w = context;
    return rint(5e6 * (1 + w->step * subject) * exp(w->sd * rng_normal(&w->rng)));
}

static double pair_ns(void *context, int subject, int round, int slot, double elapsed_ns)
{
    (void)round, (void)slot, (void)elapsed_ns;
    static const double sd[] = {0.003, 0.007, 0.2};
    struct world *w = context;
    return 5e6 * exp(sd[subject / 2] * rng_normal(&w->rng));
}

static struct record read_back(const char *text, size_t n)
{
    struct record r = {0};
    struct record_reading reading;
    struct tare_err err = {{0}};
    if (record_read(&r, text, n, &reading, &err))
        fail_msg("%s", err.text);
    record_reading_finish(&reading);
    return r;
}

static struct look last_look_of(const struct engine *e)
{
    int i = e->looks_taken - 1;
    if (e->r.rule.method == METHOD_GEORGES)
        return (struct look){.number = i + 1, .rounds = e->last_look_rounds, .level = 1 - e->r.rule.confidence};
    return (struct look){
        .number = i + 1, .rounds = e->last_look_rounds, .level = e->r.rule.look_level[i], .share = e->r.rule.look_share[i]};
}

/* The results as a session stores them: of its last look, over all rounds it made. */
static void settle(struct engine *e)
{
    struct look look = last_look_of(e);
    e->r.seconds = e->elapsed_ns / 1e9;
    e->r.look = look.number;
    e->r.rounds = record_rounds(&e->r, e->subjects, e->plan_options.n_subjects);
    e->r.ended = "answered";
    record_clear_results(&e->r);
    assert_int_equal(analyse_group(&e->r, e->subjects, e->plan_options.n_subjects, &look, NULL), TARE_OK);
}

static void run_session(struct engine *e, int n_subjects, enum method method, double sd, double step, int seed)
{
    struct world w = {.rng = rng_seeded((uint64_t)seed), .sd = sd, .step = step};
    engine_init(e, n_subjects, method);
    e->plan_options.warmup = 1;
    e->plan_options.seed = (uint64_t)seed;
    engine_run(e, run_ns, &w);
    settle(e);
}

/* ---- the whole file ---- */

static void same_number(double a, double b, const char *what)
{
    if (a != b && !(isnan(a) && isnan(b)))
        fail_msg("%s: %.17g and %.17g", what, a, b);
}

static void assert_same_results(const struct record *a, const struct record *b)
{
    assert_int_equal(a->n_estimates, b->n_estimates);
    for (int i = 0; i < a->n_estimates; i++) {
        assert_string_equal(a->estimates[i].statistic, b->estimates[i].statistic);
        same_number(a->estimates[i].point, b->estimates[i].point, "point");
        same_number(a->estimates[i].low, b->estimates[i].low, "low");
        same_number(a->estimates[i].high, b->estimates[i].high, "high");
        assert_int_equal(a->estimates[i].n, b->estimates[i].n);
    }
    assert_int_equal(a->n_comparisons, b->n_comparisons);
    for (int i = 0; i < a->n_comparisons; i++) {
        same_number(a->comparisons[i].shift, b->comparisons[i].shift, "shift");
        same_number(a->comparisons[i].low, b->comparisons[i].low, "low");
        same_number(a->comparisons[i].mean_high, b->comparisons[i].mean_high, "mean_high");
        same_number(a->comparisons[i].slot_p, b->comparisons[i].slot_p, "slot_p");
        assert_string_equal(verdict_name(a->comparisons[i].verdict), verdict_name(b->comparisons[i].verdict));
        assert_int_equal(a->comparisons[i].look, b->comparisons[i].look);
        assert_int_equal(a->comparisons[i].looks_planned, b->comparisons[i].looks_planned);
    }
}

static void assert_redone(const struct engine *e)
{
    struct buf file = BUF_INIT(FILE_MAX);
    struct sink sink = sink_to_buf(&file);
    assert_int_equal(record_write(&e->r, &sink, NULL), TARE_OK);
    struct record stored = read_back(file.data, file.len), redone = read_back(file.data, file.len);
    assert_same_results(&e->r, &stored);
    assert_true(stored.n_estimates > 0);
    assert_int_equal(analyse_redo(&redone, NULL), TARE_OK);
    assert_same_record(&stored, &redone);
    record_finish(&stored);
    record_finish(&redone);
    buf_finish(&file);
}

static void redoing_a_stored_session_gives_its_results_again(void **state)
{
    (void)state;
    static const struct {
        int n;
        enum method method;
        double sd, step;
    } cases[] = {
        {2, METHOD_TARE, 0.005, 0.1}, {2, METHOD_TARE, 0.005, 0}, {2, METHOD_TARE, 0.3, 0.002},
        {4, METHOD_TARE, 0.01, 0.01}, {1, METHOD_TARE, 0.02, 0},  {1, METHOD_GEORGES, 0.02, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int seed = 1; seed <= 3; seed++) {
            struct engine e;
            run_session(&e, cases[i].n, cases[i].method, cases[i].sd, cases[i].step, seed);
            assert_redone(&e);
            engine_finish(&e);
        }
}

/* What disturbed the runs stands in the rows: from them the figures are made again as they were. */
static void redoing_a_disturbed_session_gives_its_account_again(void **state)
{
    (void)state;
    struct accounted_run runs[80];
    struct engine e = {.plan_options = {.n_subjects = 2}};
    accounted_fill(runs, 80, 10e6);
    for (int i = 0; i < 80; i++) {
        runs[i].core_hz = 2e9 + 1e7 * (i * 11 % 17);
        runs[i].cpu = rint(runs[i].cpu * 2.1e9 / runs[i].core_hz);
        if (i % 5 == 0)
            runs[i] = accounted_preempted(runs[i], 1e5 * i);
    }
    accounted_record(&e.r, 2, 40, runs);
    const int both[] = {0, 1};
    struct look look = {.number = 1, .rounds = 40, .level = 0.05};
    assert_int_equal(analyse_group(&e.r, both, 2, &look, NULL), TARE_OK);
    assert_non_null(record_estimate(&e.r, 1, "cpu", "median_at_frequency"));
    assert_non_null(record_estimate(&e.r, 1, "wall", "clean_median"));
    assert_redone(&e);
    engine_finish(&e);
}

/* Three pairs, of which the first is decided early and the last not at all. */
static void run_pairs(struct engine *e)
{
    struct world w = {.rng = rng_seeded(3)};
    engine_init_pairs(e, 3);
    e->plan_options.warmup = 1;
    e->plan_options.max_rounds = 33;
    engine_run(e, pair_ns, &w);
    assert_int_equal(analyse_processes(&e->r, NULL), TARE_OK); /* to the last digit from the samples */
    settle(e);
    assert_true(subject_left(&e->r, 0) && subject_left(&e->r, 1) && e->r.series[0].main.n == 10);
    assert_true(subject_left(&e->r, 2) && e->r.series[2].main.n > 10 && e->r.series[2].main.n < 33);
    assert_true(!subject_left(&e->r, 5) && e->r.series[5].main.n == 33);
}

static void redoing_a_session_that_benchmarks_left_gives_its_results_again(void **state)
{
    (void)state;
    struct engine e;
    run_pairs(&e);
    assert_redone(&e);
    assert_int_equal(e.r.comparisons[0].rounds, 10);
    assert_int_equal(e.r.comparisons[2].rounds, 33);
    engine_finish(&e);
}

/* ---- what a kill leaves ---- */

/* Nobody has left. */
static void forget_leaving(struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++)
        r->series[i].look = (struct own_look){0};
}

static void write_leaving(struct record_writer *w, const struct record *r, int rounds)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (r->series[i].look.rounds == rounds)
            assert_int_equal(record_write_own_look(w, r, i, NULL), TARE_OK);
}

/* With its sample, where it is of a benchmark. */
static void write_row(struct record_writer *w, struct record *r, int series, int row)
{
    const int samples = r->series[series].samples.n;
    if (samples) {
        r->series[series].samples.n = row + 1;
        assert_int_equal(record_write_samples(w, r, series, row, NULL), TARE_OK);
        r->series[series].samples.n = samples;
    }
    assert_int_equal(record_write_row(w, r, series, false, row, NULL), TARE_OK);
}

/* As a session writes: rows as they are made, the looks when they are made, `rounds` whole rounds and no end. */
static void write_killed(struct engine *e, int rounds, bool half_a_round_more, struct buf *file)
{
    struct record_writer w;
    struct sink sink = sink_to_buf(file);
    struct own_look left[ENGINE_SUBJECTS];
    int n = e->plan_options.n_subjects, looks = e->r.rule.n_looks;
    for (int s = 0; s < n; s++)
        left[s] = e->r.series[s].look;
    e->r.rule.n_looks = 0; /* not fixed yet */
    forget_leaving(&e->r);
    record_writer_begin(&w, &sink);
    assert_int_equal(record_write_head(&w, &e->r, NULL), TARE_OK);
    for (int s = 0; s < n; s++)
        e->r.series[s].look = left[s];
    for (int s = 0; s < n; s++)
        assert_int_equal(record_write_row(&w, &e->r, s, true, 0, NULL), TARE_OK);
    for (int i = 0; i < rounds + half_a_round_more; i++) {
        for (int s = 0, made = 0; s < n && made < (i < rounds ? n : 1); s++)
            if (i < e->r.series[s].main.n) {
                write_row(&w, &e->r, s, i);
                made++;
            }
        e->r.rule.n_looks += i < rounds && e->r.rule.n_looks < looks && i + 1 == e->r.rule.look_at[e->r.rule.n_looks];
        assert_int_equal(record_write_plan(&w, &e->r, NULL), TARE_OK);
        if (i < rounds)
            write_leaving(&w, &e->r, i + 1);
    }
    e->r.rule.n_looks = looks;
    record_writer_finish(&w);
}

/* The look that a session of so many rounds had behind it; none: number 0. */
static struct look look_reached(const struct rule *rule, int rounds)
{
    struct look look = {0};
    for (int i = 0; i < rule->n_looks && rule->look_at[i] <= rounds; i++)
        look = (struct look){
            .number = i + 1, .rounds = rule->look_at[i], .level = rule->look_level[i], .share = rule->look_share[i]};
    return look;
}

static void cut_to(struct record *r, int rounds)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (r->series[i].main.n > rounds)
            r->series[i].main.n = rounds;
}

static void assert_redone_after_kill(struct engine *e, int rounds, bool half)
{
    struct buf file = BUF_INIT(FILE_MAX);
    write_killed(e, rounds, half, &file);
    struct record killed = read_back(file.data, file.len), expected = read_back(file.data, file.len);
    assert_int_equal(killed.n_estimates, 0);
    assert_int_equal(analyse_redo(&killed, NULL), TARE_OK);
    struct look look = look_reached(&e->r.rule, rounds);
    cut_to(&expected, rounds);
    if (!look.number)
        expected.rule.n_looks = 0;
    assert_int_equal(analyse_group(&expected, e->subjects, e->plan_options.n_subjects, &look, NULL), TARE_OK);
    assert_same_results(&expected, &killed);
    assert_int_equal(killed.look, look.number);
    assert_int_equal(killed.rounds, rounds);
    record_finish(&killed);
    record_finish(&expected);
    buf_finish(&file);
}

static void a_killed_session_gets_the_results_of_the_last_look_it_reached(void **state)
{
    (void)state;
    struct engine e;
    run_session(&e, 3, METHOD_TARE, 0.2, 0.002, 5); /* goes on to its budget's end */
    assert_true(e.r.series[0].main.n > 50);
    static const int rounds[] = {1, 9, 10, 11, 14, 15, 16, 33, 49, 50};
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++)
        for (int half = 0; half < 2; half++)
            assert_redone_after_kill(&e, rounds[i], half);
    engine_finish(&e);
}

static void a_killed_session_keeps_what_those_that_left_had(void **state)
{
    (void)state;
    struct engine e;
    run_pairs(&e);
    static const int rounds[] = {1, 9, 10, 11, 14, 15, 16, 22, 32};
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++)
        for (int half = 0; half < 2; half++)
            assert_redone_after_kill(&e, rounds[i], half);
    engine_finish(&e);
}

static void a_session_killed_in_its_first_run_has_no_numbers_and_no_word(void **state)
{
    (void)state;
    struct engine e;
    run_session(&e, 2, METHOD_TARE, 0.01, 0, 6);
    assert_redone_after_kill(&e, 0, false);
    assert_redone_after_kill(&e, 0, true);
    engine_finish(&e);
}

/* ---- blocks ---- */

static void blocks_are_redone_side_by_side(void **state)
{
    (void)state;
    struct engine e;
    struct world w = {.rng = rng_seeded(7), .sd = 0.01, .step = 0.05};
    engine_init(&e, 2, METHOD_TARE);
    e.plan_options.runs = 20;
    engine_run(&e, run_ns, &w);
    settle(&e);
    e.r.rule.interleaved = false;
    record_clear_results(&e.r);
    struct look look = last_look_of(&e);
    for (int i = 0; i < 2; i++)
        assert_int_equal(analyse_group(&e.r, &i, 1, &look, NULL), TARE_OK);
    assert_int_equal(analyse_side_by_side(&e.r, "the commands were measured in blocks, where drift is not controlled", NULL),
                     TARE_OK);
    assert_redone(&e);
    assert_int_equal(e.r.comparisons[0].verdict, VERDICT_NONE);
    for (int i = 0; i < 2; i++) { /* each block had looks of its own, of which the rule knows the last block's */
        look = (struct look){2 + i, 12 + i, .01 * (1 + i), .5};
        e.r.series[i].look = (struct own_look){look.number, look.rounds, look.level, look.share};
        if (!i)
            record_clear_results(&e.r), e.r.look = look.number;
        assert_int_equal(analyse_group(&e.r, &i, 1, &look, NULL), TARE_OK);
    }
    assert_int_equal(analyse_side_by_side(&e.r, "the commands were measured in blocks, where drift is not controlled", NULL),
                     TARE_OK);
    assert_redone(&e);
    assert_true(record_estimate(&e.r, 1, "wall", "median")->level == .02 && record_estimate(&e.r, 1, "wall", "median")->n == 13);
    engine_finish(&e);
}

/* Sessions of before had their looks planned: theirs are the last one of the schedule that was reached, at its level. */
static void a_record_with_planned_looks_is_redone_by_them(void **state)
{
    (void)state;
    struct engine e;
    run_session(&e, 2, METHOD_TARE, 0.2, 0.002, 8);
    struct rule *u = &e.r.rule;
    u->spending = 0, u->n_looks = 4;
    for (int i = 0; i < 4; i++)
        u->look_at[i] = (int[]){10, 15, 22, 33}[i], u->look_share[i] = 0;
    tare_looks_level(u->look_at, 4, .05, &u->look_level[0]);
    for (int i = 1; i < 4; i++)
        u->look_level[i] = u->look_level[0];
    cut_to(&e.r, 30);
    record_clear_results(&e.r);
    e.r.look = 3, e.r.rounds = 30;
    const struct look third = {3, 22, u->look_level[0], 0};
    assert_int_equal(analyse_group(&e.r, e.subjects, 2, &third, NULL), TARE_OK);
    assert_redone(&e);
    assert_int_equal(e.r.comparisons[0].looks_planned, 4);
    assert_int_equal(e.r.comparisons[0].rounds, 22);
    engine_finish(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redoing_a_stored_session_gives_its_results_again),
        cmocka_unit_test(redoing_a_disturbed_session_gives_its_account_again),
        cmocka_unit_test(a_killed_session_gets_the_results_of_the_last_look_it_reached),
        cmocka_unit_test(redoing_a_session_that_benchmarks_left_gives_its_results_again),
        cmocka_unit_test(a_killed_session_keeps_what_those_that_left_had),
        cmocka_unit_test(a_session_killed_in_its_first_run_has_no_numbers_and_no_word),
        cmocka_unit_test(blocks_are_redone_side_by_side),
        cmocka_unit_test(a_record_with_planned_looks_is_redone_by_them),
    };
    return cmocka_run_group_tests_name("redo", tests, NULL, NULL);
}
