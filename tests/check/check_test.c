/* SPDX-License-Identifier: MIT
 *
 * Every finding is made for data that deserve it and is silent on data that do not.
 */
#include "check.h"
#include "rng.h"
#include "rng_normal.h"
#include "tabled_record.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/stats.h>

static const struct check_facts no_facts = {0};

/* ---- data ---- */

enum { MOST = 400 };

/* Normal times about 10 ms with this relative deviation. */
static void normal(double *out, int n, double sd, struct rng *rng)
{
    for (int i = 0; i < n; i++)
        out[i] = rint(1e7 * (1 + sd * rng_normal(rng)));
}

static void checked_with(struct record *r, const struct check_facts *facts)
{
    struct look look = tabled_look(r->series[0].main.n, 0.05);
    r->seconds = 10;
    tabled_analyse(r, &look);
    assert_int_equal(check_record(r, facts, NULL), TARE_OK);
}

static struct record checked(const char *metric, int n_commands, int rounds, const double *values)
{
    struct record r;
    tabled_record(&r, metric, n_commands, rounds, values);
    checked_with(&r, &no_facts);
    return r;
}

static const struct finding *find(const struct record *r, const char *id, int subject)
{
    for (int i = 0; i < r->n_findings; i++)
        if (!strcmp(r->findings[i].id, id) && r->findings[i].subject == subject)
            return &r->findings[i];
    return NULL;
}

static const struct finding *found(const struct record *r, const char *id, int subject)
{
    const struct finding *f = find(r, id, subject);
    for (int i = 0; !f && i < r->n_findings; i++)
        print_error("found %s of %d: %s\n", r->findings[i].id, r->findings[i].subject, r->findings[i].text);
    if (!f)
        fail_msg("no finding %s of %d", id, subject);
    return f;
}

static void assert_silent(const struct record *r, const char *id)
{
    for (int i = 0; i < r->n_findings; i++)
        if (!strcmp(r->findings[i].id, id))
            fail_msg("%s of %d: %s", id, r->findings[i].subject, r->findings[i].text);
}

/* One command, `n` normal times of 1 %, changed by the caller afterwards. */
static double *quiet(int n)
{
    static double values[4 * MOST];
    struct rng rng = rng_seeded(3);
    normal(values, 4 * n, 0.01, &rng);
    return values;
}

/* ---- silence ---- */

/* Largest count that an event of probability p exceeds in fewer than 1 of 1000 such experiments; 0 stays 0. */
static int most(double p, int n)
{
    int k = 0;
    while (1 - tare_binomial_cdf(k, n, p) > 0.001)
        k++;
    return k;
}

static const struct rate {
    const char *id;
    double p; /* of a false alarm on one clean command or pair */
    bool pair;
} rates[] = {
    {"unstable", 0, false},
    {"first_run", 0, false},
    {"outliers", 0, false},
    {"two_modes", 0.01, false},
    {"drift", 0.01, false},
    {"dependence", 0.025, false},
    {"coarse", 0, false},
    {"spawn_floor", 0, false},
    {"noisy", 0, true},
    {"mean_against_typical", 0, true},
    {"tail", 0.01, true},
    {"slot_effect", 0.01, true},
    {"dependent_rounds", 0.05, true},
    {"ratio_drift", 0.01, true},
    {"counter_cost", 0, true},
    {"counter_missing", 0, true},
    {"steal", 0, true},
};
enum { RATES = sizeof rates / sizeof *rates };

static void count_findings(const struct record *r, int *counts)
{
    for (int i = 0; i < r->n_findings; i++) {
        int k = 0;
        while (k < RATES && strcmp(rates[k].id, r->findings[i].id))
            k++;
        if (k == RATES)
            fail_msg("'%s' is not in the list of this test", r->findings[i].id);
        counts[k]++;
    }
}

/* 400 sessions of two commands; the second is so much slower. */
static void assert_silent_on_clean_sessions(int rounds, double slower)
{
    enum { SESSIONS = 400 };
    int counts[RATES] = {0};
    double values[2 * MOST];
    for (int i = 0; i < SESSIONS; i++) {
        struct rng rng = rng_seeded((uint64_t)i + 1);
        normal(values, 2 * rounds, 0.01, &rng);
        for (int k = rounds; k < 2 * rounds; k++)
            values[k] = rint(values[k] * (1 + slower));
        struct record r = checked("wall", 2, rounds, values);
        count_findings(&r, counts);
        record_finish(&r);
    }
    for (int k = 0; k < RATES; k++) {
        int n = rates[k].pair ? SESSIONS : 2 * SESSIONS, limit = most(rates[k].p, n);
        if (counts[k])
            printf("  %d rounds, %+.0f %%: %s in %d of %d, at most %d\n", rounds, 100 * slower, rates[k].id, counts[k], n, limit);
        if (counts[k] > limit)
            fail_msg("%s in %d of %d clean samples, at most %d expected", rates[k].id, counts[k], n, limit);
    }
}

static void clean_sessions_raise_no_more_alarms_than_stated(void **state)
{
    (void)state;
    assert_silent_on_clean_sessions(30, 0);
    assert_silent_on_clean_sessions(30, 0.05);
}

static void a_command_that_is_slower_throughout_has_no_tail(void **state)
{
    (void)state;
    assert_silent_on_clean_sessions(120, 0.05);
}

/* ---- one command ---- */

/* Ninety-eight times `mean`, one `low`, one `high`. */
static struct record around(double mean, double low, double high)
{
    double values[100];
    for (int i = 0; i < 100; i++)
        values[i] = mean;
    values[40] = low;
    values[60] = high;
    return checked("wall", 1, 100, values);
}

static void stinners_rules_have_these_limits(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        bool unstable;
    } cases[] = {{100, 100, false}, {51, 149, false}, {50, 150, true}, {51, 150, true}, {50, 149, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r = around(100, cases[i].low, cases[i].high);
        r.series[0].main.value[TABLED_VALUES][0] = 300 - cases[i].low - cases[i].high; /* keeps the mean at 100 */
        checked_with(&r, &no_facts);
        if ((find(&r, "unstable", 0) != NULL) != cases[i].unstable)
            fail_msg("from %g to %g about 100: unstable is %d", cases[i].low, cases[i].high, !cases[i].unstable);
        record_finish(&r);
    }
}

static void a_deviation_of_more_than_a_tenth_is_unstable(void **state)
{
    (void)state;
    for (int unstable = 0; unstable < 2; unstable++) {
        double values[10], deviation = unstable ? 10.01 : 9.99; /* of the mean, 100: half of the values on each side of it */
        for (int i = 0; i < 10; i++)
            values[i] = 100 + (i % 2 ? 1 : -1) * deviation * sqrt(0.9);
        struct record r = checked("wall", 1, 10, values);
        assert_int_equal(find(&r, "unstable", 0) != NULL, unstable);
        if (unstable)
            assert_string_equal(found(&r, "unstable", 0)->text,
                                "standard deviation 10 % of the mean, extremes 9.5 % below and 9.5 % above");
        record_finish(&r);
    }
}

static void one_unstable_command_of_several_is_enough(void **state)
{
    (void)state;
    double *values = quiet(30);
    for (int i = 0; i < 30; i += 3)
        values[30 + i] *= 3;
    struct record r = checked("wall", 2, 30, values);
    found(&r, "unstable", 1);
    assert_null(find(&r, "unstable", 0));
    record_finish(&r);
}

static void another_metrics_instability_is_not_asked(void **state)
{
    (void)state;
    double *values = quiet(30);
    struct record r;
    tabled_record(&r, "wall", 1, 30, values);
    for (int i = 0; i < 30; i++)
        r.series[0].main.value[TABLED_EXIT][i] = i % 2; /* stands for any other column */
    checked_with(&r, &no_facts);
    assert_null(find(&r, "unstable", 0));
    record_finish(&r);
}

static void assert_open(struct record *r, const char *why)
{
    struct buf said = BUF_INIT(256);
    assert_int_equal(check_stability_open(r, 0, &said), *why != 0);
    assert_string_equal(buf_text(&said), why);
    buf_finish(&said);
    record_finish(r);
}

static void what_cannot_be_called_stable_says_why(void **state)
{
    (void)state;
    static const double none[] = {NAN, NAN, NAN, NAN, NAN, NAN}, noughts[] = {0, 0, 0, 0, 0, 0, 1}, zero[6];
    struct record r = checked("wall", 1, 6, quiet(6));
    assert_open(&r, "");
    r = checked("wall", 1, 5, quiet(5));
    assert_open(&r, "5 values, and 6 are needed");
    r = checked("wall", 1, 6, none);
    assert_open(&r, "wall: not measurable in any run");
    r = checked("majflt", 1, 7, noughts);
    assert_open(&r, "its median is not above 0, so that no spread is a share of it");
    r = checked("majflt", 1, 6, zero);
    assert_open(&r, "");
    tabled_record(&r, "wall", 1, 6, quiet(6));
    assert_open(&r, "wall: not measured");
}

/* The other checks need rows; this one knows the values that there are. */
static void one_value_that_is_missing_hides_no_instability(void **state)
{
    (void)state;
    double *values = quiet(30);
    for (int i = 0; i < 30; i += 3)
        values[i] *= 3;
    values[4] = NAN;
    struct record r = checked("wall", 1, 30, values);
    found(&r, "unstable", 0);
    record_finish(&r);
}

static void a_cold_first_run_is_found_with_advice_for_what_was_done(void **state)
{
    (void)state;
    double *values = quiet(20);
    values[0] = 5e7;
    struct record r = checked("wall", 1, 20, values);
    const struct finding *f = found(&r, "first_run", 0);
    assert_int_equal(f->severity, SEVERITY_WARNING);
    assert_string_equal(f->text, "the first run took 50.0 ms, 5.0 times the median");
    assert_string_equal(f->advice, "use --warmup 1, or --prepare for cold runs");
    const struct check_facts prepared = {.prepared = true};
    checked_with(&r, &prepared);
    assert_string_equal(found(&r, "first_run", 0)->advice, "use --warmup 1, unless --prepare makes it cold");
    record_finish(&r);
}

static void a_cold_warm_up_run_is_told_as_set_aside(void **state)
{
    (void)state;
    struct record r;
    tabled_record(&r, "wall", 1, 20, quiet(20));
    const double cold[] = {5e7, 0};
    struct row row = {.flags = ROW_WARMUP, .values = cold};
    assert_int_equal(record_append_row(&r, 0, &row), TARE_OK);
    checked_with(&r, &no_facts);
    const struct finding *f = found(&r, "first_run", 0);
    assert_int_equal(f->severity, SEVERITY_NOTE);
    assert_null(f->advice);
    assert_string_equal(f->detail, "It was a warm-up; the figures are those of a warm start.");
    record_finish(&r);
}

static void runs_far_above_the_rest_are_counted(void **state)
{
    (void)state;
    double *values = quiet(40);
    values[11] = values[25] = values[31] = 1.3e7;
    struct record r = checked("wall", 1, 40, values);
    const struct finding *f = found(&r, "outliers", 0);
    assert_string_equal(f->text, "3 of 40 runs are more than 10 robust standard deviations above the median");
    assert_close(f->weight, 7.5, 1e-12);
    record_finish(&r);
}

static void two_groups_of_times_are_told_with_their_places(void **state)
{
    (void)state;
    double *values = quiet(60);
    for (int i = 0; i < 60; i++)
        values[i] = (i * 7) % 10 < 3 ? values[i] * 1.2 : values[i];
    struct record r = checked("wall", 1, 60, values);
    const struct finding *f = found(&r, "two_modes", 0);
    assert_string_equal(f->text, "about 10.0 ms (42 runs below 11.0 ms) and 12.1 ms (18 runs above)");
    record_finish(&r);
}

static void drift_is_found_and_its_harm_depends_on_the_design(void **state)
{
    (void)state;
    double *values = quiet(60);
    for (int i = 0; i < 60; i++) { /* both drift together */
        values[i] *= 1 + 0.1 * i / 59;
        values[60 + i] *= 1 + 0.1 * i / 59;
    }
    struct record alone = checked("wall", 1, 60, values), both = checked("wall", 2, 60, values);
    const struct finding *f = found(&alone, "drift", 0), *g = found(&both, "drift", 0);
    assert_non_null(strstr(f->text, "changed by +"));
    assert_non_null(strstr(f->text, " % of the median during the session"));
    assert_true(f->trend > .08 && f->trend < .12);
    assert_string_equal(f->advice, "measure again at another time");
    assert_string_equal(f->detail, "Mann-Kendall test, p < 0.0001. Its figures hold for this session only.");
    assert_non_null(strstr(g->detail, "What the runs of a round share cancels in the comparison."));
    assert_true(f->weight > 4 * g->weight);
    assert_silent(&alone, "dependence"); /* one of the two is enough */
    both.comparisons[0].shift = NAN;     /* as of one that was killed before an interim analysis */
    both.n_findings = 0;
    assert_int_equal(check_record(&both, &no_facts, NULL), TARE_OK);
    assert_string_equal(found(&both, "drift", 0)->advice, "measure again at another time");
    record_finish(&alone);
    record_finish(&both);
}

static void what_one_of_two_does_alone_is_in_their_ratio(void **state)
{
    (void)state;
    double *values = quiet(60);
    for (int i = 0; i < 60; i++)
        values[60 + i] *= 1 + i / 59.0;
    struct record r = checked("wall", 2, 60, values);
    const struct finding *f = found(&r, "drift", 1);
    assert_string_equal(f->advice, "measure again at another time");
    assert_non_null(strstr(f->detail, "The ratio changed as well, by +"));
    assert_non_null(strstr(f->detail, "the comparison holds for this session only."));
    const struct finding *g = found(&r, "ratio_drift", 1);
    assert_non_null(strstr(g->text, "the ratio changed by +"));
    assert_true(g->weight > f->weight && fabs(g->trend - 1) < .05); /* twice what it was */
    record_finish(&r);
}

static void of_very_many_runs_some_have_the_slope_of_all(void **state)
{
    (void)state;
    enum { N = 45001 };
    static double values[N];
    struct rng rng = rng_seeded(5);
    normal(values, N, 0.01, &rng);
    for (int i = 0; i < N; i++)
        values[i] *= 1 + 0.1 * i / (N - 1);
    struct record r = checked("wall", 1, N, values);
    assert_true(fabs(found(&r, "drift", 0)->trend - .1 / 1.05) < .002);
    record_finish(&r);
}

static void neighbours_that_are_alike_are_found(void **state)
{
    (void)state;
    double *values = quiet(60);
    for (int i = 0; i < 60; i++)
        values[i] += 3e5 * ((i / 5) % 2 ? 1 : -1);
    struct record r = checked("wall", 1, 60, values);
    const struct finding *f = found(&r, "dependence", 0);
    assert_non_null(strstr(f->text, "consecutive runs are alike (rank correlation 0."));
    assert_non_null(strstr(f->detail, "The effective sample size is "));
    record_finish(&r);
}

static void a_clock_of_coarse_steps_is_found_but_not_a_count(void **state)
{
    (void)state;
    double values[30];
    for (int i = 0; i < 30; i++)
        values[i] = 4e6 * (1 + i % 3);
    struct record times = checked("user", 1, 30, values), counts = checked("minflt", 1, 30, values);
    assert_string_equal(found(&times, "coarse", 0)->text, "30 values are only 3 different ones: the clock is too coarse");
    assert_silent(&counts, "coarse");
    record_finish(&times);
    record_finish(&counts);
    for (int i = 0; i < 30; i++)
        values[i] = 4e6;
    times = checked("user", 1, 30, values);
    assert_silent(&times, "coarse"); /* exact, not coarse */
    record_finish(&times);
}

/* Each value twice by chance, of a clock whose steps are a millionth of what they scatter by. */
static void of_a_fine_clock_equal_values_are_chance(void **state)
{
    (void)state;
    double values[60];
    for (int i = 0; i < 60; i++)
        values[i] = 1e9 + 1e6 * (i * 7 % 30) + (i == 59);
    struct record r = checked("user", 1, 60, values);
    assert_silent(&r, "coarse");
    record_finish(&r);
}

/* ---- the empty program ---- */

static void add_empty_program(struct record *r, double point)
{
    const struct subject noop = {.kind = SUBJECT_NOOP, .name = "(empty)", .command = "(empty)"};
    int subject = record_add_subject(r, &noop, NULL, 0);
    const struct estimate e = {.subject = subject, .metric = r->rule.metric, .statistic = "median", .method = "", .point = point};
    assert_true(record_add_estimate(r, &e) >= 0);
}

/* A command of about 10 ms (or bytes ...) beside empty programs of these sizes. */
static struct record beside_empty(const char *metric, int n, const double *points)
{
    struct record r;
    tabled_record(&r, metric, 1, 20, quiet(20));
    struct look look = tabled_look(20, 0.05);
    r.seconds = 10;
    tabled_analyse(&r, &look);
    for (int i = 0; i < n; i++)
        add_empty_program(&r, points[i]);
    assert_int_equal(check_record(&r, &no_facts, NULL), TARE_OK);
    return r;
}

static void a_command_hardly_longer_than_nothing_is_told_so(void **state)
{
    (void)state;
    struct record r = beside_empty("wall", 1, (const double[]){1e6});
    const struct finding *f = found(&r, "spawn_floor", 0);
    assert_string_equal(f->text, "an empty program takes 1.00 ms, 10 % of this command");
    assert_null(find(&r, "spawn_floor", 1));
    record_finish(&r);
    r = beside_empty("wall", 1, (const double[]){1e5});
    assert_silent(&r, "spawn_floor");
    record_finish(&r);
}

/* Peaks do not add up: an empty program's peak is no part of another's, but the least that can be seen. */
static void a_peak_at_the_floor_is_told_so(void **state)
{
    (void)state;
    struct record r = beside_empty("rss", 1, (const double[]){2e6});
    assert_silent(&r, "spawn_floor");
    assert_silent(&r, "memory_floor");
    record_finish(&r);
    r = beside_empty("rss", 1, (const double[]){9.9e6});
    assert_string_equal(found(&r, "memory_floor", 0)->text, "the peak is that of an empty program (9.90 MB)");
    record_finish(&r);
    r = beside_empty("minflt", 1, (const double[]){9.9e6});
    assert_silent(&r, "spawn_floor");
    assert_silent(&r, "memory_floor");
    record_finish(&r);
}

static void the_cost_of_counters_is_told(void **state)
{
    (void)state;
    struct record r = beside_empty("wall", 2, (const double[]){1e5, 2e5});
    assert_string_equal(found(&r, "counter_cost", -1)->text, "with counters an empty program takes 200 µs instead of 100 µs");
    record_finish(&r);
}

/* ---- pairs ---- */

static void rare_slow_runs_that_only_the_mean_shows_are_found(void **state)
{
    (void)state;
    double *values = quiet(40);
    for (int i = 0; i < 40; i += 13)
        values[40 + i] *= 3;
    struct record r = checked("wall", 2, 40, values);
    const struct finding *f = found(&r, "mean_against_typical", 1);
    assert_non_null(strstr(f->text, "the ratio of means is 1.2"));
    assert_non_null(strstr(f->text, ", the typical ratio 1.0"));
    record_finish(&r);
}

/* Values that never vary have intervals without width, apart by a rounding at most. */
static void exact_values_have_one_ratio(void **state)
{
    (void)state;
    double values[80];
    for (int i = 0; i < 80; i++)
        values[i] = i < 40 ? 1.9e6 : 28e6;
    struct record r = checked("wall", 2, 40, values);
    assert_silent(&r, "mean_against_typical");
    record_finish(&r);
}

static void the_second_run_of_a_round_is_told_for_the_session(void **state)
{
    (void)state;
    double *values = quiet(40);
    for (int i = 0; i < 40; i++) /* in round i command (i modulo 2) runs first */
        values[i % 2 ? i : 40 + i] *= 1.03;
    struct record r = checked("wall", 2, 40, values);
    const struct finding *f = found(&r, "slot_effect", -1);
    assert_non_null(strstr(f->text, "the second run of a round takes 3."));
    assert_non_null(strstr(f->text, " % more (p < 0.0001)"));
    record_finish(&r);
}

/* Noise of the second command alone, five rounds long. */
static void rounds_that_are_like_their_neighbours_are_told(void **state)
{
    (void)state;
    double *values = quiet(60);
    for (int i = 0; i < 60; i++)
        values[60 + i] += 3e5 * ((i / 5) % 2 ? 1 : -1);
    struct record r = checked("wall", 2, 60, values);
    const struct finding *f = found(&r, "dependent_rounds", 1);
    assert_non_null(strstr(f->text, "effective sample size "));
    assert_non_null(strstr(f->text, ", not 60; the interval of the ratio is "));
    assert_non_null(strstr(f->detail, "Neighbouring rounds are alike"));
    record_finish(&r);
}

/* The same noise, but the machine's: it strikes both runs of a round. */
static void what_the_runs_of_a_round_share_leaves_rounds_independent(void **state)
{
    (void)state;
    double *values = quiet(60);
    for (int i = 0; i < 120; i++)
        values[i] *= (i % 60 / 5) % 2 ? 1.03 : 0.97;
    struct record r = checked("wall", 2, 60, values);
    found(&r, "dependence", 0);
    assert_silent(&r, "dependent_rounds");
    record_finish(&r);
}

static void a_heavier_tail_is_found_whatever_the_typical_ratio(void **state)
{
    (void)state;
    for (int slower = 0; slower < 2; slower++)
        for (int difference = 0; difference < 2; difference++) {
            double *values = quiet(200);
            for (int i = 0; i < 200; i++) {
                values[200 + i] *= slower ? 1.05 : 1;
                values[200 + i] += i % 8 ? 0 : 1e6;
            }
            struct record r;
            tabled_record(&r, "wall", 2, 200, values);
            if (difference) {
                r.rule.margin_unit = "ns";
                r.rule.margin = 1e5;
            }
            checked_with(&r, &no_facts);
            const struct finding *f = found(&r, "tail", 1);
            assert_non_null(strstr(f->text, "unusually slow in "));
            record_finish(&r);
        }
}

static void pairs_that_scatter_are_told_one_by_one(void **state)
{
    (void)state;
    double values[120];
    struct rng rng = rng_seeded(9);
    normal(values, 40, 0.01, &rng);
    normal(values + 40, 80, 0.09, &rng);
    struct record r = checked("wall", 3, 40, values);
    const struct finding *one = found(&r, "noisy", 1), *other = found(&r, "noisy", 2);
    assert_non_null(strstr(one->text, "pairs scatter by "));
    assert_true(one != other);
    record_finish(&r);
    for (int i = 0; i < 40; i++) /* by e and 1/e: robust sd 1.48 of the logarithm, a factor of 4.4 */
        values[i] = i < 20 ? 1e6 : 1e6 * exp(i % 2 ? 1 : -1);
    r = checked("wall", 2, 20, values);
    assert_string_equal(found(&r, "noisy", 1)->text, "pairs scatter by 340 %");
    record_finish(&r);
}

static int times_found(const struct record *r, const char *id)
{
    int n = 0;
    for (int i = 0; i < r->n_findings; i++)
        n += !strcmp(r->findings[i].id, id);
    return n;
}

static void arcs_of_two_programs_do_not_repeat_what_their_rows_say(void **state)
{
    (void)state;
    double values[80];
    struct rng rng = rng_seeded(9);
    normal(values, 40, 0.01, &rng);
    normal(values + 40, 40, 0.09, &rng);
    struct record r = checked("wall", 2, 40, values);
    assert_int_equal(times_found(&r, "noisy"), 1);
    struct comparison of_an_arc = r.comparisons[0];
    of_an_arc.arc = of_an_arc.reference_arc = 1;
    for (int i = 0; i < 3; i++)
        assert_true(record_add_comparison(&r, &of_an_arc) > 0);
    r.n_findings = 0;
    assert_int_equal(check_record(&r, &no_facts, NULL), TARE_OK);
    assert_int_equal(times_found(&r, "noisy"), 1);
    record_finish(&r);
}

/* ---- the session ---- */

static void add_steal(struct record *r, double before, double after)
{
    assert_int_equal(facts_add_number(r, &r->before, "steal_ticks", before), TARE_OK);
    assert_int_equal(facts_add_number(r, &r->after, "steal_ticks", after), TARE_OK);
}

static void stolen_time_is_told_from_one_percent_on(void **state)
{
    (void)state;
    static const struct {
        double before, after;
        bool told;
    } cases[] = {{1000, 1150, true}, {1000, 1009, false}, {1000, 1010, true}, {1000, 1000, false}, {1000, 900, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r;
        tabled_record(&r, "wall", 1, 20, quiet(20));
        add_steal(&r, cases[i].before, cases[i].after);
        facts_add_number(&r, &r.machine, "cpus_online", 2);
        checked_with(&r, &no_facts); /* ten seconds */
        assert_true(!find(&r, "steal", -1) == !cases[i].told);
        if (i == 0)
            assert_string_equal(find(&r, "steal", -1)->text,
                                "the hypervisor gave 1.50 s of CPU time to others (7.5 % of 2 CPUs)");
        if (i == 2)
            assert_string_equal(find(&r, "steal", -1)->text,
                                "the hypervisor gave 100 ms of CPU time to others (0.50 % of 2 CPUs)");
        record_finish(&r);
    }
    for (int interleaved = 0; interleaved < 2; interleaved++) {
        struct record r;
        tabled_record(&r, "wall", 2, 20, quiet(20));
        r.rule.interleaved = interleaved;
        add_steal(&r, 1000, 1150);
        checked_with(&r, &no_facts);
        assert_string_equal(find(&r, "steal", -1)->advice, interleaved ? "use another host, or measure again at another time"
                                                                       : "interleave the rounds, or use another host");
        record_finish(&r);
    }
    struct record r;
    tabled_record(&r, "wall", 1, 20, quiet(20));
    add_steal(&r, 1000, 3001); /* a count that jumped: no two CPUs lose 20.01 s in ten */
    facts_add_number(&r, &r.machine, "cpus_online", 2);
    checked_with(&r, &no_facts);
    assert_string_equal(find(&r, "steal", -1)->text, "stolen time is not known: the kernel counted 20.0 s");
    assert_string_equal(find(&r, "steal", -1)->detail, "That is more than the 2 CPUs had in 10.0 s.");
    assert_null(find(&r, "steal_in_cpu_time", -1));
    record_finish(&r);
    tabled_record(&r, "wall", 1, 20, quiet(20));
    add_steal(&r, 1000, 1001); /* interrupted before the first run: no length to be a share of */
    assert_int_equal(check_record(&r, &no_facts, NULL), TARE_OK);
    assert_null(find(&r, "steal", -1));
    record_finish(&r);
    tabled_record(&r, "wall", 1, 20, quiet(20));
    facts_add_unknown(&r, &r.before, "steal_ticks", "no /proc/stat");
    facts_add_unknown(&r, &r.after, "steal_ticks", "no /proc/stat");
    checked_with(&r, &no_facts);
    assert_silent(&r, "steal");
    record_finish(&r);
}

static void counters_that_are_missing_are_told_each(void **state)
{
    (void)state;
    static const char *const why[] = {"perf:cycles is not measurable here: no such counter", "perf:x is not measurable here: no"};
    const struct check_facts facts = {.missing_counters = why, .n_missing_counters = 2};
    struct record r;
    tabled_record(&r, "wall", 1, 20, quiet(20));
    checked_with(&r, &facts);
    assert_int_equal(r.n_findings, 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(r.findings[i].id, "counter_missing");
        assert_string_equal(r.findings[i].text, why[i]);
    }
    record_finish(&r);
}

static void commands_that_no_padding_makes_equal_are_told(void **state)
{
    (void)state;
    const struct check_facts facts = {.unequal_padding = true};
    struct record r;
    tabled_record(&r, "wall", 2, 20, quiet(40));
    checked_with(&r, &facts);
    assert_int_equal(found(&r, "unequal_padding", -1)->severity, SEVERITY_WARNING);
    record_finish(&r);
}

static void what_was_not_measured_is_not_checked(void **state)
{
    (void)state;
    double *values = quiet(20);
    values[3] = NAN;
    struct record r = checked("wall", 2, 20, values);
    for (int i = 0; i < r.n_findings; i++)
        assert_int_equal(r.findings[i].subject, 1);
    record_finish(&r);
    tabled_record(&r, "wall", 2, 0, values);
    checked_with(&r, &no_facts);
    assert_int_equal(r.n_findings, 0);
    record_finish(&r);
}

static void few_runs_are_told_with_the_limit_that_ended_them(void **state)
{
    (void)state;
    static const struct {
        const char *ended, *advice;
        bool adaptive;
        int most;
    } cases[] = {{"runs", "use 10 or more (--runs), or omit --runs", false, 8},
                 {"answered", "use 10 or more (--max-runs)", true, 8},
                 {"budget", "use 10 or more (--max-runs)", true, 8},
                 {"budget", "use a longer --max-time", false, 20},
                 {"answered", "use a longer --max-time", true, INT_MAX},
                 {"interrupted", NULL, true, INT_MAX},
                 {"runs", NULL, false, 0},
                 {NULL, NULL, false, 8}};
    struct rng rng = rng_seeded(41);
    double values[8];
    normal(values, 8, 0.01, &rng);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r;
        tabled_record(&r, "wall", 1, 8, values);
        r.ended = cases[i].ended;
        checked_with(&r, &(struct check_facts){.adaptive = cases[i].adaptive, .runs_most = cases[i].most});
        const char *advice = found(&r, "few_runs", -1)->advice;
        assert_string_equal(advice ? advice : "none", cases[i].advice ? cases[i].advice : "none");
        record_finish(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_sessions_raise_no_more_alarms_than_stated),
        cmocka_unit_test(a_command_that_is_slower_throughout_has_no_tail),
        cmocka_unit_test(stinners_rules_have_these_limits),
        cmocka_unit_test(a_deviation_of_more_than_a_tenth_is_unstable),
        cmocka_unit_test(one_unstable_command_of_several_is_enough),
        cmocka_unit_test(another_metrics_instability_is_not_asked),
        cmocka_unit_test(what_cannot_be_called_stable_says_why),
        cmocka_unit_test(one_value_that_is_missing_hides_no_instability),
        cmocka_unit_test(a_cold_first_run_is_found_with_advice_for_what_was_done),
        cmocka_unit_test(a_cold_warm_up_run_is_told_as_set_aside),
        cmocka_unit_test(runs_far_above_the_rest_are_counted),
        cmocka_unit_test(two_groups_of_times_are_told_with_their_places),
        cmocka_unit_test(drift_is_found_and_its_harm_depends_on_the_design),
        cmocka_unit_test(what_one_of_two_does_alone_is_in_their_ratio),
        cmocka_unit_test(of_very_many_runs_some_have_the_slope_of_all),
        cmocka_unit_test(neighbours_that_are_alike_are_found),
        cmocka_unit_test(a_clock_of_coarse_steps_is_found_but_not_a_count),
        cmocka_unit_test(of_a_fine_clock_equal_values_are_chance),
        cmocka_unit_test(a_command_hardly_longer_than_nothing_is_told_so),
        cmocka_unit_test(a_peak_at_the_floor_is_told_so),
        cmocka_unit_test(the_cost_of_counters_is_told),
        cmocka_unit_test(rare_slow_runs_that_only_the_mean_shows_are_found),
        cmocka_unit_test(exact_values_have_one_ratio),
        cmocka_unit_test(the_second_run_of_a_round_is_told_for_the_session),
        cmocka_unit_test(rounds_that_are_like_their_neighbours_are_told),
        cmocka_unit_test(what_the_runs_of_a_round_share_leaves_rounds_independent),
        cmocka_unit_test(a_heavier_tail_is_found_whatever_the_typical_ratio),
        cmocka_unit_test(pairs_that_scatter_are_told_one_by_one),
        cmocka_unit_test(arcs_of_two_programs_do_not_repeat_what_their_rows_say),
        cmocka_unit_test(stolen_time_is_told_from_one_percent_on),
        cmocka_unit_test(counters_that_are_missing_are_told_each),
        cmocka_unit_test(commands_that_no_padding_makes_equal_are_told),
        cmocka_unit_test(what_was_not_measured_is_not_checked),
        cmocka_unit_test(few_runs_are_told_with_the_limit_that_ended_them),
    };
    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
