/* SPDX-License-Identifier: MIT
 *
 * Ctrl-C, Ctrl-Break and the end of the console, of the session or of the system, which Windows tells in a thread of its own. They have the names that
 * they have elsewhere.
 */
#include "win32.h"
#include <stdatomic.h>

enum { HANGUP = 1, INTERRUPT = SIGNAL_INTERRUPT, TERMINATE = 15, BREAK = 21 };
enum { ENDED_BY_CONTROL = (int)0xC000013A }; /* STATUS_CONTROL_C_EXIT, by which those who started us know it */

static atomic_int noted;
static int64_t first; /* what came first and when, see control_is_first */
static HANDLE event;

static int number_of(DWORD control)
{
    switch (control) {
    case CTRL_C_EVENT:
        return INTERRUPT;
    case CTRL_BREAK_EVENT:
        return BREAK;
    case CTRL_CLOSE_EVENT:
        return HANGUP;
    default:
        return TERMINATE;
    }
}

/* Number and time are one value, as the same key may be told in two threads at once. */
enum { NUMBERS = 32 };

bool control_is_first(int64_t *before, int number, int64_t now_ns)
{
    int64_t none = 0;
    return __atomic_compare_exchange_n(before, &none, now_ns / NUMBERS * NUMBERS + number, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

bool control_is_same(const int64_t *before, int number, int64_t now_ns)
{
    enum { SAME_NS = 100000000 };
    const int64_t then = __atomic_load_n(before, __ATOMIC_SEQ_CST);
    return then % NUMBERS == number && now_ns - then / NUMBERS * NUMBERS < SAME_NS;
}

/* The first is noted; another ends us whatever we are doing, unless it is the same one, delivered twice. When the console goes the system waits some seconds, as long as this call lasts. */
BOOL WINAPI signal_control(DWORD control)
{
    enum { LAST_WORDS_MS = 4000 };
    const int number = number_of(control);
    if (!control_is_first(&first, number, plat_now_ns())) {
        if (control_is_same(&first, number, plat_now_ns()))
            return TRUE;
        plat_die_of(number);
    }
    atomic_store(&noted, number);
    SetEvent(event);
    if (control != CTRL_C_EVENT && control != CTRL_BREAK_EVENT)
        Sleep(LAST_WORDS_MS);
    return TRUE;
}

enum tare_status plat_signals_watch(void)
{
    if (event) /* a handler that is registered twice is called twice */
        return TARE_OK;
    if (!(event = CreateEventW(NULL, TRUE, FALSE, NULL)))
        return win32_status(GetLastError());
    return SetConsoleCtrlHandler(signal_control, TRUE) ? TARE_OK : win32_status(GetLastError());
}

int plat_signal(void)
{
    return atomic_load_explicit(&noted, memory_order_relaxed);
}

void plat_signal_clear(void)
{
    atomic_store(&noted, 0);
    if (event)
        ResetEvent(event);
}

HANDLE signal_event(void)
{
    return event;
}

const char *plat_signal_name(int number)
{
    switch (number) {
    case HANGUP:
        return "SIGHUP";
    case INTERRUPT:
        return "SIGINT";
    case TERMINATE:
        return "SIGTERM";
    case BREAK:
        return "SIGBREAK";
    default:
        return "an unnamed signal";
    }
}

_Noreturn void plat_die_of(int signal_number)
{
    (void)signal_number;
    console_restore();
    TerminateProcess(GetCurrentProcess(), (UINT)ENDED_BY_CONTROL);
    for (;;)
        Sleep(INFINITE);
}

static const struct {
    DWORD code;
    const char *name;
} exceptions[] = {
    {0x80000003, "breakpoint"},
    {0xC0000005, "access violation"},
    {0xC0000006, "a page could not be read"},
    {0xC0000017, "out of memory"},
    {0xC000001D, "illegal instruction"},
    {0xC0000025, "an exception that cannot be continued"},
    {0xC000008C, "array index out of bounds"},
    {0xC000008E, "floating-point division by zero"},
    {0xC0000094, "integer division by zero"},
    {0xC0000095, "integer overflow"},
    {0xC0000096, "privileged instruction"},
    {0xC00000FD, "stack overflow"},
    {0xC0000135, "a DLL that it needs was not found"},
    {0xC0000139, "a DLL lacks an entry point that it needs"},
    {0xC0000142, "a DLL could not be initialised"},
    {0xC0000374, "heap corruption"},
    {0xC0000409, "stack buffer overrun, or abort by the C library"},
    {0xC0000417, "invalid parameter to the C library"},
    {0xC000041D, "unhandled exception in a callback"},
    {0xE06D7363, "unhandled C++ exception"},
};

const char *plat_exit_code_name(int code)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (exceptions[i].code == (DWORD)code)
            return exceptions[i].name;
    return NULL;
}

const char *plat_start_advice(int error)
{
    switch (error) {
    case ERROR_BAD_EXE_FORMAT:
    case ERROR_EXE_MACHINE_TYPE_MISMATCH:
        return " (not a program for this machine; a script needs its interpreter in front)";
    case ERROR_NOT_ENOUGH_QUOTA:
        return " (the job object that tare runs in allows no more processes or memory)";
    case ERROR_ELEVATION_REQUIRED:
        return " (it asks for the rights of an administrator: run tare from a console that has them)";
    default:
        return "";
    }
}
