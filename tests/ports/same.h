/* SPDX-License-Identifier: MIT
 *
 * same.h - checks of programs that are built without a test library too: both values are printed where they differ.
 *
 *     same_number("end", result.end, CHILD_EXITED);
 *     return same_end();
 */
#ifndef SAME_H
#define SAME_H

#include <stdio.h>
#include <string.h>

static int failures;

static inline void same_number(const char *what, double found, double wanted)
{
    if (found == wanted)
        return;
    printf("%s: %.17g, not %.17g\n", what, found, wanted);
    failures++;
}

static inline void same_text(const char *what, const char *found, const char *wanted)
{
    if (!strcmp(found, wanted))
        return;
    printf("%s: \"%s\", not \"%s\"\n", what, found, wanted);
    failures++;
}

/* The exit code of the program. */
static inline int same_end(void)
{
    if (!failures)
        puts("all as wanted");
    return failures != 0;
}

#endif
