/* SPDX-License-Identifier: MIT
 *
 * CPU time of the thread that asks; always a system call.
 */
#include "clock_kinds.h"

SYSTEM_CLOCK(thread_cpu, "CLOCK_THREAD_CPUTIME_ID", PLAT_CLOCK_THREAD_CPU, CLOCK_STEADY | CLOCK_OF_CPU)
