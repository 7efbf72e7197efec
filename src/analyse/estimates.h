/* SPDX-License-Identifier: MIT
 *
 * estimates.h - the parts of analyse_group that estimate: a benchmark beyond what every subject has (benchmarks.c), what disturbed a command (estimate.c),
 * a parameter scan (scan.c). What analyse_side_by_side and analyse_percentiles take of them is here too.
 */
#ifndef ESTIMATES_H
#define ESTIMATES_H

#include "analyse.h"

/* Nothing for a command. rounds: processes made. */
enum tare_status estimate_benchmark(struct record *r, int subject, int rounds);
/* The samples of all its processes that count, in nanoseconds an iteration, process after process: their number. room: for twice as many
 * values as it has samples, and two. */
int benchmark_samples(const struct record *r, int subject, double *room);

/* ---- scans ----
 *
 * For each line (scan_lines.h) of the deciding metric, with the line's first subject:
 *     slope:P             exponent of the power law over P
 *     slope_smallest:P    exponent at the smallest value, were the line a parabola; slope_largest:P likewise
 *     slope_change:P      from the one to the other; 0 where the line is straight
 *     line_middle:P       height of the straight line at the geometric mean of the values, in the metric's unit
 * of benchmarks that ask for it, over 4 values or more, by how much a class misses the times by more than the best one does, relative
 *     excess_1:P, excess_log:P, excess_linear:P, excess_n_log_n:P, excess_square:P, excess_cube:P
 *                         the best has 0 and [0, 0]; it is told from those whose interval lies above 0, at level / 5 each
 * and with each subject of it
 *     off_line:P          distance from the straight line, relative: 0.1 is a tenth above it; the interval at level / values
 *     off_class:P         distance from the best class, likewise, as a share of the time
 * Without a value there is a reason, and of each line at least slope:P.
 */

/* Lines and families whose subjects are all in the group, which shares rounds. */
enum tare_status scan_group(struct record *r, const int *subjects, int n_subjects, const struct look *look);
/* All lines, from the estimates of this statistic, without intervals: the commands did not share rounds, and `why`. */
enum tare_status scan_side_by_side(struct record *r, const char *statistic, const char *why);

#endif
