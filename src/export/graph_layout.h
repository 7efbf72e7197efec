/* SPDX-License-Identifier: MIT
 *
 * graph_layout.h - where the boxes, lines and labels of a directed graph go, in layers from top to bottom.
 *
 *     struct layout l = {.boxes = boxes, .n_boxes = 3, .lines = lines, .n_lines = 4};
 *     status = layout_make(&l, &arena, &err);
 *     ... draw l.boxes[i] around x, y; follow l.lines[k].runs; write its label right of label_x ...
 *
 * Lines that close a cycle go upwards. Boxes stand in rows by the longest path to them; a label has a place in a row of its own, so that neither
 * boxes nor labels overlap each other, and a line crosses none of them. Time about (boxes + lines)² times rows: for some hundred lines. The same input
 * gives the same picture.
 * Pure. Ownership: boxes and lines are the caller's, runs the arena's.
 */
#ifndef GRAPH_LAYOUT_H
#define GRAPH_LAYOUT_H

#include "arena.h"
#include <stdbool.h>
#include <tare/status.h>

struct layout_box {
    double width, height;
    double beside; /* width kept free at its right, for what is drawn there */
    double x, y;   /* found: its middle, without what is beside */
};

/* A line goes straight down at x from top to bottom, then curves to the next run. */
struct layout_run {
    double x, top, bottom;
};

struct layout_line {
    int from, to; /* boxes; the same one: no place is looked for */
    double label_width, label_height;
    double weight;           /* > 0: how much it wants to be straight */
    bool upward;             /* found: it runs from its last run to its first, and upwards */
    double label_x, label_y; /* found: left end of the label, and its middle */
    struct layout_run *runs; /* found: from the upper box to the lower */
    int n_runs;
};

struct layout {
    struct layout_box *boxes;
    int n_boxes;
    struct layout_line *lines;
    int n_lines;
    double width, height; /* found: everything lies between 0 and these */
};

enum tare_status layout_make(struct layout *l, struct arena *a, struct tare_err *err);

#endif
