/* SPDX-License-Identifier: MIT
 *
 * The shift function of each comparison: how much longer the fast, the typical and the slow runs of the one are than those of the
 * other (stats/shift_function.c, which has formula, assumptions and smallest n), over the pairs that the comparison rests on, or of two stored sessions over the
 * runs of both; at its level, and widened as it is. Of logarithms, so that the result is a ratio, where the comparison is one.
 */
#include "analyse.h"
#include "compare.h"
#include "stats_beyond.h"
#include "verdict.h"
#include <stdlib.h>

static const double percents[SHIFT_QUANTILES] = {5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99};
static const double halfway[SHIFT_LEAST] = {.4, .5, .6}; /* those that need fewest rounds */

struct sides {
    double *x, *y; /* on the comparison's scale */
    int n, m;
};

static double on_scale(const struct comparison *c, double value)
{
    return c->kind == METRIC_COUNT ? value : log(value);
}

static void take_pairs(const struct record *r, const struct comparison *c, struct sides *s)
{
    const double *a = series_values(&r->series[c->reference], c->metric), *b = series_values(&r->series[c->subject], c->metric);
    const int most = record_rounds(r, (const int[]){c->reference, c->subject}, 2);
    for (int i = 0; a && b && i < most && s->n < c->rounds; i++) {
        s->x[s->n] = on_scale(c, a[i]);
        s->y[s->n] = on_scale(c, b[i]);
        s->n += isfinite(s->x[s->n]) && isfinite(s->y[s->n]);
    }
    s->m = s->n;
}

static int take_sample(const struct record *r, const struct comparison *c, int subject, double *out)
{
    const int n = stored_sample(r, subject, c->metric, out);
    for (int i = 0; i < n; i++)
        out[i] = on_scale(c, out[i]);
    return n > 0 ? n : 0;
}

static void take_samples(const struct record *r, const struct comparison *c, struct sides *s)
{
    s->n = take_sample(r, c, c->reference, s->x);
    s->m = take_sample(r, c, c->subject, s->y);
}

static double shown(const struct comparison *c, double shift)
{
    return c->kind == METRIC_COUNT ? shift : exp(shift);
}

static void keep_shift(const struct comparison *c, double percent, const struct tare_interval *i, struct shift_function *out)
{
    if (!isfinite(i->low) || !isfinite(i->high))
        return;
    out->percent[out->n] = percent;
    out->point[out->n] = shown(c, i->point);
    out->low[out->n] = shown(c, i->low);
    out->high[out->n++] = shown(c, i->high);
}

static enum tare_status make_shifts(const struct record *r, const struct comparison *c, struct shift_function *out)
{
    const struct series *one = &r->series[c->reference], *other = &r->series[c->subject];
    const double widened = fmax(c->widened, 1);
    const size_t most = (size_t)(one->main.n > other->main.n ? one->main.n : other->main.n) + 1;
    struct tare_interval of[SHIFT_QUANTILES];
    double q[SHIFT_QUANTILES], *room = malloc(most * 10 * sizeof *room);
    if (!room)
        return TARE_NO_MEMORY;
    struct sides s = {.x = room, .y = room + most};
    for (int j = 0; j < SHIFT_QUANTILES; j++)
        q[j] = percents[j] / 100;
    out->paired = !c->reference_rounds;
    for (int j = 0; j < SHIFT_LEAST; j++)
        out->least = fmax(out->least, stats_shift_least(halfway[j], SHIFT_QUANTILES, c->level, widened, out->paired));
    out->outermost = stats_shift_least(percents[SHIFT_QUANTILES - 1] / 100, SHIFT_QUANTILES, c->level, widened, out->paired);
    out->confidence = c->confidence;
    (out->paired ? take_pairs : take_samples)(r, c, &s);
    const enum tare_status status =
        out->paired
            ? stats_shift_function(s.x, s.y, s.n, q, SHIFT_QUANTILES, c->level, widened, room + 2 * most, of)
            : stats_shift_function_of_samples(s.x, s.n, s.y, s.m, q, SHIFT_QUANTILES, c->level, widened, room + 2 * most, of);
    for (int j = 0; j < SHIFT_QUANTILES && !status; j++) {
        printed_open_series(one, other, record_metric(r, c->metric), c->kind, &of[j]);
        keep_shift(c, percents[j], &of[j], out);
    }
    free(room);
    return TARE_OK;
}

/* Rows of several sessions are their medians, which have no fast and slow runs. */
static bool is_made(const struct record *r, const struct comparison *c)
{
    return c && !c->arc && c->look && c->level > 0 && isfinite(c->shift) && !record_is_over_sessions(r);
}

enum tare_status analyse_shifts(const struct record *r, struct arena *a, const struct shift_function **out)
{
    struct shift_function *all = arena_array(a, (size_t)r->n_subjects + 1, sizeof *all);
    enum tare_status status = all ? TARE_OK : TARE_NO_MEMORY;
    for (int i = 0; i < r->n_subjects && !status; i++) {
        const struct comparison *c = record_comparison(r, i, r->rule.metric);
        if (is_made(r, c))
            status = make_shifts(r, c, &all[i]);
    }
    *out = all;
    return status;
}
