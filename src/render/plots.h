/* SPDX-License-Identifier: MIT
 *
 * plots.h - inside render: pictures of one command's runs, a histogram and the order in which they came, and of a scan. Scales and bins are
 * layout: nothing is claimed from them.
 */
#ifndef PLOTS_H
#define PLOTS_H

#include "layout.h"

/* values in the order of the runs, NaN allowed. */
void plot_histogram(struct page *p, const double *values, int n, struct unit u);
/* In one line, "11.9 ▁▂▇▅▂▁ 14.2 ms"; nothing of fewer than 6, or where all are alike. */
void plot_small_histogram(struct page *p, const double *values, int n, struct unit u);
void plot_order(struct page *p, const double *values, int n, struct unit u);

/* One line of a scan with its straight line on logarithms: y = middle (x / geometric mean of the values)^slope; NaN: none. */
struct scan_line;
struct curve {
    const char *title;
    const struct scan_line *line;
    double slope, middle;
};
enum { CURVES_MAX = 6 };
/* Curves over one parameter in one picture; nothing where there is no room for one. */
void plot_curves(struct page *p, const struct curve *curves, int n);

#endif
