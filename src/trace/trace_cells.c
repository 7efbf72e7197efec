/* SPDX-License-Identifier: MIT */
#include "trace_cells.h"
#include <math.h>
#include <stdlib.h>

static uint32_t hash_of(uint32_t from, uint32_t to, int32_t group)
{
    uint64_t h = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ (uint64_t)(uint32_t)group) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(h >> 32);
}

static struct cell **place_of_cell(const struct cells *t, uint32_t from, uint32_t to, int32_t group)
{
    uint32_t mask = t->room - 1, at = hash_of(from, to, group) & mask;
    for (struct cell *c; (c = t->table[at]); at = (at + 1) & mask)
        if (c->from == from && c->to == to && c->group == group)
            break;
    return &t->table[at];
}

static bool widen(struct cells *t)
{
    uint32_t room = t->room ? 2 * t->room : 256;
    struct cell **table = calloc(room, sizeof(struct cell *));
    if (!table)
        return false;
    free(t->table);
    t->table = table;
    t->room = room;
    for (uint32_t i = 0; i < t->n; i++) {
        struct cell *c = cells_nth(t, i);
        *place_of_cell(t, c->from, c->to, c->group) = c;
    }
    return true;
}

static bool room_for_pointer(void ***list, uint32_t n, uint32_t *room)
{
    if (n < *room)
        return true;
    uint32_t wanted = *room ? 2 * *room : 16;
    void **more = realloc(*list, wanted * sizeof *more);
    if (!more)
        return false;
    *list = more;
    *room = wanted;
    return true;
}

static struct cell *new_cell(struct cells *t)
{
    if (t->n == t->n_chunks * CELL_CHUNK) {
        struct cell *chunk = calloc(CELL_CHUNK, sizeof *chunk);
        if (!chunk || !room_for_pointer((void ***)(void *)&t->chunks, t->n_chunks, &t->room_chunks)) {
            free(chunk);
            return NULL;
        }
        t->chunks[t->n_chunks++] = chunk;
    }
    t->n++;
    return cells_nth(t, t->n - 1);
}

struct cell *cells_nth(const struct cells *t, uint32_t i)
{
    return &t->chunks[i / CELL_CHUNK][i % CELL_CHUNK];
}

struct cell *cells_at(struct cells *t, uint32_t from, uint32_t to, int32_t group)
{
    if (2 * t->n >= t->room && !widen(t))
        return NULL;
    struct cell **at = place_of_cell(t, from, to, group);
    if (*at)
        return *at;
    struct cell *c = t->n < CELLS_MAX ? new_cell(t) : NULL;
    if (!c)
        return NULL;
    c->from = from;
    c->to = to;
    c->group = group;
    c->min = INT64_MAX;
    c->max = INT64_MIN;
    return *at = c;
}

struct cell_bin *cell_page(struct cells *t, struct cell *c, int page)
{
    enum { BLOCK = 256 };
    if (c->pages[page])
        return c->pages[page];
    if (!t->pages_left) {
        struct cell_bin *block = calloc(BLOCK * 8, sizeof *block);
        if (!block || !room_for_pointer(&t->blocks, t->n_blocks, &t->room_blocks)) {
            free(block);
            return NULL;
        }
        t->blocks[t->n_blocks++] = block;
        t->pages = block;
        t->pages_left = BLOCK;
    }
    t->pages_left--;
    c->pages[page] = t->pages;
    t->pages += 8;
    return c->pages[page];
}

void cells_finish(struct cells *t)
{
    for (uint32_t i = 0; i < t->n_chunks; i++)
        free(t->chunks[i]);
    for (uint32_t i = 0; i < t->n_blocks; i++)
        free(t->blocks[i]);
    free(t->chunks);
    free(t->blocks);
    free(t->table);
    *t = (struct cells){0};
}

static bool add_bin(struct cells *t, struct cell *c, int bin, uint64_t n, int64_t sum)
{
    struct cell_bin *page = cell_page(t, c, bin >> 3);
    if (!page)
        return false;
    page[bin & 7].n += n;
    page[bin & 7].sum = (int64_t)((uint64_t)page[bin & 7].sum + (uint64_t)sum);
    return true;
}

static int64_t whole(double y)
{
    return y >= 9.2e18 ? INT64_MAX : y <= -9.2e18 ? INT64_MIN : (int64_t)y;
}

static int64_t times(int64_t x, double factor)
{
    return whole(rint((double)x * factor));
}

/* A bin in units of another clock: into the bin in which its mean lies. */
static bool merge_bin(struct cells *t, struct cell *c, int bin, const struct cell_bin *b, double factor)
{
    if (factor == 1)
        return add_bin(t, c, bin, b->n, b->sum);
    double mean = (double)b->sum / (double)b->n * factor;
    return add_bin(t, c, mean > 0 ? trace_bin((uint64_t)mean) : 0, b->n, times(b->sum, factor));
}

bool cell_merge(struct cells *t, struct cell *c, const struct cell *from, double factor)
{
    for (int i = 0; i < TRACE_HISTOGRAM; i++)
        if (from->pages[i >> 3] && from->pages[i >> 3][i & 7].n && !merge_bin(t, c, i, &from->pages[i >> 3][i & 7], factor))
            return false;
    c->counted += from->counted;
    c->all += from->all;
    c->added += from->added;
    c->words += from->words;
    c->gaps += from->gaps;
    c->gap_units += factor == 1 ? from->gap_units : (uint64_t)((double)from->gap_units * factor);
    c->migrated += from->migrated;
    c->handlers += from->handlers;
    c->nested += from->nested;
    c->backwards += from->backwards;
    c->stamps += from->stamps;
    c->estimated |= from->estimated || factor != 1;
    c->sum_more = (int64_t)((uint64_t)c->sum_more + (uint64_t)(factor == 1 ? from->sum_more : times(from->sum_more, factor)));
    c->square += factor == 1 ? from->square : (cell_square)((double)from->square * factor * factor);
    if (from->min > from->max)
        return true;
    /* The sum is rounded by itself, and lies between them all the same. */
    const int64_t min = factor == 1 ? from->min : whole(floor((double)from->min * factor)),
                  max = factor == 1 ? from->max : whole(ceil((double)from->max * factor));
    c->min = min < c->min ? min : c->min;
    c->max = max > c->max ? max : c->max;
    return true;
}

/* Passages that no bin has, since one that is full counts no more of them, and that bin, of several the last; -1: none is full. */
static uint64_t beyond_bins(const struct trace_arc *a, int *full)
{
    uint64_t n = 0;
    *full = -1;
    for (int i = 0; i < TRACE_HISTOGRAM; i++) {
        n += a->bins[i];
        *full = a->bins[i] == UINT32_MAX ? i : *full;
    }
    return *full >= 0 && a->n > n ? a->n - n : 0;
}

/* Of the values in a bin. */
static int64_t middle_of(int bin, int units)
{
    return (trace_bin_low(bin) + trace_bin_low(bin + 1 < TRACE_HISTOGRAM ? bin + 1 : bin)) / 2 * units;
}

/* Of one thread no arc takes years, nor is it passed so often: the cell is damaged, and its sum, or that of several, may not fit into 64 bits. */
bool cell_can_be(const struct trace_arc *a, int units)
{
    int full;
    const uint64_t beyond = beyond_bins(a, &full);
    double sum = 0;
    for (int i = 0; i < TRACE_HISTOGRAM; i++)
        sum += (double)(a->bins[i] + (i == full ? beyond : 0)) * (double)middle_of(i, units);
    return a->n < CELL_MOST && a->negative < CELL_MOST && sum < CELL_MOST && (double)a->sum * units < CELL_MOST;
}

/* A table that was read while its program wrote it, or died in it, may be off by one passage: bins decide how many there are, as long as
 * none is full. */
bool cell_take(struct cells *t, struct cell *c, const struct trace_arc *a, int units)
{
    uint64_t n = 0, sum = 0;
    int64_t first = 0, last = 0;
    int full;
    const uint64_t beyond = beyond_bins(a, &full);
    for (int i = 0; i < TRACE_HISTOGRAM; i++) {
        const int64_t middle = middle_of(i, units);
        const uint64_t here = a->bins[i] + (i == full ? beyond : 0);
        if (!here)
            continue;
        if (!add_bin(t, c, trace_bin((uint64_t)middle), here, (int64_t)(here * (uint64_t)middle)))
            return false;
        first = n ? first : middle;
        last = middle;
        n += here;
        sum += here * (uint64_t)middle;
    }
    c->backwards += a->negative;
    if (!n)
        return true;
    c->added += n;
    c->estimated = true;
    /* The least and the largest, and the sum, where the table's own contradict each other or the bins by more than one passage: those of the bins. */
    int64_t min = (int64_t)(a->min & INT64_MAX >> 2) * units, max = (int64_t)(a->max & INT64_MAX >> 2) * units;
    const double total = (double)a->sum * units, least = (double)n * (double)min, most = (double)n * (double)max;
    const bool contradict = min > max || trace_bin((uint64_t)min) > trace_bin((uint64_t)first) ||
                            trace_bin((uint64_t)max) < trace_bin((uint64_t)last) || total < least - (double)min ||
                            total > most + (double)max;
    const uint64_t own = total < least  ? n * (uint64_t)min
                         : total > most ? n * (uint64_t)max
                                        : a->sum * (uint64_t)units; /* which has one passage more or less than the bins */
    if (!contradict)
        c->sum_more = (int64_t)((uint64_t)c->sum_more + own - sum);
    c->square += ((cell_square)a->square_high << 64 | a->square_low) * (cell_square)(units * units);
    c->gaps += a->gaps;
    min = contradict ? first : min;
    max = contradict ? last : max;
    c->min = min < c->min ? min : c->min;
    c->max = max > c->max ? max : c->max;
    return true;
}
