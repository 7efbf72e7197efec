/* SPDX-License-Identifier: MIT
 *
 * The counter of aarch64: 1 to 1000 MHz, its frequency is in cntfrq_el0 and should be checked.
 */
#include "clock_kinds.h"

COUNTER_CLOCK(cntvct, "virtual counter")
