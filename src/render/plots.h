/* SPDX-License-Identifier: MIT
 *
 * plots.h - inside render: pictures of one command's runs, a histogram and the order in which they came, and of a scan. Scales and bins are
 * layout: nothing is claimed from them.
 */
#ifndef PLOTS_H
#define PLOTS_H

#include "axis.h"
#include "layout.h"

/* ---- inside render: a field of characters with two axes, for pictures that growth.c and chart_plots.c make.
 *
 *     struct canvas c = {.p = p, .rows = 12, .columns = canvas_columns(p), .x = ..., .y = ..., .marks = marks};
 *     if (canvas_begin(&c)) {
 *         int cell = canvas_cell(&c, x, y);              // -1: outside
 *         if (cell >= 0) c.cells[cell] = 1;              // marks[1]
 *         canvas_draw(&c, ticks, n);                     // all of it, ticks: the values marked below
 *         canvas_end(&c);
 *     } */

enum { CANVAS_LABEL = 14, CANVAS_WIDEST = 64, CANVAS_NARROWEST = 16 };

struct canvas {
    struct page *p;
    int rows, columns;
    struct axis x, y;
    const char *const *marks; /* what stands for a cell's number; marks[0] is never used, as empty cells are blank */
    char *cells;              /* rows * columns */
};

/* As many columns as the terminal has room for; below CANVAS_NARROWEST no picture should be drawn. */
int canvas_columns(const struct page *p);
bool canvas_begin(struct canvas *c); /* false without memory, with p->out->status set */
void canvas_end(struct canvas *c);
/* Row 0 is the top; -1: outside of the axes. */
int canvas_cell(const struct canvas *c, double x, double y);
/* The value of x in the middle of a column. */
double canvas_x(const struct canvas *c, int column);
/* Rows with the labels of y, the axis of x with its ticks, and their labels. */
void canvas_draw(struct canvas *c, const double *x_ticks, int n);

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

#endif
