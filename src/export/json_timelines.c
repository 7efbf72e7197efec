/* SPDX-License-Identifier: MIT
 * "timelines": [{"command", "wall_ns", "rss_peak_bytes", ..., "at_ns": [...], "rss_bytes": [...], "heap_bytes": [...]}], memory over one run of each
 * command that nobody timed (timeline.h). */
#include "json_parts.h"
#include "record_fields.h"

static void one(struct json_write *j, const struct record *r, const struct timeline *t)
{
    static const char run[] = "wall_ns fate processes rss_peak_bytes rss_peak_ns largest_process_bytes";
    static const char peak[] = "heap_peak_bytes heap_peak_ns heap_peak_exact";
    static const char heap[] = "heap_left_bytes allocations reallocations frees failures allocated_bytes unwatched left_count";
    json_object(j, NULL);
    json_bytes(j, "command", r->subjects[t->subject].name);
    record_fields_pick(j, timeline_fields, run, t);
    record_fields_pick(j, timeline_heap_fields, peak, t);
    json_bytes(j, "heap_reason", t->heap_reason);
    record_fields_pick(j, timeline_heap_fields, heap, t);
    json_integer(j, "period_ns", t->period_ns);
    int indent = j->indent;
    json_array(j, "at_ns");
    j->indent = 0;
    for (int i = 0; i < t->n; i++)
        json_integer(j, NULL, t->at_ns[i]);
    json_end(j);
    j->indent = indent;
    json_numbers(j, "rss_bytes", t->rss, t->n);
    json_numbers(j, "heap_bytes", t->heap, t->n);
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
