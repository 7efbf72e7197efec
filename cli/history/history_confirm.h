/* SPDX-License-Identifier: MIT
 *
 * history_confirm.h - nominated changes measured again: both sides of each in fresh interleaved rounds, the answers noted as events.
 *
 *     struct confirmation c = {.cli = cli, .found = &f, .margin = 0.01, .error = 0.05, .display = &o->display};
 *     code = history_confirm(&c);
 *
 * The probability of a wrong answer is split evenly over the changes, so that `error` holds for all of them together.
 */
#ifndef HISTORY_CONFIRM_H
#define HISTORY_CONFIRM_H

#include "history_found.h"
#include "history_measure.h"

struct confirmation {
    struct cli *cli;
    struct history_found *found;
    double margin, error;
    const char *build; /* NULL: as the sessions have it */
    const char *class; /* that the user named; NULL: only what was measured on machines like this one */
    int64_t max_time_ns;
    bool yes; /* what the history names may run without a question */
    const struct display_options *display;
    /* out */
    int at, n;  /* which one is measured, and of how many */
    int signal; /* to die of once all is tidy; 0 */
};

/* Of each nominated change in found->changes. EXIT_ANSWERED, or after an error line the code; the changes are as before until
 * history_found_again. */
enum exit_code history_confirm(struct confirmation *c);

/* Notes that the revision of a series does not build (unbuilt true: in none) or does not run. */
enum tare_status history_note_unbuildable(const struct history_reading *r, const char *series, const char *revision,
                                          struct tare_err *err);
/* CONFIRMED or REFUTED by what `a` says, of the change between the two revisions; `confirmed`: which. */
enum tare_status history_note_measured(const struct history_reading *r, const char *series, const char *before, const char *after,
                                       const struct measure_answer *a, bool confirmed, struct tare_err *err);
/* Asks whether what the history names may run: each command line once. */
enum exit_code history_consent(struct cli *cli, const struct measure_question *questions, int n, bool yes, bool quiet);
/* Of the session, where the user did not say otherwise. False: its words are not known, or it is of another machine than this one and the user named no
 * class; `err` says so. */
bool history_question(struct measure_question *q, const struct history_reading *r, const struct history_series *s, int session,
                      const char *class, struct tare_err *err);

#endif
