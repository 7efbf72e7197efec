/* SPDX-License-Identifier: MIT
 * Ten times through points that share lines; C and C++. */
#include "points_lines.h"

/* clang-format off */
static int one_of_three(int n) { if (n == 1) { TARE_POINT(); } else if (n == 2) { TARE_POINT(); } else { TARE_POINT_NAMED("third"); } return n; }
/* clang-format on */

int main(void)
{
    for (int i = 0; i < 10; i++) {
        one_of_three(2);
        POINTS_BOTH();
        either(0);
        scopes(1);
#ifdef __cplusplus
        chosen(1);
        chosen(-1.0);
        picked<1>();
        picked<0>();
        shared(1);
        apart(1);
#endif
        points_elsewhere(1);
    }
    return 0;
}
