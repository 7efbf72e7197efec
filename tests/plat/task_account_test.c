/* SPDX-License-Identifier: MIT
 * The texts of /proc, and what follows from them. */
#include "exit_records.h"
#include "task_text.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void schedstat_has_three_numbers(void **state)
{
    (void)state;
    int64_t run = 0, delay = 0;
    assert_true(task_schedstat_read("8569380 2396592 7\n", &run, &delay));
    assert_int_equal(run, 8569380);
    assert_int_equal(delay, 2396592);
    const char *const wrong[] = {
        "", "1", "1 2", "1 2\n", "-1 2 3", "1  2 3", "a 2 3", "1 b 3", "99999999999999999999 1 1", "1 99999999999999999999 1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (task_schedstat_read(wrong[i], &run, &delay))
            fail_msg("taken for a schedstat: '%s'", wrong[i]);
}

#define FIELDS_3_TO_38 " Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36"

static void the_cpu_is_found_behind_any_name(void **state)
{
    (void)state;
    assert_int_equal(task_stat_cpu("7 (tool)" FIELDS_3_TO_38 " 5 0 0\n"), 36);
    const char *const names[] = {"7 (a b) c)", "7 ())", "7 (\n)", "7 (1 2 3 4)"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[256];
        strcpy(text, names[i]);
        strcat(text, FIELDS_3_TO_38 " 0\n");
        assert_int_equal(task_stat_cpu(text), 36);
    }
}

static void a_stat_that_is_none_has_no_cpu(void **state)
{
    (void)state;
    assert_int_equal(task_stat_cpu(""), -1);
    assert_int_equal(task_stat_cpu("7 (tool"), -1);
    assert_int_equal(task_stat_cpu("7 (tool)"), -1);
    assert_int_equal(task_stat_cpu("7 (tool) Z 1 2 3"), -1);
    assert_int_equal(task_stat_cpu("7 (tool)" FIELDS_3_TO_38), -1); /* cut off there: perhaps in mid-number */
}

/* A run of 10 ms: 9 ms with a CPU, 1 ms without; 1 ms of CPU time and 2 ms of waiting before it. */
static struct spawn_block *block_of(const char *child)
{
    struct spawn_block *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->end_ns = 10000000;
    b->setup_cpu_ns = 1000000;
    b->first_cpu = 3;
    strcpy(b->setup_schedstat, "900000 2000000 1\n");
    strcpy(b->child_schedstat, child);
    strcpy(b->child_stat, "7 (tool)" FIELDS_3_TO_38 " 0\n");
    strcpy(b->waiter_schedstat[0], "5 100 1\n");
    strcpy(b->waiter_schedstat[1], "5 100 1\n");
    b->user_us = 10000;
    return b;
}

static struct plat_child_result account_of(struct spawn_block *b)
{
    struct plat_child_result r = {.start_ns = b->start_ns, .end_ns = b->end_ns};
    task_account_take(b, &r);
    free(b);
    return r;
}

static void what_was_before_the_start_is_taken_off(void **state)
{
    (void)state;
    struct plat_child_result r = account_of(block_of("10000000 3000000 4\n"));
    assert_true(r.run_ns == 9e6);
    assert_true(r.delay_ns == 1e6);
    assert_true(r.whole);
    assert_int_equal(r.first_cpu, 3);
    assert_int_equal(r.last_cpu, 36);
}

static void the_waiters_delay_counts_as_far_as_it_explains(void **state)
{
    (void)state;
    struct spawn_block *b = block_of("9600000 2500000 4\n"); /* 0.9 ms unaccounted for */
    strcpy(b->waiter_schedstat[1], "5 600100 1\n");
    assert_true(account_of(b).delay_ns == 1.1e6);
    b = block_of("9600000 2500000 4\n");
    strcpy(b->waiter_schedstat[1], "5 5000100 1\n");
    assert_true(account_of(b).delay_ns == 1.4e6);
}

/* It got a CPU twice: it lost the first before it slept, while the program went on. Of one that never sleeps all the rest is waiting all the same. */
static void what_the_waiter_waited_before_it_slept_delayed_nobody(void **state)
{
    (void)state;
    struct spawn_block *b = block_of("9600000 2500000 4\n");
    strcpy(b->waiter_schedstat[1], "5 600100 2\n");
    assert_true(account_of(b).delay_ns == .5e6 + .6e6);
    b = block_of("9600000 2500000 4\n");
    strcpy(b->waiter_schedstat[1], "5 600100 3\n");
    assert_true(account_of(b).delay_ns == .5e6);
    b = block_of("9600000 2500000 4\n");
    strcpy(b->waiter_schedstat[1], "5 600100 3\n");
    b->ctx_involuntary = 3;
    assert_true(account_of(b).delay_ns == .5e6 + .6e6);
}

/* Between the reading of the account and the start it may have waited, too: 9.6 ms that it ran leave 0.4 of 10 ms, and 10.5 ms nothing. */
static void run_and_delay_are_no_longer_than_the_wall_time(void **state)
{
    (void)state;
    struct spawn_block *b = block_of("10600000 3000000 4\n");
    strcpy(b->waiter_schedstat[1], "5 5000100 1\n");
    assert_true(account_of(b).delay_ns == .4e6);
    b = block_of("11500000 3000000 4\n");
    assert_true(account_of(b).delay_ns == 0);
}

static void cpu_time_of_others_shows_that_it_was_not_alone(void **state)
{
    (void)state;
    struct spawn_block *b = block_of("10000000 3000000 4\n");
    b->user_us = 9999;
    b->sys_us = 3;
    assert_true(account_of(b).whole);
    b = block_of("10000000 3000000 4\n");
    b->user_us = 10003;
    assert_false(account_of(b).whole);
    b = block_of("10000000 3000000 4\n");
    b->user_us = 9997;
    assert_false(account_of(b).whole);
}

static void who_stayed_ended_where_it_began(void **state)
{
    (void)state;
    struct spawn_block *b = block_of("10000000 3000000 1\n");
    b->stayed = 1;
    b->child_stat[0] = 0;
    assert_int_equal(account_of(b).last_cpu, 3);
}

static void what_is_missing_is_not_known(void **state)
{
    (void)state;
    struct plat_child_result r = account_of(block_of(""));
    assert_true(isnan(r.run_ns) && isnan(r.delay_ns) && !r.whole);
    assert_int_equal(r.last_cpu, 36);
    struct spawn_block *b = block_of("10000000 3000000 4\n");
    b->setup_schedstat[0] = 0;
    r = account_of(b);
    assert_true(r.run_ns == 9e6 && isnan(r.delay_ns));
    b = block_of("10000000 3000000 4\n");
    b->waiter_schedstat[0][0] = 0;
    assert_true(isnan(account_of(b).delay_ns));
    b = block_of("10000000 3000000 4\n");
    b->child_stat[0] = 0;
    assert_int_equal(account_of(b).last_cpu, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedstat_has_three_numbers),
        cmocka_unit_test(the_cpu_is_found_behind_any_name),
        cmocka_unit_test(a_stat_that_is_none_has_no_cpu),
        cmocka_unit_test(what_was_before_the_start_is_taken_off),
        cmocka_unit_test(the_waiters_delay_counts_as_far_as_it_explains),
        cmocka_unit_test(what_the_waiter_waited_before_it_slept_delayed_nobody),
        cmocka_unit_test(run_and_delay_are_no_longer_than_the_wall_time),
        cmocka_unit_test(cpu_time_of_others_shows_that_it_was_not_alone),
        cmocka_unit_test(who_stayed_ended_where_it_began),
        cmocka_unit_test(what_is_missing_is_not_known),
    };
    return cmocka_run_group_tests_name("task_account", tests, NULL, NULL);
}
