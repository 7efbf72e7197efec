/* SPDX-License-Identifier: MIT */
#include "fault.h"
#include <ucontext.h>

/* The processor's error code of a page fault: bit 1 is set by a write. Trap 14 is the page fault; others have no address. */
enum plat_access fault_access(const void *ucontext)
{
    const ucontext_t *context = ucontext;
    if (context->uc_mcontext.gregs[REG_TRAPNO] != 14)
        return PLAT_ACCESS_UNKNOWN;
    return context->uc_mcontext.gregs[REG_ERR] & 2 ? PLAT_ACCESS_WRITE : PLAT_ACCESS_READ;
}
