/* SPDX-License-Identifier: MIT
 *
 * Where the level of a history of results changed: nominations, with AR(1) noise allowed for.
 *
 *   y       ln x where all are positive, else x in units of the median of |x|
 *   w       y limited to its running median of 7 (of 5 at the ends) +- REACH times the 90 % quantile of the distances from it: one or two
 *           values far off are no level; three at an end can be one, four elsewhere. The 90 % quantile and not the median, which is 0 where
 *           clocks are coarse
 *   steps   the segments of 3 values or more that make sum (w - mean)^2 + price per change least, for falling prices (partition.h: optimal
 *           partitioning, Jackson et al. 2005; functional pruning, Maidstone et al. 2017). Of these partitions the one with the least
 *               (n - 7) ln( sum r^2 (1 - rho^2) ) - MEMORY ln(1 - rho) + changes (CHANGE + CHANGE_LOG ln n),
 *           r the residuals and rho their lag-1 correlation, at least 0: the profile likelihood of AR(1) noise (Chakar et al. 2017)
 *   line    a straight line, judged likewise, costs LINE where there are no steps and as much as one change less DOUBT where there are: a trend of a
 *           standard deviation is nearly as well described by one step, and doubt is decided for the line. The course is then drift
 *   least   the smallest change is taken out while it is smaller than asked for; where the values scatter by less than COARSE ticks that they are
 *           rounded to, while it is smaller than a tick
 *   where   between the changes before and after, y limited to BEYOND times its 68 % distance outside the two levels (Huber 1964); two
 *           levels of an AR(1) process fitted for each place by generalised least squares. The interval holds the places whose -2 ln L is within
 *           7.352 of the best: beside a small shift ln L is two random walks with drift, the maximum of each is exponential, and
 *           (1 - exp(-7.352/2))^2 = 0.95 (Yao 1987; Siegmund 1988). Where more than 2 % of the values are nearer to the other level, one
 *           neighbour proves nothing: a place is added on each side
 *   shift   of w, for each place that is as likely as SHIFTS allows, the shifts that are: 97.5 % of chi squared with one degree, so that
 *           95 % remain though only changes that were found are counted
 *
 * Constants without a source are simulated, by tests/stats/changes_sim_test.c and bench/history.sh: docs/how-it-works/history.md has the rates.
 * Assumes noise whose spread and correlation stay the same over the series. A trend with a step in it becomes several steps. Smallest n 12;
 * below, STATS_COURSE_SHORT. No noise is taken for less than a millionth or a twentieth of `least`. NaN, infinity, least < 0: TARE_INVALID.
 */
#include "changes.h"
#include "partition.h"
#include <float.h>
#include <stdint.h>
#include <string.h>

enum { LEAST_VALUES = 12 };

static const double REACH = 1.5, CHANGE = 9, CHANGE_LOG = 1, MEMORY = 3, LINE = 14, DOUBT = 11, BEYOND = 1.5;
static const double PARAMETERS = 7, PLACES = 7.352, SHIFTS = 5.024, ASTRAY = 0.02, FINEST = 1e-6, COARSE = 0.75, WIDEST = 1e100;

struct work {
    struct stats_partition p;
    double *y, *limited;
    ptrdiff_t *start; /* of each segment, and n */
    ptrdiff_t segments;
    double least, tick, floor, sigma, rho;
    double unit; /* y = x / unit where x is not all positive; else 1 */
    bool logs;
};

size_t stats_changes_scratch_bytes(ptrdiff_t n)
{
    if (n > PTRDIFF_MAX / 256)
        return SIZE_MAX;
    return n <= 0 ? 0 : stats_partition_bytes(n) + (size_t)(n + 1) * (2 * sizeof(double) + sizeof(ptrdiff_t));
}

static void lay_out(struct work *k, ptrdiff_t n, void *scratch)
{
    k->y = stats_partition_lay_out(&k->p, n, scratch);
    k->limited = k->y + n + 1;
    k->start = (ptrdiff_t *)(void *)(k->limited + n + 1);
}

/* ---- scale ---- */

static bool all_positive(const double *x, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        if (!(x[i] > 0))
            return false;
    return true;
}

/* Median size of the values, but no less than keeps the squares of the largest within a double; 1 where all are 0. */
static double middle_size(struct work *k, const double *x)
{
    const ptrdiff_t n = k->p.n;
    double largest = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        largest = fmax(largest, k->p.room[i] = fabs(x[i]));
    const double size = fmax(stats_quantile_of(k->p.room, n, 0.5), largest / WIDEST);
    return size > 0 ? size : 1;
}

static void take_values(struct work *k, const double *x)
{
    k->logs = all_positive(x, k->p.n);
    k->unit = k->logs ? 1 : middle_size(k, x);
    for (ptrdiff_t i = 0; i < k->p.n; i++)
        k->y[i] = k->logs ? log(x[i]) : x[i] / k->unit;
    k->floor = fmax(FINEST, k->least / 20);
    stats_distances(&k->p, k->y);
    stats_draw_in(&k->p, k->y, REACH * stats_quantile_of(k->p.room, k->p.n, 0.9));
    stats_sum_up(&k->p);
}

static double own_scale(const struct work *k, double level)
{
    return k->logs ? exp(level) : level * k->unit;
}

/* ---- flat, steps or a line ---- */

/* 3 ln n times the variance that differences of neighbours show, by their 90 % quantile. */
static double lowest_price(const struct work *k)
{
    const ptrdiff_t n = k->p.n;
    for (ptrdiff_t i = 1; i < n; i++)
        k->p.room[i - 1] = fabs(k->y[i] - k->y[i - 1]);
    const double sigma = fmax(stats_quantile_of(k->p.room, n - 1, 0.9) / (1.6448536269514722 * sqrt(2)), k->floor);
    return 3 * sigma * sigma * log((double)n);
}

/* Least squares. Returns the rise from the first value to the last. */
static double fit_line(struct work *k, struct stats_fit *fit)
{
    const ptrdiff_t n = k->p.n;
    const double middle = (double)(n - 1) / 2, mean = stats_level(&k->p, 0, n);
    double product = 0, square = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        product += ((double)i - middle) * (k->p.w[i] - mean);
        square += ((double)i - middle) * ((double)i - middle);
    }
    for (ptrdiff_t i = 0; i < n; i++)
        k->p.room[i] = k->p.w[i] - mean - product / square * ((double)i - middle);
    *fit = stats_fit_residuals(&k->p, 1);
    return product / square * (double)(n - 1);
}

static void keep_segments(struct work *k, ptrdiff_t segments)
{
    k->segments = segments;
    k->start[segments] = k->p.n;
    for (ptrdiff_t i = segments; i > 0; i--)
        k->start[i - 1] = k->p.last[k->start[i]];
}

static double step_at(const struct work *k, ptrdiff_t i)
{
    const ptrdiff_t first = k->start[i - 1], at = k->start[i], end = k->start[i + 1];
    const double *sum = k->p.sum;
    return (sum[end] - sum[at]) / (double)(end - at) - (sum[at] - sum[first]) / (double)(at - first);
}

/* Takes the smallest change out while it is smaller than asked for. */
static void drop_small(struct work *k)
{
    while (k->segments > 1) {
        ptrdiff_t least = 1;
        for (ptrdiff_t i = 2; i < k->segments; i++)
            if (fabs(step_at(k, i)) < fabs(step_at(k, least)))
                least = i;
        if (fabs(step_at(k, least)) >= k->least)
            return;
        memmove(k->start + least, k->start + least + 1, (size_t)(k->segments - least) * sizeof *k->start);
        k->segments--;
    }
}

static void take_noise(struct work *k, const struct stats_fit *f)
{
    const double n = (double)k->p.n, levels = (double)f->segments;
    k->rho = fmin(fmax(f->rho + (1 + 3 * f->rho) * levels / n, -0.5), STATS_MOST_RHO);
    k->sigma = fmax(sqrt(f->squares / (n - levels)), k->floor);
    if (k->sigma < COARSE * k->tick)
        k->least = fmax(k->least, k->tick);
}

static enum stats_course choose_course(struct work *k, double *drift)
{
    const struct stats_prior prior = {PARAMETERS, MEMORY, CHANGE, CHANGE_LOG, k->floor};
    const struct stats_fit steps = stats_choose_partition(&k->p, &prior, lowest_price(k));
    struct stats_fit line;
    const double rise = fit_line(k, &line), one = CHANGE + CHANGE_LOG * log((double)k->p.n);
    const double price = steps.segments > 1 ? one - DOUBT : LINE;
    if (stats_badness(&k->p, &line, &prior) + price < stats_badness(&k->p, &steps, &prior)) {
        take_noise(k, &line);
        if (fabs(rise) < k->least)
            return STATS_COURSE_FLAT;
        *drift = rise;
        return STATS_COURSE_DRIFT;
    }
    take_noise(k, &steps);
    keep_segments(k, steps.segments);
    drop_small(k);
    return k->segments > 1 ? STATS_COURSE_STEPS : STATS_COURSE_FLAT;
}

/* ---- where, and by how much ---- */

/* Two levels in v[first..end), AR(1) noise about them; `at` goes through the places where the second may begin. */
struct pair {
    const double *v;
    ptrdiff_t first, at, end;
    double origin, rho; /* origin: near both levels, so that nothing cancels */
    double squares;     /* of the innovations, were both levels the origin */
    double early, late; /* sums of the innovations after first and before at, after at */
};

struct two_levels {
    double before, after; /* from the origin */
    double squares;       /* of the innovations about them */
    double error;         /* of after - before, in standard deviations of an innovation */
};

static double innovation(const struct pair *p, ptrdiff_t i)
{
    return p->v[i] - p->origin - p->rho * (p->v[i - 1] - p->origin);
}

static struct pair pair_start(const double *v, ptrdiff_t first, ptrdiff_t end, double origin, double rho)
{
    struct pair p = {.v = v, .first = first, .at = first, .end = end, .origin = origin, .rho = rho};
    p.squares = (1 - rho * rho) * (v[first] - origin) * (v[first] - origin);
    for (ptrdiff_t i = first + 1; i < end; i++) {
        const double z = innovation(&p, i);
        p.squares += z * z;
        p.late += z;
    }
    return p;
}

/* The next place: generalised least squares for the two levels. The first value counts 1 - rho^2, as the stationary start of the process. */
static struct two_levels pair_next(struct pair *p)
{
    p->early += p->at > p->first ? innovation(p, p->at) : 0;
    const double z = innovation(p, ++p->at), rho = p->rho, c = 1 - rho;
    p->late -= z;
    const double a = 1 + (double)(p->at - p->first - 1) * c * c, d = 1 + (double)(p->end - p->at - 1) * c * c, b = -rho;
    const double f = (1 - rho * rho) * (p->v[p->first] - p->origin) + c * p->early - rho * z, g = z + c * p->late;
    const double det = a * d - b * b;
    struct two_levels t = {.before = (d * f - b * g) / det, .after = (a * g - b * f) / det};
    t.squares = fmax(0, p->squares - t.before * f - t.after * g);
    t.error = sqrt((a + d + 2 * b) / det);
    return t;
}

/* The levels beside a change. */
struct levels {
    double low, high, middle;
    bool many_astray; /* more than ASTRAY of the values are nearer to the other one */
};

static struct levels limit_values(struct work *k, ptrdiff_t first, ptrdiff_t at, ptrdiff_t end)
{
    const double before = stats_level(&k->p, first, at), after = stats_level(&k->p, at, end);
    struct levels l = {fmin(before, after), fmax(before, after), (before + after) / 2, false};
    double *off = k->p.room, astray = 0;
    for (ptrdiff_t i = first; i < end; i++) {
        off[i - first] = fabs(k->y[i] - (i < at ? before : after));
        astray += (k->y[i] > l.middle) == ((i < at) == (after > before));
    }
    const double reach = BEYOND * stats_quantile_of(off, end - first, 0.6827);
    for (ptrdiff_t i = first; i < end; i++)
        k->limited[i] = fmin(fmax(k->y[i], l.low - reach), l.high + reach);
    l.many_astray = astray > ASTRAY * (double)(end - first);
    return l;
}

/* -2 ln of the likelihood of each place against the best one, in cost. Returns the best. */
static ptrdiff_t compare_places(struct work *k, ptrdiff_t first, ptrdiff_t end, double origin)
{
    struct pair p = pair_start(k->limited, first, end, origin, fmax(k->rho, 0));
    double *cost = k->p.cost;
    ptrdiff_t best = first + 1;
    while (p.at < end - 1) {
        const struct two_levels t = pair_next(&p);
        cost[p.at] = t.squares + (double)(end - first) * DBL_EPSILON * p.squares; /* what rounding leaves */
        best = cost[p.at] < cost[best] ? p.at : best;
    }
    const double least = cost[best];
    for (ptrdiff_t i = first + 1; i < end; i++)
        cost[i] = least > 0 ? (double)(end - first - 3) * log(cost[i] / least) : 0;
    return best;
}

static void locate(struct work *k, ptrdiff_t first, ptrdiff_t near, ptrdiff_t end, struct stats_change *c)
{
    const struct levels l = limit_values(k, first, near, end);
    const double rho = fmax(k->rho, 0), sigma = k->sigma * sqrt(1 - rho * rho), *cost = k->p.cost;
    const ptrdiff_t at = compare_places(k, first, end, l.middle);
    *c = (struct stats_change){.at = at, .first = at, .last = at, .low = INFINITY, .high = -INFINITY};
    for (struct pair p = pair_start(k->p.w, first, end, l.middle, rho); p.at < end - 1;) {
        const struct two_levels t = pair_next(&p);
        if (cost[p.at] > PLACES)
            continue;
        c->first = p.at < c->first ? p.at : c->first;
        c->last = p.at;
        const double shift = t.after - t.before, reach = sigma * t.error * sqrt(fmax(0, SHIFTS - cost[p.at]));
        if (cost[p.at] <= SHIFTS) {
            c->low = fmin(c->low, k->unit * (shift - reach));
            c->high = fmax(c->high, k->unit * (shift + reach));
        }
        if (p.at == at) {
            c->before = own_scale(k, l.middle + t.before);
            c->after = own_scale(k, l.middle + t.after);
            c->shift = k->unit * shift;
        }
    }
    c->first -= l.many_astray && c->first > first + 1;
    c->last += l.many_astray && c->last < end - 1;
}

enum tare_status stats_changes(const double *x, ptrdiff_t n, double least, double tick, void *scratch,
                               struct stats_change *changes, ptrdiff_t room, struct stats_changes *out)
{
    *out = (struct stats_changes){.course = STATS_COURSE_SHORT, .drift = NAN, .sigma = NAN, .rho = NAN};
    if (n < 0 || !(least >= 0) || !(tick >= 0) || !stats_all_finite(x, n))
        return TARE_INVALID;
    if (n < LEAST_VALUES)
        return TARE_OK;
    struct work k = {.least = least, .tick = tick};
    lay_out(&k, n, scratch);
    take_values(&k, x);
    double drift = NAN;
    out->course = choose_course(&k, &drift);
    out->drift = drift * k.unit;
    out->sigma = k.sigma * k.unit;
    out->rho = k.rho;
    if (out->course != STATS_COURSE_STEPS)
        return TARE_OK;
    out->n = k.segments - 1;
    for (ptrdiff_t i = 1; i < k.segments && i <= room; i++) {
        locate(&k, k.start[i - 1], k.start[i], k.start[i + 1], &changes[i - 1]);
        k.start[i] = changes[i - 1].at;
    }
    return TARE_OK;
}
