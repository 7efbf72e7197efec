/* SPDX-License-Identifier: MIT
 *
 * Arcs over runs. Run r has n(r) passages of an arc that took T(r) in all, the probe's weight in them once each.
 *
 * Weight       d(r) of a probe in run r: what rows of passes gave there. Net time S = T - n d: d may go with T and with n, as where slow runs
 *              weigh more. A run that was not weighed takes D, the mean over those that were; its standard error u is over runs, and of one
 *              run over its rows. Weighed in no run: nothing comes off, and figures are with the probe in them.
 * Mean         R = sum S / sum n, the ratio estimator with runs as clusters (Cochran, Sampling Techniques, 6.3): its variance is m/(m-1) sum
 *              (S - R n)^2 / (sum n)^2 over the m runs in which the arc was passed; the error of weighing is in S and so in this. Where D
 *              came off a share q of the passages (q u)^2 is added, degrees of freedom by Welch and Satterthwaite; with u not known there is no
 *              interval. Interval Student t. Assumes independent runs, near-normal R and no run with most of the passages. Smallest n: 2 runs
 *              in which it was passed; below, no interval. All runs alike: half-width 0. Passed in no run, or no frequency: NaN, with a reason.
 * In step      passages of a run that keep in step with a clock in steps of s (arcs of 3 and 7 ns in turn, s of 10) read alike all through the run, k s or
 *              (k + 1) s as the clock's phase was; the phase is drawn for each run, so the mean over runs is right. Runs that all read alike say of the rest only that it is
 *              below 3 / m of a step (95 %): 2 s^2 are added to the sum of squares over runs, as in stepped.c.
 * Total        of a run: S, and where passages were counted and not timed, by the mean of those that were; mean over all runs, Student t, with
 *              u times the mean number of passages that D came off.
 * Share        of the sum of all arcs' totals, those below 0 too; no interval.
 * Spread       within_sd: about the run's mean, pooled; between_sd: of the runs' true means, by the moments of the one-way analysis of variance with
 *              unequal n, at least 0; var: of a passage, whichever the run. From exact sums of squares.
 * Quantiles    of all passages (type 7). Exact where no run has more than two, its least and largest; else by bins an eighth of an octave wide, with
 *              straight lines in them, less the mean of d over passages. Passages that the program added up where others of the arc were written
 *              down have bins of their own, which are first moved by how much more their probe weighs.
 * Resolution   half-width of D at this level, and at least one step of the clock; u not known: NaN. A mean below it is not told from nothing.
 * Dilation     runs in which each pass was written 1, 2 or 3 times: straight line through the runs' means over what a pass weighed in the run (rows of passes
 *              that are written as often), by least squares; at 0 there would be no probe. Not over the number: what writes more than once is another
 *              code than what stands in line, and costs a call besides. The other figures are of runs with one word a pass; where there are none the others' count.
 * Words        beside the chain (iterations, counters, marks) weigh a probe each: of an arc in whose n passages there were w, (1 + w / n) d is taken off
 *              each. Least and largest time and quantiles are less that mean too.
 * Kinds        d of arcs that end at a point that reads the clock unordered: of rows of such. Of passages that the program added up in a run that writes
 *              them down: of rows of added ones. Where rows of a kind are missing: d of the others.
 * Four stamps  have their readings taken off as published; d is what that leaves of an empty passage, d of words that of a plain one.
 * Loose part   e: how much more a probe weighs in a passage without anything in it than beside work that hides a part of its instructions, which is what d
 *              is. A passage of T ns shows the larger of e and T, more or less, so what shows e is anything from 0 to e, and the interval holds both (low end
 *              lower by e). The mean of one that is empty is to come out next to 0: up to e all but 1 ns (a quarter of e, if less) is taken off too (hidden), beyond 1.2 e
 *              nothing, on a straight line in between, e with what the code around makes of it, a quarter at most; by the mean of uninterrupted passages. Not of passages that the
 *              program adds up, whose e goes with the tables that the caches hold, of unordered ones, and by the system's clock, whose e is as long as the work that shows itself. Work that hides less than the chain of the rows leaves up to e in
 *              the mean; so e stands in the low ends of all intervals, and in the resolution, beside its own half-width (Student's t over runs, added to
 *              that of the mean as to a sum of two that are independent).
 * Around       the weight differs by w with the code around a pass, and no row knows the program's: taken as a standard deviation of w, normal, in both ends (arcs
 *              of bench/trace/trace_ladder.c lie 0.4 w below to 1.1 w above). No number of runs makes e and w smaller: what the stop rule looks at is without them.
 * Unordered    the ends of an arc lie up to m too early, m as rows measure it: so much may be its neighbour's, and so much of the neighbour's may be in it. It
 *              is in both ends; sums over several arcs in a row need it once.
 */
#include "arcs.h"
#include "arc_runs.h"
#include "record_kind.h"
#include "trace_format.h"
#include <stdlib.h>
#include <tare/stats.h>

__extension__ typedef unsigned __int128 wide;

/* Sum of squares about the run's own mean, square nanoseconds: exact but for a unit. */
static double arc_squares_within(const struct traced_arc *a, double ns_per)
{
    wide size = a->sum < 0 ? (wide)(uint64_t)-a->sum : (wide)a->sum, square = (wide)a->square_high << 64 | a->square_low;
    wide mean_part = a->n ? size * size / a->n : 0;
    return square > mean_part ? (double)(square - mean_part) * ns_per * ns_per : 0;
}

static void arc_spread(const struct arc_scope *s, const struct arc_runs *a, const struct arc_sums *x, double within,
                       struct arc_result *out)
{
    double between = 0, squares_n = 0;
    for (int i = 0; i < s->rounds; i++) {
        double off = a->n[i] > 0 ? a->ns[i] / a->n[i] - x->ratio : 0;
        between += a->n[i] * off * off;
        squares_n += a->n[i] * a->n[i];
    }
    if (x->n > 1) {
        out->var_ns2 = (within + between) / (x->n - 1);
        out->std_ns = sqrt(out->var_ns2);
    }
    double within_var = x->n > x->runs ? within / (x->n - x->runs) : NAN;
    out->within_sd = sqrt(within_var);
    if (x->runs < 2)
        return;
    double typical_n = (x->n - squares_n / x->n) / (x->runs - 1);
    double noise = isnan(within_var) ? 0 : within_var;
    out->between_sd = sqrt(fmax(0, (between / (x->runs - 1) - noise) / typical_n));
}

/* The value of a rank from 0 to n - 1. Values of a bin are taken as spread evenly over it; the least and the largest are known. */
static double of_rank(const double *bins, double n, double rank, double least, double most)
{
    double below = 0;
    if (rank <= 0 || rank >= n - 1)
        return rank <= 0 ? least : most;
    for (int i = 0; i < TRACE_HISTOGRAM; i++) {
        double here = bins[i];
        if (here > 0 && rank < below + here) {
            double low = fmax(least, (double)trace_bin_low(i)),
                   high = fmin(most, (double)trace_bin_low(i + 1) - 1); /* whole units */
            return low + fmax(0, high - low) * (here > 1 ? fmin(1, (rank - below) / (here - 1)) : .5);
        }
        below += here;
    }
    return NAN;
}

/* Between the values of two ranks by interpolation (type 7), as everywhere. */
static double quantile(const double *bins, double n, double q, double least, double most)
{
    const double place = q * (n - 1), rank = floor(place);
    const double below = of_rank(bins, n, rank, least, most);
    return below + (place - rank) * (of_rank(bins, n, rank + 1, least, most) - below);
}

/* Values of a bin that is moved down are spread evenly over those that it then covers; what comes to lie below 0 is in the first. */
static void add_moved(double *bins, int bin, double n, double by)
{
    const double low = (double)trace_bin_low(bin) - by, high = (double)trace_bin_low(bin + 1) - by;
    int k = low > 0 ? trace_bin((uint64_t)low) : 0;
    for (double from = low; from < high && k < TRACE_HISTOGRAM; k++) {
        double end = k + 1 < TRACE_HISTOGRAM ? fmin(high, (double)trace_bin_low(k + 1)) : high;
        bins[k] += n * (end - from) / (high - low);
        from = end;
    }
}

/* Of a passage, over those that were written down and over those that the program added up beside such; NaN: there are none. */
struct weights {
    double written, added;
};

static bool is_added(const struct traced_arc *a)
{
    return a->n && a->added == a->n;
}

static struct weights mean_weights(const struct arc_scope *s, const int *arcs, int n_arcs)
{
    double weight[2] = {0}, n[2] = {0};
    for (int i = 0; i < n_arcs; i++) {
        const struct traced_arc *a = &s->r->traced->arcs[arcs[i]];
        if (s->round[a->run] < 0 || !a->n)
            continue;
        weight[is_added(a)] += arc_weight_of(s, a);
        n[is_added(a)] += (double)a->n;
    }
    return (struct weights){weight[0] / n[0], weight[1] / n[1]};
}

/* Where no run has more than two, ascending; else 0. */
static int all_passages(const struct arc_scope *s, const int *arcs, int n_arcs, double *out)
{
    int n = 0;
    for (int i = 0; i < n_arcs; i++) {
        const struct traced_arc *a = &s->r->traced->arcs[arcs[i]];
        const double per = arc_ns_per_unit(&s->r->traced->runs[a->run]);
        if (s->round[a->run] < 0 || !a->n || !(per > 0))
            continue;
        if (a->n > 2)
            return 0;
        const double weight = arc_weight_of(s, a) / (double)a->n;
        out[n++] = (double)a->min * per - weight;
        if (a->n == 2)
            out[n++] = (double)a->max * per - weight;
    }
    tare_sort(out, n);
    return n;
}

/* All bins in units of the first run's clock. */
static void binned_quantiles(const struct arc_scope *s, const int *arcs, int n_arcs, struct arc_result *out)
{
    const struct traced *t = s->r->traced;
    const struct weights w = mean_weights(s, arcs, n_arcs);
    const double weight = isnan(w.written) ? w.added : w.written;
    double bins[TRACE_HISTOGRAM] = {0}, per = NAN, n = 0;
    for (int i = 0; i < n_arcs; i++) {
        const struct traced_arc *a = &t->arcs[arcs[i]];
        double own = arc_ns_per_unit(&t->runs[a->run]);
        if (s->round[a->run] < 0 || !(own > 0)) /* a clock of which nothing is known */
            continue;
        per = isnan(per) ? own : per;
        const bool same = fabs(own / per - 1) < 1e-3, moved = is_added(a) && !isnan(w.written);
        for (int k = 0; k < a->n_bins; k++) {
            int bin = same ? a->bins[k].bin : trace_bin((uint64_t)((double)trace_bin_low(a->bins[k].bin) * own / per));
            if (moved)
                add_moved(bins, bin, (double)a->bins[k].n, (w.added - w.written) / per);
            else
                bins[bin] += (double)a->bins[k].n;
            n += (double)a->bins[k].n;
        }
    }
    if (!(n > 0))
        return;
    double least = (out->min_ns + weight) / per, most = (out->max_ns + weight) / per;
    out->median_ns = quantile(bins, n, .5, least, most) * per - weight;
    out->p99_ns = quantile(bins, n, .99, least, most) * per - weight;
    out->binned = out->min_ns < out->max_ns;
}

/* room: two doubles for each of the arcs. */
static void arc_quantiles(const struct arc_scope *s, const int *arcs, int n_arcs, double *room, struct arc_result *out)
{
    const int n = all_passages(s, arcs, n_arcs, room);
    if (!n) {
        binned_quantiles(s, arcs, n_arcs, out);
        return;
    }
    out->median_ns = tare_quantile_sorted(room, n, .5);
    out->p99_ns = tare_quantile_sorted(room, n, .99);
}

/* What a pass weighed in the run of a round, ns; NaN: there is no passage, or no weight. */
static double weighed(const struct arc_scope *s, const struct arc_runs *a, int round)
{
    return a->n[round] > 0 && s->run[round] >= 0 && !isnan(arc_weight_in(s, round)) ? a->weight[round] / a->n[round] : NAN;
}

/* The same, over the runs with one word a pass. */
static double weighed_once(const struct arc_scope *s, const struct arc_runs *a)
{
    double sum = 0, n = 0;
    for (int i = 0; i < s->rounds; i++) {
        const double x = weighed(s, a, i);
        const bool once = !isnan(x) && s->r->traced->runs[s->run[i]].repeat == 1;
        sum += once ? x : 0;
        n += once;
    }
    return sum / n;
}

static void arc_dilation(const struct arc_scope *s, const struct arc_runs *a, struct arc_result *out)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, rest = 0;
    bool repeats = false;
    for (int pass = 0; pass < 2; pass++) {
        double slope = pass ? sxy / sxx : 0, mx = pass ? sx / n : 0, my = pass ? sy / n : 0;
        for (int i = 0; i < s->rounds; i++) {
            const double x = weighed(s, a, i), y = a->ns[i] / a->n[i];
            if (isnan(x))
                continue;
            repeats |= s->r->traced->runs[s->run[i]].repeat > 1;
            n += !pass;
            sx += pass ? 0 : x;
            sy += pass ? 0 : y;
            rest += pass ? (y - my - slope * (x - mx)) * (y - my - slope * (x - mx)) : 0;
        }
        for (int i = 0; !pass && i < s->rounds; i++) {
            const double x = weighed(s, a, i) - sx / n;
            sxx += isnan(x) ? 0 : x * x;
            sxy += isnan(x) ? 0 : x * (a->ns[i] / a->n[i] - sy / n);
        }
        if (!repeats || !(sxx > 0) || n < 4) /* all alike, or nothing to tell the scatter by */
            return;
    }
    double slope = sxy / sxx, at_zero = sy / n - slope * sx / n;
    double error = sqrt(rest / (n - 2) * (1 / n + sx / n * (sx / n) / sxx));
    double half = s->look->number ? tare_student_quantile(1 - s->look->level / 2, n - 2) * error : INFINITY;
    out->dilated_ns = at_zero;
    out->dilated_probe_ns = slope * weighed_once(s, a);
    out->dilated_low = at_zero - half;
    out->dilated_high = at_zero + half;
}

/* How many probes are in the counted passages of rounds whose run was not weighed, while others were. */
static double by_others(const struct arc_scope *s, const struct arc_runs *a, const double *count)
{
    double n = 0;
    for (int i = 0; i < s->rounds; i++)
        if (count[i] > 0 && !isnan(s->probe.ns) && isnan(arc_weight_in(s, i)))
            n += count[i] * (a->n[i] > 0 ? a->probes[i] / a->n[i] : 1); /* in a passage, on average */
    return n;
}

/* Standard error of `probes` times the mean weight. */
static double shared_error(const struct arc_scope *s, double probes)
{
    return probes > 0 ? probes * s->probe.error : 0;
}

/* Half-width of Student's t. */
static double half_width_of(struct doubt d, double level)
{
    if (!(d.error > 0))
        return d.error == 0 ? 0 : INFINITY;
    return tare_student_quantile(1 - level / 2, d.df) * d.error;
}

/* Half-width of the loose part at that level. */
static double loose_half(const struct arc_scope *s, const struct arc_result *a, double level)
{
    return s->probe.loose_df > 0 ? half_width_of((struct doubt){a->loose_error_ns, s->probe.loose_df}, level) : 0;
}

/* Of a passage with so many probes: what the code around them makes of their weight. */
static double around_half(const struct arc_scope *s, double probes, double level)
{
    return tare_normal_quantile(1 - level / 2) * probes * s->probe.around_ns;
}

/* How much of the passage may be its neighbour's, and of the neighbour's may be in it. */
static double moved_at_most(const struct arc_scope *s, const struct arc_runs *a)
{
    return a->fast ? s->probe.moved_ns : 0;
}

/* Half-widths of an interval below and above a mean over runs that is uncertain by `half`. */
static void open_ends(const struct arc_scope *s, const struct arc_runs *a, const struct arc_sums *x, const struct arc_result *out,
                      double half, double each, double *low, double *high)
{
    const double level = s->look->level, around = each * around_half(s, x->probes, level), moved = each * moved_at_most(s, a);
    *low = hypot(hypot(half, around), each * loose_half(s, out, level)) + each * fmax(0, out->loose_ns - s->hidden_ns) + moved;
    *high = hypot(half, around) + each * s->hidden_ns + moved;
}

static void mean_of_passages(const struct arc_scope *s, const struct arc_runs *a, const struct arc_sums *x,
                             struct arc_result *out)
{
    double residuals = 0, error = shared_error(s, by_others(s, a, a->n) / x->n);
    out->mean_ns = x->ratio;
    out->level = s->look->number ? s->look->level : 0;
    if (!s->look->number || x->runs < 2) {
        out->reason = s->look->number ? "it was traversed in one run only" : "no interim analysis was made";
        return;
    }
    if (isnan(error)) {
        out->reason = "the probe overhead of a run was not measured, and the uncertainty of that of the others is not known";
        return;
    }
    for (int i = 0; i < s->rounds; i++) {
        double e = a->ns[i] - x->ratio * a->n[i];
        residuals += a->n[i] > 0 ? e * e : 0;
    }
    double variance = (double)x->runs / (x->runs - 1) * residuals / (x->n * x->n);
    if (x->in_step)
        variance += 2 * s->probe.step * s->probe.step / ((double)x->runs * (x->runs - 1));
    struct doubt d = arc_doubts(variance, x->runs - 1, error * error, s->probe.df);
    double half = half_width_of(d, s->look->level);
    out->mean_error_ns = d.error;
    out->mean_df = isfinite(d.df) ? d.df : NAN;
    double low, high;
    open_ends(s, a, x, out, half, 1, &low, &high);
    out->low_ns = out->mean_ns - low;
    out->high_ns = out->mean_ns + high;
}

/* Time of a run, of passages that were not timed too. */
static double total_of(const struct arc_runs *a, const struct arc_sums *x, int i)
{
    if (a->n[i] > 0)
        return a->ns[i] / a->n[i] * a->passes[i];
    return a->passes[i] > 0 ? a->passes[i] * x->ratio : 0;
}

static void total_of_runs(const struct arc_scope *s, const struct arc_runs *a, const struct arc_sums *x, struct arc_result *out)
{
    struct tare_moments m = {0};
    for (int i = 0; i < s->rounds; i++)
        if (s->run[i] >= 0)
            tare_moments_add(&m, total_of(a, x, i));
    out->runs = (int)m.n;
    out->runs_passed = 0;
    double passes = 0;
    for (int i = 0; i < s->rounds; i++) {
        out->runs_passed += a->passes[i] > 0;
        passes += a->passes[i];
    }
    out->total_ns = tare_moments_mean(&m);
    double error = shared_error(s, by_others(s, a, a->passes) / (double)m.n);
    if (!s->look->number || m.n < 2 || isnan(out->total_ns) || isnan(error))
        return;
    const double each = passes / (double)m.n; /* of a run */
    double variance = tare_moments_variance(&m) / (double)m.n;
    if (x->in_step && x->runs > 1) /* as of the mean */
        variance += each * each * 2 * s->probe.step * s->probe.step / ((double)x->runs * (x->runs - 1));
    struct doubt d = arc_doubts(variance, (double)m.n - 1, error * error, s->probe.df);
    double half = half_width_of(d, s->look->level);
    double low, high;
    open_ends(s, a, x, out, half, each, &low, &high);
    out->total_low = out->total_ns - low;
    out->total_high = out->total_ns + high;
}

/* Square nanoseconds about the run's own mean, of which the passages that the program added up have another one than those that it wrote down.
 * runs: net. */
static double squares_of(const struct arc_scope *s, const struct arc_runs *runs, const struct traced_arc *a, double weight)
{
    const int round = s->round[a->run];
    const double per = arc_ns_per_unit(&s->r->traced->runs[a->run]);
    if (!a->n || !(runs->n[round] > (double)a->n))
        return arc_squares_within(a, per);
    double off = (double)a->sum * per / (double)a->n - weight - runs->ns[round] / runs->n[round];
    return arc_squares_within(a, per) + (double)a->n * off * off;
}

static void classes(const struct arc_scope *s, const struct arc_runs *runs, const int *arcs, int n_arcs, double *within,
                    struct arc_result *out)
{
    const struct traced *t = s->r->traced;
    double clean = 0, clean_n = 0;
    *within = 0;
    for (int i = 0; i < n_arcs; i++) {
        const struct traced_arc *a = &t->arcs[arcs[i]];
        double per = arc_ns_per_unit(&t->runs[a->run]);
        if (s->round[a->run] < 0)
            continue;
        double weight = a->n ? arc_weight_of(s, a) / (double)a->n : 0;
        out->passes += a->passes;
        out->n += a->n;
        out->added += a->added;
        out->clean += a->clean_n;
        out->gaps += a->gaps;
        out->migrated += a->migrated;
        out->handlers += a->handlers;
        out->nested += a->nested;
        out->interrupted += a->interrupted;
        out->backwards += a->backwards;
        out->stamps += a->stamps;
        clean += (double)a->clean_sum * per - (double)a->clean_n * weight;
        clean_n += (double)a->clean_n;
        *within += squares_of(s, runs, a, weight);
        if (!a->n)
            continue;
        out->min_ns = fmin(out->min_ns, (double)a->min * per - weight);
        out->max_ns = fmax(out->max_ns, (double)a->max * per - weight);
    }
    out->clean_ns = clean_n > 0 ? clean / clean_n : NAN;
    out->whole = out->passes == out->n + out->backwards;
}

/* probes: in a passage. */
static void resolution(const struct arc_scope *s, double weight, double probes, struct arc_result *out)
{
    const struct probe *p = &s->probe;
    const double error = p->error * (probes > 1 ? probes : 1);
    out->probe_ns = isnan(p->ns) ? NAN : weight;
    out->probe_error_ns = isnan(p->ns) ? NAN : error;
    double level = s->look->number ? s->look->level : 1 - s->r->rule.confidence;
    const double own = p->df > 0 ? hypot(tare_student_quantile(1 - level / 2, p->df) * error, loose_half(s, out, level)) : NAN;
    const double half = out->loose_ns + hypot(own, around_half(s, fmax(1, probes), level));
    out->resolution_ns = isnan(p->ns) || isnan(half) ? NAN : fmax(half, p->step);
    out->below_resolution = !isnan(p->ns) && out->mean_ns < fmax(half, p->step);
}

/* What the other mean has of the loose part and of the code around, that by dilation has too. */
static void open_dilated(const struct arc_scope *s, const struct arc_sums *x, struct arc_result *out)
{
    if (isnan(out->dilated_ns) || !s->look->number)
        return;
    const double around = around_half(s, x->probes, s->look->level), half = hypot(out->dilated_high - out->dilated_ns, around);
    out->dilated_ns -= s->hidden_ns;
    out->dilated_low = out->dilated_ns - half - (out->loose_ns - s->hidden_ns);
    out->dilated_high = out->dilated_ns + half + s->hidden_ns;
}

/* Mean of the passages that were not interrupted, less what their probes weigh; NaN: there are none. */
static double clean_mean(const struct arc_scope *s, const int *arcs, int n_arcs)
{
    double ns = 0, n = 0;
    for (int i = 0; i < n_arcs; i++) {
        const struct traced_arc *a = &s->r->traced->arcs[arcs[i]];
        if (s->round[a->run] < 0 || !a->n)
            continue;
        ns += (double)a->clean_sum * arc_ns_per_unit(&s->r->traced->runs[a->run]) -
              (double)a->clean_n * arc_weight_of(s, a) / (double)a->n;
        n += (double)a->clean_n;
    }
    return n > 0 ? ns / n : NAN;
}

/* From a mean where an empty passage shows e, or more with other code around; from then on in the scope and in the weight. */
static void take_off_hidden(struct arc_scope *s, const int *arcs, int n_arcs, struct arc_runs *a, double e)
{
    enum { EMPTY_NS = 1 };
    const bool known = !a->added && !a->system && !(moved_at_most(s, a) > 0);
    const double slope = 0.2 * e, end = e + fmin(e / 4, s->probe.around_ns), most = end - fmin(e / 4, EMPTY_NS);
    const double share = known ? (end + slope - clean_mean(s, arcs, n_arcs)) / slope : 0;
    s->hidden_ns = known && e > 0 ? most * fmin(1, fmax(0, share)) : 0;
    for (int i = 0; i < s->rounds; i++)
        a->weight[i] += a->n[i] * s->hidden_ns;
}

static void find_loose_part(const struct arc_scope *s, const struct arc_runs *a, struct arc_sums *x, struct arc_result *out)
{
    double probes = 0, loose = 0, n = 0;
    for (int i = 0; i < s->rounds; i++) {
        n += a->n[i];
        probes += a->n[i] > 0 ? a->probes[i] : 0;
        loose += a->n[i] > 0 ? a->loose[i] : 0;
    }
    x->probes = n > 0 ? probes / n : NAN;
    out->loose_ns = n > 0 ? loose / n : 0;
    out->loose_error_ns = s->probe.loose_ns > 0 ? s->probe.loose_error * out->loose_ns / s->probe.loose_ns : 0;
}

/* The sums, and the weight of the mean passage. From here on a->ns is net. */
static double sum_up(const struct arc_scope *s, struct arc_runs *a, struct arc_sums *x)
{
    double weight = 0;
    for (int i = 0; i < s->rounds; i++) {
        const double own = a->n[i] > 0 ? a->weight[i] : 0;
        weight += own;
        a->ns[i] -= own;
        x->runs += a->n[i] > 0;
        x->n += a->n[i];
        x->ns += a->ns[i];
    }
    x->ratio = x->n > 0 ? x->ns / x->n : NAN;
    return x->n > 0 ? weight / x->n : s->probe.ns;
}

static struct arc_result result_of(const struct arc_scope *all, const struct arc_scope *plain_ones, const int *arcs, int n_arcs,
                                   double *room)
{
    struct arc_scope own = *plain_ones, *const plain = &own;
    struct arc_runs a;
    struct arc_result out;
    struct arc_sums x = {0};
    double within;
    arc_runs_fill(all, arcs, n_arcs, room, &a);
    arc_result_init(&out, all->subject, a.from, a.to);
    out.confidence = all->r->rule.confidence;
    arc_runs_weigh(all, arcs, n_arcs, &a);
    arc_dilation(all, &a, &out);
    arc_runs_fill(all, arcs, n_arcs, room, &a);
    arc_runs_keep_plain(all, &a);
    arc_runs_weigh(plain, arcs, n_arcs, &a);
    find_loose_part(plain, &a, &x, &out);
    take_off_hidden(plain, arcs, n_arcs, &a, out.loose_ns);
    open_dilated(plain, &x, &out);
    const double weight = sum_up(plain, &a, &x);
    x.in_step = arc_keeps_in_step(plain, arcs, n_arcs);
    classes(plain, &a, arcs, n_arcs, &within, &out);
    arc_quantiles(plain, arcs, n_arcs, room + (size_t)ARC_RUNS_ROOM * (size_t)plain->rounds, &out);
    mean_of_passages(plain, &a, &x, &out);
    total_of_runs(plain, &a, &x, &out);
    if (x.n > 0)
        arc_spread(plain, &a, &x, within, &out);
    resolution(plain, weight, x.probes, &out);
    if (!(x.n > 0))
        out.reason = out.passes ? "its calls were counted and not timed" : "it was not traversed in the runs analysed";
    else if (isnan(x.ns))
        out.reason = "the clock's frequency is not known";
    return out;
}

static int by_share(const void *a, const void *b)
{
    const struct arc_result *x = a, *y = b;
    bool nx = isnan(x->share), ny = isnan(y->share);
    if (nx != ny)
        return nx - ny;
    if (!nx && x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->passes != y->passes ? (x->passes > y->passes ? -1 : 1) : x->from != y->from ? x->from - y->from : x->to - y->to;
}

static void share_out(struct traced *t, int first)
{
    double all = 0;
    for (int i = first; i < t->n_results; i++)
        all += isnan(t->results[i].total_ns) ? 0 : t->results[i].total_ns;
    for (int i = first; i < t->n_results; i++)
        t->results[i].share = all > 0 ? t->results[i].total_ns / all : NAN;
    if (t->n_results > first)
        qsort(t->results + first, (size_t)(t->n_results - first), sizeof *t->results, by_share);
}

static struct estimate point_of(const struct arc_scope *s, const char *statistic, const char *method, double value)
{
    return estimate_point(s->subject, ARCS_METRIC, statistic, method, value, s->rounds);
}

static bool add_arc_estimate(const struct arc_scope *s, struct estimate e)
{
    return record_add_estimate(s->r, &e) >= 0;
}

static bool add_count(const struct arc_scope *s, const char *statistic, int n)
{
    return add_arc_estimate(s, point_of(s, statistic, "as observed", n));
}

static double widest(const struct traced *t, int first)
{
    double most = NAN;
    for (int i = first; i < t->n_results; i++) {
        const struct arc_result *a = &t->results[i];
        if (!(a->share >= ARC_SHARE) || a->below_resolution || isnan(a->mean_ns))
            continue;
        /* as more runs make it smaller */
        const double half = isinf(a->high_ns) ? INFINITY : half_width_of((struct doubt){a->mean_error_ns, a->mean_df}, a->level);
        most = fmax(most, half / fabs(a->mean_ns));
    }
    return most;
}

static bool add_estimates(const struct arc_scope *s, int first)
{
    const struct probe *p = &s->probe;
    struct arc_coverage c = record_arc_coverage(s->r, s->subject);
    struct estimate probe = point_of(s, "probe", "rows of passes", p->ns),
                    width = point_of(s, ARCS_HALF_WIDTH, "ratio of sums over runs", widest(s->r->traced, first));
    if (s->look->number && p->df > 0 && !isnan(p->error)) {
        double half = tare_student_quantile(1 - s->look->level / 2, p->df) * p->error;
        const struct tare_interval i = {.low = p->ns - half, .high = p->ns + half};
        probe = estimate_bounded(probe, &i, s->r->rule.confidence, s->look->level);
    }
    if (isnan(p->ns))
        probe.reason = "no run measured it";
    if (isnan(width.point))
        width.reason = "no arc has a share and a mean above its resolution";
    if (isinf(width.point)) { /* a number that no precision reaches; the file knows no infinity */
        width.point = 1e300;
        width.reason = "an arc has no interval";
    }
    return add_arc_estimate(s, width) && add_arc_estimate(s, probe) && add_count(s, "points", c.points) &&
           add_count(s, "points_passed", c.points_passed) && add_count(s, "arcs", c.arcs) &&
           add_count(s, "arcs_in_all", c.arcs_in_all);
}

static bool analyse_all(const struct arc_scope *all, const struct arc_scope *plain, int *arcs, double *room)
{
    struct record *r = all->r;
    int n = arcs_sorted(all, arcs), first = r->traced->n_results;
    for (int i = 0, end; i < n; i = end) {
        end = arc_end(all, arcs, n, i);
        struct arc_result a = result_of(all, plain, arcs + i, end - i, room);
        if (record_add_arc_result(r, &a) < 0)
            return false;
    }
    if (n < 0)
        return false;
    share_out(r->traced, first);
    return add_estimates(plain, first);
}

static enum tare_status analyse_subject(struct record *r, int subject, const struct look *look)
{
    struct arc_scope all, plain;
    size_t rows = (size_t)r->series[subject].main.n + 1, each = rows + (size_t)r->traced->n_runs;
    int *arcs = malloc(((size_t)r->traced->n_arcs + 1 + 2 * each) * sizeof *arcs);
    double *room = malloc((ARC_RUNS_ROOM * rows + 2 * (size_t)r->traced->n_arcs) * sizeof *room);
    bool ok = arcs && room;
    if (ok) {
        int *runs = arcs + r->traced->n_arcs + 1;
        arc_scope_fill(&all, r, look, subject, runs);
        arc_scope_of_plain(&plain, &all, runs + each);
        ok = analyse_all(&all, &plain, arcs, room);
    }
    free(arcs);
    free(room);
    return ok ? TARE_OK : TARE_NO_MEMORY;
}

enum tare_status analyse_arcs(struct record *r, const int *subjects, int n_subjects, const struct look *look,
                              struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    if (!r->traced || !record_kind(r)->arcs)
        return TARE_OK;
    if (record_add_arc_metric(r))
        status = TARE_NO_MEMORY;
    for (int i = 0; i < n_subjects && !status; i++)
        if (r->subjects[subjects[i]].kind == SUBJECT_TRACE)
            status = analyse_subject(r, subjects[i], look);
    if (!status && n_subjects > 1)
        status = arcs_compare(r, subjects, n_subjects, look);
    return status ? err_set(err, status, "no memory for the results of arcs") : TARE_OK;
}
