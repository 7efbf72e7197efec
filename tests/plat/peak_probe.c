/* SPDX-License-Identifier: MIT
 *
 * A program that knows its own peak: it fills memory as its arguments say and prints its VmHWM in kB, a line for each image, just before the image
 * ends. What it needs for that (buffers, library pages) it has touched before it looks.
 *
 *     own MB            fills, tells
 *     freed MB          the same, and gives the memory back before it tells
 *     chain MB MB ...   fills, tells, executes itself for the next
 *     tree MB MB ...    a child for each, one after the other; tells in each and here
 *     vforked MB        vfork and exec of `own MB`
 *     threads N MB      N threads fill MB each and end; tells
 *     thread-exec MB    a thread that is not the first executes `own MB`
 *     killed MB         a child fills, tells and is killed
 *     left MB FILE      a child in a session of its own fills, writes its id to FILE and stays; the parent ends when that is done
 *     noisy SIGNAL MB   sends itself a signal that it catches, stops and is continued by a child, then as `own`
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[4096], line[32], name[] = "peak_probe";
static const char self[] = "/proc/self/exe";

static char *fill(const char *megabytes, size_t *n)
{
    *n = (size_t)atol(megabytes) << 20;
    char *p = mmap(NULL, *n + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        _exit(3);
    madvise(p, *n, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < *n; i += 4096)
        p[i] = 1;
    return p;
}

static size_t look(void)
{
    int fd = open("/proc/self/status", O_RDONLY);
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *at = strstr(text, "VmHWM:");
    size_t used = 0;
    for (at = at ? at + 6 : ""; *at && *at != '\n'; at++)
        if (*at >= '0' && *at <= '9' && used < sizeof line - 1)
            line[used++] = *at;
    line[used++] = '\n';
    return used;
}

/* The kernel maps the pages of files around the one that is read: what is called after the look must be there before. */
static void touch_code(void)
{
    const uintptr_t called[] = {(uintptr_t)write, (uintptr_t)_exit, (uintptr_t)execv,  (uintptr_t)close,
                                (uintptr_t)pause, (uintptr_t)kill,  (uintptr_t)getpid, (uintptr_t)waitpid};
    for (size_t i = 0; i < sizeof called / sizeof *called; i++)
        (void)*(const volatile char *)called[i];
}

static void tell(void)
{
    touch_code();
    look();
    if (write(1, line, look()) < 0)
        _exit(4);
}

static int own(char **arg)
{
    size_t n;
    fill(arg[0], &n);
    tell();
    return 0;
}

static int freed(char **arg)
{
    size_t n;
    char *p = fill(arg[0], &n);
    munmap(p, n + 1);
    tell();
    return 0;
}

static int chain(char **arg)
{
    size_t n;
    fill(arg[0], &n);
    tell();
    if (!arg[1])
        return 0;
    char *argv[16] = {name, (char[]){"chain"}};
    for (int i = 1; arg[i] && i < 13; i++)
        argv[i + 1] = arg[i];
    execv(self, argv);
    return 5;
}

static int tree(char **arg)
{
    int status = 0;
    for (; *arg; arg++) {
        pid_t pid = fork();
        if (!pid)
            _exit(own(arg));
        if (waitpid(pid, &status, 0) != pid || status)
            return 6;
    }
    tell();
    return 0;
}

static int vforked(char **arg)
{
    char *const argv[] = {name, (char[]){"own"}, arg[0], NULL};
    int status = 0;
    pid_t pid = vfork();
    if (!pid) {
        execv(self, argv);
        _exit(7);
    }
    waitpid(pid, &status, 0);
    tell();
    return WEXITSTATUS(status);
}

static void *fill_thread(void *argument)
{
    size_t n;
    return fill(argument, &n);
}

static int threads(char **arg)
{
    int n = atoi(arg[0]);
    pthread_t thread[64];
    for (int i = 0; i < n && i < 64; i++)
        if (pthread_create(&thread[i], NULL, fill_thread, arg[1]))
            return 8;
    for (int i = 0; i < n && i < 64; i++)
        pthread_join(thread[i], NULL);
    tell();
    return 0;
}

static void *exec_thread(void *argument)
{
    char *const argv[] = {name, (char[]){"own"}, argument, NULL};
    execv(self, argv);
    return NULL;
}

static int thread_exec(char **arg)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, exec_thread, arg[0]))
        return 8;
    pthread_join(thread, NULL);
    return 9;
}

static int killed(char **arg)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        own(arg);
        kill(getpid(), SIGKILL);
    }
    waitpid(pid, &status, 0);
    return !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static int left(char **arg)
{
    int ready[2];
    char byte;
    if (pipe(ready))
        return 10;
    if (!fork()) {
        setsid();
        FILE *f = fopen(arg[1], "w");
        fprintf(f, "%d", (int)getpid());
        fclose(f);
        own(arg);
        close(ready[1]);
        for (;;)
            pause();
    }
    close(ready[1]);
    return read(ready[0], &byte, 1) != 0;
}

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    (void)number;
    caught++;
}

static int noisy(char **arg)
{
    signal(atoi(arg[0]), on_signal);
    raise(atoi(arg[0]));
    pid_t parent = getpid();
    int over[2];
    if (pipe(over))
        return 12;
    if (!fork()) {
        close(over[1]);
        while (!poll(&(struct pollfd){.fd = over[0]}, 1, 50)) /* until it has gone on: it may not have stopped yet */
            kill(parent, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
    close(over[1]);
    wait(NULL);
    return caught == 1 ? own(arg + 1) : 11;
}

static const struct {
    const char *name;
    int (*run)(char **arg);
} acts[] = {
    {"own", own},
    {"freed", freed},
    {"chain", chain},
    {"tree", tree},
    {"vforked", vforked},
    {"threads", threads},
    {"thread-exec", thread_exec},
    {"killed", killed},
    {"left", left},
    {"noisy", noisy},
};

int main(int argc, char **argv)
{
    look();
    for (size_t i = 0; argc > 2 && i < sizeof acts / sizeof *acts; i++)
        if (!strcmp(argv[1], acts[i].name))
            _exit(acts[i].run(argv + 2));
    return 99;
}
