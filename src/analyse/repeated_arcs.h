/* SPDX-License-Identifier: MIT
 *
 * repeated_arcs.h - a session of traced programs and its repetition, arc by arc; and what repetition.c and repeated_arcs.c share. Used by
 * these two only. What the words mean: analyse_repetition.h.
 */
#ifndef REPEATED_ARCS_H
#define REPEATED_ARCS_H

#include "analyse_repetition.h"

struct repeating {
    struct repetition *out;
    const struct record *then, *now;
    bool assume_no_drift;
    struct arena *a;
    struct tare_err *err;
};

#define REPEATED_DRIFT                                                                              \
    "it changed by more than chance, as it does where something drifted between the two sessions; " \
    "--assume-no-drift takes for granted that nothing did"

bool repeated_has_word(const struct comparison *c); /* false too for NULL */
/* What makes an interval of one of n comparisons, each with the confidence of the session alone, one that holds beside the others. */
double repeated_factor(const struct record *r, int n);
/* Fills sides, change, word and reason of p; now NULL: there is none. */
void repeated_compare(struct repeating *x, struct repeated *p, const struct comparison *then, const struct comparison *now,
                      double factor);

/* Items and how many of them decide, where both records are of traced programs. NO_MEMORY. */
enum tare_status repeated_arcs(struct repeating *x);

#endif
