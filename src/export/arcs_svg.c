/* SPDX-License-Identifier: MIT
 *
 * The graphs of all traced programs below each other, in one SVG that needs nothing else. */
#include "arcs_export.h"
#include "graph_picture.h"
#include "quote.h"
#include "svg_parts.h"

#define COLUMN 7.3 /* of the letters of graph_picture_style */
enum { HEAD = 50, LINE = 16, TITLE_COLUMNS = 70, LEAST_WIDTH = 640 };

struct sheet {
    struct arcs_shown *shown;
    struct graph_picture *pictures;
    int n;
    double width, height;
};

static int head_height(const struct arcs_shown *s)
{
    return HEAD + (s->view.arcs_left || s->view.nodes_left ? LINE : 0);
}

/* The sentences above the picture may be wider than it. */
static double text_width(const struct arcs_shown *s)
{
    struct buf text = BUF_INIT(1 << 14);
    arcs_summary(&text, &s->graph);
    int columns = text_columns(buf_text(&text), text.len);
    buf_clear(&text);
    graph_left_out(&text, &s->view);
    int left = text_columns(buf_text(&text), text.len);
    buf_finish(&text);
    return 20 + COLUMN * (left > columns ? left : columns);
}

static double wider(double a, double b)
{
    return a > b ? a : b;
}

static enum tare_status lay_out(const struct record *r, const struct export_options *o, struct arena *a, struct sheet *s,
                                struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    s->shown = arena_array(a, (size_t)r->n_subjects + 1, sizeof *s->shown);
    s->pictures = arena_array(a, (size_t)r->n_subjects + 1, sizeof *s->pictures);
    if (!s->shown || !s->pictures)
        return err_no_memory(err);
    for (int i = 0; i < r->n_subjects && !status; i++) {
        if (r->subjects[i].kind != SUBJECT_TRACE)
            continue;
        struct graph_picture *p = &s->pictures[s->n];
        status = arcs_show(r, i, o, GRAPH_ARCS_SHOWN, a, &s->shown[s->n]);
        if (status)
            return err_set(err, status, "%s", tare_status_text(status));
        status = graph_picture_make(p, &s->shown[s->n].view, a, err);
        s->width = wider(s->width, wider(p->width, text_width(&s->shown[s->n])));
        s->height += p->height + head_height(&s->shown[s->n++]);
    }
    return status;
}

static void draw_head(struct buf *b, const struct arcs_shown *s)
{
    struct buf text = BUF_INIT(1 << 14);
    buf_str(b, "<text class=\"name\" x=\"10\" y=\"22\">");
    svg_text(b, s->graph.title, TITLE_COLUMNS);
    buf_str(b, "</text>\n<text class=\"soft\" x=\"10\" y=\"39\">");
    arcs_summary(&text, &s->graph);
    svg_text(b, buf_text(&text), 1000);
    buf_str(b, "</text>\n");
    buf_clear(&text);
    graph_left_out(&text, &s->view);
    if (text.len) {
        buf_format(b, "<text class=\"soft\" x=\"10\" y=\"%d\">", 39 + LINE);
        svg_text(b, buf_text(&text), 1000);
        buf_str(b, "</text>\n");
    }
    buf_finish(&text);
}

static void draw(struct export_out *out, const struct sheet *s)
{
    struct buf *b = &out->text;
    const double width = wider(s->width, LEAST_WIDTH), height = wider(s->height, HEAD);
    double top = 0;
    buf_format(
        b, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" ",
        width, height, width, height);
    buf_format(b, "role=\"img\">\n<title>Arcs of %d traced program%s</title>\n<style>%s</style>\n", s->n, buf_plural(s->n),
               graph_picture_style);
    buf_format(b, "<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
    for (int i = 0; i < s->n; i++) {
        buf_format(b, "<g transform=\"translate(0 %.1f)\">\n", top);
        draw_head(b, &s->shown[i]);
        top += head_height(&s->shown[i]);
        buf_format(b, "</g>\n<g transform=\"translate(0 %.1f)\">\n", top);
        graph_picture_draw(b, &s->pictures[i]);
        top += s->pictures[i].height;
        buf_str(b, "</g>\n");
        export_out_pass(out);
    }
    buf_str(b, "</svg>\n");
}

enum tare_status arcs_svg_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                struct tare_err *err)
{
    struct arena arena = {0};
    struct sheet s = {0};
    enum tare_status status = lay_out(r, o, &arena, &s, err);
    if (!status) {
        struct export_out out;
        export_out_begin(&out, sink, err);
        draw(&out, &s);
        status = export_out_end(&out);
    }
    arena_finish(&arena);
    return status;
}
