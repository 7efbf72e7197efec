/* SPDX-License-Identifier: MIT
 *
 * nearest.h - "did you mean": the known word that is fewest typing slips away from one that is not known.
 *
 *     struct nearest near = {.word = "precison"};
 *     for each known word w: nearest_try(&near, w);
 *     if (near.best) ... "did you mean --%s?"
 *
 * A slip is a letter missing, added, changed, or two neighbours swapped (optimal string alignment). Words more than a third
 * wrong, and words past 40 bytes, are never suggested. The first of equals stays. Keeps the pointers it is given.
 */
#ifndef NEAREST_H
#define NEAREST_H

struct nearest {
    const char *word, *best;
    int slips; /* of best */
};

void nearest_try(struct nearest *n, const char *candidate);
int nearest_slips(const char *a, const char *b); /* INT_MAX for words that are too long */

#endif
