/* SPDX-License-Identifier: MIT
 *
 * Words of control points that are not written in line, and room for them, segment by segment.
 */
#include "point_modes.h"
#include <string.h>

/* ---- one word of a pass ---- */

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

/* ---- room ---- */

enum { FIRST_STEPS = 16, STEP = FIRST_STEPS * TRACE_UNIT };

static uint32_t next_units(const struct point_thread *own)
{
    uint32_t most = own->written < (UINT64_C(16) << 20) ? 16 : 256;
    return own->units * 2 < most ? own->units * 2 : most;
}

static void fill_header(struct point_thread *own, struct trace_segment *s)
{
    s->sequence = own->sequence++;
    s->thread = own->number;
    s->tid = own->tid;
    s->cpu = (uint32_t)plat_cpu_now();
    s->last_point = own->chain.last;
    s->last_tick = own->last_tick;
    s->lane = own->lane;
    memcpy(s->thread_name, own->name, sizeof s->thread_name);
    point_moment(&s->moment);
    point_segment_seal(s);
}

/* The oldest segment of the thread becomes the newest: its words are lost, and counted. */
static struct trace_segment *oldest_again(struct point_thread *own)
{
    struct trace_segment *s = own->oldest;
    if (point_process.request.full != TRACE_FULL_WRAP || !s)
        return NULL;
    own->oldest = s->spare[0] ? (struct trace_segment *)(point_process.window.base + s->spare[0]) : NULL;
    const uint32_t units = s->units;
    const uint64_t body = (uint64_t)units * TRACE_UNIT - sizeof *s;
    __atomic_fetch_add(&point_process.head->lost, (body - POINT_SLACK) / 8, __ATOMIC_RELAXED);
    __atomic_store_n(&s->magic, 0, __ATOMIC_RELEASE);
    memset(s, 0, sizeof *s + body);
    s->kind = TRACE_EVENTS;
    s->units = units;
    return s;
}

static struct trace_segment *any_segment(struct point_thread *own)
{
    struct trace_segment *s = atomic_exchange(&own->ahead, NULL);
    if (!s)
        s = point_segment(TRACE_EVENTS, own->units);
    if (!s && own->units > 1)
        s = point_segment(TRACE_EVENTS, own->units = 1);
    return s ? s : oldest_again(own);
}

static void leave_segment(struct point_thread *own, struct trace_segment *left)
{
    const uint64_t bytes = (uint64_t)left->units * TRACE_UNIT, offset = point_offset(left);
    left->used = bytes - sizeof *left;
    own->written += bytes;
    if (point_process.request.sync)
        plat_window_sync(&point_process.window, offset, bytes);
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
    if (left && left != s) {
        leave_segment(own, left);
        left->spare[0] = point_offset(s);
    }
    own->oldest = own->oldest ? own->oldest : s;
    fill_header(own, s);
    own->units = next_units(own);
    point_ahead_want(own);
    own->segment = s;
    own->end = (uintptr_t)s + (uintptr_t)s->units * TRACE_UNIT;
    __atomic_store_n(&t->room, own->end - POINT_SLACK, __ATOMIC_RELAXED);
    __atomic_store_n(&t->cursor, (uintptr_t)(s + 1), __ATOMIC_RELAXED);
    return true;
}

/* True: there may be room now. What we do here is marked, to be taken off the arc that it falls into. */
static bool make_room(struct tare_trace_thread *t, struct point_thread *own, uintptr_t bytes)
{
    struct plat_quiet quiet;
    uint64_t began = point_ticks();
    plat_quiet_begin(&quiet);
    bool room = t->cursor + bytes < t->room || next_segment(t, own);
    if (room) {
        uint64_t *gap = point_words(t, 2);
        point_store(gap, point_word(began, CONTROL_GAP));
        point_weigh(t, own);
        point_store(gap + 1, point_ticks());
    }
    plat_quiet_end(&quiet);
    return room;
}

/* There was none: words cannot be kept, for good. */
static bool no_more_room(void)
{
    return atomic_load_explicit(&point_shared()->full, memory_order_relaxed) && point_process.request.full != TRACE_FULL_WRAP;
}

/* NULL: another has to be found. Nothing is reserved where there can be no room, so that the slack is for passes alone. */
static uint64_t *reserve(struct tare_trace_thread *t, uintptr_t bytes)
{
    const uintptr_t room = __atomic_load_n(&t->room, __ATOMIC_RELAXED);
    if (__atomic_load_n(&t->cursor, __ATOMIC_RELAXED) + bytes > room)
        return NULL;
    const uintptr_t at = point_fetch_add(&t->cursor, bytes), end = at + bytes;
    /* A handler in between may have gone on to another segment, wherever that lies. */
    const bool fits = end <= room && end - __atomic_load_n(&t->room, __ATOMIC_RELAXED) - 1 >= bytes;
    return fits ? (uint64_t *)at : NULL;
}

/* What passes reserve in vain does not go on beyond the slack. The value of the last one that had room may lie behind that. */
static void give_up(struct tare_trace_thread *t)
{
    if (t->cursor > t->room + 8)
        __atomic_store_n(&t->cursor, t->room + 8, __ATOMIC_RELAXED);
}

uint64_t *point_words_if_room(struct tare_trace_thread *t, uint32_t n)
{
    const uintptr_t bytes = 8 * (uintptr_t)n;
    for (;;) {
        uint64_t *at = reserve(t, bytes);
        if (at)
            return at;
        if (no_more_room() || !make_room(t, point_own(t), bytes)) {
            give_up(t);
            return NULL;
        }
    }
}

uint64_t *point_words(struct tare_trace_thread *t, uint32_t n)
{
    uint64_t *at = point_words_if_room(t, n);
    if (!at)
        __atomic_fetch_add(&point_process.head->lost, n, __ATOMIC_RELAXED);
    return at;
}

void point_control(struct tare_trace_thread *t, enum trace_id id, const uint64_t *data, uint32_t n)
{
    uint64_t *at = point_words(t, n + 1);
    if (!at)
        return;
    point_store(at, point_word(point_ticks(), id));
    for (uint32_t i = 0; i < n; i++)
        point_store(at + 1 + i, data[i]);
}
