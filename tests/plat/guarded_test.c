/* SPDX-License-Identifier: MIT
 *
 * Memory between walls, faults that lead back, delays and what else a leak target's harness asks of the system.
 */
#include "cpu.h"
#include "plat_process.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum touch { TOUCH_NOTHING, TOUCH_READ, TOUCH_WRITE, TOUCH_ABORT, TOUCH_ILLEGAL };

struct doing {
    enum touch touch;
    volatile unsigned char *at;
    int done;
};

static void touch(void *context)
{
    struct doing *d = context;
    if (d->touch == TOUCH_READ)
        (void)*d->at;
    if (d->touch == TOUCH_WRITE)
        *d->at = 1;
    if (d->touch == TOUCH_ABORT)
        abort();
    if (d->touch == TOUCH_ILLEGAL)
        __builtin_trap();
    d->done++;
}

static bool caught(enum touch what, unsigned char *at, struct plat_fault *out)
{
    struct doing d = {what, at, 0};
    bool whole = plat_fault_catch(touch, &d, out);
    assert_int_equal(whole, d.done);
    return !whole;
}

static void what_lies_between_the_walls_is_zero_and_ours(void **state)
{
    (void)state;
    struct plat_guarded g;
    struct plat_fault f;
    assert_int_equal(plat_guarded_create(&g, 5000, NULL), TARE_OK);
    assert_true(g.size >= 5000);
    for (size_t i = 0; i < g.size; i++)
        assert_int_equal(g.memory[i], 0);
    assert_false(caught(TOUCH_WRITE, g.memory, &f));
    assert_false(caught(TOUCH_WRITE, g.memory + g.size - 1, &f));
    assert_false(plat_guarded_wall(&g, (uintptr_t)g.memory));
    assert_false(plat_guarded_wall(&g, (uintptr_t)g.memory + g.size - 1));
    plat_guarded_destroy(&g);
    plat_guarded_destroy(&g);
}

static void a_step_against_either_wall_is_told(void **state)
{
    (void)state;
    struct plat_guarded g;
    struct plat_fault f;
    assert_int_equal(plat_guarded_create(&g, 1, NULL), TARE_OK);
    assert_true(caught(TOUCH_READ, g.memory - 1, &f));
    assert_true(f.address == (uintptr_t)g.memory - 1);
    assert_string_equal(f.name, "SIGSEGV");
    assert_int_equal(f.access, PLAT_ACCESS_READ);
    assert_true(plat_guarded_wall(&g, f.address));
    assert_true(caught(TOUCH_WRITE, g.memory + g.size, &f));
    assert_int_equal(f.access, PLAT_ACCESS_WRITE);
    assert_true(plat_guarded_wall(&g, f.address));
    plat_guarded_destroy(&g);
    assert_false(plat_guarded_wall(&g, f.address));
}

static void other_faults_have_a_name_and_no_address(void **state)
{
    (void)state;
    struct plat_fault f;
    assert_true(caught(TOUCH_ABORT, NULL, &f));
    assert_string_equal(f.name, "SIGABRT");
    assert_true(f.address == 0);
    assert_true(caught(TOUCH_ILLEGAL, NULL, &f));
    assert_true(f.address == 0 && f.access == PLAT_ACCESS_UNKNOWN);
    assert_false(caught(TOUCH_NOTHING, NULL, &f));
}

static void too_much_memory_is_refused(void **state)
{
    (void)state;
    struct plat_guarded g;
    struct tare_err err = {{0}};
    assert_int_not_equal(plat_guarded_create(&g, SIZE_MAX / 4, &err), TARE_OK);
    assert_non_null(strstr(err.text, "guard pages"));
    plat_guarded_destroy(&g);
}

static void a_delay_is_nothing_but_time(void **state)
{
    (void)state;
    assert_true(cpu_delay(1) == 0 && cpu_delay(64) == 0 && cpu_delay(65) == 0 && cpu_delay(100000) == 0);
}

static void data_independent_timing_is_a_value_with_its_reason(void **state)
{
    (void)state;
    const char *words = NULL;
    enum cpu_dit before = cpu_dit(&words);
    assert_non_null(words);
    assert_true(before == CPU_DIT_ON || before == CPU_DIT_OFF || words[0]);
    if (!cpu_dit_switch(true)) {
        assert_true(before == CPU_DIT_UNKNOWN || before == CPU_DIT_ABSENT);
        return;
    }
    assert_int_equal(cpu_dit(&words), CPU_DIT_ON);
    assert_true(cpu_dit_switch(before == CPU_DIT_ON));
    assert_int_equal(cpu_dit(&words), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_between_the_walls_is_zero_and_ours),
        cmocka_unit_test(a_step_against_either_wall_is_told),
        cmocka_unit_test(other_faults_have_a_name_and_no_address),
        cmocka_unit_test(too_much_memory_is_refused),
        cmocka_unit_test(a_delay_is_nothing_but_time),
        cmocka_unit_test(data_independent_timing_is_a_value_with_its_reason),
    };
    return cmocka_run_group_tests_name("guarded", tests, NULL, NULL);
}
