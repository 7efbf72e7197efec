/* SPDX-License-Identifier: MIT
 *
 * The numbers of a comparison, in the form in which its reader thinks: a ratio from a tenth on, percent below, differences for
 * counts. The record holds ln ratios of command to reference; "as fast" is the inverse of a ratio of times. */
#include "layout.h"
#include <math.h>
#include <string.h>

bool several_looks(const struct rule *rule)
{
    return rule->n_looks > 1 || (rule->spending > 0 && rule->n_looks == 1 && rule->look_share[0] < 1);
}

void put_looks(struct page *p)
{
    const struct rule *rule = &p->r->rule;
    if (rule->spending > 0 && several_looks(rule))
        buf_str(&p->piece, " over all looks");
    else if (several_looks(rule))
        buf_format(&p->piece, " over %d looks", rule->n_looks);
}

bool comparison_has_interval(const struct comparison *c)
{
    return isfinite(c->low) && isfinite(c->high);
}

struct effect {
    double point, low, high;
    int decimals;
    bool with_sign;
    struct unit unit;  /* behind the point: "×", "%", "ms" */
    const char *words; /* " as fast" */
};

/* ---- units of differences ---- */

static struct unit difference_unit(const struct page *p, const struct comparison *c)
{
    double largest = fabs(c->shift);
    if (comparison_has_interval(c))
        largest = fmax(largest, fmax(fabs(c->low), fabs(c->high)));
    return unit_for(base_unit(p->r, c->metric), largest);
}

/* ---- forms ---- */

static int decimals_for_ends(const struct effect *e, double neutral)
{
    return figure_apart(e->high, neutral, figure_apart(e->low, neutral, e->decimals));
}

static struct effect difference_effect(const struct page *p, const struct comparison *c)
{
    struct unit u = difference_unit(p, c);
    struct effect e = {c->shift / u.factor, c->low / u.factor, c->high / u.factor, 0, true, u, ""};
    bool whole = u.factor == 1 && c->shift == floor(c->shift);
    if (comparison_has_interval(c))
        whole = whole && c->low == floor(c->low) && c->high == floor(c->high);
    e.decimals = whole ? 0 : figure_decimals(e.point, half_width(e.low, e.high));
    e.decimals = decimals_for_ends(&e, 0);
    return e;
}

/* Without an interval two or three digits are enough. */
static struct effect scaled(struct effect e)
{
    double half = half_width(e.low, e.high);
    e.decimals = isnan(half) ? figure_digits(e.point, e.with_sign ? 2 : 3) : figure_decimals(e.point, half);
    if (!isnan(half))
        e.decimals = decimals_for_ends(&e, e.with_sign ? 0 : 1);
    return e;
}

static struct effect ratio_effect(const struct comparison *c)
{
    return scaled((struct effect){exp(c->shift), exp(c->low), exp(c->high), 0, false, {"×", 1}, ""});
}

static struct effect inverse_effect(const struct comparison *c)
{
    return scaled((struct effect){exp(-c->shift), exp(-c->high), exp(-c->low), 0, false, {"×", 1}, ""});
}

static struct effect percent_effect(const struct comparison *c)
{
    return scaled((struct effect){100 * expm1(c->shift), 100 * expm1(c->low), 100 * expm1(c->high), 0, true, {"%", 1}, ""});
}

static struct effect spoken_effect(const struct page *p, const struct comparison *c)
{
    bool faster = c->verdict == VERDICT_FASTER, slower = c->verdict == VERDICT_SLOWER;
    if (c->kind == METRIC_COUNT)
        return difference_effect(p, c);
    struct effect e;
    if (fabs(c->shift) < log(1.1)) {
        e = percent_effect(c);
        e.words = faster || slower ? " time" : "";
    } else {
        e = faster ? inverse_effect(c) : ratio_effect(c);
        e.words = faster ? " as fast" : slower ? " the time" : "";
    }
    return e;
}

/* Always the ratio to the reference, so that the lines of a table can be compared. */
static struct effect plain_effect(const struct page *p, const struct comparison *c)
{
    return c->kind == METRIC_COUNT ? difference_effect(p, c) : ratio_effect(c);
}

static void put_middle(struct page *p, const struct effect *e)
{
    (e->with_sign ? figure_signed : figure_put)(&p->piece, e->point, e->decimals);
    unit_put(&p->piece, e->unit);
    buf_str(&p->piece, e->words);
}

static void put_bounds(struct page *p, const struct effect *e)
{
    void (*put)(struct buf *, double, int) = e->with_sign ? figure_signed : figure_put;
    buf_char(&p->piece, '[');
    put(&p->piece, e->low, e->decimals);
    buf_str(&p->piece, ", ");
    put(&p->piece, e->high, e->decimals);
    buf_char(&p->piece, ']');
}

void put_effect(struct page *p, const struct comparison *c)
{
    struct effect e = spoken_effect(p, c);
    put_middle(p, &e);
    if (!comparison_has_interval(c))
        return;
    buf_char(&p->piece, ' ');
    put_bounds(p, &e);
}

void put_plain_effect(struct page *p, const struct comparison *c)
{
    struct effect e = plain_effect(p, c);
    put_middle(p, &e);
}

void put_plain_interval(struct page *p, const struct comparison *c)
{
    struct effect e = plain_effect(p, c);
    put_bounds(p, &e);
}

void effect_cell(struct page *p, const void *row)
{
    const struct comparison *c = row;
    if (!c)
        return;
    put_plain_effect(p, c);
    if (!comparison_has_interval(c))
        return;
    buf_char(&p->piece, ' ');
    put_plain_interval(p, c);
}

void put_margin(struct page *p, const struct comparison *c)
{
    if (c->kind != METRIC_COUNT ||
        !p->r->rule.margin_unit) { /* relative, of the reference's median where values are subtracted */
        figure_level(&p->piece, c->kind == METRIC_COUNT ? p->r->rule.margin : c->margin);
        return;
    }
    figure_chosen(&p->piece, base_unit(p->r, c->metric), c->margin);
}
