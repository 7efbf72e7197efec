/* SPDX-License-Identifier: MIT
 *
 * A benchmark and a target that fork and go on in both processes, three times each; the parent waits for the child.
 */
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

TARE_LEAK(forking_too, .bytes = 8, .classes = TARE_CLASSES("zero", "random"))
{
    split();
    return in[0] & 0;
}

TARE_MAIN()
