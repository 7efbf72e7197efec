/* SPDX-License-Identifier: MIT
 *
 * bisect_search.h - which commit is compared next, and what its answer means: the search of tare history bisect without commits, builds or clocks.
 *
 *     struct bisect_search s = {.good = 3, .bad = 20, .margin = 0.01, .error = 0.05, .skipped = skipped};
 *     bisect_begin(&s);
 *     while ((at = bisect_next(&s)) >= 0)
 *         ... compare `at` with s.good at level s.level and margin s.margin, twice at most; then one of
 *         bisect_answer(&s, at, differs, shift, least); // skipped[at] = true
 *     // the change is in (s.good, s.bad]; none at all with s.none
 *
 * The ends are compared first: that says in which direction and by how much. Then a commit in the middle of what is left is compared with the
 * good end, and takes the place of one of the ends. Differences below half of the first one count as none, so that a step has to tell two levels
 * apart and no more; with a margin above that, those below what is proven of the first one, else a commit with the change could count as one
 * without. Each comparison has an equal part of the error of the search, with room for one repetition of each.
 */
#ifndef BISECT_SEARCH_H
#define BISECT_SEARCH_H

#include <stdbool.h>

struct bisect_search {
    /* the caller's */
    int good, bad; /* positions; good < bad. They move towards each other */
    double margin; /* relative; grows to half of the change, shrinks to its proven part */
    double error;  /* probability that the answer is wrong */
    bool *skipped; /* by position: cannot be compared */
    /* ours */
    double level; /* of each comparison */
    int planned;  /* comparisons, if each one decides */
    bool begun;   /* the ends were compared */
    bool none;    /* and there is no change between them */
    double shift; /* between them, ln ratio */
};

void bisect_begin(struct bisect_search *s);
/* Position to be compared with s->good; -1: as far as it goes. */
int bisect_next(const struct bisect_search *s);
/* Of a comparison that decided; differs: it is another level, by shift, and by least at least: the nearer end of its interval. */
void bisect_answer(struct bisect_search *s, int at, bool differs, double shift, double least);

#endif
