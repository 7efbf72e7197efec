/* SPDX-License-Identifier: MIT
 *
 * plots.h - inside render: pictures of one command's runs, a histogram and the order in which they came. Scales and bins are
 * layout: nothing is claimed from them.
 */
#ifndef PLOTS_H
#define PLOTS_H

#include "layout.h"

/* values in the order of the runs, NaN allowed. */
void plot_histogram(struct page *p, const double *values, int n, struct unit u);
void plot_order(struct page *p, const double *values, int n, struct unit u);

#endif
