/* SPDX-License-Identifier: MIT */
#include "timeline.h"
#include "record_fields.h"
#include <math.h>

void timeline_init(struct timeline *t, struct timeline_samples *room, int64_t period_ns)
{
    *t = (struct timeline){.start_ns = -1, .period_ns = period_ns, .at_ns = room->at_ns, .rss = room->rss, .heap = room->heap};
    record_fields_init(timeline_fields, t);
    record_fields_init(timeline_heap_fields, t);
}

/* fmax takes the other one where one is NaN. */
static void merge_moments(struct timeline *t, int to, int64_t at_ns, double rss, double heap)
{
    if (to < t->n) {
        rss = fmax(rss, t->rss[to]);
        heap = fmax(heap, t->heap[to]);
    }
    t->at_ns[to] = at_ns;
    t->rss[to] = rss;
    t->heap[to] = heap;
    t->n = to < t->n ? t->n : to + 1;
}

static void put_moment(struct timeline *t, int64_t at_ns, double rss, double heap)
{
    int64_t grid_ns = at_ns / t->period_ns * t->period_ns;
    bool same = t->n && t->at_ns[t->n - 1] >= grid_ns;
    merge_moments(t, same ? t->n - 1 : t->n, same ? t->at_ns[t->n - 1] : grid_ns, rss, heap);
}

void timeline_add(struct timeline *t, int64_t at_ns, double rss, double heap)
{
    at_ns = at_ns > 0 ? at_ns : 0;
    while (t->n == TIMELINE_MOST) {
        int n = t->n;
        t->period_ns *= 2;
        t->n = 0;
        for (int i = 0; i < n; i++)
            put_moment(t, t->at_ns[i], t->rss[i], t->heap[i]);
    }
    put_moment(t, at_ns, rss, heap);
    if (!(t->rss_peak >= rss)) {
        t->rss_peak = rss;
        t->rss_peak_ns = (double)at_ns;
    }
}
