/* SPDX-License-Identifier: MIT */
#include "markup.h"
#include "export_out.h"
#include "quote.h"
#include "record_kind.h"
#include "results.h"
#include "units.h"
#include "verdict_text.h"
#include <string.h>

const char *markup_character(const char *text, char c[5])
{
    char escape[QUOTE_ESCAPE];
    int n = quote_character(text, escape);
    memcpy(c, text, (size_t)n);
    c[n] = 0;
    return n ? text + n : NULL;
}

struct table {
    const struct markup *markup;
    const struct record *r;
    struct unit unit; /* of the times in the table, or of each row by itself */
    bool own_units;
    const struct metric *metric; /* what is compared, where that is not the time; NULL */
    struct buf cells[MARKUP_COLUMNS_MAX];
    int n;
    const char *compared; /* results_compared_by */
    bool anchored, unpaired;
};

static struct buf *next_cell(struct table *t)
{
    struct buf *b = &t->cells[t->n++];
    buf_clear(b);
    return b;
}

/* With more decimals where so few would make a nought of it. */
static void number_or(struct buf *b, double value, int decimals, const char *otherwise)
{
    const int first = figure_digits(value, 1);
    if (isfinite(value))
        figure_put(b, value, first > decimals ? first : decimals);
    else
        buf_str(b, otherwise);
}

/* Behind a figure, where the heading has none. */
static void row_unit(const struct table *t, struct buf *b)
{
    if (t->own_units)
        unit_put(b, t->unit);
}

static void interval(struct buf *b, double low, double high, int decimals)
{
    if (!isfinite(low) && !isfinite(high)) {
        buf_str(b, "none");
        return;
    }
    number_or(b, low, decimals, "unbounded");
    buf_str(b, " … ");
    number_or(b, high, decimals, "unbounded");
}

/* "Paired ratio": within rounds; "Unpaired ratio": of runs of two samples, and so not that of the two medians. Beside hyperfine's Relative, which is a ratio
 * of means, a bare "Ratio" would be one too many. */
static void comparison_headings(struct table *t)
{
    const struct rule *rule = &t->r->rule;
    const char *blocks = rule->method == METHOD_GEORGES ? "Means' " : t->unpaired ? "Unpaired " : "Medians' ";
    struct buf *b = next_cell(t);
    buf_format(b, "%s%s", rule->interleaved ? "Paired " : blocks, t->compared);
    const struct metric *metric = record_metric(t->r, rule->metric);
    if (strcmp(rule->metric, results_time(t->r)))
        buf_format(b, ": %s", metric ? metric->title : rule->metric);
    b = next_cell(t);
    buf_format(b, "%s %s of the %s", figure_text(figure_level, rule->confidence).at,
               facts_find(&t->r->build, "gate_phase") ? "bounds" : "interval", t->compared); /* a gate's have that level each */
    buf_str(next_cell(t), "Verdict");
}

/* Of min, max and median: the finer of what the mean and the median have by themselves, so that min does not stand above the median. */
static int time_decimals(const struct table *t, int subject)
{
    const char *metric = results_time(t->r);
    const double factor = t->unit.factor, half = half_width(results_low(t->r, subject, metric, "median") / factor,
                                                            results_high(t->r, subject, metric, "median") / factor);
    const int mean = figure_decimals(record_point(t->r, subject, metric, "mean") / factor,
                                     record_point(t->r, subject, metric, "stddev") / factor),
              median = figure_decimals(record_point(t->r, subject, metric, "median") / factor, half);
    return mean > median ? mean : median;
}

static void time_cells(struct table *t, int subject)
{
    double factor = t->unit.factor, mean = record_point(t->r, subject, results_time(t->r), "mean") / factor;
    double stddev = record_point(t->r, subject, results_time(t->r), "stddev") / factor;
    int decimals = figure_decimals(mean, stddev);
    struct buf *b = next_cell(t);
    number_or(b, mean, decimals, "N/A");
    if (isfinite(stddev)) {
        buf_str(b, " ± ");
        figure_put(b, stddev, decimals);
    }
    if (isfinite(mean))
        row_unit(t, b);
    for (int end = 0; end < 2; end++) {
        const double value = record_point(t->r, subject, results_time(t->r), end ? "max" : "min") / factor;
        number_or(b = next_cell(t), value, time_decimals(t, subject), "N/A");
        if (isfinite(value))
            row_unit(t, b);
    }
}

static void median_cells(struct table *t, int subject)
{
    double factor = t->unit.factor, median = record_point(t->r, subject, results_time(t->r), "median") / factor;
    double low = results_low(t->r, subject, results_time(t->r), "median") / factor;
    double high = results_high(t->r, subject, results_time(t->r), "median") / factor;
    int decimals = time_decimals(t, subject);
    struct buf *b = next_cell(t);
    number_or(b, median, decimals, "N/A");
    if (isfinite(median))
        row_unit(t, b);
    interval(b = next_cell(t), low, high, decimals);
    if (isfinite(low) || isfinite(high))
        row_unit(t, b);
    buf_format(b = next_cell(t), "%d", t->r->series[subject].main.n);
    const struct rows *rows = &t->r->series[subject].main;
    const int failed = rows_failed(rows, rows->n);
    if (failed)
        buf_format(b, " (%d failed)", failed);
}

static void metric_cell(struct table *t, int subject)
{
    const struct estimate *e = record_estimate(t->r, subject, t->metric->id, "median");
    struct buf *b = next_cell(t);
    if (e && isfinite(e->point))
        figure_bounded(b, t->metric->unit, e->point, e->low, e->high);
    else
        buf_str(b, "N/A");
}

static void difference_cells(struct table *t, const struct comparison *c)
{
    const struct metric *m = record_metric(t->r, c->metric);
    struct unit unit =
        unit_for(m ? m->unit : "1", fmax(fabs(c->shift), isfinite(c->low - c->high) ? fmax(fabs(c->low), fabs(c->high)) : 0));
    double shift = c->shift / unit.factor, low = c->low / unit.factor, high = c->high / unit.factor;
    int decimals = isfinite(low - high) ? interval_decimals(shift, low, high) : figure_decimals(shift, NAN);
    struct buf *b = next_cell(t);
    if (isfinite(shift)) {
        figure_signed(b, shift, decimals);
        unit_put(b, unit);
    } else {
        buf_str(b, "N/A");
    }
    b = next_cell(t);
    if (!isfinite(low) || !isfinite(high)) {
        interval(b, low, high, decimals);
        return;
    }
    figure_signed(b, low, decimals);
    buf_str(b, " … ");
    figure_signed(b, high, decimals);
}

enum { RATIO_DECIMALS_LEAST = 2 /* percent without decimals, as the verdict has them */, RATIO_DECIMALS = 3 };

/* So rounded a bound that is not 1 would be. */
static bool crosses_one(double bound, int decimals)
{
    const double step = pow(10, -decimals);
    return isfinite(bound) && bound != 1 && rint(bound / step) * step == 1;
}

/* Others are compared with it. */
static bool is_reference(const struct record *r, int subject)
{
    for (int i = 0; i < r->n_comparisons; i++)
        if (r->comparisons[i].reference == subject && !r->comparisons[i].arc)
            return true;
    return subject == r->rule.reference;
}

/* Its figures are those of nothing. */
static bool is_refused(const struct comparison *c)
{
    return c->verdict == VERDICT_INVALID || c->verdict == VERDICT_NOT_COMPARABLE;
}

static void comparison_cells(struct table *t, int subject)
{
    const struct comparison *c = results_comparison(t->r, subject);
    if (c && is_refused(c)) {
        buf_str(next_cell(t), "N/A");
        buf_str(next_cell(t), "none");
    } else if (c && results_by_difference(c))
        difference_cells(t, c);
    else if (c) {
        double low = isfinite(c->low) ? exp(c->low) : -INFINITY, high = isfinite(c->high) ? exp(c->high) : INFINITY;
        int decimals = figure_decimals(exp(c->shift), half_width(low, high));
        if (decimals < RATIO_DECIMALS_LEAST && exp(c->shift) < 10)
            decimals = RATIO_DECIMALS_LEAST;
        while (decimals < RATIO_DECIMALS && (crosses_one(low, decimals) || crosses_one(high, decimals)))
            decimals++;
        number_or(next_cell(t), exp(c->shift), decimals, "N/A");
        interval(next_cell(t), low, high, decimals);
    } else
        t->n += 2;
    const char *word = !c && is_reference(t->r, subject) ? "reference"
                       : c && c->verdict != VERDICT_NONE ? verdict_word(c->verdict)
                       : c                               ? "no verdict"
                                                         : "";
    buf_str(next_cell(t), word);
}

/* The cells from `first` on stand behind the command. */
static void bring_forward(struct table *t, int first)
{
    struct buf moved[MARKUP_COLUMNS_MAX];
    const int n = t->n - first;
    if (!t->markup->answer_first || !t->compared || first < 1)
        return;
    memcpy(moved, t->cells + first, (size_t)n * sizeof *moved);
    memmove(t->cells + 1 + n, t->cells + 1, (size_t)(first - 1) * sizeof *moved);
    memcpy(t->cells + 1, moved, (size_t)n * sizeof *moved);
}

/* A page leaves out what would be 1.00 and N/A; Markdown and its like have the columns of hyperfine. */
static bool has_relative(const struct table *t)
{
    return t->compared || !t->markup->answer_first;
}

/* Of the mean times, whatever else is compared. */
static void relative_cell(struct table *t, int subject)
{
    const char *time = results_time(t->r);
    const struct comparison *c = results_comparison(t->r, subject);
    const int reference = c && !is_refused(c) ? c->reference : !c && is_reference(t->r, subject) ? subject : -1;
    number_or(next_cell(t),
              reference < 0 ? NAN : record_point(t->r, subject, time, "mean") / record_point(t->r, reference, time, "mean"), 2,
              "N/A");
}

static void row(struct table *t, struct buf *out, int subject)
{
    for (int i = 0; i < MARKUP_COLUMNS_MAX; i++)
        buf_clear(&t->cells[i]);
    t->n = 0;
    struct buf shown = BUF_INIT(16 << 20);
    quote_mask(&shown, t->r->subjects[subject].name, true);
    t->markup->command(next_cell(t), buf_text(&shown));
    buf_finish(&shown);
    if (t->own_units)
        t->unit = unit_for("ns", record_point(t->r, subject, results_time(t->r), "mean"));
    time_cells(t, subject);
    if (has_relative(t))
        relative_cell(t, subject);
    median_cells(t, subject);
    const int answer = t->n;
    if (t->metric)
        metric_cell(t, subject);
    if (t->compared)
        comparison_cells(t, subject);
    bring_forward(t, answer);
    if (t->anchored) {
        const struct estimate *e = record_ratio_to_anchor(t->r, subject);
        struct buf *b = next_cell(t);
        if (t->r->subjects[subject].anchor)
            buf_str(b, "anchor");
        else if (e && isfinite(e->point))
            figure_bounded(b, "1", e->point, e->low, e->high);
    }
    t->markup->row(out, t->cells, t->n);
}

static struct unit time_unit(const struct record *r, const char *name)
{
    struct unit unit;
    if (name && unit_named("ns", name, &unit))
        return unit;
    for (int i = 0; i < r->n_subjects; i++) {
        double mean = record_point(r, i, results_time(r), "mean");
        if (subject_measured(&r->subjects[i]) && isfinite(mean))
            return unit_for("ns", mean);
    }
    return unit_for("ns", 1e6);
}

/* Benchmarks from nanoseconds to milliseconds: in one unit some would have seven digits. */
static bool wants_own_units(const struct record *r)
{
    enum { FAR = 100 };
    double least = INFINITY, most = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        const double mean = subject_measured(&r->subjects[i]) ? record_point(r, i, results_time(r), "mean") : NAN;
        least = mean > 0 ? fmin(least, mean) : least;
        most = mean > 0 ? fmax(most, mean) : most;
    }
    return most >= FAR * least;
}

static void put_time_unit(const struct table *t, struct buf *b)
{
    if (!t->own_units)
        buf_format(b, " [%s]", t->unit.name);
}

/* "Mean [ms]", "Mean of medians [ms]" over sessions; with "time" where something else is compared. */
static void time_heading(const struct table *t, struct buf *b, const char *what)
{
    static const char *const of[][2] = {{"", " of medians"}, {" time", " of median times"}};
    buf_format(b, "%s%s", what, of[t->metric != NULL][record_is_over_sessions(t->r)]);
    put_time_unit(t, b);
}

static void whole_table(struct table *t, struct export_out *out, const int *order)
{
    t->n = 0;
    buf_str(next_cell(t), t->markup->answer_first && record_kind(t->r)->processes ? "Benchmark" : "Command");
    time_heading(t, next_cell(t), "Mean");
    time_heading(t, next_cell(t), "Min");
    time_heading(t, next_cell(t), "Max");
    if (has_relative(t))
        buf_str(next_cell(t), "Relative");
    time_heading(t, next_cell(t), "Median");
    struct buf *b = next_cell(t);
    figure_level(b, t->r->rule.confidence);
    buf_format(b, " interval of the median%s", t->metric ? " time" : "");
    put_time_unit(t, b);
    buf_str(next_cell(t), record_is_over_sessions(t->r) ? "Sessions" : record_kind(t->r)->processes ? "Processes" : "Runs");
    const int answer = t->n;
    if (t->metric)
        buf_format(next_cell(t), "Median, %s", t->metric->title);
    if (t->compared)
        comparison_headings(t);
    bring_forward(t, answer);
    if (t->anchored)
        buf_str(next_cell(t), "Ratio to the anchor");
    t->markup->head(&out->text, t->cells, t->n);
    for (; *order >= 0; order++) {
        row(t, &out->text, *order);
        export_out_pass(out);
    }
    if (t->markup->foot)
        t->markup->foot(&out->text);
}

/* -1: it is compared with none that stands above it. */
static int place_below(const struct record *r, int subject)
{
    const struct comparison *c = results_comparison(r, subject);
    const int reference = c ? c->reference : -1;
    return reference >= 0 && reference != subject && subject_measured(&r->subjects[reference]) &&
                   !results_comparison(r, reference)
               ? reference
               : -1;
}

/* Each reference with what is compared with it below it. NULL: no memory. */
static const int *in_pairs(const struct record *r, const int *order, struct arena *a)
{
    int *below = arena_array(a, (size_t)r->n_subjects + 1, sizeof *below),
        *pairs = arena_array(a, (size_t)r->n_subjects + 1, sizeof *pairs), n = 0;
    if (!below || !pairs)
        return NULL;
    for (const int *i = order; *i >= 0; i++)
        below[*i] = place_below(r, *i);
    for (const int *i = order; *i >= 0; i++) {
        if (below[*i] >= 0)
            continue;
        pairs[n++] = *i;
        for (const int *k = order; *k >= 0; k++)
            if (below[*k] == *i)
                pairs[n++] = *k;
    }
    pairs[n] = -1;
    return pairs;
}

enum tare_status markup_write(const struct markup *m, const struct record *r, const struct export_options *o,
                              const struct sink *sink, struct tare_err *err)
{
    struct arena arena = {0};
    const int *order = o->order ? o->order : results_order(r, o->sort_by_mean, &arena);
    if (order && m->answer_first && !o->sort_by_mean && !o->order)
        order = in_pairs(r, order, &arena);
    if (!order)
        return err_no_memory(err);
    struct export_out out;
    export_out_begin(&out, sink, err);
    struct table t = {.markup = m, .r = r, .unit = time_unit(r, o->time_unit), .own_units = !o->time_unit && wants_own_units(r)};
    if (r->rule.metric && strcmp(r->rule.metric, results_time(r)) != 0)
        t.metric = record_metric(r, r->rule.metric);
    for (int i = 0; i < MARKUP_COLUMNS_MAX; i++)
        t.cells[i] = BUF_INIT(16 << 20);
    for (int i = 0; i < r->n_subjects; i++)
        t.unpaired = t.unpaired || (results_comparison(r, i) && results_comparison(r, i)->reference_rounds);
    t.compared = results_compared_by(r);
    t.anchored = record_anchors(t.r) > 0;
    whole_table(&t, &out, order);
    for (int i = 0; i < MARKUP_COLUMNS_MAX; i++) {
        if (t.cells[i].status && !out.text.status)
            out.text.status = t.cells[i].status;
        buf_finish(&t.cells[i]);
    }
    arena_finish(&arena);
    return export_out_end(&out);
}
