/* SPDX-License-Identifier: MIT
 * How the passages of an arc are spread, and its mean without a probe: arcs.c says how. */
#include "arc_runs.h"
#include "trace_format.h"
#include <string.h>
#include <tare/stats.h>

__extension__ typedef unsigned __int128 wide;

/* ---- spread ---- */

/* Sum of squares about the run's own mean, square nanoseconds: exact but for a unit. */
double arc_squares_within(const struct traced_arc *a, double ns_per)
{
    wide size = a->sum < 0 ? (wide)(uint64_t)-a->sum : (wide)a->sum, square = (wide)a->square_high << 64 | a->square_low;
    wide mean_part = a->n ? size * size / a->n : 0;
    return square > mean_part ? (double)(square - mean_part) * ns_per * ns_per : 0;
}

void arc_spread(const struct arc_scope *s, const struct arc_runs *a, const struct arc_sums *x, double within,
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

/* ---- bins ---- */

/* Values of a bin are taken as spread evenly over it, as far as the least and the largest of all let it. */
static double quantile(const double *bins, double n, double q, double least, double most)
{
    double rank = q * (n - 1), below = 0;
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

/* All bins in units of the first run's clock. */
void arc_quantiles(const struct arc_scope *s, const int *arcs, int n_arcs, struct arc_result *out)
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
}

/* ---- dilation ---- */

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

void arc_dilation(const struct arc_scope *s, const struct arc_runs *a, struct arc_result *out)
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
