/* SPDX-License-Identifier: MIT
 *
 * Bencher's Metric Format: {"BENCHMARK": {"MEASURE": {"value": 12.5, "lower_value": ..., "upper_value": ...}}}. The measures that Bencher has of its
 * own have fixed units: latency in ns, throughput in operations a second, build-time in s, file-size in bytes. The two limits are what
 * somebody chose, from extremes to intervals, and are not read.
 */
#include "foreign.h"
#include <string.h>

static const struct foreign_source source = {
    .format = "Bencher Metric Format",
    .value = "one figure, as its tool summed it up",
    .order = "unknown: the file has one figure for each benchmark",
    .limits = "a file of Bencher's format has one figure for each measure, and does not say what its limits are",
};

static const struct json_value *first_value(const struct json_value *benchmark)
{
    return json_is_object(benchmark) ? json_member(json_first(benchmark), "value") : NULL;
}

static bool bmf_file(const struct json_value *root)
{
    double value;
    return json_is_object(root) && json_number_of(first_value(json_first(root)), &value);
}

static enum tare_status add_measure(struct foreign *f, const struct json_value *benchmark, const struct json_value *measure)
{
    static const char *const of_bencher[][3] = {{"latency", NULL, "ns"},
                                                {"throughput", "throughput", "ops/s"},
                                                {"build-time", NULL, "s"},
                                                {"file-size", "file-size", "bytes"}};
    enum { BUILD_TIME = 2 };
    const char *id = json_key(measure), *unit = "";
    struct foreign_unit to;
    double value;
    for (size_t i = 0; i < sizeof of_bencher / sizeof *of_bencher; i++)
        if (!strcmp(json_key(measure), of_bencher[i][0])) {
            id = i == BUILD_TIME && json_member(benchmark, "latency") ? "build-time"
                                                                      : of_bencher[i][1]; /* one of them is its time */
            unit = of_bencher[i][2];
        }
    enum tare_status status = foreign_named_unit(f, id, unit, &to);
    if (status)
        return status;
    if (!json_number_of(json_member(measure, "value"), &value))
        return foreign_left_out(f, json_key(benchmark));
    return foreign_cell(f, json_key(benchmark), to.column, value * to.factor);
}

static enum tare_status bmf_read(struct foreign *f, const struct json_value *root)
{
    enum tare_status status = TARE_OK;
    for (const struct json_value *b = json_first(root); b && !status; b = json_next(b)) {
        if (!json_is_object(b))
            status = foreign_left_out(f, json_key(b));
        for (const struct json_value *m = json_is_object(b) ? json_first(b) : NULL; m && !status; m = json_next(m))
            status = add_measure(f, b, m);
    }
    return status ? status : foreign_cells_end(f);
}

const struct json_format bmf_format = {bmf_file, bmf_read, &source};
