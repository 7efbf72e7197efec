/* SPDX-License-Identifier: MIT
 *
 * memory_watch.h - looks at the memory of one run while it runs: what is resident in all its processes, and, by a library that
 * is preloaded into them, the live heap.
 *
 *     struct memory_watch *w;
 *     memory_watch_create(&w, spawner, &err);
 *     exec_untimed(x, command, &(struct exec_untimed){.what = "...", .watch = w}, &result, &err);
 *     record_add_timeline(&record, memory_watch_end(w, &result));
 *     memory_watch_destroy(w);
 *
 * One watch for one run. Never in a run whose time counts: looking takes up to a fifth of a CPU, and the library takes time at every
 * allocation. It begins with a look each 200 us; what a run of any length leaves is bounded (timeline.h).
 * Ownership: the watch owns all it makes; the timeline it returns is its own.
 */
#ifndef MEMORY_WATCH_H
#define MEMORY_WATCH_H

#include "plat.h"
#include "timeline.h"

struct memory_watch;

/* UNSUPPORTED: this system does not show the memory of processes. Where only the heap cannot be had, the timeline says why. */
enum tare_status memory_watch_create(struct memory_watch **out, struct plat_spawner *s, struct tare_err *err);
void memory_watch_destroy(struct memory_watch *w); /* NULL is fine */

/* Takes over the run's environment and watch. */
void memory_watch_adjust(struct memory_watch *w, struct plat_child_spec *spec);

/* What was seen, once the run has ended; subject and start_ns are the caller's to set. Valid as long as the watch. */
struct timeline *memory_watch_end(struct memory_watch *w, const struct plat_child_result *result);

#endif
