/* SPDX-License-Identifier: MIT
 *
 * The page of commands and benchmarks: the answer, the comparisons as a picture, the table, and of each result its runs in pictures. Sessions of other
 * kinds that have no page of their own get the table, their pictures, and what all pages have. */
#include "chart_export.h"
#include "chart_svg.h"
#include "html.h"
#include "quote.h"
#include "record_kind.h"
#include "verdict_text.h"
#include <math.h>
#include <string.h>

enum { TEXT_MOST = 4000, SECTIONS_MOST = 60, OPEN_MOST = 3, MARKS = 2000, MARKS_LEAST = 100, FOREST_MOST = 200 };

/* ---- the table ---- */

static void cells(struct buf *b, const char *tag, const struct buf *texts, int n)
{
    buf_str(b, "<tr>");
    for (int i = 0; i < n; i++) {
        buf_format(b, "<%s>", tag);
        svg_text(b, buf_text(&texts[i]), TEXT_MOST);
        buf_format(b, "</%.*s>", (int)strcspn(tag, " "), tag);
    }
    buf_str(b, "</tr>\n");
}

static void head(struct buf *b, const struct buf *texts, int n)
{
    buf_str(b, "<table class=\"list\"><thead>\n");
    cells(b, "th scope=\"col\"", texts, n);
    buf_str(b, "</thead><tbody>\n");
}

static void row(struct buf *b, const struct buf *texts, int n)
{
    cells(b, "td", texts, n);
}

static void foot(struct buf *b)
{
    buf_str(b, "</tbody></table>\n");
}

/* As it is: a row makes all of its cells harmless. */
static void command(struct buf *b, const char *text)
{
    buf_str(b, text);
}

const struct markup markup_html = {.head = head, .row = row, .foot = foot, .command = command};

/* ---- comparisons as a picture ---- */

enum { FOREST_ROW = 40, FOREST_TOP = 44, FOREST_FOOT = 52 };

static bool in_forest(const struct comparison *c)
{
    return c && !results_by_difference(c) && isfinite(c->shift) && c->verdict != VERDICT_INVALID &&
           c->verdict != VERDICT_NOT_COMPARABLE;
}

static const struct comparison *comparison_of(const struct record *r, int subject)
{
    const struct comparison *c = subject_compared(&r->subjects[subject]) ? results_comparison(r, subject) : NULL;
    return c && !c->arc ? c : NULL;
}

static void put_verdict(struct buf *b, const struct record *r, const struct comparison *c)
{
    const bool refused = c->verdict == VERDICT_INVALID || c->verdict == VERDICT_NOT_COMPARABLE;
    if (refused || (c->verdict != VERDICT_NONE && !verdict_in_effect(c)))
        buf_format(b, "%s%s", verdict_word(c->verdict), refused ? "" : " ");
    if (refused || !isfinite(c->shift))
        return;
    verdict_put_effect(b, r, c);
    if (!isfinite(c->low) || !isfinite(c->high))
        buf_str(b, " (no interval)");
}

/* "sort/100" of two programs, "new vs old"; masked. */
static void put_pair(struct buf *b, const struct record *r, const struct comparison *c, int most, int most_reference)
{
    const struct subject *one = &r->subjects[c->subject], *other = &r->subjects[c->reference];
    const bool same = one->benchmark && other->benchmark && !strcmp(one->benchmark, other->benchmark);
    quote_cut(b, same ? one->benchmark : one->name, same ? most + most_reference : most, true);
    if (same)
        return;
    buf_str(b, " vs ");
    quote_cut(b, other->name, most_reference, true);
}

static bool forest_axis(const struct record *r, struct frame *f, double *margin)
{
    double low = 0, high = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        const struct comparison *c = comparison_of(r, i);
        if (!in_forest(c))
            continue;
        *margin = c->margin;
        low = fmin(low, isfinite(c->low) ? c->low : c->shift);
        high = fmax(high, isfinite(c->high) ? c->high : c->shift);
    }
    const double beside = fmax(log1p(*margin > 0 ? *margin : 0), (high - low) / 30);
    if (!isfinite(exp(high + beside)) || !(exp(low - beside) > 0) || !(high + beside > low - beside))
        return false;
    f->x = axis_over(exp(low - beside), exp(high + beside), true);
    return true;
}

static void forest_row(struct picture *p, const struct frame *f, const struct comparison *c, double top)
{
    struct buf *b = &p->out.text, effect = BUF_INIT(1 << 10), pair = BUF_INIT(1 << 10);
    const double y = top + 26;
    put_verdict(&effect, p->r, c);
    put_pair(&pair, p->r, c, 44, 24);
    buf_str(b, "<g><title>");
    svg_text(b, buf_text(&pair), 80);
    buf_str(b, ": ");
    svg_text(b, buf_text(&effect), 100);
    buf_format(b, "</title>\n<text x=\"%.1f\" y=\"%.1f\">", f->left, top + 14);
    svg_text(b, buf_text(&pair), 80);
    buf_format(b, "</text><text class=\"end\" x=\"%.1f\" y=\"%.1f\">", f->right, top + 14);
    svg_text(b, buf_text(&effect), 100);
    buf_str(b, "</text>\n");
    if (isfinite(c->low) && isfinite(c->high))
        buf_format(b, "<path class=\"bar c0\" d=\"M%.1f %.1fH%.1fm0 -4v8M%.1f %.1fv8\"/>", svg_x(f, exp(c->low)), y,
                   svg_x(f, exp(c->high)), svg_x(f, exp(c->low)), y - 4);
    buf_format(b, "<circle class=\"c0\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/></g>\n", svg_x(f, exp(c->shift)), y);
    buf_finish(&effect);
    buf_finish(&pair);
}

static void forest_ground(struct picture *p, const struct frame *f, double margin)
{
    struct buf *b = &p->out.text;
    const double left = fmax(svg_x(f, 1 / (1 + margin)), f->left), right = fmin(svg_x(f, 1 + margin), f->right);
    if (margin > 0)
        buf_format(b,
                   "<rect class=\"shaded\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>within the "
                   "margin</title></rect>\n",
                   left, f->top, right - left, f->bottom - f->top);
    buf_format(b, "<path class=\"rule\" d=\"M%.1f %.1fV%.1f\"/>\n", svg_x(f, 1), f->top, f->bottom);
}

/* Each with its interval and verdict, against the line of no difference and the margin. */
static void forest(struct picture *p)
{
    const struct record *r = p->r;
    struct frame f = {.left = SVG_RIGHT, .right = SVG_WIDTH - SVG_RIGHT, .top = FOREST_TOP};
    double margin = 0;
    int n = 0;
    for (int i = 0; i < r->n_subjects && n < FOREST_MOST; i++)
        n += in_forest(comparison_of(r, i));
    if (!n || !forest_axis(r, &f, &margin))
        return;
    f.bottom = FOREST_TOP + FOREST_ROW * n;
    html_picture_begin(&p->out, FOREST_TOP + FOREST_ROW * n + FOREST_FOOT, "Comparisons");
    buf_format(&p->out.text, "<text class=\"heading\" x=\"%d\" y=\"24\">Comparisons, with their intervals</text>\n", SVG_RIGHT);
    forest_ground(p, &f, margin);
    svg_x_axis(p, &f, "ratio; 1: equal");
    for (int i = 0, row = 0; i < r->n_subjects && row < n; i++)
        if (in_forest(comparison_of(r, i))) {
            forest_row(p, &f, comparison_of(r, i), FOREST_TOP + FOREST_ROW * row++);
            export_out_pass(&p->out);
        }
    html_picture_end(&p->out);
}

/* ---- the runs of each ---- */

/* A subject that others are compared with alone has its runs in their pictures. */
static bool has_section(const struct record *r, int subject)
{
    if (!subject_measured(&r->subjects[subject]) || r->series[subject].main.n < 2)
        return false;
    if (comparison_of(r, subject))
        return true;
    for (int i = 0; i < r->n_subjects; i++)
        if (comparison_of(r, i) && comparison_of(r, i)->reference == subject)
            return false;
    return true;
}

static void section_head(struct buf *b, const struct record *r, int subject, bool open)
{
    const struct comparison *c = comparison_of(r, subject);
    struct buf text = BUF_INIT(1 << 16);
    buf_format(b, "<details%s><summary>", open ? " open" : "");
    if (c) {
        put_pair(&text, r, c, 400, 400);
        buf_str(&text, ": ");
        put_verdict(&text, r, c);
    } else {
        buf_str(&text, r->subjects[subject].name);
    }
    html_element(b, "h2", buf_text(&text));
    buf_str(b, "</summary>\n");
    if (c && c->reason)
        html_element(b, "p", c->reason);
    buf_finish(&text);
}

static enum tare_status section(struct picture *p, const struct export_options *o, int subject, int marks, bool open)
{
    struct arena arena = {0};
    struct chart charts[RUNS_CHARTS_MAX];
    const struct comparison *c = comparison_of(p->r, subject);
    struct runs_charts m = {
        .r = p->r, .unit = p->unit, .most = marks, .shifts = o->shifts, .make = {.arena = &arena, .out = charts}};
    charts_of_runs(&m, subject, c ? c->reference : -1);
    section_head(&p->out.text, p->r, subject, open);
    const struct unit unit = p->unit;
    p->unit = unit_one; /* the titles of the axes have it */
    for (int i = 0; i < m.make.n && !m.make.failed; i++)
        html_chart(p, &charts[i]);
    p->unit = unit;
    buf_str(&p->out.text, "</details>\n");
    arena_finish(&arena);
    return m.make.failed ? TARE_NO_MEMORY : TARE_OK;
}

/* Those that differ first. */
static enum tare_status sections(struct picture *p, const struct export_options *o)
{
    const struct record *r = p->r;
    int n = 0, drawn = 0;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < r->n_subjects; i++)
        n += has_section(r, i);
    const int shown = n < SECTIONS_MOST ? n : SECTIONS_MOST, share = shown ? 4 * MARKS / shown : MARKS;
    for (int differing = 1; differing >= 0; differing--)
        for (int i = 0; i < r->n_subjects && drawn < shown && !status; i++) {
            const struct comparison *c = comparison_of(r, i);
            if (has_section(r, i) && (c && verdict_differs(c->verdict)) == differing)
                status = section(p, o, i, share > MARKS ? MARKS : share < MARKS_LEAST ? MARKS_LEAST : share, drawn++ < OPEN_MOST);
        }
    if (shown < n)
        buf_format(&p->out.text, "<p>Pictures of %d of %d results; the table has all.</p>\n", shown, n);
    return status;
}

/* ---- the page ---- */

/* A picture that is a file of its own elsewhere. NO_MEMORY: what there is none of leaves no trace. */
static enum tare_status figure_of(struct export_out *out, kind_write *write, const struct record *r,
                                  const struct export_options *o)
{
    struct buf svg = BUF_INIT(1 << 26);
    struct sink sink = sink_to_buf(&svg);
    struct tare_err err;
    enum tare_status status = write(r, o, &sink, &err);
    if (!status) {
        buf_str(&out->text, "<figure tabindex=\"0\">\n");
        buf_add(&out->text, buf_text(&svg), svg.len);
        buf_str(&out->text, "</figure>\n");
        export_out_pass(out);
    }
    buf_finish(&svg);
    return status == TARE_NO_MEMORY ? status : TARE_OK;
}

static enum tare_status memory_over_time(struct picture *p)
{
    struct arena arena = {0};
    const struct chart *charts;
    const int n = timeline_charts(p->r, &arena, &charts);
    if (n > 0)
        html_element(&p->out.text, "h2", "Memory over time");
    const struct unit unit = p->unit;
    p->unit = unit_one; /* the titles of the axes have it */
    for (int i = 0; i < n; i++)
        html_chart(p, &charts[i]);
    p->unit = unit;
    arena_finish(&arena);
    return n < 0 ? TARE_NO_MEMORY : TARE_OK;
}

static bool has_scan(const struct record *r)
{
    struct arena arena = {0};
    const struct scan_line *lines;
    const int n = scan_lines(r, &arena, &lines);
    bool any = false;
    for (int i = 0; i < n; i++)
        any = any || lines[i].n >= 3;
    arena_finish(&arena);
    return any;
}

static void put_title(struct buf *b, const struct record *r)
{
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++)
        n += subject_measured(&r->subjects[i]);
    buf_str(b, "tare: ");
    for (int i = 0, k = 0; n <= 2 && i < r->n_subjects; i++)
        if (subject_measured(&r->subjects[i]))
            buf_format(b, "%s%s", k++ ? " and " : "", r->subjects[i].name);
    if (n > 2)
        buf_format(b, "%d ", n);
    if (n == 0 || n > 2)
        buf_str(b, record_kind(r)->results);
}

static enum tare_status table(struct picture *p, const struct kind_export *k, const struct export_options *o,
                              const struct sink *sink, struct tare_err *err)
{
    buf_str(&p->out.text, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Results\">\n");
    enum tare_status status = export_out_flush(&p->out);
    if (!status)
        status = k->table(&markup_html, p->r, o, sink, err);
    buf_str(&p->out.text, "</div>\n");
    return status;
}

enum tare_status html_table_write(const struct kind_export *k, const struct record *r, const struct export_options *o,
                                  const struct sink *sink, struct tare_err *err)
{
    struct picture p = {.r = r, .unit = svg_unit(r, o->time_unit)};
    struct buf title = BUF_INIT(1 << 20), style = BUF_INIT(1 << 16);
    const bool runs = k->table == markup_write;
    if (o->title)
        buf_str(&title, o->title);
    else
        put_title(&title, r);
    buf_format(&style,
               "td,th{text-align:right}td{white-space:nowrap}th{vertical-align:bottom;overflow-wrap:normal}td:first-child,th:"
               "first-child{text-align:left;white-space:normal;min-"
               "width:9em}%s%s",
               svg_style, chart_svg_style);
    export_out_begin(&p.out, sink, err);
    html_begin(&p.out, r, o, buf_text(&title), buf_text(&style));
    if (runs)
        forest(&p);
    enum tare_status status = r->n_subjects ? table(&p, k, o, sink, err) : TARE_OK;
    if (!status && r->n_subjects && (!runs || has_scan(r)))
        status = figure_of(&p.out, k->svg, r, o);
    if (!status && runs)
        status = sections(&p, o);
    if (!status)
        status = memory_over_time(&p);
    html_end(&p.out, r);
    buf_finish(&title);
    buf_finish(&style);
    enum tare_status written = export_out_end(&p.out);
    return written ? written : status == TARE_NO_MEMORY ? err_no_memory(err) : status;
}
