/* SPDX-License-Identifier: MIT */
#include "sha256.h"

#include <openssl/evp.h>
#include <string.h>

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool sha256_parse(unsigned char hash[SHA256_BYTES], const char *text)
{
    if (strlen(text) != (size_t)SHA256_BYTES * 2)
        return false;
    for (int i = 0; i < SHA256_BYTES; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        hash[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

/* Looking an algorithm up takes longer than hashing a word, so it is fetched once (OpenSSL's manual, crypto(7)). */
bool sha256_init(struct sha256 *s)
{
    s->algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    s->context = EVP_MD_CTX_new();
    return s->algorithm && s->context;
}

void sha256_finish(struct sha256 *s)
{
    EVP_MD_CTX_free(s->context);
    EVP_MD_free(s->algorithm);
}

int sha256_is(struct sha256 *s, const char *word, size_t length, const unsigned char want[SHA256_BYTES])
{
    unsigned char hash[SHA256_BYTES];
    if (!EVP_DigestInit_ex2(s->context, s->algorithm, NULL) || !EVP_DigestUpdate(s->context, word, length) ||
        !EVP_DigestFinal_ex(s->context, hash, NULL))
        return -1;
    return memcmp(hash, want, SHA256_BYTES) == 0;
}
