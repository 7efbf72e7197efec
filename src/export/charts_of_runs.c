/* SPDX-License-Identifier: MIT */
#include "causes.h"
#include "html.h"
#include "number_sort.h"
#include "quote.h"
#include "record_kind.h"
#include "results.h"
#include "shift_function.h"
#include <limits.h>
#include <string.h>

enum {
    MARKS = 3 /* as many as a stretch of runs takes room */,
    STEPS = 240,
    NAME_MOST = 32,
    BINS_LEAST = 8,
    BINS_MOST = 40,
    COARSE = 4 /* steps of a bin, and fewer */,
    SHAPE_LEAST = 5
};

/* Values of a subject's runs in the unit shown. */
struct runs {
    int n;
    double *round, *value; /* in the order of the runs */
    int n_sorted;
    const double *sorted;  /* the finite values, ascending */
    const uint32_t *flags; /* of rows; NULL: of none */
};

static const char *metric_title(const struct runs_charts *m)
{
    const struct metric *metric = record_metric(m->r, m->r->rule.metric);
    const char *title = metric ? metric->title : m->r->rule.metric;
    return *m->unit.name ? arena_format(m->make.arena, "%s, %s", title, m->unit.name) : title;
}

/* For the legend. */
static const char *short_name(struct runs_charts *m, int subject)
{
    struct buf b = BUF_INIT(1 << 10);
    quote_cut(&b, m->r->subjects[subject].name, NAME_MOST, true);
    const char *kept = arena_keep(m->make.arena, &b);
    m->make.failed = m->make.failed || !kept;
    return kept;
}

/* The finite values, ascending. */
static double *sorted(struct runs_charts *m, const double *values, int n, int *kept)
{
    double *x = chart_column(&m->make, n), *room = chart_column(&m->make, n);
    *kept = 0;
    for (int i = 0; x && room && i < n; i++)
        if (isfinite(values[i]))
            x[(*kept)++] = values[i];
    number_sort(x, *kept, room);
    return x;
}

static struct runs runs_of(struct runs_charts *m, int subject)
{
    const struct rows *rows = &m->r->series[subject].main;
    const double *values = series_values(&m->r->series[subject], m->r->rule.metric);
    struct runs runs = {.round = chart_column(&m->make, rows->n), .value = chart_column(&m->make, rows->n), .flags = rows->flags};
    if (m->make.failed || !values)
        return runs;
    for (; runs.n < rows->n; runs.n++) {
        runs.round[runs.n] = rows->round[runs.n] + 1.0;
        runs.value[runs.n] = values[runs.n] / m->unit.factor;
    }
    runs.sorted = sorted(m, runs.value, runs.n, &runs.n_sorted);
    return runs;
}

/* From 0 %, and on at 100 %, from end to end of the axis. */
static struct chart_line ecdf_line(struct runs_charts *m, const char *name, const struct runs *runs, const double ends[2])
{
    const int n = runs->n_sorted, steps = n < STEPS ? n : STEPS;
    double *x = chart_column(&m->make, steps + 2), *y = chart_column(&m->make, steps + 2);
    if (m->make.failed)
        return (struct chart_line){0};
    for (int i = 0; i < steps; i++) {
        int at = steps > 1 ? (int)((int64_t)i * (n - 1) / (steps - 1)) : 0;
        x[i + 1] = runs->sorted[at];
        y[i + 1] = 100.0 * (at + 1) / n;
    }
    x[0] = ends[0];
    x[steps + 1] = ends[1];
    y[steps + 1] = 100;
    return (struct chart_line){name, CHART_STEPS, steps + 2, x, y, NULL, NULL};
}

static const char *rows_word(const struct runs_charts *m)
{
    return record_rows_word(m->r, 2);
}

static bool is_time(const struct runs_charts *m)
{
    const struct metric *metric = record_metric(m->r, m->r->rule.metric);
    return !metric || metric->kind == METRIC_TIME;
}

static double largest_of(const struct runs *runs, int n)
{
    double largest = -INFINITY;
    for (int i = 0; i < n; i++)
        largest = runs[i].n_sorted ? fmax(largest, runs[i].sorted[runs[i].n_sorted - 1]) : largest;
    return largest;
}

static void add_distributions(struct runs_charts *m, const struct runs *runs, const char *const *names, int n)
{
    const double least = fmin(runs[0].sorted[0], runs[n - 1].sorted[0]), largest = largest_of(runs, n),
                 room = (largest - least) / 40, ends[] = {least - room, largest + room}; /* so that no step is on the edge */
    struct chart *c =
        chart_add(&m->make, "ecdf", "Distribution",
                  chart_text(&m->make,
                             n > 1 ? "Share of the %s that %s no more than the axis says; a gap between the lines is one between "
                                     "these %s, which may be chance."
                                   : "Share of the %s that %s no more than the axis says; it is steep where there are many.",
                             rows_word(m), is_time(m) ? "took" : "have", rows_word(m)));
    c->x_title = metric_title(m);
    c->y_title = chart_text(&m->make, "%% of the %s", rows_word(m));
    for (int i = 0; i < n; i++)
        c->lines[c->n_lines++] = ecdf_line(m, n > 1 ? names[i] : NULL, &runs[i], ends);
}

/* The least distance between two values, of all runs together, up to `high`; no less than `least`, which is rounding. */
static double step_of(const struct runs *runs, int of, double least, double high)
{
    double step = INFINITY, last = NAN;
    int at[2] = {0};
    while (true) {
        const bool first =
            of < 2 || at[1] == runs[1].n_sorted || (at[0] < runs[0].n_sorted && runs[0].sorted[at[0]] <= runs[1].sorted[at[1]]);
        const int i = first ? 0 : 1;
        if (at[i] == runs[i].n_sorted || runs[i].sorted[at[i]] > high)
            return step;
        const double x = runs[i].sorted[at[i]++];
        step = x - last > least ? fmin(step, x - last) : step;
        last = x;
    }
}

/* From the least run to the largest; where the last 5 % of the runs of each would take more than a third of that, to where these begin. Counts and times of
 * a coarse clock, which have values at steps only, lie in the middle of as many steps as a bin takes: narrower ones would be empty or beside their value. */
static double *bin_edges(struct runs_charts *m, const struct runs *runs, int of, int *bins)
{
    double low = INFINITY, high = -INFINITY, *edge = chart_column(&m->make, *bins + 2);
    for (int i = 0; i < of; i++)
        if (runs[i].n_sorted) {
            low = fmin(low, runs[i].sorted[0]);
            high = fmax(high, runs[i].sorted[runs[i].n_sorted - 1 - runs[i].n_sorted / 20]);
        }
    if (largest_of(runs, of) - low <= 1.5 * (high - low))
        high = largest_of(runs, of);
    if (m->make.failed || !(low < high) || !isfinite(high - low))
        return NULL;
    const double least = low;
    double width = (high - low) / *bins, step = step_of(runs, of, 1e-6 * (high - low), high);
    if (isfinite(step) && step > width / COARSE) {
        width = step * ceil(width / step - 1e-6);
        low -= step / 2;
        *bins = (int)ceil((high + step / 2 - low) / width - 1e-6);
    }
    for (int i = 0; i <= *bins; i++)
        edge[i] = low + width * i;
    if (least >= 0)
        edge[0] = fmax(edge[0], 0);
    return edge;
}

static const int64_t *counts(struct runs_charts *m, const double *sorted, int n, const double *edge, int bins, int64_t *beyond)
{
    int64_t *count = arena_array(m->make.arena, (size_t)bins, sizeof *count);
    m->make.failed = m->make.failed || !count;
    for (int i = 0, bin = 0; count && i < n; i++) {
        while (bin < bins && sorted[i] > edge[bin + 1])
            bin++;
        ++*(bin < bins ? &count[bin] : beyond);
    }
    return count;
}

static void add_histogram(struct runs_charts *m, const struct runs *runs, const char *const *names, int n, const char *title)
{
    const double wanted = 2 * sqrt(fmax(runs[0].n_sorted, n > 1 ? runs[1].n_sorted : 0));
    int bins = wanted < BINS_LEAST ? BINS_LEAST : wanted > BINS_MOST ? BINS_MOST : (int)wanted;
    const double *edge = m->make.failed ? NULL : bin_edges(m, runs, n, &bins);
    if (!edge)
        return;
    struct chart *c = chart_add(&m->make, "density", title, NULL);
    c->x_title = metric_title(m);
    c->y_title = rows_word(m);
    c->bars = (struct chart_bars){.n = bins, .edge = edge, .furthest = NAN};
    for (int i = 0; i < n; i++) {
        c->bars.name[i] = n > 1 ? names[i] : NULL;
        c->bars.count[i] = counts(m, runs[i].sorted, runs[i].n_sorted, edge, bins, &c->bars.beyond[i]);
    }
    c->bars.furthest = largest_of(runs, n);
    c->says = chart_text(&m->make, "Number of %s by %s%s. Two peaks may be chance: a remark says where two modes are proven.",
                         rows_word(m), is_time(m) ? "time" : "value",
                         !c->bars.beyond[0] && !c->bars.beyond[1] ? ""
                         : is_time(m)                             ? "; what is slower than the axis shows is one bar at its end"
                                                                  : "; what is above the axis is one bar at its end");
}

/* Nine tenths of them; [0] > [1]: there are none. */
static void bulk_of(const struct runs *runs, double ends[2])
{
    const int n = runs->n_sorted, cut = n / 20;
    ends[0] = n ? runs->sorted[cut] : INFINITY;
    ends[1] = n ? runs->sorted[n - 1 - cut] : -INFINITY;
}

/* So far apart that on one axis each would be a bar or two. */
static bool lie_apart(const struct runs *runs)
{
    double a[2], b[2];
    bulk_of(&runs[0], a);
    bulk_of(&runs[1], b);
    return a[0] < a[1] && b[0] < b[1] && fmax(a[0], b[0]) - fmin(a[1], b[1]) > 2 * fmax(a[1] - a[0], b[1] - b[0]);
}

static void add_density(struct runs_charts *m, const struct runs *runs, const char *const *names, int n)
{
    if (n < 2 || !lie_apart(runs)) {
        add_histogram(m, runs, names, n, "Histogram");
        return;
    }
    for (int i = 0; i < 2; i++)
        add_histogram(m, &runs[i], &names[i], 1, chart_text(&m->make, "Histogram of %s", names[i]));
}

/* As estimated, each with its interval. */
static struct chart_line percentile_line(struct runs_charts *m, const char *name, int subject, double beside)
{
    static const struct {
        const char *id;
        double percent;
    } all[] = {{"p1", 1}, {"p5", 5}, {"p25", 25}, {"p50", 50}, {"p75", 75}, {"p90", 90}, {"p95", 95}, {"p99", 99}};
    enum { ALL = sizeof all / sizeof *all };
    double *of[4];
    int n = 0;
    for (int i = 0; i < 4; i++)
        of[i] = chart_column(&m->make, ALL);
    for (int i = 0; !m->make.failed && i < ALL; i++) {
        const struct estimate *e = record_estimate(m->r, subject, m->r->rule.metric, all[i].id);
        if (!e || !isfinite(e->low) || !isfinite(e->high) || !(e->confidence > 0))
            continue;
        of[0][n] = all[i].percent + beside;
        of[1][n] = e->point / m->unit.factor;
        of[2][n] = e->low / m->unit.factor;
        of[3][n++] = e->high / m->unit.factor;
    }
    return (struct chart_line){name, CHART_POINTS, n, of[0], of[1], of[2], of[3]};
}

static void add_percentiles(struct runs_charts *m, const int *subjects, const char *const *names, int n)
{
    struct chart_line lines[2];
    bool any = true;
    for (int i = 0; i < n; i++) {
        lines[i] = percentile_line(m, n > 1 ? names[i] : NULL, subjects[i], n == 1 ? 0 : i ? 0.4 : -0.4);
        any = any && lines[i].n >= 3;
    }
    if (m->make.failed || !any)
        return;
    struct chart *c = chart_add(&m->make, "percentiles", "Percentiles",
                                chart_text(&m->make, "With their intervals, where there are enough %s for one: %s on the right.",
                                           rows_word(m), is_time(m) ? "what the slow ones take is" : "the largest values are"));
    c->x_title = "percentile";
    c->y_title = metric_title(m);
    for (int i = 0; i < n; i++)
        c->lines[c->n_lines++] = lines[i];
}

/* How many runs stand behind the marks of one stretch. */
static int stretch_of(const struct runs_charts *m, const struct runs *runs)
{
    return runs->n > m->most ? (MARKS * runs->n + m->most - 1) / m->most : 1;
}

static const char *stretch_says(struct runs_charts *m, const struct runs *runs, int n)
{
    int shortest = INT_MAX, longest = 1;
    for (int i = 0; i < n; i++) {
        const int stretch = stretch_of(m, &runs[i]);
        shortest = stretch < shortest ? stretch : shortest;
        longest = stretch > longest ? stretch : longest;
    }
    return longest > 1
               ? chart_text(&m->make,
                            " Of %s%d in a row the line has the middle one, and the band reaches from the least to the largest.",
                            shortest < longest ? "up to " : "", longest)
               : "";
}

static bool is_marked(const struct runs *runs, int i, bool disturbed)
{
    return (runs->flags && runs->flags[i] & causes_exogenous()) == disturbed && isfinite(runs->value[i]);
}

/* Those with or without one of the causes, in their order. */
static struct chart_line marks_line(struct runs_charts *m, const char *name, const struct runs *runs, bool disturbed)
{
    double *x = chart_column(&m->make, runs->n), *y = chart_column(&m->make, runs->n);
    int n = 0;
    for (int i = 0; !m->make.failed && i < runs->n; i++)
        if (is_marked(runs, i, disturbed)) {
            x[n] = runs->round[i];
            y[n++] = runs->value[i];
        }
    return (struct chart_line){name, CHART_POINTS, n, x, y, NULL, NULL};
}

/* Of very many the middle one of each stretch, from the least to the largest. */
static struct chart_line stretches_line(struct runs_charts *m, const char *name, const struct runs *runs, int stretch)
{
    const int most = runs->n / stretch + 1;
    double *x = chart_column(&m->make, most), *of[3], *found = chart_column(&m->make, 2 * stretch);
    int n = 0;
    for (int i = 0; i < 3; i++)
        of[i] = chart_column(&m->make, most);
    for (int from = 0; !m->make.failed && from < runs->n; from += stretch) {
        int k = 0;
        for (int i = from; i < runs->n && i < from + stretch; i++)
            if (isfinite(runs->value[i]))
                found[k++] = runs->value[i];
        if (!k)
            continue;
        number_sort(found, k, found + k);
        x[n] = runs->round[from];
        of[0][n] = found[(k - 1) / 2];
        of[1][n] = found[0];
        of[2][n++] = found[k - 1];
    }
    return (struct chart_line){name, CHART_LINE, n, x, of[0], of[1], of[2]};
}

/* What disturbed them is told of single runs only. */
static struct chart_line order_line(struct runs_charts *m, const char *name, const struct runs *runs, bool disturbed)
{
    const int stretch = stretch_of(m, runs);
    if (stretch == 1)
        return marks_line(m, name, runs, disturbed);
    return disturbed ? (struct chart_line){0} : stretches_line(m, name, runs, stretch);
}

/* One command after the other: runs of the same number have nothing in common. */
static bool in_blocks(const struct record *r)
{
    return !r->rule.interleaved && !record_is_of_two_sessions(r);
}

/* A row of several sessions is the median of one. */
static const char *turn(const struct record *r)
{
    return record_is_over_sessions(r) ? "session" : in_blocks(r) ? "run" : "round";
}

/* Of a session against itself it is the remark of one of the copies, whichever drifted most. */
static const struct finding *finding_of(const struct record *r, int subject, const char *id)
{
    for (int i = 0; i < r->n_findings; i++)
        if (r->findings[i].subject == subject && !strcmp(r->findings[i].id, id) && !r->rule.against_itself)
            return &r->findings[i];
    return NULL;
}

static const struct finding *drift_of(const struct record *r, int subject)
{
    return finding_of(r, subject, "drift");
}

/* In the legend: of which of two commands. */
static const char *part_name(struct runs_charts *m, const char *name, int n, const char *part)
{
    return n > 1 ? chart_text(&m->make, "%s, %s", name, part) : part;
}

static const char TREND_SAYS[] =
    "The line has the median slope over all pairs; if the change was not steady, its ends can be far from the marks.";

/* Median of what the runs would have taken in the middle of the session: a burst that lifts the median of all does not lift the line. NaN: no run. */
static double middle_of_trend(struct runs_charts *m, const struct runs *runs, double slope, double middle)
{
    double *level = chart_column(&m->make, runs->n);
    for (int i = 0; level && i < runs->n; i++)
        level[i] = runs->value[i] - slope * (runs->round[i] - middle);
    int n = 0;
    const double *x = level ? sorted(m, level, runs->n, &n) : NULL;
    return x && n ? (x[(n - 1) / 2] + x[n / 2]) / 2 : NAN;
}

/* As the remark says it, which older records do without figures: a share of `typical` from the first run to the last. */
static void add_trend(struct runs_charts *m, struct chart *c, const struct runs *runs, const struct finding *f, double typical,
                      const char *name, int part_of)
{
    double *x = chart_column(&m->make, 2), *y = chart_column(&m->make, 2);
    if (!f || f->trend == 0 || !isfinite(typical) || runs->n < 2 || m->make.failed)
        return;
    x[0] = runs->round[0];
    x[1] = runs->round[runs->n - 1];
    const double change = f->trend * typical, middle = middle_of_trend(m, runs, change / (x[1] - x[0]), (x[0] + x[1]) / 2);
    y[0] = middle - change / 2;
    y[1] = middle + change / 2;
    if (!isfinite(y[0] + y[1]))
        return;
    c->part_of[c->n_lines] = part_of;
    c->lines[c->n_lines++] = (struct chart_line){name, CHART_LINE, 2, x, y, NULL, NULL};
}

static bool any_unseen(const struct record *r, const int *subjects, int n)
{
    for (int i = 0; i < n; i++)
        if (results_account_runs(r, subjects[i], "unseen") > 0)
            return true;
    return false;
}

/* "... shows here. old: changed by +3.4 % of the median during the session." */
static const char *order_says(struct runs_charts *m, const struct runs *runs, const int *subjects, const char *const *names,
                              int n)
{
    const bool two_sessions = n > 1 && record_is_of_two_sessions(m->r), blocks = n > 1 && in_blocks(m->r);
    if (record_is_over_sessions(m->r))
        return "Each mark is the median of a session.";
    const char *says =
        two_sessions ? "Two sessions, each in the order of its own rounds: drift, jumps and bursts within them are visible here"
        : blocks     ? "One after the other, each in the order of its own runs: drift, jumps and bursts are visible here"
                     : "Drift, jumps and bursts are visible here";
    says = chart_text(&m->make, "%s; a proven trend is a broad line.%s", says, stretch_says(m, runs, n));
    if (html_has_noise(m->r) && !m->noise_elsewhere)
        says = chart_text(&m->make, "%s What disturbed the %s is in the table below.", says, rows_word(m));
    if (any_unseen(m->r, subjects, n))
        says = chart_text(&m->make, "%s A filled mark may be a %s that was not observed.", says, record_rows_word(m->r, 1));
    bool drawn = false;
    for (int i = 0; i < n; i++) {
        const struct finding *drift = drift_of(m->r, subjects[i]);
        says = drift ? chart_text(&m->make, "%s %s: %s.", says, names[i], drift->text) : says;
        drawn = drawn || (drift && drift->trend != 0);
    }
    return drawn ? chart_text(&m->make, "%s %s", says, TREND_SAYS) : says;
}

static void add_order(struct runs_charts *m, const struct runs *runs, const int *subjects, const char *const *names, int n)
{
    struct chart *c = chart_add(&m->make, "order", chart_text(&m->make, "In the order of the %ss", turn(m->r)),
                                order_says(m, runs, subjects, names, n));
    c->x_title = turn(m->r);
    c->whole_x = true;
    c->y_title = metric_title(m);
    for (int disturbed = 0; disturbed < 2; disturbed++)
        for (int i = 0; i < n; i++) {
            const char *name = !disturbed ? names[i] : part_name(m, names[i], n, "disturbed");
            struct chart_line line = order_line(m, name, &runs[i], disturbed);
            c->part_of[c->n_lines] = disturbed ? i + 1 : 0;
            if (line.n || !disturbed)
                c->lines[c->n_lines++] = line;
        }
    for (int i = 0; i < n && !record_is_over_sessions(m->r); i++)
        add_trend(m, c, &runs[i], drift_of(m->r, subjects[i]),
                  record_point(m->r, subjects[i], m->r->rule.metric, "median") / m->unit.factor,
                  part_name(m, names[i], n, "trend"), i + 1);
}

/* Subject over reference, or less it, in the rounds that both have. */
static struct runs paired(struct runs_charts *m, const struct runs *one, const struct runs *other, bool difference)
{
    const int most = one->n < other->n ? one->n : other->n;
    struct runs pairs = {.round = chart_column(&m->make, most), .value = chart_column(&m->make, most)};
    for (int i = 0, k = 0; !m->make.failed && i < one->n && k < other->n;) {
        if (one->round[i] != other->round[k]) {
            one->round[i] < other->round[k] ? i++ : k++;
            continue;
        }
        pairs.round[pairs.n] = one->round[i];
        pairs.value[pairs.n++] = difference ? other->value[k] - one->value[i] : other->value[k] / one->value[i];
        i++, k++;
    }
    return pairs;
}

static void shade_margin(struct runs_charts *m, struct chart *c, const struct comparison *compared, bool difference)
{
    const double margin = difference ? compared->margin / m->unit.factor : compared->margin;
    if (!(margin > 0))
        return;
    struct buf name = BUF_INIT(64);
    if (difference)
        figure_with(&name, compared->margin, m->unit, figure_digits(margin, FIGURE_DIGITS));
    else
        figure_level(&name, margin);
    c->shaded = (struct chart_stretch){difference ? -margin : 1 / (1 + margin), difference ? margin : 1 + margin,
                                       chart_text(&m->make, "within the margin of %s", buf_text(&name))};
    buf_finish(&name);
}

static const char *compared_title(struct runs_charts *m, bool difference)
{
    return difference ? chart_text(&m->make, "difference of %s", metric_title(m)) : "ratio";
}

static void add_ratios(struct runs_charts *m, const struct comparison *compared, const struct runs *pairs,
                       const char *const *names, bool difference)
{
    const struct finding *found = finding_of(m->r, compared->subject, "ratio_drift"),
                         *drift = found && found->trend != 0 ? found : NULL; /* older records do without */
    const char *trend_says = !drift ? ""
                                    : chart_text(&m->make,
                                                 " The line goes from the first to the last %s of that trend; if the "
                                                 "change was not steady, its ends can be far from the rounds.",
                                                 difference ? "difference" : "ratio");
    const bool others = compared->rounds > 0 && compared->rounds != pairs->n; /* as of a gate, which measured it again */
    const char *rounds = others ? chart_text(&m->make, "of these %d rounds; the comparison is of %d", pairs->n, compared->rounds)
                                : "round: the values that are compared";
    struct chart *c = chart_add(&m->make, "ratios", difference ? "Difference of each round" : "Ratio of each round",
                                chart_text(&m->make, "%s %s %s, in each %s.%s%s%s%s%s", names[1], difference ? "less" : "over",
                                           names[0], rounds, stretch_says(m, pairs, 1), drift ? " Broad line: " : "",
                                           drift ? drift->text : "", drift ? "." : "", trend_says));
    c->x_title = "round";
    c->whole_x = true;
    c->y_title = compared_title(m, difference);
    c->lines[c->n_lines++] = order_line(m, NULL, pairs, false);
    const double first = exp(compared->shift) / (1 + (drift ? drift->trend : 0) / 2);
    add_trend(m, c, pairs, drift, first, "trend", 1);
    c->rules[c->n_rules++] = (struct chart_rule){difference ? 0 : 1, "equal"};
    shade_margin(m, c, compared, difference);
}

static const char *shift_says(struct runs_charts *m, const struct shift_function *f)
{
    if (f->n < SHIFT_LEAST)
        return isinf(f->least) ? "Neighbouring rounds are too much alike to compare quantile by quantile."
                               : chart_text(&m->make, "Too few %s to compare quantile by quantile: that needs %.0f%s.",
                                            f->paired ? "rounds" : rows_word(m), f->least, f->paired ? "" : " in each session");
    struct buf all = BUF_INIT(64);
    if (f->n < SHIFT_QUANTILES)
        buf_format(&all, "; all quantiles, from 5 to 99 %%, need %.0f %s%s", f->outermost, f->paired ? "rounds" : rows_word(m),
                   f->paired ? "" : " in each session");
    const bool time = is_time(m);
    const char *what = time ? rows_word(m) : "values", *high = time ? "slow" : "high";
    const char *says = chart_text(
        &m->make,
        "%s %s against %s %s on the left, %s ones against %s ones on the right: level marks are a change of all "
        "alike, a rise to the right one of the %s ones. The %s intervals hold for all quantiles together%s%s.",
        time ? "Fast" : "Low", what, time ? "fast" : "low", what, high, high, high, figure_text(figure_level, f->confidence).at,
        f->paired ? "" : " if nothing drifted between the two sessions", buf_text(&all));
    buf_finish(&all);
    return says;
}

static void add_shifts(struct runs_charts *m, const struct comparison *compared, const struct shift_function *f, bool difference)
{
    const double *const from[4] = {f->percent, f->point, f->low, f->high};
    double *of[4];
    for (int i = 0; i < 4; i++)
        of[i] = chart_column(&m->make, f->n);
    for (int i = 0; i < 4 && !m->make.failed; i++)
        for (int k = 0; k < f->n; k++)
            of[i][k] = from[i][k] / (i && difference ? m->unit.factor : 1);
    const char *says = shift_says(m, f);
    if (m->make.failed)
        return;
    if (f->n < SHIFT_LEAST) { /* no picture of its own */
        struct chart *last = m->make.n ? &m->make.out[m->make.n - 1] : NULL;
        if (last)
            last->says = chart_text(&m->make, "%s %s", last->says, says);
        return;
    }
    struct chart *c = chart_add(&m->make, "shift", "Shift function", says);
    c->cuts_vague = true;
    c->x_title = "quantile, %";
    c->y_title = compared_title(m, difference);
    c->lines[c->n_lines++] = (struct chart_line){NULL, CHART_POINTS, f->n, of[0], of[1], of[2], of[3]};
    c->rules[c->n_rules++] = (struct chart_rule){difference ? 0 : 1, "equal"};
    shade_margin(m, c, compared, difference);
}

void charts_of_runs(struct runs_charts *m, int subject, int reference)
{
    const struct comparison *compared = reference >= 0 ? results_comparison(m->r, subject) : NULL;
    const int first = compared ? reference : subject, n = compared ? 2 : 1, subjects[2] = {first, subject};
    const char *const names[2] = {short_name(m, first), short_name(m, subject)};
    const struct runs runs[2] = {runs_of(m, first), compared ? runs_of(m, subject) : (struct runs){0}};
    m->make.n = 0;
    if (m->make.failed || runs[0].n < 2 || (compared && runs[1].n < 2))
        return;
    if (record_in_order(m->r))
        add_order(m, runs, subjects, names, n);
    if (record_is_over_sessions(m->r)) /* a few medians have no shape, and their ratios are not what is compared */
        return;
    if (runs[0].n_sorted >= SHAPE_LEAST && (!compared || runs[1].n_sorted >= SHAPE_LEAST)) {
        add_density(m, runs, names, n);
        add_distributions(m, runs, names, n);
    }
    add_percentiles(m, subjects, names, n);
    if (!compared)
        return;
    if (compared->verdict == VERDICT_INVALID || compared->verdict == VERDICT_NOT_COMPARABLE) /* nothing is compared */
        return;
    const bool difference = results_by_difference(compared);
    const bool in_rounds = m->r->rule.interleaved && !compared->reference_rounds;
    const struct runs pairs = in_rounds ? paired(m, &runs[0], &runs[1], difference) : (struct runs){0};
    if (!m->make.failed && pairs.n >= 2)
        add_ratios(m, compared, &pairs, names, difference);
    if (m->shifts && m->shifts[subject].least)
        add_shifts(m, compared, &m->shifts[subject], difference);
}
