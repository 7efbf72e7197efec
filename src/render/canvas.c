/* SPDX-License-Identifier: MIT */
#include "plots.h"
#include "quote.h"
#include <math.h>
#include <stdlib.h>

int canvas_columns(const struct page *p)
{
    int room = p->o->width > 0 ? p->o->width - CANVAS_LABEL - 2 : CANVAS_WIDEST;
    return room > CANVAS_WIDEST ? CANVAS_WIDEST : room;
}

bool canvas_begin(struct canvas *c)
{
    c->cells = calloc((size_t)c->rows, (size_t)c->columns);
    if (!c->cells)
        c->p->out->status = TARE_NO_MEMORY;
    return c->cells;
}

void canvas_end(struct canvas *c)
{
    free(c->cells);
}

int canvas_cell(const struct canvas *c, double x, double y)
{
    double column = rint(axis_place(&c->x, x) * (c->columns - 1)), row = rint((1 - axis_place(&c->y, y)) * (c->rows - 1));
    if (!(column >= 0 && column < c->columns && row >= 0 && row < c->rows))
        return -1;
    return (int)row * c->columns + (int)column;
}

double canvas_x(const struct canvas *c, int column)
{
    double part = (double)column / (c->columns - 1);
    return c->x.logarithmic ? c->x.low * pow(c->x.high / c->x.low, part) : c->x.low + part * (c->x.high - c->x.low);
}

/* The row's label, right-aligned, and the axis; ticks[] are those of y. */
static void put_row_label(struct canvas *c, const double *ticks, int n, int row)
{
    struct page *p = c->p;
    const char *axis = p->o->unicode ? "│" : "|";
    for (int i = 0; i < n; i++)
        if ((int)rint((1 - axis_place(&c->y, ticks[i])) * (c->rows - 1)) == row) {
            figure_tick(&p->piece, ticks[i]);
            piece_adapt(p);
            axis = p->o->unicode ? "┤" : "+";
        }
    buf_repeat(p->out, ' ', CANVAS_LABEL - 2 - text_columns(buf_text(&p->piece), p->piece.len));
    buf_str(p->out, buf_text(&p->piece));
    piece_clear(p);
    buf_format(p->out, " %s", axis);
}

static void draw_rows(struct canvas *c)
{
    double ticks[AXIS_TICKS_MAX];
    int n = axis_ticks(&c->y, 5, ticks);
    for (int row = 0; row < c->rows; row++) {
        put_row_label(c, ticks, n, row);
        int last = c->columns;
        while (last > 0 && !c->cells[row * c->columns + last - 1])
            last--;
        for (int column = 0; column < last; column++) {
            int cell = c->cells[row * c->columns + column];
            buf_str(c->p->out, cell ? c->marks[cell] : " ");
        }
        buf_char(c->p->out, '\n');
    }
}

static int tick_column(const struct canvas *c, double tick)
{
    return (int)rint(axis_place(&c->x, tick) * (c->columns - 1));
}

static void draw_x_axis(struct canvas *c, const double *ticks, int n)
{
    struct page *p = c->p;
    buf_repeat(p->out, ' ', CANVAS_LABEL - 1);
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
    buf_repeat(p->out, ' ', CANVAS_LABEL);
    int at = 0;
    for (int i = 0; i < n; i++) {
        figure_tick(&p->piece, ticks[i]);
        piece_adapt(p);
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

void canvas_draw(struct canvas *c, const double *x_ticks, int n)
{
    draw_rows(c);
    draw_x_axis(c, x_ticks, n);
    draw_x_labels(c, x_ticks, n);
}
