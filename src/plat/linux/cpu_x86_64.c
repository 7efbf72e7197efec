/* SPDX-License-Identifier: MIT
 *
 * What Linux allows a process of an x86-64's instructions. Both answers come without trying the instruction.
 */
#include "buf.h"
#include "cpu.h"
#include "cpu_features.h"
#include "linux.h"
#include "plat_clock.h"
#include <asm/prctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum tare_status plat_ticks_allowed(struct tare_err *err)
{
    int mode = PR_TSC_ENABLE;
    bool forbidden = !prctl(PR_GET_TSC, &mode) && mode != PR_TSC_ENABLE;
    clock_heed_counter(!forbidden);
    if (forbidden)
        return err_set(err, TARE_PERMISSION, "this process may not read the time-stamp counter: prctl(PR_SET_TSC) forbade it");
    return TARE_OK;
}

/* valgrind says that its processor has rdtscp, and ends the program there if the real one has not. */
static bool under_valgrind(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded && strstr(preloaded, "/vgpreload_");
}

enum tare_ticks_way cpu_ticks_way(void)
{
    static int
        way; /* executing cpuid takes a microsecond and more in a virtual machine; threads that ask at once store the same */
    int known = __atomic_load_n(&way, __ATOMIC_RELAXED);
    if (!known) {
        known = cpu_lacks_rdtscp() || under_valgrind() ? TARE_TICKS_FENCED : TARE_TICKS_IN_LINE;
        __atomic_store_n(&way, known, __ATOMIC_RELAXED);
    }
    return (enum tare_ticks_way)known;
}

/* 0: faults. Older kernels and emulators do not know the question, and do not make it fault. */
enum tare_status cpu_cpuid_available(struct tare_err *err)
{
    if (syscall(SYS_arch_prctl, ARCH_GET_CPUID, 0) == 0)
        return err_set(err, TARE_PERMISSION, "this process may not execute cpuid: arch_prctl(ARCH_SET_CPUID) forbade it");
    return TARE_OK;
}
