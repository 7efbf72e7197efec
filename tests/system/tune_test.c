/* SPDX-License-Identifier: MIT
 *
 * Tuning and resetting trees of files.
 */
#include "tune_world.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define ASLR "/proc/sys/kernel/randomize_va_space"
#define THP  "/sys/kernel/mm/transparent_hugepage/enabled"

static void add_two_files(struct world *w)
{
    world_put(w, ASLR, "1\n");
    world_put(w, THP, "always [madvise] never\n");
    world_add(w, SETTING_FILE, FORM_NUMBER, STAGE_SYSCTL, ASLR, "1", "2");
    world_add(w, SETTING_FILE, FORM_SELECTED, STAGE_SYSCTL, THP, "madvise", "never");
}

static void two_files_are_changed_and_come_back(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    add_two_files(&w);
    struct buf before = world_shot(&w);
    struct tune_report r = world_tune(&w);
    assert_int_equal(r.made, 2);
    world_expect(&w, ASLR, "2\n");
    world_expect(&w, THP, "always madvise [never]\n");
    assert_true(world_journal_there(&w));
    r = world_reset(&w, false);
    assert_int_equal(r.undone, 2);
    assert_string_equal(r.changes[0].path, THP); /* the last one first */
    world_same(&w, &before, "reset", 0);
    assert_false(world_journal_there(&w));
    buf_finish(&before);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_files_are_changed_and_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
