/* SPDX-License-Identifier: MIT
 *
 * fake_trace.h - the file that a scripted program with control points leaves. Used by fake_child.c.
 */
#ifndef FAKE_TRACE_H
#define FAKE_TRACE_H

#include "fake_script.h"
#include "plat.h"

/* One process of it into the folder that the environment names; nothing without one, or of a program without points. ended: in order. */
void fake_trace_leave(struct fake_program *p, const struct plat_child_spec *spec, int64_t start_ns, bool ended);

#endif
