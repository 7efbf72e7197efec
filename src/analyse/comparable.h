/* SPDX-License-Identifier: MIT
 *
 * comparable.h - what may be compared with what: the one place that says so for rounds of a session, for stored sessions and for sets of them.
 *
 *     comparable_differences(&old, a, &new, b, "wall", &why);     // machine, build rule, metric, benchmark: empty when they may be compared
 *     why = other_work(r, reference, subject, rounds);            // what they did: NULL when it was the same
 *     sessions_differ(&first, &next, &how)                        // whether one is no more session of what the other is one of
 *
 * A fact that one side does not know is no difference. It computes nothing of the values. From the verdict on: verdict.h.
 */
#ifndef COMPARABLE_H
#define COMPARABLE_H

#include "buf.h"
#include "record.h"

/* ---- two sessions ---- */

/* What makes them not comparable, joined by "; "; nothing is added when they may be compared. */
void comparable_differences(const struct record *first, int a, const struct record *second, int b, const char *metric,
                            struct buf *out);
/* Both have this metric, in two units: its values in one are none in the other's. */
bool metric_in_another_unit(const struct record *first, const struct record *second, const char *metric);
/* True when the two are one traced program: one content of its file, as far as it was read, and the same arguments. */
bool comparable_one_code(const struct record *first, int a, const struct record *second, int b);
/* True when some fact tells that both are of one machine. */
bool comparable_machine_known(const struct record *first, const struct record *second);
/* What is not the same, joined by "; ": of the machine itself; of the programs' files and what built them; of the conditions that both know. */
void comparable_machines(const struct record *first, const struct record *second, struct buf *out);
void comparable_programs(const struct record *first, const struct record *second, struct buf *out);
void comparable_conditions(const struct record *first, const struct record *second, struct buf *out);
/* The facts of these and of the machines one by one, key from 0 on; NULL past the last, and where r does not know it. */
const char *comparable_key(int key);
const struct fact *comparable_fact(const struct record *r, int key);
bool comparable_alike(const struct fact *a, const struct fact *b);
void comparable_put_fact(const struct fact *f, struct buf *out); /* "'powersave'", "4" */
/* "'./old 2c26b46b68ffc68f' and './old 9e107d9d372bb682'": both have an anchor, and ratios to the one are none to the other. Nothing where it is the
 * same, or one has none. */
void comparable_anchors(const struct record *first, const struct record *second, struct buf *out);

/* The subject of `other` that a subject of `r` is compared with; -1: it has none, or is an anchor. The same from either side. stored: by name, and the only
 * program of each, traced or run with the same arguments, also where its path is another. planned: of two sessions of one plan, by place, and benchmarks by their names, for programs change. */
int stored_partner(const struct record *r, int subject, const struct record *other);
int planned_partner(const struct record *r, int subject, const struct record *other);

/* ---- the work that was done ---- */

/* Whether one failed, or was ended by a signal, where the other did not, in n rounds that both share. False where either does not tell. */
bool outcomes_differ(const struct series *a, const struct series *b, int n);
/* Why figures of the two say nothing of each other: one was given up, or failed where the other did not, a program file was replaced meanwhile, or
 * --check-output saw one print different things, or one alone reports its times itself. NULL: nothing is known against it. rounds: how many they
 * share; 0: none, they are of two sessions. */
const char *other_work(struct record *r, int reference, int subject, int rounds);

/* ---- sessions of one plan ---- */

/* Why `next` is no further session of what `first` is one of, as the end of a sentence: plan, machine, programs' files. False: it is one. */
bool sessions_differ(const struct record *first, const struct record *next, struct buf *how);
bool sessions_differ_in_work(const struct record *first, const struct record *next, struct buf *how); /* on whatever machines */

#endif
