/* SPDX-License-Identifier: MIT
 *
 * chacha.h - random bits that nobody foretells from those before: for orders that a proof rests on, where a measured program
 * must not be able to be in step with us by chance of a weak generator. Seeded, so that a run can be repeated.
 *
 *     struct chacha c = chacha_seeded(42);
 *     if (chacha_bit(&c)) ...
 *
 * ChaCha20 (Bernstein, "ChaCha, a variant of Salsa20", 2008; RFC 8439) with the seed in its key, as a stream. The key has 64
 * random bits at most: it is no source of secrets.
 * No allocation, no system. Ownership: the struct is the caller's.
 */
#ifndef CHACHA_H
#define CHACHA_H

#include <stdint.h>

struct chacha {
    uint32_t input[16];
    uint32_t block[16];
    int used;      /* words of block */
    uint32_t bits; /* left of one word, the lowest first */
    int n_bits;
};

struct chacha chacha_seeded(uint64_t seed);
uint32_t chacha_next(struct chacha *c);                       /* 32 random bits */
int chacha_bit(struct chacha *c);                             /* 0 or 1 */
uint32_t chacha_below(struct chacha *c, uint32_t limit);      /* uniform in 0..limit-1, without bias; limit > 0 */
void chacha_shuffle(struct chacha *c, uint8_t *items, int n); /* every order equally likely */
/* One block of the cipher: 16 words in, 16 words out; for the stream above and for its test. */
void chacha_block(const uint32_t in[16], uint32_t out[16]);

#endif
