/* SPDX-License-Identifier: MIT
 *
 * Test binaries of Go (go test -c). Benchmarks that a benchmark makes with b.Run have no name before it runs: to be listed, each is run once
 * (-test.benchtime=1x). -test.v puts each name on a line of its own, without the number of processors, and says why one failed or was skipped.
 * Asked for a time, Go looks for the number of iterations anew in each sample, by the wall clock: on a loaded machine that may be 1.
 * Blanks in names are '_' wherever Go prints or takes them.
 */
#include "harness.h"
#include <string.h>

static const char *const marks[] = {"test.benchtime", NULL};
static const char *const list[] = {"-test.v", "-test.run=^$", "-test.bench=.", "-test.benchtime=1x", "-test.count=1", NULL};
static const char *const one[] = {"-test.v", "-test.run=^$", "-test.benchmem", HARNESS_NAME, HARNESS_TIME, HARNESS_SAMPLES, NULL};

static const char first[] = "Benchmark";

static char *listed_name(char *line)
{
    const bool name = !strncmp(line, first, 9) && !(line[9] >= 'a' && line[9] <= 'z'); /* go takes no "Benchmarking" */
    return name && !line[strcspn(line, " \t")] ? line : NULL;
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

const struct harness go = {
    .name = "go",
    .what = "line of a Go benchmark",
    .marks = marks,
    .list = list,
    .one = one,
    .name_word = "-test.bench=",
    .time_word = {"-test.benchtime=", "s"},
    .iterations_word = {"-test.benchtime=", "x"},
    .samples_word = "-test.count=",
    .samples = 3,
    .first_ns = 3000000,
    .allocated = "B/op",
    .begins = first,
    .levels = true,
    .runs_to_list = true,
    .list_code = 1,
    .listed = listed_name,
    .is_of = is_of,
};
