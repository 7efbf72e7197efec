/* SPDX-License-Identifier: MIT
 *
 * Calls until a difference is found, by the leak engine and by dudect's statistics on the very same streams: the worlds of
 * research/constant-time.md 4.1. Prints the table; holds the engine against marks that leave room for the seeds.
 */
#include "leak_core.h"
#include "leak_dudect.h"
#include "leak_test.h"
#include "leak_worlds.h"

enum { SEEDS = 15, BLOCKS_MOST = 150000, PIECE = 500 };

struct case_of {
    enum leak_world_kind kind;
    double effect;
    int calls_most_1e3, calls_most_1e6; /* marks: medians above these fail */
};

static const struct case_of cases[] = {
    {LEAK_WORLD_GAUSS, 1, 16000, 26000}, {LEAK_WORLD_GAUSS, .5, 60000, 90000}, {LEAK_WORLD_EDGE, .1, 40000, 60000},
    {LEAK_WORLD_DRIFT, 1, 12000, 20000}, {LEAK_WORLD_TAIL, .01, 16000, 24000}, {LEAK_WORLD_SPREAD, .03, 120000, 180000},
};
enum { CASES = sizeof cases / sizeof *cases, RULES = 4 };

/* Calls until found, of one stream; INFINITY: not within it. */
static void search(const struct case_of *c, uint64_t seed, double found[RULES])
{
    static double scratch[LEAK_SAMPLE_TIMES];
    static uint8_t class[2 * PIECE];
    static uint32_t ticks[2 * PIECE];
    struct leak_rule rule = leak_rule_default(2);
    struct leak_test_set b;
    struct leak_world w = leak_world_start(c->kind, seed, c->effect);
    struct leak_dudect *d[2];
    for (int i = 0; i < 2; i++) {
        struct leak_dudect_rule said = leak_dudect_rule_default();
        said.measurements = 2000;
        said.threshold = i ? 10 : 4.5;
        assert_int_equal(leak_dudect_create(&said, &d[i], NULL), TARE_OK);
    }
    assert_int_equal(leak_test_set_start(&b, &rule, 2, rule.warmup_blocks, scratch, false), TARE_OK);
    for (int i = 0; i < RULES; i++)
        found[i] = INFINITY;
    for (int n = 0; n < BLOCKS_MOST && !(isfinite(found[1]) && isfinite(found[3])); n += PIECE) {
        leak_world_blocks(&w, PIECE, class, ticks);
        for (int i = 0; i < 2; i++)
            leak_dudect_calls(d[i], 2 * PIECE, class, ticks);
        for (int i = 0; i < PIECE; i++) {
            double by_class[2];
            for (int k = 0; k < 2; k++)
                by_class[class[2 * i + k]] = ticks[2 * i + k];
            if (!leak_test_set_add(&b, by_class))
                continue;
            leak_test_set_look(&b);
            for (int k = 0; k < 2; k++)
                if (b.log_e >= (k ? log(1e6) : log(1e3)))
                    found[2 + k] = fmin(found[2 + k], 2 * (double)(b.n + b.warmup));
        }
    }
    for (int i = 0; i < 2; i++) {
        struct leak_dudect_reading r;
        leak_dudect_read(d[i], &r);
        if (r.published.over_after >= 0)
            found[i] = (double)r.published.over_after;
        leak_dudect_destroy(d[i]);
    }
    leak_test_set_finish(&b);
}

static void differences_are_found_with_fewer_calls_than_by_a_threshold(void **state)
{
    (void)state;
    print_message("             thousands of calls, median of %d: dudect 4.5, dudect 10, E > 1e3, E > 1e6\n", SEEDS);
    for (int c = 0; c < CASES; c++) {
        double found[RULES][SEEDS], median[RULES];
        for (int s = 0; s < SEEDS; s++) {
            double each[RULES];
            search(&cases[c], (uint64_t)(4000 + 100 * c + s), each);
            for (int i = 0; i < RULES; i++)
                found[i][s] = each[i];
        }
        for (int i = 0; i < RULES; i++) {
            tare_sort(found[i], SEEDS);
            median[i] = found[i][SEEDS / 2];
        }
        print_message("             %-7s %5.2f: %7.0f %7.0f %7.0f %7.0f\n", leak_world_name(cases[c].kind), cases[c].effect,
                      median[0] / 1000, median[1] / 1000, median[2] / 1000, median[3] / 1000);
        assert_true(median[2] <= cases[c].calls_most_1e3);
        assert_true(median[3] <= cases[c].calls_most_1e6);
        assert_true(median[3] < median[1]);
    }
}

/* leak_engine_visible says which shift n blocks show with even chance: of 60 runs with that shift a fair part finds it. */
static void what_is_said_to_be_visible_is_found_about_every_second_time(void **state)
{
    (void)state;
    enum { N = 5000, RUNS = 60 };
    static uint8_t class[2 * N];
    static uint32_t ticks[2 * N];
    struct leak_rule rule = leak_rule_default(2);
    struct leak_reading *r = calloc(1, sizeof *r);
    double effect = 0;
    int found = 0;
    assert_non_null(r);
    for (int i = -1; i < RUNS; i++) { /* the first run has no shift and tells what is visible */
        struct leak_engine *e;
        struct leak_world w = leak_world_start(LEAK_WORLD_GAUSS, (uint64_t)(9100 + i), effect);
        assert_int_equal(leak_engine_create(&rule, &e, NULL), TARE_OK);
        leak_world_blocks(&w, N, class, ticks);
        assert_int_equal(leak_engine_blocks(e, LEAK_MAIN, 2, N, class, ticks, NULL), TARE_OK);
        leak_engine_round(e);
        leak_engine_read(e, r);
        found += i >= 0 && r->found_after >= 0;
        if (i < 0)
            effect = leak_engine_visible(e, N) / LEAK_WORLD_UNIT;
        leak_engine_destroy(e);
    }
    print_message("             visible in %d blocks: %.2f (sd of a call 10); found in %d of %d\n", N, effect, found, RUNS);
    free(r);
    assert_true(found >= RUNS / 4 && found <= RUNS * 3 / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_found_with_fewer_calls_than_by_a_threshold),
        cmocka_unit_test(what_is_said_to_be_visible_is_found_about_every_second_time),
    };
    return cmocka_run_group_tests_name("leak engine, power", tests, NULL, NULL);
}
