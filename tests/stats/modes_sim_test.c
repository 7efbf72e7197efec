/* SPDX-License-Identifier: MIT
 *
 * What is said of modes, counted in seeded simulations: how often shapes with one mode are called two (exact binomial marks: an honest rule would miss
 * one of them in 1 of 10 000 such tests), and how often two modes are found.
 */
#include "rng_normal.h"
#include "stats_test.h"

static const double MARK = 1e-4;
enum { LONGEST = 20000 };

/* ---- shapes with one mode ---- */

static double uniform(struct rng *r)
{
    return rng_uniform(r);
}

static double lognormal(struct rng *r)
{
    return exp(rng_normal(r));
}

static double exponential(struct rng *r)
{
    return -log1p(-rng_uniform(r));
}

static double pareto(struct rng *r)
{
    return pow(1 - rng_uniform(r), -1 / 1.5); /* no variance */
}

static double triangular(struct rng *r)
{
    return rng_uniform(r) + rng_uniform(r);
}

/* A peak at one end of a plateau: one side of each stretch of the plateau is denser already, which halves the work of chance. */
static double peak_and_plateau(struct rng *r)
{
    return rng_uniform(r) < 0.5 ? 0.01 * rng_uniform(r) : rng_uniform(r);
}

static double stairs_down(struct rng *r)
{
    return rng_uniform(r) * (double)(1 + rng_below(r, 8));
}

static double atom_and_tail(struct rng *r)
{
    return rng_uniform(r) < 0.6 ? 0 : exponential(r);
}

/* Nanoseconds as counters with steps of 10, 24 and 41 2/3 show them. */
static double in_steps(double ns, double step)
{
    return floor(ns / step) * step;
}

static double normal_in_10(struct rng *r)
{
    return in_steps(1000 + 30 * rng_normal(r), 10);
}

static double normal_in_41(struct rng *r)
{
    return in_steps(1000 + 30 * rng_normal(r), 125. / 3);
}

static double uniform_in_24(struct rng *r)
{
    return in_steps(1000 + 300 * rng_uniform(r), 24);
}

static double lognormal_in_40(struct rng *r)
{
    return in_steps(200 * exp(0.5 * rng_normal(r)), 40);
}

static const struct {
    const char *name;
    double (*draw)(struct rng *r);
    double most; /* share that may be called two */
} shapes[] = {{"uniform", uniform, .01},
              {"normal", rng_normal, .01},
              {"lognormal", lognormal, .01},
              {"exponential", exponential, .01},
              {"Pareto 1.5", pareto, .01},
              {"triangular", triangular, .01},
              {"peak and plateau", peak_and_plateau, .05},
              {"stairs down", stairs_down, .01},
              {"atom and tail", atom_and_tail, .01},
              {"normal in steps of 10", normal_in_10, .01},
              {"normal in steps of 41.7", normal_in_41, .01},
              {"uniform in steps of 24", uniform_in_24, .01},
              {"lognormal in steps of 40", lognormal_in_40, .01}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static int count_two(double (*draw)(struct rng *r), int n, int samples, uint64_t seed)
{
    static double x[LONGEST], scratch[LONGEST];
    struct rng r = rng_seeded(seed);
    int found = 0;
    for (int s = 0; s < samples; s++) {
        for (int i = 0; i < n; i++)
            x[i] = draw(&r);
        struct tare_modes m;
        assert_int_equal(tare_two_modes(x, n, scratch, &m), TARE_OK);
        found += m.ratio > m.critical;
    }
    return found;
}

static void one_mode_is_seldom_called_two(void **state)
{
    (void)state;
    static const struct {
        int n, samples;
    } rows[] = {
        {6, 20000}, {7, 20000},  {9, 10000},  {10, 10000}, {20, 10000}, {25, 5000},   {50, 4000},
        {70, 2000}, {150, 1500}, {200, 1500}, {1500, 200}, {5000, 60},  {LONGEST, 15}}; /* on and between the table's sizes, and beyond */
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        int all = 0;
        for (int s = 0; s < SHAPES; s++) {
            const int samples = rows[row].samples, found = count_two(shapes[s].draw, rows[row].n, samples, 5300 + (uint64_t)s);
            all += found;
            print_message("             two modes, n = %d, %s: %d of %d\n", rows[row].n, shapes[s].name, found, samples);
            assert_true(tare_binomial_cdf(samples - found, samples, 1 - shapes[s].most) > MARK);
        }
        const int samples = SHAPES * rows[row].samples;
        assert_true(tare_binomial_cdf(samples - all, samples, .99) > MARK);
    }
}

/* ---- two modes ---- */

struct mixture {
    double share, apart; /* of the higher mode; standard deviations of either, between their means */
    int n;
    double power; /* at least */
};

static void two_modes_are_found(void **state)
{
    (void)state;
    enum { SAMPLES = 1000, MOST = 2000 };
    static const struct mixture rows[] = {
        {.5, 10, 20, .65}, {.3, 10, 20, .3}, {.5, 6, 50, .75},  {.3, 6, 50, .3},  {.3, 8, 50, .75},  {.15, 10, 50, .25},
        {.5, 5, 100, .85}, {.3, 6, 100, .8}, {.5, 4, 200, .55}, {.3, 5, 200, .7}, {.3, 4, 1000, .7}, {.5, 3, 2000, .5},
    };
    static double x[MOST], scratch[MOST];
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        const struct mixture *m = &rows[row];
        struct rng r = rng_seeded(5400 + row);
        int found = 0;
        for (int s = 0; s < SAMPLES; s++) {
            for (int i = 0; i < m->n; i++)
                x[i] = rng_normal(&r) + (rng_uniform(&r) < m->share ? m->apart : 0);
            struct tare_modes modes;
            tare_two_modes(x, m->n, scratch, &modes);
            found += modes.ratio > modes.critical;
        }
        print_message("             two modes, n = %d, %.0f %% %g sd above: %d of %d\n", m->n, 100 * m->share, m->apart, found,
                      SAMPLES);
        assert_true(tare_binomial_cdf(found, SAMPLES, m->power) > MARK);
    }
}

/* ---- groups of processes that lie apart ---- */

static void a_normal_sample_has_one_mode(void **state)
{
    (void)state;
    enum { SAMPLES = 20000 };
    const int sizes[] = {8, 10, 15, 22, 33, 100};
    double x[100], room[100];
    struct tare_mode m[4];
    struct rng r = rng_seeded(71);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int cut = 0, found;
        for (int i = 0; i < SAMPLES; i++) {
            for (int k = 0; k < sizes[s]; k++)
                x[k] = exp(.5 * rng_normal(&r)); /* so wide that least_ratio says nothing */
            tare_modes_by_gaps(x, sizes[s], .001, room, m, 4, &found);
            cut += found > 1;
        }
        print_message("             a normal sample is cut, n = %d: %d of %d\n", sizes[s], cut, SAMPLES);
        assert_true(tare_binomial_cdf(SAMPLES - cut, SAMPLES, .99) > MARK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_mode_is_seldom_called_two),
        cmocka_unit_test(two_modes_are_found),
        cmocka_unit_test(a_normal_sample_has_one_mode),
    };
    return cmocka_run_group_tests_name("simulations of modes", tests, NULL, NULL);
}
