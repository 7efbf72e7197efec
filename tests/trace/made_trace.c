/* SPDX-License-Identifier: MIT */
#include "made_trace.h"
#include "crc.h"
#include <stdlib.h>
#include <string.h>

struct trace_head *made_head(struct made *m)
{
    return (struct trace_head *)(void *)m->bytes;
}

static struct trace_moment moment(const struct made *m, uint64_t tick)
{
    uint64_t ns = (uint64_t)((double)tick / m->hz * 1e9 + 0.5);
    return (struct trace_moment){.tick = tick, .raw_ns = ns + 1000, .real_ns = ns + 1000000000000000000, .width = 20};
}

void made_begin(struct made *m)
{
    *m = (struct made){.room = (size_t)MADE_UNITS * TRACE_UNIT, .n = TRACE_UNIT, .table = TRACE_TABLE_AT, .hz = 1e9};
    m->bytes = calloc(1, m->room);
    struct trace_head *h = made_head(m);
    memcpy(h->magic, TRACE_MAGIC, sizeof h->magic);
    h->version = TRACE_VERSION;
    h->head_bytes = sizeof *h;
    h->unit_bytes = TRACE_UNIT;
    h->pid = 4711;
    h->clock = TRACE_CLOCK_TSC;
    h->order = TRACE_ORDERED;
    h->full = TRACE_FULL_AGGREGATE;
    h->repeat = 1;
    h->hz = 1e9;
    h->step_ticks = 1;
    h->start = moment(m, 100);
    memset(h->modes, TRACE_TRACE, sizeof h->modes);
    h->end = TRACE_ENDED;
}

void made_seal(struct trace_point *p)
{
    p->magic = TRACE_POINT_MAGIC;
    p->crc = crc_of(&p->length, p->length);
}

struct trace_point *made_point(struct made *m, uint32_t id, const char *file, uint32_t line, const char *func, const char *name)
{
    struct trace_point *p = (struct trace_point *)(void *)(m->bytes + m->table);
    char *text = (char *)(p + 1);
    const char *const texts[] = {file, func, name};
    for (int i = 0; i < 3; i++) {
        strcpy(text, texts[i]);
        text += strlen(text) + 1;
    }
    size_t bytes = (size_t)(text - (char *)p);
    p->length = (uint32_t)(bytes - offsetof(struct trace_point, length));
    p->id = id;
    p->line = line;
    p->kind = TRACE_POINT;
    made_seal(p);
    m->table += (bytes + TRACE_CELL - 1) / TRACE_CELL * TRACE_CELL;
    if (id > made_head(m)->points)
        made_head(m)->points = id;
    return p;
}

void made_origin(struct made *m, struct trace_point *p, uint32_t unit, uint32_t count)
{
    const struct trace_origin origin = {.unit_low = unit, .count = count};
    const size_t at = (size_t)((unsigned char *)p - m->bytes), covered = offsetof(struct trace_point, length);
    memcpy((unsigned char *)p + covered + p->length, &origin, sizeof origin);
    p->length += (uint32_t)sizeof origin;
    made_seal(p);
    m->table = at + (covered + p->length + TRACE_CELL - 1) / TRACE_CELL * TRACE_CELL;
}

static void seal_segment(struct trace_segment *s)
{
    s->magic = TRACE_SEGMENT_MAGIC;
    s->crc = 0;
    s->crc = crc_of(s, offsetof(struct trace_segment, used));
}

static struct trace_segment *claim(struct made *m, enum trace_kind kind, uint32_t units)
{
    if (m->n + (size_t)units * TRACE_UNIT > m->room)
        abort();
    struct trace_segment *s = (struct trace_segment *)(void *)(m->bytes + m->n);
    s->kind = kind;
    s->units = units;
    m->n += (size_t)units * TRACE_UNIT;
    return s;
}

static void open_segment(struct made *m, struct made_thread *t)
{
    t->segment = m->n;
    t->at = m->n + sizeof(struct trace_segment);
    struct trace_segment *s = claim(m, TRACE_EVENTS, t->units);
    t->end = m->n;
    s->sequence = t->sequence++;
    s->thread = t->number;
    s->tid = 1000 + t->number;
    s->last_point = m->silent ? 0 : t->last_point;
    s->last_tick = m->silent ? 0 : t->last_tick;
    s->lane = t->lane;
    s->moment = moment(m, t->tick);
    memcpy(s->thread_name, "made", 5);
    seal_segment(s);
}

static void close_segment(struct made *m, struct made_thread *t)
{
    if (t->segment)
        ((struct trace_segment *)(void *)(m->bytes + t->segment))->used = t->at - t->segment - sizeof(struct trace_segment);
}

struct made_thread *made_thread(struct made *m, uint32_t number, uint32_t units)
{
    struct made_thread *t = &m->threads[m->n_threads++];
    *t = (struct made_thread){.number = number, .units = units};
    return t;
}

static void put(struct made *m, struct made_thread *t, const uint64_t *words, int n)
{
    if (!t->segment || t->at + 8 * (size_t)n > t->end) {
        close_segment(m, t);
        open_segment(m, t);
    }
    memcpy(m->bytes + t->at, words, 8 * (size_t)n);
    t->at += 8 * (size_t)n;
}

void made_word(struct made *m, struct made_thread *t, unsigned id, uint64_t tick, const uint64_t *data, int n)
{
    uint64_t words[140] = {tick << 16 | id};
    for (int i = 0; i < n; i++)
        words[i + 1] = data[i];
    t->tick = tick;
    put(m, t, words, n + 1);
    t->lane = id == CONTROL_LANE ? data[0] : t->lane;
}

void made_pass(struct made *m, struct made_thread *t, unsigned id, uint64_t tick)
{
    made_word(m, t, id, tick, NULL, 0);
    if (t->lane)
        return;
    t->last_point = id;
    t->last_tick = tick;
}

void made_zero(struct made *m, struct made_thread *t)
{
    put(m, t, (uint64_t[]){0}, 1);
}

void *made_table(struct made *m, enum trace_kind kind, uint32_t thread, uint32_t units)
{
    struct trace_segment *s = claim(m, kind, units);
    s->thread = thread;
    seal_segment(s);
    return s + 1;
}

void made_end(struct made *m)
{
    struct trace_head *h = made_head(m);
    const size_t from = offsetof(struct trace_head, session), to = offsetof(struct trace_head, counted);
    for (int i = 0; i < m->n_threads; i++)
        close_segment(m, &m->threads[i]);
    h->units = m->n / TRACE_UNIT;
    h->crc = crc_of((char *)h + from, to - from);
}

void made_finish(struct made *m)
{
    free(m->bytes);
    *m = (struct made){0};
}
