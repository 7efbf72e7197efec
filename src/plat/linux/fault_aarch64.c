/* SPDX-License-Identifier: MIT */
#include "fault.h"
#include <asm/sigcontext.h>
#include <ucontext.h>

/* The kernel appends records to the context; that of the exception syndrome has WnR in bit 6 where the class is a data abort. */
enum plat_access fault_access(const void *ucontext)
{
    const ucontext_t *context = ucontext;
    const unsigned char *at = (const unsigned char *)context->uc_mcontext.__reserved;
    const unsigned char *end = at + sizeof context->uc_mcontext.__reserved;
    while (end - at >= (ptrdiff_t)sizeof(struct esr_context)) {
        const struct _aarch64_ctx *head = (const void *)at;
        if (!head->magic || !head->size || head->size > (size_t)(end - at))
            break;
        if (head->magic == ESR_MAGIC) {
            uint64_t esr = ((const struct esr_context *)(const void *)at)->esr;
            bool data_abort = (esr >> 26 & 0x3e) == 0x24;
            return !data_abort ? PLAT_ACCESS_UNKNOWN : esr >> 6 & 1 ? PLAT_ACCESS_WRITE : PLAT_ACCESS_READ;
        }
        at += head->size;
    }
    return PLAT_ACCESS_UNKNOWN;
}
