/* SPDX-License-Identifier: MIT
 *
 * Scan: single calls with random inputs; the secret bytes of each go to the runner with its time, to see which of them it follows. A target
 * that has a class named random, or .make, gets inputs of that class, or of its last one; others random bytes.
 *
 * For each call two inputs are made, in drawn order, and a coin says which of them it gets. The secret that goes with the time is
 *     main    that of the input of the call
 *     A/A     that of the other one: only the making of it can have changed the time
 *     spike   likewise, but its first bit is a coin, and where that is set there is a spike in front of the call
 * What comes before the call is the same for all three.
 */
#include "leak_harness.h"
#include <stdlib.h>
#include <string.h>

enum { CALLS_MAX = 1 << 14, SECRETS_MAX = 1 << 22, BATCH_NS = 20000000, WARMUP_CALLS = 64, WARMUP_NS = 2000000 };

enum { KINDS = 3 };

struct sheet {
    uint8_t *secrets;
    uint32_t *ticks;
    int n;
};

struct scan {
    struct leak_job *job;
    uint32_t at, bytes; /* what is sent of each input */
    int which;          /* class of the inputs; -1: random bytes */
    int room;
    struct sheet sheets[KINDS]; /* by enum wire_blocks_kind */
    uint8_t *turns;
    double owed[KINDS];
    int64_t call_ns, done;
};

static int class_of_inputs(const struct leak_job *job)
{
    for (int i = 0; i < job->n_classes; i++)
        if (strcmp(job->target->classes.names[i], "random") == 0)
            return i;
    return job->target->make ? job->n_classes - 1 : -1;
}

static void make_input(struct scan *s, int slot)
{
    struct leak_job *job = s->job;
    if (s->which >= 0)
        leak_make(job, s->which, slot);
    else
        tare_random_bytes(&job->random, leak_slot(&job->input, slot), job->input.bytes);
}

static void run_call(struct scan *s, enum wire_blocks_kind kind)
{
    struct leak_job *job = s->job;
    const enum wire_cache cache = job->q->cache;
    const int first = chacha_bit(&job->order), called = chacha_bit(&job->order), coin = chacha_bit(&job->order);
    const int told = called ^ (kind != WIRE_MAIN);
    struct sheet *to = &s->sheets[kind];
    uint8_t *secret = to->secrets + (size_t)to->n * s->bytes;
    make_input(s, first);
    make_input(s, !first);
    memcpy(secret, leak_slot(&job->input, told) + s->at, s->bytes);
    if (kind == WIRE_SPIKE)
        secret[0] = (uint8_t)((secret[0] & ~1) | coin);
    const bool cold = cache == WIRE_COLD || (cache == WIRE_RANDOM && chacha_bit(&job->order));
    const enum leak_delay delay = kind != WIRE_SPIKE ? LEAK_NO_DELAY : coin ? LEAK_LONG_DELAY : LEAK_SHORT_DELAY;
    to->ticks[to->n++] = leak_one_call(job, called, job->state, cold, delay);
}

/* Which of n calls are of which kind; what is owed of a share that is no whole number is carried on. */
static void draw_turns(struct scan *s, int n)
{
    const double share = s->job->q->selfcheck / 100.0;
    int at = 0;
    for (int kind = 0; kind < KINDS; kind++)
        s->sheets[kind].n = 0;
    for (int kind = 1; kind < KINDS; kind++) {
        s->owed[kind] += kind == WIRE_SPIKE && !s->job->timer.adds ? 0 : n * share;
        for (; s->owed[kind] >= 1 && at < n; s->owed[kind]--)
            s->turns[at++] = (uint8_t)kind;
    }
    memset(s->turns + at, WIRE_MAIN, (size_t)(n - at));
    chacha_shuffle(&s->job->order, s->turns, n);
}

static int64_t run_calls(struct scan *s, int n)
{
    draw_turns(s, n);
    leak_phase_calibrate(&s->job->timer);
    const int64_t start_ns = leak_elapsed_ns(s->job);
    for (int i = 0; i < n; i++)
        run_call(s, (enum wire_blocks_kind)s->turns[i]);
    const int64_t took = leak_elapsed_ns(s->job) - start_ns;
    s->call_ns = took / n > 0 ? took / n : 1;
    s->done += n;
    return start_ns;
}

static void write_calls(struct scan *s, int64_t start_ns)
{
    struct leak_job *job = s->job;
    for (int kind = 0; kind < KINDS; kind++) {
        const struct sheet *of = &s->sheets[kind];
        const struct wire_calls w = {.target = job->index,
                                     .n = (uint32_t)of->n,
                                     .secret_bytes = s->bytes,
                                     .start_ns = start_ns,
                                     .repeat = (uint32_t)job->timer.repeat,
                                     .kind = (enum wire_blocks_kind)kind};
        if (of->n)
            wire_put_calls(job->out, &w, of->secrets, of->ticks);
    }
    job->status = job->flush(job->flush_context);
}

static int next_calls(const struct scan *s)
{
    const struct leak_job *job = s->job;
    int64_t left_ns = leak_time_ns(job) - leak_elapsed_ns(job);
    int64_t n = (left_ns < BATCH_NS ? left_ns : BATCH_NS) / s->call_ns;
    if (n < 1)
        n = s->done ? 0 : 1;
    if (job->limit && n > job->limit - s->done)
        n = job->limit - s->done;
    return n < s->room ? (int)n : s->room;
}

static void warm_up(struct scan *s)
{
    const int64_t until = leak_elapsed_ns(s->job) + WARMUP_NS;
    do
        run_calls(s, 1);
    while (s->done < WARMUP_CALLS && leak_elapsed_ns(s->job) < until);
    s->done = 0;
    memset(s->owed, 0, sizeof s->owed);
    leak_start_over(s->job);
}

static bool open_sheets(struct scan *s)
{
    bool good = (s->turns = calloc((size_t)s->room, 1)) != NULL;
    for (int i = 0; i < KINDS; i++) {
        struct sheet *of = &s->sheets[i];
        of->secrets = calloc((size_t)s->room, s->bytes);
        of->ticks = malloc((size_t)s->room * sizeof *of->ticks);
        if (!of->secrets || !of->ticks) {
            good = false;
            continue;
        }
        memset(of->secrets, 1, (size_t)s->room * s->bytes); /* the pages are there */
        memset(of->ticks, 1, (size_t)s->room * sizeof *of->ticks);
    }
    return good;
}

static void close_sheets(struct scan *s)
{
    for (int i = 0; i < KINDS; i++) {
        free(s->sheets[i].secrets);
        free(s->sheets[i].ticks);
    }
    free(s->turns);
}

void leak_scan(struct leak_job *job)
{
    struct scan s = {.job = job, .call_ns = 1, .which = class_of_inputs(job)};
    s.at = leak_secret_at(job->target, &s.bytes);
    const uint32_t wanted = ((uint32_t)job->q->bits + 7) / 8;
    s.bytes = wanted && wanted < s.bytes ? wanted : s.bytes;
    s.room = (int)(SECRETS_MAX / s.bytes) < CALLS_MAX ? (int)(SECRETS_MAX / s.bytes) : CALLS_MAX;
    if (open_sheets(&s)) {
        warm_up(&s);
        for (int n; !job->status && (n = next_calls(&s)) > 0;)
            write_calls(&s, run_calls(&s, n));
    } else {
        leak_end(job, WIRE_FAILED, "no memory for the times of its calls");
    }
    close_sheets(&s);
}
