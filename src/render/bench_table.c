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

static double point(const struct page *p, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = page_estimate(p, subject, metric, statistic);
    return e ? e->point : NAN;
}

static const char *central(const struct page *p)
{
    return p->r->rule.method == METHOD_GEORGES ? "mean" : "median";
}

/* A benchmark may take nanoseconds and the next one seconds: each has the unit that fits it. */
static struct unit own_unit(const struct page *p, const char *metric, double value)
{
    return page_unit(p, base_unit(p->r, metric), value);
}

static void put_own(struct page *p, const char *metric, double value)
{
    struct unit u = own_unit(p, metric, value);
    figure_with(&p->piece, value, u, figure_digits(value / u.factor, FIGURE_DIGITS));
}

/* ---- the table ---- */

static bool below_resolution(const struct page *p, int subject)
{
    double resolution = point(p, subject, "ns", "resolution"), typical = point(p, subject, "ns", central(p));
    return !strcmp(p->r->rule.metric, "ns") && typical < resolution;
}

/* The row of all these is a subject. */
static int subject_of(const void *row)
{
    return *(const int *)row;
}

static const struct estimate *typical(const struct page *p, const void *row)
{
    return page_estimate(p, subject_of(row), p->r->rule.metric, central(p));
}

static void put_with_unit(struct page *p, const struct estimate *e)
{
    if (!is_known(e))
        return;
    struct unit u = own_unit(p, p->r->rule.metric, e->point);
    put_point(p, e, u);
    unit_put(&p->piece, u);
}

static void name_cell(struct page *p, const void *row)
{
    quote_cut(&p->piece, p->r->subjects[subject_of(row)].name, p->o->width <= 0 ? 60 : p->o->width * 2 / 5, p->o->unicode);
}

static void value_cell(struct page *p, const void *row)
{
    const struct estimate *e = typical(p, row);
    if (e && below_resolution(p, subject_of(row))) {
        buf_str(&p->piece, "< ");
        put_own(p, p->r->rule.metric, point(p, subject_of(row), "ns", "resolution"));
    } else {
        put_with_unit(p, e);
    }
}

static void interval_cell(struct page *p, const void *row)
{
    const struct estimate *e = typical(p, row);
    if (e)
        put_ends(p, e, own_unit(p, p->r->rule.metric, e->point));
}

/* With --on-dirty=drop: the median of the undisturbed processes, that of all where none was. */
static void clean_cell(struct page *p, const void *row)
{
    const struct estimate *e = page_estimate(p, subject_of(row), p->r->rule.metric, "clean_median");
    put_with_unit(p, e ? e : page_estimate(p, subject_of(row), p->r->rule.metric, "median"));
}

static void cycles_cell(struct page *p, const void *row)
{
    put_point(p, page_estimate(p, subject_of(row), "cycles", central(p)), unit_one);
}

/* Items or bytes in a second, where the benchmark says how many an iteration has. */
static void rate_cell(struct page *p, const void *row)
{
    double items = point(p, subject_of(row), "ns", "items"), bytes = point(p, subject_of(row), "ns", "bytes"),
           ns = point(p, subject_of(row), "ns", central(p));
    double rate = (isnan(bytes) ? items : bytes) / ns * 1e9;
    if (isfinite(rate) && ns > 0)
        figure_scaled(&p->piece, isnan(bytes) ? "1/s" : "bytes/s", rate, FIGURE_DIGITS);
}

static void processes_cell(struct page *p, const void *row)
{
    buf_format(&p->piece, "%d", p->r->series[subject_of(row)].main.n);
}

/* Of the published rule: the width of the mean's interval, which it stops by, the standard deviation of the processes, and how it ended. */
static void width_cell(struct page *p, const void *row)
{
    const struct estimate *mean = page_estimate(p, subject_of(row), p->r->rule.metric, "mean");
    if (has_interval(mean))
        figure_share(&p->piece, (mean->high - mean->low) / fabs(mean->point));
}

static void sd_cell(struct page *p, const void *row)
{
    const struct estimate *sd = page_estimate(p, subject_of(row), p->r->rule.metric, "stddev");
    if (!is_known(sd))
        return;
    struct unit u = own_unit(p, p->r->rule.metric, sd->point);
    figure_with(&p->piece, sd->point, u, figure_digits(sd->point / u.factor, 2));
}

static void end_cell(struct page *p, const void *row)
{
    const struct estimate *mean = page_estimate(p, subject_of(row), p->r->rule.metric, "mean");
    if (mean && mean->n > 1)
        buf_format(&p->piece, mean->n < p->r->rule.georges_runs ? "stopped early" : "reached %d", p->r->rule.georges_runs);
}

static void ratio_cell(struct page *p, const void *row)
{
    effect_cell(p, record_comparison(p->r, subject_of(row), p->r->rule.metric));
}

static void word_cell(struct page *p, const void *row)
{
    const struct comparison *compared = record_comparison(p->r, subject_of(row), p->r->rule.metric);
    if (compared)
        verdict_cell(p, compared);
    else if (p->r->subjects[subject_of(row)].failure)
        buf_str(&p->piece, subject_given_up(&p->r->subjects[subject_of(row)]));
}

struct shape {
    bool compared, failed, cycles, rate;
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
    return s;
}

static void add_columns(struct page *p, struct table *t)
{
    const struct shape s = shape_of(p);
    const bool georges = p->r->rule.method == METHOD_GEORGES;
    table_column(t, (struct table_column){"benchmark", SIDE_LEFT, 0, name_cell});
    put_title(p, p->r->rule.metric, 25);
    table_column(t, (struct table_column){table_text(p, t), SIDE_RIGHT, 0, value_cell});
    figure_level(&p->piece, p->r->rule.confidence);
    buf_str(&p->piece, " interval");
    table_column(t, (struct table_column){table_text(p, t), SIDE_LEFT, 4, interval_cell});
    if (p->r->rule.on_dirty == DIRTY_DROP)
        table_column(t, (struct table_column){"undisturbed", SIDE_RIGHT, 4, clean_cell});
    if (s.cycles)
        table_column(t, (struct table_column){"core cycles", SIDE_POINT, 3, cycles_cell});
    if (s.rate)
        table_column(t, (struct table_column){"rate", SIDE_RIGHT, 2, rate_cell});
    if (georges) {
        table_column(t, (struct table_column){"width", SIDE_RIGHT, 2, width_cell});
        table_column(t, (struct table_column){"sd", SIDE_RIGHT, 2, sd_cell});
    }
    table_column(t, (struct table_column){"processes", SIDE_RIGHT, 1, processes_cell});
    if (georges)
        table_column(t, (struct table_column){"", SIDE_LEFT, 3, end_cell});
    if (s.compared) {
        buf_str(&p->piece, "against reference [");
        figure_level(&p->piece, p->r->rule.confidence);
        buf_char(&p->piece, ']');
    }
    if (s.compared || s.failed) {
        table_column(t, (struct table_column){table_text(p, t), SIDE_LEFT, 5, ratio_cell});
        table_column(t, (struct table_column){s.compared ? "verdict" : "", SIDE_LEFT, 0, word_cell});
    }
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

static void render_note(struct page *p, int subject, const char *before, const char *text)
{
    if (!text)
        return;
    begin_note(p, subject);
    buf_str(&p->piece, before);
    put_text(p, text);
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
    figure_count(&p->piece, value);
    buf_str(&p->piece, c->per == COUNT_PER_ITERATION ? " iterations each" : " for one in all");
}

/* "12 hits", "1.2 GB/s"; a unit that scales does, a word of the program's own does not. */
static void put_count(struct page *p, const struct count *c, double value)
{
    bool scales = !strcmp(c->unit, "ns") || !strcmp(c->unit, "bytes") || !strcmp(c->unit, "Hz");
    put_count_name(p, c);
    if (scales)
        figure_scaled(&p->piece, c->unit, value, FIGURE_DIGITS);
    else
        figure_count(&p->piece, value);
    if (!scales && *c->unit) {
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
        const struct estimate *e = page_estimate(p, subject, "ns", buf_text(&name));
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
    return page_estimate(p, subject, "ns", name);
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
        figure_share(&p->piece, share->low);
        buf_str(&p->piece, " to ");
        figure_share(&p->piece, share->high);
        buf_str(&p->piece, " of all");
        if (seen) {
            buf_str(&p->piece, "; as many processes show one so rare in ");
            figure_share(&p->piece, seen->point);
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
        any = page_estimate(p, subject, "ns", steady_words[i].statistic);
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
        const struct estimate *e = page_estimate(p, subject, "ns", steady_words[i].statistic);
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
    const struct estimate *e = page_estimate(p, subject, "cycles", "frequency_exponent");
    double hz = point(p, subject, "cycles", "core_hz");
    if (p->o->verbosity < 1 || isnan(hz))
        return;
    begin_note(p, subject);
    buf_str(&p->piece, "core at ");
    figure_scaled(&p->piece, "Hz", hz, FIGURE_DIGITS);
    buf_str(&p->piece, " by the reference chains; ");
    if (e) {
        buf_str(&p->piece, "its time follows the frequency with the exponent ");
        put_bare(p, e, unit_one);
        buf_str(&p->piece, e->reason ? ", not used: " : "");
        put_text(p, e->reason);
    } else {
        buf_str(&p->piece, "how its time follows the frequency could not be told: cycles scatter as times do");
    }
    const struct estimate *bias = page_estimate(p, subject, "cycles", "control_bias");
    if (bias && bias->point >= SHOWN_BIAS) {
        buf_str(&p->piece, "; up to ");
        figure_share(&p->piece, bias->point);
        buf_str(&p->piece, " of its cycles may be what disturbs samples and not chains");
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
    const struct estimate *e = page_estimate(p, subject, "ns", "disturbed_samples");
    if (!e || !(e->point > (p->o->verbosity > 0 ? 0 : 0.1 * e->n)))
        return;
    begin_note(p, subject);
    buf_format(&p->piece, "%g of %d samples were disturbed from outside; they count", e->point, e->n);
    end_note(p);
}

static void render_notes(struct page *p, int subject)
{
    const struct subject *s = &p->r->subjects[subject];
    render_note(p, subject, s->failure && !strcmp(subject_given_up(s), "failed") ? "given up: " : "", s->failure);
    render_note(p, subject, "", s->label);
    render_note(p, subject, "", s->remark);
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
        const struct estimate *e = page_estimate(p, i, p->r->rule.metric, "geometric_mean_ratio");
        if (!e)
            continue;
        buf_str(&p->piece, "Summary of ");
        put_text(p, p->r->subjects[i].program);
        buf_format(&p->piece, ": geometric mean of %d ratios ", e->n);
        figure_put(&p->piece, e->point, 3);
        buf_str(&p->piece, "; a summary of these benchmarks, not a verdict.");
        flow_line(p, 2, HUE_DIM);
    }
}

void render_benchmarks(struct page *p)
{
    struct table t;
    table_begin(&t, NULL, 0);
    add_columns(p, &t);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_BENCH)
            table_row(p, &t, &i);
    table_end(p, &t, 2);
    render_summaries(p);
    for (int i = 0; i < p->r->n_subjects && p->o->verbosity >= 0; i++)
        if (p->r->subjects[i].kind == SUBJECT_BENCH)
            render_notes(p, i);
    render_open_comparisons(p);
}
