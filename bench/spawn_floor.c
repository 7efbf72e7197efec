/* SPDX-License-Identifier: MIT
 *
 * What the spawner itself adds to a measured time, on a program that only ends:
 *
 *     $ build/bench/spawn_floor 5000
 *     no-op program, 5000 rounds of each, interleaved in random order
 *     hand-written vfork, stamp in the child    median  61.20 us
 *     ...
 *
 * The hand-written loop is the least a measurement can do: vfork, stamp, exec, wait, stamp. A second one reads the clock
 * around vfork and wait4 as a shell's time does. The gap is the time from the end of one run to the start of the next.
 * Medians, and the 95 % interval of the median of the paired differences by order statistics.
 */
#include "plat.h"
#include "rng.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum way { BY_HAND, AROUND, BY_TARE, WAYS };
static const char *const names[] = {"hand-written vfork, stamp in the child", "vfork to wait4, as seen from outside",
                                    "plat_child_run"};

static struct plat_spawner *spawner;
static struct plat_child_spec spec;
static volatile int64_t *child_stamp;

static void stop(const char *why)
{
    fprintf(stderr, "spawn_floor: %s\n", why);
    exit(1);
}

static int64_t by_hand(bool around)
{
    int64_t before = plat_now_ns();
    pid_t pid = vfork();
    if (!pid) {
        *child_stamp = plat_now_ns();
        execve(spec.path, (char *const *)(uintptr_t)spec.argv, (char *const *)(uintptr_t)spec.envp);
        _exit(127);
    }
    siginfo_t info;
    struct rusage usage;
    int status;
    if (around) {
        wait4(pid, &status, 0, &usage);
        return plat_now_ns() - before;
    }
    waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    int64_t end = plat_now_ns();
    if (wait4(pid, &status, 0, &usage) != pid || status)
        stop("the no-op failed");
    return end - *child_stamp;
}

static int64_t by_tare(void)
{
    struct plat_child_result r;
    struct tare_err err;
    if (plat_child_run(spawner, &spec, &r, &err))
        stop(err.text);
    if (r.end != CHILD_EXITED || r.code)
        stop("the no-op failed");
    return r.end_ns - r.start_ns;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int n, double p)
{
    return sorted[(int)(p * (n - 1) + 0.5)];
}

static double *column(int n)
{
    double *c = calloc((size_t)n, sizeof *c);
    if (!c)
        stop("out of memory");
    return c;
}

static void measure(double *const us[WAYS], int n)
{
    struct rng rng = rng_seeded(1);
    for (int i = -50; i < n; i++) {
        int order[WAYS] = {BY_HAND, AROUND, BY_TARE};
        rng_shuffle(&rng, order, WAYS);
        for (int j = 0; j < WAYS; j++) {
            double t = (double)(order[j] == BY_TARE ? by_tare() : by_hand(order[j] == AROUND)) / 1e3;
            if (i >= 0)
                us[order[j]][i] = t;
        }
    }
}

static void report_difference(const double *a, const double *b, int n, const char *text)
{
    double *d = column(n);
    for (int i = 0; i < n; i++)
        d[i] = a[i] - b[i];
    qsort(d, (size_t)n, sizeof *d, by_value);
    int reach = (int)ceil(0.98 * sqrt(n)); /* half of 1.96 standard deviations of a binomial(n, 1/2) */
    int low = n / 2 - reach < 0 ? 0 : n / 2 - reach, high = n / 2 + reach >= n ? n - 1 : n / 2 + reach;
    printf("%s: %+.2f us (95 %%: %+.2f to %+.2f)\n", text, quantile(d, n, 0.5), d[low], d[high]);
    free(d);
}

static void report_gap(int n)
{
    double *gap = column(n), *cost = column(n);
    struct plat_child_result last = {0}, r;
    struct tare_err err;
    for (int i = -50; i < n; i++, last = r) {
        int64_t before = plat_now_ns();
        if (plat_child_run(spawner, &spec, &r, &err))
            stop(err.text);
        if (i >= 0) {
            gap[i] = (double)(r.start_ns - last.end_ns) / 1e3;
            cost[i] = (double)(plat_now_ns() - before - (r.end_ns - r.start_ns)) / 1e3;
        }
    }
    qsort(gap, (size_t)n, sizeof *gap, by_value);
    qsort(cost, (size_t)n, sizeof *cost, by_value);
    printf("end of a run to start of the next: median %.2f us, 9 of 10 below %.2f us\n", quantile(gap, n, 0.5),
           quantile(gap, n, 0.9));
    printf("plat_child_run outside the measured time: median %.2f us\n", quantile(cost, n, 0.5));
    free(gap);
    free(cost);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5000;
    struct tare_err err;
    if (n < 10)
        stop("usage: spawn_floor [ROUNDS, at least 10]");
    if (plat_spawner_create(&spawner, argc > 2 ? argv[2] : NULL, &err))
        stop(err.text);
    child_stamp = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const char *const noop[] = {plat_noop_path(spawner), NULL}, *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    int null = plat_open_null();
    spec = (struct plat_child_spec){.path = noop[0], .argv = noop, .envp = environment, .pin_cpu = -1, .drain_fd = -1};
    spec.fd_in = spec.fd_out = spec.fd_err = null;

    double *us[WAYS], *sorted = column(n);
    for (int w = 0; w < WAYS; w++)
        us[w] = column(n);
    measure(us, n);
    printf("no-op program, %d rounds of each, interleaved in random order\n", n);
    for (int w = 0; w < WAYS; w++) {
        memcpy(sorted, us[w], (size_t)n * sizeof *sorted);
        qsort(sorted, (size_t)n, sizeof *sorted, by_value);
        printf("%-40s median %.2f us, min %.2f, quartiles %.2f %.2f\n", names[w], quantile(sorted, n, 0.5), sorted[0],
               quantile(sorted, n, 0.25), quantile(sorted, n, 0.75));
        free(w == WAYS - 1 ? sorted : NULL);
    }
    report_difference(us[BY_TARE], us[BY_HAND], n, "plat_child_run against the hand-written loop");
    report_gap(n);
    for (int w = 0; w < WAYS; w++)
        free(us[w]);
    plat_spawner_destroy(spawner);
    plat_close(null);
    return fflush(stdout) ? 1 : 0;
}
