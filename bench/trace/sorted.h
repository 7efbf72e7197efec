/* SPDX-License-Identifier: MIT
 *
 * sorted.h - the subject of trace_sort.c, with points and compiled without; sorts a[0 .. n) upwards.
 *
 *     sort_points(a, room, n, 64);
 *
 * room: n / 2 numbers. grain: merges of fewer numbers pass no point. */
#ifndef SORTED_H
#define SORTED_H

#include <stdint.h>

void sort_points(uint32_t *a, uint32_t *room, long n, long grain);
void sort_without(uint32_t *a, uint32_t *room, long n, long grain);

#endif
