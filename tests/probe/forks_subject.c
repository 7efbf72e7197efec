/* SPDX-License-Identifier: MIT
 *
 * A benchmark and a target that fork and go on in both processes, three times each; the parent waits for the child. A benchmark that starts its own
 * program, and one in which a thread ends itself.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <tare/tare.h>
#include <unistd.h>

static int forks;

static void split(void)
{
    pid_t child = forks++ < 3 ? fork() : -1;
    if (child > 0)
        waitpid(child, NULL, 0);
}

TARE_BENCH(forking)
{
    uint64_t x = tare_seed(st);
    TARE_LOOP(st)
    {
        split();
        x = x * 3 + 1;
        tare_chain(x);
    }
}

TARE_BENCH(starting_itself)
{
    uint64_t x = tare_seed(st);
    if (!getenv("STARTED") && !setenv("STARTED", "1", 1) && fork() == 0) {
        execl("/proc/self/exe", "forks_subject", "--list", (char *)0);
        _exit(1);
    }
    wait(NULL);
    TARE_LOOP(st)
    {
        x = x * 3 + 1;
        tare_chain(x);
    }
}

TARE_BENCH(ending, .threads = TARE_ARGS(3))
{
    uint64_t x = tare_seed(st);
    TARE_LOOP(st)
    {
        x = x * 3 + 1;
        tare_chain(x);
        if (tare_thread(st) == 1)
            pthread_exit(NULL);
    }
}

TARE_LEAK(forking_too, .bytes = 8, .classes = TARE_CLASSES("zero", "random"))
{
    split();
    return in[0] & 0;
}

TARE_MAIN()
