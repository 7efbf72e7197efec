/* SPDX-License-Identifier: MIT
 *
 * medians.h - formats of tools that keep a few figures of each benchmark: the medians of a session's commands or benchmarks, metric by metric.
 *
 *     static void put(struct export_out *out, const struct medians *m)
 *     {
 *         for (struct median x = {0}; medians_next(m, &x);)
 *             ... x.subject, x.metric, x.e->point ...
 *     }
 *     const struct exporter exporter_name = {"name", "json", .medians = put};
 *
 * Sessions without commands (clocks, leak targets) are refused.
 */
#ifndef MEDIANS_H
#define MEDIANS_H

#include "export.h"
#include "export_out.h"
#include "results.h"

struct medians {
    const struct record *r;
    const int *order; /* the subjects' that were not given up, closed by -1 */
    const struct export_options *o;
    struct arena *arena; /* where it has no memory left the export's text fails too */
};

struct median {
    int subject;
    const struct metric *metric;
    const struct estimate *e; /* with a finite point */
    bool has_interval;        /* both ends are finite */
    int next_place, next_metric;
};

/* Command by command, each with all its metrics in the order of the record; false: no more. */
bool medians_next(const struct medians *m, struct median *x);
/* One of them; false: there is none. */
bool medians_get(const struct medians *m, int subject, const struct metric *metric, struct median *x);
/* Its runs that count. */
int medians_runs(const struct medians *m, int subject);
/* Whether such a format has the metric: of a process with benchmarks its own time and memory are figures of none of them. */
bool medians_takes(const struct medians *m, const struct metric *metric);
/* The time that the format has a place for: wall time, of a benchmark the time per iteration. */
bool medians_is_time(const struct medians *m, const struct metric *metric);

/* Of each metric a name from small letters, digits and `filler`, no other metric's; `time` for that time; as `mend` makes it, its unit at the end, unless
 * NULL. In the arena; NULL: no memory. */
const char *const *medians_names(const struct medians *m, const char *time, char filler,
                                 const char *(*unit)(const struct metric *metric), void (*mend)(struct buf *name));

enum tare_status medians_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                               struct tare_err *err, void (*put)(struct export_out *out, const struct medians *m));

#endif
