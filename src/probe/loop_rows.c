/* SPDX-License-Identifier: MIT
 *
 * The samples that are kept, as rows, and what the kernel counted around all of them. See loop.c.
 */
#include "loop_phases.h"
#include <math.h>

static int64_t whole(double value)
{
    return isnan(value) ? WIRE_NONE : (int64_t)value;
}

void loop_rows_open(struct tare_state *st)
{
    const struct wire_request *q = &st->session->request;
    int room = st->warmup + st->samples;
    for (int i = 0; i < st->the_case->threads; i++)
        if (probe_rows_open(&st[i].rows, room, q->signals, st->team && i == 0)) /* the states of a team stand in a row */
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
    int64_t wall_ns = plat_clock_ns(clock_reference()) - st->account_ns;
    struct noise_delta d = noise_thread_end(&st->around, (double)wall_ns);
    st->account = (struct wire_account){.wall_ns = wall_ns,
                                        .cpu_ns = whole(d.cpu_ns),
                                        .delay_ns = whole(d.delay_ns),
                                        .throttled_ns = whole(d.throttled_ns),
                                        .voluntary = whole(d.voluntary),
                                        .involuntary = whole(d.involuntary),
                                        .minflt = whole(d.minflt),
                                        .majflt = whole(d.majflt)};
}

/* ---- a row ---- */

/* There is room for columns that nobody asked for, too; they are not sent. */
static void put(struct probe_rows *r, enum wire_column column, int64_t value)
{
    r->memory[(size_t)column * (size_t)r->room + (size_t)r->n] = value;
}

static void put_signals(struct probe_rows *r, const struct noise_delta *d)
{
    put(r, WIRE_CPU_NS, whole(d->cpu_ns));
    put(r, WIRE_DELAY_NS, whole(d->delay_ns));
    put(r, WIRE_THROTTLED_NS, whole(d->throttled_ns));
    put(r, WIRE_VOLUNTARY, whole(d->voluntary));
    put(r, WIRE_INVOLUNTARY, whole(d->involuntary));
    put(r, WIRE_MINFLT, whole(d->minflt));
    put(r, WIRE_MAJFLT, whole(d->majflt));
}

static int64_t flags_of(const struct tare_state *st)
{
    bool moved = st->first_cpu >= 0 && st->last_cpu >= 0 && st->first_cpu != st->last_cpu;
    return (moved ? NOISE_MIGRATED : 0) | (st->backwards ? NOISE_CLOCK : 0) | (st->phase == PHASE_WARMUP ? WIRE_WARMUP : 0);
}

/* What comes off a kept sample. */
static int64_t weight_of(const struct tare_state *st, const int64_t *empties)
{
    return loop_differs(st) ? empties[loop_empty_slot(st)] : loop_median(empties);
}

/* For the guard. */
static void keep_own(struct tare_state *st, uint64_t iterations)
{
    double per_iteration = (double)(st->own_ticks - weight_of(st, st->own_empties)) / (double)iterations;
    st->rows.own[st->rows.n] = per_iteration;
    st->rows.times_empty[st->rows.n] = per_iteration / ((st->floor_before + st->floor_after) / 2);
}

void loop_rows_add(struct tare_state *st)
{
    struct probe_rows *r = &st->rows;
    if (r->n == r->room)
        return;
    const uint64_t iterations = loop_differs(st) ? loop_half(st) : st->count;
    put(r, WIRE_ITERATIONS, (int64_t)iterations);
    put(r, WIRE_TICKS, st->ticks);
    put(r, WIRE_EMPTY_TICKS, loop_manual(st) ? 0 : weight_of(st, st->empties));
    put(r, WIRE_CHAIN_BEFORE, st->chain_before);
    put(r, WIRE_CHAIN_AFTER, st->chain_after);
    put(r, WIRE_START_TICKS, (int64_t)(st->start.count - st->session->first_ticks));
    put(r, WIRE_FLAGS, flags_of(st));
    put(r, WIRE_FIRST_CPU, st->first_cpu < 0 ? WIRE_NONE : st->first_cpu);
    put(r, WIRE_LAST_CPU, st->last_cpu < 0 ? WIRE_NONE : st->last_cpu);
    put(r, WIRE_FIRST_TICKS, st->kept_first_ticks);
    if (st->session->request.signals)
        put_signals(r, &st->delta);
    if (st->session->request.guard)
        keep_own(st, iterations);
    r->n++;
}
