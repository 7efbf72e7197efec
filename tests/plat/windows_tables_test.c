/* SPDX-License-Identifier: MIT
 * What the numbers of Windows mean. Values: Microsoft's release information, and Windows Internals, 7th edition, part 1, table 4-5. */
#include "windows_tables.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void builds_have_their_names(void **state)
{
    (void)state;
    static const struct {
        uint32_t build;
        const char *client, *server;
    } cases[] = {{2600, "Windows XP", NULL},
                 {3790, "Windows XP x64", "Windows Server 2003"},
                 {6001, "Windows Vista SP1", "Windows Server 2008"},
                 {7601, "Windows 7 SP1", "Windows Server 2008 R2 SP1"},
                 {9200, "Windows 8", "Windows Server 2012"},
                 {9600, "Windows 8.1", "Windows Server 2012 R2"},
                 {17763, "Windows 10 1809", "Windows Server 2019"},
                 {18363, "Windows 10 1909", "Windows Server 1909"},
                 {20348, NULL, "Windows Server 2022"},
                 {22631, "Windows 11 23H2", NULL},
                 {26100, "Windows 11 24H2", "Windows Server 2025"},
                 {26300, "Windows 11 26H2", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int server = 0; server < 2; server++) {
            const char *name = windows_name(cases[i].build, server), *wanted = server ? cases[i].server : cases[i].client;
            assert_string_equal(name ? name : "none", wanted ? wanted : "none");
        }
}

static void a_build_of_no_table_has_its_family(void **state)
{
    (void)state;
    assert_null(windows_name(26999, false));
    assert_string_equal(windows_family(26999, false), "Windows 11 or later");
    assert_string_equal(windows_family(19999, false), "Windows 10");
    assert_string_equal(windows_family(26999, true), "Windows Server 2025 or later");
}

static void assert_quantum(uint32_t separation, bool server, int background, int foreground)
{
    const struct windows_quantum q = windows_quantum(separation, server);
    assert_int_equal(q.background, background);
    assert_int_equal(q.foreground, foreground);
}

/* 2 is what both are delivered with: 31.25 ms on clients, 187.5 ms on servers, at 64 Hz. */
static void slices_follow_the_registry(void **state)
{
    (void)state;
    assert_quantum(2, false, 2, 6);
    assert_quantum(2, true, 12, 12);
    assert_quantum(0x26, true, 2, 6);    /* "programs" */
    assert_quantum(0x18, false, 12, 12); /* "background services" */
    assert_quantum(0x14, false, 4, 4);   /* long, variable, no boost */
    assert_quantum(0x28, true, 6, 6);    /* short, fixed */
}

static void assert_counter(int64_t hz, double tsc_hz, const char *source)
{
    const char *words = NULL, *found = windows_counter_source(hz, tsc_hz, &words);
    assert_string_equal(found ? found : "none", source);
    assert_non_null(words);
}

static void counters_are_known_by_their_frequency(void **state)
{
    (void)state;
    assert_counter(10000000, 2.1e9, "tsc");
    assert_counter(3579545, 0, "acpi_pm");
    assert_counter(14318180, 3e9, "hpet");
    assert_counter(3222656, 3.3e9, "tsc"); /* divided by 1024 */
    assert_counter(2441406, 2.5e9, "tsc");
    assert_counter(2441406, 0, "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_have_their_names),
        cmocka_unit_test(a_build_of_no_table_has_its_family),
        cmocka_unit_test(slices_follow_the_registry),
        cmocka_unit_test(counters_are_known_by_their_frequency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
