/* SPDX-License-Identifier: MIT
 *
 * Words of control points that are not written in line, and room for them, segment by segment; and the overhead of a pass, which is measured wherever room is
 * made.
 */
#include "point_state.h"
#include <string.h>

/* Points beyond those that fit into a word. */
static bool write_wide(struct tare_trace_thread *t, const struct tare_point *p, const uint64_t *value)
{
    uint64_t *at = point_words_if_room(t, value ? 5 : 2);
    if (!at)
        return false;
    point_store(at, point_word(point_read((enum tare_point_order)p->order), value ? CONTROL_WIDE_VALUE : CONTROL_WIDE));
    point_store(at + 1, p->number);
    if (value)
        point_store(at + 2, *value);
    return true;
}

bool point_write_pass(struct tare_trace_thread *t, const struct tare_point *p, const uint64_t *value)
{
    if (!p->id)
        return write_wide(t, p, value);
    uint64_t *at = point_words_if_room(t, value ? 2 : 1);
    if (!at)
        return false;
    point_store(at, point_word(point_read((enum tare_point_order)p->order), p->id));
    if (value)
        point_store(at + 1, *value);
    return true;
}

enum { FIRST_STEPS = 16, STEP = FIRST_STEPS * TRACE_UNIT };

static void fill_header(struct point_thread *own, struct trace_segment *s)
{
    s->sequence = own->sequence++;
    s->thread = own->number;
    s->tid = own->tid;
    s->cpu = (uint32_t)plat_cpu_now();
    s->lane = own->lane;
    memcpy(s->thread_name, own->name, sizeof s->thread_name);
    point_moment(&s->moment);
    point_segment_seal(s);
}

static struct trace_segment *any_segment(struct point_thread *own)
{
    struct trace_segment *s = point_segment(TRACE_EVENTS, own->units);
    if (!s && own->units > 1)
        s = point_segment(TRACE_EVENTS, own->units = 1);
    return s;
}

static void leave_segment(struct point_thread *own, struct trace_segment *left)
{
    const uint64_t bytes = (uint64_t)left->units * TRACE_UNIT;
    left->used = bytes - sizeof *left;
    own->written += bytes;
    if (own->left_before) /* not the last one: a frame that a handler interrupted may be about to store there */
        plat_window_leave(&point_process.window, point_offset(own->left_before), own->left_before->units * (uint64_t)TRACE_UNIT);
    own->left_before = left;
}

/* Another segment for this thread; signals off. */
static bool next_segment(struct tare_trace_thread *t, struct point_thread *own)
{
    struct trace_segment *left = own->segment, *s = any_segment(own);
    if (!s)
        return false;
    if (left)
        leave_segment(own, left);
    fill_header(own, s);
    uint32_t most = own->written < (UINT64_C(16) << 20) ? 16 : 256;
    own->units = own->units * 2 < most ? own->units * 2 : most;
    own->segment = s;
    own->end = (uintptr_t)s + (uintptr_t)s->units * TRACE_UNIT;
    __atomic_store_n(&t->room, own->end - POINT_SLACK, __ATOMIC_RELAXED);
    __atomic_store_n(&t->cursor, (uintptr_t)(s + 1), __ATOMIC_RELAXED);
    return true;
}

static void measure_written(struct tare_trace_thread *t, struct point_thread *own);
static uint64_t *words_or_lost(struct tare_trace_thread *t, uint32_t n);

/* True: there may be room now. What we do here is marked, to be taken off the arc that it falls into. */
static bool make_room(struct tare_trace_thread *t, struct point_thread *own, uintptr_t bytes)
{
    struct plat_quiet quiet;
    uint64_t began = point_ticks();
    plat_quiet_begin(&quiet);
    bool room = t->cursor + bytes < t->room || next_segment(t, own);
    if (room) {
        uint64_t *gap = words_or_lost(t, 2);
        point_store(gap, point_word(began, CONTROL_GAP));
        measure_written(t, own);
        point_store(gap + 1, point_ticks());
    }
    plat_quiet_end(&quiet);
    return room;
}

/* There was none: words cannot be kept, for good. */
static bool no_more_room(void)
{
    return atomic_load_explicit(&point_shared()->full, memory_order_relaxed);
}

/* NULL: another has to be found. Nothing is reserved where there can be no room, so that the slack is for passes alone. */
static uint64_t *reserve_words(struct tare_trace_thread *t, uintptr_t bytes)
{
    const uintptr_t room = __atomic_load_n(&t->room, __ATOMIC_RELAXED);
    if (__atomic_load_n(&t->cursor, __ATOMIC_RELAXED) + bytes > room)
        return NULL;
    const uintptr_t at = point_fetch_add(&t->cursor, bytes), end = at + bytes;
    /* A handler in between may have gone on to another segment, wherever that lies. */
    const bool fits = end <= room && end - __atomic_load_n(&t->room, __ATOMIC_RELAXED) - 1 >= bytes;
    return fits ? (uint64_t *)at : NULL;
}

uint64_t *point_words_if_room(struct tare_trace_thread *t, uint32_t n)
{
    const uintptr_t bytes = 8 * (uintptr_t)n;
    for (;;) {
        uint64_t *at = reserve_words(t, bytes);
        if (at)
            return at;
        if (no_more_room() || !make_room(t, point_own(t), bytes)) {
            /* What passes reserve in vain does not go on beyond the slack. The value of the last one that had room may lie behind that. */
            if (t->cursor > t->room + 8)
                __atomic_store_n(&t->cursor, t->room + 8, __ATOMIC_RELAXED);
            return NULL;
        }
    }
}

/* What finds no room is counted as lost. */
static uint64_t *words_or_lost(struct tare_trace_thread *t, uint32_t n)
{
    uint64_t *at = point_words_if_room(t, n);
    if (!at)
        __atomic_fetch_add(&point_process.head->lost, n, __ATOMIC_RELAXED);
    return at;
}

void point_control(struct tare_trace_thread *t, enum trace_id id, const uint64_t *data, uint32_t n)
{
    uint64_t *at = words_or_lost(t, n + 1);
    if (!at)
        return;
    point_store(at, point_word(point_ticks(), id));
    for (uint32_t i = 0; i < n; i++)
        point_store(at + 1 + i, data[i]);
}

/* What a pass adds to an arc.
 *
 *     stamp A | rest of pass A | work | front of pass B | stamp B
 *
 * An arc goes from one reading of the clock to the next, so what is between them beside the work is to be taken off: what stands behind the reading in
 * one pass, what stands before it in the next, and the reading itself, once. Arcs tile time; so a region with k points more in it is longer by k
 * times that and no more, and its sum comes out right by the same figure.
 *
 * Formula      rows of passes by the very code that the program's points run (tare_point.row), with a chain of steps between two passes that wait for
 *              each other: c steps, then m c. With means s and l, a chain takes (l - s) / (m - 1), and the overhead is s less that. A row without
 *              a chain gives the bare overhead.
 * Why a chain  a processor runs the instructions around a reading while the work is still under way: what overlaps costs nothing, and is not to be taken
 *              off. Without work there is nothing to overlap with, so an empty arc shows bare overhead less overhead, the overlap bias of the
 *              probe. Work that keeps all units of the processor busy, and does not wait for itself, hides less than the chain does: what is
 *              taken off such an arc is too little by the overlap bias at most, which the reader is told and puts into its interval.
 * Means        plain: a clock in steps gives two values, and what lies in the middle of a row is one of them, while the whole of a row is right to
 *              a step by its length, for each reading ends one arc and begins the next. Only interruptions are cut: further from the row's median
 *              than itself, 8 quartile distances and 3 steps. Of added-up passes, of which there are sums alone: the largest, by the same rule without quartiles;
 *              where there are two such, the row is none. Rows before are for warming up.
 * Written more than once for each pass (to prove the overhead): from the first word of a pass to the first of the next, so that the overhead is that of all of them.
 * Around       the same row in a loop around one pass: a jump back behind each reading costs a cycle or three, and so does other code between points. What
 *              the overhead depends on so is an uncertainty that no number of rows makes smaller.
 * Unordered    readings are made as early as the processor can. How much of an arc goes to its neighbour so is measured by a chain that fills what the
 *              processor looks ahead, behind a fence.
 * Assumes      that a row is as the program's steady state, caches and branches warm, and that a pass with a value has the overhead of one without.
 * Ties         of whole ticks are as good as others. NaN cannot come. Rows of fewer than three passes (the modes changed meanwhile): nothing is written.
 * Constants    36 passes without work, with 32, again in a loop, and with 96 multiplications (of the system's clock 96 and 288): some 8 us, once in each segment of words, or in 2^18 passes that are added up.
 *
 * All of it runs with signals off, on memory of the thread's own, beside the file; what comes out are words whose ticks lie as far apart as the overhead. */

/* Passes of a row: multiples of 4 (TARE_POINT_ROW). */
enum { WARM = 16, ROW = 20, CHAIN = 2, CHAIN_OF_SYSTEM = 6, LONG = 3, EMPTY = TRACE_POINTS_MAX + 1 };

struct aside {
    struct tare_trace_thread thread;
    struct tare_trace_place added, counted;
    struct trace_count count;
    uint64_t last_tick, left, timed_left;
    uint32_t last, until_row, burst_left, last_left;
    bool burst_begun;
    tare_point_row *row, *last_row;
};

static struct tare_trace_place *place_in(struct tare_trace_place *places)
{
    return &places[tare_trace_place_of(EMPTY, EMPTY)];
}

/* written: words go to the thread's own memory; else they find room as they would now. Arcs of the row go into a cell there in any case. */
static void put_aside(struct tare_trace_thread *t, struct point_thread *own, bool written, struct aside *a)
{
    *a = (struct aside){.thread = *t,
                        .added = *place_in(own->places),
                        .counted = *place_in(own->chain.counts),
                        .last_tick = own->last_tick,
                        .left = own->chain.left,
                        .timed_left = own->timed_left,
                        .last = own->chain.last,
                        .until_row = own->until_row,
                        .burst_left = own->burst_left,
                        .last_left = own->last_left,
                        .burst_begun = own->burst_begun,
                        .row = own->row,
                        .last_row = own->last_row};
    *place_in(own->places) = (struct tare_trace_place){point_arc(EMPTY, EMPTY), &own->scratch.arc};
    *place_in(own->chain.counts) = (struct tare_trace_place){point_arc(EMPTY, EMPTY), &a->count};
    own->chain.last = EMPTY;
    point_set_timed(own, true);
    own->until_row = own->burst_left = UINT32_MAX;
    own->burst_begun = true;
    t->count_word = POINT_NEVER;
    if (written)
        t->room = (uintptr_t)(own->scratch.words + POINT_SCRATCH - 1);
}

static void put_back(struct tare_trace_thread *t, struct point_thread *own, const struct aside *a)
{
    *t = a->thread;
    *place_in(own->places) = a->added;
    *place_in(own->chain.counts) = a->counted;
    own->last_tick = a->last_tick;
    own->chain.left = a->left;
    own->timed_left = a->timed_left;
    own->chain.last = a->last;
    own->until_row = a->until_row;
    own->burst_left = a->burst_left;
    own->last_left = a->last_left;
    own->burst_begun = a->burst_begun;
    own->row = a->row;
    own->last_row = a->last_row;
}

/* In order, the shortest first. */
struct row {
    double ticks[ROW];
    int n;
};

static void insert_ticks(struct row *r, double ticks)
{
    int i = r->n++;
    for (; i > 0 && r->ticks[i - 1] > ticks; i--)
        r->ticks[i] = r->ticks[i - 1];
    r->ticks[i] = ticks;
}

static double ticks_between(uint64_t from, uint64_t to)
{
    return (double)(int64_t)((to - from) << 16) / 65536;
}

/* From pass to pass, each of which has that many words; with four stamps as the reader has it, in whole ticks. */
static void row_of_words(struct row *r, const uint64_t *at, const uint64_t *end, uint32_t repeat)
{
    uint64_t before = 0;
    double reading = 0;
    for (uint32_t i = 0; at < end && r->n < ROW; at += 1 + trace_control_words(*at & 0xFFFF)) {
        const unsigned id = *at & 0xFFFF;
        const uint64_t tick = point_tick_of(*at);
        if ((id != CONTROL_WEIGH && id != CONTROL_STAMPS) || i++ % repeat)
            continue;
        const double own = id == CONTROL_STAMPS ? ticks_between(tick, at[2]) : 0;
        if (i > 1)
            insert_ticks(r, ticks_between(before, tick) - (reading + own) / 2);
        before = id == CONTROL_STAMPS ? at[4] : tick;
        reading = id == CONTROL_STAMPS ? ticks_between(at[3], at[4]) : 0;
    }
}

static double largest(double a, double b)
{
    return a > b ? a : b;
}

/* False: too few. */
static bool mean_of_row(const struct row *r, double *out)
{
    const double median = r->n ? r->ticks[r->n / 2] : 0, quartiles = r->n ? r->ticks[r->n * 3 / 4] - r->ticks[r->n / 4] : 0;
    const double limit = largest(largest(median, 8 * quartiles), 3 * point_process.step);
    double sum = 0;
    int n = 0;
    for (int i = 0; i < r->n; i++)
        if (r->ticks[i] - median <= limit && median - r->ticks[i] <= limit) {
            sum += r->ticks[i];
            n++;
        }
    *out = n ? sum / n : 0;
    return n >= 3;
}

/* Passes of the cell in bins that lie above so many ticks. */
static uint64_t hits_above(const struct trace_arc *a, double ticks)
{
    uint64_t n = 0;
    for (int i = TRACE_HISTOGRAM - 1; i > 0 && (double)trace_bin_low(i) > ticks; i--)
        n += a->bins[i];
    return n;
}

static bool mean_of_cell(const struct trace_arc *a, double *out)
{
    if (a->n < 3)
        return false;
    const double others = (double)(a->sum - a->max) / (double)(a->n - 1),
                 limit = others + largest(others, 3 * point_process.step);
    *out = (double)a->max > limit ? others : (double)a->sum / (double)a->n;
    return hits_above(a, limit) < 2;
}

struct measuring {
    struct tare_trace_thread *t;
    struct point_thread *own;
    tare_point_row *row;
    struct tare_point *p;
    bool written; /* else added up */
};

static void run_row(const struct measuring *w, int passes, int links)
{
    memset(&w->own->scratch.arc, 0, sizeof w->own->scratch.arc);
    w->own->scratch.arc.min = UINT64_MAX;
    if (w->written)
        w->t->cursor = (uintptr_t)w->own->scratch.words;
    w->own->last_tick = UINT64_MAX; /* so that the first is taken for one whose clock went back, and no time */
    w->row(w->p, passes, links);
}

static bool mean_with(const struct measuring *w, int links, double *out)
{
    const uint64_t *const words = w->own->scratch.words, *end;
    struct row r = {.n = 0};
    run_row(w, WARM, links);
    run_row(w, ROW, links);
    if (!w->written)
        return mean_of_cell(&w->own->scratch.arc, out);
    end = (const uint64_t *)w->t->cursor;
    row_of_words(&r, words, end < words + POINT_SCRATCH ? end : words + POINT_SCRATCH, w->t->repeat);
    return mean_of_row(&r, out);
}

struct overhead {
    double hit, bare; /* ticks */
    double around;    /* how much more where the same pass comes again in a loop */
    double moved;     /* unordered: how much of an arc its neighbour gets at most; 0 */
};

static bool is_unordered(const struct tare_point *p)
{
    return p->order == TARE_FAST || point_process.request.order == TRACE_FAST;
}

/* Where nothing is under way before the first of four passes, the reading behind the first chain is too early and that before it is not: the arc is short
 * by what the readings behind the next two take back. */
static double lost_at_end(const struct measuring *w)
{
    enum { TIMES = 8, LONGEST = 16 };
    double sum = 0;
    int n = 0;
    for (int i = 0; i < TIMES && w->t->repeat <= 1; i++) { /* else words are not passes */
        struct row r = {.n = 0};
        tare_point_fence();
        run_row(w, 4, LONGEST);
        const uint64_t *const words = w->own->scratch.words;
        const double first = ticks_between(point_tick_of(words[0]), point_tick_of(words[1]));
        const double third = ticks_between(point_tick_of(words[2]), point_tick_of(words[3]));
        row_of_words(&r, words, words + 4, 1);
        if (i && r.n == 3 && third < 2 * first + 8 * point_process.step && first < 2 * third) { /* no interruption */
            sum += third - first;
            n++;
        }
    }
    return n ? largest(0, sum / n) : 0;
}

static bool measure_overhead(const struct measuring *w, struct overhead *out)
{
    struct aside aside;
    double little, much, looped;
    put_aside(w->t, w->own, w->written, &aside);
    const int chain = point_process.counter ? CHAIN : CHAIN_OF_SYSTEM; /* longer than what it can hide */
    const bool ok = mean_with(w, 0, &out->bare) && mean_with(w, chain, &little) && mean_with(w, LONG * chain, &much) &&
                    mean_with(w, -chain, &looped);
    out->moved = ok && w->written && is_unordered(w->p) ? lost_at_end(w) : 0;
    put_back(w->t, w->own, &aside);
    out->hit = ok ? little - (much - little) / (LONG - 1) : 0;
    out->around = ok ? looped - little : 0;
    return ok;
}

/* A row whose words lie so far apart. Room for it is made where nothing else is written: what makes room takes time too. */
static void write_row(struct tare_trace_thread *t, unsigned id, double ticks)
{
    if (ticks < 0 || (point_writes() && t->cursor + ROW * 8 >= t->room))
        return;
    uint64_t *words = point_words_if_room(t, ROW);
    const uint64_t tick = point_ticks();
    for (int i = 0; words && i < ROW; i++)
        point_store(words + i, point_word(tick + (uint64_t)(i * ticks + .5), id));
}

static void write_overhead(struct tare_trace_thread *t, enum trace_weighed what, const struct overhead *w)
{
    static const unsigned ids[] = {CONTROL_WEIGH, CONTROL_WEIGH_FAST, CONTROL_WEIGH_WORD, CONTROL_WEIGH_ADDED};
    write_row(t, ids[what], w->hit);
    write_row(t, CONTROL_WEIGH_BARE + (unsigned)what, w->bare);
    if (what == WEIGHED_POINT)
        write_row(t, CONTROL_WEIGH_AROUND, w->around < 0 ? -w->around : w->around);
    if (w->moved > 0)
        write_row(t, CONTROL_WEIGH_MOVED, w->moved);
}

static int64_t in_256(double ticks)
{
    return (int64_t)(256 * ticks + (ticks < 0 ? -.5 : .5));
}

/* For all threads; by this the overhead of what was added up when there was no more room gets into the file. */
static void sum_in_head(const struct overhead *w)
{
    struct trace_head *h = point_process.head;
    __atomic_fetch_add(&h->added_sum, (uint64_t)in_256(w->hit), __ATOMIC_RELAXED);
    __atomic_fetch_add(&h->added_bare_sum, (uint64_t)in_256(w->bare), __ATOMIC_RELAXED);
    __atomic_fetch_add(&h->added_rows, 1, __ATOMIC_RELAXED);
}

/* False: no code of points is at hand, or another frame of the thread has a pass in hand: what it found must stay. */
static bool can_measure(const struct point_thread *own)
{
    return own->row && !own->taking && own->waiting_taken == own->waiting_given;
}

static void measure_words(struct tare_trace_thread *t, struct point_thread *own, enum trace_weighed what, struct tare_point *p)
{
    const int traced = point_group_in(TRACE_TRACE), group = traced >= 0 ? traced : point_group_in(TRACE_BURST);
    struct overhead w;
    p->group = (unsigned char)group;
    if (group >= 0 && measure_overhead(&(struct measuring){t, own, own->row, p, true}, &w))
        write_overhead(t, what, &w);
}

/* The overhead of a pass that is written down: rows of words. Signals are off. */
static void measure_written(struct tare_trace_thread *t, struct point_thread *own)
{
    const enum trace_order order = point_process.request.order;
    if (!can_measure(own))
        return;
    measure_words(t, own, WEIGHED_POINT, &(struct tare_point){.id = CONTROL_WEIGH, .number = EMPTY});
    if (__atomic_load_n(&point_process.has_fast, __ATOMIC_RELAXED) && order == TRACE_ORDERED)
        measure_words(t, own, WEIGHED_FAST, &(struct tare_point){.id = CONTROL_WEIGH, .number = EMPTY, .order = TARE_FAST});
    if (order == TRACE_PRECISE)
        measure_words(t, own, WEIGHED_WORD, &(struct tare_point){.id = CONTROL_WEIGH, .number = POINT_CONTROL});
}

void point_measure_added(struct tare_trace_thread *t, struct point_thread *own)
{
    const bool full = atomic_load_explicit(&point_shared()->full, memory_order_relaxed);
    const int group = point_group_in(point_writes() && full ? TRACE_TRACE : TRACE_AGGREGATE);
    struct tare_point p = {.id = CONTROL_WEIGH, .number = EMPTY, .group = (unsigned char)group};
    struct overhead w;
    if (group < 0 || !can_measure(own) || !measure_overhead(&(struct measuring){t, own, own->row, &p, false}, &w))
        return;
    if (full)
        sum_in_head(&w);
    else
        write_overhead(t, point_writes() ? WEIGHED_ADDED : WEIGHED_POINT, &w);
}

void point_measure_last(struct tare_trace_thread *t, struct point_thread *own)
{
    enum { WORDS = 2 + 10 * ROW };
    if (!point_is_here(own) || !own->last_row || own->last_left != point_process.left ||
        own->epoch != atomic_load(&point_shared()->epoch))
        return;
    own->row = own->last_row;
    if (own->arcs.used)
        point_measure_added(t, own);
    else if (own->segment && t->cursor + WORDS * 8 < t->room) {
        const uint64_t began = point_ticks();
        uint64_t *gap = point_words_if_room(t, 2);
        point_store(gap, point_word(began, CONTROL_GAP));
        measure_written(t, own);
        point_store(gap + 1, point_ticks());
    }
    own->row = NULL;
}
