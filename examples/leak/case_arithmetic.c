/* SPDX-License-Identifier: MIT
 *
 * Bits that cost some additions, ladders, divisions, floating point: small functions whose leak, or lack of one, is known. */
#include "leak_cases.h"

static void bits_of_8(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state;
    bit_of_class(in, 8, which, random);
}

TARE_LEAK(one_bit_8_adds, .bytes = 8, .classes = TARE_CLASSES("bit 0", "bit 1"), .make = bits_of_8)
{
    uint64_t x = load64(in);
    return in[0] & 1 ? delay(x, 8) : x;
}

TARE_LEAK(one_bit_2_adds, .bytes = 8, .classes = TARE_CLASSES("bit 0", "bit 1"), .make = bits_of_8)
{
    uint64_t x = load64(in);
    return in[0] & 1 ? delay(x, 2) : x;
}

/* ---- powers modulo 2^31 - 1 with a secret exponent of 64 bits ---- */

enum { PRIME = 0x7fffffff };

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product = a * b;
    product = (product & PRIME) + (product >> 31);
    return (product & PRIME) + (product >> 31);
}

TARE_LEAK(square_and_multiply, .bytes = 8, .classes = TARE_CLASSES("zero", "random"))
{
    uint64_t exponent = load64(in), result = 1, base = tare_opaque(48271u);
    for (int i = 63; i >= 0; i--) {
        result = times(result, result);
        if (exponent >> i & 1)
            result = times(result, base);
    }
    return result;
}

/* Both registers are computed for every bit; which is which is exchanged by a mask. */
TARE_LEAK(montgomery_ladder, .bytes = 8, .classes = TARE_CLASSES("zero", "random"))
{
    uint64_t exponent = load64(in), low = 1, high = tare_opaque(48271u);
    for (int i = 63; i >= 0; i--) {
        uint64_t mask = 0 - (exponent >> i & 1), swap = (low ^ high) & mask;
        low ^= swap;
        high ^= swap;
        high = times(low, high);
        low = times(low, low);
        swap = (low ^ high) & mask;
        low ^= swap;
        high ^= swap;
    }
    return low;
}

/* ---- a sum modulo 2^255 - 19, from which the modulus is subtracted only if it has to be ---- */

enum { LIMBS = 4 };

/* Two numbers below 2^254, or two from there on: their sum is below 2^255, or not. */
static void summands(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state;
    tare_random_bytes(random, in, 64);
    for (int top = 31; top < 64; top += 32)
        in[top] = (unsigned char)((in[top] & 0x3f) | which << 6);
}

TARE_LEAK(conditional_subtraction, .bytes = 64, .classes = TARE_CLASSES("below", "above"), .make = summands)
{
    static const uint64_t modulus[LIMBS] = {UINT64_MAX - 18, UINT64_MAX, UINT64_MAX, UINT64_MAX >> 1};
    uint64_t sum[LIMBS], carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        const uint64_t a = load64(in + 8 * i) + carry;
        sum[i] = a + load64(in + 32 + 8 * i);
        carry = (a < carry) | (sum[i] < a);
    }
    if (sum[LIMBS - 1] >> 63) {
        uint64_t borrow = 0;
        for (int i = 0; i < LIMBS; i++) {
            const uint64_t less = sum[i] - modulus[i], borrows = less > sum[i] || less < borrow;
            sum[i] = less - borrow;
            borrow = borrows;
            tare_chain(borrow); /* or the compiler may compute both and choose by a mask */
        }
    }
    return sum[0] ^ sum[1] ^ sum[2] ^ sum[3];
}

/* ---- instructions whose own time may depend on their operands ---- */

TARE_LEAK(division_of_secret, .bytes = 8, .classes = TARE_CLASSES("small", "large"))
{
    return load64(in) / tare_opaque((uint64_t)7);
}

TARE_LEAK(division_by_secret, .bytes = 8, .classes = TARE_CLASSES("small", "large"))
{
    return tare_opaque((uint64_t)0xfedcba9876543211) / (load64(in) | 1);
}

TARE_LEAK(denormal_numbers, .bytes = 64, .classes = TARE_CLASSES("normal", "denormal"))
{
    double numbers[8], sum = 0;
    memcpy(numbers, in, sizeof numbers);
    for (int i = 0; i < 8; i++)
        sum += numbers[i] * tare_opaque(0.75);
    memcpy(numbers, &sum, sizeof sum);
    return load64((const unsigned char *)numbers);
}

/* ---- leaks that the mean hardly shows ---- */

/* One input in a hundred of class 1 makes the call 100 cycles longer. */
static void rarely(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state;
    tare_random_bytes(random, in, 8);
    in[0] = (unsigned char)(which & (tare_random_below(random, 100) == 0));
}

TARE_LEAK(rare_tail, .bytes = 8, .classes = TARE_CLASSES("never", "1 in 100"), .make = rarely)
{
    uint64_t x = load64(in);
    return in[0] ? delay(x, 100) : x;
}

/* The same mean: 20 additions always, or 0 or 40. */
static void spread_out(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state;
    tare_random_bytes(random, in, 8);
    in[0] = (unsigned char)(20 + which * (in[0] & 1 ? 20 : -20));
}

TARE_LEAK(variance_only, .bytes = 8, .classes = TARE_CLASSES("20", "0 or 40"), .make = spread_out)
{
    return delay(load64(in), in[0]);
}

/* ---- bits side by side: the non-linear step of Keccak on five words, nothing but and, not, xor ---- */

TARE_LEAK(bitsliced_chi, .bytes = 40, .classes = TARE_CLASSES("fixed", "random"))
{
    uint64_t a[5], b[5];
    memcpy(a, in, sizeof a);
    for (int round = 0; round < 24; round++) {
        for (int i = 0; i < 5; i++)
            b[i] = a[i] ^ (~a[(i + 1) % 5] & a[(i + 2) % 5]);
        for (int i = 0; i < 5; i++)
            a[i] = b[i] << (7 * i + 1) | b[i] >> (63 - 7 * i);
    }
    return a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4];
}
