/* SPDX-License-Identifier: MIT
 *
 * Benchmarks that touch so many pages, for the memory that tare says they took: from the heap, mapped, and freed again before another one as large. The smallest
 * number is what the others are held against; it is more than the pages by which the report at the end exceeds a benchmark that touches none.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <tare/tare.h>

enum { PAGE = 4096 };

static void touch(volatile char *p, int64_t pages)
{
    for (int64_t i = 0; i < pages; i++)
        p[i * PAGE] = 1;
}

static void from_heap(int64_t pages)
{
    char *p = malloc((size_t)pages * PAGE + 1);
    if (p)
        touch(p, pages);
    free(p);
}

#define PAGES TARE_NAMED("pages", 128, 256, 4096, 65536)

TARE_BENCH(heap, .args = PAGES)
{
    TARE_LOOP(st)
    {
        from_heap(tare_arg(st, 0));
    }
}

TARE_BENCH(mapped, .args = PAGES)
{
    int64_t pages = tare_arg(st, 0);
    TARE_LOOP(st)
    {
        size_t bytes = (size_t)(pages + 1) * PAGE;
        char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p != MAP_FAILED) {
            touch(p, pages);
            munmap(p, bytes);
        }
    }
}

TARE_BENCH(twice, .args = PAGES)
{
    TARE_LOOP(st)
    {
        from_heap(tare_arg(st, 0));
        from_heap(tare_arg(st, 0));
    }
}

TARE_MAIN()
