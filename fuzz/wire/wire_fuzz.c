/* SPDX-License-Identifier: MIT
 *
 * A record of any bytes: what the reader hands out lies within them, and can be written again. The first byte chooses: even, the rest is a record
 * whose checksums are put right, so that the fields are reached; odd, it is a record as it is, and then a request.
 */
#include "wire.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

static uint32_t u32_at(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t checksum(uint32_t h, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ bytes[i]) * 16777619u;
    return h;
}

static void put_right(uint8_t *bytes, size_t size)
{
    enum { HEAD = 16 };
    size_t at = 0;
    while (size - at >= HEAD) {
        size_t payload = u32_at(bytes + at + 8);
        if (payload > size - at - HEAD)
            return;
        memcpy(bytes + at, "tWr\1", 4);
        uint32_t h = checksum(checksum(2166136261u, bytes + at + 4, 8), bytes + at + HEAD, payload);
        for (int i = 0; i < 4; i++)
            bytes[at + 12 + (size_t)i] = (uint8_t)(h >> 8 * i);
        at += HEAD + payload;
    }
}

static void check_samples(const struct wire_samples *s)
{
    for (int c = 0; c < WIRE_COLUMNS_N; c++) {
        wire_sample(s, (enum wire_column)c, 0);
        if (s->n)
            wire_sample(s, (enum wire_column)c, s->n - 1);
        if (wire_sample(s, (enum wire_column)c, s->n) != WIRE_NONE)
            fail("a row that is not there has a value");
    }
}

static uint32_t *ticks_of(const void *ticks, size_t n)
{
    uint32_t *copy = malloc(n ? n * sizeof *copy : 1);
    if (!copy)
        exit(0);
    wire_ticks_copy(ticks, n, copy);
    if (n && wire_ticks_at(ticks, n - 1) != copy[n - 1])
        fail("two ways to read a time differ");
    return copy;
}

static void write_blocks(const struct wire_blocks *b, struct buf *out)
{
    uint32_t *ticks = ticks_of(b->ticks, (size_t)b->n * b->k);
    wire_put_blocks(out, b, b->classes, ticks);
    free(ticks);
}

static void write_calls(const struct wire_calls *c, struct buf *out)
{
    uint32_t *ticks = ticks_of(c->ticks, c->n);
    wire_put_calls(out, c, c->secrets, ticks);
    free(ticks);
}

static void write_again(const struct wire_frame *f, struct buf *out)
{
    switch (f->type) {
    case WIRE_HELLO:
        wire_put_hello(out, &f->u.hello);
        break;
    case WIRE_CLOCK:
        wire_put_clock(out, &f->u.clock);
        break;
    case WIRE_BENCH:
        wire_put_bench(out, &f->u.bench);
        break;
    case WIRE_SAMPLES:
        check_samples(&f->u.samples);
        break;
    case WIRE_END:
        wire_put_end(out, &f->u.end);
        break;
    case WIRE_BYE:
        wire_put_bye(out, &f->u.bye);
        break;
    case WIRE_TARGET:
        wire_put_target(out, &f->u.target);
        break;
    case WIRE_BLOCKS:
        write_blocks(&f->u.blocks, out);
        break;
    case WIRE_CALLS:
        write_calls(&f->u.calls, out);
        break;
    case WIRE_TARGET_END:
        wire_put_target_end(out, &f->u.target_end);
        break;
    case WIRE_TYPES:
        break;
    }
}

static void read_record(const void *bytes, size_t size)
{
    struct wire_reader r = {bytes, size, 0}, again;
    struct wire_frame f, g;
    struct buf out = BUF_INIT(1 << 20);
    size_t before = 0;
    while (wire_next(&r, &f, NULL) == TARE_OK) {
        if (r.at <= before || r.at > size)
            fail("the reader did not move forward within the bytes");
        before = r.at;
        buf_clear(&out);
        write_again(&f, &out);
        again = (struct wire_reader){out.data, out.len, 0};
        if (out.len && (wire_next(&again, &g, NULL) != TARE_OK || g.type != f.type || again.at != out.len))
            fail("a frame that was read cannot be written and read again");
    }
    if (r.at != before)
        fail("a refused frame moved the reader");
    buf_finish(&out);
}

static void read_request(const char *text)
{
    struct wire_request q;
    struct wire_run run;
    if (wire_request_read(text, &q, NULL))
        return;
    for (size_t at = 0, n = 0; wire_request_run(&q, &at, &run); n++)
        if (run.name < text || run.name + run.size > text + strlen(text) || n > strlen(text))
            fail("a run lies outside of the request");
    wire_request_wants(&q, "sort/100");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    uint8_t *copy = malloc(size); /* exactly as long, so that a sanitizer sees every step beyond */
    if (!copy)
        return 0;
    memcpy(copy, data + 1, size - 1);
    copy[size - 1] = 0;
    if (data[0] % 2 == 0)
        put_right(copy, size - 1);
    read_record(copy, size - 1);
    if (data[0] % 2)
        read_request((const char *)copy);
    free(copy);
    return 0;
}
