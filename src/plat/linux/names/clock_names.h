/* SPDX-License-Identifier: MIT
 *
 * clock_names.h - the system's clocks as its people know them, and what time keeping does to them: one such file for each platform.
 */
#ifndef CLOCK_NAMES_H
#define CLOCK_NAMES_H

#define MONOTONIC_TITLE   "CLOCK_MONOTONIC"
#define RAW_TITLE         "CLOCK_MONOTONIC_RAW"
#define COARSE_TITLE      "CLOCK_MONOTONIC_COARSE"
#define BOOTTIME_TITLE    "CLOCK_BOOTTIME"
#define REALTIME_TITLE    "CLOCK_REALTIME"
#define PROCESS_CPU_TITLE "CLOCK_PROCESS_CPUTIME_ID"
#define THREAD_CPU_TITLE  "CLOCK_THREAD_CPUTIME_ID"

/* Of those that never step but the raw one. */
#define STEADY_SLEWED CLOCK_SLEWED

#endif
