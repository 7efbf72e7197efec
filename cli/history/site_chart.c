/* SPDX-License-Identifier: MIT
 *
 * The pictures of a series. Coordinates are in tenths of a pixel, relative to the point before: a page of a thousand commits is small, and its text is made
 * in a fraction of a millisecond. Colour never carries meaning alone: changes differ in shape, and each is named in the text.
 */
#include "history_words.h"
#include "site.h"
#include "svg_parts.h"
#include <math.h>
#include <tare/stats.h>

enum {
    SCALE = 10, /* coordinates of a pixel */
    SPARK_WIDTH = 200,
    SPARK_HEIGHT = 40,
    SPARK_POINTS = 50,
    SEEN_MOST = 250,
    WIDTH = SVG_WIDTH,
    NARROW_WIDTH = 340, /* a picture for telephones, whose texts could not be read were it a small one of the other */
    TOP = 44,
    PLOT = 240,
    FOOT = 46,
    X_TICKS = 7,
    NARROW_X_TICKS = 3,
    LABEL_ROOM = 120,
    DATE_ROOM = 72,
    DOT_STEPS = 100, /* of the chart's height, that values without an interval distinguish */
    DOTS_MOST = 120  /* commits up to which each has a mark with its value */
};

#define SPARK_SPAN 0.1
#define CHART_SPAN 0.02

/* Where a view is drawn, in coordinates. */
struct plane {
    double x0, x_scale; /* of positions */
    double y0, y_scale; /* of values, downwards */
    double low, high;   /* of the values that are seen */
    long width, height;
    int picture; /* width of it all, in pixels; NARROW_WIDTH for narrow screens */
};

static long x_at(const struct plane *p, double position)
{
    return lround((position - p->x0) * p->x_scale);
}

static long y_at(const struct plane *p, double value)
{
    double y = (p->y0 - value) * p->y_scale;
    const double most = 11 * (double)p->height; /* what lies beyond the picture need not be exact */
    return y > most ? lround(most) : y > -most ? lround(y) : lround(-most);
}

/* Of the values, without what lies so far off that the rest would be a line: more than twice the range of the inner 96 % beyond its ends. Of a long
 * series some values are enough to know where these end. */
static void values_seen(const struct history_view *v, double *low, double *high)
{
    double some[SEEN_MOST];
    const int each = (v->n + SEEN_MOST - 1) / SEEN_MOST;
    int n = 0;
    *low = INFINITY;
    *high = -INFINITY;
    for (int i = 0; i < v->n; i++) {
        const double value = v->points[i].value;
        *low = value < *low ? value : *low;
        *high = value > *high ? value : *high;
        if (i % each == 0)
            some[n++] = value;
    }
    tare_sort(some, n);
    const int edge = n / 50;
    if (edge) {
        const double from = some[edge], to = some[n - 1 - edge], room = 2 * (to - from);
        *low = fmax(*low, from - room);
        *high = fmin(*high, to + room);
    }
}

/* The scale is at least the share `span` of the values, so that noise looks small. */
static bool plane_of(struct plane *p, const struct history_view *v, int width, int height, double span)
{
    values_seen(v, &p->low, &p->high);
    if (!isfinite(p->low) || !isfinite(p->high))
        return false;
    const double missing = span * fabs(p->low + p->high) / 2 - (p->high - p->low);
    double room = fmax(0.06 * (p->high - p->low), missing / 2);
    p->low -= room > 0 ? room : 1;
    p->high += room > 0 ? room : 1;
    const int first = v->points[0].position, last = v->points[v->n - 1].position;
    p->width = (long)width * SCALE;
    p->height = (long)height * SCALE;
    p->x0 = last > first ? first - 0.01 * (last - first) : first - 1;
    p->x_scale = (double)p->width / (last > first ? 1.02 * (last - first) : 2);
    p->y0 = p->high;
    p->y_scale = (double)p->height / (p->high - p->low);
    return true;
}

struct pen {
    struct buf *b;
    long x, y;
    bool down;
};

/* Written before `at`, in at most 20 characters; returns where it begins. */
static char *site_digits(char *at, long value)
{
    unsigned long left = value < 0 ? 0UL - (unsigned long)value : (unsigned long)value;
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--at = '-';
    return at;
}

/* Digits fast, for pictures with many points. */
static void site_int(struct buf *b, long value)
{
    char digits[24], *end = digits + sizeof digits, *at = site_digits(end, value);
    buf_add(b, at, (size_t)(end - at));
}

/* The newest level, in base units; NaN: no points. */
static double site_level(const struct site_series *x)
{
    const struct history_view *v = x->v;
    if (v->n_changes)
        return v->changes[v->n_changes - 1].after;
    return v->n ? v->points[v->n - 1].value : NAN;
}

/* Its name is escaped. */
static struct unit site_unit(const struct site_series *x)
{
    return history_unit(&x->escaped, site_level(x));
}

static void line_to(struct pen *pen, long x, long y)
{
    char text[64], *end = text + sizeof text, *at = site_digits(end, pen->down ? y - pen->y : y);
    if (*at != '-' || !pen->down)
        *--at = ' ';
    at = site_digits(at, pen->down ? x - pen->x : x);
    *--at = pen->down ? 'l' : 'M';
    buf_add(pen->b, at, (size_t)(end - at));
    *pen = (struct pen){pen->b, x, y, true};
}

static void put_values(struct buf *b, const struct plane *p, const struct history_view *v)
{
    struct pen pen = {.b = b};
    buf_str(b, "<path class=\"line c0\" d=\"");
    for (int i = 0; i < v->n; i++)
        line_to(&pen, x_at(p, v->points[i].position), y_at(p, v->points[i].value));
    buf_str(b, "\"/>\n");
}

static void put_band(struct buf *b, const struct plane *p, const struct history_view *v)
{
    bool any = false;
    for (int from = 0, to; from < v->n; from = to + (to == from)) {
        struct pen pen = {.b = b};
        for (to = from; to < v->n && isfinite(v->points[to].low) && isfinite(v->points[to].high); to++) {
            if (!any)
                buf_str(b, "<path class=\"c0 band\" d=\"");
            any = true;
            line_to(&pen, x_at(p, v->points[to].position), y_at(p, v->points[to].high));
        }
        for (int i = to - 1; i >= from; i--)
            line_to(&pen, x_at(p, v->points[i].position), y_at(p, v->points[i].low));
        if (to > from)
            buf_char(b, 'Z');
    }
    buf_str(b, any ? "\"/>\n" : "");
}

struct level {
    int from, to; /* positions */
    double value;
};

/* The i-th, from 0 to the number of changes. */
static struct level level_of(const struct history_view *v, int i)
{
    const struct view_change *begins = i > 0 ? &v->changes[i - 1] : NULL, *ends = i < v->n_changes ? &v->changes[i] : NULL;
    return (struct level){.from = v->points[begins ? begins->at : 0].position,
                          .to = v->points[ends ? ends->at - 1 : v->n - 1].position, /* the commit of a change has the next */
                          .value = begins ? begins->after : ends->before};
}

static void put_levels(struct buf *b, const struct plane *p, const struct history_view *v)
{
    if (!v->n_changes)
        return;
    buf_str(b, "<path class=\"median\" d=\"");
    for (int i = 0; i <= v->n_changes; i++) {
        const struct level l = level_of(v, i);
        const double beside = l.from == l.to ? 0.25 : 0; /* that of one commit is seen */
        buf_format(b, "M%ld %ldH%ld", x_at(p, l.from - beside), y_at(p, l.value), x_at(p, l.to + beside));
    }
    buf_str(b, "\"/>\n");
}

static const char *shape_of(const struct view_change *c)
{
    return c->state == CHANGE_NOMINATED   ? "m0-32l32 32-32 32-32-32z"
           : c->state != CHANGE_CONFIRMED ? "m-24-24h48v48h-48z"
           : c->ratio > 1                 ? "m0-32l32 56h-64z"
                                          : "m0 32l32-56h-64z";
}

static void put_shapes(struct buf *b, const struct plane *p, const struct history_view *v)
{
    for (int i = 0; i < v->n_changes; i++) {
        const struct view_change *c = &v->changes[i];
        buf_format(b, "<path class=\"mark %s\" d=\"M%ld %ld%s\"/>", site_change_class(c), x_at(p, v->points[c->at].position),
                   y_at(p, c->after), shape_of(c));
    }
}

void site_sparkline(struct buf *b, const struct history_view *v)
{
    struct plane p;
    struct pen pen = {.b = b};
    buf_format(b, "<svg class=\"spark\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\">", SPARK_WIDTH * SCALE, SPARK_HEIGHT * SCALE);
    if (plane_of(&p, v, SPARK_WIDTH, SPARK_HEIGHT, SPARK_SPAN)) {
        const int each = (v->n + SPARK_POINTS - 1) / SPARK_POINTS;
        buf_str(b, "<path class=\"line c0\" d=\"");
        for (int i = 0; i < v->n; i += each) { /* the mean of a group: what a small picture can show */
            double x = 0, y = 0;
            int n = 0;
            for (; n < each && i + n < v->n; n++) {
                x += v->points[i + n].position;
                y += v->points[i + n].value;
            }
            line_to(&pen, x_at(&p, x / n), y_at(&p, y / n));
        }
        buf_str(b, "\"/>");
        put_shapes(b, &p, v);
    }
    buf_str(b, "</svg>");
}

static void put_where_shaded(struct buf *b, const struct plane *p, const struct view_change *c)
{
    const long from = x_at(p, c->from - 0.5), width = x_at(p, c->to + 0.5) - from;
    buf_format(b, "<rect class=\"where %s\" x=\"%ld\" y=\"0\" width=\"%ld\" height=\"%ld\"/>", site_change_class(c), from,
               width > SCALE ? width : SCALE, p->height);
}

/* On a chart of few commits, a mark for each with its value for those who point at it. */
static void put_dots(struct buf *b, const struct site *site, const struct site_series *x, const struct plane *p)
{
    const struct history_view *v = x->v;
    for (int i = 0; i < v->n && v->n <= DOTS_MOST; i++) {
        const struct view_point *at = &v->points[i];
        buf_format(b, "<circle class=\"c0\" cx=\"%ld\" cy=\"%ld\" r=\"25\"><title>", x_at(p, at->position), y_at(p, at->value));
        site_commit(b, site, v, at->position, false);
        buf_str(b, ": ");
        history_put_value_to(b, &x->escaped, at, (p->high - p->low) / DOT_STEPS);
        buf_str(b, "</title></circle>\n");
    }
}

static double pixel_x(const struct plane *p, double position)
{
    return SVG_LEFT + (double)x_at(p, position) / SCALE;
}

/* What each change is, above the picture, where there is room. */
static void put_labels(struct buf *b, const struct site_series *x, const struct plane *p)
{
    double free_from = 0;
    for (int i = 0; i < x->v->n_changes; i++) {
        const struct view_change *c = &x->v->changes[i];
        const double at = pixel_x(p, x->v->points[c->at].position), text = fmin(fmax(at, LABEL_ROOM), p->picture - LABEL_ROOM);
        buf_format(b, "<path class=\"axis\" d=\"M%.1f %dv6\"/>", at, TOP - 6);
        if (text - LABEL_ROOM / 2. < free_from)
            continue;
        free_from = text + LABEL_ROOM / 2.;
        buf_format(b, "<text class=\"middle change %s\" x=\"%.1f\" y=\"%d\">", site_change_class(c), text, TOP - 12);
        const struct view_change bare = {.ratio = c->ratio, .low = NAN, .high = NAN, .difference = c->difference};
        site_effect(b, x, &bare);
        buf_str(b, "</text>\n");
    }
}

static void put_x_axis(struct buf *b, const struct site *site, const struct history_view *v, const struct plane *p)
{
    const int bottom = TOP + PLOT, most = p->picture < WIDTH ? NARROW_X_TICKS : X_TICKS, ticks = v->n < most ? v->n : most;
    const int first = v->points[0].position, last = v->points[v->n - 1].position;
    int point = 0;
    for (int i = 0, shown = -1; i < ticks; i++) {
        const double wanted = ticks > 1 ? first + (double)(last - first) * i / (ticks - 1) : first;
        while (point + 1 < v->n && v->points[point].position < wanted)
            point++;
        if (point == shown)
            continue;
        shown = point;
        const int position = v->points[point].position;
        const double x = pixel_x(p, position), text = fmin(x, p->picture - DATE_ROOM / 2.);
        buf_format(b, "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text class=\"middle\" x=\"%.1f\" y=\"%d\">", x, TOP, bottom, text,
                   bottom + 18);
        site_commit(b, site, v, position, false);
        buf_format(b, "</text><text class=\"middle says\" x=\"%.1f\" y=\"%d\">", text, bottom + 34);
        if (site_time_s(site, v, position))
            site_date(b, site_time_s(site, v, position));
        buf_str(b, "</text>\n");
    }
    buf_format(b, "<path class=\"axis\" d=\"M%d %dH%d\"/>\n", SVG_LEFT, bottom, p->picture - SVG_RIGHT);
}

static void put_y_axis(struct buf *b, const struct site_series *x, const struct plane *p)
{
    const struct unit u = history_unit(x->s, site_level(x)); /* not yet escaped */
    struct picture picture = {.unit = u, .out = {.text = *b}};
    const struct frame f = {.y = {.low = p->low / u.factor, .high = p->high / u.factor},
                            .left = SVG_LEFT,
                            .right = p->picture - SVG_RIGHT,
                            .top = TOP,
                            .bottom = TOP + PLOT};
    svg_y_axis(&picture, &f, "");
    *b = picture.out.text;
}

/* All that lies beyond the picture's edges is cut by a nested picture. */
static void put_plot(struct buf *b, const struct site *site, const struct site_series *x, const struct plane *p)
{
    const struct history_view *v = x->v;
    buf_format(b, "<svg class=\"plot\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %ld %ld\">\n", SVG_LEFT, TOP,
               p->picture - SVG_LEFT - SVG_RIGHT, PLOT, p->width, p->height);
    for (int i = 0; i < v->n_changes; i++)
        put_where_shaded(b, p, &v->changes[i]);
    put_band(b, p, v);
    put_values(b, p, v);
    put_dots(b, site, x, p);
    put_levels(b, p, v);
    put_shapes(b, p, v);
    buf_str(b, "</svg>\n");
}

static int count_beyond(const struct history_view *v, const struct plane *p)
{
    int n = 0;
    for (int i = 0; i < v->n; i++)
        n += v->points[i].value < p->low || v->points[i].value > p->high;
    return n;
}

static bool chart_plane(struct plane *p, const struct history_view *v, int picture)
{
    const bool known = plane_of(p, v, picture - SVG_LEFT - SVG_RIGHT, PLOT, CHART_SPAN);
    p->picture = picture;
    return known;
}

static void put_picture(struct buf *b, const struct site *site, const struct site_series *x, const struct plane *p)
{
    buf_format(b, "<svg class=\"chart%s\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", p->picture < WIDTH ? " narrow" : "",
               p->picture, TOP + PLOT + FOOT);
    site_metric(b, x);
    buf_str(b, " by commit: ");
    site_sentence(b, x);
    buf_str(b, "\">\n");
    put_y_axis(b, x, p);
    put_x_axis(b, site, x->v, p);
    put_plot(b, site, x, p);
    put_labels(b, x, p);
    buf_str(b, "</svg>\n");
}

void site_chart(struct buf *b, const struct site *site, const struct site_series *x)
{
    struct plane wide, narrow;
    if (!chart_plane(&wide, x->v, WIDTH) || !chart_plane(&narrow, x->v, NARROW_WIDTH))
        return;
    buf_format(b, "<figure tabindex=\"0\" data-unit=\"%s\">\n", site_unit(x).name);
    put_picture(b, site, x, &wide);
    put_picture(b, site, x, &narrow);
    const int n = count_beyond(x->v, &wide);
    if (n)
        buf_format(b, "<figcaption>%d result%s outside the chart</figcaption>\n", n, buf_plural(n));
    buf_str(b, "</figure>\n");
}

static void put_step(struct buf *b, double value, double step)
{
    const double n = round(value / step);
    if (fabs(n) < 1e15)
        site_int(b, (long)n);
    else
        buf_str(b, "null");
}

static void put_ints(struct buf *b, const struct history_view *v, double step, int which)
{
    static const char *const names[] = {"x", "y", "low", "high"};
    buf_format(b, ",\"%s\":[", names[which]);
    for (int i = 0; i < v->n; i++) {
        const struct view_point *p = &v->points[i];
        if (i)
            buf_char(b, ',');
        if (which)
            put_step(b, which == 1 ? p->value : which == 2 ? p->low : p->high, step);
        else
            site_int(b, p->position);
    }
    buf_char(b, ']');
}

void site_data(struct buf *b, const struct site *site, const struct site_series *x)
{
    const struct history_view *v = x->v;
    struct plane p;
    if (!site->charts || !plane_of(&p, v, WIDTH, PLOT, CHART_SPAN))
        return;
    const struct unit u = site_unit(x);
    const double step = pow(10, floor(log10((p.high - p.low) / 10000)));
    buf_format(b, "<script type=\"application/json\" class=\"data\">{\"step\":%g", step / u.factor);
    for (int i = 0; i < 4; i++)
        put_ints(b, v, step, i);
    buf_str(b, ",\"levels\":[");
    for (int i = 0; v->n_changes && i <= v->n_changes; i++) {
        const struct level l = level_of(v, i);
        buf_format(b, "%s[%d,%d,", i ? "," : "", l.from, l.to);
        put_step(b, l.value, step);
        buf_char(b, ']');
    }
    buf_str(b, "],\"changes\":[");
    for (int i = 0; i < v->n_changes; i++) {
        const struct view_change *c = &v->changes[i];
        buf_format(b, "%s[%d,%d,%d,\"%s\"]", i ? "," : "", v->points[c->at].position, c->from, c->to, site_change_class(c));
    }
    buf_str(b, "]}</script>\n");
}
