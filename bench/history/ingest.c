/* SPDX-License-Identifier: MIT
 *
 * ingest FOLDER SESSIONS SERIES VALUES [SEED]: how long a history of so many sessions, each with a result of every series, takes to be written, read into an index
 * for the first time, opened again, and asked for one series; and how much of the disk it takes. The folder must not be there before, and is left
 * for who wants to look at it.
 *
 * Values scatter by 1 % about levels from 100 ns to 10 s, whole nanoseconds for two thirds of the series, and with digits behind the point, as a benchmark's times
 * per iteration have, for the others.
 */
#include "history.h"
#include "plat.h"
#include "rng.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

static const struct metric wall = {"wall", "wall time", "ns", METRIC_TIME, METRIC_LOWER, NULL};

struct size {
    int sessions, series, values;
};

static void fail(const char *what, const struct tare_err *err)
{
    fprintf(stderr, "ingest: %s: %s\n", what, err->text);
    exit(1);
}

static double seconds_since(int64_t start_ns)
{
    return (double)(plat_now_ns() - start_ns) / 1e9;
}

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static double peak_mb(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1000;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void make_result(struct history_result *r, char *name, double *x, double *sorted, int series, int n, struct rng *rng)
{
    const double level = pow(10, 2 + 8. * (series * 37 % 1000) / 1000);
    const int digits = 4 - (int)log10(level),
              decimals = series % 3 && digits > 0 ? 0 : digits; /* steps of some hundredths of the scatter */
    const double power = pow(10, abs(decimals));
    for (int i = 0; i < n; i++) {
        const double value = level * (1 + 0.01 * rng_normal(rng));
        x[i] = decimals < 0 ? round(value / power) * power : round(value * power) / power;
    }
    memcpy(sorted, x, (size_t)n * sizeof *x);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    const double ratio = 1 + 0.01 * rng_normal(rng);
    snprintf(name, 40, "suite/benchmark_%d", series);
    *r = (struct history_result){.benchmark = name,
                                 .arguments = series % 2 ? "n=1000" : "",
                                 .metric = &wall,
                                 .point = {.median = sorted[n / 2],
                                           .low = sorted[n / 3],
                                           .high = sorted[n - 1 - n / 3],
                                           .ratio = ratio,
                                           .ratio_low = ratio - 0.01 * rng_uniform(rng),
                                           .ratio_high = ratio + 0.01 * rng_uniform(rng),
                                           .n = n},
                                 .values = x,
                                 .n_values = n};
}

static void write_all(const char *folder, const struct size *z, uint64_t seed)
{
    struct history_result *results = calloc((size_t)z->series, sizeof *results);
    char(*names)[40] = calloc((size_t)z->series, sizeof *names);
    double *values = calloc((size_t)z->series * (size_t)z->values + (size_t)z->values, sizeof *values);
    struct tare_err err = {"out of memory"};
    if (!results || !names || !values)
        fail("no memory", &err);
    struct rng rng = rng_seeded(seed);
    for (int i = 0; i < z->sessions; i++) {
        char revision[41], id[HISTORY_ID_BYTES];
        bool added;
        snprintf(revision, sizeof revision, "%040x", i + 1);
        for (int k = 0; k < z->series; k++)
            make_result(&results[k], names[k], values + (ptrdiff_t)k * z->values, values + (ptrdiff_t)z->series * z->values, k,
                        z->values, &rng);
        const struct history_entry e = {.session = {.project = "0123456789012345678901234567890123456789",
                                                    .revision = revision,
                                                    .measured_utc_ns = INT64_C(1764000000000000000) + i * INT64_C(3600000000000),
                                                    .tool = "tare 0.1.0",
                                                    .class = "GenuineIntel 6-106-6 8f3e2a10",
                                                    .machine = "a processor, 2 CPUs",
                                                    .confidence = 0.95,
                                                    .folder = "",
                                                    .anchor = "./old 2c26b46b68ffc68f"},
                                        .results = results,
                                        .n = z->series};
        if (history_add(folder, &e, id, &added, &err))
            fail(folder, &err);
    }
    free(values);
    free(names);
    free(results);
}

/* Bytes that the folder's files take; those of the index alone. */
static double disk_mb(const char *folder, double *index)
{
    struct buf names = BUF_INIT(1 << 28), path = BUF_INIT(1 << 16);
    struct tare_err err = {""};
    int n;
    double bytes = 0;
    *index = 0;
    if (plat_directory_list(folder, &names, &n, &err))
        fail(folder, &err);
    const char *name = buf_text(&names);
    for (int i = 0; i < n; i++, name += strlen(name) + 1) {
        struct stat st;
        buf_clear(&path);
        buf_format(&path, "%s/%s", folder, name);
        if (stat(buf_text(&path), &st))
            continue;
        bytes += (double)st.st_blocks * 512;
        if (!strncmp(name, "index.sqlite", 12))
            *index += (double)st.st_blocks * 512;
    }
    buf_finish(&names);
    buf_finish(&path);
    *index /= 1e6;
    return bytes / 1e6;
}

static struct history *opened(const char *folder)
{
    struct history *h;
    struct tare_err err = {""};
    if (history_open(&h, folder, &err))
        fail(folder, &err);
    return h;
}

/* Median of up to 1001 series, in ms. */
static double series_ms(struct history *h, const struct size *z)
{
    enum { MOST = 1001 };
    static double ms[MOST];
    int n = 0;
    struct tare_err err = {""};
    for (; n < MOST && n < history_n_series(h); n++) {
        struct history_points p;
        const int64_t start = plat_now_ns();
        if (history_points(h, (int)((int64_t)n * 7919 % history_n_series(h)), &p, &err) || p.n != z->sessions)
            fail("a series", &err);
        ms[n] = seconds_since(start) * 1e3;
        history_forget_points(h, (int)((int64_t)n * 7919 % history_n_series(h)));
    }
    qsort(ms, (size_t)n, sizeof *ms, by_size);
    return n ? ms[n / 2] : 0;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return fprintf(stderr, "ingest FOLDER SESSIONS SERIES VALUES [SEED]\n"), 2;
    const char *folder = argv[1];
    const struct size z = {atoi(argv[2]), atoi(argv[3]), atoi(argv[4])};
    if (plat_is_directory(folder))
        return fprintf(stderr, "ingest: %s is there already\n", folder), 2;
    int64_t start = plat_now_ns();
    write_all(folder, &z, argc > 5 ? strtoull(argv[5], NULL, 10) : 1);
    const double writing = seconds_since(start), cpu_before = cpu_seconds();
    start = plat_now_ns();
    history_close(opened(folder));
    const double ingesting = seconds_since(start), cpu = cpu_seconds() - cpu_before, ingest_peak = peak_mb();
    start = plat_now_ns();
    struct history *h = opened(folder);
    const double opening = seconds_since(start) * 1e3;
    const double series = series_ms(h, &z);
    history_close(h);
    double index;
    const double disk = disk_mb(folder, &index), results = (double)z.sessions * z.series;
    printf("| sessions | series | values | written s | ingested s | CPU s | disk MB | index MB | bytes a result | opened ms | "
           "one series ms | peak MB |\n");
    printf("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    printf("| %d | %d | %d | %.1f | %.2f | %.2f | %.0f | %.0f | %.0f | %.1f | %.3f | %.0f |\n", z.sessions, z.series, z.values,
           writing, ingesting, cpu, disk, index, disk * 1e6 / results, opening, series, ingest_peak);
    return 0;
}
