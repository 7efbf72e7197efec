/* SPDX-License-Identifier: MIT
 *
 * The time of the scheduler's last tick: cheap, and steps of 1 to 10 ms.
 */
#include "clock_kinds.h"

SYSTEM_CLOCK(coarse, "CLOCK_MONOTONIC_COARSE", PLAT_CLOCK_COARSE, CLOCK_STEADY | CLOCK_SLEWED)
