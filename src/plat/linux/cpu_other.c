/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "cpu.h"

enum tare_status cpu_cpuid_available(struct tare_err *err)
{
    return err_set(err, TARE_UNSUPPORTED, "libtare does not know how this processor is identified");
}
