/* SPDX-License-Identifier: MIT
 *
 * wire_frame.h - what the files that write frames of wire.h share with the one that reads them: head, checksum, numbers and texts. For them alone;
 * here, so that a program is given the writers that it needs and no others.
 *
 *     size_t at = frame_begin(out, WIRE_BYE);
 *     put_u32(out, ...);
 *     frame_end(out, at);
 *
 * The checksum is FNV-1a of 32 bits: it is there to tell a torn or overwritten frame from a whole one, not to resist anybody.
 */
#ifndef WIRE_FRAME_H
#define WIRE_FRAME_H

#include "wire.h"
#include <string.h>

enum { HEAD = 16, CHECKSUM_AT = 12 };

static const uint8_t MAGIC[4] = {'t', 'W', 'r', 1};

static inline uint32_t checksum(uint32_t h, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ bytes[i]) * 16777619u;
    return h;
}

/* Of type, zero and length, then the payload. */
static inline uint32_t frame_checksum(const uint8_t *frame, size_t payload)
{
    return checksum(checksum(2166136261u, frame + 4, 8), frame + HEAD, payload);
}

static inline void put_number(struct buf *out, uint64_t value, int bytes)
{
    char raw[8];
    for (int i = 0; i < bytes; i++)
        raw[i] = (char)(value >> 8 * i);
    buf_add(out, raw, (size_t)bytes);
}

static inline void put_u32(struct buf *out, uint32_t value)
{
    put_number(out, value, 4);
}

static inline void put_i64(struct buf *out, int64_t value)
{
    put_number(out, (uint64_t)value, 8);
}

static inline void put_double(struct buf *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(out, bits, 8);
}

/* Cut to what a reader accepts. */
static inline void put_text(struct buf *out, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    if (n > WIRE_TEXT_MAX)
        n = WIRE_TEXT_MAX;
    put_u32(out, (uint32_t)n);
    buf_add(out, text ? text : "", n);
    buf_add(out, "", 1);
}

static inline size_t frame_begin(struct buf *out, enum wire_type type)
{
    size_t at = out->len;
    buf_add(out, MAGIC, sizeof MAGIC);
    put_number(out, type, 2);
    put_number(out, 0, 2);
    put_number(out, 0, 8); /* length and checksum */
    return at;
}

static inline void set_u32(char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(value >> 8 * i);
}

/* What did not fit leaves nothing behind. */
static inline void frame_end(struct buf *out, size_t at)
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

static inline void put_account(struct buf *out, const struct wire_account *a)
{
    const int64_t values[] = {a->wall_ns,   a->cpu_ns,      a->delay_ns, a->throttled_ns,
                              a->voluntary, a->involuntary, a->minflt,   a->majflt};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        put_i64(out, values[i]);
}

#endif
