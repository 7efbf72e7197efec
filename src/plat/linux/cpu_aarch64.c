/* SPDX-License-Identifier: MIT
 *
 * What Linux says of an aarch64's instructions. The answers come without trying them.
 */
#include "cpu_features.h"
#include <stddef.h>
#include <sys/auxv.h>

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
