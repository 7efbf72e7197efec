/* SPDX-License-Identifier: MIT
 *
 * What criterion.rs keeps of a benchmark: new/sample.json, {"sampling_mode", "iters": [...], "times": [...]}, the i-th sample being iters[i] iterations in
 * times[i] ns, and beside it new/benchmark.json with its name. criterion calls both private, and their members are those of versions 0.3.3 to 0.7:
 * anything else is refused. Read are one sample.json, or {"criterion": [{"benchmark": ..., "sample": ...}, ...]}, which tare makes of such pairs.
 */
#include "foreign.h"
#include <math.h>
#include <string.h>

static const struct foreign_source source = {
    .format = "criterion.rs sample.json",
    .value = "the mean of one sample's iterations",
    .order = "the samples follow one another in one process",
    .limits = "all samples of a criterion.rs file come from one process, and its first ones have fewer iterations",
};

static bool is_sample(const struct json_value *v)
{
    return json_is_array(json_member(v, "iters")) && json_is_array(json_member(v, "times"));
}

static bool criterion_file(const struct json_value *root)
{
    return is_sample(root) || json_is_array(json_member(root, "criterion"));
}

static enum tare_status refuse_sample(struct foreign *f, const char *what)
{
    return err_set(f->err, TARE_FORMAT, "a sample.json of an unknown version of criterion.rs: %s", what);
}

static enum tare_status check_sample(struct foreign *f, const struct json_value *sample)
{
    const char *mode;
    if (!is_sample(sample))
        return refuse_sample(f, "no iters and times");
    if (!json_text_of(json_member(sample, "sampling_mode"), &mode) || (strcmp(mode, "Linear") != 0 && strcmp(mode, "Flat") != 0))
        return refuse_sample(f, "its sampling_mode is neither Linear nor Flat");
    if (json_count(json_member(sample, "iters")) != json_count(json_member(sample, "times")))
        return refuse_sample(f, "not as many iters as times");
    return TARE_OK;
}

static enum tare_status add_subject(struct foreign *f, const struct json_value *benchmark, const char *rate, int *series)
{
    const char *columns[] = {"wall", "iterations", rate};
    const char *name = "benchmark"; /* a sample.json alone has none */
    if (!json_text_of(json_member(benchmark, "title"), &name) && benchmark)
        return refuse_sample(f, "its benchmark.json has no title");
    const struct subject s = {.name = name};
    const struct metric m = {.id = rate,
                             .title = rate ? rate + sizeof "counter:" - 1 : NULL,
                             .unit = "1",
                             .kind = METRIC_COUNT,
                             .direction = METRIC_NEUTRAL};
    enum tare_status status = rate ? foreign_metric(f, &m) : TARE_OK;
    return status ? status : foreign_subject(f, &s, columns, rate ? 3 : 2, series);
}

static enum tare_status add_benchmark(struct foreign *f, const struct json_value *benchmark, const struct json_value *sample)
{
    double rate = NAN;
    int series;
    /* {"Bytes": 8}, {"BytesDecimal": 8}, {"Elements": 8}: of an iteration, so as a rate it is no news beside the time. */
    const struct json_value *throughput = json_first(json_member(benchmark, "throughput"));
    const char *key = throughput ? json_key(throughput) : NULL;
    const char *column = !key || !json_number_of(throughput, &rate) || !(rate > 0) ? NULL
                         : !strncmp(key, "Bytes", 5)                               ? "counter:bytes"
                         : !strcmp(key, "Elements")                                ? "counter:elements"
                                                                                   : NULL;
    enum tare_status status = check_sample(f, sample);
    if (!status)
        status = add_subject(f, benchmark, column, &series);
    const struct json_value *n = json_first(json_member(sample, "iters")), *ns = json_first(json_member(sample, "times"));
    for (; n && ns && !status; n = json_next(n), ns = json_next(ns)) {
        double iterations, time_ns;
        const bool known =
            json_number_of(n, &iterations) && json_number_of(ns, &time_ns) && iterations >= 1 && iterations == floor(iterations);
        f->values[1] = known ? iterations : NAN;
        f->values[2] = rate;
        status = foreign_value(f, series, known ? time_ns / iterations : NAN, 1);
    }
    return status;
}

static enum tare_status criterion_read(struct foreign *f, const struct json_value *root)
{
    enum tare_status status = TARE_OK;
    if (is_sample(root))
        return add_benchmark(f, NULL, root);
    for (const struct json_value *v = json_first(json_member(root, "criterion")); v && !status; v = json_next(v)) {
        const struct json_value *benchmark = json_member(v, "benchmark");
        status = benchmark ? add_benchmark(f, benchmark, json_member(v, "sample")) : refuse_sample(f, "no benchmark.json");
    }
    return status;
}

const struct json_format criterion_format = {criterion_file, criterion_read, &source};
