/* SPDX-License-Identifier: MIT
 *
 * Runs a traced program, and makes the ticks of its points coarse when it has ended, as a counter in steps would have given them.
 *
 *     tare trace -- coarse_traced PROGRAM ARGUMENT...        (a program of coarse_link, whose points have no values)
 *
 * The origin of the steps is drawn for each file. What libtare wrote itself is coarse already (coarse_points.h), or what it came to. */
#include "trace_format.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef COARSE_STEP
#define COARSE_STEP 26
#endif

static void round_words(uint64_t *words, size_t n, uint64_t origin)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned id = words[i] & 0xFFFF;
        const uint64_t tick = words[i] >> 16;
        if (id >= TRACE_ID_FIRST && id <= TRACE_ID_LAST)
            words[i] = (tick - (tick + origin) % COARSE_STEP) << 16 | id;
        if (id > TRACE_ID_LAST) {
            const int data = trace_control_words(id);
            i += data >= 0 ? (size_t)data : i + 1 < n ? 1 + (size_t)words[i + 1] : 0;
        }
    }
}

static void round_file(unsigned char *bytes, size_t size, uint64_t origin)
{
    for (size_t at = TRACE_UNIT, step; at + TRACE_UNIT <= size; at += step) {
        const struct trace_segment *s = (const struct trace_segment *)(const void *)(bytes + at);
        step = TRACE_UNIT;
        if (s->magic != TRACE_SEGMENT_MAGIC || !s->units || s->units > (size - at) / TRACE_UNIT)
            continue;
        step = (size_t)s->units * TRACE_UNIT;
        if (s->kind == TRACE_EVENTS)
            round_words((uint64_t *)(void *)(bytes + at + sizeof *s), (step - sizeof *s) / 8, origin);
    }
}

static int make_coarse(const char *path)
{
    uint64_t origin = 0;
    struct stat size;
    const int fd = open(path, O_RDWR);
    if (fd < 0 || fstat(fd, &size) || getrandom(&origin, sizeof origin, 0) != sizeof origin)
        return 1;
    unsigned char *bytes = mmap(NULL, (size_t)size.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return 1;
    round_file(bytes, (size_t)size.st_size, origin % COARSE_STEP);
    return munmap(bytes, (size_t)size.st_size);
}

/* Of the request in the environment: the line "folder PATH". */
static int make_all_coarse(void)
{
    const char *request = getenv("TARE_TRACE"), *folder = request ? strstr(request, "\nfolder ") : NULL;
    char path[4096];
    const int length = folder ? (int)strcspn(folder + 8, "\n") : 0;
    if (!folder || length > 3000)
        return 1;
    snprintf(path, sizeof path, "%.*s", length, folder + 8);
    DIR *d = opendir(path);
    if (!d)
        return 1;
    int failed = 0;
    for (struct dirent *e; (e = readdir(d));) {
        snprintf(path, sizeof path, "%.*s/%.900s", length, folder + 8, e->d_name);
        failed |= strstr(e->d_name, ".trace") ? make_coarse(path) : 0;
    }
    closedir(d);
    return failed;
}

int main(int argc, char **argv)
{
    int status;
    const pid_t child = argc > 1 ? fork() : -1;
    if (child == 0) {
        execv(argv[1], argv + 1);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 2;
    return make_all_coarse() ? 3 : WEXITSTATUS(status);
}
