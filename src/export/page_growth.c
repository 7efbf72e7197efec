/* SPDX-License-Identifier: MIT
 *
 *     find/keys:{keys}                            chart: marks, dashed 2.10 ns × keys^0.31 (0.29–0.33)
 *     keys     median                  fitted     off it
 *     64       7.62 ns (7.60–7.65)     7.70 ns    −1.0 % (−1.3 to −0.8)
 *
 * What something costs against its argument, as charts with their figures. */
#include "growth_charts.h"
#include "html.h"
#include "results.h"
#include <math.h>

enum { SHOWN_MOST = 24, COLUMNS = 5 };

static bool is_fitted(const struct growth_chart *c)
{
    bool any = false;
    for (int i = 0; i < c->n; i++)
        any = any || isfinite(c->curves[i].exponent);
    return any;
}

static void put_row(struct buf *b, const struct record *r, const struct growth_chart *c, int curve, int index)
{
    const struct growth_curve *of = &c->curves[curve];
    const struct metric *metric = record_metric(r, r->rule.metric);
    const char *base = metric ? metric->unit : "1";
    const int subject = of->line->subjects[index];
    const struct estimate *median = record_estimate(r, subject, r->rule.metric, "median"),
                          *off = scan_estimate(r, of->line, index, "off_line");
    const double fitted = growth_fitted(of, of->line->values[index]);
    struct buf cells[COLUMNS];
    int n = 0;
    for (int i = 0; i < COLUMNS; i++)
        cells[i] = BUF_INIT(1 << 16);
    const char *given = subject_parameter(&r->subjects[subject], of->line->parameter);
    if (given)
        buf_str(&cells[n], given);
    else /* it is in the name */
        figure_tick(&cells[n], of->line->values[index]);
    n++;
    if (of->name)
        buf_str(&cells[n++], of->name);
    if (median && isfinite(median->point))
        figure_bounded(&cells[n], base, median->point, median->low, median->high);
    n++;
    if (isfinite(fitted))
        figure_scaled(&cells[n], base, fitted, FIGURE_DIGITS);
    if (off && isfinite(off->point))
        figure_ratio(&cells[n + 1], log1p(off->point), log1p(off->low), log1p(off->high), NULL);
    markup_html.row(b, cells, is_fitted(c) ? n + 2 : n);
    for (int i = 0; i < COLUMNS; i++)
        buf_finish(&cells[i]);
}

static void put_table(struct buf *b, const struct record *r, const struct growth_chart *c)
{
    struct buf cells[COLUMNS];
    int n = 0;
    for (int i = 0; i < COLUMNS; i++)
        cells[i] = BUF_INIT(1 << 16);
    buf_str(&cells[n++], c->curves[0].line->parameter);
    if (c->curves[0].name)
        buf_str(&cells[n++], "Curve");
    buf_str(&cells[n++], "Median");
    if (is_fitted(c)) {
        buf_str(&cells[n++], "Fitted");
        buf_str(&cells[n++], "Off it");
    }
    buf_str(b, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
    html_attribute(b, c->chart.title, 200);
    buf_str(b, ", figures\">\n");
    markup_html.head(b, cells, n);
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->curves[i].line->n; j++)
            put_row(b, r, c, i, j);
    markup_html.foot(b);
    buf_str(b, "</div>\n");
    for (int i = 0; i < COLUMNS; i++)
        buf_finish(&cells[i]);
}

/* From rounds: of medians alone it is what the figures beside it say. */
static bool has_distances(const struct record *r, const struct growth_chart *charts, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < charts[i].n; k++) {
            const struct scan_line *line = charts[i].curves[k].line;
            const struct estimate *off =
                scan_estimate(r, line, line->n - 1, "off_line"); /* the first may be of 0, which has none */
            if (off && off->n > 1 && isfinite(off->point))
                return true;
        }
    return false;
}

enum tare_status html_growth(struct picture *p, const struct export_options *o)
{
    struct arena arena = {0};
    const struct growth_chart *charts;
    const int n = growth_charts(p->r, true, o->time_unit, &arena, &charts);
    const struct unit unit = p->unit;
    if (n > 0)
        html_element(&p->out.text, "h2",
                     !record_has_alternatives(p->r) || p->r->subjects[charts->curves[0].line->subjects[0]].benchmark
                         ? "Cost against the argument"
                         : "Cost against the parameter");
    if (n > 0 && has_distances(p->r, charts, n))
        html_element(
            &p->out.text, "p class=\"soft\"",
            "Off it: the typical distance of a round's value from the line through the values of that round; so it is not "
            "the ratio of the median to the fitted value.");
    p->unit = unit_one; /* the titles of the axes have it */
    for (int i = 0; i < n && i < SHOWN_MOST; i++) {
        html_chart(p, &charts[i].chart);
        put_table(&p->out.text, p->r, &charts[i]);
        export_out_pass(&p->out);
    }
    p->unit = unit;
    if (n > SHOWN_MOST)
        html_some(&p->out.text, "The first", SHOWN_MOST, n, "charts");
    arena_finish(&arena);
    return n < 0 ? TARE_NO_MEMORY : TARE_OK;
}
