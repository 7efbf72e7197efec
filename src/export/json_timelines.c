/* SPDX-License-Identifier: MIT
 * "timelines": [{"command", "wall_ns", "rss_peak_bytes", ..., "at_ns": [...], "rss_bytes": [...], "heap_bytes": [...]}], memory over one run of each
 * command that nobody timed (timeline.h). */
#include "json_parts.h"

static void times(struct json_write *j, const struct timeline *t)
{
    int indent = j->indent;
    json_array(j, "at_ns");
    j->indent = 0;
    for (int i = 0; i < t->n; i++)
        json_integer(j, NULL, t->at_ns[i]);
    json_end(j);
    j->indent = indent;
}

static void sizes(struct json_write *j, const char *key, const double *values, int n)
{
    int indent = j->indent;
    json_array(j, key);
    j->indent = 0;
    for (int i = 0; i < n; i++)
        json_number(j, NULL, values[i]);
    json_end(j);
    j->indent = indent;
}

static void heap(struct json_write *j, const struct timeline *t)
{
    json_number(j, "heap_peak_bytes", t->heap_peak);
    json_number(j, "heap_peak_ns", t->heap_peak_ns);
    json_bool(j, "heap_peak_exact", t->heap_peak_exact);
    json_bytes(j, "heap_reason", t->heap_reason);
    json_number(j, "heap_left_bytes", t->heap_left);
    json_number(j, "allocations", t->allocations);
    json_number(j, "reallocations", t->reallocations);
    json_number(j, "frees", t->frees);
    json_number(j, "failures", t->failures);
    json_number(j, "allocated_bytes", t->allocated_bytes);
    json_integer(j, "unwatched", t->unwatched);
    json_integer(j, "left_count", t->left_count);
}

static void one(struct json_write *j, const struct record *r, const struct timeline *t)
{
    json_object(j, NULL);
    json_bytes(j, "command", r->subjects[t->subject].name);
    json_number(j, "wall_ns", t->wall_ns);
    json_bytes(j, "fate", t->exit_status);
    json_integer(j, "processes", t->processes);
    json_number(j, "rss_peak_bytes", t->rss_peak);
    json_number(j, "rss_peak_ns", t->rss_peak_ns);
    json_number(j, "largest_process_bytes", t->largest_process);
    heap(j, t);
    json_integer(j, "period_ns", t->period_ns);
    times(j, t);
    sizes(j, "rss_bytes", t->rss, t->n);
    sizes(j, "heap_bytes", t->heap, t->n);
    json_end(j);
}

void json_timelines(struct json_write *j, struct export_out *out, const struct record *r)
{
    if (r->n_timelines)
        json_array(j, "timelines");
    for (int i = 0; i < r->n_timelines; i++) {
        one(j, r, &r->timelines[i]);
        export_out_pass(out);
    }
    if (r->n_timelines)
        json_end(j);
}
