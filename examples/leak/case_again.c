/* SPDX-License-Identifier: MIT
 *
 * A/A: both classes are made by the same rule, so whatever is found is wrong. The leaks of the other files are among them. */
#include "leak_cases.h"
#include <stdlib.h>

/* The first so many bytes of both halves are equal. Without a branch or a length that depends on what was drawn: what the processor learns
 * from making the input of the last class would help its call, and be a difference that this generator has made. */
static void same_64(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state, (void)which;
    tare_random_bytes(random, in, 64);
    unsigned equal = (unsigned)tare_random_next(random) % 64;
    for (unsigned i = 0; i < 32; i++) {
        unsigned char mask = (unsigned char)(0 - (i >= equal));
        in[32 + i] = (unsigned char)(in[i] ^ (in[32 + i] & mask));
    }
}

#define AGAIN(title) TARE_LEAK(title, .bytes = 64, .classes = TARE_CLASSES("one", "the same"), .make = same_64)

AGAIN(again_memcmp)
{
    return (uint64_t)(int64_t)memcmp(in, in + 32, 32);
}

AGAIN(again_naive)
{
    for (int i = 0; i < 32; i++)
        if (in[i] != in[32 + i])
            return 0;
    return 1;
}

AGAIN(again_or)
{
    unsigned char different = 0;
    for (int i = 0; i < 32; i++)
        different = (unsigned char)(different | (in[i] ^ in[32 + i]));
    return different;
}

AGAIN(again_branch)
{
    uint64_t x = load64(in);
    return in[0] & 1 ? delay(x, 40) : x;
}

AGAIN(again_division)
{
    return load64(in) / (load64(in + 8) | 1);
}

static _Alignas(4096) unsigned char again_lines[256 * 64];

AGAIN(again_table)
{
    uint64_t sum = 0;
    for (int i = 0; i < 32; i++)
        sum += again_lines[in[i] * 64];
    return sum;
}

AGAIN(again_allocation)
{
    unsigned char *copy = malloc(16 + (size_t)in[0]);
    if (!copy)
        return 0;
    memcpy(copy, in, 16);
    uint64_t x = load64(copy);
    free(copy);
    return x;
}

AGAIN(again_long)
{
    return delay(load64(in), 2000 + in[0]);
}
