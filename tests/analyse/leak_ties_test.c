/* SPDX-License-Identifier: MIT
 *
 * The engine on what a clock shows that steps by 26 ticks, each reading in a drawn phase of the step: some two or three values are all there are. How many blocks
 * until a leak, against what no test of the mean can do in much fewer; sizes at each clip, which must not depend on where a quantile falls among those values; and
 * that deciles are told only where the values resolve them.
 */
#include "leak_core.h"
#include "leak_engine.h"
#include "leak_test.h"
#include "rng.h"
#include "rng_normal.h"

enum { STEP = 26, SEEDS = 15, PROCESS = 300, BLOCKS_MOST = 90000 };

struct times {
    double base, more, noise; /* ticks of the first class; of the second beyond it; sd of both */
};

static double reading(const struct times *w, struct rng *rng, int class)
{
    const double t = w->base + (class ? w->more : 0) + w->noise * rng_normal(rng);
    return STEP * floor(fmax(0, t) / STEP + rng_uniform(rng));
}

static struct leak_engine *engine_of(struct leak_rule *rule)
{
    struct leak_engine *e;
    *rule = leak_rule_default(2);
    rule->margin_ticks = 1;
    rule->drawn_step_ticks = STEP;
    rule->selfchecks = false;
    assert_int_equal(leak_engine_create(rule, &e, NULL), TARE_OK);
    return e;
}

static void add_process(struct leak_engine *e, const struct times *w, struct rng *rng, int n)
{
    static uint8_t class[2 * PROCESS];
    static uint32_t ticks[2 * PROCESS];
    for (int i = 0; i < n; i++) {
        const int first = (int)rng_below(rng, 2);
        for (int k = 0; k < 2; k++) {
            class[2 * i + k] = (uint8_t)(first ^ k);
            ticks[2 * i + k] = (uint32_t)reading(w, rng, first ^ k);
        }
    }
    assert_int_equal(leak_engine_blocks(e, LEAK_MAIN, 2, n, class, ticks, NULL), TARE_OK);
    leak_engine_round(e);
}

/* Of the difference of a block. */
static double variance_of(const struct times *w)
{
    struct rng rng = rng_seeded(1);
    double sum = 0, square = 0;
    enum { N = 20000 };
    for (int i = 0; i < N; i++) {
        const double d = reading(w, &rng, 1) - reading(w, &rng, 0);
        sum += d;
        square += d * d;
    }
    return square / N - sum / N * sum / N;
}

static const struct times worlds[] = {
    {60.3, 2, 0}, {60.3, 9, 0}, {78, 3, 0},   {79, -3, 0},     {25.5, 1.5, 0}, {13, 5, 0},    {13, 26, 0},
    {52.3, 3, 0}, {300, 7, 5},  {300, 7, 40}, {1000, -20, 90}, {77.8, 2, 1},   {27.5, -2, 0}, {103.9, 4, .1},
};
enum { WORLDS = sizeof worlds / sizeof *worlds };

static struct leak_reading read_now;

static void a_leak_is_found_with_at_most_twice_the_calls_that_a_mean_needs(void **state)
{
    (void)state;
    for (int w = 0; w < WORLDS; w++) {
        enum { AT_ONCE = 60 }; /* what thirty bets and the looks take where each block tells the classes apart */
        const double needed = 2 * log(1e5) * variance_of(&worlds[w]) / (worlds[w].more * worlds[w].more);
        double found[SEEDS];
        for (int s = 0; s < SEEDS; s++) {
            struct rng rng = rng_seeded((uint64_t)(100 * w + s));
            struct leak_rule rule;
            struct leak_engine *e = engine_of(&rule);
            do {
                add_process(e, &worlds[w], &rng, PROCESS);
                leak_engine_read(e, &read_now);
            } while (read_now.found_after < 0 && read_now.blocks < BLOCKS_MOST);
            found[s] = read_now.found_after < 0 ? INFINITY : (double)read_now.found_after;
            leak_engine_destroy(e);
        }
        tare_sort(found, SEEDS);
        print_message("             %g%+g ticks, sd %g: %.0f blocks, 2 ln(1e5) Var / d^2 = %.0f\n", worlds[w].base,
                      worlds[w].more, worlds[w].noise, found[SEEDS / 2], needed);
        if (!(found[SEEDS / 2] <= fmax(2 * needed, AT_ONCE)))
            fail();
    }
}

static void sizes_at_all_clips_are_right(void **state)
{
    (void)state;
    for (int w = 0; w < WORLDS; w++) {
        struct rng rng = rng_seeded((uint64_t)w);
        struct leak_rule rule;
        struct leak_engine *e = engine_of(&rule);
        const double sd = sqrt(variance_of(&worlds[w]));
        for (int p = 0; p < 100; p++)
            add_process(e, &worlds[w], &rng, PROCESS);
        leak_engine_read(e, &read_now);
        for (int c = 0; c < LEAK_CLIPS; c++) {
            const struct leak_difference *d = &read_now.pair[0].at[c];
            const double error = sd / sqrt((double)read_now.blocks), of_clip = worlds[w].noise > 1 ? .5 : 0;
            if (c == 0 && of_clip > 0) /* the clipped mean of times that differ by themselves is another figure */
                continue;
            if (!(fabs(d->ticks.point - worlds[w].more) <
                  4 * error + (c < LEAK_JUDGED ? .12 * of_clip * fabs(worlds[w].more) : 0)))
                fail_msg("%g%+g ticks, sd %g, clip %g: %g +- %g", worlds[w].base, worlds[w].more, worlds[w].noise, d->clip,
                         d->ticks.point, error);
        }
        const double median = worlds[w].base + worlds[w].more / 2;
        if (!(fabs(read_now.median_ticks - median) < .15 * STEP + .1 * worlds[w].noise))
            fail_msg("%g%+g ticks, sd %g: median %g", worlds[w].base, worlds[w].more, worlds[w].noise, read_now.median_ticks);
        leak_engine_destroy(e);
    }
}

static int told(const struct times *w)
{
    static struct leak_pictures pictures;
    struct rng rng = rng_seeded(5);
    struct leak_rule rule;
    struct leak_engine *e = engine_of(&rule);
    int n = 0;
    for (int p = 0; p < 600; p++)
        add_process(e, w, &rng, PROCESS);
    leak_engine_read(e, &read_now);
    leak_engine_draw(e, &read_now, &pictures);
    for (int i = 0; i < LEAK_SHIFTS; i++) {
        const struct leak_shift *s = &pictures.shift[i];
        n += isfinite(s->ticks.point);
        assert_true(isnan(s->ticks.point) == isnan(s->ticks.low));
        if (!isnan(s->ticks.point) && !(s->ticks.low <= w->more && w->more <= s->ticks.high))
            fail_msg("quantile %g: [%g, %g]", s->q, s->ticks.low, s->ticks.high);
        if (isfinite(s->ticks.point) && i < 9 && !(fabs(s->ticks.point - w->more) < STEP))
            fail_msg("decile %g: %g", s->q, s->ticks.point);
    }
    leak_engine_destroy(e);
    return n;
}

static void deciles_are_told_where_the_step_resolves_them(void **state)
{
    (void)state;
    assert_in_range(told(&(struct times){300, 9, 0}), 0, 0);
    assert_in_range(told(&(struct times){300, 9, 20}), 0, 3); /* the far ends alone */
    assert_in_range(told(&(struct times){300, 9, 60}), 1, LEAK_SHIFTS - 1);
    for (int i = 0; i < STEP; i += 4)
        assert_in_range(told(&(struct times){1400 + i, 4, 6}), 0, 3); /* where bins are wider than a tick */
    assert_int_equal(told(&(struct times){3000, 60, 300}), LEAK_SHIFTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leak_is_found_with_at_most_twice_the_calls_that_a_mean_needs),
        cmocka_unit_test(sizes_at_all_clips_are_right),
        cmocka_unit_test(deciles_are_told_where_the_step_resolves_them),
    };
    return cmocka_run_group_tests_name("leak_ties", tests, NULL, NULL);
}
