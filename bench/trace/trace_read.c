/* SPDX-License-Identifier: MIT
 *
 * How fast the reader is, and what memory it takes.
 *
 *     trace_read FILE WORKERS          one line: EVENTS FILE-BYTES SECONDS CPU-SECONDS PEAK-BYTES */
#include "trace_sums.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    struct trace_sums *s;
    struct trace_file *f;
    struct tare_err err;
    struct stat size;
    struct rusage use;
    if (argc != 3 || stat(argv[1], &size))
        return 2;
    const double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    const struct trace_sums_options o = {.workers = atoi(argv[2])};
    if (trace_sums_create(&s, &o, &err) != TARE_OK || trace_file_open(&f, argv[1], &err) != TARE_OK ||
        trace_sums_add(s, f, &err) != TARE_OK || trace_sums_finish(s, &err) != TARE_OK) {
        fprintf(stderr, "trace_read: %s\n", err.text);
        return 2;
    }
    const double seconds = now(CLOCK_MONOTONIC) - wall, cpu_seconds = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    getrusage(RUSAGE_SELF, &use);
    printf("%llu %lld %.6f %.6f %ld\n", (unsigned long long)trace_sums_run(s)->events, (long long)size.st_size, seconds,
           cpu_seconds, use.ru_maxrss * 1024);
    trace_file_close(f);
    trace_sums_destroy(s);
    return 0;
}
