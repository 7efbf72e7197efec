/* SPDX-License-Identifier: MIT
 *
 * Not among them, as they are no frequency of the counter: CPUID 16h and the brand string (the nominal core clock, rounded),
 * cpuinfo_max_freq (the fastest core clock), bogomips (a loop of the kernel's).
 */
#include "tick_sources.h"
#include "buf.h"
#include "cpu.h"
#include "plat_clock.h"
#include <string.h>

enum tare_status tick_source_kernel(double *hz, struct tare_err *err)
{
    return plat_ticks_kernel_hz(hz, err);
}

/* Family 6 models whose CPUID 15h gives a ratio without the crystal; the crystals by Intel's manual, volume 3, 19.7.3. */
static uint32_t crystal_of_model(void)
{
    static const struct {
        uint32_t model, hz;
    } crystals[] = {{0x4e, 24000000}, {0x5e, 24000000}, {0x8e, 24000000}, {0x9e, 24000000}, {0x5c, 19200000}, {0x5f, 25000000}};
    uint32_t r[4];
    cpu_cpuid(1, 0, r);
    uint32_t family = r[0] >> 8 & 0xf, model = (r[0] >> 4 & 0xf) | (r[0] >> 12 & 0xf0);
    for (size_t i = 0; family == 6 && i < sizeof crystals / sizeof *crystals; i++)
        if (crystals[i].model == model)
            return crystals[i].hz;
    return 0;
}

enum tare_status tick_source_cpuid_15(double *hz, struct tare_err *err)
{
    enum tare_status status = cpu_cpuid_available(err);
    if (status)
        return status;
    uint32_t r[4];
    cpu_cpuid(0x15, 0, r);
    if (!r[0] || !r[1])
        return err_set(err, TARE_UNSUPPORTED, "CPUID 15h does not give the ratio");
    uint32_t crystal = r[2] ? r[2] : crystal_of_model();
    if (!crystal)
        return err_set(err, TARE_UNSUPPORTED, "CPUID 15h does not give the crystal's frequency");
    *hz = (double)crystal * r[1] / r[0];
    return TARE_OK;
}

/* A leaf that VMware began and QEMU and Cloud Hypervisor took over: kHz in EAX. Xen and Hyper-V have no such leaf, or use it
 * otherwise, but do not count so far. */
enum tare_status tick_source_hypervisor(double *hz, struct tare_err *err)
{
    enum tare_status status = cpu_cpuid_available(err);
    if (status)
        return status;
    uint32_t r[4];
    cpu_cpuid(1, 0, r);
    if (!(r[2] >> 31))
        return err_set(err, TARE_UNSUPPORTED, "no hypervisor");
    cpu_cpuid(0x40000000, 0, r);
    if (r[0] < 0x40000010 || r[0] > 0x4000ffff)
        return err_set(err, TARE_UNSUPPORTED, "the hypervisor has no leaf 40000010h");
    cpu_cpuid(0x40000010, 0, r);
    if (!r[0])
        return err_set(err, TARE_UNSUPPORTED, "leaf 40000010h of the hypervisor is empty");
    *hz = r[0] * 1e3;
    return TARE_OK;
}

enum tare_status tick_source_register(double *hz, struct tare_err *err)
{
    uint64_t said = cpu_ticks_frequency_hz();
    if (!said)
        return err_set(err, TARE_UNSUPPORTED, "%s has no frequency register", cpu_ticks_name());
    *hz = (double)said;
    return TARE_OK;
}
