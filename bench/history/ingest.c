/* SPDX-License-Identifier: MIT
 *
 * ingest FOLDER SESSIONS SERIES VALUES [SEED [REVISIONS]]: how long a history of so many sessions, each with a result of every series, takes to be written, read into an index
 * for the first time, opened again, and asked for one series; and how much of the disk it takes. The folder must not be there before, and is left
 * for who wants to look at it.
 *
 * REVISIONS is a file of commits, one a line, for the sessions in that order; without it they are made up. In every tenth series the last half is 10 % slower.
 *
 * ingest -w FROM TO FOLDER SESSIONS SERIES VALUES [SEED [REVISIONS]]: of such a history only the sessions from FROM, of 0 and more, up to TO; prints the seconds. What
 * is written of a session depends on its number and the seed alone. In place of the folder there may be a database.
 *
 * Three commits a day. Values scatter by 1 % about levels from 100 ns to 10 s, whole nanoseconds for two thirds of the series, and with digits behind the point, as a benchmark's times
 * per iteration have, for the others.
 */
#include "history.h"
#include "plat.h"
#include "rng.h"
#include "rng_normal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <tare/stats.h>

static const struct metric wall = {"wall", "wall time", "ns", METRIC_TIME, METRIC_LOWER, NULL};

struct size {
    int sessions, series, values;
    const char *revisions; /* NULL: made up */
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

static void make_result(struct history_result *r, char *name, double *x, double *sorted, int series, int n, bool slower,
                        struct rng *rng)
{
    const double base = pow(10, 2 + 8. * (series * 37 % 1000) / 1000), factor = slower && series % 10 == 0 ? 1.1 : 1,
                 level = base * factor;
    const int digits = 4 - (int)log10(level),
              decimals = series % 3 && digits > 0 ? 0 : digits; /* steps of some hundredths of the scatter */
    const double power = pow(10, abs(decimals));
    for (int i = 0; i < n; i++) {
        const double value = level * (1 + 0.01 * rng_normal(rng));
        x[i] = decimals < 0 ? round(value / power) * power : round(value * power) / power;
    }
    memcpy(sorted, x, (size_t)n * sizeof *x);
    tare_sort(sorted, n);
    const double ratio = factor * (1 + 0.01 * rng_normal(rng));
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

/* The commit of a session. */
static void put_revision(const struct size *z, int session, char revision[41])
{
    struct tare_err err = {"has too few commits"};
    snprintf(revision, 41, "%040x", session + 1);
    if (!z->revisions)
        return;
    FILE *f = fopen(z->revisions, "r");
    if (!f || fseek(f, 41L * session, SEEK_SET) || fscanf(f, "%40[0-9a-f]", revision) != 1)
        fail(z->revisions, &err);
    fclose(f);
}

struct room {
    struct history_result *results;
    char (*names)[40];
    double *values;
};

static void write_session(const char *folder, const struct size *z, const struct room *room, int session, uint64_t seed)
{
    struct rng rng = rng_seeded(seed + (uint64_t)session);
    char revision[41], root[41], id[HISTORY_ID_BYTES];
    bool added;
    struct tare_err err;
    put_revision(z, session, revision);
    put_revision(z, 0, root);
    for (int k = 0; k < z->series; k++)
        make_result(&room->results[k], room->names[k], room->values + (ptrdiff_t)k * z->values,
                    room->values + (ptrdiff_t)z->series * z->values, k, z->values, session >= z->sessions / 2, &rng);
    const struct history_entry e = {
        .session = {.project = root,
                    .revision = revision,
                    .measured_utc_ns = INT64_C(1764000000000000000) + session * INT64_C(28800000000000),
                    .tool = "tare 0.1.0",
                    .class = "GenuineIntel 6-106-6 8f3e2a10",
                    .machine = "a processor, 2 CPUs",
                    .confidence = 0.95,
                    .folder = "",
                    .anchor = "./old 2c26b46b68ffc68f"},
        .results = room->results,
        .n = z->series};
    if (history_add(folder, &e, id, &added, &err))
        fail(folder, &err);
}

static void write_sessions(const char *folder, const struct size *z, int from, int to, uint64_t seed)
{
    const struct room room = {calloc((size_t)z->series, sizeof *room.results), calloc((size_t)z->series, sizeof *room.names),
                              calloc(((size_t)z->series + 1) * (size_t)z->values, sizeof *room.values)};
    struct tare_err err = {"out of memory"};
    if (!room.results || !room.names || !room.values)
        fail("no memory", &err);
    for (int i = from; i < to; i++)
        write_session(folder, z, &room, i, seed);
    free(room.values);
    free(room.names);
    free(room.results);
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
    tare_sort(ms, n);
    return n ? ms[n / 2] : 0;
}

static void print(const struct size *z, const double figures[], int n)
{
    printf("| sessions | series | values | written s | ingested s | CPU s | disk MB | index MB | bytes a result | opened ms | "
           "one series ms | peak MB |\n");
    printf("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    printf("| %d | %d | %d |", z->sessions, z->series, z->values);
    for (int i = 0; i < n; i++)
        printf(" %.*f |", figures[i] < 1 ? 3 : figures[i] < 100 ? 2 : 0, figures[i]);
    printf("\n");
}

static void measure(const char *folder, const struct size *z, uint64_t seed)
{
    int64_t start = plat_now_ns();
    write_sessions(folder, z, 0, z->sessions, seed);
    const double writing = seconds_since(start), cpu_before = cpu_seconds();
    start = plat_now_ns();
    history_close(opened(folder));
    const double ingesting = seconds_since(start), cpu = cpu_seconds() - cpu_before, ingest_peak = peak_mb();
    start = plat_now_ns();
    struct history *h = opened(folder);
    const double opening = seconds_since(start) * 1e3;
    const double series = series_ms(h, z);
    history_close(h);
    double index;
    const double disk = disk_mb(folder, &index), results = (double)z->sessions * z->series;
    const double figures[] = {writing, ingesting, cpu, disk, index, disk * 1e6 / results, opening, series, ingest_peak};
    print(z, figures, sizeof figures / sizeof *figures);
}

int main(int argc, char **argv)
{
    enum { OPTION = 3 };
    const bool part = argc > OPTION && !strcmp(argv[1], "-w");
    const int from = part ? atoi(argv[2]) : 0, to = part ? atoi(argv[3]) : 0;
    argv += part ? OPTION : 0;
    argc -= part ? OPTION : 0;
    if (argc < 5)
        return fprintf(stderr, "ingest [-w FROM TO] FOLDER SESSIONS SERIES VALUES [SEED [REVISIONS]]\n"), 2;
    const struct size z = {atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), argc > 6 ? argv[6] : NULL};
    const uint64_t seed = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
    if (!part && plat_is_directory(argv[1]))
        return fprintf(stderr, "ingest: %s is there already\n", argv[1]), 2;
    if (!part) {
        measure(argv[1], &z, seed);
        return 0;
    }
    const int64_t start = plat_now_ns();
    write_sessions(argv[1], &z, from, to, seed);
    printf("%.3f\n", seconds_since(start));
    return 0;
}
