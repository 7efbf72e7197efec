/* SPDX-License-Identifier: MIT */
#include "graph_layout.h"
#include "buf.h"
#include "graph_cells.h"

enum { MARGIN = 10, BETWEEN_ROWS = 32, PORT_INSET = 14, LABEL_FROM_LINE = 9 };

/* ---- rows to y, boxes to their places ---- */

static void stack_rows(struct cells *c)
{
    double y = MARGIN;
    for (int i = 0; i < c->n_rows; i++) {
        c->rows[i].top = y;
        y += c->rows[i].height + BETWEEN_ROWS;
    }
    c->l->height = y - (c->n_rows ? BETWEEN_ROWS : 0) + MARGIN;
}

static void shift_to_margin(struct cells *c)
{
    double left = 0, right = 0;
    for (int i = 0; i < c->n_cells; i++) {
        const struct cell *x = &c->cells[i];
        left = !i || x->x - x->width / 2 < left ? x->x - x->width / 2 : left;
        right = !i || x->x + x->width / 2 > right ? x->x + x->width / 2 : right;
    }
    for (int i = 0; i < c->n_cells; i++)
        c->cells[i].x += MARGIN - left;
    c->l->width = right - left + 2 * MARGIN;
}

static double middle_of(const struct row *row)
{
    return row->top + row->height / 2;
}

static void set_boxes(struct cells *c)
{
    for (int i = 0; i < c->l->n_boxes; i++) {
        c->l->boxes[i].x = c->cells[i].x + c->cells[i].anchor;
        c->l->boxes[i].y = middle_of(&c->rows[c->cells[i].layer]);
    }
}

/* ---- lines ---- */

/* Lines leave a box side by side, in the order of where they go. */
static double port(const struct cells *c, int link, bool below)
{
    const struct link *l = &c->links[link];
    const struct cell *box = &c->cells[below ? l->upper : l->lower];
    int place = c->cells[below ? l->lower : l->upper].place, n = below ? box->n_down : box->n_up, before = 0;
    for (int i = 0; i < n; i++) {
        int other = below ? c->down[box->first_down + i] : c->up[box->first_up + i];
        int there = c->cells[below ? c->links[other].lower : c->links[other].upper].place;
        before += there < place || (there == place && other < link);
    }
    double room = c->l->boxes[box->box].width - 2 * PORT_INSET, step = n > 1 ? room / (n - 1) : 0;
    step = step > 28 ? 28 : step;
    return c->l->boxes[box->box].x + (before - (n - 1) / 2.0) * step;
}

static struct layout_run run_in(const struct cells *c, const struct cell *x)
{
    const struct row *row = &c->rows[x->layer];
    return (struct layout_run){x->x + x->anchor, row->top, row->top + row->height};
}

static void set_label(struct layout_line *line, const struct cells *c, const struct cell *x)
{
    line->label_x = x->x + x->anchor + LABEL_FROM_LINE;
    line->label_y = middle_of(&c->rows[x->layer]);
}

static void add_run(struct cells *c, int link)
{
    const struct link *l = &c->links[link];
    struct layout_line *line = &c->l->lines[l->line];
    const struct cell *upper = &c->cells[l->upper], *lower = &c->cells[l->lower];
    if (upper->box >= 0) {
        const struct row *row = &c->rows[upper->layer];
        line->runs[line->n_runs++] =
            (struct layout_run){port(c, link, true), middle_of(row) + upper->height / 2, row->top + row->height};
    }
    if (lower->box >= 0) {
        const struct row *row = &c->rows[lower->layer];
        line->runs[line->n_runs++] = (struct layout_run){port(c, link, false), row->top, middle_of(row) - lower->height / 2};
        return;
    }
    line->runs[line->n_runs++] = run_in(c, lower);
    if (lower->label)
        set_label(line, c, lower);
}

static enum tare_status set_lines(struct cells *c)
{
    for (int i = 0; i < c->l->n_lines; i++) {
        struct layout_line *line = &c->l->lines[i];
        int from = c->layer_of[line->from], to = c->layer_of[line->to];
        line->upward = c->turned[i];
        line->n_runs = 0;
        line->runs = arena_array(c->arena, (size_t)(from > to ? from - to : to - from) + 2, sizeof *line->runs);
        if (!line->runs)
            return TARE_NO_MEMORY;
    }
    for (int i = 0; i < c->n_links; i++) /* those of one line follow each other, from above */
        add_run(c, i);
    return TARE_OK;
}

enum tare_status layout_make(struct layout *l, struct arena *a, struct tare_err *err)
{
    struct cells c = {.l = l, .arena = a};
    l->width = l->height = 2 * MARGIN;
    enum tare_status status = cells_rank(&c);
    if (!status)
        status = cells_build(&c);
    if (!status)
        status = cells_order(&c);
    if (!status)
        status = cells_place(&c);
    if (!status) {
        stack_rows(&c);
        shift_to_margin(&c);
        set_boxes(&c);
        status = set_lines(&c);
    }
    return status ? err_set(err, status, "the picture of the graph could not be laid out (%s)", tare_status_text(status))
                  : TARE_OK;
}
