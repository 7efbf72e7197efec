/* SPDX-License-Identifier: MIT
 *
 * What disturbed the runs, as figures: totals, shares, the exponent of the frequency, the undisturbed runs.
 */
#include "accounted_record.h"
#include "rng.h"
#include "rng_normal.h"
#include "tabled_record.h"
#include <stdio.h>
#include <tare/stats.h>

enum { N = 30 };

/* One command's runs, analysed. */
static struct record accounted(const struct accounted_run *runs, int n)
{
    struct record r;
    accounted_record(&r, 1, n, runs);
    struct look look = tabled_look(n, 0.05);
    tabled_analyse(&r, &look);
    return r;
}

static const struct estimate *figure(const struct record *r, const char *metric, const char *statistic)
{
    const struct estimate *e = record_estimate(r, 0, metric, statistic);
    if (!e)
        fail_msg("no %s", statistic);
    return e;
}

static void assert_absent(const struct record *r, const char *metric, const char *statistic)
{
    const struct estimate *e = record_estimate(r, 0, metric, statistic);
    if (e)
        fail_msg("%s is %g", statistic, e->point);
}

/* ---- totals ---- */

static void runs_and_time_are_counted_for_each_cause(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 10e6);
    for (int i = 5; i < 14; i++)
        runs[i] = accounted_preempted(runs[i], 2e6);
    runs[20].flags |= ROW_STOLEN | ROW_MIGRATED, runs[20].steal = 1e6;
    runs[21].flags |= ROW_BLOCKED, runs[21].steal = NAN, runs[21].voluntary = 3;
    runs[5].flags |= ROW_MIGRATED;
    runs[3].delay = 1e4; /* below what is flagged, and taken all the same */
    struct record r = accounted(runs, N);
    assert_close(figure(&r, "wall", "disturbed_runs")->point, 10, 0);
    assert_int_equal(figure(&r, "wall", "disturbed_runs")->n, N);
    assert_close(figure(&r, "wall", "preempted_runs")->point, 9, 0);
    assert_close(figure(&r, "wall", "preempted_ns")->point, 18.01e6, 1e-15);
    assert_close(figure(&r, "wall", "stolen_runs")->point, 1, 0);
    assert_close(figure(&r, "wall", "stolen_ns")->point, 1e6, 0);
    assert_int_equal(figure(&r, "wall", "stolen_ns")->n, N - 1);
    assert_close(figure(&r, "wall", "migrated_runs")->point, 2, 0);
    assert_close(figure(&r, "wall", "blocked_runs")->point, 1, 0);
    assert_absent(&r, "wall", "faulted_runs");
    assert_absent(&r, "wall", "throttled_runs");
    assert_true(isnan(figure(&r, "wall", "throttled_ns")->point));
    assert_string_equal(figure(&r, "wall", "throttled_ns")->reason, "not known for any run");
    record_finish(&r);
}

/* Four tasks that wait at once wait for longer than their run takes, and the CPUs of a group are stopped at once. */
static void what_was_lost_is_no_more_than_the_runs(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 10e6);
    double wall = 0;
    for (int i = 0; i < N; i++) {
        runs[i].delay = 40e6;
        runs[i].throttled = 25e6;
        runs[i].steal = i % 2 * 1e6;
        wall += runs[i].wall;
    }
    struct record r = accounted(runs, N);
    assert_close(figure(&r, "wall", "preempted_ns")->point, wall, 1e-12); /* as its share has it */
    assert_close(figure(&r, "wall", "throttled_ns")->point, 0, 1e-12);
    assert_close(figure(&r, "wall", "preempted_time_share")->point, 1, 1e-12);
    assert_close(figure(&r, "wall", "stolen_time_share")->point, 0, 1e-12);
    assert_close(figure(&r, "wall", "throttled_time_share")->point, 0, 1e-12);
    record_finish(&r);
    for (int i = 0; i < N; i++)
        runs[i].delay = runs[i].throttled = 4e6;
    r = accounted(runs, N);
    assert_close(figure(&r, "wall", "throttled_time_share")->point, N * 4e6 / wall, 1e-12);
    record_finish(&r);
}

static void a_record_without_account_has_no_such_figures(void **state)
{
    (void)state;
    const double values[] = {10, 11, 12, 10, 11, 12, 10, 11, 12, 10};
    struct record r;
    tabled_record(&r, "wall", 1, 10, values);
    struct look look = tabled_look(10, 0.05);
    tabled_analyse(&r, &look);
    assert_absent(&r, "wall", "disturbed_runs");
    assert_absent(&r, "wall", "clean_median");
    record_finish(&r);
}

/* ---- shares ---- */

static void what_adds_to_the_time_explains_its_variance(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 10e6);
    double quiet[N], all[N];
    for (int i = 0; i < N; i++) {
        quiet[i] = runs[i].wall;
        runs[i] = accounted_preempted(runs[i], i % 3 * 1e6);
        all[i] = runs[i].wall;
    }
    struct record r = accounted(runs, N);
    double ratio = tare_stddev(quiet, N) / tare_stddev(all, N);
    assert_close(figure(&r, "wall", "preempted_variance_share")->point, 1 - ratio * ratio, 1e-12);
    assert_true(figure(&r, "wall", "preempted_variance_share")->point > 0.99);
    assert_close(figure(&r, "wall", "stolen_variance_share")->point, 0, 0);
    assert_absent(&r, "wall", "throttled_variance_share");
    assert_close(figure(&r, "wall", "explained_variance_share")->point, 1 - ratio * ratio, 1e-12);
    record_finish(&r);
}

static void two_causes_together_explain_more_than_either(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 10e6);
    for (int i = 0; i < N; i++) {
        runs[i] = accounted_preempted(runs[i], i % 3 * 1e6);
        runs[i].steal = i % 2 * 1e6;
        runs[i].wall += runs[i].steal;
    }
    struct record r = accounted(runs, N);
    double preempted = figure(&r, "wall", "preempted_variance_share")->point,
           stolen = figure(&r, "wall", "stolen_variance_share")->point;
    assert_true(preempted > 0.6 && preempted < 0.8 && stolen > 0.2 && stolen < 0.4);
    assert_true(figure(&r, "wall", "explained_variance_share")->point > 0.99);
    record_finish(&r);
}

/* Waiting that was no loss (two threads, one waits while the other works): taking it off makes the times scatter. */
static void a_share_below_zero_is_none_and_says_why(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 10e6);
    for (int i = 0; i < N; i++)
        runs[i].delay = i % 2 * 1e6;
    struct record r = accounted(runs, N);
    static const char *const shares[] = {"preempted_variance_share", "explained_variance_share"};
    for (int i = 0; i < 2; i++) {
        const struct estimate *e = figure(&r, "wall", shares[i]);
        assert_true(isnan(e->point));
        assert_string_equal(e->reason, "the times scatter more without it: it does not add to them");
    }
    record_finish(&r);
}

/* The kernel's delay of a run that a quota stopped holds that stop, too. */
static void a_stop_by_a_quota_is_counted_once(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 10e6);
    double quiet[N], all[N];
    for (int i = 0; i < N; i++) {
        quiet[i] = runs[i].wall;
        runs[i].throttled = i % 3 * 4e6;
        runs[i].delay = runs[i].throttled + i % 2 * 1e6;
        runs[i].wall += runs[i].delay;
        all[i] = runs[i].wall;
    }
    runs[0].throttled = 5e6; /* another one of the group was stopped */
    struct record r = accounted(runs, N);
    assert_close(figure(&r, "wall", "preempted_ns")->point, N / 2 * 1e6, 1e-9);
    runs[0].throttled = 0;
    record_finish(&r);
    r = accounted(runs, N);
    double ratio = tare_stddev(quiet, N) / tare_stddev(all, N);
    assert_close(figure(&r, "wall", "explained_variance_share")->point, 1 - ratio * ratio, 1e-12);
    assert_true(!(figure(&r, "wall", "preempted_variance_share")->point >= 0.2));
    record_finish(&r);
}

static void what_is_known_of_a_few_runs_explains_nothing(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 10e6);
    for (int i = 0; i < N; i++) {
        runs[i].delay = i % 3 * 1e6;
        runs[i].wall += runs[i].delay;
        runs[i].steal = i * 2 < N - 1 ? 0 : NAN; /* half of them blocked */
    }
    struct record r = accounted(runs, N);
    assert_int_equal(figure(&r, "wall", "explained_variance_share")->n, N / 2);
    record_finish(&r);
    runs[0].steal = NAN;
    r = accounted(runs, N);
    assert_absent(&r, "wall", "stolen_variance_share");
    assert_int_equal(figure(&r, "wall", "explained_variance_share")->n, N);
    record_finish(&r);
}

static void constant_times_have_no_share(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    for (int i = 0; i < N; i++)
        runs[i] = (struct accounted_run){.wall = 1e6, .cpu = 1e6, .core_hz = 2e9};
    struct record r = accounted(runs, N);
    assert_absent(&r, "wall", "preempted_variance_share");
    assert_absent(&r, "wall", "explained_variance_share");
    assert_absent(&r, "cpu", "frequency_exponent"); /* one frequency only */
    struct record few = accounted(runs, 2);
    assert_absent(&few, "wall", "preempted_variance_share");
    record_finish(&few);
    record_finish(&r);
}

/* ---- frequency ---- */

/* A core that wanders between 2.4 and 3.0 GHz under work that follows it with this exponent. */
static void at_frequencies(struct accounted_run *runs, int n, double exponent, double noise, struct rng *rng)
{
    for (int i = 0; i < n; i++) {
        double hz = 2.4e9 + 0.6e9 * rng_uniform(rng);
        double t = 10e6 * pow(hz / 2.7e9, exponent) * exp(noise * rng_normal(rng));
        runs[i] = (struct accounted_run){.wall = t, .cpu = t, .throttled = NAN, .core_hz = hz};
    }
}

static void work_bound_by_the_core_has_exponent_minus_one(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    struct rng rng = rng_seeded(5);
    at_frequencies(runs, N, -1, 0, &rng);
    struct record r = accounted(runs, N);
    const struct estimate *e = figure(&r, "cpu", "frequency_exponent"), *m = figure(&r, "cpu", "median_at_frequency");
    assert_close(e->point, -1, 1e-9);
    assert_close(e->low, -1, 1e-9);
    assert_close(e->high, -1, 1e-9);
    assert_int_equal(e->n, N);
    double hz[N];
    for (int i = 0; i < N; i++)
        hz[i] = runs[i].core_hz;
    tare_sort(hz, N);
    double at = exp((log(hz[N / 2 - 1]) + log(hz[N / 2])) / 2);
    assert_close(m->point, 10e6 * 2.7e9 / at, 1e-9);
    assert_true(m->high - m->low < 1e-6 * m->point);
    assert_true(m->low <= m->point && m->point <= m->high);
    record_finish(&r);
}

static void work_bound_by_memory_is_not_adjusted(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    struct rng rng = rng_seeded(7);
    at_frequencies(runs, N, 0, 0.01, &rng);
    struct record r = accounted(runs, N);
    const struct estimate *e = figure(&r, "cpu", "frequency_exponent");
    assert_true(e->low < 0 && 0 < e->high && e->high - e->low < 0.3);
    assert_absent(&r, "cpu", "median_at_frequency");
    record_finish(&r);
}

static void an_exponent_that_no_frequency_has_adjusts_nothing(void **state)
{
    (void)state;
    static const double exponents[] = {-4.39, -1.3, 0.3};
    for (int i = 0; i < 3; i++) {
        struct accounted_run runs[N];
        struct rng rng = rng_seeded(6);
        at_frequencies(runs, N, exponents[i], 0, &rng);
        struct record r = accounted(runs, N);
        assert_close(figure(&r, "cpu", "frequency_exponent")->point, exponents[i], 1e-9);
        assert_non_null(figure(&r, "cpu", "frequency_exponent")->reason);
        assert_absent(&r, "cpu", "median_at_frequency");
        record_finish(&r);
    }
}

static void a_handful_of_frequencies_is_too_few(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    struct rng rng = rng_seeded(8);
    at_frequencies(runs, N, -1, 0, &rng);
    for (int i = 9; i < N; i++)
        runs[i].core_hz = NAN;
    struct record r = accounted(runs, N);
    assert_absent(&r, "cpu", "frequency_exponent");
    record_finish(&r);
}

/* Slopes of all pairs of very many runs would take minutes. */
static void very_many_runs_are_thinned_for_the_exponent(void **state)
{
    (void)state;
    enum { MOST = 5000 };
    static struct accounted_run runs[MOST + 1];
    struct rng rng = rng_seeded(7);
    at_frequencies(runs, MOST + 1, -1, 0.01, &rng);
    struct record all = accounted(runs, MOST), thinned = accounted(runs, MOST + 1);
    assert_int_equal(figure(&all, "cpu", "frequency_exponent")->n, MOST);
    assert_int_equal(figure(&thinned, "cpu", "frequency_exponent")->n, MOST / 2 + 1);
    assert_close(figure(&thinned, "cpu", "frequency_exponent")->point, -1, 0.01);
    assert_non_null(strstr(figure(&thinned, "cpu", "frequency_exponent")->method, "of some of the runs"));
    record_finish(&all);
    record_finish(&thinned);
}

/* Every second run takes twice as long. */
static void what_repeats_is_not_thinned_to_one_of_its_values(void **state)
{
    (void)state;
    enum { RUNS = 10000 };
    static struct accounted_run runs[RUNS];
    struct rng rng = rng_seeded(7);
    at_frequencies(runs, RUNS, -1, 0.01, &rng);
    for (int i = 1; i < RUNS; i += 2)
        runs[i].cpu *= 2;
    struct record r = accounted(runs, RUNS);
    const struct estimate *m = figure(&r, "cpu", "median_at_frequency");
    assert_true(m->low < 11e6);
    assert_true(m->high > 19e6);
    record_finish(&r);
}

/* A tenth of the runs is disturbed by half their length. Counted against exact binomial limits of 1 in 1000. */
static void the_adjusted_median_covers_the_truth(void **state)
{
    (void)state;
    enum { SESSIONS = 400 };
    int missed = 0, exponents_missed = 0, unresolved = 0;
    for (int i = 0; i < SESSIONS; i++) {
        struct accounted_run runs[N];
        struct rng rng = rng_seeded((uint64_t)i + 100);
        at_frequencies(runs, N, -1, 0.01, &rng);
        double hz[N];
        for (int k = 0; k < N; k++) {
            hz[k] = log(runs[k].core_hz);
            runs[k].cpu *= rng_below(&rng, 10) ? 1 : 1 + rng_uniform(&rng);
        }
        tare_sort(hz, N);
        double truth = 10e6 * 2.7e9 / exp(tare_quantile_sorted(hz, N, 0.5));
        struct record r = accounted(runs, N);
        const struct estimate *e = figure(&r, "cpu", "frequency_exponent"),
                              *m = record_estimate(&r, 0, "cpu", "median_at_frequency");
        exponents_missed += !(e->low <= -1 && -1 <= e->high);
        unresolved += !m;
        missed += m && !(m->low <= truth && truth <= m->high);
        record_finish(&r);
    }
    int most = 0;
    while (1 - tare_binomial_cdf(most, SESSIONS, 0.05) > 0.001)
        most++;
    printf("  %d exponents and %d adjusted medians of %d missed, at most %d; %d unresolved\n", exponents_missed, missed, SESSIONS,
           most, unresolved);
    assert_in_range(exponents_missed, 0, most);
    assert_in_range(missed, 0, most);
    assert_in_range(unresolved, 0, SESSIONS / 20);
}

/* ---- the undisturbed runs ---- */

static void undisturbed_runs_have_figures_of_their_own(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 10e6);
    double clean[N];
    int n = 0;
    for (int i = 0; i < N; i++)
        if (i % 4 == 0)
            runs[i] = accounted_preempted(runs[i], 5e6);
        else
            clean[n++] = runs[i].wall;
    runs[1].flags |= ROW_BLOCKED; /* its own doing: it counts */
    struct record r = accounted(runs, N);
    const struct estimate *median = figure(&r, "wall", "clean_median"), *mean = figure(&r, "wall", "clean_mean");
    struct tare_interval expected;
    tare_mean_ci_student(clean, n, 0.05, &expected);
    assert_int_equal(median->n, n);
    assert_close(mean->point, expected.point, 0);
    assert_close(mean->low, expected.low, 0);
    tare_sort(clean, n);
    tare_median_ci_binomial(clean, n, 0.05, &expected);
    assert_close(median->point, expected.point, 0);
    assert_close(median->high, expected.high, 0);
    assert_close(median->level, 0.05, 0);
    assert_null(median->reason);
    record_finish(&r);
}

/* Without a flag a run of several processes may have waited all the same. */
static void a_run_whose_waiting_is_not_visible_is_not_called_undisturbed(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 10e6);
    for (int i = 0; i < N; i++)
        runs[i].delay = i < 10 ? 0 : NAN;
    struct record r = accounted(runs, N);
    assert_close(figure(&r, "wall", "unseen_runs")->point, N - 10, 0);
    assert_int_equal(figure(&r, "wall", "clean_median")->n, 10);
    record_finish(&r);
    for (int i = 0; i < 10; i++)
        runs[i].delay = NAN;
    r = accounted(runs, N);
    assert_true(isnan(figure(&r, "wall", "clean_median")->point));
    assert_string_equal(figure(&r, "wall", "clean_median")->reason, "no run is known to be undisturbed");
    record_finish(&r);
}

static void where_all_runs_were_disturbed_there_is_no_undisturbed_figure(void **state)
{
    (void)state;
    struct accounted_run runs[N];
    accounted_fill(runs, N, 10e6);
    struct record quiet = accounted(runs, N);
    assert_absent(&quiet, "wall", "clean_median");
    for (int i = 0; i < N; i++)
        runs[i] = accounted_preempted(runs[i], 5e6);
    struct record r = accounted(runs, N);
    assert_true(isnan(figure(&r, "wall", "clean_median")->point));
    assert_string_equal(figure(&r, "wall", "clean_median")->reason, "no run is known to be undisturbed");
    record_finish(&quiet);
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_and_time_are_counted_for_each_cause),
        cmocka_unit_test(what_was_lost_is_no_more_than_the_runs),
        cmocka_unit_test(a_record_without_account_has_no_such_figures),
        cmocka_unit_test(what_adds_to_the_time_explains_its_variance),
        cmocka_unit_test(two_causes_together_explain_more_than_either),
        cmocka_unit_test(a_share_below_zero_is_none_and_says_why),
        cmocka_unit_test(a_stop_by_a_quota_is_counted_once),
        cmocka_unit_test(what_is_known_of_a_few_runs_explains_nothing),
        cmocka_unit_test(constant_times_have_no_share),
        cmocka_unit_test(work_bound_by_the_core_has_exponent_minus_one),
        cmocka_unit_test(work_bound_by_memory_is_not_adjusted),
        cmocka_unit_test(an_exponent_that_no_frequency_has_adjusts_nothing),
        cmocka_unit_test(a_handful_of_frequencies_is_too_few),
        cmocka_unit_test(very_many_runs_are_thinned_for_the_exponent),
        cmocka_unit_test(what_repeats_is_not_thinned_to_one_of_its_values),
        cmocka_unit_test(the_adjusted_median_covers_the_truth),
        cmocka_unit_test(undisturbed_runs_have_figures_of_their_own),
        cmocka_unit_test(a_run_whose_waiting_is_not_visible_is_not_called_undisturbed),
        cmocka_unit_test(where_all_runs_were_disturbed_there_is_no_undisturbed_figure),
    };
    return cmocka_run_group_tests_name("disturbance", tests, NULL, NULL);
}
