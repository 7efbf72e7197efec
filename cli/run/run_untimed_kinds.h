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

#endif
