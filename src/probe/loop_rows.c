/* SPDX-License-Identifier: MIT
 *
 * The samples that are kept, as rows, and what the kernel counted around all of them. See loop.c. Each page of their memory is written before the first
 * sample, so that none is made between them.
 */
#include "loop_parts.h"
#include "plat_thread.h"
#include "probe.h"
#include <math.h>
#include <stdlib.h>

/* Events that are counted around the counted passes of the kept samples, when a request asks for them: switched on just before a pass and off
 * just after it, so that chains, empty passes, fresh inputs and what libtare does in between are not among them. What switching itself adds is
 * measured after the samples, by switching around an empty bracket, and taken off. Such samples are longer; nobody times them.
 */

struct probe_events {
    int n, samples;
    double iterations;
    struct {
        struct wire_event what;
        int fd;
    } at[WIRE_EVENTS_MAX];
};

static bool is_counted(const struct tare_state *st)
{
    return st->events && st->phase == PHASE_SAMPLE;
}

/* Events around the counted passes; nothing where none was asked for. The first thread's alone. */
static void probe_events_open(struct tare_state *st)
{
    struct wire_event e;
    size_t at = 0;
    if (!wire_request_event(&st->session->request, &at, &e))
        return;
    st->events = calloc(1, sizeof *st->events);
    if (!st->events) {
        probe_end(st, WIRE_FAILED, "no memory to count events");
        return;
    }
    do {
        int fd = plat_event_open(e.type, e.config, e.user_only);
        if (fd < 0)
            continue;
        st->events->at[st->events->n].what = e;
        st->events->at[st->events->n++].fd = fd;
    } while (st->events->n < WIRE_EVENTS_MAX && wire_request_event(&st->session->request, &at, &e));
}

static void switch_all(const struct probe_events *v, bool on)
{
    for (int i = 0; i < v->n; i++)
        plat_event_switch(v->at[i].fd, on);
}

void probe_events_on(struct tare_state *st)
{
    if (is_counted(st))
        switch_all(st->events, true);
}

void probe_events_off(struct tare_state *st, uint64_t iterations)
{
    if (!is_counted(st))
        return;
    switch_all(st->events, false);
    st->events->samples++;
    st->events->iterations += (double)iterations;
}

/* Of one event, by switching it on and off around nothing. */
static double switching_overhead(const struct tare_state *st, int fd)
{
    enum { TIMES = 101 };
    double before = plat_event_read(fd, NULL);
    for (int i = 0; i < TIMES; i++) {
        plat_event_switch(fd, true);
        st->session->read();
        st->session->read();
        plat_event_switch(fd, false);
    }
    return (plat_event_read(fd, NULL) - before) / TIMES;
}

static void add_counter(struct tare_state *st, const char *prefix, const struct wire_event *e, double value, enum tare_per per)
{
    char name[64];
    buf_print(name, sizeof name, "%s%.*s", prefix, (int)e->size, e->name);
    tare_counter(st, name, value, "", per);
}

void probe_events_close(struct tare_state *st)
{
    struct probe_events *v = st->events;
    if (!v)
        return;
    for (int i = 0; i < v->n; i++) {
        double counted = 1, all = plat_event_read(v->at[i].fd, &counted), overhead = switching_overhead(st, v->at[i].fd);
        if (v->iterations > 0 && !isnan(all) && !isnan(overhead) && st->n_counters < WIRE_COUNTERS_MAX) {
            add_counter(st, WIRE_EVENT_PREFIX, &v->at[i].what, (all - v->samples * overhead) / v->iterations, TARE_PER_ITERATION);
            if (counted < 1 && st->n_counters < WIRE_COUNTERS_MAX)
                add_counter(st, WIRE_COUNTED_PREFIX, &v->at[i].what, counted, TARE_TOTAL);
        }
        plat_event_close(v->at[i].fd);
    }
    free(v);
    st->events = NULL;
}

static bool is_signal(int column)
{
    return column >= WIRE_CPU_NS && column <= WIRE_MAJFLT;
}

static enum tare_status rows_open(struct probe_rows *r, int room, bool signals, bool threads, bool manual)
{
    size_t size = (size_t)room * WIRE_COLUMNS_N;
    *r = (struct probe_rows){.room = room, .memory = malloc(size * sizeof *r->memory)};
    if (!r->memory)
        return TARE_NO_MEMORY;
    r->own = malloc(2 * (size_t)room * sizeof *r->own);
    if (!r->own) {
        probe_rows_close(r);
        return TARE_NO_MEMORY;
    }
    for (size_t i = 0; i < size; i++)
        r->memory[i] = WIRE_NONE;
    r->times_empty = r->own + room;
    for (int i = 0; i < 2 * room; i++)
        r->own[i] = NAN;
    for (int c = 0; c < WIRE_COLUMNS_N; c++)
        if ((signals || !is_signal(c)) && (threads || c != WIRE_FIRST_TICKS) && (manual || c != WIRE_SCALE))
            r->column[c] = r->memory + (size_t)c * (size_t)room;
    return TARE_OK;
}

void probe_rows_close(struct probe_rows *r)
{
    free(r->memory);
    free(r->own);
    *r = (struct probe_rows){0};
}

void loop_rows_open(struct tare_state *st)
{
    const struct wire_request *q = &st->session->request;
    int room = st->warmup + st->samples;
    for (int i = 0; i < st->the_case->threads; i++)
        if (rows_open(&st[i].rows, room, q->signals, st->team && i == 0,
                      loop_manual(st))) /* the states of a team stand in a row */
            probe_end(st, WIRE_FAILED, "no memory for %d samples", room);
    if (!st->session->first_ticks)
        st->session->first_ticks = st->session->read().count;
    probe_events_open(st);
    noise_thread_begin(&st->around);
    st->account_ns = plat_clock_ns(clock_reference());
}

void loop_rows_close(struct tare_state *st)
{
    if (!st->rows.memory)
        return;
    st->account = probe_account(&st->around, plat_clock_ns(clock_reference()) - st->account_ns);
}

static int64_t least_of(const int64_t e[PROBE_EMPTIES])
{
    int64_t least = e[0];
    for (int i = 1; i < PROBE_EMPTIES; i++)
        least = e[i] < least ? e[i] : least;
    return least;
}

/* For the guard. An interruption makes an empty pass or an empty loop longer, and the iteration then seems to be shorter: the shortest count. */
static void keep_own(struct tare_state *st)
{
    double per_iteration = (double)(st->own_ticks - least_of(st->own_empties)) / (double)st->count;
    st->rows.own[st->rows.n] = per_iteration;
    st->rows.times_empty[st->rows.n] = per_iteration / fmin(st->floor_before, st->floor_after);
}

/* Ticks are whole nanoseconds. */
static int64_t scale_of(const struct tare_state *st)
{
    const double ns = st->manual_ns, most = 1e18;
    int64_t scale = 1;
    while (loop_manual(st) && ns > 0 && (double)scale * ns < 1e4 && (double)scale * (double)st->count * 1000 < most &&
           fabs((double)scale * ns - round((double)scale * ns)) > 1e-6 * (double)scale * ns)
        scale *= 1000;
    return scale;
}

void loop_rows_add(struct tare_state *st)
{
    struct probe_rows *r = &st->rows;
    const struct noise_delta *d = &st->delta;
    if (r->n == r->room)
        return;
    const int64_t scale = scale_of(st);
    int64_t row[WIRE_COLUMNS_N] = {0};
    row[WIRE_ITERATIONS] = (int64_t)st->count * scale;
    row[WIRE_TICKS] = loop_manual(st) ? llround(st->manual_ns * (double)scale) : st->ticks;
    row[WIRE_EMPTY_TICKS] = loop_manual(st) ? 0 : st->empty_ticks;
    row[WIRE_CHAIN_BEFORE] = st->chain_before;
    row[WIRE_CHAIN_AFTER] = st->chain_after;
    row[WIRE_START_TICKS] = (int64_t)(st->start.count - st->session->first_ticks);
    bool moved = st->first_cpu >= 0 && st->last_cpu >= 0 && st->first_cpu != st->last_cpu;
    row[WIRE_FLAGS] =
        (moved ? NOISE_MIGRATED : 0) | (st->backwards ? NOISE_CLOCK : 0) | (st->phase == PHASE_WARMUP ? WIRE_WARMUP : 0);
    row[WIRE_FIRST_CPU] = st->first_cpu < 0 ? WIRE_NONE : st->first_cpu;
    row[WIRE_LAST_CPU] = st->last_cpu < 0 ? WIRE_NONE : st->last_cpu;
    row[WIRE_FIRST_TICKS] = st->kept_first_ticks;
    row[WIRE_SCALE] = scale;
    if (st->session->request.signals) {
        row[WIRE_CPU_NS] = probe_whole(d->cpu_ns);
        row[WIRE_DELAY_NS] = probe_whole(d->delay_ns);
        row[WIRE_THROTTLED_NS] = probe_whole(d->throttled_ns);
        row[WIRE_VOLUNTARY] = probe_whole(d->voluntary);
        row[WIRE_INVOLUNTARY] = probe_whole(d->involuntary);
        row[WIRE_MINFLT] = probe_whole(d->minflt);
        row[WIRE_MAJFLT] = probe_whole(d->majflt);
    }
    int64_t *at = r->memory + r->n; /* there is room for columns that nobody asked for, too; they are not sent */
    for (int c = 0; c < WIRE_COLUMNS_N; c++, at += r->room)
        *at = row[c];
    if (st->session->request.guard)
        keep_own(st);
    r->n++;
}
