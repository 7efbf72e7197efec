/* SPDX-License-Identifier: MIT
 *
 * history_confirm.h - nominated changes measured again: both sides of each in fresh interleaved rounds, the answers noted as events.
 *
 *     status = history_find_changes(&r, -1, &err);
 *     code = history_confirm(&r, 0.05);
 *
 * The probability of a wrong answer is split evenly over the changes, so that `error` holds for all of them together.
 */
#ifndef HISTORY_CONFIRM_H
#define HISTORY_CONFIRM_H

#include "history_measure.h"
#include "history_reading.h"

/* Of each nominated change in r->changes. EXIT_ANSWERED, or after an error line the code; the changes are as before until
 * history_find_changes in what history_reading_again has opened. */
enum exit_code history_confirm(struct history_reading *r, double error);

/* Notes that the revision does not build, or with a series or a command line (`words`, in one line) that it does not run these. Each may be NULL. */
enum tare_status history_note_unbuildable(const struct history_reading *r, const char *series, const char *revision,
                                          const char *words, struct tare_err *err);
/* CONFIRMED or REFUTED by what `a` says, of the change between the two revisions; `confirmed`: which. */
enum tare_status history_note_measured(const struct history_reading *r, const char *series, const char *before, const char *after,
                                       const struct measure_answer *a, bool confirmed, struct tare_err *err);
/* Asks whether what the history names may run: each command line once. */
enum exit_code history_consent(const struct history_reading *r, const struct measure_question *questions, int n);
/* By the options; words: as below, or NULL. */
struct measure_question history_question(const struct history_reading *r, const char *const *words);
/* tare's command line by its operands from the first one on; NULL: there are none, or no memory. */
const char *const *history_words_given(const struct cli *cli, int first);
/* Of the series as the session has it, where the user did not say otherwise. INVALID: its words are not known, or it is of another machine than this one and
 * the user named no class. */
enum tare_status history_question_of(struct measure_question *q, const struct history_reading *r, const struct history_series *s,
                                     int session, struct tare_err *err);
/* Neither a difference nor its absence was shown. */
bool history_open_answer(const struct measure_answer *a);
/* The same once more, for longer. */
struct measure_question history_longer(const struct measure_question *q);
/* Says "1a2b3c4 its subject does not build", and what would help. */
void history_say_unbuilt(const struct history_reading *r, const struct history_commit *c, const struct measure_question *q,
                         const struct measure_answer *a);

#endif
