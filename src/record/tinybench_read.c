/* SPDX-License-Identifier: MIT
 *
 * tinybench writes no file of its own: this is what programs write of it, JSON.stringify(bench.tasks), since version 5, whose tasks have nothing that
 * JSON would take, bench.tasks.map(t => ({name: t.name, ...t.result})) or {name, result}; and vitest bench --outputJson with files[].groups[].benchmarks[].
 * A task has a name and samples in milliseconds, sorted, in result.latency.samples, latency.samples, result.samples or samples. Where they were not kept
 * (retainSamples) the median p50 or else the mean is the one value.
 */
#include "foreign.h"

static const struct foreign_source source = {
    .format = "tinybench JSON",
    .value = "one call of the task, or the median or mean of all where the samples were not kept",
    .order = "one task after the other; the samples of each are sorted by size",
    .limits = "all samples of a tinybench file come from one process",
    .sorted = true,
};

static bool is_task(const struct json_value *v)
{
    const struct json_value *result = json_member(v, "result");
    return json_member(v, "name") &&
           (json_is_object(result) || json_is_object(json_member(v, "latency")) || json_is_array(json_member(v, "samples")) ||
            json_member(v, "mean") || json_member(v, "state"));
}

/* The first task of either form. */
static bool tinybench_file(const struct json_value *root)
{
    const struct json_value *file = json_first(json_member(root, "files"));
    if (json_is_array(root))
        return is_task(json_first(root));
    return json_is_array(json_member(file, "groups"));
}

static enum tare_status read_samples(struct foreign *f, const struct json_value *samples, int series)
{
    enum tare_status status = TARE_OK;
    double ms;
    for (const struct json_value *v = json_first(samples); v && !status; v = json_next(v))
        status = foreign_value(f, series, json_number_of(v, &ms) ? ms : NAN, 1e6);
    return status;
}

static enum tare_status read_task(struct foreign *f, const struct json_value *task, const char *group)
{
    const struct json_value *result = json_member(task, "result"), *latency = json_member(result ? result : task, "latency");
    const struct json_value *from = latency ? latency : result ? result : task, *samples = json_member(from, "samples");
    const char *name;
    int series;
    if (!json_text_of(json_member(task, "name"), &name))
        return foreign_wrong(f, "a task without its name");
    if (*group && !(name = arena_format(&f->arena, "%s > %s", group, name)))
        return err_no_memory(f->err);
    const struct json_value *p50 = json_member(from, "p50") ? json_member(from, "p50") : json_member(from, "median"); /* vitest */
    const struct json_value *mean = json_member(from, "mean");
    if (!json_count(samples) && !foreign_is_summary(p50, mean)) {
        foreign_note(f, "'%s' was left out: it failed or has no result", name);
        return foreign_failed(f, name, false, "it failed or has no result");
    }
    const struct subject s = {.name = name};
    enum tare_status status = foreign_subject(f, &s, (const char *const[]){"wall"}, 1, &series);
    if (status)
        return status;
    return json_count(samples) ? read_samples(f, samples, series) : foreign_summary(f, series, p50, mean, 1e6);
}

static enum tare_status read_group(struct foreign *f, const struct json_value *group)
{
    const char *name = "";
    enum tare_status status = TARE_OK;
    json_text_of(json_member(group, "fullName"), &name);
    for (const struct json_value *b = json_first(json_member(group, "benchmarks")); b && !status; b = json_next(b))
        status = read_task(f, b, name);
    return status;
}

static enum tare_status tinybench_read(struct foreign *f, const struct json_value *root)
{
    enum tare_status status = TARE_OK;
    if (json_is_array(root))
        for (const struct json_value *task = json_first(root); task && !status; task = json_next(task))
            status = read_task(f, task, "");
    for (const struct json_value *file = json_first(json_member(root, "files")); file && !status; file = json_next(file))
        for (const struct json_value *g = json_first(json_member(file, "groups")); g && !status; g = json_next(g))
            status = read_group(f, g);
    return status;
}

const struct json_format tinybench_format = {tinybench_file, tinybench_read, &source};
