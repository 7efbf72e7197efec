/* SPDX-License-Identifier: MIT */
#include "chacha.h"
#include <string.h>

enum { DOUBLE_ROUNDS = 10, COUNTER = 12 };

static uint32_t rotated(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

static void quarter(uint32_t *x, int a, int b, int c, int d)
{
    x[a] += x[b];
    x[d] = rotated(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = rotated(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = rotated(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = rotated(x[b] ^ x[c], 7);
}

void chacha_block(const uint32_t in[16], uint32_t out[16])
{
    uint32_t x[16];
    memcpy(x, in, sizeof x);
    for (int i = 0; i < DOUBLE_ROUNDS; i++) {
        for (int column = 0; column < 4; column++)
            quarter(x, column, 4 + column, 8 + column, 12 + column);
        for (int diagonal = 0; diagonal < 4; diagonal++)
            quarter(x, diagonal, 4 + (diagonal + 1) % 4, 8 + (diagonal + 2) % 4, 12 + (diagonal + 3) % 4);
    }
    for (int i = 0; i < 16; i++)
        out[i] = x[i] + in[i];
}

struct chacha chacha_seeded(uint64_t seed)
{
    /* "expand 32-byte k", then the key: the seed, and nothing */
    return (struct chacha){.input = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, (uint32_t)seed, (uint32_t)(seed >> 32)},
                           .used = 16};
}

uint32_t chacha_next(struct chacha *c)
{
    if (c->used == 16) {
        chacha_block(c->input, c->block);
        c->used = 0;
        c->input[COUNTER]++;
        c->input[COUNTER + 1] += c->input[COUNTER] == 0;
    }
    return c->block[c->used++];
}

int chacha_bit(struct chacha *c)
{
    if (!c->n_bits) {
        c->bits = chacha_next(c);
        c->n_bits = 32;
    }
    int bit = (int)(c->bits & 1);
    c->bits >>= 1;
    c->n_bits--;
    return bit;
}

uint32_t chacha_below(struct chacha *c, uint32_t limit)
{
    uint32_t least = (0 - limit) % limit; /* what lies below would come once more often than the rest */
    uint32_t value;
    do
        value = chacha_next(c);
    while (value < least);
    return value % limit;
}

void chacha_shuffle(struct chacha *c, uint8_t *items, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = i == 1 ? chacha_bit(c) : (int)chacha_below(c, (uint32_t)i + 1);
        uint8_t kept = items[i];
        items[i] = items[j];
        items[j] = kept;
    }
}
