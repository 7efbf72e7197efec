/* SPDX-License-Identifier: MIT */
#include "verdict_text.h"
#include "units.h"

static bool is_likely(enum verdict v)
{
    return v != verdict_plain(v);
}

const char *verdict_word(enum verdict v)
{
    static const char *const likely[] = {"likely faster", "likely slower", "likely lower", "likely higher", "likely same"};
    if (is_likely(v))
        return likely[v - VERDICT_LIKELY_FASTER];
    return v == VERDICT_NONE ? "without a verdict" : v == VERDICT_NOT_COMPARABLE ? "not comparable" : verdict_name(v);
}

bool verdict_in_effect(const struct comparison *c)
{
    return verdict_differs(c->verdict) && c->kind != METRIC_COUNT;
}

void verdict_put_effect(struct buf *b, const struct record *r, const struct comparison *c)
{
    const enum verdict plain = verdict_plain(c->verdict);
    const struct metric *m = record_metric(r, c->metric);
    const bool times = plain == VERDICT_FASTER || plain == VERDICT_SLOWER, exact = c->low == c->high;
    const double low = exact ? NAN : c->low, high = exact ? NAN : c->high;
    if (is_likely(c->verdict) && verdict_in_effect(c))
        buf_str(b, "likely ");
    if (c->kind == METRIC_COUNT)
        figure_difference(b, m ? m->unit : "1", c->shift, low, high);
    else
        figure_ratio(b, c->shift, low, high, !verdict_differs(c->verdict) ? NULL : times ? words_of_times : words_of_others);
}

bool comparison_mean_apart(const struct comparison *c)
{
    const double apart = fabs(c->mean_ratio / exp(c->shift) - 1), half = (c->mean_high - c->mean_low) / 2;
    const bool disjoint = c->mean_low > exp(c->high) || c->mean_high < exp(c->low);
    const double least = c->margin / 10; /* intervals of next to no width may lie apart by a rounding */
    const double far = 0.5;              /* however wide a few slow runs of ten or twenty make the interval of the means */
    return c->kind != METRIC_COUNT && ((disjoint && apart > least) || apart > fmax(c->margin, fmin(half, far)));
}
