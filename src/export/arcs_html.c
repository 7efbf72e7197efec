/* SPDX-License-Identifier: MIT
 *
 * One page about the arcs of traced programs: the graph, a table of all arcs, those with most time first, and the last run as a flame graph. */
#include "arcs_export.h"
#include "export_out.h"
#include "graph_picture.h"
#include "html.h"
#include "quote.h"
#include "record_arcs.h"
#include "same_text.h"
#include "svg_parts.h"
#include "verdict_text.h"
#include <math.h>
#include <string.h>

/* Where the time of a traced run went: a row for each level of scopes, outer ones above, as wide as their time; arcs are the lowest. Sums of all calls, probe
 * overhead subtracted (trace/spans_stacks.c); what is narrower than half a pixel is not drawn. */

enum { ROW = 19, LEVELS_MOST = 40 };
static const double LETTER = 7.25;

static const char flame_style[] =
    ".flame rect{stroke:#fff;stroke-width:.6}.flame .k0{fill:#bcd4ee}.flame .k1{fill:#f6cf9f}.flame .k2{fill:#dfe3e8}"
    "figure .flame text{font:12px ui-monospace,'DejaVu Sans Mono',Consolas,monospace;fill:#1c1e22;pointer-events:none}";

struct flame {
    const struct traced *t;
    struct export_out *out;
    double *x;   /* of each stack: where it begins, then where the next one below it does */
    double *run; /* of each stack: ns of all that its outermost one has */
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
    buf_format(b, ": %s", scaled_text("ns", s->ns).at);
    if (s->ns <= f->run[i]) /* a file of others may say what it likes */
        buf_format(b, ", %s", figure_text(figure_share, s->ns / f->run[i]).at);
    if (s->n)
        buf_format(b, ", %llu time%s", (unsigned long long)s->n, buf_plural((long long)s->n));
    buf_format(b, "</title><rect class=\"k%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", kind, x, y, width, ROW - 1);
    if (width > 4 * LETTER) {
        const int room = (int)((width - 3) / LETTER);
        buf_format(b, "<text x=\"%.1f\" y=\"%.1f\">", x + 3, y + ROW - 6);
        svg_text(b, s->name, text_columns(s->name, strlen(s->name)) <= room ? room : room - 1); /* and the ellipsis */
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
        f->run[i] = s->parent >= 0 ? f->run[s->parent] : s->ns;
        levels = f->level[i] < LEVELS_MOST && f->level[i] >= levels ? f->level[i] + 1 : levels;
    }
    f->px_per_ns = all > 0 ? SVG_WIDTH / all : 0;
    return all > 0 && isfinite(all) ? levels : 0;
}

static enum tare_status html_flame(struct export_out *out, const struct record *r)
{
    struct arena arena = {0};
    struct flame f = {.t = r->traced, .out = out};
    const size_t n = f.t ? (size_t)f.t->n_stacks + 1 : 1;
    f.x = arena_array(&arena, n, sizeof *f.x);
    f.run = arena_array(&arena, n, sizeof *f.run);
    f.level = arena_array(&arena, n, sizeof *f.level);
    const bool memory = f.x && f.run && f.level;
    const int levels = memory && f.t ? measure(&f) : 0;
    if (levels) {
        const bool several = !strcmp(f.t->stacks[0].kind, "program");
        buf_format(&out->text,
                   "<h2>Where the time of one run went</h2>\n<p class=\"soft\">The last run%s. Each row is within the one above "
                   "it: %sthreads (with the process), then scopes (TARE_SCOPE), then arcs from point to point; as wide as its "
                   "time, without the overhead that the table has of the arc. Rows under 0.1 %% of the picture are left out. "
                   "A percentage is of the time of its %s. The table has the means of all runs.</p>\n"
                   "<figure tabindex=\"0\">\n",
                   several ? " of each program, all on one scale" : "", several ? "programs, then " : "",
                   several ? "program" : "thread");
        svg_open(&out->text, ROW * levels, " class=\"flame\"");
        buf_str(&out->text, " role=\"img\" aria-label=\"Flame graph; the table above has the figures of the arcs\">\n");
        draw(&f);
        buf_str(&out->text, "</svg>\n</figure>\n");
        export_out_pass(out);
    }
    arena_finish(&arena);
    return memory ? TARE_OK : TARE_NO_MEMORY;
}

enum { TEXT_MOST = 4000, COLUMNS = 11 };

static const char page_style[] =
    ".arcs th,.arcs td{text-align:right;white-space:nowrap;padding:3px 6px}.arcs "
    ".place{text-align:left;font-family:ui-monospace,'DejaVu Sans "
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
    buf_str(b, "<td>");
    graph_total(b, a);
    buf_str(b, "</td><td>");
    graph_arc_share(b, a->found);
    buf_str(b, "</td><td>");
    graph_count(b, a->per_run);
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

static bool any_binned(const struct graph_view *v)
{
    for (int i = 0; i < v->n_arcs; i++)
        if (v->arcs[i]->found->binned)
            return true;
    return false;
}

static void table(struct export_out *out, const struct graph_view *v, const char *program)
{
    static const char *const headings[COLUMNS] = {"From", "To",     "Time of a run", "Share", "Calls of a run", "Mean", "Std",
                                                  "Min",  "Median", "p99",           "Max"};
    buf_str(&out->text, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Arcs of ");
    html_attribute(&out->text, program, TEXT_MOST);
    buf_str(&out->text, "\"><table class=\"list arcs\"><thead><tr>");
    for (int i = 0; i < COLUMNS; i++)
        buf_format(&out->text, "<th scope=\"col\"%s>%s</th>", i < 2 ? " class=\"place\"" : "", headings[i]);
    buf_str(&out->text, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < v->n_arcs; i++) {
        row(&out->text, v, v->arcs[i]);
        export_out_pass(out);
    }
    buf_str(&out->text,
            "</tbody></table></div>\n<p class=\"soft\">The overhead of the probes is subtracted from each time: one of a few "
            "ns may come out below 0; the end of an interval is then shown as 0. \xe2\x89\xa4: an upper bound, where the "
            "overhead is not known well enough for a "
            "mean. Times of threads are added, so that waiting counts beside what is waited for.");
    if (any_binned(v))
        buf_str(&out->text,
                " Median and p99 are read from bins an eighth of an octave wide, so within 12.5 % of the time with its "
                "overhead; where no run has more than two calls they are exact.");
    buf_str(&out->text, "</p>\n");
}

/* " All arcs: 1.69 ms of an average run." */
static void put_sum(struct buf *b, const struct graph *g)
{
    double ns = 0;
    for (int i = 0; i < g->n_arcs; i++)
        ns += isfinite(g->arcs[i].found->total_ns) ? g->arcs[i].found->total_ns : 0;
    if (!(ns > 0))
        return;
    buf_str(b, " All arcs: ");
    graph_time(b, ns);
    buf_str(b, " of an average run.");
}

/* What the picture shows of an arc: of one that has an upper bound only, what was estimated all the same. */
static void put_key(struct buf *b, const struct graph *g)
{
    bool bounded = false;
    for (int i = 0; i < g->n_arcs; i++)
        bounded = bounded || g->arcs[i].found->below_resolution;
    buf_format(
        b,
        " Beside each line: its time in an average run and its share of that of all arcs, which its width and colour show%s; "
        "below, its traversals in a run × their mean.",
        bounded ? " (of a ≤ the share that was estimated)" : "");
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
    put_sum(&text, &s.graph);
    put_key(&text, &s.graph);
    sentence(&out->text, &text);
    status = picture(&out->text, &s.view, arena, out->err);
    if (s.view.arcs_left || s.view.nodes_left) {
        buf_str(&text, "In the picture ");
        graph_left_out(&text, &s.view);
        buf_str(&text, " The table has all.");
    }
    sentence(&out->text, &text);
    buf_finish(&text);
    table(out, &all, s.graph.title);
    return status;
}

static bool has_pairs(const struct record *r)
{
    for (int i = 0; i < r->n_comparisons; i++)
        if (r->comparisons[i].arc)
            return true;
    return false;
}

/* For a reason of its own: not what the ratios of two sessions hold under. */
static bool is_open(const struct comparison *c)
{
    return c->arc && c->reason && !verdict_differs(c->verdict) && strncmp(c->reason, "if ", 3) != 0 &&
           strncmp(c->reason, "assuming ", 9) != 0;
}

/* " 2 arcs are undecided because a mean is below the resolution of the probe." Each reason once. */
static void put_open(struct buf *b, const struct record *r)
{
    for (int i = 0; i < r->n_comparisons; i++) {
        const struct comparison *c = &r->comparisons[i];
        int arcs = 0, before = 0;
        for (int k = 0; is_open(c) && k < r->n_comparisons; k++)
            if (is_open(&r->comparisons[k]) && same_text(r->comparisons[k].reason, c->reason)) {
                before += k < i;
                arcs++;
            }
        if (arcs && !before)
            buf_format(b, " %d %s %s because %s.", arcs, arcs == 1 ? "arc is" : "arcs are", verdict_word(c->verdict), c->reason);
    }
}

static void about_pairs(struct buf *b, const struct record *r)
{
    struct buf text = BUF_INIT(1 << 16);
    buf_str(&text,
            "Share: of the time of all arcs of the program that is compared with the first. Calls: of a run; two figures "
            "where the two programs differ. Change: the typical ratio of two runs, which need not be that of the two means "
            "beside it. Same: its interval is within the margin of ");
    figure_level(&text, r->rule.margin);
    buf_str(&text, "; faster or slower: it does not contain 0 %.");
    put_open(&text, r);
    html_element(b, "p class=\"soft\"", buf_text(&text));
    buf_finish(&text);
}

static enum tare_status write_pages(struct export_out *out, const struct record *r, const struct export_options *o)
{
    enum tare_status status = TARE_OK;
    if (has_pairs(r))
        about_pairs(&out->text, r);
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
    buf_format(&style, "%s%s%s", page_style, graph_picture_style, flame_style);
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
