/* SPDX-License-Identifier: MIT
 *
 * tuning.h - --tune of the measuring commands: look, quiet one CPU, measure there, put everything back.
 *
 *     struct tuning *t;
 *     status = tuning_plan(&t, o->tune, o->pin_cpu, arena, &err);     // changes nothing; tuning_cpu(t) is where to measure
 *     status = tuning_begin(t, &err);                                // as root; a watchdog stands by from here on
 *     status = tuning_enter(t, spawner_pid, &err);
 *     tuning_add_facts(t, &record, &record.before);
 *     ... measure ...
 *     status = tuning_end(t, &said, &err);                           // everything is as it was
 *
 * All calls accept NULL: then nothing was asked for.
 * Ownership: it lives in the arena; what it holds open ends with tuning_end.
 */
#ifndef TUNING_H
#define TUNING_H

#include "arena.h"
#include "buf.h"
#include "record.h"

struct tuning;

/* list: "all" or ids of knobs with commas between; NULL: not asked, and *out is NULL but where pin_cpu is one that tare system tune keeps free, so that only
 * who enters its group may run there. pin_cpu -1: the CPU is chosen. INVALID: wrong use. */
enum tare_status tuning_plan(struct tuning **out, const char *list, int pin_cpu, struct arena *a, struct tare_err *err);
int tuning_cpu(const struct tuning *t); /* -1: nothing was asked for */
/* Whether it is a CPU that is entered through a group. */
bool tuning_has_group(const struct tuning *t);
/* "12 files of governor, turbo for CPU 3", for --dry-run; NULL: nothing was asked for. In the arena. */
const char *tuning_plan_text(const struct tuning *t);
/* PERMISSION: nothing could be changed. After a failure nothing is left changed. */
enum tare_status tuning_begin(struct tuning *t, struct tare_err *err);
/* It is not tuned after all; the record then says that nothing was changed. */
void tuning_forgo(struct tuning *t);
/* This process, its children and what they start may run on the CPU then. PERMISSION: the group takes none that is not root's. */
enum tare_status tuning_enter(const struct tuning *t, int pid, struct tare_err *err);
/* tune_cpu, tune_knobs, tune_files, tune_refused, tune_changes, and tune_warning where something is to be known. */
enum tare_status tuning_add_facts(const struct tuning *t, struct record *r, struct facts *f);
/* What is to be said of putting things back goes to `said`: nothing when all is well. IO: not everything could be. */
enum tare_status tuning_end(struct tuning *t, struct buf *said, struct tare_err *err);

/* What an earlier tuning left, in one sentence; "" : nothing. */
void tuning_notice(struct buf *out);

#endif
