/* SPDX-License-Identifier: MIT
 *
 * Files of pytest --benchmark-json: benchmarks[] with fullname and stats, whose data[] has a value in seconds for each round, already divided by
 * its iterations. A file that pytest-benchmark saved without data has only summaries: then the median, or the mean where there is none, is the one value.
 */
#include "foreign.h"

static const struct foreign_source source = {
    .format = "pytest-benchmark JSON",
    .value = "the mean of one round's iterations",
    .order = "one benchmark after the other, as pytest-benchmark does",
    .limits = "all rounds of a pytest-benchmark file come from one process and share its memory layout and hash seed",
};

static bool pytest_benchmark_file(const struct json_value *root)
{
    const struct json_value *benchmarks = json_member(root, "benchmarks");
    return json_is_array(benchmarks) &&
           (json_member(root, "machine_info") || json_is_object(json_member(json_first(benchmarks), "stats")));
}

static enum tare_status read_benchmark(struct foreign *f, const struct json_value *b)
{
    const struct json_value *stats = json_member(b, "stats"), *data = json_member(stats, "data");
    struct subject s = {.name = NULL};
    double iterations = 1, value;
    int series;
    if (!json_text_of(json_member(b, "fullname"), &s.name) && !json_text_of(json_member(b, "name"), &s.name))
        return foreign_wrong(f, "a benchmark without its name");
    json_number_of(json_member(stats, "iterations"), &iterations);
    enum tare_status status = foreign_subject(f, &s, (const char *const[]){"wall", "iterations"}, 2, &series);
    for (const struct json_value *v = json_first(data); v && !status; v = json_next(v)) {
        f->values[1] = iterations;
        status = foreign_value(f, series, json_number_of(v, &value) ? value : NAN, 1e9);
    }
    if (status || json_count(data))
        return status;
    f->values[1] = NAN;
    return foreign_summary(f, series, json_member(stats, "median"), json_member(stats, "mean"), 1e9);
}

static enum tare_status pytest_benchmark_read(struct foreign *f, const struct json_value *root)
{
    const struct json_value *machine = json_member(root, "machine_info");
    enum tare_status status = foreign_fact(f, &f->r->machine, "host_name", json_member(machine, "node"));
    if (!status)
        status = foreign_fact(f, &f->r->machine, "cpu_brand", json_member(json_member(machine, "cpu"), "brand_raw"));
    if (!status)
        status = foreign_fact(f, &f->r->build, "python_version", json_member(machine, "python_version"));
    for (const struct json_value *b = json_first(json_member(root, "benchmarks")); b && !status; b = json_next(b))
        status = read_benchmark(f, b);
    return status;
}

const struct json_format pytest_benchmark_format = {pytest_benchmark_file, pytest_benchmark_read, &source};
