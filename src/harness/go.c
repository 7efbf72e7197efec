/* SPDX-License-Identifier: MIT
 *
 * Test binaries of Go (go test -c). Benchmarks that a benchmark makes with b.Run have no name before it runs: each top-level one is
 * run once (-test.benchtime=1x) to be listed.
 */
#include "harness.h"
#include <math.h>
#include <string.h>

static const char *const marks[] = {"test.benchtime", NULL};
static const char *const list[] = {"-test.run=^$", "-test.bench=.", "-test.benchtime=1x", "-test.count=1", NULL};
static const char *const one[] = {"-test.run=^$", HARNESS_NAME, HARNESS_TIME, "-test.count=1", NULL};

static char *listed(char *line)
{
    size_t end = strcspn(line, " \t");
    if (strncmp(line, "Benchmark", 9) != 0 || !line[end])
        return NULL;
    line[end] = 0;
    return line;
}

/* "BenchmarkSort/n=100-8" has the number of processors at its end, unless that is 1. */
static bool is_of(const char *benchmark, const char *reported)
{
    const size_t n = strlen(benchmark);
    if (strncmp(benchmark, reported, n) != 0)
        return false;
    reported += n;
    return !*reported || (*reported == '-' && reported[1] && !reported[1 + strspn(reported + 1, "0123456789")]);
}

/* Four digits, but all those before the point. */
static double step_ns(double ns)
{
    return ns >= 1000 || !(ns > 0) ? 1 : pow(10, fmax(-9, floor(log10(ns)) - 3));
}

const struct harness go = {
    .name = "go",
    .marks = marks,
    .list = list,
    .one = one,
    .name_word = "-test.bench=",
    .time_word = {"-test.benchtime=", "s"},
    .what = "lines of a Go benchmark",
    .listed = listed,
    .is_of = is_of,
    .step_ns = step_ns,
    .levels = true,
    .processors = true,
};
