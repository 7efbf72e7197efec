/* SPDX-License-Identifier: MIT
 *
 * repetition.h - what a session and its repetition say about each other (made by analyse_repetition, shown by render_repetition).
 */
#ifndef REPETITION_H
#define REPETITION_H

#include "record.h"

/* Of several claims the last of these counts, in the order of exit codes: 4 before 1 before 3. */
enum agreement { AGREES, NOT_DECIDED, DIFFERS, NOT_COMPARABLE };

struct repeated_side {
    enum verdict verdict;
    double shift, low, high; /* as in struct comparison */
    int rounds;
};

/* One claim of the first session: the ratio of two commands or benchmarks that took turns, or what one takes. */
struct repeated {
    int subject, reference; /* indexes in the second record; reference -1: by itself; subject -1: it has this one no more */
    const char *name;       /* of the subject, in the first record */
    const char *from, *to;  /* of an arc: labels of its points; NULL: of the subject as a whole */
    double then_ns, now_ns; /* of an arc: its two means; NaN: it was not passed */
    int then_arc, now_arc;  /* of an arc: 1 + index of its result in each record; 0: it has none */
    double share;           /* of an arc: the larger of its two shares, 0 to 1; NaN: not known */
    const char *metric;
    enum metric_kind kind;          /* METRIC_COUNT: differences, else ln ratios */
    struct repeated_side then, now; /* zeroed for one by itself */
    /* By what it changed: the difference of the two shifts, or the shift between the sessions. NaN: unknown */
    double change, low, high;
    double confidence;
    enum agreement word;
    const char *reason; /* why it is that word; NULL */
};

struct repetition {
    const struct record *then;
    const char *name; /* what the first session is called; by who shows it; NULL */
    struct repeated *items;
    int n; /* the first n_deciding make the word */
    int n_deciding;
    enum agreement word;
    /* What is not the same, joined by "; "; empty: nothing known */
    const char *machine, *programs, *conditions, *tool;
    bool machine_known; /* some fact tells that both are of one machine, if `machine` is empty */
};

const char *agreement_name(enum agreement a); /* "agrees", "undecided", "differs", "not_comparable" */

#endif
