/* SPDX-License-Identifier: MIT
 *
 * graph_picture.h - a graph of arcs as SVG: of --export-svg, and within the page of --export-html.
 *
 *     struct graph_picture p;
 *     status = graph_picture_make(&p, &view, &arena, &err);
 *     buf_format(b, "<svg ... width=\"%.0f\" height=\"%.0f\">", p.width, p.height); graph_picture_draw(b, &p);
 *
 * Width of a line: its time against that of the arc with most; colour: its share of all time; both also stand beside it. Points that were never
 * passed are listed below. Colours are classes of graph_picture_style, which has a second set of them for dark screens.
 */
#ifndef GRAPH_PICTURE_H
#define GRAPH_PICTURE_H

#include "graph.h"
#include "graph_layout.h"

struct graph_picture {
    const struct graph_view *view;
    struct layout layout;
    struct layout_box *boxes;
    struct layout_line *lines; /* as view->arcs */
    int *box_of;               /* of view's nodes; -1: drawn in the list of those never passed */
    double width, height;
};

enum { GRAPH_ARCS_SHOWN = 60, GRAPH_NODE_COLUMNS = 34 };

extern const char graph_picture_style[];
enum tare_status graph_picture_make(struct graph_picture *p, const struct graph_view *v, struct arena *a, struct tare_err *err);
/* What stands within the svg element. */
void graph_picture_draw(struct buf *b, const struct graph_picture *p);
/* What the arc is and all its figures, in a sentence. */
void graph_arc_sentence(struct buf *b, const struct graph *g, const struct graph_arc *a);

#endif
