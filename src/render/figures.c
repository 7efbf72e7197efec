/* SPDX-License-Identifier: MIT */
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- digits ---- */

enum { DECIMALS_MAX = 12 }; /* a nanosecond in minutes has eleven */

int significant_decimals(double value, int digits)
{
    if (!isfinite(value) || value == 0)
        return 0;
    double decimals = digits - 1 - floor(log10(fabs(value)));
    if (fabs(value) < 0.5 * pow(10, -DECIMALS_MAX))
        return 0; /* as many noughts would show */
    return decimals < 0 ? 0 : decimals > DECIMALS_MAX ? DECIMALS_MAX : (int)decimals;
}

int figure_decimals(double value, double uncertainty)
{
    if (!isfinite(uncertainty) || uncertainty <= 0)
        return significant_decimals(value, 4);
    bool first_digit_is_large = uncertainty * pow(10, -floor(log10(uncertainty))) >= 4;
    return significant_decimals(uncertainty, first_digit_is_large ? 1 : 2);
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
    char room[64];
    struct buf digits = buf_over(room, sizeof room);
    unit_number(&digits, value, (struct unit){"", 1}, decimals);
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

void put_interval(struct page *p, double low, double high, int decimals)
{
    buf_char(&p->piece, '[');
    put_number(p, low, decimals);
    buf_str(&p->piece, ", ");
    put_number(p, high, decimals);
    buf_char(&p->piece, ']');
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
    put_text(p, u.name);
}

/* ---- estimates ---- */

const struct estimate *page_estimate(const struct page *p, int subject, const char *metric, const char *statistic)
{
    return record_estimate(p->r, subject, metric, statistic);
}

bool has_interval(const struct estimate *e)
{
    return e && e->confidence > 0 && isfinite(e->low) && isfinite(e->high);
}

const char *base_unit(const struct record *r, const char *metric)
{
    const struct metric *m = record_metric(r, metric);
    return m ? m->unit : "1";
}

void put_title(struct page *p, const char *metric, int columns)
{
    const struct metric *m = record_metric(p->r, metric);
    quote_cut(&p->piece, m ? m->title : metric, columns, p->o->unicode);
}

/* Our own sentences hold our own signs; where only ASCII may be shown they become their twins, not escapes. */
static size_t put_twin(struct page *p, const char *text)
{
    static const struct {
        const char *sign, *twin;
    } twins[] = {{"µ", "u"},  {"×", "x"},  {"±", "+/-"}, {"−", "-"},  {"…", "..."},
                 {"→", "->"}, {"≥", ">="}, {"≤", "<="},  {"∞", "inf"}};
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        if (!strncmp(text, twins[i].sign, strlen(twins[i].sign))) {
            buf_str(&p->piece, twins[i].twin);
            return strlen(twins[i].sign);
        }
    return 0;
}

static void put_in_ascii(struct page *p, const char *text)
{
    const char *rest = text;
    size_t twin;
    while (*rest) {
        if ((twin = put_twin(p, rest))) {
            rest += twin;
            continue;
        }
        char one[5] = {*rest++};
        for (int i = 1; i < 4 && (*rest & 0xc0) == 0x80 && (one[0] & 0xc0) == 0xc0; i++)
            one[i] = *rest++;
        quote_mask(&p->piece, one, false);
    }
}

void put_text(struct page *p, const char *text)
{
    if (!text)
        return;
    if (p->o->unicode)
        quote_mask(&p->piece, text, true);
    else
        put_in_ascii(p, text);
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
        if (!typical || strcmp(e->metric, metric) || !subject_measured(&r->subjects[e->subject]) || !(fabs(e->point) > 0))
            continue;
        low = fmin(low, fabs(e->point));
        high = fmax(high, fabs(e->point));
    }
    return high > 0 ? sqrt(low) * sqrt(high) : 0;
}

static struct unit choose_unit(const struct page *p, const char *metric)
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

struct unit metric_unit(struct page *p, const char *metric)
{
    for (int i = 0; i < p->n_units; i++)
        if (!strcmp(p->units[i].metric, metric))
            return p->units[i].unit;
    struct unit u = choose_unit(p, metric);
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

void put_estimate(struct page *p, const struct estimate *e, struct unit u)
{
    int decimals = estimate_decimals(e, u);
    put_number(p, e->point / u.factor, decimals);
    put_unit(p, u);
    if (!has_interval(e))
        return;
    buf_char(&p->piece, ' ');
    put_interval(p, e->low / u.factor, e->high / u.factor, decimals);
}
