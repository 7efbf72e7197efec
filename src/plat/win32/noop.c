/* SPDX-License-Identifier: MIT
 *
 * noop.c - tare-noop.exe, the lightest program that Windows starts: no C library, it ends at once with code 0. What it costs is the floor of every figure
 * that tare measures for a command.
 */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

void start(void);

void start(void)
{
    ExitProcess(0);
}
