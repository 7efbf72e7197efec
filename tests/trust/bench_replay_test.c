/* SPDX-License-Identifier: MIT
 *
 * What `tare bench` promises of two programs, offline: whole sessions (plan, record, analyse; no processes) over invented worlds of processes, at
 * its default of at most 33 processes each. A process has a core frequency, which drifts over the session, a place in memory of its own, and by its world
 * rare slow modes or disturbed neighbours. A release is blocked if in any world
 *
 *     of 2000 sessions of equal programs 126 or more are called faster or slower        (5 % are promised)
 *     of 2000 intervals 1874 or fewer hold the truth                                    (95 % are promised)
 *     of 200 sessions in which 1 % was added to core-bound code 166 or fewer find it by core cycles        (90 % are asked)
 *     a session with a difference has the wrong sign in 12 or more of 200             (2.5 % are promised)
 *
 * Exact binomial marks: a procedure that just keeps its promise fails one of them about once in a hundred worlds or less often. Seeds are fixed.
 * Prints Markdown, which docs/how-it-works/figures-bench.md quotes.
 */
#include "analyse.h"
#include "plan.h"
#include "rng.h"
#include "rng_normal.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <tare/stats.h>

#include <cmocka.h>

enum {
    SESSIONS = 2000,
    PLANTED = 200,
    MOST_ROUNDS = 33,
    MOST_FALSE = 125,
    FEWEST_COVERED = 1875,
    FEWEST_FOUND = 167,
    MOST_WRONG = 11
};

static const double differences[] = {0, 0.01, 0.02, 0.05};
enum { DIFFERENCES = sizeof differences / sizeof *differences, ONE_PERCENT = 1 };

/* ---- worlds ---- */

static const struct world {
    const char *name;
    double exponent;   /* of its time over the core's frequency: -1 core, 0 memory */
    double layout;     /* standard deviation of a process's place, of the logarithm */
    double slow_share; /* of processes that are slower */
    double slow;       /* so many times */
} worlds[] = {
    {"core", -1, 0.0005, 0, 1},           {"core, neighbours", -1, 0.002, 0.1, 1.5}, {"memory", 0, 0.02, 0, 1},
    {"hash map", -0.5, 0.025, 0.07, 1.1}, {"copy, rare mode", -0.3, 0.01, 0.01, 12},
};
enum { WORLDS = sizeof worlds / sizeof *worlds, CORE = 0 };

static const char *const metrics[] = {"ns", "cycles"};
enum { BY_NS, BY_CYCLES, METRICS };

struct machine {
    struct rng rng;
    double drift; /* of the logarithm of the frequency: an autoregressive walk */
};

static double process_ns(struct machine *m, const struct world *w, double difference, double *chain_hz)
{
    m->drift = 0.9 * m->drift + 0.01 * rng_normal(&m->rng);
    double relative = exp(m->drift + 0.003 * rng_normal(&m->rng));
    double slow = rng_uniform(&m->rng) < w->slow_share ? w->slow : 1;
    *chain_hz = 3e9 * relative * exp(0.0005 * rng_normal(&m->rng));
    return 10 * pow(relative, w->exponent) * exp(w->layout * rng_normal(&m->rng)) * slow * (1 + difference);
}

/* ---- sessions ---- */

static void add_subject(struct record *r, const char *program, int reference)
{
    static const char *const columns[] = {"ns", "cycles", "chain_hz"};
    const struct subject s = {.kind = SUBJECT_BENCH,
                              .name = program,
                              .command = program,
                              .program = program,
                              .benchmark = "b",
                              .group = "b",
                              .reference = reference};
    assert_true(record_add_subject(r, &s, columns, 3) >= 0);
}

static void make_record(struct record *r, const char *metric)
{
    record_init(r);
    record_add_bench_metrics(r);
    add_subject(r, "old", -1);
    add_subject(r, "new", 0);
    r->rule = (struct rule){
        .method = METHOD_TARE, .metric = metric, .confidence = 0.95, .margin = 0.005, .interleaved = true, .fail_if_slower = NAN};
}

static double run_round(struct record *r, const struct step *s, struct machine *m, const struct world *w, double difference)
{
    double elapsed_ns = 0;
    for (int slot = 0; slot < s->n; slot++) {
        double values[3] = {NAN, NAN, NAN};
        values[0] = process_ns(m, w, s->order[slot] ? difference : 0, &values[2]);
        const struct row row = {
            .round = s->round, .slot = slot, .flags = s->kind == STEP_WARMUP ? ROW_WARMUP : 0, .values = values};
        assert_int_equal(record_append_row(r, s->order[slot], &row), TARE_OK);
        elapsed_ns += 6e7;
    }
    return elapsed_ns;
}

static void run_session(struct record *r, const struct world *w, double difference, uint64_t seed)
{
    static const int subjects[] = {0, 1};
    const struct plan_options o = {.subjects = subjects,
                                   .n_subjects = 2,
                                   .max_rounds = MOST_ROUNDS,
                                   .budget_ns = 10000000000,
                                   .seed = seed ^ 0x5eed,
                                   .sharing = 1};
    struct machine m = {.rng = rng_seeded(seed)};
    struct plan plan;
    double elapsed_ns = 0;
    for (int i = 0; i < 20; i++) /* the walk has forgotten where it began */
        m.drift = 0.9 * m.drift + 0.01 * rng_normal(&m.rng);
    plan_init(&plan, &o, &r->rule);
    for (struct step s; (s = plan_next(&plan, r, (int64_t)elapsed_ns)).kind != STEP_END;) {
        if (s.kind != STEP_LOOK) {
            elapsed_ns += run_round(r, &s, &m, w, difference);
            continue;
        }
        const struct look look = {.number = s.look, .rounds = s.rounds, .level = s.level, .share = s.share};
        record_clear_results(r);
        assert_int_equal(analyse_group(r, subjects, 2, &look, NULL), TARE_OK);
    }
}

struct tally {
    int n, right, wrong, same, covered;
};

static struct tally found[METRICS][WORLDS][DIFFERENCES];

static void count_session(struct tally *t, int metric, const struct world *w, double difference, uint64_t seed)
{
    struct record r;
    make_record(&r, metrics[metric]);
    run_session(&r, w, difference, seed);
    assert_int_equal(r.n_comparisons, 1);
    const struct comparison *c = &r.comparisons[0];
    const double truth = log1p(difference);
    t->n++;
    t->right += c->verdict == VERDICT_SLOWER && difference > 0;
    t->wrong += c->verdict == VERDICT_FASTER || (c->verdict == VERDICT_SLOWER && difference == 0);
    t->same += c->verdict == VERDICT_SAME;
    t->covered += c->low <= truth && truth <= c->high;
    record_finish(&r);
}

static void print_world(int metric, int w)
{
    const struct tally *t = found[metric][w];
    printf("| %s | %s | %d of %d | %d of %d |", worlds[w].name, metrics[metric], t[0].wrong, t[0].n, t[0].covered, t[0].n);
    for (int d = 1; d < DIFFERENCES; d++)
        printf(" %d + %d of %d |", t[d].right, t[d].wrong, t[d].n);
    putchar('\n');
}

static int replay(void **state)
{
    (void)state;
    printf("| world | by | A/A: false words | interval holds the truth | 1 %% slower: right + wrong | 2 %% | 5 %% "
           "|\n|---|---|---:|---:|---:|---:|---:|\n");
    for (int m = 0; m < METRICS; m++)
        for (int w = 0; w < WORLDS; w++) {
            for (int d = 0; d < DIFFERENCES; d++)
                for (int i = 0; i < (d ? PLANTED : SESSIONS); i++)
                    count_session(&found[m][w][d], m, &worlds[w], differences[d],
                                  (uint64_t)(i + 1) * 7919 + (uint64_t)(w * 104729 + d * 31 + m));
            print_world(m, w);
        }
    return 0;
}

/* ---- the marks ---- */

static void equal_programs_get_no_more_false_words_than_the_mark(void **state)
{
    (void)state;
    for (int m = 0; m < METRICS; m++)
        for (int w = 0; w < WORLDS; w++)
            assert_in_range(found[m][w][0].wrong, 0, MOST_FALSE);
}

static void intervals_hold_the_truth_as_often_as_the_mark(void **state)
{
    (void)state;
    for (int m = 0; m < METRICS; m++)
        for (int w = 0; w < WORLDS; w++)
            assert_in_range(found[m][w][0].covered, FEWEST_COVERED, SESSIONS);
}

static void one_per_cent_of_core_bound_code_is_found_by_cycles(void **state)
{
    (void)state;
    assert_in_range(found[BY_CYCLES][CORE][ONE_PERCENT].right, FEWEST_FOUND, PLANTED);
}

static void a_sign_is_wrong_no_more_often_than_the_mark(void **state)
{
    (void)state;
    for (int m = 0; m < METRICS; m++)
        for (int w = 0; w < WORLDS; w++)
            for (int d = 1; d < DIFFERENCES; d++)
                assert_in_range(found[m][w][d].wrong, 0, MOST_WRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_programs_get_no_more_false_words_than_the_mark),
        cmocka_unit_test(intervals_hold_the_truth_as_often_as_the_mark),
        cmocka_unit_test(one_per_cent_of_core_bound_code_is_found_by_cycles),
        cmocka_unit_test(a_sign_is_wrong_no_more_often_than_the_mark),
    };
    return cmocka_run_group_tests_name("sessions of two programs, replayed", tests, replay, NULL);
}
