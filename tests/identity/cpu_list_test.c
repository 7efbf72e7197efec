/* SPDX-License-Identifier: MIT
 *
 * Lists of CPUs: what Linux writes, what people write on its command line, and garbage.
 */
#include "cpu_list.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct cpu_list parsed(const char *text)
{
    struct cpu_list list;
    if (cpu_list_parse(&list, text))
        fail_msg("'%s' is not read", text);
    return list;
}

static void assert_writes(const char *text, const char *expected)
{
    struct cpu_list list = parsed(text);
    struct buf b = BUF_INIT(1 << 16);
    cpu_list_write(&b, &list);
    if (strcmp(buf_text(&b), expected))
        fail_msg("'%s' is written as '%s', expected '%s'", text, buf_text(&b), expected);
    buf_finish(&b);
}

static void lists_read_back_in_their_shortest_form(void **state)
{
    (void)state;
    assert_writes("0-3,8,10-12\n", "0-3,8,10-12");
    assert_writes("", "");
    assert_writes("\n", "");
    assert_writes(" \t\n", "");
    assert_writes("0", "0");
    assert_writes("3,1,2", "1-3");
    assert_writes("0-1,1-2", "0-2");
    assert_writes(" 5 , 7 \n", "5,7");
    assert_writes("8191", "8191");
    assert_writes("0-8191", "0-8191");
    assert_writes("63,64", "63-64");
    assert_writes("000000000000000000000000000000012", "12");
}

static void strides_take_the_first_of_each_group(void **state)
{
    (void)state;
    assert_writes("0-7:1/2", "0,2,4,6");
    assert_writes("0-31:2/8", "0-1,8-9,16-17,24-25");
    assert_writes("5-9:1/1", "5-9");
    assert_writes("0-1023:2/256,7", "0-1,7,256-257,512-513,768-769");
    assert_writes("4-4:1/100", "4");
}

static void garbage_is_refused_and_leaves_an_empty_set(void **state)
{
    (void)state;
    static const char *const bad[] = {"x",       "-",     "1-",    "-1",    "1,,2",    "1,",     ",1",      "3-1",
                                      "1 2",     "0x3",   "1-2-3", "0-7:",  "0-7:1",   "0-7:1/", "0-7:1/0", "0-7:0/2",
                                      "0-7:3/2", "4:1/2", "1;2",   "ff,ff", "0-3,abc", "1.5",    "+1",      "1\v2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cpu_list list = {{~(uint64_t)0}};
        enum tare_status status = cpu_list_parse(&list, bad[i]);
        if (status != TARE_FORMAT)
            fail_msg("'%s': %s", bad[i], tare_status_name(status));
        assert_int_equal(cpu_list_count(&list), 0);
    }
    static const char *const large[] = {"8192", "0-8192", "99999999999999999999999999", "1,18446744073709551616"};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        struct cpu_list list;
        enum tare_status status = cpu_list_parse(&list, large[i]);
        if (status != TARE_TOO_LARGE)
            fail_msg("'%s': %s", large[i], tare_status_name(status));
        assert_int_equal(cpu_list_count(&list), 0);
    }
}

static void members_are_found_in_order(void **state)
{
    (void)state;
    struct cpu_list list = parsed("0,63-64,1024,8191");
    static const int members[] = {0, 63, 64, 1024, 8191, -1};
    int cpu = -1;
    for (int i = 0; i < 6; i++) {
        cpu = cpu_list_next(&list, cpu + 1);
        assert_int_equal(cpu, members[i]);
    }
    assert_int_equal(cpu_list_next(&list, CPU_LIST_MAX), -1);
    assert_int_equal(cpu_list_next(&list, -5), 0);
    assert_int_equal(cpu_list_count(&list), 5);
    assert_false(cpu_list_has(&list, -1));
    assert_false(cpu_list_has(&list, CPU_LIST_MAX));
    assert_true(cpu_list_has(&list, 1024));
}

static void sets_are_combined(void **state)
{
    (void)state;
    struct cpu_list a = parsed("0-99"), b = parsed("50-149"), c = a;
    cpu_list_keep(&c, &b);
    assert_int_equal(cpu_list_count(&c), 50);
    assert_int_equal(cpu_list_next(&c, 0), 50);
    cpu_list_remove(&a, &b);
    assert_int_equal(cpu_list_count(&a), 50);
    assert_int_equal(cpu_list_next(&a, 50), -1);
    cpu_list_add(&a, CPU_LIST_MAX); /* out of range: nothing */
    cpu_list_add(&a, -1);
    assert_int_equal(cpu_list_count(&a), 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_read_back_in_their_shortest_form),
        cmocka_unit_test(strides_take_the_first_of_each_group),
        cmocka_unit_test(garbage_is_refused_and_leaves_an_empty_set),
        cmocka_unit_test(members_are_found_in_order),
        cmocka_unit_test(sets_are_combined),
    };
    return cmocka_run_group_tests_name("cpu_list", tests, NULL, NULL);
}
