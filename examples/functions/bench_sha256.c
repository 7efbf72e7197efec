/* SPDX-License-Identifier: MIT
 *
 * SHA-256 through OpenSSL's libcrypto, from 0 bytes to 1 MB.
 *
 * EVP_MD_fetch looks for an implementation by its name, which takes longer than the hash of a short message: programs that fetch once and programs
 * that let EVP_Digest find it each time are two benchmarks here. `.baseline` makes `tare bench` compare the others with it.
 */
#include <openssl/evp.h>
#include <string.h>
#include <tare/tare.h>

#define SIZES TARE_NAMED("bytes", 0, 64, 1024, 16384, 1048576)

/* SHA-256 of no bytes at all, as FIPS 180-4 defines it: enough to know that it is the right function. */
static const unsigned char of_nothing[32] = {0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4,
                                             0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b,
                                             0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55};

static unsigned char *message(struct tare_state *st, size_t n)
{
    unsigned char *text = tare_alloc(st, n + 1); /* 0 bytes need a place too */
    if (text)
        memset(text, 'a', n + 1);
    return text;
}

TARE_BENCH(sha256_fetched, .args = SIZES, .baseline = true)
{
    size_t n = (size_t)tare_arg(st, 0);
    unsigned char *text = message(st, n), hash[EVP_MAX_MD_SIZE] = {0};
    EVP_MD *kind = EVP_MD_fetch(NULL, "SHA256", NULL);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    int good = 1;
    if (!kind || !ctx)
        tare_fail(st, "libcrypto has no SHA256");
    else if (text)
        TARE_LOOP(st)
        {
            good &= EVP_DigestInit_ex2(ctx, kind, NULL) & EVP_DigestUpdate(ctx, text, n) & EVP_DigestFinal_ex(ctx, hash, NULL);
            tare_use_mem(hash, sizeof hash);
        }
    tare_check(st, good);
    tare_check(st, n != 0 || memcmp(hash, of_nothing, sizeof of_nothing) == 0);
    tare_bytes(st, (double)n);
    EVP_MD_CTX_free(ctx);
    EVP_MD_free(kind);
}

TARE_BENCH(sha256_each_time, .args = SIZES)
{
    size_t n = (size_t)tare_arg(st, 0);
    unsigned char *text = message(st, n), hash[EVP_MAX_MD_SIZE] = {0};
    int good = 1;
    if (!text)
        return;
    TARE_LOOP(st)
    {
        good &= EVP_Digest(text, n, hash, NULL, EVP_sha256(), NULL);
        tare_use_mem(hash, sizeof hash);
    }
    tare_check(st, good);
    tare_check(st, n != 0 || memcmp(hash, of_nothing, sizeof of_nothing) == 0);
    tare_bytes(st, (double)n);
}

TARE_MAIN()
