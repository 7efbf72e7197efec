/* SPDX-License-Identifier: MIT
 *
 * The loop of a benchmark, seen from libtare: passes. In each pass the code under test runs `count` times between two readings of the
 * clock; tare_loop_next looks at the pass that was, and says what the next one is.
 *
 * A sample is two passes: one around nothing, and the one that counts. So the overhead of the two readings, and of all that the compiler put
 * between them and the loop, is known from right beside the sample: what comes off is the median of the last four such passes, this one
 * included, so that a disturbed one is soon forgotten. The first sample that is kept, and those before it, have four of their own, two on each
 * side. Around the passes lie the reference chain, before and after, and around these the benchmark's own hooks. The guard measures empty loops,
 * too. Where there are no hooks, what lies behind one sample lies before the next as well.
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
#include <string.h>

/* ---- samples ---- */

static bool is_leader(const struct tare_state *st)
{
    return st->thread == 0;
}

static bool is_calibrating(const struct tare_state *st)
{
    return is_leader(st) && st->phase == PHASE_CALIBRATE;
}

static int64_t chain_ticks(const struct tare_state *st)
{
    if (!st->session->chains || !loop_kept(st))
        return WIRE_NONE;
    if (st->session->draws)
        clock_phase_draw(&st->session->phase);
    return cpu_chain_ticks(CHAIN_OF_MULTIPLIES, CPU_PROBE_STEPS);
}

/* Only the guard asks for it, and it takes longer than a bracket. */
static double floor_of(const struct tare_state *st)
{
    return loop_kept(st) && st->session->request.guard ? probe_floor_once(st->session) : NAN;
}

static void sample_begin(struct tare_state *st)
{
    const struct tare_bench *b = st->the_case->bench;
    if (loop_kept(st) && !st->rows.memory)
        loop_rows_open(st);
    if (b->before)
        b->before(st);
    const bool joined = loop_joined(st);
    st->floor_before = joined ? st->floor_after : floor_of(st);
    st->chain_before = joined ? st->chain_after : chain_ticks(st);
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
    if (loop_kept(st))
        loop_rows_add(st);
    if (st->phase == PHASE_CALIBRATE)
        loop_calibrate(st);
    else if (!loop_kept(st))
        loop_guard(st);
    else if (st->phase == PHASE_WARMUP && st->in_phase == st->warmup)
        loop_enter(st, PHASE_SAMPLE);
    else if (st->phase == PHASE_SAMPLE && st->in_phase == st->samples)
        st->phase = PHASE_DONE;
}

/* ---- passes ---- */

/* The sample that begins has all its empty passes itself. */
static bool has_own_empties(const struct tare_state *st)
{
    return !loop_differs(st) && (!loop_kept(st) || !st->rows.n || st->session->request.profile != WIRE_STEADY);
}

/* The passes of the sample that begins. */
static void lay_passes(struct tare_state *st)
{
    const bool all = has_own_empties(st);
    st->slot = (unsigned)st->rows.n % PROBE_EMPTIES;
    st->middle = all ? PROBE_EMPTIES / 2 : 1;
    st->passes = all ? PROBE_EMPTIES + 1 : 2;
}

static unsigned empty_at(const struct tare_state *st, int pass)
{
    return st->passes <= PROBE_EMPTIES ? st->slot : (unsigned)(pass < st->middle ? pass : pass - 1);
}

/* Calibration and guard go by the leader's own time: that of the last thread says more of the scheduler than of the code. */
static int64_t pass_ticks(struct tare_state *st, const struct tare_loop *l, int64_t own)
{
    if (!st->team)
        return own;
    int64_t ticks = team_finish(st->team, st, l->start.count, l->stop.count, &st->first_ticks);
    const struct tare_state *fallen = is_leader(st) ? team_fallen(st->team) : NULL;
    if (fallen)
        probe_end(st, fallen->end, "thread %d: %s", fallen->thread, fallen->reason);
    return loop_kept(st) ? ticks : own;
}

static void pass_taken(struct tare_state *st, const struct tare_loop *l)
{
    const int pass = st->pass - 1, middle = st->middle;
    if (pass == middle && st->events)
        probe_events_off(st, l->count);
    if (l->left)
        probe_end(st, WIRE_FAILED, "the loop was left before its end (break)");
    const int cpu = l->cpu >= 0 ? l->cpu : plat_thread_cpu();
    if (pass == middle && is_calibrating(st))
        st->cpu_ns = plat_thread_cpu_ns() - st->cpu_began_ns;
    const int64_t own = (int64_t)(l->stop.count - l->start.count), ticks = pass_ticks(st, l, own);
    if (pass == middle) {
        st->own_ticks = own;
        if (st->session->request.signals && loop_kept(st))
            st->delta = noise_thread_end(&st->noise, (double)ticks / st->session->hz * 1e9);
        st->ticks = loop_manual(st) ? (int64_t)st->manual_ns : ticks;
        st->start = l->start;
        st->kept_first_ticks = st->first_ticks;
        st->first_cpu = st->last_cpu;
        st->backwards |= ticks < 0;
    } else {
        st->empties[empty_at(st, pass)] = ticks;
        st->own_empties[empty_at(st, pass)] = own;
        st->empty_ticks = loop_median(st->empties);
    }
    if (pass <= middle)
        st->last_cpu = cpu;
}

static void pass_begin(struct tare_state *st, struct tare_loop *l)
{
    if (st->pass == 0)
        lay_passes(st);
    const bool middle = st->pass == st->middle;
    st->ready = false;
    l->count = loop_differs(st) ? loop_half(st) * (middle ? 2 : 1) : middle || st->phase == PHASE_LONE ? st->count : 0;
    l->last = l->first + l->count * l->stride;
    if (!middle)
        return;
    st->manual_ns = 0;
    if (st->session->request.signals && loop_kept(st))
        noise_thread_begin(&st->noise);
    if (is_calibrating(st))
        st->cpu_began_ns = plat_thread_cpu_ns();
    if (!st->stride && st->events)
        probe_events_on(st);
}

static bool loop_close(struct tare_state *st)
{
    if (st->team)
        team_dismiss(st->team);
    loop_rows_close(st);
    probe_events_close(st);
    probe_guard_close(st);
    st->loop = LOOP_CLOSED;
    return false;
}

/* What tare_loop_next does for all threads but the first. */
static bool follow_leader(struct tare_state *st, struct tare_loop *l)
{
    if (st->pass > 0)
        pass_taken(st, l);
    if (st->pass > 0 && st->pass == st->passes) {
        st->pass = 0;
        if (loop_kept(st))
            loop_rows_add(st);
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
    if (!is_leader(st))
        return follow_leader(st, l);
    if (st->pass > 0)
        pass_taken(st, l);
    if (st->pass > 0 && st->pass == st->passes) {
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
    if (st->phase == PHASE_NONE || st->phase == PHASE_LONE)
        clock_phase_draw(&st->session->phase);
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
    struct tare_loop l = {.state = st, .way = st->session->way, .cpu = -1};
    if (st->loop != LOOP_NONE)
        probe_end(st, WIRE_FAILED, "a benchmark has one loop; this one has more");
    if (st->end != WIRE_OK || st->loop != LOOP_NONE)
        return l;
    st->loop = LOOP_OPEN;
    st->last_cpu = -1;
    st->chain_before = st->chain_after = WIRE_NONE;
    st->floor_before = st->floor_after = NAN;
    if (is_leader(st))
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
