/* SPDX-License-Identifier: MIT
 *
 * Memory of a thread that programs reach in line: a pointer in one of the first slots that the system has for pointers of threads, which are a part of each
 * thread's environment block. What belongs to other slots is asked for by a call.
 */
#include "plat_trace.h"
#include "win32.h"
#include <stdatomic.h>

enum { IN_LINE = 64, NOT_ASKED = -1, NONE = -2 };
static _Atomic int32_t slot = NOT_ASKED;

static int32_t take_slot(void)
{
    DWORD taken = TlsAlloc();
    if (taken < IN_LINE)
        return (int32_t)taken;
    if (taken != TLS_OUT_OF_INDEXES)
        TlsFree(taken);
    return NONE;
}

bool plat_thread_slot(uint32_t *out)
{
    int32_t there = atomic_load(&slot);
    if (there == NOT_ASKED) { /* threads may ask at once */
        const int32_t taken = take_slot();
        if (atomic_compare_exchange_strong(&slot, &there, taken))
            there = taken;
        else if (taken >= 0)
            TlsFree((DWORD)taken);
    }
    if (there >= 0)
        *out = (uint32_t)there;
    return there >= 0;
}

void *plat_thread_block(size_t bytes)
{
    uint32_t there;
    if (!plat_thread_slot(&there))
        return NULL;
    void *block = TlsGetValue(there);
    if (block)
        return block;
    block = HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, bytes);
    if (block)
        TlsSetValue(there, block);
    return block;
}

void plat_thread_block_end(void)
{
    uint32_t there;
    if (!plat_thread_slot(&there))
        return;
    HeapFree(GetProcessHeap(), 0, TlsGetValue(there));
    TlsSetValue(there, NULL);
}
