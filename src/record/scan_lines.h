/* SPDX-License-Identifier: MIT
 *
 * scan_lines.h - which commands of a record differ in one number alone: the lines of a parameter scan.
 *
 *     struct arena a = {0};
 *     const struct scan_line *lines;
 *     int n = scan_lines(&record, &a, &lines);     // -L size 1,2,4 -L cc gcc,clang: two lines over size, none over cc
 *
 * A line is one command over the values of one parameter, all its other parameters being equal; a parameter is scanned when it takes
 * more than one value and all of them are plain numbers. Commands that were given side by side are told apart by their place among
 * those with the same parameters. Benchmarks of one group that ask for their complexity are a line over their first argument; the others
 * with at least three values of a numeric argument, be it in the name alone ("sort/size=8-2"), are families: they have the same
 * estimates, which only pages draw; no screen and no check reports what nobody asked for. Numbers in names that have none of their own
 * ("BM_sort/8", "test_sort[8]") must be four, or the largest ten times the least. Structure alone: how something grows is an estimate
 * (analyse.h) of the line's first subject, with the parameter in its name ("slope:size").
 * Ownership: lines point into the record and the arena.
 */
#ifndef SCAN_LINES_H
#define SCAN_LINES_H

#include "record.h"

enum { SCAN_PARAMETERS_MAX = 8 }; /* of one command; those after it are not scanned */
#define SCAN_CLASS_OFF 0.1 /* where the nearest class is proven to miss a value by more, as a share of its time, none fits */

struct scan_line {
    const char *parameter;
    const int *subjects; /* by rising value, then as given */
    const double *values;
    int n;         /* 2 or more */
    int positive;  /* index of the first value above 0; n: there is none */
    int distinct;  /* different values above 0 */
    bool several;  /* there are more lines over this parameter */
    bool nameless; /* it is taken from names, which do not say that it is one */
};

/* Number of lines, by parameter in the order of the first command that has some, then as the first command of each was given; -1: no memory. */
int scan_lines(const struct record *r, struct arena *a, const struct scan_line **out);
/* The families, over any of their arguments. */
int scan_families(const struct record *r, struct arena *a, const struct scan_line **out);

/* The name of a parameter that would be scanned but for values like "1k", and that value; NULL: there is none. */
const char *scan_unreadable(const struct record *r, const char **value);

/* What the commands of the line have in common: "sort {size}"; where they are not one text around the value, the first one's name.
 * NULL: no memory. */
const char *scan_title(const struct record *r, const struct scan_line *line, struct arena *a);

/* "slope:size". NULL: no memory. */
const char *scan_statistic(struct arena *a, const char *statistic, const char *parameter);
/* That statistic of the deciding metric, of the line's subject `index`; 0: where those of the line stand. NULL: there is none. */
const struct estimate *scan_estimate(const struct record *r, const struct scan_line *line, int index, const char *statistic);

/* Classes of complexity, and of each its name in files and its statistics: by how much it misses more than the best class, and its constant. */
enum scan_class { SCAN_1, SCAN_LOG_N, SCAN_N, SCAN_N_LOG_N, SCAN_N2, SCAN_N3, SCAN_CLASSES };
extern const struct scan_class_names {
    const char *name, *excess, *constant;
} scan_class_names[SCAN_CLASSES];
/* The class goes with the times only if its constant is below 0. That of the logarithm is the time of size 1, whatever its unit, and says nothing. */
bool scan_class_is_below(const struct record *r, const struct scan_line *line, enum scan_class class);

/* Its exponent is proven to change from end to end, and does by a tenth or more: smaller bends are real in any program and mislead nobody. */
bool scan_is_bent(const struct record *r, const struct scan_line *line);
/* The place in the line of the value that is proven to lie off the power by more than 5 %, and the furthest; -1: there is none. */
int scan_off_power(const struct record *r, const struct scan_line *line);
/* The same of what the nearest class is proven to miss, by SCAN_CLASS_OFF. */
int scan_class_missed(const struct record *r, const struct scan_line *line);

#endif
