/* SPDX-License-Identifier: MIT
 *
 * Did a series of iterations reach a steady state, and where? After Barrett et al., "Virtual machine warmup blows hot and cold" (2017),
 * with AR(1) noise as in Chakar et al. (2017).
 *
 *   y       ln x; values beyond 3 (p90 - p10) from the running median of 200 are counted as outliers (of x)
 *   w       y limited to its running median of 7 (of 5 at the ends) +- 3 robust standard deviations: one or two spikes are no segment,
 *           three slow values at the start are
 *   cut     the segments, of 3 values or more, that make  sum (w - mean)^2 + price per change  least (optimal partitioning; Jackson et al.
 *           2005; pruned as below), for prices from one that allows no change down to one that white noise alone passes
 *   choose  among these partitions with S segments the one with the least
 *               (n - 7) ln( sum r^2 (1 - rho^2) ) - 8 ln(1 - rho) + (S - 1) (3 + 4 ln n),
 *           r the residuals w - mean, rho their lag-1 correlation, at least 0: the profile likelihood of an AR(1) process about the levels,
 *           so each partition is judged with the noise that remains beside it. A level shift raises the rho of the partition without
 *           it and not of the one with it. A rho estimated before the segments are known was near 1 by chance in a sixth of series of 30
 *           values and hid any shift. The constants are simulated (tests/stats/stats_sim_test.c, docs/how-it-works/statistics.md): 7 for what is
 *           estimated in short series, 8 against explaining a smooth decay by a correlation near 1
 *   noise   rho and sigma of the chosen partition, rho with its bias (1 + 3 rho)/n per level removed (Kendall 1954), in [-.5, .95]
 *   merge   from the end backwards, segments whose mean is within max(1 %, the last one's standard deviation) of the last one's are the
 *           steady part
 *
 *   guard   while the two halves of the steady part differ by more than 0.25 % and by 4 standard errors of noise with sigma and rho, its first
 *           half is not steady yet: a slow decay hides within the 1 % that segments may differ
 *
 * flat: all segments are like the last; warm-up: those that are not are slower; slow-down: one of them is faster; no steady state: the
 * last change that matters lies in the last quarter. Assumes noise that is stationary but for its level; a trend becomes stairs, whose last
 * change comes late. Smallest n 12; below, TARE_STEADY_UNKNOWN. Constant data: flat. Values of 0 or less, NaN: TARE_INVALID.
 * sigma is never taken for less than 1e-4: what changes by less is nobody's concern, and clocks have steps.
 */
#include "stats_core.h"
#include <stdint.h>
#include <string.h>

enum {
    LEAST_VALUES = 12,
    LEAST_SEGMENT = 3,
    SPIKE_WINDOW = 7,
    END_WINDOW = 5,
    OUTLIER_WINDOW = 200,
    EXACT = 1000,
    MOST_PIECES = 300
};

static const double LEAST_SIGMA = 1e-4, LIKE = 0.01, TREND = 0.0025, TREND_ERRORS = 4, MADN = 1.482602218505602;
static const double MOST_RHO = 0.95, PRICE_FACTOR = 3; /* from one price to the next */

/* The levels above the piece before up to `end` of a segment still open for which it costs least that it began at `first`. */
struct piece {
    double end;
    ptrdiff_t first;
};

struct work {
    const double *x;
    ptrdiff_t n;
    double *y, *w;         /* logarithms, and drawn in */
    double *sum, *squares; /* prefix sums of w about its median */
    double *cost;          /* of the best partition of the first i */
    ptrdiff_t *last;       /* where its last segment begins */
    struct piece *pieces, *shared;
    double *room; /* n */
    double sigma, rho;
};

size_t tare_steady_scratch_bytes(ptrdiff_t n)
{
    if (n > PTRDIFF_MAX / 128)
        return SIZE_MAX;
    return n <= 0 ? 0 : (size_t)(n + 1) * (6 * sizeof(double) + sizeof(ptrdiff_t) + 4 * sizeof(struct piece));
}

static void lay_out(struct work *k, void *scratch)
{
    ptrdiff_t m = k->n + 1;
    k->y = scratch;
    k->w = k->y + m;
    k->sum = k->w + m;
    k->squares = k->sum + m;
    k->cost = k->squares + m;
    k->room = k->cost + m;
    k->last = (ptrdiff_t *)(void *)(k->room + m);
    k->pieces = (struct piece *)(void *)(k->last + m);
    k->shared = k->pieces + 2 * m; /* parabolas cross twice at most: fewer than two pieces a beginning */
}

/* ---- running medians ---- */

/* The values of the window of `width` about i, sorted into room; at the ends it is moved inwards. Returns how many. */
static ptrdiff_t window_at(const struct work *k, const double *values, ptrdiff_t i, ptrdiff_t width)
{
    ptrdiff_t n = width < k->n ? width : k->n, first = i - n / 2;
    first = first < 0 ? 0 : first > k->n - n ? k->n - n : first;
    memcpy(k->room, values + first, (size_t)n * sizeof *values);
    tare_sort(k->room, n);
    return n;
}

static void draw_in(struct work *k)
{
    double *median = k->sum, *distance = k->squares; /* not needed yet */
    for (ptrdiff_t i = 0; i < k->n; i++) {
        const bool inside = i >= SPIKE_WINDOW / 2 && k->n - i > SPIKE_WINDOW / 2;
        median[i] = stats_median_sorted(k->room, window_at(k, k->y, i, inside ? SPIKE_WINDOW : END_WINDOW));
        distance[i] = fabs(k->y[i] - median[i]);
    }
    memcpy(k->room, distance, (size_t)k->n * sizeof *distance);
    tare_sort(k->room, k->n);
    double reach = 3 * MADN * stats_median_sorted(k->room, k->n);
    for (ptrdiff_t i = 0; i < k->n; i++)
        k->w[i] = fmin(fmax(k->y[i], median[i] - reach), median[i] + reach);
}

static ptrdiff_t count_outliers(const struct work *k)
{
    ptrdiff_t found = 0;
    for (ptrdiff_t i = 0; i < k->n; i++) {
        ptrdiff_t n = window_at(k, k->x, i, OUTLIER_WINDOW);
        double reach = 3 * (tare_quantile_sorted(k->room, n, 0.9) - tare_quantile_sorted(k->room, n, 0.1));
        found += reach > 0 && fabs(k->x[i] - stats_median_sorted(k->room, n)) > reach;
    }
    return found;
}

/* ---- segments ---- */

static void sum_up(struct work *k)
{
    memcpy(k->room, k->w, (size_t)k->n * sizeof *k->w);
    tare_sort(k->room, k->n);
    double origin = stats_median_sorted(k->room, k->n); /* so that nothing cancels */
    k->sum[0] = k->squares[0] = 0;
    for (ptrdiff_t i = 0; i < k->n; i++) {
        double d = k->w[i] - origin;
        k->sum[i + 1] = k->sum[i] + d;
        k->squares[i + 1] = k->squares[i] + d * d;
    }
}

static double scatter(const struct work *k, ptrdiff_t first, ptrdiff_t end)
{
    double sum = k->sum[end] - k->sum[first];
    return fmax(0, k->squares[end] - k->squares[first] - sum * sum / (double)(end - first));
}

static ptrdiff_t add_piece(struct piece *pieces, ptrdiff_t n, double begin, double end, ptrdiff_t first)
{
    if (end <= begin)
        return n;
    n -= n && pieces[n - 1].first == first;
    pieces[n] = (struct piece){end, first};
    return n + 1;
}

/* Where a segment that began earlier costs no more than one from `newest` on, it keeps its levels: for each an interval that no later value
 * moves. Noise leaves a few dozen pieces, up to 270 of 100 000 values; a trend without it one of each beginning, of which in series of
 * more than 1000 values every second one goes. Returns how many there are then. */
static ptrdiff_t share_levels(struct work *k, ptrdiff_t n, ptrdiff_t newest)
{
    ptrdiff_t kept = 0;
    double begin = -INFINITY;
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t first = k->pieces[i].first;
        const double end = k->pieces[i].end, values = (double)(newest - first), mean = (k->sum[newest] - k->sum[first]) / values;
        const double reach = sqrt((k->cost[newest] - k->cost[first] - scatter(k, first, newest)) / values); /* NaN: nowhere */
        const double low = fmin(reach >= 0 ? fmax(begin, mean - reach) : begin, end),
                     high = reach >= 0 ? fmin(mean + reach, end) : low;
        kept = add_piece(k->shared, kept, begin, low, newest);
        kept = add_piece(k->shared, kept, low, high, first);
        kept = add_piece(k->shared, kept, fmax(low, high), end, newest);
        begin = end;
    }
    struct piece *pieces = k->pieces;
    k->pieces = k->shared;
    k->shared = pieces;
    if (kept <= MOST_PIECES || k->n <= EXACT)
        return kept;
    ptrdiff_t thinned = 0;
    for (ptrdiff_t i = (kept - 1) % 2; i < kept; i += 2)
        k->pieces[thinned++] = k->pieces[i];
    return thinned;
}

/* last[i]: the beginning of the last segment in the best partition of the first i values. Looks only at beginnings that are best for some
 * level of the segment (functional pruning; Maidstone et al. 2017): no other can become the best. */
static void cut(struct work *k, double price)
{
    ptrdiff_t n = 1;
    k->pieces[0] = (struct piece){INFINITY, 0};
    k->cost[0] = -price;
    for (ptrdiff_t end = LEAST_SEGMENT; end <= k->n; end++) {
        if (end >= 2 * LEAST_SEGMENT)
            n = share_levels(k, n, end - LEAST_SEGMENT);
        k->cost[end] = INFINITY;
        for (ptrdiff_t i = 0; i < n; i++) {
            const ptrdiff_t first = k->pieces[i].first;
            const double cost = k->cost[first] + scatter(k, first, end) + price;
            if (cost < k->cost[end] || (cost == k->cost[end] && first < k->last[end])) {
                k->cost[end] = cost;
                k->last[end] = first;
            }
        }
    }
}

static double level_of(const struct work *k, ptrdiff_t first, ptrdiff_t end)
{
    return tare_mean(k->w + first, end - first);
}

/* The partition of the last cut, and the residuals beside it. */
struct fit {
    ptrdiff_t segments;
    double squares, rho; /* sum of squared residuals, and their lag-1 correlation */
};

static struct fit fit_levels(struct work *k)
{
    struct fit f = {0};
    double *residual = k->room, products = 0;
    for (ptrdiff_t end = k->n, first; end > 0; end = first, f.segments++) {
        first = k->last[end];
        const double level = level_of(k, first, end);
        for (ptrdiff_t i = first; i < end; i++)
            residual[i] = k->w[i] - level;
    }
    for (ptrdiff_t i = 0; i < k->n; i++) {
        f.squares += residual[i] * residual[i];
        products += i ? residual[i] * residual[i - 1] : 0;
    }
    f.rho = f.squares > 0 ? products / f.squares : 0;
    return f;
}

/* The less, the likelier (head of this file). */
static double badness(const struct work *k, const struct fit *f)
{
    const double n = (double)k->n, rho = fmin(fmax(f->rho, 0), MOST_RHO);
    const double deviance = (n - 7) * (log(f->squares / n + LEAST_SIGMA * LEAST_SIGMA) + log1p(-rho * rho));
    return deviance - 8 * log1p(-rho) + (double)(f->segments - 1) * (3 + 4 * log(n));
}

/* 3 ln n times the variance that differences of neighbours show: a change of level shifts their median by little. */
static double lowest_price(const struct work *k)
{
    for (ptrdiff_t i = 1; i < k->n; i++)
        k->room[i - 1] = fabs(k->y[i] - k->y[i - 1]);
    tare_sort(k->room, k->n - 1);
    const double sigma = fmax(MADN * stats_median_sorted(k->room, k->n - 1) / sqrt(2), LEAST_SIGMA);
    return 3 * sigma * sigma * log((double)k->n);
}

static void choose_partition(struct work *k)
{
    const double lowest = lowest_price(k);
    double price = fmax(1.01 * scatter(k, 0, k->n), lowest), best = INFINITY, best_price = price;
    for (bool more = true; more; price = fmax(price / PRICE_FACTOR, lowest)) {
        cut(k, price);
        const struct fit f = fit_levels(k);
        const double bad = badness(k, &f);
        if (bad < best)
            best = bad, best_price = price;
        more = price > lowest;
    }
    cut(k, best_price);
    const struct fit f = fit_levels(k);
    const double n = (double)k->n, levels = (double)f.segments;
    k->rho = fmin(fmax(f.rho + (1 + 3 * f.rho) * levels / n, -0.5), MOST_RHO);
    k->sigma = fmax(sqrt(f.squares / (n - levels)), LEAST_SIGMA);
}

/* ---- words ---- */

/* How much the later half of the values from `first` on lies above the earlier one; 0: no more than noise or a trifle. */
static double trend_from(const struct work *k, ptrdiff_t first)
{
    ptrdiff_t half = (k->n - first) / 2;
    if (half < LEAST_SEGMENT)
        return 0;
    double difference = level_of(k, k->n - half, k->n) - level_of(k, first, first + half), rho = fmax(k->rho, 0);
    double error = k->sigma * sqrt((1 + rho) / (1 - rho) * 2 / (double)half);
    return fabs(difference) > fmax(TREND, TREND_ERRORS * error) ? difference : 0;
}

static void classify(struct work *k, struct tare_steady *out)
{
    ptrdiff_t end = k->n, first = k->last[end];
    double level = level_of(k, first, end), sd = tare_stddev(k->w + first, end - first);
    double like = fmax(LIKE, isnan(sd) ? 0 : sd);
    bool all_like = true, faster = false, in_last = true;
    out->onset = first;
    for (; end > 0; end = first) {
        first = k->last[end];
        double difference = level_of(k, first, end) - level;
        bool alike = fabs(difference) <= like;
        in_last = in_last && alike;
        out->onset = in_last ? first : out->onset;
        all_like = all_like && alike;
        faster = faster || (!alike && difference < 0);
        out->segments++;
    }
    for (double trend; (trend = trend_from(k, out->onset)) != 0; all_like = false) {
        out->onset += (k->n - out->onset) / 2;
        faster = faster || trend > 0;
    }
    bool late = (double)out->onset > 0.75 * (double)k->n;
    out->word = all_like ? TARE_STEADY_FLAT : late ? TARE_STEADY_NONE : faster ? TARE_STEADY_SLOW_DOWN : TARE_STEADY_WARM_UP;
}

enum tare_status tare_steady_state(const double *x, ptrdiff_t n, void *scratch, struct tare_steady *out)
{
    *out = (struct tare_steady){.sigma = NAN, .rho = NAN, .level = NAN};
    if (n < 0 || !stats_all_finite(x, n))
        return TARE_INVALID;
    for (ptrdiff_t i = 0; i < n; i++)
        if (!(x[i] > 0))
            return TARE_INVALID;
    if (n < LEAST_VALUES)
        return TARE_OK;
    struct work k = {.x = x, .n = n};
    lay_out(&k, scratch);
    for (ptrdiff_t i = 0; i < n; i++)
        k.y[i] = log(x[i]);
    out->outliers = count_outliers(&k);
    draw_in(&k);
    sum_up(&k);
    choose_partition(&k);
    classify(&k, out);
    out->sigma = k.sigma;
    out->rho = k.rho;
    out->level = tare_mean(x + out->onset, n - out->onset);
    return TARE_OK;
}

const char *tare_steady_name(enum tare_steady_word word)
{
    static const char *const names[] = {[TARE_STEADY_UNKNOWN] = "unknown",
                                        [TARE_STEADY_FLAT] = "flat",
                                        [TARE_STEADY_WARM_UP] = "warm-up",
                                        [TARE_STEADY_SLOW_DOWN] = "slow-down",
                                        [TARE_STEADY_NONE] = "no steady state"};
    return word >= 0 && word < sizeof names / sizeof *names ? names[word] : "unknown";
}

/* Georges, Buytaert and Eeckhout (2007): the first window of k values whose coefficient of variation is below the limit. */
ptrdiff_t tare_steady_window_cov(const double *x, ptrdiff_t n, ptrdiff_t k, double cov)
{
    for (ptrdiff_t end = k; k > 1 && end <= n; end++)
        if (tare_stddev(x + end - k, k) < cov * fabs(tare_mean(x + end - k, k)))
            return end - k;
    return -1;
}
