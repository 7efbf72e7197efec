/* SPDX-License-Identifier: MIT
 *
 * What self-checks, exact sequences and bands promise, counted over seeded simulated sessions that are looked at all the time. Marks are exact
 * binomial: an honest procedure would miss one of them in 1 of 10 000 such tests.
 */
#include "buf.h"
#include "leak_core.h"
#include "leak_test.h"
#include "leak_worlds.h"
#include "rng_normal.h"

static double scratch[LEAK_SAMPLE_TIMES];

/* ---- power ---- */

enum { LEVELS = 4 };
static const double planted = 4; /* of a standard deviation of 10: found in 512 blocks about every second time */

static void feed(struct leak_test_set *b, struct injected_delay *s, uint64_t seed, int blocks)
{
    struct leak_world w = leak_world_start(LEAK_WORLD_GAUSS, seed, planted);
    while (b->n < blocks) {
        uint8_t class[2];
        uint32_t ticks[2];
        double two[2];
        leak_world_blocks(&w, 1, class, ticks);
        for (int i = 0; i < 2; i++)
            two[class[i]] = ticks[i];
        if (s && b->warm)
            injected_delay_add(s, b, two);
        if (leak_test_set_add(b, two))
            leak_test_set_look(b);
    }
}

/* How often a question of n blocks, looked at all the time, says "leak". */
static double chance_of_questions(int n, int sessions)
{
    struct leak_rule rule = leak_rule_default(2);
    int found = 0;
    for (int i = 0; i < sessions; i++) {
        struct leak_test_set b;
        assert_int_equal(leak_test_set_start(&b, &rule, 2, 100, scratch, false), TARE_OK);
        feed(&b, NULL, (uint64_t)(700000 + i), n);
        found += b.most >= -log(rule.alpha);
        leak_test_set_finish(&b);
    }
    return (double)found / sessions;
}

static void the_measured_power_is_that_of_a_question(void **state)
{
    (void)state;
    enum { SESSIONS = 200, BLOCKS = 4096, QUESTIONS = 1500 };
    struct leak_rule rule = leak_rule_default(2);
    double truth[LEVELS], found[LEVELS] = {0}, had[LEVELS] = {0};
    int above = 0, few = 0;
    for (int k = 0; k < LEVELS; k++)
        truth[k] = chance_of_questions(LEAK_WINDOW << k, QUESTIONS);
    for (int i = 0; i < SESSIONS; i++) {
        struct leak_test_set b;
        static struct injected_delay s;
        struct leak_selfcheck c;
        assert_int_equal(leak_test_set_start(&b, &rule, 2, 100, scratch, false), TARE_OK);
        injected_delay_start(&s);
        feed(&b, &s, (uint64_t)(500000 + i), BLOCKS);
        for (int k = 0; k < LEVELS; k++) {
            found[k] += (double)s.sought.power.found[k];
            had[k] += (double)s.sought.power.had[k];
        }
        leak_power_read(&s.sought.power, LEAK_WINDOW << 3, 1 - rule.confidence, &c); /* of a question of 512 blocks */
        few += c.power_stretches < 1;
        above += c.power.low > truth[3] + .03; /* truth is known to that */
        leak_test_set_finish(&b);
    }
    for (int k = 0; k < LEVELS; k++) {
        print_message("             %5d blocks: a stretch finds it in %.3f, a question in %.3f\n", LEAK_WINDOW << k,
                      found[k] / had[k], truth[k]);
        assert_true(found[k] / had[k] <= truth[k] + .03); /* who looks more often finds more often */
        assert_true(found[k] / had[k] >= truth[k] - .12); /* and not by much */
    }
    assert_true(truth[3] > .2 && truth[3] < .9); /* else this says nothing */
    assert_int_equal(few, 0);
    assert_at_most("lower end above the power", "gauss", above, SESSIONS, .01);
}

/* A delay that is there as it was weighed, over processes: how often is it planted anew all the same? */
static void a_delay_that_shows_is_rarely_planted_anew(void **state)
{
    (void)state;
    enum { SESSIONS = 1000, PROCESSES = 10, BLOCKS = 200 };
    struct leak_rule rule = leak_rule_default(2);
    int anew = 0;
    for (int i = 0; i < SESSIONS; i++) {
        struct leak_test_set b;
        static struct injected_delay s;
        assert_int_equal(leak_test_set_start(&b, &rule, 2, 100, scratch, false), TARE_OK);
        injected_delay_start(&s);
        for (int process = 1; process <= PROCESSES; process++) {
            feed(&b, &s, (uint64_t)(900000 + PROCESSES * i + process), BLOCKS * process);
            injected_delay_look(&s, &b);
            injected_delay_end_process(&s, &b, planted * LEAK_WORLD_UNIT);
        }
        anew += s.sought.replanted > 0;
        leak_test_set_finish(&b);
    }
    assert_at_most("planted anew", "gauss", anew, SESSIONS, .01);
}

/* ---- exact sequences, whatever moves ---- */

static double conditional_mean(int kind, int64_t i)
{
    return kind == 0 ? .3 : kind == 1 ? .9 * sin((double)i / 300) : i < 1000 ? -.8 : .8;
}

static void exact_sequences_hold_the_mean_so_far_whatever_moves(void **state)
{
    (void)state;
    enum { SESSIONS = 600, N = 5000 };
    static const char *const names[3] = {"constant", "wave", "jump"};
    static const double level = .1;
    for (int kind = 0; kind < 3; kind++) {
        int outside = 0;
        for (int s = 0; s < SESSIONS; s++) {
            struct leak_bernstein m = leak_bernstein_start(1);
            struct rng r = rng_seeded((uint64_t)(kind * 10000 + s));
            double truth = 0;
            bool missed = false;
            int64_t next = 1;
            for (int64_t i = 1; i <= N; i++) {
                double mean = conditional_mean(kind, i);
                leak_bernstein_add(&m, rng_uniform(&r) < (1 + mean) / 2 ? 1 : -1);
                truth += mean;
                if (i < next)
                    continue;
                next += 1 + next / 10;
                struct tare_interval x = leak_bernstein_interval(&m, level);
                missed |= !(x.low <= truth / (double)i && truth / (double)i <= x.high);
            }
            outside += missed;
        }
        assert_at_most("ever outside", names[kind], outside, SESSIONS, level);
    }
}

/* ---- bands ---- */

/* Times about a level that both classes of a block share; it wanders and jumps. In sixteenths of a tick, so that the share of times at or below a tick,
 * of every level that there is, stands in a table. */
enum { STEPS = 16, REACH = 200 }; /* ticks from the level; further out shares are 0 or 1 to 1e-22 */

static double time_at(struct rng *r, double level, int class)
{
    return floor(level + (class ? 3 : 0) + 20 * rng_normal(r));
}

/* at[phase][i]: share at or below the tick i - REACH of times about phase / STEPS. */
static double share_table[STEPS][2 * REACH];

static void fill_share_table(void)
{
    for (int phase = 0; phase < STEPS; phase++)
        for (int i = 0; i < 2 * REACH; i++)
            share_table[phase][i] = tare_normal_cdf((i - REACH + 1 - (double)phase / STEPS) / 20);
}

enum { EDGES = 400, LOOKS = 6, BAND_BLOCKS = 3000 };

/* Adds to each edge the share of times at or below it. */
static void add_shares(double *truth, double base, double level, int class)
{
    double about = floor(level) + (class ? 3 : 0);
    int phase = (int)((level - floor(level)) * STEPS), first = (int)(base - about) + REACH; /* of the table: that of edge 0 */
    for (int x = 0; x < EDGES; x++) {
        int i = first + x;
        truth[x] += i < 0 ? 0 : i >= 2 * REACH ? 1 : share_table[phase][i];
    }
}

struct bands {
    bool ecdf, shift;
};

static struct bands one_session(uint64_t seed, double drift, const struct leak_rule *rule)
{
    struct leak_histogram h[2];
    struct rng r = rng_seeded(seed);
    struct bands missed = {false, false};
    double level = 1000, base = 800;
    static double truth[2][EDGES];
    memset(truth, 0, sizeof truth);
    for (int c = 0; c < 2; c++)
        assert_int_equal(leak_histogram_start(&h[c]), TARE_OK);
    for (int i = 1; i <= BAND_BLOCKS; i++) {
        level += rint(STEPS * drift * (rng_normal(&r) + (rng_below(&r, 1000) ? 0 : 40))) / STEPS;
        for (int c = 0; c < 2; c++) {
            leak_histogram_add(&h[c], base, time_at(&r, level, c));
            add_shares(truth[c], base, level, c);
        }
        if (i % (BAND_BLOCKS / LOOKS))
            continue;
        struct leak_ecdf_point ecdf[LEAK_ECDF_POINTS];
        struct leak_shift shift[LEAK_SHIFTS];
        int n = leak_ecdf(&h[0], &h[1], base, rule, ecdf);
        for (int k = 0; k < n; k++) {
            int x = (int)(ecdf[k].ticks - base);
            double d = x < 0 || x >= EDGES ? NAN : (truth[1][x] - truth[0][x]) / i;
            missed.ecdf |= !isnan(d) && !(ecdf[k].difference.low <= d && d <= ecdf[k].difference.high);
        }
        leak_shift_function(&h[0], &h[1], base, rule, shift);
        for (int k = 0; k < LEAK_SHIFTS; k++) {
            int at[2] = {0, 0};
            for (int c = 0; c < 2; c++)
                while (at[c] < EDGES && truth[c][at[c]] < shift[k].q * i)
                    at[c]++;
            if (at[0] < EDGES && at[1] < EDGES)
                missed.shift |= !(shift[k].ticks.low <= at[1] - at[0] && at[1] - at[0] <= shift[k].ticks.high);
        }
    }
    for (int c = 0; c < 2; c++)
        leak_histogram_finish(&h[c]);
    return missed;
}

static void bands_hold_the_truth_at_all_times_and_looks(void **state)
{
    (void)state;
    enum { SESSIONS = 120 };
    struct leak_rule rule = leak_rule_default(2);
    rule.confidence = .9;
    fill_share_table();
    for (int drifts = 0; drifts < 2; drifts++) {
        int ecdf = 0, shift = 0;
        for (int i = 0; i < SESSIONS; i++) {
            struct bands missed = one_session((uint64_t)(8000 + 1000 * drifts + i), drifts * .4, &rule);
            ecdf += missed.ecdf;
            shift += missed.shift;
        }
        assert_at_most("band of the ECDFs ever outside", drifts ? "drift" : "still", ecdf, SESSIONS, .1);
        assert_at_most("band of the shift ever outside", drifts ? "drift" : "still", shift, SESSIONS, .1);
    }
}

/* ---- drift ---- */

static void a_still_level_is_rarely_called_a_drift(void **state)
{
    (void)state;
    enum { SESSIONS = 4000 };
    for (int n = LEAK_DRIFT_LEAST; n <= LEAK_EPOCHS_MAX; n *= 2) {
        int over = 0, at;
        for (int s = 0; s < SESSIONS; s++) {
            struct rng r = rng_seeded((uint64_t)(n * 100000 + s));
            double means[LEAK_EPOCHS_MAX];
            for (int i = 0; i < n; i++)
                means[i] = 100 + rng_normal(&r);
            over += leak_cusum(means, n, &at) > 1.63;
        }
        char where[32];
        struct buf b = buf_over(where, sizeof where);
        buf_format(&b, "%d stretches", n);
        assert_at_most("CUSUM over 1.63", where, over, SESSIONS, .01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_measured_power_is_that_of_a_question),
        cmocka_unit_test(a_delay_that_shows_is_rarely_planted_anew),
        cmocka_unit_test(exact_sequences_hold_the_mean_so_far_whatever_moves),
        cmocka_unit_test(bands_hold_the_truth_at_all_times_and_looks),
        cmocka_unit_test(a_still_level_is_rarely_called_a_drift),
    };
    return cmocka_run_group_tests_name("self-checks and bands, simulated", tests, NULL, NULL);
}
