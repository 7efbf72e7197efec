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
 * From the first kept sample to the last nothing here calls the kernel, allocates, locks or writes where no page is yet. Only a request
 * for `signals` asks the kernel around each counted pass.
 */
#include "cpu.h"
#include "loop_parts.h"
#include "plat_process.h"
#include <math.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The threads of one benchmark:
 * They do the same passes at the same time. Thread 0 leads: it decides what each pass is.
 *
 *     leader                                       follower
 *     team_decide(team, st);                       go = team_follow(team, st);      // all wait for each other here
 *     ... pass ...                                 ... pass ...
 *     ticks = team_finish(team, st, begin, end);   team_finish(...)                 // and here
 *
 * They wait by spinning, so that they begin within a fraction of a microsecond of each other; who waits long gives its CPU away.
 */

struct slot {
    alignas(128) uint64_t begin; /* a cache line of its own */
    uint64_t end;
};

struct probe_team {
    alignas(128) atomic_int arrived;
    alignas(128) atomic_int meeting; /* how many times all have met */
    alignas(128) int n;
    struct tare_state *states;
    /* What the leader decided. */
    bool over, inputs;
    enum probe_phase phase;
    uint64_t count;
    void *allocated; /* the team begins at the first place in it that is aligned */
    struct slot slots[];
};

struct probe_team *team_create(struct tare_state *states, int n)
{
    enum { LINE = alignof(struct probe_team) };
    char *allocated = malloc(sizeof(struct probe_team) + (size_t)n * sizeof(struct slot) + LINE - 1);
    if (!allocated)
        return NULL;
    struct probe_team *t = (struct probe_team *)(void *)(allocated + (LINE - (uintptr_t)allocated % LINE) % LINE);
    t->allocated = allocated;
    atomic_init(&t->arrived, 0);
    atomic_init(&t->meeting, 0);
    t->n = n;
    t->states = states;
    t->over = t->inputs = false;
    for (int i = 0; i < n; i++)
        states[i].team = t;
    return t;
}

void team_destroy(struct probe_team *t)
{
    if (t)
        free(t->allocated);
}

/* The last one to come lets the others go. */
static void team_meet(struct probe_team *t)
{
    enum { PATIENCE = 1 << 14 };
    int meeting = atomic_load_explicit(&t->meeting, memory_order_acquire);
    if (atomic_fetch_add_explicit(&t->arrived, 1, memory_order_acq_rel) == t->n - 1) {
        atomic_store_explicit(&t->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&t->meeting, meeting + 1, memory_order_release);
        return;
    }
    for (int spins = 0; atomic_load_explicit(&t->meeting, memory_order_acquire) == meeting; spins++)
        if (spins >= PATIENCE)
            plat_thread_yield();
}

/* The leader has chosen phase, count and pass of its state; the others take them. */
static void team_decide(struct probe_team *t, const struct tare_state *leader)
{
    t->phase = leader->phase;
    t->count = leader->count;
    t->inputs = leader->stride != 0;
    team_meet(t);
}

/* False: it is over. */
static bool team_follow(struct probe_team *t, struct tare_state *st)
{
    team_meet(t);
    st->phase = t->phase;
    st->count = t->count;
    st->dismissed = t->over;
    return !st->dismissed;
}

/* The leader: there is no further pass. The others are, or come to be, in team_follow. */
static void team_dismiss(struct probe_team *t)
{
    if (t->over)
        return;
    t->over = true;
    team_meet(t);
}

/* The ticks of the pass: for the leader from the first begin to the last end, and in *first_ticks to the first end; for the others their own. */
static int64_t team_finish(struct probe_team *t, const struct tare_state *st, uint64_t begin, uint64_t end, int64_t *first_ticks)
{
    t->slots[st->thread].begin = begin;
    t->slots[st->thread].end = end;
    team_meet(t);
    *first_ticks = (int64_t)(end - begin);
    if (st->thread)
        return *first_ticks;
    uint64_t first_begin = begin, first_end = end, last_end = end;
    for (int i = 1; i < t->n; i++) {
        const struct slot *s = &t->slots[i];
        first_begin = (int64_t)(s->begin - first_begin) < 0 ? s->begin : first_begin;
        first_end = (int64_t)(s->end - first_end) < 0 ? s->end : first_end;
        last_end = (int64_t)(s->end - last_end) > 0 ? s->end : last_end;
    }
    *first_ticks = (int64_t)(first_end - first_begin);
    return (int64_t)(last_end - first_begin);
}

void team_leave(struct probe_team *t, struct tare_state *st)
{
    int64_t first;
    if (st->loop == LOOP_OPEN && st->pass > 0) { /* in the middle of a pass, at whose end the others wait, or already before it */
        if (t->inputs && !st->ready)
            team_meet(t);
        team_finish(t, st, 0, 0, &first);
    }
    if (!st->thread) {
        team_dismiss(t);
        return;
    }
    while (!st->dismissed && team_follow(t, st)) {
        if (t->inputs)
            team_meet(t);
        team_finish(t, st, 0, 0, &first);
    }
}

/* The first thread that is no longer fine; NULL: all are. For the leader, after team_finish. */
static const struct tare_state *team_fallen(const struct probe_team *t)
{
    for (int i = 1; i < t->n; i++)
        if (t->states[i].end != WIRE_OK)
            return &t->states[i];
    return NULL;
}

/* How many iterations make a sample, and what the samples before those that are kept are for. See loop.c. */

enum { PAIRS = 3, PAIRS_IN_DOUBT = 30, GUARDS_COLD = 2 };
enum { IN_A_ROW = 2, LONE_IN_A_ROW = 4, AT_ONCE = 200 }; /* samples, samples, aims: when a count is believed */

static int64_t net_of(const struct tare_state *st)
{
    return loop_manual(st) ? st->ticks : st->ticks - loop_median(st->empties);
}

/* Of what this thread did between its own two readings, as far as it had a CPU: a sample that was long because it waited does not tell how
 * long the code takes. Where CPU time is not known, or counted too coarsely to have moved, all of it counts. */
static double busy_net_of(const struct tare_state *st)
{
    double net = (double)net_of(st);
    return loop_manual(st) || st->cpu_ns <= 0 ? net : fmin(net, (double)st->cpu_ns / 1e9 * st->session->hz);
}

/* What a sample aims at, in the unit of net_of. */
static double target_of(const struct tare_state *st)
{
    return loop_manual(st) ? (double)st->session->request.sample_ns : (double)st->session->sample_ticks;
}

/* iterations of a sample, at most */
static uint64_t loop_most(const struct tare_state *st)
{
    if (st->stride)
        return st->input_bytes / st->stride;
    const double tick_ns = loop_manual(st) ? 1 : 1e9 / st->session->hz;
    double most = 64 * target_of(st) *
                  fmax(1, tick_ns); /* no loop counts down so fast: 64 iterations a nanosecond, or a tick where that is shorter */
    return most < 1e18 ? (uint64_t)most : (uint64_t)1e18;
}

/* How many samples are kept, and how many go before them, when each takes so many ns. */
static void choose_lengths(struct tare_state *st, double sample_ns)
{
    enum { SAMPLES = 50, AT_LEAST = 5, WARMUP = 5, WARMUP_MOST = 20, WARMUP_NS = 2000000 };
    struct wire_request *q = &st->session->request;
    double in_a_second = 1e9 / fmax(sample_ns, 1), in_warmup = WARMUP_NS / fmax(sample_ns, 1);
    int samples = in_a_second > SAMPLES ? SAMPLES : in_a_second < AT_LEAST ? AT_LEAST : (int)in_a_second;
    int warmup = in_warmup > WARMUP_MOST ? WARMUP_MOST : in_warmup < WARMUP ? WARMUP : (int)in_warmup;
    st->samples = q->samples > 0 ? q->samples : samples;
    st->warmup = q->warmup >= 0 ? q->warmup : samples == SAMPLES ? warmup : 1;
}

static void loop_enter(struct tare_state *st, enum probe_phase phase)
{
    st->phase = phase;
    st->in_phase = 0;
    st->count = st->calibrated;
    if (phase == PHASE_HALF)
        st->count /= 2;
    if (phase == PHASE_NONE || phase == PHASE_LONE)
        st->count = phase == PHASE_LONE;
}

static void enter_warmup(struct tare_state *st)
{
    double per_second = loop_manual(st) ? 1e9 : st->session->hz;
    bool guarded = st->pairs > 0; /* the last sample was one of a single iteration */
    choose_lengths(st, (double)(guarded ? st->best_whole - st->best_empty : net_of(st)) / per_second * 1e9);
    loop_enter(st, st->warmup ? PHASE_WARMUP : PHASE_SAMPLE);
}

/* The count is known: what comes next. */
static void loop_enter_guard(struct tare_state *st)
{
    st->best_half = st->best_whole = st->best_empty = INT64_MAX;
    if (st->session->request.guard && st->calibrated >= 2 && !loop_manual(st))
        loop_enter(st, PHASE_HALF);
    else
        enter_warmup(st);
}

static uint64_t longer_count(const struct tare_state *st, double net, double target)
{
    double factor = net * 10 < target ? 8 : 1.1 * target / net;
    double count = ceil((double)st->count * factor);
    double most = (double)loop_most(st);
    return count < most ? (uint64_t)count : loop_most(st);
}

static bool is_believed(const struct tare_state *st, double net, double target)
{
    return st->in_phase >= (st->count == 1 ? LONE_IN_A_ROW : IN_A_ROW) || (st->count == 1 && net >= AT_ONCE * target);
}

/* The clock, not the loop: two readings alone take some ticks, and no clock has steps as long as that. */
static bool clock_stopped(const struct tare_state *st)
{
    enum { NO_STEP_NS = 100000000 }; /* of CPU time */
    const bool at_most = st->count >= loop_most(st) && !st->stride;
    return !loop_manual(st) && st->ticks <= 0 && (at_most || st->cpu_ns > NO_STEP_NS);
}

/* Its own time: there are no more iterations, or more of them would take hours, and no clock has steps as long as that. */
static bool own_time_stopped(const struct tare_state *st)
{
    enum { NO_STEP_S = 2 };
    const bool at_most = st->count >= loop_most(st) || (double)st->own_ticks > NO_STEP_S * st->session->hz;
    return loop_manual(st) && st->manual_ns <= 0 && at_most;
}

/* After a sample of that phase. A count is long enough when two samples in a row are: the first one of all may have met cold caches and fresh
 * pages. Four for a lone iteration: what code does the first few times it is called must not stand for all. A lone one that is far longer than
 * needed is believed at once. */
static void loop_calibrate(struct tare_state *st)
{
    double net = busy_net_of(st), target = target_of(st);
    bool enough = net >= 0.8 * target;
    st->in_phase = enough ? st->in_phase : 0;
    if (clock_stopped(st)) {
        st->calibrated = 0;
        probe_end(st, WIRE_FAILED, "its clock %s: %lld ticks in %llu iterations; --clock chooses another",
                  st->ticks < 0 ? "runs backwards" : "does not advance", (long long)st->ticks, (unsigned long long)st->count);
    } else if (enough && is_believed(st, net, target)) {
        st->calibrated = st->count;
        loop_enter_guard(st);
    } else if (!enough && st->count < loop_most(st) && !own_time_stopped(st)) {
        st->count = longer_count(st, net, target);
    } else if (!enough && st->stride && !own_time_stopped(st)) {
        st->calibrated = st->count; /* all the inputs that there are */
        loop_enter_guard(st);
    } else if (!enough && loop_manual(st)) {
        st->calibrated = 0;
        probe_end(st, WIRE_FAILED, "the time that it reports (tare_manual_ns) %s: %g ns in %llu iterations",
                  st->manual_ns < 0 ? "runs backwards" : "does not advance", st->manual_ns, (unsigned long long)st->count);
    } else if (!enough) {
        st->calibrated = 0;
        probe_end(st, WIRE_OPTIMISED_AWAY, "%llu iterations take no time: the compiler took the loop away",
                  (unsigned long long)st->count);
    }
}

static void keep_least(int64_t *best, int64_t value)
{
    *best = value < *best ? value : *best;
}

static void keep_least_empty(struct tare_state *st)
{
    for (int i = 0; i < PROBE_EMPTIES; i++)
        keep_least(&st->best_empty, st->empties[i]);
}

/* The first of each turn met cold caches. */
static bool keep_guard(struct tare_state *st, double *ticks, int *n)
{
    if (st->in_phase > GUARDS_COLD)
        ticks[(*n)++] = (double)st->ticks;
    return st->in_phase == GUARDS_COLD + PROBE_GUARDS;
}

/* After a sample of a phase of the guard: half and whole in turn, again and again where what disturbs may be why time does not grow; then none and
 * one, in turns, until it is known whether something is done before the loop. */
static void loop_guard(struct tare_state *st)
{
    switch (st->phase) {
    case PHASE_HALF:
        keep_least(&st->best_half, st->ticks);
        keep_least_empty(st);
        loop_enter(st, PHASE_WHOLE);
        return;
    case PHASE_WHOLE:
        keep_least(&st->best_whole, st->ticks);
        keep_least_empty(st);
        st->pairs++;
        loop_enter(st, st->pairs < (probe_guard_grows(st) ? PAIRS : PAIRS_IN_DOUBT) ? PHASE_HALF : PHASE_NONE);
        return;
    case PHASE_NONE:
        if (keep_guard(st, st->none, &st->n_none))
            loop_enter(st, PHASE_LONE);
        return;
    default:
        if (!keep_guard(st, st->lone, &st->n_lone))
            return;
    }
    if (!probe_guard_judge(st)) {
        loop_enter(st, PHASE_NONE);
        return;
    }
    st->count = st->calibrated;
    enter_warmup(st);
}

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

/* Of code that reports its time now and then, a sample without a report has measured nothing, not 0 ns. */
static void check_reports(struct tare_state *st)
{
    if (st->unreported == st->samples)
        probe_end(st, WIRE_FAILED, "it reports no time (tare_manual_ns)");
    else if (st->unreported)
        probe_end(st, WIRE_FAILED, "it reports no time (tare_manual_ns) in %d of %d samples", st->unreported, st->samples);
}

static void sample_taken(struct tare_state *st)
{
    const struct tare_bench *b = st->the_case->bench;
    st->chain_after = chain_ticks(st);
    st->floor_after = floor_of(st);
    if (b->after)
        b->after(st);
    st->in_phase++;
    st->unreported += st->phase == PHASE_SAMPLE && loop_manual(st) && is_leader(st) && !st->reported;
    if (loop_kept(st))
        loop_rows_add(st);
    if (st->phase == PHASE_CALIBRATE)
        loop_calibrate(st);
    else if (!loop_kept(st))
        loop_guard(st);
    else if (st->phase == PHASE_WARMUP && st->in_phase == st->warmup)
        loop_enter(st, PHASE_SAMPLE);
    else if (st->phase == PHASE_SAMPLE && st->in_phase == st->samples) {
        st->phase = PHASE_DONE;
        check_reports(st);
    }
}

/* The passes of the sample that begins. */
static void lay_passes(struct tare_state *st)
{
    /* The sample that begins has all its empty passes itself. */
    const bool all = !loop_kept(st) || !st->rows.n || st->session->request.profile != WIRE_STEADY;
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
    l->count = middle || st->phase == PHASE_LONE ? st->count : 0;
    l->last = l->first + l->count * l->stride;
    if (!middle)
        return;
    st->manual_ns = 0;
    st->reported = false;
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
