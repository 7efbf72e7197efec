/* SPDX-License-Identifier: MIT */
#include "graph.h"
#include "quote.h"
#include <math.h>

/* The two ends of a scope share its name. */
static const char *name_of(const struct point *p, struct arena *arena)
{
    if (p->kind != POINT_END || !*p->name)
        return p->name;
    return arena_format(arena, "%s end", p->name);
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

static bool later(const struct graph_arc *a, const struct graph_arc *b) /* less time; what has no time, by passages */
{
    const double x = isfinite(a->found->total_ns) ? a->found->total_ns : -INFINITY,
                 y = isfinite(b->found->total_ns) ? b->found->total_ns : -INFINITY;
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
        g->runs = a->runs; /* with --prove those that have one stamp a hit */
        g->confidence = a->confidence;
        int k = g->n_arcs++; /* they come sorted by share: this moves only those without one */
        const struct graph_arc arc = {place[a->from], place[a->to], (double)a->passes,
                                      a->runs ? (double)a->passes / a->runs : NAN, a};
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
    for (int i = 0; i < t->n_runs; i++) {
        const struct traced_run *run = &t->runs[i];
        if (run->subject != subject || run->round < 0) /* made again */
            continue;
        g->runs++;
        for (int k = 0; k < run->n_passes; k++)
            if (place[run->passes[k].point] >= 0)
                g->nodes[place[run->passes[k].point]].n += (double)run->passes[k].n;
    }
    return add_arcs(t, subject, arena, g, place);
}

static void select_nodes(struct graph_view *v, int most_idle)
{
    const struct graph *g = v->g;
    for (int i = 0; i < g->n_nodes; i++)
        v->place[i] = -1;
    for (int i = 0; i < v->n_arcs; i++)
        v->place[v->arcs[i]->from] = v->place[v->arcs[i]->to] = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        bool idle = v->place[i] < 0 && (g->nodes[i].n == 0 || !g->n_arcs) && most_idle-- > 0;
        if (v->place[i] < 0 && !idle) {
            v->nodes_left++;
            continue;
        }
        v->place[i] = v->n_nodes;
        v->nodes[v->n_nodes++] = i;
    }
}

enum tare_status graph_select(const struct graph *g, double least_share, int most_arcs, struct arena *arena, struct graph_view *v)
{
    *v = (struct graph_view){.g = g};
    v->arcs = arena_array(arena, (size_t)g->n_arcs + 1, sizeof *v->arcs);
    v->place = arena_array(arena, (size_t)g->n_nodes + 1, sizeof *v->place);
    v->nodes = arena_array(arena, (size_t)g->n_nodes + 1, sizeof *v->nodes);
    enum tare_status status = v->arcs && v->place && v->nodes ? TARE_OK : TARE_NO_MEMORY;
    if (status)
        return status;
    for (int i = 0; i < g->n_arcs; i++) {
        const struct graph_arc *a = &g->arcs[i];
        /* by the overhead that is subtracted a share may be below 0 */
        bool shown = (most_arcs <= 0 || v->n_arcs < most_arcs) && !(least_share > 0 && a->found->share < least_share);
        if (shown) {
            v->arcs[v->n_arcs++] = a;
            continue;
        }
        v->arcs_left++;
        v->share_left += a->found->share > 0 ? a->found->share : 0;
        v->passages_left += a->n;
    }
    select_nodes(v, most_arcs > 0 ? most_arcs : g->n_nodes);
    return TARE_OK;
}

void graph_left_out(struct buf *b, const struct graph_view *v)
{
    if (v->arcs_left) {
        buf_format(b, "%d of %d arcs are left out, with ", v->arcs_left, v->g->n_arcs);
        graph_share(b, v->share_left);
        buf_str(b, " of the time and ");
        graph_count(b, v->passages_left);
        buf_format(b, " traversal%s", buf_plural((long long)v->passages_left));
    }
    if (v->nodes_left)
        buf_format(b, "%s%d of %d points %s not shown", v->arcs_left ? "; " : "", v->nodes_left, v->g->n_nodes,
                   v->nodes_left == 1 ? "is" : "are");
    if (v->arcs_left || v->nodes_left)
        buf_char(b, '.');
}

void graph_masked(struct buf *b, const char *text, int columns, graph_escape *escape)
{
    struct buf shown = BUF_INIT(1 << 14);
    quote_cut(&shown, text, columns, true);
    escape(b, buf_text(&shown));
    buf_finish(&shown);
}

bool graph_node_named(const struct graph_node *n)
{
    return n->name && *n->name;
}

void graph_node_place(struct buf *b, const struct graph_node *n, int columns)
{
    struct buf whole = BUF_INIT(1 << 14);
    buf_format(&whole, "%s:", point_base(n->file));
    point_put_line(&whole, n->line, n->ordinal);
    if (n->func && *n->func)
        buf_format(&whole, " (%s)", n->func);
    if (whole.status && !b->status)
        b->status = whole.status;
    quote_cut(b, buf_text(&whole), columns, true);
    buf_finish(&whole);
}

void graph_node_label(struct buf *b, const struct graph_node *n, int columns)
{
    if (graph_node_named(n))
        quote_cut(b, n->name, columns, true);
    else
        graph_node_place(b, n, columns);
}

void graph_node_full(struct buf *b, const struct graph_node *n, const char *between)
{
    graph_node_label(b, n, 0);
    if (!graph_node_named(n))
        return;
    buf_str(b, between);
    graph_node_place(b, n, 0);
}

void graph_time(struct buf *b, double ns)
{
    if (!isfinite(ns)) {
        buf_char(b, '-');
        return;
    }
    figure_scaled(b, "ns", ns, FIGURE_DIGITS);
}

void graph_total(struct buf *b, const struct graph_arc *a)
{
    const bool bounded = a->found->below_resolution && isfinite(a->found->resolution_ns) && isfinite(a->per_run);
    buf_str(b, bounded ? "≤ " : "");
    graph_time(b, bounded ? a->per_run * arc_mean_most(a->found) : a->found->total_ns);
}

void graph_mean(struct buf *b, const struct graph_arc *a)
{
    const struct arc_result *f = a->found;
    const bool bounded = f->below_resolution && isfinite(f->resolution_ns);
    if (bounded)
        buf_str(b, "≤ ");
    if (bounded || !isfinite(half_width(f->low_ns, f->high_ns)) || !(f->high_ns >= 0) || !isfinite(f->mean_ns)) {
        graph_time(b, arc_mean_most(f));
        return;
    }
    const struct unit u = unit_for("ns", f->mean_ns);
    const int decimals = interval_decimals(f->mean_ns / u.factor, f->low_ns / u.factor, f->high_ns / u.factor);
    figure_with(b, f->mean_ns, u, decimals);
    buf_str(b, " (");
    figure_range(b, fmax(f->low_ns, 0), f->high_ns, u, decimals);
    buf_char(b, ')');
}

void graph_arc_share(struct buf *b, const struct arc_result *a)
{
    const double share = arc_share_most(a);
    (a->below_resolution && isfinite(share) ? figure_share_at_most : graph_share)(b, share);
}

void graph_share(struct buf *b, double share)
{
    if (!isfinite(share))
        buf_char(b, '-');
    else
        figure_share(b, share);
}

void graph_count(struct buf *b, double n)
{
    char digits[64];
    struct buf text = buf_over(digits, sizeof digits);
    if (n < 1000 && n != floor(n)) {
        buf_format(b, "%.3g", n);
        return;
    }
    buf_format(&text, "%.0f", n);
    for (size_t i = 0; i < text.len; i++) {
        if (i && digits[i - 1] != '-' && (text.len - i) % 3 == 0 && text.len > 4)
            buf_str(b, "\xe2\x80\xaf");
        buf_char(b, digits[i]);
    }
}

void graph_variance(struct buf *b, double ns2)
{
    if (!isfinite(ns2) || ns2 < 0) {
        buf_char(b, '-');
        return;
    }
    struct unit u = unit_for("ns", sqrt(ns2));
    buf_format(b, "%.4g %s²", ns2 / (u.factor * u.factor), u.name);
}

int graph_shade(double share)
{
    static const double from[] = {0.02, 0.08, 0.2, 0.4};
    int shade = 0;
    while (shade < 4 && share >= from[shade])
        shade++;
    return shade;
}
