/* SPDX-License-Identifier: MIT */
#include "descriptors.h"

enum { OPEN = 0x01, PIPE = 0x08 };

void descriptors_give(STARTUPINFOW *start, struct descriptors *d, HANDLE given)
{
    const HANDLE none = INVALID_HANDLE_VALUE;
    const bool pipe = GetFileType(given) == FILE_TYPE_PIPE;
    *d = (struct descriptors){.n = DESCRIPTOR_GIVEN + 1, .handle = {none, none, none, given}};
    d->flags[DESCRIPTOR_GIVEN] = OPEN | (pipe ? PIPE : 0);
    start->cbReserved2 = sizeof *d;
    start->lpReserved2 = (BYTE *)d;
}
