/* SPDX-License-Identifier: MIT
 *
 * What else the machine did, from canned /proc: named, unnamed, ours, vanished, reborn, malformed.
 */
#include "fake.h"
#include "machine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SCRIPT_MAX = 1 << 20 };
static char script[SCRIPT_MAX];

static void begin_script(const char *text)
{
    strcpy(script, "clock step 0ns\n");
    strcat(script, text);
}

/* A process that has used so many ticks, its children (waited for) others; from_ms 0: from the start. */
static void process(int id, const char *name, int ticks, int children, int started, int from_ms)
{
    char line[500];
    snprintf(line, sizeof line, "file /proc/%d/stat \"%d (%s) R 1 1 1 0 0 0 0 0 0 0 %d 1 %d 0 20 0 1 0 %d 0\\n\" from %dms\n", id,
             id, name, ticks - 1, children, started, from_ms);
    strcat(script, line);
}

static void child(int id, const char *name, char state, int parent, int ticks, int from_ms)
{
    char line[500];
    snprintf(line, sizeof line, "file /proc/%d/stat \"%d (%s) %c %d 1 1 0 0 0 0 0 0 0 %d 1 0 0 20 0 1 0 950 0\\n\" from %dms\n",
             id, id, name, state, parent, ticks - 1, from_ms);
    strcat(script, line);
}

/* The spawner's last run, ended at that time and not waited for. */
static void last_run(int id, const char *name, int ticks, int from_ms)
{
    child(id, name, 'Z', 1001, ticks, from_ms);
}

static void total(int busy, int from_ms)
{
    char line[200];
    snprintf(line, sizeof line, "file /proc/stat \"cpu  %d 0 0 5000 0 0 0 30 0 0\\n\" from %dms\n", busy, from_ms);
    strcat(script, line);
}

static void play(void)
{
    struct tare_err err = {{0}};
    if (fake_script_set(script, &err))
        fail_msg("%s", err.text);
}

static const struct fact *fact(const struct record *r, const struct facts *f, const char *key)
{
    (void)r;
    const struct fact *found = facts_find(f, key);
    if (!found)
        fail_msg("no fact %s", key);
    return found;
}

static void assert_number(const struct record *r, const struct facts *f, const char *key, double expected)
{
    const struct fact *k = fact(r, f, key);
    if (k->text || !(k->number >= expected - 1e-9 && k->number <= expected + 1e-9))
        fail_msg("%s: %.17g ('%s', %s), expected %.17g", key, k->number, k->text ? k->text : "(null)",
                 k->reason ? k->reason : "known", expected);
}

static void assert_text(const struct record *r, const struct facts *f, const char *key, const char *expected)
{
    const struct fact *k = fact(r, f, key);
    if (!k->text || strcmp(k->text, expected))
        fail_msg("%s: '%s' (%g), expected '%s'", key, k->text ? k->text : "(null)", k->number, expected);
}

static void assert_unknown(const struct record *r, const struct facts *f, const char *key)
{
    const struct fact *k = fact(r, f, key);
    if (k->text || !k->reason)
        fail_msg("%s: '%s' (%g) is known", key, k->text ? k->text : "(null)", k->number);
}

/* A session of two seconds; spawner 1001. */
static struct record session(int64_t budget_ns)
{
    play();
    struct surroundings s;
    struct record r;
    record_init(&r);
    surroundings_open(&s);
    assert_int_equal(surroundings_add(&s, &r, &r.before), TARE_OK);
    cpu_watch_begin(&s.users, 1001, budget_ns);
    plat_sleep_ns(2000000000);
    assert_int_equal(surroundings_add(&s, &r, &r.after), TARE_OK);
    assert_int_equal(surroundings_add_users(&s, &r, &r.after), TARE_OK);
    surroundings_close(&s);
    return r;
}

/* ---- who used the CPUs ---- */

static void ourselves(void)
{
    process(1000, "tare", 5, 0, 900, 0);
    process(1001, "tare-spawn", 1, 2, 901, 0);
    process(1000, "tare", 9, 0, 900, 1000);         /* 4 */
    process(1001, "tare-spawn", 2, 162, 901, 1000); /* 1 + 160 */
}

static void others_are_named_and_what_is_ours_is_not_counted(void **state)
{
    (void)state;
    begin_script("");
    ourselves();
    process(40, "yes", 100, 0, 50, 0);
    process(40, "yes", 150, 0, 50, 1000); /* 0.5 s */
    process(41, "idle", 10, 0, 50, 0);
    process(2000, "cc1", 30, 0, 950, 1000); /* began after us */
    total(1000, 0);
    total(1000 + 165 + 50 + 30 + 25, 1000);
    struct record r = session(1000000);
    assert_text(&r, &r.after, "cpu_users", "yes (pid 40) 0.50 s; cc1 (pid 2000) 0.30 s");
    assert_number(&r, &r.after, "cpu_users_seconds", 1.05);
    assert_number(&r, &r.after, "cpu_unnamed_seconds", 0.25);
    assert_number(&r, &r.after, "cpu_watch_seconds", 2);
    record_finish(&r);
}

static void the_run_that_just_ended_is_ours_too(void **state)
{
    (void)state;
    begin_script("");
    ourselves();
    last_run(2001, "measured", 70, 1000);
    process(40, "yes", 100, 0, 50, 0);
    process(40, "yes", 150, 0, 50, 1000);
    total(1000, 0);
    total(1000 + 165 + 70 + 50, 1000);
    struct record r = session(1000000);
    assert_text(&r, &r.after, "cpu_users", "yes (pid 40) 0.50 s");
    assert_number(&r, &r.after, "cpu_users_seconds", 0.5);
    assert_number(&r, &r.after, "cpu_unnamed_seconds", 0);
    record_finish(&r);
}

static void a_session_within_this_one_is_ours(void **state)
{
    (void)state;
    begin_script("");
    process(1000, "tare", 5, 3, 900, 0);
    process(1001, "tare-spawn", 1, 2, 901, 0);
    process(1000, "tare", 9, 503, 900, 1000); /* it had a spawner of its own, which has ended */
    process(1001, "tare-spawn", 1, 2, 901, 1000);
    child(1002, "tare-spawn", 'S', 1000, 50, 1000); /* and has another one */
    total(1000, 0);
    total(1000 + 504 + 50, 1000);
    struct record r = session(1000000);
    assert_number(&r, &r.after, "cpu_users_seconds", 0);
    assert_number(&r, &r.after, "cpu_unnamed_seconds", 0);
    record_finish(&r);
}

static void a_child_that_was_there_before_is_another_process(void **state)
{
    (void)state;
    begin_script("");
    ourselves();
    child(990, "server", 'R', 1000, 40, 0); /* sh -c 'server & exec tare' */
    child(990, "server", 'R', 1000, 90, 1000);
    total(1000, 0);
    total(1000 + 165 + 50, 1000);
    struct record r = session(1000000);
    assert_text(&r, &r.after, "cpu_users", "server (pid 990) 0.50 s");
    assert_number(&r, &r.after, "cpu_unnamed_seconds", 0);
    record_finish(&r);
}

static void an_id_that_is_used_again_is_another_process(void **state)
{
    (void)state;
    begin_script("");
    ourselves();
    process(50, "old", 500, 0, 20, 0);
    process(50, "new", 20, 0, 1100, 1000);
    process(51, "older", 300, 0, 30, 1000); /* appears, though older than we are: what it used since is not known */
    total(1000, 0);
    total(1185, 1000);
    struct record r = session(1000000);
    assert_text(&r, &r.after, "cpu_users", "new (pid 50) 0.20 s");
    record_finish(&r);
}

static void names_are_masked_and_only_the_first_stand_there(void **state)
{
    (void)state;
    begin_script("");
    ourselves();
    for (int i = 0; i < 8; i++)
        process(60 + i, (const char *[]){"a", "b", "c", "d", "e", "f", "g", "\\n) (x"}[i], 10 * (i + 1), 0, 1000, 1000);
    total(1000, 0);
    total(1525, 1000);
    struct record r = session(1000000);
    assert_text(
        &r, &r.after, "cpu_users",
        "\\n) (x (pid 67) 0.80 s; g (pid 66) 0.70 s; f (pid 65) 0.60 s; e (pid 64) 0.50 s; d (pid 63) 0.40 s; and 3 more");
    record_finish(&r);
}

static void who_is_gone_at_the_end_is_named_if_it_was_looked_for(void **state)
{
    (void)state;
    begin_script("");
    ourselves();
    process(80, "builder", 100, 0, 950, 500); /* is there for the second half second */
    strcat(script, "file /proc/80/stat denied from 900ms\n");
    process(40, "yes", 100, 0, 50, 0);
    process(40, "yes", 130, 0, 50, 1000);
    total(1000, 0);
    total(1000 + 165 + 100 + 30, 1000);
    play();
    struct surroundings s;
    struct record r;
    record_init(&r);
    surroundings_open(&s);
    cpu_watch_begin(&s.users, 1001, 1000000);
    plat_sleep_ns(700000000);
    surroundings_look(&s);
    plat_sleep_ns(1300000000);
    assert_int_equal(surroundings_add_users(&s, &r, &r.after), TARE_OK);
    surroundings_close(&s);
    assert_text(&r, &r.after, "cpu_users", "builder (pid 80) 1.00 s; yes (pid 40) 0.30 s");
    assert_number(&r, &r.after, "cpu_unnamed_seconds", 0);
    record_finish(&r);
}

static void processes_of_one_name_are_one_user(void **state)
{
    (void)state;
    begin_script("");
    ourselves();
    for (int i = 0; i < 6; i++)
        process(60 + i, "cc1", i < 5 ? 4 : 1, 0, 1000, 1000); /* each too little to be named */
    process(70, "yes", 30, 0, 1000, 1000);
    total(1000, 0);
    total(1216, 1000);
    struct record r = session(1000000);
    assert_text(&r, &r.after, "cpu_users", "yes (pid 70) 0.30 s; cc1 (6 processes) 0.21 s");
    record_finish(&r);
}

static void a_quiet_machine_has_no_users(void **state)
{
    (void)state;
    begin_script("");
    ourselves();
    process(70, "cron", 10, 0, 5, 0);
    process(70, "cron", 11, 0, 5, 1000);
    total(1000, 0);
    total(1166, 1000);
    struct record r = session(1000000);
    assert_text(&r, &r.after, "cpu_users", "none");
    assert_number(&r, &r.after, "cpu_unnamed_seconds", 0);
    record_finish(&r);
}

static void all_others_used_no_less_than_those_with_names(void **state)
{
    (void)state;
    begin_script("");
    ourselves();
    process(70, "cron", 10, 0, 5, 0);
    process(70, "cron", 13, 0, 5, 1000); /* of which the total has one */
    total(1000, 0);
    total(1166, 1000);
    struct record r = session(1000000);
    assert_text(&r, &r.after, "cpu_users", "cron (pid 70) 0.03 s");
    assert_number(&r, &r.after, "cpu_users_seconds", 0.03);
    assert_number(&r, &r.after, "cpu_unnamed_seconds", 0);
    record_finish(&r);
}

static void without_time_to_look_old_processes_have_no_name(void **state)
{
    (void)state;
    begin_script("clock step 1ms\n");
    ourselves();
    for (int i = 0; i < 100; i++) {
        process(100 + i, "p", 10, 0, 50, 0);
        process(100 + i, "p", i == 0 || i == 99 ? 60 : 10, 0, 50, 1000);
    }
    total(1000, 0);
    total(1265, 1000);
    struct record r = session(4500000); /* some 40 of them, those with the highest ids */
    assert_text(&r, &r.after, "cpu_users", "p (pid 199) 0.50 s");
    assert_number(&r, &r.after, "cpu_users_seconds", 1);
    assert_number(&r, &r.after, "cpu_unnamed_seconds", 0.5);
    record_finish(&r);
}

static void a_proc_that_tells_nothing_is_unknown(void **state)
{
    (void)state;
    static const char *const scripts[] = {"", "file /proc/stat \"cpu 1 2\\n\"\nfile /proc/1000/stat \"1000 (tare) R 1\\n\"\n",
                                          "file /proc/stat denied\nfile /proc/1000/stat denied\nfile /proc/5/stat \"\"\n"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        begin_script(scripts[i]);
        struct record r = session(1000000);
        assert_unknown(&r, &r.after, "cpu_users");
        assert_unknown(&r, &r.after, "cpu_unnamed_seconds");
        record_finish(&r);
    }
}

static void malformed_processes_are_left_out(void **state)
{
    (void)state;
    begin_script(
        "file /proc/7/stat \"\"\nfile /proc/8/stat \"8 (x R 1 2 3\"\nfile /proc/9/stat \"10 (liar) R 1 1 1 0 0 0 0 0 0 0 900 1 "
        "0 0 20 0 1 0 950 0\"\nfile /proc/11/stat \"11 (a) R 1 1 1 0 0 0 0 0 0 0 99999999999999999999 1 0 0 20 0 1 0 950 0\"\n");
    ourselves();
    total(1000, 0);
    total(1165, 1000);
    struct record r = session(1000000);
    assert_text(&r, &r.after, "cpu_users", "none");
    record_finish(&r);
}

/* ---- the other facts ---- */

static void a_machine_that_tells_nothing_leaves_reasons(void **state)
{
    (void)state;
    begin_script("presence denied\nthread without suspended\n");
    struct record r = session(1000000);
    static const char *const keys[] = {"cpu_quota_cpus", "throttled_periods", "throttled_ns",
                                       "suspended_ns",   "cpu_pressure_us",   "other_tare"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_unknown(&r, &r.before, keys[i]);
        assert_unknown(&r, &r.after, keys[i]);
    }
    record_finish(&r);
}

static void quota_suspension_pressure_and_others_are_facts(void **state)
{
    (void)state;
    begin_script(
        "file /proc/self/cgroup \"0::/job\\n\"\nfile /proc/self/mountinfo \"30 1 0:1 / /cg rw - cgroup2 c rw\\n\"\n"
        "file /cg/job/cpu.max \"150000 100000\\n\"\nfile /cg/job/cpu.stat \"nr_throttled 1\\nthrottled_usec 5\\n\"\n"
        "file /cg/job/cpu.stat \"nr_throttled 4\\nthrottled_usec 905\\n\" from 1s\n"
        "thread suspended 3s at 1s\npresence 4711 from 1s\npresence 0 from 1s\npresence silent from 1s\npresence 6 from 1s\n"
        "file /proc/pressure/cpu \"some avg10=0.00 avg60=0.00 avg300=0.00 total=77\\n\"\n");
    struct record r = session(1000000);
    assert_number(&r, &r.before, "cpu_quota_cpus", 1.5);
    assert_text(&r, &r.before, "cpu_quota_group", "/cg/job");
    assert_number(&r, &r.before, "throttled_periods", 1);
    assert_number(&r, &r.after, "throttled_periods", 4);
    assert_number(&r, &r.after, "throttled_ns", 905000);
    assert_number(&r, &r.before, "suspended_ns", 0);
    assert_number(&r, &r.after, "suspended_ns", 3e9);
    assert_number(&r, &r.before, "cpu_pressure_us", 77);
    assert_text(&r, &r.before, "other_tare", "no");
    assert_text(&r, &r.after, "other_tare", "pid 4711, in another container, one that does not answer and 1 more");
    record_finish(&r);
    begin_script("file /proc/self/cgroup \"0::/\\n\"\nfile /proc/self/mountinfo \"30 1 0:1 / /cg rw - cgroup2 c rw\\n\"\n");
    r = session(1000000);
    assert_text(&r, &r.before, "cpu_quota_cpus", "none");
    assert_number(&r, &r.before, "throttled_ns", 0);
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_run_that_just_ended_is_ours_too),
        cmocka_unit_test(others_are_named_and_what_is_ours_is_not_counted),
        cmocka_unit_test(a_session_within_this_one_is_ours),
        cmocka_unit_test(a_child_that_was_there_before_is_another_process),
        cmocka_unit_test(an_id_that_is_used_again_is_another_process),
        cmocka_unit_test(names_are_masked_and_only_the_first_stand_there),
        cmocka_unit_test(who_is_gone_at_the_end_is_named_if_it_was_looked_for),
        cmocka_unit_test(processes_of_one_name_are_one_user),
        cmocka_unit_test(a_quiet_machine_has_no_users),
        cmocka_unit_test(all_others_used_no_less_than_those_with_names),
        cmocka_unit_test(without_time_to_look_old_processes_have_no_name),
        cmocka_unit_test(a_proc_that_tells_nothing_is_unknown),
        cmocka_unit_test(malformed_processes_are_left_out),
        cmocka_unit_test(a_machine_that_tells_nothing_leaves_reasons),
        cmocka_unit_test(quota_suspension_pressure_and_others_are_facts),
    };
    return cmocka_run_group_tests_name("surroundings", tests, NULL, NULL);
}
