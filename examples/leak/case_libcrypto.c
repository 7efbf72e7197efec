/* SPDX-License-Identifier: MIT
 *
 * OpenSSL's libcrypto. Its AES without AES-NI is reached by the functions that it calls deprecated. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "leak_cases.h"
#include <openssl/aes.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdlib.h>

TARE_LEAK(crypto_memcmp, .bytes = 64, .classes = TARE_CLASSES("equal", "random"))
{
    return (uint64_t)CRYPTO_memcmp(in, in + 32, 32);
}

/* ---- AES: tables, and the processor's instructions ---- */

static const unsigned char aes_key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                          0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};

static void *tables_open(void *context)
{
    static AES_KEY key;
    (void)context;
    return AES_set_encrypt_key(aes_key, 128, &key) ? NULL : &key;
}

TARE_LEAK(aes_tables_libcrypto, .bytes = 16, .classes = TARE_CLASSES("fixed", "random"), .setup = tables_open)
{
    unsigned char out[16];
    AES_encrypt(in, out, state);
    return load64(out);
}

static void *evp_open(void *context)
{
    (void)context;
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    if (!c || EVP_EncryptInit_ex(c, EVP_aes_128_ecb(), NULL, aes_key, NULL) != 1) {
        EVP_CIPHER_CTX_free(c);
        return NULL;
    }
    EVP_CIPHER_CTX_set_padding(c, 0);
    return c;
}

static void evp_close(void *c)
{
    EVP_CIPHER_CTX_free(c);
}

TARE_LEAK(aes_evp_libcrypto, .bytes = 16, .classes = TARE_CLASSES("fixed", "random"), .setup = evp_open, .teardown = evp_close)
{
    unsigned char out[32];
    int n = 0;
    EVP_EncryptUpdate(state, out, &n, in, 16);
    return load64(out);
}

/* ---- modular exponentiation: does the weight of the secret exponent show? ---- */

struct power {
    BN_CTX *ctx;
    BN_MONT_CTX *mont;
    BIGNUM *base, *exponent, *modulus, *result;
};

static void power_close(void *state)
{
    struct power *p = state;
    BN_free(p->base);
    BN_free(p->exponent);
    BN_free(p->modulus);
    BN_free(p->result);
    BN_MONT_CTX_free(p->mont);
    BN_CTX_free(p->ctx);
    free(p);
}

static void *power_open(void *context)
{
    (void)context;
    struct power *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->ctx = BN_CTX_new();
    p->mont = BN_MONT_CTX_new();
    p->exponent = BN_new();
    p->result = BN_new();
    BN_hex2bn(&p->base, "8b7c0e5d1f2a93c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f70819203b4c");
    BN_hex2bn(&p->modulus, "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
    if (!p->ctx || !p->mont || !p->exponent || !p->result || !p->base || !p->modulus ||
        !BN_MONT_CTX_set(p->mont, p->modulus, p->ctx)) {
        power_close(p);
        return NULL;
    }
    return p;
}

/* Exponents of the same length: 1 bit in 16 is set, or 15 in 16. */
static void exponents(void *state, int which, unsigned char *in, struct tare_random *random)
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

TARE_LEAK(bn_mod_exp_plain, .bytes = 32, .classes = TARE_CLASSES("low weight", "high weight"), .make = exponents,
          .setup = power_open, .teardown = power_close)
{
    struct power *p = state;
    BN_bin2bn(in, 32, p->exponent);
    BN_mod_exp(p->result, p->base, p->exponent, p->modulus, p->ctx);
    return BN_get_word(p->result);
}

TARE_LEAK(bn_mod_exp_consttime, .bytes = 32, .classes = TARE_CLASSES("low weight", "high weight"), .make = exponents,
          .setup = power_open, .teardown = power_close)
{
    struct power *p = state;
    BN_bin2bn(in, 32, p->exponent);
    BN_mod_exp_mont_consttime(p->result, p->base, p->exponent, p->modulus, p->ctx, p->mont);
    return BN_get_word(p->result);
}

/* ---- RSA: does a ciphertext with wrong padding take another time? ---- */

enum { RSA_BYTES = 128 };

static void *rsa_open(void *context)
{
    (void)context;
    RSA *key = RSA_new();
    BIGNUM *e = BN_new();
    bool made = key && e && BN_set_word(e, 65537) && RSA_generate_key_ex(key, 8 * RSA_BYTES, e, NULL);
    BN_free(e);
    if (made)
        return key;
    RSA_free(key);
    return NULL;
}

static void rsa_close(void *key)
{
    RSA_free(key);
}

static void ciphertexts(void *key, int which, unsigned char *in, struct tare_random *random)
{
    unsigned char block[RSA_BYTES];
    tare_random_bytes(random, block, sizeof block);
    block[0] = 0;
    block[1] = (unsigned char)(which ? 3 : 2);
    for (int i = 2; i < 96; i++)
        block[i] |= 1;
    block[96] = 0;
    RSA_public_encrypt(RSA_BYTES, block, in, key, RSA_NO_PADDING);
}

TARE_LEAK(rsa_padding_libcrypto, .bytes = RSA_BYTES, .classes = TARE_CLASSES("valid", "invalid"), .make = ciphertexts,
          .setup = rsa_open, .teardown = rsa_close)
{
    unsigned char out[RSA_BYTES];
    int n = RSA_private_decrypt(RSA_BYTES, in, out, state, RSA_PKCS1_PADDING);
    return (uint64_t)(int64_t)n;
}
