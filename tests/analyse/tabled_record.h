/* SPDX-License-Identifier: MIT
 *
 * tabled_record.h - a record over a table of values, for tests of what is made of records.
 *
 *     const double values[] = {10, 11, 12,  20, 21, 22};      // two commands, three rounds
 *     struct record r;
 *     tabled_record(&r, "wall", 2, 3, values);
 *     struct look look = tabled_look(3, 0.05);
 *     tabled_analyse(&r, &look);
 *     record_finish(&r);
 *
 * Columns are the metric and "exit" (0); in round i command i modulo their number runs first.
 */
#ifndef TABLED_RECORD_H
#define TABLED_RECORD_H

#include "analyse.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { TABLED_VALUES, TABLED_EXIT }; /* columns */

/* metric: of metrics.def, or another name for a count of unit "1". Rule: 95 %, margin 1 %, one look at all rounds. */
void tabled_record(struct record *r, const char *metric, int n_commands, int rounds, const double *values);
struct look tabled_look(int rounds, double level);
/* All commands as one group; old results are cleared. */
void tabled_analyse(struct record *r, const struct look *look);
/* Comparison `i`, which must be there. */
const struct comparison *tabled_comparison(const struct record *r, int i);
/* An estimate, which must be there, of the deciding metric. */
const struct estimate *tabled_estimate(const struct record *r, int subject, const char *statistic);

/* Equal, or within `tolerance` relative to the larger of |expected| and 1e-300; a failure prints both. */
void assert_close_at(double actual, double expected, double tolerance, const char *file, int line);
#define assert_close(actual, expected, tolerance) assert_close_at(actual, expected, tolerance, __FILE__, __LINE__)

#endif
