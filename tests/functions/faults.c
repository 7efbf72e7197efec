/* SPDX-License-Identifier: MIT
 *
 * Benchmarks that do what no benchmark should, one beside another that is sound, for faults_test.sh. FAULTS_COUNT names a file that grows by
 * a byte with each process of `late`; FAULTS_NO_TSC forbids this program the processor's counter; FAULTS_TWINS registers a name twice.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <tare/tare.h>
#include <unistd.h>

static void some_work(struct tare_state *st)
{
    uint64_t x = tare_seed(st) | 1;
    TARE_LOOP(st)
    {
        x = x * 6364136223846793005u + 1;
        tare_chain(x);
    }
}

TARE_BENCH(sound)
{
    some_work(st);
}

TARE_BENCH(never_returns)
{
    for (;;)
        pause();
    some_work(st);
}

TARE_BENCH(spins_for_ever)
{
    uint64_t x = 1;
    TARE_LOOP(st)
    {
        while (tare_opaque(x))
            x |= 1;
    }
}

TARE_BENCH(exits)
{
    exit((int)tare_opaque(3));
    some_work(st);
}

TARE_BENCH(exits_as_if_well)
{
    int n = 0;
    TARE_LOOP(st)
    {
        if (tare_opaque(++n) > 100)
            _exit(0);
    }
}

TARE_BENCH(aborts)
{
    some_work(st);
    abort();
}

TARE_BENCH(crashes)
{
    some_work(st);
    *(volatile int *)tare_opaque((void *)0) = 1;
}

static int process_number(void)
{
    const char *path = getenv("FAULTS_COUNT");
    struct stat s;
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (fd < 0 || write(fd, "x", 1) != 1 || fstat(fd, &s))
        return 0;
    close(fd);
    return (int)s.st_size;
}

TARE_BENCH(late)
{
    bool last = process_number() >= 17;
    some_work(st);
    if (last)
        abort();
}

/* In a process, and from one to the next. */
TARE_BENCH(changes_its_items)
{
    tare_items(st, 1);
    some_work(st);
    tare_items(st, 2 + (double)(tare_seed(st) % 100));
    tare_counter(st, "swaps", (double)(tare_seed(st) % 7), "", TARE_PER_ITERATION);
}

TARE_BENCH(counts_nonsense)
{
    some_work(st);
    tare_items(st, NAN);
    tare_bytes(st, -INFINITY);
    tare_counter(st, "no number", NAN, "", TARE_TOTAL);
}

TARE_BENCH(prints)
{
    for (int i = 0; i < 20000; i++)
        printf("{\"type\":\"trailer\"} not for you %d\n", i);
    fflush(stdout);
    fprintf(stderr, "\033[2Jnor this\n");
    some_work(st);
    puts("at the end");
}

TARE_BENCH(closes_descriptors)
{
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    some_work(st);
}

TARE_BENCH(zero_sized, .args = TARE_ARGS(0, 1))
{
    size_t n = (size_t)tare_arg(st, 0);
    char *p = tare_alloc(st, n);
    if (!p)
        return;
    TARE_EACH(st, int, v, n, memset(v, 1, n * sizeof *v))
    {
        tare_use_mem(v, n * sizeof *v);
        tare_use(tare_opaque(n) * 3 + tare_opaque(n));
    }
    tare_use_mem(p, n);
    tare_bytes(st, (double)n);
}

TARE_BENCH(too_much_memory)
{
    if (!tare_alloc(st, SIZE_MAX / 4))
        return;
    some_work(st);
}

TARE_BENCH(threads, .threads = TARE_ARGS(3))
{
    some_work(st);
}

static double own_time = 1;

TARE_BENCH(time_stands_still, .manual_time = true)
{
    TARE_LOOP(st)
    {
        tare_manual_ns(st, 0);
    }
}

TARE_BENCH(time_runs_backwards, .manual_time = true)
{
    TARE_LOOP(st)
    {
        tare_manual_ns(st, own_time -= 1);
    }
}

TARE_BENCH(time_is_no_number, .manual_time = true)
{
    TARE_LOOP(st)
    {
        tare_manual_ns(st, NAN);
    }
}

__attribute__((constructor)) static void as_asked(void)
{
    if (getenv("FAULTS_NO_TSC"))
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    if (getenv("FAULTS_TWINS"))
        tare_bench_add("sound", some_work, NULL);
}

TARE_MAIN()
