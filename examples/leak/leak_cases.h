/* SPDX-License-Identifier: MIT
 *
 * leak_cases.h - what several cases share: reading numbers from the input, classes by a bit of it, a delay of known length.
 */
#ifndef LEAK_CASES_H
#define LEAK_CASES_H

#include <string.h>
#include <tare/tare.h>

static inline uint64_t load64(const unsigned char *in)
{
    uint64_t x;
    memcpy(&x, in, sizeof x);
    return x;
}

/* About so many cycles: each addition waits for the one before. */
static inline uint64_t delay(uint64_t x, unsigned additions)
{
    for (unsigned i = 0; i < additions; i++) {
        x += 1;
        tare_chain(x);
    }
    return x;
}

/* All bytes random, and the lowest bit of the first one is the class. bytes: of the target's input. */
static inline void bit_of_class(unsigned char *in, size_t bytes, int which, struct tare_random *random)
{
    tare_random_bytes(random, in, bytes);
    in[0] = (unsigned char)((in[0] & 0xfe) | which);
}

#endif
