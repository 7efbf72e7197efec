/* SPDX-License-Identifier: MIT */
#include "svg_parts.h"
#include "quote.h"
#include <math.h>
#include <string.h>

double svg_x(const struct frame *f, double value)
{
    return f->left + (f->right - f->left) * axis_place(&f->x, value);
}

double svg_y(const struct frame *f, double value)
{
    return f->bottom - (f->bottom - f->top) * axis_place(&f->y, value);
}

struct unit svg_unit(const struct record *r, const char *time_unit)
{
    const struct metric *m = record_metric(r, r->rule.metric);
    const char *base = m ? m->unit : "1";
    struct unit u;
    if (time_unit && !strcmp(base, "ns") && unit_named(base, time_unit, &u))
        return u;
    double sum = 0;
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        double median = subject_measured(&r->subjects[i]) ? record_point(r, i, r->rule.metric, "median") : NAN;
        sum += median > 0 ? log(median) : 0;
        n += median > 0;
    }
    double middle = n ? exp(sum / n) : 0;
    return unit_for(base, middle);
}

void svg_text(struct buf *b, const char *text, int most)
{
    char escape[QUOTE_ESCAPE];
    for (int n = 0, bytes; n < most && (bytes = quote_character(text, escape)); n++, text += bytes)
        if (*text == '&' || *text == '<' || *text == '>')
            buf_str(b, *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : "&gt;");
        else if (*escape)
            buf_str(b, escape);
        else
            buf_add(b, text, (size_t)bytes);
    if (*text)
        buf_str(b, "\xe2\x80\xa6");
}

const char svg_fits[] = " class=\"fits\" preserveAspectRatio=\"none\"";
const char svg_style[] =
    "text{font:12px sans-serif;fill:#222}.heading{font-weight:bold;font-size:14px}.end{text-anchor:end}"
    ".middle{text-anchor:middle}.grid{stroke:#ddd;fill:none}.axis{stroke:#222;fill:none}.fit{fill:none;stroke-dasharray:6 3}"
    ".bar{fill:none;stroke-width:1.5}.run{fill:#2b6ca3;fill-opacity:.7}.median{fill:none;stroke:#8f2f0b;"
    "stroke-width:2}"
    ".c0{stroke:#2b6ca3;fill:#2b6ca3}.c1{stroke:#b45309;fill:#b45309}.c2{stroke:#2f7d32;fill:#2f7d32}"
    ".c3{stroke:#8e24aa;fill:#8e24aa}.c4{stroke:#555;fill:#555}.c5{stroke:#c2185b;fill:#c2185b}"
    ".bar,.fit{fill:none}";

void svg_open(struct buf *b, int height, const char *attributes)
{
    buf_format(b, "<svg xmlns=\"http://www.w3.org/2000/svg\"%s width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\"", attributes,
               SVG_WIDTH, height, SVG_WIDTH, height);
}

void svg_head(struct picture *p, int height, const char *title, const char *description)
{
    struct buf *b = &p->out.text;
    svg_open(b, height, p->fits ? svg_fits : "");
    buf_str(b, " role=\"img\">\n<title>");
    svg_text(b, title, 200);
    buf_str(b, "</title>\n<desc>");
    svg_text(b, description, 10000);
    buf_str(b, "</desc>\n");
    if (p->fits) /* in a page, which has the style once and its own paper */
        return;
    buf_format(b, "<style>%s</style>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", svg_style, SVG_WIDTH, height);
}

/* On a narrow screen a mark whose figure would touch the one before it, or the word beyond, has none: class odd. */
void svg_x_axis(struct picture *p, const struct frame *f, const char *label)
{
    static const double NARROW = 0.3; /* of the width */
    enum { LETTER = 7, BETWEEN = 8, WORD = LETTER * 6 };
    struct buf *b = &p->out.text;
    double ticks[AXIS_TICKS_MAX];
    int n = axis_ticks(&f->x, 9, ticks);
    double taken = -INFINITY; /* up to here, on a narrow screen; and from there on */
    const double end = f->beyond > 0 ? NARROW * f->beyond - WORD / 2 - BETWEEN / 2 : INFINITY;
    for (int i = 0; i < n; i++) {
        const struct figure_text figure = figure_text(figure_tick, ticks[i]);
        const double x = svg_x(f, ticks[i]), half = LETTER * (double)strlen(figure.at) / 2;
        const bool odd = NARROW * x - half < taken || NARROW * x + half > end;
        taken = odd ? taken : NARROW * x + half + BETWEEN;
        buf_format(b, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, f->top, f->bottom);
        buf_format(b, "<text class=\"middle%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", odd ? " odd" : "", x, f->bottom + 18,
                   figure.at);
    }
    buf_format(b, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>", f->left, f->bottom, f->right);
    buf_format(b, "<text class=\"middle\" x=\"%.1f\" y=\"%.1f\">", (f->left + f->right) / 2, f->bottom + 36);
    svg_text(b, label, 80);
    buf_format(b, "%s</text>\n", f->x.logarithmic ? " (logarithmic)" : "");
}

void svg_y_axis(struct picture *p, const struct frame *f, const char *label)
{
    struct buf *b = &p->out.text;
    double ticks[AXIS_TICKS_MAX];
    int n = axis_ticks(&f->y, 7, ticks);
    for (int i = 0; i < n; i++) {
        double y = svg_y(f, ticks[i]);
        buf_format(b, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", f->left, y, f->right);
        buf_format(b, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">", f->left - 8, y + 4);
        figure_tick(b, ticks[i]);
        buf_str(b, "</text>\n");
    }
    buf_format(b, "<path class=\"axis\" d=\"M%.1f %.1fV%.1f\"/>", f->left, f->top, f->bottom);
    buf_format(b, "<text x=\"%.1f\" y=\"%.1f\">", f->left - 60, f->top - 12);
    svg_text(b, label, 80);
    buf_str(b, *label && *p->unit.name ? ", " : "");
    svg_text(b, p->unit.name, 80);
    buf_format(b, "%s</text>\n", f->y.logarithmic ? " (logarithmic)" : "");
}
