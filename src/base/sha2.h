/* SPDX-License-Identifier: MIT
 *
 * sha2.h - SHA-256 as FIPS 180-4 has it: names for content.
 *
 *     struct sha256 s = sha256_begin();
 *     sha256_add(&s, text, n);
 *     char name[SHA256_TEXT];
 *     sha256_text(&s, name);                // "ba7816bf..."; s can go on taking bytes
 *
 * Any thread; no state beyond the struct. Not constant in time with regard to anything but the length: not for secrets.
 */
#ifndef SHA2_H
#define SHA2_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64]; /* its first bytes % 64 are in use */
};

enum { SHA256_TEXT = 65 }; /* 64 hexadecimal digits in lower case and a zero byte */

struct sha256 sha256_begin(void);
void sha256_add(struct sha256 *s, const void *bytes, size_t n);
void sha256_text(const struct sha256 *s, char out[SHA256_TEXT]);         /* of all bytes so far */
void sha256_digits(const void *bytes, size_t n, char *out, size_t room); /* the first room - 1 digits, at most 64 */

#endif
