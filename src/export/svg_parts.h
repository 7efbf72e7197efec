/* SPDX-License-Identifier: MIT
 *
 * svg_parts.h - the two pictures of --export-svg, and what they share; svg.c chooses.
 */
#ifndef SVG_PARTS_H
#define SVG_PARTS_H

#include "axis.h"
#include "export_out.h"
#include "results.h"
#include "units.h"

enum { SVG_WIDTH = 840, SVG_LEFT = 84, SVG_RIGHT = 24 };

struct picture {
    const struct record *r;
    struct arena *arena;
    struct unit unit;   /* of the deciding metric */
    bool fits;          /* it is in a page, which squeezes it on a narrow screen */
    const char *rounds; /* of a gate that has several: "the first rounds", those that are drawn; NULL: all */
    struct export_out out;
};

/* A place for data within the picture, in pixels. */
struct frame {
    struct axis x, y; /* y in the unit shown */
    double left, right, top, bottom;
    double beyond; /* the middle of this word, which stands beside the marks of x; 0: it does not */
};
double svg_x(const struct frame *f, double value);
double svg_y(const struct frame *f, double value);

struct unit svg_unit(const struct record *r, const char *time_unit);
extern const char svg_style[]; /* of both pictures, and of those within a page */
extern const char svg_fits[];  /* attributes of one that the rules of html.c squeeze */
/* Its opening tag with these attributes, such as svg_fits; the role, or that it is hidden, and the > are the caller's. */
void svg_open(struct buf *b, int height, const char *attributes);
/* Everything before the content, the title and description with it. */
void svg_head(struct picture *p, int height, const char *title, const char *description);
/* Foreign text, at most so many characters of it, as content of an element. */
void svg_text(struct buf *b, const char *text, int most);
/* Grid, marks and labels. */
void svg_x_axis(struct picture *p, const struct frame *f, const char *label);
void svg_y_axis(struct picture *p, const struct frame *f, const char *label);

/* A strip for each command of `order`, which ends with -1, on one axis: about `most` runs of each as dots, and the median. A picture of its own, with
 * its title in it where that stands nowhere else. */
void svg_runs(struct picture *p, const int *order, int most, bool titled);
void svg_runs_title(struct buf *b, const struct picture *p, const int *order, int most);

#endif
