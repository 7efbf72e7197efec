/* SPDX-License-Identifier: MIT
 *
 * wire_frame.h - the form of a frame of wire.h, for wire_write.c, which measured programs are linked with, and wire.c, which reads.
 *
 * Each frame's fields are named once, in wire_write.c, in the order of its payload: writer and reader walk over the same list. What is no field (rows of
 * samples, the bytes of blocks and calls) both do by hand.
 * The checksum is FNV-1a of 32 bits: it is there to tell a torn or overwritten frame from a whole one, not to resist anybody.
 */
#ifndef WIRE_FRAME_H
#define WIRE_FRAME_H

#include "wire.h"

enum { HEAD = 16, CHECKSUM_AT = 12 };

static const uint8_t MAGIC[4] = {'t', 'W', 'r', 1};

/* How a member is written, and what a reader takes. */
enum wire_form {
    FORM_END,    /* of the list */
    FORM_U32,    /* also enums: below `limit`, where that is not 0 */
    FORM_FLAG,   /* bool as u32: 0 or 1 */
    FORM_64,     /* `limit` of int64_t or uint64_t in a row */
    FORM_DOUBLE, /* likewise; any */
    FORM_FINITE, /* likewise */
    FORM_TEXT,   /* const char *, of at most `limit` bytes */
    FORM_LIST /* u32 at `count`, below `limit`, and an array of so many `items`, `stride` bytes each. limit 0: the number came before */
};

struct wire_field {
    uint8_t form; /* enum wire_form */
    uint16_t offset, limit, count, stride;
    const struct wire_field *items;
};

extern const struct wire_field *const wire_fields[WIRE_TYPES]; /* of BLOCKS, CALLS and SAMPLES those before their bytes */

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

#endif
