/* SPDX-License-Identifier: MIT
 *
 *     Comparisons, with their intervals
 *     new vs old                                3.1 % slower (2.4–3.8)
 *                         |   ├──●──┤
 */
#include "html.h"
#include "quote.h"
#include <math.h>
#include <string.h>

enum { ROW = 22, FOOT = 52 };

/* With a stroke at its end; with an arrow where that lies beyond the edge. */
static void put_end(struct buf *b, double x, double y, double edge, bool beyond, int inwards)
{
    if (beyond)
        buf_format(b, "M%.1f %.1fl%d 4l%d 4", edge + 6 * inwards, y - 4, -6 * inwards, 6 * inwards);
    else
        buf_format(b, "M%.1f %.1fv8", x, y - 4);
}

static void open_svg(struct buf *b, int height)
{
    svg_open(b, height, svg_fits);
    buf_str(b, " aria-hidden=\"true\">");
}

static void put_mark(struct buf *b, const struct frame *f, const struct ranged *row)
{
    const double y = (f->top + f->bottom) / 2;
    if (isfinite(row->low) && isfinite(row->high)) {
        buf_format(b, "<path class=\"bar c0\" d=\"M%.1f %.1fH%.1f", fmax(svg_x(f, row->low), f->left), y,
                   fmin(svg_x(f, row->high), f->right));
        put_end(b, svg_x(f, row->low), y, f->left, svg_x(f, row->low) < f->left - 0.1, 1);
        put_end(b, svg_x(f, row->high), y, f->right, svg_x(f, row->high) > f->right + 0.1, -1);
        buf_str(b, "\"/>");
    }
    buf_format(b, "<circle class=\"c0\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>", svg_x(f, row->point), y);
}

static void put_ground(struct buf *b, const struct frame *f, const struct ranges *m)
{
    double ticks[AXIS_TICKS_MAX];
    const double left = fmax(svg_x(f, m->shaded.low), f->left), right = fmin(svg_x(f, m->shaded.high), f->right);
    for (int i = 0, n = axis_ticks(&f->x, 9, ticks); i < n; i++)
        buf_format(b, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", svg_x(f, ticks[i]), f->top, f->bottom);
    if (!isnan(m->shaded.low) && right > left)
        buf_format(b, "<rect class=\"shaded\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", left, f->top, right - left,
                   f->bottom - f->top);
    if (!isnan(m->rule))
        buf_format(b, "<path class=\"rule\" d=\"M%.1f %.1fV%.1f\"/>", svg_x(f, m->rule), f->top, f->bottom);
}

/* Its words are the page's, so that they wrap. */
static void put_row(struct buf *b, const struct ranges *m, const struct frame *f, const struct ranged *row)
{
    buf_str(b, "<div class=\"range\"><p><span>");
    svg_text(b, row->name, 80);
    buf_str(b, "</span> <span>");
    svg_text(b, row->words, 100);
    buf_str(b, "</span></p>");
    open_svg(b, ROW);
    put_ground(b, f, m);
    put_mark(b, f, row);
    buf_str(b, "</svg></div>\n");
}

void html_ranges(struct picture *p, const struct ranges *m)
{
    struct frame f = {.x = m->x, .left = SVG_RIGHT, .right = SVG_WIDTH - SVG_RIGHT, .bottom = ROW};
    struct buf says = BUF_INIT(1 << 10);
    if (!isnan(m->shaded.low))
        buf_format(&says, "Shaded: %s.", m->shaded.name);
    html_figure_begin(&p->out, m->heading, buf_text(&says));
    buf_finish(&says);
    for (int i = 0; i < m->n; i++) {
        put_row(&p->out.text, m, &f, &m->items[i]);
        export_out_pass(&p->out);
    }
    buf_str(&p->out.text, "<div class=\"range\">");
    open_svg(&p->out.text, FOOT);
    f.bottom = 1;
    svg_x_axis(p, &f, m->x_title);
    buf_str(&p->out.text, "</svg></div>\n</figure>\n");
    export_out_pass(&p->out);
}
