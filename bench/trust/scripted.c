/* SPDX-License-Identifier: MIT
 *
 * scripted WORLD SEED BASE_US FACTOR [REST_US]: a command whose time is known. It waits, busily, for
 *
 *     BASE_US * env(t) * jitter * FACTOR
 *
 * counted from the start of its process. env is a function of wall-clock time and SEED alone, so whoever runs the command, in whatever
 * order, meets the same world; jitter belongs to the single run. FACTOR is the planted truth, 1.01 is 1 % slower.
 *
 * Time since the start is the CPU time used so far, which misses what the process waited for a CPU before it came here; REST_US is
 * what comes after the wait (the end of the process), measured by the caller on the world `still`.
 *
 * Worlds (sd: standard deviation of the log of a run's time)
 *     still    no variation at all
 *     quiet    jitter sd 0.6 %, env an AR(1) of sd 0.2 %
 *     drift    jitter 1 %, env a line between knots of sd 3 % every 2 s
 *     ar       jitter 0.5 %, env an AR(1) of sd 1.5 %, phi 0.9 in steps of 5 ms
 *     regimes  jitter 1 %, env one of three states (0, +4 %, +10 %), drawn anew every 0.7 s
 *     spikes   jitter 1 %, 2 % of the runs slowed by a lognormal (median 15 %, log-sd 1)
 *     modes    jitter 1 %, 30 % of the runs 4 % slower
 *     mixed    all of these, each a little smaller
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct world {
    const char *name;
    double white, ar, knots, regimes; /* standard deviations; regimes: size of the largest state */
    double spike_share, spike_size, mode_share, mode_size;
};

static const struct world worlds[] = {
    {.name = "still"},
    {.name = "quiet", .white = .006, .ar = .002},
    {.name = "drift", .white = .01, .knots = .03},
    {.name = "ar", .white = .005, .ar = .015},
    {.name = "regimes", .white = .01, .regimes = .1},
    {.name = "spikes", .white = .01, .spike_share = .02, .spike_size = .15},
    {.name = "modes", .white = .01, .mode_share = .3, .mode_size = .04},
    {.name = "mixed",
     .white = .01,
     .ar = .01,
     .knots = .02,
     .regimes = .04,
     .spike_share = .02,
     .spike_size = .1,
     .mode_share = .25,
     .mode_size = .02},
};

static const int64_t AR_STEP_NS = 5000000, KNOT_NS = 2000000000, REGIME_NS = 700000000;
static const double PHI = .9;
enum { AR_STEPS = 64 }; /* .9^64 is a thousandth */
enum stream { AR, KNOTS, REGIMES, RUN };

static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double uniform_at(uint64_t seed, enum stream stream, int64_t index, int which)
{
    uint64_t bits = mixed(mixed(mixed(seed) ^ ((uint64_t)stream * 8 + (uint64_t)which)) ^ (uint64_t)index);
    return ((double)(bits >> 11) + .5) * 0x1p-53;
}

static double normal_at(uint64_t seed, enum stream stream, int64_t index, int which)
{
    double u = uniform_at(seed, stream, index, 2 * which), v = uniform_at(seed, stream, index, 2 * which + 1);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* The part of an AR(1) that the last 64 shocks explain. */
static double ar_at(uint64_t seed, int64_t t_ns)
{
    double sum = 0, weight = sqrt(1 - PHI * PHI);
    for (int k = 0; k < AR_STEPS; k++, weight *= PHI)
        sum += weight * normal_at(seed, AR, t_ns / AR_STEP_NS - k, 0);
    return sum;
}

static double line_at(uint64_t seed, int64_t t_ns)
{
    int64_t knot = t_ns / KNOT_NS;
    double along = (double)(t_ns % KNOT_NS) / (double)KNOT_NS;
    return (1 - along) * normal_at(seed, KNOTS, knot, 0) + along * normal_at(seed, KNOTS, knot + 1, 0);
}

static double state_at(uint64_t seed, int64_t t_ns)
{
    double u = uniform_at(seed, REGIMES, t_ns / REGIME_NS, 0);
    return u < 1 / 3. ? 0 : u < 2 / 3. ? .4 : 1;
}

static double env_log(const struct world *w, uint64_t seed, int64_t t_ns)
{
    double v = 0;
    if (w->ar > 0)
        v += w->ar * ar_at(seed, t_ns);
    if (w->knots > 0)
        v += w->knots * line_at(seed, t_ns);
    if (w->regimes > 0)
        v += log1p(w->regimes * state_at(seed, t_ns));
    return v;
}

static double jitter_log(const struct world *w, uint64_t seed, int64_t t_ns)
{
    double v = w->white * normal_at(seed, RUN, t_ns, 0);
    if (uniform_at(seed, RUN, t_ns, 2) < w->spike_share)
        v += log1p(w->spike_size * exp(normal_at(seed, RUN, t_ns, 3)));
    if (uniform_at(seed, RUN, t_ns, 3) < w->mode_share)
        v += log1p(w->mode_size);
    return v;
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(int argc, char **argv)
{
    int64_t start_ns = now_ns(CLOCK_MONOTONIC) - now_ns(CLOCK_PROCESS_CPUTIME_ID);
    const struct world *w = worlds, *end = worlds + sizeof worlds / sizeof *worlds;
    while (argc >= 5 && w < end && strcmp(w->name, argv[1]))
        w++;
    if (argc < 5 || w == end) {
        fprintf(stderr, "usage: scripted WORLD SEED BASE_US FACTOR [REST_US]\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[2], NULL, 10);
    double base_us = atof(argv[3]) * atof(argv[4]), rest_us = argc > 5 ? atof(argv[5]) : 0;
    int64_t t_ns = now_ns(CLOCK_REALTIME);
    double us = base_us * exp(env_log(w, seed, t_ns) + jitter_log(w, seed, t_ns)) - rest_us;
    int64_t end_ns = start_ns + (int64_t)(us * 1000);
    while (now_ns(CLOCK_MONOTONIC) < end_ns)
        ;
    return 0;
}
