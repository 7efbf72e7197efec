/* SPDX-License-Identifier: MIT
 *
 * The metrics that tare knows by itself, from their .def lists.
 */
#include "record.h"
#include <string.h>

static const struct metric builtin[] = {
#define METRIC(id, title, unit, kind, direction) {#id, title, unit, kind, direction, NULL},
#include "metrics.def"
#undef METRIC
};

static const struct metric followed[] = {
#define METRIC(id, title, unit, kind, direction) {#id, title, unit, kind, direction, NULL},
#include "followed_metrics.def"
#undef METRIC
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

enum tare_status record_add_clock_metrics(struct record *r)
{
    static const struct metric own[] = {
#define CLOCK_METRIC(id, title, unit, kind, direction) {#id, title, unit, kind, direction, NULL},
#include "clock_metrics.def"
#undef CLOCK_METRIC
    };
    int added = record_add_metric(r, metric_builtin_find("wall"));
    for (size_t i = 0; i < sizeof own / sizeof *own && added >= 0; i++)
        added = record_add_metric(r, &own[i]);
    return added < 0 ? TARE_NO_MEMORY : TARE_OK;
}

enum tare_status record_add_host_metrics(struct record *r)
{
    static const struct metric own[] = {
#define HOST_METRIC(id, title, unit, kind, direction) {#id, title, unit, kind, direction, NULL},
#include "host_metrics.def"
#undef HOST_METRIC
    };
    int added = 0;
    for (size_t i = 0; i < sizeof own / sizeof *own && added >= 0; i++)
        added = record_add_metric(r, &own[i]);
    return added < 0 ? TARE_NO_MEMORY : TARE_OK;
}

enum tare_status record_add_bench_metrics(struct record *r)
{
    static const struct metric own[] = {
#define BENCH_METRIC(id, title, unit, kind, direction) {#id, title, unit, kind, direction, NULL},
#include "bench_metrics.def"
#undef BENCH_METRIC
    };
    int added = 0;
    for (size_t i = 0; i < sizeof own / sizeof *own && added >= 0; i++)
        added = record_add_metric(r, &own[i]);
    return added < 0 ? TARE_NO_MEMORY : TARE_OK;
}
