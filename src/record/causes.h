/* SPDX-License-Identifier: MIT
 *
 * causes.h - what disturbed a row, by its flags: the list of cause.def for those who read records.
 *
 *     const struct cause *c;
 *     for (int i = 0; (c = cause_at(i)); i++)
 *         if (rows->flags[row] & c->bit) ...
 *     if (flags & causes_exogenous()) ... // the round may be repeated for it
 *
 * Finding out what disturbed a run is the work of others; here flags are only read.
 */
#ifndef CAUSES_H
#define CAUSES_H

#include "record.h"

struct cause {
    uint32_t bit;
    const char *word; /* "preempted": of files and screens */
    bool exogenous;   /* from outside the measured program */
};

const struct cause *cause_at(int index); /* in the order of the bits; NULL past the end */
/* The covariate with the nanoseconds that it took from a run ("delay"); NULL: its time cannot be told apart. */
const char *cause_column(const struct cause *c);
uint32_t causes_all(void);
uint32_t causes_exogenous(void);

/* Whether the session kept the account: its rows have the columns of it. Older records and other tools' have not. */
bool series_has_account(const struct series *s);
/* What is known of the rows of a subject. */
struct rows_watched {
    const uint32_t *flags;
    uint32_t exogenous;
    const double *delay; /* NULL: there is no account of them */
};
struct rows_watched rows_watched(const struct record *r, int subject);
/* Whether nobody knows if the row waited for a CPU. */
bool row_unseen(const struct rows_watched *w, int row);
/* Known to be: no exogenous cause, and not unseen. */
bool row_undisturbed(const struct rows_watched *w, int row);

#endif
