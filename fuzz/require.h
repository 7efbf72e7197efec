/* SPDX-License-Identifier: MIT
 *
 * require.h - what must hold of any input: said and ended where it does not, also in builds without asserts.
 */
#ifndef REQUIRE_H
#define REQUIRE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* `text`: what it is about; "" for nothing. */
static inline void require(bool condition, const char *what, const char *text)
{
    if (condition)
        return;
    fprintf(stderr, "%s%s%s\n", what, *text ? ": " : "", text);
    abort();
}

#endif
