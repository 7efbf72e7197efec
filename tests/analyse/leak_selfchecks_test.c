/* SPDX-License-Identifier: MIT
 *
 * Self-checks of scans and of growth: a harness that makes a difference, one that is blind, one that was not looked at; and the parts that
 * measure how much a run would have seen.
 */
#include "leak_core.h"
#include "leak_growth.h"
#include "leak_scan.h"
#include "leak_test.h"
#include "rng.h"
#include "rng_normal.h"

/* ---- scan ---- */

enum { SECRET = 2, CALLS = 4000, CHECKS = 400, ROUNDS = 20 };

struct scan_case {
    double bit_0;   /* what bit 0 of the secret adds, in ticks */
    double making;  /* what the making of an input with bit 3 set leaves behind */
    double planted; /* that bit 0 of the spike adds; NAN: no self-checks at all */
    double told;    /* what the process says that it planted */
    double hidden;  /* what the call hides of it, where that is not all */
    int rounds;     /* 0: ROUNDS */
    double drift;   /* of the level from process to process */
};

static void put_calls(struct leak_scan *s, enum leak_kind kind, const struct scan_case *c, struct rng *r, int n, double shown,
                      double level)
{
    static uint8_t secret[CALLS * SECRET];
    static uint32_t ticks[CALLS];
    for (int i = 0; i < n; i++) {
        double t = 1000 + 20 * rng_normal(r);
        for (int b = 0; b < SECRET; b++)
            secret[i * SECRET + b] = (uint8_t)rng_below(r, 256);
        t += kind == LEAK_MAIN && (secret[i * SECRET] & 1) ? c->bit_0 : 0;
        t += secret[i * SECRET] & 8 ? c->making : 0;
        t += kind == LEAK_SPIKE && (secret[i * SECRET] & 1) ? shown : 0;
        t += level;
        ticks[i] = (uint32_t)t;
    }
    leak_scan_calls(s, kind, n, secret, ticks);
}

static struct leak_scan_reading scan(const struct scan_case *c)
{
    struct leak_rule rule = leak_rule_default(2);
    struct leak_scan *s;
    struct leak_scan_reading out;
    struct leak_bit bits[8 * SECRET];
    struct rng r = rng_seeded(5);
    struct leak_facts facts = leak_facts_none();
    rule.margin_ticks = 6;
    assert_int_equal(leak_scan_create(SECRET, &rule, &s, NULL), TARE_OK);
    assert_true(leak_scan_read(s, &out, bits));
    for (int round = 0; round < (c->rounds ? c->rounds : ROUNDS); round++) {
        const double times = ldexp(1, out.check.spike_replanted), level = c->drift * round;
        put_calls(s, LEAK_MAIN, c, &r, CALLS, 0, level);
        if (!isnan(c->planted)) {
            put_calls(s, LEAK_AA, c, &r, CHECKS, 0, level);
            put_calls(s, LEAK_SPIKE, c, &r, CHECKS, fmax(0, c->planted * times - c->hidden), level);
        }
        facts.spike_ticks = c->told * times;
        leak_scan_facts(s, &facts);
        leak_scan_round(s);
        assert_true(leak_scan_read(s, &out, bits));
    }
    leak_scan_destroy(s);
    return out;
}

static void assert_word_of(const char *what, int verdict, int wanted, enum leak_reason why, enum leak_reason wanted_why)
{
    if (verdict == wanted && why == wanted_why)
        return;
    print_error("%s: got %d, for \"%s\"; wanted %d, for \"%s\"\n", what, verdict, leak_reason_text(why), wanted,
                leak_reason_text(wanted_why));
    fail();
}

static void a_scan_says_no_leak_only_when_its_checks_passed(void **state)
{
    (void)state;
    struct leak_scan_reading r = scan(&(struct scan_case){.planted = 6, .told = 6});
    assert_word_of("sound", r.verdict, LEAK_NONE, r.why, LEAK_WHY_BOUNDED);
    assert_true(r.check.aa_blocks == ROUNDS * CHECKS - 100 && !r.check.aa_fired && r.check.spike_found_after > 0);
    assert_true(r.check.spike_ticks.low <= 6 && 6 <= r.check.spike_ticks.high && r.check.share_wanted == 0);
    assert_int_equal(r.processes, ROUNDS);
    r = scan(
        &(struct scan_case){.planted = 6, .told = 6, .rounds = 16}); /* what a quarter of them have was not yet met for sure */
    assert_word_of("few processes", r.verdict, LEAK_UNDECIDED, r.why, LEAK_WHY_PROCESSES);
    assert_near("needed", r.calls_needed, (16 * CALLS - 500) / 16., 1e-9);
    r = scan(&(struct scan_case){.planted = NAN, .told = NAN});
    assert_word_of("no checks", r.verdict, LEAK_UNDECIDED, r.why, LEAK_WHY_NO_SPIKE);
    assert_true(!r.stop && r.check.share_wanted == 30);
}

static void a_scan_whose_inputs_leak_by_their_making_is_invalid(void **state)
{
    (void)state;
    struct leak_scan_reading r = scan(&(struct scan_case){.making = 8, .planted = 6, .told = 6});
    assert_word_of("making", r.verdict, LEAK_INVALID, r.why, LEAK_WHY_AA);
    assert_true(r.leaking > 0); /* and it would have been called a leak */
    assert_true(r.check.aa_ticks.low <= 8 && 8 <= r.check.aa_ticks.high);
}

static void a_scan_that_leaks_is_a_leak_and_its_class_against_itself_is_quiet(void **state)
{
    (void)state;
    struct leak_scan_reading r = scan(&(struct scan_case){.bit_0 = 20, .planted = 6, .told = 6});
    assert_word_of("leak", r.verdict, LEAK_FOUND, r.why, LEAK_WHY_LARGER);
    assert_false(r.check.aa_fired);
}

static void a_blind_scan_is_invalid(void **state)
{
    (void)state;
    struct leak_scan_reading r = scan(&(struct scan_case){.told = 6});
    assert_word_of("blind", r.verdict, LEAK_INVALID, r.why, LEAK_WHY_BLIND);
    assert_int_equal(r.check.spike_replanted, 2);
    r = scan(&(struct scan_case){.bit_0 = 20, .told = 6});
    assert_word_of("blind, and found", r.verdict, LEAK_FOUND, r.why, LEAK_WHY_LARGER);
}

static void two_processes_do_not_make_a_scan_plant_anew(void **state)
{
    (void)state;
    struct leak_scan_reading r = scan(&(struct scan_case){.told = 60, .rounds = 2});
    assert_true(r.check.spike_hides && !r.check.spike_blind);
    assert_int_equal(r.check.spike_replanted, 0);
    assert_word_of("hidden in two", r.verdict, LEAK_UNDECIDED, r.why, LEAK_WHY_PROCESSES);
    r = scan(&(struct scan_case){.told = 60, .rounds = 3});
    assert_true(!r.check.spike_hides && !r.check.spike_blind);
    assert_int_equal(r.check.spike_replanted, 1);
}

static void a_scan_plants_a_hidden_delay_anew(void **state)
{
    (void)state;
    struct leak_scan_reading r = scan(&(struct scan_case){.planted = 6, .told = 6, .hidden = 6});
    assert_word_of("hidden", r.verdict, LEAK_NONE, r.why, LEAK_WHY_BOUNDED);
    assert_int_equal(r.check.spike_replanted, 1);
    assert_true(r.check.spike_ticks.low < 6 && 6 < r.check.spike_ticks.high);
}

/* All times rise together: coins are drawn for each call, so it is noise for the bits, and it is said. */
static void a_scan_that_drifts_says_so_and_finds_no_leak_in_it(void **state)
{
    (void)state;
    struct leak_scan_reading r = scan(&(struct scan_case){.planted = 6, .told = 6, .drift = 2});
    assert_word_of("drift", r.verdict, LEAK_NONE, r.why, LEAK_WHY_BOUNDED);
    assert_true(r.check.drift_cusum > 1.63 && r.check.drift_after > 0);
    assert_near("share", leak_drift_share(&r.check, 0), 38 / 1019., .05);
    r = scan(&(struct scan_case){.planted = 6, .told = 6});
    assert_true(r.check.drift_cusum < 1.63);
    assert_true(isnan(r.check.order_ticks.point)); /* a call is alone */
}

static void what_a_process_says_spoils_a_scan(void **state)
{
    (void)state;
    struct leak_rule rule = leak_rule_default(2);
    struct leak_scan *s;
    struct leak_scan_reading out;
    struct leak_bit bits[8];
    struct leak_facts facts = leak_facts_none();
    facts.wrote_outside = true;
    assert_int_equal(leak_scan_create(1, &rule, &s, NULL), TARE_OK);
    leak_scan_facts(s, &facts);
    assert_true(leak_scan_read(s, &out, bits));
    assert_word_of("outside", out.verdict, LEAK_INVALID, out.why, LEAK_WHY_OUTSIDE);
    leak_scan_destroy(s);
}

/* ---- growth ---- */

enum { SIZES = 5, PROCESSES = 12, BLOCKS = 60 };
static const double sizes[SIZES] = {0, 1, 16, 256, 4096};

struct growth_case {
    double slope;   /* ticks an element */
    double touched; /* what the touch of the largest leaves behind */
    double planted; /* NAN: no self-checks */
};

static void put_blocks(struct leak_growth *g, int kind, const struct growth_case *c, double machine, struct rng *r)
{
    int k = kind == LEAK_MAIN ? SIZES : 2;
    for (int b = 0; b < BLOCKS; b++) {
        int order[SIZES];
        uint8_t class[SIZES];
        uint32_t ticks[SIZES];
        for (int i = 0; i < k; i++)
            order[i] = i;
        rng_shuffle(r, order, k);
        for (int i = 0; i < k; i++) {
            double size = kind == LEAK_MAIN ? sizes[order[i]] : 1, t = (500 + c->slope * size) * machine + 10 * rng_normal(r);
            t += order[i] == k - 1 && kind != LEAK_SPIKE ? c->touched : 0;
            t += order[i] && kind == LEAK_SPIKE ? c->planted : 0;
            class[i] = (uint8_t)order[i];
            ticks[i] = (uint32_t)t;
        }
        assert_int_equal(kind == LEAK_MAIN ? leak_growth_blocks(g, k, 1, class, ticks, NULL)
                                           : leak_growth_checks(g, (enum leak_kind)kind, 1, class, ticks, NULL),
                         TARE_OK);
    }
}

static struct leak_growth_reading grow(const struct growth_case *c)
{
    struct leak_growth_rule rule = leak_growth_rule_default(sizes, SIZES);
    struct leak_growth *g;
    struct leak_growth_reading out;
    struct rng r = rng_seeded(9);
    struct leak_facts facts = leak_facts_none();
    facts.spike_ticks = 100;
    rule.bound_ticks = 100;
    assert_int_equal(leak_growth_create(&rule, &g, NULL), TARE_OK);
    for (int p = 0; p < PROCESSES; p++) {
        double machine = 1 + .02 * rng_normal(&r);
        put_blocks(g, LEAK_MAIN, c, machine, &r);
        if (!isnan(c->planted)) {
            put_blocks(g, LEAK_AA, c, machine, &r);
            put_blocks(g, LEAK_SPIKE, c, machine, &r);
        }
        leak_growth_facts(g, &facts);
        leak_growth_round(g);
    }
    leak_growth_read(g, &out);
    leak_growth_destroy(g);
    return out;
}

static void growth_is_bounded_only_when_its_checks_passed(void **state)
{
    (void)state;
    struct leak_growth_reading r = grow(&(struct growth_case){0, 0, 100});
    assert_word_of("sound", (int)r.verdict, LEAK_GROWTH_BOUNDED, r.why, LEAK_WHY_BOUNDED);
    assert_true(r.check.spike_found_after > 0 && !r.check.aa_fired && r.check.aa_blocks >= 50);
    assert_int_equal(r.processes, PROCESSES - 1); /* the warm-up took more of the first than it left: it goes with the next */
    r = grow(&(struct growth_case){0, 0, NAN});
    assert_word_of("no checks", (int)r.verdict, LEAK_GROWTH_UNDECIDED, r.why, LEAK_WHY_NO_SPIKE);
    r = grow(&(struct growth_case){0, 0, 0});
    assert_word_of("blind", (int)r.verdict, LEAK_GROWTH_INVALID, r.why, LEAK_WHY_BLIND);
    r = grow(&(struct growth_case){1, 0, 0});
    assert_word_of("blind, and grows", (int)r.verdict, LEAK_GROWTH_GROWS, r.why, LEAK_WHY_LARGER);
    r = grow(&(struct growth_case){1, 0, 100});
    assert_word_of("grows", (int)r.verdict, LEAK_GROWTH_GROWS, r.why, LEAK_WHY_LARGER);
}

static void growth_that_the_harness_makes_is_invalid(void **state)
{
    (void)state;
    struct leak_growth_reading r = grow(&(struct growth_case){0, 150, 100});
    assert_word_of("touch", (int)r.verdict, LEAK_GROWTH_INVALID, r.why, LEAK_WHY_AA);
    assert_true(r.growth_ticks.low > r.bound_ticks); /* and it would have been called growth */
    r = grow(&(struct growth_case){0, 20, 100});     /* it is there, and proven to be less than half of what is tolerated */
    assert_true(r.check.aa_fired && r.check.aa_ticks.high < 50);
    assert_word_of("small touch", (int)r.verdict, LEAK_GROWTH_BOUNDED, r.why, LEAK_WHY_BOUNDED);
}

/* ---- parts ---- */

/* At its ends the mixture's evidence against the mean is 1 / level. */
static void an_interval_over_processes_is_the_inverted_mixture(void **state)
{
    (void)state;
    const double d[8] = {3, 5, 4, 7, 2, 6, 5, 4}, g = 10, level = .01;
    struct leak_running r = {0, 0};
    for (int n = 1; n <= 8; n++) {
        double off = d[n - 1] - r.mean;
        r.mean += off / n;
        r.m2 += off * (d[n - 1] - r.mean);
        struct tare_interval x = leak_over_processes(&r, n, level);
        if (!isfinite(x.high)) {
            assert_true(n < 5);
            continue;
        }
        double s = sqrt(r.m2 / (n - 1)), t = (x.high - r.mean) / (s / sqrt(n)), nu = n - 1;
        double log_e = -.5 * log1p(n * g) + n / 2. * log((1 + t * t / nu) / (1 + t * t / (nu * (1 + n * g))));
        assert_near("evidence at the end", log_e, -log(level), 1e-9);
        assert_near("symmetric", r.mean - x.low, x.high - r.mean, 1e-12);
    }
    assert_true(isfinite(leak_over_processes(&r, 8, level).low));
}

static void a_bounded_answer_wants_so_many_processes_that_a_quarter_of_them_was_met(void **state)
{
    (void)state;
    const double confidence[] = {.2, .5, .9, .95, .99, .999, 1 - 1e-9};
    for (size_t i = 0; i < sizeof confidence / sizeof *confidence; i++) {
        int64_t n = leak_least_processes(confidence[i]);
        assert_true(pow(.75, (double)n) <= 1 - confidence[i] && pow(.75, (double)(n - 1)) > 1 - confidence[i]);
    }
    assert_int_equal(leak_least_processes(.99), 17);
}

static void processes_that_are_missing_are_those_at_which_the_interval_fits(void **state)
{
    (void)state;
    const double level = .01 / 6, now = leak_over_processes(&(struct leak_running){0, 19}, 20, level).high,
                 then = leak_over_processes(&(struct leak_running){0, 39}, 40, level).high;
    assert_near("twice as many", leak_processes_at_radius(20, now, then, 0, 17, level), 40, 0);
    assert_near("off by as much as the rest", leak_processes_at_radius(20, now, then + .8 / sqrt(40), .8, 17, level), 40, 0);
    assert_near("enough", leak_processes_at_radius(20, now, 2 * now, 0, 17, level), 20, 0);
    assert_near("small enough, and too few", leak_processes_at_radius(6, 1e-9, now, 0, 17, level), 17, 0);
    assert_near("no interval yet", leak_processes_at_radius(3, INFINITY, now, 0, 17, level), 17, 0);
    assert_true(isinf(leak_processes_at_radius(20, now, 0, 0, 17, level)));
    assert_true(isinf(leak_processes_at_radius(20, now, 1e-6, 0, 17, level)));
}

/* The average over the grid at the root, by its definition. */
static void a_radius_is_the_root_of_the_mixture(void **state)
{
    (void)state;
    const double vs[4] = {0, 3, 500, 4e6}, level = .002, c = 2.5;
    for (int i = 0; i < 4; i++) {
        double u = leak_bernstein_radius(vs[i], c, level), sum = 0, l = .8 / c;
        for (int k = 0; k < 16; k++, l /= 2)
            sum += exp(l * u - (-log1p(-c * l) - c * l) / c / c * vs[i]) / 16;
        assert_near("average", log(sum), log(2 / level), 1e-6);
    }
    /* about sqrt(2 V ln(2 K / level)), not more than a fifth above */
    double u = leak_bernstein_radius(1e6, 1, .01), least = sqrt(2e6 * log(2 / .01));
    assert_true(u > least && u < 1.35 * least);
}

static void the_best_length_of_stretches_is_read(void **state)
{
    (void)state;
    struct leak_power p = {{0}, {0}};
    struct leak_selfcheck c = {.power_blocks = 7};
    leak_power_read(&p, 100000, .01, &c);
    assert_true(isnan(c.power.point) && c.power_stretches == 0);
    for (int i = 0; i < 40; i++) { /* of 64 blocks 10 of 40, of 128 19 of 20, of 256 10 of 10 */
        leak_power_note(&p, 0, i % 4 == 0);
        if (i < 20)
            leak_power_note(&p, 1, i > 0);
        if (i < 10)
            leak_power_note(&p, 2, true);
    }
    leak_power_read(&p, 100000, .01, &c);
    struct tare_interval wanted;
    tare_binomial_ci_clopper_pearson(19, 20, .01 / LEAK_POWER_LEVELS, &wanted);
    assert_true(c.power_blocks == 128 && c.power_stretches == 20 && c.power_found == 19);
    assert_near("low", c.power.low, wanted.low, 0);
    leak_power_read(&p, 127, .01, &c); /* the question had no more than that */
    assert_true(c.power_blocks == 64 && c.power_found == 10);
    leak_power_read(&p, 63, .01, &c);
    assert_true(isnan(c.power.point));
}

/* Of processes that planted other sizes: each counts by its blocks, and one that does not say what it planted not at all. */
static void what_was_planted_is_the_mean_over_processes(void **state)
{
    (void)state;
    struct leak_rule rule = leak_rule_default(2);
    struct leak_tally none = {0};
    struct leak_test_set aa = {.rule = &rule, .tally = &none}, spike = {.rule = &rule, .tally = &none};
    struct injected_delay s;
    struct leak_selfcheck check;
    injected_delay_start(&s);
    s.sought.found_after = 50;
    s.sought.blocks = 100;
    injected_delay_end_process(&s, &spike, 2);
    injected_delay_end_process(&s, &spike, 1000); /* without a block */
    s.sought.blocks += 500;
    injected_delay_end_process(&s, &spike, NAN);
    s.sought.blocks += 300;
    injected_delay_end_process(&s, &spike, 6);
    leak_selfcheck_read(&aa, &s, 6, 0, &check);
    assert_near("planted", check.spike_planted_ticks, (2 + 6) / 2., 1e-12);
    s.sought.blocks += 10;
    injected_delay_end_process(&s, &spike, -300); /* one that is off */
    leak_selfcheck_read(&aa, &s, 6, 0, &check);
    assert_near("planted, with one that is off", check.spike_planted_ticks, 2, 1e-12);
    injected_delay_start(&s);
    leak_selfcheck_read(&aa, &s, 7, 0, &check);
    assert_near("as told", check.spike_planted_ticks, 7, 0);
}

/* Tallies of two stretches are that of both. */
static void tallies_add_up(void **state)
{
    (void)state;
    struct leak_rule rule = leak_rule_default(2);
    struct leak_test_set b;
    struct leak_tally half[2] = {0}, whole = {0};
    struct rng r = rng_seeded(21);
    double *scratch = malloc(LEAK_SAMPLE_TIMES * sizeof *scratch), two[2];
    assert_non_null(scratch);
    assert_int_equal(leak_test_set_start(&b, &rule, 2, 200, scratch, false), TARE_OK);
    for (int i = 0; i < 700; i++) {
        two[0] = 100 + 10 * rng_normal(&r);
        two[1] = 103 + 12 * rng_normal(&r);
        int n = i - 199, side = n > 300;
        if (n > 0) { /* before the limits move with this block */
            leak_tally_note(&b, &whole, n, two);
            leak_tally_note(&b, &half[side], side ? n - 300 : n, two);
        }
        leak_test_set_add(&b, two);
    }
    leak_tally_merge(&half[0], 300, &half[1], 200);
    assert_near("evidence", leak_tally_log_e(&b, &half[0], 500), leak_tally_log_e(&b, &whole, 500), 1e-9);
    assert_near("evidence of the battery", leak_tally_log_e(&b, &whole, 500), leak_pair_log_e(&b, 0), 1e-9);
    leak_test_set_finish(&b);
    free(scratch);
}

static void a_step_in_the_level_is_seen_where_it_is(void **state)
{
    (void)state;
    double means[40];
    int at;
    struct rng r = rng_seeded(2);
    for (int i = 0; i < 40; i++)
        means[i] = 100 + rng_normal(&r) + (i >= 25 ? 4 : 0);
    assert_true(leak_cusum(means, 40, &at) > 1.63);
    assert_true(at >= 24 && at <= 26);
    assert_true(isnan(leak_cusum(means, LEAK_DRIFT_LEAST - 1, &at)));
    for (int i = 0; i < 40; i++)
        means[i] = 7;
    assert_true(isnan(leak_cusum(means, 40, &at)));
    struct leak_levels l = {0};
    struct leak_selfcheck c;
    for (int p = 0; p < 1000; p++) { /* more processes than there is room for: neighbours become one */
        for (int i = 0; i < 10; i++)
            leak_levels_add(&l, (double[]){(p < 300 ? 10 : 12) + rng_normal(&r) / 10}, 1);
        leak_levels_round(&l);
    }
    leak_levels_read(&l, 1, &c);
    assert_true(l.n <= LEAK_EPOCHS_MAX && c.drift_cusum > 1.63 && llabs(c.drift_after - 3000) <= 80);
    assert_near("share", leak_drift_share(&c, 0), 2 / 11.4, .05);
}

/* A mean that is shown is without the empty bracket, and so is what the drift is a share of. */
static void a_drift_is_a_share_of_the_time_without_the_overhead(void **state)
{
    (void)state;
    for (int overhead = 0; overhead <= 100; overhead += 50) {
        struct leak_levels l = {0};
        struct leak_selfcheck c;
        for (int p = 0; p < 2; p++) {
            leak_levels_add(&l, (double[]){overhead + 9 + 2 * p}, 1);
            leak_levels_round(&l);
        }
        leak_levels_read(&l, 1, &c);
        assert_near("share", leak_drift_share(&c, overhead), .2, 1e-9);
        assert_true(isnan(leak_drift_share(&c, overhead + 10)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scan_says_no_leak_only_when_its_checks_passed),
        cmocka_unit_test(a_scan_whose_inputs_leak_by_their_making_is_invalid),
        cmocka_unit_test(a_scan_that_leaks_is_a_leak_and_its_class_against_itself_is_quiet),
        cmocka_unit_test(a_blind_scan_is_invalid),
        cmocka_unit_test(two_processes_do_not_make_a_scan_plant_anew),
        cmocka_unit_test(a_scan_plants_a_hidden_delay_anew),
        cmocka_unit_test(a_scan_that_drifts_says_so_and_finds_no_leak_in_it),
        cmocka_unit_test(what_a_process_says_spoils_a_scan),
        cmocka_unit_test(growth_is_bounded_only_when_its_checks_passed),
        cmocka_unit_test(growth_that_the_harness_makes_is_invalid),
        cmocka_unit_test(an_interval_over_processes_is_the_inverted_mixture),
        cmocka_unit_test(a_bounded_answer_wants_so_many_processes_that_a_quarter_of_them_was_met),
        cmocka_unit_test(processes_that_are_missing_are_those_at_which_the_interval_fits),
        cmocka_unit_test(a_radius_is_the_root_of_the_mixture),
        cmocka_unit_test(the_best_length_of_stretches_is_read),
        cmocka_unit_test(what_was_planted_is_the_mean_over_processes),
        cmocka_unit_test(tallies_add_up),
        cmocka_unit_test(a_step_in_the_level_is_seen_where_it_is),
        cmocka_unit_test(a_drift_is_a_share_of_the_time_without_the_overhead),
    };
    return cmocka_run_group_tests_name("self-checks of scans and growth", tests, NULL, NULL);
}
