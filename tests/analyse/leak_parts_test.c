/* SPDX-License-Identifier: MIT
 *
 * The parts of the leak engine, one by one, against what a slow and plain computation gives.
 */
#include "leak_bits.h"
#include "leak_core.h"
#include "leak_judges.h"
#include "leak_test.h"
#include "leak_worlds.h"
#include "rng_normal.h"

/* ---- samples and limits ---- */

static void a_sample_keeps_blocks_that_are_evenly_spread(void **state)
{
    (void)state;
    struct leak_sample s;
    assert_int_equal(leak_sample_start(&s, 2, 8), TARE_OK);
    for (int i = 0; i < 100; i++) {
        double block[2] = {i, 1000 + i};
        leak_sample_add(&s, block);
    }
    assert_int_equal(s.stride, 16);
    assert_int_equal(s.n, 7); /* 0, 16 .. 96 */
    for (int i = 0; i < s.n; i++) {
        assert_near("first", s.ticks[2 * i], 16 * i, 0);
        assert_near("second", s.ticks[2 * i + 1], 1000 + 16 * i, 0);
    }
    leak_sample_finish(&s);
}

static struct leak_limits limits_of(const double *ticks, int n)
{
    struct leak_sample s;
    struct leak_limits l;
    double *scratch = malloc(LEAK_SAMPLE_TIMES * sizeof *scratch);
    assert_non_null(scratch);
    assert_int_equal(leak_sample_start(&s, 1, n), TARE_OK);
    for (int i = 0; i < n; i++)
        leak_sample_add(&s, ticks + i);
    leak_limits_set(&l, &s, &(struct leak_rule){.classes = 2}, scratch);
    leak_sample_finish(&s);
    free(scratch);
    return l;
}

static void limits_are_order_statistics(void **state)
{
    (void)state;
    double x[100];
    for (int i = 0; i < 100; i++)
        x[i] = (i * 37) % 100 + 1; /* 1..100, shuffled */
    struct leak_limits l = limits_of(x, 100);
    assert_near("5 %", l.at[0], 5, 0);
    assert_near("50 %", l.at[9], 50, 0);
    assert_near("99.8 %", l.at[LEAK_LIMITS - 1], 100, 0);
    assert_near("clip 90 %", l.clip[1], 90, 0);
    assert_near("least", l.low, 1, 0);
    assert_near("distance 50 %", l.spread_at[0], 25, 0); /* distances from 50: 0, 1, 1 .. 49, 49, 50 */
}

static void the_place_among_limits_is_what_counting_gives(void **state)
{
    (void)state;
    struct rng r = rng_seeded(5);
    double x[300];
    for (int i = 0; i < 300; i++)
        x[i] = (double)rng_below(&r, i % 2 ? 40 : 4000); /* limits that coincide, too */
    struct leak_limits l = limits_of(x, 300);
    for (int i = -1; i < 4002; i++) {
        int counted = 0;
        for (int k = 0; k < LEAK_LIMITS; k++)
            counted += l.at[k] < i;
        if (leak_limits_below(&l, i) != counted)
            fail_msg("%d: got %d, counted %d", i, leak_limits_below(&l, i), counted);
    }
}

static void clipping_is_from_both_sides(void **state)
{
    (void)state;
    double x[10] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 100};
    struct leak_limits l = limits_of(x, 10);
    assert_near("above", leak_clipped(&l, 1, 50), 18, 0);
    assert_near("below", leak_clipped(&l, 1, 3), 10, 0);
    assert_near("inside", leak_clipped(&l, 1, 14), 14, 0);
    assert_near("not at all", leak_clipped(&l, LEAK_CLIPS - 1, 3), 3, 0);
}

/* ---- histogram ---- */

static void quantiles_of_ties_lie_at_the_middle_of_their_share(void **state)
{
    (void)state;
    struct leak_histogram h;
    assert_int_equal(leak_histogram_start(&h), TARE_OK);
    assert_true(isnan(leak_histogram_quantile(&h, 0, .5)));
    for (int i = 0; i < 8; i++)
        leak_histogram_add(&h, 100, i < 2 ? 110 : i < 6 ? 120 : 130); /* 2, 4, 2: middles at 1/8, 1/2, 7/8 */
    assert_near("middle", leak_histogram_quantile(&h, 100, .5), 120, 1e-12);
    assert_near("between", leak_histogram_quantile(&h, 100, 5. / 16), 115, 1e-12);
    assert_near("low end", leak_histogram_quantile(&h, 100, .01), 110, 0);
    assert_near("high end", leak_histogram_quantile(&h, 100, 1), 130, 0);
    assert_true(isnan(leak_histogram_quantile(&h, 100, 1.01)));
    leak_histogram_finish(&h);
}

static void bins_are_narrow_beside_their_distance_from_the_base(void **state)
{
    (void)state;
    for (double d = 0; d < 4.2e9; d = d * 1.37 + 1) {
        struct leak_histogram h;
        double t = 1000 + floor(d);
        assert_int_equal(leak_histogram_start(&h), TARE_OK);
        leak_histogram_add(&h, 1000, t);
        double at = leak_histogram_quantile(&h, 1000, .5);
        if (fabs(at - t) > floor(d) / 256 + (d < 256 ? 0 : .5))
            fail_msg("%.0f is shown as %.1f", t, at);
        leak_histogram_finish(&h);
    }
}

static void shares_below_count_what_is_at_or_below(void **state)
{
    (void)state;
    struct leak_histogram h;
    const double x[5] = {99, 110, 119, 120, 1e6};
    double share[5];
    assert_int_equal(leak_histogram_start(&h), TARE_OK);
    leak_histogram_add(&h, 100, 90); /* below the base */
    leak_histogram_add(&h, 100, 110);
    leak_histogram_add(&h, 100, 120);
    leak_histogram_add(&h, 100, 5000);
    leak_histogram_below(&h, 100, x, 5, share);
    const double wanted[5] = {.25, .5, .5, .75, 1};
    for (int i = 0; i < 5; i++)
        assert_near("share", share[i], wanted[i], 0);
    leak_histogram_finish(&h);
}

/* ---- evidence ---- */

enum { PLAIN_BLOCKS = 900, PLAIN_WARMUP = 1000 };

static double plain_mean(const struct leak_test_set *b, double (*t)[3], int clip, int first, int second)
{
    double s = 0, v = 0;
    for (int i = PLAIN_WARMUP; i < PLAIN_WARMUP + PLAIN_BLOCKS; i++) {
        double d = leak_clipped(&b->first, clip, t[i][second]) - leak_clipped(&b->first, clip, t[i][first]);
        s += d;
        v += d * d;
    }
    return tare_log_e_symmetric(s, v, b->mean_scale[clip]);
}

static double plain_coin(const struct leak_test_set *b, double (*t)[3], int limit, int first, int second)
{
    int only[2] = {0, 0};
    for (int i = PLAIN_WARMUP; i < PLAIN_WARMUP + PLAIN_BLOCKS; i++) {
        bool a = t[i][first] <= b->first.at[limit], c = t[i][second] <= b->first.at[limit];
        only[0] += a && !c;
        only[1] += c && !a;
    }
    return tare_log_e_coin(only[0], only[1]);
}

/* As long as the limits have not moved, which they do first at the length of the warm-up. */
static void evidence_is_what_the_formulas_give_on_the_raw_blocks(void **state)
{
    (void)state;
    static double t[PLAIN_WARMUP + PLAIN_BLOCKS][3];
    struct leak_rule rule = leak_rule_default(3);
    struct leak_test_set b;
    struct rng r = rng_seeded(17);
    double *scratch = malloc(LEAK_SAMPLE_TIMES * sizeof *scratch);
    assert_non_null(scratch);
    assert_int_equal(leak_test_set_start(&b, &rule, 3, PLAIN_WARMUP, scratch, false), TARE_OK);
    for (int i = 0; i < PLAIN_WARMUP + PLAIN_BLOCKS; i++) {
        for (int c = 0; c < 3; c++)
            t[i][c] = floor(1000 + 4 * c + 30 * rng_normal(&r));
        leak_test_set_add(&b, t[i]);
    }
    for (int first = 0, pair = 0; first < 3; first++)
        for (int second = first + 1; second < 3; second++, pair++) {
            struct leak_component c[LEAK_COMPONENTS];
            int n = leak_components(&b, pair, c);
            assert_int_equal(n, LEAK_COMPONENTS);
            for (int i = 0; i < LEAK_LIMITS; i++)
                assert_near("mcnemar", c[i].log_e, plain_coin(&b, t, i, first, second), 1e-12);
            for (int i = 0; i < LEAK_CLIPS; i++)
                assert_near("mean", c[LEAK_LIMITS + 1 + i].log_e, plain_mean(&b, t, i, first, second), 1e-9);
        }
    leak_test_set_look(&b);
    assert_int_equal(b.worst, 1); /* the first and the last class */
    leak_test_set_finish(&b);
    free(scratch);
}

/* ---- sizes ---- */

static void exact_shares_have_the_radius_of_their_counts(void **state)
{
    (void)state;
    struct tare_interval x = leak_ternary(130, 70, 1000, 1, .01, true);
    double radius = leak_bernstein_radius(200, 1, .01) / 1000;
    assert_near("point", x.point, .06, 1e-12);
    assert_near("low", x.low, .06 - radius, 1e-12);
    assert_near("high", x.high, .06 + radius, 1e-12);
    x = leak_ternary(0, 0, 1000, 1, .01, true);
    assert_near("nothing seen, point", x.point, 0, 0);
    assert_true(x.low < 0 && x.low > -.05 && x.high > 0 && x.high < .05);
    x = leak_ternary(2, 0, 2, 1, .01, true);
    assert_true(x.low == -1 && x.high == 1);
}

static void asymptotic_shares_never_claim_to_know_all(void **state)
{
    (void)state;
    struct tare_interval x = leak_ternary(0, 0, 1000, 1000, .01, false);
    assert_true(x.low < 0 && x.high > 0);
    x = leak_ternary(600, 400, 1000, 1000, .01, false);
    struct tare_interval wanted;
    double square = 1002. / 1002;
    tare_mean_cs_asymptotic(.2, sqrt(square - .04 * 1000 / 1002), 1000, 1000, .01, &wanted);
    assert_near("low", x.low, wanted.low, 1e-12);
    assert_near("high", x.high, wanted.high, 1e-12);
    x = leak_ternary(1, 0, 1, 1000, .01, false);
    assert_near("too few, low", x.low, -1, 0);
}

static void a_shift_shows_at_every_quantile(void **state)
{
    (void)state;
    struct leak_histogram h[2];
    struct leak_rule rule = leak_rule_default(2);
    struct rng r = rng_seeded(3);
    for (int i = 0; i < 2; i++)
        assert_int_equal(leak_histogram_start(&h[i]), TARE_OK);
    for (int i = 0; i < 200000; i++)
        for (int c = 0; c < 2; c++)
            leak_histogram_add(&h[c], 800, floor(1000 + 12 * c + 20 * rng_normal(&r)));
    struct leak_shift shift[LEAK_SHIFTS];
    leak_shift_function(&h[0], &h[1], 800, &rule, shift);
    for (int i = 0; i < LEAK_SHIFTS; i++) {
        assert_near("shift", shift[i].ticks.point, 12, shift[i].q < .99 ? .03 : .2);
        assert_true(shift[i].ticks.low <= 12 && 12 <= shift[i].ticks.high);
        assert_true(shift[i].q > .9 || (shift[i].ticks.low > 10 && shift[i].ticks.high < 14));
    }
    struct leak_ecdf_point ecdf[LEAK_ECDF_POINTS];
    int n = leak_ecdf(&h[0], &h[1], 800, &rule, ecdf);
    assert_true(n > 50);
    for (int i = 0; i < n; i++) {
        double truth = tare_normal_cdf((ecdf[i].ticks + 1 - 1012) / 20) - tare_normal_cdf((ecdf[i].ticks + 1 - 1000) / 20);
        assert_near("ecdf difference", ecdf[i].difference.point, truth, .006);
        assert_true(ecdf[i].difference.low <= truth && truth <= ecdf[i].difference.high);
        assert_true(i == 0 || ecdf[i].ticks > ecdf[i - 1].ticks);
    }
    for (int i = 0; i < 2; i++)
        leak_histogram_finish(&h[i]);
}

/* ---- sizes of bits ---- */

struct plain_calls { /* of a process, or of several that go together */
    int n;
    double ones[4000], set[4000], v[4000];
};

/* Sum of (x - mean x)(y - mean y) over n - 1, by two passes. */
static double plain_covariance(const double *x, const double *y, int n)
{
    double mean_x = 0, mean_y = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    for (int i = 0; i < n; i++)
        sum += (x[i] - mean_x) * (y[i] - mean_y);
    return sum / (n - 1);
}

static void call_of_a_process(struct leak_sheet *s, struct plain_calls *p, struct rng *r, double level, double effect)
{
    double v[SHEET_FEELERS];
    uint8_t secret = (uint8_t)rng_below(r, 256);
    double t = level + (secret & 4 ? effect : 0) + (double)rng_below(r, 9);
    if (s->warm) { /* before the limits move with this call */
        leak_sheet_scores(s, t, v);
        p->v[p->n] = v[SHEET_MEANS - 1];
        p->set[p->n] = secret >> 2 & 1;
        p->ones[p->n] = 0;
        for (int b = 0; b < 8; b++)
            p->ones[p->n] += secret >> b & 1;
        p->n++;
    }
    leak_sheet_call(s, &secret, t);
}

static void assert_over(const char *what, const struct leak_running *over, const double *b, int n)
{
    double mean = 0, m2 = 0;
    for (int i = 0; i < n; i++)
        mean += b[i] / n;
    for (int i = 0; i < n; i++)
        m2 += (b[i] - mean) * (b[i] - mean);
    assert_near(what, over->mean, mean, 1e-9);
    assert_near(what, over->m2, m2, 1e-9);
}

/* ---- processes ---- */

/* The warm-up of 500 takes most of the first process, the fifth is too short, and so is the last: each goes with the next. */
enum { PROCESSES = 9, FIRST_WARMUP = 500 };
static const int calls[PROCESSES] = {600, 300, 300, 300, 100, 300, 180, 200, 20},
                 counted[PROCESSES] = {0, 1, 2, 3, 3, 4, 5, 6, 6};

static void a_size_of_a_bit_is_over_processes_of_about_equal_weight(void **state)
{
    (void)state;
    static struct plain_calls plain;
    struct leak_rule rule = leak_rule_default(2);
    struct leak_bit_sizes z;
    struct leak_sheet s;
    struct rng r = rng_seeded(21);
    double *scratch = malloc(LEAK_SAMPLE_TIMES * sizeof *scratch), bit[PROCESSES], weight[PROCESSES];
    assert_true(scratch && leak_sheet_start(&s, 1, &rule, FIRST_WARMUP, scratch) && leak_bit_sizes_start(&z, 8));
    assert_true(isnan(leak_bit_sizes_read(&z, &s, 2, .01).point));
    for (int p = 0; p < PROCESSES; p++) {
        double effect = 20 * rng_normal(&r), level = 1000 + 50 * rng_normal(&r);
        for (int i = 0; i < calls[p]; i++)
            call_of_a_process(&s, &plain, &r, level, effect);
        leak_bit_sizes_end_process(&z, &s);
        assert_int_equal(z.processes, counted[p]);
        if (counted[p] == (p ? counted[p - 1] : 0))
            continue;
        bit[z.processes - 1] = 4 * plain_covariance(plain.set, plain.v, plain.n);
        weight[z.processes - 1] = plain_covariance(plain.ones, plain.v, plain.n) / 2; /* 8 bits: a variance of 2 */
        plain.n = 0;
        assert_over("bit", &z.of[2].over, bit, (int)z.processes);
        assert_over("weight", &z.of[8].over, weight, (int)z.processes);
    }
    assert_int_equal(plain.n, 20);
    assert_near("read", leak_bit_sizes_read(&z, &s, 2, .01).point, z.of[2].over.mean, 0);
    leak_bit_sizes_finish(&z);
    leak_sheet_finish(&s);
    free(scratch);
}

struct plain_blocks { /* of a process, or of several that go together */
    int n, since;     /* since: limits began anew, if they did */
    bool anew;
    double difference, sign; /* sums; the latter at the median */
};

static void forget_blocks(struct plain_blocks *p)
{
    p->n = 0;
    p->difference = p->sign = 0;
}

/* What comes before a process's own limits is in no size. */
static void end_of_a_process(struct plain_blocks *p)
{
    if (p->since < 100)
        return;
    p->anew = true;
    p->since = 0;
}

static void block_of_a_process(struct leak_test_set *b, struct plain_blocks *p, struct rng *r, double level, double effect)
{
    double two[2] = {level + (double)rng_below(r, 40), level + effect + (double)rng_below(r, 40)};
    if (b->warm) { /* before the limits move with this block */
        const double limit = b->limits.at[9];
        p->difference += two[1] - two[0];
        p->sign += (two[1] <= limit) - (two[0] <= limit);
        p->n++;
        if (++p->since == 50 && p->anew)
            forget_blocks(p);
    }
    leak_test_set_add(b, two);
}

static void a_size_of_a_pair_is_over_processes_of_about_equal_weight(void **state)
{
    (void)state;
    enum { UNCLIPPED = LEAK_CLIPS - 1, MEDIAN = 9 };
    struct leak_rule rule = leak_rule_default(2);
    struct leak_test_set b;
    struct plain_blocks plain = {0};
    struct rng r = rng_seeded(22);
    double *scratch = malloc(LEAK_SAMPLE_TIMES * sizeof *scratch), difference[PROCESSES], sign[PROCESSES];
    assert_true(scratch && leak_test_set_start(&b, &rule, 2, FIRST_WARMUP, scratch, true) == TARE_OK);
    const struct leak_over_pair *over = &b.over.pair[0];
    assert_true(isnan(leak_over_interval(&b.over, &over->sign[MEDIAN], 1, .01).point));
    for (int p = 0; p < PROCESSES; p++) {
        double effect = 20 * rng_normal(&r), level = 1000 + 50 * rng_normal(&r);
        for (int i = 0; i < calls[p]; i++)
            block_of_a_process(&b, &plain, &r, level, effect);
        leak_test_set_round(&b);
        end_of_a_process(&plain);
        assert_int_equal(b.over.processes, counted[p]);
        if (counted[p] == (p ? counted[p - 1] : 0))
            continue;
        difference[counted[p] - 1] = plain.difference / plain.n;
        sign[counted[p] - 1] = plain.sign / plain.n;
        forget_blocks(&plain);
        assert_over("difference", &over->clipped[UNCLIPPED], difference, counted[p]);
        assert_over("sign", &over->sign[MEDIAN], sign, counted[p]);
    }
    assert_int_equal(plain.n, 20);
    leak_test_set_finish(&b);
    free(scratch);
}

/* Median that the battery holds blocks against, after so many at a level. */
static double median_after(struct leak_test_set *b, struct rng *r, int blocks, double level)
{
    for (int i = 0; i < blocks; i++) {
        double two[2] = {level + (double)rng_below(r, 40), level + (double)rng_below(r, 40)};
        leak_test_set_add(b, two);
    }
    return b->limits.at[9];
}

static void limits_begin_anew_in_each_process_that_has_blocks_enough(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        struct leak_rule rule = leak_rule_default(2);
        struct leak_test_set b;
        struct rng r = rng_seeded(23);
        double *scratch = malloc(LEAK_SAMPLE_TIMES * sizeof *scratch);
        rule.exact = exact;
        assert_true(scratch && leak_test_set_start(&b, &rule, 2, FIRST_WARMUP, scratch, true) == TARE_OK);
        assert_near("first", median_after(&b, &r, FIRST_WARMUP + 300, 1000), 1020, .01);
        leak_test_set_round(&b);
        assert_near("of the one before", median_after(&b, &r, LEAK_MOVE_LEAST - 1, 5000), 1020, .01);
        assert_near("its own", median_after(&b, &r, 1, 5000), exact ? 1020 : 5020, .01);
        assert_near("and again", median_after(&b, &r, 10, 6000), exact ? 1020 : 5020, .01);
        leak_test_set_round(&b); /* of 60 blocks: too few */
        assert_near("still", median_after(&b, &r, 39, 9000), exact ? 1020 : 5020, .01);
        assert_near("behind 100 of both", median_after(&b, &r, 1, 9000), exact ? 1020 : 9020, .01);
        leak_test_set_finish(&b);
        free(scratch);
    }
}

/* Two blocks more, one each way, by their range: the variance of the mean is larger by twice the square of range / blocks. */
static void an_interval_over_processes_allows_for_blocks_that_have_not_come(void **state)
{
    (void)state;
    const struct leak_over over = {.processes = 20, .blocks = 1000};
    const struct leak_running r = {7, 19 * 4};
    const struct tare_interval plain = leak_over_processes(&r, 20, .01), careful = leak_over_interval(&over, &r, 500, .01);
    double variance = 4. / 20, more = 2 * (500. / 1000) * (500. / 1000);
    assert_near("none", leak_over_interval(&over, &r, 0, .01).high, plain.high, 0);
    assert_near("more", (careful.high - 7) / (plain.high - 7), sqrt((variance + more) / variance), 1e-12);
    assert_near("as much below", careful.high - 7, 7 - careful.low, 1e-12);
}

/* A process of the target, of a block of two calls, and what a judge that took an unchanged one says of it. */
static enum tare_status taken_after(const struct wire_clock *clock, const struct wire_target *target, struct tare_err *err)
{
    static const struct wire_clock first_clock = {.name = "tsc", .hz = 2e9};
    static const struct wire_target first = {
        .name = "memcmp", .input_bytes = 16, .secret_bytes = 8, .n_classes = 2, .classes = {"equal", "random"}};
    static const uint8_t class[] = {0, 1};
    static const uint32_t ticks[] = {100, 101};
    struct record r;
    struct arena arena = {0};
    struct leak_judges all;
    record_init(&r);
    r.rule = (struct rule){.method = METHOD_ANYTIME,
                           .confidence = .99,
                           .margin = 5,
                           .margin_unit = "ns",
                           .leaks = {.kind = "pairs", .cache = "warm", .alpha = 1e-5, .advantage = .01}};
    assert_int_equal(record_add_subject(&r, &(struct subject){.kind = SUBJECT_LEAK, .name = "memcmp", .reference = -1}, NULL, 0),
                     0);
    assert_int_equal(leak_judges_open(&all, &r, &arena, err), TARE_OK);
    enum tare_status status = TARE_OK;
    for (int i = 0; i < 2 && !status; i++) {
        struct leak_report report;
        struct buf b = BUF_INIT(1 << 16);
        wire_put_hello(&b, &(struct wire_hello){.version = WIRE_VERSION, .targets = 1});
        wire_put_clock(&b, i && clock ? clock : &first_clock);
        wire_put_target(&b, i && target ? target : &first);
        wire_put_blocks(&b, &(struct wire_blocks){.kind = WIRE_MAIN, .k = 2, .n = 1, .repeat = 1}, class, ticks);
        wire_put_target_end(&b, &(struct wire_target_end){.repeat = 1, .calls = 2, .elapsed_ns = 1000});
        wire_put_bye(&b, &(struct wire_bye){.benchmarks = 1});
        leak_read(b.data, b.len, "memcmp", INFINITY, &report);
        assert_string_equal(report.trouble, "");
        status = leak_judge_take(all.of[0], &report, err);
        buf_finish(&b);
    }
    leak_judges_close(&all);
    record_finish(&r);
    arena_finish(&arena);
    return status;
}

/* The further time of an undecided target, whose four processes of 60 ms begin so far from each other; `before`: so many a quarter of an hour before this session. */
static double seconds_needed(int64_t apart_ns, int before)
{
    enum { BLOCKS = 500, FOUR = 4 };
    static uint8_t class[2 * BLOCKS];
    static uint32_t ticks[2 * BLOCKS];
    static const char *const columns[] = {"wall"};
    struct rng rng = rng_seeded(3);
    struct record r;
    struct arena arena = {0};
    struct leak_judges all;
    struct tare_err err;
    record_init(&r);
    r.rule = (struct rule){.method = METHOD_ANYTIME,
                           .confidence = .99,
                           .margin = 5,
                           .margin_unit = "ns",
                           .leaks = {.kind = "pairs", .cache = "warm", .alpha = 1e-5, .advantage = .01}};
    assert_int_equal(
        record_add_subject(&r, &(struct subject){.kind = SUBJECT_LEAK, .name = "memcmp", .reference = -1}, columns, 1), 0);
    assert_int_equal(leak_judges_open(&all, &r, &arena, &err), TARE_OK);
    for (int i = 0; i < FOUR; i++) {
        struct leak_report report;
        struct buf b = BUF_INIT(1 << 20);
        for (int k = 0; k < 2 * BLOCKS; k++) {
            class[k] = k % 2 ? !class[k - 1] : rng_below(&rng, 2);
            ticks[k] = 100 + (uint32_t)rng_below(&rng, 20);
        }
        wire_put_hello(&b, &(struct wire_hello){.version = WIRE_VERSION, .targets = 1});
        wire_put_clock(&b, &(struct wire_clock){.name = "tsc", .hz = 2e9});
        wire_put_target(
            &b, &(struct wire_target){
                    .name = "memcmp", .input_bytes = 16, .secret_bytes = 8, .n_classes = 2, .classes = {"equal", "random"}});
        wire_put_blocks(&b, &(struct wire_blocks){.kind = WIRE_MAIN, .k = 2, .n = BLOCKS, .repeat = 1}, class, ticks);
        wire_put_target_end(&b, &(struct wire_target_end){.repeat = 1, .calls = 2 * BLOCKS, .elapsed_ns = 60000000});
        wire_put_bye(&b, &(struct wire_bye){.benchmarks = 1});
        leak_read(b.data, b.len, "memcmp", INFINITY, &report);
        assert_string_equal(report.trouble, "");
        assert_int_equal(leak_judge_take(all.of[0], &report, &err), TARE_OK);
        const struct row row = {
            .round = i, .start_ns = i * apart_ns - (i < before ? 900000000000 : 0), .values = (double[]){6e7}};
        assert_int_equal(record_append_row(&r, 0, &row), TARE_OK);
        buf_finish(&b);
    }
    assert_int_equal(leak_judges_conclude(&all, &r, &err), TARE_OK);
    const struct leak_target *t = record_leak_target(&r, 0);
    assert_int_equal(t->verdict, VERDICT_UNDECIDED);
    const double seconds = t->seconds_needed;
    leak_judges_close(&all);
    record_finish(&r);
    arena_finish(&arena);
    return seconds;
}

static void further_time_has_the_analyses_between_processes(void **state)
{
    (void)state;
    const double without = seconds_needed(60000000, 0);
    assert_true(without > 0);
    assert_near("apart", seconds_needed(180000000, 0) / without, (3 * 180. + 60) / (4 * 60), 1e-9);
    assert_near("continued", seconds_needed(180000000, 2) / without, (180. + 60) / (2 * 60), 1e-9);
}

static void processes_with_another_clock_or_other_classes_do_not_count_together(void **state)
{
    (void)state;
    struct tare_err err;
    struct wire_target target = {
        .name = "memcmp", .input_bytes = 16, .secret_bytes = 8, .n_classes = 2, .classes = {"equal", "random"}};
    assert_int_equal(taken_after(NULL, &target, &err), TARE_OK);
    assert_int_equal(taken_after(&(struct wire_clock){.name = "tsc", .hz = 2.001e9}, NULL, &err), TARE_OK);
    assert_int_equal(taken_after(&(struct wire_clock){.name = "raw", .hz = 1e9}, NULL, &err), TARE_FORMAT);
    assert_string_equal(err.text,
                        "its clock is raw with 1000000000 ticks a second, and was tsc with 2000000000: choose one with --clock");
    assert_int_equal(taken_after(&(struct wire_clock){.name = "tsc", .hz = 3e9}, NULL, &err), TARE_FORMAT);
    target.classes[0] = "random";
    target.classes[1] = "equal";
    assert_int_equal(taken_after(NULL, &target, &err), TARE_FORMAT);
    target = (struct wire_target){
        .name = "memcmp", .input_bytes = 16, .secret_at = 8, .secret_bytes = 8, .n_classes = 2, .classes = {"equal", "random"}};
    assert_int_equal(taken_after(NULL, &target, &err), TARE_FORMAT);
}

/* The figures are those of the version that had --noise. */
static void a_question_keeps_its_hash_so_that_ledgers_keep_their_evidence(void **state)
{
    (void)state;
    struct subject subject = {.command = "f"};
    struct record r = {.subjects = &subject, .n_subjects = 1, .rule.leaks = {.kind = "pairs", .cache = "warm"}};
    const struct leak_target t = {.program_hash = "hash", .cpu = "cpu", .classes = "equal random"};
    assert_string_equal(leak_run_of(&r, &t, 1).question, "8a11fc5d2a191db6");
    r.rule.leaks.noise = true;
    assert_string_equal(leak_run_of(&r, &t, 1).question, "4c1e60c94d27b0c0");
}

/* ---- where processes ran ---- */

static void the_slowest_and_fastest_core_are_those_of_every_process_that_counts(void **state)
{
    (void)state;
    const double of[][3] = {{2, 1, 3}, {1, 3, 2}, {3, 2, 1}};
    for (int elsewhere = 0; elsewhere < 2; elsewhere++)
        for (int i = 0; i < 3; i++) {
            struct leak_over o;
            struct leak_tally none = {0};
            assert_int_equal(leak_over_start(&o, 1), TARE_OK);
            for (int k = 0; k < 3; k++) { /* the first two have no blocks that count and go with the third */
                leak_over_place(&o, elsewhere * k, of[i][k]);
                leak_over_round(&o, &none, 1, k < 2 ? 0 : 10, 0);
            }
            assert_int_equal(o.processes, 1);
            assert_near("slowest", o.cycles_low, 1, 0);
            assert_near("fastest", o.cycles_high, 3, 0);
            assert_near("mean", o.cycles, 2, 1e-12);
            leak_over_place(&o, 0, .5); /* of what follows nothing counts */
            leak_over_skip(&o, &none, 1, 20);
            leak_over_place(&o, 0, 2);
            leak_over_round(&o, &none, 1, 30, 0);
            assert_near("slowest", o.cycles_low, 1, 0);
            leak_over_finish(&o);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_and_fastest_core_are_those_of_every_process_that_counts),
        cmocka_unit_test(a_sample_keeps_blocks_that_are_evenly_spread),
        cmocka_unit_test(limits_are_order_statistics),
        cmocka_unit_test(the_place_among_limits_is_what_counting_gives),
        cmocka_unit_test(clipping_is_from_both_sides),
        cmocka_unit_test(quantiles_of_ties_lie_at_the_middle_of_their_share),
        cmocka_unit_test(bins_are_narrow_beside_their_distance_from_the_base),
        cmocka_unit_test(shares_below_count_what_is_at_or_below),
        cmocka_unit_test(evidence_is_what_the_formulas_give_on_the_raw_blocks),
        cmocka_unit_test(exact_shares_have_the_radius_of_their_counts),
        cmocka_unit_test(asymptotic_shares_never_claim_to_know_all),
        cmocka_unit_test(a_shift_shows_at_every_quantile),
        cmocka_unit_test(a_size_of_a_bit_is_over_processes_of_about_equal_weight),
        cmocka_unit_test(a_size_of_a_pair_is_over_processes_of_about_equal_weight),
        cmocka_unit_test(limits_begin_anew_in_each_process_that_has_blocks_enough),
        cmocka_unit_test(an_interval_over_processes_allows_for_blocks_that_have_not_come),
        cmocka_unit_test(processes_with_another_clock_or_other_classes_do_not_count_together),
        cmocka_unit_test(further_time_has_the_analyses_between_processes),
        cmocka_unit_test(a_question_keeps_its_hash_so_that_ledgers_keep_their_evidence),
    };
    return cmocka_run_group_tests_name("parts of the leak engine", tests, NULL, NULL);
}
