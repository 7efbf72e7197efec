/* SPDX-License-Identifier: MIT
 *
 * windows_tables.h - what the numbers that Windows gives mean: builds, priorities' slices, the counter behind the performance counter. Pure, so every
 * system's tests compile it.
 *
 *     const char *name = windows_name(26100, false);     // "Windows 11 24H2"
 */
#ifndef WINDOWS_TABLES_H
#define WINDOWS_TABLES_H

#include <stdbool.h>
#include <stdint.h>

/* NULL: no such build is known. Sources: Microsoft's "Windows 10/11 release information", "Windows Server release information". */
const char *windows_name(uint32_t build, bool server);
/* For a build of no table, by what lies around it: "Windows 11 or later". */
const char *windows_family(uint32_t build, bool server);

/* How long a thread may run before another one of its priority does, in periods of the timer's interrupt, by the value
 * Win32PrioritySeparation of the registry ("Windows Internals", 7th edition, part 1, chapter 4). */
struct windows_quantum {
    int background, foreground; /* of processes; foreground: of the one whose window has the focus */
};
struct windows_quantum windows_quantum(uint32_t separation, bool server);

/* What QueryPerformanceCounter counts, by its frequency and that of the time-stamp counter (0: not known): "tsc", "hpet", "acpi_pm", "pit", as Linux calls
 * them; NULL: some other. *words: the same for people. */
const char *windows_counter_source(int64_t hz, double tsc_hz, const char **words);

#endif
