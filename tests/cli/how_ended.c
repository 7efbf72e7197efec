/* SPDX-License-Identifier: MIT
 *
 * how_ended [-p FILE] PROGRAM ARG... runs a program and says how it ended: "exited 3", "killed by signal 2". Its own exit code
 * is 0. -p: the program's process number is written to FILE first. The program can be interrupted even where a shell in the
 * background would have it ignore SIGINT.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int write_pid(const char *path)
{
    FILE *f = fopen(path, "w");
    return f && fprintf(f, "%ld\n", (long)getpid()) > 0 && !fclose(f);
}

int main(int argc, char **argv)
{
    const char *pid_file = argc > 2 && !strcmp(argv[1], "-p") ? argv[2] : NULL;
    char **program = argv + (pid_file ? 3 : 1);
    if (!*program)
        return 2;
    pid_t child = fork();
    if (!child) {
        if (pid_file && !write_pid(pid_file))
            _exit(127);
        signal(SIGINT, SIG_DFL);
        execvp(*program, program);
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
