/* SPDX-License-Identifier: MIT */
#include "graph_picture.h"
#include "quote.h"
#include "svg_parts.h"
#include <math.h>
#include <string.h>

/* Letters of 12 px in the usual fonts of one width take at most 0.602 of that. */
#define COLUMN 7.3
enum { LINE = 15, BOX_PAD = 10, LOOP = 30, IDLE_COLUMNS = 100, LEAST_WIDTH = 420 };

const char graph_picture_style[] =
    ".graph text{font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1c1e22}"
    ".graph .paper{fill:#fff}.graph .box{fill:#f3f5f8;stroke:#5a6270;stroke-width:1.2}"
    ".graph .name{font-weight:bold}.graph .soft,.graph text.soft{fill:#59606b}"
    ".graph .arc{fill:none;stroke-linecap:butt}.graph "
    ".label{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}"
    ".graph .s0{stroke:#8b95a1}.graph .s1{stroke:#5b86b8}.graph .s2{stroke:#1f5f9e}.graph .s3{stroke:#b45309}.graph "
    ".s4{stroke:#b3261e}"
    ".graph .h0{fill:#8b95a1}.graph .h1{fill:#5b86b8}.graph .h2{fill:#1f5f9e}.graph .h3{fill:#b45309}.graph .h4{fill:#b3261e}"
    "@media screen and (prefers-color-scheme:dark){.graph text{fill:#e8eaed}.graph .paper{fill:#16181d}"
    ".graph .box{fill:#262a32;stroke:#9aa3b2}.graph .soft,.graph text.soft{fill:#aab2bf}.graph .label{stroke:#16181d}"
    ".graph .s0{stroke:#7f8896}.graph .s1{stroke:#6f9fd0}.graph .s2{stroke:#58abff}.graph .s3{stroke:#ffb059}.graph "
    ".s4{stroke:#ff7a70}"
    ".graph .h0{fill:#7f8896}.graph .h1{fill:#6f9fd0}.graph .h2{fill:#58abff}.graph .h3{fill:#ffb059}.graph .h4{fill:#ff7a70}}";

static void first_line(struct buf *b, const struct graph_arc *a)
{
    graph_total(b, a);
    buf_str(b, " · ");
    graph_arc_share(b, a->found);
}

static void second_line(struct buf *b, const struct graph_arc *a)
{
    graph_count(b, a->per_run);
    buf_str(b, " × ");
    graph_mean(b, a);
}

void graph_arc_sentence(struct buf *b, const struct graph *g, const struct graph_arc *a)
{
    static const struct {
        const char *name;
        size_t offset;
    } figures[] = {{"standard deviation", offsetof(struct arc_result, std_ns)},
                   {"min", offsetof(struct arc_result, min_ns)},
                   {"median", offsetof(struct arc_result, median_ns)},
                   {"p99", offsetof(struct arc_result, p99_ns)},
                   {"max", offsetof(struct arc_result, max_ns)},
                   {"probe", offsetof(struct arc_result, probe_ns)}};
    graph_node_label(b, &g->nodes[a->from], 0);
    buf_str(b, " → ");
    graph_node_label(b, &g->nodes[a->to], 0);
    buf_str(b, ": ");
    first_line(b, a);
    buf_str(b, " of the time of all arcs, ");
    graph_count(b, a->n);
    buf_format(b, " traversal%s in %d of %d run%s, mean ", buf_plural((long long)a->n), a->found->runs_passed, g->runs,
               buf_plural(g->runs));
    graph_mean(b, a);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        double value;
        memcpy(&value, (const char *)a->found + figures[i].offset, sizeof value);
        if (!isfinite(value))
            continue;
        buf_format(b, ", %s ", figures[i].name);
        graph_time(b, value);
    }
    buf_str(b, ", variance ");
    graph_variance(b, a->found->var_ns2);
}

/* The name alone in bold, or file and line; below it place or function. */
static void box_lines(const struct graph_node *n, struct buf *first, struct buf *second)
{
    char text[32];
    struct buf line = buf_over(text, sizeof text);
    buf_char(&line, ':');
    point_put_line(&line, n->line, n->ordinal);
    if (graph_node_named(n)) {
        quote_cut(first, n->name, GRAPH_NODE_COLUMNS, true);
        graph_node_place(second, n, GRAPH_NODE_COLUMNS);
        return;
    }
    quote_cut(first, point_base(n->file), GRAPH_NODE_COLUMNS - (int)line.len, true);
    buf_str(first, text);
    if (n->func && *n->func)
        quote_cut(second, n->func, GRAPH_NODE_COLUMNS, true);
}

static double columns_px(const struct buf *b)
{
    return COLUMN * text_columns(buf_text(b), b->len);
}

static void measure_box(const struct graph_node *n, struct layout_box *box)
{
    char one[512], two[512];
    struct buf first = buf_over(one, sizeof one), second = buf_over(two, sizeof two);
    box_lines(n, &first, &second);
    double widest = fmax(columns_px(&first) * 1.04, columns_px(&second));
    box->width = fmax(60, widest + 2 * BOX_PAD);
    box->height = (second.len ? 2 : 1) * LINE + 12;
}

static double part_of_most(const struct graph_view *v, const struct graph_arc *a)
{
    double most = 0;
    for (int i = 0; i < v->n_arcs; i++)
        most = v->arcs[i]->found->total_ns > most ? v->arcs[i]->found->total_ns : most;
    return most > 0 && a->found->total_ns > 0 ? a->found->total_ns / most : 0;
}

static void choose_boxes(struct graph_picture *p)
{
    const struct graph_view *v = p->view;
    for (int i = 0; i < v->n_nodes; i++)
        p->box_of[i] = -1;
    for (int i = 0; i < v->n_arcs; i++)
        p->box_of[v->place[v->arcs[i]->from]] = p->box_of[v->place[v->arcs[i]->to]] = 0;
    for (int i = 0; i < v->n_nodes; i++)
        if (p->box_of[i] >= 0) {
            p->box_of[i] = p->layout.n_boxes;
            measure_box(&v->g->nodes[v->nodes[i]], &p->boxes[p->layout.n_boxes++]);
        }
}

static void choose_lines(struct graph_picture *p)
{
    const struct graph_view *v = p->view;
    p->layout.n_lines = v->n_arcs;
    for (int i = 0; i < v->n_arcs; i++) {
        struct layout_line *line = &p->lines[i];
        line->from = p->box_of[v->place[v->arcs[i]->from]];
        line->to = p->box_of[v->place[v->arcs[i]->to]];
        char one[256], two[256];
        struct buf first = buf_over(one, sizeof one), second = buf_over(two, sizeof two);
        first_line(&first, v->arcs[i]);
        second_line(&second, v->arcs[i]);
        line->label_width = fmax(columns_px(&first), columns_px(&second)) + 4;
        line->label_height = 2 * LINE + 4;
        line->weight = 1 + 20 * part_of_most(v, v->arcs[i]);
        struct layout_box *box = &p->boxes[line->from];
        if (line->from == line->to) {
            box->beside = LOOP + 8 + line->label_width;
            box->height = fmax(box->height, line->label_height);
        }
    }
}

/* The list, in lines; each is drawn where b is given. Returns how many lines. */
static int idle_lines(struct buf *b, const struct graph_picture *p, double top)
{
    int lines = 0, columns = 0;
    for (int i = 0; i < p->view->n_nodes; i++) {
        if (p->box_of[i] >= 0)
            continue;
        char text[512];
        struct buf label = buf_over(text, sizeof text);
        graph_node_label(&label, &p->view->g->nodes[p->view->nodes[i]], GRAPH_NODE_COLUMNS);
        int width = text_columns(text, label.len) + 3;
        bool starts = !lines || columns + width > IDLE_COLUMNS;
        if (starts && b)
            buf_format(b, "%s<text class=\"soft\" x=\"10\" y=\"%.1f\">%s", lines ? "</text>\n" : "", top + LINE * (lines + 1),
                       lines ? "" : "Never hit: ");
        else if (b)
            buf_str(b, " · ");
        columns = starts ? (lines ? 0 : 14) + width : columns + width;
        lines += starts;
        if (b)
            svg_text(b, text, GRAPH_NODE_COLUMNS + 2);
    }
    if (lines && b)
        buf_str(b, "</text>\n");
    return lines;
}

enum tare_status graph_picture_make(struct graph_picture *p, const struct graph_view *v, struct arena *a, struct tare_err *err)
{
    *p = (struct graph_picture){.view = v};
    p->boxes = arena_array(a, (size_t)v->n_nodes + 1, sizeof *p->boxes);
    p->box_of = arena_array(a, (size_t)v->n_nodes + 1, sizeof *p->box_of);
    p->lines = arena_array(a, (size_t)v->n_arcs + 1, sizeof *p->lines);
    if (!p->boxes || !p->box_of || !p->lines)
        return err_no_memory(err);
    p->layout.boxes = p->boxes;
    p->layout.lines = p->lines;
    choose_boxes(p);
    choose_lines(p);
    enum tare_status status = layout_make(&p->layout, a, err);
    int idle = idle_lines(NULL, p, 0);
    p->width = fmax(p->layout.width, idle ? COLUMN * IDLE_COLUMNS + 20 : LEAST_WIDTH);
    p->height = p->layout.height + (idle ? idle * LINE + 14 : 0);
    return status;
}

static void head(struct buf *b, double x, double y, double dx, double dy, double length, int shade)
{
    double half = length * 0.42;
    buf_format(b, "<path class=\"h%d\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>", shade, x, y, x - dx * length + dy * half,
               y - dy * length + dx * half, x - dx * length - dy * half, y - dy * length - dx * half);
}

static void curve_down(struct buf *b, const struct layout_run *from, const struct layout_run *to)
{
    double middle = (from->bottom + to->top) / 2;
    if (fabs(from->x - to->x) < 0.05)
        buf_format(b, "L%.1f %.1f", to->x, to->top);
    else
        buf_format(b, "C%.1f %.1f %.1f %.1f %.1f %.1f", from->x, middle, to->x, middle, to->x, to->top);
}

/* From above to below whatever its direction; the end with the head stops before it, and is straight there. */
static void draw_path(struct buf *b, const struct layout_line *line, double head_length, double width, int shade)
{
    struct layout_run first = line->runs[0], last = line->runs[line->n_runs - 1];
    double top = first.top, bottom = last.bottom;
    if (line->upward)
        first.top += head_length - 1;
    else
        last.bottom -= head_length - 1;
    first.bottom = fmax(first.top, first.bottom);
    last.top = fmin(last.top, last.bottom);
    buf_format(b, "<path class=\"arc s%d\" stroke-width=\"%.1f\" d=\"M%.1f %.1fL%.1f %.1f", shade, width, first.x, first.top,
               first.x, first.bottom);
    for (int i = 1; i < line->n_runs; i++) {
        const struct layout_run *to = i + 1 < line->n_runs ? &line->runs[i] : &last;
        curve_down(b, i > 1 ? &line->runs[i - 1] : &first, to);
        buf_format(b, "L%.1f %.1f", to->x, to->bottom);
    }
    buf_str(b, "\"/>");
    if (line->upward)
        head(b, first.x, top, 0, -1, head_length, shade);
    else
        head(b, last.x, bottom, 0, 1, head_length, shade);
}

static void draw_loop(struct buf *b, const struct layout_box *box, double head_length, double width, int shade)
{
    double x = box->x + box->width / 2, y = box->y;
    buf_format(b, "<path class=\"arc s%d\" stroke-width=\"%.1f\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"/>", shade, width,
               x, y - 8, x + LOOP, y - 20, x + LOOP, y + 20, x + head_length - 1, y + 9);
    head(b, x, y + 8, -1, -0.05, head_length, shade);
}

static void draw_label(struct buf *b, const struct graph_arc *a, double x, double y)
{
    char text[256];
    struct buf line = buf_over(text, sizeof text);
    first_line(&line, a);
    buf_format(b, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\">%s</text>", x, y - 3, buf_text(&line));
    buf_clear(&line);
    second_line(&line, a);
    buf_format(b, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\">%s</text>", x, y + LINE - 3, buf_text(&line));
}

static void draw_box(struct buf *b, const struct graph_node *n, const struct layout_box *box)
{
    char one[512], two[512];
    struct buf first = buf_over(one, sizeof one), second = buf_over(two, sizeof two), whole = BUF_INIT(1 << 15);
    box_lines(n, &first, &second);
    graph_node_full(&whole, n, ", ");
    buf_str(b, "<g><title>");
    svg_text(b, buf_text(&whole), 4000);
    buf_str(b, ": ");
    graph_count(b, n->n);
    buf_format(b, " hit%s</title><rect class=\"box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"5\"/>",
               buf_plural((long long)n->n), box->x - box->width / 2, box->y - box->height / 2, box->width, box->height);
    double y = box->y + (second.len ? -3 : 4);
    buf_format(b, "<text class=\"name\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">", box->x, y);
    svg_text(b, buf_text(&first), GRAPH_NODE_COLUMNS + 8);
    buf_str(b, "</text>");
    if (second.len) {
        buf_format(b, "<text class=\"soft\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">", box->x, y + LINE);
        svg_text(b, buf_text(&second), GRAPH_NODE_COLUMNS + 8);
        buf_str(b, "</text>");
    }
    buf_str(b, "</g>\n");
    buf_finish(&whole);
}

void graph_picture_draw(struct buf *b, const struct graph_picture *p)
{
    for (int i = p->view->n_arcs - 1; i >= 0; i--) { /* those with most time lie on top */
        const struct graph_arc *a = p->view->arcs[i];
        const struct layout_line *line = &p->lines[i];
        int shade = graph_shade(a->found->share);
        double width = 1.2 + 6.8 * part_of_most(p->view, p->view->arcs[i]), head_length = 7 + 1.3 * width;
        struct buf sentence = BUF_INIT(1 << 15);
        graph_arc_sentence(&sentence, p->view->g, a);
        buf_str(b, "<g><title>");
        svg_text(b, buf_text(&sentence), 4000);
        buf_str(b, "</title>");
        if (line->from == line->to) {
            const struct layout_box *box = &p->boxes[line->from];
            draw_loop(b, box, head_length, width, shade);
            draw_label(b, a, box->x + box->width / 2 + LOOP + 2, box->y);
        } else {
            draw_path(b, line, head_length, width, shade);
            draw_label(b, a, line->label_x, line->label_y);
        }
        buf_str(b, "</g>\n");
        buf_finish(&sentence);
    }
    for (int i = 0; i < p->view->n_nodes; i++)
        if (p->box_of[i] >= 0)
            draw_box(b, &p->view->g->nodes[p->view->nodes[i]], &p->boxes[p->box_of[i]]);
    idle_lines(b, p, p->layout.height);
}
