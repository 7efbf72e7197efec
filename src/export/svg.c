/* SPDX-License-Identifier: MIT
 *
 * The figures that decide as one picture that needs nothing else. A scan: medians with their intervals over the parameter, and the straight
 * line of the growth. A traced program: the graph of its arcs. Other sessions: every run as a dot on its command's row, with the median's interval. The same record gives
 * the same bytes; sizes are pixels of the view box. Colour never carries meaning alone: marks differ in shape and are named.
 */
#include "export_kind.h"
#include "svg_parts.h"
#include <math.h>

/* A scan: a panel for each parameter, with the lines over it. */

enum { PANEL = 460, SCAN_TOP = 56, SCAN_FOOT = 52, LEGEND_LINE = 18, CURVES = 6, PANELS = 8, STEPS = 64 };

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
    return record_point(p->r, subject, p->r->rule.metric, "median") / p->unit.factor;
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
    double y = a->frame.bottom + SCAN_FOOT + 4;
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

/* False, and nothing drawn: no line has three values and a figure. */
static bool svg_scan(struct picture *p, const struct scan_line *lines, int n)
{
    struct panel panels[PANELS];
    int found = collect(p, lines, n, panels), height = 0;
    struct buf description = BUF_INIT(1 << 22);
    if (!found)
        return false;
    for (int i = 0; i < found; i++) {
        panels[i].frame.left = SVG_LEFT;
        panels[i].frame.right = SVG_WIDTH - SVG_RIGHT;
        panels[i].frame.top = height + SCAN_TOP + 8;
        panels[i].frame.bottom = height + PANEL - SCAN_FOOT;
        height += PANEL + LEGEND_LINE * panels[i].n;
    }
    describe(p, panels, found, &description);
    svg_head(p, height + 8, "Growth over a parameter", buf_text(&description));
    buf_finish(&description);
    for (int i = 0; i < found; i++)
        draw_panel(&panels[i]);
    buf_str(&p->out.text, "</svg>\n");
    return true;
}

/* Every run as a dot, a row for each command, on one axis; the median and its interval below the dots. Dots of equal value lie at
 * several heights, which say nothing. */
enum { FEW = 50, ROW = 56, TOP = 48, TOP_BARE = 12, FOOT = 56, HEIGHTS = 7, DOTS_MAX = 5000 };

static const double *values_of(const struct picture *p, int subject)
{
    return series_values(&p->r->series[subject], p->r->rule.metric);
}

/* Of very many runs every so-and-so-many-th. */
static int stride_of(const struct picture *p, int subject, int most)
{
    return p->r->series[subject].main.n / (most + 1) + 1;
}

static bool choose_axis(struct picture *p, const int *order, struct frame *f)
{
    double low = INFINITY, high = -INFINITY;
    for (; *order >= 0; order++) {
        const double *values = values_of(p, *order);
        for (int i = 0; values && i < p->r->series[*order].main.n; i++)
            if (isfinite(values[i])) {
                low = values[i] < low ? values[i] : low;
                high = values[i] > high ? values[i] : high;
            }
    }
    low /= p->unit.factor;
    high /= p->unit.factor;
    if (!(low <= high) || !isfinite(high - low))
        return false;
    f->x = axis_over(low, high, axis_wants_logarithm(low, high));
    return true;
}

static void draw_median(struct picture *p, const struct frame *f, int subject, double y)
{
    const char *metric = p->r->rule.metric;
    const struct metric *m = record_metric(p->r, metric);
    double median = record_point(p->r, subject, metric, "median"), low = results_low(p->r, subject, metric, "median"),
           high = results_high(p->r, subject, metric, "median"), factor = p->unit.factor;
    if (!isfinite(median))
        return;
    buf_format(&p->out.text, "<path class=\"median\" d=\"M%.1f %.1fv10", svg_x(f, median / factor), y - 5);
    if (isfinite(high - low))
        buf_format(&p->out.text, "M%.1f %.1fH%.1f", svg_x(f, low / factor), y, svg_x(f, high / factor));
    buf_str(&p->out.text, "\"><title>");
    svg_text(&p->out.text, p->r->subjects[subject].name, 80);
    buf_str(&p->out.text, ": median ");
    figure_bounded(&p->out.text, m ? m->unit : "1", median, low, high);
    buf_str(&p->out.text, "</title></path>\n");
}

static void draw_row(struct picture *p, const struct frame *f, int subject, int every, double top)
{
    buf_format(&p->out.text, "<text x=\"%.1f\" y=\"%.1f\">", f->left, top + 12);
    svg_text(&p->out.text, p->r->subjects[subject].name, 110);
    buf_str(&p->out.text, "</text>\n");
    const double *values = values_of(p, subject);
    for (int i = 0; values && i < p->r->series[subject].main.n; i += every) {
        if (!isfinite(values[i]))
            continue;
        buf_format(&p->out.text, "<circle class=\"run%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n",
                   p->r->series[subject].main.n <= FEW ? " few" : "", svg_x(f, values[i] / p->unit.factor),
                   top + 20 + 3 * (i / every % HEIGHTS));
        export_out_pass(&p->out);
    }
    draw_median(p, f, subject, top + 48);
}

/* One stride for all, so that a command with more runs has more dots. */
static int stride_of_all(const struct picture *p, const int *order, int most)
{
    int every = 1;
    for (; *order >= 0; order++)
        every = stride_of(p, *order, most) > every ? stride_of(p, *order, most) : every;
    return every;
}

void svg_runs_title(struct buf *b, const struct picture *p, const int *order, int most)
{
    const int every = stride_of_all(p, order, most);
    const char *each = record_is_over_sessions(p->r) ? "session" : "run";
    bool bounded = false;
    for (; *order >= 0; order++)
        bounded = bounded || isfinite(results_low(p->r, *order, p->r->rule.metric, "median") -
                                      results_high(p->r, *order, p->r->rule.metric, "median"));
    buf_format(b, every > 1 ? "One %s of " : "Every %s", each);
    if (every > 1)
        buf_format(b, "%d", every);
    buf_str(b, bounded ? ", and the median with its interval" : ", and the median");
}

void svg_runs(struct picture *p, const int *order, int most, bool titled)
{
    int n = 0;
    while (order[n] >= 0)
        n++;
    const int every = stride_of_all(p, order, most), top = titled ? TOP : TOP_BARE;
    struct frame f = {.left = SVG_RIGHT, .right = SVG_WIDTH - SVG_RIGHT, .top = top, .bottom = top + ROW * n};
    struct buf label = BUF_INIT(1 << 16), title = BUF_INIT(1 << 10);
    buf_format(&label, "%s%s%s", svg_metric_title(p->r), *p->unit.name ? ", " : "", p->unit.name);
    svg_runs_title(&title, p, order, most);
    svg_head(p, top + ROW * n + FOOT, buf_text(&title),
             "a dot for each of these runs; below them the median, with its interval where it has one");
    if (titled)
        buf_format(&p->out.text, "<text class=\"heading\" x=\"%d\" y=\"24\">%s</text>\n", SVG_RIGHT, buf_text(&title));
    if (choose_axis(p, order, &f)) {
        svg_x_axis(p, &f, buf_text(&label));
        for (int i = 0; i < n; i++)
            draw_row(p, &f, order[i], every, top + ROW * i);
    }
    buf_str(&p->out.text, "</svg>\n");
    buf_finish(&label);
    buf_finish(&title);
}

enum tare_status table_svg_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                 struct tare_err *err)
{
    struct arena arena = {0};
    struct picture p = {.r = r, .arena = &arena, .unit = svg_unit(r, o->time_unit)};
    const struct scan_line *lines;
    int n = scan_lines(r, &arena, &lines);
    const int *order = results_order(r, o->sort_by_mean, &arena);
    enum tare_status status = n < 0 || !order ? err_no_memory(err) : TARE_OK;
    if (!status) {
        export_out_begin(&p.out, sink, err);
        if (!svg_scan(&p, lines, n))
            svg_runs(&p, order, DOTS_MAX, true);
        status = export_out_end(&p.out);
    }
    arena_finish(&arena);
    return status;
}
