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
    double *scratch; /* room for 8 doubles a round */
    enum tare_status status;
};

struct sample { /* one command's values of the deciding metric, in the order of the rounds */
    int subject;
    const double *values;
    int n;
};

/* Names the subject in front of the text when there are several. */
#if defined(__MINGW32__)
__attribute__((format(gnu_printf, 6, 7)))
#else
__attribute__((format(printf, 6, 7)))
#endif
void finding_add(struct check *c, const char *id, enum severity severity, int subject, const struct finding *how, const char *format, ...);

void check_stability(struct check *c, const struct sample *s);     /* Stinner's rules */
void check_outliers(struct check *c, const struct sample *s);
void check_first_run(struct check *c, const struct sample *s);
void check_drift(struct check *c, const struct sample *s);
void check_modes(struct check *c, const struct sample *s);
void check_floor(struct check *c, const struct sample *s);         /* the spawner's own weight */
void check_ties(struct check *c, const struct sample *s);          /* a clock or counter too coarse */

#endif
