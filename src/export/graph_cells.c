/* SPDX-License-Identifier: MIT
 *
 * From boxes in layers to cells: each line gets a cell in every layer that it passes, one of them as wide as its label. */
#include "graph_cells.h"

enum { LINE_WIDTH = 14, LABEL_GAP = 6 };

static int upper_of(const struct cells *c, int line)
{
    return c->turned[line] ? c->l->lines[line].to : c->l->lines[line].from;
}

static int lower_of(const struct cells *c, int line)
{
    return c->turned[line] ? c->l->lines[line].from : c->l->lines[line].to;
}

static int length_of(const struct cells *c, int line)
{
    return c->layer_of[lower_of(c, line)] - c->layer_of[upper_of(c, line)];
}

static enum tare_status room(struct cells *c)
{
    size_t n = (size_t)c->l->n_boxes, m = 0;
    for (int i = 0; i < c->l->n_lines; i++)
        if (c->l->lines[i].from != c->l->lines[i].to) {
            n += (size_t)length_of(c, i) - 1;
            m += (size_t)length_of(c, i);
        }
    for (int i = 0; i < c->l->n_boxes; i++)
        c->n_rows = c->layer_of[i] + 1 > c->n_rows ? c->layer_of[i] + 1 : c->n_rows;
    c->cells = arena_array(c->arena, n + 1, sizeof *c->cells);
    c->links = arena_array(c->arena, m + 1, sizeof *c->links);
    c->up = arena_array(c->arena, m + 1, sizeof *c->up);
    c->down = arena_array(c->arena, m + 1, sizeof *c->down);
    c->rows = arena_array(c->arena, (size_t)c->n_rows + 1, sizeof *c->rows);
    return c->cells && c->links && c->up && c->down && c->rows ? TARE_OK : TARE_NO_MEMORY;
}

static void add_boxes(struct cells *c)
{
    for (int i = 0; i < c->l->n_boxes; i++) {
        const struct layout_box *b = &c->l->boxes[i];
        c->cells[c->n_cells++] = (struct cell){.width = b->width + b->beside,
                                               .height = b->height,
                                               .anchor = -b->beside / 2,
                                               .layer = c->layer_of[i],
                                               .box = i,
                                               .line = -1};
    }
}

static int add_passing(struct cells *c, int line, int layer, bool label)
{
    const struct layout_line *l = &c->l->lines[line];
    double width = label ? LINE_WIDTH + LABEL_GAP + l->label_width : LINE_WIDTH;
    c->cells[c->n_cells] = (struct cell){.width = width,
                                         .height = label ? l->label_height : 0,
                                         .anchor = -width / 2 + LINE_WIDTH / 2.0,
                                         .layer = layer,
                                         .box = -1,
                                         .line = line,
                                         .label = label};
    return c->n_cells++;
}

static void add_link(struct cells *c, int upper, int lower, int line)
{
    bool inner = c->cells[upper].box < 0 && c->cells[lower].box < 0; /* the long middle of a line should be straight */
    c->links[c->n_links++] = (struct link){upper, lower, line, c->l->lines[line].weight * (inner ? 8 : 1)};
    c->cells[upper].n_down++;
    c->cells[lower].n_up++;
}

static void add_line(struct cells *c, int line)
{
    int top = c->layer_of[upper_of(c, line)], length = length_of(c, line), last = upper_of(c, line);
    int label_at = length / 2 % 2 ? length / 2 : length / 2 - 1; /* odd: boxes stand in even layers */
    for (int i = 1; i < length; i++) {
        int cell = add_passing(c, line, top + i, i == label_at);
        add_link(c, last, cell, line);
        last = cell;
    }
    add_link(c, last, lower_of(c, line), line);
}

static void index_links(struct cells *c)
{
    int up = 0, down = 0;
    for (int i = 0; i < c->n_cells; i++) {
        struct cell *x = &c->cells[i];
        x->first_up = up;
        x->first_down = down;
        up += x->n_up;
        down += x->n_down;
        x->n_up = x->n_down = 0;
    }
    for (int i = 0; i < c->n_links; i++) {
        struct cell *above = &c->cells[c->links[i].upper], *below = &c->cells[c->links[i].lower];
        c->down[above->first_down + above->n_down++] = i;
        c->up[below->first_up + below->n_up++] = i;
    }
}

static enum tare_status fill_rows(struct cells *c)
{
    for (int i = 0; i < c->n_cells; i++)
        c->rows[c->cells[i].layer].n++;
    for (int i = 0; i < c->n_rows; i++) {
        c->rows[i].cells = arena_array(c->arena, (size_t)c->rows[i].n + 1, sizeof(int));
        if (!c->rows[i].cells)
            return TARE_NO_MEMORY;
        c->rows[i].n = 0;
    }
    for (int i = 0; i < c->n_cells; i++) {
        struct cell *x = &c->cells[i];
        struct row *row = &c->rows[x->layer];
        x->place = row->n;
        row->cells[row->n++] = i;
        row->height = x->height > row->height ? x->height : row->height;
    }
    return TARE_OK;
}

enum tare_status cells_build(struct cells *c)
{
    if (room(c))
        return TARE_NO_MEMORY;
    add_boxes(c);
    for (int i = 0; i < c->l->n_lines; i++)
        if (c->l->lines[i].from != c->l->lines[i].to)
            add_line(c, i);
    index_links(c);
    return fill_rows(c);
}
