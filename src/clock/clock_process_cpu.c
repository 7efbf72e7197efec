/* SPDX-License-Identifier: MIT
 *
 * CPU time of all threads; always a system call.
 */
#include "clock_kinds.h"

SYSTEM_CLOCK(process_cpu, "CLOCK_PROCESS_CPUTIME_ID", PLAT_CLOCK_PROCESS_CPU, CLOCK_STEADY | CLOCK_OF_CPU)
