/* SPDX-License-Identifier: MIT
 *
 * descriptors.h - a descriptor beside the standard streams for a program that is started.
 *
 *     struct descriptors d;
 *     descriptors_give(&start.StartupInfo, &d, handle);     // it has the handle as descriptor 3; d lives until CreateProcess returned
 *
 * C libraries read such a block at their start: how many, a byte of flags each, a handle each. The standard streams are those of STARTUPINFO all the same. The
 * handle must be inherited. Only src/plat/win32 includes it.
 */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include "win32.h"

enum { DESCRIPTOR_GIVEN = 3 };

#pragma pack(push, 1)
struct descriptors {
    int n;
    unsigned char flags[DESCRIPTOR_GIVEN + 1];
    HANDLE handle[DESCRIPTOR_GIVEN + 1];
};
#pragma pack(pop)

void descriptors_give(STARTUPINFOW *start, struct descriptors *d, HANDLE given);

#endif
