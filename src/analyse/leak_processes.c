/* SPDX-License-Identifier: MIT
 *
 * Means over processes. Each lays code, data and stack out anew, and how long a call takes, and by how much two classes differ, depends on that:
 * calls of one process say little of the next. So a process's mean is one value, however many calls it had.
 *
 * Intervals: the mixture of Student's t (Lai 1976; Wang and Ramdas 2023) over the processes' means d_1 .. d_n,
 *     mean -+ s / sqrt(n) sqrt((n - 1) (A - 1) / (1 - A / (1 + n g))),   A = (sqrt(1 + n g) / level)^(2 / n), unbounded where A >= 1 + n g,
 * g = 10 for few processes. The interval leaves out just the values m whose evidence E(m) has reached 1/level:
 *     E(m) = A^(n/2) / sqrt(1 + n g),   A = (t + n - 1) / (n - 1 + t / (1 + n g)),   t = n (mean - m)^2 / s^2.
 * E(D), taken as 0 while the mean is not above D, is the evidence of a mean above D: for a true mean m <= D it is at most E(m) at every n, so it
 * reaches 1/alpha with probability at most alpha whatever the mean is below D. (It is told as ln E = 0 there, which no alpha below 1 tells from 0.) At n
 * processes it cannot exceed (1 + n g)^((n - 1)/2).
 * Both hold at every number of processes, exactly where the means are normal, of one variance; a mean of many clipped calls is, as far as calls make it vary. How it varies with
 * the layout is the program's: leak_processes_sim_test.c has the coverage where that is skewed, or of few kinds.
 * A kind of layout that no process had is in no interval: of those that a share p of all processes have, n processes miss one with (1 - p)^n.
 *
 * Differences of a pair: of each process the mean of g(b) - g(a) over its blocks behind those that set its first limits, and for each limit the share of blocks with only the second at
 * or below it less that with only the first. What keeps variances honest about calls that have not come yet (leak_size.c) is in the variance here too: two
 * blocks more, one each way, change the mean of all N blocks by their range / N each. A process with fewer than half as many blocks as those before
 * it had on average, or of which the warm-up took more than it left, is no process of its own: its blocks count with the next one's, unless that sets limits of its own, for a mean of few
 * would be another sort of number than the others.
 *
 * In core cycles: of each process its difference times the core cycles that a tick of its clock had while it ran, then as above. Where cores change their
 * frequency from process to process, code that computes takes as many cycles in all of them, and the mean in cycles is known better than that in ns; code that
 * waits for memory is the other way round. Neither is corrected by the other: the mean in ns is without bias for the processes as they ran, that in cycles for
 * their cycles. What is measured of the frequency (some parts in a thousand) is noise of the second.
 *
 * Smallest n: 2, unbounded below 5 or 6, by the level (where A >= 1 + n g). Equal means: an interval of no width but for what is added. Ties: none special.
 */
#include "leak_core.h"
#include <math.h>
#include <stdlib.h>
#include <tare/stats.h>

static const double PRIOR = 10; /* g */

struct tare_interval leak_over_processes(const struct leak_running *r, int64_t processes, double level)
{
    double n = (double)processes, room = 1 + n * PRIOR, a = pow(sqrt(room) / level, 2 / n);
    struct tare_interval out = {processes ? r->mean : NAN, -INFINITY, INFINITY, level, (ptrdiff_t)processes};
    if (processes < 2 || !(a < room))
        return out;
    double radius = sqrt(r->m2 / n * (a - 1) / (1 - a / room)); /* s^2 (n - 1) is m2 */
    out.low = r->mean - radius;
    out.high = r->mean + radius;
    return out;
}

double leak_log_e_above(const struct leak_running *r, int64_t processes, double bound)
{
    double n = (double)processes, room = 1 + n * PRIOR, off = r->mean - bound;
    if (processes < 2 || !(off > 0))
        return 0;
    double t = r->m2 > 0 ? n * off * off * (n - 1) / r->m2 : INFINITY;
    double log_a = isinf(t) ? log(room) : log(t + n - 1) - log(n - 1 + t / room);
    return n / 2 * log_a - log(room) / 2;
}

int64_t leak_least_processes(double confidence)
{
    return (int64_t)ceil(log(1 - confidence) / log(.75));
}

static double unit_reach(int64_t processes, double level, double off)
{
    struct leak_running unit = {0, (double)(processes - 1)};
    return leak_over_processes(&unit, processes, level).high + off / sqrt((double)processes);
}

double leak_processes_at_radius(int64_t now, double radius, double room, double off, int64_t least, double level)
{
    enum { MOST = 1 << 20 };
    double sd = radius / unit_reach(now, level, 0);
    int64_t n = least > now ? least : now;
    if (!(room > 0))
        return INFINITY;
    if (!isfinite(sd)) /* too few of them for an interval: the least may do */
        return (double)n;
    while (n < MOST && !(sd * unit_reach(n, level, off) <= room))
        n += 1 + n / 50;
    return n < MOST ? (double)n : INFINITY;
}

enum tare_status leak_strata_start(struct leak_strata *s, int pairs)
{
    *s = (struct leak_strata){.clipped = calloc((size_t)LEAK_CPUS_MAX * (size_t)pairs * LEAK_CLIPS, sizeof *s->clipped)};
    return s->clipped ? TARE_OK : TARE_NO_MEMORY;
}

void leak_strata_finish(struct leak_strata *s)
{
    free(s->clipped);
    s->clipped = NULL;
}

int leak_strata_at(struct leak_strata *s, int cpu)
{
    int at = 0;
    while (at < s->n && s->cpu[at] != cpu)
        at++;
    if (cpu < 0 || at == LEAK_CPUS_MAX)
        return -1;
    s->cpu[at] = cpu;
    s->n += at == s->n;
    s->processes[at]++;
    return at;
}

enum tare_status leak_over_start(struct leak_over *o, int pairs)
{
    *o = (struct leak_over){.pair = calloc((size_t)pairs, sizeof *o->pair),
                            .cpu = -1,
                            .cycles = NAN,
                            .cycles_low = INFINITY,
                            .cycles_high = -INFINITY};
    return o->pair ? leak_strata_start(&o->strata, pairs) : TARE_NO_MEMORY;
}

void leak_over_finish(struct leak_over *o)
{
    leak_strata_finish(&o->strata);
    free(o->pair);
    o->pair = NULL;
}

static struct leak_over_sums sums_of(const struct leak_tally *t, int64_t blocks)
{
    int64_t first[LEAK_LIMITS], second[LEAK_LIMITS];
    struct leak_over_sums s;
    for (int c = 0; c < LEAK_CLIPS; c++)
        s.clipped[c] = t->mean[c].mean * (double)blocks;
    leak_tally_below(t, first, second);
    for (int i = 0; i < LEAK_LIMITS; i++)
        s.signs[i] = second[i] - first[i];
    return s;
}

void leak_over_skip(struct leak_over *o, const struct leak_tally *tallies, int pairs, int64_t blocks)
{
    for (int i = 0; i < pairs; i++)
        o->pair[i].before = sums_of(&tallies[i], blocks);
    o->from = blocks;
    o->waiting = 0;
}

void leak_over_place(struct leak_over *o, int cpu, double cycles_per_tick)
{
    const bool first = !o->waiting++;
    o->cpu = first || cpu == o->cpu ? cpu : -1;
    o->cycles = first ? cycles_per_tick : o->cycles + (cycles_per_tick - o->cycles) / o->waiting;
    o->slowest = first ? cycles_per_tick : fmin(o->slowest, cycles_per_tick);
    o->fastest = first ? cycles_per_tick : fmax(o->fastest, cycles_per_tick);
}

/* stratum: of its CPU, NULL: none; of that so many processes with this one. */
static void add_pair(struct leak_over *o, struct leak_over_pair *p, const struct leak_over_sums *now, double blocks,
                     struct leak_running *stratum, double share_there)
{
    const double share = 1 / (double)o->processes;
    for (int c = 0; c < LEAK_CLIPS; c++) {
        const double size = (now->clipped[c] - p->before.clipped[c]) / blocks;
        leak_running_add(&p->clipped[c], size, share);
        if (o->cycles > 0)
            leak_running_add(&p->cycles[c], size * o->cycles, 1 / (double)o->with_cycles);
        if (stratum)
            leak_running_add(&stratum[c], size, share_there);
    }
    for (int i = 0; i < LEAK_LIMITS; i++)
        leak_running_add(&p->sign[i], (double)(now->signs[i] - p->before.signs[i]) / blocks, share);
    p->before = *now;
}

bool leak_counts_alone(int64_t had, int64_t warming, int64_t processes, int64_t before)
{
    return had > 0 && had >= warming && 2 * had * processes >= before;
}

void leak_over_round(struct leak_over *o, const struct leak_tally *tallies, int pairs, int64_t blocks, int64_t warmup)
{
    const int64_t warming = warmup - o->warmup, had = blocks - o->from;
    o->warmup = warmup;
    if (!leak_counts_alone(had, warming, o->processes, o->blocks))
        return;
    o->processes++;
    if (o->cycles > 0) {
        o->with_cycles++;
        o->cycles_low = fmin(o->cycles_low, o->slowest);
        o->cycles_high = fmax(o->cycles_high, o->fastest);
    }
    const int at = leak_strata_at(&o->strata, o->cpu);
    for (int i = 0; i < pairs; i++) {
        struct leak_over_sums now = sums_of(&tallies[i], blocks);
        add_pair(o, &o->pair[i], &now, (double)had, at < 0 ? NULL : leak_stratum(&o->strata, pairs, at, i),
                 at < 0 ? 0 : 1 / (double)o->strata.processes[at]);
    }
    o->blocks += had;
    o->from = blocks;
    o->waiting = 0;
}

struct tare_interval leak_over_interval(const struct leak_over *o, const struct leak_running *r, double range, double level)
{
    struct leak_running careful = *r;
    double n = (double)o->processes, more = range / (double)o->blocks;
    if (o->processes)
        careful.m2 += 2 * more * more * n * (n - 1); /* of the mean's variance, which is m2 / (n (n - 1)) */
    return leak_over_processes(&careful, o->processes, level);
}

/* Do CPUs differ?
 * Sizes by the CPU that a process ran on. Processes are allotted to CPUs at random, each CPU equally often, so that what a CPU adds is part of how
 * processes scatter, and the mean over processes is that over the CPUs of the machine. This says whether they differ.
 *
 * Of each CPU the mean over its processes, its interval as above at 1 - confidence by itself. Test: of K CPUs with LEAST_OF_CPU processes or more
 * each, the mean of each against that of the processes of all the others, by Student's t of Welch (1947):
 *     t = (m - o) / sqrt(s^2/n + q^2/N),   degrees of freedom of Satterthwaite (1946); of more than two CPUs min(n, N) - 1, since with 8 processes against 56
 *                                          his let t be too large in 1.8 of 100
 * They differ where any of the K two-sided p is at most CPU_LEVEL / K (Bonferroni; of two CPUs there is one comparison). By chance in at most 1 of 100 readings where
 * means are near normal; processes whose law is skewed alike on all CPUs leave the difference of two means near symmetric. CPU_LEVEL is of one reading, that at
 * the end of a session: it is not anytime-valid, no verdict rests on it, and it stops nothing.
 *
 * Smallest n: LEAST_OF_CPU processes on each of two CPUs. No scatter at all: different means differ. Ties: none special. A CPU beyond the first LEAK_CPUS_MAX is in the
 * mean over processes, and in no stratum.
 */

enum { LEAST_OF_CPU = 3 };
static const double CPU_LEVEL = .01;

struct moments {
    double n, mean, m2;
};

/* Of two groups together (Chan, Golub and LeVeque 1979). */
static struct moments together(struct moments a, struct moments b)
{
    const double n = a.n + b.n, off = b.mean - a.mean;
    return n > 0 ? (struct moments){n, a.mean + off * b.n / n, a.m2 + b.m2 + off * off * a.n * b.n / n} : a;
}

static double welch_p(struct moments a, struct moments b, bool two)
{
    const double va = a.m2 / (a.n - 1) / a.n, vb = b.m2 / (b.n - 1) / b.n, all = va + vb, off = fabs(a.mean - b.mean);
    if (!(all > 0))
        return off > 0 ? 0 : 1;
    const double df = two ? all * all / (va * va / (a.n - 1) + vb * vb / (b.n - 1)) : fmin(a.n, b.n) - 1;
    return 2 * tare_student_cdf(-off / sqrt(all), df);
}

static int differ(const struct moments *of, int n)
{
    int tested = 0;
    double least = 1;
    for (int i = 0; i < n; i++)
        tested += of[i].n >= LEAST_OF_CPU;
    for (int i = 0; i < n; i++) {
        struct moments others = {0};
        for (int k = 0; k < n; k++)
            others = k == i || of[k].n < LEAST_OF_CPU ? others : together(others, of[k]);
        if (of[i].n >= LEAST_OF_CPU && others.n >= LEAST_OF_CPU)
            least = fmin(least, welch_p(of[i], others, tested == 2));
    }
    return tested < 2 ? -1 : least <= CPU_LEVEL / (tested == 2 ? 1 : tested);
}

static int by_cpu(const void *a, const void *b)
{
    const struct leak_on_cpu *x = a, *y = b;
    return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

void leak_strata_read(const struct leak_strata *s, int pairs, int pair, int clip, double level, struct leak_reading *out)
{
    struct moments of[LEAK_CPUS_MAX];
    for (int i = 0; i < s->n; i++) {
        const struct leak_running *r = &leak_stratum(s, pairs, i, pair)[clip];
        of[i] = (struct moments){(double)s->processes[i], r->mean, r->m2};
        out->cpu[i] = (struct leak_on_cpu){s->cpu[i], s->processes[i], leak_over_processes(r, s->processes[i], level)};
    }
    out->n_cpus = s->n;
    out->cpus_differ = differ(of, s->n);
    qsort(out->cpu, (size_t)s->n, sizeof *out->cpu, by_cpu);
}
