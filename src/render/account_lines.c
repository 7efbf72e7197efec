/* SPDX-License-Identifier: MIT
 *
 *     12 of 40 runs were disturbed: 9 preempted (3.2 ms), 3 stolen (1.1 ms)
 *     undisturbed, 28 runs: median 20.01 ms [19.95, 20.08]  mean 20.03 [19.99, 20.07]
 *
 * and with -v the whole account of a command:
 *
 *     disturbed by        runs  time in all, ms  of the time  of the variance
 *     preempted        9 of 40             3.20        0.4 %             87 %
 */
#include "causes.h"
#include "layout.h"
#include <math.h>
#include <string.h>

static const char between[] = "  ";

/* ---- figures of the account ---- */

static const struct estimate *account_figure(const struct page *p, int subject, const char *word, const char *statistic)
{
    char room[64];
    struct buf name = buf_over(room, sizeof room);
    buf_format(&name, "%s%s", word, statistic);
    return page_estimate(p, subject, "wall", room);
}

static double number(const struct estimate *e)
{
    return e ? e->point : NAN;
}

static bool has_account(const struct page *p, int subject)
{
    return page_estimate(p, subject, "wall", "disturbed_runs") != NULL;
}

static void put_time(struct page *p, double ns)
{
    struct unit u = unit_for("ns", ns);
    put_number(p, ns / u.factor, significant_decimals(ns / u.factor, 2));
    put_unit(p, u);
}

/* Of which nobody knows whether they waited for a CPU. */
static double unseen_runs(const struct page *p, int subject)
{
    return number(account_figure(p, subject, "", "unseen_runs"));
}

/* ---- in the lines of a command ---- */

/* The causes found to matter: each has its finding, under its own word. */
static bool matters(const struct record *r, int subject)
{
    const struct cause *c;
    for (int i = 0; i < r->n_findings; i++)
        for (int k = 0; r->findings[i].subject == subject && (c = cause_at(k)); k++)
            if (c->exogenous && !strcmp(r->findings[i].id, c->word))
                return true;
    return false;
}

static void put_causes(struct page *p, int subject)
{
    const struct cause *c;
    const char *gap = ": ";
    for (int i = 0; (c = cause_at(i)); i++) {
        double runs = number(account_figure(p, subject, c->word, "_runs")),
               ns = number(account_figure(p, subject, c->word, "_ns"));
        if (!c->exogenous || !(runs > 0))
            continue;
        buf_format(&p->piece, "%s%.0f %s", gap, runs, c->word);
        if (ns > 0) {
            buf_str(&p->piece, " (");
            put_time(p, ns);
            buf_char(&p->piece, ')');
        }
        gap = ", ";
    }
}

void render_disturbed(struct page *p, int subject)
{
    double runs = number(account_figure(p, subject, "", "disturbed_runs"));
    if (!(runs > 0) || !matters(p->r, subject))
        return;
    flow_begin(p, 2, 4);
    buf_format(&p->piece, "%.0f of %d runs %s disturbed", runs, account_figure(p, subject, "", "disturbed_runs")->n,
               runs == 1 ? "was" : "were");
    put_causes(p, subject);
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

/* ---- the undisturbed runs ---- */

static void put_clean_mean(struct page *p, const struct estimate *mean, struct unit u)
{
    int decimals = estimate_decimals(mean, u);
    buf_str(&p->piece, "mean ");
    put_number(p, mean->point / u.factor, decimals);
    if (has_interval(mean)) {
        buf_char(&p->piece, ' ');
        put_interval(p, mean->low / u.factor, mean->high / u.factor, decimals);
    }
    flow_put(p, between);
}

void render_undisturbed(struct page *p, int subject, int indent)
{
    const char *metric = p->r->rule.metric;
    const struct estimate *median = page_estimate(p, subject, metric, "clean_median"),
                          *mean = page_estimate(p, subject, metric, "clean_mean");
    if (!median)
        return;
    flow_begin(p, indent, indent + 2);
    if (isnan(median->point)) {
        buf_str(&p->piece, "undisturbed: no run");
        if (unseen_runs(p, subject) > 0)
            buf_str(&p->piece, " is known to be");
        flow_spread(p, "", HUE_PLAIN);
    } else {
        struct unit u = metric_unit(p, metric);
        buf_format(&p->piece, "undisturbed, %d run%s:", median->n, median->n == 1 ? "" : "s");
        flow_put(p, "");
        buf_str(&p->piece, "median ");
        put_estimate(p, median, u);
        flow_put(p, " ");
        if (mean && !isnan(mean->point))
            put_clean_mean(p, mean, u);
    }
    flow_end(p);
}

/* ---- the whole account, with -v ---- */

static void share_cell(struct page *p, struct table *t, double share)
{
    if (!isnan(share)) {
        put_number(p, 100 * share, fabs(share) < 0.0995 && share != 0 ? 1 : 0);
        buf_str(&p->piece, " %");
    }
    table_cell(p, t);
}

static void cause_row(struct page *p, struct table *t, int subject, const struct cause *c, struct unit u)
{
    const struct estimate *runs = account_figure(p, subject, c->word, "_runs"), *ns = account_figure(p, subject, c->word, "_ns");
    buf_str(&p->piece, c->word);
    table_cell(p, t);
    buf_format(&p->piece, "%.0f of %d", runs ? runs->point : 0, p->r->series[subject].main.n);
    table_cell(p, t);
    if (ns && !isnan(ns->point))
        put_number(p, ns->point / u.factor, significant_decimals(ns->point / u.factor, 2));
    table_cell(p, t);
    share_cell(p, t, number(account_figure(p, subject, c->word, "_time_share")));
    share_cell(p, t, number(account_figure(p, subject, c->word, "_variance_share")));
}

/* A cause that took nothing and marked nothing has no line. */
static bool shows(const struct page *p, int subject, const struct cause *c)
{
    const struct estimate *ns = account_figure(p, subject, c->word, "_ns");
    return number(account_figure(p, subject, c->word, "_runs")) > 0 || (ns && fabs(ns->point) > 0);
}

static struct unit account_unit(const struct page *p, int subject)
{
    const struct cause *c;
    double most = 0;
    for (int i = 0; (c = cause_at(i)); i++) {
        const struct estimate *ns = account_figure(p, subject, c->word, "_ns");
        most = ns && ns->point > most ? ns->point : most;
    }
    return unit_for("ns", most);
}

static int causes_table(struct page *p, int subject)
{
    struct table_column columns[] = {{"account", SIDE_LEFT, 0},
                                     {"runs", SIDE_RIGHT, 0},
                                     {"", SIDE_POINT, 3},
                                     {"of the time", SIDE_RIGHT, 2},
                                     {"of the variance", SIDE_RIGHT, 1}};
    const struct cause *c;
    struct unit u = account_unit(p, subject);
    struct table t;
    int n = 0;
    table_begin(&t, columns, 5);
    buf_str(&p->piece, "in all,");
    put_unit(p, u);
    columns[2].title = table_text(p, &t);
    for (int i = 0; (c = cause_at(i)); i++)
        if (shows(p, subject, c)) {
            cause_row(p, &t, subject, c, u);
            n++;
        }
    if (n)
        table_end(p, &t, 4);
    else
        table_drop(&t);
    return n;
}

static void render_frequency(struct page *p, int subject)
{
    const struct estimate *exponent = page_estimate(p, subject, "cpu", "frequency_exponent"),
                          *median = page_estimate(p, subject, "cpu", "median_at_frequency");
    if (!exponent || isnan(exponent->point))
        return;
    flow_begin(p, 4, 6);
    buf_str(&p->piece, "CPU time by core frequency: exponent ");
    put_number(p, exponent->point, 2);
    if (has_interval(exponent)) {
        buf_char(&p->piece, ' ');
        put_interval(p, exponent->low, exponent->high, 2);
    }
    flow_spread(p, "", HUE_PLAIN);
    if (exponent->reason) {
        put_text(p, exponent->reason);
        buf_str(&p->piece, ", nothing is adjusted");
    } else if (median) {
        buf_str(&p->piece, "median CPU time at the median frequency ");
        put_estimate(p, median, metric_unit(p, "cpu"));
    } else {
        buf_str(&p->piece, "not distinct from 0, nothing is adjusted");
    }
    flow_spread(p, ", ", HUE_PLAIN);
    flow_end(p);
}

static void render_together(struct page *p, int subject)
{
    double share = number(account_figure(p, subject, "", "explained_variance_share"));
    int again = p->r->series[subject].replaced.n;
    flow_begin(p, 4, 6);
    if (share > 0) {
        buf_str(&p->piece, "together they explain ");
        put_number(p, 100 * share, 0);
        buf_str(&p->piece, " % of the variance");
        flow_spread(p, "", HUE_PLAIN);
    }
    if (again) {
        buf_format(&p->piece, "%d run%s made again", again, again == 1 ? " was" : "s were");
        flow_spread(p, ", ", HUE_PLAIN);
    }
    flow_end(p);
}

void render_account(struct page *p, int subject)
{
    if (!has_account(p, subject))
        return;
    if (!causes_table(p, subject)) {
        flow_begin(p, 4, 6);
        if (unseen_runs(p, subject) > 0)
            buf_format(&p->piece, "account: no disturbance was seen; in %.0f of %d runs waiting for a CPU cannot be seen",
                       unseen_runs(p, subject), p->r->series[subject].main.n);
        else
            buf_str(&p->piece, "account: no run was disturbed");
        flow_spread(p, "", HUE_DIM);
        flow_end(p);
    }
    render_together(p, subject);
    render_frequency(p, subject);
    render_undisturbed(p, subject, 4);
}
