/* SPDX-License-Identifier: MIT
 *
 * Benchmarks: a line each, and below the table what is to be known of some of them.
 *
 *     benchmark          ns per iteration  95 % interval     core cycles  processes  against [95 %]       verdict
 *     chain_15 (./old)          4.890 ns   [4.877, 4.905]          15.1         33
 *     chain_15 (./new)          4.123 ns   [4.110, 4.135]          12.7         33   0.843 x [0.84, 0.85]  FASTER
 *       in two modes: 4.12 ns (31 of 33 processes), 8.2 ns (2, 6 % [1, 20])
 */
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <string.h>

static const struct estimate *of(const struct page *p, int subject, const char *metric, const char *statistic)
{
    return page_estimate(p, subject, metric, statistic);
}

static double point(const struct page *p, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = of(p, subject, metric, statistic);
    return e ? e->point : NAN;
}

static const char *central(const struct page *p)
{
    return p->r->rule.method == METHOD_GEORGES ? "mean" : "median";
}

/* A benchmark may take nanoseconds and the next one seconds: each has the unit that fits it. */
static struct unit own_unit(const struct page *p, const char *metric, double value)
{
    const char *base = base_unit(p->r, metric);
    struct unit u;
    if (p->o->time_unit && !strcmp(base, "ns") && unit_named("ns", p->o->time_unit, &u))
        return u;
    return unit_for(base, fabs(value));
}

static void put_own(struct page *p, const char *metric, double value)
{
    struct unit u = own_unit(p, metric, value);
    put_number(p, value / u.factor, significant_decimals(value / u.factor, 3));
    put_unit(p, u);
}

/* ---- the table ---- */

static bool below_resolution(const struct page *p, int subject)
{
    double resolution = point(p, subject, "ns", "resolution"), typical = point(p, subject, "ns", central(p));
    return !strcmp(p->r->rule.metric, "ns") && typical < resolution;
}

static void value_cells(struct page *p, struct table *t, int subject)
{
    const char *metric = p->r->rule.metric;
    const struct estimate *e = of(p, subject, metric, central(p));
    struct unit u = e ? own_unit(p, metric, e->point) : (struct unit){"", 1};
    if (e && below_resolution(p, subject)) {
        buf_str(&p->piece, "< ");
        put_own(p, metric, point(p, subject, "ns", "resolution"));
    } else if (e && !isnan(e->point)) {
        put_number(p, e->point / u.factor, estimate_decimals(e, u));
        put_unit(p, u);
    }
    table_cell(p, t);
    if (has_interval(e))
        put_interval(p, e->low / u.factor, e->high / u.factor, estimate_decimals(e, u));
    table_cell(p, t);
}

/* With --on-dirty=drop: the median of the undisturbed processes, that of all where none was. */
static void clean_cell(struct page *p, struct table *t, int subject)
{
    const struct estimate *e = of(p, subject, p->r->rule.metric, "clean_median");
    if (!e)
        e = of(p, subject, p->r->rule.metric, "median");
    if (e && !isnan(e->point)) {
        struct unit u = own_unit(p, p->r->rule.metric, e->point);
        put_number(p, e->point / u.factor, estimate_decimals(e, u));
        put_unit(p, u);
    }
    table_cell(p, t);
}

static void cycles_cell(struct page *p, struct table *t, int subject)
{
    const struct estimate *e = of(p, subject, "cycles", central(p));
    if (e && !isnan(e->point))
        put_number(p, e->point, estimate_decimals(e, (struct unit){"", 1}));
    table_cell(p, t);
}

/* Items or bytes in a second, where the benchmark says how many an iteration has. */
static void rate_cell(struct page *p, struct table *t, int subject)
{
    double items = point(p, subject, "ns", "items"), bytes = point(p, subject, "ns", "bytes"),
           ns = point(p, subject, "ns", central(p));
    bool of_bytes = !isnan(bytes);
    double rate = (of_bytes ? bytes : items) / ns * 1e9;
    if (isfinite(rate) && ns > 0) {
        struct unit u = unit_for(of_bytes ? "bytes" : "1", rate);
        put_number(p, rate / u.factor, significant_decimals(rate / u.factor, 3));
        put_unit(p, u);
        buf_str(&p->piece, "/s");
    }
    table_cell(p, t);
}

static void processes_cell(struct page *p, struct table *t, int subject)
{
    buf_format(&p->piece, "%d", p->r->series[subject].main.n);
    table_cell(p, t);
}

/* Of the published rule: the width of the mean's interval, which it stops by, the standard deviation of the processes, and how it ended. */
static void georges_cells(struct page *p, struct table *t, int subject)
{
    const char *metric = p->r->rule.metric;
    const struct estimate *mean = of(p, subject, metric, "mean"), *sd = of(p, subject, metric, "stddev");
    if (has_interval(mean)) {
        double width = 100 * (mean->high - mean->low) / fabs(mean->point);
        put_number(p, width, significant_decimals(width, 2));
        buf_str(&p->piece, " %");
    }
    table_cell(p, t);
    if (sd && !isnan(sd->point)) {
        struct unit u = own_unit(p, metric, sd->point);
        put_number(p, sd->point / u.factor, significant_decimals(sd->point / u.factor, 2));
        put_unit(p, u);
    }
    table_cell(p, t);
    processes_cell(p, t, subject);
    if (mean && mean->n > 1)
        buf_format(&p->piece, mean->n < p->r->rule.georges_runs ? "stopped early" : "reached %d", p->r->rule.georges_runs);
    table_cell(p, t);
}

static bool of_georges(const struct page *p)
{
    return p->r->rule.method == METHOD_GEORGES;
}

static void comparison_cells(struct page *p, struct table *t, int subject)
{
    const struct comparison *c = record_comparison(p->r, subject, p->r->rule.metric);
    effect_cell(p, t, c);
    if (c)
        put_verdict(p, c);
    else if (p->r->subjects[subject].failure)
        buf_str(&p->piece, subject_given_up(&p->r->subjects[subject]));
    table_cell(p, t);
}

struct shape {
    bool compared, failed, cycles, rate;
    int name_columns;
};

static struct shape shape_of(const struct page *p)
{
    struct shape s = {.compared = p->r->n_comparisons > 0};
    bool by_cycles = !strcmp(p->r->rule.metric, "cycles"), time = by_cycles || !strcmp(p->r->rule.metric, "ns");
    for (int i = 0; i < p->r->n_subjects; i++) {
        s.failed = s.failed || p->r->subjects[i].failure;
        s.cycles = s.cycles || (time && !by_cycles && !isnan(point(p, i, "cycles", central(p))));
        s.rate = s.rate || (time && (!isnan(point(p, i, "ns", "items")) || !isnan(point(p, i, "ns", "bytes"))));
    }
    s.name_columns = p->o->width <= 0 ? 60 : p->o->width * 2 / 5;
    return s;
}

static void row(struct page *p, struct table *t, const struct shape *s, int subject)
{
    quote_cut(&p->piece, p->r->subjects[subject].name, s->name_columns, p->o->unicode);
    table_cell(p, t);
    value_cells(p, t, subject);
    if (p->r->rule.on_dirty == DIRTY_DROP)
        clean_cell(p, t, subject);
    if (s->cycles)
        cycles_cell(p, t, subject);
    if (s->rate)
        rate_cell(p, t, subject);
    (of_georges(p) ? georges_cells : processes_cell)(p, t, subject);
    if (s->compared || s->failed)
        comparison_cells(p, t, subject);
}

static int fill_columns(struct page *p, struct table *t, const struct shape *s, struct table_column *c)
{
    int n = 0;
    put_title(p, p->r->rule.metric, 25);
    const char *value = table_text(p, t);
    put_percent(p, p->r->rule.confidence);
    buf_str(&p->piece, " interval");
    const char *interval = table_text(p, t);
    buf_str(&p->piece, "against reference [");
    put_percent(p, p->r->rule.confidence);
    buf_char(&p->piece, ']');
    const char *against = table_text(p, t);
    c[n++] = (struct table_column){"benchmark", SIDE_LEFT, 0};
    c[n++] = (struct table_column){value, SIDE_RIGHT, 0};
    c[n++] = (struct table_column){interval, SIDE_LEFT, 4};
    if (p->r->rule.on_dirty == DIRTY_DROP)
        c[n++] = (struct table_column){"undisturbed", SIDE_RIGHT, 4};
    if (s->cycles)
        c[n++] = (struct table_column){"core cycles", SIDE_POINT, 3};
    if (s->rate)
        c[n++] = (struct table_column){"rate", SIDE_RIGHT, 2};
    if (of_georges(p)) {
        c[n++] = (struct table_column){"width", SIDE_RIGHT, 2};
        c[n++] = (struct table_column){"sd", SIDE_RIGHT, 2};
    }
    c[n++] = (struct table_column){"processes", SIDE_RIGHT, 1};
    if (of_georges(p))
        c[n++] = (struct table_column){"", SIDE_LEFT, 3};
    if (s->compared || s->failed) {
        c[n++] = (struct table_column){s->compared ? against : "", SIDE_POINT, 5};
        c[n++] = (struct table_column){s->compared ? "verdict" : "", SIDE_LEFT, 0};
    }
    return n;
}

/* ---- what is to be known of one ---- */

static void begin_note(struct page *p, int subject)
{
    flow_begin(p, 2, 4);
    put_name(p, subject, name_columns(p, 1));
    buf_str(&p->piece, ": ");
}

static void end_note(struct page *p)
{
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

static void render_failure(struct page *p, int subject)
{
    const char *failure = p->r->subjects[subject].failure;
    if (!failure)
        return;
    begin_note(p, subject);
    buf_str(&p->piece, strcmp(subject_given_up(&p->r->subjects[subject]), "failed") ? "" : "given up: ");
    put_text(p, failure);
    end_note(p);
}

static void render_label(struct page *p, int subject)
{
    if (!p->r->subjects[subject].label)
        return;
    begin_note(p, subject);
    put_text(p, p->r->subjects[subject].label);
    end_note(p);
}

static void render_remark(struct page *p, int subject)
{
    if (!p->r->subjects[subject].remark)
        return;
    begin_note(p, subject);
    put_text(p, p->r->subjects[subject].remark);
    end_note(p);
}

static void put_count_name(struct page *p, const struct count *c)
{
    put_text(p, !strcmp(c->name, COUNT_ALLOCATIONS) ? "allocations" : !strcmp(c->name, COUNT_ALLOCATED) ? "allocated" : c->name);
    buf_char(&p->piece, ' ');
}

/* "swaps 1.2 ns each", "hits 0.25 iterations each" */
static void put_inverted_count(struct page *p, const struct count *c, double value)
{
    put_count_name(p, c);
    if (c->per == COUNT_PER_SECOND) {
        put_own(p, "ns", value);
        buf_str(&p->piece, " each");
        return;
    }
    put_number(p, value, significant_decimals(value, 4));
    buf_str(&p->piece, c->per == COUNT_PER_ITERATION ? " iterations each" : " for one in all");
}

/* "12 hits", "1.2 GB/s"; a unit that scales does, a word of the program's own does not. */
static void put_count(struct page *p, const struct count *c, double value)
{
    bool scales = !strcmp(c->unit, "ns") || !strcmp(c->unit, "bytes") || !strcmp(c->unit, "Hz");
    struct unit u = scales ? unit_for(c->unit, fabs(value)) : (struct unit){"", 1};
    put_count_name(p, c);
    put_number(p, value / u.factor, significant_decimals(value / u.factor, 4));
    if (scales)
        put_unit(p, u);
    else if (*c->unit) {
        buf_char(&p->piece, ' ');
        put_text(p, c->unit);
    }
    buf_str(&p->piece, c->per == COUNT_PER_SECOND ? "/s" : c->per == COUNT_PER_ITERATION ? " per iteration" : " in all");
}

static void render_counts(struct page *p, int subject)
{
    const struct series *s = &p->r->series[subject];
    bool begun = false;
    for (int i = 0; i < s->n_counts; i++) {
        struct buf name = BUF_INIT(1 << 13);
        buf_format(&name, "count:%s", s->counts[i].name);
        const struct estimate *e = of(p, subject, "ns", buf_text(&name));
        buf_finish(&name);
        if (!e)
            continue;
        if (!begun)
            begin_note(p, subject);
        else
            buf_str(&p->piece, ", ");
        begun = true;
        if (s->counts[i].inverted)
            put_inverted_count(p, &s->counts[i], e->point);
        else
            put_count(p, &s->counts[i], e->point);
    }
    if (begun)
        end_note(p);
}

static const struct estimate *mode_estimate(const struct page *p, int subject, int number, const char *more)
{
    char name[32];
    struct buf b = buf_over(name, sizeof name);
    buf_format(&b, "mode_%d%s", number, more);
    return of(p, subject, "ns", name);
}

static void put_mode(struct page *p, int subject, int number, const struct estimate *mode)
{
    const struct estimate *share = mode_estimate(p, subject, number, "_share");
    buf_str(&p->piece, number > 1 ? "; " : "");
    put_own(p, "ns", mode->point);
    buf_format(&p->piece, " in %d of %d processes", mode->n, share ? share->n : 0);
    if (share && share->point < 0.2) {
        const struct estimate *seen = mode_estimate(p, subject, number, "_seen");
        buf_str(&p->piece, " (");
        put_percent(p, rint(share->low * 1000) / 1000);
        buf_str(&p->piece, " to ");
        put_percent(p, rint(share->high * 1000) / 1000);
        buf_str(&p->piece, " of all");
        if (seen) {
            buf_str(&p->piece, "; as many processes show one so rare in ");
            put_percent(p, rint(seen->point * 100) / 100);
            buf_str(&p->piece, " of sessions");
        }
        buf_char(&p->piece, ')');
    }
}

static void render_modes(struct page *p, int subject)
{
    const struct estimate *mode;
    if (!mode_estimate(p, subject, 1, ""))
        return;
    begin_note(p, subject);
    buf_str(&p->piece, "its processes fall into modes: ");
    for (int i = 1; (mode = mode_estimate(p, subject, i, "")); i++)
        put_mode(p, subject, i, mode);
    end_note(p);
}

static const struct {
    const char *statistic, *words;
} steady_words[] = {{"steady_flat", "flat"},
                    {"steady_warm_up", "warmed up first"},
                    {"steady_slow_down", "slowed down"},
                    {"steady_none", "reached no steady state"},
                    {"steady_unknown", "had too few samples to tell"}};
enum { STEADY_WORDS = sizeof steady_words / sizeof *steady_words };

/* Said where the processes disagree or did not settle; with -v always. */
static bool worth_saying(const struct page *p, int subject)
{
    double slow = point(p, subject, "ns", "steady_slow_down"), none = point(p, subject, "ns", "steady_none");
    const struct estimate *any = NULL;
    for (int i = 0; i < STEADY_WORDS && !any; i++)
        any = of(p, subject, "ns", steady_words[i].statistic);
    return any && (p->o->verbosity > 0 || slow > 0.1 * any->n || none > 0.1 * any->n);
}

static void render_steady(struct page *p, int subject)
{
    if (!worth_saying(p, subject))
        return;
    begin_note(p, subject);
    const char *gap = "steady state, processes that ";
    int kinds = 0;
    for (int i = 0; i < STEADY_WORDS; i++) {
        const struct estimate *e = of(p, subject, "ns", steady_words[i].statistic);
        if (!e)
            continue;
        buf_format(&p->piece, "%s%s%s: %g of %d", gap, i ? "" : "were ", steady_words[i].words, e->point, e->n);
        gap = ", ";
        kinds++;
    }
    double onset = point(p, subject, "ns", "onset");
    if (onset > 0)
        buf_format(&p->piece, "; steady after %.0f iterations (median)", onset);
    if (kinds > 1)
        buf_str(&p->piece, "; they are inconsistent");
    end_note(p);
}

static void render_levels(struct page *p, int subject)
{
    double within = point(p, subject, "ns", "within_sd"), between = point(p, subject, "ns", "between_sd"),
           best = point(p, subject, "ns", "samples_best"), samples = point(p, subject, "ns", "samples");
    if (p->o->verbosity < 1 || isnan(within))
        return;
    begin_note(p, subject);
    buf_str(&p->piece, "standard deviation within a process ");
    put_own(p, "ns", within);
    buf_str(&p->piece, ", between processes ");
    put_own(p, "ns", between);
    if (!isnan(best))
        buf_format(&p->piece, "; %.0f samples a process cost least for the same error, there were %.0f (--samples)", best,
                   samples);
    else
        buf_str(&p->piece, "; processes do not differ beyond that: longer ones do as well as more of them");
    end_note(p);
}

static const double SHOWN_BIAS = 0.001;

static void render_core(struct page *p, int subject)
{
    const struct estimate *e = of(p, subject, "cycles", "frequency_exponent");
    double hz = point(p, subject, "cycles", "core_hz");
    if (p->o->verbosity < 1 || isnan(hz))
        return;
    begin_note(p, subject);
    buf_str(&p->piece, "core at ");
    put_number(p, hz / 1e9, 2);
    buf_str(&p->piece, " GHz by the reference chains; ");
    if (e) {
        buf_str(&p->piece, "its time follows the frequency with the exponent ");
        put_number(p, e->point, 2);
        buf_char(&p->piece, ' ');
        put_interval(p, e->low, e->high, 2);
    } else {
        buf_str(&p->piece, "how its time follows the frequency could not be told: cycles scatter as times do");
    }
    const struct estimate *bias = of(p, subject, "cycles", "control_bias");
    if (bias && bias->point >= SHOWN_BIAS) {
        buf_str(&p->piece, "; up to ");
        put_number(p, bias->point * 100, 1);
        buf_str(&p->piece, " % of its cycles may be what disturbs samples and not chains");
    }
    end_note(p);
}

static void render_resolution(struct page *p, int subject)
{
    if (!below_resolution(p, subject))
        return;
    begin_note(p, subject);
    buf_str(&p->piece, "below resolution: what was measured is no more than what the clock cannot tell from nothing");
    end_note(p);
}

static void render_disturbed_samples(struct page *p, int subject)
{
    const struct estimate *e = of(p, subject, "ns", "disturbed_samples");
    if (!e || !(e->point > (p->o->verbosity > 0 ? 0 : 0.1 * e->n)))
        return;
    begin_note(p, subject);
    buf_format(&p->piece, "%g of %d samples were disturbed from outside; they count", e->point, e->n);
    end_note(p);
}

static void render_notes(struct page *p, int subject)
{
    render_failure(p, subject);
    render_label(p, subject);
    render_remark(p, subject);
    render_counts(p, subject);
    render_resolution(p, subject);
    render_modes(p, subject);
    render_steady(p, subject);
    render_disturbed_samples(p, subject);
    render_levels(p, subject);
    render_core(p, subject);
}

static void render_summaries(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = of(p, i, p->r->rule.metric, "geometric_mean_ratio");
        if (!e)
            continue;
        flow_begin(p, 2, 4);
        buf_str(&p->piece, "Summary of ");
        put_text(p, p->r->subjects[i].program);
        buf_format(&p->piece, ": geometric mean of %d ratios ", e->n);
        put_number(p, e->point, 3);
        buf_str(&p->piece, "; a summary of these benchmarks, not a verdict.");
        flow_spread(p, "", HUE_DIM);
        flow_end(p);
    }
}

void render_benchmarks(struct page *p)
{
    struct shape shape = shape_of(p);
    struct table_column columns[TABLE_COLUMNS_MAX];
    struct table t;
    table_begin(&t, columns, 0);
    t.n_columns = fill_columns(p, &t, &shape, columns);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_BENCH)
            row(p, &t, &shape, i);
    table_end(p, &t, 2);
    render_summaries(p);
    for (int i = 0; i < p->r->n_subjects && p->o->verbosity >= 0; i++)
        if (p->r->subjects[i].kind == SUBJECT_BENCH)
            render_notes(p, i);
    render_open_comparisons(p);
}
