/* SPDX-License-Identifier: MIT
 *
 * This process: its memory, forks of measured code, and its end.
 */
#include "plat_process.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A line such as "VmHWM:     5616 kB". */
static int64_t field_bytes(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? (int64_t)strtoll(at + strlen(key), NULL, 10) * 1024 : -1;
}

bool plat_process_memory(struct plat_process_memory *out)
{
    char text[4096];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    out->now_bytes = field_bytes(text, "\nVmRSS:");
    out->peak_bytes = field_bytes(text, "\nVmHWM:");
    return out->now_bytes >= 0 || out->peak_bytes >= 0;
}

bool plat_process_peak_forget(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, "5", 1) == 1;
    if (fd >= 0)
        close(fd);
    return done;
}

bool plat_constructors_backwards(void)
{
    return false;
}

static volatile bool forked;
static volatile int64_t forks;

static void mark(void)
{
    forked = true;
}

static void note(void)
{
    forks++;
}

void plat_forks_watch(void)
{
    static bool watching;
    if (!watching && !forked)
        watching = pthread_atfork(note, NULL, mark) == 0;
}

int64_t plat_forks_seen(void)
{
    struct rusage children;
    return forks +
           (getrusage(RUSAGE_CHILDREN, &children) ? 0 : (int64_t)children.ru_minflt); /* none lives without a page of its own */
}

void plat_forked_end(void)
{
    if (forked)
        plat_process_end(0);
}

void plat_process_end(int code)
{
    _exit(code);
}

bool plat_process_take_variable(const char *variable, char *out, size_t size)
{
    const char *value = getenv(variable);
    if (!value || (out && strlen(value) >= size))
        return false;
    if (out)
        memcpy(out, value, strlen(value) + 1);
    unsetenv(variable);
    return true;
}
