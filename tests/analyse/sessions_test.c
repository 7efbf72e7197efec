/* SPDX-License-Identifier: MIT
 *
 * What several sessions say together: Student's own data as session shifts, the plan that they must share, and how often the intervals hold
 * the truth when sessions vary more than their runs.
 */
#include "analyse_stored.h"
#include "comparable.h"
#include "repeated.h"
#include "rng.h"
#include "rng_normal.h"
#include "tabled_record.h"
#include <math.h>
#include <tare/stats.h>

enum { MOST = 12, ROUNDS = 9 };

struct sessions {
    struct record items[MOST];
    int n;
    struct record over;
};

/* One session of two commands whose medians are a and b, and whose ratio is what its comparison says. */
static void add_session(struct sessions *s, double a, double b, double shift, double half)
{
    double values[2 * ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        values[i] = a + (i - ROUNDS / 2);
        values[ROUNDS + i] = b + (i - ROUNDS / 2);
    }
    struct record *r = &s->items[s->n++];
    tabled_record(r, "wall", 2, ROUNDS, values);
    struct look look = tabled_look(ROUNDS, .05);
    tabled_analyse(r, &look);
    r->comparisons[0].shift = shift;
    r->comparisons[0].low = shift - half;
    r->comparisons[0].high = shift + half;
    r->ended = "answered";
}

static void together(struct sessions *s)
{
    struct tare_err err = {""};
    if (analyse_sessions(&s->over, s->items, s->n, &err))
        fail_msg("%s", err.text);
}

static void finish(struct sessions *s)
{
    for (int i = 0; i < s->n; i++)
        record_finish(&s->items[i]);
    record_finish(&s->over);
}

static void sessions_beside_another_tare_are_counted(void **state)
{
    (void)state;
    struct sessions s = {0};
    for (int i = 0; i < 4; i++)
        add_session(&s, 100, 110, .1, .01);
    const char *const said[][2] = {{"no", "no"}, {"no", "pid 4711"}, {"pid 4711", "no"}};
    for (int i = 0; i < 3; i++) {
        struct record *r = &s.items[i];
        assert_int_equal(facts_add_text(r, &r->before, "other_tare", said[i][0]), TARE_OK);
        assert_int_equal(facts_add_text(r, &r->after, "other_tare", said[i][1]), TARE_OK);
    }
    together(&s);
    assert_true(facts_number(&s.over.before, "sessions_beside_tare") == 2);
    record_finish(&s.over);
    s.n = 1; /* the first alone */
    together(&s);
    assert_true(isnan(facts_number(&s.over.before, "sessions_beside_tare")));
    s.n = 4;
    finish(&s);
}

static void sessions_by_another_version_are_counted(void **state)
{
    (void)state;
    struct sessions s = {0};
    for (int i = 0; i < 4; i++) {
        add_session(&s, 100, 110, .1, .01);
        s.items[i].tool_version = i % 2 ? "2.0" : "1.0";
    }
    together(&s);
    assert_true(facts_number(&s.over.before, "sessions_by_another_version") == 2);
    record_finish(&s.over);
    s.n = 1;
    together(&s);
    assert_true(isnan(facts_number(&s.over.before, "sessions_by_another_version")));
    s.n = 4;
    finish(&s);
}

/* A node of several blocks counts once, by any of them. */
static void nodes_with_a_block_beside_another_tare_are_counted(void **state)
{
    (void)state;
    struct sessions blocks[3] = {0}, nodes = {.n = 3};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++)
            add_session(&blocks[i], 100, 110 + i, .1, .01);
        for (int k = 1; k < 4 && i < 2; k++) /* not in the first block, which says other_tare of the node */
            assert_int_equal(facts_add_text(&blocks[i].items[k], &blocks[i].items[k].after, "other_tare", "pid 4711"), TARE_OK);
        together(&blocks[i]);
        nodes.items[i] = blocks[i].over;
    }
    together(&nodes);
    assert_true(facts_number(&nodes.over.before, "sessions_beside_tare") == 2);
    finish(&nodes);
    for (int i = 0; i < 3; i++) {
        blocks[i].over = (struct record){0};
        finish(&blocks[i]);
    }
}

/* Student 1908, the sleep of ten patients: differences, their mean and its 95 % interval as R's t.test has them. */
static void the_ratio_over_sessions_is_the_mean_of_their_shifts_with_students_t(void **state)
{
    (void)state;
    static const double a[] = {.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2},
                        b[] = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    struct sessions s = {0};
    for (int i = 0; i < 10; i++)
        add_session(&s, 1000, 2000, b[i] - a[i], 1);
    together(&s);
    const struct comparison *c = tabled_comparison(&s.over, 0);
    assert_close(c->shift, 1.58, 1e-12);
    assert_close(c->low, .70011423675, 1e-9);
    assert_close(c->high, 2.45988576325, 1e-9);
    assert_int_equal(c->verdict, VERDICT_SLOWER);
    assert_true(c->beyond_margin);
    assert_int_equal(c->rounds, 10);
    assert_close(tabled_estimate(&s.over, 1, STATISTIC_OF_SHIFTS)->point, .87988576325 * sqrt(10) / 2.262157162798206, 1e-9);
    finish(&s);
}

/* The same data: s = 1.22995; each interval of 9 rounds is +-1, so its error is 1 / t(.975, 8). */
static void what_sessions_differ_by_is_told_from_errors_of_measurement(void **state)
{
    (void)state;
    static const double shifts[] = {1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, .8, 4.6, 1.4};
    const double sd = .87988576325 * sqrt(10) / 2.262157162798206, error = 1 / 2.306004135204166, half = .87988576325 * sqrt(11);
    struct sessions s = {0};
    for (int i = 0; i < 10; i++)
        add_session(&s, 1000, 2000, shifts[i], 1);
    together(&s);
    assert_close(tabled_estimate(&s.over, 1, STATISTIC_OF_TAU)->point, sqrt(sd * sd - error * error), 1e-9);
    assert_close(tabled_estimate(&s.over, 1, STATISTIC_OF_SHARE)->point, 1 - error * error / (sd * sd), 1e-9);
    assert_close(tabled_estimate(&s.over, 1, STATISTIC_OF_ANOTHER)->low, 1.58 - half, 1e-9);
    assert_close(tabled_estimate(&s.over, 1, STATISTIC_OF_ANOTHER)->high, 1.58 + half, 1e-9);
    s.items[3].comparisons[0].high = INFINITY;
    record_finish(&s.over);
    together(&s);
    assert_true(isnan(tabled_estimate(&s.over, 1, STATISTIC_OF_TAU)->point));
    assert_true(isfinite(tabled_comparison(&s.over, 0)->low));
    finish(&s);
}

/* As of a fleet: each node is the record of its blocks, and they count as one value, their mean; their medians would be 1000, 1100, ... */
static void nodes_of_several_blocks_count_once(void **state)
{
    (void)state;
    enum { NODES = 4, BLOCKS = 3 };
    static const double shifts[NODES][BLOCKS] = {{.1, .3, .2}, {.4, .4, .4}, {.2, .6, .4}, {.1, .1, .1}};
    struct sessions node[NODES] = {{.n = 0}}, all = {.n = NODES};
    for (int i = 0; i < NODES; i++) {
        for (int k = 0; k < BLOCKS; k++)
            add_session(&node[i], 1000 + 100 * i + (k == 2 ? 30 : 0), 2000 + k, shifts[i][k], .1);
        together(&node[i]);
        all.items[i] = node[i].over;
    }
    together(&all);
    const struct comparison *c = tabled_comparison(&all.over, 0);
    struct tare_interval means;
    tare_mean_ci_student((const double[]){.2, .4, .4, .1}, NODES, .05, &means);
    assert_close(c->shift, means.point, 1e-12);
    assert_close(c->low, means.low, 1e-12);
    assert_int_equal(all.over.sessions, NODES);
    assert_close(tabled_estimate(&all.over, 0, "mean")->point, 1160, 1e-12);
    record_finish(&all.over);
    for (int i = 0; i < NODES; i++)
        finish(&node[i]);
}

static void a_figure_over_sessions_is_the_mean_of_their_medians(void **state)
{
    (void)state;
    static const double medians[] = {300, 310, 290, 305, 295};
    struct sessions s = {0};
    for (int i = 0; i < 5; i++)
        add_session(&s, medians[i], 600, .5, .1);
    together(&s);
    const struct estimate *mean = tabled_estimate(&s.over, 0, "mean");
    double sd = sqrt(62.5), half = 2.776445105197794 * sd / sqrt(5); /* t(.975, 4) */
    assert_close(mean->point, 300, 1e-14);
    assert_close(mean->low, 300 - half, 1e-12);
    assert_close(mean->high, 300 + half, 1e-12);
    assert_int_equal(mean->n, 5);
    assert_close(tabled_estimate(&s.over, 0, "stddev")->point, sd, 1e-12);
    assert_int_equal(s.over.sessions, 5);
    assert_int_equal(s.over.n_subjects, 2);
    finish(&s);
}

static void one_session_has_points_and_no_word(void **state)
{
    (void)state;
    struct sessions s = {0};
    add_session(&s, 300, 600, .5, .1);
    together(&s);
    assert_close(tabled_estimate(&s.over, 0, "mean")->point, 300, 1e-14);
    assert_false(isfinite(tabled_estimate(&s.over, 0, "mean")->low));
    const struct comparison *c = tabled_comparison(&s.over, 0);
    assert_close(c->shift, .5, 1e-14);
    assert_false(isfinite(c->low));
    assert_int_equal(c->verdict, VERDICT_UNDECIDED);
    assert_non_null(c->reason);
    finish(&s);
}

static void a_session_without_a_shift_leaves_no_verdict_and_says_why(void **state)
{
    (void)state;
    struct sessions s = {0};
    add_session(&s, 300, 600, .5, .1);
    add_session(&s, 300, 600, .5, .1);
    s.items[1].comparisons[0].verdict = VERDICT_INVALID;
    s.items[1].comparisons[0].reason = "one command failed where the other did not";
    together(&s);
    assert_int_equal(tabled_comparison(&s.over, 0)->verdict, VERDICT_INVALID);
    assert_string_equal(tabled_comparison(&s.over, 0)->reason,
                        "session 2 has no ratio: one command failed where the other did not");
    assert_close(tabled_estimate(&s.over, 0, "mean")->point, 300, 1e-14);
    finish(&s);
}

static void assert_differs(const struct sessions *s, int a, int b, const char *how)
{
    struct buf said = BUF_INIT(1 << 10);
    assert_int_equal(sessions_differ(&s->items[a], &s->items[b], &said), *how != 0);
    assert_string_equal(buf_text(&said), how);
    buf_finish(&said);
}

static void sessions_of_one_plan_have_the_same_commands_rule_machine_and_programs(void **state)
{
    static const char plan[] = "is of other commands, hooks, options or another rule";
    (void)state;
    struct sessions s = {0};
    add_session(&s, 300, 600, .5, .1);
    add_session(&s, 310, 620, .5, .1);
    assert_differs(&s, 0, 1, "");
    s.items[1].rule.margin = .02;
    assert_differs(&s, 0, 1, plan);
    s.items[1].rule.margin = s.items[0].rule.margin;
    s.items[1].subjects[1].prepare = "tidy";
    assert_differs(&s, 0, 1, plan);
    s.items[1].subjects[1].prepare = NULL;
    facts_add_text(&s.items[0], &s.items[0].before, "options", "--env N=1");
    assert_differs(&s, 0, 1, ""); /* of an older tare */
    facts_add_text(&s.items[1], &s.items[1].before, "options", "--env N=2");
    assert_differs(&s, 0, 1, plan);
    facts_add_text(&s.items[1], &s.items[1].before, "options", "--env N=1");
    s.items[0].metrics[0].definition = "cmd=wc -l";
    s.items[1].metrics[0].definition = "cmd=wc -c";
    assert_differs(&s, 0, 1, plan);
    s.items[1].metrics[0].definition = s.items[0].metrics[0].definition;
    s.items[1].metrics[0].direction = METRIC_HIGHER;
    assert_differs(&s, 0, 1, plan);
    s.items[1].metrics[0].direction = s.items[0].metrics[0].direction;
    assert_differs(&s, 0, 1, "");
    s.items[1].n_subjects = 1;
    assert_differs(&s, 0, 1, plan);
    assert_differs(&s, 1, 0, plan);
    s.items[1].n_subjects = 2;
    for (int i = 0; i < 2; i++) {
        facts_add_text(&s.items[i], &s.items[i].build, "program_2_fnv1a64", i ? "b" : "a");
        s.items[i].subjects[1].program = "/bin/two";
    }
    assert_differs(&s, 0, 1, "is of another program file (/bin/two)");
    for (int i = 0; i < 2; i++)
        facts_add_text(&s.items[i], &s.items[i].machine, "cpu_brand", i ? "B" : "A");
    assert_differs(&s, 0, 1, "is of another machine (cpu_brand 'A' and 'B')");
    finish(&s);
}

/* ---- two sets ---- */

static const struct comparison *compare_sets(struct record *out, const struct sessions *old, const struct sessions *new,
                                             bool assume_no_drift)
{
    struct tare_err err = {""};
    const struct stored_question q = {.confidence = .95,
                                      .margin = .01,
                                      .fail_if_slower = NAN,
                                      .assume_no_drift = assume_no_drift,
                                      .names = {"old", "new"},
                                      .sets = {{old->items, old->n}, {new->items, new->n}}};
    record_init(out);
    if (analyse_stored(out, &old->over, &new->over, &q, &err))
        fail_msg("%s", err.text);
    return tabled_comparison(out, 0);
}

/* Their own sleep once more, as two groups, at the level of two comparisons; reference_test.c holds the interval against R's. */
static void two_sets_are_compared_by_welchs_t_over_their_sessions(void **state)
{
    (void)state;
    static const double a[] = {.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2},
                        b[] = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    struct sessions old = {0}, new = {0};
    struct record out;
    for (int i = 0; i < 10; i++) {
        add_session(&old, 1e6 * exp(a[i]), 1e6, .5, .1);
        add_session(&new, 1e6 * exp(b[i]), 1e6, .5, .1);
    }
    facts_add_text(&old.items[0], &old.items[0].machine, "cpu_brand", "One");
    facts_add_text(&new.items[0], &new.items[0].machine, "cpu_brand", "One");
    together(&old);
    together(&new);
    const struct comparison *c = compare_sets(&out, &old, &new, false);
    struct tare_interval i;
    assert_int_equal(tare_shift_ci_welch(a, 10, b, 10, .025, &i), TARE_OK);
    assert_close(c->shift, 1.58, 1e-6);
    assert_close(c->low, i.low, 1e-6);
    assert_close(c->high, i.high, 1e-6);
    assert_int_equal(c->rounds, 10);
    assert_int_equal(c->reference_rounds, 10);
    assert_int_equal(c->verdict, VERDICT_UNDECIDED);
    assert_true(record_is_over_sessions(&out));
    assert_string_equal(
        c->reason,
        "the sessions scatter too much for this difference; more sessions a side, or tare run --anchor, narrow the interval");
    record_finish(&out);
    record_finish(&new.over);
    facts_add_text(&new.items[0], &new.items[0].machine, "cpu_brand", "Two");
    together(&new);
    assert_int_equal(compare_sets(&out, &old, &new, true)->verdict, VERDICT_NOT_COMPARABLE);
    record_finish(&out);
    finish(&old);
    finish(&new);
}

/* Sessions whose medians are 1000 ns and up, in steps of 1 ns. */
static void steady_set(struct sessions *s, double level, int n)
{
    *s = (struct sessions){0};
    for (int i = 0; i < n; i++)
        add_session(s, level + i, 2 * level, .5, .1);
    together(s);
}

static void three_sessions_a_side_give_a_likely_verdict_and_fewer_none(void **state)
{
    (void)state;
    static const struct {
        int old, new;
        double level;
        enum verdict verdict;
    } cases[] = {{3, 3, 1100, VERDICT_LIKELY_SLOWER}, {3, 8, 900, VERDICT_LIKELY_FASTER}, {3, 3, 1001, VERDICT_LIKELY_SAME},
                 {2, 8, 1100, VERDICT_UNDECIDED},     {8, 2, 1100, VERDICT_UNDECIDED},    {1, 3, 1100, VERDICT_UNDECIDED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sessions old, new;
        struct record out;
        steady_set(&old, 1000, cases[i].old);
        steady_set(&new, cases[i].level, cases[i].new);
        const struct comparison *c = compare_sets(&out, &old, &new, false);
        assert_int_equal(c->verdict, cases[i].verdict);
        assert_int_equal(c->rounds, cases[i].new);
        assert_int_equal(c->better, cases[i].verdict == VERDICT_LIKELY_SLOWER   ? c->reference
                                    : cases[i].verdict == VERDICT_LIKELY_FASTER ? c->subject
                                                                                : c->better);
        assert_int_equal(isfinite(c->low) != 0, cases[i].old > 1);
        assert_non_null(strstr(c->reason, "by more than from one session to the next"));
        record_finish(&out);
        finish(&old);
        finish(&new);
    }
}

/* The variance between sessions is then 0: three runs of each session are as good as nine of one. */
static void an_assumption_takes_the_runs_of_all_sessions(void **state)
{
    (void)state;
    struct sessions old, new;
    struct record out;
    steady_set(&old, 1000, 1);
    steady_set(&new, 1100, 2);
    const struct comparison *c = compare_sets(&out, &old, &new, true);
    assert_int_equal(c->verdict, VERDICT_SLOWER);
    assert_true(c->assumed_no_drift);
    assert_int_equal(c->reference_rounds, ROUNDS);
    assert_int_equal(c->rounds, 2 * ROUNDS);
    assert_non_null(strstr(c->reason, "assuming that nothing drifted"));
    record_finish(&out);
    finish(&old);
    finish(&new);
}

/* ---- in time ---- */

/* Sessions at `level` and its multiples by exp(.01 hours): a drift of 1 % an hour. Their hours are first, first + step ... */
static void drifting_set(struct sessions *s, double level, int first, int step)
{
    *s = (struct sessions){0};
    for (int i = 0; i < 3; i++) {
        const int hour = first + i * step;
        add_session(s, level * exp(.01 * hour + .001 * (i == 1)), 2e6, .5, .1);
        s->items[i].start_utc_ns = 1000000000 + hour * INT64_C(3600000000000);
    }
    together(s);
}

static void a_trend_within_both_sets_is_no_likely_difference(void **state)
{
    (void)state;
    static const struct {
        double level;
        int first, step;
        bool timed;
        enum verdict verdict;
        const char *found;
    } cases[] = {
        {1e6, 3, 1, true, VERDICT_UNDECIDED, "all sessions of old were before those of new, so drift is part of the difference"},
        {1e6, -3, 1, true, VERDICT_UNDECIDED, "all sessions of new were before those of old, so drift is part of the difference"},
        {1.2e6, 3, 1, true, VERDICT_LIKELY_SLOWER,
         "all sessions of old were before those of new, so drift is part of the difference"},
        {1e6, 3, 1, false, VERDICT_LIKELY_SLOWER, NULL},
        {1.2e6, 1, 1, true, VERDICT_LIKELY_SLOWER, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sessions old, new;
        struct record out;
        drifting_set(&old, 1e6, 0, 1);
        drifting_set(&new, cases[i].level, cases[i].first, cases[i].step);
        new.items[1].start_utc_ns *= cases[i].timed;
        const struct comparison *c = compare_sets(&out, &old, &new, false);
        assert_int_equal(c->verdict, cases[i].verdict);
        assert_int_equal(out.n_findings, cases[i].found != NULL);
        if (cases[i].found) {
            assert_string_equal(out.findings[0].id, "sets_apart");
            assert_string_equal(out.findings[0].text, cases[i].found);
        }
        if (cases[i].verdict == VERDICT_UNDECIDED) {
            assert_string_equal(c->reason, TREND_REASON);
            assert_true(c->low < 0 && c->high > 0); /* for a gate too */
        }
        record_finish(&out);
        finish(&old);
        finish(&new);
    }
}

/* ---- how often ---- */

/* Sessions scatter by 2 %, what one of them knows of itself by a tenth of that. */
struct counts {
    int mean, ratio, one;
};

static void simulate(struct rng *g, struct counts *held)
{
    struct sessions s = {0};
    for (int i = 0; i < 6; i++) {
        double level = 1e6 * exp(.02 * rng_normal(g)), shift = .05 + .01 * rng_normal(g);
        add_session(&s, level, level * exp(shift), shift, .002);
    }
    together(&s);
    const struct estimate *mean = tabled_estimate(&s.over, 0, "mean"), *alone = tabled_estimate(&s.items[0], 0, "median");
    const struct comparison *c = tabled_comparison(&s.over, 0);
    double truth = 1e6 * exp(.02 * .02 / 2); /* the mean of a log-normal law */
    held->mean += mean->low <= truth && mean->high >= truth;
    held->ratio += c->low <= .05 && c->high >= .05;
    held->one += alone->low <= truth && alone->high >= truth;
    finish(&s);
}

/* Limits that this share leaves once in a thousand times, by the binomial law. */
static void check_share(const char *what, int held, int of, double share)
{
    int least = 0, most = of;
    while (tare_binomial_cdf(least, of, share) < .0005)
        least++;
    while (1 - tare_binomial_cdf(most - 1, of, share) < .0005)
        most--;
    if (held < least || held > most)
        fail_msg("%s: held %d times of %d, promised %d to %d", what, held, of, least, most);
}

static void intervals_over_sessions_hold_the_truth_as_promised(void **state)
{
    (void)state;
    enum { TRIALS = REPEATED(2000) };
    struct rng g = rng_seeded(20261121);
    struct counts held = {0};
    for (int i = 0; i < TRIALS; i++)
        simulate(&g, &held);
    check_share("mean of medians", held.mean, TRIALS, .95);
    check_share("ratio", held.ratio, TRIALS, .95);
    assert_true(held.one < TRIALS / 10); /* which is why one session does not speak for others */
}

static void fill_set(struct rng *g, struct sessions *s, double level, int n)
{
    *s = (struct sessions){0};
    for (int i = 0; i < n; i++)
        add_session(s, level * exp(.02 * rng_normal(g)), 1e6, 0, .002);
    together(s);
}

/* Sets of unequal size that differ by nothing: a word is false. */
static void sets_that_differ_by_nothing_get_a_word_as_seldom_as_promised(void **state)
{
    (void)state;
    enum { TRIALS = REPEATED(2000) };
    struct rng g = rng_seeded(20261122);
    int held = 0;
    for (int i = 0; i < TRIALS; i++) {
        struct sessions old, new;
        struct record out;
        fill_set(&g, &old, 1e6, 6);
        fill_set(&g, &new, 1e6, 8);
        const struct comparison *c = compare_sets(&out, &old, &new, false);
        held += !verdict_differs(c->verdict) && c->low <= 0 && c->high >= 0;
        record_finish(&out);
        finish(&old);
        finish(&new);
    }
    check_share("two sets", held, TRIALS, .975); /* two commands share the error */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_beside_another_tare_are_counted),
        cmocka_unit_test(sessions_by_another_version_are_counted),
        cmocka_unit_test(nodes_with_a_block_beside_another_tare_are_counted),
        cmocka_unit_test(the_ratio_over_sessions_is_the_mean_of_their_shifts_with_students_t),
        cmocka_unit_test(what_sessions_differ_by_is_told_from_errors_of_measurement),
        cmocka_unit_test(nodes_of_several_blocks_count_once),
        cmocka_unit_test(a_figure_over_sessions_is_the_mean_of_their_medians),
        cmocka_unit_test(one_session_has_points_and_no_word),
        cmocka_unit_test(a_session_without_a_shift_leaves_no_verdict_and_says_why),
        cmocka_unit_test(sessions_of_one_plan_have_the_same_commands_rule_machine_and_programs),
        cmocka_unit_test(two_sets_are_compared_by_welchs_t_over_their_sessions),
        cmocka_unit_test(three_sessions_a_side_give_a_likely_verdict_and_fewer_none),
        cmocka_unit_test(an_assumption_takes_the_runs_of_all_sessions),
        cmocka_unit_test(a_trend_within_both_sets_is_no_likely_difference),
        cmocka_unit_test(intervals_over_sessions_hold_the_truth_as_promised),
        cmocka_unit_test(sets_that_differ_by_nothing_get_a_word_as_seldom_as_promised),
    };
    return cmocka_run_group_tests_name("sessions", tests, NULL, NULL);
}
