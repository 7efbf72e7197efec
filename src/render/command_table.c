/* SPDX-License-Identifier: MIT
 *
 * The answer of tare run and tare compare: a line for each command, with the verdict in its last columns.
 *
 *     command         median   95 % CI        min   memory   vs gzip -6 -c f
 *     zstd -3 -c f    154 ms   131–178        124    28 MB   11.2× faster (9.6–12.9)
 *     gzip -6 -c f   1.73 s    1.60–1.88     1.51   1.9 MB   reference
 *
 * Of two stored sessions a line for each pair:
 *
 *     command       old       new   change (95 % CI)
 *     prog      9.99 ms   11.0 ms   1.10× slower (1.09–1.11)
 */
#include "layout.h"
#include "plots.h"
#include "quote.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Command 1: grep -c foo big.txt
 *       median 12.30 ms (12.21–12.38)  mean 12.34, sd 0.37  95 %, 64 runs, effective sample size 51
 *       min 11.91  max 14.20  CPU 12.2 ms (user 11.0, system 1.2)  peak memory 3.1 MB
 *
 * The first line is what is claimed, the second what was seen; how intervals are made is said in the head of the page.
 */

static const char between[] = "  ";

static void put_unmeasurable(struct page *p, const char *metric, const char *reason)
{
    put_title(p, metric, 0);
    buf_str(&p->piece, reason ? ": " : " not measurable");
    put_text(p, reason);
    flow_spread(p, between, HUE_PLAIN);
}

static int flagged(const struct rows *rows, uint32_t bit)
{
    int n = 0;
    for (int i = 0; i < rows->n; i++)
        n += (rows->flags[i] & bit) != 0;
    return n;
}

static void put_runs(struct page *p, int subject, const struct estimate *e)
{
    const struct rows *rows = &p->r->series[subject].main;
    const struct estimate *mean = record_estimate(p->r, subject, e->metric, "mean");
    if (has_interval(e) || has_interval(mean))
        buf_format(&p->piece, "%s, ", figure_text(figure_level, has_interval(e) ? e->confidence : mean->confidence).at);
    int made = rows->n > e->n ? rows->n : e->n;
    buf_format(&p->piece, "%d", e->n);
    if (made > e->n) /* the head says what the others are for */
        buf_format(&p->piece, " of %d", made);
    buf_format(&p->piece, " run%s", buf_plural(made));
    if (isfinite(e->n_effective))
        buf_format(&p->piece, ", effective sample size %.0f", e->n_effective);
    int failed = flagged(rows, ROW_FAILED), late = flagged(rows, ROW_TIMED_OUT);
    if (failed)
        buf_format(&p->piece, ", %d failed", failed);
    if (late)
        buf_format(&p->piece, ", %d timed out", late);
    flow_put(p, between);
}

static void put_spread(struct page *p, int subject, struct unit u)
{
    const struct estimate *e = record_estimate(p->r, subject, p->r->rule.metric, "stddev");
    if (!is_known(e) || e->n < 2)
        return;
    buf_str(&p->piece, ", sd ");
    figure_put(&p->piece, e->point / u.factor, figure_digits(e->point / u.factor, 2));
}

static void put_leading(struct page *p, const struct estimate *e, struct unit u)
{
    buf_format(&p->piece, "%s ", e->statistic);
    put_estimate(p, e, u);
    flow_put(p, between);
    if (has_interval(e))
        return;
    buf_str(&p->piece, e->reason ? "no interval: " : "no interval");
    put_text(p, e->reason);
    flow_spread(p, between, HUE_PLAIN);
}

/* The published rule leads with the mean and the width of its interval, and stops by that width. */
static void put_georges_claim(struct page *p, int subject, const struct estimate *mean, struct unit u)
{
    const struct rule *rule = &p->r->rule;
    const struct estimate *sd = record_estimate(p->r, subject, rule->metric, "stddev");
    put_leading(p, mean, u);
    if (has_interval(mean)) {
        buf_format(&p->piece, "width %s", figure_text(figure_share, (mean->high - mean->low) / fabs(mean->point)).at);
        flow_put(p, between);
    }
    if (is_known(sd)) {
        buf_str(&p->piece, "sd ");
        figure_with(&p->piece, sd->point, u, figure_digits(sd->point / u.factor, 2));
        flow_put(p, between);
    }
    put_runs(p, subject, mean);
    if (mean->n > 1) {
        put_georges_end(&p->piece, rule, mean);
        flow_put(p, ", ");
    }
}

static void put_claim(struct page *p, int subject, const struct estimate *median, const struct estimate *mean)
{
    struct unit u = metric_unit(p, p->r->rule.metric);
    const struct estimate *lead = is_known(median) ? median : mean;
    if (lead->n == 1) {
        put_estimate(p, lead, u);
        flow_put(p, between);
        buf_str(&p->piece, "a single run: no interval, no spread");
        flow_spread(p, between, HUE_PLAIN);
    } else if (p->r->rule.method == METHOD_GEORGES && is_known(mean)) {
        put_georges_claim(p, subject, mean, u);
    } else {
        if (is_known(median))
            put_leading(p, median, u);
        if (is_known(mean)) {
            buf_str(&p->piece, "mean ");
            put_point(p, mean, u);
            put_spread(p, subject, u);
            flow_put(p, between);
        }
        put_runs(p, subject, lead);
    }
}

/* the verdicts are of it */
static bool metric_decides(const struct page *p, const char *metric)
{
    return !strcmp(p->r->rule.metric, metric);
}

/* False when there is nothing more to tell about the command. */
static bool render_claim(struct page *p, int subject)
{
    const char *metric = p->r->rule.metric;
    const struct estimate *median = record_estimate(p->r, subject, metric, "median"),
                          *mean = record_estimate(p->r, subject, metric, "mean");
    bool some = is_known(median) || is_known(mean);
    flow_begin(p, 2, 4);
    if (!metric_decides(p, "wall") && some) {
        put_title(p, metric, 0);
        buf_char(&p->piece, ':');
        flow_put(p, "");
    }
    if (some)
        put_claim(p, subject, median, mean);
    else
        put_unmeasurable(p, metric, median ? median->reason : why_no_value(p, NULL, subject, metric));
    flow_end(p);
    return some;
}

static void put_extreme(struct page *p, int subject, const char *statistic, struct unit u, int decimals)
{
    const struct estimate *e = record_estimate(p->r, subject, p->r->rule.metric, statistic);
    if (!is_known(e) || e->n < 2)
        return;
    buf_format(&p->piece, "%s ", statistic);
    figure_put(&p->piece, e->point / u.factor, decimals);
    flow_put(p, between);
}

static void put_cpu_parts(struct page *p, int subject, struct unit u, int decimals)
{
    const struct estimate *user = record_estimate(p->r, subject, "user", "median");
    const struct estimate *sys = record_estimate(p->r, subject, "sys", "median");
    if (!is_known(user) || !is_known(sys))
        return;
    buf_str(&p->piece, " (user ");
    figure_put(&p->piece, user->point / u.factor, decimals);
    buf_str(&p->piece, ", system ");
    figure_put(&p->piece, sys->point / u.factor, decimals);
    buf_char(&p->piece, ')');
}

/* label NULL: the metric's title. */
static void put_other(struct page *p, int subject, const char *metric, const char *label)
{
    const struct estimate *e = record_estimate(p->r, subject, metric, "median");
    if (!e || metric_decides(p, metric))
        return;
    if (!is_known(e)) {
        put_unmeasurable(p, metric, e->reason);
        return;
    }
    struct unit u = metric_unit(p, metric);
    /* Three digits and never more than the interval allows: this is the small print. */
    int by_interval = estimate_decimals(e, u), three = figure_digits(e->point / u.factor, 3);
    int decimals = by_interval < three ? by_interval : three;
    if (label)
        buf_str(&p->piece, label);
    else
        put_title(p, metric, 0);
    buf_char(&p->piece, ' ');
    figure_put(&p->piece, e->point / u.factor, decimals);
    const struct metric *m = record_metric(p->r, metric);
    if (!m || strcmp(m->title, u.name) != 0) /* "B/op 8216": in Go's files the unit is the name */
        unit_put(&p->piece, u);
    if (!strcmp(metric, "cpu"))
        put_cpu_parts(p, subject, u, decimals);
    flow_put(p, between);
}

/* The kernel's figure says no more than that it is so small: what started the program is folded into it, and its counters hold
 * pages back. 0: it says more. */
static double at_most(const struct page *p, const struct estimate *e)
{
    double floor = facts_number(&p->r->before, "memory_floor_bytes"), unseen = facts_number(&p->r->before, "memory_unseen_bytes");
    return is_known(e) && e->point <= floor ? floor + (unseen > 0 ? unseen : 0) : 0;
}

/* The exact figure where there is one, else the kernel's with the reason; of all processes together only where it is known. */
static void put_memory_words(struct page *p, int subject)
{
    const struct estimate *exact = record_estimate(p->r, subject, "peak", "median"),
                          *rss = record_estimate(p->r, subject, "rss", "median"),
                          *tree = record_estimate(p->r, subject, "peak_tree", "median");
    double bound = at_most(p, rss);
    if (is_known(exact))
        put_other(p, subject, "peak", "exact peak memory");
    else if (bound > 0 && !metric_decides(p, "rss")) {
        buf_str(&p->piece, "peak memory ≤ ");
        figure_scaled(&p->piece, "bytes", bound, 2);
        buf_str(&p->piece, " (the floor)");
        flow_put(p, between);
    } else
        put_other(p, subject, "rss", "peak memory");
    if (exact && !is_known(exact))
        put_other(p, subject, "peak", NULL);
    if (is_known(tree))
        put_other(p, subject, "peak_tree", "of all its processes");
}

/* "3.1 MB", "≤ 1.5 MB": exact where it is known */
static void put_memory(struct page *p, int subject)
{
    const struct estimate *exact = record_estimate(p->r, subject, "peak", "median"),
                          *rss = record_estimate(p->r, subject, "rss", "median");
    const struct estimate *e = is_known(exact) ? exact : rss;
    const double bound = e == exact ? 0 : at_most(p, e);
    if (!is_known(e))
        return;
    buf_str(&p->piece, bound > 0 ? "≤ " : "");
    figure_scaled(&p->piece, "bytes", bound > 0 ? bound : e->point, 2 + (e == exact));
}

static bool first_run_found(const struct record *r, int subject)
{
    for (int i = 0; i < r->n_findings; i++)
        if (r->findings[i].subject == subject && !strcmp(r->findings[i].id, "first_run"))
            return true;
    return false;
}

/* "first run 38.1 ms (3.1 ×)" where the checks found that it was unlike the others. */
static void put_first_run(struct page *p, int subject)
{
    const struct series *s = &p->r->series[subject];
    const char *metric = p->r->rule.metric;
    const struct estimate *typical = record_estimate(p->r, subject, metric, "median");
    bool aside = s->warmup.n > 0;
    const struct rows *rows = aside ? &s->warmup : &s->main;
    int column = series_column(s, metric);
    double first = column >= 0 && rows->n > 0 ? rows->value[column][0] : NAN;
    if (!first_run_found(p->r, subject) || !is_known(typical) || !(first > 0) || !(typical->point > 0))
        return;
    struct unit u = metric_unit(p, metric);
    double ratio = first / typical->point;
    buf_str(&p->piece, aside ? "first run (set aside) " : "first run ");
    figure_put(&p->piece, first / u.factor, figure_digits(first / u.factor, 3));
    buf_str(&p->piece, " (");
    figure_put(&p->piece, ratio, ratio < 10);
    buf_str(&p->piece, " ×)");
    flow_put(p, between);
}

static void render_seen(struct page *p, int subject)
{
    const char *metric = p->r->rule.metric;
    const struct estimate *lead = record_estimate(p->r, subject, metric, "median");
    struct unit u = metric_unit(p, metric);
    int decimals = is_known(lead) ? estimate_decimals(lead, u) : 3;
    flow_begin(p, 2, 4);
    put_extreme(p, subject, "min", u, decimals);
    put_extreme(p, subject, "max", u, decimals);
    put_other(p, subject, "wall", "wall time");
    put_other(p, subject, "cpu", "CPU");
    put_memory_words(p, subject);
    for (int i = 0; i < p->r->n_metrics; i++) /* what is not built in is there because it was asked for */
        if (!metric_builtin_find(p->r->metrics[i].id) && !metric_followed_find(p->r->metrics[i].id))
            put_other(p, subject, p->r->metrics[i].id, NULL);
    put_first_run(p, subject);
    flow_end(p);
}

void render_command(struct page *p, int subject)
{
    flow_begin(p, 0, 4);
    if (p->r->subjects[subject].anchor)
        buf_str(&p->piece, "Anchor:");
    else
        buf_format(&p->piece, "Command %d:", command_number(p->r, subject));
    flow_put_hued(p, "", HUE_BOLD);
    quote_mask(&p->piece, p->r->subjects[subject].name, p->o->unicode);
    flow_put(p, " ");
    flow_end(p);
    if (!render_claim(p, subject))
        return;
    render_seen(p, subject);
    render_disturbed(p, subject);
    if (p->r->rule.on_dirty == DIRTY_DROP)
        render_undisturbed(p, subject, 2);
}

enum { NAME_LEAST = 10, NAME_MOST = 60, TITLE_MOST = 22, METRICS_SHOWN = 4 };

struct shape {
    int n_parameters; /* shown instead of names; 0: names are */
    int name_columns;
    bool fitted;    /* names are as short as they may be: now intervals may go */
    bool brief;     /* nor is there room for the figures of an open verdict beside its word */
    bool intervals; /* a command has one: else what was observed takes its place */
    double largest;
    const char *others[METRICS_SHOWN + 1]; /* metrics that have a column of their own */
    int n_others;
    const int *order;
    int n;
};

/* "12.3 ms (12.2–12.4)", or why there is none. */
static void put_lead(struct page *p, int subject)
{
    const struct estimate *e = lead_estimate(p, subject);
    if (!metric_decides(p, "wall")) {
        put_title(p, p->r->rule.metric, 0);
        buf_str(&p->piece, is_known(e) ? " " : ": ");
    }
    put_in_own_unit(p, e);
    if (!is_known(e))
        put_text(p, why_no_value(p, e, subject, p->r->rule.metric));
    if (!is_known(e) || !has_interval(e))
        return;
    buf_str(&p->piece, " (");
    put_column_range(p, e, e->low, e->high, estimate_unit(p, e));
    buf_char(&p->piece, ')');
}

static void other_cell(struct table *t, int subject, const char *metric)
{
    struct page *p = t->p;
    const struct estimate *e = record_estimate(p->r, subject, metric, "median");
    const struct metric *m = record_metric(p->r, metric);
    if (is_known(e) && m && !strcmp(m->title, estimate_unit(p, e).name)) /* in Go's files the unit is the name */
        figure_put(&p->piece, e->point, column_decimals(e, estimate_unit(p, e)));
    else
        put_in_own_unit(p, e);
    table_cell(t);
}

static void command_row(struct table *t, const struct shape *shape, int subject)
{
    enum { BAR_COLUMNS = 16 };
    struct page *p = t->p;
    const struct subject *s = &p->r->subjects[subject];
    const struct estimate *lead = lead_estimate(p, subject);
    for (int i = 0; i < shape->n_parameters; i++) {
        if (i < s->n_parameters)
            put_cut(p, s->parameters[i].value, shape->name_columns);
        table_cell(t);
    }
    if (!shape->n_parameters) {
        put_short_name(p, subject, shape->name_columns);
        table_cell(t);
    }
    put_in_own_unit(p, lead);
    table_format(t, "%s", p->piece.len ? "" : "–");
    put_own_range(p, lead, shape->intervals);
    table_cell(t);
    undisturbed_cell(t, subject);
    min_cell(t, subject);
    for (int i = 0; i < shape->n_others; i++)
        other_cell(t, subject, shape->others[i]);
    put_memory(p, subject);
    table_cell(t);
    subject_verdict_cells(t, subject, shape->brief);
    anchor_cell(t, subject);
    if (is_known(lead) && lead->point > 0 && shape->largest > 0)
        put_bar(p, lead->point / shape->largest * BAR_COLUMNS);
    table_cell(t);
}

/* Two that the values of their parameters do not tell apart: 'sort {n}' and 'merge {n}'. */
static bool same_values(const struct subject *a, const struct subject *b)
{
    bool same = a->n_parameters == b->n_parameters;
    for (int i = 0; same && i < a->n_parameters; i++)
        same =
            !strcmp(a->parameters[i].value, b->parameters[i].value) || strcmp(a->parameters[i].name, b->parameters[i].name) != 0;
    return same || a->n_parameters != b->n_parameters;
}

/* Commands of one scan are told by their few parameters, which then stand for their names; 0: they are not. */
static int parameters_shown(const struct record *r)
{
    enum { PARAMETERS_MAX = 4, COMMANDS_MAX = 2000 };
    int n = 0;
    if (!is_scan_of_commands(r) || command_count(r) > COMMANDS_MAX)
        return 0;
    for (int i = 0; i < r->n_subjects; i++) {
        if (!subject_measured(&r->subjects[i]))
            continue;
        n = r->subjects[i].n_parameters;
        for (int k = 0; k < i; k++)
            if (subject_measured(&r->subjects[k]) && same_values(&r->subjects[i], &r->subjects[k]))
                return 0;
    }
    return n <= PARAMETERS_MAX ? n : 0;
}

bool metric_is_asked(const char *metric)
{
    return !metric_builtin_find(metric) && strcmp(metric, "peak_tree") != 0;
}

/* The time where another metric decides, and what was asked for beside. */
static void choose_others(const struct page *p, struct shape *s)
{
    for (int i = 0; i < p->r->n_metrics && s->n_others <= METRICS_SHOWN; i++) {
        const struct metric *m = &p->r->metrics[i];
        if (!metric_decides(p, m->id) && ((metric_is_asked(m->id) && !metric_followed_find(m->id)) || !strcmp(m->id, "wall")))
            s->others[s->n_others++] = m->id;
    }
}

static struct shape shape_of(struct page *p)
{
    struct shape s = {.n_parameters = parameters_shown(p->r)};
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = subject_measured(&p->r->subjects[i]) ? lead_estimate(p, i) : NULL;
        if (is_known(e))
            s.largest = fmax(s.largest, e->point);
        s.intervals |= has_interval(e);
    }
    choose_others(p, &s);
    s.name_columns = p->o->width <= 0 ? NAME_MOST : p->o->width * 3 / 10;
    if (s.n_parameters > 1)
        s.name_columns /= s.n_parameters;
    return s;
}

static const char *parameter_title(const struct page *p, int index)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].n_parameters > index)
            return p->r->subjects[i].parameters[index].name;
    return "";
}

static const char *name_title(const struct record *r)
{
    return record_source(r) && !record_has_alternatives(r) ? "benchmark" : "command";
}

enum { WEIGHT_INTERVAL = 9, WEIGHT_LEAD };

/* What makes an answer goes last, and never where shorter names would do; a verdict never goes. */
static int late(const struct shape *shape, int weight)
{
    return shape->fitted ? weight : 0;
}

/* " (95 % CI)" behind the reference's name, if the title is then no wider than an effect below it. */
static void put_level_where_it_fits(struct page *p)
{
    enum { EFFECT_COLUMNS = 21 }; /* "-0.3 % (-0.8 to +0.2)" */
    const int name = text_columns(buf_text(&p->piece), p->piece.len), level = (int)strlen(" (95 % CI)");
    if (!comparison_has_interval(&p->r->comparisons[0]) || name + level > EFFECT_COLUMNS)
        return;
    buf_format(&p->piece, " (%s CI)", figure_text(figure_level, p->r->comparisons[0].confidence).at);
}

static void add_columns(struct page *p, struct table *t, const struct shape *shape)
{
    const bool compared = p->r->n_comparisons > 0;
    for (int i = 0; i < shape->n_parameters; i++) {
        put_cut(p, parameter_title(p, i), shape->name_columns);
        table_titled(t, SIDE_RIGHT, 0);
    }
    if (!shape->n_parameters)
        table_column(t, (struct table_column){name_title(p->r), SIDE_LEFT, 0});
    /* Of another metric than time its name; the summary says that these are medians. */
    if (metric_decides(p, "wall"))
        buf_str(&p->piece, p->r->rule.method == METHOD_GEORGES ? "mean" : "median");
    else
        put_title(p, p->r->rule.metric, 24);
    table_titled(t, SIDE_RIGHT, compared ? late(shape, WEIGHT_LEAD) : 0);
    const char *level = interval_title(t, "", "");
    table_column(t, (struct table_column){shape->intervals ? level : "range", SIDE_LEFT, late(shape, WEIGHT_INTERVAL)});
    table_column(t, (struct table_column){"undisturbed", SIDE_RIGHT, p->r->rule.on_dirty == DIRTY_DROP ? 6 : TABLE_NEVER});
    table_column(t, (struct table_column){"min", SIDE_RIGHT, shape->intervals ? 2 : TABLE_NEVER});
    for (int i = 0; i < shape->n_others; i++) {
        put_title(p, shape->others[i], 16);
        table_titled(t, SIDE_RIGHT, !strcmp(shape->others[i], "wall") ? 4 : 5);
    }
    table_column(
        t, (struct table_column){"memory", SIDE_RIGHT, metric_decides(p, "rss") || metric_decides(p, "peak") ? TABLE_NEVER : 3});
    if (compared) {
        buf_str(&p->piece, "vs ");
        put_short_name(p, p->r->rule.reference, shape->name_columns < TITLE_MOST ? shape->name_columns : TITLE_MOST);
        put_level_where_it_fits(p);
    }
    table_titled(t, SIDE_LEFT, compared ? 0 : TABLE_NEVER);
    table_column(t, (struct table_column){"", SIDE_LEFT, compared ? TABLE_KEPT : TABLE_NEVER});
    table_column(t, (struct table_column){"× anchor", SIDE_LEFT, !record_anchors(p->r) ? TABLE_NEVER : compared});
    table_column(t, (struct table_column){"", SIDE_LEFT, shape->n_parameters ? 1 : TABLE_NEVER});
}

static void fill_commands(struct page *p, struct table *t, const struct shape *shape)
{
    add_columns(p, t, shape);
    for (int i = 0; i < shape->n; i++)
        command_row(t, shape, shape->order[i]);
}

static void fill_again(struct page *p, struct table *t, const struct shape *shape,
                       void (*fill)(struct page *, struct table *, const struct shape *))
{
    table_drop(t);
    table_begin(t, p, NULL, 0);
    fill(p, t, shape);
}

/* Names get the room that the other columns leave. False: there is none for a table, and nothing was written. */
static bool render_fitted(struct page *p, struct shape *shape, void (*fill)(struct page *, struct table *, const struct shape *))
{
    struct table t;
    table_begin(&t, p, NULL, 0);
    fill(p, &t, shape);
    if (p->o->width > 0) {
        const int columns = shape->name_columns + (shape->n_parameters ? 0 : table_room(&t, 2));
        shape->name_columns = columns < NAME_LEAST ? NAME_LEAST : columns > NAME_MOST ? NAME_MOST : columns;
        shape->fitted = true;
        fill_again(p, &t, shape, fill);
        shape->brief = table_room(&t, 2) < 0;
        if (shape->brief)
            fill_again(p, &t, shape, fill);
        if (table_room(&t, 2) < 0) {
            table_drop(&t);
            return false;
        }
    }
    table_end(&t, 2);
    return true;
}

static void render_lead_line(struct page *p, int subject, int indent)
{
    const struct comparison *c = record_comparison(p->r, subject, p->r->rule.metric);
    flow_begin(p, indent, indent + 2);
    put_short_name(p, subject, name_columns(p, 1));
    buf_char(&p->piece, ':');
    flow_put(p, "");
    put_lead(p, subject);
    flow_spread(p, " ", HUE_PLAIN);
    if (c)
        put_answer(p, c);
    else
        buf_str(&p->piece, role_of(p->r, subject));
    flow_spread(p, " ", HUE_PLAIN);
    put_ratio_to_anchor(p, subject);
    buf_str(&p->piece, p->piece.len ? " × anchor" : "");
    flow_rest(p);
}

void render_lead_lines(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (subject_measured(&p->r->subjects[i]))
            render_lead_line(p, i, 0);
}

static void render_one_histogram(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = subject_measured(&p->r->subjects[i]) ? lead_estimate(p, i) : NULL;
        const double *values = is_known(e) ? series_values(&p->r->series[i], p->r->rule.metric) : NULL;
        if (values)
            plot_small_histogram(p, values, p->r->series[i].main.n, estimate_unit(p, e));
    }
}

void render_command_table(struct page *p)
{
    struct shape shape = shape_of(p);
    int n, *order = table_order(p, &n);
    shape.order = order;
    shape.n = n;
    if (!render_fitted(p, &shape, fill_commands)) /* lines that break */
        for (int i = 0; i < n; i++)
            render_lead_line(p, order[i], 2);
    if (n == 1)
        render_one_histogram(p);
    free(order);
}

/* The name without the session's, "prog (old)", which begins at the last " (": how many bytes; all of them where it has none. */
static size_t bare_length(const char *name)
{
    const char *end = NULL;
    for (const char *at = strstr(name, " ("); at; at = strstr(at + 1, " ("))
        end = at;
    return end && name[strlen(name) - 1] == ')' ? (size_t)(end - name) : strlen(name);
}

/* "prog", or "./old → ./new" where programs of two names were run with the same arguments. */
static void put_pair_name(const struct page *p, int comparison, struct buf *out)
{
    const struct comparison *c = &p->r->comparisons[comparison];
    const char *old = p->r->subjects[c->reference].name, *name = p->r->subjects[c->subject].name;
    const size_t n = bare_length(old), m = bare_length(name);
    if (n != m || memcmp(old, name, n) != 0) {
        buf_add(out, old, n);
        buf_str(out, " → ");
    }
    buf_add(out, name, m);
}

static void put_session_name(struct page *p, int subject, int columns)
{
    const char *name = p->r->subjects[subject].name, *from = name + bare_length(name);
    if (*from)
        put_name_part(p, from + 2, strlen(from) - 3, columns);
}

static void pair_row(struct table *t, const struct shape *shape, const struct comparison *c)
{
    struct page *p = t->p;
    const struct name_list pairs = {p->r->n_comparisons, true, put_pair_name, NULL};
    put_listed_name(p, &pairs, (int)(c - p->r->comparisons), shape->name_columns);
    table_cell(t);
    for (int i = 0; i < 2; i++) {
        const int subject = i ? c->subject : c->reference;
        if (!put_multiple_of_anchor(p, c, subject))
            put_in_own_unit(p, lead_estimate(p, subject));
        table_cell(t);
    }
    verdict_cells(t, c, shape->brief);
}

static void fill_pairs(struct page *p, struct table *t, const struct shape *shape)
{
    enum { SESSION_COLUMNS = 20 };
    const struct record *r = p->r;
    table_column(t, (struct table_column){name_title(r), SIDE_LEFT, 0});
    put_session_name(p, r->comparisons[0].reference, SESSION_COLUMNS);
    table_titled(t, SIDE_RIGHT, late(shape, 2));
    put_session_name(p, r->comparisons[0].subject, SESSION_COLUMNS);
    table_titled(t, SIDE_RIGHT, late(shape, 1));
    buf_str(&p->piece, metric_decides(p, "wall") ? "change (" : "change of ");
    if (!metric_decides(p, "wall")) {
        put_title(p, p->r->rule.metric, 24);
        buf_str(&p->piece, " (");
    }
    buf_format(&p->piece, "%s CI)", figure_text(figure_level, p->r->rule.confidence).at);
    table_titled(t, SIDE_LEFT, 0);
    table_column(t, (struct table_column){"", SIDE_LEFT, TABLE_KEPT});
    for (int i = 0; i < r->n_comparisons; i++)
        pair_row(t, shape, &r->comparisons[i]);
}

void render_pair_table(struct page *p)
{
    struct shape shape = {.name_columns = p->o->width > 0 ? p->o->width * 3 / 10 : NAME_MOST};
    if (p->r->n_comparisons && !render_fitted(p, &shape, fill_pairs))
        render_verdicts(p);
}

/* Short pieces of code are timed in microseconds with three decimals; more of them would be noise. */
static bool in_microseconds(const struct page *p, int subject, const char *metric)
{
    return p->r->subjects[subject].kind == SUBJECT_EXPERIMENT && !strcmp(base_unit(p->r, metric), "ns");
}

static struct unit run_unit(struct page *p, int subject, const char *metric)
{
    return in_microseconds(p, subject, metric) ? unit_for("ns", 1e3) : metric_unit(p, metric);
}

static void value_cell(struct table *t, int subject, const char *metric, double value)
{
    enum { MICROSECOND_DECIMALS = 3 };
    const struct unit u = run_unit(t->p, subject, metric);
    value /= u.factor;
    if (!isnan(value))
        figure_put(&t->p->piece, value,
                   in_microseconds(t->p, subject, metric) ? MICROSECOND_DECIMALS
                   : u.factor > 1                         ? figure_digits(value, 6)
                                                          : 0);
    table_cell(t);
}

static void run_rows(struct table *t, int subject, const struct rows *rows, int n_columns, const char *before)
{
    struct page *p = t->p;
    for (int i = 0; i < rows->n; i++) {
        table_format(t, "%s%d", before, rows->round[i] + 1);
        table_format(t, "%d", rows->slot[i] + 1);
        for (int c = 0; c < n_columns; c++)
            value_cell(t, subject, p->r->series[subject].columns[c], rows->value[c][i]);
        for (uint32_t bit = 1, flags = rows->flags[i]; bit && bit <= flags; bit <<= 1)
            if (flags & bit)
                buf_format(&p->piece, "%s%s", p->piece.len ? " " : "",
                           row_flag_name((enum row_flag)bit) ? row_flag_name((enum row_flag)bit) : "?");
        table_cell(t);
    }
}

void render_runs(struct page *p, int subject)
{
    static const struct table_column columns[] = {{"round", SIDE_RIGHT, 0}, {"place", SIDE_RIGHT, 2}};
    const struct series *s = &p->r->series[subject];
    const int room = TABLE_COLUMNS_MAX - 3, values = s->n_columns < room ? s->n_columns : room;
    struct table t;
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    for (int c = 0; c < values; c++) {
        const struct unit u = run_unit(p, subject, s->columns[c]);
        put_cut(p, s->columns[c], 16);
        if (record_metric(p->r, s->columns[c]) && *u.name && strcmp(u.name, s->columns[c])) {
            buf_char(&p->piece, ',');
            unit_put(&p->piece, u);
        }
        table_titled(&t, SIDE_POINT, TABLE_COLUMNS_MAX - c);
    }
    table_column(&t, (struct table_column){"", SIDE_LEFT, 0});
    run_rows(&t, subject, &s->warmup, values, "w");
    run_rows(&t, subject, &s->main, values, "");
    table_end(&t, 4);
}
