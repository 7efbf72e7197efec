/* SPDX-License-Identifier: MIT */
#include "linux.h"
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <signal.h>
#include <time.h>

/* What people, batch systems and limits send to end a program. */
static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};
enum { WATCHED = sizeof watched / sizeof *watched };

static volatile sig_atomic_t noted;
static volatile sig_atomic_t first; /* as noted, but it is not forgotten */
static volatile int64_t first_ns;
static pid_t watching; /* the process that asked to */

/* One act may arrive twice: timeout(1) signals its child and then the group, a Ctrl-C reaches us and the make above us, which
 * hands it on. A person who wants us gone at once is slower. To a worker (plat_share) we hand it on ourselves, when we come to it. */
static const int64_t SAME_ACT_NS = 100000000;

/* The first is noted; another ends us whatever we are doing. */
static void take_signal(int number, bool handed_on)
{
    int64_t now_ns = plat_now_ns();
    if (first == number && (handed_on || now_ns - first_ns < SAME_ACT_NS))
        return;
    if (first)
        plat_die_of(number);
    first_ns = now_ns;
    first = noted = number;
}

static void on_signal(int number, siginfo_t *from, void *context)
{
    (void)context;
    take_signal(number, getpid() != watching && from->si_code == SI_USER && from->si_pid == getppid());
}

/* One that was ignored when we came stays so: nohup. SIGPIPE would end us in the middle of a write; ignored, it makes the
 * write fail, which has words. */
enum tare_status plat_signals_watch(void)
{
    struct sigaction watch = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigfillset(&watch.sa_mask);
    watching = getpid();
    for (int i = 0; i < WATCHED; i++) {
        struct sigaction old;
        if (sigaction(watched[i], NULL, &old))
            return posix_status(errno);
        if (old.sa_handler != SIG_IGN && sigaction(watched[i], &watch, NULL))
            return posix_status(errno);
    }
    signal(SIGPIPE, SIG_IGN); /* children get the defaults, see spawn_helper.c */
    return TARE_OK;
}

int plat_signal(void)
{
    return noted;
}

void plat_signal_clear(void)
{
    noted = 0;
}

void signal_note(int number)
{
    take_signal(number, false);
}

int signal_poll(struct pollfd *fds, int n, int64_t timeout_ns, bool heed)
{
    sigset_t block, before;
    sigemptyset(&block);
    for (int i = 0; i < WATCHED; i++)
        sigaddset(&block, watched[i]);
    sigprocmask(SIG_BLOCK, &block, &before);
    int ready = -1;
    struct timespec timeout = {.tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000};
    if (heed && noted)
        errno = EINTR;
    else
        ready = ppoll(fds, (nfds_t)n, timeout_ns < 0 ? NULL : &timeout, &before);
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return ready;
}
