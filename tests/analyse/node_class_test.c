/* SPDX-License-Identifier: MIT
 *
 * Which nodes are of a class: by what most of them have in common, and by the reference that ran against itself on each.
 */
#include "node_class.h"
#include "repeated.h"
#include "rng.h"
#include "rng_normal.h"
#include "tabled_record.h"
#include <math.h>
#include <string.h>
#include <tare/stats.h>

enum { MOST = 20 };

struct fleet_of {
    struct record nodes[MOST];
    struct arena arena;
    struct node_class c;
};

/* One record a node, whose reference takes times[i] in both of its sessions; noise and words about itself as given. */
static void make(struct fleet_of *x, int n, const double *times, const double *noise, const int *wrong)
{
    *x = (struct fleet_of){0};
    for (int i = 0; i < n; i++) {
        struct record *r = &x->nodes[i];
        const double values[] = {times[i], times[i], times[i], times[i]};
        const struct look look = tabled_look(2, .05);
        tabled_record(r, "wall", 2, 2, values);
        tabled_analyse(r, &look);
        const struct estimate of_noise = {.metric = "wall",
                                          .statistic = "aa_pair_sd",
                                          .method = "",
                                          .point = noise[i],
                                          .low = NAN,
                                          .high = NAN},
                              of_words = {.metric = "wall",
                                          .statistic = "aa_false_positives",
                                          .method = "",
                                          .point = wrong[i] / 10.,
                                          .n = 10,
                                          .low = NAN,
                                          .high = NAN};
        assert_true(record_add_estimate(r, &of_noise) >= 0 && record_add_estimate(r, &of_words) >= 0);
    }
    x->c = (struct node_class){.nodes = x->nodes, .n = n, .bound = .05, .load = .5, .arena = &x->arena};
}

static void text_of_node(struct fleet_of *x, int node, bool of_machine, const char *key, const char *text)
{
    struct record *r = &x->nodes[node];
    assert_int_equal(facts_add_text(r, of_machine ? &r->machine : &r->before, key, text), TARE_OK);
}

static void judge(struct fleet_of *x)
{
    struct tare_err err;
    assert_int_equal(analyse_node_class(&x->c, &err), TARE_OK);
}

static void assert_out(const struct fleet_of *x, int node, const char *why)
{
    const char *out = x->c.found[node].out;
    if (!why != !out || (why && !strstr(out, why))) {
        print_error("node %d: got '%s', expected '%s'\n", node, out ? out : "(of the class)", why ? why : "(of the class)");
        fail();
    }
}

static void finish(struct fleet_of *x)
{
    for (int i = 0; i < x->c.n; i++)
        record_finish(&x->nodes[i]);
    arena_finish(&x->arena);
}

static const double alike[] = {10e6, 10.02e6, 9.98e6, 10.01e6, 9.99e6},
                    quiet[] = {.008, .009, .0085, .0088, .0083, .0086, .0087, .0084};
static const int right[] = {0, 1, 0, 0, 1, 0, 0, 0};

static void like_nodes_are_all_of_the_class(void **state)
{
    (void)state;
    struct fleet_of x;
    make(&x, 5, alike, quiet, right);
    judge(&x);
    for (int i = 0; i < 5; i++)
        assert_out(&x, i, NULL);
    assert_int_equal(x.c.in, 5);
    assert_null(x.c.open);
    assert_close(x.c.center, 10e6, 2e-3);
    assert_true(x.c.found[0].time == 10e6 && x.c.found[1].wrong == 1 && x.c.found[1].sessions == 10);
    finish(&x);
}

static void a_slow_node_and_a_fast_one_are_out(void **state)
{
    (void)state;
    struct fleet_of x;
    const double times[] = {10e6, 10.02e6, 9.98e6, 13e6, 7e6, 10.01e6, 9.99e6, 10e6};
    make(&x, 8, times, quiet, right);
    judge(&x);
    assert_out(&x, 2, NULL);
    assert_out(&x, 3, "the reference workload is 30 % slower than on the class (bound 5 %)");
    assert_out(&x, 4, "faster than on the class");
    assert_int_equal(x.c.in, 6);
    finish(&x);
}

/* Farther than the others vary, and no matter; or much, where the others vary as much. */
static void a_node_within_the_bound_or_within_the_scatter_stays(void **state)
{
    (void)state;
    struct fleet_of x;
    const double near[] = {10e6, 10.0001e6, 10.0002e6, 10.0003e6, 10.4e6}, scattered[] = {10e6, 12e6, 9e6, 11e6, 14e6};
    make(&x, 5, near, quiet, right);
    judge(&x);
    assert_out(&x, 4, NULL);
    x.c.bound = .03;
    judge(&x);
    assert_out(&x, 4, "4 % slower");
    finish(&x);
    make(&x, 5, scattered, quiet, right);
    judge(&x);
    assert_int_equal(x.c.in, 5);
    finish(&x);
}

static void a_noisy_node_is_out(void **state)
{
    (void)state;
    struct fleet_of x;
    const double noise[] = {.008, .009, .0085, .2, .0083}, silent[] = {.008, .009, .0085, 1e-5, .0083},
                 none[] = {.008, .009, 0, .2, .0083};
    make(&x, 5, alike, noise, right);
    judge(&x);
    assert_out(&x, 3, "times as much as on the class (bound 3)");
    assert_int_equal(x.c.in, 4);
    finish(&x);
    make(&x, 5, alike, silent, right); /* a steady one is no worse */
    judge(&x);
    assert_int_equal(x.c.in, 5);
    finish(&x);
    make(&x, 5, alike, none, right); /* one without a figure hides no other */
    judge(&x);
    assert_int_equal(x.c.in, 4);
    finish(&x);
}

static void a_node_that_is_wrong_about_itself_is_out(void **state)
{
    (void)state;
    struct fleet_of x;
    const int three[] = {0, 3, 0, 0, 1}, five[] = {0, 1, 5, 0, 0};
    make(&x, 5, alike, quiet, three); /* of ten: once in 87 */
    judge(&x);
    assert_int_equal(x.c.in, 5);
    finish(&x);
    make(&x, 5, alike, quiet, five);
    judge(&x);
    assert_out(&x, 2, "5 of 10 sessions called the reference faster or slower than itself");
    finish(&x);
}

static void a_node_with_other_conditions_than_most_is_out(void **state)
{
    (void)state;
    struct fleet_of x;
    make(&x, 5, alike, quiet, right);
    for (int i = 0; i < 5; i++) {
        text_of_node(&x, i, true, "cpu_brand", i == 1 ? "Other" : "Example");
        text_of_node(&x, i, false, "governor", i == 4 ? "powersave" : "performance");
        if (i != 2)
            assert_int_equal(facts_add_number(&x.nodes[i], &x.nodes[i].before, "smt_active", i == 1), TARE_OK);
        assert_int_equal(facts_add_number(&x.nodes[i], &x.nodes[i].machine, "memory_bytes", 16e9 + 1e8 * i), TARE_OK);
    }
    judge(&x);
    assert_out(&x, 1, "cpu_brand is 'Other', and on 4 of 5 nodes 'Example'; smt_active is 1, and on 3 of 4 nodes 0");
    assert_out(&x, 4, "governor is 'powersave'");
    assert_out(&x, 2, NULL);
    assert_int_equal(x.c.in, 3);
    assert_null(x.c.open);
    finish(&x);
}

static void without_a_majority_nobody_is_out_and_it_is_said(void **state)
{
    (void)state;
    struct fleet_of x;
    make(&x, 4, alike, quiet, right);
    for (int i = 0; i < 4; i++)
        text_of_node(&x, i, false, "governor", i % 2 ? "powersave" : "performance");
    judge(&x);
    assert_int_equal(x.c.in, 4);
    assert_string_equal(x.c.open, "nodes differ in governor, and no value is that of most");
    finish(&x);
}

static void a_node_that_others_use_is_out(void **state)
{
    (void)state;
    struct fleet_of x;
    make(&x, 4, alike, quiet, right);
    for (int i = 0; i < 4; i++) {
        struct record *r = &x.nodes[i];
        assert_int_equal(facts_add_number(r, &r->after, "cpu_users_seconds", i == 3 ? 9 : 1), TARE_OK);
        assert_int_equal(facts_add_number(r, &r->after, "cpu_watch_seconds", 10), TARE_OK);
    }
    judge(&x);
    assert_out(&x, 3, "other programs used 0.9 CPUs meanwhile (bound 0.5)");
    assert_int_equal(x.c.in, 3);
    finish(&x);
}

static void two_nodes_have_no_bounds_and_it_is_said(void **state)
{
    (void)state;
    struct fleet_of x;
    const double times[] = {10e6, 99e6, 10e6};
    make(&x, 3, times, quiet, right);
    for (int i = 0; i < 3; i++)
        text_of_node(&x, i, false, "clocksource", i == 2 ? "hpet" : "tsc");
    judge(&x);
    assert_int_equal(x.c.in, 2);
    assert_out(&x, 1, NULL);
    assert_true(isnan(x.c.center));
    assert_non_null(strstr(x.c.open, "2 nodes are of one sort of conditions, and it needs 3"));
    finish(&x);
    make(&x, 0, NULL, NULL, NULL);
    judge(&x);
    finish(&x);
}

static void a_node_without_a_time_is_out(void **state)
{
    (void)state;
    struct fleet_of x;
    const double times[] = {10e6, 10.01e6, 9.99e6, -1};
    make(&x, 4, times, quiet, right);
    judge(&x);
    assert_out(&x, 3, "no value above 0");
    assert_int_equal(x.c.in, 3);
    finish(&x);
}

/* All bounds together, those of times as narrow as their scatter: of 100 classes of four like nodes at most 5 % lose one, beyond chance 1e-4. */
static void like_nodes_are_rarely_lost(void **state)
{
    (void)state;
    enum { CLASSES = REPEATED(100), NODES = 4 };
    struct rng r = rng_seeded(28);
    int lost = 0;
    for (int i = 0; i < CLASSES; i++) {
        struct arena a = {0};
        struct node_found found[NODES] = {0};
        struct node_class c = {.n = NODES, .bound = 1e-9, .arena = &a, .found = found};
        struct tare_err err;
        for (int k = 0; k < NODES; k++) {
            found[k] = (struct node_found){
                .time = 1e7 * exp(.003 * rng_normal(&r)), .noise = .01 * exp(.5 * rng_normal(&r)), .sessions = 10};
            for (int s = 0; s < 10; s++)
                found[k].wrong += rng_uniform(&r) < .05;
        }
        assert_int_equal(analyse_node_figures(&c, .95, true, &err), TARE_OK);
        lost += c.in < NODES;
        arena_finish(&a);
    }
    print_message("             %d of %d classes lost a node\n", lost, CLASSES);
    assert_true(tare_binomial_cdf(CLASSES - lost, CLASSES, .95) > 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_nodes_are_all_of_the_class),
        cmocka_unit_test(a_slow_node_and_a_fast_one_are_out),
        cmocka_unit_test(a_node_within_the_bound_or_within_the_scatter_stays),
        cmocka_unit_test(a_noisy_node_is_out),
        cmocka_unit_test(a_node_that_is_wrong_about_itself_is_out),
        cmocka_unit_test(a_node_with_other_conditions_than_most_is_out),
        cmocka_unit_test(without_a_majority_nobody_is_out_and_it_is_said),
        cmocka_unit_test(a_node_that_others_use_is_out),
        cmocka_unit_test(two_nodes_have_no_bounds_and_it_is_said),
        cmocka_unit_test(a_node_without_a_time_is_out),
        cmocka_unit_test(like_nodes_are_rarely_lost),
    };
    return cmocka_run_group_tests_name("classes of nodes", tests, NULL, NULL);
}
