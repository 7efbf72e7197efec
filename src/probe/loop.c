/* SPDX-License-Identifier: MIT
 *
 * The loop of a benchmark, seen from libtare: passes. In each pass the code under test runs `count` times between two readings of the
 * clock; tare_loop_next looks at the pass that was, and says what the next one is.
 *
 * A sample is two passes: one around nothing, and the one that counts. So the weight of the two readings, and of all that the compiler put
 * between them and the loop, is known from right beside the sample: what comes off is the median of the last four such passes, this one
 * included. The first sample that is kept, and those before it, have four of their own, two on each side. Around the passes lie the
 * reference chain, before and after, and around these the benchmark's own hooks. The guard measures empty loops, too. Where there are no hooks,
 * what lies behind one sample lies before the next as well.
 *
 *     before(); [empty loop]; chain; 0 COUNT; chain; [empty loop]; after()             or 0 0 COUNT 0 0
 *               [empty loop]; chain; 0 COUNT; chain; [empty loop]; 0 COUNT; chain; [empty loop] ...
 *
 * Samples of the phases, in order: some of growing count until one is long enough; of half and of the whole of that count, in turn, to see that
 * time grows; of none and of one, to see what is done once; some to warm up; those that are kept. A handed-down count leaves out the
 * first, a request without guard the middle ones.
 *
 * Where differences were asked for, a kept sample is a pass of half its iterations and one of the whole: what the second takes beyond the first is
 * what is kept, over half the iterations, and whatever a pass takes once has gone, not the two readings alone.
 *
 *     before(); [empty loop]; chain; COUNT/2 COUNT; chain; [empty loop]; after()
 *
 * From the first kept sample to the last nothing here calls the kernel, allocates, locks or writes where no page is yet. Only a request
 * for `signals` asks the kernel around each counted pass.
 */
#include "cpu.h"
#include "loop_phases.h"
#include "plat_process.h"
#include "team.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a row ---- */

static int64_t whole(double value)
{
    return isnan(value) ? WIRE_NONE : (int64_t)value;
}

static bool kept(const struct tare_state *st)
{
    return st->phase == PHASE_WARMUP || st->phase == PHASE_SAMPLE;
}

/* This sample is the difference of two passes. */
static bool differs(const struct tare_state *st)
{
    return kept(st) && st->session->request.difference && st->session->request.profile == WIRE_STEADY && !loop_manual(st);
}

static uint64_t half_of(const struct tare_state *st)
{
    return st->count > 1 ? st->count / 2 : 1;
}

static uint64_t iterations_of(const struct tare_state *st)
{
    return differs(st) ? half_of(st) : st->count;
}

/* What comes off a kept sample. */
static int64_t weight_of(const struct tare_state *st, const int64_t *empties)
{
    return differs(st) ? empties[st->rows.n % PROBE_EMPTIES] : loop_median(empties);
}

static void put(struct tare_state *st, enum wire_column column, int64_t value)
{
    if (st->rows.column[column])
        st->rows.column[column][st->rows.n] = value;
}

static void put_signals(struct tare_state *st)
{
    const struct noise_delta *d = &st->delta;
    put(st, WIRE_CPU_NS, whole(d->cpu_ns));
    put(st, WIRE_DELAY_NS, whole(d->delay_ns));
    put(st, WIRE_THROTTLED_NS, whole(d->throttled_ns));
    put(st, WIRE_VOLUNTARY, whole(d->voluntary));
    put(st, WIRE_INVOLUNTARY, whole(d->involuntary));
    put(st, WIRE_MINFLT, whole(d->minflt));
    put(st, WIRE_MAJFLT, whole(d->majflt));
}

static int64_t flags_of(const struct tare_state *st)
{
    bool moved = st->first_cpu >= 0 && st->last_cpu >= 0 && st->first_cpu != st->last_cpu;
    return (moved ? NOISE_MIGRATED : 0) | (st->backwards ? NOISE_CLOCK : 0) | (st->phase == PHASE_WARMUP ? WIRE_WARMUP : 0);
}

static void keep_row(struct tare_state *st)
{
    if (st->rows.n == st->rows.room)
        return;
    put(st, WIRE_ITERATIONS, (int64_t)iterations_of(st));
    put(st, WIRE_TICKS, st->ticks);
    put(st, WIRE_EMPTY_TICKS, loop_manual(st) ? 0 : weight_of(st, st->empties));
    put(st, WIRE_CHAIN_BEFORE, st->chain_before);
    put(st, WIRE_CHAIN_AFTER, st->chain_after);
    put(st, WIRE_START_TICKS, (int64_t)(st->start.count - st->session->first_ticks));
    put(st, WIRE_FLAGS, flags_of(st));
    put(st, WIRE_FIRST_CPU, st->first_cpu < 0 ? WIRE_NONE : st->first_cpu);
    put(st, WIRE_LAST_CPU, st->last_cpu < 0 ? WIRE_NONE : st->last_cpu);
    put(st, WIRE_FIRST_TICKS, st->kept_first_ticks);
    if (st->session->request.signals)
        put_signals(st);
    if (st->session->request.guard) {
        double per_iteration = (double)(st->own_ticks - weight_of(st, st->own_empties)) / (double)iterations_of(st);
        st->rows.own[st->rows.n] = per_iteration;
        st->rows.times_empty[st->rows.n] = per_iteration / ((st->floor_before + st->floor_after) / 2);
    }
    st->rows.n++;
}

/* ---- samples ---- */

static bool leads(const struct tare_state *st)
{
    return st->thread == 0;
}

static bool calibrating(const struct tare_state *st)
{
    return leads(st) && st->phase == PHASE_CALIBRATE;
}

/* Memory and descriptors are had here, before the first kept sample; from then on everything is there. */
static void prepare_rows(struct tare_state *st)
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

static void close_account(struct tare_state *st)
{
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

static int64_t chain_ticks(const struct tare_state *st)
{
    return st->session->chains && kept(st) ? cpu_chain_ticks(CHAIN_OF_MULTIPLIES, CPU_PROBE_STEPS) : WIRE_NONE;
}

/* Only the guard asks for it, and it takes longer than a bracket. */
static double floor_of(const struct tare_state *st)
{
    return kept(st) && st->session->request.guard ? probe_floor_once(st->session) : NAN;
}

static void sample_begin(struct tare_state *st)
{
    const struct tare_bench *b = st->the_case->bench;
    if (kept(st) && !st->rows.memory)
        prepare_rows(st);
    if (b->before)
        b->before(st);
    const bool behind_another = kept(st) && st->rows.n && !b->before && !b->after;
    st->floor_before = behind_another ? st->floor_after : floor_of(st);
    st->chain_before = behind_another ? st->chain_after : chain_ticks(st);
    st->backwards = false;
}

static void sample_taken(struct tare_state *st)
{
    const struct tare_bench *b = st->the_case->bench;
    st->chain_after = chain_ticks(st);
    st->floor_after = floor_of(st);
    if (b->after)
        b->after(st);
    st->in_phase++;
    if (kept(st))
        keep_row(st);
    if (st->phase == PHASE_CALIBRATE)
        loop_calibrate(st);
    else if (!kept(st))
        loop_guard(st);
    else if (st->phase == PHASE_WARMUP && st->in_phase == st->warmup)
        loop_enter(st, PHASE_SAMPLE);
    else if (st->phase == PHASE_SAMPLE && st->in_phase == st->samples)
        st->phase = PHASE_DONE;
}

/* ---- passes ---- */

/* It has all its empty passes itself; else one, and those of the samples before it. */
static bool alone(const struct tare_state *st)
{
    return !differs(st) && (!kept(st) || !st->rows.n || st->session->request.profile != WIRE_STEADY);
}

static int middle_of(const struct tare_state *st)
{
    return alone(st) ? PROBE_EMPTIES / 2 : 1;
}

static int passes_of(const struct tare_state *st)
{
    return alone(st) ? PROBE_EMPTIES + 1 : 2;
}

static int empty_at(const struct tare_state *st, int pass)
{
    if (!alone(st))
        return st->rows.n % PROBE_EMPTIES;
    return pass < middle_of(st) ? pass : pass - 1;
}

/* Calibration and guard go by the leader's own time: that of the last thread says more of the scheduler than of the code. */
static int64_t pass_ticks(struct tare_state *st, const struct tare_loop *l, int64_t own)
{
    if (!st->team)
        return own;
    int64_t ticks = team_finish(st->team, st, l->start.count, l->stop.count, &st->first_ticks);
    const struct tare_state *fallen = leads(st) ? team_fallen(st->team) : NULL;
    if (fallen)
        probe_end(st, fallen->end, "thread %d: %s", fallen->thread, fallen->reason);
    return kept(st) ? ticks : own;
}

static void pass_taken(struct tare_state *st, const struct tare_loop *l)
{
    const int pass = st->pass - 1, middle = middle_of(st);
    if (pass == middle)
        probe_events_off(st, l->count);
    if (l->left)
        probe_end(st, WIRE_FAILED, "the loop was left before its end (break)");
    const int cpu = l->in_line && l->cpu >= 0 ? l->cpu : plat_thread_cpu();
    if (pass == middle && calibrating(st))
        st->cpu_ns = plat_thread_cpu_ns() - st->cpu_began_ns;
    const int64_t own = (int64_t)(l->stop.count - l->start.count), ticks = pass_ticks(st, l, own);
    if (pass == middle) {
        st->own_ticks = own;
        if (st->session->request.signals && kept(st))
            st->delta = noise_thread_end(&st->noise, (double)ticks / st->session->hz * 1e9);
        st->ticks = loop_manual(st) ? (int64_t)st->manual_ns : ticks;
        st->start = l->start;
        st->kept_first_ticks = st->first_ticks;
        st->first_cpu = st->last_cpu;
        st->backwards |= ticks < 0;
    } else {
        st->empties[empty_at(st, pass)] = ticks;
        st->own_empties[empty_at(st, pass)] = own;
    }
    if (pass <= middle)
        st->last_cpu = cpu;
}

static void pass_begin(struct tare_state *st, struct tare_loop *l)
{
    bool middle = st->pass == middle_of(st);
    st->ready = false;
    l->count = differs(st) ? half_of(st) * (middle ? 2 : 1) : middle || st->phase == PHASE_LONE ? st->count : 0;
    l->last = l->first + l->count * l->stride;
    if (!middle)
        return;
    st->manual_ns = 0;
    if (st->session->request.signals && kept(st))
        noise_thread_begin(&st->noise);
    if (calibrating(st))
        st->cpu_began_ns = plat_thread_cpu_ns();
    if (!st->stride)
        probe_events_on(st);
}

static bool loop_close(struct tare_state *st)
{
    if (st->team)
        team_dismiss(st->team);
    if (st->rows.memory)
        close_account(st);
    probe_events_close(st);
    probe_guard_close(st);
    st->loop = LOOP_CLOSED;
    return false;
}

/* What tare_loop_next does for all threads but the first. */
static bool follow(struct tare_state *st, struct tare_loop *l)
{
    if (st->pass > 0)
        pass_taken(st, l);
    if (st->pass > 0 && st->pass == passes_of(st)) {
        st->pass = 0;
        if (kept(st))
            keep_row(st);
    }
    if (!team_follow(st->team, st)) {
        st->loop = LOOP_CLOSED;
        return false;
    }
    st->backwards &= st->pass > 0;
    pass_begin(st, l);
    st->pass++;
    return true;
}

bool tare_loop_next(struct tare_loop *l)
{
    struct tare_state *st = l->state;
    plat_forked_end();
    if (st->loop != LOOP_OPEN)
        return false;
    if (!leads(st))
        return follow(st, l);
    if (st->pass > 0)
        pass_taken(st, l);
    if (st->pass > 0 && st->pass == passes_of(st)) {
        sample_taken(st);
        st->pass = 0;
    }
    if (st->phase == PHASE_DONE || st->end != WIRE_OK)
        return loop_close(st);
    if (st->pass == 0)
        sample_begin(st);
    if (st->team)
        team_decide(st->team, st);
    pass_begin(st, l);
    st->pass++;
    return true;
}

struct tare_ticks tare_loop_ticks(const struct tare_loop *l)
{
    return l->state->session->read();
}

/* ---- the beginning ---- */

static void first_phase(struct tare_state *st)
{
    if (st->session->request.profile != WIRE_STEADY) {
        st->samples = st->calibrated = 1;
        loop_enter(st, PHASE_SAMPLE);
    } else if (st->calibrated) {
        loop_enter_guard(st);
    } else {
        st->count = 1;
        st->phase = PHASE_CALIBRATE;
    }
}

struct tare_loop tare_loop_open(struct tare_state *st)
{
    struct tare_loop l = {.state = st, .in_line = st->session->in_line, .cpu = -1};
    if (st->loop != LOOP_NONE)
        probe_end(st, WIRE_FAILED, "a benchmark has one loop; this one has more");
    if (st->end != WIRE_OK || st->loop != LOOP_NONE)
        return l;
    st->loop = LOOP_OPEN;
    st->last_cpu = -1;
    st->chain_before = st->chain_after = WIRE_NONE;
    st->floor_before = st->floor_after = NAN;
    if (leads(st))
        first_phase(st);
    return l;
}

struct tare_loop tare_each_open(struct tare_state *st, size_t bytes)
{
    enum { ALIGN = 16 };
    static const size_t sizes[] = {[TARE_INPUTS_L2] = 128 << 10, [TARE_INPUTS_HOT] = 16 << 10, [TARE_INPUTS_COLD] = 1 << 20};
    size_t batch = sizes[st->the_case->bench->inputs];
    st->stride = bytes <= SIZE_MAX / 2 ? (bytes + ALIGN - 1) / ALIGN * ALIGN : bytes;
    st->stride = st->stride ? st->stride : ALIGN;
    st->input_bytes = st->stride > batch ? st->stride : batch / st->stride * st->stride;
    if (st->session->request.difference && st->input_bytes == st->stride && bytes <= SIZE_MAX / 4)
        st->input_bytes *= 2;
    char *inputs = st->loop == LOOP_NONE && st->end == WIRE_OK ? tare_alloc(st, st->input_bytes) : NULL;
    if (inputs)
        memset(inputs, 0, st->input_bytes);
    if (st->calibrated > loop_most(st))
        st->calibrated = loop_most(st);
    struct tare_loop l = tare_loop_open(st);
    l.first = l.last = inputs;
    l.stride = st->stride;
    return l;
}

void tare_each_ready(struct tare_loop *l)
{
    if (l->state->the_case->bench->inputs == TARE_INPUTS_COLD)
        cpu_evict(l->first, (size_t)(l->last - l->first));
    if (l->state->team)
        team_meet(l->state->team);
    l->state->ready = true;
    if (l->count)
        probe_events_on(l->state);
}
