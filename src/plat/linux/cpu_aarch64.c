/* SPDX-License-Identifier: MIT
 *
 * What Linux allows a process of an aarch64's instructions. Both answers come without trying the instruction.
 */
#include "buf.h"
#include "cpu.h"
#include "cpu_features.h"
#include "linux.h"
#include "plat_clock.h"
#include <sys/auxv.h>
#include <sys/prctl.h>

enum tare_status plat_ticks_allowed(struct tare_err *err)
{
    int mode = PR_TSC_ENABLE;
    bool forbidden = !prctl(PR_GET_TSC, &mode) && mode != PR_TSC_ENABLE;
    clock_heed_counter(!forbidden);
    if (forbidden)
        return err_set(err, TARE_PERMISSION, "this process may not read the virtual counter: prctl(PR_SET_TSC) forbade it");
    return TARE_OK;
}

enum tare_ticks_way cpu_ticks_way(void)
{
    return TARE_TICKS_IN_LINE;
}

const char *cpu_lacks_cntvctss(void)
{
    const unsigned long ecv = 1ul << 19; /* HWCAP2_ECV */
    return getauxval(AT_HWCAP2) & ecv ? NULL : "this processor has no self-synchronising counter (ECV)";
}

const char *cpu_lacks_dit(void)
{
    const unsigned long dit = 1ul << 24; /* HWCAP_DIT */
    return getauxval(AT_HWCAP) & dit ? NULL : "this processor has no data-independent timing (DIT)";
}
