/* SPDX-License-Identifier: MIT
 *
 * Files of BenchmarkDotNet's full JSON exporter: Benchmarks[] with FullName and Measurements[], each the nanoseconds of so many operations. What
 * counts are those of mode Workload and stage Result: the overhead is subtracted, and outliers that it removes are missing. A file without
 * measurements (the brief exporter) has the same values per operation in Statistics.OriginalValues, or the median alone.
 */
#include "foreign.h"
#include <string.h>

static const struct foreign_source source = {
    .format = "BenchmarkDotNet JSON",
    .value = "the mean of one iteration's operations, less the overhead that BenchmarkDotNet measured",
    .order = "one benchmark after the other, as BenchmarkDotNet does",
    .limits = "BenchmarkDotNet removes outliers before it writes; iterations of one launch share a process",
};

static bool benchmarkdotnet_file(const struct json_value *root)
{
    return json_is_array(json_member(root, "Benchmarks")) && json_is_object(json_member(root, "HostEnvironmentInfo"));
}

static bool is_text(const struct json_value *v, const char *wanted)
{
    const char *text;
    return json_text_of(v, &text) && !strcmp(text, wanted);
}

static bool is_result(const struct json_value *m)
{
    return is_text(json_member(m, "IterationMode"), "Workload") && is_text(json_member(m, "IterationStage"), "Result");
}

static enum tare_status read_measurements(struct foreign *f, const struct json_value *list, int series)
{
    enum tare_status status = TARE_OK;
    for (const struct json_value *m = json_first(list); m && !status; m = json_next(m)) {
        if (!is_result(m))
            continue;
        double operations = json_double(json_member(m, "Operations"));
        f->values[1] = operations;
        f->values[2] = json_double(json_member(m, "LaunchIndex"));
        status = foreign_value(f, series, operations > 0 ? json_double(json_member(m, "Nanoseconds")) / operations : NAN, 1);
    }
    return status;
}

static bool has_result(const struct json_value *list)
{
    const struct json_value *m = json_first(list);
    while (m && !is_result(m))
        m = json_next(m);
    return m != NULL;
}

static enum tare_status read_benchmark(struct foreign *f, const struct json_value *b)
{
    static const struct metric allocated = {"allocated", "allocated", "B/op", METRIC_COUNT, METRIC_LOWER, NULL};
    const char *columns[4] = {"wall", "iterations", "process", "allocated"};
    const struct json_value *list = json_member(b, "Measurements"), *statistics = json_member(b, "Statistics"),
                            *originals = json_member(statistics, "OriginalValues"), *median = json_member(statistics, "Median"),
                            *mean = json_member(statistics, "Mean");
    struct subject s = {.name = NULL};
    double bytes;
    int series;
    if (!json_text_of(json_member(b, "FullName"), &s.name))
        return foreign_wrong(f, "a benchmark without its FullName");
    if (!has_result(list) && !json_count(originals) && !foreign_is_summary(median, mean)) {
        foreign_note(f, "'%s' has no values: it failed, or its measurements were not written", s.name);
        return foreign_failed(f, s.name, false, "it failed, or its measurements were not written");
    }
    bool memory = json_number_of(json_member(json_member(b, "Memory"), "BytesAllocatedPerOperation"), &bytes);
    enum tare_status status = memory ? foreign_metric(f, &allocated) : TARE_OK;
    if (!status)
        status = foreign_subject(f, &s, columns, memory ? 4 : 3, &series);
    if (status)
        return status;
    f->values[3] = memory ? bytes : NAN; /* one figure for all of them */
    if (has_result(list))
        return read_measurements(f, list, series);
    f->values[1] = f->values[2] = NAN;
    if (!json_count(originals))
        return foreign_summary(f, series, median, mean, 1);
    for (const struct json_value *v = json_first(originals); v && !status; v = json_next(v))
        status = foreign_value(f, series, json_double(v), 1);
    return status;
}

static enum tare_status benchmarkdotnet_read(struct foreign *f, const struct json_value *root)
{
    const struct json_value *host = json_member(root, "HostEnvironmentInfo");
    static const char *const machine[][2] = {
        {"cpu_brand", "ProcessorName"}, {"os", "OsVersion"}, {"architecture", "Architecture"}};
    enum tare_status status = TARE_OK;
    for (size_t i = 0; i < sizeof machine / sizeof *machine && !status; i++)
        status = foreign_fact(f, &f->r->machine, machine[i][0], json_member(host, machine[i][1]));
    if (!status)
        status = foreign_fact(f, &f->r->build, "runtime_version", json_member(host, "RuntimeVersion"));
    for (const struct json_value *b = json_first(json_member(root, "Benchmarks")); b && !status; b = json_next(b))
        status = read_benchmark(f, b);
    return status;
}

const struct json_format benchmarkdotnet_format = {benchmarkdotnet_file, benchmarkdotnet_read, &source};
