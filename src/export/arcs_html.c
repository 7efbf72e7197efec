/* SPDX-License-Identifier: MIT
 *
 * One page about the arcs of traced programs: the graph, a table of all arcs, those with most time first, and the last run as a flame graph. */
#include "arcs_export.h"
#include "graph_picture.h"
#include "html.h"
#include "svg_parts.h"

enum { TEXT_MOST = 4000, COLUMNS = 11 };

static const char page_style[] =
    ".arcs th,.arcs td{text-align:right;white-space:nowrap}.arcs .place{text-align:left;font-family:ui-monospace,'DejaVu Sans "
    "Mono',Consolas,monospace;white-space:normal;overflow-wrap:anywhere;min-width:9em;max-width:26em}";

static void place_cell(struct buf *b, const struct graph_node *n)
{
    struct buf text = BUF_INIT(1 << 15);
    graph_node_full(&text, n, " ");
    buf_str(b, "<td class=\"place\">");
    svg_text(b, buf_text(&text), TEXT_MOST);
    buf_str(b, "</td>");
    buf_finish(&text);
}

static void time_cell(struct buf *b, double ns)
{
    buf_str(b, "<td>");
    graph_time(b, ns);
    buf_str(b, "</td>");
}

static void row(struct buf *b, const struct graph_view *v, const struct graph_arc *a)
{
    buf_str(b, "<tr>");
    place_cell(b, &v->g->nodes[a->from]);
    place_cell(b, &v->g->nodes[a->to]);
    time_cell(b, a->found->total_ns);
    buf_str(b, "<td>");
    graph_share(b, a->found->share);
    buf_str(b, "</td><td>");
    graph_count(b, a->n);
    buf_str(b, "</td><td>");
    graph_mean(b, a);
    buf_str(b, "</td>");
    time_cell(b, a->found->std_ns);
    time_cell(b, a->found->min_ns);
    time_cell(b, a->found->median_ns);
    time_cell(b, a->found->p99_ns);
    time_cell(b, a->found->max_ns);
    buf_str(b, "</tr>\n");
}

static void table(struct export_out *out, const struct graph_view *v)
{
    static const char *const headings[COLUMNS] = {"From", "To",  "Time of a run", "Share", "Calls", "Mean",
                                                  "Std",  "Min", "Median",        "p99",   "Max"};
    buf_str(&out->text,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Arcs\"><table class=\"list arcs\"><thead><tr>");
    for (int i = 0; i < COLUMNS; i++)
        buf_format(&out->text, "<th scope=\"col\"%s>%s</th>", i < 2 ? " class=\"place\"" : "", headings[i]);
    buf_str(&out->text, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < v->n_arcs; i++) {
        row(&out->text, v, v->arcs[i]);
        export_out_pass(out);
    }
    buf_str(&out->text, "</tbody></table></div>\n");
}

static void sentence(struct buf *b, struct buf *text)
{
    if (text->len)
        html_element(b, "p class=\"soft\"", buf_text(text));
    buf_clear(text);
}

static enum tare_status picture(struct buf *b, const struct graph_view *v, struct arena *arena, struct tare_err *err)
{
    struct graph_picture p;
    enum tare_status status = graph_picture_make(&p, v, arena, err);
    if (status)
        return status;
    buf_format(b,
               "<figure tabindex=\"0\"><svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" width=\"%.0f\" height=\"%.0f\" ",
               p.width, p.height);
    buf_format(b, "viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Graph of arcs; the table below has its figures\">\n",
               p.width, p.height);
    graph_picture_draw(b, &p);
    buf_str(b, "</svg></figure>\n");
    return TARE_OK;
}

static enum tare_status program(struct export_out *out, const struct record *r, int subject, const struct export_options *o,
                                struct arena *arena)
{
    struct arcs_shown s;
    struct graph_view all;
    struct buf text = BUF_INIT(1 << 14);
    enum tare_status status = arcs_show(r, subject, o, GRAPH_ARCS_SHOWN, arena, &s);
    if (!status)
        status = graph_select(&s.graph, 0, 0, arena, &all);
    if (status)
        return status;
    html_element(&out->text, "h2", s.graph.title);
    arcs_summary(&text, &s.graph);
    buf_str(
        &text,
        " Beside each line: its time in an average run and its share of all time, which its width and colour show; below, its "
        "traversals in a run × their mean.");
    sentence(&out->text, &text);
    status = picture(&out->text, &s.view, arena, out->err);
    if (s.view.arcs_left || s.view.nodes_left) {
        buf_str(&text, "In the picture ");
        graph_left_out(&text, &s.view);
        buf_str(&text, " The table has all.");
    }
    sentence(&out->text, &text);
    buf_finish(&text);
    table(out, &all);
    return status;
}

static enum tare_status write_pages(struct export_out *out, const struct record *r, const struct export_options *o)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < r->n_subjects && !status; i++) {
        struct arena arena = {0};
        if (r->subjects[i].kind == SUBJECT_TRACE)
            status = program(out, r, i, o, &arena);
        arena_finish(&arena);
        export_out_pass(out);
    }
    return status;
}

enum tare_status arcs_html_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                 struct tare_err *err)
{
    struct export_out out;
    struct buf style = BUF_INIT(1 << 22);
    buf_format(&style, "%s%s%s", page_style, graph_picture_style, html_flame_style);
    export_out_begin(&out, sink, err);
    html_begin(&out, r, o, "Arcs of traced programs", buf_text(&style));
    enum tare_status status = write_pages(&out, r, o);
    status = status ? status : html_flame(&out, r);
    if (status && !out.status)
        out.status = err_set(err, status, "%s", tare_status_text(status));
    html_end(&out, r, o);
    buf_finish(&style);
    return export_out_end(&out);
}
