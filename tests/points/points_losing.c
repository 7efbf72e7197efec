/* SPDX-License-Identifier: MIT
 *
 * So many passages of one arc, each with so many multiplies in it: more hits than a small --limit keeps.
 *
 *     points_losing PASSAGES MULTIPLIES
 */
#include <stdlib.h>
#include <tare/point.h>

int main(int argc, char **argv)
{
    const int passages = argc > 1 ? atoi(argv[1]) : 1, multiplies = argc > 2 ? atoi(argv[2]) : 1;
    uint64_t x = 3;
    for (int i = 0; i < passages; i++) {
        TARE_POINT_NAMED("begin");
        for (int k = 0; k < multiplies; k++) {
            x *= 5;
            __asm__ volatile("" : "+r"(x));
        }
        TARE_POINT_NAMED("end");
    }
    return x == 0;
}
