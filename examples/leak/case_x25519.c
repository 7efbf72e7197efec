/* SPDX-License-Identifier: MIT
 *
 * Scalar multiplication on Curve25519 (RFC 7748) in two ways that differ in one thing: how the ladder puts the two points in order. By masks nothing
 * that is executed depends on the scalar; by a branch, which the processor guesses, the time follows from how often it guesses wrong, and
 * that from the scalar's bits. Numbers are five limbs of 51 bits. */
#include "leak_cases.h"
#include <stdbool.h>

enum { LIMBS = 5, LIMB_BITS = 51 };

static const uint64_t LIMB_MASK = ((uint64_t)1 << LIMB_BITS) - 1;
__extension__ typedef unsigned __int128 wide;

struct number {
    uint64_t limb[LIMBS];
};

/* ---- modulo 2^255 - 19 ---- */

static void add(struct number *out, const struct number *a, const struct number *b)
{
    for (int i = 0; i < LIMBS; i++)
        out->limb[i] = a->limb[i] + b->limb[i];
}

/* a - b + 8 p, so that no limb falls below 0; both are below 2^54. */
static void subtract(struct number *out, const struct number *a, const struct number *b)
{
    for (int i = 0; i < LIMBS; i++)
        out->limb[i] = a->limb[i] + 8 * (LIMB_MASK - (i ? 0 : 18)) - b->limb[i];
}

static void carry(struct number *out, const wide sum[LIMBS])
{
    wide over = 0;
    for (int i = 0; i < LIMBS; i++) {
        over += sum[i];
        out->limb[i] = (uint64_t)over & LIMB_MASK;
        over >>= LIMB_BITS;
    }
    over = over * 19 + out->limb[0]; /* 2^255 is 19 */
    out->limb[0] = (uint64_t)over & LIMB_MASK;
    out->limb[1] += (uint64_t)(over >> LIMB_BITS);
}

static void multiply(struct number *out, const struct number *a, const struct number *b)
{
    const uint64_t *x = a->limb, *y = b->limb, y1 = 19 * y[1], y2 = 19 * y[2], y3 = 19 * y[3], y4 = 19 * y[4];
    const wide sum[LIMBS] = {
        (wide)x[0] * y[0] + (wide)x[1] * y4 + (wide)x[2] * y3 + (wide)x[3] * y2 + (wide)x[4] * y1,
        (wide)x[0] * y[1] + (wide)x[1] * y[0] + (wide)x[2] * y4 + (wide)x[3] * y3 + (wide)x[4] * y2,
        (wide)x[0] * y[2] + (wide)x[1] * y[1] + (wide)x[2] * y[0] + (wide)x[3] * y4 + (wide)x[4] * y3,
        (wide)x[0] * y[3] + (wide)x[1] * y[2] + (wide)x[2] * y[1] + (wide)x[3] * y[0] + (wide)x[4] * y4,
        (wide)x[0] * y[4] + (wide)x[1] * y[3] + (wide)x[2] * y[2] + (wide)x[3] * y[1] + (wide)x[4] * y[0],
    };
    carry(out, sum);
}

static void multiply_small(struct number *out, const struct number *a, uint64_t small)
{
    wide sum[LIMBS];
    for (int i = 0; i < LIMBS; i++)
        sum[i] = (wide)a->limb[i] * small;
    carry(out, sum);
}

/* a^(p - 2) by squaring; p - 2 is public: all its bits but the second and the fourth are set. */
static void invert(struct number *out, const struct number *a)
{
    struct number power = *a;
    for (int bit = 253; bit >= 0; bit--) {
        multiply(&power, &power, &power);
        if (bit != 2 && bit != 4)
            multiply(&power, &power, a);
    }
    *out = power;
}

static struct number from_bytes(const unsigned char in[32])
{
    struct number x;
    uint64_t w[4];
    memcpy(w, in, sizeof w);
    x.limb[0] = w[0] & LIMB_MASK;
    x.limb[1] = (w[0] >> 51 | w[1] << 13) & LIMB_MASK;
    x.limb[2] = (w[1] >> 38 | w[2] << 26) & LIMB_MASK;
    x.limb[3] = (w[2] >> 25 | w[3] << 39) & LIMB_MASK;
    x.limb[4] = w[3] >> 12 & LIMB_MASK;
    return x;
}

/* The number below p that it stands for. */
static void to_bytes(unsigned char out[32], const struct number *x)
{
    struct number r = *x;
    uint64_t w[4], over = 19;
    for (int round = 0; round < 2; round++) {
        wide sum[LIMBS];
        for (int i = 0; i < LIMBS; i++)
            sum[i] = r.limb[i];
        carry(&r, sum);
    }
    for (int i = 0; i < LIMBS; i++) /* is it p or more? */
        over = (r.limb[i] + over) >> LIMB_BITS;
    over *= 19;
    for (int i = 0; i < LIMBS; i++) {
        over += r.limb[i];
        r.limb[i] = over & LIMB_MASK;
        over >>= LIMB_BITS;
    }
    w[0] = r.limb[0] | r.limb[1] << 51;
    w[1] = r.limb[1] >> 13 | r.limb[2] << 38;
    w[2] = r.limb[2] >> 26 | r.limb[3] << 25;
    w[3] = r.limb[3] >> 39 | r.limb[4] << 12;
    memcpy(out, w, sizeof w);
}

/* ---- the ladder ---- */

struct pair {
    struct number x, z;
};

static void swap_by_mask(struct pair *a, struct pair *b, uint64_t bit)
{
    uint64_t mask = tare_opaque((uint64_t)0 - bit);
    for (int i = 0; i < LIMBS; i++) {
        uint64_t x = (a->x.limb[i] ^ b->x.limb[i]) & mask, z = (a->z.limb[i] ^ b->z.limb[i]) & mask;
        a->x.limb[i] ^= x;
        b->x.limb[i] ^= x;
        a->z.limb[i] ^= z;
        b->z.limb[i] ^= z;
    }
}

static void swap_by_branch(struct pair *a, struct pair *b, uint64_t bit)
{
    if (bit) {
        struct pair t = *a;
        tare_chain(bit); /* or the compiler might make it a choice without a branch */
        *a = *b;
        *b = t;
    }
}

/* Both points one step up: a is doubled, b becomes their sum; their difference is (point, 1). */
static void step(struct pair *a, struct pair *b, const struct number *point)
{
    struct number sum, difference, other_sum, other_difference, s, d, e;
    add(&sum, &a->x, &a->z);
    subtract(&difference, &a->x, &a->z);
    add(&other_sum, &b->x, &b->z);
    subtract(&other_difference, &b->x, &b->z);
    multiply(&s, &other_difference, &sum);
    multiply(&d, &other_sum, &difference);
    add(&b->x, &s, &d);
    subtract(&b->z, &s, &d);
    multiply(&b->x, &b->x, &b->x);
    multiply(&b->z, &b->z, &b->z);
    multiply(&b->z, &b->z, point);
    multiply(&s, &sum, &sum);
    multiply(&d, &difference, &difference);
    multiply(&a->x, &s, &d);
    subtract(&e, &s, &d);
    multiply_small(&d, &e, 121665);
    add(&d, &d, &s);
    multiply(&a->z, &e, &d);
}

static void scalar_multiply(unsigned char out[32], const unsigned char scalar[32], const unsigned char point[32], bool by_branch)
{
    unsigned char k[32];
    struct number x = from_bytes(point);
    struct pair a = {.x = {{1}}}, b = {.x = x, .z = {{1}}};
    uint64_t before = 0;
    memcpy(k, scalar, sizeof k);
    k[0] &= 248;
    k[31] = (unsigned char)((k[31] & 127) | 64);
    for (int i = 254; i >= 0; i--) {
        uint64_t bit = k[i / 8] >> i % 8 & 1;
        if (by_branch)
            swap_by_branch(&a, &b, bit ^ before);
        else
            swap_by_mask(&a, &b, bit ^ before);
        before = bit;
        step(&a, &b, &x);
    }
    if (by_branch)
        swap_by_branch(&a, &b, before);
    else
        swap_by_mask(&a, &b, before);
    invert(&a.z, &a.z);
    multiply(&a.x, &a.x, &a.z);
    to_bytes(out, &a.x);
}

/* ---- targets ---- */

/* The first test vector of RFC 7748, 5.2; a ladder that is wrong is no case. */
static void *base_point(void *context)
{
    static const unsigned char scalar[32] = {0xa5, 0x46, 0xe3, 0x6b, 0xf0, 0x52, 0x7c, 0x9d, 0x3b, 0x16, 0x15,
                                             0x4b, 0x82, 0x46, 0x5e, 0xdd, 0x62, 0x14, 0x4c, 0x0a, 0xc1, 0xfc,
                                             0x5a, 0x18, 0x50, 0x6a, 0x22, 0x44, 0xba, 0x44, 0x9a, 0xc4};
    static const unsigned char point[32] = {0xe6, 0xdb, 0x68, 0x67, 0x58, 0x30, 0x30, 0xdb, 0x35, 0x94, 0xc1,
                                            0xa4, 0x24, 0xb1, 0x5f, 0x7c, 0x72, 0x66, 0x24, 0xec, 0x26, 0xb3,
                                            0x35, 0x3b, 0x10, 0xa9, 0x03, 0xa6, 0xd0, 0xab, 0x1c, 0x4c};
    static const unsigned char right[32] = {0xc3, 0xda, 0x55, 0x37, 0x9d, 0xe9, 0xc6, 0x90, 0x8e, 0x94, 0xea,
                                            0x4d, 0xf2, 0x8d, 0x08, 0x4f, 0x32, 0xec, 0xcf, 0x03, 0x49, 0x1c,
                                            0x71, 0xf7, 0x54, 0xb4, 0x07, 0x55, 0x77, 0xa2, 0x85, 0x52};
    static unsigned char base[32] = {9};
    unsigned char out[2][32];
    (void)context;
    for (int i = 0; i < 2; i++)
        scalar_multiply(out[i], scalar, point, i);
    return memcmp(out[0], right, 32) == 0 && memcmp(out[1], right, 32) == 0 ? base : NULL;
}

TARE_LEAK(x25519_masks, .bytes = 32, .classes = TARE_CLASSES("zero", "random"), .setup = base_point)
{
    unsigned char out[32];
    scalar_multiply(out, in, state, false);
    return load64(out);
}

TARE_LEAK(x25519_branches, .bytes = 32, .classes = TARE_CLASSES("zero", "random"), .setup = base_point)
{
    unsigned char out[32];
    scalar_multiply(out, in, state, true);
    return load64(out);
}
