/* SPDX-License-Identifier: MIT
 *
 * What a pass of a point costs, beside the bare clock read of the same order, in one process and in a new random order each round.
 *
 *     trace_cost FOLDER ROUNDS PASSES          lines: WHAT NS-A-PASS, one for each round; at the end: bytes WHAT BYTES-A-PASS
 *
 * The trace is written into FOLDER. A block is PASSES passes, eight in a row of the loop; where libtare makes room for more in a block, that is in it.
 * `empty` is the loop with nothing in it. `stdio` is the scheme of four readings with a line of text for each arc, as older tools do it: written
 * anew here. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <tare/point.h>
#include <time.h>

#define EIGHT(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
#define KEEP()     __asm__ __volatile__("" ::: "memory")

static FILE *lines;
static uint64_t lines_written;
static int64_t began_first, began_second;

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void __attribute__((noinline)) stdio_point(const char *file, int line, const char *function)
{
    const int64_t ended_first = clock_ns(), ended_second = clock_ns();
    fprintf(lines,
            "{\"prev\":{\"file\":\"%s\",\"line\":%d,\"func\":\"%s\"},\"curr\":{\"file\":\"%s\",\"line\":%d,\"func\":\"%s\"},"
            "\"dt\":%lld,\"ref_start\":%lld,\"ref_end\":%lld}\n",
            file, line, function, file, line, function, (long long)(ended_first - began_second),
            (long long)(began_second - began_first), (long long)(ended_second - ended_first));
    lines_written++;
    began_first = clock_ns();
    began_second = clock_ns();
}

#define LOOP(name, ...)                                \
    static void __attribute__((noinline)) name(long n) \
    {                                                  \
        for (long i = 0; i < n; i += 8) {              \
            EIGHT(__VA_ARGS__)                         \
        }                                              \
    }

LOOP(empty, KEEP();)
LOOP(ordered_point, TARE_POINT_NAMED("ordered");)
LOOP(value_point, TARE_POINT_VALUE("value", i);)
LOOP(fast_point, TARE_POINT_FAST_NAMED("fast");)
LOOP(precise_point, TARE_POINT_PRECISE_NAMED("precise");)
LOOP(stdio_points, stdio_point(__FILE__, __LINE__, __func__);)
LOOP(system_clock_read, clock_ns(); KEEP();)
#if defined(__x86_64__)
LOOP(ordered_read, __asm__ __volatile__("rdtscp" : : : "rax", "rdx", "rcx", "memory");)
LOOP(fast_read, __asm__ __volatile__("rdtsc" : : : "rax", "rdx", "memory");)
#elif defined(__aarch64__)
LOOP(ordered_read, uint64_t t; __asm__ __volatile__("isb\n\tmrs %0, cntvct_el0" : "=r"(t) : : "memory");)
LOOP(fast_read, uint64_t t; __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(t) : : "memory");)
#else
#define ordered_read system_clock_read
#define fast_read    system_clock_read
#endif

static const struct variant {
    const char *name;
    void (*loop)(long n);
    enum tare_trace_mode mode;
    int share; /* this part of the passes: where a pass takes long */
} variants[] = {
    {"empty", empty, TARE_TRACE_OFF, 1},
    {"read_ordered", ordered_read, TARE_TRACE_OFF, 1},
    {"read_fast", fast_read, TARE_TRACE_OFF, 1},
    {"read_system", system_clock_read, TARE_TRACE_OFF, 1},
    {"off", ordered_point, TARE_TRACE_OFF, 1},
    {"ordered", ordered_point, TARE_TRACE_EVENTS, 1},
    {"value", value_point, TARE_TRACE_EVENTS, 1},
    {"fast", fast_point, TARE_TRACE_EVENTS, 1},
    {"precise", precise_point, TARE_TRACE_EVENTS, 1},
    {"aggregate", ordered_point, TARE_TRACE_AGGREGATE, 1},
    {"count", ordered_point, TARE_TRACE_COUNT, 1},
    {"burst", ordered_point, TARE_TRACE_BURST, 1},
    {"stdio", stdio_points, TARE_TRACE_OFF, 16},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static uint64_t state;

static unsigned below(unsigned limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % limit);
}

static void shuffle(int order[VARIANTS])
{
    for (int i = VARIANTS - 1; i > 0; i--) {
        const int j = (int)below((unsigned)i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

static void block(const struct variant *v, long passes)
{
    const long n = passes / v->share / 8 * 8;
    tare_trace_modes(1, v->mode);
    v->loop(64); /* the first passes after a change of modes take another way */
    const int64_t from = clock_ns();
    v->loop(n);
    const int64_t to = clock_ns();
    printf("%s %.4f\n", v->name, (double)(to - from) / (double)n);
}

static int fail(const char *what)
{
    fprintf(stderr, "trace_cost: %s\n", what);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return fail("trace_cost FOLDER ROUNDS PASSES");
    char path[4096];
    snprintf(path, sizeof path, "%s/stdio.out", argv[1]);
    lines = fopen(path, "w");
    struct tare_err err;
    const struct tare_trace_options o = TARE_INIT(struct tare_trace_options, .folder = argv[1], .mode = TARE_TRACE_OFF);
    if (!lines || tare_trace_start(&o, &err) != TARE_OK)
        return fail("the folder can't be written, or this process is traced already");
    state = (uint64_t)clock_ns() | 1;
    int order[VARIANTS];
    for (int i = 0; i < VARIANTS; i++)
        order[i] = i;
    const long rounds = atol(argv[2]), passes = atol(argv[3]);
    for (long r = 0; r < rounds; r++) {
        shuffle(order);
        for (int i = 0; i < VARIANTS; i++)
            block(&variants[order[i]], passes);
    }
    tare_trace_stop();
    struct stat s;
    if (fclose(lines) || stat(path, &s) || remove(path) || !lines_written)
        return fail("the lines of text could not be written");
    printf("bytes stdio %.2f\n", (double)s.st_size / (double)lines_written);
    return 0;
}
