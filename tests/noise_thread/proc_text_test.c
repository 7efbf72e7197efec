/* SPDX-License-Identifier: MIT
 *
 * Files of /proc as values: as kernels write them, cut at every byte, and not of this world.
 */
#include "proc_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char PROCESS[] =
    "4711 (ev) (il\n) R 4700 4711 4700 34816 4711 4194304 94 0 0 0 190 5 7 3 20 0 1 0 123456 2490368 210 "
    "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n";

static void a_process_tells_its_times(void **state)
{
    (void)state;
    struct proc_process p;
    assert_true(proc_process_parse(PROCESS, strlen(PROCESS), &p));
    assert_int_equal(p.id, 4711);
    assert_int_equal(p.parent, 4700);
    assert_false(p.ended);
    assert_string_equal(p.name, "ev) (il\n");
    assert_int_equal(p.ticks, 195);
    assert_int_equal(p.children_ticks, 10);
    assert_int_equal(p.started, 123456);
}

static void a_process_cut_short_tells_nothing(void **state)
{
    (void)state;
    size_t enough = (size_t)(strstr(PROCESS, "123456") - PROCESS) + 1; /* its first digit is a number already */
    for (size_t n = 0; n < enough; n++) {
        struct proc_process p = {.id = -5};
        if (proc_process_parse(PROCESS, n, &p) || p.id != -5)
            fail_msg("%zu bytes are taken for a process", n);
    }
}

static void a_process_of_another_make_tells_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "x",
                                        "1",
                                        "1 (",
                                        "1 )(",
                                        "1 () R",
                                        "1 (a R 1 2 3",
                                        "(a) R 1",
                                        "99999999999999999999 (a) R 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
                                        "1 (a) R 1 1 1 1 1 1 1 1 1 1 9223372036854775807 1 1 1 1 1 1 1 1",
                                        "1 (a) R 1 1 1 1 1 1 1 1 1 1 -4 1 1 1 1 1 1 1 1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct proc_process p;
        if (proc_process_parse(texts[i], strlen(texts[i]), &p))
            fail_msg("'%s' is taken for a process", texts[i]);
    }
}

static void a_long_name_is_cut(void **state)
{
    (void)state;
    char text[400] = "1 (", name[201];
    memset(name, 'n', 200);
    name[200] = 0;
    strcat(strcat(text, name), ") R 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 77");
    struct proc_process p;
    assert_true(proc_process_parse(text, strlen(text), &p));
    assert_int_equal(strlen(p.name), PROC_NAME_MAX - 1);
    assert_int_equal(p.started, 77);
}

static void the_machine_tells_its_times(void **state)
{
    (void)state;
    static const char text[] = "cpu  10 20 30 400 50 6 7 80 5 0\ncpu0 1 2 3\n";
    struct proc_cpu c;
    assert_true(proc_cpu_parse(text, strlen(text), &c));
    assert_int_equal(c.busy, 73);
    assert_int_equal(c.idle, 450);
    assert_int_equal(c.steal, 80);
    static const char *const bad[] = {"",
                                      "cpu ",
                                      "cpu0 1 2 3 4 5 6 7 8",
                                      "cpu 1 2 3 4 5 6 7\n",
                                      "cpu  1 2 3 4 5 6 7 x",
                                      "cpu 9223372036854775807 1 1 1 1 1 1 1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (proc_cpu_parse(bad[i], strlen(bad[i]), &c))
            fail_msg("'%s' is taken for the machine's times", bad[i]);
}

static void a_value_stands_behind_its_whole_key(void **state)
{
    (void)state;
    static const char text[] = "nr_periods 5\nxnr_throttled 6\nnr_throttled_more 7\nnr_throttled 8\nlast 9";
    int64_t v = -1;
    assert_true(proc_value_parse(text, strlen(text), "nr_throttled", &v));
    assert_int_equal(v, 8);
    assert_true(proc_value_parse(text, strlen(text), "last", &v));
    assert_int_equal(v, 9);
    assert_false(proc_value_parse(text, strlen(text), "absent", &v));
    assert_false(proc_value_parse(text, 0, "nr_periods", &v));
    assert_false(proc_value_parse("k x", 3, "k", &v));
    assert_int_equal(v, 9);
}

static void pressure_is_the_total_of_some(void **state)
{
    (void)state;
    static const char text[] = "some avg10=2.01 avg60=11.75 avg300=17.52 total=5090065606\nfull avg10=0.00 total=7\n";
    int64_t us = -1;
    assert_true(proc_pressure_parse(text, strlen(text), &us));
    assert_int_equal(us, 5090065606);
    static const char *const bad[] = {
        "", "some", "some avg10=1", "full total=4", "some total=", "some total=x\n", "some avg10=1\nfull total=3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (proc_pressure_parse(bad[i], strlen(bad[i]), &us))
            fail_msg("'%s' is taken for a pressure", bad[i]);
}

static void a_mount_without_its_fields_is_none(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "\n\n",
                                      "30 1 0:1 / /cg",
                                      "30 1 0:1 / /cg rw - cgroup2",
                                      "30 1 0:1 / /cg rw cgroup2 x rw -",
                                      "- - - - - - - - -\n",
                                      "30 1 0:1 / /cg rw - tmpfs cgroup2 rw"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct buf root = BUF_INIT(100), point = BUF_INIT(100);
        if (proc_mount_parse(bad[i], PROC_GROUPS_2, &root, &point))
            fail_msg("'%s' is taken for a mount", bad[i]);
        buf_finish(&root);
        buf_finish(&point);
    }
}

static void a_group_is_that_of_its_hierarchy(void **state)
{
    (void)state;
    static const char text[] = "nonsense\n7:cpuset,cpux:/no\n4:xcpu,cpu:/with:colon\n0::/two\n";
    struct buf one = BUF_INIT(100), two = BUF_INIT(100), none = BUF_INIT(100);
    assert_true(proc_group_parse(text, PROC_GROUPS_1, &one));
    assert_string_equal(buf_text(&one), "/with:colon");
    assert_true(proc_group_parse(text, PROC_GROUPS_2, &two));
    assert_string_equal(buf_text(&two), "/two");
    assert_false(proc_group_parse("1:name=systemd:/x\n", PROC_GROUPS_2, &none));
    buf_finish(&one);
    buf_finish(&two);
    buf_finish(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_tells_its_times),
        cmocka_unit_test(a_process_cut_short_tells_nothing),
        cmocka_unit_test(a_process_of_another_make_tells_nothing),
        cmocka_unit_test(a_long_name_is_cut),
        cmocka_unit_test(the_machine_tells_its_times),
        cmocka_unit_test(a_value_stands_behind_its_whole_key),
        cmocka_unit_test(pressure_is_the_total_of_some),
        cmocka_unit_test(a_mount_without_its_fields_is_none),
        cmocka_unit_test(a_group_is_that_of_its_hierarchy),
    };
    return cmocka_run_group_tests_name("proc_text", tests, NULL, NULL);
}
