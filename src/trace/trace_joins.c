/* SPDX-License-Identifier: MIT
 * Lanes that belong to no thread, and threads' own ones over the borders of tasks: pieces of them, one behind the other. */
#include "trace_adding.h"
#include <stdlib.h>

enum { LANES_MIN = 64 };

static struct lane *lane_slot(const struct adding *a, uint64_t lane)
{
    uint32_t mask = a->room_lanes - 1, at = (uint32_t)(lane * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (a->lanes[at].used && a->lanes[at].lane != lane)
        at = (at + 1) & mask;
    return &a->lanes[at];
}

static bool widen_lanes(struct adding *a)
{
    struct lane *old = a->lanes;
    uint32_t before = a->room_lanes;
    a->room_lanes = before ? 2 * before : LANES_MIN;
    a->lanes = a->room_lanes ? calloc(a->room_lanes, sizeof *a->lanes) : NULL;
    for (uint32_t i = 0; a->lanes && i < before; i++)
        if (old[i].used)
            *lane_slot(a, old[i].lane) = old[i];
    free(old);
    return a->lanes != NULL;
}

/* Lanes and threads' own ones have one table: the latter count from the end. */
static uint64_t lane_key(const struct piece *p)
{
    return p->own ? UINT64_MAX - p->lane : p->lane;
}

/* The first worker's tables take what joins two pieces. */
static enum tare_status join(struct adding *a, const struct piece *p)
{
    struct walker *w = &a->walkers[0];
    if (2 * a->n_lanes >= a->room_lanes && !widen_lanes(a))
        return adding_no_memory(a);
    struct lane *l = lane_slot(a, lane_key(p));
    a->n_lanes += !l->used;
    if (!l->used)
        *l = (struct lane){.lane = lane_key(p), .used = true};
    if (p->broken_before) {
        l->from = 0;
        l->gap = l->words = 0;
    }
    uint64_t gap = l->gap + p->gap_before, words = l->words + p->words_before;
    if (p->first && l->from) {
        uint64_t units = (uint64_t)p->arrival - (uint64_t)l->base - gap * (uint64_t)w->units;
        w->depth = 0;
        walker_arc(w, l->from, p->first, (int64_t)units, gap, words, p->migrated);
    } else if (p->first) {
        w->starts[p->first]++;
    }
    if (p->first || (p->own && p->broken_before)) {
        l->from = p->broken_after ? 0 : p->last;
        l->base = p->base;
        l->gap = p->gap_after;
        l->words = p->words_after;
    } else {
        l->gap += p->gap_after;
        l->words += p->words_after;
    }
    return w->status ? adding_no_memory(a) : TARE_OK;
}

static int by_lane_and_tick(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->own != y->own)
        return x->own ? 1 : -1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->tick < y->tick ? -1 : x->tick > y->tick;
}

static bool gather_pieces(struct adding *a)
{
    for (int i = 0; i < a->n_walkers; i++) {
        struct walker *w = &a->walkers[i];
        for (int k = 0; k < w->n_pieces; k++) {
            struct piece *more = trace_grown(a->pieces, a->n_pieces, &a->room_pieces, sizeof *more);
            if (!more)
                return false;
            a->pieces = more;
            a->pieces[a->n_pieces++] = w->pieces[k];
        }
        w->n_pieces = 0;
    }
    return true;
}

enum tare_status adding_join(struct adding *a, uint64_t until)
{
    int left = 0;
    enum tare_status status = gather_pieces(a) ? TARE_OK : adding_no_memory(a);
    if (a->n_pieces)
        qsort(a->pieces, (size_t)a->n_pieces, sizeof *a->pieces, by_lane_and_tick);
    for (int i = 0; i < a->n_pieces && !status; i++)
        if (a->pieces[i].tick < until || until == UINT64_MAX)
            status = join(a, &a->pieces[i]);
        else
            a->pieces[left++] = a->pieces[i];
    a->n_pieces = left;
    return status;
}
