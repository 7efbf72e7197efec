/* SPDX-License-Identifier: MIT
 *
 * Comparisons. Compiled without the compiler's own versions of memcmp and strcmp, so that those of the C library are called. */
#include "leak_cases.h"

TARE_LEAK(memcmp_32, .bytes = 64, .classes = TARE_CLASSES("equal", "random"))
{
    return (uint64_t)(int64_t)memcmp(in, in + 32, 32);
}

/* The classes of many a first test: two secrets that both differ from zeros in their first byte. Nothing is to be seen, and the leak is there. */
TARE_LEAK(memcmp_zeros_random, .bytes = 32, .classes = TARE_CLASSES("zero", "random"))
{
    static const unsigned char secret[32] = {0xa7, 0x13, 0x5c, 0xe2};
    return (uint64_t)(int64_t)memcmp(in, secret, 32);
}

TARE_LEAK(naive_compare, .bytes = 64, .classes = TARE_CLASSES("prefix:0", "prefix:8", "prefix:16", "prefix:24"))
{
    for (int i = 0; i < 32; i++)
        if (in[i] != in[32 + i])
            return 0;
    return 1;
}

/* How much does one byte more cost? The least that such a loop can tell. */
TARE_LEAK(exit_one_byte_later, .bytes = 64, .classes = TARE_CLASSES("prefix:16", "prefix:17"))
{
    for (int i = 0; i < 32; i++)
        if (in[i] != in[32 + i])
            return 0;
    return 1;
}

TARE_LEAK(or_compare, .bytes = 64, .classes = TARE_CLASSES("equal", "random"))
{
    unsigned char different = 0;
    for (int i = 0; i < 32; i++)
        different = (unsigned char)(different | (in[i] ^ in[32 + i]));
    return different;
}

/* Two texts of 31 characters, equal in the first 8 which of them. */
static void texts(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state;
    tare_random_bytes(random, in, 64);
    for (int i = 0; i < 31; i++) {
        in[i] |= 1;
        in[32 + i] = (unsigned char)(in[i] ^ (i >= 8 * which ? 2 : 0));
    }
    in[31] = in[63] = 0;
}

TARE_LEAK(strcmp_32, .bytes = 64, .classes = TARE_CLASSES("0 equal", "8 equal", "16 equal", "24 equal"), .make = texts)
{
    return (uint64_t)(int64_t)strcmp((const char *)in, (const char *)in + 32);
}

/* The same, longer than a vector of any processor. */
static void long_texts(void *state, int which, unsigned char *in, struct tare_random *random)
{
    static const int equal[] = {0, 24, 40, 120};
    (void)state;
    tare_random_bytes(random, in, 256);
    for (int i = 0; i < 127; i++) {
        in[i] |= 1;
        in[128 + i] = (unsigned char)(in[i] ^ (i >= equal[which] ? 2 : 0));
    }
    in[127] = in[255] = 0;
}

TARE_LEAK(strcmp_128, .bytes = 256, .classes = TARE_CLASSES("0 equal", "24 equal", "40 equal", "120 equal"), .make = long_texts)
{
    return (uint64_t)(int64_t)strcmp((const char *)in, (const char *)in + 128);
}

TARE_LEAK(naive_strlen, .bytes = 128, .classes = TARE_CLASSES("length:8", "length:120"))
{
    uint64_t n = 0;
    while (n < 127 && in[n])
        n++;
    return n;
}

/* "Is the padding of PKCS#1 v1.5 right?": 0, 2, at least eight bytes that are not 0, 0. It stops at the first thing that is wrong. */
static void padded(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state;
    tare_random_bytes(random, in, 128);
    in[0] = 0;
    in[1] = (unsigned char)(which ? 3 : 2);
    for (int i = 2; i < 96; i++)
        in[i] |= 1;
    in[96] = 0;
}

TARE_LEAK(padding_check, .bytes = 128, .classes = TARE_CLASSES("valid", "invalid"), .make = padded)
{
    if (in[0] || in[1] != 2)
        return 0;
    uint64_t end = 2;
    while (end < 128 && in[end])
        end++;
    return end < 10 || end == 128 ? 0 : 128 - end;
}
