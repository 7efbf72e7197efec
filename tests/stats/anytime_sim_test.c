/* SPDX-License-Identifier: MIT
 *
 * What anytime-valid tests and intervals promise, counted over whole simulated sessions that are looked at all the time. Exact binomial
 * marks: an honest procedure would miss one of them in 1 of 10 000 such tests, and the seeds are fixed.
 */
#include "noise_models.h"
#include "rng.h"
#include "rng_normal.h"
#include "stats_test.h"

static const double MARK = 1e-4;

static void assert_at_most(const char *what, const char *where, int hits, int n, double p)
{
    print_message("             %s, %s: %d of %d = %.5f\n", what, where, hits, n, (double)hits / n);
    if (tare_binomial_cdf(n - hits, n, 1 - p) < MARK) {
        print_error("%s, %s: %.5f, promised at most %.5f\n", what, where, (double)hits / n, p);
        fail();
    }
}

enum { BLOCKS = 2000 };

/* That of a coin depends on two counts, which sessions share: each pair of them is asked for once. */
static double log_e_coin(int heads, int tails)
{
    static double known[BLOCKS + 1][BLOCKS + 1];
    double *e = &known[heads][tails];
    if (*e == 0)
        *e = tare_log_e_coin(heads, tails);
    return *e;
}

/* One null session: blocks of two calls of the same thing in coin order. What three bets against it ever reached. */
struct reached {
    double sign, mean, mixed, last; /* largest ln E over the session; the mixture's at its end */
};

static struct reached null_session(enum noise_model model, uint64_t seed, int blocks)
{
    struct noise world = noise_start(model, seed, 2 * blocks);
    struct rng coin = rng_seeded(seed ^ 0x5eed);
    struct reached most = {0, 0, 0, 0};
    double s = 0, v = 0, scale = 0;
    int heads = 0, tails = 0;
    const int warmup = 50;
    for (int i = 0; i < blocks + warmup; i++) {
        double a = noise_next(&world), b = noise_next(&world);
        double x = rng_below(&coin, 2) ? a - b : b - a;
        if (i < warmup) {
            scale += x * x / warmup;
            continue;
        }
        heads += x > 0;
        tails += x < 0;
        s += x;
        v += x * x;
        double each[2] = {log_e_coin(heads, tails), tare_log_e_symmetric(s, v, scale)};
        most.sign = fmax(most.sign, each[0]);
        most.mean = fmax(most.mean, each[1]);
        if (fmax(each[0], each[1]) > most.mixed || i == blocks + warmup - 1) /* else the mixture is no record either */
            most.last = tare_log_mean_exp(each, 2);
        most.mixed = fmax(most.mixed, most.last);
    }
    return most;
}

static void sessions_without_a_difference_rarely_reach_one_over_alpha(void **state)
{
    (void)state;
    enum { SESSIONS = 1500 };
    const double alphas[] = {.05, .01, .001};
    int total[3] = {0};
    struct tare_moments e = {0};
    for (int m = 0; m < NOISE_MODELS; m++) {
        int alarms[3] = {0}, sign = 0, mean = 0;
        for (int i = 0; i < SESSIONS; i++) {
            struct reached r = null_session((enum noise_model)m, (uint64_t)(7000000 + m * 100000 + i), BLOCKS);
            for (int a = 0; a < 3; a++)
                alarms[a] += r.mixed >= -log(alphas[a]);
            sign += r.sign >= -log(.05);
            mean += r.mean >= -log(.05);
            tare_moments_add(&e, exp(r.last));
        }
        for (int a = 0; a < 3; a++) {
            assert_at_most("ever E >= 1/alpha", noise_model_name((enum noise_model)m), alarms[a], SESSIONS, alphas[a]);
            total[a] += alarms[a];
        }
        assert_at_most("sign alone, .05", noise_model_name((enum noise_model)m), sign, SESSIONS, .05);
        assert_at_most("mean alone, .05", noise_model_name((enum noise_model)m), mean, SESSIONS, .05);
    }
    for (int a = 0; a < 3; a++)
        assert_at_most("ever E >= 1/alpha", "all worlds", total[a], SESSIONS * NOISE_MODELS, alphas[a]);
    double mean_e = tare_moments_mean(&e), error = sqrt(tare_moments_variance(&e) / (double)e.n);
    print_message("             mean of E at the end: %.3f, standard error %.3f\n", mean_e, error);
    assert_true(mean_e - 4 * error <= 1);
}

/* With a shift the evidence grows: most sessions find half a standard deviation of a pair within 2000 blocks. */
static void a_difference_is_found(void **state)
{
    (void)state;
    enum { SESSIONS = 200 };
    int found = 0;
    struct rng r = rng_seeded(99);
    for (int i = 0; i < SESSIONS; i++) {
        double heads = 0, tails = 0, s = 0, v = 0;
        for (int k = 0; k < 600; k++) {
            double x = .5 + rng_normal(&r);
            heads += x > 0;
            tails += x < 0;
            s += x;
            v += x * x;
        }
        double each[2] = {tare_log_e_coin(heads, tails), tare_log_e_symmetric(s, v, 1)};
        found += tare_log_mean_exp(each, 2) >= log(1e5);
    }
    print_message("             found: %d of %d\n", found, SESSIONS);
    assert_true(found >= 198);
}

/* ---- confidence sequences ---- */

/* From 200 values on, in laws from normal to skewed. */
static void asymptotic_means_lie_inside_from_the_burn_in_on(void **state)
{
    (void)state;
    enum { SESSIONS = 1500, N = 4000, FIRST = 200 };
    const char *laws[] = {"normal", "exponential", "one in twenty at 10"};
    for (int law = 0; law < 3; law++) {
        int missed = 0;
        struct rng r = rng_seeded((uint64_t)(500 + law));
        for (int i = 0; i < SESSIONS; i++) {
            struct tare_moments m = {0};
            bool out = false;
            double truth = law == 0 ? 0 : law == 1 ? 1 : .5;
            for (int k = 0; k < N && !out; k++) {
                double u = rng_uniform(&r);
                tare_moments_add(&m, law == 0 ? rng_normal(&r) : law == 1 ? -log1p(-u) : u < .05 ? 10 : 0);
                struct tare_interval ci;
                if (k + 1 < FIRST)
                    continue;
                tare_mean_cs_asymptotic(tare_moments_mean(&m), sqrt(tare_moments_variance(&m)), m.n, 1000, .05, &ci);
                out = !(ci.low <= truth && truth <= ci.high);
            }
            missed += out;
        }
        assert_at_most("asymptotic mean ever outside", laws[law], missed, SESSIONS, .05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_without_a_difference_rarely_reach_one_over_alpha),
        cmocka_unit_test(a_difference_is_found),
        cmocka_unit_test(asymptotic_means_lie_inside_from_the_burn_in_on),
    };
    return cmocka_run_group_tests_name("anytime simulations", tests, NULL, NULL);
}
