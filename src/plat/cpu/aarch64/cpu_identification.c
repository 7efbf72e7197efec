/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "cpu.h"
#include <string.h>

enum tare_status cpu_cpuid_available(struct tare_err *err)
{
    return err_set(err, TARE_UNSUPPORTED, "aarch64 has no cpuid instruction");
}

void cpu_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    (void)leaf;
    (void)subleaf;
    memset(out, 0, 4 * sizeof *out);
}
