/* SPDX-License-Identifier: MIT
 *
 * How often the intervals over nodes hold the truth: fleets of 3 to 50 nodes, whose own effects and errors of measuring are drawn. Seeded; marks as in
 * stats_sim_test.c.
 */
#include "rng.h"
#include "rng_normal.h"
#include "stats_beyond.h"
#include "stats_test.h"

static const double MARK = 5e-5; /* each side */
enum { FLEETS = 20000, NODES_MOST = 50 };

struct world {
    const char *name;
    double tau, se[4]; /* nodes have these errors of measuring in turns */
};

static const struct world worlds[] = {{"equal errors", 1, {.5, .5, .5, .5}},
                                      {"unequal errors", .5, {.2, 1, 2, 4}},
                                      {"one bad node of four", .3, {.3, .3, .3, 6}},
                                      {"nothing between nodes", 0, {1, 1, 1, 1}}};
enum { EQUAL = 0, UNEQUAL, ONE_BAD, NOTHING, WORLDS };

static void assert_rate(const char *what, const char *where, int nodes, int hits, double p_low, double p_high)
{
    print_message("             %s, %s, %d nodes: %d of %d = %.4f\n", what, where, nodes, hits, FLEETS, (double)hits / FLEETS);
    if (tare_binomial_cdf(hits, FLEETS, p_low) < MARK || tare_binomial_cdf(FLEETS - hits, FLEETS, 1 - p_high) < MARK) {
        print_error("%s, %s, %d nodes: not %.4f to %.4f\n", what, where, nodes, p_low, p_high);
        fail();
    }
}

static double draw_node(const struct world *w, struct rng *r, int at, double *se)
{
    *se = w->se[at % 4];
    const double own = w->tau * rng_normal(r);
    return own + *se * rng_normal(r);
}

struct counts {
    int mean, another;
    double tau2;
};

static struct counts simulate(int world, int n)
{
    const struct world *w = &worlds[world];
    struct rng r = rng_seeded((uint64_t)(9000 + 100 * world + n));
    struct counts c = {0};
    for (int i = 0; i < FLEETS; i++) {
        double x[NODES_MOST], se[NODES_MOST], ignored;
        struct stats_nodes of;
        const int first = (int)rng_below(&r, 4);
        for (int k = 0; k < n; k++)
            x[k] = draw_node(w, &r, first + k, &se[k]);
        const double another = draw_node(w, &r, (int)rng_below(&r, 4), &ignored);
        assert_int_equal(stats_nodes(x, se, n, .05, &of), TARE_OK);
        c.mean += of.mean.low <= 0 && 0 <= of.mean.high;
        c.another += of.predicted.low <= another && another <= of.predicted.high;
        c.tau2 += of.tau * of.tau / FLEETS;
    }
    return c;
}

static const int sizes[] = {3, 4, 8, 50};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void means_over_nodes_cover_whatever_the_variances(void **state)
{
    (void)state;
    for (int w = 0; w < WORLDS; w++)
        for (int s = 0; s < SIZES; s++) {
            const bool exact = w == EQUAL || w == NOTHING;
            assert_rate("mean of the class", worlds[w].name, sizes[s], simulate(w, sizes[s]).mean, .95, exact ? .95 : 1);
        }
}

static void another_node_lies_where_it_was_predicted(void **state)
{
    (void)state;
    for (int s = 1; s < SIZES; s++) {
        assert_rate("another node", worlds[EQUAL].name, sizes[s], simulate(EQUAL, sizes[s]).another, .95, .95);
        assert_rate("another node", worlds[NOTHING].name, sizes[s], simulate(NOTHING, sizes[s]).another, .95, .95);
        assert_rate("another node", worlds[UNEQUAL].name, sizes[s], simulate(UNEQUAL, sizes[s]).another, .925, 1);
    }
}

static void tau_is_near_what_was_drawn_with_many_nodes(void **state)
{
    (void)state;
    assert_near(simulate(EQUAL, 50).tau2, 1, .02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_over_nodes_cover_whatever_the_variances),
        cmocka_unit_test(another_node_lies_where_it_was_predicted),
        cmocka_unit_test(tau_is_near_what_was_drawn_with_many_nodes),
    };
    return cmocka_run_group_tests_name("simulations of nodes", tests, NULL, NULL);
}
