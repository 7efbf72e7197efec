/* SPDX-License-Identifier: MIT
 *
 * Any text as a signature: what is taken lies within the text and within its own input.
 */
#include "signature.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

static void check(const struct signature *s, const char *text)
{
    const char *end = text + strlen(text);
    if (s->library != text || s->symbol + s->symbol_size > end || !s->symbol_size || !s->library_size)
        fail("a name lies outside of the text");
    if (s->secret_bytes > s->input_bytes || !s->secret_bytes || s->n < 1 || s->n > SIGNATURE_ARGS)
        fail("an input without a secret");
    for (int i = 0; i < s->n; i++) {
        const struct signature_arg *a = &s->args[i];
        size_t room = a->kind == ARG_OUT ? s->out_bytes : s->input_bytes;
        if (a->kind != ARG_NUMBER && (!a->bytes || a->at > room || a->bytes > room - a->at))
            fail("an argument lies outside of its bytes");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct signature s;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    if (signature_read(text, &s, NULL) == TARE_OK)
        check(&s, text);
    free(text);
    return 0;
}
