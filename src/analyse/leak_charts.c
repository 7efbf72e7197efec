/* SPDX-License-Identifier: MIT
 *
 * Columns of the reading become arrays, ticks become the unit shown. The histogram is the distributions' increase over bins of equal
 * width, by straight lines between the points that the engine keeps. */
#include "leak_method.h"
#include "units.h"
#include <math.h>

enum { BINS = 32, BITS_PER_ROW = 8 };

struct maker {
    struct chart_maker make;
    const struct leak_reading *r;
    const struct leak_pictures *p;
    const struct leak_chart_words *w;
};

static double *column(struct maker *m, int n)
{
    return chart_column(&m->make, n);
}

static double time_of(const struct maker *m, double ticks)
{
    return (ticks - m->w->scale.empty_ticks) * m->w->scale.per_tick;
}

static double size_of(const struct maker *m, double ticks)
{
    return ticks * m->w->scale.per_tick;
}

static const char *class_name(const struct maker *m, int class)
{
    return class >= 0 && class < m->w->n_classes && m->w->class_names[class] ? m->w->class_names[class] : "?";
}

static const struct leak_pair *pair_of(const struct maker *m)
{
    return &m->r->pair[m->r->worst];
}

/* "random − equal": of which class each difference is. */
static const char *difference_name(struct maker *m)
{
    return chart_text(&m->make, "%s \xe2\x88\x92 %s", class_name(m, pair_of(m)->second), class_name(m, pair_of(m)->first));
}

static void shade_margin(struct maker *m, struct chart *c, double margin_ticks)
{
    double margin = size_of(m, margin_ticks);
    if (margin > 0)
        c->shaded = (struct chart_stretch){-margin, margin,
                                           chart_text(&m->make, "within the margin of %.3g %s", margin, m->w->scale.unit)};
}

static const char *unit_of_time(struct maker *m)
{
    return chart_text(&m->make, "time of a call, %s", m->w->scale.unit);
}

static const char *unit_of_difference(struct maker *m)
{
    return chart_text(&m->make, "difference, %s", m->w->scale.unit);
}

/* The bulk: up to the first point where both classes have 99.5 % of their calls, and at least two points. */
static int bulk_points(const struct leak_pictures *p)
{
    int n = 2;
    while (n < p->ecdf_points && (p->ecdf[n - 1].below[0] < .995 || p->ecdf[n - 1].below[1] < .995))
        n++;
    return n < p->ecdf_points ? n : p->ecdf_points;
}

static void add_ecdfs(struct maker *m)
{
    int n = bulk_points(m->p);
    double *x = column(m, n), *below[2] = {column(m, n), column(m, n)};
    if (m->make.failed || n < 2)
        return;
    for (int i = 0; i < n; i++) {
        x[i] = time_of(m, m->p->ecdf[i].ticks);
        below[0][i] = m->p->ecdf[i].below[0];
        below[1][i] = m->p->ecdf[i].below[1];
    }
    struct chart *c =
        chart_add(&m->make, "ecdf", "Distributions",
                  "Share of the calls that took no longer than the axis says; a small gap between the lines may be chance.");
    c->x_title = unit_of_time(m);
    c->y_title = "share of calls";
    c->n_lines = 2;
    c->lines[0] = (struct chart_line){class_name(m, pair_of(m)->first), CHART_STEPS, n, x, below[0], NULL, NULL};
    c->lines[1] = (struct chart_line){class_name(m, pair_of(m)->second), CHART_STEPS, n, x, below[1], NULL, NULL};
}

static void add_ecdf_difference(struct maker *m)
{
    int n = bulk_points(m->p);
    double *x = column(m, n), *y = column(m, n), *low = column(m, n), *high = column(m, n);
    if (m->make.failed || n < 2)
        return;
    for (int i = 0; i < n; i++) {
        const struct leak_ecdf_point *p = &m->p->ecdf[i];
        x[i] = time_of(m, p->ticks);
        y[i] = p->difference.point;
        low[i] = p->difference.low;
        high[i] = p->difference.high;
    }
    struct chart *c = chart_add(
        &m->make, "ecdf_difference", "Difference of the distributions",
        chart_text(&m->make,
                   "Of all calls together, with a simultaneous %s band over all times and analyses. Where the band leaves "
                   "0, an attacker can tell the classes apart. An advantage in the text is another estimate, at %d "
                   "quantiles of earlier calls%s.",
                   figure_text(figure_level, m->w->confidence).at, LEAK_LIMITS,
                   m->r->processes >= 0 ? ", averaged over processes" : ""));
    c->x_title = unit_of_time(m);
    c->y_title = "difference of the shares";
    c->n_lines = c->n_rules = 1;
    c->lines[0] = (struct chart_line){difference_name(m), CHART_STEPS, n, x, y, low, high};
    c->rules[0] = (struct chart_rule){0, "no difference"};
}

static void add_shifts(struct maker *m)
{
    double *x = column(m, LEAK_SHIFTS), *y = column(m, LEAK_SHIFTS), *low = column(m, LEAK_SHIFTS),
           *high = column(m, LEAK_SHIFTS);
    int n = 0;
    for (int i = 0; i < LEAK_SHIFTS && !m->make.failed; i++) {
        const struct leak_shift *s = &m->p->shift[i];
        if (!isfinite(s->ticks.point))
            continue;
        x[n] = 100 * s->q;
        y[n] = size_of(m, s->ticks.point);
        low[n] = size_of(m, s->ticks.low);
        high[n++] = size_of(m, s->ticks.high);
    }
    if (m->make.failed || (n < 2 && !m->w->unresolved))
        return;
    static const char all[] = "How much later each quantile comes, fast calls on the left, slow ones on the right; the intervals "
                              "hold for all quantiles together.";
    struct chart *c =
        chart_add(&m->make, "shift", "Shift function",
                  n < 2              ? chart_text(&m->make, "Its quantiles are %s.", m->w->unresolved)
                  : m->w->unresolved ? chart_text(&m->make, "%s Quantiles without a mark are %s.", all, m->w->unresolved)
                                     : all);
    if (n < 2)
        return;
    c->cuts_vague = true;
    c->x_title = "quantile, %";
    c->y_title = unit_of_difference(m);
    c->n_lines = c->n_rules = 1;
    c->lines[0] = (struct chart_line){difference_name(m), CHART_POINTS, n, x, y, low, high};
    c->rules[0] = (struct chart_rule){0, "no difference"};
    shade_margin(m, c, m->r->margin_ticks);
}

/* Share of a class at or below ticks, by a straight line between the engine's points. */
static double below_at(const struct leak_pictures *p, int class, double ticks)
{
    int n = p->ecdf_points, i = 0;
    while (i < n && p->ecdf[i].ticks < ticks)
        i++;
    if (!i)
        return p->ecdf[0].ticks > ticks ? 0 : p->ecdf[0].below[class];
    if (i == n)
        return p->ecdf[n - 1].below[class];
    const struct leak_ecdf_point *a = &p->ecdf[i - 1], *b = &p->ecdf[i];
    return a->below[class] + (ticks - a->ticks) / (b->ticks - a->ticks) * (b->below[class] - a->below[class]);
}

static void add_histogram(struct maker *m)
{
    const struct leak_pictures *p = m->p;
    int last = bulk_points(p) - 1;
    double *edge = column(m, BINS + 1);
    int64_t *count[2] = {arena_array(m->make.arena, BINS, sizeof **count), arena_array(m->make.arena, BINS, sizeof **count)};
    if (m->make.failed || !count[0] || !count[1] || last < 1 || !(p->ecdf[0].ticks < p->ecdf[last].ticks))
        return;
    double from = p->ecdf[0].ticks, width = (p->ecdf[last].ticks - from) / (BINS - 1), first = from - width,
           calls = (double)m->r->blocks;
    const char *overhead = m->w->scale.empty_ticks > 0
                               ? " The timing overhead is subtracted, so that short calls may come out below 0."
                               : ""; /* of times in a file none is known */
    struct chart *c =
        chart_add(&m->make, "histogram", "Both classes",
                  chart_text(&m->make,
                             "Number of calls by time, spread evenly over bars within one of its wider steps; all that "
                             "is beyond the axis is one bar.%s",
                             overhead));
    for (int class = 0; class < 2; class ++) {
        for (int i = 0; i < BINS; i++)
            count[class][i] =
                llrint(calls * (below_at(p, class, first + (i + 1) * width) - (i ? below_at(p, class, first + i * width) : 0)));
        c->bars.beyond[class] = llrint(calls * (1 - below_at(p, class, first + BINS * width)));
    }
    for (int i = 0; i <= BINS; i++)
        edge[i] = time_of(m, first + i * width);
    c->x_title = unit_of_time(m);
    c->y_title = "calls";
    c->bars.n = BINS;
    c->bars.name[0] = class_name(m, pair_of(m)->first);
    c->bars.name[1] = class_name(m, pair_of(m)->second);
    c->bars.edge = edge;
    c->bars.count[0] = count[0];
    c->bars.count[1] = count[1];
}

/* What is far beyond the limit would hide when it was reached. */
static void add_evidence(struct maker *m)
{
    int n = m->p->looks;
    double *x = column(m, n), *y = column(m, n);
    const double limit = -log10(m->w->alpha), most = 6 * limit;
    bool cut = false;
    if (m->make.failed || n < 2)
        return;
    for (int i = 0; i < n; i++) {
        x[i] = (double)m->p->look[i].blocks;
        y[i] = fmin(m->p->look[i].log10_e, most);
        cut = cut || m->p->look[i].log10_e > most;
    }
    struct chart *c = chart_add(&m->make, "evidence", "Evidence against \xe2\x80\x9cno difference\xe2\x80\x9d",
                                chart_text(&m->make,
                                           "Evidence as a power of ten%s. Without a difference the line reaches the limit in at "
                                           "most one of 10^%.3g sessions, however long.",
                                           cut ? chart_text(&m->make, ", drawn to 10^%.3g", most) : "", limit));
    c->x_title = "blocks";
    c->y_title = "log10 E";
    c->logarithmic_x = x[0] > 0;
    c->n_lines = c->n_rules = 1;
    c->lines[0] = (struct chart_line){"log10 E", CHART_LINE, n, x, y, NULL, NULL};
    c->rules[0] = (struct chart_rule){limit, chart_text(&m->make, "10^%.3g: a difference is proven", limit)};
}

static void add_funnel(struct maker *m)
{
    int n = m->p->looks, kept = 0;
    double *x = column(m, n), *y = column(m, n), *low = column(m, n), *high = column(m, n);
    for (int i = 0; i < n && !m->make.failed; i++) {
        const struct leak_look *l = &m->p->look[i];
        if (!isfinite(l->ticks.point) || !isfinite(l->ticks.high))
            continue;
        x[kept] = (double)l->blocks;
        y[kept] = size_of(m, l->ticks.point);
        low[kept] = size_of(m, l->ticks.low);
        high[kept++] = size_of(m, l->ticks.high);
    }
    if (m->make.failed || kept < 2)
        return;
    struct chart *c = chart_add(
        &m->make, "funnel", "Size over the session",
        chart_text(&m->make, "The difference of the clipped means with an interval that holds over all analyses, %s, %s.",
                   figure_text(figure_level, m->w->confidence).at,
                   m->r->processes >= 0 ? "over processes"
                   : m->r->exact        ? "about these calls"
                                        : "about these calls (asymptotic)"));
    c->x_title = "blocks";
    c->y_title = unit_of_difference(m);
    c->logarithmic_x = x[0] > 0;
    c->settles = true;
    c->n_lines = c->n_rules = 1;
    c->lines[0] = (struct chart_line){difference_name(m), CHART_LINE, kept, x, y, low, high};
    c->rules[0] = (struct chart_rule){0, "no difference"};
    shade_margin(m, c, m->r->margin_ticks);
}

static void add_epochs(struct maker *m)
{
    int n = m->p->epochs;
    const int classes[2] = {pair_of(m)->first, pair_of(m)->second};
    double *x = column(m, n), *y[2] = {column(m, n), column(m, n)};
    if (m->make.failed || n < 2)
        return;
    for (int i = 0; i < n; i++) {
        x[i] = i + 1;
        for (int k = 0; k < 2; k++)
            y[k][i] = time_of(m, m->p->epoch[i].mean_ticks[classes[k]]);
    }
    const bool processes = m->r->processes >= 0, several = m->p->epoch_rounds > 1;
    const char *each = !processes ? "part of these calls"
                       : several  ? chart_text(&m->make, "%lld processes in a row", (long long)m->p->epoch_rounds)
                                  : "process";
    struct chart *c = chart_add(
        &m->make, "epochs", "Drift",
        chart_text(&m->make,
                   "Mean time of both classes in each %s, clipped at the 99 %% quantile so far. Both move together when the "
                   "machine changes, which their difference within blocks cancels.",
                   each));
    c->x_title = !processes ? "part, in order" : several ? "group of processes, in order" : "process, in order";
    c->whole_x = true;
    c->y_title = unit_of_time(m);
    c->n_lines = 2;
    for (int k = 0; k < 2; k++)
        c->lines[k] = (struct chart_line){class_name(m, classes[k]), CHART_LINE, n, x, y[k], NULL, NULL};
}

int leak_charts(const struct leak_reading *reading, const struct leak_pictures *pictures, const struct leak_chart_words *words,
                struct arena *arena, struct chart *out)
{
    struct maker m = {.make = {.arena = arena, .out = out}, .r = reading, .p = pictures, .w = words};
    if (pictures->ecdf_points >= 2) {
        add_histogram(&m);
        add_ecdfs(&m);
        add_ecdf_difference(&m);
    }
    add_shifts(&m);
    add_evidence(&m);
    add_funnel(&m);
    add_epochs(&m);
    return m.make.failed ? 0 : m.make.n;
}

int leak_dudect_charts(const struct leak_dudect_reading *r, double threshold, struct arena *arena, struct chart *out)
{
    struct maker m = {.make = {.arena = arena, .out = out}};
    double *x = column(&m, r->n_crops + 1), *y = column(&m, r->n_crops + 1);
    int n = 0;
    for (int i = 0; i < r->n_crops && !m.make.failed; i++)
        if (isfinite(r->crop_t[i])) {
            x[n] = 100 * r->crop_part[i];
            y[n++] = r->crop_t[i];
        }
    if (!m.make.failed && isfinite(r->t_raw)) {
        x[n] = 100;
        y[n++] = r->t_raw;
    }
    if (m.make.failed || n < 2)
        return 0;
    const char *second =
        isfinite(r->t_second) ? chart_text(&m.make, " Its second-order test has |t| %.3g.", fabs(r->t_second)) : "";
    struct chart *c =
        chart_add(&m.make, "t", "t by percentile",
                  chart_text(&m.make,
                             "Welch's t of dudect's corrected tests: of the fastest calls alone on the left, of all "
                             "on the right. Beyond the threshold dudect sees a leak.%s",
                             second));
    c->x_title = "the fastest calls, %";
    c->y_title = "t";
    c->n_lines = 1;
    c->n_rules = 2;
    c->lines[0] = (struct chart_line){NULL, CHART_POINTS, n, x, y, NULL, NULL};
    c->rules[0] = (struct chart_rule){threshold, "dudect's threshold"};
    c->rules[1] = (struct chart_rule){-threshold, NULL};
    return m.make.failed ? 0 : m.make.n;
}

/* Where growth is proven, and the rounds tell its class from the others. */
static bool names_class(const struct leak_growth_reading *r)
{
    return r->class && r->verdict == LEAK_GROWTH_GROWS && !*r->not_told_from;
}

/* Else what is proportional to the size would look like more, and all small sizes like none. */
static bool wants_logarithm(const struct chart *c)
{
    struct extent y = AXIS_NO_EXTENT;
    for (int i = 0; i < c->lines[0].n; i++) {
        extent_widen(&y, c->lines[0].y[i]);
        extent_widen(&y, c->lines[0].low[i]);
    }
    for (int i = 0; i < c->n_rules; i++)
        extent_widen(&y, c->rules[i].at);
    return axis_wants_logarithm(y.low, y.high);
}

int leak_growth_charts(const struct leak_growth_reading *r, const struct leak_chart_words *words, struct arena *arena,
                       struct chart *out)
{
    struct maker m = {.make = {.arena = arena, .out = out}, .w = words};
    double *x = column(&m, r->n_sizes), *y = column(&m, r->n_sizes), *low = column(&m, r->n_sizes),
           *high = column(&m, r->n_sizes);
    int n = 0;
    bool unbounded = false;
    for (int i = r->first; i < r->n_sizes && !m.make.failed; i++) {
        if (!isfinite(r->at[i].ticks.point))
            continue;
        x[n] = r->at[i].size;
        y[n] = time_of(&m, r->at[i].ticks.point);
        const bool bounded = isfinite(r->at[i].ticks.low) && isfinite(r->at[i].ticks.high);
        unbounded = unbounded || !bounded;
        low[n] = bounded ? time_of(&m, r->at[i].ticks.low) : NAN;
        high[n++] = bounded ? time_of(&m, r->at[i].ticks.high) : NAN;
    }
    if (m.make.failed || n < 2)
        return 0;
    struct chart *c =
        chart_add(&m.make, "growth", "Growth",
                  chart_text(&m.make, "Mean time of an operation, clipped%s.%s%s%s",
                             unbounded ? "; too few processes for intervals of single sizes" : ", with its interval",
                             names_class(r) ? " It looks like " : "", names_class(r) ? r->class : "", names_class(r) ? "." : ""));
    c->x_title = "size";
    c->y_title = unit_of_time(&m);
    c->logarithmic_x = true;
    c->n_lines = 1;
    c->lines[0] = (struct chart_line){"mean, clipped", CHART_POINTS, n, x, y, low, high};
    if (isfinite(r->bound_ticks)) {
        c->n_rules = 1;
        c->rules[0] = (struct chart_rule){y[0] + size_of(&m, r->bound_ticks), "the tolerated growth, from the smallest size"};
    }
    c->logarithmic_y = wants_logarithm(c);
    return m.make.failed ? 0 : m.make.n;
}

int leak_scan_charts(const struct leak_scan_reading *r, const struct leak_bit *bits, const struct leak_chart_words *words,
                     struct arena *arena, struct chart *out)
{
    struct maker m = {.make = {.arena = arena, .out = out}, .w = words};
    double *value = column(&m, r->bits);
    bool *leaks = arena_array(arena, (size_t)r->bits + 1, sizeof *leaks);
    if (m.make.failed || !leaks || r->bits < 1)
        return 0;
    for (int i = 0; i < r->bits; i++) {
        value[i] = bits[i].log_e / log(10);
        leaks[i] = bits[i].leaks;
    }
    struct chart *c = chart_add(&m.make, "bits", "Bits of the secret",
                                "Evidence of all calls together that a bit changes the time, each by itself. Sizes in the text "
                                "are means over processes.");
    c->y_title = "log10 E";
    c->cells = (struct chart_cells){.n = r->bits,
                                    .per_row = BITS_PER_ROW,
                                    .row_name = "byte",
                                    .cell_name = "bit",
                                    .value = value,
                                    .full = -log10(words->alpha),
                                    .special = leaks};
    return m.make.n;
}
