/* SPDX-License-Identifier: MIT
 *
 * fake_memory.h - the memory of a scripted child while it runs: what plat_memory.h sees of it.
 *
 *     fake_memory_begin(program, spec);
 *     fake_memory_live(0.5);                 // half of its time is over
 *     fake_memory_end();
 */
#ifndef FAKE_MEMORY_H
#define FAKE_MEMORY_H

#include "fake_script.h"
#include "plat.h"

void fake_memory_begin(const struct fake_program *p, const struct plat_child_spec *spec);
void fake_memory_live(double part); /* 0 .. 1 of its life */
void fake_memory_end(void);

#endif
