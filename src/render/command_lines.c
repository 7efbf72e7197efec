/* SPDX-License-Identifier: MIT
 *
 *     Command 1: grep -c foo big.txt
 *       median 12.30 ms (12.21–12.38)  mean 12.34, sd 0.37  95 %, 64 runs, effective sample size 51
 *       min 11.91  max 14.20  CPU 12.2 ms (user 11.0, system 1.2)  peak memory 3.1 MB
 *
 * The first line is what is claimed, the second what was seen; how intervals are made is said in the head of the page.
 */
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <string.h>

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

bool metric_decides(const struct page *p, const char *metric)
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

void put_memory(struct page *p, int subject)
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
