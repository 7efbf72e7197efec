/* SPDX-License-Identifier: MIT
 *
 * stored_arcs.h - traced programs of two stored sessions, arc by arc. Used by stored.c and repeated_arcs.c.
 *
 *     stored_arcs_copy(out, to, session, from);          // for both sides
 *     stored_arcs_compare(out, &like, &(struct stored_arcs_how){.judged = true});
 *
 * Nothing ties the runs of two sessions together: the interval is Welch's of the difference of the logarithms of two means (stored_arcs.c).
 */
#ifndef STORED_ARCS_H
#define STORED_ARCS_H

#include "record_arcs.h"

/* Points, runs, arcs and what they came to, of one subject, into another record. NO_MEMORY. */
enum tare_status stored_arcs_copy(struct record *out, int to, const struct record *from, int subject);

struct stored_arcs_how {
    bool judged;   /* words are given */
    bool one_code; /* comparable_one_code */
};

/* A comparison for each arc that both have. `like`: reference, subject, what is to be said of all. NO_MEMORY. */
enum tare_status stored_arcs_compare(struct record *out, const struct comparison *like, const struct stored_arcs_how *how);

#endif
