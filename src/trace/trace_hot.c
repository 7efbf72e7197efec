/* SPDX-License-Identifier: MIT
 *
 * A slot's number and sum are one 64-bit number: times are below 2^19, so that after 2^21 of them the sum still has room in 42 bits, and the
 * highest bit says that it is time to go into the cell. Until then the squares, below 2^38 each, have room in 64 bits: 2^21 in each slot come to
 * less than 8 * 4/3 * 2^21 * 2^38.
 *
 * The slot of a time t is told by its floating-point number: exponent and the first three bits of the fraction, as a bin of the histogram is,
 * but in fewer steps. Of 2 t + 1, which is never 0 and lies in the same bin as 2 t; up to 15 each time has a slot of its own.
 *
 * Nothing is called in a row, so that all stays in registers. What leads to the next arc (the word, its class, where its sums are) hangs on no
 * sum, so that the processor is many words ahead of the adding.
 */
#include "trace_walk.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(WORD_POINT == 0, "the class of plain points is what a row takes for nothing");
_Static_assert(ENTRY_CLASS_SHIFT > 16, "below its class an entry has room for an index");
_Static_assert(HOT_MAX % HOT_CHUNK == 0, "chunks are whole");

enum {
    TICK_SHIFT = 16,
    FRACTION_BITS = 52,
    SLOT_SHIFT = FRACTION_BITS - 3,
    SLOT_FIRST = 1023 << 3 /* of 1, the least of all 2 t + 1 */
};
static const uint64_t TICKS = (UINT64_C(1) << 48) - 1, ONE = UINT64_C(1) << HOT_SUM_BITS, FULL = UINT64_C(1) << 63;

static inline ptrdiff_t slot_of(uint64_t ticks)
{
    const double x = (double)(int64_t)(2 * ticks + 1);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (ptrdiff_t)(bits >> SLOT_SHIFT) - SLOT_FIRST;
}

static struct hot *nth(const struct hots *h, int i)
{
    return &h->chunks[i / HOT_CHUNK][i % HOT_CHUNK];
}

struct hot *hots_add(struct hots *h, struct cell *c)
{
    if (h->n == HOT_MAX)
        return NULL;
    struct hot **chunk = &h->chunks[h->n / HOT_CHUNK];
    if (!*chunk && !(*chunk = calloc(HOT_CHUNK, sizeof **chunk)))
        return NULL;
    struct hot *own = nth(h, h->n++);
    own->key = (uint64_t)c->from << 32 | c->to;
    own->cell = c;
    own->min = HOT_NOTHING;
    return own;
}

void hots_finish(struct hots *h)
{
    for (int i = 0; i < HOT_MAX / HOT_CHUNK; i++)
        free(h->chunks[i]);
    *h = (struct hots){.n = 0};
}

/* All that it holds into its cell; false: no memory. */
static bool hot_settle(struct cells *t, struct hot *h)
{
    struct cell *c = h->cell;
    if (h->min == HOT_NOTHING)
        return true;
    for (size_t i = 0; i < HOT_SLOTS; i++) {
        if (!h->slots[i])
            continue;
        /* Of the least time that has this slot; for slots that no time has, any. */
        const uint64_t bits = (uint64_t)(i + SLOT_FIRST) << SLOT_SHIFT;
        double x;
        memcpy(&x, &bits, sizeof x);
        const int bin = trace_bin((uint64_t)ceil(x) / 2);
        struct cell_bin *page = cell_page(t, c, bin >> 3);
        if (!page)
            return false;
        page[bin & 7].n += h->slots[i] >> HOT_SUM_BITS;
        page[bin & 7].sum = (int64_t)((uint64_t)page[bin & 7].sum + (h->slots[i] & (ONE - 1)));
        h->slots[i] = 0;
    }
    c->square += h->square;
    c->min = h->min < c->min ? h->min : c->min;
    c->max = (int64_t)h->min + h->span > c->max ? (int64_t)h->min + h->span : c->max;
    h->square = 0;
    h->min = HOT_NOTHING;
    h->span = 0;
    return true;
}

bool walker_settle(struct walker *w)
{
    for (int i = 0; i < w->hots.n; i++)
        if (!hot_settle(&w->cells, nth(&w->hots, i)))
            return false;
    return true;
}

/* False: it is full. */
static inline bool add_ticks(struct hot *h, uint64_t ticks)
{
    uint64_t *slot = &h->slots[slot_of(ticks)];
    h->square += ticks * ticks;
    if (__builtin_expect((uint32_t)ticks - h->min > h->span, 0)) { /* a branch that is known costs less than a store */
        /* The first time of all, or one that lies outside of those before. */
        const bool first = h->min == HOT_NOTHING;
        const uint32_t max = first || ((uint32_t)ticks) > h->min + h->span ? ((uint32_t)ticks) : h->min + h->span;
        h->min = first || ((uint32_t)ticks) < h->min ? ((uint32_t)ticks) : h->min;
        h->span = max - h->min;
    }
    *slot += ONE + ticks;
    return __builtin_expect(!(*slot & FULL), 1);
}

/* Where a row ended. */
struct gone {
    const uint64_t *next;  /* the first word that was not taken */
    uint64_t last, before; /* ticks of the last two passes, 48 bits */
    uint32_t from;
    struct hot *hot; /* of the last arc; NULL: none was taken */
    size_t values;   /* words behind passes */
    bool full;       /* the hot one */
};

/* A row's ticks go up: it ends where their 48 bits begin anew. */
static void take_state(struct walker *w, const struct gone *g, size_t words)
{
    if (!g->hot)
        return;
    w->passes += words - g->values;
    walker_note_zeros(w);
    const uint64_t begin = w->now & TICKS;
    w->before = w->now + (g->before - begin);
    w->now += g->last - begin;
    w->last = g->hot->cell;
    w->last_tick = w->now > w->last_tick ? w->now : w->last_tick;
    *w->chain = (struct chain){.from = g->from, .base = (int64_t)w->now};
    if (g->full && !hot_settle(&w->cells, g->hot))
        w->status = TARE_NO_MEMORY;
}

static inline struct hot *hot_of(const struct walker *w, struct hot *const *line, uint32_t from, uint32_t to, bool direct)
{
    struct hot *h = direct ? line[to] : w->slots[walker_slot(from, to)];
    return direct || (h && h->key == ((uint64_t)from << 32 | to)) ? h : NULL;
}

static inline __attribute__((always_inline)) struct gone row(const struct walker *w, const uint64_t *at, const uint64_t *end,
                                                             bool direct)
{
    const uint64_t *const entries = w->entries;
    const size_t side = w->side;
    struct hot *const *const slots = w->slots, *const *line = slots + (direct ? w->chain->from * side : 0);
    struct gone g = {.last = w->now & TICKS, .from = w->chain->from};
    for (; at < end; at++) {
        const uint64_t tick = *at >> TICK_SHIFT, apart = tick - g.last, entry = entries[*at & 0xFFFF];
        uint32_t to = (uint32_t)entry;
        if (__builtin_expect((apart | entry) >> ENTRY_CLASS_SHIFT, 0)) { /* what lies below zero is far above */
            to &= (1U << ENTRY_CLASS_SHIFT) - 1;
            if (apart >> ENTRY_CLASS_SHIFT || entry >> ENTRY_CLASS_SHIFT != WORD_VALUE || at + 1 == end ||
                !hot_of(w, line, g.from, to, direct))
                break;
            at++;
            g.values++;
        }
        struct hot *h = hot_of(w, line, g.from, to, direct);
        if (__builtin_expect(!h, 0))
            break;
        line = slots + to * side;
        g.before = g.last;
        g.last = tick;
        g.from = to;
        g.hot = h;
        if (!add_ticks(h, apart)) {
            g.full = true;
            at++;
            break;
        }
    }
    g.next = at;
    return g;
}

size_t walker_row(struct walker *w, const uint64_t *words, size_t i, size_t n)
{
    const struct gone g = w->direct ? row(w, words + i, words + n, true) : row(w, words + i, words + n, false);
    take_state(w, &g, (size_t)(g.next - words) - i);
    return (size_t)(g.next - words);
}
