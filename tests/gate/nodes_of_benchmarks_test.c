/* SPDX-License-Identifier: MIT
 *
 * Benchmarks of two builds on several nodes: which have a verdict and which only a reason, and how often --fail-if-slower is wrong about many.
 */
#include "analyse.h"
#include "analyse_stored.h"
#include "gate.h"
#include "rng.h"
#include "rng_normal.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <tare/stats.h>

#include <cmocka.h>

enum { NODES = 4, MOST = 8 };

struct nodes {
    struct record items[NODES], over;
};

static void begin(struct nodes *x)
{
    static const struct metric ns = {.id = "ns", .title = "time", .unit = "ns", .kind = METRIC_TIME, .direction = METRIC_LOWER};
    *x = (struct nodes){0};
    for (int i = 0; i < NODES; i++) {
        struct record *r = &x->items[i];
        record_init(r);
        assert_true(record_add_metric(r, &ns) >= 0);
        assert_int_equal(facts_add_number(r, &r->build, "fleet_node", i + 1), TARE_OK);
        r->rule = (struct rule){
            .metric = "ns", .confidence = .95, .margin = .01, .n_looks = 1, .interleaved = true, .fail_if_slower = NAN};
        r->ended = "answered";
        r->start_utc_ns = 1000 + i;
    }
}

static int add_side(struct record *r, const char *name, const char *program, int reference, double ns)
{
    static const char *const columns[] = {"ns"};
    char both[40];
    buf_print(both, sizeof both, "%s (%s)", name, program);
    const struct subject s = {.kind = SUBJECT_BENCH,
                              .name = both,
                              .command = both,
                              .program = program,
                              .benchmark = name,
                              .group = name,
                              .reference = reference};
    const int subject = record_add_subject(r, &s, columns, 1);
    assert_true(subject >= 0);
    const struct row row = {.values = &ns};
    assert_int_equal(record_append_row(r, subject, &row), TARE_OK);
    const struct estimate e = estimate_point(subject, "ns", "median", "order statistics", ns, 1);
    assert_true(record_add_estimate(r, &e) >= 0);
    return subject;
}

/* Its two sides in this node's record, and what their rounds say. */
static struct comparison *add_pair(struct record *r, const char *name, double shift)
{
    const int old = add_side(r, name, "old", -1, 100), new = add_side(r, name, "new", old, 100 * exp(shift));
    const struct comparison c = {.reference = old,
                                 .subject = new,
                                 .metric = "ns",
                                 .kind = METRIC_TIME,
                                 .shift = shift,
                                 .low = shift - .001,
                                 .high = shift + .001,
                                 .mean_ratio = exp(shift),
                                 .level = .05,
                                 .rounds = 10,
                                 .verdict = VERDICT_UNDECIDED};
    const int at = record_add_comparison(r, &c);
    assert_true(at >= 0);
    return &r->comparisons[at];
}

static void together(struct nodes *x)
{
    struct tare_err err = {""};
    if (analyse_sessions(&x->over, x->items, NODES, &err))
        fail_msg("%s", err.text);
}

static void finish(struct nodes *x)
{
    for (int i = 0; i < NODES; i++)
        record_finish(&x->items[i]);
    record_finish(&x->over);
}

static const struct comparison *of(const struct nodes *x, const char *name)
{
    for (int i = 0; i < x->over.n_comparisons; i++)
        if (!strcmp(x->over.subjects[x->over.comparisons[i].subject].name, name))
            return &x->over.comparisons[i];
    fail_msg("%s is not compared", name);
    return NULL;
}

static void each_benchmark_is_compared_by_its_ratios_on_the_nodes(void **state)
{
    (void)state;
    static const double add[NODES] = {.04, .05, .045, .055}, sort[NODES] = {-.30, -.29, -.31, -.30};
    struct nodes x;
    begin(&x);
    for (int i = 0; i < NODES; i++) {
        add_pair(&x.items[i], i % 2 ? "sort" : "add", i % 2 ? sort[i] : add[i]); /* in another order on each */
        add_pair(&x.items[i], i % 2 ? "add" : "sort", i % 2 ? add[i] : sort[i]);
    }
    together(&x);
    struct tare_interval expected;
    assert_int_equal(tare_mean_ci_student(add, NODES, .05, &expected), TARE_OK);
    const struct comparison *c = of(&x, "add (new)");
    assert_true(fabs(c->shift - expected.point) < 1e-12 && fabs(c->low - expected.low) < 1e-12 &&
                fabs(c->high - expected.high) < 1e-12);
    assert_int_equal(c->verdict, VERDICT_SLOWER);
    assert_string_equal(x.over.subjects[c->reference].name, "add (old)");
    /* the p value is that of the interval that ends at 0 */
    assert_int_equal(tare_mean_ci_student(add, NODES, c->p, &expected), TARE_OK);
    assert_true(fabs(expected.low) < 1e-9);
    assert_int_equal(of(&x, "sort (new)")->verdict, VERDICT_FASTER);
    assert_int_equal(x.over.n_subjects, 4);
    finish(&x);
}

static void a_benchmark_that_some_nodes_lack_or_fail_is_there_without_a_verdict(void **state)
{
    (void)state;
    struct nodes x;
    begin(&x);
    for (int i = 0; i < NODES; i++) {
        struct record *r = &x.items[i];
        if (i == 2)
            add_pair(r, "rare", .1);
        add_pair(r, "add", .1 + .01 * i);
        if (i != 1)
            add_pair(r, "sort", .1);
        add_pair(r, "swapped", .1 + .01 * i);
        if (i == 3)
            r->comparisons[r->n_comparisons - 1].reference = 0;
        if (i == 0) {
            add_side(r, "broken", "old", -1, 5);
            record_set_failure(r, add_side(r, "broken", "new", r->n_subjects - 1, 5), "was ended by SIGSEGV in process 1");
        } else
            add_pair(r, "broken", .1);
        add_side(r, "only", "old", -1, 5);
        add_side(r, "moon", "old", -1, 5);
        record_set_failure(r, r->n_subjects - 1, "skipped: no moon");
        record_set_failure(r, add_side(r, "moon", "new", r->n_subjects - 1, 5), "skipped: no moon");
    }
    together(&x);
    static const char *const without[][2] = {
        {"rare (new)", "node 1 does not have 'rare (old)'"},
        {"sort (new)", "node 2 does not have 'sort (old)'"},
        {"swapped (new)", "node 4 has no ratio: its values cannot be compared"},
        {"broken (new)", "node 1 has no result of 'broken (new)': was ended by SIGSEGV in process 1"},
    };
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        assert_int_equal(of(&x, without[i][0])->verdict, VERDICT_UNDECIDED);
        assert_string_equal(of(&x, without[i][0])->reason, without[i][1]);
        assert_false(isfinite(of(&x, without[i][0])->low));
    }
    assert_int_equal(of(&x, "add (new)")->verdict, VERDICT_SLOWER);
    assert_int_equal(x.over.n_comparisons, 5);
    int skipped = 0;
    for (int i = 0; i < x.over.n_subjects; i++)
        skipped += x.over.subjects[i].failure && subject_skipped(&x.over.subjects[i]);
    assert_int_equal(skipped, 2);
    finish(&x);
}

static enum exit_code ask(struct nodes *x, double limit)
{
    struct buf said = BUF_INIT(1 << 16);
    x->over.rule.fail_if_slower = limit;
    const enum exit_code code = gate_slower(&x->over, false, &said);
    buf_finish(&said);
    return code;
}

/* n benchmarks that all are slower by `shift`, nodes differ by 0.3 %. */
static void draw(struct nodes *x, struct rng *g, int n, double shift)
{
    begin(x);
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < n; k++) {
            char name[8];
            buf_print(name, sizeof name, "b%d", k);
            add_pair(&x->items[i], name, shift + .003 * rng_normal(g));
        }
    together(x);
}

/* By one interval each, 18 % of these would fail. A share passes at the 1 % binomial quantile. */
static void of_many_at_the_limit_few_fail_and_few_pass(void **state)
{
    (void)state;
    enum { TIMES = 300 };
    struct rng g = rng_seeded(28);
    int failed = 0, passed = 0, most = 0;
    for (int i = 0; i < TIMES; i++) {
        struct nodes x;
        draw(&x, &g, MOST, log(1.02));
        const enum exit_code code = ask(&x, .02);
        failed += code == EXIT_BAD;
        passed += code == EXIT_ANSWERED;
        finish(&x);
    }
    while (tare_binomial_cdf(most, TIMES, .05) < .99)
        most++;
    if (failed > most || passed > most)
        fail_msg("%d failed and %d passed of %d, at most %d may", failed, passed, TIMES, most);
}

static void what_is_clear_of_all_or_of_one_is_answered(void **state)
{
    (void)state;
    struct rng g = rng_seeded(29);
    struct nodes x;
    draw(&x, &g, MOST, .1);
    assert_int_equal(ask(&x, .02), EXIT_BAD);
    assert_int_equal(ask(&x, .5), EXIT_ANSWERED);
    finish(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_benchmark_is_compared_by_its_ratios_on_the_nodes),
        cmocka_unit_test(a_benchmark_that_some_nodes_lack_or_fail_is_there_without_a_verdict),
        cmocka_unit_test(of_many_at_the_limit_few_fail_and_few_pass),
        cmocka_unit_test(what_is_clear_of_all_or_of_one_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
