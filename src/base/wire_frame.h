/* SPDX-License-Identifier: MIT
 *
 * wire_frame.h - the form of a frame of wire.h, for wire_write.c, which measured programs are linked with, and wire.c, which reads.
 *
 * The checksum is FNV-1a of 32 bits: it is there to tell a torn or overwritten frame from a whole one, not to resist anybody.
 */
#ifndef WIRE_FRAME_H
#define WIRE_FRAME_H

#include "wire.h"

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

#endif
