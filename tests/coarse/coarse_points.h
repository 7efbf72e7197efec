/* SPDX-License-Identifier: MIT
 *
 * coarse_points.h - what libtare's own files of control points read, made coarse: the readings they make themselves, and the words of their rows, which
 * code in line wrote. Words of the program's own points are made coarse in the file, when it has ended (coarse_traced.c): so all that is timed is the real code.
 */
#ifndef COARSE_POINTS_H
#define COARSE_POINTS_H

#define TARE_POINTS_LIBRARY
#include "coarse_ticks.h"
#include <tare/point.h>

#define tare_point_ticks(cpu)   coarse_count(tare_point_ticks(cpu))
#define tare_point_ticks_fast() coarse_count(tare_point_ticks_fast())
#include "point_state.h"

static inline uint64_t coarse_tick_of(uint64_t word)
{
    return coarse_count(word >> 16);
}
#define point_tick_of coarse_tick_of

#endif
