/* SPDX-License-Identifier: MIT
 * What is estimated and what it assumes: sets_in_time.h. */
#include "sets_in_time.h"
#include <math.h>

static bool times_known(const struct stored_set sets[2])
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < sets[side].n; i++)
            if (!sets[side].sessions[i].start_utc_ns)
                return false;
    return sets[0].n && sets[1].n;
}

static int64_t begun(const struct stored_set *s, bool last)
{
    int64_t at = s->sessions[0].start_utc_ns;
    for (int i = 1; i < s->n; i++) {
        const int64_t other = s->sessions[i].start_utc_ns;
        at = last == (other > at) ? other : at;
    }
    return at;
}

bool sets_apart(const struct stored_set sets[2], int *first)
{
    if (!times_known(sets))
        return false;
    *first = begun(&sets[0], true) < begun(&sets[1], false) ? 0 : 1;
    return begun(&sets[*first], true) < begun(&sets[!*first], false);
}

/* Means of the sets, and sums of squares and products of both variables about them. */
struct lines {
    double time[2], value[2];
    double tt, tv, vv;
};

static double seconds_between(int64_t from, int64_t to)
{
    return ((double)to - (double)from) * 1e-9;
}

static void add_set(struct lines *l, int side, const double *v, const struct stored_set *s, int64_t from)
{
    for (int i = 0; i < s->n; i++) {
        l->time[side] += seconds_between(from, s->sessions[i].start_utc_ns) / s->n;
        l->value[side] += v[i] / s->n;
    }
    for (int i = 0; i < s->n; i++) {
        const double t = seconds_between(from, s->sessions[i].start_utc_ns) - l->time[side], d = v[i] - l->value[side];
        l->tt += t * t;
        l->tv += t * d;
        l->vv += d * d;
    }
}

bool sets_open_by_trend(const double *x, int n, const double *y, int m, const struct stored_set sets[2], double level,
                        struct tare_interval *i)
{
    const int df = n + m - 3;
    struct lines l = {0};
    if (!times_known(sets) || n != sets[0].n || m != sets[1].n || df < 1)
        return false;
    for (int side = 0; side < 2; side++)
        add_set(&l, side, side ? y : x, &sets[side], sets[0].sessions[0].start_utc_ns);
    const double slope = l.tv / l.tt, variance = fmax(l.vv - slope * l.tv, 0) / df, apart = l.time[1] - l.time[0];
    if (!(l.tt > 0) || !(fabs(slope) > tare_student_quantile(.95, df) * sqrt(variance / l.tt)))
        return false;
    const double difference = l.value[1] - l.value[0] - slope * apart,
                 half = tare_student_quantile(1 - level / 2, df) * sqrt(variance * (1. / n + 1. / m + apart * apart / l.tt));
    const struct tare_interval before = *i;
    i->low = fmin(i->low, difference - half);
    i->high = fmax(i->high, difference + half);
    return i->low < before.low || i->high > before.high;
}
