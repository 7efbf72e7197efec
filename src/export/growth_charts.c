/* SPDX-License-Identifier: MIT */
#include "growth_charts.h"
#include "axis.h"
#include "results.h"
#include "units.h"
#include <math.h>
#include <string.h>

enum { LEAST = 3 /* values */, STEPS = 64 };

struct growth {
    const struct record *r;
    const char *time_unit;
    struct chart_maker make;
    struct growth_chart *charts;
    int n;
};

double growth_fitted(const struct growth_curve *c, double x)
{
    return x > 0 ? c->factor * pow(x, c->exponent) : NAN;
}

/* " (./old)" of one of several programs, " (old.jsonl)" of one of two sessions. */
static const char *suffix_of(const struct subject *s)
{
    const size_t n = s->benchmark ? strlen(s->benchmark) : 0;
    return n && !strncmp(s->name, s->benchmark, n) ? s->name + n : "";
}

/* "sort/n:{n}" of all programs. */
static const char *family(struct growth *g, const struct scan_line *line)
{
    const char *title = scan_title(g->r, line, g->make.arena), *suffix = suffix_of(&g->r->subjects[line->subjects[0]]);
    const size_t n = title ? strlen(title) : 0, m = strlen(suffix);
    g->make.failed = g->make.failed || !title;
    return n > m && !strcmp(title + n - m, suffix) ? chart_text(&g->make, "%.*s", (int)(n - m), title) : title;
}

static const char *curve_name(struct growth *g, const struct scan_line *line)
{
    const char *suffix = suffix_of(&g->r->subjects[line->subjects[0]]);
    const size_t n = strlen(suffix);
    return n > 3 ? chart_text(&g->make, "%.*s", (int)(n - 3), suffix + 2) : scan_title(g->r, line, g->make.arena);
}

static bool share_a_chart(const struct record *r, const struct scan_line *a, const struct scan_line *b)
{
    const struct subject *x = &r->subjects[a->subjects[0]], *y = &r->subjects[b->subjects[0]];
    return !strcmp(a->parameter, b->parameter) && !x->benchmark == !y->benchmark &&
           (!x->benchmark || !strcmp(x->benchmark, y->benchmark));
}

static void fit_curve(struct growth *g, struct growth_curve *c)
{
    const struct estimate *slope = scan_estimate(g->r, c->line, 0, "slope"),
                          *middle = scan_estimate(g->r, c->line, 0, "line_middle");
    const int n = c->line->n - c->line->positive;
    double sum = 0;
    c->factor = c->exponent = NAN;
    if (!slope || !middle || !n || !isfinite(slope->point) || !(middle->point > 0))
        return;
    for (int j = c->line->positive; j < c->line->n; j++)
        sum += log(c->line->values[j]);
    c->exponent = slope->point;
    c->factor = middle->point / exp(slope->point * sum / n);
}

/* "old: 4.21 ns × n^0.98 (0.97–0.99)" */
static const char *fit_name(struct growth *g, const struct growth_curve *c)
{
    const struct estimate *slope = scan_estimate(g->r, c->line, 0, "slope");
    const struct metric *metric = record_metric(g->r, g->r->rule.metric);
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "%s%s", c->name ? c->name : "", c->name ? ": " : "");
    figure_scaled(&b, metric ? metric->unit : "1", c->factor, FIGURE_DIGITS);
    buf_format(&b, " \xc3\x97 %s^", c->line->parameter);
    figure_exponent(&b, slope->point, slope->low, slope->high);
    const char *kept = arena_keep(g->make.arena, &b);
    g->make.failed = g->make.failed || !kept;
    return kept;
}

static struct unit unit_of(const struct growth *g, const struct growth_chart *c)
{
    const struct metric *metric = record_metric(g->r, g->r->rule.metric);
    struct unit u;
    double sum = 0;
    int n = 0;
    if (g->time_unit && metric && !strcmp(metric->unit, "ns") && unit_named("ns", g->time_unit, &u))
        return u;
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->curves[i].line->n; j++) {
            const double median = record_point(g->r, c->curves[i].line->subjects[j], g->r->rule.metric, "median");
            sum += median > 0 ? log(median) : 0;
            n += median > 0;
        }
    return unit_for(metric ? metric->unit : "1", n ? exp(sum / n) : 0);
}

static struct chart_line marks_of(struct growth *g, const struct growth_curve *c, struct unit u)
{
    const char *metric = g->r->rule.metric;
    double *of[4];
    int n = 0;
    for (int i = 0; i < 4; i++)
        of[i] = chart_column(&g->make, c->line->n);
    for (int j = 0; j < c->line->n && !g->make.failed; j++) {
        const int subject = c->line->subjects[j];
        const double median = record_point(g->r, subject, metric, "median");
        if (!isfinite(median))
            continue;
        const double low = results_low(g->r, subject, metric, "median"), high = results_high(g->r, subject, metric, "median");
        of[0][n] = c->line->values[j];
        of[1][n] = median / u.factor;
        of[2][n] = isfinite(high - low) ? low / u.factor : NAN;
        of[3][n++] = isfinite(high - low) ? high / u.factor : NAN;
    }
    return (struct chart_line){c->name, CHART_POINTS, n, of[0], of[1], of[2], of[3]};
}

/* Over the values that it was fitted to. */
static struct chart_line fit_line(struct growth *g, const struct growth_curve *c, struct unit u)
{
    double *x = chart_column(&g->make, STEPS + 1), *y = chart_column(&g->make, STEPS + 1);
    const double first = c->line->values[c->line->positive], last = c->line->values[c->line->n - 1];
    for (int i = 0; i <= STEPS && !g->make.failed; i++) {
        x[i] = first * pow(last / first, (double)i / STEPS);
        y[i] = growth_fitted(c, x[i]) / u.factor;
    }
    return (struct chart_line){fit_name(g, c), CHART_LINE, STEPS + 1, x, y, NULL, NULL};
}

/* A bend is said from where a remark of scans begins; and why there is no line. */
static const char *says_of(struct growth *g, const char *says, const struct growth_curve *c)
{
    static const char *const names[] = {"slope", "slope_smallest", "slope_largest"};
    const char *of = c->name ? " for " : "", *name = c->name ? c->name : "";
    const struct estimate *e[3];
    for (int i = 0; i < 3; i++)
        e[i] = scan_estimate(g->r, c->line, 0, names[i]);
    if (isnan(c->exponent))
        return e[0] && e[0]->reason ? chart_text(&g->make, "%s No power%s%s: %s.", says, of, name, e[0]->reason) : says;
    if (!scan_is_bent(g->r, c->line) || !e[1] || !e[2])
        return says;
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "%s No single power%s%s: the exponent of a parabola through the logarithms goes from ", says, of, name);
    figure_put(&b, e[1]->point, 2);
    buf_str(&b, " at the smallest to ");
    figure_put(&b, e[2]->point, 2);
    buf_format(&b, " at the largest %s.", c->line->parameter);
    const char *kept = arena_keep(g->make.arena, &b);
    g->make.failed = g->make.failed || !kept;
    return kept;
}

static void choose_scales(struct chart *c)
{
    struct extent x = AXIS_NO_EXTENT, y = x;
    for (int i = 0; i < c->n_lines; i++)
        for (int j = 0; j < c->lines[i].n; j++) {
            extent_widen(&x, c->lines[i].x[j]);
            extent_widen(&y, c->lines[i].y[j]);
            if (c->lines[i].low)
                extent_widen(&y, c->lines[i].low[j]);
        }
    c->logarithmic_x = c->logarithmic_y = axis_wants_logarithm(x.low, x.high) && y.low > 0;
}

static bool any_interval(const struct growth *g, const struct scan_line *line)
{
    const char *metric = g->r->rule.metric;
    for (int j = 0; j < line->n; j++)
        if (isfinite(results_high(g->r, line->subjects[j], metric, "median") -
                     results_low(g->r, line->subjects[j], metric, "median")))
            return true;
    return false;
}

static void draw_chart(struct growth *g, struct growth_chart *of)
{
    const struct metric *metric = record_metric(g->r, g->r->rule.metric);
    const struct scan_line *line = of->curves[0].line;
    const struct unit u = unit_of(g, of);
    const char *cost = metric ? metric->title : g->r->rule.metric;
    const char *title = of->n > 1 && !g->r->subjects[line->subjects[0]].benchmark
                            ? chart_text(&g->make, "%s over %s", cost, line->parameter)
                            : family(g, line);
    bool fitted = false, by_rounds = false, bounded = false;
    for (int i = 0; i < of->n; i++) {
        const struct estimate *slope = scan_estimate(g->r, of->curves[i].line, 0, "slope");
        fitted = fitted || !isnan(of->curves[i].exponent);
        bounded = bounded || any_interval(g, of->curves[i].line);
        by_rounds = by_rounds || (slope && slope->n > 1);
    }
    const char *says = bounded ? "Medians with their intervals" : "Medians";
    says = fitted ? chart_text(&g->make, "%s; dashed: the power of %s that fits %s best.", says, line->parameter,
                               by_rounds ? "the rounds" : "them")
                  : chart_text(&g->make, "%s.", says);
    for (int i = 0; i < of->n; i++)
        says = says_of(g, says, &of->curves[i]);
    if (line->nameless)
        says =
            chart_text(&g->make, "%s %s is the number in the names; tare assumes that it is an argument.", says, line->parameter);
    struct chart *c = chart_add(&g->make, "growth", title, says);
    c->x_title = line->parameter;
    c->y_title = *u.name ? chart_text(&g->make, "%s, %s", cost, u.name) : cost;
    c->x_at = line->values;
    c->n_x_at = line->n;
    c->fitted = true;
    for (int i = 0; i < of->n; i++)
        c->lines[c->n_lines++] = marks_of(g, &of->curves[i], u);
    for (int i = 0; i < of->n; i++) {
        if (isnan(of->curves[i].exponent))
            continue;
        c->part_of[c->n_lines] = i + 1;
        c->lines[c->n_lines++] = fit_line(g, &of->curves[i], u);
    }
    choose_scales(c);
    of->chart = *c;
}

static bool has_marks(const struct growth_chart *c)
{
    int n = 0;
    for (int i = 0; i < c->n; i++)
        n += c->chart.lines[i].n;
    return n > 0;
}

/* The lines from lines[i] on that share its chart; done[k]: it is in one. */
static void take_lines(struct growth *g, const struct scan_line *lines, int n, int i, bool *done)
{
    struct growth_chart *of = &g->charts[g->n++];
    of->n = 0;
    for (int k = i; k < n && of->n < GROWTH_CURVES; k++) {
        if (done[k] || lines[k].n < LEAST || !share_a_chart(g->r, &lines[i], &lines[k]))
            continue;
        done[k] = true;
        of->curves[of->n++] = (struct growth_curve){.line = &lines[k]};
    }
    for (int k = 0; k < of->n; k++) {
        of->curves[k].name = of->n > 1 ? curve_name(g, of->curves[k].line) : NULL;
        fit_curve(g, &of->curves[k]);
    }
    draw_chart(g, of);
    g->n -= !has_marks(of);
}

int growth_charts(const struct record *r, bool families, const char *time_unit, struct arena *a, const struct growth_chart **out)
{
    const struct scan_line *lines[2] = {NULL, NULL};
    const int n[2] = {scan_lines(r, a, &lines[0]), families ? scan_families(r, a, &lines[1]) : 0};
    const size_t most = n[0] < 0 || n[1] < 0 ? 0 : (size_t)n[0] + (size_t)n[1] + 1;
    bool *done = arena_array(a, most, sizeof *done);
    struct growth g = {.r = r,
                       .time_unit = time_unit,
                       .make = {.arena = a, .out = arena_array(a, most, sizeof *g.make.out)},
                       .charts = arena_array(a, most, sizeof *g.charts)};
    *out = g.charts;
    if (!most || !done || !g.make.out || !g.charts)
        return -1;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n[k] && !g.make.failed; i++)
            if (lines[k][i].n >= LEAST && !done[k * n[0] + i])
                take_lines(&g, lines[k], n[k], i, done + k * n[0]);
    return g.make.failed ? -1 : g.n;
}
