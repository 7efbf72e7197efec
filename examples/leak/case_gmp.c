/* SPDX-License-Identifier: MIT
 *
 * Powers with a secret exponent. Both classes have exponents of the same length, whose size in limbs is so no secret. */
#include "leak_cases.h"
#include <gmp.h>
#include <stdlib.h>

struct gmp_power {
    mpz_t base, exponent, modulus, result;
};

static void *gmp_open(void *context)
{
    struct gmp_power *p = malloc(sizeof *p);
    (void)context;
    if (!p)
        return NULL;
    mpz_init_set_str(p->base, "8b7c0e5d1f2a93c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f70819203b4c", 16);
    mpz_init_set_str(p->modulus, "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", 16);
    mpz_init2(p->exponent, 512);
    mpz_init2(p->result, 512);
    return p;
}

static void gmp_close(void *state)
{
    struct gmp_power *p = state;
    mpz_clears(p->base, p->exponent, p->modulus, p->result, NULL);
    free(p);
}

static void gmp_exponents(void *state, int which, unsigned char *in, struct tare_random *random)
{
    unsigned char more[3][32];
    (void)state;
    tare_random_bytes(random, in, 32);
    tare_random_bytes(random, more, sizeof more);
    for (int i = 0; i < 32; i++) {
        unsigned low = in[i] & more[0][i] & more[1][i] & more[2][i], mask = 0u - (unsigned)which;
        in[i] = (unsigned char)(low ^ mask);
    }
    in[0] |= 0x80;
    in[31] |= 1;
}

TARE_LEAK(powm_plain_gmp, .bytes = 32, .classes = TARE_CLASSES("low weight", "high weight"), .make = gmp_exponents,
          .setup = gmp_open, .teardown = gmp_close)
{
    struct gmp_power *p = state;
    mpz_import(p->exponent, 32, 1, 1, 0, 0, in);
    mpz_powm(p->result, p->base, p->exponent, p->modulus);
    return mpz_getlimbn(p->result, 0);
}

TARE_LEAK(powm_sec_gmp, .bytes = 32, .classes = TARE_CLASSES("low weight", "high weight"), .make = gmp_exponents,
          .setup = gmp_open, .teardown = gmp_close)
{
    struct gmp_power *p = state;
    mpz_import(p->exponent, 32, 1, 1, 0, 0, in);
    mpz_powm_sec(p->result, p->base, p->exponent, p->modulus);
    return mpz_getlimbn(p->result, 0);
}
