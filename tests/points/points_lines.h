/* SPDX-License-Identifier: MIT
 * Several points on a line: in a function that two object files have, in a macro, in templates, in scopes of one name. check_lines.sh knows the lines. */
#include <tare/point.h>

#define POINTS_BOTH() \
    do {              \
        TARE_POINT(); \
        TARE_POINT(); \
    } while (0)

/* clang-format off */
static inline int either(int n) { if (n) { TARE_POINT(); } else { TARE_POINT(); } return n; }
static inline int scopes(int n) { { TARE_SCOPE("s"); } { TARE_SCOPE("s"); n++; } return n; }
#ifdef __cplusplus
template <class T> T chosen(T n) { if (n > 0) { TARE_POINT_NAMED("t"); } else { TARE_POINT_NAMED("t"); } return n; }
template <int N> int picked() { if constexpr (N > 0) { TARE_POINT(); } else { TARE_POINT(); } return N; }
inline int shared(int n) { if (n) { TARE_POINT(); } else { TARE_POINT(); } { TARE_SCOPE("s"); } { TARE_SCOPE("s"); n++; } return n; }
inline int apart(int n)
{
    { TARE_SCOPE("first"); n++; }
    { TARE_SCOPE("second"); n++; }
    return n;
}
#endif
/* clang-format on */

int points_elsewhere(int n);
