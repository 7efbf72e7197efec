/* SPDX-License-Identifier: MIT
 *
 * Each cell wants to stand where its neighbours are; in a row that is: least squares of the distances from the wishes, under the order and
 * the room that cells need. With y = x less the room to its left that is an isotonic regression, which pooling adjacent violators
 * solves exactly (Ayer et al. 1955). Sweeps go down, up and both ways until the rows have settled. Such sweeps bend long lines slowly, so in the end
 * each line takes one place for all of its cells, and each box the middle of its lines, as far as their neighbours leave room. */
#include "graph_cells.h"
#include <math.h>

enum { SWEEPS = 24, STRAIGHTENINGS = 12, GAP = 22, GAP_BESIDE_LINE = 8 };

struct pool { /* neighbours in a row that touch */
    double sum, weight;
    int n;
};

static double distance(const struct cell *a, const struct cell *b)
{
    double gap = a->box >= 0 && b->box >= 0 ? GAP : a->label || b->label ? GAP_BESIDE_LINE + 4 : GAP_BESIDE_LINE;
    return (a->width + b->width) / 2 + gap;
}

static void wish(struct cells *c, int cell, bool above, bool below)
{
    struct cell *x = &c->cells[cell];
    double sum = 0, weight = 0;
    for (int i = 0; above && i < x->n_up; i++) {
        const struct link *l = &c->links[c->up[x->first_up + i]];
        sum += l->weight * (c->cells[l->upper].x + c->cells[l->upper].anchor);
        weight += l->weight;
    }
    for (int i = 0; below && i < x->n_down; i++) {
        const struct link *l = &c->links[c->down[x->first_down + i]];
        sum += l->weight * (c->cells[l->lower].x + c->cells[l->lower].anchor);
        weight += l->weight;
    }
    x->wish = weight > 0 ? sum / weight - x->anchor : x->x;
    x->pull = weight > 0 ? weight : 1e-3;
}

static void place_row(struct cells *c, const struct row *row, struct pool *pools)
{
    int n = 0;
    double before = 0;
    for (int i = 0; i < row->n; i++) {
        const struct cell *x = &c->cells[row->cells[i]];
        before += i ? distance(&c->cells[row->cells[i - 1]], x) : 0;
        pools[n++] = (struct pool){x->pull * (x->wish - before), x->pull, 1};
        for (; n > 1 && pools[n - 2].sum / pools[n - 2].weight > pools[n - 1].sum / pools[n - 1].weight; n--) {
            pools[n - 2].sum += pools[n - 1].sum;
            pools[n - 2].weight += pools[n - 1].weight;
            pools[n - 2].n += pools[n - 1].n;
        }
    }
    before = 0;
    for (int k = 0, i = 0; k < n; k++)
        for (int m = 0; m < pools[k].n; m++, i++) {
            struct cell *x = &c->cells[row->cells[i]];
            before += i ? distance(&c->cells[row->cells[i - 1]], x) : 0;
            x->x = pools[k].sum / pools[k].weight + before;
        }
}

static void sweep(struct cells *c, bool down, bool both, struct pool *pools)
{
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *row = &c->rows[down ? i : c->n_rows - 1 - i];
        for (int k = 0; k < row->n; k++)
            wish(c, row->cells[k], down || both, !down || both);
        place_row(c, row, pools);
    }
}

static void pack(struct cells *c)
{
    for (int i = 0; i < c->n_rows; i++)
        for (int k = 1; k < c->rows[i].n; k++) {
            const struct cell *left = &c->cells[c->rows[i].cells[k - 1]];
            struct cell *x = &c->cells[c->rows[i].cells[k]];
            x->x = left->x + distance(left, x);
        }
}

/* ---- straight lines ---- */

struct span_of_x { /* where the anchor of a cell may stand, its neighbours being where they are */
    double low, high;
};

static struct span_of_x room_of(const struct cells *c, const struct cell *x)
{
    const struct row *row = &c->rows[x->layer];
    struct span_of_x s = {-INFINITY, INFINITY};
    if (x->place > 0) {
        const struct cell *left = &c->cells[row->cells[x->place - 1]];
        s.low = left->x + distance(left, x) + x->anchor;
    }
    if (x->place + 1 < row->n) {
        const struct cell *right = &c->cells[row->cells[x->place + 1]];
        s.high = right->x - distance(x, right) + x->anchor;
    }
    return s;
}

static double within(double value, struct span_of_x s)
{
    return value < s.low ? s.low : value > s.high ? s.high : value;
}

/* The cells first to first + n - 1 are one line's, from above; at both ends is a box. */
static void straighten(struct cells *c, int first, int n)
{
    struct span_of_x all = {-INFINITY, INFINITY};
    const struct cell *above = &c->cells[cells_above(c, first, 0)], *below = &c->cells[cells_below(c, first + n - 1, 0)];
    double sum = above->x + above->anchor + below->x + below->anchor;
    for (int i = first; i < first + n; i++) {
        struct span_of_x s = room_of(c, &c->cells[i]);
        all.low = s.low > all.low ? s.low : all.low;
        all.high = s.high < all.high ? s.high : all.high;
        sum += c->cells[i].x + c->cells[i].anchor;
    }
    if (all.low > all.high)
        return;
    double at = within(sum / (n + 2), all);
    for (int i = first; i < first + n; i++)
        c->cells[i].x = at - c->cells[i].anchor;
}

static void settle(struct cells *c)
{
    int boxes = c->l->n_boxes; /* they come first, then line by line */
    for (int i = boxes, n; i < c->n_cells; i += n) {
        for (n = 1; i + n < c->n_cells && c->cells[i + n].line == c->cells[i].line; n++)
            ;
        straighten(c, i, n);
    }
    for (int i = 0; i < boxes; i++) {
        struct cell *x = &c->cells[i];
        wish(c, i, true, true);
        x->x = within(x->wish + x->anchor, room_of(c, x)) - x->anchor;
    }
}

enum tare_status cells_place(struct cells *c)
{
    struct pool *pools = arena_array(c->arena, (size_t)c->n_cells + 1, sizeof *pools);
    if (!pools)
        return TARE_NO_MEMORY;
    pack(c);
    for (int i = 0; i < SWEEPS; i++)
        sweep(c, i % 2 == 0, i >= SWEEPS / 2, pools);
    for (int i = 0; i < STRAIGHTENINGS; i++)
        settle(c);
    return TARE_OK;
}
