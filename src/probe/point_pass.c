/* SPDX-License-Identifier: MIT
 *
 * A pass that cannot be done in line. In order of how often it happens: its group is not simply written; the segment is full; the modes
 * have changed; the thread is new; the process is a forked child; nobody asked yet whether anybody traces.
 *
 * Passes that are not written down one by one: counted, added up, or written in windows at random intervals.
 *
 * Each thread has a place for each arc that it took lately, so that most passes need one look: those that are counted find it in line, those
 * that are added up in tare_point_add. An arc that is added up goes from one reading of the clock to the next, so the adding is part of the
 * probe's overhead, and rows of empty passes by the same code say how much that is. Two readings at each pass would leave it out, but the second
 * costs four times what the adding does. They are made where more than that is done: for an arc that has no place yet, or a handler's passes.
 * A signal handler that passes points while the thread adds one leaves its own on a short list, which the thread works through next.
 */
#include "point_state.h"

/* Each in a function of its own, so that the overhead of a pass of one mode does not depend on the code of the others. */
#define APART __attribute__((noinline))

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static void add_square(struct trace_arc *a, uint64_t ticks)
{
    wide square = (wide)a->square_high << 64 | a->square_low;
    square += (wide)ticks * ticks;
    a->square_low = (uint64_t)square;
    a->square_high = (uint64_t)(square >> 64);
}
#else
/* By halves: high * high of 2^64, twice high * low of 2^32, low * low. */
static void add_square(struct trace_arc *a, uint64_t ticks)
{
    const uint64_t high = ticks >> 32, low = ticks & UINT32_MAX, between = high * low;
    a->square_low += low * low;
    a->square_high += high * high + (between >> 31) + (a->square_low < low * low);
    a->square_low += between << 33;
    a->square_high += a->square_low < between << 33;
}
#endif

static void add_time(struct trace_arc *a, uint64_t ticks)
{
    add_square(a, ticks);
    a->n++;
    a->sum += ticks;
    a->min = ticks < a->min ? ticks : a->min;
    a->max = ticks > a->max ? ticks : a->max;
    uint32_t *bin = &a->bins[trace_bin(ticks)];
    *bin += *bin < UINT32_MAX;
}

static void count_lost(uint64_t n)
{
    __atomic_fetch_add(&point_process.head->lost, n, __ATOMIC_RELAXED);
}

/* The cell of an arc, at its place from now on. A handler that counts in between finds the place as it was, or empty, or whole. NULL: no room. */
static void *cell_at_place(struct tare_trace_place *places, struct point_cells *cells, enum trace_kind kind, uint32_t from,
                           uint32_t to)
{
    struct tare_trace_place *at = &places[tare_trace_place_of(from, to)];
    if (at->arc == point_arc(from, to))
        return at->cell;
    void *const cell = point_cell(cells, kind, from, to);
    if (!cell)
        return NULL;
    __atomic_store_n(&at->arc, tare_trace_place_of(from, to) ? 0 : POINT_NO_ARC, __ATOMIC_RELAXED);
    atomic_signal_fence(memory_order_seq_cst);
    __atomic_store_n(&at->cell, cell, __ATOMIC_RELAXED);
    atomic_signal_fence(memory_order_seq_cst);
    __atomic_store_n(&at->arc, point_arc(from, to), __ATOMIC_RELAXED);
    return cell;
}

/* A pass at the tick `now`; the thread has no other one in hand. */
static inline void add_arc_to(struct point_thread *own, struct trace_arc *a, uint32_t to, uint64_t now)
{
    if (!own->chain.last)
        a->n++;
    else if (now < own->last_tick)
        a->negative++;
    else
        add_time(a, now - own->last_tick);
    own->chain.last = to;
    own->last_tick = now;
}

APART static void add_untimed(struct point_thread *own, uint32_t to, uint64_t now);

APART static void add_arc(struct point_thread *own, uint32_t to, uint64_t now)
{
    if (!point_timed(own)) {
        add_untimed(own, to, now);
        return;
    }
    struct trace_arc *a = cell_at_place(own->places, &own->arcs, TRACE_ARCS, own->chain.last, to);
    if (a) {
        add_arc_to(own, a, to, now);
        return;
    }
    count_lost(1);
    own->chain.last = to;
    own->last_tick = now;
}

/* As points do it in line, which a handler may do in between. */
APART static void add_count(struct point_thread *own, uint32_t to)
{
    struct trace_count *c = cell_at_place(own->chain.counts, &own->counts, TRACE_COUNTS, own->chain.last, to);
    if (c)
        tare_point_increment(&c->n);
    else
        count_lost(1);
    __atomic_store_n(&own->chain.last, to, __ATOMIC_RELAXED);
    point_set_timed(own, false);
}

/* From a point that was counted there is no time. */
static void add_untimed(struct point_thread *own, uint32_t to, uint64_t now)
{
    add_count(own, to);
    own->last_tick = now;
    point_set_timed(own, true);
}

static void settle_hit(struct point_thread *own, uint32_t to, uint64_t now)
{
    if (now)
        add_arc(own, to, now);
    else
        add_count(own, to);
}

static bool anything_waits(const struct point_thread *own)
{
    return own->waiting_taken != __atomic_load_n(&own->waiting_given, __ATOMIC_RELAXED);
}

/* now 0: it is only counted. */
static void leave_waiting(struct point_thread *own, uint32_t to, uint64_t now)
{
    if (own->waiting_given - own->waiting_taken >= POINT_WAITING) {
        count_lost(1);
        return;
    }
    uintptr_t i = point_fetch_add(&own->waiting_given, 1);
    own->waiting[i % POINT_WAITING] = (struct point_waiting){to, now};
}

/* False: this frame interrupts another one of the thread that is between begin and finish. */
static bool begin_adding(struct point_thread *own)
{
    if (own->taking)
        return false;
    own->taking = true;
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

/* Those up to the tick, in the order in which they came. */
static void settle_waiting(struct point_thread *own, uint64_t up_to)
{
    for (; anything_waits(own); own->waiting_taken++) {
        const struct point_waiting w = own->waiting[own->waiting_taken % POINT_WAITING];
        if (w.now > up_to)
            return;
        settle_hit(own, w.to, w.now);
    }
}

/* timed: the next arc begins at the end of this. */
static void finish_adding(struct point_thread *own, bool timed)
{
    do {
        own->taking = true;
        atomic_signal_fence(memory_order_seq_cst);
        const uint64_t now = timed ? point_read(TARE_ORDERED) : UINT64_MAX;
        settle_waiting(own, now);
        if (timed)
            own->last_tick = now;
        atomic_signal_fence(memory_order_seq_cst);
        own->taking = false;
        atomic_signal_fence(memory_order_seq_cst);
    } while (anything_waits(own));
}

APART static void point_count(struct point_thread *own, const struct tare_point *p)
{
    if (!begin_adding(own)) {
        leave_waiting(own, p->number, 0);
        return;
    }
    add_count(own, p->number);
    finish_adding(own, false);
}

static void add_once(struct point_thread *own, uint32_t to)
{
    const uint64_t now = point_read(TARE_ORDERED);
    settle_waiting(own, now); /* of handlers that came before the reading */
    add_arc(own, to, now);
    finish_adding(own, true);
}

enum { ROW_EVERY = 1 << 18 };

APART static void point_add(struct tare_trace_thread *t, struct point_thread *own, const struct tare_point *p)
{
    if (!begin_adding(own)) {
        leave_waiting(own, p->number, point_read(TARE_ORDERED));
        return;
    }
    add_once(own, p->number);
    if (own->until_row > 1) {
        own->until_row--;
        return;
    }
    struct plat_quiet quiet;
    plat_quiet_begin(&quiet);
    own->until_row = ROW_EVERY;
    point_measure_added(t, own);
    own->last_tick = point_read(TARE_ORDERED);
    plat_quiet_end(&quiet);
}

/* What is no point of the chain, is not met yet, or has a row due. */
static bool needs_more(const struct point_thread *own, const struct tare_point *p)
{
    return p->kind == TRACE_COUNTER || p->number - 1 >= POINT_CONTROL - 1 || own->until_row <= 1;
}

void tare_point_add(struct tare_trace_chain *chain, struct tare_point *p)
{
    struct point_thread *own = (struct point_thread *)chain;
    if (__builtin_expect(needs_more(own, p), 0) || !begin_adding(own)) {
        tare_point_other(p, 0);
        return;
    }
    const uint32_t to = p->number;
    const uint64_t now = point_read(TARE_ORDERED);
    const struct tare_trace_place *at = &own->places[tare_trace_place_of(chain->last, to)];
    own->until_row--;
    if (__builtin_expect(at->arc != point_arc(chain->last, to) || !point_timed(own) || anything_waits(own), 0)) {
        settle_waiting(own, now);
        add_arc(own, to, now);
        finish_adding(own, true);
        return;
    }
    add_arc_to(own, at->cell, to, now);
    atomic_signal_fence(memory_order_seq_cst);
    own->taking = false;
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(anything_waits(own), 0))
        finish_adding(own, true);
}

enum burst { BURST_OUTSIDE, BURST_FIRST, BURST_WITHIN, BURST_LAST };

/* What is counted in line is so between windows alone. */
static enum burst step_burst(struct tare_trace_thread *t, struct point_thread *own)
{
    if (own->burst_left) {
        if (--own->burst_left)
            return BURST_WITHIN;
        point_burst_gap(t, own);
        return BURST_LAST;
    }
    if (!tare_point_decrement(&own->chain.left))
        return BURST_OUTSIDE;
    t->count_word = POINT_NEVER;
    own->burst_left = point_process.request.burst;
    return BURST_FIRST;
}

/* Counts, and says whether the pass is to be written too, and where in its window it stands. */
APART static enum burst point_burst(struct tare_trace_thread *t, struct point_thread *own, const struct tare_point *p)
{
    if (!begin_adding(own)) {
        leave_waiting(own, p->number, 0);
        return BURST_OUTSIDE;
    }
    add_count(own, p->number);
    enum burst now = step_burst(t, own);
    finish_adding(own, false);
    return now;
}

/* In a handler that interrupts the adding of another pass: with the next one. */
void tare_point_window(void)
{
    struct tare_trace_thread *t = plat_trace_thread();
    struct point_thread *own = point_thread_here(t);
    if (!own || own->burst_left || point_group_in(TRACE_BURST) < 0)
        return;
    own->chain.left = 1;
    if (!own->taking && step_burst(t, own) == BURST_FIRST)
        point_control(t, CONTROL_BURST, NULL, 0);
}

/* Counters and indices of iterations stand beside the chain. */
static bool is_chained(const struct tare_point *p)
{
    return p->kind != TRACE_COUNTER && p->number < POINT_CONTROL;
}

static void meet_point(struct tare_point *p)
{
    struct plat_quiet quiet;
    plat_quiet_begin(&quiet);
    point_lock();
    point_number(p);
    point_unlock();
    plat_quiet_end(&quiet);
}

/* Four readings: the arc that ends here ends between t3 and t4, the next begins between t1 and t2. Room first: where it is made, that lies in the
 * arc that it is taken off. */
static bool write_stamps(struct tare_trace_thread *t, const struct tare_point *p)
{
    uint64_t *at = point_words_if_room(t, 5);
    if (!at)
        return false;
    const uint64_t t3 = point_read(TARE_ORDERED), t4 = point_read(TARE_ORDERED);
    point_store(at, point_word(t3, CONTROL_STAMPS));
    point_store(at + 1, p->number);
    point_store(at + 2, t4);
    const uint64_t t1 = point_read(TARE_ORDERED), t2 = point_read(TARE_ORDERED);
    point_store(at + 3, t1);
    point_store(at + 4, t2);
    return true;
}

static bool write_one(struct tare_trace_thread *t, const struct tare_point *p, const uint64_t *value)
{
    if (!value && p->number < POINT_CONTROL && (p->order == TARE_PRECISE || point_process.request.order == TRACE_PRECISE))
        return write_stamps(t, p);
    return point_write_pass(t, p, value);
}

/* Where there is no more room, arcs are added up, if the runner wants that and the point is one of a chain. */
static void write_or_add(struct tare_trace_thread *t, struct point_thread *own, const struct tare_point *p, const uint64_t *value)
{
    if (write_one(t, p, value))
        return;
    if (point_process.request.full == TRACE_FULL_AGGREGATE && is_chained(p))
        point_add(t, own, p);
    else
        __atomic_fetch_add(&point_process.head->lost, value ? 2 : 1, __ATOMIC_RELAXED);
}

static void write_burst(struct tare_trace_thread *t, struct point_thread *own, const struct tare_point *p, const uint64_t *value)
{
    const enum burst place = point_burst(t, own, p);
    if (place == BURST_OUTSIDE)
        return;
    if (place == BURST_FIRST)
        point_control(t, CONTROL_BURST, NULL, 0);
    else if (!write_one(t, p, value))
        __atomic_fetch_add(&point_process.head->lost, 1, __ATOMIC_RELAXED);
    if (place == BURST_LAST)
        point_control(t, CONTROL_BURST_END, NULL, 0);
}

/* Kept for the last row of the thread. */
static void row_done(struct point_thread *own)
{
    if (own->row) {
        own->last_left = __atomic_load_n(&point_process.left, __ATOMIC_RELAXED);
        own->last_row = own->row;
    }
    own->row = NULL;
}

static void hit_point(struct tare_point *p, const uint64_t *value, uint32_t left)
{
    struct tare_trace_thread *t = plat_trace_thread();
    struct point_thread *own = point_thread_here(t);
    const uint32_t word = tare_trace_word(p->group);
    if (tare_trace_off(word))
        return;
    if (!own) {
        /* Where there was no memory for what belongs to a thread. */
        if (__atomic_load_n(&point_process.head, __ATOMIC_ACQUIRE))
            __atomic_fetch_add(&point_process.head->lost, value ? 2 : 1, __ATOMIC_RELAXED);
        return;
    }
    if (!p->number)
        meet_point(p);
    const enum trace_mode mode =
        word ? point_mode_of(word) : (enum trace_mode)__atomic_load_n(&point_process.modes[p->group], __ATOMIC_RELAXED);
    if (mode != TRACE_TRACE && !is_chained(p))
        return;
    own->row = __atomic_load_n(&p->row, __ATOMIC_RELAXED); /* of sampler.h it comes with the first pass */
    const bool fenced = point_process.request.order == TRACE_PRECISE;
    if (fenced)
        tare_point_fence();
    for (left = left ? left : t->repeat; left > 0; left--)
        if (mode == TRACE_TRACE)
            write_or_add(t, own, p, value);
        else if (mode == TRACE_AGGREGATE)
            point_add(t, own, p);
        else if (mode == TRACE_COUNT)
            point_count(own, p);
        else
            write_burst(t, own, p, value);
    row_done(own);
    if (fenced)
        tare_point_fence();
}

APART void tare_point_other(struct tare_point *p, uint32_t left)
{
    hit_point(p, NULL, left);
}

void tare_point_other_value(struct tare_point *p, uint64_t value, uint32_t left)
{
    hit_point(p, &value, left);
}

void tare_point_moved(uint32_t cpu)
{
    struct tare_trace_thread *t = plat_trace_thread();
    const struct point_thread *own = point_thread_here(t);
    const uint64_t segments = own ? own->sequence : 0;
    uint64_t began = point_ticks(), *at = point_words_if_room(t, 4);
    t->cpu = cpu;
    if (!at)
        return;
    if (own && own->sequence != segments) /* making room has words of its own: ours come behind them */
        began = point_ticks();
    point_store(at, point_word(began, CONTROL_CPU));
    point_store(at + 1, cpu & 0xfff);
    point_store(at + 2, point_word(began, CONTROL_GAP));
    point_store(at + 3, point_ticks());
}

void tare_point_migrated(void)
{
#if TARE_TICKS_INLINE
    uint32_t cpu;
    tare_point_ticks(&cpu);
    if (cpu != plat_trace_thread()->cpu)
        tare_point_moved(cpu);
#endif
}
