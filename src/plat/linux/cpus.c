/* SPDX-License-Identifier: MIT
 *
 * Which CPUs we may run on and where we run.
 */
#include "plat.h"
#include "plat_clock.h"
#include "posix.h"
#include <errno.h>
#include <sched.h>
#include <string.h>

/* More CPUs than a cpu_set_t holds exist; the kernel refuses a mask shorter than its own. */
enum { WORD_BITS = 8 * (int)sizeof(unsigned long), CPUS_MAX = 8 * (int)sizeof(struct plat_cpus) };

static bool allowed(struct plat_cpus *mask)
{
    memset(mask, 0, sizeof *mask);
    return !sched_getaffinity(0, sizeof *mask, (cpu_set_t *)(void *)mask);
}

int plat_cpus_allowed(void)
{
    struct plat_cpus mask;
    int n = 0;
    if (!allowed(&mask))
        return 1;
    for (size_t i = 0; i < sizeof mask.bits / sizeof *mask.bits; i++)
        n += __builtin_popcountl(mask.bits[i]);
    return n;
}

bool plat_cpu_allowed(int cpu)
{
    struct plat_cpus mask;
    return cpu >= 0 && cpu < CPUS_MAX && allowed(&mask) && (mask.bits[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1);
}

int plat_cpu_now(void)
{
    return sched_getcpu();
}

void plat_thread_cpus(struct plat_cpus *out)
{
    if (!allowed(out))
        memset(out, 0xff, sizeof *out);
}

void plat_thread_restore(const struct plat_cpus *cpus)
{
    sched_setaffinity(0, sizeof *cpus, (const cpu_set_t *)(const void *)cpus);
}

enum tare_status plat_thread_pin(int cpu, struct tare_err *err)
{
    if (cpu < 0 || cpu >= CPUS_MAX)
        return err_set(err, TARE_INVALID, "cannot run on CPU %d: CPUs are numbered from 0 to %d", cpu, CPUS_MAX - 1);
    struct plat_cpus mask = {{0}};
    mask.bits[cpu / WORD_BITS] = 1ul << (cpu % WORD_BITS);
    if (!sched_setaffinity(0, sizeof mask, (cpu_set_t *)(void *)&mask))
        return TARE_OK;
    if (errno == EINVAL)
        return posix_pin_refused(cpu, err);
    return posix_fail(err, errno, "cannot run on CPU %d", cpu);
}
