/* SPDX-License-Identifier: MIT
 *
 * Where the time of a traced run went: a row for each level of scopes, outer ones above, as wide as their time; arcs are the lowest. Sums of all calls, probe
 * overhead subtracted; what is narrower than a pixel is not drawn. */
#include "events_export.h"
#include "html.h"

enum { ROW = 19, LEVELS_MOST = 40, LETTER = 7 };

const char html_flame_style[] =
    ".flame rect{stroke:#fff;stroke-width:.6}.flame .k0{fill:#bcd4ee}.flame .k1{fill:#f6cf9f}.flame .k2{fill:#dfe3e8}"
    "figure .flame text{font:12px ui-monospace,'DejaVu Sans Mono',Consolas,monospace;fill:#1c1e22;pointer-events:none}";

struct flame {
    const struct events *e;
    struct export_out out;
    double *total, *x; /* of each node: ns with all below it; where it begins, then where the next one below it does */
    int *level;
    double px_per_ns;
    int levels;
};

static void measure(struct flame *f)
{
    const struct spans *s = &f->e->spans;
    double all = 0;
    for (int i = s->n_nodes - 1; i >= 0; i--) {
        f->total[i] += fmax(0, (double)events_self_ns(f->e, &s->nodes[i]));
        *(s->nodes[i].parent >= 0 ? &f->total[s->nodes[i].parent] : &all) += f->total[i];
    }
    f->px_per_ns = all > 0 ? SVG_WIDTH / all : 0;
    for (int i = 0; i < s->n_nodes; i++) {
        const int parent = s->nodes[i].parent;
        f->level[i] = parent >= 0 ? f->level[parent] + 1 : 0;
        if (f->level[i] < LEVELS_MOST && f->total[i] * f->px_per_ns >= 1 && f->level[i] >= f->levels)
            f->levels = f->level[i] + 1;
    }
}

static void node(struct flame *f, int i, double x, double width)
{
    const struct spans *s = &f->e->spans;
    const struct span_node *n = &s->nodes[i];
    const struct span_frame *frame = &s->frames[n->frame];
    struct buf *b = &f->out.text;
    const int kind = frame->kind == FRAME_ARC ? 1 : frame->kind == FRAME_SCOPE ? 0 : 2;
    const double y = ROW * f->level[i];
    buf_str(b, "<g><title>");
    svg_text(b, frame->name, 200);
    buf_str(b, ": ");
    figure_scaled(b, "ns", f->total[i], FIGURE_DIGITS);
    buf_format(b, ", %.1f %%", 100 * f->total[i] * f->px_per_ns / SVG_WIDTH);
    if (n->n)
        buf_format(b, ", %llu time%s", (unsigned long long)n->n, buf_plural((long long)n->n));
    buf_format(b, "</title><rect class=\"k%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", kind, x, y, width, ROW - 1);
    if (width > 4 * LETTER) {
        buf_format(b, "<text x=\"%.1f\" y=\"%.1f\">", x + 3, y + ROW - 6);
        svg_text(b, frame->name, (int)(width / LETTER) - 1);
        buf_str(b, "</text>");
    }
    buf_str(b, "</g>\n");
    export_out_pass(&f->out);
}

static void draw(struct flame *f)
{
    const struct spans *s = &f->e->spans;
    double roots = 0;
    for (int i = 0; i < s->n_nodes; i++) {
        double *at = s->nodes[i].parent >= 0 ? &f->x[s->nodes[i].parent] : &roots;
        const double x = *at, width = f->total[i] * f->px_per_ns;
        f->x[i] = x;
        *at += width;
        if (width >= 1 && f->level[i] < LEVELS_MOST)
            node(f, i, x, width);
    }
}

static enum tare_status write(struct events *e, const struct sink *sink, struct tare_err *err)
{
    struct arena arena = {0};
    const size_t n = (size_t)e->spans.n_nodes + 1;
    struct flame f = {.e = e,
                      .total = arena_array(&arena, n, sizeof *f.total),
                      .x = arena_array(&arena, n, sizeof *f.x),
                      .level = arena_array(&arena, n, sizeof *f.level)};
    enum tare_status status = f.total && f.x && f.level ? TARE_OK : err_no_memory(err);
    if (!status)
        measure(&f);
    if (f.levels) {
        export_out_begin(&f.out, sink, err);
        buf_str(&f.out.text,
                "<h2>Where the time of the last run went</h2>\n<p class=\"soft\">Each row is within the one above it: "
                "threads, then scopes (TARE_SCOPE), then arcs from point to point. As wide as its time.</p>\n<figure "
                "tabindex=\"0\">\n");
        buf_format(&f.out.text,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                   "role=\"img\" "
                   "aria-label=\"Flame graph; the table above has the figures of the arcs\">\n",
                   SVG_WIDTH, ROW * f.levels, SVG_WIDTH, ROW * f.levels);
        draw(&f);
        buf_str(&f.out.text, "</svg>\n</figure>\n");
        status = export_out_end(&f.out);
    }
    arena_finish(&arena);
    return status;
}

enum tare_status html_flame(struct export_out *out, const struct record *r, const struct export_options *o)
{
    struct buf text = BUF_INIT(1 << 24);
    struct sink sink = sink_to_buf(&text);
    struct tare_err err;
    enum tare_status status = o->n_traces ? events_write(r, o, &sink, &err, false, write) : TARE_OK;
    if (!status)
        buf_add(&out->text, buf_text(&text), text.len);
    buf_finish(&text);
    export_out_pass(out);
    return status == TARE_NO_MEMORY ? status : TARE_OK;
}
