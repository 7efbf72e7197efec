/* SPDX-License-Identifier: MIT
 *
 * Benchmarks that go wrong, each in its way, for check_bad.sh; and the program as a whole, when a variable asks for it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <tare/bench.h>
#include <unistd.h>

static void work(struct tare_state *st)
{
    uint64_t x = tare_seed(st) | 1;
    TARE_LOOP(st)
    {
        x *= x;
        tare_chain(x);
    }
}

TARE_BENCH(good)
{
    work(st);
}

TARE_BENCH(never)
{
    work(st);
    for (;;)
        pause();
}

TARE_BENCH(exits)
{
    work(st);
    exit(0);
}

TARE_BENCH(crashes_late)
{
    char count;
    int fd = open("count", O_RDWR | O_CREAT | O_APPEND, 0666);
    if (fd < 0 || write(fd, "x", 1) != 1 || (lseek(fd, 0, SEEK_END) == 17 && raise(SIGSEGV)) || pread(fd, &count, 1, 0) != 1)
        return;
    close(fd);
    work(st);
}

TARE_BENCH(changes_items)
{
    double items = 0;
    uint64_t x = 1;
    TARE_LOOP(st)
    {
        x *= 3;
        tare_chain(x);
        tare_items(st, ++items);
    }
}

TARE_BENCH(items_by_process)
{
    int fd = open("items", O_RDWR | O_CREAT | O_APPEND, 0666);
    if (fd < 0 || write(fd, "x", 1) != 1)
        return;
    tare_items(st, (double)lseek(fd, 0, SEEK_END));
    close(fd);
    work(st);
}

TARE_BENCH(prints)
{
    puts("tWr\1 is no frame");
    fflush(stdout);
    work(st);
}

TARE_BENCH(closes)
{
    for (int fd = 0; fd < 64; fd++)
        close(fd);
    work(st);
}

TARE_BENCH(empty, .args = TARE_ARGS(0))
{
    const size_t n = (size_t)tare_arg(st, 0);
    char *p = tare_alloc(st, n);
    uint64_t x = 1;
    TARE_EACH(st, char, v, n, memset(v, 0, n))
    {
        x *= 3;
        x *= 5;
        tare_chain(x);
        tare_use_mem(p, n);
        tare_use(v);
    }
}

TARE_BENCH(large)
{
    const size_t n = 128 << 20;
    char *p = tare_alloc(st, n);
    if (p)
        work(st);
}

TARE_BENCH(huge)
{
    if (tare_alloc(st, SIZE_MAX / 2))
        work(st);
}

TARE_BENCH(no_time, .manual_time = true)
{
    TARE_LOOP(st)
    {
        tare_manual_ns(st, 0 / tare_opaque(0.0));
    }
}

/* NO_COUNTER: the processor's counter may not be read, NO_MEMORY: 64 MB in all, TWINS: two benchmarks of one name. */
int main(int argc, char **argv)
{
    const struct rlimit limit = {64 << 20, 64 << 20};
    if ((getenv("NO_COUNTER") && prctl(PR_SET_TSC, PR_TSC_SIGSEGV)) || (getenv("NO_MEMORY") && setrlimit(RLIMIT_AS, &limit)))
        return 1;
    if (getenv("TWINS") && tare_bench_add("good", work, NULL))
        return 1;
    return tare_bench_main(argc, argv, tare_write_stdout, NULL);
}
