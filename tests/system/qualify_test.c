/* SPDX-License-Identifier: MIT
 *
 * A scripted host, from what is measured of it to what is said.
 */
#include "check.h"
#include "clocks.h"
#include "fake.h"
#include "host_verdict.h"
#include "plat.h"
#include "qualify.h"
#include "render.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define FAST_READS "ticks cost 1600\n" /* 0.8 us each: few readings make a stretch, and none is a gap */

struct host {
    struct record r;
    struct arena a;
    struct qualify q;
    int rows;
};

static void count_row(void *context, int series)
{
    (void)series;
    ((struct host *)context)->rows++;
}

static void begin(struct host *h, const char *script, int cpus, double watch_s)
{
    struct tare_err err = {{0}};
    *h = (struct host){.rows = 0};
    if (fake_script_set(script, &err))
        fail_msg("%s", err.text);
    clock_forget();
    record_init(&h->r);
    h->r.rule = (struct rule){.metric = "wall", .confidence = .95, .margin = .01, .against_itself = true, .fail_if_slower = NAN};
    record_add_metric(&h->r, metric_builtin_find("wall"));
    h->q = (struct qualify){.record = &h->r,
                            .start_ns = plat_now_ns(),
                            .watch_ns = (int64_t)(watch_s * 1e9),
                            .jitter_ns = 100000000,
                            .after_row = count_row,
                            .context = h};
    for (int i = 0; i < cpus; i++)
        cpu_list_add(&h->q.cpus, i);
    if (qualify_describe(&h->q, &err))
        fail_msg("%s", err.text);
}

static void measure(struct host *h)
{
    struct tare_err err = {{0}};
    if (qualify_measure(&h->q, &h->a, &err))
        fail_msg("%s", err.text);
    assert_int_equal(qualify_estimates(&h->r, &err), TARE_OK);
}

static void end(struct host *h)
{
    record_finish(&h->r);
    arena_finish(&h->a);
}

static const struct estimate *found(const struct host *h, const char *what, const char *metric, const char *statistic)
{
    for (int i = 0; i < h->r.n_subjects; i++) {
        const struct estimate *e = record_is_host_part(&h->r, i, what) ? record_estimate(&h->r, i, metric, statistic) : NULL;
        if (e)
            return e;
    }
    fail_msg("no %s of %s of %s", statistic, metric, what);
    return NULL;
}

static void near(double value, double expected, double tolerance, const char *what)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g within %g", what, value, expected, tolerance);
}

static bool has_finding(const struct host *h, const char *id)
{
    for (int i = 0; i < h->r.n_findings; i++)
        if (!strcmp(h->r.findings[i].id, id))
            return true;
    return false;
}

static void check(struct host *h)
{
    struct tare_err err;
    assert_int_equal(check_record(&h->r, &(struct check_facts){.adaptive = true}, &err), TARE_OK);
}

/* ---- what is measured ---- */

static void two_cores_do_twice_what_one_does(void **state)
{
    (void)state;
    struct host h;
    begin(&h, FAST_READS "cpus 2\n", 2, 1);
    measure(&h);
    const struct estimate *e = found(&h, "sharing", "sharing", "cpus_0_1");
    near(e->point, 1, 1e-9, "sharing");
    assert_int_equal(e->n, QUALIFY_PAIR_ROUNDS);
    check(&h);
    assert_false(has_finding(&h, "host_threads") || has_finding(&h, "host_threads_hidden") || has_finding(&h, "host_busy"));
    assert_int_equal(h.rows, QUALIFY_PAIR_ROUNDS + 2 * 10 + 2 * 4 + 1);
    end(&h);
}

static void threads_of_one_core_are_found_whatever_the_system_says(void **state)
{
    (void)state;
    struct host h;
    begin(&h, FAST_READS "cpus 2\nburden siblings 0 1 52%\n", 2, 1);
    measure(&h);
    near(found(&h, "sharing", "sharing", "cpus_0_1")->point, .52, 1e-9, "sharing");
    check(&h);
    assert_true(has_finding(&h, "host_threads_hidden"));
    end(&h);
    begin(&h,
          FAST_READS
          "cpus 2\nburden siblings 0 1 52%\nfile /sys/devices/system/cpu/cpu0/topology/thread_siblings_list \"0-1\\n\"\n",
          2, 1);
    measure(&h);
    check(&h);
    assert_true(has_finding(&h, "host_threads") && !has_finding(&h, "host_threads_hidden"));
    end(&h);
    begin(&h, FAST_READS "cpus 2\nfile /sys/devices/system/cpu/cpu0/topology/thread_siblings_list \"0-1\\n\"\n", 2, 1);
    measure(&h);
    check(&h);
    assert_true(has_finding(&h, "host_threads_apart"));
    end(&h);
}

static void credit_that_ends_is_seen_with_its_time(void **state)
{
    (void)state;
    struct host h;
    begin(&h, FAST_READS "cpus 2\nburden 3000M\nburden 1200M at 35s\n", 2, 60);
    measure(&h);
    const struct estimate *change = found(&h, "throughput", "throughput", "all_change"),
                          *onset = found(&h, "throughput", "throughput", "all_onset");
    near(expm1(change->point), -.6, 1e-6, "change");
    assert_true(change->high < 0);
    near(onset->point, 35 - 2, 2, "onset"); /* less what came before the watch */
    check(&h);
    assert_true(has_finding(&h, "host_credit"));
    end(&h);
}

static void work_lost_to_others_is_not_put_down_to_credit(void **state)
{
    (void)state;
    struct host h;
    begin(&h, FAST_READS "cpus 2\nburden stolen 0%\nburden stolen 40% at 35s\n", 2, 60);
    measure(&h);
    near(expm1(found(&h, "throughput", "throughput", "all_change")->point), -.4, 1e-6, "change");
    check(&h);
    assert_true(has_finding(&h, "host_busy"));
    assert_false(has_finding(&h, "host_credit"));
    end(&h);
}

static void a_throughput_that_lasts_shows_no_change(void **state)
{
    (void)state;
    struct host h;
    begin(&h, FAST_READS "cpus 2\nsession steps 3% 400ms\n", 2, 60);
    measure(&h);
    const struct estimate *change = found(&h, "throughput", "throughput", "all_change");
    assert_true(change->low <= 0 && 0 <= change->high);
    check(&h);
    assert_false(has_finding(&h, "host_credit"));
    end(&h);
}

static void time_that_was_not_ours_is_told(void **state)
{
    (void)state;
    struct host h;
    begin(&h, FAST_READS "cpus 2\nburden stolen 30%\n", 2, 10);
    measure(&h);
    near(found(&h, "throughput", "cpu_share", "mean")->point, .7, 1e-6, "share");
    check(&h);
    assert_true(has_finding(&h, "host_busy"));
    end(&h);
}

static void a_moving_core_and_contradicting_counters_are_told(void **state)
{
    (void)state;
    struct host h;
    begin(&h, FAST_READS "cpus 2\ncore 3000M\ncore 2500M at 620ms\nticks skew 1 100000000\n", 2, 1);
    measure(&h);
    near(found(&h, "counters", "counter_skew", "largest")->point, 5e7, 1e3, "skew");
    check(&h);
    assert_true(has_finding(&h, "host_frequency"));
    assert_true(has_finding(&h, "host_counter"));
    end(&h);
}

static void short_watches_and_absent_threads_leave_reasons(void **state)
{
    (void)state;
    struct host h;
    struct tare_err err;
    begin(&h, FAST_READS "cpus 1\n", 1, 1);
    measure(&h);
    assert_true(isnan(found(&h, "throughput", "throughput", "all_change")->point));
    assert_non_null(found(&h, "throughput", "throughput", "all_change")->reason);
    assert_true(isnan(found(&h, "counters", "counter_skew", "largest")->point));
    assert_int_equal(h.q.n_pairs, 0);
    end(&h);
    begin(&h, FAST_READS "cpus 2\nburden unsupported \"no threads here\"\n", 2, 1);
    assert_int_equal(qualify_measure(&h.q, &h.a, &err), TARE_UNSUPPORTED);
    assert_string_equal(err.text, "no threads here");
    end(&h);
}

static void many_cpus_are_looked_at_in_part(void **state)
{
    (void)state;
    struct host h;
    begin(&h, FAST_READS "cpus 512\n", 512, .3);
    assert_int_equal(h.q.n_cpus, QUALIFY_CPUS_MAX);
    assert_int_equal(h.q.n_probed, QUALIFY_PROBED_MAX);
    assert_true(h.q.n_pairs > 0 && h.q.n_pairs <= QUALIFY_PAIRS_MAX);
    assert_int_equal(h.q.probed[1], 128);
    end(&h);
}

static void cpus_above_a_thousand_are_chosen_from_too(void **state)
{
    (void)state;
    struct host h;
    begin(&h, FAST_READS "cpus 1100\n", 1100, .3);
    assert_int_equal(h.q.n_cpus, QUALIFY_CPUS_MAX);
    assert_true(h.q.cpu[QUALIFY_CPUS_MAX - 1] > 1024);
    assert_int_equal(h.q.probed[QUALIFY_PROBED_MAX - 1], 825);
    assert_true(h.q.n_pairs > 0 && h.q.n_pairs <= QUALIFY_PAIRS_MAX);
    end(&h);
}

/* ---- records of others ---- */

enum { STRETCH_COLUMNS = 9 + JITTER_CLASSES };

static void add_stretch(struct host *h, int64_t start_ns, double wall, double lost, double core_hz, double gaps)
{
    double values[STRETCH_COLUMNS] = {wall, lost, lost, 0, 0, 0, 0, core_hz, 1000};
    for (int i = 9; i < STRETCH_COLUMNS; i++)
        values[i] = gaps;
    const struct row row = {.round = h->r.series[h->q.jitter[0]].main.n, .start_ns = start_ns, .values = values};
    assert_int_equal(record_append_row(&h->r, h->q.jitter[0], &row), TARE_OK);
}

static void a_stretch_that_cannot_be_hides_no_other(void **state)
{
    (void)state;
    struct host h;
    struct tare_err err;
    begin(&h, "cpus 2\n", 2, 1);
    for (int i = 0; i < 10; i++) {
        add_stretch(&h, i, 1e7, 1e6, 3e9, 1);
        add_stretch(&h, INT64_MAX, 0, 0, 3e9, 0); /* the counter went back in it */
        add_stretch(&h, INT64_MIN, 1e7, 1e6, 3e9, 9e18);
        add_stretch(&h, 0, INFINITY, 1e6, 3e9, 0);
        add_stretch(&h, 0, 1e7, NAN, 3e9, 0);
        add_stretch(&h, 0, 1e7, 1e6, -1, 1);
        add_stretch(&h, 0, 1e7, 1e6, INFINITY, 1);
    }
    assert_int_equal(qualify_estimates(&h.r, &err), TARE_OK);
    const struct estimate *lost = found(&h, "jitter", "lost_share", "mean");
    near(lost->point, .1, 1e-12, "lost share");
    assert_true(lost->low <= lost->point && lost->point <= lost->high);
    near(found(&h, "jitter", "gaps", "over_1us")->point, JITTER_CLASSES * 100, 1e-6, "gaps");
    near(found(&h, "jitter", "core_frequency", "p95")->point, 3e9, 0, "frequency");
    end(&h);
}

/* So many that to hold each against each would take minutes. */
static void no_more_pairs_are_told_than_are_measured(void **state)
{
    (void)state;
    struct host h;
    struct tare_err err;
    begin(&h, "cpus 2\n", 2, 1);
    for (int i = 0; i < 200000; i++) {
        const double values[] = {i % 400, i / 400, 1, 1, 1, 1, NAN};
        const struct row row = {.round = i, .values = values};
        assert_int_equal(record_append_row(&h.r, h.q.sharing, &row), TARE_OK);
    }
    assert_int_equal(qualify_estimates(&h.r, &err), TARE_OK);
    int n = 0;
    for (int i = 0; i < h.r.n_estimates; i++)
        n += !strcmp(h.r.estimates[i].metric, "sharing");
    assert_int_equal(n, QUALIFY_PAIRS_MAX);
    end(&h);
}

static void a_signal_ends_it_and_leaves_what_there_is(void **state)
{
    (void)state;
    struct host h;
    struct tare_err err;
    begin(&h, FAST_READS "cpus 2\nsignal INT at 10s\n", 2, 60);
    plat_signals_watch();
    assert_int_equal(qualify_measure(&h.q, &h.a, &err), TARE_INTERRUPTED);
    int n = h.r.series[h.q.throughput[0]].main.n;
    assert_true(n > 10 && n < 200);
    assert_int_equal(qualify_estimates(&h.r, &err), TARE_OK);
    near(found(&h, "throughput", "throughput", "median")->point, 3e9, 1, "throughput");
    end(&h);
}

static void a_cpu_that_is_not_ours_is_refused(void **state)
{
    (void)state;
    struct tare_err err;
    struct record r;
    assert_int_equal(fake_script_set("cpus 2\n", &err), TARE_OK);
    record_init(&r);
    struct qualify q = {.record = &r};
    cpu_list_add(&q.cpus, 5);
    assert_int_equal(qualify_describe(&q, &err), TARE_INVALID);
    assert_string_equal(err.text, "CPU 5 is offline or not allowed to us");
    record_finish(&r);
}

/* ---- what is said ---- */

struct claim {
    int sessions, false_words;
    double detectable, change_low, change_high;
    int planted, found;
    double others_cpus;
};

static void add(struct host *h, int subject, const char *metric, const char *statistic, double point, double low, double high,
                int n)
{
    const struct estimate e = {.subject = subject,
                               .metric = metric,
                               .statistic = statistic,
                               .method = "made up",
                               .point = point,
                               .low = low,
                               .high = high,
                               .confidence = .95,
                               .level = .05,
                               .n = n,
                               .n_effective = NAN};
    assert_true(record_add_estimate(&h->r, &e) >= 0);
}

static struct host_verdict judge(const struct claim *c, struct host *h)
{
    struct tare_err err;
    struct host_verdict v;
    struct tare_interval share;
    begin(h, "cpus 2\n", 2, 1);
    tare_binomial_ci_clopper_pearson(c->false_words, c->sessions, .05, &share);
    add(h, 0, "wall", "aa_false_positives", share.point, share.low, share.high, c->sessions);
    add(h, 0, "wall", "aa_detectable", c->detectable, -INFINITY, INFINITY, c->sessions);
    add(h, h->q.throughput[0], "throughput", "all_change", (c->change_low + c->change_high) / 2, c->change_low, c->change_high,
        100);
    tare_binomial_ci_clopper_pearson(c->found, c->planted, .05, &share);
    add(h, h->q.planted, "planted", "found", share.point, share.low, share.high, c->planted);
    add(h, h->q.planted, "planted", "size", c->detectable, -INFINITY, INFINITY, c->planted);
    facts_add_number(&h->r, &h->r.after, "cpu_users_seconds", c->others_cpus * 100);
    facts_add_number(&h->r, &h->r.after, "cpu_watch_seconds", 100);
    assert_int_equal(analyse_host(&h->r, &v, &err), TARE_OK);
    struct host_verdict again;
    assert_true(host_verdict_read(&h->r, &again));
    assert_int_equal(again.word, v.word);
    assert_string_equal(again.why, v.why);
    return v;
}

static void words_follow_from_figures_in_their_order(void **state)
{
    (void)state;
    const struct {
        struct claim claim;
        enum host_word word;
        const char *why;
    } rows[] = {
        {{40, 1, .0043, -.01, .01, 20, 19, 0}, HOST_GOOD, "90 % power for a difference of 0.43 %"},
        {{40, 8, .0043, -.01, .01, 20, 19, 0}, HOST_UNFIT, "false positives all: more than the 5 % allowed"},
        {{40, 8, .0043, -.01, .01, 20, 19, 2}, HOST_UNFIT, "false positives all: more than the 5 % allowed"},
        {{40, 4, .0043, -.01, .01, 20, 19, 0}, HOST_GOOD, ""}, /* within chance of 5 % */
        {{19, 0, .0043, -.01, .01, 20, 19, 0}, HOST_UNDECIDED, "20 are needed"},
        {{40, 1, NAN, -.01, .01, 20, 19, 0}, HOST_UNDECIDED, "not known"},
        {{40, 1, .031, -.01, .01, 20, 19, 0}, HOST_USABLE, "more than the threshold of 1 %"},
        {{40, 1, .3, -.01, .01, 20, 19, 0}, HOST_UNFIT, "90 % power only for differences of 30 % and more"},
        {{40, 1, .0043, -.5, -.4, 20, 19, 0}, HOST_USABLE, "throughput fell"},
        {{40, 1, .0043, -.019, -.01, 20, 19, 0}, HOST_GOOD, ""}, /* fell, and by too little to matter */
        {{40, 1, .0043, -.01, .01, 20, 8, 0}, HOST_USABLE, "found slower in 8 of 20 sessions"},
        {{40, 1, .0043, -.01, .01, 20, 17, 0}, HOST_GOOD, ""},
        {{40, 1, .0043, -.01, .01, 20, 19, 1.5}, HOST_GOOD, ""}, /* good in spite of others is good */
        {{40, 1, .031, -.01, .01, 20, 19, 1.5}, HOST_UNDECIDED, "other programs used 1.5 CPUs"},
        {{40, 1, .031, -.01, .01, 20, 19, .05}, HOST_USABLE, "threshold"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host h;
        struct host_verdict v = judge(&rows[i].claim, &h);
        if (v.word != rows[i].word || !strstr(v.why, rows[i].why))
            fail_msg("row %zu: word %d (%s), expected %d (%s)", i, v.word, v.why, rows[i].word, rows[i].why);
        end(&h);
    }
}

static void the_smallest_difference_is_rounded_up(void **state)
{
    (void)state;
    const double given[] = {.00431, .0099, .01, .1234}, rounded[] = {.0044, .0099, .01, .13};
    for (int i = 0; i < 4; i++) {
        struct host h;
        struct host_verdict v = judge(&(struct claim){40, 0, given[i], -.01, .01, 20, 20, 0}, &h);
        near(v.good_for, rounded[i], 1e-12, "good for");
        end(&h);
    }
}

static void planted_sessions_become_shares(void **state)
{
    (void)state;
    struct host h;
    struct tare_err err;
    begin(&h, "cpus 2\n", 2, 1);
    for (int i = 0; i < 20; i++) {
        const struct qualify_planted p = {
            .planted = log(1.01), .shift = .01, .low = .001, .high = .02, .rounds = 30, .found = i > 1, .wrong = i == 0};
        assert_int_equal(qualify_add_planted(&h.q, &p, &err), TARE_OK);
    }
    assert_int_equal(qualify_estimates(&h.r, &err), TARE_OK);
    near(found(&h, "planted", "planted", "size")->point, .01, 1e-12, "size");
    near(found(&h, "planted", "planted", "found")->point, .9, 1e-12, "found");
    near(found(&h, "planted", "planted", "wrong")->point, .05, 1e-12, "wrong");
    int n = h.r.n_estimates;
    assert_int_equal(qualify_estimates(&h.r, &err), TARE_OK);
    assert_int_equal(h.r.n_estimates, n); /* once */
    end(&h);
}

static void a_host_is_shown_whole_and_two_side_by_side(void **state)
{
    (void)state;
    struct host h;
    struct tare_err err;
    struct host_verdict v;
    begin(&h, FAST_READS "cpus 2\nburden siblings 0 1 52%\n", 2, 10);
    measure(&h);
    assert_int_equal(analyse_host(&h.r, &v, &err), TARE_OK);
    h.r.ended = "answered";
    const struct render_options o = {.width = 100};
    struct buf b = BUF_INIT(1 << 20);
    render_result(&h.r, &o, &b);
    const char *const parts[] = {"undecided: 0 sessions", "0 and 1 together  1.04 of 2", "threads of one core", "CPU 0",
                                 "time lost, CPU 0",      "throughput over 10 s",        "CPU time ours: 100 %"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(buf_text(&b), parts[i]))
            fail_msg("no '%s' in:\n%s", parts[i], buf_text(&b));
    buf_clear(&b);
    struct rows *rows = &h.r.series[h.q.throughput[0]].main;
    rows->start_ns[rows->n - 1] += (int64_t)5e9; /* others had the CPU before the last slice */
    render_result(&h.r, &o, &b);
    assert_non_null(strstr(buf_text(&b), "throughput over 15 s"));
    buf_clear(&b);
    render_hosts(&h.r, &h.r, (const char *const[]){"one", "other"}, &o, &b);
    assert_non_null(strstr(buf_text(&b), "two CPUs together, least of 2"));
    assert_non_null(strstr(buf_text(&b), "1.56 G/s"));
    buf_finish(&b);
    end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_cores_do_twice_what_one_does),
        cmocka_unit_test(threads_of_one_core_are_found_whatever_the_system_says),
        cmocka_unit_test(credit_that_ends_is_seen_with_its_time),
        cmocka_unit_test(work_lost_to_others_is_not_put_down_to_credit),
        cmocka_unit_test(a_throughput_that_lasts_shows_no_change),
        cmocka_unit_test(time_that_was_not_ours_is_told),
        cmocka_unit_test(a_moving_core_and_contradicting_counters_are_told),
        cmocka_unit_test(short_watches_and_absent_threads_leave_reasons),
        cmocka_unit_test(many_cpus_are_looked_at_in_part),
        cmocka_unit_test(cpus_above_a_thousand_are_chosen_from_too),
        cmocka_unit_test(a_stretch_that_cannot_be_hides_no_other),
        cmocka_unit_test(no_more_pairs_are_told_than_are_measured),
        cmocka_unit_test(a_signal_ends_it_and_leaves_what_there_is),
        cmocka_unit_test(a_cpu_that_is_not_ours_is_refused),
        cmocka_unit_test(words_follow_from_figures_in_their_order),
        cmocka_unit_test(the_smallest_difference_is_rounded_up),
        cmocka_unit_test(planted_sessions_become_shares),
        cmocka_unit_test(a_host_is_shown_whole_and_two_side_by_side),
    };
    return cmocka_run_group_tests_name("qualify", tests, NULL, NULL);
}
