/* SPDX-License-Identifier: MIT
 *
 * leak_sentences.h - what is claimed of leak targets, as plain sentences: for the screen, for pages, for whoever quotes a result.
 *
 *     leak_sentence(&r, target, &b);     // LEAK larger than 1 ns: "random" takes 12.4 ns less than "equal" [12.1, 12.7] ...
 *     leak_claim(&r, &b);                // This holds for this processor (...), these files (...), these classes ...
 *
 * A sentence claims what its verdict claims and no more; no code is ever called constant time. One line each, without a line feed, UTF-8; names are
 * as the program gave them: who shows them masks them.
 */
#ifndef LEAK_SENTENCES_H
#define LEAK_SENTENCES_H

#include "buf.h"
#include "leak_target.h"

/* "LEAK", "NO LEAK", "SMALL LEAK", "UNDECIDED", "INVALID", "FAILED"; of growth "GROWS", "NO GROWTH". */
const char *leak_word(const struct record *r, const struct leak_target *t);
/* The word and what it claims. */
void leak_sentence(const struct record *r, const struct leak_target *t, struct buf *out);
/* What follows the word. */
void leak_rest(const struct record *r, const struct leak_target *t, struct buf *out);
/* Evidence, self-checks, how much was measured. */
void leak_evidence(const struct leak_target *t, struct buf *out);
/* Where CPUs differ, or the core's frequency explains what processes differ by: a line; else nothing. */
void leak_places(const struct leak_target *t, struct buf *out);
/* What all verdicts of the record are about, and what they do not say. */
void leak_claim(const struct record *r, struct buf *out);
/* What is asked of all targets: the rule. */
void leak_question(const struct record *r, struct buf *out);
/* What dudect would say of the same calls. */
void leak_dudect_sentence(const struct leak_target *t, struct buf *out);

#endif
