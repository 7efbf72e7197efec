/* SPDX-License-Identifier: MIT
 * Memory over time into the record. */
#include "record_lines.h"

static enum tare_status read_samples(struct reader *rd, struct timeline *t)
{
    const struct json_value *list = json_member(rd->line, "samples");
    int64_t before = -1;
    if (json_count(list) > TIMELINE_MOST)
        return reader_wrong(rd, "a timeline with too many samples");
    for (const struct json_value *v = json_first(list); v; v = json_next(v), t->n++) {
        const struct json_value *at = json_first(v), *rss = at ? json_next(at) : NULL, *heap = rss ? json_next(rss) : NULL;
        if (!heap || !json_integer_of(at, before + 1, INT64_MAX, &before))
            return reader_wrong(rd, "a timeline whose samples have no values or are not in order");
        t->at_ns[t->n] = before;
        json_number_of(rss, &t->rss[t->n]);
        json_number_of(heap, &t->heap[t->n]);
    }
    return TARE_OK;
}

static bool possible_or_unknown(double value)
{
    return isnan(value) || (value >= 0 && value <= RECORD_NS_MOST);
}

static bool is_possible(const struct timeline *t)
{
    bool possible = possible_or_unknown(t->wall_ns) && possible_or_unknown(t->rss_peak) && possible_or_unknown(t->heap_peak) &&
                    possible_or_unknown(t->largest_process) && possible_or_unknown(t->allocated_bytes);
    for (int i = 0; i < t->n; i++)
        possible = possible && possible_or_unknown(t->rss[i]) && possible_or_unknown(t->heap[i]);
    return possible;
}

enum tare_status read_timeline(struct reader *rd)
{
    const struct json_value *v = rd->line;
    struct timeline_samples *samples = arena_alloc(&rd->arena, sizeof *samples);
    struct timeline t;
    if (!samples)
        return reader_no_memory(rd);
    timeline_init(&t, samples, 0);
    for (int i = 0; i < TIMELINE_MOST; i++)
        samples->rss[i] = samples->heap[i] = NAN;
    if (rd->r->n_timelines >= RESULTS_MAX || !whole(v, "subject", 0, rd->r->n_subjects - 1, &t.subject) ||
        !json_integer_of(json_member(v, "period_ns"), 1, INT64_MAX, &t.period_ns))
        return reader_wrong(rd, "a timeline without subject or period");
    json_integer_of(json_member(v, "start_ns"), -1, INT64_MAX, &t.start_ns);
    reader_fields(rd, v, timeline_fields, &t);
    t.heap_reason = reader_text(rd, v, "heap_reason");
    if (!t.heap_reason)
        reader_fields(rd, v, timeline_heap_fields, &t);
    enum tare_status status = read_samples(rd, &t);
    if (!status && !is_possible(&t))
        return reader_wrong(rd, "a timeline with a value that no run can have");
    return status ? status : record_add_timeline(rd->r, &t) < 0 ? reader_no_memory(rd) : TARE_OK;
}
