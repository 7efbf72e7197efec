/* SPDX-License-Identifier: MIT
 *
 * fake_bench.h - what a scripted program with benchmarks reports. Used by fake_child.c.
 */
#ifndef FAKE_BENCH_H
#define FAKE_BENCH_H

#include "buf.h"
#include "fake_script.h"
#include "plat.h"

/* Appends the report of one process to out; nothing when it was not asked or is no such program. hz: its core, 0 the usual. False: it dies
 * of SIGSEGV before the report is whole. */
bool fake_bench_report(struct fake_program *p, const struct plat_child_spec *spec, double hz, struct buf *out);

/* Its targets (fake_leak.c): the frame that names one; one process of it, TARGET to TARGET_END, of at most so many blocks (0: as many as there
 * are); false: it dies inside. */
struct wire_request;
void fake_leak_target(struct buf *out, const struct fake_leak *l, uint32_t index);
bool fake_leak_run(struct buf *out, struct fake_program *p, struct fake_leak *l, uint32_t index, const struct wire_request *q,
                   uint64_t most);

#endif
