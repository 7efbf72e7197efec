/* SPDX-License-Identifier: MIT
 *
 * fnv.h - FNV-1a of 64 bits.
 *
 *     uint64_t hash = fnv1a64(FNV1A64_EMPTY, bytes, n);
 *     hash = fnv1a64(hash, more, m);                       // of both, one behind the other
 *
 * It finds changed and truncated content; it does not protect against forgery.
 */
#ifndef FNV_H
#define FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV1A64_EMPTY UINT64_C(0xcbf29ce484222325)

static inline uint64_t fnv1a64(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
