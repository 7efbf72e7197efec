/* SPDX-License-Identifier: MIT
 *
 *     Command 1: grep -c foo big.txt
 *       median 12.30 ms [12.21, 12.38]  mean 12.34 ± 0.06  95 %, 64 runs, n_eff 51
 *       min 11.91  max 14.20  CPU 12.2 ms (user 11.0, system 1.2)  peak memory 3.1 MB
 */
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the session was, and how its intervals are made ---- */

static const struct estimate *first_with_interval(const struct record *r, const char *statistic)
{
    for (int i = 0; i < r->n_subjects; i++) {
        const struct estimate *e = record_estimate(r, i, r->rule.metric, statistic);
        if (r->subjects[i].kind == SUBJECT_COMMAND && has_interval(e))
            return e;
    }
    return NULL;
}

static void put_session_words(struct page *p)
{
    const struct record *r = p->r;
    bool several = command_count(r) > 1;
    const char *how = !several ? "" : r->rule.interleaved ? ", interleaved" : " each, in blocks";
    buf_format(&p->piece, "In this session: %d %s%s.", r->rounds, several && r->rule.interleaved ? "rounds" : "runs", how);
    flow_put_hued(p, " ", HUE_DIM);
}

static void render_session(struct page *p)
{
    const struct estimate *median = first_with_interval(p->r, "median"), *mean = first_with_interval(p->r, "mean");
    flow_begin(p, 0, 2);
    put_session_words(p);
    if (median) {
        buf_str(&p->piece, "[a, b] is the median's ");
        put_percent(p, median->confidence);
        buf_format(&p->piece, " interval (%s)%s", median->method, mean ? "," : "");
        flow_put_hued(p, " ", HUE_DIM);
    }
    if (mean) {
        buf_format(&p->piece, "%s the mean's (%s)", p->sym->plus_minus, mean->method);
        flow_put_hued(p, " ", HUE_DIM);
    }
    if (median && p->r->rule.n_looks > 1) {
        buf_format(&p->piece, "over %d looks", p->r->rule.n_looks);
        flow_put_hued(p, " ", HUE_DIM);
    }
    flow_end(p);
}

/* ---- one command ---- */

static void render_name(struct page *p, int subject, int number)
{
    flow_begin(p, 0, 4);
    buf_format(&p->piece, "Command %d:", number);
    flow_put_hued(p, "", HUE_BOLD);
    quote_mask(&p->piece, p->r->subjects[subject].name, p->o->unicode);
    flow_put(p, " ");
    flow_end(p);
}

static void put_unmeasurable(struct page *p, const char *metric, const struct estimate *e)
{
    buf_format(&p->piece, "%s not measurable", metric_title(p, metric));
    if (e->reason)
        buf_format(&p->piece, " (%s)", e->reason);
    flow_put(p, "  ");
}

static int flagged(const struct rows *rows, uint32_t bits)
{
    int n = 0;
    for (int i = 0; i < rows->n; i++)
        n += (rows->flags[i] & bits) != 0;
    return n;
}

static void put_runs(struct page *p, int subject, const struct estimate *e)
{
    const struct series *s = &p->r->series[subject];
    if (has_interval(e)) {
        put_percent(p, e->confidence);
        buf_str(&p->piece, ", ");
    }
    buf_format(&p->piece, "%d run%s", e->n, e->n == 1 ? "" : "s");
    if (s->warmup.n)
        buf_format(&p->piece, " + %d warm-up", s->warmup.n);
    int failed = flagged(&s->main, ROW_FAILED), late = flagged(&s->main, ROW_TIMED_OUT);
    if (failed)
        buf_format(&p->piece, ", %d failed", failed);
    if (late)
        buf_format(&p->piece, ", %d timed out", late);
    if (isfinite(e->n_effective))
        buf_format(&p->piece, ", n_eff %.0f", e->n_effective);
    flow_put(p, "  ");
}

static void put_median(struct page *p, const struct estimate *e, struct unit u)
{
    buf_str(&p->piece, "median ");
    put_estimate(p, e, u);
    flow_put(p, "  ");
    if (has_interval(e))
        return;
    buf_str(&p->piece, "no interval");
    if (e->reason)
        buf_format(&p->piece, ": %s", e->reason);
    else
        buf_format(&p->piece, " at n = %d", e->n);
    flow_put(p, "  ");
}

static void put_mean(struct page *p, const struct estimate *e, struct unit u)
{
    int decimals = estimate_decimals(e, u);
    buf_str(&p->piece, "mean ");
    put_number(p, e->point / u.factor, decimals);
    if (has_interval(e)) {
        buf_format(&p->piece, " %s ", p->sym->plus_minus);
        put_number(p, half_width(e->low, e->high) / u.factor, decimals);
    }
    flow_put(p, "  ");
}

static void put_plain(struct page *p, int subject, const char *statistic, struct unit u, int decimals)
{
    const struct estimate *e = record_estimate(p->r, subject, p->r->rule.metric, statistic);
    if (!e || isnan(e->point))
        return;
    buf_format(&p->piece, "%s ", statistic);
    put_number(p, e->point / u.factor, decimals);
    flow_put(p, "  ");
}

/* Three digits and never more than the interval allows: this is the small print. */
static int short_decimals(const struct estimate *e, struct unit u)
{
    double value = fabs(e->point / u.factor);
    int by_interval = estimate_decimals(e, u), three = value > 0 ? 2 - (int)floor(log10(value)) : 0;
    return by_interval < three ? by_interval : three > 0 ? three : 0;
}

static void put_cpu(struct page *p, int subject)
{
    const struct estimate *cpu = record_estimate(p->r, subject, "cpu", "median");
    const struct estimate *user = record_estimate(p->r, subject, "user", "median");
    const struct estimate *sys = record_estimate(p->r, subject, "sys", "median");
    if (!cpu)
        return;
    if (isnan(cpu->point)) {
        put_unmeasurable(p, "cpu", cpu);
        return;
    }
    struct unit u = metric_unit(p, "cpu");
    int decimals = short_decimals(cpu, u);
    buf_str(&p->piece, "CPU ");
    put_number(p, cpu->point / u.factor, decimals);
    put_unit(p, u);
    if (user && sys && isfinite(user->point) && isfinite(sys->point)) {
        buf_str(&p->piece, " (user ");
        put_number(p, user->point / u.factor, decimals);
        buf_str(&p->piece, ", system ");
        put_number(p, sys->point / u.factor, decimals);
        buf_char(&p->piece, ')');
    }
    flow_put(p, "  ");
}

static void put_other(struct page *p, int subject, const char *metric, const char *label)
{
    const struct estimate *e = record_estimate(p->r, subject, metric, "median");
    if (!e)
        return;
    if (isnan(e->point)) {
        put_unmeasurable(p, metric, e);
        return;
    }
    struct unit u = metric_unit(p, metric);
    buf_format(&p->piece, "%s ", label);
    put_number(p, e->point / u.factor, short_decimals(e, u));
    put_unit(p, u);
    flow_put(p, "  ");
}

static void render_claims(struct page *p, int subject)
{
    const char *metric = p->r->rule.metric;
    const struct estimate *median = record_estimate(p->r, subject, metric, "median"),
                          *mean = record_estimate(p->r, subject, metric, "mean");
    const struct estimate *lead = median ? median : mean;
    if (!lead) {
        buf_str(&p->piece, "no result");
        flow_put(p, "");
        return;
    }
    if (isnan(lead->point)) {
        put_unmeasurable(p, metric, lead);
        return;
    }
    struct unit u = metric_unit(p, metric);
    if (strcmp(metric, "wall")) {
        buf_format(&p->piece, "%s:", metric_title(p, metric));
        flow_put(p, "");
    }
    if (median)
        put_median(p, median, u);
    if (mean && !isnan(mean->point))
        put_mean(p, mean, u);
    put_runs(p, subject, lead);
}

static void render_command(struct page *p, int subject, int number)
{
    const char *metric = p->r->rule.metric;
    const struct estimate *lead = record_estimate(p->r, subject, metric, "median");
    render_name(p, subject, number);
    flow_begin(p, 2, 4);
    render_claims(p, subject);
    flow_end(p);
    if (!lead || isnan(lead->point))
        return;
    struct unit u = metric_unit(p, metric);
    int decimals = estimate_decimals(lead, u);
    flow_begin(p, 2, 4);
    put_plain(p, subject, "min", u, decimals);
    put_plain(p, subject, "max", u, decimals);
    if (strcmp(metric, "wall"))
        put_other(p, subject, "wall", "wall time");
    put_cpu(p, subject);
    if (strcmp(metric, "rss"))
        put_other(p, subject, "rss", "peak memory");
    flow_end(p);
}

void render_result(const struct record *r, const struct render_options *o, struct buf *out)
{
    struct page p = page_over(r, o, out);
    int *order = malloc((size_t)(r->n_subjects + 1) * sizeof *order);
    if (!order) {
        out->status = TARE_NO_MEMORY;
        return;
    }
    int n = subject_order(&p, o->sort == RENDER_SORT_MEAN_TIME ? RENDER_SORT_MEAN_TIME : RENDER_SORT_COMMAND, order);
    render_session(&p);
    for (int i = 0; i < n; i++)
        render_command(&p, order[i], order[i] + 1);
    render_comparisons(&p);
    free(order);
    page_finish(&p);
}
