/* SPDX-License-Identifier: MIT
 *
 * how_ended PROGRAM ARG... runs a program and says how it ended: "exited 3", "killed by signal 2". Its own exit code is 0.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    pid_t child = fork();
    if (!child) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return 1;
    if (WIFSIGNALED(status))
        printf("killed by signal %d\n", WTERMSIG(status));
    else
        printf("exited %d\n", WEXITSTATUS(status));
    return 0;
}
