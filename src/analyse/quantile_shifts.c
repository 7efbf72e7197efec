/* SPDX-License-Identifier: MIT
 *
 * The shift function of each comparison whose rounds are shared: how much longer the fast, the typical and the slow runs of the one are than those of the
 * other (stats/shift_function.c, which has formula, assumptions and smallest n), over the pairs that the comparison rests on, at its level, and widened
 * as it is. Of logarithms, so that the result is a ratio, where the comparison is one.
 */
#include "analyse.h"
#include "stats_shift.h"
#include <stdlib.h>

static const double percents[SHIFT_QUANTILES] = {5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99};
static const double halfway[SHIFT_LEAST] = {.4, .5, .6}; /* those that need fewest rounds */

/* The comparison's pairs, on its scale: how many. */
static int take_pairs(const struct record *r, const struct comparison *c, double *x, double *y)
{
    const double *a = series_values(&r->series[c->reference], c->metric), *b = series_values(&r->series[c->subject], c->metric);
    const int most = record_rounds(r, (const int[]){c->reference, c->subject}, 2);
    int n = 0;
    for (int i = 0; a && b && i < most && n < c->rounds; i++) {
        x[n] = c->kind == METRIC_COUNT ? a[i] : log(a[i]);
        y[n] = c->kind == METRIC_COUNT ? b[i] : log(b[i]);
        n += isfinite(x[n]) && isfinite(y[n]);
    }
    return n;
}

static double shown(const struct comparison *c, double shift)
{
    return c->kind == METRIC_COUNT ? shift : exp(shift);
}

static enum tare_status make(const struct record *r, const struct comparison *c, struct shift_function *out)
{
    const double widened = fmax(c->widened, 1);
    struct tare_interval of[SHIFT_QUANTILES];
    double q[SHIFT_QUANTILES], *room = malloc(((size_t)c->rounds + 1) * 10 * sizeof *room);
    if (!room)
        return TARE_NO_MEMORY;
    for (int j = 0; j < SHIFT_QUANTILES; j++)
        q[j] = percents[j] / 100;
    for (int j = 0; j < SHIFT_LEAST; j++)
        out->least = fmax(out->least, stats_shift_least(halfway[j], SHIFT_QUANTILES, c->level, widened));
    out->outermost = stats_shift_least(percents[SHIFT_QUANTILES - 1] / 100, SHIFT_QUANTILES, c->level, widened);
    out->confidence = c->confidence;
    double *x = room, *y = room + c->rounds + 1;
    const int n = take_pairs(r, c, x, y);
    const enum tare_status status = stats_shift_function(x, y, n, q, SHIFT_QUANTILES, c->level, widened, y + c->rounds + 1, of);
    for (int j = 0; j < SHIFT_QUANTILES && !status; j++) {
        if (!isfinite(of[j].low) || !isfinite(of[j].high))
            continue;
        out->percent[out->n] = percents[j];
        out->point[out->n] = shown(c, of[j].point);
        out->low[out->n] = shown(c, of[j].low);
        out->high[out->n++] = shown(c, of[j].high);
    }
    free(room);
    return TARE_OK;
}

enum tare_status analyse_shifts(const struct record *r, struct arena *a, const struct shift_function **out)
{
    struct shift_function *all = arena_array(a, (size_t)r->n_subjects + 1, sizeof *all);
    enum tare_status status = all ? TARE_OK : TARE_NO_MEMORY;
    for (int i = 0; i < r->n_subjects && !status; i++) {
        const struct comparison *c = record_comparison(r, i, r->rule.metric);
        if (c && !c->arc && !c->reference_rounds && c->look && c->level > 0 && isfinite(c->shift))
            status = make(r, c, &all[i]);
    }
    *out = all;
    return status;
}
