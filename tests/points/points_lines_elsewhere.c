/* SPDX-License-Identifier: MIT
 * The other object file: counts of the compiler are others here. */
#ifdef POINTS_SHIFT
enum { points_shift = __COUNTER__ };
#endif
#include "points_lines.h"

int points_elsewhere(int n)
{
#ifdef __cplusplus
    chosen(2.0F);
    n += shared(n) - shared(n) + apart(n) - apart(n);
#endif
    return either(n) + scopes(n);
}
