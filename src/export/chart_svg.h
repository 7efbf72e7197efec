/* SPDX-License-Identifier: MIT
 *
 * chart_svg.h - one chart as a panel of an SVG picture. Used by chart_pages.c.
 */
#ifndef CHART_SVG_H
#define CHART_SVG_H

#include "chart.h"
#include "svg_parts.h"

/* Rules of style beyond those of svg_head. */
extern const char chart_svg_style[];
int chart_svg_height(const struct chart *c); /* pixels */
/* Where lines and bars lie in a picture of this chart alone. False: there are none that could be drawn. */
bool chart_svg_frame(const struct chart *c, struct frame *out);
/* Of chart.legend_apart: entry i below chart_svg_legend_entries has a name, or NULL: it is none, and a mark of 30 by 14 pixels. */
int chart_svg_legend_entries(const struct chart *c);
const char *chart_svg_legend_name(const struct chart *c, int i);
void chart_svg_legend_mark(struct picture *p, const struct chart *c, int i);
/* How its cells are read. Apart from the picture likewise. */
void chart_svg_cells_legend(struct buf *b, const struct chart *c);
/* Draws into p->out, `top` pixels down. A chart without values says so. */
void chart_svg_panel(struct picture *p, const struct chart *c, double top);

#endif
