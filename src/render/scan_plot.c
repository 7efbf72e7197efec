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
#include "axis.h"
#include "plots.h"
#include "quote.h"
#include "scan_lines.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 12, WIDEST = 64, NARROWEST = 16, LABEL = 14 };

static const char *const unicode_marks[CURVES_MAX] = {"●", "○", "▲", "△", "■", "□"};
static const char *const ascii_marks[CURVES_MAX] = {"o", "x", "+", "*", "#", "%"};

struct canvas {
    struct page *p;
    const struct curve *curves;
    int n_curves, columns;
    struct axis x, y;
    struct unit unit;
    char *cells; /* ROWS * columns: 0 empty, 1 the fitted line, 2 + curve, or SHARED */
};
enum { FITTED = 1, FIRST_MARK = 2, SHARED = FIRST_MARK + CURVES_MAX };

/* ---- what is drawn ---- */

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

static bool choose_axes(struct canvas *c)
{
    struct extent x = {INFINITY, -INFINITY}, y = x;
    for (int i = 0; i < c->n_curves; i++)
        for (int j = 0; j < c->curves[i].line->n; j++) {
            double value = height(c->p, c->curves[i].line->subjects[j]);
            if (isfinite(value))
                widen(&x, c->curves[i].line->values[j]);
            widen(&y, value / c->unit.factor);
        }
    if (!(x.low < x.high) || !(y.low <= y.high) || !isfinite(y.high - y.low) || !isfinite(x.high - x.low))
        return false;
    bool logarithms = axis_wants_logarithm(x.low, x.high) && y.low > 0;
    c->x = axis_over(x.low, x.high, logarithms);
    c->y = axis_over(logarithms || y.low < 0 ? y.low : 0, y.high, logarithms);
    return true;
}

/* -1: outside. Row 0 is the top. */
static int cell_of(const struct canvas *c, double x, double y)
{
    double column = rint(axis_place(&c->x, x) * (c->columns - 1)), row = rint((1 - axis_place(&c->y, y)) * (ROWS - 1));
    if (!(column >= 0 && column < c->columns && row >= 0 && row < ROWS))
        return -1;
    return (int)row * c->columns + (int)column;
}

static void mark_medians(struct canvas *c, int curve)
{
    const struct scan_line *line = c->curves[curve].line;
    for (int j = 0; j < line->n; j++) {
        int cell = cell_of(c, line->values[j], height(c->p, line->subjects[j]) / c->unit.factor);
        if (cell < 0)
            continue;
        bool taken = c->cells[cell] >= FIRST_MARK && c->cells[cell] != FIRST_MARK + curve;
        c->cells[cell] = (char)(taken ? SHARED : FIRST_MARK + curve);
    }
}

static double log_mean(const struct scan_line *line)
{
    double sum = 0;
    for (int j = line->positive; j < line->n; j++)
        sum += log(line->values[j]);
    return sum / (line->n - line->positive);
}

static void mark_fitted(struct canvas *c, const struct curve *curve)
{
    if (isnan(curve->slope) || curve->line->positive == curve->line->n)
        return;
    double middle = log_mean(curve->line);
    for (int column = 0; column < c->columns; column++) {
        double part = (double)column / (c->columns - 1);
        double x = c->x.logarithmic ? c->x.low * pow(c->x.high / c->x.low, part) : c->x.low + part * (c->x.high - c->x.low);
        int cell = x > 0 ? cell_of(c, x, curve->middle * exp(curve->slope * (log(x) - middle)) / c->unit.factor) : -1;
        if (cell >= 0)
            c->cells[cell] = FITTED;
    }
}

/* ---- the text ---- */

static void put_tick(struct page *p, double tick)
{
    int decimals = 0;
    while (decimals < 9 &&
           fabs(tick * pow(10, decimals) - rint(tick * pow(10, decimals))) > 1e-6 * fabs(tick * pow(10, decimals)))
        decimals++;
    put_number(p, tick, decimals);
}

/* The row's label, right-aligned, and the axis; ticks[] are those of y. */
static void put_row_label(struct canvas *c, const double *ticks, int n, int row)
{
    struct page *p = c->p;
    const char *axis = p->o->unicode ? "│" : "|";
    for (int i = 0; i < n; i++)
        if ((int)rint((1 - axis_place(&c->y, ticks[i])) * (ROWS - 1)) == row) {
            put_tick(p, ticks[i]);
            axis = p->o->unicode ? "┤" : "+";
        }
    buf_repeat(p->out, ' ', LABEL - 2 - text_columns(buf_text(&p->piece), p->piece.len));
    buf_str(p->out, buf_text(&p->piece));
    piece_clear(p);
    buf_format(p->out, " %s", axis);
}

static void put_cell(struct canvas *c, char cell)
{
    const struct page *p = c->p;
    const char *const *marks = p->o->unicode ? unicode_marks : ascii_marks;
    const char *text = !cell            ? " "
                       : cell == FITTED ? p->o->unicode ? "·" : "."
                       : cell == SHARED ? p->o->unicode ? "◆" : "@"
                                        : marks[cell - FIRST_MARK];
    buf_str(p->out, text);
}

static void draw_rows(struct canvas *c)
{
    double ticks[AXIS_TICKS_MAX];
    int n = axis_ticks(&c->y, 5, ticks);
    for (int row = 0; row < ROWS; row++) {
        put_row_label(c, ticks, n, row);
        int last = c->columns;
        while (last > 0 && !c->cells[row * c->columns + last - 1])
            last--;
        for (int column = 0; column < last; column++)
            put_cell(c, c->cells[row * c->columns + column]);
        buf_char(c->p->out, '\n');
    }
}

/* The measured values, where they are few. */
static int x_ticks(const struct canvas *c, double *ticks)
{
    const struct scan_line *line = c->curves[0].line;
    if (line->n > AXIS_TICKS_MAX)
        return axis_ticks(&c->x, c->columns / 8, ticks);
    int n = 0;
    for (int j = 0; j < line->n; j++)
        if (axis_place(&c->x, line->values[j]) >= 0)
            ticks[n++] = line->values[j];
    return n;
}

static int tick_column(const struct canvas *c, double tick)
{
    return (int)rint(axis_place(&c->x, tick) * (c->columns - 1));
}

static void draw_x_axis(struct canvas *c, const double *ticks, int n)
{
    struct page *p = c->p;
    buf_repeat(p->out, ' ', LABEL - 1);
    buf_str(p->out, p->o->unicode ? "└" : "+");
    for (int column = 0, i = 0; column < c->columns; column++) {
        bool tick = i < n && tick_column(c, ticks[i]) == column;
        buf_str(p->out, p->o->unicode ? tick ? "┬" : "─" : tick ? "+" : "-");
        while (i < n && tick_column(c, ticks[i]) == column)
            i++;
    }
    buf_char(p->out, '\n');
}

/* Below their marks; one that would run into the one before is left out. */
static void draw_x_labels(struct canvas *c, const double *ticks, int n)
{
    struct page *p = c->p;
    buf_repeat(p->out, ' ', LABEL);
    int at = 0;
    for (int i = 0; i < n; i++) {
        put_tick(p, ticks[i]);
        int width = text_columns(buf_text(&p->piece), p->piece.len), start = tick_column(c, ticks[i]) - (width - 1) / 2;
        start = start < 0 ? 0 : start + width > c->columns ? c->columns - width : start;
        if (start >= at + (at > 0)) {
            buf_repeat(p->out, ' ', start - at);
            buf_str(p->out, buf_text(&p->piece));
            at = start + width;
        }
        piece_clear(p);
    }
    buf_char(p->out, '\n');
}

static void draw_heading(struct canvas *c)
{
    struct page *p = c->p;
    flow_begin(p, 4, 4);
    buf_str(&p->piece, !strcmp(p->r->rule.metric, "wall") ? "time" : "");
    if (!p->piece.len)
        put_title(p, p->r->rule.metric, 40);
    buf_str(&p->piece, *c->unit.name ? "," : "");
    put_unit(p, c->unit);
    buf_str(&p->piece, " over ");
    put_text(p, c->curves[0].line->parameter);
    buf_str(&p->piece, c->x.logarithmic ? " (medians, both axes logarithmic)" : " (medians)");
    flow_put_hued(p, "", HUE_DIM);
    flow_end(p);
}

static void draw_legend(struct canvas *c)
{
    struct page *p = c->p;
    flow_begin(p, LABEL, LABEL);
    for (int i = 0; i < c->n_curves && c->n_curves > 1; i++) {
        buf_format(&p->piece, "%s ", (p->o->unicode ? unicode_marks : ascii_marks)[i]);
        quote_name(&p->piece, c->curves[i].title, name_columns(p, 2), p->o->unicode);
        flow_put(p, "  ");
    }
    if (memchr(c->cells, SHARED, (size_t)ROWS * (size_t)c->columns)) {
        buf_str(&p->piece, p->o->unicode ? "◆ several" : "@ several");
        flow_put(p, "  ");
    }
    flow_end(p);
}

void plot_curves(struct page *p, const struct curve *curves, int n)
{
    int room = p->o->width > 0 ? p->o->width - LABEL - 2 : WIDEST;
    struct canvas c = {.p = p,
                       .curves = curves,
                       .n_curves = n,
                       .columns = room > WIDEST ? WIDEST : room,
                       .unit = metric_unit(p, p->r->rule.metric)};
    if (c.columns < NARROWEST || !choose_axes(&c))
        return;
    c.cells = calloc(ROWS, (size_t)c.columns);
    if (!c.cells) {
        p->out->status = TARE_NO_MEMORY;
        return;
    }
    double ticks[AXIS_TICKS_MAX];
    int n_ticks = x_ticks(&c, ticks);
    for (int i = 0; i < n; i++)
        mark_fitted(&c, &curves[i]);
    for (int i = 0; i < n; i++)
        mark_medians(&c, i);
    draw_heading(&c);
    draw_rows(&c);
    draw_x_axis(&c, ticks, n_ticks);
    draw_x_labels(&c, ticks, n_ticks);
    draw_legend(&c);
    free(c.cells);
}
