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

/* ---- the head ---- */

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
    h->hz = !p->counter ? 1e9 : p->clock.hz > 0 ? p->clock.hz : 0;
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

int point_file_create(void)
{
    struct point_process *p = &point_process;
    int error = EEXIST;
    for (int i = 1; i <= ATTEMPTS && error == EEXIST; i++) {
        char text[PLAT_WINDOW_PATH];
        struct buf path = buf_over(text, sizeof text);
        name_file(&path, i);
        error = path.status ? ENAMETOOLONG : plat_window_create(&p->window, buf_text(&path), p->request.limit_bytes);
    }
    if (!error)
        error = plat_window_grow(&p->window, 0, TRACE_UNIT);
    if (error)
        return error;
    plat_window_ready(&p->window, 0, TRACE_UNIT);
    struct trace_head *h = (struct trace_head *)p->window.base;
    fill_head(h);
    p->head = h;
    return 0;
}

/* ---- segments ---- */

/* The first of n units; 0: the file may not become larger. */
static uint64_t claim(uint32_t n)
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

/* Said once. */
static void note_full(int error)
{
    struct trace_head *h = point_process.head;
    if (atomic_exchange(&point_shared()->full, 1))
        return;
    h->full_error = (uint32_t)error;
    h->full_at = point_ticks();
}

struct trace_segment *point_segment(enum trace_kind kind, uint32_t units)
{
    struct plat_window *w = &point_process.window;
    uint64_t first = atomic_load(&point_shared()->full) ? 0 : claim(units), offset = first * TRACE_UNIT;
    int error = first ? plat_window_grow(w, offset, (uint64_t)units * TRACE_UNIT) : ENOMEM;
    if (error) {
        if (units == 1)
            note_full(error);
        return NULL;
    }
    plat_window_ready(w, offset, (uint64_t)units * TRACE_UNIT);
    struct trace_segment *s = (struct trace_segment *)(w->base + offset);
    s->kind = kind;
    s->units = units;
    return s;
}

void point_segment_seal(struct trace_segment *s)
{
    struct trace_segment copy = *s;
    copy.magic = TRACE_SEGMENT_MAGIC;
    copy.crc = 0;
    s->crc = crc_of(&copy, offsetof(struct trace_segment, used));
    __atomic_store_n(&s->magic, TRACE_SEGMENT_MAGIC, __ATOMIC_RELEASE);
}

void point_file_end(enum trace_end end)
{
    struct trace_head *h = point_process.head;
    if (!h)
        return;
    point_moment(&h->last);
    __atomic_store_n(&h->end, end, __ATOMIC_RELEASE);
}
