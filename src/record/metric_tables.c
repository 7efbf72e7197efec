/* SPDX-License-Identifier: MIT
 *
 * The metrics that tare knows by itself, from their .def lists.
 */
#include "record.h"
#include <string.h>

static const struct metric builtin[] = {
#define METRIC(id, title, unit, kind, direction) {#id, title, unit, kind, direction, NULL},
#include "metrics.def"
};

static const struct metric followed[] = {
#define METRIC(id, title, unit, kind, direction) {#id, title, unit, kind, direction, NULL},
#include "followed_metrics.def"
};

const struct metric *metric_builtin(int index)
{
    return index >= 0 && index < (int)(sizeof builtin / sizeof *builtin) ? &builtin[index] : NULL;
}

const struct metric *metric_builtin_find(const char *id)
{
    for (size_t i = 0; i < sizeof builtin / sizeof *builtin; i++)
        if (!strcmp(builtin[i].id, id))
            return &builtin[i];
    return NULL;
}

const struct metric *metric_followed(int index)
{
    return index >= 0 && index < (int)(sizeof followed / sizeof *followed) ? &followed[index] : NULL;
}

const struct metric *metric_followed_find(const char *id)
{
    for (size_t i = 0; i < sizeof followed / sizeof *followed; i++)
        if (!strcmp(followed[i].id, id))
            return &followed[i];
    return NULL;
}

static const struct metric clocks[] = {
#define CLOCK_METRIC(id, title, unit, kind, direction) {#id, title, unit, kind, direction, NULL},
#include "clock_metrics.def"
};

static const struct metric hosts[] = {
#define HOST_METRIC(id, title, unit, kind, direction) {#id, title, unit, kind, direction, NULL},
#include "host_metrics.def"
};

static const struct metric benchmarks[] = {
#define BENCH_METRIC(id, title, unit, kind, direction) {#id, title, unit, kind, direction, NULL},
#include "bench_metrics.def"
};

static enum tare_status add_all(struct record *r, const struct metric *own, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (record_add_metric(r, &own[i]) < 0)
            return TARE_NO_MEMORY;
    return TARE_OK;
}

enum tare_status record_add_clock_metrics(struct record *r)
{
    enum tare_status status = add_all(r, metric_builtin_find("wall"), 1);
    return status ? status : add_all(r, clocks, sizeof clocks / sizeof *clocks);
}

enum tare_status record_add_host_metrics(struct record *r)
{
    return add_all(r, hosts, sizeof hosts / sizeof *hosts);
}

enum tare_status record_add_bench_metrics(struct record *r)
{
    return add_all(r, benchmarks, sizeof benchmarks / sizeof *benchmarks);
}

void series_name_put(struct buf *b, const char *benchmark, const char *arguments, const char *metric)
{
    buf_format(b, "%s%s%s [%s]", benchmark, *arguments ? " " : "", arguments, metric);
}

const char *series_name_split(struct arena *a, const char *name, const char **benchmark)
{
    const char *open = strrchr(name, '[');
    const size_t n = strlen(name);
    *benchmark = name;
    if (!open || open < name + 2 || open[-1] != ' ' || name[n - 1] != ']' || open[1] == ']')
        return NULL;
    *benchmark = arena_copy(a, name, (size_t)(open - 1 - name));
    return arena_copy(a, open + 1, (size_t)(name + n - 1 - (open + 1)));
}
