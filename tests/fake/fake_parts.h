/* SPDX-License-Identifier: MIT
 *
 * fake_parts.h - what a scripted child does beside taking its time: it reports, leaves traces, counts, uses memory, writes. Called by fake_child.c.
 */
#ifndef FAKE_PARTS_H
#define FAKE_PARTS_H

#include "fake_state.h"
#include "plat.h"

/* ---- what a scripted program with benchmarks reports ---- */

/* Appends the report of one process to out; nothing when it was not asked or is no such program. hz: its core, 0 the usual. False: it dies
 * of SIGSEGV before the report is whole. */
bool fake_bench_report(struct fake_program *p, const struct plat_child_spec *spec, double hz, struct buf *out);

/* Its targets (fake_leak.c): the frame that names one; one process of it, TARGET to TARGET_END, of at most so many blocks (0: as many as there
 * are); false: it dies inside. */
struct wire_request;
void fake_leak_target(struct buf *out, const struct fake_leak *l, uint32_t index);
bool fake_leak_run(struct buf *out, struct fake_program *p, struct fake_leak *l, uint32_t index, const struct wire_request *q,
                   uint64_t most);

/* ---- the file that a scripted program with control points leaves ---- */

/* One process of it into the folder that the environment names; nothing without one, or of a program without points. ended: in order. */
void fake_trace_leave(struct fake_program *p, const struct plat_child_spec *spec, int64_t start_ns, bool ended);

/* ---- between a scripted child and the counters of plat.h ---- */

/* Adds to every open counter of this event. */
void fake_counters_add(struct fake_state *w, const char *event, double n);

/* ---- the memory of a scripted child while it runs: what plat_memory.h sees of it ----
 *
 *     fake_memory_begin(program, spec);
 *     fake_memory_live(0.5);                 // half of its time is over
 *     fake_memory_end();
 */

void fake_memory_begin(const struct fake_program *p, const struct plat_child_spec *spec);
void fake_memory_live(double part); /* 0 .. 1 of its life */
void fake_memory_end(void);

/* ---- what becomes of a run that is followed for its peak (spec.peak) ---- */

/* Not PEAK_KNOWN: the program is not run. p NULL: the script knows none. */
enum plat_peak_why fake_peak_refusal(const struct fake_state *w, const struct fake_program *p);
void fake_peak_draw(struct fake_program *p, struct plat_child_result *result);

/* ---- a scripted child's standard streams, which are real descriptors ----
 *
 * While it writes, the pipe of spec->drain_fd is emptied, as plat_child_run promises. A write that fails is the child's loss only.
 */

void fake_stream_write(const struct plat_child_spec *spec, int fd, const char *bytes, size_t n);
void fake_stream_zeros(const struct plat_child_spec *spec, int fd, int64_t n);
int64_t fake_stream_read(int fd); /* to its end; bytes */

#endif
