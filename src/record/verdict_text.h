/* SPDX-License-Identifier: MIT
 *
 * verdict_text.h - a comparison in words and figures, the same on the screen and in files.
 *
 *     verdict_word(VERDICT_NOT_COMPARABLE);            // "not comparable"
 *     verdict_put_effect(&b, r, c);                    // "1.82× faster (1.80–1.84)", "+0.4 % (−0.8 to +1.6)", "−120 (−130 to −110)"
 */
#ifndef VERDICT_TEXT_H
#define VERDICT_TEXT_H

#include "buf.h"
#include "record.h"

const char *verdict_word(enum verdict v); /* "same", "likely faster", "without a verdict" */
/* A ratio that differs has its verdict in its words; a difference has a sign and no word: "−120 (−130 to −110)". */
bool verdict_in_effect(const struct comparison *c);
void verdict_put_effect(struct buf *b, const struct record *r, const struct comparison *c);
/* Whether its ratio of means, which says what runs cost, is another than its typical ratio: rare slow runs move the mean alone. */
bool comparison_mean_apart(const struct comparison *c);

#endif
