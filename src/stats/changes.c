/* SPDX-License-Identifier: MIT
 *
 * TODO head
 */
#include "changes.h"
#include "partition.h"
#include <stdint.h>
#include <string.h>

enum { LEAST_VALUES = 12 };

#ifndef CHANGES_TUNED
static const double REACH = 1.8, CHANGE = 3, CHANGE_LOG = 3, PARAMETERS = 7, MEMORY = 8, LINE_CREDIT = 4, LIKELY = 3.676;
#endif
static const double FINEST = 1e-6; /* the smallest noise: steps of less are no noise's */

struct work {
    struct stats_partition p;
    double *y, *score;
    ptrdiff_t *start; /* of each segment, and n */
    ptrdiff_t segments;
    double least, floor, sigma, rho;
    double origin, unit; /* y = (x - origin) / unit where x is not all positive */
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
    k->score = k->y + n + 1;
    k->start = (ptrdiff_t *)(void *)(k->score + n + 1);
}

/* ---- scale ---- */

/* 90 % quantile of the differences of neighbours, as a standard deviation; 0 where most are alike. */
static double neighbour_noise(const struct work *k)
{
    double *apart = k->p.room;
    for (ptrdiff_t i = 1; i < k->p.n; i++)
        apart[i - 1] = fabs(k->y[i] - k->y[i - 1]);
    tare_sort(apart, k->p.n - 1);
    return tare_quantile_sorted(apart, k->p.n - 1, 0.9) / (1.6448536269514722 * sqrt(2));
}

static bool all_positive(const double *x, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        if (!(x[i] > 0))
            return false;
    return true;
}

static void take_values(struct work *k, const double *x, double least)
{
    const ptrdiff_t n = k->p.n;
    k->logs = all_positive(x, n);
    for (ptrdiff_t i = 0; i < n; i++)
        k->y[i] = k->logs ? log(x[i]) : x[i];
    k->least = least;
    k->unit = 1;
    if (!k->logs) { /* in units of the median size, so that `least` is relative here as well */
        for (ptrdiff_t i = 0; i < n; i++)
            k->p.room[i] = fabs(x[i]);
        tare_sort(k->p.room, n);
        const double middle = stats_median_sorted(k->p.room, n);
        k->unit = middle > 0 ? middle : k->p.room[n - 1] > 0 ? k->p.room[n - 1] : 1;
        for (ptrdiff_t i = 0; i < n; i++)
            k->y[i] = x[i] / k->unit;
    }
    k->floor = fmax(FINEST, least / 20);
}

/* ---- flat, steps or a line ---- */

struct line {
    double rise; /* from the first value to the last */
    struct stats_fit fit;
};

static struct line fit_line(struct work *k)
{
    const ptrdiff_t n = k->p.n;
    const double middle = (double)(n - 1) / 2, mean = stats_level(&k->p, 0, n);
    double product = 0, square = 0, before = 0, products = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double t = (double)i - middle;
        product += t * (k->p.w[i] - mean);
        square += t * t;
    }
    struct line l = {.rise = product / square * (double)(n - 1), .fit.segments = 1};
    for (ptrdiff_t i = 0; i < n; i++) {
        const double r = k->p.w[i] - mean - product / square * ((double)i - middle);
        l.fit.squares += r * r;
        products += r * before;
        before = r;
    }
    l.fit.rho = l.fit.squares > 0 ? products / l.fit.squares : 0;
    return l;
}

static void keep_segments(struct work *k)
{
    k->segments = 0;
    for (ptrdiff_t end = k->p.n; end > 0; end = k->p.last[end])
        k->segments++;
    ptrdiff_t i = k->segments;
    k->start[i] = k->p.n;
    for (ptrdiff_t end = k->p.n; end > 0; end = k->start[i])
        k->start[--i] = k->p.last[end];
}

static double step_at(const struct work *k, ptrdiff_t i)
{
    return stats_level(&k->p, k->start[i], k->start[i + 1]) - stats_level(&k->p, k->start[i - 1], k->start[i]);
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

static enum stats_course choose_course(struct work *k, double *drift)
{
    const double n = (double)k->p.n, noise = fmax(neighbour_noise(k), k->floor);
    const struct stats_prior prior = {PARAMETERS, MEMORY, CHANGE, CHANGE_LOG, k->floor};
    stats_distances(&k->p, k->y);
    stats_draw_in(&k->p, k->y, REACH * tare_quantile_sorted(k->p.room, k->p.n, 0.9));
    stats_sum_up(&k->p);
    struct stats_fit f = stats_choose_partition(&k->p, &prior, 3 * noise * noise * log(n));
    keep_segments(k);
    const struct line l = fit_line(k);
    const double one = CHANGE + CHANGE_LOG * log(n) - LINE_CREDIT;
    const bool line = stats_badness(&k->p, &l.fit, &prior) + one < stats_badness(&k->p, &f, &prior);
    if (line)
        f = l.fit;
    const double levels = (double)f.segments;
    k->rho = fmin(fmax(f.rho + (1 + 3 * f.rho) * levels / n, -0.5), STATS_MOST_RHO);
    k->sigma = fmax(sqrt(f.squares / (n - levels)), k->floor);
    if (line) {
        *drift = fabs(l.rise) >= k->least ? l.rise : 0;
        return *drift != 0 ? STATS_COURSE_DRIFT : STATS_COURSE_FLAT;
    }
    drop_small(k);
    return k->segments > 1 ? STATS_COURSE_STEPS : STATS_COURSE_FLAT;
}

/* ---- where, and by how much ---- */

/* Two levels of an AR(1) process v[first..end), the second from `at` on, by generalised least squares. */
struct two_levels {
    double before, after, squares; /* squares: of the innovations */
    double error;                  /* of after - before, in standard deviations of an innovation */
};

struct sums {
    double all, first, squares; /* of v; the first value; squares of the innovations were both levels 0 */
};

static double innovation(const double *v, ptrdiff_t i, double rho)
{
    return v[i] - rho * v[i - 1];
}

static double squares_about_zero(const double *v, ptrdiff_t first, ptrdiff_t end, double rho)
{
    double s = (1 - rho * rho) * v[first] * v[first];
    for (ptrdiff_t i = first + 1; i < end; i++)
        s += innovation(v, i, rho) * innovation(v, i, rho);
    return s;
}

/* early: sum of the innovations in (first, at), late: in (at, end). */
static struct two_levels two_levels(const double *v, ptrdiff_t first, ptrdiff_t at, ptrdiff_t end, double rho, double early,
                                    double late, double squares)
{
    const double c = 1 - rho, z = innovation(v, at, rho);
    const double a = 1 - rho * rho + (double)(at - first - 1) * c * c + rho * rho, b = -rho,
                 d = 1 + (double)(end - at - 1) * c * c;
    const double p = (1 - rho * rho) * v[first] + c * early - rho * z, q = z + c * late, det = a * d - b * b;
    struct two_levels t = {.before = (d * p - b * q) / det, .after = (a * q - b * p) / det};
    t.squares = fmax(0, squares - t.before * p - t.after * q);
    t.error = sqrt((a + d + 2 * b) / det);
    return t;
}

/* Normal scores (van der Waerden) of y from first to end; equal values have equal scores. */
static void score(struct work *k, ptrdiff_t first, ptrdiff_t end)
{
    const ptrdiff_t n = end - first;
    double *sorted = k->p.room;
    memcpy(sorted, k->y + first, (size_t)n * sizeof *sorted);
    tare_sort(sorted, n);
    for (ptrdiff_t i = first; i < end; i++) {
        ptrdiff_t below = 0, to = n;
        while (below < to) {
            const ptrdiff_t m = (below + to) / 2;
            if (sorted[m] < k->y[i])
                below = m + 1;
            else
                to = m;
        }
        ptrdiff_t above = below;
        while (above < n && sorted[above] == k->y[i])
            above++;
        k->score[i] = tare_normal_quantile((double)(below + above) / (2 * (double)n));
    }
}

/* -2 ln of the likelihood of each place against the best, in k->p.cost[place]. Returns the best. */
static ptrdiff_t likelihoods(struct work *k, ptrdiff_t first, ptrdiff_t end, double rho)
{
    const double *v = k->score, squares = squares_about_zero(v, first, end, rho);
    double early = 0, late = 0;
    for (ptrdiff_t i = first + 1; i < end; i++)
        late += innovation(v, i, rho);
    ptrdiff_t best = first + 1;
    for (ptrdiff_t at = first + 1; at < end; at++) {
        late -= innovation(v, at, rho);
        k->p.cost[at] = two_levels(v, first, at, end, rho, early, late, squares).squares;
        early += innovation(v, at, rho);
        if (k->p.cost[at] < k->p.cost[best])
            best = at;
    }
    const double least = fmax(k->p.cost[best], 1e-9), n = (double)(end - first);
    for (ptrdiff_t at = first + 1; at < end; at++)
        k->p.cost[at] = fmax(n - 3, 1) * log(fmax(k->p.cost[at], 1e-9) / least);
    return best;
}

static double own_scale(const struct work *k, double level)
{
    return k->logs ? exp(level) : level * k->unit;
}

static void locate(struct work *k, ptrdiff_t first, ptrdiff_t end, struct stats_change *c)
{
    const double rho = fmax(k->rho, 0), innovations = k->sigma * sqrt(1 - rho * rho);
    score(k, first, end);
    c->at = likelihoods(k, first, end, rho);
    c->first = c->last = c->at;
    c->low = INFINITY, c->high = -INFINITY;
    const double *v = k->p.w, squares = squares_about_zero(v, first, end, rho);
    double early = 0, late = 0;
    for (ptrdiff_t i = first + 1; i < end; i++)
        late += innovation(v, i, rho);
    for (ptrdiff_t at = first + 1; at < end; at++) {
        late -= innovation(v, at, rho);
        if (k->p.cost[at] <= LIKELY) {
            const struct two_levels t = two_levels(v, first, at, end, rho, early, late, squares);
            const double shift = t.after - t.before, reach = innovations * t.error * sqrt(LIKELY - k->p.cost[at]);
            c->first = at < c->first ? at : c->first;
            c->last = at > c->last ? at : c->last;
            c->low = fmin(c->low, shift - reach);
            c->high = fmax(c->high, shift + reach);
            if (at == c->at)
                c->before = own_scale(k, t.before), c->after = own_scale(k, t.after), c->shift = shift;
        }
        early += innovation(v, at, rho);
    }
    c->shift *= k->unit, c->low *= k->unit, c->high *= k->unit;
}

enum tare_status stats_changes(const double *x, ptrdiff_t n, double least, void *scratch, struct stats_change *changes,
                               ptrdiff_t room, struct stats_changes *out)
{
    *out = (struct stats_changes){.course = STATS_COURSE_SHORT, .sigma = NAN, .rho = NAN, .drift = NAN};
    if (n < 0 || !stats_all_finite(x, n) || !(least >= 0))
        return TARE_INVALID;
    if (n < LEAST_VALUES)
        return TARE_OK;
    struct work k = {.least = least};
    lay_out(&k, n, scratch);
    take_values(&k, x, least);
    out->course = choose_course(&k, &out->drift);
    out->sigma = k.sigma * k.unit;
    out->rho = k.rho;
    if (out->course != STATS_COURSE_STEPS)
        return TARE_OK;
    out->n = k.segments - 1;
    for (ptrdiff_t i = 1; i < k.segments && i <= room; i++) {
        locate(&k, k.start[i - 1], k.start[i + 1], &changes[i - 1]);
        k.start[i] = changes[i - 1].at;
    }
    return TARE_OK;
}
