/* SPDX-License-Identifier: MIT
 *
 * gate_rounds.h - the rounds of a gate in a record: what of a session becomes a case of gate_answer.h.
 *
 *     const char *why = gate_failure(&r, base, head, &arena);
 *     if (gate_skipped(&r, base, head, before))
 *         ... the benchmark does not run here ...
 *     else if (!why)
 *         n = gate_ratios(&r, base, head, c.screen, room);
 */
#ifndef GATE_ROUNDS_H
#define GATE_ROUNDS_H

#include "record.h"
#include "verdict.h"

enum gate_side { GATE_BASE, GATE_HEAD };

extern const char *const gate_side_names[2];

/* ln(head / base) of the rounds that both subjects of a session have, 0 where both values are 0: how many; -1: a round has none. out may be NULL. */
int gate_ratios(const struct record *r, int base, int head, double *out, int room);
/* The steps of their values, if they matter, into those of the sessions before. */
void gate_add_printed(const struct record *r, int base, int head, struct printed *p);
/* Why these subjects have no answer: "head: exit code 1", or other_work; in the arena, NULL: they may have one. */
const char *gate_failure(struct record *r, int base, int head, struct arena *a);
/* Both say that they do not run here, and did so from the start: of a benchmark with rounds before it is a failure. */
bool gate_skipped(const struct record *r, int base, int head, int before);

#endif
