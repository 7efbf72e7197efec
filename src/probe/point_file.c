/* SPDX-License-Identifier: MIT
 *
 * The file of a traced process: its head, and units claimed for segments. A unit is claimed by one addition, so threads do not wait for each
 * other; a process that dies between that and the header's last store leaves zeros, over which readers go on.
 */
#include "crc.h"
#include "plat.h"
#include "plat_process.h"
#include "point_state.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>

uint64_t point_offset(const void *at)
{
    return (uint64_t)((const unsigned char *)at - point_process.window.base);
}

void point_moment(struct trace_moment *m)
{
    m->real_ns = (uint64_t)plat_clock_ns(PLAT_CLOCK_REALTIME);
    uint64_t before = point_ticks();
    m->raw_ns = (uint64_t)plat_clock_ns(clock_reference());
    uint64_t after = point_ticks();
    m->tick = before + (after - before) / 2;
    m->width = after - before > UINT32_MAX ? UINT32_MAX : (uint32_t)(after - before);
    m->zero = 0;
}

static void copy_text(char *out, size_t size, const char *text)
{
    size_t n = strlen(text);
    n = n < size ? n : size - 1;
    memcpy(out, text, n);
    out[n] = 0;
}

static void fill_head(struct trace_head *h)
{
    const struct point_process *p = &point_process;
    h->version = TRACE_VERSION;
    h->head_bytes = sizeof *h;
    h->unit_bytes = TRACE_UNIT;
    h->session = p->request.session;
    h->pid = (uint32_t)plat_process_id();
    h->parent = (uint32_t)plat_process_parent();
    h->process_start = plat_process_start();
    h->clock = !p->counter ? TRACE_CLOCK_RAW : !strcmp(p->clock.name, "cntvct") ? TRACE_CLOCK_CNTVCT : TRACE_CLOCK_TSC;
    h->order = p->request.order;
    h->full = p->request.full;
    h->repeat = p->request.repeat;
    h->hz = !p->counter ? 1e9 : p->clock.hz > 0 ? p->clock.hz : (double)p->request.micro_hz / 1e6;
    h->step_ticks = p->counter ? p->clock.step_ticks : 1;
    point_moment(&h->start);
    memcpy(h->modes, p->modes, sizeof h->modes);
    plat_process_program(h->program, sizeof h->program);
    h->argc = plat_process_arguments(h->arguments, sizeof h->arguments);
    copy_text(h->reason, sizeof h->reason, p->counter ? "" : p->clock.trusted ? "the runner asked for it" : p->clock.reason);
    h->units = 1;
    const size_t from = offsetof(struct trace_head, session), to = offsetof(struct trace_head, counted);
    h->crc = crc_of((unsigned char *)h + from, to - from);
    memcpy(h->magic, TRACE_MAGIC, sizeof h->magic);
}

/* The first of n units; 0: the file may not become larger. */
static uint64_t claim_units(uint32_t n)
{
    struct trace_head *h = point_process.head;
    const uint64_t most = point_process.window.bytes / TRACE_UNIT;
    uint64_t units = __atomic_load_n(&h->units, __ATOMIC_RELAXED);
    do {
        if (units + n > most)
            return 0;
    } while (!__atomic_compare_exchange_n(&h->units, &units, units + n, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return units;
}

/* Where nobody has claimed more since; else they stay a hole, which readers pass over. */
static void unclaim_units(uint64_t first, uint32_t n)
{
    uint64_t units = first + n;
    __atomic_compare_exchange_n(&point_process.head->units, &units, first, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Claims units that can be touched; *error is 0 then. */
static uint64_t claim_grown(uint32_t n, int *error)
{
    const uint64_t first = claim_units(n);
    *error = first ? plat_window_grow(&point_process.window, first * TRACE_UNIT, (uint64_t)n * TRACE_UNIT) : EFBIG;
    if (first && *error)
        unclaim_units(first, n);
    return first;
}

/* Said once. */
static void note_full(int error)
{
    struct trace_head *h = point_process.head;
    if (atomic_exchange(&point_shared()->full, 1))
        return;
    h->full_error = (uint32_t)error;
    h->full_at = point_ticks();
}

/* When there is no more room for words, arcs are added up; so there must be some for that. An eighth of the file. */
enum { SPARE_PIECES = 8, SPARE_LEAST = 8, SPARE_MOST = 256 };
static struct spare {
    uint64_t first;
    uint32_t units;
    _Atomic uint32_t used;
} spare[SPARE_PIECES];
static _Atomic uint32_t spare_pieces, spare_units; /* begun; in all */

static void keep_spare(void)
{
    const uint64_t units = __atomic_load_n(&point_process.head->units, __ATOMIC_RELAXED);
    uint32_t want = units / 8 < SPARE_LEAST ? SPARE_LEAST : units / 8 > SPARE_MOST ? SPARE_MOST : (uint32_t)(units / 8);
    uint32_t have = atomic_load(&spare_units), more = want > have ? want - have : 0;
    if (point_process.request.full != TRACE_FULL_AGGREGATE || !more || (have && more < have) ||
        !atomic_compare_exchange_strong(&spare_units, &have, want))
        return;
    const uint32_t piece = atomic_fetch_add(&spare_pieces, 1);
    int error = ENOMEM;
    const uint64_t first = piece < SPARE_PIECES ? claim_grown(more, &error) : 0;
    if (error)
        return;
    spare[piece].first = first;
    __atomic_store_n(&spare[piece].units, more, __ATOMIC_RELEASE);
}

/* As many as there are in one piece, at most n; *first 0: none. */
static uint32_t take_spare(uint32_t n, uint64_t *first)
{
    *first = 0;
    for (int i = 0; i < SPARE_PIECES; i++) {
        const uint32_t units = __atomic_load_n(&spare[i].units, __ATOMIC_ACQUIRE);
        uint32_t used = atomic_load(&spare[i].used), got;
        do
            got = units - used < n ? units - used : n;
        while (got && !atomic_compare_exchange_weak(&spare[i].used, &used, used + got));
        if (got) {
            *first = spare[i].first + used;
            return got;
        }
    }
    return 0;
}

static struct trace_segment *segment_at(uint64_t first, enum trace_kind kind, uint32_t units)
{
    struct plat_window *w = &point_process.window;
    plat_window_ready(w, first * TRACE_UNIT, (uint64_t)units * TRACE_UNIT);
    struct trace_segment *s = (struct trace_segment *)(w->base + first * TRACE_UNIT);
    s->kind = kind;
    s->units = units;
    return s;
}

struct trace_segment *point_segment(enum trace_kind kind, uint32_t units)
{
    uint64_t first = 0;
    int error = ENOMEM;
    if (kind == TRACE_EVENTS)
        keep_spare();
    if (!atomic_load(&point_shared()->full))
        first = claim_grown(units, &error);
    if (!error)
        return segment_at(first, kind, units);
    if (units == 1)
        note_full(error);
    if (kind == TRACE_EVENTS)
        return NULL;
    units = take_spare(units, &first);
    return units ? segment_at(first, kind, units) : NULL;
}

void point_segment_seal(struct trace_segment *s)
{
    struct trace_segment copy = *s;
    copy.magic = TRACE_SEGMENT_MAGIC;
    copy.crc = 0;
    s->crc = crc_of(&copy, offsetof(struct trace_segment, used));
    __atomic_store_n(&s->magic, TRACE_SEGMENT_MAGIC, __ATOMIC_RELEASE);
    __atomic_fetch_add(&point_process.head->segments, 1, __ATOMIC_RELEASE);
}

/* PID-START.trace; after an exec the same process has another one, PID-START-2.trace. */
static void name_file(struct buf *path, int attempt)
{
    buf_format(path, "%s/%lld-%llu", point_process.request.folder, (long long)plat_process_id(),
               (unsigned long long)plat_process_start());
    if (attempt > 1)
        buf_format(path, "-%d", attempt);
    buf_str(path, TRACE_SUFFIX);
}

enum { ATTEMPTS = 1000 };

int point_file_create(bool *made)
{
    struct point_process *p = &point_process;
    int error = EEXIST;
    for (int i = 1; i <= ATTEMPTS && error == EEXIST; i++) {
        struct buf path = buf_over(p->window.path, sizeof p->window.path); /* too large for a stack of signals */
        name_file(&path, i);
        error = path.status ? ENAMETOOLONG : plat_window_create(&p->window, buf_text(&path), p->request.limit_bytes);
        if (error == EEXIST) /* by the program that was executed before this one */
            plat_window_mark(buf_text(&path), offsetof(struct trace_head, end), TRACE_RUNNING, TRACE_EXECED);
    }
    *made = !error;
    if (!error)
        error = plat_window_grow(&p->window, 0, TRACE_UNIT);
    if (error) { /* an empty file stays where one could be made: who looks at the folder sees that there was one process more */
        plat_window_inherited(&p->window, 0);
        return error;
    }
    plat_window_ready(&p->window, 0, TRACE_UNIT);
    memset(spare, 0, sizeof spare);
    atomic_store(&spare_pieces, 0);
    atomic_store(&spare_units, 0);
    struct trace_head *h = (struct trace_head *)p->window.base;
    fill_head(h);
    __atomic_store_n(&p->head, h, __ATOMIC_RELEASE); /* threads may pass points before tare_trace_start */
    return 0;
}

void point_file_end(enum trace_end end)
{
    struct trace_head *h = point_process.head;
    if (!h)
        return;
    point_moment(&h->last);
    __atomic_store_n(&h->end, end, __ATOMIC_RELEASE);
}
