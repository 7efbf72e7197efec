/* SPDX-License-Identifier: MIT
 *
 * "About so many blocks more would decide", held against what it then took: over seeded simulated sessions without a difference, at looks
 * before the word, the blocks that were said to be missing over those that were.
 */
#include "leak_engine.h"
#include "leak_test.h"
#include "leak_worlds.h"

enum { SESSIONS = 16, A_LOOK = 300, LOOKS_MAX = 300 };

struct look {
    int64_t blocks;
    double needed;
};

/* Looks until the word, how many; 0: it did not come. */
static int session_of(enum leak_world_kind kind, uint64_t seed, double margin, struct look *looks, enum leak_verdict *word)
{
    static struct leak_reading r;
    static uint8_t class[2 * A_LOOK];
    static uint32_t ticks[2 * A_LOOK];
    struct leak_rule rule = leak_rule_default(2);
    struct leak_world w = leak_world_start(kind, seed, 0);
    struct leak_engine *e;
    int n = 0;
    rule.margin_ticks = margin * LEAK_WORLD_UNIT;
    rule.advantage = .05;
    rule.selfchecks = false;
    assert_int_equal(leak_engine_create(&rule, &e, NULL), TARE_OK);
    do {
        leak_world_blocks(&w, A_LOOK, class, ticks);
        assert_int_equal(leak_engine_blocks(e, LEAK_MAIN, 2, A_LOOK, class, ticks, NULL), TARE_OK);
        leak_engine_round(e);
        leak_engine_read(e, &r);
        looks[n++] = (struct look){r.blocks, r.blocks_needed};
    } while (!r.stop && n < LOOKS_MAX);
    leak_engine_destroy(e);
    *word = r.verdict;
    return r.stop ? n : 0;
}

static void what_is_said_to_be_missing_is_about_what_is(void **state)
{
    (void)state;
    static const struct {
        enum leak_world_kind kind;
        double margin;
    } cases[] = {{LEAK_WORLD_GAUSS, 1}, {LEAK_WORLD_GAUSS, .7}, {LEAK_WORLD_GAUSS, 20}, {LEAK_WORLD_EDGE, .1}};
    static struct look looks[LOOKS_MAX];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static double early[SESSIONS], late[SESSIONS];
        int n = 0;
        for (int i = 0; i < SESSIONS; i++) {
            enum leak_verdict word;
            int at = session_of(cases[k].kind, (uint64_t)(40000 + 1000 * k + i), cases[k].margin, looks, &word);
            if (!at || word != LEAK_NONE)
                continue;
            int64_t all = looks[at - 1].blocks;
            const struct look *a = &looks[at / 3], *b = &looks[at / 2];
            if (isnan(a->needed) || isnan(b->needed) || a->blocks < 1)
                continue;
            early[n] = (a->needed + (double)a->blocks) / (double)all;
            late[n++] = (b->needed + (double)b->blocks) / (double)all;
        }
        assert_true(n >= SESSIONS / 2);
        tare_sort(early, n);
        tare_sort(late, n);
        print_message("             %-7s %4g: said at a third of the way, over what it took: %.2f [%.2f, %.2f]; half-way: %.2f "
                      "[%.2f, %.2f]; %d sessions\n",
                      leak_world_name(cases[k].kind), cases[k].margin, tare_quantile_sorted(early, n, .5), early[0], early[n - 1],
                      tare_quantile_sorted(late, n, .5), late[0], late[n - 1], n);
        assert_true(tare_quantile_sorted(early, n, .5) > .6 && tare_quantile_sorted(early, n, .5) < 1.7);
        assert_true(tare_quantile_sorted(late, n, .5) > .6 && tare_quantile_sorted(late, n, .5) < 1.7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_said_to_be_missing_is_about_what_is)};
    return cmocka_run_group_tests_name("what is missing, simulated", tests, NULL, NULL);
}
