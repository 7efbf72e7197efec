/* SPDX-License-Identifier: MIT
 *
 * google/benchmark (https://github.com/google/benchmark). A sample is a repetition: the mean real time of the iterations that take
 * --benchmark_min_time, whose seconds all versions take as a bare number. Where a benchmark's source asks for repetitions, that many are made.
 */
#include "harness.h"
#include <math.h>
#include <string.h>

static const char *const marks[] = {"benchmark_list_tests", "libbenchmark.so", NULL};
static const char *const list[] = {"--benchmark_list_tests=true", NULL};
static const char *const one[] = {HARNESS_NAME, HARNESS_TIME, HARNESS_SAMPLES, "--benchmark_format=json", NULL};

static char *listed_name(char *line)
{
    return *line ? line : NULL;
}

static bool own_time(const char *benchmark)
{
    return strstr(benchmark, "/manual_time") || strstr(benchmark, "/threads:");
}

/* Rates are by CPU time, or by real time where the benchmark's source asks for that; how many an iteration has is the same. In each sample: the mean rate
 * times the mean time is more than that wherever times scatter. */
static bool take_value(const char *benchmark, const char *id, const struct harness_column *column, struct wire_end *end)
{
    const double *ns = strstr(benchmark, "/real_time") || strstr(benchmark, "/manual_time") ? column->wall_ns : column->cpu_ns;
    double *to = !strcmp(id, "counter:items_per_second")   ? &end->items
                 : !strcmp(id, "counter:bytes_per_second") ? &end->bytes
                                                           : NULL;
    double sum = 0;
    if (!to || !ns || strstr(benchmark, "/threads:"))
        return false;
    for (int i = 0; i < column->n; i++)
        sum += ns[i] > 0 ? column->value[i] * ns[i] / 1e9 : NAN;
    const double each = sum / column->n, whole = round(each);
    if (isnan(each))
        return false;
    *to = fabs(each - whole) < 1e-9 * whole ? whole : each; /* what a division left */
    return true;
}

const struct harness google_benchmark = {
    .name = "google-benchmark",
    .what = "google-benchmark JSON",
    .marks = marks,
    .list = list,
    .one = one,
    .name_word = "--benchmark_filter=",
    .time_word = {"--benchmark_min_time=", ""},
    .samples_word = "--benchmark_repetitions=",
    .samples = 3,
    .first_ns = 3000000,
    .braces = true,
    .listed = listed_name,
    .own_time = own_time,
    .take = take_value,
};
