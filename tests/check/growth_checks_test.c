/* SPDX-License-Identifier: MIT
 *
 * Whether a scan's power law is believed: bends and steps are told where they are proven and large.
 */
#include "analyse.h"
#include "check.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { VALUES = 5, ROUNDS = 12 };
static const double values[VALUES] = {1, 2, 4, 8, 16};

/* Times of one command over five values; each round is as much slower as `scatter` says, one value after the other. */
static struct record scanned(const double *times, double scatter)
{
    static const char *const columns[] = {"wall", "exit"};
    struct record r;
    record_init(&r);
    assert_true(record_add_metric(&r, metric_builtin_find("wall")) >= 0);
    for (int j = 0; j < VALUES; j++) {
        char text[16];
        snprintf(text, sizeof text, "%g", values[j]);
        const struct parameter n = {"n", text};
        const struct subject s = {.kind = SUBJECT_COMMAND, .name = text, .command = text, .parameters = &n, .n_parameters = 1};
        assert_int_equal(record_add_subject(&r, &s, columns, 2), j);
        for (int i = 0; i < ROUNDS; i++) {
            const double row_values[] = {times[j] * 1e6 * exp(scatter * ((i * 5 + j * j * 7) % 11 - 5)), 0};
            const struct row row = {.round = i, .slot = (i + j) % VALUES, .values = row_values};
            assert_int_equal(record_append_row(&r, j, &row), TARE_OK);
        }
    }
    r.rounds = ROUNDS;
    r.rule = (struct rule){.metric = "wall",
                           .confidence = 0.95,
                           .margin = 0.01,
                           .n_looks = 1,
                           .look_at = {ROUNDS},
                           .look_level = {0.05},
                           .interleaved = true,
                           .fail_if_slower = NAN};
    const int all[VALUES] = {0, 1, 2, 3, 4};
    const struct look look = {.number = 1, .rounds = ROUNDS, .level = 0.05};
    assert_int_equal(analyse_group(&r, all, VALUES, &look, NULL), TARE_OK);
    const struct check_facts facts = {0};
    assert_int_equal(check_record(&r, &facts, NULL), TARE_OK);
    return r;
}

/* NULL: silent. */
static void assert_says(const double *times, double scatter, const char *text, const char *advice)
{
    struct record r = scanned(times, scatter);
    const struct finding *f = NULL;
    for (int i = 0; i < r.n_findings; i++)
        if (!strcmp(r.findings[i].id, "not_a_power"))
            f = &r.findings[i];
    if (!text != !f)
        fail_msg("expected %s, found %s", text ? text : "nothing", f ? f->text : "nothing");
    if (text && strncmp(f->text, text, strlen(text)) != 0)
        fail_msg("expected %s, found %s", text, f->text);
    if (text && !strstr(f->detail, advice))
        fail_msg("expected a detail on %s, found %s", advice, f->detail);
    record_finish(&r);
}

static void a_power_is_believed(void **state)
{
    (void)state;
    assert_says((const double[]){1, 2, 4, 8, 16}, 0.001, NULL, NULL);
    assert_says((const double[]){5, 5, 5, 5, 5}, 0.001, NULL, NULL);
}

static void a_constant_part_and_a_limit_are_told_apart(void **state)
{
    (void)state;
    assert_says((const double[]){11, 12, 14, 18, 26}, 0.001, "not a power of n: the slope changes from 0.", "constant part");
    assert_says((const double[]){1, 2, 3.5, 4.5, 5}, 0.001, "not a power of n: the slope changes from 1.", "levels off");
    /* The ends' and the change's own medians need not add up: the change is an interval. */
    assert_says((const double[]){11, 12, 14, 18, 26}, 0.001,
                "not a power of n: the slope changes from 0.04 to 0.58, by 0.53 to 0.55", "");
}

static void a_step_is_told_with_its_value(void **state)
{
    (void)state;
    /* the line times e^.15 to the powers -1, 2, 0, -2, 1: a wave that neither slope nor bend follows */
    assert_says((const double[]){0.8607, 2.6997, 4, 5.9265, 18.5893}, 0.001, "not a power of n: n = 2 is +35", "cache");
}

static void small_and_unproven_departures_are_not_told(void **state)
{
    (void)state;
    assert_says((const double[]){1, 2, 4.1, 8, 16}, 0.001, NULL, NULL);
    assert_says((const double[]){11, 12, 14, 18, 26}, 1, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_power_is_believed),
        cmocka_unit_test(a_constant_part_and_a_limit_are_told_apart),
        cmocka_unit_test(a_step_is_told_with_its_value),
        cmocka_unit_test(small_and_unproven_departures_are_not_told),
    };
    return cmocka_run_group_tests_name("growth_checks", tests, NULL, NULL);
}
