/* SPDX-License-Identifier: MIT
 *
 * Crossings are reduced as by Sugiyama, Tagawa, Toda (1981) with medians in place of means (Eades, Wormald 1994): sweeps down and up put each
 * cell at the median place of its neighbours, then neighbours in a row are exchanged as long as that takes crossings away. The best order of all
 * sweeps is kept; the first is that of the boxes. */
#include "graph_cells.h"
#include <string.h>

enum { SWEEPS = 24, EXCHANGES = 8 };

struct sorting {
    double median;
    int cell;
};

static int neighbour(const struct cells *c, int cell, int i, bool above)
{
    return above ? cells_above(c, cell, i) : cells_below(c, cell, i);
}

static int neighbours(const struct cells *c, int cell, bool above)
{
    return above ? c->cells[cell].n_up : c->cells[cell].n_down;
}

/* Pairs of links of two neighbouring cells that cross when `left` stands left of `right`. */
static int crossings(const struct cells *c, int left, int right, bool above)
{
    int n = 0;
    for (int i = 0; i < neighbours(c, left, above); i++)
        for (int k = 0; k < neighbours(c, right, above); k++)
            n += c->cells[neighbour(c, left, i, above)].place > c->cells[neighbour(c, right, k, above)].place;
    return n;
}

static long row_crossings(const struct cells *c, const struct row *row)
{
    long n = 0;
    for (int i = 0; i < row->n; i++)
        for (int k = i + 1; k < row->n; k++)
            n += crossings(c, row->cells[i], row->cells[k], true);
    return n;
}

static long all_crossings(const struct cells *c)
{
    long n = 0;
    for (int i = 1; i < c->n_rows; i++)
        n += row_crossings(c, &c->rows[i]);
    return n;
}

static double median_place(const struct cells *c, int cell, bool above, int *scratch)
{
    int n = neighbours(c, cell, above);
    for (int i = 0; i < n; i++) {
        int place = c->cells[neighbour(c, cell, i, above)].place, k = i;
        for (; k > 0 && scratch[k - 1] > place; k--)
            scratch[k] = scratch[k - 1];
        scratch[k] = place;
    }
    return n ? (scratch[(n - 1) / 2] + scratch[n / 2]) / 2.0 : -1;
}

/* Cells with neighbours are sorted by their median among the places that such cells hold; the others stay. */
static void sort_row(struct cells *c, struct row *row, bool above, struct sorting *sorting, int *scratch)
{
    int n = 0;
    for (int i = 0; i < row->n; i++) {
        double median = median_place(c, row->cells[i], above, scratch);
        if (median < 0)
            continue;
        int k = n++;
        for (; k > 0 && sorting[k - 1].median > median; k--)
            sorting[k] = sorting[k - 1];
        sorting[k] = (struct sorting){median, row->cells[i]};
    }
    int next = 0;
    for (int i = 0; i < row->n; i++)
        if (neighbours(c, row->cells[i], above))
            scratch[i] = sorting[next++].cell;
        else
            scratch[i] = row->cells[i];
    for (int i = 0; i < row->n; i++) {
        row->cells[i] = scratch[i];
        c->cells[row->cells[i]].place = i;
    }
}

static bool exchange_in_row(struct cells *c, struct row *row)
{
    bool better = false;
    for (int i = 0; i + 1 < row->n; i++) {
        int a = row->cells[i], b = row->cells[i + 1];
        int now = crossings(c, a, b, true) + crossings(c, a, b, false),
            then = crossings(c, b, a, true) + crossings(c, b, a, false);
        if (then >= now)
            continue;
        row->cells[i] = b;
        row->cells[i + 1] = a;
        c->cells[b].place = i;
        c->cells[a].place = i + 1;
        better = true;
    }
    return better;
}

static void exchange(struct cells *c)
{
    bool better = true;
    for (int i = 0; better && i < EXCHANGES; i++) {
        better = false;
        for (int k = 0; k < c->n_rows; k++)
            better |= exchange_in_row(c, &c->rows[k]);
    }
}

static void keep(const struct cells *c, int *best)
{
    for (int i = 0; i < c->n_cells; i++)
        best[i] = c->cells[i].place;
}

static void take(struct cells *c, const int *best)
{
    for (int i = 0; i < c->n_cells; i++) {
        c->cells[i].place = best[i];
        c->rows[c->cells[i].layer].cells[best[i]] = i;
    }
}

static void sweep(struct cells *c, bool down, struct sorting *sorting, int *scratch)
{
    for (int i = 1; i < c->n_rows; i++)
        sort_row(c, &c->rows[down ? i : c->n_rows - 1 - i], down, sorting, scratch);
    exchange(c);
}

enum tare_status cells_order(struct cells *c)
{
    size_t most = (size_t)(c->n_cells > c->n_links ? c->n_cells : c->n_links) + 1;
    int *best = arena_array(c->arena, most, sizeof *best), *scratch = arena_array(c->arena, most, sizeof *scratch);
    struct sorting *sorting = arena_array(c->arena, most, sizeof *sorting);
    if (!best || !scratch || !sorting)
        return TARE_NO_MEMORY;
    long fewest = all_crossings(c);
    keep(c, best);
    for (int i = 0; i < SWEEPS && fewest; i++) {
        sweep(c, i % 2 == 0, sorting, scratch);
        long n = all_crossings(c);
        if (n < fewest) {
            fewest = n;
            keep(c, best);
        }
    }
    take(c, best);
    return TARE_OK;
}
