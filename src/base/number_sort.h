/* SPDX-License-Identifier: MIT
 *
 * number_sort.h - many numbers in ascending order.
 *
 *     number_sort(x, n, room);        // room: n more
 *
 * Takes a few passes over them, as many as their bits differ in, so that a million measured times take a fifth of what comparing them does. Where there is
 * no room, tare_sort of <tare/stats.h>. NaN come last, and lose what else they hold; of -0 and 0 either may come first.
 */
#ifndef NUMBER_SORT_H
#define NUMBER_SORT_H

#include <stddef.h>

void number_sort(double *x, ptrdiff_t n, double *room);

#endif
