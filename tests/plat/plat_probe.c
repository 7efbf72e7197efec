/* SPDX-License-Identifier: MIT
 *
 * The program that the tests of plat measure. Its first argument says what to do; see `acts` at the end.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int act_exit(char **arg)
{
    return atoi(arg[0]);
}

static int act_die(char **arg)
{
    raise(atoi(arg[0]));
    return 1;
}

static int act_argv(char **arg)
{
    for (; *arg; arg++)
        printf("[%s]", *arg);
    return 0;
}

static int act_env(char **arg)
{
    (void)arg;
    for (char **e = environ; *e; e++)
        printf("[%s]", *e);
    return 0;
}

static int act_cwd(char **arg)
{
    (void)arg;
    char path[4096];
    printf("%s", getcwd(path, sizeof path));
    return 0;
}

static int act_group(char **arg)
{
    (void)arg;
    printf("%s", getpgrp() == getpid() ? "own" : "shared");
    return 0;
}

static int act_foreground(char **arg)
{
    (void)arg;
    return tcgetpgrp(0) == getpgrp() ? 0 : 1;
}

static int act_fds(char **arg)
{
    (void)arg;
    DIR *dir = opendir("/proc/self/fd");
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (*e->d_name != '.' && atoi(e->d_name) != dirfd(dir))
            printf("%s ", e->d_name);
    return 0;
}

/* The masks the kernel has for us: blocked, ignored, caught. */
static int act_signals(char **arg)
{
    (void)arg;
    FILE *f = fopen("/proc/self/status", "r");
    for (char line[256]; f && fgets(line, sizeof line, f);)
        if (!strncmp(line, "SigBlk", 6) || !strncmp(line, "SigIgn", 6) || !strncmp(line, "SigCgt", 6))
            fputs(line, stdout);
    return 0;
}

static int act_cpus(char **arg)
{
    (void)arg;
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set))
            printf("%d ", i);
    return 0;
}

static int act_touch(char **arg)
{
    size_t bytes = (size_t)atoi(arg[0]) << 20;
    char *p = malloc(bytes);
    for (size_t i = 0; i < bytes; i += 1024)
        ((volatile char *)p)[i] = 1;
    return 0;
}

static int act_spray(char **arg)
{
    static char block[1 << 16];
    for (long left = atol(arg[0]) << 20; left > 0; left -= (long)sizeof block)
        if (write(1, block, sizeof block) != sizeof block)
            return 1;
    return 0;
}

static int act_cat(char **arg)
{
    (void)arg;
    char block[4096];
    ssize_t n;
    while ((n = read(0, block, sizeof block)) > 0)
        if (write(1, block, (size_t)n) != n)
            return 1;
    return n < 0;
}

static void write_pid(const char *path)
{
    FILE *f = fopen(path, "w");
    fprintf(f, "%d", (int)getpid());
    fclose(f);
}

/* A second process that has written its id to the file when this returns, and that waits for ever. */
static void leave_one(const char *file)
{
    int ready[2];
    if (pipe(ready))
        exit(1);
    if (!fork()) {
        write_pid(file);
        close(ready[1]);
        close(ready[0]);
        for (;;)
            pause();
    }
    close(ready[1]);
    char byte;
    if (read(ready[0], &byte, 1))
        exit(1);
}

static int act_orphan(char **arg)
{
    leave_one(arg[0]);
    return 0;
}

/* family FILE FILE: the ids of a second process and of this one. */
_Noreturn static int act_family(char **arg)
{
    signal(SIGTERM, SIG_IGN);
    write_pid(arg[1]);
    leave_one(arg[0]);
    for (;;)
        pause();
}

/* A process in a session of its own, with a child in another: no signal to a group reaches both. */
static void leave_sessions(const char *const *files, int n)
{
    int ready[2];
    if (!n)
        return;
    if (pipe(ready))
        exit(1);
    if (fork() == 0) {
        setsid();
        write_pid(files[0]);
        leave_sessions(files + 1, n - 1);
        close(ready[1]);
        close(ready[0]);
        for (;;)
            pause();
    }
    close(ready[1]);
    char byte;
    if (read(ready[0], &byte, 1) < 0)
        exit(1);
    close(ready[0]);
}

/* sessions FILE FILE: stays, or ends at once as `left FILE` does. */
_Noreturn static int act_sessions(char **arg)
{
    const char *const files[] = {arg[0], arg[1]};
    leave_sessions(files, 2);
    for (;;)
        pause();
}

static int act_left(char **arg)
{
    const char *const files[] = {arg[0]};
    leave_sessions(files, 1);
    return 0;
}

static int act_stop(char **arg)
{
    raise(atoi(arg[0]));
    return 7;
}

/* strike PID SIGNAL FILE: writes its own id, signals another and waits to be ended. */
_Noreturn static int act_strike(char **arg)
{
    write_pid(arg[2]);
    kill(atoi(arg[0]), atoi(arg[1]));
    for (;;)
        pause();
}

_Noreturn static int act_wait(char **arg)
{
    write_pid(arg[0]);
    for (;;)
        pause();
}

/* Signals its parent, as servers do to say that they are ready, and goes on. */
static int act_nudge(char **arg)
{
    kill(getppid(), atoi(arg[0]));
    usleep(20000);
    return 6;
}

/* Leaves the terminal without echo and line editing, as a program does that is killed in the middle. */
static int act_raw(char **arg)
{
    (void)arg;
    struct termios modes;
    if (tcgetattr(0, &modes))
        return 1;
    cfmakeraw(&modes);
    if (tcsetattr(0, TCSANOW, &modes))
        return 1;
    raise(SIGKILL);
    return 1;
}

static void *nothing(void *argument)
{
    return argument;
}

static int act_thread(char **arg)
{
    (void)arg;
    pthread_t thread;
    return pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL);
}

static int act_brood(char **arg)
{
    (void)arg;
    pid_t pid = fork();
    if (!pid)
        _exit(0);
    return waitpid(pid, NULL, 0) != pid;
}

static int act_stray(char **arg)
{
    (void)arg;
    if (!fork())
        _exit(0);
    return 0;
}

/* So many milliseconds of CPU time. */
static int act_burn(char **arg)
{
    const clock_t until = clock() + atol(arg[0]) * (CLOCKS_PER_SEC / 1000);
    while (clock() < until)
        ;
    return 0;
}

static int act_move(char **arg)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(atoi(arg[0]), &set);
    return sched_setaffinity(0, sizeof set, &set) != 0;
}

static void *exec_there(void *words)
{
    char **arg = words;
    if (!act_move(arg))
        execv(arg[1], arg + 1);
    return NULL;
}

/* The program that follows the CPU is executed by another thread, on that CPU. */
static int act_pass(char **arg)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, exec_there, arg) || !pthread_join(thread, NULL);
}

/* So many bytes to descriptor 3. */
static int act_report(char **arg)
{
    for (int i = 0; i < atoi(arg[0]); i++)
        if (write(3, "r", 1) != 1)
            return 1;
    return 0;
}

static const struct {
    const char *name;
    int (*run)(char **arg);
} acts[] = {
    {"exit", act_exit},     {"die", act_die},           {"argv", act_argv},
    {"env", act_env},       {"cwd", act_cwd},           {"group", act_group},
    {"fds", act_fds},       {"signals", act_signals},   {"cpus", act_cpus},
    {"touch", act_touch},   {"spray", act_spray},       {"cat", act_cat},
    {"orphan", act_orphan}, {"family", act_family},     {"stop", act_stop},
    {"strike", act_strike}, {"wait", act_wait},         {"foreground", act_foreground},
    {"raw", act_raw},       {"nudge", act_nudge},       {"thread", act_thread},
    {"brood", act_brood},   {"stray", act_stray},       {"burn", act_burn},
    {"move", act_move},     {"sessions", act_sessions}, {"left", act_left},
    {"report", act_report}, {"pass", act_pass},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof acts / sizeof *acts; i++)
        if (!strcmp(argv[1], acts[i].name))
            return acts[i].run(argv + 2);
    return 99;
}
