/* SPDX-License-Identifier: MIT */
#include "causes.h"
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <string.h>

bool has_interval(const struct estimate *e)
{
    return e && e->confidence > 0 && isfinite(e->low) && isfinite(e->high);
}

void put_georges_end(struct buf *out, const struct rule *rule, const struct estimate *mean)
{
    const bool narrow = mean->high - mean->low <= rule->precision * fabs(mean->point);
    if (mean->n >= rule->georges_runs)
        buf_format(out, "reached %d", rule->georges_runs);
    else
        buf_str(out, narrow ? "stopped early" : "unfinished");
}

bool is_known(const struct estimate *e)
{
    return e && !isnan(e->point);
}

bool is_exact(const struct page *p, const struct estimate *e)
{
    const struct estimate *low = record_known(p->r, e->subject, e->metric, "min"),
                          *high = record_known(p->r, e->subject, e->metric, "max");
    return has_interval(e) && !(e->low < e->high) && low && high && low->point == high->point;
}

/* What a program prints equally in every run may be rounded, as CPU time is that is counted in steps; a time of 0 was. */
const char *exact_word(const struct page *p, const struct estimate *e)
{
    const struct metric *m = record_metric(p->r, e->metric);
    const bool no_time = m && m->kind == METRIC_TIME && e->point == 0;
    const bool in_steps = metric_is_cpu_time(e->metric) && series_step(&p->r->series[e->subject], e->metric) > 0;
    return no_time || in_steps || (m && m->definition) ? "constant" : "exact";
}

const char *why_no_value(const struct page *p, const struct estimate *e, int subject, const char *metric)
{
    if (e && e->reason)
        return e->reason;
    return p->r->series[subject].main.n && series_column(&p->r->series[subject], metric) < 0 ? "no values recorded"
                                                                                             : "no complete run";
}

const char *base_unit(const struct record *r, const char *metric)
{
    const struct metric *m = record_metric(r, metric);
    return m ? m->unit : "1";
}

void put_cut(struct page *p, const char *text, int columns)
{
    quote_cut(&p->piece, text, columns, p->o->unicode);
}

void put_title(struct page *p, const char *metric, int columns)
{
    const struct metric *m = record_metric(p->r, metric);
    put_cut(p, m ? m->title : metric, columns);
}

void put_text(struct page *p, const char *text)
{
    if (text)
        quote_mask(&p->piece, text, true);
}

/* Geometric middle of the smallest and largest positive typical value of all commands; 0 when there is none. */
static double middle_value(const struct record *r, const char *metric)
{
    double low = INFINITY, high = 0;
    for (int i = 0; i < r->n_estimates; i++) {
        const struct estimate *e = &r->estimates[i];
        bool typical = !strcmp(e->statistic, "median") || !strcmp(e->statistic, "mean");
        if (!typical || strcmp(e->metric, metric) || !subject_measured(&r->subjects[e->subject]) || !(fabs(e->point) > 0))
            continue;
        low = fmin(low, fabs(e->point));
        high = fmax(high, fabs(e->point));
    }
    return high > 0 ? sqrt(low) * sqrt(high) : 0;
}

struct unit page_unit(const struct page *p, const char *base, double value)
{
    struct unit u;
    if (p->o->time_unit && !strcmp(base, "ns") && unit_named(base, p->o->time_unit, &u))
        return u;
    return unit_for(base, value);
}

struct unit metric_unit(struct page *p, const char *metric)
{
    for (int i = 0; i < p->n_units; i++)
        if (!strcmp(p->units[i].metric, metric))
            return p->units[i].unit;
    /* The parts of CPU time share the unit of their sum. */
    struct unit u = page_unit(p, base_unit(p->r, metric),
                              middle_value(p->r, !strcmp(metric, "user") || !strcmp(metric, "sys") ? "cpu" : metric));
    if (p->n_units < (int)(sizeof p->units / sizeof *p->units))
        p->units[p->n_units++] = (struct known_unit){metric, u};
    return u;
}

int estimate_decimals(const struct estimate *e, struct unit u)
{
    if (u.factor == 1 && e->point == floor(e->point) &&
        (!has_interval(e) || (e->low == floor(e->low) && e->high == floor(e->high))))
        return 0; /* whole base units */
    double half = has_interval(e) ? half_width(e->low, e->high) : 0;
    return figure_decimals(e->point / u.factor, half / u.factor);
}

struct unit estimate_unit(const struct page *p, const struct estimate *e)
{
    const double size = e->point == 0 && has_interval(e) ? e->high : e->point;
    return page_unit(p, base_unit(p->r, e->metric), size);
}

int column_decimals(const struct estimate *e, struct unit u)
{
    const int known = estimate_decimals(e, u), three = figure_digits(e->point / u.factor, FIGURE_DIGITS);
    return known < three ? known : three;
}

int range_decimals(const struct estimate *beside, double low, double high, struct unit u)
{
    const int most = figure_decimals(beside->point / u.factor, half_width(low, high) / u.factor);
    int decimals = column_decimals(beside, u);
    while (low != high && decimals < most &&
           rint(low / u.factor * pow(10, decimals)) == rint(high / u.factor * pow(10, decimals)))
        decimals++;
    return decimals;
}

/* A plain number, for it is no verdict. */
void put_ratio_to_anchor(struct page *p, int subject)
{
    const struct estimate *e = record_ratio_to_anchor(p->r, subject);
    if (is_known(e))
        figure_bounded(&p->piece, "1", e->point, e->low, e->high);
}

void anchor_cell(struct table *t, int subject)
{
    put_ratio_to_anchor(t->p, subject);
    table_format(t, "%s", !t->p->piece.len && t->p->r->subjects[subject].anchor ? "anchor" : "");
}

bool put_multiple_of_anchor(struct page *p, const struct comparison *c, int subject)
{
    const struct estimate *e = c && c->by_anchor ? record_estimate(p->r, subject, c->metric, STATISTIC_OF_ANCHOR) : NULL;
    if (!is_known(e))
        return false;
    figure_put(&p->piece, e->point, figure_digits(e->point, FIGURE_DIGITS));
    buf_str(&p->piece, " × anchor");
    return true;
}

/* No time and no size is below 0. */
void put_column_range(struct page *p, const struct estimate *beside, double low, double high, struct unit u)
{
    const struct metric *m = record_metric(p->r, beside->metric);
    if (m && (m->kind == METRIC_TIME || m->kind == METRIC_SIZE))
        low = fmax(low, 0);
    figure_range(&p->piece, low, high, u, range_decimals(beside, low, high, u));
}

void put_in_own_unit(struct page *p, const struct estimate *e)
{
    if (is_known(e))
        figure_with(&p->piece, e->point, estimate_unit(p, e), column_decimals(e, estimate_unit(p, e)));
}

void put_own_range(struct page *p, const struct estimate *e, bool any_interval)
{
    if (!is_known(e))
        return;
    const struct unit u = estimate_unit(p, e);
    const struct estimate *min = record_estimate(p->r, e->subject, e->metric, "min"),
                          *max = record_estimate(p->r, e->subject, e->metric, "max");
    hue_on(p, &p->piece, HUE_DIM);
    if (has_interval(e) && is_exact(p, e))
        buf_str(&p->piece, exact_word(p, e));
    else if (has_interval(e))
        put_column_range(p, e, e->low, e->high, u);
    else if (!any_interval && e->n > 1 && is_known(min) && is_known(max))
        put_column_range(p, e, min->point, max->point, u);
    hue_off(p, &p->piece, HUE_DIM);
}

void min_cell(struct table *t, int subject)
{
    const struct page *p = t->p;
    const struct estimate *e = lead_estimate(p, subject);
    const struct estimate *min = is_known(e) ? record_known(p->r, subject, e->metric, "min") : NULL;
    if (min && min->n > 1) {
        const struct unit u = estimate_unit(p, e);
        const double value = min->point / u.factor;
        figure_put(&t->p->piece, value, value == floor(value) && u.factor == 1 ? 0 : figure_digits(value, FIGURE_DIGITS));
    }
    table_cell(t);
}

void undisturbed_cell(struct table *t, int subject)
{
    struct page *p = t->p;
    const struct estimate *e = record_estimate(p->r, subject, p->r->rule.metric, "clean_median");
    const bool watched = series_has_account(&p->r->series[subject]);
    put_in_own_unit(p, e || !watched ? e : lead_estimate(p, subject));
    table_cell(t);
}

const char *interval_title(struct table *t, const char *before, const char *after)
{
    buf_format(&t->p->piece, "%s%s CI%s", before, figure_text(figure_level, t->p->r->rule.confidence).at, after);
    return table_text(t);
}

const struct estimate *lead_estimate(const struct page *p, int subject)
{
    const struct estimate *median = record_estimate(p->r, subject, p->r->rule.metric, "median"),
                          *mean = record_estimate(p->r, subject, p->r->rule.metric, "mean");
    return (p->r->rule.method == METHOD_GEORGES || !is_known(median)) && is_known(mean) ? mean : median;
}

void put_point(struct page *p, const struct estimate *e, struct unit u)
{
    if (is_known(e))
        figure_put(&p->piece, e->point / u.factor, estimate_decimals(e, u));
}

void put_estimate(struct page *p, const struct estimate *e, struct unit u)
{
    put_point(p, e, u);
    unit_put(&p->piece, u);
    if (!has_interval(e))
        return;
    buf_str(&p->piece, " (");
    figure_range(&p->piece, e->low, e->high, u, estimate_decimals(e, u));
    buf_char(&p->piece, ')');
}

void put_time(struct page *p, double ns)
{
    const struct unit u = page_unit(p, "ns", ns);
    figure_with(&p->piece, ns, u, figure_digits(ns / u.factor, FIGURE_DIGITS));
}

void put_figure(struct page *p, int subject, const char *before, const char *metric, const char *statistic, int digits)
{
    const struct estimate *e = record_estimate(p->r, subject, metric, statistic);
    if (!e)
        return;
    buf_str(&p->piece, before);
    if (is_known(e)) {
        figure_scaled(&p->piece, base_unit(p->r, metric), e->point, digits);
        return;
    }
    const bool reason = e->reason && *e->reason;
    buf_str(&p->piece, reason ? "not measurable (" : "not measurable");
    put_text(p, e->reason);
    buf_str(&p->piece, reason ? ")" : "");
}

double two_digits_up(double n)
{
    const double step = fmax(1, pow(10, floor(log10(n)) - 1));
    return ceil(n / step) * step;
}

double upper_bound(double ratio)
{
    enum { TENTHS = 1000 }; /* of a percent; no figure is rounded up for the last bits of an exponential */
    return two_digits_up(fmax(0, TENTHS * ratio - 1e-6)) / TENTHS;
}
