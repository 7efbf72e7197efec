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
 *               -2 ln( integral over rho of |X'V^-1 X|^-1/2 q^-(n - 6)/2 ) + changes (CHANGE + ln n),
 *           q = (1 - rho^2) r_1^2 + sum (r_i - rho r_(i-1))^2, r the residuals about the means, X'V^-1 X the information about the levels: the
 *           likelihood of AR(1) noise with levels integrated out and Jeffreys' prior for rho from 0 to 0.95, but for the exponent, which has 6
 *           whatever the number of levels; CHANGE makes up for that. At its best rho alone (Chakar et al. 2017), which in short series is too
 *           small, AR(1) noise of 0.8 passes three times as often for changes
 *   line    a straight line, judged likewise, is compared with a level, at the price of LINE, and with the steps, at the price of one change.
 *           There the places of the steps, or without steps the best place for one, are found anew by the likelihood below. A trend of a
 *           standard deviation is nearly as well described by one step. Steps that are better by SURE_STEPS are steps; a line that is better,
 *           or worse by less than SURE_LINE, is a drift; between them it may be either, and changes of which one is smaller than
 *           CLEAR (1 + rho) sigma are not given: most lines that look like steps are in long or correlated series, where the steps that
 *           describe them are small
 *   least   the smallest change is taken out while it is smaller than asked for; where the values scatter by less than COARSE ticks that they are
 *           rounded to, while it is smaller than a tick
 *   where   between the changes before and after, y limited to BEYOND times its 68 % distance outside the two levels (Huber 1964); two
 *           levels of an AR(1) process fitted for each place by generalised least squares. The interval holds the places whose -2 ln L is within
 *           7.352 of the best: beside a small shift ln L is two random walks with drift, the maximum of each is exponential, and
 *           (1 - exp(-7.352/2))^2 = 0.95 (Yao 1987; Siegmund 1988); times 1 + PLACES_RHO rho, as rho is estimated. Where more than 2 % of the
 *           values are nearer to the other level, one neighbour proves nothing: a place is added on each side
 *   shift   of w, for each place that is as likely as SHIFTS allows, the shifts that are: 97.5 % of chi squared with one degree, so that
 *           95 % remain though only changes that were found are counted; times 1 + SHIFTS_RHO rho
 *
 * Constants without a source are simulated, by tests/stats/changes_sim_test.c and bench/history.sh: docs/how-it-works/history.md has the rates.
 * Assumes noise whose spread and correlation stay the same over the series. A trend with a step in it becomes several steps. Smallest n 12;
 * below, STATS_COURSE_SHORT. No noise is taken for less than a millionth or a twentieth of `least`. NaN, infinity, least or tick < 0: TARE_INVALID.
 */
#include "changes.h"
#include "partition.h"
#include <float.h>
#include <stdint.h>
#include <string.h>

enum { LEAST_VALUES = 12, NODES = 20 };

static const double PARAMETERS = 6, CHANGE = 5.5, LINE = 14, SURE_LINE = 1.5, SURE_STEPS = 9, CLEAR = 1.5;
static const double REACH = 1.5, BEYOND = 1.5;
static const double PLACES = 7.352, PLACES_RHO = 0.45, SHIFTS = 5.024, SHIFTS_RHO = 0.6, ASTRAY = 0.02, FINEST = 1e-6,
                    COARSE = 0.75, WIDEST = 1e100;

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

/* 3 ln n times the variance that differences of neighbours show, by their 90 % quantile. */
static double lowest_price(const struct work *k)
{
    const ptrdiff_t n = k->p.n;
    for (ptrdiff_t i = 1; i < n; i++)
        k->p.room[i - 1] = fabs(k->y[i] - k->y[i - 1]);
    const double sigma = fmax(stats_quantile_of(k->p.room, n - 1, 0.9) / (1.6448536269514722 * sqrt(2)), k->floor);
    return 3 * sigma * sigma * log((double)n);
}

/* ln det(X' V^-1 X) of the levels of the partition in last, V of an AR(1) process with innovations of variance 1. */
static double levels_known(const struct stats_partition *p, double rho)
{
    double sum = 0, next = INFINITY; /* pivots, from the last level to the first */
    for (ptrdiff_t end = p->n, first; end > 0; end = first) {
        first = p->last[end];
        const double own = (first ? 1 : 1 - rho * rho) + (double)(end - first - 1) * (1 - rho) * (1 - rho);
        next = own + (end < p->n ? rho * rho * (1 - 1 / next) : 0);
        sum += log(next);
    }
    return sum;
}

/* The same of a line from -1/2 to 1/2. */
static double line_known(const struct stats_partition *p, double rho)
{
    const double n = (double)p->n, apart = (1 - rho) * (1 - rho), first = 1 - rho * rho;
    return log(first + (n - 1) * apart) + log(first / 4 + n * apart / 12 + rho / n);
}

/* -2 ln of the likelihood, with the means and rho in [0, STATS_MOST_RHO] integrated out, within 5 standard errors of the best rho. */
static double deviance(const struct stats_partition *p, const struct stats_fit *f, double least_sigma,
                       double (*known)(const struct stats_partition *p, double rho))
{
    const double n = (double)p->n, best = fmin(fmax(f->rho, 0), STATS_MOST_RHO), reach = 5 * sqrt((1 - best * best) / n);
    const double low = fmax(best - reach, 0), width = fmin(best + reach, STATS_MOST_RHO) - low;
    double value[NODES], least = INFINITY, sum = 0;
    for (int i = 0; i < NODES; i++) {
        const double rho = low + width * (i + 0.5) / NODES;
        const double squares = f->squares * (1 - 2 * rho * f->rho + rho * rho) - rho * rho * f->ends;
        value[i] = (n - PARAMETERS) * log(squares / n + least_sigma * least_sigma) + known(p, rho);
        least = fmin(least, value[i]);
    }
    for (int i = 0; i < NODES; i++)
        sum += exp((least - value[i]) / 2);
    return least - 2 * log(sum * width / NODES);
}

static double change_price(const struct stats_partition *p)
{
    return CHANGE + log((double)p->n);
}

static double steps_badness(const struct stats_partition *p, const struct stats_fit *f, double least_sigma)
{
    return deviance(p, f, least_sigma, levels_known) + (double)(f->segments - 1) * change_price(p);
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
    *fit = stats_fit_residuals(&k->p, 2);
    return product / square * (double)(n - 1);
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
static ptrdiff_t compare_places(struct work *k, const double *v, ptrdiff_t first, ptrdiff_t end, double origin,
                                ptrdiff_t shortest)
{
    struct pair p = pair_start(v, first, end, origin, fmax(k->rho, 0));
    double *cost = k->p.cost;
    ptrdiff_t best = first + shortest;
    while (p.at < end - 1) {
        const struct two_levels t = pair_next(&p);
        cost[p.at] = t.squares + (double)(end - first) * DBL_EPSILON * p.squares; /* what rounding leaves */
        if (p.at - first >= shortest && end - p.at >= shortest && cost[p.at] < cost[best])
            best = p.at;
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
    const double places = PLACES * (1 + PLACES_RHO * rho), shifts = SHIFTS * (1 + SHIFTS_RHO * rho);
    const ptrdiff_t at = compare_places(k, k->limited, first, end, l.middle, 1);
    *c = (struct stats_change){.at = at, .first = at, .last = at, .low = INFINITY, .high = -INFINITY};
    for (struct pair p = pair_start(k->p.w, first, end, l.middle, rho); p.at < end - 1;) {
        const struct two_levels t = pair_next(&p);
        if (cost[p.at] > places)
            continue;
        c->first = p.at < c->first ? p.at : c->first;
        c->last = p.at;
        const double shift = t.after - t.before, reach = sigma * t.error * sqrt(fmax(0, shifts - cost[p.at]));
        if (cost[p.at] <= shifts) {
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

/* The partition in last, or one change where it has none, each place compared anew: the cut sees levels, not how far one value is from the
 * next. */
static struct stats_fit place_steps(struct work *k, ptrdiff_t segments)
{
    ptrdiff_t *start = k->start, *last = k->p.last;
    k->segments = segments > 1 ? segments : 2;
    start[0] = 0;
    start[k->segments] = k->p.n;
    for (ptrdiff_t i = segments; i > 1; i--)
        start[i - 1] = last[start[i]];
    for (ptrdiff_t i = 1; i < k->segments; i++)
        start[i] = compare_places(k, k->p.w, start[i - 1], start[i + 1], stats_level(&k->p, start[i - 1], start[i + 1]),
                                  STATS_LEAST_SEGMENT);
    for (ptrdiff_t i = 0; i < k->segments; i++)
        last[start[i + 1]] = start[i];
    return stats_fit_levels(&k->p);
}

static bool all_clear(const struct work *k)
{
    for (ptrdiff_t i = 1; i < k->segments; i++)
        if (fabs(step_at(k, i)) < CLEAR * (1 + fmax(k->rho, 0)) * k->sigma)
            return false;
    return true;
}

static enum stats_course choose_course(struct work *k, double *drift)
{
    struct stats_fit line, steps = stats_choose_partition(&k->p, steps_badness, k->floor, lowest_price(k));
    const double rise = fit_line(k, &line), line_badness = deviance(&k->p, &line, k->floor, line_known);
    const bool flat = steps.segments == 1;
    take_noise(k, &steps);
    if (flat && steps_badness(&k->p, &steps, k->floor) <= line_badness + LINE)
        return STATS_COURSE_FLAT;
    steps = place_steps(k, steps.segments);
    const double doubt = line_badness + change_price(&k->p) - steps_badness(&k->p, &steps, k->floor);
    take_noise(k, doubt < SURE_LINE ? &line : &steps);
    drop_small(k);
    const bool stepped = doubt >= SURE_LINE && k->segments > 1, sloped = (flat || doubt < SURE_STEPS) && fabs(rise) >= k->least;
    *drift = sloped ? rise : NAN;
    if (stepped && sloped && !all_clear(k))
        k->segments = 1;
    return sloped ? (stepped ? STATS_COURSE_EITHER : STATS_COURSE_DRIFT) : stepped ? STATS_COURSE_STEPS : STATS_COURSE_FLAT;
}

enum tare_status stats_changes(const double *x, ptrdiff_t n, double least, double tick, void *scratch,
                               struct stats_change *changes, ptrdiff_t room, struct stats_changes *out)
{
    *out = (struct stats_changes){.course = STATS_COURSE_SHORT, .drift = NAN, .sigma = NAN};
    if (n < 0 || !(least >= 0) || !(tick >= 0) || !stats_all_finite(x, n))
        return TARE_INVALID;
    if (n < LEAST_VALUES)
        return TARE_OK;
    struct work k = {.least = least, .tick = tick};
    k.y = stats_partition_lay_out(&k.p, n, scratch);
    k.limited = k.y + n + 1;
    k.start = (ptrdiff_t *)(void *)(k.limited + n + 1);
    take_values(&k, x);
    double drift = NAN;
    out->course = choose_course(&k, &drift);
    out->drift = drift * k.unit;
    out->sigma = k.sigma * k.unit;
    if (out->course != STATS_COURSE_STEPS && out->course != STATS_COURSE_EITHER)
        return TARE_OK;
    out->n = k.segments - 1;
    for (ptrdiff_t i = 1; i < k.segments && i <= room; i++) {
        locate(&k, k.start[i - 1], k.start[i], k.start[i + 1], &changes[i - 1]);
        k.start[i] = changes[i - 1].at;
    }
    return TARE_OK;
}
