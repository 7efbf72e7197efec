/* SPDX-License-Identifier: MIT
 *
 * A program whose heap is known. Its first argument says what to do. Where it holds what it has, it says so by a byte on standard
 * output and goes on at a byte on standard input; without a listener it goes on at once. */
#include "alloc_board.h"
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MB = 1 << 20, KEPT_EARLY = 5 * MB };

static void *volatile kept; /* so that no allocation is optimised away */
static int early_wanted;

/* Touched, so that it is resident too. */
static void *block(size_t n)
{
    void *p = malloc(n);
    if (!p)
        exit(3);
    memset(p, 1, n);
    kept = p;
    return p;
}

static void hold(void)
{
    char byte = '.';
    if (write(STDOUT_FILENO, &byte, 1) == 1 && read(STDIN_FILENO, &byte, 1) < 0)
        exit(4);
}

/* FIRST MB one by one, half of them freed, then SECOND MB more at once, then all freed. */
static int act_ramp(char **arg)
{
    int first = atoi(arg[0]), second = atoi(arg[1]);
    void **blocks = block((size_t)first * sizeof *blocks);
    hold();
    for (int i = 0; i < first; i++)
        blocks[i] = block(MB);
    hold();
    for (int i = 0; i < first / 2; i++)
        free(blocks[i]);
    hold();
    void *more = block((size_t)second * MB);
    hold();
    free(more);
    for (int i = first / 2; i < first; i++)
        free(blocks[i]);
    free(blocks);
    hold();
    return 0;
}

enum { THREADS = 8, BLOCKS = 500, BLOCK_BYTES = 4096 };

/* Each gives back every second block at once. */
static void *churn(void *blocks)
{
    void **own = blocks;
    for (int i = 0; i < BLOCKS; i++) {
        free(block(BLOCK_BYTES));
        own[i] = block(BLOCK_BYTES);
    }
    return NULL;
}

static int act_threads(char **arg)
{
    (void)arg;
    static void *blocks[THREADS][BLOCKS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, churn, blocks[i]))
            return 5;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    hold();
    return 0;
}

/* The child gives back what it inherited and takes less; `raw` makes it without the C library. */
static int act_fork(char **arg)
{
    void *before = block(32 * MB);
    pid_t child = strcmp(arg[0], "raw") ? fork() : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (!child) {
        free(before);
        block(8 * MB);
        hold();
        _exit(0);
    }
    int status;
    return waitpid(child, &status, 0) != child || status;
}

/* One of each call, each of 100000 bytes and each freed but the last. */
static int act_calls(char **arg)
{
    (void)arg;
    enum { N = 100000 };
    void *p = NULL;
    free(kept = malloc(N));
    free(kept = calloc(N / 10, 10));
    free(kept = realloc(NULL, N));
    free(kept = aligned_alloc(64, 100032));
    free(kept = memalign(64, N));
    free(kept = valloc(N));
    free(kept = pvalloc(N));
    if (posix_memalign(&p, 64, N))
        return 6;
    free(p);
    kept = strdup("seven bytes and more"); /* an allocation of the C library's own */
    free(kept);
    p = reallocarray(malloc(N / 2), N / 10, 10);
    kept = p = realloc(p, 2 * N);
    volatile size_t half = SIZE_MAX / 2;
    kept = reallocarray(NULL, half, 4) ? NULL : p; /* overflows: asks nobody */
    return kept ? 0 : 7;
}

static int act_none(char **arg)
{
    (void)arg;
    return 0;
}

static int act_early(char **arg)
{
    (void)arg;
    hold();
    return early_wanted ? 0 : 8;
}

/* Its heap is gone when another program takes its place. */
static int act_exec(char **arg)
{
    block(20 * MB);
    hold();
    execv(arg[0], (char *[]){arg[0], (char[]){"hold"}, NULL});
    return 9;
}

/* Goes on as a program that knows nothing of what was around this one. */
static int act_forget(char **arg)
{
    block(1000);
    execve(arg[0], (char *[]){arg[0], (char[]){"hold"}, NULL}, (char *[]){NULL});
    return 9;
}

/* Whether what is preloaded ends so. */
static int act_preloads(char **arg)
{
    const char *all = getenv("LD_PRELOAD"), *end = all ? strstr(all, arg[0]) : NULL;
    block(1);
    return !end || strcmp(end, arg[0]);
}

static int act_hold(char **arg)
{
    (void)arg;
    block(2 * MB);
    hold();
    return 0;
}

static int act_fail(char **arg)
{
    block(MB);
    return atoi(arg[0]);
}

/* Its process is none that there can be, and it made fewer than no allocations. */
static int act_lies(char **arg)
{
    const bool impossible = arg[0] != NULL;
    const char *path = getenv(ALLOC_BOARD_VARIABLE);
    const int fd = path ? open(path, O_RDWR) : -1;
    struct alloc_board *board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    block(MB);
    if (board == MAP_FAILED)
        return 5;
    hold();
    board->pid[0] = INT32_MIN;
    board->pid[1] = -INT32_MAX;
    board->used = 2;
    board->crowded = UINT32_MAX;
    board->slot[0].frees = INT64_MIN;
    board->slot[1].allocated_bytes = impossible ? INT64_MAX : 0;
    return 0;
}

/* Before main, and before the counter's own constructor where the loader has it so. */
__attribute__((constructor)) static void begin(int argc, char **argv)
{
    early_wanted = argc > 1 && !strcmp(argv[1], "early");
    if (early_wanted)
        block(KEPT_EARLY);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*act)(char **arg);
    } acts[] = {{"ramp", act_ramp}, {"threads", act_threads}, {"fork", act_fork},         {"calls", act_calls},
                {"none", act_none}, {"early", act_early},     {"exec", act_exec},         {"hold", act_hold},
                {"fail", act_fail}, {"forget", act_forget},   {"preloads", act_preloads}, {"lies", act_lies}};
    for (size_t i = 0; argc > 1 && i < sizeof acts / sizeof *acts; i++)
        if (!strcmp(argv[1], acts[i].name))
            return acts[i].act(argv + 2);
    return 100;
}
