/* SPDX-License-Identifier: MIT
 *
 * What is said of a benchmark's complexity, counted in seeded sessions: times of a known class with an intercept, processes that differ by 2 %. A class
 * is said to be told from the best one where the interval of its excess lies above 0.
 *
 *     The true class is told from the best one, so denied, in at most 5 % of the sessions: exact binomial mark of 1 in 10 000.
 *     Where the classes differ by far, others are told from the true one. (A constant is a case of every class, so none is told from it. It is denied where the
 *     exponent's interval excludes 0.)
 *     Where the true class begins at 0, its constant is said to be below 0 in at most 5 %, the same mark. That of the class below it, which would have to
 *     grow faster than it can, is below 0 in 9 of 10.
 */
#include "rng.h"
#include "rng_normal.h"
#include "tabled_record.h"
#include <math.h>
#include <stdio.h>
#include <tare/stats.h>

enum { SESSIONS = 1000, ROUNDS = 15, SIZES = 6, CLASSES = 6 };

static const double sizes[SIZES] = {16, 64, 256, 1024, 4096, 16384};
static const struct {
    const char *statistic;
    double of_first; /* its growing part at the first size, in ns; the constant comes on top */
} classes[CLASSES] = {{"1", 20}, {"log", 20}, {"linear", 5}, {"n_log_n", 5}, {"square", 1}, {"cube", 1}};

struct setting {
    int class;
    double constant, noise; /* ns; relative */
};

static double shape(int class, double n)
{
    const double shapes[CLASSES] = {1, log(n), n, n * log(n), n * n, n * n * n};
    return shapes[class];
}

static void add_size(struct record *r, const struct setting *set, int i, struct rng *rng)
{
    static const char *const columns[] = {"ns"};
    static const char *const texts[SIZES] = {"16", "64", "256", "1024", "4096", "16384"};
    const struct parameter n = {"n", texts[i]};
    char name[32];
    snprintf(name, sizeof name, "b/%s", texts[i]);
    const struct subject s = {.kind = SUBJECT_BENCH,
                              .name = name,
                              .command = name,
                              .program = "p",
                              .benchmark = name,
                              .group = "b",
                              .complexity = true,
                              .parameters = &n,
                              .n_parameters = 1,
                              .reference = -1};
    int subject = record_add_subject(r, &s, columns, 1);
    double truth = set->constant + classes[set->class].of_first * shape(set->class, sizes[i]) / shape(set->class, sizes[0]);
    for (int k = 0; k < ROUNDS; k++) {
        double ns = truth * exp(set->noise * rng_normal(rng));
        assert_int_equal(record_append_row(r, subject, &(struct row){.round = k, .values = &ns}), TARE_OK);
    }
}

struct said {
    int best;
    bool told[CLASSES], below[CLASSES]; /* from the best; its constant, 0 */
};

static struct said session(struct setting set, uint64_t seed)
{
    struct record r;
    struct rng rng = rng_seeded(seed);
    struct look look = tabled_look(ROUNDS, 0.05);
    struct said said = {.best = -1};
    record_init(&r);
    record_add_bench_metrics(&r);
    r.rule = (struct rule){.metric = "ns", .confidence = 0.95, .margin = 0.01, .interleaved = true, .fail_if_slower = NAN};
    for (int i = 0; i < SIZES; i++)
        add_size(&r, &set, i, &rng);
    tabled_analyse(&r, &look);
    for (int c = 0; c < CLASSES; c++) {
        char id[64];
        snprintf(id, sizeof id, "constant_%s:n", classes[c].statistic);
        const struct estimate *constant = record_estimate(&r, 0, "ns", id);
        said.below[c] = constant && constant->high < 0;
        snprintf(id, sizeof id, "excess_%s:n", classes[c].statistic);
        const struct estimate *e = record_estimate(&r, 0, "ns", id);
        if (!e) { /* a proven slope: up, and the constant alone is no candidate; down, and no class is */
            said.told[c] = true;
            continue;
        }
        said.best = e->point == 0 && said.best < 0 ? c : said.best;
        said.told[c] = e->low > 0;
    }
    record_finish(&r);
    return said;
}

static void the_true_class_is_denied_no_more_often_than_promised(void **state)
{
    (void)state;
    for (int class = 0; class < CLASSES; class ++) {
        int denied = 0, best = 0;
        for (int i = 0; i < SESSIONS; i++) {
            struct said s = session((struct setting){class, 50, 0.02}, (uint64_t)(class * SESSIONS + i) * 7919 + 1);
            denied += s.told[class];
            best += s.best == class;
        }
        print_message("             %s: denied in %d, the best in %d of %d\n", classes[class].statistic, denied, best, SESSIONS);
        if (1 - tare_binomial_cdf(denied - 1, SESSIONS, 0.05) < 1e-4)
            fail_msg("%s is denied in %d of %d sessions, promised at most 5 %%", classes[class].statistic, denied, SESSIONS);
    }
}

static void classes_that_are_far_off_are_told_from_the_true_one(void **state)
{
    (void)state;
    static const int far[][2] = {{1, 2}, {2, 4}, {3, 1}, {4, 5}, {4, 2}, {5, 4}}; /* the truth, the other one */
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        int told = 0;
        for (int i = 0; i < SESSIONS / 10; i++)
            told += session((struct setting){far[k][0], 50, 0.02}, (uint64_t)i * 6007 + k).told[far[k][1]];
        if (told < SESSIONS / 10 * 9 / 10)
            fail_msg("%s is told from %s in %d of %d sessions", classes[far[k][1]].statistic, classes[far[k][0]].statistic, told,
                     SESSIONS / 10);
    }
}

static void a_constant_is_said_to_be_below_0_where_it_is(void **state)
{
    (void)state;
    static const double noises[] = {0.02, 0.2};
    for (size_t k = 0; k < sizeof noises / sizeof *noises; k++)
        for (int class = 2; class < CLASSES; class ++) {
            int own = 0, faster = 0;
            for (int i = 0; i < SESSIONS / 2; i++) {
                struct said s = session((struct setting){class, 0, noises[k]}, (uint64_t)(class * SESSIONS + i) * 7919 + 3);
                own += s.below[class];
                faster += s.below[class - 1];
            }
            print_message("             %s from 0, noise %g: its constant below 0 in %d, that of %s in %d of %d\n",
                          classes[class].statistic, noises[k], own, classes[class - 1].statistic, faster, SESSIONS / 2);
            if (1 - tare_binomial_cdf(own - 1, SESSIONS / 2, 0.05) < 1e-4 || faster < SESSIONS / 2 * 9 / 10)
                fail_msg("%s from 0: its constant is below 0 in %d sessions, that of %s in %d", classes[class].statistic, own,
                         classes[class - 1].statistic, faster);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_true_class_is_denied_no_more_often_than_promised),
        cmocka_unit_test(classes_that_are_far_off_are_told_from_the_true_one),
        cmocka_unit_test(a_constant_is_said_to_be_below_0_where_it_is),
    };
    return cmocka_run_group_tests_name("classes of complexity, simulated", tests, NULL, NULL);
}
