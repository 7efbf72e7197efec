/* SPDX-License-Identifier: MIT
 *
 * One of two values by a secret bit, with a mask and with a conditional expression. What it becomes is up to the compiler, so this file
 * is compiled by each that there is, at several levels: VARIANT is its name, "gcc_O2". */
#include "leak_cases.h"

static void secret_bit(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state;
    bit_of_class(in, 24, which, random);
}

static uint64_t by_mask(void *state, const unsigned char *in)
{
    (void)state;
    uint64_t mask = 0 - (uint64_t)(in[0] & 1), a = load64(in + 8), b = load64(in + 16);
    return (a & mask) | (b & ~mask);
}

static uint64_t by_condition(void *state, const unsigned char *in)
{
    (void)state;
    return in[0] & 1 ? load64(in + 8) : load64(in + 16);
}

__attribute__((constructor)) static void register_variant(void)
{
    static const char *const names[] = {"bit 0", "bit 1"};
    struct tare_leak target = TARE_INIT(struct tare_leak, .file = __FILE__, .line = __LINE__, .bytes = 24, .secret_bytes = 1,
                                        .classes = {names, 2}, .make = secret_bit);
    target.name = "select_mask_" VARIANT;
    target.run = by_mask;
    tare_leak_add(&target);
    target.name = "select_condition_" VARIANT;
    target.run = by_condition;
    tare_leak_add(&target);
}
