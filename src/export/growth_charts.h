/* SPDX-License-Identifier: MIT
 *
 * growth_charts.h - what something costs against its argument: the medians with their intervals, and the power of the argument that was fitted to them.
 * Used by the page of commands and benchmarks and by svg.c.
 *
 *     const struct growth_chart *charts;
 *     int n = growth_charts(r, true, NULL, &arena, &charts);      // -1: no memory
 *
 * A chart is of one family of benchmarks, with a curve for each program, or of commands over one parameter; `families`: also
 * of those that do not ask how they grow. Of more than GROWTH_CURVES the rest is in the next chart. Ownership: the arena.
 */
#ifndef GROWTH_CHARTS_H
#define GROWTH_CHARTS_H

#include "chart.h"
#include "scan_lines.h"

enum { GROWTH_CURVES = 3 };

struct growth_curve {
    const struct scan_line *line;
    const char *name;        /* of several; NULL */
    double factor, exponent; /* factor * x^exponent in base units; NaN: nothing was fitted */
};

struct growth_chart {
    struct chart chart;
    struct growth_curve curves[GROWTH_CURVES];
    int n;
};

int growth_charts(const struct record *r, bool families, const char *time_unit, struct arena *a, const struct growth_chart **out);
double growth_fitted(const struct growth_curve *c, double x); /* in base units; NaN */

#endif
