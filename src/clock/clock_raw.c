/* SPDX-License-Identifier: MIT
 *
 * The reference of all others here: not slewed, the hardware clock as the kernel scales it.
 */
#include "clock_kinds.h"

SYSTEM_CLOCK(raw, "CLOCK_MONOTONIC_RAW", PLAT_CLOCK_RAW, CLOCK_STEADY)
