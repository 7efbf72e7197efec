/* SPDX-License-Identifier: MIT */
#include "graph.h"
#include "record_arcs.h"

/* The two ends of a scope share its name. */
static const char *name_of(const struct point *p, struct arena *arena)
{
    if (p->kind != POINT_END || !*p->name)
        return p->name;
    struct buf name = BUF_INIT(1 << 14);
    buf_format(&name, "%s end", p->name);
    const char *copy = arena_copy(arena, buf_text(&name), name.len);
    buf_finish(&name);
    return copy;
}

static enum tare_status add_nodes(const struct traced *t, int subject, struct arena *arena, struct graph *g, int *place)
{
    g->nodes = arena_array(arena, (size_t)t->n_points + 1, sizeof *g->nodes);
    if (!g->nodes)
        return TARE_NO_MEMORY;
    for (int i = 0; i < t->n_points; i++) {
        const struct point *p = &t->points[i];
        bool wanted = p->subject == subject && p->kind != POINT_COUNTER; /* a value is no place that arcs lead to */
        place[i] = wanted ? g->n_nodes : -1;
        if (!wanted)
            continue;
        const char *name = name_of(p, arena);
        if (!name)
            return TARE_NO_MEMORY;
        g->nodes[g->n_nodes++] =
            (struct graph_node){.file = p->file, .func = p->func, .name = name, .line = p->line, .ordinal = p->ordinal};
    }
    return TARE_OK;
}

static void count_passes(const struct traced *t, int subject, struct graph *g, const int *place)
{
    for (int i = 0; i < t->n_runs; i++) {
        const struct traced_run *run = &t->runs[i];
        if (run->subject != subject || run->round < 0) /* made again */
            continue;
        for (int k = 0; k < run->n_passes; k++)
            if (place[run->passes[k].point] >= 0)
                g->nodes[place[run->passes[k].point]].n += (double)run->passes[k].n;
    }
}

static struct graph_arc arc_of(const struct arc_result *a, const int *place)
{
    return (struct graph_arc){.from = place[a->from],
                              .to = place[a->to],
                              .n = (double)a->passes,
                              .per_run = a->runs ? (double)a->passes / a->runs : NAN,
                              .share = a->share,
                              .runs = a->runs_passed,
                              .total_ns = a->total_ns,
                              .mean_ns = a->mean_ns,
                              .mean_low_ns = a->low_ns,
                              .mean_high_ns = a->high_ns,
                              .var_ns2 = a->var_ns2,
                              .std_ns = a->std_ns,
                              .min_ns = a->min_ns,
                              .median_ns = a->median_ns,
                              .p99_ns = a->p99_ns,
                              .max_ns = a->max_ns,
                              .probe_ns = a->probe_ns,
                              .at_most_ns = a->below_resolution ? a->resolution_ns : NAN};
}

static bool later(const struct graph_arc *a, const struct graph_arc *b) /* less time; what has no time, by passages */
{
    double x = isfinite(a->total_ns) ? a->total_ns : -INFINITY, y = isfinite(b->total_ns) ? b->total_ns : -INFINITY;
    return x < y || (x == y && a->n < b->n);
}

static enum tare_status add_arcs(const struct traced *t, int subject, struct arena *arena, struct graph *g, const int *place)
{
    g->arcs = arena_array(arena, (size_t)t->n_results + 1, sizeof *g->arcs);
    if (!g->arcs)
        return TARE_NO_MEMORY;
    for (int i = 0; i < t->n_results; i++) {
        const struct arc_result *a = &t->results[i];
        if (a->subject != subject || place[a->from] < 0 || place[a->to] < 0)
            continue;
        g->runs = a->runs;
        g->confidence = a->confidence;
        int k = g->n_arcs++; /* they come sorted by share: this moves only those without one */
        struct graph_arc arc = arc_of(a, place);
        for (; k > 0 && later(&g->arcs[k - 1], &arc); k--)
            g->arcs[k] = g->arcs[k - 1];
        g->arcs[k] = arc;
    }
    return TARE_OK;
}

enum tare_status graph_of_record(const struct record *r, int subject, struct arena *arena, struct graph *g)
{
    static const struct traced none;
    const struct traced *t = r->traced ? r->traced : &none;
    *g = (struct graph){.title = r->subjects[subject].name};
    int *place = arena_array(arena, (size_t)t->n_points + 1, sizeof *place);
    if (!place || add_nodes(t, subject, arena, g, place))
        return TARE_NO_MEMORY;
    count_passes(t, subject, g, place);
    return add_arcs(t, subject, arena, g, place);
}
