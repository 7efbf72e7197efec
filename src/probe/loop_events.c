/* SPDX-License-Identifier: MIT
 *
 * Events that are counted around the counted passes of the kept samples, when a request asks for them: switched on just before a pass and off
 * just after it, so that chains, empty passes, fresh inputs and what libtare does in between are not among them. What switching itself adds is
 * measured after the samples, by switching around an empty bracket, and taken off. Such samples are longer; nobody times them.
 */
#include "cpu.h"
#include "plat_thread.h"
#include "probe.h"
#include <math.h>
#include <stdlib.h>

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

void probe_events_open(struct tare_state *st)
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
    double before = plat_event_read(fd);
    for (int i = 0; i < TIMES; i++) {
        plat_event_switch(fd, true);
        st->session->read();
        st->session->read();
        plat_event_switch(fd, false);
    }
    return (plat_event_read(fd) - before) / TIMES;
}

static void add_counter(struct tare_state *st, const struct wire_event *e, double value)
{
    char name[64];
    struct buf text = buf_over(name, sizeof name);
    buf_format(&text, WIRE_EVENT_PREFIX "%.*s", (int)e->size, e->name);
    tare_counter(st, name, value, "", TARE_PER_ITERATION);
}

void probe_events_close(struct tare_state *st)
{
    struct probe_events *v = st->events;
    if (!v)
        return;
    for (int i = 0; i < v->n; i++) {
        double all = plat_event_read(v->at[i].fd), overhead = switching_overhead(st, v->at[i].fd);
        if (v->iterations > 0 && !isnan(all) && !isnan(overhead) && st->n_counters < WIRE_COUNTERS_MAX)
            add_counter(st, &v->at[i].what, (all - v->samples * overhead) / v->iterations);
        plat_event_close(v->at[i].fd);
    }
    free(v);
    st->events = NULL;
}
