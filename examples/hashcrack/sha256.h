/* SPDX-License-Identifier: MIT
 *
 * sha256.h - SHA-256 of words, by OpenSSL, with everything that costs time once done once.
 *
 *     struct sha256 sha;
 *     unsigned char want[SHA256_BYTES];
 *     if (sha256_parse(want, text) && sha256_init(&sha))
 *         hit = sha256_is(&sha, word, length, want);
 *     sha256_finish(&sha);
 *
 * A `struct sha256` belongs to one thread.
 */
#ifndef HASHCRACK_SHA256_H
#define HASHCRACK_SHA256_H

#include <stdbool.h>
#include <stddef.h>

enum { SHA256_BYTES = 32 };

struct sha256 {
    struct evp_md_st *algorithm;
    struct evp_md_ctx_st *context;
};

/* 64 hexadecimal digits in either case, and nothing else. */
bool sha256_parse(unsigned char hash[SHA256_BYTES], const char *text);

/* False if OpenSSL has no memory or no SHA-256; finish accepts what is then left. */
bool sha256_init(struct sha256 *s);
void sha256_finish(struct sha256 *s);

/* 1 if the hash of these bytes is `want`, 0 if not, -1 if OpenSSL fails. */
int sha256_is(struct sha256 *s, const char *word, size_t length, const unsigned char want[SHA256_BYTES]);

#endif
