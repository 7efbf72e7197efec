/* SPDX-License-Identifier: MIT */
#include "sha2.h"
#include <string.h>

/* Fractions of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

static uint32_t big_endian(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The eight variables of a round are not moved: the next round has each in another place. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                                                 \
    do {                                                                                                 \
        h += (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + (g ^ (e & (f ^ g))) + constants[i] + w[i]; \
        d += h;                                                                                          \
        h += (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) | (c & (a | b)));                 \
    } while (0)

static void take_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64];
    for (int i = 0; i < 16; i++)
        w[i] = big_endian(block + 4 * (ptrdiff_t)i);
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + (turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
               (turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i += 8) {
        ROUND(a, b, c, d, e, f, g, h, i);
        ROUND(h, a, b, c, d, e, f, g, i + 1);
        ROUND(g, h, a, b, c, d, e, f, i + 2);
        ROUND(f, g, h, a, b, c, d, e, i + 3);
        ROUND(e, f, g, h, a, b, c, d, i + 4);
        ROUND(d, e, f, g, h, a, b, c, i + 5);
        ROUND(c, d, e, f, g, h, a, b, i + 6);
        ROUND(b, c, d, e, f, g, h, a, i + 7);
    }
    const uint32_t after[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++)
        state[i] += after[i];
}

struct sha256 sha256_begin(void)
{
    /* fractions of the square roots of the first eight primes */
    return (struct sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *s, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    const size_t used = s->bytes % 64, room = 64 - used;
    s->bytes += n;
    if (n < room) {
        if (n)
            memcpy(s->block + used, p, n);
        return;
    }
    if (used) {
        memcpy(s->block + used, p, room);
        take_block(s->state, s->block);
        p += room, n -= room;
    }
    for (; n >= 64; p += 64, n -= 64)
        take_block(s->state, p);
    if (n)
        memcpy(s->block, p, n);
}

void sha256_text(const struct sha256 *s, char out[SHA256_TEXT])
{
    static const unsigned char padding[64] = {0x80};
    const uint64_t bits = s->bytes * 8;
    const size_t used = s->bytes % 64;
    struct sha256 t = *s;
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(&t, padding, used < 56 ? 56 - used : 120 - used);
    sha256_add(&t, length, sizeof length);
    for (int i = 0; i < 64; i++)
        out[i] = "0123456789abcdef"[t.state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    out[64] = 0;
}

void sha256_digits(const void *bytes, size_t n, char *out, size_t room)
{
    char all[SHA256_TEXT];
    struct sha256 s = sha256_begin();
    sha256_add(&s, bytes, n);
    sha256_text(&s, all);
    memcpy(out, all, room - 1);
    out[room - 1] = 0;
}
