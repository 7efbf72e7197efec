/* SPDX-License-Identifier: MIT
 *
 * Scan: single calls with random inputs; the secret bytes of each go to the runner with its time, to see which of them it follows. A target
 * that has a class named random, or .make, gets inputs of that class, or of its last one; others random bytes.
 */
#include "leak_harness.h"
#include <stdlib.h>
#include <string.h>

enum { CALLS_MAX = 1 << 14, SECRETS_MAX = 1 << 22, BATCH_NS = 20000000, WARMUP_CALLS = 64, WARMUP_NS = 2000000 };

struct scan {
    struct leak_job *job;
    uint32_t at, bytes; /* what is sent of each input */
    int which;          /* class of the inputs; -1: random bytes */
    int room;
    uint8_t *secrets;
    uint32_t *ticks;
    int64_t call_ns, done;
};

uint32_t leak_secret_at(const struct tare_leak *leak, uint32_t *bytes)
{
    *bytes = (uint32_t)(leak->secret_bytes ? leak->secret_bytes : leak->bytes - leak->secret_at);
    if (*bytes > WIRE_SECRET_MAX)
        *bytes = WIRE_SECRET_MAX;
    return (uint32_t)leak->secret_at;
}

static int class_of_inputs(const struct leak_job *job)
{
    for (int i = 0; i < job->n_classes; i++)
        if (strcmp(job->target->classes.names[i], "random") == 0)
            return i;
    return job->target->make ? job->n_classes - 1 : -1;
}

static void run_call(struct scan *s, int i)
{
    struct leak_job *job = s->job;
    const enum wire_cache cache = job->q->cache;
    if (s->which >= 0)
        leak_make(job, s->which, 0);
    else
        tare_random_bytes(&job->random, job->input.slots, job->input.bytes);
    memcpy(s->secrets + (size_t)i * s->bytes, job->input.slots + s->at, s->bytes);
    s->ticks[i] =
        leak_one_call(job, 0, job->state, cache == WIRE_COLD || (cache == WIRE_RANDOM && chacha_bit(&job->order)), false);
}

static int64_t run_calls(struct scan *s, int n)
{
    const int64_t start_ns = leak_elapsed_ns(s->job);
    for (int i = 0; i < n; i++)
        run_call(s, i);
    const int64_t took = leak_elapsed_ns(s->job) - start_ns;
    s->call_ns = took / n > 0 ? took / n : 1;
    s->done += n;
    return start_ns;
}

static void write_calls(struct scan *s, int n, int64_t start_ns)
{
    struct leak_job *job = s->job;
    const struct wire_calls w = {.target = job->index,
                                 .n = (uint32_t)n,
                                 .secret_bytes = s->bytes,
                                 .start_ns = start_ns,
                                 .repeat = (uint32_t)job->timer.repeat};
    wire_put_calls(job->out, &w, s->secrets, s->ticks);
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
    leak_start_over(s->job);
}

void leak_scan(struct leak_job *job)
{
    struct scan s = {.job = job, .call_ns = 1, .which = class_of_inputs(job)};
    s.at = leak_secret_at(job->target, &s.bytes);
    const uint32_t wanted = ((uint32_t)job->q->bits + 7) / 8;
    s.bytes = wanted && wanted < s.bytes ? wanted : s.bytes;
    s.room = (int)(SECRETS_MAX / s.bytes) < CALLS_MAX ? (int)(SECRETS_MAX / s.bytes) : CALLS_MAX;
    s.secrets = calloc((size_t)s.room, s.bytes);
    s.ticks = malloc((size_t)s.room * sizeof *s.ticks);
    if (s.secrets && s.ticks) {
        memset(s.secrets, 1, (size_t)s.room * s.bytes); /* the pages are there */
        memset(s.ticks, 1, (size_t)s.room * sizeof *s.ticks);
        warm_up(&s);
        for (int n; !job->status && (n = next_calls(&s)) > 0;)
            write_calls(&s, n, run_calls(&s, n));
    } else {
        leak_end(job, WIRE_FAILED, "no memory for the times of its calls");
    }
    free(s.secrets);
    free(s.ticks);
}
