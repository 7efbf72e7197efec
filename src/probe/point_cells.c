/* SPDX-License-Identifier: MIT */
#include "point_state.h"
#include <string.h>

enum { FIRST_PLACES = 256, UNITS_MOST = 16 };

static uint32_t place_of(uint64_t key, uint32_t size)
{
    return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (size - 1);
}

/* Where the key is, or where it would go. */
static struct point_place *find_place(struct point_place *places, uint32_t size, uint64_t key)
{
    uint32_t i = place_of(key, size);
    while (places[i].key && places[i].key != key)
        i = (i + 1) & (size - 1);
    return &places[i];
}

static bool grow_index(struct point_cells *c)
{
    const uint32_t size = c->size ? c->size * 2 : FIRST_PLACES;
    struct point_place *places = plat_pages(size * sizeof *places);
    if (!places)
        return false;
    for (uint32_t i = 0; i < c->size; i++)
        if (c->places[i].key)
            *find_place(places, size, c->places[i].key) = c->places[i];
    plat_pages_free(c->places, c->size * sizeof *places);
    c->places = places;
    c->size = size;
    return true;
}

static bool another_segment(struct point_cells *c, enum trace_kind kind)
{
    c->units = c->units ? c->units : 1;
    struct trace_segment *s = point_segment(kind, c->units);
    if (!s && c->units > 1)
        s = point_segment(kind, c->units = 1);
    if (!s)
        return false;
    s->sequence = c->sequence++;
    s->thread = c->thread;
    s->tid = c->tid;
    point_moment(&s->moment);
    point_segment_seal(s);
    c->segment = s;
    c->next = (unsigned char *)(s + 1);
    c->end = (unsigned char *)s + (size_t)s->units * TRACE_UNIT;
    c->units = c->units < UNITS_MOST ? c->units * 2 : c->units;
    return true;
}

static void *new_cell(struct point_cells *c, enum trace_kind kind, uint32_t from, uint32_t to)
{
    const size_t bytes = kind == TRACE_ARCS ? sizeof(struct trace_arc) : sizeof(struct trace_count);
    if (c->next + bytes > c->end && !another_segment(c, kind))
        return NULL;
    uint32_t *ends = (uint32_t *)c->next; /* both kinds begin with from and to */
    c->next += bytes;
    ends[0] = from;
    if (kind == TRACE_ARCS)
        ((struct trace_arc *)ends)->min = UINT64_MAX;
    __atomic_store_n(&ends[1], to, __ATOMIC_RELEASE);
    __atomic_store_n(&c->segment->used, (uint64_t)(c->next - (unsigned char *)(c->segment + 1)), __ATOMIC_RELEASE);
    return ends;
}

void *point_cell(struct point_cells *c, enum trace_kind kind, uint32_t from, uint32_t to)
{
    const uint64_t key = (uint64_t)from << 32 | to;
    if (c->last_key == key)
        return c->last_cell;
    if (c->used >= c->size / 4 * 3 && !grow_index(c))
        return NULL;
    struct point_place *at = find_place(c->places, c->size, key);
    if (!at->key) {
        void *cell = new_cell(c, kind, from, to);
        if (!cell)
            return NULL;
        *at = (struct point_place){key, cell};
        c->used++;
    }
    c->last_key = key;
    return c->last_cell = at->cell;
}

void point_cells_free(struct point_cells *c)
{
    plat_pages_free(c->places, c->size * sizeof *c->places);
    memset(c, 0, sizeof *c);
}
