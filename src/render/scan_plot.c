/* SPDX-License-Identifier: MIT
 *
 *     time, ms over n (medians, both axes logarithmic)
 *       20 ┤                                              ●
 *          │                               ●     ···
 *        5 ┤               ●     ·······
 *          │      ····
 *        2 ┤●
 *          └┬──────────────┬───────────────┬──────────────┬
 *           1              2               4              8
 *
 * The medians of the lines of a scan, and the straight line of the first one, on logarithmic axes where the values span a factor
 * of 8. A mark stands for the cell it is in; where curves share one they get a mark of its own. */
#include "canvas.h"
#include "plots.h"
#include "quote.h"
#include "scan_lines.h"
#include <math.h>
#include <string.h>

enum { ROWS = 12, FITTED = 1, FIRST_MARK = 2, SHARED = FIRST_MARK + CURVES_MAX };

static const char *const unicode_marks[] = {" ", "·", "●", "○", "▲", "△", "■", "□", "◆"};
static const char *const ascii_marks[] = {" ", ".", "o", "x", "+", "*", "#", "%", "@"};

struct drawing {
    struct canvas field;
    const struct curve *curves;
    int n_curves;
    struct unit unit;
};

static double height(struct page *p, int subject)
{
    const struct estimate *e = page_estimate(p, subject, p->r->rule.metric, "median");
    return e ? e->point : NAN;
}

struct extent {
    double low, high;
};

static void widen(struct extent *e, double value)
{
    if (!isfinite(value))
        return;
    e->low = fmin(e->low, value);
    e->high = fmax(e->high, value);
}

static bool choose_axes(struct drawing *d)
{
    struct extent x = {INFINITY, -INFINITY}, y = x;
    for (int i = 0; i < d->n_curves; i++)
        for (int j = 0; j < d->curves[i].line->n; j++) {
            double value = height(d->field.p, d->curves[i].line->subjects[j]);
            if (isfinite(value))
                widen(&x, d->curves[i].line->values[j]);
            widen(&y, value / d->unit.factor);
        }
    if (!(x.low < x.high) || !(y.low <= y.high) || !isfinite(y.high - y.low) || !isfinite(x.high - x.low))
        return false;
    bool logarithms = axis_wants_logarithm(x.low, x.high) && y.low > 0;
    d->field.x = axis_over(x.low, x.high, logarithms);
    d->field.y = axis_over(logarithms || y.low < 0 ? y.low : 0, y.high, logarithms);
    return true;
}

static void mark_medians(struct drawing *d, int curve)
{
    const struct scan_line *line = d->curves[curve].line;
    for (int j = 0; j < line->n; j++) {
        int cell = canvas_cell(&d->field, line->values[j], height(d->field.p, line->subjects[j]) / d->unit.factor);
        if (cell < 0)
            continue;
        bool taken = d->field.cells[cell] >= FIRST_MARK && d->field.cells[cell] != FIRST_MARK + curve;
        d->field.cells[cell] = (char)(taken ? SHARED : FIRST_MARK + curve);
    }
}

static void mark_fitted(struct drawing *d, const struct curve *curve)
{
    if (isnan(curve->slope) || curve->line->positive == curve->line->n)
        return;
    const struct scan_line *line = curve->line;
    double sum = 0;
    for (int j = line->positive; j < line->n; j++)
        sum += log(line->values[j]);
    double middle = sum / (line->n - line->positive);
    for (int column = 0; column < d->field.columns; column++) {
        double x = canvas_x(&d->field, column);
        int cell = x > 0 ? canvas_cell(&d->field, x, curve->middle * exp(curve->slope * (log(x) - middle)) / d->unit.factor) : -1;
        if (cell >= 0)
            d->field.cells[cell] = FITTED;
    }
}

/* The measured values, where they are few. */
static int x_ticks(const struct drawing *d, double *ticks)
{
    const struct scan_line *line = d->curves[0].line;
    if (line->n > AXIS_TICKS_MAX)
        return axis_ticks(&d->field.x, d->field.columns / 8, ticks);
    int n = 0;
    for (int j = 0; j < line->n; j++)
        if (axis_place(&d->field.x, line->values[j]) >= 0)
            ticks[n++] = line->values[j];
    return n;
}

static void draw_heading(struct drawing *d)
{
    struct page *p = d->field.p;
    flow_begin(p, 4, 4);
    buf_str(&p->piece, !strcmp(p->r->rule.metric, "wall") ? "time" : "");
    if (!p->piece.len)
        put_title(p, p->r->rule.metric, 40);
    buf_str(&p->piece, *d->unit.name ? "," : "");
    unit_put(&p->piece, d->unit);
    buf_str(&p->piece, " over ");
    put_text(p, d->curves[0].line->parameter);
    buf_str(&p->piece, d->field.x.logarithmic ? " (medians, both axes logarithmic)" : " (medians)");
    flow_put_hued(p, "", HUE_DIM);
    flow_end(p);
}

static void draw_legend(struct drawing *d)
{
    struct page *p = d->field.p;
    flow_begin(p, CANVAS_LABEL, CANVAS_LABEL);
    for (int i = 0; i < d->n_curves && d->n_curves > 1; i++) {
        buf_format(&p->piece, "%s ", d->field.marks[FIRST_MARK + i]);
        quote_name(&p->piece, d->curves[i].title, name_columns(p, 2), p->o->unicode);
        flow_put(p, "  ");
    }
    if (memchr(d->field.cells, SHARED, (size_t)ROWS * (size_t)d->field.columns)) {
        buf_str(&p->piece, p->o->unicode ? "◆ several" : "@ several");
        flow_put(p, "  ");
    }
    flow_end(p);
}

void plot_curves(struct page *p, const struct curve *curves, int n)
{
    struct drawing d = {
        .field = {.p = p, .rows = ROWS, .columns = canvas_columns(p), .marks = p->o->unicode ? unicode_marks : ascii_marks},
        .curves = curves,
        .n_curves = n,
        .unit = metric_unit(p, p->r->rule.metric)};
    if (d.field.columns < CANVAS_NARROWEST || !choose_axes(&d) || !canvas_begin(&d.field))
        return;
    double ticks[AXIS_TICKS_MAX];
    int n_ticks = x_ticks(&d, ticks);
    for (int i = 0; i < n; i++)
        mark_fitted(&d, &curves[i]);
    for (int i = 0; i < n; i++)
        mark_medians(&d, i);
    draw_heading(&d);
    canvas_draw(&d.field, ticks, n_ticks);
    draw_legend(&d);
    canvas_end(&d.field);
}
