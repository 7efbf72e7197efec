/* SPDX-License-Identifier: MIT
 *
 * Memory of a thread that programs reach in line: a pointer in one of the first slots that the system has for pointers of threads, which are a part of each
 * thread's environment block. What is in one of the other 1024, where the program has taken these before, is asked for by a call.
 */
#include "plat_trace.h"
#include "win32.h"
#include <stdatomic.h>
#include <tare/detail/point_hit.h>

enum { IN_LINE = 64 };
static _Atomic DWORD slot = TLS_OUT_OF_INDEXES;

static DWORD take_slot(void)
{
    DWORD there = atomic_load(&slot);
    if (there == TLS_OUT_OF_INDEXES) { /* threads may ask at once */
        const DWORD taken = TlsAlloc();
        if (atomic_compare_exchange_strong(&slot, &there, taken))
            there = taken;
        else
            TlsFree(taken);
    }
    return there;
}

bool plat_trace_thread_in_line(uint32_t *out)
{
    *out = take_slot();
    return *out < IN_LINE;
}

struct tare_trace_thread *plat_trace_thread(void)
{
    const DWORD there = take_slot();
    struct tare_trace_thread *block = there == TLS_OUT_OF_INDEXES ? NULL : TlsGetValue(there);
    if (block || there == TLS_OUT_OF_INDEXES)
        return block;
    block = HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, sizeof *block);
    if (block && TlsSetValue(there, block))
        return block;
    HeapFree(GetProcessHeap(), 0, block);
    return NULL;
}

void plat_trace_thread_end(void)
{
    const DWORD there = take_slot();
    if (there == TLS_OUT_OF_INDEXES)
        return;
    HeapFree(GetProcessHeap(), 0, TlsGetValue(there));
    TlsSetValue(there, NULL);
}
