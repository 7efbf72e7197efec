/* SPDX-License-Identifier: MIT
 *
 * What a process of a benchmark reports is material of a program that may be broken: any bytes become a trouble or a row, samples and counts of a
 * record, and never more. The first byte chooses: even, checksums are put right first, so that the fields are reached.
 */
#include "bench_process.h"
#include "require.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t u32_at(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t checksum(uint32_t h, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ bytes[i]) * 16777619u;
    return h;
}

static void put_right(uint8_t *bytes, size_t size)
{
    enum { HEAD = 16 };
    size_t at = 0;
    while (size - at >= HEAD) {
        size_t payload = u32_at(bytes + at + 8);
        if (payload > size - at - HEAD)
            return;
        memcpy(bytes + at, "tWr\1", 4);
        uint32_t h = checksum(checksum(2166136261u, bytes + at + 4, 8), bytes + at + HEAD, payload);
        for (int i = 0; i < 4; i++)
            bytes[at + 12 + (size_t)i] = (uint8_t)(h >> 8 * i);
        at += HEAD + payload;
    }
}

static int make_series(struct record *r)
{
    const struct subject s = {
        .kind = SUBJECT_BENCH, .name = "chain_3", .command = "chain_3", .benchmark = "chain_3", .reference = -1};
    int n;
    const char *const *samples = bench_sample_columns(&n), *columns[BENCH_COLUMNS];
    for (int i = 0; i < BENCH_COLUMNS; i++)
        columns[i] = bench_column(i);
    record_init(r);
    record_add_bench_metrics(r);
    int series = record_add_subject(r, &s, columns, BENCH_COLUMNS);
    require(series >= 0 && !record_set_sample_columns(r, series, samples, n), "no record", "");
    return series;
}

/* Of less than the process had, in at least one iteration each. */
static void check_possible(const struct series *s)
{
    const double *iterations = series_samples(s, "iterations");
    for (int i = 0; iterations && i < s->samples.n; i++)
        require(iterations[i] >= 1, "a sample without an iteration", "");
}

static void take(const struct bench_report *report)
{
    struct record r;
    int series = make_series(&r);
    double values[BENCH_COLUMNS];
    const struct row process = {.round = 0, .start_ns = 1000, .values = values};
    bench_fill(report, values);
    for (int i = 0; i < BENCH_COLUMNS; i++)
        require(!isinf(values[i]), "a column is infinite", bench_column(i));
    enum tare_status status = bench_samples(report, &process, &r, series);
    require(!status || status == TARE_NO_MEMORY, "samples were refused", "");
    require(status || r.series[series].samples.n == report->samples, "not all samples were taken", "");
    check_possible(&r.series[series]);
    require(!bench_counts(report, &process, &r, series), "counts were refused", "");
    require(!record_append_row(&r, series, &process), "the row was refused", "");
    record_finish(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct bench_request q = {.benchmark = "chain_3", .asked = wire_request_default(3)};
    struct bench_report report;
    if (!size)
        return 0;
    uint8_t *copy = malloc(size); /* exactly as long, so that a sanitizer sees every step beyond */
    if (!copy)
        return 0;
    memcpy(copy, data + 1, size - 1);
    if (data[0] % 2 == 0)
        put_right(copy, size - 1);
    bench_read(copy, size - 1, &q, 1e12, &report);
    require(memchr(report.trouble, 0, sizeof report.trouble) != NULL, "the trouble has no end", "");
    if (!report.trouble[0])
        take(&report);
    free(copy);
    return 0;
}
