/* SPDX-License-Identifier: MIT
 * command,at,rss_bytes,heap_bytes
 * sort words,0.0124,8192000,6553600
 *
 * at is seconds from the start of that run; the values are the largest until the next line. An empty field: not known. */
#include "csv_text.h"
#include "export_out.h"
#include "exporters.h"
#include "record_kind.h"
#include "svg_parts.h"
#include "units.h"
#include <math.h>
#include <string.h>

static void bytes(struct buf *b, double value)
{
    buf_char(b, ',');
    if (isfinite(value))
        buf_format(b, "%g", value);
}

static void csv_of(struct export_out *out, const struct record *r, const struct timeline *t)
{
    for (int i = 0; i < t->n; i++) {
        csv_text(&out->text, "", r->subjects[t->subject].name);
        buf_format(&out->text, ",%g", (double)t->at_ns[i] / 1e9);
        bytes(&out->text, t->rss[i]);
        bytes(&out->text, t->heap[i]);
        buf_char(&out->text, '\n');
        export_out_pass(out);
    }
}

/* ---- as a picture ---- */

/* Memory over time as one SVG file that needs nothing else: a panel for each command, resident memory as a light area, the live heap
 * as a dark one before it, both peaks with a mark and their figure. The same record gives the same bytes. Sizes are in pixels of the view
 * box; a reader may scale it. Colour never carries meaning alone: each area is named in the legend and in the description. */
enum { WIDTH = 840, PANEL = 320, LEFT = 78, RIGHT = 24, TOP = 58, BOTTOM = 46, TICKS = 5, HEADING_MOST = 100 };

static const double LARGEST = 1e24; /* what a foreign file may say beyond is no scale for a picture */

struct panel {
    const struct record *r;
    const struct timeline *t;
    double top;          /* of the panel */
    double end_ns, most; /* what the right and the upper edge stand for */
    struct unit time, size;
    double time_step, size_step; /* between ticks, ns and bytes */
};

static void quantity(struct buf *b, double value, struct unit u)
{
    figure_with(b, value, u, figure_digits(value / u.factor, FIGURE_DIGITS));
}

/* ---- scales ---- */

static double x_of(const struct panel *p, double ns)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * fmin(fmax(ns / p->end_ns, 0), 1);
}

static double y_of(const struct panel *p, double bytes)
{
    return p->top + PANEL - BOTTOM - (PANEL - TOP - BOTTOM) * fmin(fmax(bytes / p->most, 0), 1);
}

/* 1, 2 or 5 of a power of ten, about `wanted` of them up to `most`. */
static double nice_step(double most, int wanted)
{
    double raw = most / wanted, power = pow(10, floor(log10(raw))), part = raw / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static struct panel panel_of(const struct record *r, const struct timeline *t, int index)
{
    struct panel p = {.r = r, .t = t, .top = (double)PANEL * index};
    double last = t->n ? (double)t->at_ns[t->n - 1] + (double)t->period_ns : 0;
    /* By what was touched, not by what was reserved, as on the screen. */
    double largest = fmin(fmax(t->rss_peak > 0 ? t->rss_peak : t->heap_peak, 1), LARGEST);
    p.end_ns = fmin(fmax(t->wall_ns > 0 ? t->wall_ns : last, 1), LARGEST);
    p.time = unit_for("ns", p.end_ns);
    p.size = unit_for("bytes", largest);
    p.time_step = nice_step(p.end_ns / p.time.factor, TICKS) * p.time.factor;
    p.size_step = nice_step(largest / p.size.factor, TICKS) * p.size.factor;
    p.most = ceil(1.1 * largest / p.size_step) * p.size_step; /* room for the figure above the peak */
    return p;
}

static bool has_heap(const struct timeline *t)
{
    return !t->heap_reason && t->heap_peak >= 0;
}

/* ---- parts ---- */

static void say_peaks(struct buf *b, const struct panel *p)
{
    const struct timeline *t = p->t;
    if (!(t->rss_peak > 0)) {
        buf_str(b, "it ended before its memory was seen");
        return;
    }
    buf_str(b, "resident at most ");
    quantity(b, t->rss_peak, p->size);
    buf_str(b, " after ");
    quantity(b, t->rss_peak_ns, p->time);
    if (t->heap_reason) {
        buf_str(b, "; no heap: ");
        svg_text(b, t->heap_reason, 1000);
    } else if (t->heap_peak >= 0) {
        buf_format(b, "; live heap at %s ", t->heap_peak_exact ? "most" : "least");
        quantity(b, t->heap_peak, p->size);
        if (!t->heap_peak_exact)
            buf_str(b, " at its peak");
        buf_str(b, " after ");
        quantity(b, t->heap_peak_ns, p->time);
    }
}

static void ticks(struct buf *b, const struct panel *p)
{
    for (int i = 0; i * p->size_step <= p->most * (1 + 1e-9); i++) {
        double y = y_of(p, i * p->size_step);
        buf_format(b, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, y, WIDTH - RIGHT);
        buf_format(b, "<text class=\"tick end\" x=\"%d\" y=\"%.1f\">", LEFT - 8, y + 4);
        buf_format(b, "%.4g %s</text>\n", i * p->size_step / p->size.factor, p->size.name);
    }
    for (int i = 0; i * p->time_step <= p->end_ns * (1 + 1e-9); i++) {
        double x = x_of(p, i * p->time_step), y = p->top + PANEL - BOTTOM;
        buf_format(b, "<path class=\"axis\" d=\"M%.1f %.1fv5\"/>", x, y);
        buf_format(b, "<text class=\"tick middle\" x=\"%.1f\" y=\"%.1f\">%.4g %s</text>\n", x, y + 18,
                   i * p->time_step / p->time.factor, p->time.name);
    }
}

/* Steps: a sample holds until the next one, the last until the end. */
static void area(struct buf *b, const struct panel *p, const char *class, const double *values)
{
    const struct timeline *t = p->t;
    double base = y_of(p, 0);
    bool open = false;
    for (int i = 0; i < t->n; i++) {
        if (isnan(values[i]))
            continue;
        if (!open)
            buf_format(b, "<path class=\"%s\" d=\"M%.1f %.1f", class, x_of(p, (double)t->at_ns[i]), base);
        open = true;
        buf_format(b, "H%.1fV%.1f", x_of(p, (double)t->at_ns[i]), y_of(p, values[i]));
    }
    if (open)
        buf_format(b, "H%.1fV%.1fZ\"/>\n", x_of(p, p->end_ns), base);
}

static void mark(struct buf *b, const struct panel *p, const char *class, double ns, double bytes, double label_below)
{
    if (!(bytes > 0) || isnan(ns))
        return;
    double x = x_of(p, ns), y = y_of(p, bytes);
    const char *anchor = x > WIDTH * 0.8 ? "end" : x < WIDTH * 0.2 ? "start" : "middle";
    buf_format(b, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>", class, x, y);
    buf_format(b, "<text class=\"peak %s\" x=\"%.1f\" y=\"%.1f\">", anchor, x, y + label_below);
    quantity(b, bytes, p->size);
    buf_str(b, "</text>\n");
}

static void legend(struct buf *b, const struct panel *p)
{
    double y = p->top + 42;
    buf_format(b, "<rect class=\"rss\" x=\"%d\" y=\"%.1f\" width=\"14\" height=\"10\"/>", LEFT, y - 9);
    buf_format(b, "<text class=\"tick\" x=\"%d\" y=\"%.1f\">resident</text>\n", LEFT + 20, y);
    if (!has_heap(p->t)) {
        buf_format(b, "<text class=\"tick\" x=\"%d\" y=\"%.1f\">no heap: ", LEFT + 96, y);
        svg_text(b, p->t->heap_reason ? p->t->heap_reason : "the file does not tell", HEADING_MOST);
        buf_str(b, "</text>\n");
        return;
    }
    buf_format(b, "<rect class=\"heap\" x=\"%d\" y=\"%.1f\" width=\"14\" height=\"10\"/>", LEFT + 96, y - 9);
    buf_format(b, "<text class=\"tick\" x=\"%d\" y=\"%.1f\">live heap</text>\n", LEFT + 116, y);
}

static void draw_panel(struct export_out *out, const struct panel *p)
{
    struct buf *b = &out->text;
    buf_format(b, "<g>\n<text class=\"heading\" x=\"%d\" y=\"%.1f\">", LEFT, p->top + 24);
    svg_text(b, p->r->subjects[p->t->subject].name, HEADING_MOST);
    if (p->t->exit_status) {
        buf_str(b, " (");
        svg_text(b, p->t->exit_status, HEADING_MOST);
        buf_char(b, ')');
    }
    buf_str(b, "</text>\n");
    legend(b, p);
    ticks(b, p);
    area(b, p, "rss", p->t->rss);
    export_out_pass(out);
    if (has_heap(p->t)) {
        area(b, p, "heap", p->t->heap);
        area(b, p, "edge", p->t->rss); /* it may lie below the heap, of which not all need be resident */
    }
    buf_format(b, "<path class=\"axis\" d=\"M%d %.1fV%.1fH%d\"/>\n", LEFT, p->top + TOP, p->top + PANEL - BOTTOM, WIDTH - RIGHT);
    mark(b, p, "rssmark", p->t->rss_peak_ns, p->t->rss_peak, -8);
    if (has_heap(p->t))
        mark(b, p, "heapmark", p->t->heap_peak_ns, p->t->heap_peak, 16);
    buf_str(b, "</g>\n");
    export_out_pass(out);
}

static void timeline_svg(struct export_out *out, const struct record *r)
{
    struct buf *b = &out->text;
    int height = r->n_timelines ? PANEL * r->n_timelines : TOP;
    buf_format(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
               WIDTH, height, WIDTH, height);
    buf_str(b, "<title>Memory over time</title>\n<desc>");
    for (int i = 0; i < r->n_timelines; i++) {
        struct panel p = panel_of(r, &r->timelines[i], i);
        buf_str(b, i ? ". " : "");
        svg_text(b, r->subjects[p.t->subject].name, HEADING_MOST);
        buf_str(b, ": ");
        say_peaks(b, &p);
    }
    buf_str(b, r->n_timelines ? ".</desc>\n" : "No memory over time was measured.</desc>\n");
    buf_str(b, "<style>text{font:12px sans-serif;fill:#222}.heading{font-weight:bold;font-size:14px}"
               ".end{text-anchor:end}.middle{text-anchor:middle}.start{text-anchor:start}.peak{font-weight:bold}"
               ".grid{stroke:#ddd;fill:none}.axis{stroke:#222;fill:none}.rss{fill:#bcd7ee;stroke:#2b6ca3}"
               ".heap{fill:#e08a3c;stroke:#8f4a0b;fill-opacity:.85}.edge{fill:none;stroke:#2b6ca3}.rssmark{fill:#2b6ca3}."
               "heapmark{fill:#8f4a0b}</style>\n");
    buf_format(b, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, height);
    for (int i = 0; i < r->n_timelines; i++) {
        struct panel p = panel_of(r, &r->timelines[i], i);
        draw_panel(out, &p);
    }
    if (!r->n_timelines)
        buf_format(&out->text, "<text x=\"%d\" y=\"30\">No memory over time was measured.</text>\n", LEFT);
    buf_str(&out->text, "</svg>\n");
}

static bool is_picture(const char *file)
{
    size_t n = file ? strlen(file) : 0;
    return n > 4 && !strcmp(file + n - 4, ".svg");
}

static enum tare_status write_timeline(const struct record *r, const struct export_options *o, const struct sink *sink,
                                       struct tare_err *err)
{
    const enum record_kind_id kind = record_kind(r)->id;
    if (kind != RECORD_OF_commands && kind != RECORD_OF_benchmarks)
        return err_set(err, TARE_UNSUPPORTED, "memory over time is of commands, and the record is of %s",
                       record_kind(r)->results);
    if (!r->n_timelines && r->ended && !r->partial) /* one that ended too early has an empty one, as other exports are then */
        return err_set(err, TARE_UNSUPPORTED,
                       "the session holds no memory over time; measure it with tare run --memory-timeline");
    struct export_out out;
    export_out_begin(&out, sink, err);
    if (is_picture(o->file))
        timeline_svg(&out, r);
    else {
        buf_str(&out.text, "command,at,rss_bytes,heap_bytes\n");
        for (int i = 0; i < r->n_timelines; i++)
            csv_of(&out, r, &r->timelines[i]);
    }
    return export_out_end(&out);
}

const struct exporter exporter_timeline = {"timeline", "timeline.csv", .write = write_timeline};
