/* SPDX-License-Identifier: MIT
 *
 *   cut     the segments, of 3 values or more, that make  sum (w - mean)^2 + price per change  least (optimal partitioning; Jackson et al. 2005;
 *           functional pruning, Maidstone et al. 2017)
 *   choose  among the partitions for falling prices the likeliest with AR(1) noise about its levels (Chakar et al. 2017): each is judged with the
 *           noise that remains beside it. A level shift raises the rho of the partition without it and not of the one with it.
 */
#include "partition.h"
#include <string.h>

enum { SPIKE_WINDOW = 7, END_WINDOW = 5, EXACT = 1000, MOST_PIECES = 300 };

const double STATS_MADN = 1.482602218505602, STATS_MOST_RHO = 0.95;
static const double PRICE_FACTOR = 3; /* from one price to the next */

size_t stats_partition_bytes(ptrdiff_t n)
{
    return (size_t)(n + 1) * (5 * sizeof(double) + 2 * sizeof(ptrdiff_t) + 4 * sizeof(struct stats_piece));
}

void *stats_partition_lay_out(struct stats_partition *p, ptrdiff_t n, void *scratch)
{
    const ptrdiff_t m = n + 1;
    p->n = n;
    p->w = scratch;
    p->sum = p->w + m;
    p->squares = p->sum + m;
    p->cost = p->squares + m;
    p->room = p->cost + m;
    p->last = (ptrdiff_t *)(void *)(p->room + m);
    p->spare = p->last + m;
    p->pieces = (struct stats_piece *)(void *)(p->spare + m);
    p->shared = p->pieces + 2 * m; /* parabolas cross twice at most: fewer than two pieces a beginning */
    return p->shared + 2 * m;
}

ptrdiff_t stats_window_at(const struct stats_partition *p, const double *values, ptrdiff_t i, ptrdiff_t width)
{
    ptrdiff_t n = width < p->n ? width : p->n, first = i - n / 2;
    first = first < 0 ? 0 : first > p->n - n ? p->n - n : first;
    memcpy(p->room, values + first, (size_t)n * sizeof *values);
    tare_sort(p->room, n);
    return n;
}

/* A sorted window moves on: `gone`, which is in it, makes room for `come`. */
static void slide(double *sorted, ptrdiff_t n, double gone, double come)
{
    ptrdiff_t i = 0;
    while (sorted[i] != gone)
        i++;
    for (; i + 1 < n && sorted[i + 1] < come; i++)
        sorted[i] = sorted[i + 1];
    for (; i > 0 && sorted[i - 1] > come; i--)
        sorted[i] = sorted[i - 1];
    sorted[i] = come;
}

void stats_distances(struct stats_partition *p, const double *y)
{
    enum { HALF = SPIKE_WINDOW / 2 };
    double *median = p->sum, *distance = p->squares; /* not needed yet */
    for (ptrdiff_t i = 0; i < p->n; i++) {
        const bool inside = i >= HALF && p->n - i > HALF;
        if (inside && i > HALF)
            slide(p->room, SPIKE_WINDOW, y[i - HALF - 1], y[i + HALF]);
        else
            stats_window_at(p, y, i, inside ? SPIKE_WINDOW : END_WINDOW);
        median[i] = p->room[inside ? HALF : END_WINDOW / 2];
        distance[i] = fabs(y[i] - median[i]);
    }
    memcpy(p->room, distance, (size_t)p->n * sizeof *distance);
}

void stats_draw_in(struct stats_partition *p, const double *y, double reach)
{
    const double *median = p->sum;
    for (ptrdiff_t i = 0; i < p->n; i++)
        p->w[i] = fmin(fmax(y[i], median[i] - reach), median[i] + reach);
}

void stats_sum_up(struct stats_partition *p)
{
    memcpy(p->room, p->w, (size_t)p->n * sizeof *p->w);
    double origin = stats_quantile_of(p->room, p->n, 0.5); /* so that nothing cancels */
    p->sum[0] = p->squares[0] = 0;
    for (ptrdiff_t i = 0; i < p->n; i++) {
        double d = p->w[i] - origin;
        p->sum[i + 1] = p->sum[i] + d;
        p->squares[i + 1] = p->squares[i] + d * d;
    }
}

/* Of w about its mean from first to before end. */
static inline double scatter(const struct stats_partition *p, ptrdiff_t first, ptrdiff_t end)
{
    const double sum = p->sum[end] - p->sum[first],
                 squares = p->squares[end] - p->squares[first] - sum * sum / (double)(end - first);
    return squares > 0 ? squares : 0;
}

static ptrdiff_t add_piece(struct stats_piece *pieces, ptrdiff_t n, double begin, double end, ptrdiff_t first)
{
    if (end <= begin)
        return n;
    n -= n && pieces[n - 1].first == first;
    pieces[n] = (struct stats_piece){end, first};
    return n + 1;
}

/* Where a segment that began earlier costs no more than one from `newest` on, it keeps its levels: for each an interval that no later value
 * moves. Noise leaves a few dozen pieces, up to 270 of 100 000 values; a trend without it one of each beginning, of which in series of
 * more than 1000 values every second one goes. Returns how many there are then. */
static ptrdiff_t share_levels(struct stats_partition *p, ptrdiff_t n, ptrdiff_t newest)
{
    ptrdiff_t kept = 0;
    double begin = -INFINITY;
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t first = p->pieces[i].first;
        const double end = p->pieces[i].end, values = (double)(newest - first), mean = (p->sum[newest] - p->sum[first]) / values;
        const double reach = sqrt((p->cost[newest] - p->cost[first] - scatter(p, first, newest)) / values); /* NaN: nowhere */
        const double from = mean - reach > begin ? mean - reach : begin, low = from < end ? from : end;
        const double to = mean + reach < end ? mean + reach : end, high = reach >= 0 ? to : low;
        kept = add_piece(p->shared, kept, begin, low, newest);
        kept = add_piece(p->shared, kept, low, high, first);
        kept = add_piece(p->shared, kept, low > high ? low : high, end, newest);
        begin = end;
    }
    struct stats_piece *pieces = p->pieces;
    p->pieces = p->shared;
    p->shared = pieces;
    if (kept <= MOST_PIECES || p->n <= EXACT)
        return kept;
    ptrdiff_t thinned = 0;
    for (ptrdiff_t i = (kept - 1) % 2; i < kept; i += 2)
        p->pieces[thinned++] = p->pieces[i];
    return thinned;
}

/* last[i]: the beginning of the last segment in the best partition of the first i values. Looks only at beginnings that are best for some
 * level of the segment (functional pruning; Maidstone et al. 2017): no other can become the best. */
static void cut(struct stats_partition *p, double price)
{
    ptrdiff_t n = 1;
    p->pieces[0] = (struct stats_piece){INFINITY, 0};
    p->cost[0] = -price;
    for (ptrdiff_t end = STATS_LEAST_SEGMENT; end <= p->n; end++) {
        if (end >= 2 * STATS_LEAST_SEGMENT)
            n = share_levels(p, n, end - STATS_LEAST_SEGMENT);
        p->cost[end] = INFINITY;
        for (ptrdiff_t i = 0; i < n; i++) {
            const ptrdiff_t first = p->pieces[i].first;
            const double cost = p->cost[first] + scatter(p, first, end) + price;
            if (cost < p->cost[end] || (cost == p->cost[end] && first < p->last[end])) {
                p->cost[end] = cost;
                p->last[end] = first;
            }
        }
    }
}

double stats_level(const struct stats_partition *p, ptrdiff_t first, ptrdiff_t end)
{
    return tare_mean(p->w + first, end - first);
}

struct stats_fit stats_fit_residuals(const struct stats_partition *p, ptrdiff_t segments)
{
    struct stats_fit f = {.segments = segments};
    const double *residual = p->room;
    double products = 0;
    for (ptrdiff_t i = 0; i < p->n; i++) {
        f.squares += residual[i] * residual[i];
        products += i ? residual[i] * residual[i - 1] : 0;
    }
    f.ends = residual[0] * residual[0] + residual[p->n - 1] * residual[p->n - 1];
    f.rho = f.squares > 0 ? products / f.squares : 0;
    return f;
}

struct stats_fit stats_fit_levels(const struct stats_partition *p)
{
    ptrdiff_t segments = 0;
    for (ptrdiff_t end = p->n, first; end > 0; end = first, segments++) {
        first = p->last[end];
        const double level = stats_level(p, first, end);
        for (ptrdiff_t i = first; i < end; i++)
            p->room[i] = p->w[i] - level;
    }
    return stats_fit_residuals(p, segments);
}

struct choosing {
    struct stats_partition *p; /* last: the best so far */
    stats_badness *badness;
    double least_sigma, highest, lowest; /* prices */
    struct stats_fit best;
    double least; /* its badness */
};

static double price_at(const struct choosing *c, int step)
{
    double price = c->highest;
    for (int i = 0; i < step; i++)
        price /= PRICE_FACTOR;
    return fmax(price, c->lowest);
}

static void swap_partitions(struct stats_partition *p)
{
    ptrdiff_t *last = p->last;
    p->last = p->spare;
    p->spare = last;
}

/* Returns how many segments the best partition for this price has. */
static ptrdiff_t try_price(struct choosing *c, int step)
{
    swap_partitions(c->p);
    cut(c->p, price_at(c, step));
    const struct stats_fit f = stats_fit_levels(c->p);
    const double bad = c->badness(c->p, &f, c->least_sigma);
    if (bad < c->least || (bad == c->least && f.segments < c->best.segments)) {
        c->best = f;
        c->least = bad;
    } else {
        swap_partitions(c->p);
    }
    return f.segments;
}

/* A lower price never gives fewer segments. So where two prices give as many, or one differs by one, those between give no other partition
 * (Haynes et al. 2017): most series, with no change or one, need one price instead of all. */
static void try_between(struct choosing *c, int high, ptrdiff_t few, int low, ptrdiff_t many)
{
    if (many - few <= 1 || low - high <= 1)
        return;
    const int middle = high + (low - high) / 2;
    const ptrdiff_t n = try_price(c, middle);
    try_between(c, high, few, middle, n);
    try_between(c, middle, n, low, many);
}

struct stats_fit stats_choose_partition(struct stats_partition *p, stats_badness *badness, double least_sigma,
                                        double lowest_price)
{
    p->last[p->n] = 0; /* what the first price, of more than the scatter, leaves: no change */
    struct choosing c = {p, badness, least_sigma, 1.01 * scatter(p, 0, p->n), lowest_price, stats_fit_levels(p), 0};
    c.least = badness(p, &c.best, least_sigma);
    int lowest = 0;
    for (double price = c.highest; price > lowest_price; price /= PRICE_FACTOR)
        lowest++;
    if (lowest)
        try_between(&c, 0, 1, lowest, try_price(&c, lowest));
    return c.best;
}
