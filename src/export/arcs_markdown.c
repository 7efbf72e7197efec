/* SPDX-License-Identifier: MIT
 * ## `./prog`
 *
 * 3 of 3 points hit (100 %), 2 arcs, 30 runs; in brackets the 95 % interval of the mean over runs.
 *
 * | From | To | Time of a run | Share | Calls a run | Mean | Standard deviation | Min | Median | p99 | Max |
 * |:---|:---|---:|...
 * | `a.c:12 (main)` | `a.c:14 (main)` | 76.1 ms | 41.2 % | 1 | 76.1 ms (76.0–76.2) | ... */
#include "arcs_export.h"
#include "markup.h"
#include "quote.h"

static void node(struct buf *b, const struct graph_node *n)
{
    struct buf label = BUF_INIT(1 << 15);
    graph_node_full(&label, n, " ");
    markdown_code(b, buf_text(&label));
    buf_finish(&label);
}

static void time_cell(struct buf *b, double ns)
{
    graph_time(b, ns);
    buf_str(b, " | ");
}

static void row(struct buf *b, const struct graph *g, const struct graph_arc *a)
{
    buf_str(b, "| ");
    node(b, &g->nodes[a->from]);
    buf_str(b, " | ");
    node(b, &g->nodes[a->to]);
    buf_str(b, " | ");
    graph_total(b, a);
    buf_str(b, " | ");
    graph_arc_share(b, a->found);
    buf_str(b, " | ");
    graph_count(b, a->per_run);
    buf_str(b, " | ");
    graph_mean(b, a);
    buf_str(b, " | ");
    time_cell(b, a->found->std_ns);
    time_cell(b, a->found->min_ns);
    time_cell(b, a->found->median_ns);
    time_cell(b, a->found->p99_ns);
    graph_time(b, a->found->max_ns);
    buf_str(b, " |\n");
}

static void idle(struct buf *b, const struct graph *g)
{
    bool any = false;
    for (int i = 0; i < g->n_nodes; i++) {
        if (g->nodes[i].n > 0)
            continue;
        buf_str(b, any ? ", " : "\nNever hit: ");
        node(b, &g->nodes[i]);
        any = true;
    }
    buf_str(b, any ? ".\n" : "");
}

static enum tare_status program(struct export_out *out, const struct record *r, int subject, const struct export_options *o,
                                struct arena *arena)
{
    struct arcs_shown s;
    struct buf *b = &out->text;
    if (arcs_show(r, subject, o, 0, arena, &s))
        return TARE_NO_MEMORY;
    struct buf title = BUF_INIT(1 << 15);
    quote_mask(&title, s.graph.title, true);
    buf_str(b, "## ");
    markdown_code(b, buf_text(&title));
    buf_finish(&title);
    buf_str(b, "\n\n");
    arcs_summary(b, &s.graph);
    buf_str(b, "\n\n| From | To | Time of a run | Share | Calls a run | Mean | Standard deviation | Min | Median | p99 | Max |\n"
               "|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int i = 0; i < s.view.n_arcs; i++) {
        row(b, &s.graph, s.view.arcs[i]);
        export_out_pass(out);
    }
    if (s.view.arcs_left) {
        buf_char(b, '\n');
        graph_left_out(b, &s.view);
        buf_char(b, '\n');
    }
    idle(b, &s.graph);
    buf_str(b, subject + 1 < r->n_subjects ? "\n" : "");
    return TARE_OK;
}

enum tare_status arcs_markdown_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                     struct tare_err *err)
{
    return arcs_write(r, o, sink, err, program);
}
