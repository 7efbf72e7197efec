/* SPDX-License-Identifier: MIT */
#include "golden.h"
#include "render.h"
#include "sample_record.h"
#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

static const struct view {
    const char *suffix;
    struct render_options options;
} views[] = {
    {"80", {.width = 80, .unicode = true}},
    {"120", {.width = 120, .unicode = true}},
    {"40", {.width = 40, .unicode = true}},
    {"pipe", {.width = 0, .unicode = true}},
    {"ascii", {.width = 80}},
    {"colour", {.width = 100, .unicode = true, .colour = true}},
};

static void check_in_all_views(const char *name, const struct record *r)
{
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        char file[128];
        snprintf(file, sizeof file, "%s.%s", name, views[i].suffix);
        struct buf b = BUF_INIT(1 << 20);
        render_result(r, &views[i].options, &b);
        assert_golden(file, &b);
        buf_finish(&b);
    }
}

static void one_command(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 64, 9);
    sample_command(&r, "grep -c foo big.txt", 12.30e6, 0.085e6);
    check_in_all_views("one", &r);
    record_finish(&r);
}

static void two_commands(void **state)
{
    (void)state;
    struct record r = {0};
    sample_begin(&r, 64, 9);
    sample_command(&r, "grep -c foo big.txt", 12.30e6, 0.085e6);
    sample_command(&r, "rg -c foo big.txt", 6.75e6, 0.04e6);
    struct comparison c = sample_comparison(&r, 1, VERDICT_FASTER, -0.6, -0.61, -0.59);
    record_add_comparison(&r, &c);
    check_in_all_views("two", &r);
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_command),
        cmocka_unit_test(two_commands),
    };
    return cmocka_run_group_tests_name("render", tests, NULL, NULL);
}
