/* SPDX-License-Identifier: MIT
 *
 * Two loops: that of trace_hot.c for rows of plain points on the current lane with a clock that goes on, the slow one for a word of any kind. The
 * former leaves a word that it does not know to the slow one and is entered again behind it.
 *
 * Signal handlers. A word is reserved before its clock is read; a handler that comes in between writes behind it with earlier ticks:
 *     reserved  A  B  C  ...           ticks  10  30  [15 20]  40
 *               1  2  [3 4]  5
 * A word that goes back, but not behind the word before the one in front of it, begins a handler's path; it ends at the first word that
 * is not before the interrupted one's tick. A word that goes back further is a clock that did.
 */
#include "trace_walk.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

_Static_assert(WALKER_SLOTS == 1 << (32 - 20), "a slot is the upper bits of 32");

enum {
    WINDOW = 1 << 15,   /* words read at once: 256 KiB */
    CARRY = 256,        /* words that one control word may have behind it, and more */
    DIRECT_POINTS = 700 /* so many have a table of all pairs: 4 MB */
};
static const int64_t LONGEST = INT64_C(1) << 50; /* units; what is longer is no time but damage */

static void set_entry(struct walker *w, uint32_t id)
{
    const uint32_t class = w->classes[id];
    w->entries[id] = (uint64_t)(class >> WORD_CLASS_SHIFT) << ENTRY_CLASS_SHIFT | (class & WORD_INDEX);
}

/* Ids that no point has share one of two entries: unknown ids and control words. */
static void set_entries(struct walker *w)
{
    enum { CONTROLS = TRACE_ID_LAST + 1 };
    set_entry(w, 0);
    w->entries[TRACE_ID_FIRST] = (uint64_t)WORD_UNKNOWN << ENTRY_CLASS_SHIFT;
    trace_fill(w->entries + TRACE_ID_FIRST, sizeof *w->entries, CONTROLS - TRACE_ID_FIRST);
    set_entry(w, CONTROLS);
    trace_fill(w->entries + CONTROLS, sizeof *w->entries, WORD_IDS - CONTROLS);
    for (int i = 0; i < w->f->n_points && w->f->points[i].id <= TRACE_ID_LAST; i++)
        set_entry(w, w->f->points[i].id);
}

enum tare_status walker_init(struct walker *w, const struct trace_file *f, double us)
{
    *w = (struct walker){.f = f,
                         .classes = malloc(WORD_IDS * sizeof *w->classes),
                         .entries = malloc(WORD_IDS * sizeof *w->entries),
                         .words = malloc((WINDOW + CARRY) * sizeof *w->words),
                         .units = f->head.order == TRACE_PRECISE ? 2 : 1,
                         .repeat = f->head.repeat,
                         .us = us,
                         .starts = calloc((size_t)f->n_points + 1, sizeof *w->starts),
                         .first_tick = UINT64_MAX};
    w->side = (size_t)f->n_points + 1;
    w->direct = w->side <= DIRECT_POINTS;
    w->slots = calloc(w->direct ? w->side * w->side : WALKER_SLOTS, sizeof *w->slots);
    if (!w->classes || !w->entries || !w->words || !w->starts || !w->slots) {
        walker_finish(w);
        return TARE_NO_MEMORY;
    }
    trace_word_classes(f, w->classes);
    set_entries(w);
    return TARE_OK;
}

void walker_finish(struct walker *w)
{
    free(w->classes);
    free(w->entries);
    free(w->words);
    free(w->starts);
    free(w->slots);
    hots_finish(&w->hots);
    free(w->pieces);
    free(w->rows);
    cells_finish(&w->cells);
    *w = (struct walker){0};
}

static struct cell *cell_between(struct walker *w, uint32_t from, uint32_t to)
{
    struct hot **at = &w->slots[w->direct ? from * w->side + to : walker_slot(from, to)], *h = *at;
    if (h && (w->direct || h->key == ((uint64_t)from << 32 | to)))
        return h->cell;
    struct cell *c = cells_at(&w->cells, from, to, 0);
    if (!c) {
        w->status = w->status ? w->status : w->cells.n >= CELLS_MAX ? TARE_TOO_LARGE : TARE_NO_MEMORY;
        return NULL;
    }
    c->hot = c->hot ? c->hot : hots_add(&w->hots, c);
    *at = c->hot ? c->hot : *at;
    return c;
}

void walker_arc(struct walker *w, uint32_t from, uint32_t to, int64_t units, uint64_t gap, uint64_t words, bool migrated)
{
    struct cell *c = w->mute ? NULL : cell_between(w, from, to);
    w->last = c;
    if (!c)
        return;
    /* with four stamps less than nothing is a figure like others, as long as the clock did not go back */
    if (units > LONGEST || units < (w->units == 2 ? -LONGEST : 0)) {
        c->backwards++;
        return;
    }
    if (!cell_add(&w->cells, c, units))
        w->status = TARE_NO_MEMORY;
    c->words += words;
    c->gaps += gap > 0;
    c->gap_units += gap * (uint64_t)w->units;
    c->migrated += migrated;
    c->nested += w->depth > 0;
}

static void add_piece(struct walker *w, const struct piece *p)
{
    if (!array_room(&w->pieces, w->n_pieces, &w->room_pieces, sizeof *w->pieces)) {
        w->status = TARE_NO_MEMORY;
        return;
    }
    w->pieces[w->n_pieces++] = *p;
}

static void piece_close(struct walker *w)
{
    struct piece *p = &w->piece;
    if (!w->lane || w->mute)
        return;
    p->last = w->other.from;
    p->base = w->other.base;
    p->gap_after = w->other.gap;
    p->words_after = w->other.words;
    p->broken_after = p->first ? !w->other.from : p->broken_before;
    p->migrated |= !p->first && w->other.migrated;
    if (p->first || p->broken_before || p->gap_after || p->words_after)
        add_piece(w, p);
}

static void to_lane(struct walker *w, uint64_t lane)
{
    piece_close(w);
    w->lane = lane;
    w->chain = lane ? &w->other : &w->own;
    if (!lane)
        return;
    w->other = (struct chain){0};
    w->piece = (struct piece){.lane = lane, .tick = w->now};
}

static void cut_chain(struct walker *w, struct chain *c)
{
    *c = (struct chain){0};
    if (c == &w->own && !w->own_known && !w->depth) {
        w->own_known = true;
        w->own_piece.broken_before = true;
    }
    if (c == &w->other && w->lane && !w->piece.first)
        w->piece.broken_before = true;
}

/* A pass at which the running arc ends at `arrival` and the next begins at `departure`, units. */
static void pass(struct walker *w, uint32_t point, int64_t arrival, int64_t departure)
{
    struct chain *c = w->chain;
    if (c->repeats && c->from == point) { /* the same pass, written once more to weigh the probe */
        c->repeats--;
        return;
    }
    w->passes += !w->mute;
    w->last = NULL;
    if (c->from) {
        uint64_t units = (uint64_t)arrival - (uint64_t)c->base - c->gap * (uint64_t)w->units;
        walker_arc(w, c->from, point, (int64_t)units, c->gap, c->words, c->migrated);
        if (c->stamps && w->last)
            w->last->stamps++;
    } else if (c == &w->other && !w->depth && !w->piece.first && w->lane) {
        w->piece.first = point;
        w->piece.tick = w->now;
        w->piece.arrival = arrival;
        w->piece.gap_before = c->gap;
        w->piece.words_before = c->words;
        w->piece.migrated = c->migrated;
    } else if (c == &w->own && !w->depth && !w->own_known) {
        w->own_piece.first = point;
        w->own_piece.arrival = arrival;
        w->own_piece.gap_before = c->gap;
        w->own_piece.words_before = c->words;
        w->own_piece.migrated = c->migrated;
    } else if (!w->mute) {
        w->starts[point]++;
    }
    w->own_known |= c == &w->own && !w->depth;
    *c = (struct chain){.from = point, .base = departure, .repeats = w->repeat - 1};
}

static bool bare(unsigned id)
{
    return id >= CONTROL_WEIGH_BARE && id <= CONTROL_WEIGH_BARE_ADDED;
}

static enum trace_weighed weighed(unsigned id)
{
    return bare(id)                     ? (enum trace_weighed)(id - CONTROL_WEIGH_BARE)
           : id == CONTROL_WEIGH_FAST   ? WEIGHED_FAST
           : id == CONTROL_WEIGH_WORD   ? WEIGHED_WORD
           : id == CONTROL_WEIGH_ADDED  ? WEIGHED_ADDED
           : id == CONTROL_WEIGH_AROUND ? WEIGHED_AROUND
           : id == CONTROL_WEIGH_MOVED  ? WEIGHED_MOVED
                                        : WEIGHED_POINT;
}

static void row_end(struct walker *w)
{
    double x[ROW_MAX] = {0}, scratch[ROW_MAX] = {0}, sum = 0;
    int n = w->n_row, kept = 0;
    w->in_row = false;
    w->n_row = 0;
    if (n <= 0 || w->mute)
        return;
    for (int i = 0; i < n; i++)
        x[i] = (double)w->row[i];
    double mad = tare_mad(x, n, scratch);
    memcpy(scratch, x, (size_t)n * sizeof *x);
    tare_sort(scratch, n);
    double limit = fmax(tare_quantile_sorted(scratch, n, .5) + 20 * fmax(mad, 1), w->us);
    for (int i = 0; i < n; i++)
        if (x[i] <= limit) {
            sum += x[i];
            kept++;
        }
    if (array_room(&w->rows, w->n_rows, &w->room_rows, sizeof *w->rows))
        w->rows[w->n_rows++] = (struct weight_row){w->row_last, w->thread, sum / kept, weighed(w->row_id), bare(w->row_id)};
    else
        w->status = TARE_NO_MEMORY;
}

static bool weighs(unsigned id)
{
    return id == CONTROL_WEIGH || (id >= CONTROL_WEIGH_FAST && id <= CONTROL_WEIGH_BARE_ADDED) || id == CONTROL_WEIGH_AROUND ||
           id == CONTROL_WEIGH_MOVED;
}

/* Rows are written when all is measured, one from the moment of writing on: their ticks may lie behind those of passes that come next, and are no time of
 * anything. So they move no clock and begin no handler's path. */
static void weigh(struct walker *w, uint64_t tick, unsigned id)
{
    if (w->in_row && w->row_id != id)
        row_end(w);
    w->row_id = id;
    if (w->in_row && tick >= w->row_last && tick - w->row_last < (uint64_t)LONGEST / 2)
        w->row[w->n_row++] = (tick - w->row_last) * (uint64_t)w->units;
    w->in_row = true;
    w->row_last = tick;
    if (w->n_row == ROW_MAX)
        row_end(w);
}

static void nest_begin(struct walker *w)
{
    if (w->depth == NEST_MAX)
        return;
    w->nest[w->depth++] = (struct nest){*w->chain, w->now};
    if (w->last)
        w->last->handlers++;
    *w->chain = (struct chain){0};
}

/* The whole tick of a word, and where it stands among handlers. */
static uint64_t tick_of(struct walker *w, uint64_t word)
{
    uint64_t tick = trace_whole_tick(w->now, word);
    while (w->depth && tick >= w->nest[w->depth - 1].resume) {
        const struct nest *n = &w->nest[--w->depth];
        *w->chain = n->chain;
        w->before = w->now;
        w->now = n->resume;
    }
    if (tick < w->now && tick >= w->before)
        nest_begin(w);
    return tick;
}

static void went_to(struct walker *w, uint64_t tick)
{
    w->before = tick < w->now ? tick : w->now;
    w->now = tick;
    if (w->mute)
        return;
    w->first_tick = tick < w->first_tick ? tick : w->first_tick;
    w->last_tick = tick > w->last_tick ? tick : w->last_tick;
}

static uint32_t index_of(struct walker *w, uint64_t id)
{
    int i = id <= TRACE_POINTS_MAX ? trace_point_index(w->f, (uint32_t)id) : -1;
    w->unknown += i < 0 && !w->mute;
    return (uint32_t)(i + 1);
}

static int64_t in_units(const struct walker *w, uint64_t tick)
{
    return (int64_t)(tick * (uint64_t)w->units);
}

/* A word that is no point, but reads the clock as one does. */
static void beside(struct walker *w)
{
    w->own.words++;
    w->other.words += w->lane != 0;
}

static void wide_pass(struct walker *w, uint64_t id)
{
    uint32_t index = index_of(w, id & UINT32_MAX);
    if (index && w->f->points[index - 1].kind == TRACE_COUNTER)
        beside(w);
    else
        pass(w, index, in_units(w, w->now), in_units(w, w->now));
}

/* Of a pair of stamps: more than a microsecond. */
static bool lie_far_apart(const struct walker *w, uint64_t one, uint64_t other)
{
    return w->us > 0 && (double)(other - one) * w->units > w->us;
}

/* t3 is the word's own tick. Units are half ticks: twice t3, less the pair there and at the next begin. */
static void stamped_pass(struct walker *w, uint64_t t3, const uint64_t data[4])
{
    uint64_t t4 = data[1], t1 = data[2], t2 = data[3];
    uint32_t index = index_of(w, data[0] & UINT32_MAX);
    if (t2 < t1 || t4 < t3 || t1 < t4) { /* not written to its end */
        w->unwritten += !w->mute;
        cut_chain(w, w->chain);
        return;
    }
    w->chain->stamps |= lie_far_apart(w, t3, t4);
    if (w->units == 2)
        pass(w, index, (int64_t)(2 * t3 - (t4 - t3)), (int64_t)(2 * t2 + (t2 - t1)));
    else /* in a file that says it has none: as good as its ticks are */
        pass(w, index, (int64_t)t3, (int64_t)t2);
    w->chain->stamps = lie_far_apart(w, t1, t2);
    went_to(w, t2);
}

/* Where one falls into the other, as when room is made for the words of a gap, the shared time is taken off once. */
static void add_gap(struct chain *c, uint64_t begin, uint64_t end)
{
    const uint64_t from = c->gap_from, to = c->gap_to;
    const bool apart = !c->gap || begin > to || end < from;
    c->gap_from = apart || begin < from ? begin : from;
    c->gap_to = apart || end > to ? end : to;
    c->gap += c->gap_to - c->gap_from - (apart ? 0 : to - from);
}

static void gap(struct walker *w, uint64_t begin, uint64_t end)
{
    if (end < begin || end - begin > (uint64_t)LONGEST / 4)
        return;
    beside(w); /* the reading at its begin */
    add_gap(&w->own, begin, end);
    if (w->lane)
        add_gap(&w->other, begin, end);
}

static void control(struct walker *w, unsigned id, uint64_t tick, const uint64_t *data)
{
    switch (id) {
    case CONTROL_LOST:
        w->lost += w->mute ? 0 : data[0];
        cut_chain(w, &w->own);
        cut_chain(w, &w->other);
        break;
    case CONTROL_BREAK:
    case CONTROL_BURST:
    case CONTROL_BURST_END:
    case CONTROL_MASKED:
        cut_chain(w, w->chain);
        break;
    case CONTROL_GAP:
        gap(w, tick, data[0]);
        break;
    case CONTROL_ITERATION:
    case CONTROL_MARK:
    case CONTROL_THREAD_NAME:
        beside(w);
        break;
    case CONTROL_LANE:
        beside(w);
        to_lane(w, data[0]);
        break;
    case CONTROL_CPU:
        w->own.migrated = true;
        w->other.migrated |= w->lane != 0;
        break;
    case CONTROL_WIDE:
    case CONTROL_WIDE_VALUE:
        wide_pass(w, data[0]);
        break;
    case CONTROL_STAMPS:
        stamped_pass(w, tick, data);
        break;
    default:
        break;
    }
}

/* Words that the one at i takes with it, itself included; 0: more than there are. */
static size_t length_at(const struct walker *w, const uint64_t *words, size_t i, size_t n)
{
    unsigned id = words[i] & 0xFFFF;
    uint32_t class = w->classes[id] >> WORD_CLASS_SHIFT;
    if (class == WORD_VALUE || class == WORD_COUNTER)
        return i + 2 <= n ? 2 : 0;
    if (class != WORD_CONTROL)
        return 1;
    int data = trace_control_words(id);
    if (data < 0) {
        if (i + 2 > n)
            return 0;
        data = words[i + 1] <= 128 ? (int)words[i + 1] + 1 : 1;
    }
    return i + 1 + (size_t)data <= n ? 1 + (size_t)data : 0;
}

static void slow(struct walker *w, const uint64_t *at)
{
    unsigned id = *at & 0xFFFF;
    uint32_t entry = w->classes[id], class = entry >> WORD_CLASS_SHIFT, index = entry & WORD_INDEX;
    if (class == WORD_NONE) {
        w->zeros++;
        return;
    }
    if (w->mute)
        w->zeros = 0;
    walker_note_zeros(w);
    if (weighs(id)) {
        w->last = NULL;
        weigh(w, trace_whole_tick(w->now, *at), id);
        return;
    }
    uint64_t tick = tick_of(w, *at);
    if (w->in_row && id != w->row_id)
        row_end(w);
    bool back = tick < w->now && !(w->depth && !w->chain->from);
    went_to(w, tick);
    if (back && class != WORD_CONTROL && class != WORD_COUNTER && w->chain->from && w->units == 2)
        cut_chain(w, w->chain); /* negative for another reason than its stamps */
    if (class == WORD_CONTROL) {
        w->last = NULL;
        control(w, id, tick, at + 1);
    } else if (class == WORD_COUNTER) {
        beside(w);
    } else {
        w->unknown += class == WORD_UNKNOWN && !w->mute;
        pass(w, index, in_units(w, tick), in_units(w, tick));
    }
}

/* From the last word on nothing stands between: no gap, no other CPU, no lane that is not known, one stamp, one word a pass. */
static bool walker_may_row(const struct walker *w)
{
    const struct chain *c = w->chain;
    return c->from && !c->gap && !c->words && !c->migrated && !w->depth && !w->mute && w->units == 1 && w->repeat == 1 &&
           !w->in_row && c->base == (int64_t)w->now;
}

/* All whole words of the window. Returns how many there were. */
static size_t window(struct walker *w, const uint64_t *words, size_t n)
{
    size_t i = 0;
    while (i < n && !w->status) {
        if (walker_may_row(w))
            i = walker_row(w, words, i, n);
        size_t length = i < n && !w->status ? length_at(w, words, i, n) : 0;
        if (!length)
            break;
        slow(w, words + i);
        i += length;
    }
    return i;
}

void walker_begin(struct walker *w, const struct trace_stretch *s, bool continues, uint32_t thread_number)
{
    w->thread = thread_number;
    w->own_piece = (struct piece){.tick = s->moment.tick};
    w->own_known = !continues || s->last_point || !s->sequence;
    w->own_piece.broken_before = w->own_known;
    w->own = w->other = (struct chain){0};
    w->chain = &w->own;
    w->depth = 0;
    w->lane = 0;
    w->last = NULL;
    w->in_row = false;
    w->n_row = 0;
    w->now = w->before = s->moment.tick;
    if (s->last_point) {
        int index = trace_point_index(w->f, s->last_point);
        w->own = (struct chain){.from = (uint32_t)(index + 1), .base = in_units(w, s->last_tick)};
    }
    if (s->lane)
        to_lane(w, s->lane);
}

void walker_resume(struct walker *w, const struct trace_stretch *next)
{
    w->own_piece.first = 0;
    w->own_piece.broken_before = w->own_known;
    w->own_piece.tick = next->moment.tick;
    if (!w->lane)
        return;
    *(w->depth ? &w->nest[0].chain : &w->other) = (struct chain){0};
    w->piece = (struct piece){.lane = w->lane, .tick = next->moment.tick};
}

/* The segment's own reading of the clock is nearer to its words than the last word of the one before. */
static void at_moment(struct walker *w, const struct trace_stretch *s)
{
    if (!s->moment.tick || w->depth)
        return;
    uint64_t apart = s->moment.tick > w->now ? s->moment.tick - w->now : w->now - s->moment.tick;
    if (apart >> 46)
        w->now = w->before = s->moment.tick;
}

/* What was reserved at the end of a segment that its thread left, and never stored: by a handler that did not return the words of a pass; more are a hole. */
static void note_end(struct walker *w, const struct trace_stretch *s)
{
    enum { PASS_MOST = 5 };
    if (w->mute || s->open || w->zeros <= (uint64_t)s->idle)
        return;
    w->holes += w->zeros > PASS_MOST;
    w->unwritten += w->zeros > PASS_MOST ? 0 : w->zeros;
    w->zeros = 0;
}

enum tare_status walker_stretch(struct walker *w, const struct trace_stretch *s, struct tare_err *err)
{
    size_t kept = 0;
    int64_t at = s->at, end = s->at + s->bytes;
    at_moment(w, s);
    w->zeros = 0;
    while (at < end || kept) {
        size_t n = (size_t)(end - at) / 8 < WINDOW ? (size_t)(end - at) / 8 : WINDOW;
        enum tare_status status = trace_file_read(w->f, at, w->words + kept, n * 8, err);
        if (status)
            return status;
        at += (int64_t)n * 8;
        n += kept;
        w->n_words += w->mute ? 0 : n - kept;
        if (at == end) { /* data that were not written yet are zero */
            memset(w->words + n, 0, (WINDOW + CARRY - n < 130 ? WINDOW + CARRY - n : 130) * sizeof *w->words);
            size_t taken = window(w, w->words, n);
            if (taken < n && !w->status)
                slow(w, w->words + taken);
            note_end(w, s);
            break;
        }
        size_t taken = window(w, w->words, n);
        if (w->status)
            break;
        kept = n - taken;
        memmove(w->words, w->words + taken, kept * sizeof *w->words);
    }
    if (!w->status)
        return TARE_OK;
    return err_set(err, w->status,
                   w->status == TARE_TOO_LARGE ? "%s: more than %d arcs" : "%s: no memory for its arcs (at most %d)",
                   trace_file_name(w->f), (int)CELLS_MAX);
}

enum tare_status walker_end(struct walker *w, int thread, bool goes_on)
{
    if (!goes_on)
        row_end(w);
    piece_close(w);
    if (thread >= 0) {
        /* Of the thread's own lane, at the end of a task. */
        struct piece *p = &w->own_piece;
        p->own = true;
        p->lane = (uint64_t)thread;
        p->last = w->own.from;
        p->base = w->own.base;
        p->gap_after = w->own.gap;
        p->words_after = w->own.words;
        p->broken_after = !w->own.from && (p->first || p->broken_before);
        add_piece(w, p);
    }
    return w->status;
}
