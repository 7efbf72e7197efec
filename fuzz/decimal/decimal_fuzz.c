/* SPDX-License-Identifier: MIT
 *
 * Numbers as text: %g must read back to the same double, %.Nf must agree with the C library (in the C locale, where both
 * round exactly). Input: 8 bytes of a double, 1 byte of decimals.
 */
#include "buf.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what, double x, const char *text)
{
    fprintf(stderr, "%s: %a became \"%s\"\n", what, x, text);
    abort();
}

static void check_shortest(double x)
{
    char room[64];
    struct buf b = buf_over(room, sizeof room);
    buf_format(&b, "%g", x);
    double back = strtod(buf_text(&b), NULL);
    if (memcmp(&back, &x, sizeof x) != 0 || b.status != TARE_OK)
        fail("does not read back", x, buf_text(&b));
}

static void check_fixed(double x, int decimals)
{
    char room[512], *expected = room;
    snprintf(room, sizeof room, "%.*f", decimals, x);
    if (room[0] == '-' && strspn(room + 1, "0.") == strlen(room + 1)) {
        expected++; /* buf shows no negative zero */
    }
    struct buf b = BUF_INIT(1024);
    buf_format(&b, "%.*f", decimals, x);
    if (strcmp(buf_text(&b), expected) != 0)
        fail(expected, x, buf_text(&b));
    buf_finish(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double x;
    if (size < sizeof x + 1)
        return 0;
    memcpy(&x, data, sizeof x);
    if (isfinite(x)) {
        check_shortest(x);
        check_fixed(x, data[sizeof x] % 40);
    }
    return 0;
}
