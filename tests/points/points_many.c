/* SPDX-License-Identifier: MIT
 *
 * 70 000 points, each passed once. */
#include <stdlib.h>
#include <tare/point.h>

enum { POINTS = 70000 };

int main(void)
{
    static struct tare_point points[POINTS];
    static struct tare_point *entries[POINTS];
    for (int i = 0; i < POINTS; i++) {
        points[i] = (struct tare_point){
            .file = __FILE__, .function = __func__, .name = "one of many", .line = (uint32_t)i + 1, .kind = TARE_KIND_POINT};
        entries[i] = &points[i];
    }
    tare_points_enter(entries, entries + POINTS);
    TARE_POINT_NAMED("first");
    for (int i = 0; i < POINTS; i++)
        tare_point_pass(&points[i], 0);
    return 0;
}
