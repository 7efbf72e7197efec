/* SPDX-License-Identifier: MIT
 *
 * libgcrypt: AES by the processor's instructions where it has them. */
#include "leak_cases.h"
#include <gcrypt.h>
#include <stdbool.h>

static bool library_open(void)
{
    static bool open;
    if (!open)
        open = gcry_check_version(NULL) != NULL && !gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return open;
}

static void *cipher_open(void *context)
{
    static const unsigned char key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6};
    gcry_cipher_hd_t cipher = NULL;
    (void)context;
    bool good = library_open() && !gcry_cipher_open(&cipher, GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_ECB, 0) &&
                !gcry_cipher_setkey(cipher, key, sizeof key);
    return good ? cipher : NULL;
}

static void cipher_close(void *state)
{
    gcry_cipher_close(state);
}

TARE_LEAK(aes_gcrypt, .bytes = 16, .classes = TARE_CLASSES("fixed", "random"), .setup = cipher_open, .teardown = cipher_close)
{
    unsigned char out[16] = {0};
    gcry_cipher_encrypt(state, out, sizeof out, in, 16);
    return load64(out);
}
