/* SPDX-License-Identifier: MIT
 *
 *     Over 6 sessions (2026-11-21T10:00:00Z to 2026-11-21T15:00:09Z):
 *       './old' mean of the sessions' medians 12.34 ms [12.29, 12.39], sd between sessions 0.05 ms (0.4 %)
 *       './new' is SLOWER than './old': +2.1 % time [+1.6, +2.6], by at least the 1 % margin; sd between sessions 0.5 %
 *       n = 6 sessions, 95 %, Student t over sessions ...
 */
#include "layout.h"
#include "record_kind.h"
#include "utc.h"
#include <math.h>
#include <string.h>

enum { SESSIONS_ADVISED = 6 };

static void put_time_of(struct page *p, int row)
{
    char text[40];
    struct buf b = buf_over(text, sizeof text);
    const struct rows *rows = &p->r->series[0].main;
    utc_text(&b, p->r->start_utc_ns + rows->start_ns[row]);
    buf_format(&p->piece, "%.*sZ", (int)strcspn(text, "."), text); /* to the second */
}

static void render_title(struct page *p)
{
    int n = p->r->sessions;
    flow_begin(p, 0, 2);
    buf_format(&p->piece, "Over %d session%s", n, buf_plural(n));
    flow_put_hued(p, "", HUE_BOLD);
    buf_char(&p->piece, '(');
    put_time_of(p, 0);
    if (n > 1) {
        buf_str(&p->piece, " to ");
        put_time_of(p, n - 1);
    }
    buf_str(&p->piece, "):");
    flow_put_hued(p, " ", HUE_DIM);
    flow_end(p);
}

static void put_deviation(struct page *p, const struct estimate *mean, const struct estimate *sd, struct unit u)
{
    if (!sd || !isfinite(sd->point))
        return;
    buf_str(&p->piece, "sd between sessions ");
    figure_with(&p->piece, sd->point, u, figure_digits(sd->point / u.factor, 2));
    if (mean->point > 0) {
        buf_str(&p->piece, " (");
        figure_share(&p->piece, sd->point / mean->point);
        buf_char(&p->piece, ')');
    }
    flow_put(p, " ");
}

static void render_command_over(struct page *p, int subject)
{
    const char *metric = p->r->rule.metric;
    const struct estimate *mean = page_estimate(p, subject, metric, "mean");
    struct unit u = metric_unit(p, metric);
    if (!mean)
        return;
    flow_begin(p, 2, 4);
    put_name(p, subject, name_columns(p, 1));
    buf_char(&p->piece, ':');
    flow_put(p, "");
    buf_str(&p->piece, "mean of the sessions' medians ");
    if (isfinite(mean->point))
        put_estimate(p, mean, u);
    else
        put_text(p, mean->reason);
    if (strcmp(metric, "wall") != 0) {
        buf_str(&p->piece, " in ");
        put_title(p, metric, 0);
    }
    const struct estimate *sd = page_estimate(p, subject, metric, "stddev");
    if (sd && isfinite(sd->point))
        buf_char(&p->piece, ',');
    flow_put(p, " ");
    put_deviation(p, mean, sd, u);
    flow_end(p);
}

static bool has_deviation(const struct page *p, const struct comparison *c)
{
    const struct estimate *sd = page_estimate(p, c->subject, c->metric, STATISTIC_OF_SHIFTS);
    return sd && isfinite(sd->point);
}

static void put_shift_deviation(struct page *p, const struct comparison *c)
{
    const struct estimate *sd = page_estimate(p, c->subject, c->metric, STATISTIC_OF_SHIFTS);
    if (!has_deviation(p, c))
        return;
    buf_str(&p->piece, "sd between sessions ");
    if (c->kind == METRIC_COUNT)
        figure_put(&p->piece, sd->point, figure_digits(sd->point, 2));
    else
        figure_share(&p->piece, sd->point);
    flow_put(p, " ");
}

static void render_comparison_over(struct page *p, const struct comparison *c)
{
    flow_begin(p, 2, 4);
    put_comparison_head(p, c);
    put_answer(p, c);
    if (has_deviation(p, c))
        buf_char(&p->piece, ',');
    flow_put(p, " ");
    put_shift_deviation(p, c);
    if (c->reason) {
        flow_break(p);
        put_text(p, c->reason);
        flow_spread(p, " ", HUE_PLAIN);
    }
    flow_end(p);
}

static void render_basis(struct page *p)
{
    int n = p->r->sessions;
    if (n < 2)
        return;
    buf_format(&p->piece, "n = %d sessions, ", n);
    figure_level(&p->piece, p->r->rule.confidence);
    if (p->r->n_comparisons > 1)
        buf_format(&p->piece, " over %d comparisons", p->r->n_comparisons);
    buf_str(&p->piece, ", Student t over sessions");
    if (p->r->n_comparisons)
        buf_str(&p->piece, "; ratios: mean of the sessions' Hodges-Lehmann shifts");
    buf_char(&p->piece, '.');
    if (n < SESSIONS_ADVISED)
        buf_format(&p->piece,
                   " So few cannot show whether they scatter normally, as this takes for granted; %d or more are better.",
                   SESSIONS_ADVISED);
    flow_line(p, 2, HUE_DIM);
}

void render_session_means(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        render_command_over(p, i);
}

/* What a size of theirs is about, and how far single ones lie apart. */
static void render_leaks_basis(struct page *p)
{
    buf_format(&p->piece, "n = %d session%s, ", p->r->sessions, buf_plural(p->r->sessions));
    figure_level(&p->piece, p->r->rule.confidence);
    buf_str(&p->piece,
            " for all sizes of a target together, Student t over sessions; evidence of independent sessions multiplies.");
    if (p->r->sessions < SESSIONS_ADVISED)
        buf_format(&p->piece,
                   " So few cannot show whether they scatter normally, as this takes for granted; %d or more are better.",
                   SESSIONS_ADVISED);
    flow_line(p, 2, HUE_DIM);
}

void render_sessions(const struct record *over, const struct render_options *o, struct buf *out)
{
    struct page p = page_over(over, o, out);
    render_title(&p);
    if (record_kind(over)->targets) {
        render_leaks(&p);
        render_leaks_basis(&p);
        page_finish(&p);
        return;
    }
    render_session_means(&p);
    for (int i = 0; i < over->n_comparisons; i++)
        render_comparison_over(&p, &over->comparisons[i]);
    render_basis(&p);
    page_finish(&p);
}
