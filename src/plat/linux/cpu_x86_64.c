/* SPDX-License-Identifier: MIT
 *
 * Whether Linux allows a process cpuid. The answer comes without trying the instruction.
 */
#include "buf.h"
#include "cpu.h"
#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 0: faults. Older kernels and emulators do not know the question, and do not make it fault. */
enum tare_status cpu_cpuid_available(struct tare_err *err)
{
    if (syscall(SYS_arch_prctl, ARCH_GET_CPUID, 0) == 0)
        return err_set(err, TARE_PERMISSION, "this process may not execute cpuid: arch_prctl(ARCH_SET_CPUID) forbade it");
    return TARE_OK;
}
