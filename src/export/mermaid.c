/* SPDX-License-Identifier: MIT
 * %% ./prog: 3 of 3 points hit (100 %), 2 arcs, 30 runs; ...
 * flowchart TD
 *     n0["a.c:12<br/>main"]
 *     n0 -->|"76.1 ms, 41.2 %<br/>1 x 76.1 ms (76.0–76.2)"| n1
 *     linkStyle 0 stroke-width:6px,stroke:#b3261e
 *
 * For pages that draw Mermaid (GitHub, GitLab). One file is one diagram, so of several programs each has a part of it. */
#include "arcs_export.h"
#include "exporters.h"
#include "graph_picture.h"
#include <string.h>

static const char *const colours[] = {"#7a8594", "#4c7db3", "#1f5f9e", "#b45309", "#b3261e"};
enum { NAME_COLUMNS = 50 };

/* All signs as Mermaid's character codes: some of them mean something only in this version or the next. */
static void escaped(struct buf *b, const char *text)
{
    for (; *text; text++)
        if (strchr("!\"#$%&'*+;<=>?@[\\]^`{|}~", *text))
            buf_format(b, "#%d;", *text);
        else
            buf_char(b, *text);
}

static void node(struct buf *b, const struct graph_view *v, int i, int subject)
{
    const struct graph_node *n = &v->g->nodes[v->nodes[i]];
    struct buf place = BUF_INIT(1 << 14);
    buf_format(b, "    p%dn%d[\"", subject, i);
    if (graph_node_named(n)) {
        graph_masked(b, n->name, NAME_COLUMNS, escaped);
        buf_str(b, "<br/>");
    }
    graph_node_place(&place, n, NAME_COLUMNS);
    escaped(b, buf_text(&place));
    buf_format(b, "\"]%s\n", n->n > 0 ? "" : ":::idle");
    buf_finish(&place);
}

static void edge(struct buf *b, const struct graph_view *v, const struct graph_arc *a, int subject)
{
    buf_format(b, "    p%dn%d -->|\"", subject, v->place[a->from]);
    graph_total(b, a);
    buf_str(b, ", ");
    graph_arc_share(b, a->found);
    buf_str(b, "<br/>");
    graph_count(b, a->per_run);
    buf_str(b, " × ");
    graph_mean(b, a);
    buf_format(b, "\"| p%dn%d\n", subject, v->place[a->to]);
}

static void caption(struct buf *b, const struct arcs_shown *s)
{
    buf_str(b, "%% ");
    graph_masked(b, s->graph.title, 0, escaped);
    buf_str(b, ": ");
    arcs_summary(b, &s->graph);
    buf_char(b, '\n');
    if (s->view.arcs_left || s->view.nodes_left) {
        buf_str(b, "%% ");
        graph_left_out(b, &s->view);
        buf_char(b, '\n');
    }
}

static int arcs_before(const struct record *r, int subject, const struct export_options *o, struct arena *arena)
{
    int n = 0;
    for (int i = 0; i < subject; i++) {
        struct arcs_shown s;
        struct export_options quiet = *o;
        quiet.left_out = NULL;
        if (r->subjects[i].kind == SUBJECT_TRACE && !arcs_show(r, i, &quiet, GRAPH_ARCS_SHOWN, arena, &s))
            n += s.view.n_arcs;
    }
    return n;
}

static enum tare_status program(struct export_out *out, const struct record *r, int subject, const struct export_options *o,
                                struct arena *arena)
{
    struct arcs_shown s;
    struct buf *b = &out->text;
    if (arcs_show(r, subject, o, GRAPH_ARCS_SHOWN, arena, &s))
        return TARE_NO_MEMORY;
    int before = arcs_before(r, subject, o, arena);
    bool several = !(arcs_is_first(r, subject) && arcs_is_last(r, subject));
    if (arcs_is_first(r, subject))
        buf_str(b, "flowchart TD\n    classDef idle stroke-dasharray:4 3\n");
    caption(b, &s);
    if (several) {
        buf_format(b, "    subgraph p%d[\"", subject);
        graph_masked(b, s.graph.title, NAME_COLUMNS, escaped);
        buf_str(b, "\"]\n");
    }
    for (int i = 0; i < s.view.n_nodes; i++)
        node(b, &s.view, i, subject);
    for (int i = 0; i < s.view.n_arcs; i++)
        edge(b, &s.view, s.view.arcs[i], subject);
    buf_str(b, several ? "    end\n" : "");
    for (int i = 0; i < s.view.n_arcs; i++) {
        double most = s.view.arcs[0]->found->total_ns,
               part = most > 0 && s.view.arcs[i]->found->total_ns > 0 ? s.view.arcs[i]->found->total_ns / most : 0;
        buf_format(b, "    linkStyle %d stroke-width:%.1fpx,stroke:%s\n", before + i, 1.5 + 6 * part,
                   colours[graph_shade(s.view.arcs[i]->found->share)]);
    }
    return TARE_OK;
}

const struct exporter exporter_mermaid = {"mermaid", "mmd", .arcs = program};
