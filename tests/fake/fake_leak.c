/* SPDX-License-Identifier: MIT
 *
 * Scripted leak targets: what a process of one sends, by the record of wire.h. A batch of blocks in drawn order; the time of a call is a draw
 * of its class's model, at 2 ticks a nanosecond and 3 cycles a nanosecond.
 */
#include "fake_parts.h"
#include "fake_reading.h"
#include "wire.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 4000, PAIR_TICKS = 40, SECRET_BYTES = 4 };

static const double TICKS_PER_NS = 2, CYCLES_PER_NS = 3;
static const int64_t SIZES[] = {0, 1, 16, 256, 4096, 65536};
enum { N_SIZES = sizeof SIZES / sizeof *SIZES };

/* ---- the script ---- */

static bool read_models(struct reading *r, struct fake_leak *l)
{
    if (!fake_words_model(&r->w, "ns", &l->ns[0]))
        return false;
    l->n_classes = 1;
    while (fake_words_accept(&r->w, "against")) {
        if (l->n_classes == FAKE_CLASSES)
            return fake_words_fault(&r->w, "more than %d classes", FAKE_CLASSES);
        if (!fake_words_model(&r->w, "ns", &l->ns[l->n_classes++]))
            return false;
    }
    if (fake_words_accept(&r->w, "element"))
        return fake_words_quantity(&r->w, "ns", &l->element_ns);
    if (fake_words_accept(&r->w, "bit"))
        return fake_words_integer(&r->w, "a bit", 0, 8 * SECRET_BYTES - 1, &l->bit) &&
               fake_words_quantity(&r->w, "ns", &l->bit_ns) &&
               (!fake_words_accept(&r->w, "each") || fake_words_quantity(&r->w, "ns", &l->weight_ns));
    return l->n_classes > 1 || fake_words_fault(&r->w, "a target has two classes (against), sizes (element) or a secret (bit)");
}

bool fake_program_leak(struct reading *r)
{
    struct fake_leak *l = append(r, &r->program->leaks);
    char *name;
    if (!l || !fake_words_text(&r->w, "a target", &name))
        return false;
    l->name = name;
    l->harness_ns = 0;
    r->program->wire = r->program->wire ? r->program->wire : WIRE_VERSION;
    if (fake_words_accept(&r->w, "fails"))
        return fake_words_text(&r->w, "the reason", &name) && (l->fails = name) != NULL;
    if (fake_words_accept(&r->w, "broken")) {
        l->broken = true;
        return fake_words_text(&r->w, "the reason", &name) && (l->fails = name) != NULL;
    }
    if (fake_words_accept(&r->w, "equal")) {
        l->fails = "the classes zeros and ones gave the same input 16 times: they cannot be distinguished";
        l->facts = WIRE_EQUAL_CLASSES;
        return true;
    }
    if (fake_words_accept(&r->w, "undetermined"))
        l->facts = WIRE_NOT_DETERMINISTIC;
    if (fake_words_accept(&r->w, "blind"))
        l->blind = true;
    if (fake_words_accept(&r->w, "hides") && !fake_words_quantity(&r->w, "ns", &l->hidden_ns))
        return false;
    if (fake_words_accept(&r->w, "harness") && !fake_words_quantity(&r->w, "ns", &l->harness_ns))
        return false;
    if (fake_words_accept(&r->w, "dies") && !fake_words_integer(&r->w, "the process", 1, INT32_MAX, &l->dies_at))
        return false;
    return read_models(r, l);
}

/* ---- the answer ---- */

static const char *const CLASSES[FAKE_CLASSES] = {"equal", "random", "zero", "ones"};

void fake_leak_target(struct buf *out, const struct fake_leak *l, uint32_t index)
{
    bool growth = l->element_ns != 0;
    struct wire_target t = {.index = index,
                            .name = l->name,
                            .file = "fake.c",
                            .line = index + 1,
                            .flags = growth                         ? WIRE_TARGET_GROWTH
                                     : l->n_classes > 1 || l->fails ? WIRE_TARGET_CLASSES
                                                                    : 0u,
                            .input_bytes = growth || l->broken ? 0 : 32,
                            .secret_bytes = growth || l->broken ? 0 : SECRET_BYTES,
                            .n_classes = growth || l->broken ? 0
                                         : l->fails          ? 2
                                         : l->n_classes > 1  ? (uint32_t)l->n_classes
                                                             : 0,
                            .n_sizes = growth ? N_SIZES : 0,
                            .dit = WIRE_DIT_ABSENT,
                            .dit_words = "",
                            .trouble = l->broken ? l->fails : ""};
    for (uint32_t i = 0; i < t.n_classes; i++)
        t.classes[i] = CLASSES[i];
    memcpy(t.sizes, SIZES, sizeof SIZES);
    wire_put_target(out, &t);
}

struct batch {
    struct fake_program *p;
    struct fake_leak *l;
    const struct wire_request *q;
    uint32_t index;
    uint64_t calls;
};

static uint32_t ticks(double ns)
{
    return (uint32_t)llrint(fmax(0, ns) * TICKS_PER_NS) + PAIR_TICKS;
}

/* What is seen of a planted delay: the call runs beside the first of it. */
static double planted_ns(const struct batch *b)
{
    return b->l->blind ? 0 : fmax(0, b->q->spike_ns - b->l->hidden_ns);
}

static double time_of(const struct batch *b, enum wire_blocks_kind kind, int class)
{
    struct fake_leak *l = b->l;
    double ns = fake_model_draw(&l->ns[kind == WIRE_MAIN ? class : 0], &b->p->rng, l->processes, 0);
    if (kind == WIRE_GROWTH_SIZES)
        ns += l->element_ns * (double)SIZES[class] + (class == N_SIZES - 1 ? l->harness_ns : 0);
    if (kind == WIRE_SPIKE && class)
        ns += planted_ns(b);
    if (kind == WIRE_AA && class)
        ns += l->harness_ns;
    return ns;
}

static void put_blocks(struct buf *out, struct batch *b, enum wire_blocks_kind kind, int k, int n)
{
    uint8_t *class = malloc((size_t)(n * k) + 1);
    uint32_t *at = malloc(((size_t)(n * k) + 1) * sizeof *at);
    for (int i = 0; class && at && i < n; i++) {
        int order[WIRE_SIZES_MAX];
        for (int place = 0; place < k; place++)
            order[place] = place;
        rng_shuffle(&b->p->rng, order, k);
        for (int place = 0; place < k; place++) {
            class[i * k + place] = (uint8_t)order[place];
            at[i * k + place] = ticks(time_of(b, kind, order[place]));
        }
    }
    const struct wire_blocks w = {.target = b->index, .kind = kind, .k = (uint32_t)k, .n = (uint32_t)n, .repeat = 1};
    if (class && at && n)
        wire_put_blocks(out, &w, class, at);
    b->calls += (uint64_t)(n * k);
    free(class);
    free(at);
}

static double time_of_scanned(const struct batch *b, enum wire_blocks_kind kind, const uint8_t *secret)
{
    struct fake_leak *l = b->l;
    double ns = fake_model_draw(&l->ns[0], &b->p->rng, l->processes, 0);
    if (kind == WIRE_MAIN && secret[l->bit / 8] >> l->bit % 8 & 1)
        ns += l->bit_ns;
    if (kind == WIRE_MAIN) /* with every bit, of all */
        for (int i = 0; i < 8 * SECRET_BYTES; i++)
            ns += secret[i / 8] >> i % 8 & 1 ? l->weight_ns : 0;
    if (kind == WIRE_SPIKE && (secret[0] & 1))
        ns += planted_ns(b);
    if (kind != WIRE_SPIKE && (secret[0] & 1)) /* by the making of it */
        ns += l->harness_ns;
    return ns;
}

static void put_calls(struct buf *out, struct batch *b, enum wire_blocks_kind kind, int n)
{
    uint8_t *secret = malloc((size_t)n * SECRET_BYTES + 1);
    uint32_t *at = malloc(((size_t)n + 1) * sizeof *at);
    for (int i = 0; secret && at && i < n; i++) {
        uint64_t bits = rng_next(&b->p->rng);
        memcpy(secret + (size_t)i * SECRET_BYTES, &bits, SECRET_BYTES);
        at[i] = ticks(time_of_scanned(b, kind, secret + (size_t)i * SECRET_BYTES));
    }
    const struct wire_calls w = {.target = b->index, .n = (uint32_t)n, .secret_bytes = SECRET_BYTES, .repeat = 1, .kind = kind};
    if (secret && at && n)
        wire_put_calls(out, &w, secret, at);
    b->calls += (uint64_t)n;
    free(secret);
    free(at);
}

static void put_batch(struct buf *out, struct batch *b, uint64_t most)
{
    const int percent = 100 + 2 * b->q->selfcheck; /* of all kinds together, where the question has 100 */
    const bool limited = most && most < (uint64_t)(BLOCKS * percent / 100);
    const int check = (limited ? (int)most * 100 / percent : BLOCKS) * b->q->selfcheck / 100;
    const int n = limited ? (int)most - 2 * check : BLOCKS;
    if (b->q->leak_kind == WIRE_SCAN) {
        put_calls(out, b, WIRE_MAIN, n);
        put_calls(out, b, WIRE_AA, check);
        if (b->q->spike_ns > 0)
            put_calls(out, b, WIRE_SPIKE, check);
        return;
    }
    bool growth = b->q->leak_kind == WIRE_GROWTH;
    put_blocks(out, b, growth ? WIRE_GROWTH_SIZES : WIRE_MAIN, growth ? N_SIZES : b->l->n_classes, growth ? n / 4 : n);
    put_blocks(out, b, WIRE_AA, 2, growth ? check / 4 : check);
    if (b->q->spike_ns > 0)
        put_blocks(out, b, WIRE_SPIKE, 2, growth ? check / 4 : check);
}

bool fake_leak_run(struct buf *out, struct fake_program *p, struct fake_leak *l, uint32_t index, const struct wire_request *q,
                   uint64_t most)
{
    struct batch b = {p, l, q, index, 0};
    fake_leak_target(out, l, index);
    if (++l->processes == l->dies_at)
        return false;
    if (!l->fails)
        put_batch(out, &b, most);
    p->measured_ns = (double)q->leak_ns;
    const struct wire_target_end end = {
        .target = index,
        .state = l->fails ? WIRE_FAILED : WIRE_OK,
        .reason = l->fails ? l->fails : "",
        .remark = "",
        .facts = l->facts,
        .repeat = 1,
        .pair_ticks = PAIR_TICKS,
        .spike_ticks = q->spike_ns > 0 ? q->spike_ns * TICKS_PER_NS : NAN,
        .spike_cycles = q->spike_ns > 0 ? q->spike_ns * CYCLES_PER_NS : NAN,
        .calls = b.calls,
        .elapsed_ns = q->leak_ns,
        .account = {WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE}};
    wire_put_target_end(out, &end);
    return true;
}
