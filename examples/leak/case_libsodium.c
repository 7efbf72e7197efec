/* SPDX-License-Identifier: MIT */
#include "leak_cases.h"
#include <sodium.h>

static void *sodium_open(void *context)
{
    static unsigned char point[32] = {9}; /* the base point of Curve25519 */
    (void)context;
    return sodium_init() < 0 ? NULL : point;
}

TARE_LEAK(sodium_memcmp, .bytes = 64, .classes = TARE_CLASSES("equal", "random"), .setup = sodium_open)
{
    return (uint64_t)(int64_t)sodium_memcmp(in, in + 32, 32);
}

TARE_LEAK(sodium_is_zero, .bytes = 32, .classes = TARE_CLASSES("zero", "random"), .setup = sodium_open)
{
    return (uint64_t)sodium_is_zero(in, 32);
}

TARE_LEAK(x25519_sodium, .bytes = 32, .classes = TARE_CLASSES("zero", "random"), .setup = sodium_open)
{
    unsigned char out[32];
    int failed = crypto_scalarmult(out, in, state);
    return load64(out) + (uint64_t)(int64_t)failed;
}
