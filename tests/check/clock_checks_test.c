/* SPDX-License-Identifier: MIT
 *
 * Every finding about clocks is made for a session that deserves it and is silent on one that does not.
 */
#include "check.h"
#include "record.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int add_subject(struct record *r, enum subject_kind kind, const char *name, const char *property, const char *value)
{
    const struct parameter p = {property, value};
    const struct subject s = {.kind = kind, .name = name, .command = name, .parameters = &p, .n_parameters = property != NULL};
    return record_add_subject(r, &s, NULL, 0);
}

static void add(struct record *r, int subject, const char *metric, const char *statistic, double point)
{
    const struct estimate e = {.subject = subject, .metric = metric, .statistic = statistic, .point = point, .n = 1};
    assert_true(record_add_estimate(r, &e) >= 0);
}

/* A session in which all is well; a test then spoils one thing. */
struct world {
    struct record r;
    int counter, monotonic, sleeps, scheduler, core, empty, run, loop;
};

static void begin(struct world *w, const char *vdso, const char *distrust)
{
    struct record *r = &w->r;
    record_init(r);
    assert_int_equal(record_add_clock_metrics(r), TARE_OK);
    r->rule.metric = "wall";
    w->counter = add_subject(r, SUBJECT_CLOCK, "tsc", distrust ? "distrusted" : NULL, distrust);
    w->monotonic = add_subject(r, SUBJECT_CLOCK, "CLOCK_MONOTONIC", "vdso", vdso);
    w->sleeps = add_subject(r, SUBJECT_TIMER, "sleeps", NULL, NULL);
    w->scheduler = add_subject(r, SUBJECT_TIMER, "scheduler", NULL, NULL);
    w->core = add_subject(r, SUBJECT_EXPERIMENT, "chains", NULL, NULL);
    w->empty = add_subject(r, SUBJECT_EXPERIMENT, "nothing", NULL, NULL);
    w->run = add_subject(r, SUBJECT_EXPERIMENT, "Sleep", "asked_ns", "500000");
    w->loop = add_subject(r, SUBJECT_EXPERIMENT, "loop", NULL, NULL);
    add(r, w->counter, "frequency", "measured", 2e9);
    add(r, w->counter, "apart", "frequency", 99);
    add(r, w->counter, "backward", "count", 0);
    add(r, w->counter, "rate", "session", 9);
    add(r, w->counter, "skew", "max", -40);
    add(r, w->counter, "skew", "bound", 50);
    add(r, w->monotonic, "cost", "median", 25);
    add(r, w->sleeps, "late", "min", 0);
    add(r, w->sleeps, "late", "granularity", 9e5);
    add(r, w->scheduler, "slice", "median", 4e6);
    add(r, w->core, "core_hz", "multiplies", 2.01e9);
    add(r, w->core, "apart", "chains", 4900);
    add(r, w->empty, "weight", "p10", 40);
    add(r, w->empty, "weight", "p99", 60);
    add(r, w->run, "ticks", "min", 1000000);
    add(r, w->run, "ticks", "median", 1010000);
    add(r, w->run, "ticks", "max", 1100000);
    add(r, w->run, "net_ticks", "median", 1000000);
    add(r, w->run, "wall", "min", 500000);
    add(r, w->run, "wall", "median", 505000);
}

static int count(const struct record *r, const char *id)
{
    int n = 0;
    for (int i = 0; i < r->n_findings; i++)
        n += !strcmp(r->findings[i].id, id);
    return n;
}

/* The record says only this one, once; NULL: nothing at all. */
static void expect(struct world *w, const char *id)
{
    assert_int_equal(check_record(&w->r, &(struct check_facts){0}, NULL), TARE_OK);
    for (int i = 0; i < w->r.n_findings; i++)
        if (!id || strcmp(w->r.findings[i].id, id))
            fail_msg("%s: %s", w->r.findings[i].id, w->r.findings[i].text);
    if (id && count(&w->r, id) != 1)
        fail_msg("%d findings %s", count(&w->r, id), id);
    record_finish(&w->r);
}

/* The last estimate of a name counts. */
static void expect_with(int (*subject)(const struct world *), const char *metric, const char *statistic, double point,
                        const char *id)
{
    struct world w;
    begin(&w, "yes", NULL);
    add(&w.r, subject(&w), metric, statistic, point);
    expect(&w, id);
}

static int counter(const struct world *w)
{
    return w->counter;
}

static int sleeps(const struct world *w)
{
    return w->sleeps;
}

static int core(const struct world *w)
{
    return w->core;
}

static int run(const struct world *w)
{
    return w->run;
}

static int loop(const struct world *w)
{
    return w->loop;
}

static void a_good_machine_gets_no_remark(void **state)
{
    (void)state;
    struct world w;
    begin(&w, "yes", NULL);
    expect(&w, NULL);
}

static void a_drift_is_against_the_clock_that_has_no_rate(void **state)
{
    (void)state;
    struct world w;
    begin(&w, "yes", NULL);
    add(&w.r, add_subject(&w.r, SUBJECT_CLOCK, "QueryPerformanceCounter", NULL, NULL), "cost", "median", 100);
    add(&w.r, w.monotonic, "rate", "session", 0);
    add(&w.r, w.counter, "rate", "session", -113);
    assert_int_equal(check_record(&w.r, &(struct check_facts){0}, NULL), TARE_OK);
    assert_string_equal(w.r.findings[0].text, "tsc ran 113 ppm slower than QueryPerformanceCounter");
    record_finish(&w.r);
}

static void a_counter_that_cannot_be_trusted_is_named(void **state)
{
    (void)state;
    expect_with(counter, "apart", "frequency", 101, "frequency_sources");
    expect_with(counter, "backward", "count", 1, "clock_stepped_back");
    expect_with(counter, "rate", "session", -108, NULL); /* as far as its sources are apart */
    expect_with(counter, "rate", "session", -110, "counter_drifts");
    expect_with(counter, "rate", "bound", 2, NULL);
    struct world w;
    begin(&w, "yes", NULL);
    add(&w.r, w.counter, "rate", "session", -112);
    add(&w.r, w.counter, "rate", "bound", 2);
    expect(&w, "counter_drifts");
    begin(&w, "yes", NULL);
    add(&w.r, w.counter, "rate", "session", 140);
    add(&w.r, w.counter, "rate", "bound", 45);
    expect(&w, NULL);
    expect_with(counter, "skew", "max", 51, "clock_skew");
    expect_with(counter, "skew", "max", -51, "clock_skew");
    begin(&w, "yes", "it is not invariant");
    expect(&w, "clock_distrusted");
}

static void a_clock_behind_a_system_call_is_slow(void **state)
{
    (void)state;
    struct world w;
    begin(&w, "no", NULL);
    expect(&w, "clock_by_system_call");
}

static void sleeps_that_are_short_or_coarse_are_told(void **state)
{
    (void)state;
    expect_with(sleeps, "late", "min", -1, "sleep_too_short");
    expect_with(sleeps, "late", "granularity", 1.1e6, "coarse_timer");
}

static void the_core_is_not_the_counter(void **state)
{
    (void)state;
    expect_with(core, "apart", "chains", 5100, "chains_disagree");
    expect_with(core, "core_hz", "multiplies", 2.1e9, "ticks_are_not_cycles");
    expect_with(core, "core_hz", "multiplies", NAN, NULL);
}

static void an_experiment_says_how_far_it_can_be_believed(void **state)
{
    (void)state;
    expect_with(run, "net_ticks", "median", 19, "below_resolution");
    expect_with(run, "net_ticks", "median", 21, NULL);
    expect_with(loop, "wall", "median", 4.1e6, "longer_than_slice");
    expect_with(run, "wall", "median", 4.1e6, NULL); /* a sleep holds no CPU */
    expect_with(run, "wall", "min", 499749, "clock_proved_wrong");
    expect_with(run, "wall", "min", 499751, NULL); /* the clock of the sleep may have been slewed */
}

static void the_minimum_misleads_where_noise_does_not_only_add(void **state)
{
    (void)state;
    expect_with(run, "ticks", "min", 900000, "minimum_misleads");
    expect_with(run, "ticks", "max", 1010001, NULL); /* one per cent below the median is no finding */
    struct world w;
    begin(&w, "yes", NULL);
    add(&w.r, w.run, "ticks", "min", 70);
    add(&w.r, w.run, "ticks", "median", 90);
    add(&w.r, w.run, "ticks", "max", 91);
    expect(&w, NULL); /* the bracket varies by as much */
}

static void a_masked_processor_is_told(void **state)
{
    (void)state;
    static const char *const words[] = {"masked by hypervisor", "contradicted", "likely"};
    for (int i = 0; i < 3; i++) {
        struct world w;
        begin(&w, "yes", NULL);
        assert_int_equal(facts_add_text(&w.r, &w.r.machine, "cpu_code_name", "Ice Lake"), TARE_OK);
        assert_int_equal(facts_add_text(&w.r, &w.r.machine, "cpu_code_name_confidence", words[i]), TARE_OK);
        expect(&w, i < 2 ? "processor_masked" : NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_machine_gets_no_remark),
        cmocka_unit_test(a_counter_that_cannot_be_trusted_is_named),
        cmocka_unit_test(a_drift_is_against_the_clock_that_has_no_rate),
        cmocka_unit_test(a_clock_behind_a_system_call_is_slow),
        cmocka_unit_test(sleeps_that_are_short_or_coarse_are_told),
        cmocka_unit_test(the_core_is_not_the_counter),
        cmocka_unit_test(an_experiment_says_how_far_it_can_be_believed),
        cmocka_unit_test(the_minimum_misleads_where_noise_does_not_only_add),
        cmocka_unit_test(a_masked_processor_is_told),
    };
    return cmocka_run_group_tests_name("clock_checks", tests, NULL, NULL);
}
