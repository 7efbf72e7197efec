/* SPDX-License-Identifier: MIT
 *
 * How often jitter_worse cries wolf, and how often it sees a wolf: runs of the probe drawn from known laws. Each count is held against exact binomial marks: an
 * honest test would miss one of them in 1 of 10 000 runs of this program, and the seeds are fixed.
 */
#include "jitter.h"
#include "rng.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STRETCHES = 200, RUNS = 3000 };

static const double MARK = 1e-4;

/* How gaps come in a stretch, and how the frequency moves. */
struct world {
    const char *name;
    double gaps;       /* of 10 us and more, mean of a stretch */
    bool clock;        /* they come regularly */
    double burst;      /* share of stretches with 20 times as many */
    double sticks;     /* chance that a stretch with a burst follows one */
    double spread;     /* relative standard deviation of the frequency */
    double hz_follows; /* correlation of a frequency with the one before */
};

static const struct world worlds[] = {
    {"a timer's", 2.5, true, 0, 0, .002, 0},
    {"independent", 2.5, false, 0, 0, .005, .9},
    {"rare", .02, false, 0, 0, .001, 0},
    {"bursts", 1, false, .1, .1, .02, .5},
    {"bursts that last", 1, false, .05, .5, .02, .9},
};

static int64_t poisson(struct rng *r, double mean)
{
    double limit = exp(-mean), product = 1;
    int64_t n = -1;
    do {
        product *= rng_uniform(r);
        n++;
    } while (product > limit);
    return n;
}

static void draw(struct jitter *out, struct jitter_cpu *cpu, struct jitter_stretch *stretches, const struct world *w,
                 double factor, struct rng *r)
{
    bool burst = false;
    double deviation = rng_normal(r);
    *out = (struct jitter){.cpus = cpu, .n_cpus = 1};
    *cpu = (struct jitter_cpu){.cpu = 1, .stretches = stretches, .n = STRETCHES};
    for (int i = 0; i < STRETCHES; i++) {
        burst = rng_uniform(r) < (burst ? w->sticks : w->burst);
        double mean = w->gaps * factor * (burst ? 20 : 1);
        int64_t gaps = w->clock ? (int64_t)floor(mean * (i + 1)) - (int64_t)floor(mean * i) : poisson(r, mean);
        deviation = w->hz_follows * deviation + sqrt(1 - w->hz_follows * w->hz_follows) * rng_normal(r);
        stretches[i] = (struct jitter_stretch){
            .wall_ns = JITTER_STRETCH_NS, .cpu_ns = JITTER_STRETCH_NS, .core_hz = 3e9 * (1 + w->spread * factor * deviation)};
        stretches[i].gaps[3] = gaps;
        for (int64_t g = 0; g < gaps; g++)
            stretches[i].lost_ns += 15000 + 10000 * rng_uniform(r);
    }
}

static int called_worse(const struct world *w, double factor, double level, uint64_t seed)
{
    static struct jitter_stretch stretches[2][STRETCHES];
    struct rng r;
    int worse = 0;
    r = rng_seeded(seed);
    for (int i = 0; i < RUNS; i++) {
        struct jitter before, after;
        struct jitter_cpu cpus[2];
        struct jitter_change c;
        struct tare_err err;
        draw(&before, &cpus[0], stretches[0], w, 1, &r);
        draw(&after, &cpus[1], stretches[1], w, factor, &r);
        assert_int_equal(jitter_worse(&before, &after, level, &c, &err), TARE_OK);
        worse += c.worse;
    }
    return worse;
}

static void nothing_changed_is_seldom_called_worse(void **state)
{
    (void)state;
    const double levels[] = {.05, .01};
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++)
        for (size_t l = 0; l < 2; l++) {
            int worse = called_worse(&worlds[w], 1, levels[l], 100 * w + l);
            print_message("             %s, level %g: %d of %d\n", worlds[w].name, levels[l], worse, RUNS);
            if (tare_binomial_cdf(RUNS - worse, RUNS, 1 - levels[l]) < MARK)
                fail_msg("%s: %d of %d called worse at a level of %g", worlds[w].name, worse, RUNS, levels[l]);
        }
}

static void twice_as_much_is_called_worse(void **state)
{
    (void)state;
    const int rare = 2; /* 4 gaps against 8 in two seconds prove nothing */
    for (int w = 0; w < (int)(sizeof worlds / sizeof *worlds); w++) {
        int worse = called_worse(&worlds[w], 2, .01, 1000 + (uint64_t)w);
        print_message("             %s, doubled: %d of %d\n", worlds[w].name, worse, RUNS);
        if (w != rare && tare_binomial_cdf(worse, RUNS, .8) < MARK)
            fail_msg("%s: %d of %d found", worlds[w].name, worse, RUNS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changed_is_seldom_called_worse),
        cmocka_unit_test(twice_as_much_is_called_worse),
    };
    return cmocka_run_group_tests_name("jitter_worse by simulation", tests, NULL, NULL);
}
