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
    double width, height, anchor; /* anchor: where lines meet it, from its middle */
    double x, wish, pull;         /* its middle; where it wants to be, and how much */
    int row, place;               /* place: from left to right */
    bool box;
};

struct pool { /* neighbours in a row that touch */
    double sum, weight;
    int n;
};

struct rank {         /* of a box */
    int row, waiting; /* row -1: none yet; lines to it from boxes that have none */
    bool reached;     /* by a line from one that has */
};

struct sheet {
    struct layout *l;
    struct cell *cells;  /* the boxes, then line by line, from above to below */
    int *first;          /* of each line's cells */
    struct cell **order; /* row by row, from left to right */
    struct pool *pools;
    int *start;           /* of rows in order */
    double *top, *bottom; /* of rows */
    int n_cells, n_rows;
};

static int upper_of(const struct layout_line *line)
{
    return line->upward ? line->to : line->from;
}

static int lower_of(const struct layout_line *line)
{
    return line->upward ? line->from : line->to;
}

/* Below all boxes that have a row and are joined to it, two rows apart: each line passes a row with its label. */
static void rank_box(struct layout *l, int box, struct rank *ranks)
{
    int row = 0;
    for (int i = 0; i < l->n_lines; i++) {
        struct layout_line *line = &l->lines[i];
        bool leaves = line->from == box;
        struct rank *other = &ranks[leaves ? line->to : line->from];
        if ((!leaves && line->to != box) || other == &ranks[box])
            continue;
        if (other->row < 0) {
            other->waiting -= leaves;
            other->reached |= leaves;
            continue;
        }
        line->upward = leaves;
        row = other->row + 2 > row ? other->row + 2 : row;
    }
    ranks[box].row = row;
}

static bool is_sooner(const struct rank *a, const struct rank *b)
{
    bool free = !a->waiting || !b->waiting;
    return !free && a->reached != b->reached ? a->reached : a->waiting < b->waiting;
}

/* Next is a box that no other one leads to any more. Where all are in cycles, it is one that was reached, and what still leads to it goes upwards. */
static struct rank *rank_boxes(struct layout *l, struct arena *a)
{
    struct rank *ranks = arena_array(a, (size_t)l->n_boxes + 1, sizeof *ranks);
    for (int i = 0; ranks && i < l->n_boxes; i++)
        ranks[i].row = -1;
    for (int i = 0; ranks && i < l->n_lines; i++)
        ranks[l->lines[i].to].waiting += l->lines[i].from != l->lines[i].to;
    for (int n = 0; ranks && n < l->n_boxes; n++) {
        int next = -1;
        for (int i = 0; i < l->n_boxes; i++)
            if (ranks[i].row < 0 && (next < 0 || is_sooner(&ranks[i], &ranks[next])))
                next = i;
        rank_box(l, next, ranks);
    }
    return ranks;
}

static void add_line_cells(struct sheet *s, int line)
{
    const struct layout_line *l = &s->l->lines[line];
    int top = s->cells[upper_of(l)].row, length = s->cells[lower_of(l)].row - top;
    int label_at = length / 2 - 1 + (length / 2) % 2; /* odd: boxes are in even rows */
    s->first[line] = s->n_cells;
    for (int i = 1; i < length; i++) {
        double width = LINE_WIDTH + (i == label_at ? LABEL_GAP + l->label_width : 0);
        s->cells[s->n_cells++] = (struct cell){
            .width = width, .height = i == label_at ? l->label_height : 0, .anchor = (LINE_WIDTH - width) / 2, .row = top + i};
    }
}

static enum tare_status make_cells(struct sheet *s, struct arena *a)
{
    struct layout *l = s->l;
    const struct rank *ranks = rank_boxes(l, a);
    size_t most = (size_t)l->n_boxes + 1;
    for (int i = 0; ranks && i < l->n_lines; i++)
        most += (size_t)(ranks[lower_of(&l->lines[i])].row - ranks[upper_of(&l->lines[i])].row);
    s->cells = arena_array(a, most, sizeof *s->cells);
    s->order = arena_array(a, most, sizeof(struct cell *));
    s->pools = arena_array(a, most, sizeof *s->pools);
    s->first = arena_array(a, (size_t)l->n_lines + 1, sizeof *s->first);
    if (!ranks || !s->cells || !s->order || !s->pools || !s->first)
        return TARE_NO_MEMORY;
    for (int i = 0; i < l->n_boxes; i++) {
        const struct layout_box *b = &l->boxes[i];
        s->cells[s->n_cells++] = (struct cell){
            .width = b->width + b->beside, .height = b->height, .anchor = -b->beside / 2, .row = ranks[i].row, .box = true};
        s->n_rows = ranks[i].row >= s->n_rows ? ranks[i].row + 1 : s->n_rows;
    }
    for (int i = 0; i < l->n_lines; i++)
        add_line_cells(s, i);
    s->start = arena_array(a, (size_t)s->n_rows + 1, sizeof *s->start);
    s->top = arena_array(a, (size_t)s->n_rows + 1, sizeof *s->top);
    s->bottom = arena_array(a, (size_t)s->n_rows + 1, sizeof *s->bottom);
    if (!s->start || !s->top || !s->bottom)
        return TARE_NO_MEMORY;
    for (int i = 0; i < s->n_cells; i++)
        s->cells[i].place = s->start[s->cells[i].row + 1]++;
    for (int i = 0; i < s->n_rows; i++)
        s->start[i + 1] += s->start[i];
    for (int i = 0; i < s->n_cells; i++) {
        s->order[s->start[s->cells[i].row] + s->cells[i].place] = &s->cells[i];
        s->cells[i].pull = 1;
    }
    return TARE_OK;
}

static double anchor_of(const struct cell *c)
{
    return c->x + c->anchor;
}

static void pull_to(struct cell *c, double x, double weight)
{
    c->wish += weight * (x - c->anchor);
    c->pull += weight;
}

static void settle_wish(struct cell *c)
{
    if (!(c->pull > 0))
        pull_to(c, anchor_of(c), 1e-3);
    c->wish /= c->pull;
}

/* A box wants to be at the mean of its lines, all cells of a line at the mean of them and, as long as that is to move, of the boxes at its ends. */
static void set_wishes(struct sheet *s, bool towards_ends)
{
    for (int i = 0; i < s->n_cells; i++)
        s->cells[i].wish = s->cells[i].pull = 0;
    for (int i = 0; i < s->l->n_lines; i++) {
        const struct layout_line *line = &s->l->lines[i];
        struct cell *upper = &s->cells[upper_of(line)], *lower = &s->cells[lower_of(line)], *cells = &s->cells[s->first[i]];
        int n = lower->row - upper->row - 1;
        double sum = towards_ends ? anchor_of(upper) + anchor_of(lower) : 0;
        for (int k = 0; k < n; k++)
            sum += anchor_of(&cells[k]);
        for (int k = 0; k < n; k++)
            pull_to(&cells[k], sum / (towards_ends ? n + 2 : n), line->weight);
        if (n > 0) {
            pull_to(upper, anchor_of(&cells[0]), line->weight);
            pull_to(lower, anchor_of(&cells[n - 1]), line->weight);
        }
    }
    for (int i = 0; i < s->n_cells; i++)
        settle_wish(&s->cells[i]);
}

static double distance(const struct cell *a, const struct cell *b)
{
    return (a->width + b->width) / 2 + (a->box && b->box ? GAP : GAP_BESIDE_LINE);
}

static void place_row(struct sheet *s, int number)
{
    struct cell **row = s->order + s->start[number];
    int n = s->start[number + 1] - s->start[number];
    struct pool *pool = s->pools - 1; /* the last one */
    double before = 0;
    for (int i = 0; i < n; i++) {
        before += i ? distance(row[i - 1], row[i]) : 0;
        *++pool = (struct pool){row[i]->pull * (row[i]->wish - before), row[i]->pull, 1};
        for (; pool > s->pools && pool[-1].sum / pool[-1].weight > pool->sum / pool->weight; pool--)
            pool[-1] = (struct pool){pool[-1].sum + pool->sum, pool[-1].weight + pool->weight, pool[-1].n + pool->n};
    }
    before = 0;
    pool = s->pools;
    for (int i = 0; i < n; i++) {
        before += i ? distance(row[i - 1], row[i]) : 0;
        row[i]->x = pool->sum / pool->weight + before;
        row[i]->place = i;
        pool += !--pool->n;
    }
}

/* The cell of a line in a row, the boxes at its ends among them; NULL: it does not reach there. */
static struct cell *cell_in(const struct sheet *s, int line, int row)
{
    struct cell *upper = &s->cells[upper_of(&s->l->lines[line])], *lower = &s->cells[lower_of(&s->l->lines[line])];
    if (row < upper->row || row > lower->row || upper == lower)
        return NULL;
    return row == upper->row ? upper : row == lower->row ? lower : &s->cells[s->first[line] + row - upper->row - 1];
}

static int by_wish(const void *a, const void *b)
{
    const struct cell *x = *(const struct cell *const *)a, *y = *(const struct cell *const *)b;
    double xs = x->wish + x->anchor, ys = y->wish + y->anchor;
    return xs != ys ? (xs < ys ? -1 : 1) : (x > y) - (x < y);
}

/* By the mean of the neighbours on one side; cells without any stay. */
static void sort_row(struct sheet *s, int row, int neighbour)
{
    struct cell **cells = s->order + s->start[row];
    int n = s->start[row + 1] - s->start[row];
    for (int i = 0; i < n; i++)
        cells[i]->wish = cells[i]->pull = 0;
    for (int i = 0; i < s->l->n_lines; i++) {
        struct cell *c = cell_in(s, i, row), *other = cell_in(s, i, neighbour);
        if (c && other)
            pull_to(c, anchor_of(other), 1);
    }
    for (int i = 0; i < n; i++)
        settle_wish(cells[i]);
    qsort(cells, (size_t)n, sizeof(struct cell *), by_wish);
    place_row(s, row);
}

static void place_cells(struct sheet *s)
{
    for (int i = 0; i < s->n_rows; i++)
        place_row(s, i);
    for (int sort = 0; sort < SORTS; sort++)
        for (int i = 1; i < s->n_rows; i++)
            sort_row(s, sort % 2 ? s->n_rows - 1 - i : i, sort % 2 ? s->n_rows - i : i - 1);
    for (int move = 0; move < MOVES; move++) {
        set_wishes(s, move < STRAIGHT);
        for (int i = 0; i < s->n_rows; i++)
            place_row(s, i);
    }
}

static void set_sizes(struct sheet *s)
{
    double left = s->n_cells ? INFINITY : 0, right = -left;
    for (int i = 0; i < s->n_cells; i++) {
        const struct cell *c = &s->cells[i];
        left = fmin(left, c->x - c->width / 2);
        right = fmax(right, c->x + c->width / 2);
        s->bottom[c->row] = fmax(s->bottom[c->row], c->height);
    }
    for (int i = 0; i < s->n_cells; i++)
        s->cells[i].x += MARGIN - left;
    for (int i = 0; i < s->n_rows; i++) {
        s->top[i] = i ? s->bottom[i - 1] + BETWEEN_ROWS : MARGIN;
        s->bottom[i] += s->top[i];
    }
    s->l->width = right - left + 2 * MARGIN;
    s->l->height = (s->n_rows ? s->bottom[s->n_rows - 1] : MARGIN) + MARGIN;
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
    const struct layout_box *b = &s->l->boxes[box - s->cells];
    double step = n > 1 ? (b->width - 2 * PORT_INSET) / (n - 1) : 0;
    return b->x + (before - (n - 1) / 2.0) * (step > PORT_STEP ? PORT_STEP : step);
}

static enum tare_status draw_line(const struct sheet *s, int number, struct arena *a)
{
    struct layout_line *line = &s->l->lines[number];
    const struct layout_box *upper = &s->l->boxes[upper_of(line)], *lower = &s->l->boxes[lower_of(line)];
    int from = s->cells[upper_of(line)].row, to = s->cells[lower_of(line)].row, n = 0;
    line->n_runs = from < to ? to - from + 1 : 0;
    line->runs = arena_array(a, (size_t)line->n_runs + 1, sizeof *line->runs);
    if (!line->runs || from == to)
        return line->runs ? TARE_OK : TARE_NO_MEMORY;
    line->runs[n++] = (struct layout_run){port(s, number, from, from + 1), upper->y + upper->height / 2, s->bottom[from]};
    for (int row = from + 1; row < to; row++) {
        const struct cell *c = cell_in(s, number, row);
        line->runs[n++] = (struct layout_run){anchor_of(c), s->top[row], s->bottom[row]};
        if (c->height > 0) {
            line->label_x = anchor_of(c) + LABEL_FROM_LINE;
            line->label_y = (s->top[row] + s->bottom[row]) / 2;
        }
    }
    line->runs[n] = (struct layout_run){port(s, number, to, to - 1), s->top[to], lower->y - lower->height / 2};
    return TARE_OK;
}

enum tare_status layout_make(struct layout *l, struct arena *a, struct tare_err *err)
{
    struct sheet s = {.l = l};
    enum tare_status status = make_cells(&s, a);
    if (!status) {
        place_cells(&s);
        set_sizes(&s);
    }
    for (int i = 0; i < l->n_boxes && !status; i++) {
        l->boxes[i].x = anchor_of(&s.cells[i]);
        l->boxes[i].y = (s.top[s.cells[i].row] + s.bottom[s.cells[i].row]) / 2;
    }
    for (int i = 0; i < l->n_lines && !status; i++)
        status = draw_line(&s, i, a);
    return status ? err_set(err, status, "the picture of the graph could not be laid out (%s)", tare_status_text(status))
                  : TARE_OK;
}
