/* SPDX-License-Identifier: MIT
 *
 * The figures that decide as one picture that needs nothing else. A scan, or benchmarks that ask how they grow: growth_charts.h. A
 * traced program: the graph of its arcs. Other sessions: every run as a dot on its command's row, with the median's interval. The same record gives the
 * same bytes; sizes are pixels of the view box. Colour never carries meaning alone: marks differ in shape and are named.
 */
#include "chart_svg.h"
#include "export_kind.h"
#include "growth_charts.h"
#include "record_kind.h"
#include "rng.h"
#include "svg_parts.h"
#include <math.h>

/* What grows, chart below chart. */
static void svg_growth(struct picture *p, const struct growth_chart *charts, int n)
{
    struct buf description = BUF_INIT(1 << 22);
    int height = 12;
    for (int i = 0; i < n; i++) {
        height += chart_svg_height(&charts[i].chart);
        buf_format(&description, "%s%s", i ? "; " : "", charts[i].chart.title);
        for (int k = 0; k < charts[i].chart.n_lines; k++)
            if (charts[i].chart.part_of[k])
                buf_format(&description, ": %s", charts[i].chart.lines[k].name);
    }
    svg_head(p, height, "Growth over a parameter", buf_text(&description));
    buf_finish(&description);
    buf_format(&p->out.text, "<style>%s</style>\n", chart_svg_style);
    p->unit = unit_one; /* the titles of the axes have it */
    double top = 4;
    for (int i = 0; i < n; i++) {
        chart_svg_panel(p, &charts[i].chart, top);
        top += chart_svg_height(&charts[i].chart);
    }
    buf_str(&p->out.text, "</svg>\n");
}

/* Every run as a dot, a row for each command, on one axis; the median and its interval below the dots. Dots of equal value lie at
 * several heights, which say nothing. */
enum { ROW = 56, TOP = 48, TOP_BARE = 12, FOOT = 56, HEIGHTS = 7, DOTS_MAX = 5000 };

static const double *values_of(const struct picture *p, int subject)
{
    return series_values(&p->r->series[subject], p->r->rule.metric);
}

/* Of very many runs one of each so-and-so-many, at random: a fixed one may be the same phase of what repeats. */
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
    const bool logarithmic = axis_wants_logarithm(low, high);
    const double factor = logarithmic ? pow(high / low, 0.02) : 1,
                 room = logarithmic ? 0 : (high - low) * 0.02; /* so that no dot is cut off */
    f->x = axis_over(low / factor - room, high * factor + room, logarithmic);
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
    const double *values = values_of(p, subject);
    const int n = values ? p->r->series[subject].main.n : 0;
    struct rng chance = rng_seeded((uint64_t)subject);
    buf_str(&p->out.text, "</text>\n<g class=\"run\">\n");
    for (int from = 0; from < n; from += every) {
        const int i = from + (int)rng_below(&chance, (uint64_t)(n - from < every ? n - from : every));
        if (!isfinite(values[i]))
            continue;
        buf_format(&p->out.text, "<circle cx=\"%.1f\" cy=\"%.0f\" r=\"3\"/>\n", svg_x(f, values[i] / p->unit.factor),
                   top + 20 + 3 * (from / every % HEIGHTS));
        export_out_pass(&p->out);
    }
    buf_str(&p->out.text, "</g>\n");
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
    const char *each = record_rows_word(p->r, 1);
    bool bounded = false;
    for (; *order >= 0; order++)
        bounded = bounded || isfinite(results_low(p->r, *order, p->r->rule.metric, "median") -
                                      results_high(p->r, *order, p->r->rule.metric, "median"));
    buf_format(b, every > 1 ? "One %s of " : "Every %s", each);
    if (every > 1)
        buf_format(b, "%d", every);
    buf_str(b, bounded ? ", and the median with its interval" : ", and the median");
}

static const char *metric_title(const struct record *r)
{
    const struct metric *m = record_metric(r, r->rule.metric);
    return m ? m->title : r->rule.metric;
}

void svg_runs(struct picture *p, const int *order, int most, bool titled)
{
    int n = 0;
    while (order[n] >= 0)
        n++;
    const int every = stride_of_all(p, order, most), top = titled ? TOP : TOP_BARE;
    struct frame f = {.left = SVG_RIGHT, .right = SVG_WIDTH - SVG_RIGHT, .top = top, .bottom = top + ROW * n};
    struct buf label = BUF_INIT(1 << 16), title = BUF_INIT(1 << 10);
    buf_format(&label, "%s%s%s", metric_title(p->r), *p->unit.name ? ", " : "", p->unit.name);
    svg_runs_title(&title, p, order, most);
    svg_head(p, top + ROW * n + FOOT, buf_text(&title),
             "a dot for each of these; below them the median, with its interval where it has one");
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
    struct picture p = {.r = r, .unit = svg_unit(r, o->time_unit)};
    const struct growth_chart *charts;
    const int n = growth_charts(r, false, o->time_unit, &arena, &charts);
    const int *order = results_order(r, o->sort_by_mean, &arena);
    enum tare_status status = n < 0 || !order ? err_no_memory(err) : TARE_OK;
    if (!status) {
        export_out_begin(&p.out, sink, err);
        if (n)
            svg_growth(&p, charts, n);
        else
            svg_runs(&p, order, DOTS_MAX, true);
        status = export_out_end(&p.out);
    }
    arena_finish(&arena);
    return status;
}
