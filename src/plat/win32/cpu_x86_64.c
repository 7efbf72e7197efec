/* SPDX-License-Identifier: MIT
 *
 * What Windows allows a program of the processor: its counter and cpuid, always.
 */
#include "buf.h"
#include "cpu.h"
#include "plat_clock.h"

enum tare_status cpu_cpuid_available(struct tare_err *err)
{
    (void)err;
    return TARE_OK;
}

enum tare_status plat_ticks_allowed(struct tare_err *err)
{
    (void)err;
    return TARE_OK;
}

enum tare_status plat_ticks_kernel_hz(double *hz, struct tare_err *err)
{
    (void)hz;
    return err_set(err, TARE_UNSUPPORTED, "Windows does not say at which frequency it takes this counter");
}
