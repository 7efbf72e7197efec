/* SPDX-License-Identifier: MIT
 *
 * What the machine did meanwhile, from facts: told where it matters, silent where it does not or nobody knows.
 */
#include "check.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct check_facts no_facts = {0};
enum { RUNS = 8 };

/* Eight runs of a second with this much steal each, in a session of ten; NaN: not known. */
static struct record session(double steal_ns)
{
    static const char *const columns[] = {"wall", "exit", "steal"};
    static const struct subject subject = {.kind = SUBJECT_COMMAND, .name = "a", .command = "a"};
    struct record r;
    record_init(&r);
    assert_true(record_add_metric(&r, metric_builtin_find("wall")) >= 0);
    assert_int_equal(record_add_subject(&r, &subject, columns, 3), 0);
    r.rule = (struct rule){.metric = "wall", .confidence = 0.95, .margin = 0.01, .fail_if_slower = NAN};
    r.seconds = 10;
    for (int i = 0; i < RUNS; i++) {
        const double values[] = {1e9 + 1e5 * i, 0, steal_ns};
        const struct row row = {.round = i, .start_ns = i * 1100000000ll, .values = values};
        assert_int_equal(record_append_row(&r, 0, &row), TARE_OK);
    }
    return r;
}

static void number(struct record *r, const char *key, double before, double after)
{
    if (!isnan(before))
        assert_int_equal(facts_add_number(r, &r->before, key, before), TARE_OK);
    if (!isnan(after))
        assert_int_equal(facts_add_number(r, &r->after, key, after), TARE_OK);
}

static void word(struct record *r, struct facts *f, const char *key, const char *text)
{
    assert_int_equal(facts_add_text(r, f, key, text), TARE_OK);
}

static const struct finding *find(struct record *r, const char *id)
{
    assert_int_equal(check_record(r, &no_facts, NULL), TARE_OK);
    for (int i = 0; i < r->n_findings; i++)
        if (!strcmp(r->findings[i].id, id))
            return &r->findings[i];
    return NULL;
}

/* NULL: silent. */
static void assert_says(struct record *r, const char *id, const char *text, const char *advice)
{
    const struct finding *f = find(r, id);
    if (!text && f)
        fail_msg("%s: %s", id, f->text);
    if (text && (!f || !strstr(f->text, text)))
        fail_msg("%s: '%s', expected '%s'", id, f ? f->text : "silent", text);
    if (text && advice && !strstr(f->advice, advice) && !(f->detail && strstr(f->detail, advice)))
        fail_msg("%s: '%s', expected '%s'", id, f->advice, advice);
    record_finish(r);
}

static void a_quota_that_stopped_the_session_is_told_with_its_group(void **state)
{
    (void)state;
    struct record r = session(NAN);
    number(&r, "cpu_quota_cpus", 0.5, 0.5);
    word(&r, &r.before, "cpu_quota_group", "/sys/fs/cgroup/job");
    number(&r, "throttled_periods", 100, 140);
    number(&r, "throttled_ns", 5e9, 7e9);
    assert_says(&r, "quota", "the quota of 0.5 CPUs stopped the session 40 times, for 2.00 s", "/sys/fs/cgroup/job");
    r = session(NAN);
    number(&r, "cpu_quota_cpus", 0.5, 0.5);
    number(&r, "throttled_periods", 100, 100);
    number(&r, "throttled_ns", 5e9, 5e9);
    assert_says(&r, "quota", NULL, NULL);
    r = session(NAN);
    assert_int_equal(facts_add_unknown(&r, &r.before, "throttled_periods", "why"), TARE_OK);
    number(&r, "throttled_periods", NAN, 7);
    assert_says(&r, "quota", NULL, NULL);
}

static void suspension_is_told_and_its_grain_is_not(void **state)
{
    (void)state;
    struct record r = session(NAN);
    number(&r, "suspended_ns", 1e12, 1e12 + 90e9);
    assert_says(&r, "suspended", "suspended for 90.0 s", "measure again");
    r = session(NAN);
    number(&r, "suspended_ns", 1e12, 1e12 + 1000);
    assert_says(&r, "suspended", NULL, NULL);
}

static void another_tare_is_told_whenever_it_was_there(void **state)
{
    (void)state;
    struct record r = session(NAN);
    word(&r, &r.before, "other_tare", "no");
    word(&r, &r.after, "other_tare", "pid 4711");
    assert_says(&r, "other_tare", "(pid 4711)", NULL);
    r = session(NAN);
    word(&r, &r.before, "other_tare", "pid 12");
    assert_says(&r, "other_tare", "(pid 12)", NULL);
    r = session(NAN);
    word(&r, &r.before, "other_tare", "no");
    word(&r, &r.after, "other_tare", "no");
    assert_says(&r, "other_tare", NULL, NULL);
    r = session(NAN);
    assert_int_equal(facts_add_unknown(&r, &r.after, "other_tare", "not allowed"), TARE_OK);
    assert_says(&r, "other_tare", NULL, NULL);
}

static struct record with_users(double seconds, double unnamed, const char *names)
{
    struct record r = session(NAN);
    number(&r, "cpus_allowed", 2, 2);
    number(&r, "cpu_users_seconds", NAN, seconds);
    number(&r, "cpu_unnamed_seconds", NAN, unnamed);
    number(&r, "cpu_watch_seconds", NAN, 10);
    word(&r, &r.after, "cpu_users", names);
    return r;
}

static void those_who_used_the_cpus_are_named(void **state)
{
    (void)state;
    struct record r = with_users(4, 0.1, "yes (pid 4711) 3.90 s");
    assert_says(&r, "cpu_users", "other programs used 40 % of one CPU, most of it yes",
                "Others used 4.00 s of CPU time: yes (pid 4711) 3.90 s.");
    r = with_users(4, 0.1, "init (pid 1) 3.50 s; yes (pid 4711) 0.30 s"); /* which nobody ends */
    assert_string_equal(find(&r, "cpu_users")->text, "other programs used 40 % of one CPU, most of it init and yes");
    assert_string_equal(find(&r, "cpu_users")->advice, "let the machine settle");
    record_finish(&r);
    r = with_users(8, 0.5, "cc1 (900 processes) 3.00 s; rustc (pid 7) 2.00 s; (a; (b) (pid 9) 0.50 s; and 3 more");
    assert_says(&r, "cpu_users", "other programs used 80 % of one CPU, most of it cc1 and rustc",
                "(a; (b) (pid 9) 0.50 s; and 3 more");
    r = with_users(8, 0.5, "(a; (b) (pid 9) 4.10 s");
    assert_says(&r, "cpu_users", "most of it (a; (b)", NULL);
    r = with_users(8, 0.5, "cc1 (900 processes) 2.00 s; rustc (pid 7) 1.50 s; cc2 (pid 8) 1.40 s"); /* two have less than half */
    assert_string_equal(find(&r, "cpu_users")->text, "other programs used 80 % of one CPU");
    record_finish(&r);
    r = with_users(4, 2.5, "none");
    assert_says(&r, "cpu_users", "other programs used 40 % of one CPU",
                "4.00 s of CPU time; 2.50 s by processes that came and went.");
    r = with_users(8, 7.5, "yes (pid 4711) 0.50 s"); /* not its doing */
    assert_says(&r, "cpu_users", "other programs used 80 % of one CPU",
                "8.00 s of CPU time: yes (pid 4711) 0.50 s; 7.50 s by processes that came and went.");
    r = with_users(0.9, 0.1, "yes (pid 4711) 0.80 s");
    assert_says(&r, "cpu_users", NULL, NULL);
    r = with_users(-0.03, -0.03, "none");
    assert_says(&r, "cpu_users", NULL, NULL);
    r = session(NAN);
    assert_int_equal(facts_add_unknown(&r, &r.after, "cpu_users", "why"), TARE_OK);
    assert_int_equal(facts_add_unknown(&r, &r.after, "cpu_users_seconds", "why"), TARE_OK);
    assert_says(&r, "cpu_users", NULL, NULL);
}

/* Which may be of a microsecond. */
static void one_tick_of_stolen_time_proves_nothing(void **state)
{
    (void)state;
    for (int ticks = 1; ticks < 3; ticks++) {
        struct record r = session(NAN);
        r.seconds = 0.2;
        number(&r, "steal_ticks", 1000, 1000 + ticks);
        assert_says(&r, "steal", ticks == 1 ? NULL : "the hypervisor gave 20 ms of CPU time to others", "another host");
    }
}

static void stolen_time_that_the_accounts_do_not_show_is_told(void **state)
{
    (void)state;
    static const struct {
        double ticks, steal_ns, cpus;
        bool told;
    } cases[] = {
        {100, 0, 2, true},     /* a second was taken, nothing of it seen */
        {100, 24e6, 2, true},  /* 192 ms of it; the runs fill 0.8 of the session, so 400 may be expected on one CPU of two */
        {100, 26e6, 2, false}, /* 208 ms */
        {100, 10e6, 4, true},  /* 80 ms, of 200 */
        {100, 13e6, 4, false}, /* 104 ms: the rest fell on other CPUs */
        {100, 0, 5, false},    /* 160 ms expected: too little to tell */
        {100, 0, 64, false},   /* the more CPUs, the less is expected on one */
        {40, 0, 2, false},     /* too little to tell */
        {100, NAN, 2, false},  /* no account */
        {NAN, 0, 2, false},    {100, 0, NAN, false}, /* nobody knows how many CPUs there are */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r = session(cases[i].steal_ns);
        number(&r, "steal_ticks", 1000, 1000 + cases[i].ticks);
        if (!isnan(cases[i].cpus))
            assert_int_equal(facts_add_number(&r, &r.machine, "cpus_online", cases[i].cpus), TARE_OK);
        assert_says(&r, "steal_in_cpu_time", cases[i].told ? " of 1.00 s of stolen time" : NULL, "CPU times");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quota_that_stopped_the_session_is_told_with_its_group),
        cmocka_unit_test(suspension_is_told_and_its_grain_is_not),
        cmocka_unit_test(another_tare_is_told_whenever_it_was_there),
        cmocka_unit_test(those_who_used_the_cpus_are_named),
        cmocka_unit_test(one_tick_of_stolen_time_proves_nothing),
        cmocka_unit_test(stolen_time_that_the_accounts_do_not_show_is_told),
    };
    return cmocka_run_group_tests_name("session_checks", tests, NULL, NULL);
}
