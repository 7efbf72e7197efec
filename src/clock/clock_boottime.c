/* SPDX-License-Identifier: MIT
 *
 * As monotonic, and counts suspend.
 */
#include "clock_kinds.h"

SYSTEM_CLOCK(boottime, "CLOCK_BOOTTIME", PLAT_CLOCK_BOOTTIME, CLOCK_STEADY | CLOCK_SLEWED | CLOCK_COUNTS_SUSPEND)
