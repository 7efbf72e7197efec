/* SPDX-License-Identifier: MIT */
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- digits ---- */

int figure_decimals(double value, double uncertainty)
{
    int decimals = unit_decimals(value, uncertainty);
    if (!isfinite(uncertainty) || uncertainty <= 0)
        return decimals;
    bool first_digit_is_large = uncertainty * pow(10, -floor(log10(uncertainty))) >= 4;
    return first_digit_is_large && decimals > 0 ? decimals - 1 : decimals;
}

double half_width(double low, double high)
{
    return isfinite(low) && isfinite(high) ? (high - low) / 2 : NAN;
}

static void put_figure(struct page *p, double value, int decimals, bool with_plus)
{
    if (isnan(value)) {
        buf_char(&p->piece, '?');
        return;
    }
    if (isinf(value)) {
        buf_format(&p->piece, "%s%s", value < 0 ? p->sym->minus : with_plus ? "+" : "", p->sym->infinity);
        return;
    }
    char room[400]; /* the largest double and six decimals */
    struct buf digits = buf_over(room, sizeof room);
    buf_format(&digits, "%.*f", decimals, value);
    bool negative = room[0] == '-', zero = strspn(room, "0.") == digits.len;
    if (negative)
        buf_str(&p->piece, p->sym->minus);
    else if (with_plus && !zero)
        buf_char(&p->piece, '+');
    buf_str(&p->piece, room + negative);
}

void put_number(struct page *p, double value, int decimals)
{
    put_figure(p, value, decimals, false);
}

void put_signed(struct page *p, double value, int decimals)
{
    put_figure(p, value, decimals, true);
}

void put_percent(struct page *p, double fraction)
{
    buf_format(&p->piece, "%g %%", round(fraction * 1e10) / 1e8); /* 0.07 * 100 is not 7 */
}

void put_unit(struct page *p, struct unit u)
{
    if (!*u.name)
        return;
    buf_char(&p->piece, ' ');
    if (p->o->unicode || strcmp(u.name, "µs"))
        quote_mask(&p->piece, u.name, p->o->unicode);
    else
        buf_str(&p->piece, "us");
}

/* ---- estimates ---- */

bool has_interval(const struct estimate *e)
{
    return e && e->confidence > 0 && isfinite(e->low) && isfinite(e->high);
}

static const char *base_unit(const struct record *r, const char *metric)
{
    const struct metric *m = record_metric(r, metric);
    return m ? m->unit : "1";
}

const char *metric_title(const struct page *p, const char *metric)
{
    const struct metric *m = record_metric(p->r, metric);
    return m ? m->title : metric;
}

/* The parts of CPU time share the unit of their sum. */
static const char *unit_metric(const char *metric)
{
    return !strcmp(metric, "user") || !strcmp(metric, "sys") ? "cpu" : metric;
}

/* Geometric middle of the smallest and largest positive typical value of all commands; 0 when there is none. */
static double middle_value(const struct record *r, const char *metric)
{
    double low = INFINITY, high = 0;
    for (int i = 0; i < r->n_estimates; i++) {
        const struct estimate *e = &r->estimates[i];
        bool typical = !strcmp(e->statistic, "median") || !strcmp(e->statistic, "mean");
        if (!typical || strcmp(e->metric, metric) || r->subjects[e->subject].kind != SUBJECT_COMMAND || !(fabs(e->point) > 0))
            continue;
        low = fmin(low, fabs(e->point));
        high = fmax(high, fabs(e->point));
    }
    return high > 0 ? sqrt(low) * sqrt(high) : 0;
}

struct unit metric_unit(const struct page *p, const char *metric)
{
    const char *base = base_unit(p->r, metric);
    struct unit u;
    if (p->o->time_unit && !strcmp(base, "ns") && unit_named(base, p->o->time_unit, &u))
        return u;
    double middle = middle_value(p->r, unit_metric(metric));
    if (!strcmp(base, "1") && middle < 1e6) /* counts are read as they are */
        return (struct unit){"", 1};
    return unit_for(base, middle);
}

int estimate_decimals(const struct estimate *e, struct unit u)
{
    if (u.factor == 1 && e->point == floor(e->point) &&
        (!has_interval(e) || (e->low == floor(e->low) && e->high == floor(e->high))))
        return 0; /* whole base units */
    double half = has_interval(e) ? half_width(e->low, e->high) : 0;
    return figure_decimals(e->point / u.factor, half / u.factor);
}

void put_estimate(struct page *p, const struct estimate *e, struct unit u)
{
    int decimals = estimate_decimals(e, u);
    put_number(p, e->point / u.factor, decimals);
    put_unit(p, u);
    if (!has_interval(e))
        return;
    buf_str(&p->piece, " [");
    put_number(p, e->low / u.factor, decimals);
    buf_str(&p->piece, ", ");
    put_number(p, e->high / u.factor, decimals);
    buf_char(&p->piece, ']');
}

/* ---- comparisons ---- */

bool comparison_has_interval(const struct comparison *c)
{
    return isfinite(c->low) && isfinite(c->high);
}

/* How the three numbers of a comparison are shown. */
struct effect {
    double point, low, high;
    const char *after; /* between the point and the interval: " × as fast" */
    bool with_sign;
};

static struct effect ratio_effect(const struct comparison *c, const char *after)
{
    if (c->verdict == VERDICT_FASTER) /* as fast: the inverse of the time */
        return (struct effect){exp(-c->shift), exp(-c->high), exp(-c->low), after, false};
    return (struct effect){exp(c->shift), exp(c->low), exp(c->high), after, false};
}

static struct effect percent_effect(const struct comparison *c, const char *after)
{
    return (struct effect){100 * expm1(c->shift), 100 * expm1(c->low), 100 * expm1(c->high), after, true};
}

static struct unit difference_unit(const struct page *p, const struct comparison *c)
{
    const char *base = base_unit(p->r, c->metric);
    double largest = fmax(fabs(c->shift), comparison_has_interval(c) ? fmax(fabs(c->low), fabs(c->high)) : 0);
    return !strcmp(base, "1") && largest < 1e6 ? (struct unit){"", 1} : unit_for(base, largest);
}

static void put_effect_figures(struct page *p, const struct effect *e, const char *after)
{
    bool whole = *after == 0 && e->point == floor(e->point) && e->low == floor(e->low) && e->high == floor(e->high);
    int decimals = whole ? 0 : figure_decimals(e->point, half_width(e->low, e->high));
    void (*put)(struct page *, double, int) = e->with_sign ? put_signed : put_number;
    put(p, e->point, decimals);
    buf_str(&p->piece, after);
    if (isinf(e->low) && isinf(e->high))
        return;
    buf_str(&p->piece, " [");
    put(p, e->low, decimals);
    buf_str(&p->piece, ", ");
    put(p, e->high, decimals);
    buf_char(&p->piece, ']');
}

static const char *effect_words(const struct comparison *c, bool as_ratio)
{
    bool proven = c->verdict == VERDICT_FASTER || c->verdict == VERDICT_SLOWER;
    if (!proven)
        return "";
    return !as_ratio ? " time" : c->verdict == VERDICT_FASTER ? " as fast" : " the time";
}

void put_effect(struct page *p, const struct comparison *c)
{
    char room[64];
    struct buf after = buf_over(room, sizeof room);
    struct effect e;
    if (c->kind == METRIC_COUNT) {
        struct unit u = difference_unit(p, c);
        buf_format(&after, "%s%s", *u.name ? " " : "", u.name);
        e = (struct effect){c->shift / u.factor, c->low / u.factor, c->high / u.factor, room, true};
    } else {
        bool as_ratio = fabs(c->shift) >= log(1.1); /* below, percent read better */
        buf_format(&after, " %s%s", as_ratio ? p->sym->times : "%", effect_words(c, as_ratio));
        e = as_ratio ? ratio_effect(c, room) : percent_effect(c, room);
        if (!comparison_has_interval(c))
            e.low = -INFINITY, e.high = INFINITY; /* half an interval would be read as one */
    }
    put_effect_figures(p, &e, room);
}

void put_margin(struct page *p, const struct comparison *c)
{
    if (c->kind != METRIC_COUNT) {
        put_percent(p, c->margin);
        return;
    }
    const char *base = base_unit(p->r, c->metric);
    struct unit u = !strcmp(base, "1") && c->margin < 1e6 ? (struct unit){"", 1} : unit_for(base, c->margin);
    buf_format(&p->piece, "%g", c->margin / u.factor);
    put_unit(p, u);
}

/* ---- names and order ---- */

static bool shortens(const struct page *p, const char *name, int columns)
{
    struct buf whole = BUF_INIT(1 << 22);
    quote_mask(&whole, name, p->o->unicode);
    bool longer = columns > 0 && text_columns(buf_text(&whole), whole.len) > columns - 2;
    buf_finish(&whole);
    return longer;
}

static bool same_when_cut(const struct page *p, const char *a, const char *b, int columns)
{
    struct buf x = BUF_INIT(1 << 22), y = BUF_INIT(1 << 22);
    quote_name(&x, a, columns, p->o->unicode);
    quote_name(&y, b, columns, p->o->unicode);
    bool same = !strcmp(buf_text(&x), buf_text(&y));
    buf_finish(&x);
    buf_finish(&y);
    return same;
}

static int command_number(const struct record *r, int subject)
{
    int number = 0;
    for (int i = 0; i <= subject; i++)
        number += r->subjects[i].kind == SUBJECT_COMMAND;
    return number;
}

static bool looks_like_another(const struct page *p, int subject, int columns)
{
    const char *name = p->r->subjects[subject].name;
    if (!shortens(p, name, columns))
        return false;
    for (int i = 0; i < p->r->n_subjects; i++)
        if (i != subject && same_when_cut(p, name, p->r->subjects[i].name, columns))
            return true;
    return false;
}

void put_name(struct page *p, int subject, int columns)
{
    if (looks_like_another(p, subject, columns))
        buf_format(&p->piece, "#%d ", command_number(p->r, subject));
    quote_name(&p->piece, p->r->subjects[subject].name, columns, p->o->unicode);
}

int command_count(const struct record *r)
{
    return r->n_subjects ? command_number(r, r->n_subjects - 1) : 0;
}

static double mean_of(const struct record *r, int subject)
{
    const struct estimate *e = record_estimate(r, subject, r->rule.metric, "mean");
    return e && !isnan(e->point) ? e->point : INFINITY;
}

/* Stable insertion by mean: the lists are short, and equal means keep their order. */
static void sort_by_mean(const struct record *r, int *order, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && mean_of(r, order[j]) < mean_of(r, order[j - 1]); j--) {
            int swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
}

int subject_order(const struct page *p, enum render_sort sort, int *order)
{
    int n = 0;
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_COMMAND)
            order[n++] = i;
    if (sort == RENDER_SORT_MEAN_TIME)
        sort_by_mean(p->r, order, n);
    return n;
}
