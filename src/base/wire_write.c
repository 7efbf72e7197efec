/* SPDX-License-Identifier: MIT
 *
 * The frames of wire.h that every program with benchmarks writes. Those of leak targets are in wire.c.
 */
#include "wire_frame.h"

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
