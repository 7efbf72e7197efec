/* SPDX-License-Identifier: MIT
 *
 * The wall clock: may be set at any time, so for labels, not for durations.
 */
#include "clock_kinds.h"

SYSTEM_CLOCK(realtime, "CLOCK_REALTIME", PLAT_CLOCK_REALTIME, CLOCK_SLEWED | CLOCK_COUNTS_SUSPEND)
