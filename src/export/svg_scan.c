/* SPDX-License-Identifier: MIT
 *
 * A scan: a panel for each parameter, with the lines over it. */
#include "svg_parts.h"
#include <math.h>

enum { PANEL = 460, TOP = 56, FOOT = 52, LEGEND_LINE = 18, CURVES = 6, PANELS = 8, STEPS = 64 };

struct panel {
    struct picture *p;
    const struct scan_line *lines;
    int n;
    struct frame frame;
};

static const struct estimate *line_estimate(struct picture *p, const struct scan_line *line, const char *statistic)
{
    const char *id = scan_statistic(p->arena, statistic, line->parameter);
    return id ? record_estimate(p->r, line->subjects[0], p->r->rule.metric, id) : NULL;
}

static double median(const struct picture *p, int subject)
{
    return results_point(p->r, subject, p->r->rule.metric, "median") / p->unit.factor;
}

static bool choose_frame(struct panel *a)
{
    double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < a->lines[i].n; j++) {
            int subject = a->lines[i].subjects[j];
            double x = a->lines[i].values[j], y = median(a->p, subject);
            if (!isfinite(y))
                continue;
            x_low = fmin(x_low, x);
            x_high = fmax(x_high, x);
            double low = results_low(a->p->r, subject, a->p->r->rule.metric, "median") / a->p->unit.factor,
                   high = results_high(a->p->r, subject, a->p->r->rule.metric, "median") / a->p->unit.factor;
            y_low = fmin(y_low, isfinite(low) ? low : y);
            y_high = fmax(y_high, isfinite(high) ? high : y);
        }
    if (!(x_low < x_high) || !isfinite(x_high - x_low) || !isfinite(y_high - y_low))
        return false;
    bool logarithms = axis_wants_logarithm(x_low, x_high) && y_low > 0;
    a->frame.x = axis_over(x_low, x_high, logarithms);
    a->frame.y = axis_over(logarithms || y_low < 0 ? y_low : 0, y_high, logarithms);
    return true;
}

static void shape(struct buf *b, int curve, double x, double y)
{
    const int d = 5;
    if (curve % 3 == 0)
        buf_format(b, "<circle class=\"c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"", curve, x, y, d - 1);
    else if (curve % 3 == 1)
        buf_format(b, "<rect class=\"c%d\" x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\"", curve, x - 4, y - 4);
    else
        buf_format(b, "<path class=\"c%d\" d=\"M%.1f %.1fl%d %dh%dz\"", curve, x, y - d, d, 2 * d - 1, -2 * d);
    buf_str(b, curve >= 3 ? " style=\"fill:#fff\"/>\n" : "/>\n");
}

/* "sort {n}, n 8: 11.92 (8.721 to 19.68) ms" */
static void put_value(struct panel *a, int curve, double value, double y, double low, double high)
{
    struct buf *b = &a->p->out.text;
    const char *title = scan_title(a->p->r, &a->lines[curve], a->p->arena);
    buf_str(b, "<g><title>");
    svg_text(b, title ? title : "", 100);
    buf_str(b, ", ");
    svg_text(b, a->lines[curve].parameter, 60);
    buf_format(b, " %.4g: %.4g", value, y);
    if (isfinite(high - low))
        buf_format(b, " (%.4g to %.4g)", low, high);
    buf_char(b, ' ');
    svg_text(b, a->p->unit.name, 80);
    buf_str(b, "</title>\n");
}

static void draw_point(struct panel *a, int curve, int subject, double value)
{
    struct buf *b = &a->p->out.text;
    const char *metric = a->p->r->rule.metric;
    double y = median(a->p, subject), low = results_low(a->p->r, subject, metric, "median") / a->p->unit.factor,
           high = results_high(a->p->r, subject, metric, "median") / a->p->unit.factor, x = svg_x(&a->frame, value);
    if (!isfinite(y) || !isfinite(x))
        return;
    put_value(a, curve, value, y, low, high);
    if (isfinite(high - low))
        buf_format(b, "<path class=\"bar c%d\" d=\"M%.1f %.1fV%.1fm-4 0h8M%.1f %.1fh8\"/>", curve, x, svg_y(&a->frame, low),
                   svg_y(&a->frame, high), x - 4, svg_y(&a->frame, low));
    shape(b, curve, x, svg_y(&a->frame, y));
    buf_str(b, "</g>\n");
}

static double log_mean(const struct scan_line *line)
{
    double sum = 0;
    for (int j = line->positive; j < line->n; j++)
        sum += log(line->values[j]);
    return sum / (line->n - line->positive);
}

/* The straight line on logarithms, over the values that it was fitted to. */
static void draw_fit(struct panel *a, int curve)
{
    const struct scan_line *line = &a->lines[curve];
    const struct estimate *slope = line_estimate(a->p, line, "slope"), *middle = line_estimate(a->p, line, "line_middle");
    if (!slope || !middle || !isfinite(slope->point) || !(middle->point > 0) || line->positive == line->n)
        return;
    struct buf *b = &a->p->out.text;
    double first = line->values[line->positive], last = line->values[line->n - 1];
    buf_format(b, "<path class=\"fit c%d\" d=\"", curve);
    for (int i = 0; i <= STEPS; i++) {
        double x = first * pow(last / first, (double)i / STEPS);
        double y = middle->point / a->p->unit.factor * exp(slope->point * (log(x) - log_mean(line)));
        double py = svg_y(&a->frame, y), px = svg_x(&a->frame, x);
        if (isfinite(px) && isfinite(py))
            buf_format(b, "%s%.1f %.1f", i ? "L" : "M", px, fmin(fmax(py, -1e5), 1e5));
    }
    buf_str(b, "\"/>\n");
}

static void put_growth(struct picture *p, const struct scan_line *line, struct buf *b)
{
    const struct estimate *slope = line_estimate(p, line, "slope");
    if (!slope || !isfinite(slope->point))
        return;
    buf_format(b, ": %s^", line->parameter);
    figure_exponent(b, slope->point, slope->low, slope->high);
}

static void draw_legend(struct panel *a)
{
    struct picture *p = a->p;
    double y = a->frame.bottom + FOOT + 4;
    for (int i = 0; i < a->n; i++, y += LEGEND_LINE) {
        struct buf text = BUF_INIT(1 << 22);
        const char *title = scan_title(p->r, &a->lines[i], p->arena);
        buf_str(&text, title ? title : "");
        put_growth(p, &a->lines[i], &text);
        shape(&p->out.text, i, SVG_LEFT + 6, y - 4);
        buf_format(&p->out.text, "<text x=\"%d\" y=\"%.1f\">", SVG_LEFT + 20, y);
        svg_text(&p->out.text, buf_text(&text), 100);
        buf_str(&p->out.text, "</text>\n");
        buf_finish(&text);
    }
}

static void draw_panel(struct panel *a)
{
    struct picture *p = a->p;
    buf_format(&p->out.text, "<text class=\"heading\" x=\"%d\" y=\"%.1f\">", SVG_LEFT, a->frame.top - 34);
    svg_text(&p->out.text, svg_metric_title(p->r), 60);
    buf_str(&p->out.text, " over ");
    svg_text(&p->out.text, a->lines[0].parameter, 60);
    buf_str(&p->out.text, " (medians with their intervals)</text>\n");
    svg_y_axis(p, &a->frame, svg_metric_title(p->r));
    svg_x_axis(p, &a->frame, a->lines[0].parameter);
    for (int i = 0; i < a->n; i++)
        draw_fit(a, i);
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < a->lines[i].n; j++)
            draw_point(a, i, a->lines[i].subjects[j], a->lines[i].values[j]);
        export_out_pass(&p->out);
    }
    draw_legend(a);
}

static int collect(struct picture *p, const struct scan_line *lines, int n, struct panel *panels)
{
    int found = 0;
    for (int i = 0, next; i < n && found < PANELS; i = next) {
        for (next = i + 1; next < n && lines[next].parameter == lines[i].parameter;)
            next++;
        struct panel a = {.p = p, .lines = lines + i, .n = next - i < CURVES ? next - i : CURVES};
        if (lines[i].n >= 3 && choose_frame(&a))
            panels[found++] = a;
    }
    return found;
}

static void describe(struct picture *p, const struct panel *panels, int n, struct buf *b)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < panels[i].n; k++) {
            const char *title = scan_title(p->r, &panels[i].lines[k], p->arena);
            buf_format(b, "%s%s", b->len ? "; " : "", title ? title : "");
            put_growth(p, &panels[i].lines[k], b);
        }
}

bool svg_scan(struct picture *p, const struct scan_line *lines, int n)
{
    struct panel panels[PANELS];
    int found = collect(p, lines, n, panels), height = 0;
    struct buf description = BUF_INIT(1 << 22);
    if (!found)
        return false;
    for (int i = 0; i < found; i++) {
        panels[i].frame.left = SVG_LEFT;
        panels[i].frame.right = SVG_WIDTH - SVG_RIGHT;
        panels[i].frame.top = height + TOP + 8;
        panels[i].frame.bottom = height + PANEL - FOOT;
        height += PANEL + LEGEND_LINE * panels[i].n;
    }
    describe(p, panels, found, &description);
    svg_head(p, height + 8, "Growth over a parameter", buf_text(&description));
    buf_finish(&description);
    for (int i = 0; i < found; i++)
        draw_panel(&panels[i]);
    svg_end(p);
    return true;
}
