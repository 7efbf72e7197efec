/* SPDX-License-Identifier: MIT
 *
 * Control points on the processor that runs this, or is said to run it by an emulator: threads and a forked child pass some, and what the
 * files hold is counted by their words. Exit 1 and a line for each thing that is not so.
 *
 *     portable_points_live [FOLDER]      the files stay there; else they are removed
 */
#include "trace_format.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tare/point.h>
#include <unistd.h>

enum { THREADS = 4, PASSES = 20000, CHILD_PASSES = 100 };

static void *work(void *argument)
{
    const int n = (int)(intptr_t)argument;
    for (int i = 0; i < n; i++)
        TARE_POINT_NAMED("pass");
    return NULL;
}

static int threads(void)
{
    pthread_t id[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&id[i], NULL, work, (void *)(intptr_t)PASSES))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    return 0;
}

/* Words of points in a file that has none with values. */
static uint64_t count(const unsigned char *file, uint64_t bytes)
{
    uint64_t n = 0;
    for (uint64_t at = TRACE_UNIT; at + TRACE_UNIT <= bytes;) {
        const struct trace_segment *s = (const struct trace_segment *)(file + at);
        const uint64_t *w = (const uint64_t *)(s + 1), units = s->magic == TRACE_SEGMENT_MAGIC ? s->units : 1;
        if (s->magic == TRACE_SEGMENT_MAGIC && s->kind == TRACE_EVENTS)
            for (uint64_t i = 0; i < (units * TRACE_UNIT - sizeof *s) / 8; i++) {
                n += (w[i] & 0xffff) > 0 && (w[i] & 0xffff) < TRACE_CONTROL;
                i += (w[i] & 0xffff) >= TRACE_CONTROL1 && (w[i] & 0xffff) < TRACE_CONTROL4;
            }
        at += units * TRACE_UNIT;
    }
    return n;
}

static uint64_t count_file(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st))
        return 0;
    void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    return at == MAP_FAILED ? 0 : count(at, (uint64_t)st.st_size);
}

/* How many files; *passes in all. */
static int count_all(const char *folder, uint64_t *passes, bool keep)
{
    int files = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (!strstr(e->d_name, ".trace"))
            continue;
        files++;
        *passes += count_file(path);
        if (!keep)
            unlink(path);
    }
    if (d)
        closedir(d);
    return files;
}

int main(int argc, char **argv)
{
    char made[] = "/tmp/tare-points-XXXXXX";
    const char *folder = argc > 1 ? argv[1] : mkdtemp(made);
    struct tare_trace_options o = TARE_INIT(struct tare_trace_options, .folder = folder, .mode = TARE_TRACE_EVENTS);
    struct tare_err err = {{0}};
    if (!folder || tare_trace_start(&o, &err)) {
        printf("cannot trace: %s\n", err.text);
        return 1;
    }
    if (threads())
        return 1;
    pid_t child = fork();
    if (child == 0) {
        work((void *)(intptr_t)CHILD_PASSES);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    uint64_t passes = 0;
    const int files = count_all(folder, &passes, argc > 1);
    if (argc < 2)
        rmdir(folder);
    printf("%llu passes in %d files\n", (unsigned long long)passes, files);
    return files != 2 || passes != THREADS * PASSES + CHILD_PASSES;
}
