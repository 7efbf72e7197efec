/* SPDX-License-Identifier: MIT
 *
 * clock_names.h - the system's clocks as its people know them, and what time keeping does to them: one such file for each platform.
 */
#ifndef CLOCK_NAMES_H
#define CLOCK_NAMES_H

#define MONOTONIC_TITLE   "QueryUnbiasedInterruptTimePrecise"
#define RAW_TITLE         "QueryPerformanceCounter"
#define COARSE_TITLE      "QueryInterruptTime"
#define BOOTTIME_TITLE    "QueryInterruptTimePrecise"
#define REALTIME_TITLE    "GetSystemTimePreciseAsFileTime"
#define PROCESS_CPU_TITLE "GetProcessTimes"
#define THREAD_CPU_TITLE  "GetThreadTimes"

/* Of those that never step but the raw one: only the time of day is slewed. */
#define STEADY_SLEWED 0

#endif
