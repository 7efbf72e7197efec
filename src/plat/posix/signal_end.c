/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

const char *plat_signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SIGHUP, "SIGHUP"},       {SIGINT, "SIGINT"},     {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"},
        {SIGABRT, "SIGABRT"},     {SIGBUS, "SIGBUS"},     {SIGFPE, "SIGFPE"},   {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"},
        {SIGSEGV, "SIGSEGV"},     {SIGUSR2, "SIGUSR2"},   {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},
        {SIGCHLD, "SIGCHLD"},     {SIGCONT, "SIGCONT"},   {SIGSTOP, "SIGSTOP"}, {SIGTSTP, "SIGTSTP"}, {SIGTTIN, "SIGTTIN"},
        {SIGTTOU, "SIGTTOU"},     {SIGURG, "SIGURG"},     {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {SIGVTALRM, "SIGVTALRM"},
        {SIGPROF, "SIGPROF"},     {SIGWINCH, "SIGWINCH"}, {SIGIO, "SIGIO"},     {SIGSYS, "SIGSYS"},
#ifdef SIGSTKFLT
        {SIGSTKFLT, "SIGSTKFLT"},
#endif
#ifdef SIGPWR
        {SIGPWR, "SIGPWR"},
#endif
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number)
            return names[i].name;
    return "an unnamed signal";
}

const char *plat_metric_unknown(const char *id)
{
    (void)id;
    return NULL;
}

const char *plat_exit_code_name(int code)
{
    (void)code;
    return NULL;
}

_Noreturn void plat_die_of(int signal_number)
{
    signal(signal_number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal_number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(signal_number);
    _exit(128 + signal_number); /* a signal whose default is not to end */
}

const char *plat_start_advice(int error)
{
    switch (error) {
    case ENOEXEC:
        return " (no program of this machine; a script needs #! and its interpreter as the first line, or run it as 'sh FILE')";
    case ENOENT:
        return " (where the file is there: its interpreter, or its dynamic loader, is not)";
    case E2BIG:
        return " (arguments and environment are longer than the system takes; see ulimit -s)";
    default:
        return "";
    }
}
