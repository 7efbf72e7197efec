/* SPDX-License-Identifier: MIT */
#include "team.h"
#include "plat_process.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

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
    struct slot slots[];
};

struct probe_team *team_create(struct tare_state *states, int n)
{
    struct probe_team *t = aligned_alloc(alignof(struct probe_team), sizeof *t + (size_t)n * sizeof t->slots[0]);
    if (!t)
        return NULL;
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
    free(t);
}

/* The last one to come lets the others go. */
void team_meet(struct probe_team *t)
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

void team_decide(struct probe_team *t, const struct tare_state *leader)
{
    t->phase = leader->phase;
    t->count = leader->count;
    t->inputs = leader->stride != 0;
    team_meet(t);
}

bool team_follow(struct probe_team *t, struct tare_state *st)
{
    team_meet(t);
    st->phase = t->phase;
    st->count = t->count;
    st->dismissed = t->over;
    return !st->dismissed;
}

void team_dismiss(struct probe_team *t)
{
    if (t->over)
        return;
    t->over = true;
    team_meet(t);
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

int64_t team_finish(struct probe_team *t, const struct tare_state *st, uint64_t begin, uint64_t end, int64_t *first_ticks)
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

const struct tare_state *team_fallen(const struct probe_team *t)
{
    for (int i = 1; i < t->n; i++)
        if (t->states[i].end != WIRE_OK)
            return &t->states[i];
    return NULL;
}
