/* SPDX-License-Identifier: MIT
 *
 * Faults of code that is not ours, led back to whoever called it. The handlers stand on a stack of their own, so that code which ran
 * out of stack can be told too.
 */
#include "fault.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

enum { FAULTS = 6, STACK_BYTES = 1 << 16 };

static const struct {
    int number;
    const char *name;
} faults[FAULTS] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},
                    {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"}};

/* A handler has no other way to find them. One catch at a time. */
static struct {
    sigjmp_buf back;
    pthread_t thread;
    struct plat_fault fault;
} caught;

static const char *name_of(int number)
{
    for (int i = 0; i < FAULTS; i++)
        if (faults[i].number == number)
            return faults[i].name;
    return "a signal";
}

static void handle(int number, siginfo_t *info, void *context)
{
    if (!pthread_equal(pthread_self(), caught.thread)) { /* its turn comes again, without us */
        signal(number, SIG_DFL);
        if (info->si_code <= 0)
            raise(number);
        return;
    }
    bool of_memory = (number == SIGSEGV || number == SIGBUS) && info->si_code > 0;
    caught.fault = (struct plat_fault){.signal = number,
                                       .name = name_of(number),
                                       .address = of_memory ? (uintptr_t)info->si_addr : 0,
                                       .access = of_memory ? fault_access(context) : PLAT_ACCESS_UNKNOWN};
    siglongjmp(caught.back, 1);
}

bool plat_fault_catch(void (*run)(void *context), void *context, struct plat_fault *out)
{
    static char stack[STACK_BYTES];
    struct sigaction old[FAULTS], mine = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t old_stack, my_stack = {.ss_sp = stack, .ss_size = sizeof stack};
    sigemptyset(&mine.sa_mask);
    memset(old, 0, sizeof old);
    bool has_stack = sigaltstack(&my_stack, &old_stack) == 0;
    caught.thread = pthread_self();
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i].number, &mine, &old[i]);
    const bool whole = sigsetjmp(caught.back, 1) == 0;
    if (whole)
        run(context);
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i].number, &old[i], NULL);
    if (has_stack)
        sigaltstack(&old_stack, NULL);
    if (!whole)
        *out = caught.fault;
    return whole;
}
