/* SPDX-License-Identifier: MIT
 *
 * Two program files of any bytes: each is the same as itself, the answer does not depend on their order, and nothing behind their ends is read. The first
 * two bytes are the length of the first one.
 */
#include "require.h"
#include "same_program.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No room behind the bytes, which a sanitizer sees. */
static char *copy(const uint8_t *data, size_t n)
{
    char *bytes = malloc(n + !n);
    require(bytes != NULL, "no memory", "");
    memcpy(bytes, data, n);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LENGTH = 2 };
    if (size < LENGTH)
        return 0;
    const size_t given = data[0] | (size_t)data[1] << 8, left = size - LENGTH, n = given < left ? given : left;
    char *one = copy(data + LENGTH, n), *other = copy(data + LENGTH + n, left - n);
    const struct program_image a = {one, n, "/tmp/x-01"}, b = {other, left - n, "/tmp/x-02"};
    require(same_program(&a, &a) && same_program(&b, &b), "a file differs from itself", "");
    require(same_program(&a, &b) == same_program(&b, &a), "the order counts", "");
    free(one);
    free(other);
    return 0;
}
