/* SPDX-License-Identifier: MIT
 *
 *     row 0     [box]   [box]
 *     row 1       | label | label      a cell for each line that passes, with room for its label in one of them
 *     row 2     [box]     |
 *
 * Rows are the longest paths. Each cell is drawn to its line, or its neighbours; sorted by that a row has few crossings (the barycentres of Sugiyama, Tagawa
 * and Toda, 1981), and its places are least squares under an order with distances, which pooling adjacent violators solves (Ayer et al. 1955). */
#include "graph_layout.h"
#include "buf.h"
#include <math.h>
#include <stdlib.h>

enum { MARGIN = 10, BETWEEN_ROWS = 32, PORT_INSET = 14, PORT_STEP = 28, LINE_WIDTH = 14, LABEL_GAP = 6, LABEL_FROM_LINE = 9 };
enum { GAP = 22, GAP_BESIDE_LINE = 10, SORTS = 24, STRAIGHT = 100, MOVES = 250 };

struct cell {
    double left, right, height; /* how far it reaches from x */
    double x, sum, pull;        /* where lines meet it; where it is pulled to, times how much, and how much */
    int row, place;             /* place: from left to right */
    bool box;
};

struct span { /* the cells of a line, from the box above to the box below; one box: none between */
    struct cell *upper, *lower, *between;
};

struct pool { /* neighbours in a row that touch */
    double sum, weight;
    int n;
};

struct rank {         /* of a box */
    int row, waiting; /* row: from 2 on, 0: none yet; lines to it from boxes that have none */
    bool reached;     /* by a line from one that has */
};

struct row {
    struct cell **cells; /* from left to right */
    int n;
    double top, bottom;
};

struct sheet {
    struct layout *l;
    struct cell *cells; /* the boxes, then line by line, from above to below */
    struct span *spans; /* of the lines */
    struct row *rows;
    struct pool *pools;
    struct layout_run *runs;
    int n_cells, n_rows;
};

/* Below all boxes that have a row and are joined to it, two rows apart: each line passes a row with its label. */
static void rank_box(struct layout *l, int box, struct rank *ranks)
{
    int row = 2;
    for (int i = 0; i < l->n_lines; i++) {
        struct layout_line *line = &l->lines[i];
        bool leaves = line->from == box;
        struct rank *other = &ranks[leaves ? line->to : line->from];
        if ((!leaves && line->to != box) || other == &ranks[box])
            continue;
        if (!other->row) {
            other->waiting -= leaves;
            other->reached |= leaves;
        } else {
            line->upward = leaves;
            row = other->row + 2 > row ? other->row + 2 : row;
        }
    }
    ranks[box].row = row;
}

/* Next is a box that no other one leads to any more. Where all are in cycles, it is one that was reached, and what still leads to it goes upwards. */
static int lateness(const struct layout *l, const struct rank *r)
{
    return r->waiting + (r->waiting && !r->reached ? l->n_lines : 0);
}

static void rank_boxes(struct layout *l, struct rank *ranks)
{
    for (int i = 0; i < l->n_lines; i++)
        ranks[l->lines[i].to].waiting += l->lines[i].from != l->lines[i].to;
    for (int n = 0; n < l->n_boxes; n++) {
        int next = -1;
        for (int i = 0; i < l->n_boxes; i++)
            if (!ranks[i].row && (next < 0 || lateness(l, &ranks[i]) < lateness(l, &ranks[next])))
                next = i;
        rank_box(l, next, ranks);
    }
}

static void add_line(struct sheet *s, int number)
{
    const struct layout_line *l = &s->l->lines[number];
    struct cell *upper = &s->cells[l->upward ? l->to : l->from], *lower = &s->cells[l->upward ? l->from : l->to];
    const int length = lower->row - upper->row, label_at = length / 2 - 1 + (length / 2) % 2; /* odd: boxes are in even rows */
    s->spans[number] = (struct span){upper, lower, &s->cells[s->n_cells]};
    for (int i = 1; i < length; i++)
        s->cells[s->n_cells++] = (struct cell){.left = LINE_WIDTH / 2,
                                               .right = LINE_WIDTH / 2 + (i == label_at ? LABEL_GAP + l->label_width : 0),
                                               .height = i == label_at ? l->label_height : 0,
                                               .pull = 1,
                                               .row = upper->row + i};
}

static bool make_cells(struct sheet *s, struct arena *a)
{
    struct layout *l = s->l;
    struct rank *ranks = arena_array(a, (size_t)l->n_boxes + 1, sizeof *ranks);
    size_t most = (size_t)l->n_boxes + 1;
    if (!ranks)
        return false;
    rank_boxes(l, ranks);
    for (int i = 0; i < l->n_lines; i++)
        most += (size_t)abs(ranks[l->lines[i].from].row - ranks[l->lines[i].to].row);
    for (int i = 0; i < l->n_boxes; i++)
        s->n_rows = ranks[i].row > s->n_rows + 1 ? ranks[i].row - 1 : s->n_rows;
    struct cell **order = arena_array(a, most, sizeof(struct cell *));
    s->cells = arena_array(a, most, sizeof *s->cells);
    s->pools = arena_array(a, most, sizeof *s->pools);
    s->spans = arena_array(a, (size_t)l->n_lines + 1, sizeof *s->spans);
    s->runs = arena_array(a, most + (size_t)l->n_lines, sizeof *s->runs);
    s->rows = arena_array(a, (size_t)s->n_rows + 1, sizeof *s->rows);
    if (!order || !s->cells || !s->pools || !s->spans || !s->runs || !s->rows)
        return false;
    for (int i = 0; i < l->n_boxes; i++) {
        const struct layout_box *b = &l->boxes[i];
        s->cells[s->n_cells++] =
            (struct cell){b->width / 2, b->width / 2 + b->beside, b->height, .pull = 1, .row = ranks[i].row - 2, .box = true};
    }
    for (int i = 0; i < l->n_lines; i++)
        add_line(s, i);
    for (int i = 0; i < s->n_cells; i++)
        s->cells[i].place = s->rows[s->cells[i].row].n++;
    for (int i = 0; i < s->n_rows; order += s->rows[i++].n)
        s->rows[i].cells = order;
    for (int i = 0; i < s->n_cells; i++)
        s->rows[s->cells[i].row].cells[s->cells[i].place] = &s->cells[i];
    return true;
}

static void pull_to(struct cell *c, double x, double weight)
{
    c->sum += weight * x;
    c->pull += weight;
}

/* A box wants to be at the mean of its lines, all cells of a line at the mean of them and, as long as that is to move, of the boxes at its ends. */
static void pull_cells(struct sheet *s, bool towards_ends)
{
    for (int i = 0; i < s->l->n_lines; i++) {
        const struct span *p = &s->spans[i];
        const int n = p->lower->row - p->upper->row - 1;
        const double weight = s->l->lines[i].weight;
        double sum = towards_ends ? p->upper->x + p->lower->x : 0;
        for (int k = 0; k < n; k++)
            sum += p->between[k].x;
        for (int k = 0; k < n; k++)
            pull_to(&p->between[k], sum / (towards_ends ? n + 2 : n), weight);
        if (n > 0) {
            pull_to(p->upper, p->between[0].x, weight);
            pull_to(p->lower, p->between[n - 1].x, weight);
        }
    }
}

/* Where its cells are pulled to; what nothing pulls stays. */
static void place_row(struct sheet *s, const struct row *row)
{
    struct pool *pool = s->pools - 1; /* the last one */
    double before = 0;
    for (int i = 0; i < row->n; i++) {
        struct cell *c = row->cells[i], *beside = row->cells[i ? i - 1 : 0];
        before += i ? beside->right + c->left + (beside->box && c->box ? GAP : GAP_BESIDE_LINE) : 0;
        *++pool = (struct pool){c->sum - c->pull * before, c->pull, 1};
        for (; pool > s->pools && pool[-1].sum / pool[-1].weight > pool->sum / pool->weight; pool--)
            pool[-1] = (struct pool){pool[-1].sum + pool->sum, pool[-1].weight + pool->weight, pool[-1].n + pool->n};
        c->x = before;
        c->place = i;
    }
    pool = s->pools;
    for (int i = 0; i < row->n; i++) {
        struct cell *c = row->cells[i];
        c->x += pool->sum / pool->weight;
        c->pull = 1e-6;
        c->sum = c->pull * c->x;
        pool += !--pool->n;
    }
}

/* The cell of a line in a row, the boxes at its ends among them; NULL: it does not reach there. */
static struct cell *cell_in(const struct sheet *s, int line, int row)
{
    const struct span *p = &s->spans[line];
    if (row < p->upper->row || row > p->lower->row || p->upper == p->lower)
        return NULL;
    return row == p->upper->row ? p->upper : row == p->lower->row ? p->lower : &p->between[row - p->upper->row - 1];
}

static int by_wish(const void *a, const void *b)
{
    const struct cell *x = *(const struct cell *const *)a, *y = *(const struct cell *const *)b;
    const double xs = x->sum / x->pull, ys = y->sum / y->pull;
    return xs != ys ? (xs < ys ? -1 : 1) : (x > y) - (x < y);
}

/* By the mean of the neighbours on one side; cells without any stay. */
static void sort_row(struct sheet *s, int row, int neighbour)
{
    for (int i = 0; i < s->l->n_lines; i++) {
        struct cell *c = cell_in(s, i, row), *other = cell_in(s, i, neighbour);
        if (c && other)
            pull_to(c, other->x, 1);
    }
    qsort(s->rows[row].cells, (size_t)s->rows[row].n, sizeof(struct cell *), by_wish);
    place_row(s, &s->rows[row]);
}

static void place_cells(struct sheet *s)
{
    for (int i = 0; i < s->n_rows; i++)
        place_row(s, &s->rows[i]);
    for (int sort = 0; sort < SORTS; sort++)
        for (int i = 1; i < s->n_rows; i++)
            sort_row(s, sort % 2 ? s->n_rows - 1 - i : i, sort % 2 ? s->n_rows - i : i - 1);
    for (int move = 0; move < MOVES; move++) {
        pull_cells(s, move < STRAIGHT);
        for (int i = 0; i < s->n_rows; i++)
            place_row(s, &s->rows[i]);
    }
}

static void set_sizes(struct sheet *s)
{
    double left = s->n_cells ? INFINITY : 0, right = -left, bottom = MARGIN;
    for (const struct cell *c = s->cells; c < s->cells + s->n_cells; c++) {
        left = fmin(left, c->x - c->left);
        right = fmax(right, c->x + c->right);
        s->rows[c->row].bottom = fmax(s->rows[c->row].bottom, c->height);
    }
    for (struct row *r = s->rows; r < s->rows + s->n_rows; r++) {
        r->top = r == s->rows ? MARGIN : bottom + BETWEEN_ROWS;
        bottom = r->bottom += r->top;
    }
    for (int i = 0; i < s->n_cells; i++)
        s->cells[i].x += MARGIN - left;
    for (int i = 0; i < s->l->n_boxes; i++) {
        s->l->boxes[i].x = s->cells[i].x;
        s->l->boxes[i].y = (s->rows[s->cells[i].row].top + s->rows[s->cells[i].row].bottom) / 2;
    }
    s->l->width = right - left + 2 * MARGIN;
    s->l->height = bottom + MARGIN;
}

/* Lines leave a box side by side, in the order of where they go. */
static double port(const struct sheet *s, int line, int row, int next)
{
    const struct cell *box = cell_in(s, line, row), *here = cell_in(s, line, next);
    int n = 0, before = 0;
    for (int i = 0; i < s->l->n_lines; i++) {
        const struct cell *there = cell_in(s, i, row) == box ? cell_in(s, i, next) : NULL;
        before += there && there->place < here->place;
        n += there != NULL;
    }
    const double step = n > 1 ? 2 * (box->left - PORT_INSET) / (n - 1) : 0;
    return box->x + (before - (n - 1) / 2.0) * (step > PORT_STEP ? PORT_STEP : step);
}

static void draw_line(struct sheet *s, int number)
{
    struct layout_line *line = &s->l->lines[number];
    const struct span *p = &s->spans[number];
    const struct layout_box *upper = &s->l->boxes[p->upper - s->cells], *lower = &s->l->boxes[p->lower - s->cells];
    line->runs = s->runs;
    for (int from = p->upper->row, row = from, to = p->lower->row; from < to && row <= to; row++) {
        const struct cell *c = cell_in(s, number, row);
        *s->runs++ = (struct layout_run){c->box ? port(s, number, row, row == from ? row + 1 : row - 1) : c->x,
                                         row > from ? s->rows[row].top : upper->y + upper->height / 2,
                                         row < to ? s->rows[row].bottom : lower->y - lower->height / 2};
        if (!c->box && c->height > 0) {
            line->label_x = c->x + LABEL_FROM_LINE;
            line->label_y = (s->rows[row].top + s->rows[row].bottom) / 2;
        }
    }
    line->n_runs = (int)(s->runs - line->runs);
}

enum tare_status layout_make(struct layout *l, struct arena *a, struct tare_err *err)
{
    struct sheet s = {.l = l};
    if (!make_cells(&s, a))
        return err_set(err, TARE_NO_MEMORY, "no memory for the picture of the graph");
    place_cells(&s);
    set_sizes(&s);
    for (int i = 0; i < l->n_lines; i++)
        draw_line(&s, i);
    return TARE_OK;
}
