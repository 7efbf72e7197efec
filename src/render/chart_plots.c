/* SPDX-License-Identifier: MIT
 *
 *     Evidence against "no leak" over calls
 *     log10 E
 *           10 ┤                                  ●●●●●●
 *            5 ┤- - - - - - - - - - - -●●- - - - - - - - leak
 *            0 ┤●●●●●●●●●●●●●●●●●●●●●●●
 *              └┬──────────────┬─────────────────┬
 *              1000          10000             100000
 *              calls    ● log10 E
 *
 * A line is drawn through the middle of each column of characters; the shade around it is its band. Nothing is claimed from it. */
#include "chart.h"
#include "plots.h"
#include <math.h>
#include <string.h>

enum { ROWS = 11, BINS_MOST = 16, BAR_COLUMNS = 24, NAME_MOST = 12, BESIDE_BARS = 50 };
enum { SHADED = 1, BAND, RULE, INTERVAL, FIRST_LINE, SEVERAL = FIRST_LINE + CHART_LINES_MAX };

static const char *const unicode_marks[] = {" ", "┈", "░", "╌", "│", "●", "○", "▲", "△", "■", "□", "◆"};
static const char *const ascii_marks[] = {" ", "=", ":", "-", "|", "o", "x", "+", "*", "%", "&", "@"};
_Static_assert(sizeof unicode_marks / sizeof *unicode_marks == SEVERAL + 1 && sizeof ascii_marks == sizeof unicode_marks,
               "a mark for each");

struct chart_drawing {
    struct canvas field;
    const struct chart *chart;
};

/* The value of `values` at x: of the last point not beyond it, or between that and the next. NaN before the first and after the last. */
static double value_at(const struct chart_line *line, const double *values, double x)
{
    int i = 0;
    while (i + 1 < line->n && line->x[i + 1] <= x)
        i++;
    if (!line->n || x < line->x[i] || (i == line->n - 1 && x > line->x[i]))
        return NAN;
    if (line->shape == CHART_STEPS || i == line->n - 1)
        return values[i];
    double part = (x - line->x[i]) / (line->x[i + 1] - line->x[i]);
    return part > 0 ? values[i] + part * (values[i + 1] - values[i]) : values[i];
}

static void put_mark(struct canvas *c, double x, double y, int mark)
{
    int cell = canvas_cell(c, x, y);
    if (cell < 0)
        return;
    bool other = c->cells[cell] >= FIRST_LINE && mark >= FIRST_LINE && c->cells[cell] != mark;
    c->cells[cell] = (char)(other ? SEVERAL : mark);
}

/* All cells of the column of x from low to high; an end beyond the scale ends at its edge. */
static void fill_column(struct canvas *c, double x, double low, double high, int mark)
{
    if (isnan(low) || isnan(high))
        return;
    low = fmax(low, c->y.low);
    high = fmin(high, c->y.high);
    double step = (c->y.high - c->y.low) / (c->rows - 1) / 2;
    for (int i = 0; i <= 2 * c->rows && low + i * step <= high; i++) {
        int cell = canvas_cell(c, x, low + i * step);
        if (cell >= 0 && !c->cells[cell])
            c->cells[cell] = (char)mark;
    }
}

static void draw_level(struct canvas *c, double y, int mark)
{
    for (int column = 0; column < c->columns; column++) {
        int cell = canvas_cell(c, canvas_x(c, column), y);
        if (cell >= 0)
            c->cells[cell] = (char)mark;
    }
}

/* Over the lines, which are seen beside them. */
static void draw_points(struct chart_drawing *d, const struct chart_line *line, int mark)
{
    struct canvas *c = &d->field;
    for (int i = 0; i < line->n; i++)
        if (line->low && line->high)
            fill_column(c, line->x[i], line->low[i], line->high[i], INTERVAL);
    for (int i = 0; i < line->n; i++) {
        int cell = canvas_cell(c, line->x[i], line->y[i]), there = cell < 0 ? 0 : c->cells[cell] - FIRST_LINE;
        if (cell >= 0 && there >= 0 && there < d->chart->n_lines && d->chart->lines[there].shape != CHART_POINTS)
            c->cells[cell] = 0;
        put_mark(c, line->x[i], line->y[i], mark);
    }
}

static void draw_line(struct canvas *c, const struct chart_line *line, int mark)
{
    for (int column = 0; column < c->columns; column++) {
        double x = canvas_x(c, column);
        put_mark(c, x, value_at(line, line->y, x), mark);
    }
}

static void draw_all(struct chart_drawing *d)
{
    const struct chart *c = d->chart;
    for (int i = 0; i < c->n_lines; i++)
        if (c->lines[i].shape != CHART_POINTS) {
            for (int column = 0; column < d->field.columns && c->lines[i].low && c->lines[i].high; column++) {
                double x = canvas_x(&d->field, column);
                fill_column(&d->field, x, value_at(&c->lines[i], c->lines[i].low, x), value_at(&c->lines[i], c->lines[i].high, x),
                            BAND);
            }
        }
    if (!isnan(c->shaded.low)) {
        draw_level(&d->field, c->shaded.low, SHADED);
        draw_level(&d->field, c->shaded.high, SHADED);
    }
    for (int i = 0; i < c->n_rules; i++)
        draw_level(&d->field, c->rules[i].at, RULE);
    for (int i = 0; i < c->n_lines; i++)
        if (c->lines[i].shape != CHART_POINTS)
            draw_line(&d->field, &c->lines[i], FIRST_LINE + i);
    for (int i = 0; i < c->n_lines; i++)
        if (c->lines[i].shape == CHART_POINTS)
            draw_points(d, &c->lines[i], FIRST_LINE + i);
}

static void put_heading(struct page *p, const struct chart *c)
{
    flow_begin(p, 4, 4);
    put_text(p, c->title);
    flow_put_hued(p, "", HUE_BOLD);
    flow_end(p);
    flow_begin(p, 4, 4);
    put_text(p, c->says);
    if (p->piece.len)
        flow_spread(p, "", HUE_DIM);
    flow_end(p);
}

static void put_entry(struct page *p, const char *mark, const char *name)
{
    if (!name)
        return;
    buf_format(&p->piece, "%s ", mark);
    put_text(p, name);
    flow_put(p, "   ");
}

static void put_legend(struct chart_drawing *d)
{
    const struct chart *c = d->chart;
    struct page *p = d->field.p;
    const char *const *marks = d->field.marks;
    flow_begin(p, CANVAS_LABEL, CANVAS_LABEL);
    buf_str(&p->piece, "across: ");
    put_text(p, c->x_title);
    buf_str(&p->piece, c->logarithmic_x ? " (logarithmic)" : "");
    flow_put(p, "");
    for (int i = 0; i < c->n_lines; i++)
        put_entry(p, marks[FIRST_LINE + i], c->lines[i].name);
    for (int i = 0; i < c->n_rules; i++)
        put_entry(p, marks[RULE], c->rules[i].name);
    if (!isnan(c->shaded.low))
        put_entry(p, marks[SHADED], c->shaded.name);
    if (memchr(d->field.cells, INTERVAL, (size_t)d->field.rows * (size_t)d->field.columns))
        put_entry(p, marks[INTERVAL], "interval");
    if (memchr(d->field.cells, SEVERAL, (size_t)d->field.rows * (size_t)d->field.columns))
        put_entry(p, marks[SEVERAL], "several");
    flow_end(p);
}

static void plot_lines(struct page *p, const struct chart *c)
{
    struct chart_drawing d = {
        .field = {.p = p, .rows = ROWS, .columns = canvas_columns(p), .marks = p->o->unicode ? unicode_marks : ascii_marks},
        .chart = c};
    double ticks[AXIS_TICKS_MAX];
    if (!chart_axes(c, &d.field.x, &d.field.y) || !canvas_begin(&d.field))
        return;
    draw_all(&d);
    flow_begin(p, 4, 4);
    put_text(p, c->y_title);
    flow_put_hued(p, "", HUE_DIM);
    flow_end(p);
    canvas_draw(&d.field, ticks, axis_ticks(&d.field.x, d.field.columns / 10 < 2 ? 2 : d.field.columns / 10, ticks));
    put_legend(&d);
    canvas_end(&d.field);
}

static int64_t merged(const struct chart_bars *bars, int row, int from, int to)
{
    int64_t sum = 0;
    for (int i = from; i < to; i++)
        sum += bars->count[row][i];
    return sum;
}

/* The largest bar, as they are drawn: `each` bins together. */
static int64_t most_merged(const struct chart_bars *bars, int each)
{
    int64_t most = 1;
    for (int row = 0; row < 2; row++) {
        most = bars->beyond[row] > most ? bars->beyond[row] : most;
        for (int i = 0; i < bars->n; i += each) {
            int64_t count = merged(bars, row, i, i + each < bars->n ? i + each : bars->n);
            most = count > most ? count : most;
        }
    }
    return most;
}

/* Bins from `from` on; from = bars->n: what lies beyond. */
static void bar_row(struct table *t, const struct chart_bars *bars, int from, int to, double columns_each)
{
    const double edge = bars->edge[from];
    buf_str(&t->p->piece, from < bars->n ? "" : "beyond ");
    figure_put(&t->p->piece, edge, figure_digits(edge, 4));
    table_cell(t);
    for (int row = 0; row < 2; row++) {
        const double count = (double)(from < bars->n ? merged(bars, row, from, to) : bars->beyond[row]);
        table_format(t, "%.0f", count);
        put_bar(t->p, count * columns_each);
        table_cell(t);
    }
}

static void plot_bars(struct page *p, const struct chart *c)
{
    const struct chart_bars *bars = &c->bars;
    int each = (bars->n + BINS_MOST - 1) / BINS_MOST, room = p->o->width > 0 ? (p->o->width - BESIDE_BARS) / 2 : BAR_COLUMNS;
    room = room > BAR_COLUMNS ? BAR_COLUMNS : room < 4 ? 4 : room;
    double columns_each = (double)room / (double)most_merged(bars, each);
    struct table t;
    flow_begin(p, 4, 4);
    put_text(p, c->x_title);
    flow_put_hued(p, "", HUE_DIM);
    flow_end(p);
    table_begin(&t, p, (const struct table_column[]){{"from", SIDE_POINT, 0}}, 1);
    for (int row = 0; row < 2; row++) {
        put_cut(p, bars->name[row] ? bars->name[row] : "", NAME_MOST);
        table_titled(&t, SIDE_RIGHT, 0);
        table_column(&t, (struct table_column){"", SIDE_LEFT, 2 - row});
    }
    for (int i = 0; i < bars->n; i += each)
        bar_row(&t, bars, i, i + each < bars->n ? i + each : bars->n, columns_each);
    if (bars->beyond[0] || bars->beyond[1])
        bar_row(&t, bars, bars->n, bars->n, columns_each);
    table_end(&t, 4);
}

static void plot_cells(struct page *p, const struct chart *c)
{
    const struct chart_cells *cells = &c->cells;
    for (int i = 0; i < cells->n; i++) {
        if (i % cells->per_row == 0)
            buf_format(p->out, "%s    %s %4d  ", i ? "\n" : "", cells->row_name, i / cells->per_row);
        static const char *const unicode[] = {"·", "░", "▒", "▓", "█"}, *const ascii[] = {".", "-", "+", "*", "#"};
        double full = chart_fullness(cells, i);
        buf_str(p->out, isnan(full) ? " " : (p->o->unicode ? unicode : ascii)[(int)fmin(full * 5, 4)]);
        if (cells->special && cells->special[i])
            buf_char(p->out, '!');
        else if ((i + 1) % cells->per_row)
            buf_char(p->out, ' ');
    }
    buf_char(p->out, '\n');
    flow_begin(p, 4, 4);
    buf_format(&p->piece, "left to right: %s 0 to %d; the darkest: ", cells->cell_name, cells->per_row - 1);
    put_text(p, c->y_title);
    buf_str(&p->piece, " ");
    figure_tick(&p->piece, cells->full);
    buf_str(&p->piece, " and more; !: proven");
    flow_spread(p, "", HUE_DIM);
    flow_end(p);
}

static void plot_chart(struct page *p, const struct chart *c)
{
    struct axis x, y;
    int room = c->cells.n ? 16 + 2 * c->cells.per_row : 0;
    if (canvas_columns(p) < CANVAS_NARROWEST || (p->o->width > 0 && room > p->o->width))
        return;
    if (chart_is_drawn(c) && !c->cells.n && !chart_axes(c, &x, &y))
        return;
    blank_line(p);
    put_heading(p, c);
    if (!chart_is_drawn(c))
        return;
    if (c->cells.n)
        plot_cells(p, c);
    else if (c->bars.n)
        plot_bars(p, c);
    else
        plot_lines(p, c);
}

void render_charts(const struct chart_page *page, const struct render_options *o, struct buf *out)
{
    const struct record nothing = {0};
    struct page p = page_over(&nothing, o, out);
    if (page->heading) {
        blank_line(&p);
        flow_begin(&p, 2, 2);
        buf_str(&p.piece, "pictures of ");
        put_text(&p, page->heading);
        flow_put(&p, "");
        flow_end(&p);
    }
    for (int i = 0; i < page->n_charts; i++)
        plot_chart(&p, &page->charts[i]);
    page_finish(&p);
}
