/* SPDX-License-Identifier: MIT
 *
 * How often a class of like machines loses one, and how often slow ones are found: classes of 3 to 50 machines, whose times are drawn. Seeded; marks as
 * in stats_sim_test.c. The limits are drawn too, from 4999 classes, so the share lost is theirs +- four of its standard deviations.
 */
#include "rng.h"
#include "rng_normal.h"
#include "stats_beyond.h"
#include "stats_test.h"

static const double MARK = 5e-5; /* each side */
enum { CLASSES = 20000, MOST = 50 };

struct world {
    int n, slow; /* machines; the first of them are slower by `by` standard deviations of the others */
    double by;
};

struct seen {
    int lost, found, all; /* classes that lost one of like machines; that had one slow one found; all of them */
};

static double scratch[MOST + STATS_CLASS_SCRATCH];

static struct seen simulate(const struct world *w, double level, bool above)
{
    struct rng r = rng_seeded((uint64_t)(7000 + 10 * w->n + w->slow));
    struct seen s = {0};
    double limit;
    assert_int_equal(stats_class_limit(w->n, level, above, scratch, &limit), TARE_OK);
    for (int i = 0; i < CLASSES; i++) {
        double x[MOST];
        struct stats_class c;
        int lost = 0, found = 0;
        for (int k = 0; k < w->n; k++)
            x[k] = 3 + .004 * (rng_normal(&r) + (k < w->slow ? w->by : 0));
        assert_int_equal(stats_class(x, w->n, scratch, &c), TARE_OK);
        for (int k = 0; k < w->n; k++) {
            const double apart = x[k] - c.center;
            const bool out = (above ? apart : fabs(apart)) > limit * c.scale;
            lost += out && k >= w->slow;
            found += out && k < w->slow;
        }
        s.lost += lost > 0;
        s.found += found > 0;
        s.all += w->slow && found == w->slow;
    }
    return s;
}

static void assert_rate(const char *what, const struct world *w, int hits, double low, double high)
{
    print_message("             %s, %d machines, %d slow by %g: %d of %d = %.4f\n", what, w->n, w->slow, w->by, hits, CLASSES,
                  (double)hits / CLASSES);
    if (tare_binomial_cdf(hits, CLASSES, low) < MARK || tare_binomial_cdf(CLASSES - hits, CLASSES, 1 - high) < MARK) {
        print_error("%s, %d machines: not %.4f to %.4f\n", what, w->n, low, high);
        fail();
    }
}

static const int sizes[] = {3, 4, 5, 8, 20, 50};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void classes_of_like_machines_lose_one_as_often_as_is_said(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        const struct world w = {sizes[s], 0, 0};
        const double levels[] = {.03, .01};
        for (int above = 0; above < 2; above++) {
            const double level = levels[above], own = 4 * sqrt(level * (1 - level) / STATS_CLASS_SCRATCH);
            assert_rate(above ? "lost above, 1 %" : "lost, 3 %", &w, simulate(&w, level, above).lost, level - own, level + own);
        }
    }
}

/* A single one 9 times in 10 from as far as src/stats/class_bounds.c says, which is rounded. */
static void one_slow_machine_is_found_from_as_far_as_is_said(void **state)
{
    (void)state;
    static const struct world worlds[] = {{3, 1, 135}, {4, 1, 20}, {5, 1, 11}, {8, 1, 8}, {20, 1, 6}};
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)
        assert_rate("found", &worlds[i], simulate(&worlds[i], .03, false).all, .88, .92);
}

/* In standard deviations: 7 are 2.8 % where like machines differ by .4 %. */
static void slow_machines_are_found(void **state)
{
    (void)state;
    static const struct {
        struct world w;
        double least;
    } worlds[] = {{{4, 1, 40}, .9}, {{5, 1, 20}, .8}, {{8, 1, 12}, .9}, {{8, 2, 16}, .8}, {{20, 1, 7}, .9}, {{20, 3, 8}, .8}};
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)
        assert_rate("found", &worlds[i].w, simulate(&worlds[i].w, .03, false).all, worlds[i].least, 1);
}

/* Two that hide each other behind a mean and standard deviation of all: then the farthest of eight is 2.47 of these away at most. */
static void slow_machines_do_not_take_good_ones_with_them(void **state)
{
    (void)state;
    const struct world w = {8, 2, 100};
    const struct seen s = simulate(&w, .03, false);
    assert_rate("both found", &w, s.all, .999, 1);
    assert_rate("good ones lost", &w, s.lost, 0, .03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_of_like_machines_lose_one_as_often_as_is_said),
        cmocka_unit_test(one_slow_machine_is_found_from_as_far_as_is_said),
        cmocka_unit_test(slow_machines_are_found),
        cmocka_unit_test(slow_machines_do_not_take_good_ones_with_them),
    };
    return cmocka_run_group_tests_name("simulations of classes", tests, NULL, NULL);
}
