/* SPDX-License-Identifier: MIT
 *
 * Batches of calls, of some 20 ms: what a batch needs is there before its first call, and what it found is written after its last. What lies in a batch
 * is blocks of three kinds, at random places:
 *
 *     M M A M S M M M A M ...       M main, A and S self-checks: A without a difference, S with an injected delay
 *
 * Pairs and growth: a block is one call of each class or of each size, in an order drawn before. In A both calls get inputs of class 0; S is the
 * same with a short delay in front of both, a known one in front of one. Of growth the calls of A and S work on the smallest structure above 0; of A
 * one of them behind the touch of the largest, as if it were its turn. Where several calls a reading were asked for, those at a larger structure have
 * fewer: as many as last about as long as the readings at the smallest, one at least. Their time is written for as many calls as all others have.
 *
 * Scan: a block is a single call with a random input; the secret bytes go to the runner with its time, to see which of them it follows. A target that
 * has a class named random, or .make, gets inputs of that class, or of its last one; others random bytes. For each call two inputs are made, in drawn
 * order, and a coin says which of them it gets. The secret that goes with the time is
 *     main    that of the input of the call
 *     A       that of the other one: only the making of it can have changed the time
 *     S       likewise, but its first bit is a coin, and where that is set the known delay is in front of the call, else the short one
 * What comes before the call is the same for all three.
 */
#include "leak_harness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 3, BATCH_NS = 20000000, WARMUP_NS = 2000000, WARMUP_BLOCKS = 64, COLD = 0x80 };
enum { BLOCK_CALLS_MAX = 1 << 15, SCAN_CALLS_MAX = 1 << 14, SECRETS_MAX = 1 << 22 };

/* What the blocks of one kind found: of n blocks k times each. */
struct shelf {
    enum wire_blocks_kind kind;
    int k, n;
    size_t key_bytes; /* of a block: the class of each call, or the secret of the one */
    uint8_t *keys;
    uint32_t *ticks;
};

struct batch {
    struct leak_job *job;
    struct shelf shelves[KINDS];
    uint8_t *turns; /* of each block: its kind, and COLD */
    bool cold;      /* the block at hand */
    int room, n;    /* blocks */
    double owed[KINDS];
    int64_t start_ns, block_ns;
    int64_t done;                /* blocks of all batches */
    int repeats[WIRE_SIZES_MAX]; /* growth: calls of a reading at each size */
    uint32_t secret_at;          /* scan: where in the input lie the bytes that are sent */
    int which;                   /* scan: class of the inputs; -1: random bytes */
};

static bool is_scan(const struct batch *b)
{
    return b->job->q->leak_kind == WIRE_SCAN;
}

static enum leak_delay delay_in(enum wire_blocks_kind kind, bool known)
{
    return kind != WIRE_SPIKE ? LEAK_NO_DELAY : known ? LEAK_LONG_DELAY : LEAK_SHORT_DELAY;
}

uint32_t leak_one_call(struct leak_job *job, int slot, void *state, bool cold, enum leak_delay delay)
{
    const struct tare_leak *t = job->target;
    if (t->reset) {
        job->doing = DOING_RESET;
        t->reset(job->state);
    }
    if (job->input.bytes)
        leak_choose(&job->input, slot);
    if (cold) {
        leak_evict(job);
    } else if (t->touch && job->n_sizes) {
        job->doing = DOING_TOUCH;
        t->touch(state);
    }
    job->doing = DOING_CALL;
    uint32_t ticks = leak_time(&job->timer, t->run, state, job->input.at, delay);
    plat_forked_end();
    if (job->n_sizes && t->undo) {
        job->doing = DOING_UNDO;
        t->undo(state);
    }
    job->doing = DOING_OWN;
    return ticks;
}

static void draw_order(struct chacha *order, uint8_t *classes, int k)
{
    for (int i = 0; i < k; i++)
        classes[i] = (uint8_t)i;
    chacha_shuffle(order, classes, k);
}

/* Into slots, in an order of its own: what the making of an input leaves in caches and predictors so belongs to no class. Both inputs of an A/A
 * or delay block are made by generator 0; of growth there is one. Sets slot_of[class]. */
static void make_inputs(struct leak_job *job, enum wire_blocks_kind kind, uint8_t slot_of[WIRE_CLASSES_MAX])
{
    uint8_t making[WIRE_CLASSES_MAX];
    if (job->n_sizes) {
        leak_make(job, 0, 0);
        return;
    }
    draw_order(&job->order, making, job->n_classes);
    for (int slot = 0; slot < job->n_classes; slot++) {
        const int class = making[slot];
        slot_of[class] = (uint8_t)slot;
        leak_make(job, kind == WIRE_MAIN || class > 1 ? class : 0, slot);
    }
}

void *leak_base(const struct leak_job *job)
{
    return !job->n_sizes ? job->state : job->structures[job->n_sizes > 1 && job->sizes[0] == 0];
}

/* The least of some readings of one call, so that an interruption is none. */
static double one_call_ticks(struct leak_job *job, void *state)
{
    enum { TRIES = 3 };
    double least = INFINITY;
    for (int i = 0; i < TRIES; i++)
        least = fmin(least, leak_one_call(job, 0, state, false, LEAK_NO_DELAY));
    return fmax(1, least - job->timer.pair_ticks);
}

static void choose_repeats(struct batch *b)
{
    struct leak_job *job = b->job;
    const int asked = job->timer.repeat;
    for (int i = 0; i < job->n_sizes; i++)
        b->repeats[i] = asked;
    if (asked == 1 || !job->n_sizes)
        return;
    job->timer.repeat = 1;
    const double longest = asked * one_call_ticks(job, leak_base(job));
    for (int i = 0; i < job->n_sizes; i++)
        b->repeats[i] = (int)fmax(1, fmin(asked, longest / one_call_ticks(job, job->structures[i])));
    job->timer.repeat = asked;
}

static uint32_t size_ticks(struct batch *b, int size)
{
    struct leak_job *job = b->job;
    struct leak_timer *t = &job->timer;
    const int asked = t->repeat, had = b->repeats[size];
    t->repeat = had;
    const uint32_t ticks = leak_one_call(job, 0, job->structures[size], b->cold, LEAK_NO_DELAY);
    t->repeat = asked;
    if (had == asked || ticks == UINT32_MAX)
        return ticks;
    const double all = fmax(0, (ticks - t->pair_ticks) * asked / had + t->pair_ticks);
    return all < UINT32_MAX ? (uint32_t)lround(all) : UINT32_MAX;
}

static void run_block(struct batch *b, struct shelf *s, bool cold)
{
    struct leak_job *job = b->job;
    const uint8_t *classes = s->keys + (size_t)s->n * s->key_bytes;
    uint32_t *ticks = s->ticks + (size_t)s->n * (size_t)s->k;
    const bool growth = job->n_sizes > 0, sizes = s->kind == WIRE_GROWTH_SIZES;
    uint8_t slot_of[WIRE_CLASSES_MAX] = {0};
    if (job->input.bytes)
        make_inputs(job, s->kind, slot_of);
    b->cold = cold;
    for (int i = 0; i < s->k; i++) {
        const int class = classes[i];
        if (sizes) {
            ticks[i] = size_ticks(b, class);
            continue;
        }
        if (growth && s->kind == WIRE_AA && job->target->touch && !cold) {
            /* What comes before the touch of a call's own structure: that of the largest one for class 1, its own once more for class 0. */
            job->doing = DOING_TOUCH;
            job->target->touch(class ? job->structures[job->n_sizes - 1] : leak_base(job));
            job->doing = DOING_OWN;
        }
        ticks[i] = leak_one_call(job, growth ? 0 : slot_of[class], leak_base(job), cold, delay_in(s->kind, class));
    }
    s->n++;
}

static int class_to_scan(const struct leak_job *job)
{
    for (int i = 0; i < job->n_classes; i++)
        if (strcmp(job->target->classes.names[i], "random") == 0)
            return i;
    return job->target->make ? job->n_classes - 1 : -1;
}

static void make_to_scan(struct batch *b, int slot)
{
    struct leak_job *job = b->job;
    if (b->which >= 0)
        leak_make(job, b->which, slot);
    else
        tare_random_bytes(&job->random, leak_slot(&job->input, slot), job->input.bytes);
}

static void run_scanned(struct batch *b, struct shelf *s, bool cold)
{
    struct leak_job *job = b->job;
    const int first = chacha_bit(&job->order), called = chacha_bit(&job->order), coin = chacha_bit(&job->order);
    const int told = called ^ (s->kind != WIRE_MAIN);
    uint8_t *secret = s->keys + (size_t)s->n * s->key_bytes;
    make_to_scan(b, first);
    make_to_scan(b, !first);
    memcpy(secret, leak_slot(&job->input, told) + b->secret_at, s->key_bytes);
    if (s->kind == WIRE_SPIKE)
        secret[0] = (uint8_t)((secret[0] & ~1) | coin);
    s->ticks[s->n++] = leak_one_call(job, called, job->state, cold, delay_in(s->kind, coin));
}

/* How many of n blocks are of each kind: what is owed of a share that is no whole number is carried on. */
static void share_out(struct batch *b, int n, int of_kind[KINDS])
{
    const double share = b->job->q->selfcheck / 100.0;
    const double shares[KINDS] = {0, share, b->job->timer.adds ? share : 0};
    of_kind[0] = n;
    for (int kind = 1; kind < KINDS; kind++) {
        b->owed[kind] += n * shares[kind];
        of_kind[kind] = b->owed[kind] < of_kind[0] ? (int)b->owed[kind] : of_kind[0];
        b->owed[kind] -= of_kind[kind];
        of_kind[0] -= of_kind[kind];
    }
}

static void draw_batch(struct batch *b, int n)
{
    struct leak_job *job = b->job;
    int of_kind[KINDS], at = 0;
    share_out(b, n, of_kind);
    for (int kind = 0; kind < KINDS; kind++) {
        struct shelf *s = &b->shelves[kind];
        for (int i = 0; i < of_kind[kind]; i++) {
            b->turns[at++] = (uint8_t)kind;
            if (!is_scan(b))
                draw_order(&job->order, s->keys + (size_t)i * s->key_bytes, s->k);
        }
        s->n = 0;
    }
    b->n = at;
    chacha_shuffle(&job->order, b->turns, at);
    const enum wire_cache cache = job->q->cache;
    for (int i = 0; i < at; i++)
        if (cache == WIRE_COLD || (cache == WIRE_RANDOM && chacha_bit(&job->order)))
            b->turns[i] |= COLD;
}

/* Nothing in here but the blocks: no system, no memory that is not there. What a block takes falls by half at most: a few blocks may all be
 * self-checks, of two calls at the smallest size, and one of all sizes takes a thousand times as long. */
static void run_batch(struct batch *b)
{
    leak_phase_calibrate(&b->job->timer);
    b->start_ns = leak_elapsed_ns(b->job);
    void (*const run)(struct batch * b, struct shelf * s, bool cold) = is_scan(b) ? run_scanned : run_block;
    for (int i = 0; i < b->n; i++)
        run(b, &b->shelves[b->turns[i] & ~COLD], b->turns[i] & COLD);
    int64_t took = leak_elapsed_ns(b->job) - b->start_ns;
    b->block_ns = took / b->n > b->block_ns / 2 ? took / b->n : b->block_ns / 2;
    b->block_ns = b->block_ns > 0 ? b->block_ns : 1;
    b->done += b->n;
}

static void write_shelf(const struct batch *b, const struct shelf *s)
{
    struct buf *out = b->job->out;
    const uint32_t target = b->job->index, n = (uint32_t)s->n, repeat = (uint32_t)b->job->timer.repeat;
    if (is_scan(b))
        wire_put_calls(out,
                       &(struct wire_calls){.target = target,
                                            .n = n,
                                            .secret_bytes = (uint32_t)s->key_bytes,
                                            .start_ns = b->start_ns,
                                            .repeat = repeat,
                                            .kind = s->kind},
                       s->keys, s->ticks);
    else
        wire_put_blocks(
            out,
            &(struct wire_blocks){
                .target = target, .kind = s->kind, .k = (uint32_t)s->k, .n = n, .start_ns = b->start_ns, .repeat = repeat},
            s->keys, s->ticks);
}

/* What a block of each kind is, and how many there is room for. */
static void lay_out(struct batch *b)
{
    const struct leak_job *job = b->job;
    const int k = job->n_sizes ? job->n_sizes : job->n_classes;
    b->shelves[0] = (struct shelf){.kind = job->n_sizes ? WIRE_GROWTH_SIZES : WIRE_MAIN, .k = k, .key_bytes = (size_t)k};
    b->shelves[1] = (struct shelf){.kind = WIRE_AA, .k = 2, .key_bytes = 2};
    b->shelves[2] = (struct shelf){.kind = WIRE_SPIKE, .k = 2, .key_bytes = 2};
    if (!is_scan(b)) {
        b->room = BLOCK_CALLS_MAX / k;
        return;
    }
    uint32_t bytes;
    const uint32_t asked = ((uint32_t)job->q->bits + 7) / 8;
    b->secret_at = leak_secret_at(job->target, &bytes);
    bytes = asked && asked < bytes ? asked : bytes;
    for (int i = 0; i < KINDS; i++) {
        b->shelves[i].k = 1;
        b->shelves[i].key_bytes = bytes;
    }
    b->room = SECRETS_MAX / bytes < SCAN_CALLS_MAX ? (int)(SECRETS_MAX / bytes) : SCAN_CALLS_MAX;
    b->which = class_to_scan(job);
}

static bool open_batch(struct batch *b)
{
    lay_out(b);
    b->turns = calloc((size_t)b->room, 1);
    bool good = b->turns != NULL;
    for (int i = 0; i < KINDS; i++) {
        struct shelf *s = &b->shelves[i];
        const size_t keys = (size_t)b->room * s->key_bytes, ticks = (size_t)b->room * (size_t)s->k * sizeof *s->ticks;
        s->keys = malloc(keys);
        s->ticks = malloc(ticks);
        if (!s->keys || !s->ticks) {
            good = false;
            continue;
        }
        memset(s->keys, 1, keys); /* the pages are there */
        memset(s->ticks, 1, ticks);
    }
    return good;
}

static void close_batch(struct batch *b)
{
    for (int i = 0; i < KINDS; i++) {
        free(b->shelves[i].keys);
        free(b->shelves[i].ticks);
    }
    free(b->turns);
}

/* Of a length in time, as far as room, limit and what is left of the time allow; 0: it is over. */
static int next_blocks(const struct batch *b, int64_t batch_ns)
{
    const struct leak_job *job = b->job;
    int64_t left_ns = leak_time_ns(job) - leak_elapsed_ns(job);
    int64_t n = (left_ns < batch_ns ? left_ns : batch_ns) / b->block_ns;
    if (n < 1) /* longer than a batch, by itself or because it was interrupted: there may be time for one more */
        n = !b->done || left_ns >= b->block_ns;
    if (job->limit && n > job->limit - b->done)
        n = job->limit - b->done;
    return n < b->room ? (int)n : b->room;
}

/* What caches, predictors and the code's own first calls do is over then; nothing of it is kept. The first batch's blocks are counted by the longest of
 * these; of a scan, whose calls are alike, by the shortest: one that was interrupted would make the batch short, and its orders others than the seed's. */
static void warm_up(struct batch *b)
{
    const int64_t until = leak_elapsed_ns(b->job) + WARMUP_NS;
    int64_t longest_ns = 1, shortest_ns = INT64_MAX;
    do {
        draw_batch(b, 1);
        run_batch(b);
        longest_ns = b->block_ns > longest_ns ? b->block_ns : longest_ns;
        shortest_ns = b->block_ns < shortest_ns ? b->block_ns : shortest_ns;
    } while (b->done < WARMUP_BLOCKS && leak_elapsed_ns(b->job) < until);
    b->block_ns = is_scan(b) ? shortest_ns : longest_ns;
    b->done = 0;
    memset(b->owed, 0, sizeof b->owed);
    leak_start_over(b->job);
}

void leak_blocks(struct leak_job *job)
{
    struct batch b = {.job = job, .block_ns = 1};
    if (!open_batch(&b)) {
        leak_end(job, WIRE_FAILED, "no memory for the times of its calls");
        close_batch(&b);
        return;
    }
    choose_repeats(&b);
    warm_up(&b);
    for (int n; !job->status && (n = next_blocks(&b, BATCH_NS)) > 0;) {
        draw_batch(&b, n);
        run_batch(&b);
        for (int i = 0; i < KINDS; i++)
            if (b.shelves[i].n)
                write_shelf(&b, &b.shelves[i]);
        b.job->status = b.job->flush(b.job->flush_context);
    }
    if (b.done < 2 && job->limit != 1 && !is_scan(&b))
        job->facts |= WIRE_TOO_SLOW;
    close_batch(&b);
}
