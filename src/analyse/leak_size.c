/* SPDX-License-Identifier: MIT
 *
 * How large a difference between two classes is, in intervals that hold at every look.
 *
 * Differences of clipped means g(b) - g(a), g clipped at the quantile 50, 90 or 99 % of the past. Default: over processes, leak_processes.c.
 *
 * Of times that come without processes: tare_mean_cs_asymptotic of the n blocks' differences. The order of a block is drawn, so position, drift
 * and autocorrelation are noise of mean 0 given the past; the interval is for the mean so far of the conditional means, whatever moves. Asymptotic: finite variance, some hundred blocks; and since a rare slow call
 * that has not come yet is in no variance, the variance is that with two blocks more, which differ by the whole range between the
 * clip and the least time, one each way (at 20000 blocks it no longer shows). `exact`: the exact intervals below on
 * values within the range that the warm-up set, true at every n and for the same mean, whatever moves; in return
 * the clip levels stay where the warm-up put them. What is above the clip counts as the clip: rarer tails are
 * not in the figure. Without a clip: shown and not judged, since one preemption can widen it at will.
 *
 * Advantage: an attacker who calls "second" when the time is at or below a limit is right in 1/2 + A/2 of his guesses, A = |mean of +1, 0, -1|
 * over the blocks in which only the second, or only the first, is. An interval for each of LEAK_LIMITS limits; of A: [largest of
 * the lower ends' sizes, largest of the upper]. It speaks of these limits alone; between two of them A can be larger by the
 * share of calls between them at most. Limits move with the past (leak_components.c): an attacker may do that too.
 * `exact`: the exact intervals with the prediction 0, so V is the number of blocks that are not 0.
 *
 * Levels: (1 - confidence)/2 over all judged clips and pairs, the other half over all limits and pairs (Bonferroni).
 *
 * Pictures, both without an asymptotic step and for the means so far of shares that may move: one interval by the exact intervals for each edge of a
 * bin of the histogram, all LEAK_BINS of them together at 1 - confidence, for bins were fixed by the warm-up and what is shown of them
 * is chosen by the data.
 *   ECDFs     difference of the shares at or below an edge. Of a and b of n at or below at most min(a + b, 2n - a - b) blocks have just one, which
 *             stands for V: right for tails, too wide by up to sqrt 2 in the middle
 *   shift     share of one class at or below an edge, V the smaller of those at or below and above (either prediction, half of
 *             the level each). A quantile lies from the first bin whose share may reach q to the first whose share
 *             must; the shift between the differences of the ends, of a clock with steps two steps wider. The point: mid-distribution
 *
 * Ties do not count in the advantage. Smallest n: 2, unbounded below.
 *
 * Exact: intervals without an asymptotic step, for means of bounded values that may move.
 *
 * For y >= -c and 0 <= l c < 1: exp(l y - f(l) y^2) <= 1 + l y with f(l) = (-ln(1 - c l) - c l) / c^2 (Fan, Grama and Liu 2015). With y = x - p, p
 * predicted from the past, the product over blocks of exp(l (x - m) - f(l) (x - p)^2), m the conditional mean of x, has mean 1 at
 * most (Howard, Ramdas, McAuliffe and Sekhon 2021, theorem 4); so has the average over l of a fixed grid. It stays below 2 / level for ever
 * with a chance of level / 2 (Ville), and so does that of -x: with S the sum of x and V that of (x - p)^2, the sum of all m lies within
 *     S -+ u,   u the root of   average over l of exp(l u - f(l) V) = 2 / level.
 * What is covered is the mean so far of the conditional means: no constant mean, no independence, no shape. Each block may have another.
 *
 * Grid: l c = 0.8 / 2^i, i = 0 .. 15: within a factor of sqrt 2 of the best for V from a few to 10^9 c^2, which costs 6 % at most, and ln 16.
 * p: the mean so far; values in [-range, range] then have c = 2 range. Smallest n: 1. n of 0: unbounded, no point. Ties: none special.
 * Constants: V stays near 0, and the interval shrinks like 1/n.
 */
#include "leak_core.h"
#include <math.h>
#include <stdlib.h>

/* Counts of one class over a run of any length. With d = t - base: one bin a tick for d < 256, then 128 bins an octave, so a bin is at
 * most 1/128 of its distance from the base wide. The base lies below the fastest calls by about as much as the median lies above them; what
 * is faster still is one bin of its own.
 *
 * Quantile: mid-distribution (Parzen 1979; Ma, Genton and Parzen 2011): each bin counts at its centre with half of its share below
 * it, linear between bins; so ties, the rule on a coarse clock, move a quantile smoothly. Beyond the outermost centres it is the
 * outermost centre. n of 0: NaN. Smallest n: 1.
 */

enum tare_status leak_histogram_start(struct leak_histogram *h)
{
    *h = (struct leak_histogram){.count = calloc(LEAK_BINS, sizeof *h->count)};
    return h->count ? TARE_OK : TARE_NO_MEMORY;
}

void leak_histogram_finish(struct leak_histogram *h)
{
    free(h->count);
    h->count = NULL;
}

static int octave_of(uint32_t d) /* floor of its binary logarithm; d >= 256 */
{
    int e = 8;
    while (d >> e > 1)
        e++;
    return e;
}

static int bin_of(uint32_t d)
{
    if (d < 256)
        return (int)d;
    int e = octave_of(d);
    return 256 + (e - 8) * 128 + (int)(d >> (e - 7)) - 128;
}

/* First d of a bin; that of bin LEAK_BINS is 2^32. */
static double start_of(int bin)
{
    if (bin < 256)
        return bin;
    int octave = (bin - 256) / 128, step = (bin - 256) % 128;
    return ldexp(128 + step, octave + 1);
}

void leak_histogram_add(struct leak_histogram *h, double base, double t)
{
    h->n++;
    double d = t - base;
    if (d < 0)
        h->under++;
    else
        h->count[bin_of(d < UINT32_MAX ? (uint32_t)d : UINT32_MAX)]++;
}

double leak_histogram_quantile(const struct leak_histogram *h, double base, double q)
{
    if (h->n == 0 || !(q >= 0 && q <= 1))
        return NAN;
    double wanted = q * (double)h->n, below = (double)h->under, last_at = -1, last_mid = below / 2;
    for (int i = 0; i < LEAK_BINS; i++) {
        if (!h->count[i])
            continue;
        double mid = below + 0.5 * (double)h->count[i],
               at = (start_of(i) + start_of(i + 1) - 1) / 2; /* its centre: ticks are whole */
        if (mid >= wanted)
            return base +
                   (last_mid == 0 && last_at < 0 ? at : last_at + (at - last_at) * fmax(0, wanted - last_mid) / (mid - last_mid));
        below += (double)h->count[i];
        last_mid = mid;
        last_at = at;
    }
    return base + last_at;
}

void leak_histogram_below(const struct leak_histogram *h, double base, const double *x, int n, double *share)
{
    double below = (double)h->under;
    int bin = 0;
    for (int i = 0; i < n; i++) {
        while (bin < LEAK_BINS && base + start_of(bin + 1) - 1 <= x[i])
            below += (double)h->count[bin++];
        share[i] = h->n ? below / (double)h->n : NAN;
    }
}

/* the last tick of the bin of t */
static double leak_histogram_edge(double base, double t)
{
    double d = t - base;
    return isnan(d) ? NAN : d < 0 ? base - 1 : base + start_of(bin_of(d < UINT32_MAX ? (uint32_t)d : UINT32_MAX) + 1) - 1;
}

/* First, or last, tick of the first bin with which `count` times are at or below; infinite: below the base; there is none. */
static double leak_histogram_reaches(const struct leak_histogram *h, double base, double count, bool end)
{
    double below = (double)h->under;
    int bin = 0;
    if (below >= count)
        return end ? base - 1 : -INFINITY;
    while (bin < LEAK_BINS && (below += (double)h->count[bin]) < count)
        bin++;
    return bin == LEAK_BINS ? INFINITY : base + (end ? start_of(bin + 1) - 1 : start_of(bin));
}

enum { GRID = 16, HALVINGS = 40 };

struct leak_bernstein leak_bernstein_start(double range)
{
    return (struct leak_bernstein){.range = range};
}

void leak_bernstein_add(struct leak_bernstein *m, double x)
{
    double off = m->n ? x - m->sum / (double)m->n : x;
    m->n++;
    m->sum += x;
    m->v += off * off;
}

double leak_bernstein_radius(double v, double most, double level)
{
    double l[GRID], toll[GRID], wanted = log(2 / level), low = INFINITY, high = INFINITY;
    const double squares = v / (most * most);
    double each = .8;
    for (int i = 0; i < GRID; i++, each /= 2) { /* l and f(l) V, for c = 1 */
        l[i] = each;
        toll[i] = (-log1p(-each) - each) * squares;
    }
    for (int i = 0; i < GRID; i++) { /* one l alone would do with the first, all but one being nothing with the second */
        low = fmin(low, (wanted + toll[i]) / l[i]);
        high = fmin(high, (wanted + log(GRID) + toll[i]) / l[i]);
    }
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2, at[GRID];
        for (int k = 0; k < GRID; k++)
            at[k] = l[k] * middle - toll[k];
        if (tare_log_mean_exp(at, GRID) < wanted)
            low = middle;
        else
            high = middle;
    }
    return high * most;
}

struct tare_interval leak_bernstein_interval(const struct leak_bernstein *m, double level)
{
    struct tare_interval out = {NAN, -INFINITY, INFINITY, level, (ptrdiff_t)m->n};
    if (m->n == 0)
        return out;
    double n = (double)m->n, radius = leak_bernstein_radius(m->v, 2 * m->range, level) / n;
    out.point = m->sum / n;
    out.low = fmax(out.point - radius, -m->range);
    out.high = fmin(out.point + radius, m->range);
    return out;
}

double leak_size_level(const struct leak_rule *rule, int pairs)
{
    return (1 - rule->confidence) / 2 / (LEAK_JUDGED * pairs);
}

/* The other half: leak_size_level. */
static double leak_advantage_level(const struct leak_rule *rule, int pairs)
{
    return (1 - rule->confidence) / 2 / (LEAK_LIMITS * pairs);
}

struct tare_interval leak_running_interval(const struct leak_running *r, int64_t n, int64_t tight, double level)
{
    struct tare_interval out;
    double sd = n > 1 ? sqrt(r->m2 / (double)(n - 1)) : 0;
    tare_mean_cs_asymptotic(n ? r->mean : NAN, sd, (ptrdiff_t)n, (ptrdiff_t)tight, level, &out);
    return out;
}

static double unit_radius(double n, int64_t tight, double level)
{
    struct tare_interval one;
    tare_mean_cs_asymptotic(0, 1, (ptrdiff_t)n, (ptrdiff_t)tight, level, &one);
    return one.high;
}

static double unit_reach(double n, double off, int64_t tight, double level)
{
    return unit_radius(n, tight, level) + off / sqrt(n);
}

double leak_blocks_at_radius(double n, double radius, double room, double off, int64_t tight, double level)
{
    static const double most = 1e15;
    double now = unit_radius(n, tight, level);
    if (!(room > 0) || !isfinite(radius) || !isfinite(now))
        return INFINITY;
    double wanted = now * room / radius, low = n, high = n;
    while (high < most && unit_reach(high, off, tight, level) > wanted) {
        low = high;
        high *= 2;
    }
    while (high < most && high - low > 1 + .001 * low) {
        double middle = rint((low + high) / 2);
        *(unit_reach(middle, off, tight, level) > wanted ? &low : &high) = middle;
    }
    return high < most ? high : INFINITY;
}

struct tare_interval leak_ternary(int64_t up, int64_t down, int64_t n, int64_t tight, double level, bool exact)
{
    struct tare_interval out = {NAN, -1, 1, level, (ptrdiff_t)n};
    if (n < 2)
        return out;
    const double mean = (double)(up - down) / (double)n;
    if (exact) {
        double radius = leak_bernstein_radius((double)(up + down), 1, level) / (double)n;
        return (struct tare_interval){mean, fmax(mean - radius, -1), fmin(mean + radius, 1), level, (ptrdiff_t)n};
    }
    /* one block of each sign added: shares of 0 must not claim to be without variance */
    double all = (double)n + 2, square = (double)(up + down + 2) / all;
    tare_mean_cs_asymptotic(mean, sqrt(square - mean * mean * (double)n / all), (ptrdiff_t)n, (ptrdiff_t)tight, level, &out);
    out.low = fmax(out.low, -1);
    out.high = fmin(out.high, 1);
    return out;
}

static double range_at(const struct leak_test_set *b, int clip)
{
    return clip < LEAK_JUDGED && b->warm ? b->limits.clip[clip] - b->limits.low : 0;
}

struct leak_running leak_careful(const struct leak_test_set *b, int pair, int clip)
{
    struct leak_running r = b->tally[pair].mean[clip];
    double range = range_at(b, clip);
    r.m2 += 2 * range * range;
    return r;
}

/* leak_over_interval in core cycles, of a clip of a pair. Point NaN: there is a process whose cycles are not known. */
static struct tare_interval leak_over_cycles(const struct leak_over *o, int pair, int clip, double range, double level)
{
    if (!o->processes || o->with_cycles < o->processes)
        return (struct tare_interval){NAN, -INFINITY, INFINITY, level, 0};
    return leak_over_interval(o, &o->pair[pair].cycles[clip], range * o->cycles_high, level);
}

void leak_size_at_clip(const struct leak_test_set *b, int pair, int clip, struct leak_difference *out)
{
    double level = leak_size_level(b->rule, b->pairs);
    const struct leak_limits *l = b->exact ? &b->first : &b->limits;
    struct leak_running careful = leak_careful(b, pair, clip);
    *out = (struct leak_difference){.clip = leak_clip_quantiles[clip],
                                    .clip_ticks = clip < LEAK_JUDGED && b->warm ? l->clip[clip] : NAN,
                                    .judged = clip < LEAK_JUDGED};
    if (b->exact && out->judged && b->warm)
        out->ticks = leak_bernstein_interval(&b->exact[pair * LEAK_JUDGED + clip], level);
    else if (b->over.pair)
        out->ticks = leak_over_interval(&b->over, &b->over.pair[pair].clipped[clip], range_at(b, clip), level);
    else
        out->ticks = leak_running_interval(&careful, b->n, b->rule->tight_blocks, level);
    out->cycles = leak_over_cycles(&b->over, pair, clip, range_at(b, clip), level);
}

/* Of the share of blocks in which only the second is at or below the limit, less that of only the first. */
static struct tare_interval at_limit(const struct leak_test_set *b, int pair, int limit, int64_t first, int64_t second)
{
    double level = leak_advantage_level(b->rule, b->pairs);
    if (!b->over.pair)
        return leak_ternary(second, first, b->n, b->rule->tight_blocks, level, b->rule->exact);
    struct tare_interval at = leak_over_interval(&b->over, &b->over.pair[pair].sign[limit], 1, level);
    at.low = fmax(at.low, -1);
    at.high = fmin(at.high, 1);
    return at;
}

void leak_size_of_pair(const struct leak_test_set *b, int pair, struct leak_pair *out)
{
    for (int i = 0; i < LEAK_CLIPS; i++)
        leak_size_at_clip(b, pair, i, &out->at[i]);
    int64_t first[LEAK_LIMITS], second[LEAK_LIMITS];
    double level = leak_advantage_level(b->rule, b->pairs);
    struct tare_interval a = {.point = 0, .low = 0, .high = 0, .level = level};
    leak_tally_below(&b->tally[pair], first, second);
    for (int i = 0; i < LEAK_LIMITS; i++) {
        struct tare_interval at = at_limit(b, pair, i, first[i], second[i]);
        a.n = at.n;
        a.point = fmax(a.point, fabs(at.point));
        a.low = fmax(a.low, fmax(at.low, -at.high));
        a.high = fmax(a.high, fmax(at.high, -at.low));
    }
    if (b->n < 2 || a.n < 1)
        a.point = NAN;
    out->advantage = a;
}

enum { COUNT_HALVINGS = 32 };

static double count_radius(double count, double n, double level)
{
    return leak_bernstein_radius(fmin(count, n - count), 1, level);
}

/* The least count of n from which on a share may be q, and from which on it must be; above n: none. */
static void counts_of(double q, double n, double level, double ends[2])
{
    for (int must = 0; must < 2; must++) {
        double low = must ? q * n : 0, high = must ? n : q * n;
        for (int i = 0; i < COUNT_HALVINGS && high - low > .5; i++) {
            double middle = (low + high) / 2, radius = count_radius(middle, n, level);
            if (middle + (must ? -radius : radius) >= q * n)
                high = middle;
            else
                low = middle;
        }
        ends[must] = must && high - count_radius(high, n, level) < q * n ? INFINITY : must ? ceil(high) : floor(low);
    }
}

/* Of a clock with steps a quantile of the times is known to a step, the difference of two to two. It has a value where a step is little beside what lies
 * around it: where neither value of the clock beside it is that of more than a tenth of the calls, a decile apart. A value may lie anywhere in its bin, so bins
 * that are cut are taken in; wide ones hold several values. */
static bool is_resolved(const struct leak_histogram *h, double base, double at, double step)
{
    static const double share_most = .1;
    bool all = true;
    for (int above = 0; above < 2 && step > 0; above++) {
        const double around[2] = {at - (1 - above) * step, leak_histogram_edge(base, at + above * step)};
        double below[2];
        leak_histogram_below(h, base, around, 2, below);
        all &= below[1] - below[0] <= share_most * fmax(1, floor((around[1] - around[0]) / step));
    }
    return all;
}

/* of the clock, whether or not its phase was drawn */
static double leak_rule_step(const struct leak_rule *r)
{
    return r->step_ticks > 0 ? r->step_ticks : r->drawn_step_ticks;
}

void leak_shift_function(const struct leak_histogram *first, const struct leak_histogram *second, double base,
                         const struct leak_rule *rule, struct leak_shift *out)
{
    static const double quantiles[LEAK_SHIFTS] = {.1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99, .999};
    double level = (1 - rule->confidence) / (2 * LEAK_BINS), n = (double)first->n, hidden = 2 * leak_rule_step(rule);
    for (int i = 0; i < LEAK_SHIFTS; i++) {
        double q = quantiles[i], may_must[2] = {0, INFINITY}, a[2], b[2];
        if (first->n)
            counts_of(q, n, level / 2, may_must);
        for (int end = 0; end < 2; end++) {
            a[end] = leak_histogram_reaches(first, base, may_must[end], end);
            b[end] = leak_histogram_reaches(second, base, may_must[end], end);
        }
        out[i] = (struct leak_shift){.q = q,
                                     .at = {leak_histogram_quantile(first, base, q), leak_histogram_quantile(second, base, q)}};
        out[i].ticks = (struct tare_interval){out[i].at[1] - out[i].at[0], b[0] - a[1] - hidden, b[1] - a[0] + hidden, level,
                                              (ptrdiff_t)first->n};
        if (!is_resolved(first, base, out[i].at[0], leak_rule_step(rule)) ||
            !is_resolved(second, base, out[i].at[1], leak_rule_step(rule)))
            out[i].at[0] = out[i].at[1] = out[i].ticks.point = out[i].ticks.low = out[i].ticks.high = NAN;
    }
}

/* Quantiles of the two together, each moved to the last tick of its bin, all different. */
static int grid(const struct leak_histogram *first, const struct leak_histogram *second, double base, double *x)
{
    int n = 0;
    for (int i = 0; i < LEAK_ECDF_POINTS / 2; i++)
        for (int side = 0; side < 2; side++) {
            double q = (i + .5) / (LEAK_ECDF_POINTS / 2);
            x[n++] = leak_histogram_edge(base, leak_histogram_quantile(side ? second : first, base, q));
        }
    tare_sort(x, n);
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(x[i]) && (kept == 0 || x[i] > x[kept - 1]))
            x[kept++] = x[i];
    return kept;
}

int leak_ecdf(const struct leak_histogram *first, const struct leak_histogram *second, double base, const struct leak_rule *rule,
              struct leak_ecdf_point *out)
{
    double x[LEAK_ECDF_POINTS], a[LEAK_ECDF_POINTS], b[LEAK_ECDF_POINTS], level = (1 - rule->confidence) / LEAK_BINS;
    int n = grid(first, second, base, x);
    leak_histogram_below(first, base, x, n, a);
    leak_histogram_below(second, base, x, n, b);
    for (int i = 0; i < n; i++) {
        double one = fmin(a[i] + b[i], 2 - a[i] - b[i]) * (double)first->n, off = b[i] - a[i],
               radius = leak_bernstein_radius(one, 1, level) / (double)first->n;
        out[i] = (struct leak_ecdf_point){.ticks = x[i], .below = {a[i], b[i]}};
        out[i].difference =
            (struct tare_interval){off, fmax(off - radius, -1), fmin(off + radius, 1), level, (ptrdiff_t)first->n};
    }
    return n;
}
