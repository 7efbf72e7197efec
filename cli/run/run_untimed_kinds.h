/* SPDX-License-Identifier: MIT
 *
 * run_untimed_kinds.h - makers of untimed runs that live in files of their own. Used by run_untimed.c, whose table calls them.
 */
#ifndef RUN_UNTIMED_KINDS_H
#define RUN_UNTIMED_KINDS_H

#include "run.h"

/* Two more processes of a benchmark; what an iteration allocates becomes the counts COUNT_ALLOCATIONS and COUNT_ALLOCATED of its series.
 * What keeps it from being counted is said as a note. A command, and a benchmark that was given up: nothing. */
enum tare_status make_allocs(struct run *run, int command, struct tare_err *err);

/* One more process of a benchmark; what an iteration counts of --counters becomes counts COUNT_EVENT name of its series. What cannot be
 * counted is said as a note, once a session. */
enum tare_status make_events(struct run *run, int command, struct tare_err *err);
/* INVALID: --counters names what is no event. Needs the spawner. */
enum tare_status check_event_names(struct run *run, struct tare_err *err);

/* ---- what those two share: run_counted.c ---- */

/* For exec_untimed.adjust: the process gets this request ("TARE_WIRE=...") in place of the last round's. Without memory it keeps the old one. */
void counted_ask(struct run *run, struct plat_child_spec *spec, const char *variable);
const char *counted_variable(struct run *run, const struct bench_request *q); /* the arena's; NULL: no memory */
/* A count of an iteration, into the record and, where there is one, its file. */
enum tare_status counted_keep(struct run *run, int subject, const char *name, const char *unit, double value,
                              struct tare_err *err);
void counted_say(struct run *run, const char *text); /* a note, with the live line away */

#endif
