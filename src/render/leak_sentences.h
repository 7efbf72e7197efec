/* SPDX-License-Identifier: MIT
 *
 * leak_sentences.h - what is claimed of leak targets, as plain sentences: for the screen, for pages, for whoever quotes a result.
 *
 *     leak_answer(&r, target, &b);       // 12.4 ns (12.1–12.7) between equal and random; about 258 calls are enough for an attacker
 *     leak_sentence(&r, target, &b);     // LEAK: 12.4 ns (12.1–12.7) between equal and random ... "random" takes ...
 *     leak_claim(&r, &b);                // Verdicts hold only for this file (...), these classes of inputs ...
 *
 * A sentence claims what its verdict claims and no more; no code is ever called constant time. One line each, without a line feed, UTF-8; names are
 * as the program gave them: who shows them masks them.
 */
#ifndef LEAK_SENTENCES_H
#define LEAK_SENTENCES_H

#include "buf.h"
#include "leak_target.h"

void leak_clause(struct buf *out); /* what follows is the next clause of the sentence */
/* "LEAK", "small leak", "no leak" (of a scan "no single bit"), "undecided", "invalid", "failed"; of growth "GROWS", "no growth". */
const char *leak_word(const struct record *r, const struct leak_target *t);
/* What belongs beside the word in a table: the size or the bound; what would decide; what is wrong and what to do. */
void leak_answer(const struct record *r, const struct leak_target *t, struct buf *out);
/* What is known beside that: which class is slower, confidence, margin, advantage. Nothing of what could not be judged. */
void leak_details(const struct record *r, const struct leak_target *t, struct buf *out);
/* Word, answer and details. */
void leak_sentence(const struct record *r, const struct leak_target *t, struct buf *out);
/* Evidence, self-checks, how much was measured. */
void leak_evidence(const struct record *r, const struct leak_target *t, struct buf *out);
/* Where CPUs differ, or the core's frequency explains what processes differ by: a line; else nothing. */
void leak_places(const struct leak_target *t, struct buf *out);
/* What all verdicts of the record are about, and what they do not say. */
void leak_claim(const struct record *r, struct buf *out);
/* What is asked of all targets: the rule. */
void leak_question(const struct record *r, struct buf *out);
/* What dudect would say of the same calls. */
void leak_dudect_sentence(const struct leak_target *t, struct buf *out);

#endif
