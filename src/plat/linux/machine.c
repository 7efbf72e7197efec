/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static int64_t timeval_ns(struct timeval t)
{
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

void plat_usage(struct plat_usage *out)
{
    struct rusage u = {0};
    getrusage(RUSAGE_SELF, &u);
    *out = (struct plat_usage){timeval_ns(u.ru_utime), timeval_ns(u.ru_stime), (int64_t)u.ru_maxrss * 1024};
}

/* More CPUs than a cpu_set_t holds exist; the kernel refuses a mask shorter than its own. */
enum { CPUS_MAX = 8192 };

struct cpu_mask {
    unsigned long bits[CPUS_MAX / (8 * sizeof(unsigned long))];
};

static bool allowed_mask(struct cpu_mask *mask)
{
    memset(mask, 0, sizeof *mask);
    return !sched_getaffinity(0, sizeof *mask, (cpu_set_t *)(void *)mask);
}

int plat_cpus_allowed(void)
{
    struct cpu_mask mask;
    int n = 0;
    if (!allowed_mask(&mask))
        return 1;
    for (size_t i = 0; i < sizeof mask.bits / sizeof *mask.bits; i++)
        n += __builtin_popcountl(mask.bits[i]);
    return n;
}

bool plat_cpu_allowed(int cpu)
{
    struct cpu_mask mask;
    const int per_word = 8 * (int)sizeof(unsigned long);
    return cpu >= 0 && cpu < CPUS_MAX && allowed_mask(&mask) && (mask.bits[cpu / per_word] >> (cpu % per_word) & 1);
}

enum tare_status plat_pin_self(int cpu, struct tare_err *err)
{
    struct cpu_mask mask = {{0}};
    const int per_word = 8 * (int)sizeof(unsigned long);
    if (!plat_cpu_allowed(cpu))
        return err_set(err, TARE_INVALID, "CPU %d is offline or not allowed to us", cpu);
    mask.bits[cpu / per_word] = 1ul << (cpu % per_word);
    if (sched_setaffinity(0, sizeof mask, (const cpu_set_t *)(const void *)&mask))
        return posix_fail(err, errno, "cannot keep to CPU %d", cpu);
    return TARE_OK;
}

int plat_cpu_now(void)
{
    return sched_getcpu();
}

static void copy_field(char *to, size_t size, const char *from)
{
    size_t n = strlen(from);
    n = n < size ? n : size - 1;
    memcpy(to, from, n);
    to[n] = 0;
}

void plat_uname(struct plat_uname *out)
{
    struct utsname u = {0};
    uname(&u);
    copy_field(out->os, sizeof out->os, u.sysname);
    copy_field(out->release, sizeof out->release, u.release);
    copy_field(out->version, sizeof out->version, u.version);
    copy_field(out->machine, sizeof out->machine, u.machine);
}

/* Without the kernel's randomness (a filter, an old kernel) the clock and our id still differ from start to start. */
uint64_t plat_random_seed(void)
{
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = (uint64_t)plat_now_ns() * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid() << 32 ^ (uint64_t)plat_utc_ns();
    return seed;
}
