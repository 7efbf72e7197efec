/* SPDX-License-Identifier: MIT
 *
 * self_trace.h - control points in tare's own program: where does tare's own time go?
 *
 *     #include "self_trace.h"
 *
 *     TARE_POINT_NAMED("plan");        // an arc goes on from here
 *
 *     ./dev selftrace                  // or: tare trace -- tare-selftrace run -N -r 20 true
 *
 * The points are those of tare/point.h. Only the program tare-selftrace has them: the build defines TARE_SELF_TRACE for it, and everywhere else
 * they are compiled out, so that no code, no section and no symbol of theirs is in tare (tests/self_trace holds it to that).
 *
 * A point is named after what begins there; the arc to the next point is that piece of work. They stand in cli and exec alone, where one thread does
 * one thing after the other; a file that gets its first point is named in cli/CMakeLists.txt. Between `child` and `child ended` the time is that
 * of the measured command. No point may stand in a part of libtare.
 *
 * What tare-selftrace runs inherits what it was asked itself, as from any program: a command with points of its own leaves its files beside, and is seen
 * in the same run. `tare-selftrace trace` asks its programs anew, so theirs are its own affair.
 */
#ifndef SELF_TRACE_H
#define SELF_TRACE_H

#ifndef TARE_SELF_TRACE
#define TARE_POINTS_OFF
#endif
#include <tare/point.h>

#endif
