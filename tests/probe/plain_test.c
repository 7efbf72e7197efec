/* SPDX-License-Identifier: MIT
 *
 * Plain calls in a real program that is started again and again. Only what holds on any machine is asserted: a sleep is never too short, memory
 * that was touched was resident.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct found {
    char status[32], text[512];
    int n, early, unsteady;
    double mean, low, high;
};

static struct found run(const char *call)
{
    char command[512];
    struct found f = {.status = "", .text = ""};
    snprintf(command, sizeof command, "%s %s", PLAIN_SUBJECT, call);
    FILE *p = popen(command, "r");
    assert_non_null(p);
    if (fscanf(p, "%31s n %d early %d unsteady %d mean %lf low %lf high %lf\n", f.status, &f.n, &f.early, &f.unsteady, &f.mean,
               &f.low, &f.high) != 7 ||
        !fgets(f.text, sizeof f.text, p))
        fail_msg("%s says nothing", command);
    assert_int_equal(pclose(p), 0);
    return f;
}

static void assert_text(const struct found *f, const char *part)
{
    if (!strstr(f->text, part))
        fail_msg("\"%s\" is not in \"%s\"", part, f->text);
}

static void once_is_one_timing_without_an_interval(void **state)
{
    (void)state;
    struct found f = run("once");
    assert_string_equal(f.status, "OK");
    assert_int_equal(f.n, 1);
    assert_true(f.mean >= 2e6 && isnan(f.low) && isnan(f.high));
    assert_text(&f, "once");
}

static void startup_measures_once_in_each_new_process(void **state)
{
    (void)state;
    struct found f = run("startup");
    assert_string_equal(f.status, "OK");
    assert_true(f.n == 6 || f.early);
    assert_true(f.mean >= 2e6 && f.low < f.mean && f.mean < f.high);
    assert_text(&f, "95 % confidence");
}

static void the_published_rule_may_stop_after_the_least_number_of_runs(void **state)
{
    (void)state;
    struct found f = run("georges"); /* any width will do */
    assert_int_equal(f.n, 5);
    assert_int_equal(f.early, 1);
    assert_text(&f, "n = 5, stopped early");
}

/* What takes nothing may have a mean below zero, of which no interval is narrow. */
static void an_interval_about_a_negative_mean_is_not_narrow(void **state)
{
    (void)state;
    struct found f = run("nothing");
    assert_string_equal(f.status, "OK");
    f = run("negative"); /* some -1000 ns in each process, within 1 % */
    assert_string_equal(f.status, "OK");
    assert_true(f.mean < -1000 + 1 && f.low <= f.mean && f.mean <= f.high);
    if (strstr(f.text, "width -"))
        fail_msg("%s", f.text);
    f = run("doubtful");
    assert_string_equal(f.status, "INVALID");
    assert_text(&f, "confidence is in");
}

static void steady_state_leaves_out_what_came_before_it(void **state)
{
    (void)state;
    struct found f = run("steady");
    assert_string_equal(f.status, "OK");
    assert_true(f.mean >= 1e6);
    f = run("unsteady");
    assert_int_equal(f.unsteady, f.n);
    assert_text(&f, "did not become steady");
}

static void memory_is_the_peak_of_a_process_that_ran_it_once(void **state)
{
    (void)state;
    struct found f = run("memory");
    assert_string_equal(f.status, "OK");
    if (!(f.mean >= 30 << 20))
        fail_msg("30 MiB were touched, %.0f bytes were seen", f.mean);
}

static void what_goes_wrong_in_the_other_process_is_said(void **state)
{
    (void)state;
    struct found f = run("dies");
    assert_string_equal(f.status, "CHILD");
    assert_text(&f, "signal 6");
    f = run("abandons"); /* who has what the answer was to come by is alive for less than the timeout */
    assert_string_equal(f.status, "CHILD");
    assert_text(&f, "signal 6");
    f = run("hangs");
    assert_string_equal(f.status, "CHILD");
    assert_text(&f, "took longer");
    f = run("closes");
    assert_string_equal(f.status, "CHILD");
    assert_text(&f, "took longer");
    f = run("unreached");
    assert_string_equal(f.status, "CHILD");
    assert_text(&f, "ended before it came to call 2");
}

static void neither_a_process_left_behind_nor_an_ignored_end_of_it_is_a_failure(void **state)
{
    (void)state;
    struct found f = run("leaves");
    assert_string_equal(f.status, "OK");
    assert_int_equal(f.n, 6);
    f = run("ignores");
    assert_string_equal(f.status, "OK");
    assert_int_equal(f.n, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(once_is_one_timing_without_an_interval),
        cmocka_unit_test(startup_measures_once_in_each_new_process),
        cmocka_unit_test(the_published_rule_may_stop_after_the_least_number_of_runs),
        cmocka_unit_test(an_interval_about_a_negative_mean_is_not_narrow),
        cmocka_unit_test(steady_state_leaves_out_what_came_before_it),
        cmocka_unit_test(memory_is_the_peak_of_a_process_that_ran_it_once),
        cmocka_unit_test(what_goes_wrong_in_the_other_process_is_said),
        cmocka_unit_test(neither_a_process_left_behind_nor_an_ignored_end_of_it_is_a_failure),
    };
    return cmocka_run_group_tests_name("plain", tests, NULL, NULL);
}
