/* SPDX-License-Identifier: MIT
 *
 * What durations are usually taken from: slewed by time keeping, by 500 ppm at most, never set.
 */
#include "clock_kinds.h"

SYSTEM_CLOCK(monotonic, "CLOCK_MONOTONIC", PLAT_CLOCK_MONOTONIC, CLOCK_STEADY | CLOCK_SLEWED)
