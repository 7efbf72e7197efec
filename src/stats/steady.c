/* SPDX-License-Identifier: MIT
 *
 * Did a series of iterations reach a steady state, and where? After Barrett et al., "Virtual machine warmup blows hot and cold" (2017),
 * with AR(1) noise as in Chakar et al. (2017).
 *
 *   y       ln x; values beyond 3 (p90 - p10) from the running median of 200 are counted as outliers (of x)
 *   w       y limited to its running median of 7 (of 5 at the ends) +- 3 robust standard deviations: one or two spikes are no segment,
 *           three slow values at the start are
 *   cut     the segments, of 3 values or more, that make  sum (w - mean)^2 + price per change  least (optimal partitioning; Jackson et al.
 *           2005; partition.h), for prices from one that allows no change down to one that white noise alone passes
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
#include "partition.h"
#include <stdint.h>

enum { LEAST_VALUES = 12, OUTLIER_WINDOW = 200 };

static const double LEAST_SIGMA = 1e-4, PARAMETERS = 7, MEMORY = 8, CHANGE = 3, CHANGE_LOG = 4;
static const double LIKE = 0.01, TREND = 0.0025, TREND_ERRORS = 4;

struct work {
    const double *x;
    double *y; /* logarithms */
    struct stats_partition p;
    double sigma, rho;
};

size_t tare_steady_scratch_bytes(ptrdiff_t n)
{
    if (n > PTRDIFF_MAX / 128)
        return SIZE_MAX;
    return n <= 0 ? 0 : stats_partition_bytes(n) + (size_t)(n + 1) * sizeof(double);
}

static ptrdiff_t count_outliers(const struct work *k)
{
    ptrdiff_t found = 0;
    for (ptrdiff_t i = 0; i < k->p.n; i++) {
        ptrdiff_t n = stats_window_at(&k->p, k->x, i, OUTLIER_WINDOW);
        double reach = 3 * (tare_quantile_sorted(k->p.room, n, 0.9) - tare_quantile_sorted(k->p.room, n, 0.1));
        found += reach > 0 && fabs(k->x[i] - stats_median_sorted(k->p.room, n)) > reach;
    }
    return found;
}

/* 3 ln n times the variance that differences of neighbours show: a change of level shifts their median by little. */
static double lowest_price(const struct work *k)
{
    for (ptrdiff_t i = 1; i < k->p.n; i++)
        k->p.room[i - 1] = fabs(k->y[i] - k->y[i - 1]);
    const double sigma = fmax(STATS_MADN * stats_quantile_of(k->p.room, k->p.n - 1, 0.5) / sqrt(2), LEAST_SIGMA);
    return 3 * sigma * sigma * log((double)k->p.n);
}

static double badness(const struct stats_partition *p, const struct stats_fit *f, double least_sigma)
{
    const double n = (double)p->n, rho = fmin(fmax(f->rho, 0), STATS_MOST_RHO);
    const double deviance = (n - PARAMETERS) * (log(f->squares / n + least_sigma * least_sigma) + log1p(-rho * rho));
    return deviance - MEMORY * log1p(-rho) + (double)(f->segments - 1) * (CHANGE + CHANGE_LOG * log(n));
}

static void choose_partition(struct work *k)
{
    stats_distances(&k->p, k->y);
    stats_draw_in(&k->p, k->y, 3 * STATS_MADN * stats_quantile_of(k->p.room, k->p.n, 0.5));
    stats_sum_up(&k->p);
    const struct stats_fit f = stats_choose_partition(&k->p, badness, LEAST_SIGMA, lowest_price(k));
    const double n = (double)k->p.n, levels = (double)f.segments;
    k->rho = fmin(fmax(f.rho + (1 + 3 * f.rho) * levels / n, -0.5), STATS_MOST_RHO);
    k->sigma = fmax(sqrt(f.squares / (n - levels)), LEAST_SIGMA);
}

/* How much the later half of the values from `first` on lies above the earlier one; 0: no more than noise or a trifle. */
static double trend_from(const struct work *k, ptrdiff_t first)
{
    ptrdiff_t half = (k->p.n - first) / 2;
    if (half < STATS_LEAST_SEGMENT)
        return 0;
    double difference = stats_level(&k->p, k->p.n - half, k->p.n) - stats_level(&k->p, first, first + half),
           rho = fmax(k->rho, 0);
    double error = k->sigma * sqrt((1 + rho) / (1 - rho) * 2 / (double)half);
    return fabs(difference) > fmax(TREND, TREND_ERRORS * error) ? difference : 0;
}

static void classify(struct work *k, struct tare_steady *out)
{
    ptrdiff_t end = k->p.n, first = k->p.last[end];
    double level = stats_level(&k->p, first, end), sd = tare_stddev(k->p.w + first, end - first);
    double like = fmax(LIKE, isnan(sd) ? 0 : sd);
    bool all_like = true, faster = false, in_last = true;
    out->onset = first;
    for (; end > 0; end = first) {
        first = k->p.last[end];
        double difference = stats_level(&k->p, first, end) - level;
        bool alike = fabs(difference) <= like;
        in_last = in_last && alike;
        out->onset = in_last ? first : out->onset;
        all_like = all_like && alike;
        faster = faster || (!alike && difference < 0);
        out->segments++;
    }
    for (double trend; (trend = trend_from(k, out->onset)) != 0; all_like = false) {
        out->onset += (k->p.n - out->onset) / 2;
        faster = faster || trend > 0;
    }
    bool late = (double)out->onset > 0.75 * (double)k->p.n;
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
    struct work k = {.x = x};
    k.y = stats_partition_lay_out(&k.p, n, scratch);
    for (ptrdiff_t i = 0; i < n; i++)
        k.y[i] = log(x[i]);
    out->outliers = count_outliers(&k);
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
