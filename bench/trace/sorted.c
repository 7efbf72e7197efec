/* SPDX-License-Identifier: MIT
 * A merge sort with two points in each merge of `grain` numbers or more. Compiled twice: SORT is its name, once with TARE_POINTS_OFF. */
#include "sorted.h"
#include <string.h>
#include <tare/point.h>

static void merge(uint32_t *a, uint32_t *room, long middle, long n)
{
    memcpy(room, a, (size_t)middle * sizeof *a);
    long left = 0, right = middle, at = 0;
    while (left < middle)
        a[at++] = right < n && a[right] < room[left] ? a[right++] : room[left++];
}

void SORT(uint32_t *a, uint32_t *room, long n, long grain)
{
    if (n < 2)
        return;
    SORT(a, room, n / 2, grain);
    SORT(a + n / 2, room, n - n / 2, grain);
    if (n < grain) {
        merge(a, room, n / 2, n);
        return;
    }
    TARE_POINT_NAMED("merge");
    merge(a, room, n / 2, n);
    TARE_POINT_NAMED("merged");
}
