/* SPDX-License-Identifier: MIT
 *
 * Which CPUs we may run on and where we run. Windows numbers them within groups of at most 64: tare's CPU n is number n % 64 of group n / 64. A thread
 * runs in one group at a time.
 */
#include "nt.h"
#include <string.h>

enum { GROUP = 64, CPUS_MAX = 8 * (int)sizeof(struct plat_cpus), WORD_BITS = 8 * (int)sizeof(unsigned long) };

/* Those of a group that are there and permitted to us. A process that was left all of the group it began in may send its threads to the others. */
static KAFFINITY allowed_of(WORD group)
{
    DWORD_PTR process = 0, all = 0;
    USHORT ours[64], n = sizeof ours / sizeof *ours;
    const DWORD there = nt()->group_size(group);
    const KAFFINITY mask = there >= GROUP ? ~(KAFFINITY)0 : ((KAFFINITY)1 << there) - 1;
    const BOOL told = nt()->process_mask(GetCurrentProcess(), &process, &all);
    if (!told || !process) /* a process of several groups */
        return mask;
    if (nt()->process_groups(GetCurrentProcess(), &n, ours) && n == 1 && process != all)
        return group == ours[0] ? mask & process : 0;
    return mask;
}

int plat_cpus_allowed(void)
{
    const WORD groups = nt()->groups();
    int n = 0;
    for (WORD g = 0; g < groups; g++)
        n += __builtin_popcountll(allowed_of(g));
    return n ? n : 1;
}

bool plat_cpu_allowed(int cpu)
{
    return cpu >= 0 && cpu < CPUS_MAX && cpu / GROUP < nt()->groups() && (allowed_of((WORD)(cpu / GROUP)) >> cpu % GROUP & 1);
}

int plat_cpu_now(void)
{
    PROCESSOR_NUMBER now;
    GetCurrentProcessorNumberEx(&now);
    return now.Group * GROUP + now.Number;
}

void plat_thread_cpus(struct plat_cpus *out)
{
    GROUP_AFFINITY now = {0};
    memset(out, 0, sizeof *out);
    if (!GetThreadGroupAffinity(GetCurrentThread(), &now))
        return;
    for (int bit = 0; bit < GROUP; bit++)
        if (now.Mask >> bit & 1) {
            const int cpu = now.Group * GROUP + bit;
            out->bits[cpu / WORD_BITS] |= 1ul << cpu % WORD_BITS;
        }
}

static bool set_affinity(WORD group, KAFFINITY mask)
{
    const GROUP_AFFINITY wanted = {.Mask = mask, .Group = group};
    return nt()->set_thread_group(GetCurrentThread(), &wanted, NULL);
}

void plat_thread_restore(const struct plat_cpus *cpus)
{
    for (int group = 0; group < CPUS_MAX / GROUP; group++) {
        KAFFINITY mask = 0;
        for (int i = 0; i < GROUP / WORD_BITS; i++)
            mask |= (KAFFINITY)cpus->bits[group * (GROUP / WORD_BITS) + i] << i * WORD_BITS;
        if (mask) {
            set_affinity((WORD)group, mask);
            return;
        }
    }
}

enum tare_status plat_thread_pin(int cpu, struct tare_err *err)
{
    if (cpu < 0 || cpu >= CPUS_MAX)
        return err_set(err, TARE_INVALID, "cannot run on CPU %d: CPUs are numbered from 0 to %d", cpu, CPUS_MAX - 1);
    const bool there = cpu / GROUP < nt()->groups() && cpu % GROUP < (int)nt()->group_size((WORD)(cpu / GROUP));
    if (!there)
        return err_set(err, TARE_INVALID, "cannot run on CPU %d: there is no such CPU, or it is offline", cpu);
    if (set_affinity((WORD)(cpu / GROUP), (KAFFINITY)1 << cpu % GROUP))
        return TARE_OK;
    if (GetLastError() == ERROR_INVALID_PARAMETER)
        return err_set(err, TARE_INVALID, "cannot run on CPU %d: it is not allowed to us", cpu);
    return win32_fail(err, GetLastError(), "cannot run on CPU %d", cpu);
}
