/* SPDX-License-Identifier: MIT
 * digraph arcs {
 *   p0n0 [label="a.c:12\nmain"];
 *   p0n0 -> p0n1 [label="T=76.1 ms (41.2 %)\nn=30 (1 a run)\nmean=76.1 ms (76.0–76.2)\nvar=0.01 ms² std=0.1 ms", penwidth=5.2, color="#b3261e"];
 * }
 *
 * For Graphviz. One graph; a cluster for each program where there are several, and in it for each file. Points that were never passed are dashed. */
#include "arcs_export.h"
#include "exporters.h"
#include "graph_picture.h"
#include <string.h>

static const char *const colours[] = {"#7a8594", "#4c7db3", "#1f5f9e", "#b45309", "#b3261e"};
enum { NAME_COLUMNS = 60, TIP_COLUMNS = 400 };

/* Within quotation marks of DOT, from text that is masked: backslashes begin escapes there, ampersands entities. */
static void escaped(struct buf *b, const char *text)
{
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            buf_format(b, "\\%c", *text);
        else if (*text == '&')
            buf_str(b, "&amp;");
        else
            buf_char(b, *text);
}

static void node(struct buf *b, const struct graph_view *v, int i, int subject)
{
    const struct graph_node *n = &v->g->nodes[v->nodes[i]];
    struct buf place = BUF_INIT(1 << 14);
    buf_format(b, "    p%dn%d [label=\"", subject, i);
    if (graph_node_named(n)) {
        graph_masked(b, n->name, NAME_COLUMNS, escaped);
        graph_node_place(&place, n, NAME_COLUMNS);
        buf_str(b, "\\n");
        escaped(b, buf_text(&place));
    } else {
        graph_masked(b, point_base(n->file), NAME_COLUMNS, escaped);
        buf_char(b, ':');
        point_put_line(b, n->line, n->ordinal);
        if (n->func && *n->func) {
            buf_str(b, "\\n");
            graph_masked(b, n->func, NAME_COLUMNS, escaped);
        }
    }
    buf_str(b, "\", tooltip=\"");
    graph_masked(b, n->file ? n->file : "", TIP_COLUMNS, escaped);
    buf_char(b, ':');
    point_put_line(b, n->line, n->ordinal);
    buf_str(b, ", ");
    graph_count(b, n->n);
    buf_format(b, " hit%s\"%s];\n", buf_plural((long long)n->n),
               n->n > 0 ? "" : ", style=\"dashed,rounded\", fontcolor=\"#59606b\"");
    buf_finish(&place);
}

/* The nodes file by file, in the order in which files first appear. */
static void nodes(struct buf *b, const struct graph_view *v, int subject, bool *done)
{
    int clusters = 0;
    bool one_file = true;
    for (int i = 1; i < v->n_nodes; i++)
        one_file &= !strcmp(v->g->nodes[v->nodes[i]].file, v->g->nodes[v->nodes[0]].file);
    for (int i = 0; i < v->n_nodes; i++) {
        if (done[i])
            continue;
        const char *file = v->g->nodes[v->nodes[i]].file;
        if (!one_file) {
            buf_format(b, "  subgraph cluster_p%df%d {\n    label=\"", subject, clusters++);
            graph_masked(b, point_base(file), NAME_COLUMNS, escaped);
            buf_str(b, "\"; color=\"#c5cad3\"; fontcolor=\"#59606b\";\n");
        }
        for (int k = i; k < v->n_nodes; k++)
            if (!done[k] && !strcmp(v->g->nodes[v->nodes[k]].file, file)) {
                node(b, v, k, subject);
                done[k] = true;
            }
        buf_str(b, one_file ? "" : "  }\n");
    }
}

static void edge(struct buf *b, const struct graph_view *v, const struct graph_arc *a, int subject)
{
    double most = v->arcs[0]->found->total_ns, part = most > 0 && a->found->total_ns > 0 ? a->found->total_ns / most : 0;
    struct buf sentence = BUF_INIT(1 << 15);
    buf_format(b, "  p%dn%d -> p%dn%d [label=\"T=", subject, v->place[a->from], subject, v->place[a->to]);
    graph_total(b, a);
    buf_str(b, " (");
    graph_arc_share(b, a->found);
    buf_str(b, ")\\ln=");
    graph_count(b, a->n);
    buf_str(b, " (");
    graph_count(b, a->per_run);
    buf_str(b, " a run)\\lmean=");
    graph_mean(b, a);
    buf_str(b, "\\lvar=");
    graph_variance(b, a->found->var_ns2);
    buf_str(b, " std=");
    graph_time(b, a->found->std_ns);
    buf_format(b, "\\l\", penwidth=%.1f, color=\"%s\", tooltip=\"", 1 + 7 * part, colours[graph_shade(a->found->share)]);
    graph_arc_sentence(&sentence, v->g, a);
    escaped(b, buf_text(&sentence));
    buf_str(b, "\"];\n");
    buf_finish(&sentence);
}

static void caption(struct buf *b, const struct arcs_shown *s)
{
    buf_str(b, "  label=\"");
    graph_masked(b, s->graph.title, NAME_COLUMNS, escaped);
    buf_str(b, "\\n");
    arcs_summary(b, &s->graph);
    buf_str(b, s->view.arcs_left || s->view.nodes_left ? "\\n" : "");
    graph_left_out(b, &s->view);
    buf_str(b, "\\n\";\n");
}

static enum tare_status program(struct export_out *out, const struct record *r, int subject, const struct export_options *o,
                                struct arena *arena)
{
    struct arcs_shown s;
    struct buf *b = &out->text;
    enum tare_status status = arcs_show(r, subject, o, GRAPH_ARCS_SHOWN, arena, &s);
    bool *done = status ? NULL : arena_array(arena, (size_t)s.view.n_nodes + 1, sizeof *done);
    bool alone = arcs_is_first(r, subject) && arcs_is_last(r, subject);
    if (!done)
        return TARE_NO_MEMORY;
    if (arcs_is_first(r, subject)) {
        buf_str(b, "digraph arcs {\n  graph [fontname=\"sans-serif\", fontsize=11, labelloc=b, charset=\"UTF-8\"];\n"
                   "  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=11];\n"
                   "  edge [fontname=\"monospace\", fontsize=10];\n");
    }
    if (!alone)
        buf_format(b, "  subgraph cluster_p%d {\n", subject);
    caption(b, &s);
    nodes(b, &s.view, subject, done);
    buf_str(b, alone ? "" : "  }\n");
    for (int i = 0; i < s.view.n_arcs; i++)
        edge(b, &s.view, s.view.arcs[i], subject);
    buf_str(b, arcs_is_last(r, subject) ? "}\n" : "");
    return TARE_OK;
}

const struct exporter exporter_dot = {"dot", "dot", .arcs = program};
