/* SPDX-License-Identifier: MIT
 * Points of a run: one for each place, whatever the files number it. */
#include "record_write.h"
#include "trace_adding.h"
#include <stdlib.h>
#include <string.h>

static uint64_t place_hash(const struct trace_place *p)
{
    uint32_t numbers[] = {p->line, p->kind, p->group, p->ordinal};
    uint64_t h = record_hash(RECORD_HASH_EMPTY, numbers, sizeof numbers);
    h = record_hash(h, p->file, strlen(p->file) + 1);
    h = record_hash(h, p->func, strlen(p->func) + 1);
    return record_hash(h, p->name, strlen(p->name) + 1);
}

static bool same_place(const struct trace_place *a, const struct trace_place *b)
{
    return a->line == b->line && a->kind == b->kind && a->group == b->group && a->ordinal == b->ordinal &&
           !strcmp(a->file, b->file) && !strcmp(a->func, b->func) && !strcmp(a->name, b->name);
}

static int *slot_of(const struct trace_sums *s, const struct trace_place *p)
{
    size_t mask = (size_t)s->room_index - 1, at = (size_t)place_hash(p) & mask;
    while (s->index[at] && !same_place(&s->points[s->index[at] - 1].place, p))
        at = (at + 1) & mask;
    return &s->index[at];
}

static bool index_points(struct trace_sums *s)
{
    int room = s->room_index ? 2 * s->room_index : 128;
    free(s->index);
    s->index = calloc((size_t)room, sizeof *s->index);
    s->room_index = s->index ? room : 0;
    for (int i = 0; s->index && i < s->n_points; i++)
        *slot_of(s, &s->points[i].place) = i + 1;
    return s->index != NULL;
}

int trace_sums_point(struct trace_sums *s, const struct trace_place *p)
{
    if (2 * s->n_points >= s->room_index && !index_points(s))
        return 0;
    int *slot = slot_of(s, p);
    if (*slot)
        return *slot;
    struct trace_sum_point *more = trace_grown(s->points, s->n_points, &s->room_points, sizeof *more);
    if (!more)
        return 0;
    s->points = more;
    struct trace_place own = *p;
    own.file = arena_strdup(&s->arena, p->file);
    own.func = arena_strdup(&s->arena, p->func);
    own.name = arena_strdup(&s->arena, p->name);
    own.id = own.partner = 0;
    if (!own.file || !own.func || !own.name)
        return 0;
    s->points[s->n_points] = (struct trace_sum_point){.place = own};
    return *slot = ++s->n_points;
}
