/* SPDX-License-Identifier: MIT */
#include "cpu.h"
#include "cpu_features.h"
#include <stdlib.h>
#include <string.h>

static void execute(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    __asm__ volatile("cpuid" : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3]) : "a"(leaf), "c"(subleaf));
}

/* A leaf above the highest of its range answers with that of another leaf on Intel, so the range is asked first. */
void cpu_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    memset(out, 0, 4 * sizeof *out);
    if (cpu_cpuid_available(NULL))
        return;
    uint32_t first = leaf & 0xffff0000, highest[4];
    execute(first, 0, highest);
    bool in_range = first == 0 || (highest[0] >= first && highest[0] - first < 0x10000);
    if (in_range && leaf <= highest[0])
        execute(leaf, subleaf, out);
}

const char *cpu_lacks_cpuid(void)
{
    return cpu_cpuid_available(NULL) ? "the kernel makes cpuid fault in this process" : NULL;
}

const char *cpu_lacks_rdtscp(void)
{
    uint32_t r[4];
    cpu_cpuid(0x80000001, 0, r);
    return cpu_cpuid_available(NULL) || r[3] >> 27 & 1 ? NULL : "this processor has no rdtscp (CPUID 80000001h, EDX bit 27)";
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

const char *cpu_lacks_serialize(void)
{
    uint32_t r[4];
    cpu_cpuid(7, 0, r);
    return r[3] >> 14 & 1 ? NULL : "this processor has no serialize (CPUID 7, EDX bit 14)";
}

/* DOITM is bit 0 of IA32_UARCH_MISC_CTL; that the register exists is in another register. Both are the kernel's. Processors of other makers
 * have no such mode, and promise nothing without it. */
enum cpu_dit cpu_dit(const char **words)
{
    uint32_t maker[4], features[4];
    cpu_cpuid(0, 0, maker);
    cpu_cpuid(7, 0, features);
    bool intel = maker[1] == 0x756e6547 && maker[3] == 0x49656e69 && maker[2] == 0x6c65746e; /* "GenuineIntel" */
    bool registers = features[3] >> 29 & 1;                                                  /* IA32_ARCH_CAPABILITIES */
    *words = !intel       ? "this processor has no such mode that a program could see"
             : !registers ? "this processor does not enumerate DOITM: it has none, or the hypervisor hides it"
                          : "DOITM, where there is one, is set by the kernel in a register that programs cannot read";
    return CPU_DIT_UNKNOWN;
}

bool cpu_dit_switch(bool on)
{
    (void)on;
    return false;
}
