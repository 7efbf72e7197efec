/* SPDX-License-Identifier: MIT
 *
 * stamp FILE [COMMAND...]: appends the monotonic clock in ns to FILE, then becomes COMMAND. Two of them bracket what lies between.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    char line[64];
    int n = snprintf(line, sizeof line, "%lld\n", (long long)t.tv_sec * 1000000000 + t.tv_nsec);
    int fd = open(argv[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, line, (size_t)n) != n)
        return 1;
    if (argc > 2) {
        execvp(argv[2], argv + 2);
        return 127;
    }
    return 0;
}
