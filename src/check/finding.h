/* SPDX-License-Identifier: MIT
 *
 * finding.h - how a check reports: text built in place, added to the record. Used by the files of this folder only.
 */
#ifndef FINDING_H
#define FINDING_H

#include "buf.h"
#include "check.h"

struct check {
    struct record *r;
    const struct check_facts *facts;
    double *scratch; /* room for 4 doubles a round */
    bool failed;     /* no memory: later calls do nothing */
};

struct sample { /* one command's values of the deciding metric, in the order of the rounds; all finite */
    int subject;
    const char *unit;
    enum metric_kind kind;
    const double *values;
    int n;
    double median; /* > 0 */
};

/* weight: how far the numbers may mislead, roughly as a relative error in percent; the screen shows the heaviest two. */
BUF_FORMATS(7, 8)
void finding_add(struct check *c, const char *id, enum severity severity, int subject, double weight, const char *advice,
                 const char *format, ...);

/* "12.3 ms" in a unit that fits; memory lasts until the text is built. */
const char *finding_quantity(struct check *c, const char *unit, double value);
/* "+1.2 %", "−81.5 %": a change. */
const char *finding_change(struct check *c, double percent);
/* "p = 0.003", "p < 0.0001"; memory lasts until the text is built. */
const char *finding_p(struct check *c, double p);

/* One command (sample_checks.c) and one pair (pair_checks.c). */
typedef void check_sample(struct check *c, const struct sample *s);
check_sample check_stability, check_first_run, check_outliers, check_modes, check_dependence, check_ties, check_floor;

struct paired_sample {
    const struct comparison *comparison;
    struct sample reference, subject;
};
typedef void check_pair(struct check *c, const struct paired_sample *p);
check_pair check_mean_ratio, check_slot_effect, check_tails, check_too_noisy;

/* All of a session of tare clock (clock_checks.c). */
void check_clocks(struct check *c);

#endif
