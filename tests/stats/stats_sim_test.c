/* SPDX-License-Identifier: MIT
 *
 * What the intervals and tests promise, counted in seeded simulations. Each count is held against exact binomial marks: an honest
 * estimator would miss one of them in 1 of 10 000 such tests, and the seeds are fixed.
 */
#include "noise_models.h"
#include "rng.h"
#include "rng_normal.h"
#include "stats_beyond.h"
#include "stats_test.h"

static const double MARK = 5e-5; /* each side */

/* `hits` of n must be compatible with a probability between p_low and p_high. */
static void assert_rate(const char *what, const char *where, int hits, int n, double p_low, double p_high)
{
    print_message("             %s, %s: %d of %d = %.4f\n", what, where, hits, n, (double)hits / n);
    double too_few = tare_binomial_cdf(hits, n, p_low), too_many = tare_binomial_cdf(n - hits, n, 1 - p_high);
    if (too_few < MARK || too_many < MARK) {
        print_error("%s, %s: %.4f, promised %.4f to %.4f\n", what, where, (double)hits / n, p_low, p_high);
        fail();
    }
}

/* Spread of pair differences, robust sd in %, as the models are described elsewhere. */
static void models_have_their_known_pair_spread(void **state)
{
    (void)state;
    enum { N = 40000 };
    static double d[N], scratch[N];
    const struct {
        enum noise_model model;
        double percent;
    } rows[] = {{NOISE_IID, 2.1}, {NOISE_IID5, 7.07}, {NOISE_SPIKE, 1.45}, {NOISE_QUIET, .86}, {NOISE_MIXED, 2.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct noise world = noise_start(rows[i].model, 100 + i, N);
        noise_pairs(&world, 0, d, N);
        assert_near(148.26 * tare_mad(d, N, scratch) / rows[i].percent, 1, .04);
    }
}

static void hodges_lehmann_intervals_cover_in_every_world(void **state)
{
    (void)state;
    enum { SESSIONS = 3000 };
    const int sizes[] = {10, 30};
    double d[30], truth = log(1.02);
    void *scratch = scratch_for(30);
    for (int m = 0; m < NOISE_MODELS; m++)
        for (int s = 0; s < 2; s++) {
            int covered = 0;
            for (int i = 0; i < SESSIONS; i++) {
                struct noise world = noise_start((enum noise_model)m, (uint64_t)(m * 100000 + s * 10000 + i), 2 * sizes[s]);
                noise_pairs(&world, truth, d, sizes[s]);
                struct tare_interval ci;
                tare_hl_ci_walsh(d, sizes[s], .05, scratch, &ci);
                covered += ci.low <= truth && truth <= ci.high;
            }
            assert_rate("Hodges-Lehmann covers", noise_model_name((enum noise_model)m), covered, SESSIONS, .95, .955);
        }
    free(scratch);
}

static const int look_at[] = {10, 15, 22, 33, 50, 75, 112, 168, 252};
enum { LOOKS = 9, PAIRS = 252 };

/* Is 0 outside the interval at any look? */
static bool false_alarm(const double *d, double level, void *scratch)
{
    for (int k = 0; k < LOOKS; k++) {
        struct tare_interval ci;
        tare_hl_ci_walsh(d, look_at[k], level, scratch, &ci);
        if (ci.low > 0 || ci.high < 0)
            return true;
    }
    return false;
}

static void nine_looks_raise_false_alarms_in_five_per_cent_of_sessions(void **state)
{
    (void)state;
    enum { SESSIONS = 1000 };
    double d[PAIRS], level;
    void *scratch = scratch_for(PAIRS);
    assert_int_equal(tare_looks_level(look_at, LOOKS, .05, &level), TARE_OK);
    int total = 0;
    for (int m = 0; m < NOISE_MODELS; m++) {
        int alarms = 0;
        for (int i = 0; i < SESSIONS; i++) {
            struct noise world = noise_start((enum noise_model)m, (uint64_t)(3000000 + m * 100000 + i), 2 * PAIRS);
            noise_pairs(&world, 0, d, PAIRS);
            alarms += false_alarm(d, level, scratch);
        }
        total += alarms;
        assert_rate("nine looks, false alarms", noise_model_name((enum noise_model)m), alarms, SESSIONS, .04, .05);
    }
    assert_rate("nine looks, false alarms", "all models", total, NOISE_MODELS * SESSIONS, .042, .05);
    free(scratch);
}

static void look_levels_spend_alpha_on_gaussian_paths(void **state)
{
    (void)state;
    enum { PATHS = 200000 };
    struct rng r = rng_seeded(51);
    double level;
    tare_looks_level(look_at, LOOKS, .05, &level);
    double c = -tare_normal_quantile(level / 2);
    int crossed = 0;
    for (int i = 0; i < PATHS; i++) {
        double sum = 0;
        bool out = false;
        for (int k = 0; k < LOOKS && !out; k++) {
            sum += rng_normal(&r) * sqrt(look_at[k] - (k ? look_at[k - 1] : 0));
            out = fabs(sum) >= c * sqrt(look_at[k]);
        }
        crossed += out;
    }
    assert_rate("Gaussian paths", "nine looks", crossed, PATHS, .05, .05);
}

static void spent_looks_spend_what_they_may_on_gaussian_paths(void **state)
{
    (void)state;
    enum { PATHS = 200000 };
    static const double shares[LOOKS] = {.01, .02, .1, .11, .2, .5, .51, .8, 1}; /* not those of the data */
    struct rng r = rng_seeded(52);
    for (int family = 0; family < 3; family++) {
        double spent[LOOKS], bound[LOOKS], level;
        int crossed[LOOKS] = {0};
        for (int k = 0; k < LOOKS; k++) {
            spent[k] = tare_spending((enum tare_spending)family, .4, shares[k], .05);
            assert_int_equal(tare_looks_spent(look_at, spent, k + 1, &level), TARE_OK);
            bound[k] = -tare_normal_quantile(level / 2) * sqrt(look_at[k]);
        }
        for (int i = 0; i < PATHS; i++) {
            double sum = 0;
            for (int k = 0; k < LOOKS; k++) {
                sum += rng_normal(&r) * sqrt(look_at[k] - (k ? look_at[k - 1] : 0));
                if (fabs(sum) >= bound[k]) {
                    crossed[k]++;
                    break;
                }
            }
        }
        for (int k = 0, sofar = 0; k < LOOKS; k++) {
            sofar += crossed[k];
            assert_rate("Gaussian paths, spent looks", (const char *[]){"O'Brien-Fleming", "Pocock", "power"}[family], sofar,
                        PATHS, spent[k], spent[k]);
        }
    }
}

/* P(ln time <= x) in the models of independent runs. */
static double law(enum noise_model m, double x)
{
    if (m == NOISE_BIMOD)
        return .7 * tare_normal_cdf(x / .01) + .3 * tare_normal_cdf((x - log(1.04)) / .01);
    return tare_normal_cdf(x / (m == NOISE_IID ? .015 : .05));
}

static double true_quantile(enum noise_model m, double q)
{
    double lo = -1, hi = 1;
    for (int i = 0; i < 60; i++) {
        double mid = (lo + hi) / 2;
        if (law(m, mid) < q)
            lo = mid;
        else
            hi = mid;
    }
    return hi;
}

/* 12 values against 20, and 60 against 80: exactly as often as the discrete law of U says, near the promise and never below. */
static void shift_intervals_cover_as_often_as_the_rank_sums_law_says(void **state)
{
    (void)state;
    enum { SESSIONS = 8000 };
    const int sizes[][2] = {{5, 5}, {12, 20}, {60, 80}};
    const double promised[][2] = {{.968, .9685}, {.95, .956}, {.95, .951}}; /* 5, 5: 1 - 8/252 */
    double x[60], y[80], truth = .3;
    void *scratch = malloc(tare_shift_scratch_bytes(60, 80));
    struct rng r = rng_seeded(17);
    for (int s = 0; s < 3; s++)
        for (int skewed = 0; skewed < 2; skewed++) {
            int covered = 0;
            for (int i = 0; i < SESSIONS; i++) {
                for (int k = 0; k < sizes[s][0]; k++)
                    x[k] = skewed ? exp(rng_normal(&r)) : rng_normal(&r);
                for (int k = 0; k < sizes[s][1]; k++)
                    y[k] = truth + (skewed ? exp(rng_normal(&r)) : rng_normal(&r));
                struct tare_interval ci;
                tare_shift_ci_mann_whitney(x, sizes[s][0], y, sizes[s][1], .05, scratch, &ci);
                covered += ci.low <= truth && truth <= ci.high;
            }
            assert_rate("two-sample shift covers", skewed ? "skewed" : "normal", covered, SESSIONS, promised[s][0],
                        promised[s][1]);
        }
    free(scratch);
}

static void quantile_intervals_cover_as_often_as_the_binomial_says(void **state)
{
    (void)state;
    enum { SESSIONS = 6000 };
    const enum noise_model worlds[] = {NOISE_IID, NOISE_IID5, NOISE_BIMOD};
    const struct {
        int n;
        double q;
    } cases[] = {{6, .5}, {10, .5}, {30, .5}, {50, .9}};
    double x[50], ranks[50];
    for (int i = 0; i < 50; i++)
        ranks[i] = i + 1;
    for (int c = 0; c < 4; c++) {
        struct tare_interval places;
        tare_quantile_ci_binomial(ranks, cases[c].n, cases[c].q, .05, &places);
        double promised = tare_binomial_cdf((ptrdiff_t)places.high - 1, cases[c].n, cases[c].q) -
                          tare_binomial_cdf((ptrdiff_t)places.low - 1, cases[c].n, cases[c].q);
        assert_true(promised >= .95);
        for (int w = 0; w < 3; w++) {
            double truth = true_quantile(worlds[w], cases[c].q);
            int covered = 0;
            for (int i = 0; i < SESSIONS; i++) {
                struct noise world = noise_start(worlds[w], (uint64_t)(5000000 + w * 1000000 + c * 100000 + i), cases[c].n);
                for (int j = 0; j < cases[c].n; j++)
                    x[j] = noise_next(&world);
                tare_sort(x, cases[c].n);
                struct tare_interval ci;
                tare_quantile_ci_binomial(x, cases[c].n, cases[c].q, .05, &ci);
                covered += ci.low <= truth && truth <= ci.high;
            }
            assert_rate("order statistics cover", noise_model_name(worlds[w]), covered, SESSIONS, promised, promised);
        }
    }
}

static void t_intervals_cover_normal_means(void **state)
{
    (void)state;
    enum { SESSIONS = 20000 };
    const int sizes[] = {2, 5, 30};
    double x[30];
    for (int s = 0; s < 3; s++) {
        int covered = 0;
        for (int i = 0; i < SESSIONS; i++) {
            struct noise world = noise_start(NOISE_IID5, (uint64_t)(9000000 + s * 100000 + i), sizes[s]);
            for (int j = 0; j < sizes[s]; j++)
                x[j] = noise_next(&world);
            struct tare_interval ci;
            tare_mean_ci_student(x, sizes[s], .05, &ci);
            covered += ci.low <= 0 && 0 <= ci.high;
        }
        assert_rate("Student t covers", "iid5", covered, SESSIONS, .95, .95);
    }
}

static void fieller_intervals_cover_ratios_of_means(void **state)
{
    (void)state;
    enum { SESSIONS = 20000, N = 10 };
    struct rng r = rng_seeded(52);
    double x[N], y[N];
    int covered = 0;
    for (int i = 0; i < SESSIONS; i++) {
        for (int j = 0; j < N; j++) {
            double shared = rng_normal(&r);
            x[j] = 100 + 3 * shared + 2 * rng_normal(&r);
            y[j] = 107 + 3 * shared + 4 * rng_normal(&r);
        }
        struct tare_interval ci;
        tare_ratio_ci_fieller(x, y, N, .05, &ci);
        covered += ci.low <= 1.07 && 1.07 <= ci.high;
    }
    assert_rate("Fieller covers", "correlated normal pairs", covered, SESSIONS, .95, .95);
}

static void clopper_pearson_covers_at_least_as_promised(void **state)
{
    (void)state;
    enum { N = 60 };
    for (double p = .005; p < 1; p += .03) {
        double coverage = 0;
        for (int k = 0; k <= N; k++) {
            struct tare_interval ci;
            tare_binomial_ci_clopper_pearson(k, N, .05, &ci);
            if (ci.low <= p && p <= ci.high)
                coverage += tare_binomial_cdf(k, N, p) - tare_binomial_cdf(k - 1, N, p);
        }
        assert_true(coverage >= .95); /* no simulation: the sum is exact */
    }
}

struct flags {
    int trend, dependence, tail;
};

/* How often the checks speak up, of `sessions` of n runs (and pairs). */
static struct flags count_flags(enum noise_model model, int n, int sessions)
{
    double x[200], y[200], scratch[400];
    struct flags f = {0};
    for (int i = 0; i < sessions; i++) {
        struct noise world = noise_start(model, (uint64_t)(10000000 + (int)model * 100000 + i), n);
        for (int j = 0; j < n; j++) {
            x[j] = noise_next(&world);
            y[j] = noise_next(&world);
        }
        struct tare_trend trend;
        struct tare_dependence dependence;
        struct tare_tail tail;
        tare_mann_kendall(x, n, scratch, &trend);
        tare_serial_dependence(x, n, scratch, &dependence);
        tare_tail_sign_test(x, y, n, scratch, &tail);
        f.trend += trend.p < .01;
        f.dependence += dependence.r_ranks > dependence.threshold;
        f.tail += tail.p < .01;
    }
    return f;
}

static void checks_stay_silent_on_independent_runs_and_speak_on_others(void **state)
{
    (void)state;
    enum { SESSIONS = 1500, N = 120 };
    const enum noise_model clean[] = {NOISE_IID, NOISE_SPIKE, NOISE_BIMOD};
    for (int m = 0; m < 3; m++) {
        struct flags f = count_flags(clean[m], N, SESSIONS);
        assert_rate("trend flagged", noise_model_name(clean[m]), f.trend, SESSIONS, .005, .011);
        assert_rate("dependence flagged", noise_model_name(clean[m]), f.dependence, SESSIONS, .003, .025);
        assert_rate("tail flagged", noise_model_name(clean[m]), f.tail, SESSIONS, .0005, .01);
    }
    assert_rate("dependence flagged", "ar", count_flags(NOISE_AR, N, 300).dependence, 300, .98, 1);
    assert_rate("trend flagged", "drift", count_flags(NOISE_DRIFT, N, 300).trend, 300, .7, 1);
}

/* ---- series that settle ---- */

/* Of series that are noise about one level at most one in twenty is called anything but flat, for independent and for correlated noise. */
static void noise_is_flat(void **state)
{
    (void)state;
    enum { SERIES = 1000, LONGEST = 400 };
    static double x[LONGEST];
    void *scratch = malloc(tare_steady_scratch_bytes(LONGEST));
    const int lengths[] = {30, 100, 400};
    for (size_t s = 0; s < 3; s++)
        for (int correlated = 0; correlated < 2; correlated++) {
            int other = 0;
            for (int i = 0; i < SERIES; i++) {
                struct rng r = rng_seeded(72000 + (uint64_t)(s * 10000 + (size_t)correlated * 5000) + (uint64_t)i);
                double ar = 0, phi = correlated ? .4 : 0;
                for (int k = 0; k < lengths[s]; k++) {
                    ar = phi * ar + sqrt(1 - phi * phi) * rng_normal(&r);
                    x[k] = 100 * exp(.02 * ar);
                }
                struct tare_steady steady;
                tare_steady_state(x, lengths[s], scratch, &steady);
                other += steady.word != TARE_STEADY_FLAT;
            }
            char where[48];
            snprintf(where, sizeof where, "%d values, %s", lengths[s], correlated ? "correlated" : "independent");
            assert_rate("noise is not called flat", where, other, SERIES, 0, .05);
        }
    free(scratch);
}

struct settling {
    const char *where;
    int n;
    double phi, spikes; /* of the noise: its lag-1 correlation, the share of slowed values */
    int warm;           /* so many values are slower at the start ... */
    double tau, size;   /* ... or a decay with this time constant; by so many standard deviations */
    double most;        /* of 1000 series, the share that may be called the wrong thing */
};

static double flat_share(const struct settling *w, int series, uint64_t seed, void *scratch)
{
    enum { LONGEST = 100 };
    double x[LONGEST];
    int flat = 0;
    for (int i = 0; i < series; i++) {
        struct rng r = rng_seeded(seed + (uint64_t)i);
        double ar = rng_normal(&r);
        for (int k = 0; k < w->n; k++) {
            const double slow = w->tau > 0 ? exp(-k / w->tau) : k < w->warm;
            ar = w->phi * ar + sqrt(1 - w->phi * w->phi) * rng_normal(&r);
            x[k] = 100 * exp(.01 * (ar + w->size * slow) + (rng_uniform(&r) < w->spikes ? log1p(.15 * exp(rng_normal(&r))) : 0));
        }
        struct tare_steady s;
        assert_int_equal(tare_steady_state(x, w->n, scratch, &s), TARE_OK);
        flat += s.word == TARE_STEADY_FLAT;
    }
    return (double)flat / series;
}

/* Noise of sd 1 %. The first rows have no warm-up: called flat they are right. */
static void a_warm_up_is_not_called_flat_and_noise_is(void **state)
{
    (void)state;
    enum { SERIES = 1000 };
    const struct settling rows[] = {{"AR .5, n = 12", 12, .5, 0, 0, 0, 0, .07},
                                    {"AR .5, n = 30", 30, .5, 0, 0, 0, 0, .07},
                                    {"AR .5, n = 50", 50, .5, 0, 0, 0, 0, .07},
                                    {"AR .5, n = 100", 100, .5, 0, 0, 0, 0, .07},
                                    {"AR .8, n = 30", 30, .8, 0, 0, 0, 0, .15},
                                    {"AR .8, n = 100", 100, .8, 0, 0, 0, 0, .15},
                                    {"3 % spikes, n = 30", 30, 0, .03, 0, 0, 0, .01},
                                    {"3 % spikes, n = 100", 100, 0, .03, 0, 0, 0, .01},
                                    {"3 of 30 by 10 sd", 30, 0, 0, 3, 0, 10, .02},
                                    {"5 of 30 by 10 sd", 30, 0, 0, 5, 0, 10, .02},
                                    {"10 of 30 by 10 sd", 30, 0, 0, 10, 0, 10, .02},
                                    {"15 of 30 by 10 sd", 30, 0, 0, 15, 0, 10, .02},
                                    {"10 of 50 by 10 sd", 50, 0, 0, 10, 0, 10, .02},
                                    {"10 of 100 by 10 sd", 100, 0, 0, 10, 0, 10, .02},
                                    {"10 of 30 by 5 sd", 30, 0, 0, 10, 0, 5, .02},
                                    {"10 of 30 by 10 sd, AR .5", 30, .5, 0, 10, 0, 10, .02},
                                    {"10 of 30 by 10 sd, spikes", 30, 0, .03, 10, 0, 10, .02},
                                    {"10 of 30 by 30 sd", 30, 0, 0, 10, 0, 30, .02},
                                    {"decay 10 sd, tau 4, n = 30", 30, 0, 0, 0, 4, 10, .02},
                                    {"decay 30 sd, tau 8, n = 30", 30, 0, 0, 0, 8, 30, .02},
                                    {"decay 10 sd, tau 8, n = 50", 50, 0, 0, 0, 8, 10, .02},
                                    {"10 of 30 by 3 sd", 30, 0, 0, 10, 0, 3, .06}, /* small or slow: what it cannot do */
                                    {"decay 10 sd, tau 15, n = 30", 30, 0, 0, 0, 15, 10, .05},
                                    {"decay 5 sd, tau 15, n = 30", 30, 0, 0, 0, 15, 5, .45}};
    void *scratch = malloc(tare_steady_scratch_bytes(100));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double flat = flat_share(&rows[i], SERIES, 900000 + 2000 * i, scratch);
        const bool noise = rows[i].size == 0;
        assert_rate(noise ? "noise is not called flat" : "a warm-up is called flat", rows[i].where,
                    (int)lround((noise ? 1 - flat : flat) * SERIES), SERIES, 0, rows[i].most);
    }
    free(scratch);
}

/* A decay by a tenth: what is called steady is within half a percent of where it goes, or is not called steady; within one percent where a twentieth
 * of the decay is left at the end of the series. */
static void a_decay_is_not_taken_for_steady(void **state)
{
    (void)state;
    enum { SERIES = 500, LENGTH = 300 };
    static double x[LENGTH];
    void *scratch = malloc(tare_steady_scratch_bytes(LENGTH));
    const double tau[] = {5, 20, 50, 100};
    for (size_t t = 0; t < sizeof tau / sizeof *tau; t++) {
        int honest = 0;
        for (int i = 0; i < SERIES; i++) {
            struct rng r = rng_seeded(73000 + (uint64_t)(t * 1000) + (uint64_t)i);
            for (int k = 0; k < LENGTH; k++)
                x[k] = (1 + .1 * exp(-k / tau[t])) * exp(.005 * rng_normal(&r));
            struct tare_steady s;
            tare_steady_state(x, LENGTH, scratch, &s);
            honest +=
                s.word == TARE_STEADY_NONE || s.level < (tau[t] > 50 ? 1.01 : 1.005) + 3 * .005 / sqrt(LENGTH - (double)s.onset);
        }
        char where[32];
        snprintf(where, sizeof where, "tau = %g", tau[t]);
        assert_rate("a decay is told", where, honest, SERIES, .95, 1);
    }
    free(scratch);
}

/* ---- the shift function ---- */

enum { QUANTILES = 12, SHIFT_PAIRS = 300 };
static const double shift_at[QUANTILES] = {.05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99};

static bool covers_all(const double *x, const double *y, int n, const double *truth)
{
    static double scratch[8 * SHIFT_PAIRS];
    struct tare_interval ci[QUANTILES];
    stats_shift_function(x, y, n, shift_at, QUANTILES, .05, 1, scratch, ci);
    for (int j = 0; j < QUANTILES; j++)
        if (!(ci[j].low <= truth[j] && truth[j] <= ci[j].high))
            return false;
    return true;
}

/* A coin decides which runs first, and all runs of the one are longer by 2 %: exact, whatever the noise does over the session. */
static void shift_functions_hold_together_in_every_world(void **state)
{
    (void)state;
    enum { SESSIONS = 300 };
    double x[SHIFT_PAIRS], y[SHIFT_PAIRS], truth[QUANTILES];
    for (int j = 0; j < QUANTILES; j++)
        truth[j] = log(1.02);
    for (int m = 0; m < NOISE_MODELS; m++)
        for (int n = 30; n <= SHIFT_PAIRS; n += 270) {
            int covered = 0;
            for (int i = 0; i < SESSIONS; i++) {
                struct noise world = noise_start((enum noise_model)m, (uint64_t)(26000000 + m * 100000 + n * 100 + i), 2 * n);
                for (int k = 0; k < n; k++) {
                    const double first = noise_next(&world), second = noise_next(&world);
                    const bool swapped = rng_next(&world.rng) >> 63;
                    x[k] = swapped ? second : first;
                    y[k] = truth[0] + (swapped ? first : second);
                }
                covered += covers_all(x, y, n, truth);
            }
            assert_rate("shift functions cover", noise_model_name((enum noise_model)m), covered, SESSIONS, .95, 1);
        }
}

/* Shifts that differ between the quantiles, of pairs that share nothing, much, or go against each other. */
static void shift_functions_hold_where_the_shapes_differ(void **state)
{
    (void)state;
    enum { SESSIONS = 500 };
    static const struct {
        const char *name;
        double shared, wider, skew; /* y = wider z + skew (e^z - 1) of a normal z with this correlation to that of x */
    } rows[] = {
        {"wider", 0, 3, 0}, {"skew", 0, 1, 1}, {"skew, alike", .8, 1, 1}, {"wider, against", -.8, 3, 0}, {"tail", .5, .5, 2}};
    double x[SHIFT_PAIRS], y[SHIFT_PAIRS], truth[QUANTILES];
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        for (int n = 30; n <= SHIFT_PAIRS; n += 270) {
            struct rng r = rng_seeded(27000 + 10 * row + (uint64_t)n);
            int covered = 0;
            for (int j = 0; j < QUANTILES; j++) {
                const double z = tare_normal_quantile(shift_at[j]);
                truth[j] = rows[row].wider * z + rows[row].skew * expm1(z) - z;
            }
            for (int i = 0; i < SESSIONS; i++) {
                for (int k = 0; k < n; k++) {
                    x[k] = rng_normal(&r);
                    const double z = rows[row].shared * x[k] + sqrt(1 - rows[row].shared * rows[row].shared) * rng_normal(&r);
                    y[k] = rows[row].wider * z + rows[row].skew * expm1(z);
                }
                covered += covers_all(x, y, n, truth);
            }
            assert_rate("shift functions cover", rows[row].name, covered, SESSIONS, .95, 1);
        }
}

static bool covers_all_of_samples(const double *x, int n, const double *y, int m, const double *truth)
{
    static double scratch[8 * SHIFT_PAIRS];
    struct tare_interval ci[QUANTILES];
    bool all = true;
    stats_shift_function_of_samples(x, n, y, m, shift_at, QUANTILES, .05, 1, scratch, ci);
    for (int j = 0; j < QUANTILES; j++)
        all = all && ci[j].low <= truth[j] && truth[j] <= ci[j].high;
    return all;
}

/* Two sessions of independent runs, of equal and unequal sizes; of equal shape, and of others. */
static void shift_functions_of_samples_hold_together(void **state)
{
    (void)state;
    enum { SESSIONS = 800 };
    static const int sizes[][2] = {{12, 12}, {30, 30}, {30, SHIFT_PAIRS}, {SHIFT_PAIRS, 100}, {SHIFT_PAIRS, SHIFT_PAIRS}};
    static const struct {
        const char *name;
        double wider, skew; /* y = 0.5 + wider z + skew (e^z - 1) of a normal z */
    } rows[] = {{"the same shape", 1, 0}, {"wider", 3, 0}, {"skewed", 1, 1}, {"a tail", .5, 2}};
    double x[SHIFT_PAIRS], y[SHIFT_PAIRS], truth[QUANTILES];
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
            struct rng r = rng_seeded(28000 + 10 * row + size);
            int covered = 0;
            for (int j = 0; j < QUANTILES; j++) {
                const double z = tare_normal_quantile(shift_at[j]);
                truth[j] = .5 + rows[row].wider * z + rows[row].skew * expm1(z) - z;
            }
            for (int i = 0; i < SESSIONS; i++) {
                for (int k = 0; k < sizes[size][0]; k++)
                    x[k] = rng_normal(&r);
                for (int k = 0; k < sizes[size][1]; k++) {
                    const double z = rng_normal(&r);
                    y[k] = .5 + rows[row].wider * z + rows[row].skew * expm1(z);
                }
                covered += covers_all_of_samples(x, sizes[size][0], y, sizes[size][1], truth);
            }
            char where[80];
            snprintf(where, sizeof where, "%s, %d and %d", rows[row].name, sizes[size][0], sizes[size][1]);
            assert_rate("shift functions of samples cover", where, covered, SESSIONS, .95, 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_have_their_known_pair_spread),
        cmocka_unit_test(hodges_lehmann_intervals_cover_in_every_world),
        cmocka_unit_test(nine_looks_raise_false_alarms_in_five_per_cent_of_sessions),
        cmocka_unit_test(look_levels_spend_alpha_on_gaussian_paths),
        cmocka_unit_test(spent_looks_spend_what_they_may_on_gaussian_paths),
        cmocka_unit_test(shift_intervals_cover_as_often_as_the_rank_sums_law_says),
        cmocka_unit_test(quantile_intervals_cover_as_often_as_the_binomial_says),
        cmocka_unit_test(shift_functions_hold_together_in_every_world),
        cmocka_unit_test(shift_functions_hold_where_the_shapes_differ),
        cmocka_unit_test(shift_functions_of_samples_hold_together),
        cmocka_unit_test(t_intervals_cover_normal_means),
        cmocka_unit_test(fieller_intervals_cover_ratios_of_means),
        cmocka_unit_test(clopper_pearson_covers_at_least_as_promised),
        cmocka_unit_test(checks_stay_silent_on_independent_runs_and_speak_on_others),
        cmocka_unit_test(noise_is_flat),
        cmocka_unit_test(a_warm_up_is_not_called_flat_and_noise_is),
        cmocka_unit_test(a_decay_is_not_taken_for_steady),
    };
    return cmocka_run_group_tests_name("simulations", tests, NULL, NULL);
}
