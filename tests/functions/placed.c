/* SPDX-License-Identifier: MIT
 *
 * A benchmark and a leak target that fail where they are not placed as EXPECT_CPU and EXPECT_NICE say, for placed_test.sh: what --pin and
 * --priority do is seen from inside.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <tare/tare.h>

static const char *misplaced(void)
{
    const char *cpu = getenv("EXPECT_CPU"), *nice = getenv("EXPECT_NICE");
    cpu_set_t set;
    if (cpu && (sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) != 1 || !CPU_ISSET(atoi(cpu), &set)))
        return "it may run elsewhere than where it was pinned";
    if (cpu && sched_getcpu() != atoi(cpu))
        return "it runs elsewhere than where it was pinned";
    if (nice && getpriority(PRIO_PROCESS, 0) != atoi(nice))
        return "it has another priority than was asked for";
    return NULL;
}

TARE_BENCH(placed)
{
    const char *why = misplaced();
    uint64_t x = tare_seed(st) | 1;
    if (why) {
        tare_fail(st, why);
        return;
    }
    TARE_LOOP(st)
    {
        x *= 3;
        tare_chain(x);
    }
}

static void *look_around(void *context)
{
    (void)context;
    if (misplaced())
        abort();
    static char nothing;
    return &nothing;
}

TARE_LEAK(placed_target, .bytes = 32, .classes = TARE_CLASSES("equal", "random"), .setup = look_around)
{
    (void)state;
    return (uint64_t)(int64_t)memcmp(in, in + 16, (size_t)tare_opaque(16));
}

TARE_MAIN()
