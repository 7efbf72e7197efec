/* SPDX-License-Identifier: MIT
 *
 * Where the time of a traced run went: a row for each level of scopes, outer ones above, as wide as their time; arcs are the lowest. Sums of all calls, probe
 * overhead subtracted (trace/spans_stacks.c); what is narrower than half a pixel is not drawn. */
#include "export_out.h"
#include "html.h"
#include "record_arcs.h"
#include <math.h>
#include <string.h>

enum { ROW = 19, LEVELS_MOST = 40, LETTER = 7 };

const char html_flame_style[] =
    ".flame rect{stroke:#fff;stroke-width:.6}.flame .k0{fill:#bcd4ee}.flame .k1{fill:#f6cf9f}.flame .k2{fill:#dfe3e8}"
    "figure .flame text{font:12px ui-monospace,'DejaVu Sans Mono',Consolas,monospace;fill:#1c1e22;pointer-events:none}";

struct flame {
    const struct traced *t;
    struct export_out *out;
    double *x; /* of each stack: where it begins, then where the next one below it does */
    int *level;
    double px_per_ns;
};

static void one(struct flame *f, int i, double x, double width)
{
    const struct traced_stack *s = &f->t->stacks[i];
    struct buf *b = &f->out->text;
    const int kind = !strcmp(s->kind, "arc") ? 1 : !strcmp(s->kind, "scope") ? 0 : 2;
    const double y = ROW * f->level[i];
    buf_str(b, "<g><title>");
    svg_text(b, s->name, 200);
    buf_str(b, ": ");
    figure_scaled(b, "ns", s->ns, FIGURE_DIGITS);
    buf_format(b, ", %.1f %%", 100 * s->ns * f->px_per_ns / SVG_WIDTH);
    if (s->n)
        buf_format(b, ", %llu time%s", (unsigned long long)s->n, buf_plural((long long)s->n));
    buf_format(b, "</title><rect class=\"k%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", kind, x, y, width, ROW - 1);
    if (width > 4 * LETTER) {
        buf_format(b, "<text x=\"%.1f\" y=\"%.1f\">", x + 3, y + ROW - 6);
        svg_text(b, s->name, (int)(width / LETTER) - 1);
        buf_str(b, "</text>");
    }
    buf_str(b, "</g>\n");
    export_out_pass(f->out);
}

static void draw(struct flame *f)
{
    double roots = 0;
    for (int i = 0; i < f->t->n_stacks; i++) {
        const struct traced_stack *s = &f->t->stacks[i];
        double *at = s->parent >= 0 ? &f->x[s->parent] : &roots;
        const double x = *at, width = s->ns * f->px_per_ns;
        f->x[i] = x;
        *at += width;
        if (width >= 0.5 && f->level[i] < LEVELS_MOST) /* a file of others may say what it likes */
            one(f, i, x, fmin(width, SVG_WIDTH - x));
    }
}

static int measure(struct flame *f)
{
    double all = 0;
    int levels = 0;
    for (int i = 0; i < f->t->n_stacks; i++) {
        const struct traced_stack *s = &f->t->stacks[i];
        all += s->parent >= 0 ? 0 : s->ns;
        f->level[i] = s->parent >= 0 ? f->level[s->parent] + 1 : 0;
        levels = f->level[i] < LEVELS_MOST && f->level[i] >= levels ? f->level[i] + 1 : levels;
    }
    f->px_per_ns = all > 0 ? SVG_WIDTH / all : 0;
    return all > 0 && isfinite(all) ? levels : 0;
}

enum tare_status html_flame(struct export_out *out, const struct record *r)
{
    struct arena arena = {0};
    struct flame f = {.t = r->traced, .out = out};
    const size_t n = f.t ? (size_t)f.t->n_stacks + 1 : 1;
    f.x = arena_array(&arena, n, sizeof *f.x);
    f.level = arena_array(&arena, n, sizeof *f.level);
    const bool memory = f.x && f.level;
    const int levels = memory && f.t ? measure(&f) : 0;
    if (levels) {
        buf_str(&out->text,
                "<h2>Where the time of the last run went</h2>\n<p class=\"soft\">Each row is within the one above it: "
                "threads, then scopes (TARE_SCOPE), then arcs from point to point. As wide as its time.</p>\n<figure "
                "tabindex=\"0\">\n");
        buf_format(&out->text,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                   "role=\"img\" "
                   "aria-label=\"Flame graph; the table above has the figures of the arcs\">\n",
                   SVG_WIDTH, ROW * levels, SVG_WIDTH, ROW * levels);
        draw(&f);
        buf_str(&out->text, "</svg>\n</figure>\n");
        export_out_pass(out);
    }
    arena_finish(&arena);
    return memory ? TARE_OK : TARE_NO_MEMORY;
}
