/* SPDX-License-Identifier: MIT
 *
 * One benchmark with one combination of arguments, once, in this process: set up, run, taken down, and told of in frames.
 */
#include "loop_parts.h"
#include "plat_process.h"
#include "probe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The same for every benchmark of the process, so that alternatives meet the same inputs; another for each thread. */
static uint64_t seed_of(const struct probe_session *s, int thread)
{
    struct rng rng = rng_seeded(s->request.seed);
    uint64_t seed = rng_next(&rng);
    while (thread-- > 0)
        seed = rng_next(&rng);
    return seed;
}

static void state_open(struct tare_state *st, struct probe_session *s, const struct probe_case *c, uint64_t iterations,
                       int thread)
{
    *st =
        (struct tare_state){.session = s,
                            .the_case = c,
                            .context = c->bench->context,
                            .thread = thread,
                            .seed = seed_of(s, thread),
                            /* Where memory lies differs between the benchmarks of a process, too. */
                            .rng = rng_seeded(s->request.seed ^ ((uint64_t)c->number + 1) * 0x9e3779b97f4a7c15u),
                            .calibrated = iterations,
                            .scaling = NAN,
                            .lone_ticks = NAN,
                            .account = {WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE}};
}

/* They are of the thread that opens them. */
static void signals_open(struct tare_state *st)
{
    noise_thread_open(&st->noise, NULL);
    noise_thread_open(&st->around, NULL);
    st->signals = true;
}

static void state_close(struct tare_state *st)
{
    probe_memory_release(st);
    probe_rows_close(&st->rows);
    probe_events_close(st); /* open still where it returned from inside of its loop */
    if (!st->signals)
        return;
    noise_thread_close(&st->noise);
    noise_thread_close(&st->around);
}

static void run_one(void *state)
{
    struct tare_state *st = state;
    probe_current(st);
    st->the_case->bench->run(st);
    probe_current(NULL);
    if (st->loop == LOOP_NONE)
        probe_end(st, WIRE_FAILED, "it returned without a loop (TARE_LOOP or TARE_EACH)");
    if (st->loop == LOOP_OPEN)
        probe_end(st, WIRE_FAILED, "it returned from inside of its loop");
    if (st->saw_constant) /* also behind the loop */
        probe_guard_close(st);
}

/* The others would wait for it. */
static void ended_itself(void *state)
{
    struct tare_state *st = state;
    probe_end(st, WIRE_FAILED, "it ended its thread");
    team_leave(st->team, st);
}

/* The states of all threads stand in a row; the first is the leader's. */
static void run_member(void *context, int thread)
{
    struct tare_state *leader = context, *st = leader + thread;
    if (thread)
        signals_open(st);
    plat_thread_watched(run_one, ended_itself, st);
    team_leave(st->team, st);
}

static void run_team(struct tare_state *states, int n)
{
    struct tare_err err = {{0}};
    for (int i = 1; i < n; i++) {
        state_open(&states[i], states->session, states->the_case, states->calibrated, i);
        states[i].context = states->context;
    }
    struct probe_team *team = team_create(states, n);
    if (!team || plat_threads_run(n, run_member, states, &err))
        probe_end(states, WIRE_FAILED, "%s", team ? err.text : "no memory for its threads");
    for (int i = 1; i < n; i++)
        if (states[i].end != WIRE_OK)
            probe_end(states, states[i].end, "thread %d: %s", i, states[i].reason);
    team_destroy(team);
}

static void run_body(struct tare_state *states)
{
    const struct tare_bench *b = states->the_case->bench;
    const int n = states->the_case->threads;
    if (b->setup)
        b->setup(states);
    if (states->end == WIRE_OK && n == 1)
        run_one(states);
    else if (states->end == WIRE_OK)
        run_team(states, n);
    if (b->teardown)
        b->teardown(states);
}

/* What the other threads say of a counter of the first. */
static double over_threads(const struct tare_state *states, int counter)
{
    const uint32_t of_all = states->counter_of_all[counter];
    const int n = of_all ? states->the_case->threads : 1;
    double sum = states->counters[counter].value;
    int said = 1;
    for (int i = 1; i < n; i++)
        for (int k = 0; k < states[i].n_counters; k++)
            if (strcmp(states[i].counters[k].name, states->counters[counter].name) == 0) {
                sum += states[i].counters[k].value;
                said++;
            }
    return of_all & TARE_MEAN_OF_ALL ? sum / said : sum;
}

static struct wire_end end_of(const struct tare_state *st, int64_t before_bytes, int64_t peak_bytes)
{
    struct wire_end e = {.bench = (uint32_t)st->the_case->number,
                         .state = st->end,
                         .reason = st->reason,
                         .remark = st->remark,
                         .iterations = st->calibrated,
                         .items = st->items,
                         .bytes = st->bytes,
                         .peak_bytes = peak_bytes,
                         .before_bytes = before_bytes,
                         .account = st->account,
                         .scaling = st->scaling,
                         .lone_ticks = st->lone_ticks,
                         .floor_ticks = st->session->floor_ticks,
                         .n_counters = (uint32_t)st->n_counters,
                         .label = st->label};
    for (int i = 1; i < st->the_case->threads; i++) { /* all threads do an iteration in the time of one */
        e.items += st[i].items;
        e.bytes += st[i].bytes;
    }
    for (int i = 0; i < st->n_counters; i++) {
        e.counters[i] = st->counters[i];
        e.counters[i].value = over_threads(st, i);
    }
    return e;
}

enum tare_status probe_run(struct probe_session *s, const struct probe_case *c, uint64_t iterations, probe_tell *tell,
                           void *context)
{
    struct tare_state *st = calloc((size_t)c->threads, sizeof *st);
    if (!st)
        return TARE_NO_MEMORY;
    struct plat_process_memory before, after;
    state_open(st, s, c, iterations, 0);
    signals_open(st);
    plat_process_peak_forget();
    plat_process_memory(&before);
    plat_forks_watch();
    run_body(st);
    plat_forked_end();
    plat_process_memory(&after);
    const struct wire_end end =
        end_of(st, before.now_bytes < 0 ? WIRE_NONE : before.now_bytes, after.peak_bytes < 0 ? WIRE_NONE : after.peak_bytes);
    enum tare_status status = tell(context, st, &end);
    for (int i = 0; i < c->threads; i++)
        state_close(&st[i]);
    free(st);
    return status;
}
