/* SPDX-License-Identifier: MIT
 *
 * The frames of wire.h as measured programs write them: every frame is made between frame_begin and frame_end.
 */
#include "wire_frame.h"
#include <string.h>

static void put_number(struct buf *out, uint64_t value, int bytes)
{
    char raw[8];
    for (int i = 0; i < bytes; i++)
        raw[i] = (char)(value >> 8 * i);
    buf_add(out, raw, (size_t)bytes);
}

static void put_u32(struct buf *out, uint32_t value)
{
    put_number(out, value, 4);
}

static void put_i64(struct buf *out, int64_t value)
{
    put_number(out, (uint64_t)value, 8);
}

static void put_double(struct buf *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(out, bits, 8);
}

/* Cut to what a reader accepts. */
static void put_text(struct buf *out, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    if (n > WIRE_TEXT_MAX)
        n = WIRE_TEXT_MAX;
    put_u32(out, (uint32_t)n);
    buf_add(out, text ? text : "", n);
    buf_add(out, "", 1);
}

static size_t frame_begin(struct buf *out, enum wire_type type)
{
    size_t at = out->len;
    buf_add(out, MAGIC, sizeof MAGIC);
    put_number(out, type, 2);
    put_number(out, 0, 2);
    put_number(out, 0, 8); /* length and checksum */
    return at;
}

static void set_u32(char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(value >> 8 * i);
}

/* What did not fit leaves nothing behind. */
static void frame_end(struct buf *out, size_t at)
{
    size_t payload = out->len - at - HEAD;
    if (!out->status && payload > WIRE_FRAME_MAX)
        out->status = TARE_TOO_LARGE;
    if (out->status) {
        out->len = at < out->len ? at : out->len;
        return;
    }
    set_u32(out->data + at + 8, (uint32_t)payload);
    set_u32(out->data + at + CHECKSUM_AT, frame_checksum((const uint8_t *)out->data + at, payload));
}

static void put_account(struct buf *out, const struct wire_account *a)
{
    const int64_t values[] = {a->wall_ns,   a->cpu_ns,      a->delay_ns, a->throttled_ns,
                              a->voluntary, a->involuntary, a->minflt,   a->majflt};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        put_i64(out, values[i]);
}

/* ---- benchmarks ---- */

void wire_put_hello(struct buf *out, const struct wire_hello *h)
{
    size_t at = frame_begin(out, WIRE_HELLO);
    put_u32(out, h->version);
    put_text(out, h->library);
    put_i64(out, (int64_t)h->pid);
    put_u32(out, h->benchmarks);
    put_text(out, h->trouble);
    put_u32(out, h->targets);
    put_u32(out, h->taint);
    put_u32(out, h->n_notes);
    for (uint32_t i = 0; i < h->n_notes; i++) {
        put_text(out, h->notes[i].name);
        put_text(out, h->notes[i].text);
    }
    frame_end(out, at);
}

void wire_put_clock(struct buf *out, const struct wire_clock *c)
{
    size_t at = frame_begin(out, WIRE_CLOCK);
    put_text(out, c->name);
    put_text(out, c->source);
    put_double(out, c->hz);
    put_double(out, c->error_ppm);
    put_double(out, c->step_ticks);
    put_double(out, c->pair_ticks);
    put_u32(out, c->counter);
    put_text(out, c->reason);
    put_u32(out, c->core);
    put_text(out, c->no_core);
    put_double(out, c->chain_cycles);
    put_double(out, c->chain_empty_ticks);
    put_double(out, c->chain_ratio);
    put_u32(out, c->difference);
    put_u32(out, c->chain_drawn);
    frame_end(out, at);
}

void wire_put_bench(struct buf *out, const struct wire_bench *b)
{
    size_t at = frame_begin(out, WIRE_BENCH);
    put_u32(out, b->index);
    put_text(out, b->name);
    put_text(out, b->group);
    put_text(out, b->file);
    put_u32(out, b->line);
    put_u32(out, b->flags);
    put_u32(out, b->threads);
    put_u32(out, b->n_args);
    for (uint32_t i = 0; i < b->n_args; i++) {
        put_text(out, b->args[i].name);
        put_i64(out, b->args[i].value);
        put_text(out, b->args[i].word);
    }
    frame_end(out, at);
}

void wire_put_end(struct buf *out, const struct wire_end *e)
{
    size_t at = frame_begin(out, WIRE_END);
    put_u32(out, e->bench);
    put_u32(out, e->state);
    put_text(out, e->reason);
    put_text(out, e->remark);
    put_i64(out, (int64_t)e->iterations);
    put_double(out, e->items);
    put_double(out, e->bytes);
    put_i64(out, e->peak_bytes);
    put_i64(out, e->before_bytes);
    put_account(out, &e->account);
    put_double(out, e->scaling);
    put_double(out, e->lone_ticks);
    put_double(out, e->floor_ticks);
    put_u32(out, e->n_counters);
    for (uint32_t i = 0; i < e->n_counters; i++) {
        put_text(out, e->counters[i].name);
        put_text(out, e->counters[i].unit);
        put_double(out, e->counters[i].value);
        put_u32(out, e->counters[i].per);
    }
    put_text(out, e->label);
    for (uint32_t i = 0; i < e->n_counters; i++)
        put_u32(out, e->counters[i].inverted);
    frame_end(out, at);
}

void wire_put_bye(struct buf *out, const struct wire_bye *b)
{
    size_t at = frame_begin(out, WIRE_BYE);
    put_double(out, b->drift_ppm);
    put_double(out, b->drift_bound_ppm);
    put_u32(out, b->backwards);
    put_u32(out, b->benchmarks);
    frame_end(out, at);
}

void wire_put_samples(struct buf *out, uint32_t bench, uint32_t thread, uint32_t n, const int64_t *const columns[WIRE_COLUMNS_N])
{
    size_t at = frame_begin(out, WIRE_SAMPLES);
    uint32_t there = 0;
    for (int i = 0; i < WIRE_COLUMNS_N; i++)
        there += columns[i] != NULL;
    put_u32(out, bench);
    put_u32(out, thread);
    put_u32(out, n);
    put_u32(out, there);
    for (int i = 0; i < WIRE_COLUMNS_N; i++) {
        if (!columns[i])
            continue;
        put_number(out, (uint64_t)i, 2);
        for (uint32_t row = 0; row < n; row++)
            put_i64(out, columns[i][row]);
    }
    frame_end(out, at);
}

/* ---- writing, leaks ---- */

/* ---- leak targets ---- */

void wire_put_target(struct buf *out, const struct wire_target *t)
{
    size_t at = frame_begin(out, WIRE_TARGET);
    put_u32(out, t->index);
    put_text(out, t->name);
    put_text(out, t->file);
    put_u32(out, t->line);
    put_u32(out, t->flags);
    put_u32(out, t->input_bytes);
    put_u32(out, t->secret_at);
    put_u32(out, t->secret_bytes);
    put_u32(out, t->n_classes);
    for (uint32_t i = 0; i < t->n_classes; i++)
        put_text(out, t->classes[i]);
    put_u32(out, t->n_sizes);
    for (uint32_t i = 0; i < t->n_sizes; i++)
        put_i64(out, t->sizes[i]);
    put_u32(out, t->dit);
    put_text(out, t->dit_words);
    put_text(out, t->trouble);
    frame_end(out, at);
}

static void put_ticks(struct buf *out, const uint32_t *ticks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_u32(out, ticks[i]);
}

void wire_put_blocks(struct buf *out, const struct wire_blocks *b, const uint8_t *classes, const uint32_t *ticks)
{
    size_t at = frame_begin(out, WIRE_BLOCKS), calls = (size_t)b->n * b->k;
    put_u32(out, b->target);
    put_u32(out, b->kind);
    put_u32(out, b->k);
    put_u32(out, b->n);
    put_i64(out, b->start_ns);
    put_u32(out, b->repeat);
    buf_add(out, classes, calls);
    put_ticks(out, ticks, calls);
    frame_end(out, at);
}

void wire_put_calls(struct buf *out, const struct wire_calls *c, const uint8_t *secrets, const uint32_t *ticks)
{
    size_t at = frame_begin(out, WIRE_CALLS);
    put_u32(out, c->target);
    put_u32(out, c->n);
    put_u32(out, c->secret_bytes);
    put_i64(out, c->start_ns);
    put_u32(out, c->repeat);
    buf_add(out, secrets, (size_t)c->n * c->secret_bytes);
    put_ticks(out, ticks, c->n);
    put_u32(out, c->kind);
    frame_end(out, at);
}

void wire_put_target_end(struct buf *out, const struct wire_target_end *e)
{
    size_t at = frame_begin(out, WIRE_TARGET_END);
    put_u32(out, e->target);
    put_u32(out, e->state);
    put_text(out, e->reason);
    put_text(out, e->remark);
    put_u32(out, e->facts);
    put_u32(out, e->checked);
    put_u32(out, e->repeat);
    put_double(out, e->pair_ticks);
    put_double(out, e->spike_ticks);
    put_double(out, e->spike_cycles);
    put_i64(out, (int64_t)e->calls);
    put_i64(out, (int64_t)e->saturated);
    put_i64(out, (int64_t)e->migrated);
    put_i64(out, e->elapsed_ns);
    put_account(out, &e->account);
    put_double(out, e->core_hz);
    frame_end(out, at);
}
