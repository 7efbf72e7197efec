/* SPDX-License-Identifier: MIT */
#include "fault.h"

enum plat_access fault_access(const void *ucontext)
{
    (void)ucontext;
    return PLAT_ACCESS_UNKNOWN;
}
