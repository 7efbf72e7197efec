/* SPDX-License-Identifier: MIT
 *
 * One page about the arcs of traced programs: the graph, and a table of all arcs that can be sorted. No script, nothing loaded from elsewhere:
 * the rows are items of a grid, and the choice above the table sets by which of their places they are ordered. */
#include "arcs_export.h"
#include "graph_picture.h"
#include "html.h"
#include "svg_parts.h"

enum { TEXT_MOST = 4000, COLUMNS = 11 };

static const char page_style[] =
    ".arcs{display:grid;grid-template-columns:repeat(2,minmax(9em,auto)) repeat(9,auto);font-size:13px;border-top:1px solid "
    "#c5cad3;"
    "width:max-content;max-width:none}.arcs thead,.arcs tbody,.arcs tr{display:contents}"
    ".arcs th,.arcs td{padding:3px 10px;border-bottom:1px solid #dfe3e8;text-align:right;font-weight:normal;white-space:nowrap}"
    ".arcs th{background:#eef1f5;order:-1}.arcs .place{text-align:left;font-family:ui-monospace,'DejaVu Sans "
    "Mono',Consolas,monospace;"
    "white-space:normal;overflow-wrap:anywhere;max-width:26em}.arcs td{order:var(--at,0)}fieldset{border:0;padding:0;margin:10px "
    "0}"
    "legend{float:left;margin-right:10px}label{margin-right:14px}";

/* ---- the order of the rows ---- */

/* By which the table can be sorted: largest first, but places by their order in the program. */
static double key_place(const struct graph_arc *a)
{
    return -(a->from * 65536.0 + a->to);
}

#define KEY(name, member)                               \
    static double key_##name(const struct graph_arc *a) \
    {                                                   \
        return a->member;                               \
    }
KEY(time, total_ns)
KEY(calls, n)
KEY(mean, mean_ns)
KEY(deviation, std_ns)
KEY(median, median_ns)
KEY(p99, p99_ns)
KEY(longest, max_ns)
#undef KEY

static const struct {
    const char *word;
    double (*key)(const struct graph_arc *a);
} orders[] = {{"time", key_time},           {"place", key_place},   {"calls", key_calls}, {"mean", key_mean},
              {"deviation", key_deviation}, {"median", key_median}, {"p99", key_p99},     {"max", key_longest}};
enum { ORDERS = sizeof orders / sizeof *orders };

/* Places of all rows by one key, from 1; unknown values come last. Heap sort: hostile files have many arcs. */
static double key_of(const struct graph_view *v, int order, int arc)
{
    double key = orders[order].key(v->arcs[arc]);
    return isnan(key) ? -INFINITY : key;
}

static bool before(const struct graph_view *v, int order, int a, int b)
{
    double x = key_of(v, order, a), y = key_of(v, order, b);
    return x > y || (x == y && a < b);
}

static void sift(const struct graph_view *v, int order, int *heap, int n, int i)
{
    for (int child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && before(v, order, heap[child], heap[child + 1]))
            child++;
        if (!before(v, order, heap[i], heap[child]))
            return;
        int moving = heap[i];
        heap[i] = heap[child];
        heap[child] = moving;
    }
}

static void rank(const struct graph_view *v, int order, int *heap, int *places)
{
    int n = v->n_arcs;
    for (int i = 0; i < n; i++)
        heap[i] = i;
    for (int i = n / 2 - 1; i >= 0; i--)
        sift(v, order, heap, n, i);
    for (int left = n; left > 0; left--) {
        places[heap[0]] = left;
        heap[0] = heap[left - 1];
        sift(v, order, heap, left - 1, 0);
    }
}

/* ---- the table ---- */

static void place_cell(struct buf *b, const struct graph_node *n)
{
    struct buf text = BUF_INIT(1 << 15);
    graph_node_full(&text, n, " ");
    buf_str(b, "<td role=\"cell\" class=\"place\">");
    svg_text(b, buf_text(&text), TEXT_MOST);
    buf_str(b, "</td>");
    buf_finish(&text);
}

static void time_cell(struct buf *b, double ns)
{
    buf_str(b, "<td role=\"cell\">");
    graph_time(b, ns);
    buf_str(b, "</td>");
}

static void row(struct buf *b, const struct graph_view *v, int i, int *const *places)
{
    const struct graph_arc *a = v->arcs[i];
    buf_str(b, "<tr role=\"row\" style=\"");
    for (int k = 0; k < ORDERS; k++)
        buf_format(b, "%s--%s:%d", k ? ";" : "", orders[k].word, places[k][i]);
    buf_str(b, "\">");
    place_cell(b, &v->g->nodes[a->from]);
    place_cell(b, &v->g->nodes[a->to]);
    time_cell(b, a->total_ns);
    buf_str(b, "<td role=\"cell\">");
    graph_share(b, a->share);
    buf_str(b, "</td><td role=\"cell\">");
    graph_count(b, a->n);
    buf_str(b, "</td><td role=\"cell\">");
    graph_mean(b, a);
    buf_str(b, "</td>");
    time_cell(b, a->std_ns);
    time_cell(b, a->min_ns);
    time_cell(b, a->median_ns);
    time_cell(b, a->p99_ns);
    time_cell(b, a->max_ns);
    buf_str(b, "</tr>\n");
}

static enum tare_status table(struct export_out *out, const struct graph_view *v, int subject, struct arena *arena)
{
    static const char *const headings[COLUMNS] = {"From", "To",  "Time of a run", "Share", "Calls", "Mean",
                                                  "Std",  "Min", "Median",        "p99",   "Max"};
    int *places[ORDERS], *heap = arena_array(arena, (size_t)v->n_arcs + 1, sizeof *heap);
    for (int i = 0; i < ORDERS; i++) {
        places[i] = arena_array(arena, (size_t)v->n_arcs + 1, sizeof(int));
        if (!heap || !places[i])
            return TARE_NO_MEMORY;
        rank(v, i, heap, places[i]);
    }
    buf_str(&out->text, "<div>\n");
    buf_str(&out->text, "<span class=\"soft\">Sorted by</span>\n");
    for (int i = 0; i < ORDERS; i++)
        buf_format(&out->text, "<input type=\"radio\" name=\"sort%d\" id=\"s%d%s\"%s><label for=\"s%d%s\">%s</label>\n", subject,
                   subject, orders[i].word, i ? "" : " checked", subject, orders[i].word, orders[i].word);
    buf_str(&out->text, "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Arcs\"><table role=\"table\" "
                        "class=\"arcs\"><thead role=\"rowgroup\"><tr role=\"row\">");
    for (int i = 0; i < COLUMNS; i++)
        buf_format(&out->text, "<th role=\"columnheader\" scope=\"col\"%s>%s</th>", i < 2 ? " class=\"place\"" : "", headings[i]);
    buf_str(&out->text, "</tr></thead>\n<tbody role=\"rowgroup\">\n");
    for (int i = 0; i < v->n_arcs; i++) {
        row(&out->text, v, i, places);
        export_out_pass(out);
    }
    buf_str(&out->text, "</tbody></table></div>\n</div>\n");
    return TARE_OK;
}

/* ---- the page ---- */

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
    buf_str(&text, " A line is as wide as its time; its colour and the first figure beside it are the share of all time. Times "
                   "are those of a run "
                   "on average; below them calls a run × mean.");
    sentence(&out->text, &text);
    status = picture(&out->text, &s.view, arena, out->err);
    if (s.view.arcs_left || s.view.nodes_left) {
        buf_str(&text, "In the picture ");
        graph_left_out(&text, &s.view);
        buf_str(&text, " The table has all.");
    }
    sentence(&out->text, &text);
    buf_finish(&text);
    return status ? status : table(out, &all, subject, arena);
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
    buf_format(&style, "%s%s", page_style, graph_picture_style);
    for (int i = 0; i < r->n_subjects; i++)
        for (int k = 0; k < ORDERS; k++)
            buf_format(&style, "#s%d%s:checked~.wide .arcs tr{--at:var(--%s)}", i, orders[k].word, orders[k].word);
    export_out_begin(&out, sink, err);
    html_begin(&out, r, o, "Arcs of traced programs", buf_text(&style));
    enum tare_status status = write_pages(&out, r, o);
    if (status && !out.status)
        out.status = err_set(err, status, "%s", tare_status_text(status));
    html_end(&out, r);
    buf_finish(&style);
    return export_out_end(&out);
}
