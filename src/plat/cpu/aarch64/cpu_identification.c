/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "cpu.h"
#include "cpu_features.h"
#include <string.h>

enum tare_status cpu_cpuid_available(struct tare_err *err)
{
    return err_set(err, TARE_UNSUPPORTED, "aarch64 has no cpuid instruction");
}

enum tare_ticks_way cpu_ticks_way(void)
{
    return TARE_TICKS_IN_LINE;
}

void cpu_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    (void)leaf;
    (void)subleaf;
    memset(out, 0, 4 * sizeof *out);
}

/* The DIT register, which assemblers of older architectures do not know by name: bit 24. */
enum cpu_dit cpu_dit(const char **words)
{
    const char *missing = cpu_lacks_dit();
    *words = missing ? missing : "";
    if (missing)
        return CPU_DIT_ABSENT;
    uint64_t dit;
    __asm__ volatile("mrs %0, s3_3_c4_c2_5" : "=r"(dit));
    return dit >> 24 & 1 ? CPU_DIT_ON : CPU_DIT_OFF;
}

bool cpu_dit_switch(bool on)
{
    if (cpu_lacks_dit())
        return false;
    uint64_t dit = (uint64_t)on << 24;
    __asm__ volatile("msr s3_3_c4_c2_5, %0\n\tisb" : : "r"(dit) : "memory");
    return true;
}
