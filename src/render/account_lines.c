/* SPDX-License-Identifier: MIT
 *
 *     12 of 40 runs were disturbed: 9 preempted (3.2 ms), 3 stolen (1.1 ms)
 *     undisturbed, 28 runs: median 20.01 ms (19.95–20.08)  mean 20.03 ms (19.99–20.07)
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

static const struct estimate *account_figure(const struct page *p, int subject, const char *word, const char *statistic)
{
    char room[64];
    buf_print(room, sizeof room, "%s%s", word, statistic);
    return record_estimate(p->r, subject, "wall", room);
}

static double number_of(const struct estimate *e)
{
    return e ? e->point : NAN;
}

/* A share of a variance that is 0 says nothing. */
static bool varies(const struct page *p, int subject)
{
    const struct estimate *sd = record_estimate(p->r, subject, "wall", "stddev");
    return !sd || sd->point > 0;
}

/* Of which nobody knows whether they waited for a CPU. */
static double unseen_runs(const struct page *p, int subject)
{
    return number_of(account_figure(p, subject, "", "unseen_runs"));
}

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

static bool some_have_several(const struct page *p, int subject)
{
    const struct cause *c;
    double of_causes = 0;
    for (int i = 0; (c = cause_at(i)); i++)
        of_causes += c->exogenous ? fmax(number_of(account_figure(p, subject, c->word, "_runs")), 0) : 0;
    return of_causes > number_of(account_figure(p, subject, "", "disturbed_runs"));
}

static void put_causes(struct page *p, int subject)
{
    const struct cause *c;
    const char *gap = some_have_several(p, subject) ? ", some by several causes: " : ": ";
    for (int i = 0; (c = cause_at(i)); i++) {
        double runs = number_of(account_figure(p, subject, c->word, "_runs")),
               ns = number_of(account_figure(p, subject, c->word, "_ns"));
        if (!c->exogenous || !(runs > 0))
            continue;
        buf_format(&p->piece, "%s%.0f %s", gap, runs, c->word);
        if (ns > 0) {
            buf_str(&p->piece, " (");
            figure_scaled(&p->piece, "ns", ns, 2);
            buf_char(&p->piece, ')');
        }
        gap = ", ";
    }
}

void render_disturbed(struct page *p, int subject)
{
    double runs = number_of(account_figure(p, subject, "", "disturbed_runs"));
    if (!(runs > 0) || !matters(p->r, subject))
        return;
    buf_format(&p->piece, "%.0f of %d runs %s disturbed", runs, account_figure(p, subject, "", "disturbed_runs")->n,
               runs == 1 ? "was" : "were");
    put_causes(p, subject);
    flow_line(p, 2, HUE_PLAIN);
}

void render_undisturbed(struct page *p, int subject, int indent)
{
    const char *metric = p->r->rule.metric;
    const struct estimate *median = record_estimate(p->r, subject, metric, "clean_median"),
                          *mean = record_estimate(p->r, subject, metric, "clean_mean");
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
        if (is_known(mean)) {
            buf_str(&p->piece, "mean ");
            put_estimate(p, mean, u);
            flow_put(p, between);
        }
    }
    flow_end(p);
}

/* Runs may have lost time to several causes, which then share what it explains. */
static bool shares_overlap(const struct page *p, int subject)
{
    const struct cause *c;
    double all = 0;
    for (int i = 0; (c = cause_at(i)); i++)
        all += fmax(number_of(account_figure(p, subject, c->word, "_variance_share")), 0);
    return all > 1;
}

/* Of which it is known how much was taken, the base of the shares. */
static int observed_runs(const struct page *p, int subject, const char *cause, double runs)
{
    const struct estimate *ns = account_figure(p, subject, cause, "_ns");
    return ns && ns->n >= runs ? ns->n : account_figure(p, subject, "", "disturbed_runs")->n;
}

static void cause_row(struct table *t, int subject, const char *cause, struct unit unit)
{
    struct page *p = t->p;
    const double runs = number_of(account_figure(p, subject, cause, "_runs")),
                 ns = number_of(account_figure(p, subject, cause, "_ns")) / unit.factor,
                 of_time = number_of(account_figure(p, subject, cause, "_time_share")),
                 of_variance = number_of(account_figure(p, subject, cause, "_variance_share"));
    table_format(t, "%s", cause);
    table_format(t, "%.0f of %d", runs > 0 ? runs : 0, observed_runs(p, subject, cause, runs > 0 ? runs : 0));
    if (!isnan(ns))
        figure_put(&p->piece, ns, figure_digits(ns, 2));
    table_cell(t);
    if (!isnan(of_time))
        figure_share(&p->piece, of_time);
    table_cell(t);
    if (!isnan(of_variance) && varies(p, subject))
        figure_share(&p->piece, of_variance);
    table_cell(t);
}

/* A cause that took nothing and marked nothing has no line. */
static bool shows(const struct page *p, int subject, const struct cause *c)
{
    const struct estimate *ns = account_figure(p, subject, c->word, "_ns");
    return number_of(account_figure(p, subject, c->word, "_runs")) > 0 || (ns && fabs(ns->point) > 0);
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

/* How many causes it shows. */
static int causes_table(struct page *p, int subject)
{
    const struct unit unit = account_unit(p, subject);
    const struct cause *c;
    struct table t;
    int n = 0;
    table_begin(&t, p, (const struct table_column[]){{"account", SIDE_LEFT, 0}, {"runs", SIDE_RIGHT, 0}}, 2);
    buf_str(&p->piece, "in all,");
    unit_put(&p->piece, unit);
    table_titled(&t, SIDE_POINT, 3);
    table_column(&t, (struct table_column){"of the time", SIDE_RIGHT, 2});
    table_column(&t, (struct table_column){"of the variance", SIDE_RIGHT, 1});
    for (int i = 0; (c = cause_at(i)); i++)
        if (shows(p, subject, c)) {
            cause_row(&t, subject, c->word, unit);
            n++;
        }
    table_end(&t, 4);
    return n;
}

static void render_frequency(struct page *p, int subject)
{
    const struct estimate *exponent = record_estimate(p->r, subject, "cpu", "frequency_exponent"),
                          *median = record_estimate(p->r, subject, "cpu", "median_at_frequency");
    if (!exponent || isnan(exponent->point))
        return;
    flow_begin(p, 4, 6);
    buf_str(&p->piece, "CPU time by core frequency: exponent ");
    put_estimate(p, exponent, unit_one);
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

void render_account(struct page *p, int subject)
{
    if (!record_estimate(p->r, subject, "wall", "disturbed_runs"))
        return;
    if (!causes_table(p, subject)) {
        if (unseen_runs(p, subject) > 0)
            buf_format(&p->piece, "account: no disturbance was seen; in %.0f of %d runs waiting for a CPU cannot be seen",
                       unseen_runs(p, subject), account_figure(p, subject, "", "disturbed_runs")->n);
        else
            buf_str(&p->piece, "account: no run was disturbed");
        flow_line(p, 4, HUE_DIM);
    }
    double share = number_of(account_figure(p, subject, "", "explained_variance_share"));
    int again = p->r->series[subject].replaced.n;
    flow_begin(p, 4, 6);
    if (share > 0 && varies(p, subject)) {
        buf_format(&p->piece, "together they explain %s of the variance of the wall time%s", figure_text(figure_share, share).at,
                   shares_overlap(p, subject) ? ", and their shares overlap" : "");
        flow_spread(p, "", HUE_PLAIN);
    }
    if (again) {
        buf_format(&p->piece, "%d run%s made again", again, again == 1 ? " was" : "s were");
        flow_spread(p, ", ", HUE_PLAIN);
    }
    flow_end(p);
    render_frequency(p, subject);
    render_undisturbed(p, subject, 4);
}
