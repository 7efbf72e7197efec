/* SPDX-License-Identifier: MIT
 *
 * Sizes by the CPU that a process ran on. Processes are allotted to CPUs at random, each CPU equally often, so that what a CPU adds is part of how
 * processes scatter, and the mean over processes is that over the CPUs of the machine. This says whether they differ.
 *
 * Of each CPU the mean over its processes, its interval as in leak_processes.c at 1 - confidence by itself. Test: of K CPUs with LEAST processes or more
 * each, the mean of each against that of the processes of all the others, by Student's t of Welch (1947):
 *     t = (m - o) / sqrt(s^2/n + q^2/N),   degrees of freedom of Satterthwaite (1946); of more than two CPUs min(n, N) - 1, since with 8 processes against 56
 *                                          his let t be too large in 1.8 of 100
 * They differ where any of the K two-sided p is at most LEVEL / K (Bonferroni; of two CPUs there is one comparison). By chance in at most 1 of 100 readings where
 * means are near normal; processes whose law is skewed alike on all CPUs leave the difference of two means near symmetric. LEVEL is of one reading, that at
 * the end of a session: it is not anytime-valid, no verdict rests on it, and it stops nothing.
 *
 * Smallest n: LEAST processes on each of two CPUs. No scatter at all: different means differ. Ties: none special. A CPU beyond the first LEAK_CPUS_MAX is in the
 * mean over processes, and in no stratum.
 */
#include "leak_core.h"
#include <math.h>
#include <stdlib.h>
#include <tare/stats.h>

enum { LEAST = 3 };
static const double LEVEL = .01;

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

/* ---- do they differ? ---- */

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
        tested += of[i].n >= LEAST;
    for (int i = 0; i < n; i++) {
        struct moments others = {0};
        for (int k = 0; k < n; k++)
            others = k == i || of[k].n < LEAST ? others : together(others, of[k]);
        if (of[i].n >= LEAST && others.n >= LEAST)
            least = fmin(least, welch_p(of[i], others, tested == 2));
    }
    return tested < 2 ? -1 : least <= LEVEL / (tested == 2 ? 1 : tested);
}

/* ---- reading ---- */

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
