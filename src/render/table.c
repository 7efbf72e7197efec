/* SPDX-License-Identifier: MIT
 *
 * Columns are as wide as their widest cell. Where a line would not fit the terminal, the column of least weight is left out
 * until it does: a table with fewer columns can be read, a table with broken lines cannot. */
#include "layout.h"
#include "quote.h"
#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

/* Stands for the cells of a row over which the one before goes on. */
static const char rest_of_row[] = "";

static int columns(const char *text)
{
    return text_columns(text, strlen(text));
}

void table_begin(struct table *t, struct page *p, const struct table_column *columns, int n_columns)
{
    *t = (struct table){.p = p};
    for (int i = 0; i < n_columns; i++)
        table_column(t, columns[i]);
}

void table_column(struct table *t, struct table_column column)
{
    assert(t->n_columns < TABLE_COLUMNS_MAX && !t->n_cells);
    t->columns[t->n_columns++] = column;
}

void table_titled(struct table *t, enum table_side side, int weight)
{
    table_column(t, (struct table_column){table_text(t), side, weight});
}

const char *table_text(struct table *t)
{
    struct page *p = t->p;
    piece_adapt(p);
    const char *text = arena_copy(&t->arena, buf_text(&p->piece), p->piece.len);
    t->failed |= !text;
    piece_clear(p);
    return text ? text : "";
}

static void add_cell(struct table *t, const char *text)
{
    if (array_room(&t->cells, t->n_cells, &t->room, sizeof *t->cells))
        t->cells[t->n_cells++] = text;
    else
        t->failed = true;
}

void table_cell(struct table *t)
{
    const char *text = table_text(t);
    add_cell(t, columns(text) ? text : ""); /* no colours around nothing */
}

void table_format(struct table *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    buf_vformat(&t->p->piece, format, ap);
    va_end(ap);
    table_cell(t);
}

void table_rest(struct table *t)
{
    table_cell(t);
    while (t->n_cells % t->n_columns && !t->failed)
        add_cell(t, rest_of_row);
}

struct widths {
    int before[TABLE_COLUMNS_MAX], after[TABLE_COLUMNS_MAX]; /* of a cell's part before its point, and from the point on */
    int title[TABLE_COLUMNS_MAX];
    bool shown[TABLE_COLUMNS_MAX];
};

/* Columns left of the alignment point. */
static int before_point(const struct table_column *c, const char *cell)
{
    const char *point = c->side == SIDE_POINT ? strchr(cell, '.') : NULL;
    return point ? text_columns(cell, (size_t)(point - cell)) : columns(cell);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static bool goes_on(const struct table *t, const char *const *cells, int column)
{
    return cells && column + 1 < t->n_columns && cells[column + 1] == rest_of_row;
}

static struct widths measure_widths(const struct table *t)
{
    struct widths w = {0};
    for (int c = 0; c < t->n_columns; c++) {
        w.title[c] = columns(t->columns[c].title);
        w.shown[c] = t->columns[c].weight != TABLE_NEVER;
    }
    for (int i = 0; i < t->n_cells; i++) {
        if (goes_on(t, t->cells + i - i % t->n_columns, i % t->n_columns))
            continue;
        int c = i % t->n_columns, before = before_point(&t->columns[c], t->cells[i]);
        w.before[c] = larger(w.before[c], before);
        w.after[c] = larger(w.after[c], columns(t->cells[i]) - before);
    }
    return w;
}

static int width_of(const struct widths *w, int column)
{
    return larger(w->title[column], w->before[column] + w->after[column]);
}

static int total(const struct table *t, const struct widths *w)
{
    int sum = 0;
    for (int c = 0; c < t->n_columns; c++)
        sum += w->shown[c] ? width_of(w, c) + (sum ? GAP : 0) : 0;
    return sum;
}

static int lightest(const struct table *t, const struct widths *w)
{
    int found = -1;
    for (int c = 0; c < t->n_columns; c++)
        if (w->shown[c] && t->columns[c].weight && t->columns[c].weight < TABLE_KEPT &&
            (found < 0 || t->columns[c].weight < t->columns[found].weight))
            found = c;
    return found;
}

static void hide_what_is_empty(const struct table *t, struct widths *w)
{
    for (int c = 0; c < t->n_columns; c++)
        w->shown[c] = w->shown[c] && (!t->columns[c].weight || w->before[c] + w->after[c] > 0);
}

static void hide_what_does_not_fit(const struct table *t, struct widths *w, int room)
{
    int victim;
    while (total(t, w) > room && (victim = lightest(t, w)) >= 0)
        w->shown[victim] = false;
}

/* Where there is no room for it, on lines of its own. */
static void put_rest(struct page *p, const char *cell, bool fits, int indent)
{
    if (fits) {
        buf_str(p->out, cell);
        return;
    }
    buf_str(&p->piece, cell);
    flow_begin(p, indent + 2, indent + 4);
    flow_spread(p, "", HUE_PLAIN);
}

static int blanks_left(const struct table *t, const struct widths *w, int column, const char *cell, bool is_title)
{
    const enum table_side side = t->columns[column].side;
    if (side == SIDE_RIGHT || (is_title && side == SIDE_POINT))
        return width_of(w, column) - columns(cell);
    return side == SIDE_POINT ? width_of(w, column) - w->after[column] - before_point(&t->columns[column], cell) : 0;
}

static void put_line(const struct table *t, const struct widths *w, const char *const *cells, int indent)
{
    struct page *p = t->p;
    int written = 0, begin = indent; /* blanks are written only before the next text, so that no line ends in one */
    for (int c = 0; c < t->n_columns; c++) {
        const char *cell = cells ? cells[c] : t->columns[c].title;
        const bool rest = goes_on(t, cells, c);
        if (!w->shown[c] && !rest)
            continue;
        const int left = rest ? 0 : blanks_left(t, w, c, cell, !cells);
        const bool fits = !rest || p->o->width <= 0 || begin + columns(cell) <= p->o->width;
        if (*cell && fits)
            buf_repeat(p->out, ' ', begin + left - written);
        if (rest) {
            if (!fits && written)
                buf_char(p->out, '\n');
            put_rest(p, cell, fits, indent);
            return;
        }
        buf_str(p->out, cell);
        written = *cell ? begin + left + columns(cell) : written;
        begin += width_of(w, c) + GAP;
    }
}

/* The first column with a title, which the rows are about; those before it stand on its line. */
static int name_column(const struct table *t)
{
    int c = 0;
    while (c + 1 < t->n_columns && !*t->columns[c].title)
        c++;
    return c;
}

/*     FAIL parse/4096
 *       base 1.20 µs  head 1.26 µs
 *       change (95 % bounds) 5.1 % slower (4.2–6.0) */
static void put_stacked(const struct table *t, const struct widths *w, const char *const *cells, int indent)
{
    struct page *p = t->p;
    const int name = name_column(t);
    for (int c = 0; c < t->n_columns; c++) {
        if (!c || c == name + 1)
            flow_begin(p, c ? indent + 2 : indent, c ? indent + 2 : indent + 4);
        if (w->shown[c] && *cells[c]) {
            const char *title = c > name ? t->columns[c].title : "";
            buf_format(&p->piece, "%s%s%s", title, *title ? ": " : "", cells[c]);
            (goes_on(t, cells, c) ? flow_spread : flow_put_hued)(p, c > name ? "  " : " ", HUE_PLAIN);
        }
        if (c == name || c + 1 == t->n_columns)
            flow_end(p);
    }
}

static void put_heading(const struct table *t, int indent)
{
    buf_str(&t->p->piece, t->columns[name_column(t)].title);
    flow_line(t->p, indent, HUE_DIM);
}

int table_room(const struct table *t, int indent)
{
    if (t->p->o->stacked)
        return INT_MAX / 2; /* which is added to */
    const int room = t->p->o->width - indent;
    struct widths w = measure_widths(t);
    hide_what_is_empty(t, &w);
    hide_what_does_not_fit(t, &w, room);
    return room - total(t, &w);
}

void table_drop(struct table *t)
{
    free(t->cells);
    arena_finish(&t->arena);
}

void table_end(struct table *t, int indent)
{
    struct page *p = t->p;
    if (t->failed && !p->out->status)
        p->out->status = TARE_NO_MEMORY;
    if (t->n_cells) {
        for (int c = 0; c < t->n_columns; c++) {
            buf_str(&p->piece, t->columns[c].title);
            t->columns[c].title = table_text(t); /* in the signs that may be shown */
        }
        struct widths w = measure_widths(t);
        hide_what_is_empty(t, &w);
        const bool stacked = p->o->stacked && p->o->width > 0 && total(t, &w) > p->o->width - indent;
        if (stacked && t->headed)
            put_heading(t, indent);
        for (int i = 0; stacked && i + t->n_columns <= t->n_cells; i += t->n_columns)
            put_stacked(t, &w, t->cells + i, indent);
        if (stacked) {
            table_drop(t);
            return;
        }
        if (p->o->width > 0)
            hide_what_does_not_fit(t, &w, p->o->width - indent);
        hue_on(p, p->out, HUE_DIM);
        put_line(t, &w, NULL, indent);
        hue_off(p, p->out, HUE_DIM);
        buf_char(p->out, '\n');
        for (int i = 0; i + t->n_columns <= t->n_cells; i += t->n_columns) {
            put_line(t, &w, t->cells + i, indent);
            buf_char(p->out, '\n');
        }
    }
    table_drop(t);
}
