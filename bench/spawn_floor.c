/* SPDX-License-Identifier: MIT
 *
 * spawn_floor NOOP [ROUNDS]: what an empty program takes by tare's spawner and by hand-written loops, one run each a round, order
 * drawn anew each round. Prints a Markdown table.
 *
 *   by hand   vfork; the child stamps the clock into shared memory just before execve; the waiter stamps after waitid
 *   around    the same, but the clock is read before vfork and after wait4, as most tools do
 *   tare      plat_child_run
 */
#include "plat.h"
#include "rng.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tare/stats.h>
#include <time.h>
#include <unistd.h>

enum { BY_HAND, AROUND, TARE, WAYS };
static const char *const names[] = {"by hand, stamped in the child", "by hand, around vfork and wait4", "tare"};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct bench {
    const char *noop;
    int null;
    volatile int64_t *stamp; /* shared with the child */
    struct plat_spawner *spawner;
};

/* Returns the time stamped in the child, or that around it. */
static double by_hand(const struct bench *b, bool stamped)
{
    char *const argv[] = {(char *)(uintptr_t)b->noop, NULL};
    char *const envp[] = {NULL};
    struct rusage usage;
    siginfo_t info;
    int64_t before = now_ns();
    pid_t pid = vfork();
    if (!pid) {
        for (int fd = 0; fd < 3; fd++)
            dup2(b->null, fd);
        *b->stamp = now_ns();
        execve(b->noop, argv, envp);
        _exit(127);
    }
    waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    int64_t end = now_ns();
    wait4(pid, NULL, 0, &usage);
    int64_t after = now_ns();
    return (double)(stamped ? end - *b->stamp : after - before);
}

static double by_tare(const struct bench *b)
{
    const char *const argv[] = {b->noop, NULL};
    const char *const envp[] = {NULL};
    struct plat_child_spec spec = {.path = b->noop,
                                   .argv = argv,
                                   .envp = envp,
                                   .fd_in = b->null,
                                   .fd_out = b->null,
                                   .fd_err = b->null,
                                   .pin_cpu = -1,
                                   .drain_fd = -1};
    struct plat_child_result r;
    struct tare_err err;
    if (plat_child_run(b->spawner, &spec, &r, &err) || r.end != CHILD_EXITED) {
        fprintf(stderr, "spawn_floor: %s\n", err.text);
        exit(1);
    }
    return (double)(r.end_ns - r.start_ns);
}

static void row(const char *name, double *x, int n)
{
    struct tare_interval median;
    tare_sort(x, n);
    tare_median_ci_binomial(x, n, 0.05, &median);
    printf("| %s | %d | %.1f | %.1f ... %.1f |\n", name, n, median.point / 1e3, median.low / 1e3, median.high / 1e3);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    int n = argc > 2 ? atoi(argv[2]) : 2000;
    struct bench b = {.noop = argv[1], .null = open("/dev/null", O_RDWR | O_CLOEXEC)};
    b.stamp = mmap(NULL, sizeof *b.stamp, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct tare_err err;
    if (plat_spawner_create(&b.spawner, NULL, &err)) {
        fprintf(stderr, "spawn_floor: %s\n", err.text);
        return 1;
    }
    double *x[WAYS], *d = malloc((size_t)n * sizeof *d);
    for (int w = 0; w < WAYS; w++)
        x[w] = malloc((size_t)n * sizeof **x);
    struct rng rng = rng_seeded(1);
    for (int i = -20; i < n; i++) { /* the first 20 rounds warm up */
        int order[] = {BY_HAND, AROUND, TARE};
        rng_shuffle(&rng, order, WAYS);
        for (int j = 0; j < WAYS; j++)
            x[order[j]][i < 0 ? 0 : i] = order[j] == TARE ? by_tare(&b) : by_hand(&b, order[j] == BY_HAND);
    }
    for (int i = 0; i < n; i++)
        d[i] = x[TARE][i] - x[BY_HAND][i];
    struct tare_interval shift;
    void *scratch = malloc(tare_hl_scratch_bytes(n));
    tare_hl_ci_walsh(d, n, 0.05, scratch, &shift);
    printf("| empty program | rounds | median, µs | 95 %% interval, µs |\n|---|---:|---:|---:|\n");
    for (int w = 0; w < WAYS; w++)
        row(names[w], x[w], n);
    printf("| tare minus by hand (Hodges-Lehmann of pairs) | %d | %+.1f | %+.1f ... %+.1f |\n", n, shift.point / 1e3,
           shift.low / 1e3, shift.high / 1e3);
    plat_spawner_destroy(b.spawner);
    return 0;
}
