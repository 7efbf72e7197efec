/* SPDX-License-Identifier: MIT
 *
 * canvas.h - inside render: a field of characters with two axes, for pictures that scan_plot.c and leak_plots.c make.
 *
 *     struct canvas c = {.p = p, .rows = 12, .columns = canvas_columns(p), .x = ..., .y = ..., .marks = marks};
 *     if (canvas_begin(&c)) {
 *         int cell = canvas_cell(&c, x, y);              // -1: outside
 *         if (cell >= 0) c.cells[cell] = 1;              // marks[1]
 *         canvas_draw(&c, ticks, n);                     // all of it, ticks: the values marked below
 *         canvas_end(&c);
 *     }
 */
#ifndef CANVAS_H
#define CANVAS_H

#include "axis.h"
#include "layout.h"

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

#endif
