/* SPDX-License-Identifier: MIT
 *
 * Passes that are not written down one by one: counted, added up, or written in windows at random intervals.
 *
 * The arc that is added up goes from the second of two readings of the clock at the pass before to the first at this one, so what the
 * adding itself takes is no part of it; what stays is what a written pass weighs too.
 * A signal handler that passes points while the thread adds one leaves its own on a short list, which the thread works through next.
 */
#include "point_modes.h"
#include "rng.h"
#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static void add_time(struct trace_arc *a, uint64_t ticks)
{
    wide square = (wide)a->square_high << 64 | a->square_low;
    square += (wide)ticks * ticks;
    a->square_low = (uint64_t)square;
    a->square_high = (uint64_t)(square >> 64);
    a->n++;
    a->sum += ticks;
    a->min = ticks < a->min ? ticks : a->min;
    a->max = ticks > a->max ? ticks : a->max;
    uint32_t *bin = &a->bins[trace_bin(ticks)];
    *bin += *bin < UINT32_MAX;
}

static void lose(uint64_t n)
{
    __atomic_fetch_add(&point_process.head->lost, n, __ATOMIC_RELAXED);
}

/* A pass at the tick `now`; the thread has no other one in hand. */
static void add_arc(struct point_thread *own, uint32_t to, uint64_t now)
{
    struct trace_arc *a = point_cell(&own->arcs, TRACE_ARCS, own->last_point, to);
    if (!a)
        lose(1);
    else if (!own->last_point)
        a->n++;
    else if (now < own->last_tick)
        a->negative++;
    else
        add_time(a, now - own->last_tick);
    own->last_point = to;
    own->last_tick = now;
}

static void add_count(struct point_thread *own, uint32_t to)
{
    struct trace_count *c = point_cell(&own->counts, TRACE_COUNTS, own->last_point, to);
    if (c)
        c->n++;
    else
        lose(1);
    own->last_point = to;
}

/* ---- one at a time ---- */

static void settle(struct point_thread *own, uint32_t to, uint64_t now)
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
        lose(1);
        return;
    }
    uintptr_t i = point_fetch_add(&own->waiting_given, 1);
    own->waiting[i % POINT_WAITING] = (struct point_waiting){to, now};
}

/* False: this frame interrupts another one of the thread that is between begin and finish. */
static bool begin(struct point_thread *own)
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
        settle(own, w.to, w.now);
    }
}

/* timed: the next arc begins at the end of this. */
static void finish(struct point_thread *own, bool timed)
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

/* ---- counted, added up ---- */

void point_count(struct point_thread *own, const struct tare_point *p)
{
    if (!begin(own)) {
        leave_waiting(own, p->number, 0);
        return;
    }
    add_count(own, p->number);
    finish(own, false);
}

static void add_once(struct point_thread *own, uint32_t to)
{
    const uint64_t now = point_read(TARE_ORDERED);
    settle_waiting(own, now); /* of handlers that came before the reading */
    add_arc(own, to, now);
    finish(own, true);
}

void point_add(struct tare_trace_thread *t, struct point_thread *own, const struct tare_point *p)
{
    enum { WEIGH_EVERY = 1 << 18 };
    if (!begin(own)) {
        leave_waiting(own, p->number, point_read(TARE_ORDERED));
        return;
    }
    add_once(own, p->number);
    if (own->added++ % WEIGH_EVERY == 0)
        point_weigh_added(t, own);
}

/* Empty passes by the same code, into a cell that is no part of the file. What is written are words whose ticks lie as far apart as the
 * passes did. Signals are off meanwhile, as the thread's own chain is put aside. */
void point_weigh_added(struct tare_trace_thread *t, struct point_thread *own)
{
    enum { ROW = 17 };
    if (point_writes())
        return;
    struct plat_quiet quiet;
    plat_quiet_begin(&quiet);
    struct trace_arc scratch = {0};
    uint64_t tick = point_ticks(), times[ROW] = {0};
    const uint32_t from = own->last_point;
    const uint64_t key = own->arcs.last_key;
    void *const cell = own->arcs.last_cell;
    own->arcs.last_key = (uint64_t)TRACE_CONTROL << 32 | TRACE_CONTROL;
    own->arcs.last_cell = &scratch;
    own->last_point = TRACE_CONTROL;
    own->last_tick = point_read(TARE_ORDERED);
    for (int i = 0; i < ROW && begin(own); i++) {
        const uint64_t sum = scratch.sum;
        add_once(own, TRACE_CONTROL);
        times[i] = scratch.sum - sum;
    }
    own->arcs.last_key = key;
    own->arcs.last_cell = cell;
    own->last_point = from;
    uint64_t *at = point_words_if_room(t, ROW);
    for (int i = 0; at && i < ROW; i++)
        point_store(at + i, point_word(tick += i ? times[i] : 0, CONTROL_WEIGH));
    own->last_tick = point_read(TARE_ORDERED);
    plat_quiet_end(&quiet);
}

/* ---- bursts ---- */

/* Without memory: a window is as likely to begin at one pass as at another, whatever the program's rhythm. */
static uint64_t next_gap(struct point_thread *own)
{
    return (uint64_t)(-log1p(-rng_uniform(&own->random)) * point_process.request.burst_gap) + 1;
}

static enum point_burst step(struct point_thread *own)
{
    if (!own->burst_begun) {
        own->burst_begun = true;
        own->random = rng_seeded(point_process.request.seed ^ (own->number + 1) * UINT64_C(0x9E3779B97F4A7C15));
        own->gap_left = next_gap(own);
    }
    if (own->burst_left) {
        if (--own->burst_left)
            return BURST_WITHIN;
        own->gap_left = next_gap(own);
        return BURST_LAST;
    }
    if (--own->gap_left)
        return BURST_OUTSIDE;
    own->burst_left = point_process.request.burst;
    return BURST_FIRST;
}

enum point_burst point_burst(struct point_thread *own, const struct tare_point *p)
{
    if (!begin(own)) {
        leave_waiting(own, p->number, 0);
        return BURST_OUTSIDE;
    }
    add_count(own, p->number);
    enum point_burst now = step(own);
    finish(own, false);
    return now;
}
