/* SPDX-License-Identifier: MIT
 *
 * Frequencies as files of drivers tell them, also those that no core can run at: what is seen, and what would be written.
 */
#include "journal.h"
#include "knob.h"
#include "machine_tree.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CPUFREQ "/sys/devices/system/cpu/cpu%d/cpufreq/"

/* Of a machine with cores of two threads, CPUs 1 and 3 the last: those are measured on and kept idle. */
struct seen {
    char *folder;
    struct system_root root;
    struct arena arena;
    struct look look;
};

static void open_tree(struct seen *s, const char *name)
{
    char manifest[512];
    snprintf(manifest, sizeof manifest, "%s/trees/%s.tree", TESTS_DIR, name);
    *s = (struct seen){.folder = tree_make(manifest)};
    s->root.path = s->folder;
}

static void put_of(struct seen *s, int cpu, const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, CPUFREQ "%s", cpu, file);
    tree_put(s->folder, path, text);
}

static void put(struct seen *s, const char *file, const char *text)
{
    for (int cpu = 0; cpu < 4; cpu++)
        put_of(s, cpu, file, text);
}

static void look(struct seen *s, const struct wishes *w)
{
    struct tare_err err = {.text = ""};
    if (look_at_machine(&s->look, &s->root, w, &s->arena, &err))
        fail_msg("%s", err.text);
}

static void close_tree(struct seen *s)
{
    arena_finish(&s->arena);
    tree_remove(s->folder);
}

static const struct knob_row *row(const struct seen *s, const char *id)
{
    for (int i = 0; i < s->look.n_rows; i++)
        if (!strcmp(s->look.rows[i].knob->id, id))
            return &s->look.rows[i];
    fail_msg("no row %s", id);
    return NULL;
}

/* What would be written to the file of this name, of whatever CPU; NULL: nothing. Whatever it is, the journal takes it. */
static const char *wanted(const struct seen *s, const char *file)
{
    const char *found = NULL;
    for (int i = 0; i < s->look.n_settings; i++) {
        const struct setting *t = &s->look.settings[i];
        if (t->kind == SETTING_FILE)
            assert_true(knob_may(KNOB_WRITES, t->path));
        if (t->wanted && !strcmp(strrchr(t->path, '/') + 1, file))
            found = t->wanted;
    }
    return found;
}

static void same(const char *what, const char *seen, const char *expected)
{
    if (seen != expected && (!seen || !expected || strcmp(seen, expected)))
        fail_msg("%s: '%s', expected '%s'", what, seen ? seen : "(nothing)", expected ? expected : "(nothing)");
}

static void what_a_core_cannot_run_at_is_no_base_frequency(void **state)
{
    (void)state;
    static const struct {
        const char *told, *written; /* the core goes from 1.2 to 2.401 GHz; without this file the base is 2.4 GHz */
    } rows[] = {
        {"2000000\n", "2000000"},
        {"2000000", "2000000"},                /* without a line end */
        {"2402000\n", "2401000"},              /* rounded by the driver */
        {"9223372036854775807\n", NULL},       /* the most that fits */
        {"2400\n", NULL},                      /* MHz, which it should not be */
        {"1199999\n", NULL},                   /* below the lowest */
        {"99999999999999999999\n", "2400000"}, /* no number at all: another file tells */
        {"-2000000\n", "2400000"},
        {"0\n", "2400000"},
        {"\n", "2400000"},
        {"2000000 2100000\n", "2400000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct seen s;
        open_tree(&s, "acpi-cpufreq");
        put(&s, "base_frequency", rows[i].told);
        look(&s, NULL);
        same(rows[i].told, wanted(&s, "scaling_min_freq"), rows[i].written);
        assert_int_equal(row(&s, "frequency-limits")->state, KNOB_NOISY);
        assert_int_equal(!strstr(row(&s, "frequency-limits")->advice, "does not report the base frequency"),
                         rows[i].written != NULL);
        close_tree(&s);
    }
}

static void lists_of_frequencies_of_any_content_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *list, *written;
    } rows[] = {
        {"2401000 2400000 1600000 \n", "2400000"},
        {"1600000 2400000 2401000\n", "2400000"}, /* in any order */
        {"2400000 1600000\n", "2400000"},
        {"1600000", "1600000"},
        {"0 0 0\n", NULL},
        {"x\n", NULL},
        {"9223372036854775807 9223372036854774807\n", NULL},
        {"2401000 -1 9\n", NULL}, /* what comes before is taken: the top, where the maximum is already */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct seen s;
        open_tree(&s, "acpi-cpufreq");
        put(&s, "scaling_available_frequencies", rows[i].list);
        look(&s, NULL);
        if (i + 1 < sizeof rows / sizeof *rows)
            same(rows[i].list, wanted(&s, "scaling_max_freq"), rows[i].written);
        else
            same(rows[i].list, wanted(&s, "scaling_min_freq"), "2401000");
        close_tree(&s);
    }
}

static void limits_that_are_no_numbers_are_left_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {"99999999999999999999\n", "-1\n", "<unknown>\n", "\n", "0\n", "2e6\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct seen s;
        open_tree(&s, "acpi-cpufreq");
        put(&s, "scaling_min_freq", texts[i]);
        look(&s, NULL);
        assert_null(wanted(&s, "scaling_min_freq"));
        assert_null(wanted(&s, "scaling_max_freq"));
        assert_int_equal(row(&s, "frequency-limits")->state, KNOB_UNKNOWN);
        close_tree(&s);
    }
}

static void a_governor_with_a_zero_byte_is_none(void **state)
{
    (void)state;
    struct seen s;
    open_tree(&s, "acpi-cpufreq");
    for (int cpu = 0; cpu < 4; cpu++) {
        char path[512];
        snprintf(path, sizeof path, "%s" CPUFREQ "scaling_governor", s.folder, cpu);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        assert_int_equal(fwrite("onde\0mand\n", 1, 10, f), 10);
        fclose(f);
    }
    look(&s, NULL);
    assert_null(wanted(&s, "scaling_governor"));
    assert_int_equal(row(&s, "governor")->state, KNOB_UNKNOWN);
    close_tree(&s);
}

static void the_governor_that_moves_is_the_one_that_is_named(void **state)
{
    (void)state;
    struct seen s;
    open_tree(&s, "acpi-cpufreq");
    put_of(&s, 1, "related_cpus", "1\n");
    put_of(&s, 3, "related_cpus", "3\n");
    put_of(&s, 1, "scaling_governor", "performance\n");
    look(&s, NULL);
    assert_string_equal(row(&s, "governor")->value, "ondemand (acpi-cpufreq) on 1 of 2 frequency domains");
    close_tree(&s);
    open_tree(&s, "acpi-cpufreq");
    put_of(&s, 1, "related_cpus", "1\n");
    put_of(&s, 3, "related_cpus", "3\n");
    put_of(&s, 1, "scaling_governor", "\n"); /* one that does not tell hides no other */
    look(&s, NULL);
    assert_string_equal(row(&s, "governor")->value, "ondemand (acpi-cpufreq) on 1 of 2 frequency domains");
    same("the other one", wanted(&s, "scaling_governor"), "performance");
    close_tree(&s);
}

static void cpus_above_a_thousand_have_policies_too(void **state)
{
    (void)state;
    struct seen s;
    open_tree(&s, "cpus-1536");
    const int last = 1535;
    put_of(&s, last, "scaling_driver", "amd-pstate-epp\n");
    put_of(&s, last, "scaling_governor", "powersave\n");
    put_of(&s, last, "scaling_available_governors", "performance powersave\n");
    put_of(&s, last, "scaling_min_freq", "400000\n");
    put_of(&s, last, "scaling_max_freq", "3000000\n");
    put_of(&s, last, "base_frequency", "2000000\n");
    put_of(&s, last, "related_cpus", "1535\n");
    struct wishes w = {.frequency = FREQUENCY_BASE};
    cpu_list_add(&w.cpus, last);
    look(&s, &w);
    assert_true(cpu_list_has(&s.look.bench, last));
    same("governor", wanted(&s, "scaling_governor"), "performance");
    same("limit", wanted(&s, "scaling_max_freq"), "2000000");
    close_tree(&s);
}

static void a_frequency_that_was_asked_for_must_be_one_that_the_core_has(void **state)
{
    (void)state;
    static const struct {
        int64_t hz;
        const char *written;
    } rows[] = {{2000000000, "2000000"}, {1200000000, "1200000"}, {2401000000, "2401000"},
                {2401001000, NULL},      {1199999999, NULL},      {1, NULL},
                {1000000000000, NULL},   {INT64_MAX, NULL},       {0, NULL},
                {-2000000000, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct seen s;
        struct tare_err err = {.text = ""};
        const struct wishes w = {.frequency = FREQUENCY_HZ, .hz = rows[i].hz};
        open_tree(&s, "acpi-cpufreq");
        enum tare_status status = look_at_machine(&s.look, &s.root, &w, &s.arena, &err);
        if (status != (rows[i].written ? TARE_OK : TARE_INVALID))
            fail_msg("%lld Hz: %d %s", (long long)rows[i].hz, status, err.text);
        if (rows[i].written && strcmp(rows[i].written, "1200000")) /* the minimum is that already */
            same("minimum", wanted(&s, "scaling_min_freq"), rows[i].written);
        if (rows[i].written && strcmp(rows[i].written, "2401000")) /* and so the maximum */
            same("maximum", wanted(&s, "scaling_max_freq"), rows[i].written);
        close_tree(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_core_cannot_run_at_is_no_base_frequency),
        cmocka_unit_test(lists_of_frequencies_of_any_content_are_read),
        cmocka_unit_test(limits_that_are_no_numbers_are_left_alone),
        cmocka_unit_test(a_governor_with_a_zero_byte_is_none),
        cmocka_unit_test(the_governor_that_moves_is_the_one_that_is_named),
        cmocka_unit_test(cpus_above_a_thousand_have_policies_too),
        cmocka_unit_test(a_frequency_that_was_asked_for_must_be_one_that_the_core_has),
    };
    return cmocka_run_group_tests_name("frequency", tests, NULL, NULL);
}
