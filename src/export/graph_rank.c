/* SPDX-License-Identifier: MIT
 *
 * Which lines are turned so that no cycle is left (those that meet a box of the path that a depth-first walk is on), and the layers: the longest
 * path from above, in steps of two, so that each line passes a layer of labels. */
#include "graph_cells.h"

enum { UNSEEN, OPEN, CLOSED };

struct walk {
    struct cells *c;
    int *first, *next; /* lines by their from: a list for each box */
    int *state, *at;   /* of boxes: how far; the line that is next */
    int *path, depth;
    int *done, n_done; /* boxes as they were closed */
};

static enum tare_status lists(struct walk *w)
{
    const struct layout *l = w->c->l;
    size_t boxes = (size_t)l->n_boxes + 1;
    int **const arrays[] = {&w->first, &w->state, &w->at, &w->path, &w->done};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = arena_array(w->c->arena, boxes, sizeof **arrays[i])))
            return TARE_NO_MEMORY;
    w->next = arena_array(w->c->arena, (size_t)l->n_lines + 1, sizeof *w->next);
    if (!w->next)
        return TARE_NO_MEMORY;
    for (int i = 0; i < l->n_boxes; i++)
        w->first[i] = -1;
    for (int i = l->n_lines - 1; i >= 0; i--) {
        w->next[i] = w->first[l->lines[i].from];
        w->first[l->lines[i].from] = i;
    }
    return TARE_OK;
}

static void enter(struct walk *w, int box)
{
    w->state[box] = OPEN;
    w->at[box] = w->first[box];
    w->path[w->depth++] = box;
}

static void walk_from(struct walk *w, int root)
{
    if (w->state[root] != UNSEEN)
        return;
    enter(w, root);
    while (w->depth) {
        int box = w->path[w->depth - 1], line = w->at[box];
        if (line < 0) {
            w->state[box] = CLOSED;
            w->done[w->n_done++] = box;
            w->depth--;
            continue;
        }
        w->at[box] = w->next[line];
        int to = w->c->l->lines[line].to;
        w->c->turned[line] = w->state[to] == OPEN && to != box;
        if (w->state[to] == UNSEEN)
            enter(w, to);
    }
}

static void walk_all(struct walk *w, const int *entries)
{
    const struct layout *l = w->c->l;
    for (int i = 0; i < l->n_boxes; i++)
        if (!entries[i])
            walk_from(w, i);
    for (int i = 0; i < l->n_boxes; i++)
        walk_from(w, i);
}

static int *entries(struct cells *c) /* how many lines come into each box from others */
{
    int *n = arena_array(c->arena, (size_t)c->l->n_boxes + 1, sizeof *n);
    for (int i = 0; n && i < c->l->n_lines; i++)
        n[c->l->lines[i].to] += c->l->lines[i].from != c->l->lines[i].to;
    return n;
}

/* Boxes in an order in which every line goes forward, turned ones included: as they were closed, backwards. A turned line goes from a box
 * that was closed sooner to one closed later, that is forward too once it is turned. */
static void lower(struct cells *c, const struct walk *w)
{
    const struct layout *l = c->l;
    int *place = w->at; /* not used any more */
    for (int i = 0; i < w->n_done; i++)
        place[w->done[i]] = w->n_done - 1 - i;
    for (int i = w->n_done - 1; i >= 0; i--) {
        int box = w->done[i];
        for (int k = 0; k < l->n_lines; k++) { /* lines into this box: the boxes before it have their layer */
            int upper = c->turned[k] ? l->lines[k].to : l->lines[k].from,
                below = c->turned[k] ? l->lines[k].from : l->lines[k].to;
            if (below == box && upper != box && place[upper] < place[box] && c->layer_of[box] < c->layer_of[upper] + 2)
                c->layer_of[box] = c->layer_of[upper] + 2;
        }
    }
}

/* A box that nothing leads to stands right above the first it leads to. */
static void sink_entries(struct cells *c)
{
    const struct layout *l = c->l;
    for (int box = 0; box < l->n_boxes; box++) {
        int least = -1;
        bool entered = false;
        for (int k = 0; k < l->n_lines; k++) {
            int upper = c->turned[k] ? l->lines[k].to : l->lines[k].from,
                below = c->turned[k] ? l->lines[k].from : l->lines[k].to;
            entered |= below == box && upper != box;
            if (upper == box && below != box && (least < 0 || c->layer_of[below] < least))
                least = c->layer_of[below];
        }
        if (!entered && least >= 2)
            c->layer_of[box] = least - 2;
    }
}

enum tare_status cells_rank(struct cells *c)
{
    struct walk w = {.c = c};
    c->layer_of = arena_array(c->arena, (size_t)c->l->n_boxes + 1, sizeof *c->layer_of);
    c->turned = arena_array(c->arena, (size_t)c->l->n_lines + 1, sizeof *c->turned);
    int *in = entries(c);
    if (!c->layer_of || !c->turned || !in || lists(&w))
        return TARE_NO_MEMORY;
    walk_all(&w, in);
    lower(c, &w);
    sink_entries(c);
    return TARE_OK;
}
