/* SPDX-License-Identifier: MIT
 *
 * What the figures of benchmarks promise, counted in seeded sessions with processes that differ: intervals of the median time and of core cycles
 * cover as promised, also when the control variate is fitted from the same processes; processes of one mode are not called several. Held against
 * exact binomial marks of 1 in 10 000.
 */
#include "estimates.h"
#include "processes.h"
#include "rng.h"
#include "rng_normal.h"
#include "tabled_record.h"
#include <math.h>
#include <stdio.h>
#include <tare/stats.h>

enum { SESSIONS = 2000, PROCESSES = 22 };

static const char *const columns[] = {"ns", "cycles", "chain_hz"};

/* The truth is 30 cycles at the typical 3 GHz. `core`: the share of the time that follows the frequency. */
static void session(double core, uint64_t seed, bool *ns_covered, bool *cycles_covered)
{
    struct record r;
    struct rng rng = rng_seeded(seed);
    record_init(&r);
    record_add_bench_metrics(&r);
    const struct subject s = {
        .kind = SUBJECT_BENCH, .name = "b", .command = "b", .program = "p", .benchmark = "b", .reference = -1};
    record_add_subject(&r, &s, columns, 3);
    for (int i = 0; i < PROCESSES; i++) {
        double hz = 3e9 * exp(.05 * rng_normal(&rng));
        const double values[] = {10 * pow(hz / 3e9, -core) * exp(.01 * rng_normal(&rng)), NAN, hz * exp(.002 * rng_normal(&rng))};
        record_append_row(&r, 0, &(struct row){.round = i, .values = values});
    }
    process_cycles(&r);
    const char *const metrics[] = {"ns", "cycles"};
    const double truths[] = {10, 30};
    bool *covered[] = {ns_covered, cycles_covered};
    for (int m = 0; m < 2; m++) {
        double sorted[PROCESSES];
        struct tare_interval i;
        memcpy(sorted, series_values(&r.series[0], metrics[m]), sizeof sorted);
        tare_sort(sorted, PROCESSES);
        tare_median_ci_binomial(sorted, PROCESSES, .05, &i);
        *covered[m] = i.low <= truths[m] && truths[m] <= i.high;
    }
    record_finish(&r);
}

static void assert_covers(const char *what, int hits)
{
    print_message("             %s: %d of %d = %.4f\n", what, hits, SESSIONS, (double)hits / SESSIONS);
    if (tare_binomial_cdf(hits, SESSIONS, .95) < 1e-4) {
        print_error("%s covers in %d of %d sessions, promised 95 %%\n", what, hits, SESSIONS);
        fail();
    }
}

static void intervals_of_times_cover(void **state)
{
    (void)state;
    for (int core = 0; core <= 1; core++) {
        int hits = 0;
        bool ns, cycles;
        for (int i = 0; i < SESSIONS; i++) {
            session(core, 1000 + (uint64_t)(core * SESSIONS + i), &ns, &cycles);
            hits += ns;
        }
        assert_covers(core ? "time, bound by the core" : "time, bound by memory", hits);
    }
}

/* The frequency to which cycles are brought is the session's own median, which misses the 3 GHz of the truth: of code that the core bounds nothing of
 * that is left, of other code what it is worth is the frequency's own scatter, so it is taken as known there. */
static void intervals_of_cycles_cover_for_core_bound_code(void **state)
{
    (void)state;
    int hits = 0;
    bool ns, cycles;
    for (int i = 0; i < SESSIONS; i++) {
        session(1, 9000 + (uint64_t)i, &ns, &cycles);
        hits += cycles;
    }
    assert_covers("core cycles, bound by the core", hits);
}

/* ---- modes ---- */

static double of_normal(struct rng *r)
{
    return 10 * exp(.05 * rng_normal(r));
}

static double of_tail(struct rng *r)
{
    return 1 - log1p(-rng_uniform(r));
}

static double of_heavy_tail(struct rng *r)
{
    return pow(1 - rng_uniform(r), -1 / 1.5);
}

static double of_two(struct rng *r)
{
    return (rng_uniform(r) < .4 ? 15 : 10) * exp(.01 * rng_normal(r));
}

/* Whether any of so many processes lie apart, and whether that is called modes. */
static bool grouped(double (*draw)(struct rng *r), int processes, uint64_t seed, bool *modes)
{
    struct record r;
    struct rng rng = rng_seeded(seed);
    record_init(&r);
    record_add_bench_metrics(&r);
    r.rule.confidence = .95;
    record_add_subject(&r, &(struct subject){.kind = SUBJECT_BENCH, .name = "b", .command = "b", .reference = -1}, columns, 3);
    for (int i = 0; i < processes; i++)
        record_append_row(&r, 0, &(struct row){.round = i, .values = (const double[]){draw(&rng), NAN, 3e9}});
    assert_int_equal(estimate_benchmark(&r, 0, processes), TARE_OK);
    const struct estimate *e = record_estimate(&r, 0, "ns", "mode_1");
    const bool found = e != NULL;
    *modes = found && record_is_by_valley(e);
    record_finish(&r);
    return found;
}

static void one_mode_is_not_called_several(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        double (*draw)(struct rng *r);
    } laws[] = {{"normal", of_normal}, {"exponential tail", of_tail}, {"Pareto tail 1.5", of_heavy_tail}};
    static const int sizes[] = {8, 10, 15, 22, 33, 100};
    for (size_t l = 0; l < sizeof laws / sizeof *laws; l++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int apart = 0, several = 0;
            for (int i = 0; i < SESSIONS; i++) {
                bool modes;
                apart += grouped(laws[l].draw, sizes[s], 20000 + (uint64_t)i, &modes);
                several += modes;
            }
            print_message("             %s, %d processes: called modes in %d of %d, apart in %d\n", laws[l].what, sizes[s],
                          several, SESSIONS, apart);
            assert_true(tare_binomial_cdf(SESSIONS - several, SESSIONS, .95) > 1e-4);
        }
}

static void two_modes_are_called_so(void **state)
{
    (void)state;
    static const struct {
        int processes;
        double power;
    } rows[] = {{22, .4}, {33, .8}};
    for (int k = 0; k < 2; k++) {
        int several = 0;
        for (int i = 0; i < SESSIONS; i++) {
            bool modes;
            grouped(of_two, rows[k].processes, 30000 + (uint64_t)i, &modes);
            several += modes;
        }
        print_message("             two modes, %d processes: called so in %d of %d\n", rows[k].processes, several, SESSIONS);
        assert_true(tare_binomial_cdf(several, SESSIONS, rows[k].power) > 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_times_cover),
        cmocka_unit_test(intervals_of_cycles_cover_for_core_bound_code),
        cmocka_unit_test(one_mode_is_not_called_several),
        cmocka_unit_test(two_modes_are_called_so),
    };
    return cmocka_run_group_tests_name("benchmarks, simulated", tests, NULL, NULL);
}
