/* SPDX-License-Identifier: MIT
 *
 * Eight points in a row and nothing else in each function, so that their size tells what a point is in line (check_points.sh). */
#include <tare/point.h>

#define EIGHT(point) \
    point;           \
    point;           \
    point;           \
    point;           \
    point;           \
    point;           \
    point;           \
    point

void eight_ordered(void);
void eight_values(uint64_t n);
void eight_fast(void);
void eight_precise(void);

void eight_ordered(void)
{
    EIGHT(TARE_POINT());
}

void eight_values(uint64_t n)
{
    EIGHT(TARE_POINT_VALUE("value", n));
}

void eight_fast(void)
{
    EIGHT(TARE_POINT_FAST());
}

void eight_precise(void)
{
    EIGHT(TARE_POINT_PRECISE());
}
