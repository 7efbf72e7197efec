/* SPDX-License-Identifier: MIT */
#include "nearest.h"
#include <limits.h>
#include <string.h>

enum { WORD_MAX = 40 };

static int least_of(int a, int b)
{
    return a < b ? a : b;
}

int nearest_slips(const char *a, const char *b)
{
    size_t na = strnlen(a, WORD_MAX + 1), nb = strnlen(b, WORD_MAX + 1);
    if (na > WORD_MAX || nb > WORD_MAX)
        return INT_MAX;
    int row[3][WORD_MAX + 1] = {0}; /* the last three rows of the table; row i stands at i % 3 */
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            now[j] = least_of(least_of(before[j] + 1, now[j - 1] + 1), before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least_of(now[j], earlier[j - 2] + 1);
        }
    }
    return row[na % 3][nb];
}

void nearest_try(struct nearest *n, const char *candidate)
{
    int slips = nearest_slips(n->word, candidate);
    if (slips > ((int)strlen(candidate) + 2) / 3)
        return;
    if (!n->best || slips < n->slips) {
        n->best = candidate;
        n->slips = slips;
    }
}
