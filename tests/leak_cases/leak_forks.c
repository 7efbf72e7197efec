/* SPDX-License-Identifier: MIT
 * Targets that use their secret in another process, which valgrind's report is silent of. */
#include <stdlib.h>
#include <sys/wait.h>
#include <tare/tare.h>
#include <unistd.h>

static int naive(const unsigned char *in)
{
    for (int i = 0; i < 32; i++)
        if (in[i] != in[32 + i])
            return 1;
    return 0;
}

TARE_LEAK(in_a_child, .bytes = 64, .classes = TARE_CLASSES("equal", "random"))
{
    int status;
    pid_t pid = fork();
    if (!pid)
        _exit(naive(in));
    return waitpid(pid, &status, 0) == pid ? 0 : 1;
}

TARE_LEAK(by_a_shell, .bytes = 64, .classes = TARE_CLASSES("equal", "random"))
{
    const char word[] = {'t', 'e', 's', 't', ' ', (char)('a' + in[0] % 16), 0};
    (void)!system(word);
    return 0;
}

TARE_MAIN()
