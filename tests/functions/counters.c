/* SPDX-License-Identifier: MIT
 *
 * Benchmarks that take so many page faults an iteration, for counters_test.sh.
 */
#define _DEFAULT_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <tare/tare.h>
#include <unistd.h>

enum { PAGES = 3 };

static char *map_pages(struct tare_state *st, size_t bytes)
{
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        tare_fail(st, "no memory to map");
    return p == MAP_FAILED ? NULL : p;
}

/* Gives pages back and touches them again. */
static void renew(char *p, size_t page)
{
    madvise(p, PAGES * page, MADV_DONTNEED);
    for (int i = 0; i < PAGES; i++)
        ((volatile char *)p)[(size_t)i * page] = 1;
}

TARE_BENCH(three_pages)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = map_pages(st, PAGES * page);
    TARE_LOOP(st)
    {
        renew(p, page);
    }
    if (p)
        munmap(p, PAGES * page);
}

TARE_BENCH(none)
{
    uint64_t x = tare_seed(st) | 1;
    TARE_LOOP(st)
    {
        x *= 3;
        tare_chain(x);
    }
}

/* Its faults are of what makes inputs, which is not measured. */
TARE_BENCH(before_the_clock)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = map_pages(st, PAGES * page);
    TARE_EACH(st, uint64_t, v, 64, (renew(p, page), memset(v, 1, 64 * sizeof *v)))
    {
        for (int i = 1; i < 64; i++)
            v[i] *= v[i - 1];
        tare_use_mem(v, 64 * sizeof *v);
    }
    if (p)
        munmap(p, PAGES * page);
}

TARE_MAIN()
