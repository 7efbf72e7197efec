/* SPDX-License-Identifier: MIT
 *
 * A scan: how the metric that decides grows with a parameter, in words and as a picture.
 *
 *       time grows as n^1.02 (0.99–1.05)
 */
#include "layout.h"
#include "plots.h"
#include "quote.h"
#include "scan_lines.h"
#include <math.h>
#include <string.h>

/*     time, ms over n (medians, both axes logarithmic)
 *       20 ┤                                              ●
 *          │                               ●     ···
 *        5 ┤               ●     ·······
 *          │      ····
 *        2 ┤●
 *          └┬──────────────┬───────────────┬──────────────┬
 *           1              2               4              8
 *
 * The medians of the lines of a scan, and the straight line of the first one, on logarithmic axes where the values span a factor
 * of 8. A mark stands for the cell it is in; where curves share one they get a mark of its own. */

enum { ROWS = 12, FITTED = 1, FIRST_MARK = 2, SHARED = FIRST_MARK + CURVES_MAX };

static const char *const unicode_marks[] = {" ", "·", "●", "○", "▲", "△", "■", "□", "◆"};
static const char *const ascii_marks[] = {" ", ".", "o", "x", "+", "*", "#", "%", "@"};

struct drawing {
    struct canvas field;
    const struct curve *curves;
    int n_curves;
    struct unit unit;
};

static double height(struct page *p, int subject)
{
    return record_point(p->r, subject, p->r->rule.metric, "median");
}

static bool choose_axes(struct drawing *d)
{
    struct extent x = AXIS_NO_EXTENT, y = x;
    for (int i = 0; i < d->n_curves; i++)
        for (int j = 0; j < d->curves[i].line->n; j++) {
            double value = height(d->field.p, d->curves[i].line->subjects[j]);
            if (isfinite(value))
                extent_widen(&x, d->curves[i].line->values[j]);
            extent_widen(&y, value / d->unit.factor);
        }
    if (!(x.low < x.high) || !(y.low <= y.high) || !isfinite(y.high - y.low) || !isfinite(x.high - x.low))
        return false;
    bool logarithms = axis_wants_logarithm(x.low, x.high) && y.low > 0;
    d->field.x = axis_over(x.low, x.high, logarithms);
    d->field.y = axis_over(logarithms || y.low < 0 ? y.low : 0, y.high, logarithms);
    return true;
}

static void mark_medians(struct drawing *d, int curve)
{
    const struct scan_line *line = d->curves[curve].line;
    for (int j = 0; j < line->n; j++) {
        int cell = canvas_cell(&d->field, line->values[j], height(d->field.p, line->subjects[j]) / d->unit.factor);
        if (cell < 0)
            continue;
        bool taken = d->field.cells[cell] >= FIRST_MARK && d->field.cells[cell] != FIRST_MARK + curve;
        d->field.cells[cell] = (char)(taken ? SHARED : FIRST_MARK + curve);
    }
}

static void mark_fitted(struct drawing *d, const struct curve *curve)
{
    if (isnan(curve->slope) || curve->line->positive == curve->line->n)
        return;
    const struct scan_line *line = curve->line;
    double sum = 0;
    for (int j = line->positive; j < line->n; j++)
        sum += log(line->values[j]);
    double middle = sum / (line->n - line->positive);
    for (int column = 0; column < d->field.columns; column++) {
        double x = canvas_x(&d->field, column);
        int cell = x > 0 ? canvas_cell(&d->field, x, curve->middle * exp(curve->slope * (log(x) - middle)) / d->unit.factor) : -1;
        if (cell >= 0)
            d->field.cells[cell] = FITTED;
    }
}

/* The measured values, where they are few. */
static int x_ticks(const struct drawing *d, double *ticks)
{
    const struct scan_line *line = d->curves[0].line;
    if (line->n > AXIS_TICKS_MAX)
        return axis_ticks(&d->field.x, d->field.columns / 8, ticks);
    int n = 0;
    for (int j = 0; j < line->n; j++)
        if (axis_place(&d->field.x, line->values[j]) >= 0)
            ticks[n++] = line->values[j];
    return n;
}

static void draw_heading(struct drawing *d)
{
    struct page *p = d->field.p;
    flow_begin(p, 4, 4);
    buf_str(&p->piece, !strcmp(p->r->rule.metric, "wall") ? "time" : "");
    if (!p->piece.len)
        put_title(p, p->r->rule.metric, 40);
    buf_str(&p->piece, *d->unit.name ? "," : "");
    unit_put(&p->piece, d->unit);
    buf_str(&p->piece, " over ");
    put_text(p, d->curves[0].line->parameter);
    buf_str(&p->piece, d->field.x.logarithmic ? " (medians, both axes logarithmic)" : " (medians)");
    flow_put_hued(p, "", HUE_DIM);
    flow_end(p);
}

static void draw_legend(struct drawing *d)
{
    struct page *p = d->field.p;
    flow_begin(p, CANVAS_LABEL, CANVAS_LABEL);
    for (int i = 0; i < d->n_curves && d->n_curves > 1; i++) {
        buf_format(&p->piece, "%s ", d->field.marks[FIRST_MARK + i]);
        quote_name(&p->piece, d->curves[i].title, name_columns(p, 2), p->o->unicode);
        flow_put(p, "  ");
    }
    if (memchr(d->field.cells, SHARED, (size_t)ROWS * (size_t)d->field.columns)) {
        buf_str(&p->piece, p->o->unicode ? "◆ several" : "@ several");
        flow_put(p, "  ");
    }
    flow_end(p);
}

/* Curves over one parameter in one picture; nothing where there is no room for one. */
static void plot_curves(struct page *p, const struct curve *curves, int n)
{
    struct drawing d = {
        .field = {.p = p, .rows = ROWS, .columns = canvas_columns(p), .marks = p->o->unicode ? unicode_marks : ascii_marks},
        .curves = curves,
        .n_curves = n,
        .unit = metric_unit(p, p->r->rule.metric)};
    if (d.field.columns < CANVAS_NARROWEST || !choose_axes(&d) || !canvas_begin(&d.field))
        return;
    double ticks[AXIS_TICKS_MAX];
    int n_ticks = x_ticks(&d, ticks);
    for (int i = 0; i < n; i++)
        mark_fitted(&d, &curves[i]);
    for (int i = 0; i < n; i++)
        mark_medians(&d, i);
    draw_heading(&d);
    canvas_draw(&d.field, ticks, n_ticks);
    draw_legend(&d);
    canvas_end(&d.field);
}

enum { LINES_SHOWN = 8, SLOPE_NEEDS = 3 };

static void put_reason(struct page *p, const char *before, const struct estimate *slope)
{
    if (!slope->reason)
        return;
    buf_str(&p->piece, before);
    put_text(p, slope->reason);
}

/* Two parameters may have lines that begin with the same command. */
static bool is_about(const struct finding *f, const struct scan_line *line)
{
    const char *before = "not a power of ", *text = f->text;
    size_t n = strlen(before), m = strlen(line->parameter);
    return !strcmp(f->id, GROWTH_FINDING) && f->subject == line->subjects[0] && !strncmp(text, before, n) &&
           !strncmp(text + n, line->parameter, m) && text[n + m] == ':';
}

static bool is_no_power(const struct record *r, const struct scan_line *line)
{
    return scan_is_bent(r, line) || scan_off_power(r, line) >= 0;
}

static void put_sentence(struct page *p, const struct scan_line *line, const struct estimate *slope)
{
    if (isnan(slope->point)) {
        buf_str(&p->piece, "no slope");
        put_reason(p, ": ", slope);
        flow_spread(p, " ", HUE_PLAIN);
        return;
    }
    if (!strcmp(p->r->rule.metric, "wall"))
        buf_str(&p->piece, "time");
    else
        put_title(p, p->r->rule.metric, 40);
    buf_format(&p->piece, " %s ",
               !has_interval(slope) ? "goes as"
               : slope->low > 0     ? is_no_power(p->r, line) ? "grows on average as" : "grows as"
               : slope->high < 0    ? is_no_power(p->r, line) ? "falls on average as" : "falls as"
                                    : "stays near");
    put_text(p, line->parameter);
    buf_char(&p->piece, '^');
    figure_exponent(&p->piece, slope->point, slope->low, slope->high);
    flow_put(p, " ");
    if (has_interval(slope) && slope->low <= 0 && slope->high >= 0)
        buf_str(&p->piece, "(no growth proven)");
    else if (!has_interval(slope))
        put_reason(p, "(no interval: ", slope);
    if (!has_interval(slope) && slope->reason)
        buf_char(&p->piece, ')');
    flow_spread(p, " ", HUE_PLAIN);
    if (line->positive) {
        buf_format(&p->piece, "(without the %d value%s that %s not above 0)", line->positive, buf_plural(line->positive),
                   line->positive == 1 ? "is" : "are");
        flow_spread(p, " ", HUE_DIM);
    }
}

static const struct {
    const char *before, *after; /* of the parameter; NULL: without it */
} classes[SCAN_CLASSES] = {{"a constant", NULL}, {"log ", ""}, {"", ""}, {"", " log "}, {"", "^2"}, {"", "^3"}};

static void put_class(struct page *p, const struct scan_line *line, int class)
{
    buf_str(&p->piece, classes[class].before);
    if (!classes[class].after)
        return;
    put_text(p, line->parameter);
    buf_str(&p->piece, classes[class].after);
    if (!strcmp(classes[class].after, " log "))
        put_text(p, line->parameter);
}

/* One whose time would have to begin below 0 is the less likely. */
static void put_candidate(struct page *p, const struct scan_line *line, int class)
{
    put_class(p, line, class);
    if (scan_class_is_below(p->r, line, (enum scan_class) class))
        buf_str(&p->piece, " (its constant is below 0)");
}

/* "with a constant added, n log n is nearest, but misses n = 100 by 45 % (40–50)": that no other one fits is not proven */
static void render_no_class(struct page *p, const struct scan_line *line, int best, int at)
{
    const struct estimate *e = scan_estimate(p->r, line, at, "off_class");
    const double low = fmin(fabs(e->low), fabs(e->high)), high = fmax(fabs(e->low), fabs(e->high));
    const int decimals = interval_decimals(100 * fabs(e->point), 100 * low, 100 * high);
    buf_str(&p->piece, "with a constant added, ");
    put_class(p, line, best);
    buf_str(&p->piece, " is nearest, but misses ");
    put_text(p, line->parameter);
    buf_str(&p->piece, " = ");
    put_text(p, subject_parameter(&p->r->subjects[line->subjects[at]], line->parameter));
    buf_str(&p->piece, " by ");
    figure_put(&p->piece, 100 * fabs(e->point), decimals);
    buf_str(&p->piece, " % (");
    figure_range(&p->piece, 100 * low, 100 * high, unit_one, decimals);
    buf_char(&p->piece, ')');
    flow_line(p, 4, HUE_PLAIN);
}

/* "with a constant added, n log n fits best; cannot separate from it: n (its constant is below 0)" */
static void render_classes(struct page *p, const struct scan_line *line)
{
    const struct estimate *e[SCAN_CLASSES];
    int best = -1, alike = 0, tested = 0;
    for (int i = 0; i < SCAN_CLASSES; i++) {
        e[i] = scan_estimate(p->r, line, 0, scan_class_names[i].excess);
        if (e[i] && best < 0 && e[i]->point == 0 && e[i]->low == 0 && e[i]->high == 0)
            best = i;
    }
    if (best < 0)
        return;
    const int off = scan_class_missed(p->r, line);
    if (off >= 0) {
        render_no_class(p, line, best, off);
        return;
    }
    buf_str(&p->piece, "with a constant added, ");
    put_candidate(p, line, best);
    buf_str(&p->piece, " fits best");
    for (int i = 0; i < SCAN_CLASSES; i++)
        tested += e[i] && i != best && isfinite(e[i]->low);
    for (int i = 0; i < SCAN_CLASSES && tested; i++)
        if (e[i] && i != best && !(e[i]->low > 0)) {
            buf_str(&p->piece, alike++ ? ", " : "; cannot separate from it: ");
            put_candidate(p, line, i);
        }
    if (!tested)
        buf_str(&p->piece, " (not tested)");
    else if (!alike)
        buf_str(&p->piece, ", better than the other classes");
    flow_line(p, 4, HUE_PLAIN);
}

static void put_finding_advice(struct page *p, int indent, const char *text)
{
    flow_begin(p, indent, indent + (p->o->unicode ? 2 : 3)); /* behind the arrow */
    buf_str(&p->piece, "→ ");
    put_text(p, text);
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

static void render_line(struct page *p, const struct scan_line *line, const struct estimate *slope, const char *title)
{
    flow_begin(p, 2, 4);
    if (line->several) {
        quote_name(&p->piece, title, name_columns(p, 2), p->o->unicode);
        buf_char(&p->piece, ':');
        flow_put(p, "");
    }
    put_sentence(p, line, slope);
    flow_end(p);
    render_classes(p, line);
    /* What the checks found about this line stands with it. */
    for (int i = 0; i < p->r->n_findings; i++) {
        const struct finding *f = &p->r->findings[i];
        if (!is_about(f, line))
            continue;
        put_text(p, f->text);
        flow_line(p, 4, HUE_PLAIN);
        if (f->advice && p->o->verbosity > 0)
            put_finding_advice(p, 4, f->advice);
    }
}

/* With -v: how the slope was found. */
static bool put_heading(struct page *p, const struct scan_line *line, const struct estimate *slope)
{
    if (p->o->verbosity <= 0)
        return true;
    blank_line(p);
    flow_begin(p, 0, 2);
    buf_str(&p->piece, "Growth with ");
    put_text(p, line->parameter);
    flow_put_hued(p, "", HUE_BOLD);
    if (has_interval(slope)) {
        buf_format(&p->piece, "(slope on logarithms, of each round's least-squares line; %s interval by ",
                   figure_text(figure_level, slope->confidence).at);
        put_text(p, slope->method);
        buf_format(&p->piece, ", n = %d)", slope->n);
        flow_spread(p, " ", HUE_DIM);
    }
    flow_end(p);
    return true;
}

static void fill_curve(struct page *p, const struct scan_line *line, const char *title, struct curve *out)
{
    const struct estimate *slope = scan_estimate(p->r, line, 0, "slope"), *middle = scan_estimate(p->r, line, 0, "line_middle");
    *out = (struct curve){.title = title, .line = line, .slope = NAN, .middle = NAN};
    if (slope && middle && middle->point > 0) {
        out->slope = slope->point;
        out->middle = middle->point;
    }
}

/* The lines over one parameter: lines[0..n). */
static void render_parameter(struct page *p, const struct scan_line *lines, int n)
{
    struct arena arena = {0};
    struct curve curves[CURVES_MAX];
    int shown = p->o->verbosity > 0 || n <= LINES_SHOWN ? n : LINES_SHOWN, drawn = 0;
    bool headed = false;
    for (int i = 0; i < shown; i++) {
        const struct estimate *slope = scan_estimate(p->r, &lines[i], 0, "slope");
        const char *title = scan_title(p->r, &lines[i], &arena);
        if (!slope || !title || (lines[i].n < SLOPE_NEEDS && p->o->verbosity <= 0))
            continue;
        headed = headed || put_heading(p, &lines[i], slope);
        render_line(p, &lines[i], slope, title);
        if (drawn < CURVES_MAX)
            fill_curve(p, &lines[i], title, &curves[drawn++]);
    }
    if (headed && shown < n) {
        buf_format(&p->piece, "%d more line%s with -v", n - shown, buf_plural(n - shown));
        flow_line(p, 2, HUE_DIM);
    }
    if (p->o->verbosity > 0 && drawn && lines[0].distinct >= SLOPE_NEEDS)
        plot_curves(p, curves, drawn);
    arena_finish(&arena);
}

static void render_unreadable(struct page *p)
{
    const char *value, *name = p->r->n_comparisons ? scan_unreadable(p->r, &value) : NULL;
    if (!name)
        return;
    buf_str(&p->piece, "growth with ");
    put_text(p, name);
    buf_str(&p->piece, ": no slope, for '");
    put_text(p, value);
    buf_str(&p->piece, "' is not a plain number");
    flow_line(p, 2, HUE_PLAIN);
}

void render_growth(struct page *p)
{
    struct arena arena = {0};
    const struct scan_line *lines;
    const int n = scan_lines(p->r, &arena, &lines);
    if (n < 0)
        p->out->status = TARE_NO_MEMORY;
    for (int i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && lines[next].parameter == lines[i].parameter;)
            next++;
        render_parameter(p, lines + i, next - i);
    }
    if (p->o->verbosity >= 0 && !record_is_of_two_sessions(p->r))
        render_unreadable(p);
    arena_finish(&arena);
}
