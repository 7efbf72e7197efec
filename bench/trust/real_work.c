/* SPDX-License-Identifier: MIT
 *
 * real_work KIND N: an amount N of real work of one kind; a planted slowdown of 1 % is N and 1.01 N. Kinds, and what N counts:
 *
 *     spin      dependent multiplications                      nothing but the core
 *     stream    lines of 64 bytes read and written, in order   memory bandwidth (a buffer of 8 MiB)
 *     chase     loads that each wait for the one before        memory latency (a random cycle over 4 MiB)
 *     syscalls  calls of getppid                               the way into the kernel and back
 *     malloc    allocations and frees of mixed sizes           the allocator
 *     startup   fresh pages touched                            page faults, which most of a short start-up is made of
 *
 * What comes before the work (start of the process, making the buffers) is the same for every N: `real_work KIND 0` shows it.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile uint64_t result; /* so that no work is left out */

static uint64_t next(uint64_t x)
{
    return x * 6364136223846793005u + 1442695040888963407u;
}

static void *pages(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        exit(1);
    return p;
}

static void spin(long n)
{
    uint64_t x = 88172645463325252u;
    for (; n > 0; n--) {
        x = next(x);
        __asm__ volatile("" : "+r"(x));
    }
    result = x;
}

static void stream(long n)
{
    enum { LINES = 8 << 20 >> 6, WORDS = 8 };
    uint64_t *a = pages((size_t)LINES * 64);
    for (long i = 0; i < LINES; i++) /* all pages are there before the counted part */
        a[i * WORDS] = 1;
    for (long i = 0; i < n; i++)
        a[i % LINES * WORDS] += (uint64_t)i;
    result = a[0];
}

/* Sattolo's shuffle: one cycle through all lines. */
static void chase(long n)
{
    enum { LINES = 4 << 20 >> 6, WORDS = 8 };
    uint64_t *a = pages((size_t)LINES * 64), x = 1;
    for (uint64_t i = 0; i < LINES; i++)
        a[i * WORDS] = i;
    for (uint64_t i = LINES - 1; i > 0; i--) {
        x = next(x);
        uint64_t j = (x >> 33) % i, kept = a[i * WORDS];
        a[i * WORDS] = a[j * WORDS];
        a[j * WORDS] = kept;
    }
    uint64_t at = 0;
    for (; n > 0; n--)
        at = a[at * WORDS];
    result = at;
}

static void syscalls(long n)
{
    for (; n > 0; n--)
        result = (uint64_t)syscall(SYS_getppid);
}

static void allocate(long n)
{
    enum { HELD = 1024 };
    void *held[HELD] = {0};
    uint64_t x = 1;
    for (; n > 0; n--) {
        x = next(x);
        void **slot = &held[x >> 54];
        free(*slot);
        *slot = malloc(16 + (x >> 32) % 2048);
        if (!*slot)
            exit(1);
        *(char *)*slot = 1;
    }
    result = (uint64_t)(uintptr_t)held[0];
}

static void startup(long n)
{
    if (n <= 0)
        return;
    char *p = pages((size_t)n * 4096);
    madvise(p, (size_t)n * 4096, MADV_NOHUGEPAGE); /* a fault for each page */
    for (long i = 0; i < n; i++)
        p[i * 4096] = 1;
    result = (uint64_t)p[0];
}

static const struct {
    const char *name;
    void (*run)(long n);
} kinds[] = {{"spin", spin},         {"stream", stream},   {"chase", chase},
             {"syscalls", syscalls}, {"malloc", allocate}, {"startup", startup}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, argv[1])) {
            kinds[i].run(atol(argv[2]));
            return 0;
        }
    fprintf(stderr, "usage: work spin|stream|chase|syscalls|malloc|startup N\n");
    return 2;
}
