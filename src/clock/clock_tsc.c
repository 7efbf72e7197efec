/* SPDX-License-Identifier: MIT
 *
 * The counter of x86-64: CPU reset is its zero, its rate is fixed on every processor of the last fifteen years.
 */
#include "clock_kinds.h"

COUNTER_CLOCK(tsc, "time-stamp counter")
