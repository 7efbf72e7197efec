/* SPDX-License-Identifier: MIT
 *
 * A pass that cannot be done in line. In order of how often it happens: its group is not simply written; the segment is full; the modes
 * have changed; the thread is new; the process is a forked child; nobody asked yet whether anybody traces.
 */
#include "point_modes.h"

/* ---- a pass ---- */

/* Counters and indices of iterations stand beside the chain. */
static bool chained(const struct tare_point *p)
{
    return p->kind != TRACE_COUNTER && p->number < POINT_CONTROL;
}

static void meet(struct tare_point *p)
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
    if (point_process.request.full == TRACE_FULL_AGGREGATE && chained(p))
        point_add(t, own, p);
    else
        __atomic_fetch_add(&point_process.head->lost, value ? 2 : 1, __ATOMIC_RELAXED);
}

static void write_burst(struct tare_trace_thread *t, struct point_thread *own, const struct tare_point *p, const uint64_t *value)
{
    const enum point_burst place = point_burst(t, own, p);
    if (place == BURST_OUTSIDE)
        return;
    if (place == BURST_FIRST)
        point_control(t, CONTROL_BURST, NULL, 0);
    else if (!write_one(t, p, value))
        __atomic_fetch_add(&point_process.head->lost, 1, __ATOMIC_RELAXED);
    if (place == BURST_LAST)
        point_control(t, CONTROL_BURST_END, NULL, 0);
}

/* Where there was no memory for what belongs to a thread. */
static void no_thread(const uint64_t *value)
{
    if (point_process.head)
        __atomic_fetch_add(&point_process.head->lost, value ? 2 : 1, __ATOMIC_RELAXED);
}

/* Kept for the last row of the thread. */
static void row_done(struct point_thread *own)
{
    own->last_left = point_process.left;
    own->last_row = own->row ? own->row : own->last_row;
    own->row = NULL;
}

static void pass(struct tare_point *p, const uint64_t *value, uint32_t left)
{
    struct tare_trace_thread *t = point_self();
    struct point_thread *own = point_thread_here(t);
    const uint32_t word = tare_trace_word(p->group);
    if (tare_trace_off(word))
        return;
    if (!own) {
        no_thread(value);
        return;
    }
    if (!p->number)
        meet(p);
    const enum trace_mode mode = point_mode_of(word);
    if (mode != TRACE_TRACE && !chained(p))
        return;
    own->row = p->row;
    const bool fenced = point_process.request.order == TRACE_PRECISE;
    if (fenced)
        point_fence();
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
        point_fence();
}

void tare_point_other(struct tare_point *p, uint32_t left)
{
    pass(p, NULL, left);
}

void tare_point_other_value(struct tare_point *p, uint64_t value, uint32_t left)
{
    pass(p, &value, left);
}

void tare_point_moved(uint32_t cpu)
{
    struct tare_trace_thread *t = point_self();
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

void tare_point_elsewhere(void)
{
#if TARE_TICKS_INLINE
    uint32_t cpu;
    tare_point_ticks(&cpu);
    if (cpu != point_self()->cpu)
        tare_point_moved(cpu);
#endif
}
