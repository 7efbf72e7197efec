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
 * Smallest n: 2, unbounded below 5 or 6, by the level (where A >= 1 + n g). Equal means: an interval of no width but for what is added. Ties: none special.
 */
#include "leak_core.h"
#include <math.h>
#include <stdlib.h>

static const double PRIOR = 10; /* g */

/* ---- intervals ---- */

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

/* ---- pairs ---- */

enum tare_status leak_over_start(struct leak_over *o, int pairs)
{
    *o = (struct leak_over){.pair = calloc((size_t)pairs, sizeof *o->pair)};
    return o->pair ? TARE_OK : TARE_NO_MEMORY;
}

void leak_over_finish(struct leak_over *o)
{
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
}

static void add_pair(struct leak_over_pair *p, const struct leak_over_sums *now, double blocks, double share)
{
    for (int c = 0; c < LEAK_CLIPS; c++)
        leak_running_add(&p->clipped[c], (now->clipped[c] - p->before.clipped[c]) / blocks, share);
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
    double share = 1 / (double)++o->processes;
    for (int i = 0; i < pairs; i++) {
        struct leak_over_sums now = sums_of(&tallies[i], blocks);
        add_pair(&o->pair[i], &now, (double)had, share);
    }
    o->blocks += had;
    o->from = blocks;
}

struct tare_interval leak_over_interval(const struct leak_over *o, const struct leak_running *r, double range, double level)
{
    struct leak_running careful = *r;
    double n = (double)o->processes, more = range / (double)o->blocks;
    if (o->processes)
        careful.m2 += 2 * more * more * n * (n - 1); /* of the mean's variance, which is m2 / (n (n - 1)) */
    return leak_over_processes(&careful, o->processes, level);
}
