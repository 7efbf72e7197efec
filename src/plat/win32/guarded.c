/* SPDX-License-Identifier: MIT
 *
 * Pages between two that nobody may touch, and faults of code that is not ours, led back to whoever called it.
 *
 * A fault comes to a handler with the thread's registers. It sets them so that the thread goes on in `go_back`, on a stack of ours, as the code's own may be
 * used up; that jumps back to the call. The compiler's jump is taken: the C library's would unwind the frames between, which may be damaged.
 */
#include "plat_process.h"
#include "win32.h"
#include <malloc.h>
#include <signal.h>
#include <string.h>

enum tare_status plat_guarded_create(struct plat_guarded *out, size_t bytes, struct tare_err *err)
{
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    const size_t page = system.dwPageSize;
    *out = (struct plat_guarded){.size = bytes ? (bytes + page - 1) / page * page : page};
    out->all_size = out->size + 2 * page;
    out->all = VirtualAlloc(NULL, out->all_size, MEM_RESERVE, PAGE_NOACCESS);
    out->memory = out->all ? VirtualAlloc((unsigned char *)out->all + page, out->size, MEM_COMMIT, PAGE_READWRITE) : NULL;
    if (!out->memory) {
        const DWORD error = GetLastError();
        plat_guarded_destroy(out);
        return win32_fail(err, error, "no memory for %zu bytes between guard pages", bytes);
    }
    memset(out->memory, 0, out->size); /* the pages are there before anything is timed */
    return TARE_OK;
}

void plat_guarded_destroy(struct plat_guarded *g)
{
    if (g->all)
        VirtualFree(g->all, 0, MEM_RELEASE);
    *g = (struct plat_guarded){.size = 0};
}

enum { STACK_BYTES = 1 << 14, BUS = 10, TRAP = 5 }; /* the numbers that these signals have elsewhere */

/* One catch at a time. */
static struct {
    void *back[5];
    DWORD thread;
    struct plat_fault fault;
    bool of_stack;
} caught;

static _Noreturn void go_back(void)
{
    __builtin_longjmp(caught.back, 1);
}

static struct plat_fault fault_of(const EXCEPTION_RECORD *e)
{
    const bool of_memory = e->ExceptionCode == EXCEPTION_ACCESS_VIOLATION || e->ExceptionCode == EXCEPTION_IN_PAGE_ERROR;
    const bool told = of_memory && e->NumberParameters >= 2;
    struct plat_fault f = {.signal = SIGSEGV,
                           .name = "SIGSEGV",
                           .address = told ? (uintptr_t)e->ExceptionInformation[1] : 0,
                           .access = !told                             ? PLAT_ACCESS_UNKNOWN
                                     : e->ExceptionInformation[0] == 1 ? PLAT_ACCESS_WRITE
                                                                       : PLAT_ACCESS_READ};
    switch (e->ExceptionCode) {
    case EXCEPTION_ACCESS_VIOLATION:
    case EXCEPTION_STACK_OVERFLOW:
    case EXCEPTION_GUARD_PAGE:
        return f;
    case EXCEPTION_IN_PAGE_ERROR:
    case EXCEPTION_DATATYPE_MISALIGNMENT:
        f.signal = BUS;
        f.name = "SIGBUS";
        return f;
    case EXCEPTION_ILLEGAL_INSTRUCTION:
    case EXCEPTION_PRIV_INSTRUCTION:
        f.signal = SIGILL;
        f.name = "SIGILL";
        return f;
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
    case EXCEPTION_INT_OVERFLOW:
    case EXCEPTION_FLT_DIVIDE_BY_ZERO:
    case EXCEPTION_FLT_INVALID_OPERATION:
    case EXCEPTION_FLT_OVERFLOW:
    case EXCEPTION_FLT_UNDERFLOW:
    case EXCEPTION_FLT_INEXACT_RESULT:
        f.signal = SIGFPE;
        f.name = "SIGFPE";
        return f;
    case EXCEPTION_BREAKPOINT:
        f.signal = TRAP;
        f.name = "SIGTRAP";
        return f;
    default: /* of C++, of debuggers: not ours */
        f.signal = 0;
        return f;
    }
}

static LONG WINAPI handle(EXCEPTION_POINTERS *at)
{
    static char stack[STACK_BYTES] __attribute__((aligned(16)));
    const struct plat_fault f = fault_of(at->ExceptionRecord);
    if (!f.signal || GetCurrentThreadId() != caught.thread)
        return EXCEPTION_CONTINUE_SEARCH;
    caught.fault = f;
    caught.of_stack = at->ExceptionRecord->ExceptionCode == EXCEPTION_STACK_OVERFLOW;
    at->ContextRecord->Rsp = (DWORD64)(uintptr_t)(stack + sizeof stack - 64 - 8); /* as behind a call */
    at->ContextRecord->Rip = (DWORD64)(uintptr_t)go_back;
    return EXCEPTION_CONTINUE_EXECUTION;
}

/* Of abort(), which is no exception. */
static void aborted(int number)
{
    if (GetCurrentThreadId() != caught.thread)
        return;
    caught.fault = (struct plat_fault){.signal = number, .name = "SIGABRT"};
    go_back();
}

bool plat_fault_catch(void (*run)(void *context), void *context, struct plat_fault *out)
{
    void (*volatile before)(int) = signal(SIGABRT, aborted);
    void *volatile handler = AddVectoredExceptionHandler(1, handle);
    struct plat_fault *volatile told = out;
    volatile bool complete = false;
    caught.thread = GetCurrentThreadId();
    caught.of_stack = false;
    if (!__builtin_setjmp(caught.back)) {
        run(context);
        complete = true;
    }
    if (caught.of_stack)
        _resetstkoflw();
    if (handler)
        RemoveVectoredExceptionHandler(handler);
    signal(SIGABRT, before);
    caught.thread = 0;
    if (!complete)
        *told = caught.fault;
    return complete;
}
