/* SPDX-License-Identifier: MIT */
#include "wire_child.h"
#include "wire.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void start(const char *valgrind, const char *program, const char *lines, int fd)
{
    struct buf request = BUF_INIT(WIRE_REQUEST_MAX);
    buf_format(&request, "tare-wire %d %d\n%s", WIRE_VERSION, fd, lines);
    if (setenv(WIRE_VARIABLE, buf_text(&request), 1) == 0 && valgrind)
        execl(valgrind, valgrind, "-q", "--error-exitcode=99", "--log-file=/dev/null", program, (char *)NULL);
    else
        execl(program, program, (char *)NULL);
    _exit(127);
}

int wire_child_under(const char *valgrind, const char *program, const char *lines, struct buf *record)
{
    int ends[2], status = 0;
    if (pipe(ends))
        return -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        start(valgrind, program, lines, ends[1]);
    }
    close(ends[1]);
    char bytes[65536];
    ssize_t n;
    while ((n = read(ends[0], bytes, sizeof bytes)) > 0)
        buf_add(record, bytes, (size_t)n);
    close(ends[0]);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int wire_child(const char *program, const char *lines, struct buf *record)
{
    return wire_child_under(NULL, program, lines, record);
}
