/* SPDX-License-Identifier: MIT */
#include "plat_trace.h"
#include "task_text.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

_Static_assert(sizeof(sigset_t) <= sizeof(((struct plat_quiet *)0)->signals), "a set of signals fits");

void plat_quiet_begin(struct plat_quiet *q)
{
    sigset_t all, before;
    q->error = errno;
    sigfillset(&all);
    sigemptyset(&before);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    memcpy(q->signals, &before, sizeof before);
}

void plat_quiet_end(const struct plat_quiet *q)
{
    sigset_t before;
    memcpy(&before, q->signals, sizeof before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = q->error;
}

const char *plat_trusted_getenv(const char *name)
{
    return secure_getenv(name);
}

/* Up to size - 1 bytes and a zero. */
static size_t read_uint(const char *path, char *out, size_t size)
{
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC), n = 0;
    size_t have = 0;
    while (fd >= 0 && have + 1 < size && (n = syscall(SYS_read, fd, out + have, size - 1 - have)) > 0)
        have += (size_t)n;
    if (fd >= 0)
        syscall(SYS_close, fd);
    out[have] = 0;
    return have;
}

uint64_t plat_process_start(void)
{
    enum { STAT_BEGAN = 22 };
    char text[1024];
    read_uint("/proc/self/stat", text, sizeof text);
    const int64_t began = task_stat_number(text, STAT_BEGAN);
    return began > 0 ? (uint64_t)began : 0;
}

int64_t plat_process_parent(void)
{
    return syscall(SYS_getppid);
}

uint32_t plat_thread_number(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

void plat_thread_title(char title[16])
{
    memset(title, 0, 16);
    prctl(PR_GET_NAME, title);
}

void plat_process_program(char *out, size_t size)
{
    long n = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", out, size - 1);
    out[n > 0 ? n : 0] = 0;
}

uint64_t plat_process_arguments(char *out, size_t size)
{
    size_t n = read_uint("/proc/self/cmdline", out, size);
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += out[i] == 0 || i + 1 == n;
    return count;
}

void *plat_pages(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void plat_pages_free(void *pages, size_t bytes)
{
    if (pages)
        munmap(pages, bytes);
}

/* The pages may be a part of a program's file in memory, of which the kernel cannot forget a child's copy; so new ones take their place.
 * Emulators accept the advice and forget it, so the C library is asked as well. */
bool plat_wiped_on_fork(void *pages, size_t bytes, void (*forked)(void))
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    bool whole = (uintptr_t)pages % page == 0 && bytes % page == 0;
    pthread_atfork(NULL, NULL, forked);
    return whole && mmap(pages, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == pages &&
           !madvise(pages, bytes, MADV_WIPEONFORK);
}

/* Threads run on until the process is gone. */
bool plat_process_ends(void)
{
    return false;
}

/* Several threads may be the first at once, also one within a signal handler that interrupted it: each makes a key, and one is taken. */
static _Atomic int64_t key = -1;

bool plat_thread_ends_watch(void (*ended)(void *value))
{
    pthread_key_t made;
    int64_t none = -1;
    if (atomic_load(&key) >= 0)
        return true;
    if (pthread_key_create(&made, ended))
        return false;
    if (!atomic_compare_exchange_strong(&key, &none, (int64_t)made))
        pthread_key_delete(made);
    return true;
}

void plat_thread_at_end(void *value)
{
    const int64_t there = atomic_load(&key);
    if (there >= 0)
        pthread_setspecific((pthread_key_t)there, value);
}

void plat_thread_ends_forget(void)
{
    const int64_t there = atomic_exchange(&key, -1);
    if (there >= 0)
        pthread_key_delete((pthread_key_t)there);
}
