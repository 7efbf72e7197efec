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

enum { ROW = 40, WORDS = 18, TOP = 8, FOOT = 52, FIT_BOTH = 30 /* columns, on a narrow screen */ };

/* With a stroke at its end; with an arrow where that lies beyond the edge. */
static void put_end(struct buf *b, double x, double y, double edge, bool beyond, int inwards)
{
    if (beyond)
        buf_format(b, "M%.1f %.1fl%d 4l%d 4", edge + 6 * inwards, y - 4, -6 * inwards, 6 * inwards);
    else
        buf_format(b, "M%.1f %.1fv8", x, y - 4);
}

/* On a narrow screen: in each row, so that none looks as if it had no figure. */
static bool fit_both(const struct ranges *m)
{
    for (int i = 0; i < m->n; i++)
        if (text_columns(m->items[i].name, strlen(m->items[i].name)) +
                text_columns(m->items[i].words, strlen(m->items[i].words)) >
            FIT_BOTH)
            return false;
    return true;
}

static void put_row(struct picture *p, const struct frame *f, const struct ranged *row, bool both, double top)
{
    struct buf *b = &p->out.text;
    const double y = top + 26;
    buf_str(b, "<g><title>");
    svg_text(b, row->name, 80);
    buf_str(b, ": ");
    svg_text(b, row->words, 100);
    buf_format(b, "</title>\n<text class=\"over\" x=\"%.1f\" y=\"%.1f\">", f->left, top + 14);
    svg_text(b, row->name, 80);
    buf_format(b, "</text><text class=\"end over%s\" x=\"%.1f\" y=\"%.1f\">", both ? "" : " aside", f->right, top + 14);
    svg_text(b, row->words, 100);
    buf_str(b, "</text>\n");
    if (isfinite(row->low) && isfinite(row->high)) {
        buf_format(b, "<path class=\"bar c0\" d=\"M%.1f %.1fH%.1f", fmax(svg_x(f, row->low), f->left), y,
                   fmin(svg_x(f, row->high), f->right));
        put_end(b, svg_x(f, row->low), y, f->left, svg_x(f, row->low) < f->left - 0.1, 1);
        put_end(b, svg_x(f, row->high), y, f->right, svg_x(f, row->high) > f->right + 0.1, -1);
        buf_str(b, "\"/>");
    }
    buf_format(b, "<circle class=\"c0\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/></g>\n", svg_x(f, row->point), y);
}

/* Below the words of the row, which it would cross. */
static void put_ground(struct picture *p, const struct frame *f, const struct ranges *m, int row)
{
    struct buf *b = &p->out.text;
    const double top = TOP + ROW * row;
    const double left = fmax(svg_x(f, m->shaded.low), f->left), right = fmin(svg_x(f, m->shaded.high), f->right);
    if (!isnan(m->shaded.low) && right > left) {
        buf_format(b, "<rect class=\"shaded\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\">", left, top + WORDS,
                   right - left, ROW - WORDS);
        buf_str(b, row ? "" : "<title>"); /* one title for all marks */
        svg_text(b, row ? "" : m->shaded.name, 80);
        buf_str(b, row ? "</rect>\n" : "</title></rect>\n");
    }
    if (!isnan(m->rule))
        buf_format(b, "<path class=\"rule\" d=\"M%.1f %.1fv%d\"/>\n", svg_x(f, m->rule), top + WORDS, ROW - WORDS);
}

void html_ranges(struct picture *p, const struct ranges *m)
{
    const int below = TOP + ROW * m->n;
    const struct frame f = {.x = m->x, .left = SVG_RIGHT, .right = SVG_WIDTH - SVG_RIGHT, .top = TOP, .bottom = below};
    const bool both = fit_both(m);
    struct buf says = BUF_INIT(1 << 10);
    if (!isnan(m->shaded.low))
        buf_format(&says, "Shaded: %s.", m->shaded.name);
    html_picture_begin(&p->out, below + FOOT, m->name, m->heading, buf_text(&says));
    buf_finish(&says);
    svg_x_axis(p, &f, m->x_title);
    for (int i = 0; i < m->n; i++) {
        put_ground(p, &f, m, i);
        put_row(p, &f, &m->items[i], both, TOP + ROW * i);
        export_out_pass(&p->out);
    }
    buf_str(&p->out.text, "</svg>\n</figure>\n");
    export_out_pass(&p->out);
}
