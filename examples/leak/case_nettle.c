/* SPDX-License-Identifier: MIT
 *
 * nettle, and of hogweed, its part with big numbers, a scalar multiplication. */
#include "leak_cases.h"
#include <nettle/aes.h>
#include <nettle/curve25519.h>
#include <nettle/memops.h>

TARE_LEAK(nettle_memeql_sec, .bytes = 64, .classes = TARE_CLASSES("equal", "random"))
{
    return (uint64_t)memeql_sec(in, in + 32, 32);
}

static void *nettle_aes_open(void *context)
{
    static struct aes128_ctx ctx;
    static const unsigned char key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6};
    (void)context;
    aes128_set_encrypt_key(&ctx, key);
    return &ctx;
}

TARE_LEAK(aes_nettle, .bytes = 16, .classes = TARE_CLASSES("fixed", "random"), .setup = nettle_aes_open)
{
    unsigned char out[16];
    aes128_encrypt(state, 16, out, in);
    return load64(out);
}

TARE_LEAK(x25519_hogweed, .bytes = 32, .classes = TARE_CLASSES("zero", "random"))
{
    unsigned char out[32];
    curve25519_mul_g(out, in);
    return load64(out);
}
