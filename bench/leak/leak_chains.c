/* SPDX-License-Identifier: MIT
 *
 * leak_chains [ROUNDS] [SEED] [undrawn]: chains of 1 to 60 adds, a core cycle each, timed as `tare leak` times a call: is the mean of the readings right? Each comes
 * behind 129 adds more, which hide the wrongly foretold jump to the first of them; a chain of 3008 tells how long a cycle is meanwhile. All take turns in a
 * drawn order, so that the core's frequency is the same for all. undrawn: without the drawn phase, for comparison. Prints
 *     cycles  ns  measured_ns  bias_ns  error_ns  limit_ns  holds
 * the limit being 0.02 ns and 4 standard errors; first a line about the clock. leak_chains_coarse is the same over a counter that is made coarse
 * (tests/coarse).
 */
#include "cpu.h"
#include "leak_harness.h"
#include "stepped.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE = 129, BATCH = 1000, LONGEST = 3008 };
static const int cycles[] = {0, 1, 2, 3, 5, 8, 13, 21, 34, 47, 60, LONGEST};
enum { CHAINS = sizeof cycles / sizeof *cycles };

/* One code for all lengths: where its lines lie in the caches weighs as much as some adds. */
static uint64_t chain(void *state, const unsigned char *in)
{
    (void)in;
    return cpu_delay((int)(intptr_t)state);
}

static void measure(struct leak_timer *t, struct rng *order, int rounds, bool drawn, double *ticks[CHAINS])
{
    int turn[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        turn[i] = i;
    for (int r = 0; r < rounds; r++) {
        if (r % BATCH == 0 && drawn)
            leak_phase_calibrate(t);
        rng_shuffle(order, turn, CHAINS);
        for (int i = 0; i < CHAINS; i++)
            ticks[turn[i]][r] = leak_time(t, chain, (void *)(intptr_t)(BEFORE + cycles[turn[i]]), NULL, LEAK_NO_DELAY);
    }
}

static void report(const struct probe_session *s, double *ticks[CHAINS], int rounds)
{
    struct stepped_mean mean[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        mean[i] = stepped_mean(ticks[i], rounds, s->step_ticks);
    const double ns = 1e9 / s->hz, cycle_ns = (mean[CHAINS - 1].mean - mean[0].mean) / LONGEST * ns;
    for (int i = 1; i < CHAINS - 1; i++) {
        const double right = cycles[i] * cycle_ns, found = (mean[i].mean - mean[0].mean) * ns,
                     error = hypot(mean[i].error, mean[0].error) * ns, limit = .02 + 4 * error;
        printf("%d\t%.4f\t%.4f\t%+.4f\t%.4f\t%.4f\t%s\n", cycles[i], right, found, found - right, error, limit,
               fabs(found - right) <= limit ? "yes" : "no");
    }
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 100000;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const bool drawn = argc < 4 || strcmp(argv[3], "undrawn") != 0;
    struct probe_session s;
    struct tare_err err = {{0}};
    const struct wire_request q = wire_request_default(-1);
    if (rounds < 1 || probe_session_open(&s, &q, &err)) {
        fprintf(stderr, "leak_chains: %s\n", err.text);
        return 1;
    }
    struct leak_timer t = {.session = &s, .repeat = 1, .cpu = -1, .phase = {.rng = rng_seeded(seed)}};
    struct rng order = rng_seeded(~seed);
    double *ticks[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        if (!(ticks[i] = malloc((size_t)rounds * sizeof *ticks[i])))
            return 1;
    measure(&t, &order, rounds, drawn, ticks);
    printf("# step %.3g ns, phase drawn over %d adds, %d rounds\n", s.step_ticks / s.hz * 1e9, t.phase.width_adds, rounds);
    report(&s, ticks, rounds);
    for (int i = 0; i < CHAINS; i++)
        free(ticks[i]);
    return 0;
}
