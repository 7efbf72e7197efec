/* SPDX-License-Identifier: MIT
 *
 * follow.h - what a followed run says of memory, as values of a row: the metrics of followed_metrics.def, each with its reason.
 * Used by the files of exec only.
 *
 *     follow_nothing(values, NULL_NOT_ASKED);
 *     ... plat_child_run with spec.peak ...
 *     follow_fill(&result, values);
 */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "plat.h"
#include "record.h"

enum {
    FOLLOW_METRICS = 0
#define METRIC(id, title, unit, kind, direction) +1
#include "followed_metrics.def"
#undef METRIC
    ,
    FOLLOW_COLUMNS = 2 * FOLLOW_METRICS
};

void follow_nothing(double *values, int reason); /* no value, all for this enum null_reason */
void follow_fill(const struct plat_child_result *result, double *values);
int follow_reason(enum plat_peak_why why); /* 0 for PEAK_KNOWN */

#endif
